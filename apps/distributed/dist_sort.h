/*
 * A sort over many processes, as its steps see it.
 *
 *   1. Split (dist_sort_split.c). The elements of every rank are split by one digit, the top one of the
 *      bits that vary in any rank's keys: a stable partition into buckets. The ranks' counts are added
 *      up, so each rank knows where every bucket lies in the whole result. A bucket in which a border
 *      between two ranks' pieces of the result lies is split again by the bits that vary in it, until
 *      the border is between buckets, or all keys of its bucket are equal. Only these buckets are
 *      split again, so skew costs little.
 *   2. Plan (dist_sort_plan.c). Buckets of equal keys are cut where the borders are: such keys are in
 *      the order of ranks and positions. What lies between cuts is a slice, which belongs to one rank.
 *      The ranks tell each other how much of each slice they have, and slices are put into rounds.
 *   3. Exchange (dist_sort_exchange.c). A round is a range of keys of each rank. While a round is
 *      sorted, the next one travels. A rank's own elements do not travel.
 *
 * Few ranks on GPUs, and small arrays, do without buckets: each sorts its elements, and merges what the others have
 * of its part (dist_sort_merge.c).
 *
 * Ranks whose keys are in the order of ranks already sort them, and are done (dist_sort_apart.c).
 *
 * Between steps the ranks agree on a status. All ranks compute the buckets, slices and rounds of all
 * ranks from the same numbers.
 */
#ifndef PARSCAN_APPS_DISTRIBUTED_DIST_SORT_H
#define PARSCAN_APPS_DISTRIBUTED_DIST_SORT_H

#include "apps/distributed/comm_state.h"
#include "apps/sort/sort_parts_call.h"

/* Transports copy fast between addresses that are multiples of 16. So what travels starts and ends
   at multiples of so many elements: up to DIST_SORT_STEP - 1 elements more at each end. */
enum { DIST_SORT_STEP = 16 };

/* The most ranks whose sorted pieces are merged. */
enum { DIST_SORT_MERGED = 16 };

/* The most values of a rank's sample that are few. */
enum { DIST_SORT_FEW = 64 };

/* Values that were seen, by their ranks; `count` is one more than the most if there are more, or NaNs. */
typedef struct dist_values {
    size_t count;
    uint64_t *ranks, *keys;
} dist_values;

/* Those of a rank's sample. */
typedef struct dist_few {
    uint64_t count, keys[DIST_SORT_FEW];
} dist_few;

/* What every rank tells the others. */
typedef struct dist_sort_head {
    uint64_t n_in, n_out;
    sort_bits sample; /* of this rank's keys */
    uint64_t digit_bits, small, limit, round, least_round, bucket_bytes;
    uint64_t room;   /* elements for which scratch_limit has room beside those of the split */
    uint64_t merges; /* local sorts and merges suit this rank, */
    uint64_t piece;  /* and so many elements at once */
} dist_sort_head;

/* Elements that come one after another in the result. Their keys agree in all bits but the `high`
   lowest; `first` has the digits that are the same. */
typedef struct dist_bucket {
    uint64_t first;
    uint64_t total; /* elements of all ranks */
    uint64_t n;     /* elements of this rank */
    unsigned high;
    bool equal;      /* all keys are equal */
    bool cut;        /* it has several slices */
    uint64_t before; /* if it is cut: elements of the ranks before this one */
} dist_bucket;

/* A part of a bucket, or all of it, that belongs to one rank. */
typedef struct dist_slice {
    size_t bucket;
    uint64_t first, total;
    uint64_t begin, n; /* where this rank's elements of it are in `split`, and how many they are */
    unsigned rank, high;
    uint64_t round; /* the round of that rank, in which it travels */
    bool equal;
} dist_slice;

/* How a round of this rank comes, and what is done with it. */
typedef enum dist_round_kind {
    ROUND_GATHERED, /* others' elements come to a buffer; buckets are put together and sorted */
    ROUND_JOINED,   /* a bucket's elements are put one source after another where it belongs */
    ROUND_EQUAL     /* they are put so to where they belong */
} dist_round_kind;

