/*
 * A sort in parts: what a sort over many processes needs of an engine. Elements are split into
 * buckets by a digit, so that they can be sent by ranges of keys; and what has come is sorted.
 *
 *     parts.call = ... parscan_sort_begin() ...
 *     engine->prepare(&parts)
 *     engine->find_bits(&parts, ...)     which bits of the keys vary
 *     engine->split(&parts, ...)         a stable partition by a digit
 *     engine->reserve(&parts, ...)       takes the scratch of the sorts
 *     engine->sort(&parts, ...)          sorts elements that have come, to their place in the output
 *
 * All arrays are memory of the engine.
 */
#ifndef PARSCAN_APPS_SORT_SORT_PARTS_CALL_H
#define PARSCAN_APPS_SORT_SORT_PARTS_CALL_H

#include "apps/sort/sort_call.h"
#include "apps/sort/sort_cuts.h"

typedef struct sort_parts {
    sort_call call; /* call.in and call.out: the arrays of the caller */
    size_t n_in, n_out;
    /* Elements. A piece of memory for one split or one sort, large enough for its elements; see
       sort_parts_engine. */
    elements aside;
    /* prepare() sets all from here on. */
    unsigned digit_bits; /* the most bits of a digit by which elements are split */
    size_t bucket_bytes; /* of the buckets that are best to sort */
    size_t small;        /* elements up to which neighbouring buckets become one */
    size_t limit;        /* elements of the largest bucket that sort() gathers */
    size_t round;        /* elements of buckets that are best to sort together, */
    size_t least_round;  /* and the fewest, where memory is short */
    bool merges;         /* few ranks rather sort and merge than split and sort, */
    size_t piece;        /* and each so many elements of its result while the next ones travel */
    bool joins;          /* sort() needs `aside` for the elements of a round */
    bool waited;         /* sort() has waited for an exchange, with nothing to do */
} sort_parts;

/* A number that compares as the key does, which lies in host memory. */
uint64_t parscan_sort_rank(const sort_call *call, const char *key);

/* The bits of the ranks of some keys that are 1 in any of them, and that are 0 in any. */
typedef struct sort_bits {
    uint64_t ones, zeros;
} sort_bits;

/* Buckets that are to be sorted. Together they are n elements, and belong at `begin` in call.out. */
typedef struct sort_round {
    size_t begin, n;
    unsigned high;   /* the elements of a bucket differ in their bits below this one only */
    bool joined;     /* they are one bucket, and are at their place in the output */
    unsigned beside; /* multiprocessors that are left free for an exchange; 0: there is none */
    size_t next;     /* elements of the round that it brings */
    /* Otherwise there are `buckets` buckets. Source s has elements of each, one bucket after
       another, in `pieces[s]`: those of bucket b are ends[s * stride + b] to
       ends[s * stride + b + 1], less ends[s * stride]. */
    size_t buckets, sources, stride;
    const elements *pieces;
    const uint64_t *ends;
} sort_round;

/* What the calling thread does while other threads sort. */
typedef void sort_meanwhile(void *state);

enum { SORT_MOST_SHOWN = 1 << 16 };

/* `count` of the keys, from `first` on, at equal distances. */
typedef struct sort_window {
    size_t first, step, count;
} sort_window;

typedef struct sort_parts_engine {
    /* Sets what the sort is told of the engine. It may take the engine's scratch: until the sort is
       done, no other function may. */
    parscan_status (*prepare)(sort_parts *parts);

    /* Finds the bits of n keys: of all of them, or of a sample. More bits may be given. */
    parscan_status (*find_bits)(sort_parts *parts, const char *keys, size_t n, bool all,
                                sort_bits *bits);

    /* Copies the keys of windows to host memory, one window after another: at most SORT_MOST_SHOWN. */
    parscan_status (*show)(sort_parts *parts, const char *keys, const sort_window *windows,
                           size_t count, char *to);

    /* Finds cuts: cuts[k * ranks + r] elements of rank r lie before number k. NULL: the engine cannot. */
    parscan_status (*cut)(sort_parts *parts, const sort_cuts *of, uint64_t *cuts);

    /* Moves n elements in the order of a digit. counts[d] becomes the number of elements of digit
       d. If from.values is NULL, the values are indices, from call.first_index on. from and to may
       be the same arrays; then parts->aside is used, n elements. */
    parscan_status (*split)(sort_parts *parts, elements from, elements to, size_t n,
                            key_digit digit, uint64_t *counts);

    /* Takes the scratch of rounds of up to n elements in so many buckets from so many sources; NULL:
       prepare() has taken it. */
    parscan_status (*reserve)(sort_parts *parts, size_t n, size_t buckets, size_t sources);

    /* Sorts a round. If it is joined, or parts->joins, parts->aside is used, n elements. Calls
       meanwhile(state) once. */
    parscan_status (*sort)(sort_parts *parts, const sort_round *round, sort_meanwhile *meanwhile,
                           void *state);

    /* Whether an array of the caller's is memory of the engine; NULL: all are. Errors:
       INVALID_ARGUMENT, it is, and is not aligned to `alignment` bytes. */
    parscan_status (*is_near)(sort_parts *parts, const char *name, const void *array,
                              size_t alignment, bool *near);
} sort_parts_engine;

extern const sort_parts_engine parscan_sort_parts_cpu;
extern const sort_parts_engine parscan_sort_parts_cuda;

#endif
