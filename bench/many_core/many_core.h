/*
 * What the programs for many cores share: rows, each one primitive on one kind of input, that fill
 * their arrays and check their results with all processors, so that arrays of gigabytes cost
 * seconds; and timings of single calls.
 *
 *   bench_threads        every row with 1, 2, 4, 8, ... threads
 *   bench_busy           every row beside spinning processes, or a spinning OpenMP team
 *   bench_peer_process   one peer with one number of threads
 *
 * They contain no thread runtime that parscan may share; bench_busy has an OpenMP team on purpose.
 */
#ifndef PARSCAN_BENCH_MANY_CORE_H
#define PARSCAN_BENCH_MANY_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "harness.h"
#include "workers.h"

typedef struct row_data row_data;

typedef struct bench_row {
    const char *work, *type, *input;
    unsigned array_bytes;  /* of the arrays' bytes, how many an element takes: gives n */
    unsigned element_size; /* of the input */
    bool in_place;         /* the call works on `out`, which holds a copy of `in` at first */
    void (*fill)(row_data *data);
    double (*bytes)(const row_data *data); /* that a call must read and write */
    parscan_status (*call)(row_data *data, parscan_context *engine);
    void (*plain)(row_data *data); /* the same by a plain loop or std::sort, on one thread */
    bool (*check)(row_data *data);
} bench_row;

/* The arrays that all rows use in turn, and what a row remembers of its input. */
struct row_data {
    const bench_row *row;
    workers *team; /* for fill and check */
    size_t n;
    uint64_t seed;
    size_t room; /* of each array: bytes. more_out has half. */
    void *in, *more_in, *out, *more_out;
    size_t items;     /* of expand: the sizes */
    uint64_t count;   /* of the input's heads, or what the output must count */
    uint64_t result;  /* a count, a total, or an element that the call returned */
    uint64_t *blocks; /* a number for each block of elements */
    bool *marks;      /* likewise */
    _Atomic bool wrong;
    _Atomic uint64_t sum;
};

/* The rows: NULL after the last one. */
const bench_row *bench_row_at(size_t k);

/* Lists the rows that --rows selects, ended by NULL: room for `most` and the NULL. With --list prints
   their names. Returns false, with a message, if there are none. */
bool rows_wanted(const bench_options *options, const bench_row **rows, size_t most);

/* "work/type/input" of a row, in a static buffer. */
const char *bench_row_name(const bench_row *row);

/* Allocates arrays of `room` bytes for rows of up to `most` elements, each thread of the team a
   part of the pages. */
void row_data_create(row_data *data, workers *team, size_t room, size_t most, bool huge_pages,
                     uint64_t seed);
void row_data_destroy(row_data *data);

/* Overwrites the outputs, or for a row in place gives it its input again. */
void row_data_spoil(row_data *data);

/* Copies the input to `out`. */
void row_data_restore(row_data *data);

/* Makes one call of parscan (engine != NULL) or of the plain loop on spoiled outputs. Returns NULL
   if the result is right, else why not; the words live until the engine is destroyed. */
const char *row_verify(row_data *data, parscan_context *engine);

/* Seconds of the monotonic clock. */
static inline double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* How often a call is timed: as many times as take `seconds`, within these. */
typedef struct timing_limits {
    unsigned least, most;
    double seconds;
    double most_seconds; /* stop then, whatever the rest says; 0: no such limit */
} timing_limits;

/* The sorted seconds of single calls. */
typedef struct timings {
    size_t count;
    double *seconds;
} timings;

/* Times single calls, after untimed ones that warm the caches up; before(context), if not NULL, runs
   untimed before each. Free the result's seconds with free(). */
timings time_calls(void (*call)(void *context), void *context, void (*before)(void *context),
                   const timing_limits *limits);

/* An empty group, for one row of the CSV at a time. Free it with free(). */
bench_group *new_row_group(const char *work, const char *type, const char *input, size_t n);

/* Writes a row of the group: `row` has name, role and bytes. Takes the timings' memory. words: why
   there are no timings, or NULL. */
void write_timings(bench_group *group, bench_case row, const char *words, timings *times);

/* The value at a share of sorted timings, between the two nearest. */
double timings_at(const timings *from, double share);

/* Reads a list of numbers into bench_options.threads: the default is 1, 2, 4, 8, 16, 32, 48, 64, 96,
   128, ..., all processors. */
void default_threads(bench_options *options);

#endif
