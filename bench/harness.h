/*
 * The harness of every benchmark, of both engines: cases are added to a group, the group is
 * measured, rows of CSV come out on standard output.
 *
 * A group is one input: a type, a size, a number of threads. Its cases are
 *   - verified first: no time is given for a result that is wrong;
 *   - interleaved: A B C A B C ..., so that what the machine does meanwhile is shared by all;
 *   - repeated as often as the row's share of time allows, between --min-reps and --reps times;
 *     short calls in batches, so that a timing lasts long enough for its clock;
 *   - warm where that means something: untimed calls go before each timing of a short call.
 *     Arrays beyond the caches are cold by size: each call pushes its own beginning out again;
 *   - or, with --cold, cold at every size: each call, untimed ones too, is given other arrays,
 *     which rotate through twice as much memory as the last-level cache holds; where a group cannot
 *     rotate its arrays, that much memory is written before each timing of one call, which empties
 *     the caches of its code too.
 * The median and the quartiles are kept. Ratios are of medians of one group: the share of the
 * fastest copy's bandwidth, and how many times as fast as the best peer at the same work.
 */
#ifndef PARSCAN_BENCH_HARNESS_H
#define PARSCAN_BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <regex.h>

#include "parscan/parscan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_MAX_CASES = 64, BENCH_MAX_LIST = 16 };

/* Copies are what shares are taken to, peers what times are; a reference is only shown. Copies run
   whatever --only says. */
typedef enum bench_role { BENCH_PARSCAN, BENCH_PEER, BENCH_COPY, BENCH_REFERENCE } bench_role;

/* Whose worker threads a case leaves behind. They spin for a while: before another library's
   threads, or another process, are timed, they are given the time to fall asleep. */
typedef enum bench_pool {
    BENCH_POOL_NONE,
    BENCH_POOL_OPENMP,
    BENCH_POOL_TBB,
    BENCH_POOL_PROCESS
} bench_pool;

typedef struct bench_case {
    const char *name;
    const char *work;              /* NULL: the group's */
    void (*run)(void *context);    /* one call; NULL: a peer that is not here, "missing" */
    bool (*verify)(void *context); /* makes one call and says whether its result is right */
    void *context;
    double bytes; /* that one call must read and write */
    bench_role role;
    bench_pool pool;

    /* The seconds of so many calls, on another clock than the host's; not above 0: it failed. */
    double (*time)(void *context, size_t calls);

    /* Why verify() or time() failed, if not for a wrong result. NULL: there is nothing else. */
    const char *(*failure)(void *context);

    /* From here on the harness's. */
    size_t batch, reps;
    double estimate; /* seconds of a call */
    double *samples, q1, median, q3;
    const char *status; /* "ok", "missing", "wrong", or its failure in words */
} bench_case;

typedef struct bench_options {
    unsigned min_log2n, max_log2n, step;
    unsigned threads[BENCH_MAX_LIST];
    parscan_type types[BENCH_MAX_LIST];
    const char *only[BENCH_MAX_LIST];
    size_t thread_counts, type_count, only_count;
    regex_t *rows; /* WORK/TYPE/INPUT that are wanted; NULL: all */
    const char *rows_text;
    unsigned min_reps, reps;
    double seconds; /* for a row */
    uint64_t seed;
    bool table, huge_pages, cold, list;
} bench_options;

typedef struct bench_group {
    const bench_options *options;
    const char *work, *type, *input;
    unsigned log2n, threads; /* threads 0: a GPU */

    /* For --cold: moves the cases' arrays to where no cache has them. NULL: sweep() pushes everything
       out of the caches; NULL too: the harness does, of a CPU. */
    void (*rotate)(void *context);
    void (*sweep)(void *context);
    void *cold_context;
    double least_seconds; /* that a timing lasts; 0: what the host's clock needs */

    bool matched; /* --only names one of its cases, or is not given */
    size_t count;
    bench_case cases[BENCH_MAX_CASES];
} bench_group;

/* What --help says, with no list of types and threads yet. */
bench_options bench_defaults(void);

/* Reads the command line over the defaults in *options. Wrong usage and --help end the program. */
void bench_parse(bench_options *options, int argc, char **argv);

/* Whether --rows asks for the row. With --list it is printed, and not wanted. */
bool bench_wanted(const bench_options *options, const char *work, const char *type,
                  const char *input);

/* How often bench_wanted() has found that --rows asks for a row. */
size_t bench_rows_wanted(void);

/* Whether --type asks for the type, or for none. */
bool bench_type_wanted(const bench_options *options, parscan_type type);

/* An empty group; ends the program when there is no memory. Free it with free(). */
bench_group *bench_new_group(const bench_options *options, const char *work, const char *type,
                             const char *input, unsigned log2n, unsigned threads);

/* Adds a case, unless --only leaves it out. */
void bench_add(bench_group *group, bench_case added);

/* Verifies and times the cases, and writes their rows; false if a result was wrong. A group of
   which --only names nothing is left out. */
bool bench_measure(bench_group *group);

/* What a program exits with: 2, with words, where the options left nothing to measure. */
int bench_finish(const bench_options *options, bool right);

/* `# ` lines: machine, system, compiler, commit, date, seed, and `more` (NULL: none), which are
   whole lines; then the CSV's header. All of it is held back until there is a row. */
void bench_write_head(const char *benchmark, const bench_options *options, const char *more);

/* A `# ` line, whole, among the rows or, before the first, in the head. */
void bench_write_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The rows of a measured group; with --table, for people too, on standard error. */
void bench_write_group(const bench_group *group);

/* size bytes at offset bytes into a page; ends the program when there is no memory. The arrays of
   a benchmark start at different offsets, since a load is held up by an earlier store to the same
   offset in another page. Free with bench_release(). */
void *bench_memory(size_t size, size_t offset, bool huge_pages);
void bench_release(void *pointer);

/* The bytes of memory that can be had without swapping. */
double bench_available_memory(void);

/* How many processors are busy while this program sleeps for a moment: unlike the load average,
   nothing of a measurement just done. Below 0: that cannot be told here. */
double bench_busy_processors(void);

/* The bytes of the last-level cache, or a guess that is large enough. */
size_t bench_last_level_cache(void);

/* With OMP_PROC_BIND a program's first thread stays on one processor, and so would all threads of other
   libraries that it starts. So it is bound only while OpenMP's work is timed. */
void bench_bind_caller(bool binds);

/* A context of the CPU engine; ends the program where there is none. */
parscan_context *bench_engine(unsigned threads);

/* Ends the program, with the context's words, unless status is PARSCAN_OK. */
void bench_must(parscan_status status, const parscan_context *engine);

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t bench_random(uint64_t *state);

#ifdef __cplusplus
}
#endif
#endif
