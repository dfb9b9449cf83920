/* Whether sums and products of integers have wrapped around: from the scan, element after element. */
#ifndef PARSCAN_CLI_OVERFLOW_CHECK_H
#define PARSCAN_CLI_OVERFLOW_CHECK_H

#include "apps/cli/array.h"
#include "apps/cli/failure.h"

/* Start with the operator, whether the scan is exclusive, and the value of --init, an element of the output's type, or
   NULL. */
typedef struct overflow_check {
    parscan_op op;
    bool exclusive;
    const void *init;
    bool begun;     /* there is a value */
    bool wrapped;   /* the value is not the true one */
    uint64_t value; /* all elements so far combined; of signed types with its sign */
} overflow_check;

/* Checks a piece of a scan and its results, of the same number of elements; `first` is the index of the first one. False
   with a message that starts with that name: a result has wrapped. */
bool overflow_check_piece(overflow_check *check, const char *name, uint64_t first, const array *in,
                          const array *out, failure *why);

#endif