typedef struct dist_round {
    size_t slice, slices; /* among this rank's slices */
    uint64_t begin, n;    /* where it belongs in this rank's result */
    dist_round_kind kind;
} dist_round;

typedef struct dist_sort {
    parscan_comm *comm;
    const sort_parts_engine *engine;
    sort_parts parts;
    elements given;     /* the outputs of the caller, which may not be memory of the engine */
    elements discarded; /* the keys that an argsort sorts */
    elements split;     /* this rank's elements in the order of buckets */
    /* Agreed on by all ranks. */
    uint64_t total;
    unsigned digit_bits;
    uint64_t small, limit, round, least_round, bucket_bytes;
    bool merged;
    uint64_t piece;
    bool has_few; /* in all samples of the ranks there are few values; those of this rank: */
    dist_few *few;
    /* One entry for each rank. */
    dist_sort_head *heads;
    uint64_t *border; /* size + 1: where each rank's piece of the result starts */
    uint64_t *send_begin, *send_counts, *receive_begin, *receive_counts;
    size_t *cursor; /* the next slice that goes to a rank */
    elements *pieces;
    sort_bits *gathered; /* 4096 bytes for each rank */
    /* The plan. */
    dist_bucket *buckets;
    size_t bucket_count;
    dist_slice *slices;
    size_t slice_count;
    size_t own_slice, own_slices; /* those of this rank */
    uint64_t *counts;             /* of digits; later what exchange_counts() sends */
    /* For each source (own_slices + 1): where this rank's slices start and end among the source's
       elements, less a multiple of DIST_SORT_STEP. */
    uint64_t *ends;
    dist_round *rounds;
    uint64_t round_count, own_rounds; /* of the rank that has most; of this rank */
    elements received[2];
} dist_sort;

static inline uint64_t dist_sort_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Each returns the same status on all ranks. */
parscan_status parscan_dist_sort_split(dist_sort *s, sort_bits sampled);
parscan_status parscan_dist_sort_plan(dist_sort *s);
parscan_status parscan_dist_sort_exchange(dist_sort *s);

/* The whole sort if the ranks' keys are in the order of ranks already; otherwise *apart is false, and call.in may
   be what each rank has sorted, in its output. */
parscan_status parscan_dist_sort_apart(dist_sort *s, parscan_type key_type,
                                       const parscan_sort_options *options, bool *apart);

/* The whole sort of few ranks by local sorts and merges, with the heads of all ranks. */
parscan_status parscan_dist_sort_merged(dist_sort *s, parscan_type key_type);

/* Notes that a key was seen, of at most `most` values. */
void parscan_dist_note_value(const sort_call *call, dist_values *values, size_t most,
                             const char *key);

/* The rest of the sort of keys that each rank has sorted, in `split`, if s->has_few and there are no others: *done.
   status: of this rank so far. */
parscan_status parscan_dist_sort_few(dist_sort *s, parscan_status status, parscan_type key_type,
                                     bool *done);

/* cuts[k * ranks + r]: how many of rank r's sorted elements, in `split`, are among the first targets[k] of the
   whole result. status: of this rank so far. */
parscan_status parscan_dist_sort_select(dist_sort *s, parscan_status status,
                                        const uint64_t *targets, size_t count, uint64_t *cuts);

/* Copies the result to the caller's arrays, where these are not memory of the engine. */
parscan_status parscan_dist_sort_bring_back(dist_sort *s);

/* Host memory of the call for n elements of `size` bytes. NULL, and *status becomes OUT_OF_MEMORY, if
   there is none; also NULL if n is 0 or *status is an error. */
void *parscan_dist_sort_memory(dist_sort *s, size_t n, size_t size, parscan_status *status);

/* Memory of the engine for n elements, which the comm keeps: a piece for each purpose. */
typedef enum dist_sort_piece {
    DIST_SORT_BUCKETS,
    DIST_SORT_RECEIVED,
    DIST_SORT_ASIDE,
    DIST_SORT_KEYS
} dist_sort_piece;
_Static_assert((int)DIST_SORT_KEYS < (int)COMM_KEPT,
               "a comm keeps a piece of memory for each purpose");
parscan_status parscan_dist_sort_elements(dist_sort *s, dist_sort_piece piece, size_t n,
                                          elements *e);

#endif
