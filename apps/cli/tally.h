/* Sums, numbers, minima, maxima and means of elements, one of each for a group. */
#ifndef PARSCAN_CLI_TALLY_H
#define PARSCAN_CLI_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/array.h"
#include "apps/cli/failure.h"
#include "apps/cli/lookup.h"

typedef enum tally_op {
    TALLY_SUM = 0,
    TALLY_COUNT,
    TALLY_MIN,
    TALLY_MAX,
    TALLY_MEAN,
    TALLY_OPS
} tally_op;

name_of tally_op_name_of;

/* Operators in the order in which they are asked for. */
typedef struct tally_list {
    size_t count; /* 0: not given */
    tally_op ops[16];
} tally_list;

/* Reads names with commas between them. */
bool tally_take(const char *value, tally_list *list, failure *why);
bool tally_has(const tally_list *list, tally_op op);

/* The longest text of a result: a sum of integers has 39 digits and a sign. */
enum { TALLY_LENGTH = 48 };

/* One result of each operator for each of n groups. Start with {.type, .list}. Sums of integers are exact. */
typedef struct tallies {
    parscan_type type;
    const tally_list *list;
    size_t n, room;
    uint64_t *counts;
    void *sums;             /* integers of 128 bits, or doubles; NULL where none are asked for */
    uint64_t *lows, *highs; /* orders of elements; the same */
    uint64_t *orders;       /* of the elements that are added */
    size_t orders_room;
} tallies;

/* Makes n groups of the first ones; new ones are empty. False: memory ran out. */
bool tallies_grow(tallies *groups, size_t n);
void tallies_release(tallies *groups);

/* Adds elements: element i to group numbers[i]. False: memory ran out. */
bool tallies_add(tallies *groups, const uint32_t *numbers, const array *elements);

/* For group 0 where another computes the rest: elements of which only minimum and maximum count; elements of
   which these do not, and of floats the sum neither; and that sum. */
bool tallies_add_extremes(tallies *groups, const array *elements);
void tallies_add_counts(tallies *groups, const array *elements);
void tallies_set_sum(tallies *groups, double sum);

/* What is tallied of one group, for another process. sum: an integer of 128 bits or a double. */
typedef struct tally_part {
    uint64_t count, low, high;
    unsigned char sum[16];
} tally_part;

tally_part tallies_part(const tallies *groups, size_t group);

/* Adds what another has tallied of elements that come after those of the group. */
void tallies_join(tallies *groups, size_t group, const tally_part *part);

/* Writes the result of an operator for a group; the end. An empty group has neither minimum, maximum nor mean:
   nan. */
char *tally_format(const tallies *groups, tally_op op, size_t group, char to[TALLY_LENGTH]);

/* The results of all operators for a group, with tabs between them and a newline at the end; the end. */
#define TALLY_LINE (sizeof((tally_list *)0)->ops / sizeof(tally_op) * (TALLY_LENGTH + 1))
char *tally_format_line(const tallies *groups, size_t group, char to[TALLY_LINE]);

#endif
