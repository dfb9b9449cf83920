/* Whether sums and products of integers have wrapped around: from the scan, element after element. */
#ifndef PARSCAN_CLI_OVERFLOW_CHECK_H
#define PARSCAN_CLI_OVERFLOW_CHECK_H

#include "apps/cli/stream.h"

/* Start with the operator, whether the scan is exclusive, the value of --init, an element of the output's type, or
   NULL, and orders.type U64. */
typedef struct overflow_check {
    parscan_op op;
    bool exclusive;
    const void *init;
    bool by_keys;   /* the second file of the pieces has keys, not flags */
    bool begun;     /* there is a value */
    bool wrapped;   /* the value is not the true one */
    uint64_t value; /* all elements so far combined; of signed types with its sign */
    bool has_key;
    uint64_t key; /* the order of the key of the element before */
    array orders; /* of the keys of a piece */
} overflow_check;

/* Checks a piece of a scan and its results; segments begin as its second file says, if there is one. False with a
   message that starts with that name: a result has wrapped, or memory runs out. */
bool overflow_check_piece(overflow_check *check, const char *name, const stream_piece *piece,
                          failure *why);

void overflow_check_release(overflow_check *check);

#endif
