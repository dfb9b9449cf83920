/*
 * What bench_nccl and bench_mpi measure: calls over ranks and the same calls of one rank, on
 * u32 keys of six kinds.
 */
#ifndef BENCH_RANK_CALLS_H
#define BENCH_RANK_CALLS_H

#include <stdbool.h>

#include "harness.h"
#include "parscan/distributed.h"
#include "parscan/parscan.h"

enum { RANK_BINS = 256 };

typedef enum rank_call {
    RANK_SORT_KEYS,
    RANK_SORT_PAIRS,
    RANK_SCAN,
    RANK_HISTOGRAM,
    RANK_COMPACT
} rank_call;
typedef enum rank_data {
    RANK_UNIFORM,
    RANK_EQUAL,
    RANK_SORTED,
    RANK_REVERSED,
    RANK_FEW,
    RANK_ZIPF
} rank_data;

/* RANK_COMPACT keeps what is less. */
#define RANK_KEPT_BELOW UINT32_C(0x80000000)

typedef struct rank_row {
    const char *name, *data_name;
    rank_call call;
    rank_data data;
} rank_row;

/* The rows; the last one has no name. */
extern const rank_row rank_rows[];

/* Whether `only` is NULL, the row's name, or NAME/DATA. */
bool rank_row_wanted(const rank_row *row, const char *only);

/* n elements each, in memory of the context's engine; values only for pairs. counts: RANK_BINS; of a
   compaction what this rank keeps, and what all do. */
typedef struct rank_arrays {
    parscan_context *context;
    size_t n;
    void *in, *out, *values_in, *values_out;
    uint64_t counts[RANK_BINS];
} rank_arrays;

/* A well mixed function of x: random numbers, and sums by which sets of keys are compared. */
static inline uint64_t rank_mixed(uint64_t x)
{
    return bench_random(&x);
}

/* The key at index i of an array of `all` keys. RANK_ZIPF: as many keys in each power of two;
   RANK_FEW: 16 values. */
uint32_t rank_key(rank_data data, uint64_t i, uint64_t all);

/* The call of one rank with its own arrays, and that of all ranks. */
parscan_status rank_call_alone(rank_arrays *a, const rank_row *row);
parscan_status rank_call_together(parscan_comm *comm, rank_arrays *a, const rank_row *row);

/* An option --NAME NUMBER, and its limits. */
typedef struct rank_option {
    const char *name;
    int *number, least, most;
} rank_option;

/* Reads options, and --only. Returns false on wrong usage. `list` ends with an empty one. */
bool rank_parse(int argc, char **argv, const rank_option *list, const char **only);

static inline double rank_milliseconds(void)
{
    return 1e3 * bench_now();
}

/* Sorts the times. */
double rank_median(double *times, int count);

#endif
