/*
 * The harness of every benchmark: cases are added to a group, the group is measured, rows of CSV
 * come out on standard output.
 *
 * A group is one element type, one size and one number of threads. Its cases are
 *   - verified first: no time is given for a result that is wrong;
 *   - interleaved: A B C A B C ..., so that what the machine does meanwhile is shared by all;
 *   - repeated as often as the row's share of time allows, between --min-reps and --reps times;
 *     short calls in batches, so that a timing lasts BATCH_SECONDS or more;
 *   - warm where that means something: one untimed call goes before each timing of a short call.
 *     Arrays beyond the caches are cold by size: each call pushes its own beginning out again.
 * The median and the quartiles are kept. Ratios are of medians of one group.
 */
#ifndef PARSCAN_BENCH_HARNESS_H
#define PARSCAN_BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/parscan.h"

enum { BENCH_MAX_CASES = 64, BENCH_MAX_LIST = 16 };

/* What the ratios of a group are taken to: these cases run whatever --only says. */
typedef enum bench_role { BENCH_PLAIN, BENCH_NT_COPY, BENCH_MEMCPY, BENCH_ROLES } bench_role;

/* Whose worker threads a case leaves behind. They spin for a while: before another library's
   threads are timed, they are given the time to fall asleep. */
typedef enum bench_pool { BENCH_POOL_NONE, BENCH_POOL_OPENMP, BENCH_POOL_TBB } bench_pool;

typedef struct bench_case {
    const char *name;
    void (*run)(void *context);    /* one call; NULL: a peer that is not here, "missing" */
    bool (*verify)(void *context); /* makes one call and says whether its result is right */
    void *context;
    double bytes; /* that one call must read and write */
    bench_role role;
    bench_pool pool;

    /* From here on the harness's. */
    size_t batch, reps;
    double estimate; /* seconds of a call */
    double *samples, q1, median, q3;
    bool wrong;
} bench_case;

typedef struct bench_options {
    unsigned min_log2n, max_log2n, step;
    unsigned threads[BENCH_MAX_LIST];
    parscan_type types[BENCH_MAX_LIST];
    const char *only[BENCH_MAX_LIST], *parts[BENCH_MAX_LIST];
    size_t thread_counts, type_count, only_count, part_count;
    unsigned min_reps, reps;
    double seconds; /* for a row */
    uint64_t seed;
    bool table, huge_pages;
} bench_options;

typedef struct bench_group {
    const bench_options *options;
    const char *benchmark, *type;
    unsigned log2n, threads;
    size_t count;
    bench_case cases[BENCH_MAX_CASES];
} bench_group;

/* Reads the command line over the defaults. Wrong usage and --help end the program. */
void bench_parse(bench_options *options, int argc, char **argv);

/* Adds a case, unless --only leaves it out. */
void bench_add(bench_group *group, bench_case added);

/* Verifies and times the cases, and writes their rows; false if a result was wrong. */
bool bench_measure(bench_group *group);

/* `# ` lines: machine, system, compiler, commit, date, seed; then the CSV's header. */
void bench_write_head(const char *benchmark, const bench_options *options);

/* The rows of a measured group; with --table, for people too, on standard error. */
void bench_write_group(const bench_group *group);

/* size bytes at offset bytes into a page; ends the program when there is no memory. The arrays of
   a benchmark start at different offsets, since a load is held up by an earlier store to the same
   offset in another page. Free with bench_release(). */
void *bench_memory(size_t size, size_t offset, bool huge_pages);
void bench_release(void *pointer);

/* The bytes of memory that can be had without swapping. */
double bench_available_memory(void);

#endif
