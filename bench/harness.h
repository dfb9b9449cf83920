/*
 * The harness of all benchmarks, for both engines: a program adds cases to a group and measures the
 * group; the harness writes rows of CSV to standard output.
 *
 * A group has one input: a type, a size, a number of threads. Its cases are
 *
 *   - verified first: a wrong result is not timed;
 *   - interleaved: A B C A B C ..., so that disturbances of the machine affect all cases;
 *   - repeated as often as the time of a row allows, between --min-reps and --reps times; short
 *     calls in batches, so that a timing lasts long enough for its clock;
 *   - warm where that has a meaning: untimed calls precede each timing of a short call. Arrays
 *     larger than the caches are cold by size: each call evicts its own start;
 *   - or, with --cold, cold at every size: each call, untimed ones too, gets other arrays, which
 *     rotate through twice as much memory as the last-level cache holds. Where a group cannot
 *     rotate its arrays, that much memory is written before each timing of one call, which evicts
 *     the code as well.
 *
 * The median and the quartiles are kept. Ratios are of medians of one group: the share of the
 * bandwidth of the fastest copy, and the speed relative to the best peer at the same work.
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

/* Shares are relative to copies, speeds relative to peers; a reference is only shown. Copies run
   whatever --only names. */
typedef enum bench_role { BENCH_PARSCAN, BENCH_PEER, BENCH_COPY, BENCH_REFERENCE } bench_role;

/* The library whose worker threads a case leaves behind. They spin for a while. Before another
   library's threads, or another process, are timed, the harness waits until they sleep. */
typedef enum bench_pool {
    BENCH_POOL_NONE,
    BENCH_POOL_PARSCAN,
    BENCH_POOL_OPENMP,
    BENCH_POOL_TBB,
    BENCH_POOL_PROCESS
} bench_pool;

typedef struct bench_case {
    const char *name;
    const char *work;              /* NULL: the group's */
    void (*run)(void *context);    /* one call; NULL: a peer that is not available, "missing" */
    bool (*verify)(void *context); /* makes one call and returns whether its result is right */
    void *context;
    double bytes; /* the bytes that one call must read and write */
    bench_role role;
    bench_pool pool;
    const char *way; /* how calls are made; NULL: "direct", one by one */
    size_t calls;    /* that one run makes; 0: one */

    /* Returns the seconds of `runs` runs, by another clock than the host's; not above 0 if it
       failed. */
    double (*time)(void *context, size_t runs);

    /* Returns why verify() or time() failed, or NULL for a wrong result. failure == NULL: there
       is no other reason. */
    const char *(*failure)(void *context);

    /* The harness sets all from here on. */
    size_t batch, reps;
    double estimate; /* the seconds of a run */
    double *samples, q1, median, q3;
    const char *status; /* "ok", "missing", "wrong", or its failure */
} bench_case;

typedef struct bench_options {
    unsigned min_log2n, max_log2n, step;
    unsigned threads[BENCH_MAX_LIST];
    parscan_type types[BENCH_MAX_LIST];
    const char *only[BENCH_MAX_LIST];
    size_t thread_counts, type_count, only_count;
    regex_t *rows; /* the WORK/TYPE/INPUT that are wanted; NULL: all */
    const char *rows_text;
    unsigned min_reps, reps;
    double seconds; /* for a row */
    unsigned seed;
    bool huge_pages, cold, list;
    bool stream;         /* bench_cuda: no graphs */
    bool lengths;        /* bench_cuda: parscan's calls also with lengths in device memory */
    bool openmp;         /* bench_busy: beside a team of OpenMP */
    bool all_processors; /* the default of --threads; else 1 and 2 */
    unsigned spin[BENCH_MAX_LIST]; /* bench_busy: beside so many spinning processes a processor */
    size_t spins;
    const char *method;  /* `# ` lines of the head that say how was measured; NULL: as above */
    const char *columns; /* the CSV's line of columns; NULL: those of bench_write_group() */
} bench_options;

typedef struct bench_group {
    const bench_options *options;
    const char *work, *type, *input;
    unsigned log2n, threads; /* threads = 0: a GPU */

    /* For --cold: moves the cases' arrays to memory that is in no cache. NULL: sweep() empties
       the caches; if that is NULL too, the harness empties the CPU's. */
    void (*rotate)(void *context);
    void (*sweep)(void *context);
    void *cold_context;
    double least_seconds; /* the least duration of a timing; 0: what the host's clock needs */

    bool matched; /* --only names one of its cases, or is not given */
    size_t count;
    bench_case cases[BENCH_MAX_CASES];
} bench_group;

/* What the readers of command lines share. A wrong value ends the program with status 2 and a message. */
void bench_fail_usage(const char *program, const char *what, const char *value);
unsigned bench_number(const char *program, const char *text, unsigned least, unsigned most);
double bench_positive(const char *program, const char *text);
regex_t *bench_compiled(const char *program, const char *text); /* an extended regular expression */

/* Whether --only names the case, or is not given. */
bool bench_named(const bench_options *options, const char *name);

/* Seconds of the monotonic clock. */
double bench_now(void);

/* The defaults that --help shows, with empty lists of types and threads. */
bench_options bench_defaults(void);

/* Reads the command line into *options, which holds the defaults. Ends the program on wrong
   usage and for --help. */
void bench_parse(bench_options *options, int argc, char **argv);

/* Whether --rows and --type select the row. With --list the row is printed, and false is returned. */
bool bench_wanted(const bench_options *options, const char *work, const char *type,
                  const char *input);

/* How often bench_wanted() has found that they select a row. */
size_t bench_rows_wanted(void);

/* Returns an empty group, to be freed with free(). Ends the program if there is no memory. */
bench_group *bench_new_group(const bench_options *options, const char *work, const char *type,
                             const char *input, unsigned log2n, unsigned threads);

/* Adds a case, unless --only excludes it. */
void bench_add(bench_group *group, bench_case added);

/* Verifies and times the cases, and writes their rows. Returns false if a result was wrong.
   Skips a group of which --only names nothing. */
bool bench_measure(bench_group *group);

/* The value at a share of sorted samples, between the two nearest. */
void bench_sort_samples(double *samples, size_t n);
double bench_quantile(const double *sorted, size_t n, double share);

/* Returns the program's exit status: 2, with a message, if the options left nothing to measure. */
int bench_finish(const bench_options *options, bool right);

/* Writes `# ` lines with machine, system, compiler, commit, date and seed, then `more` (whole
   lines, or NULL), then the header of the CSV. All of it is held back until there is a row. */
void bench_write_head(const char *benchmark, const bench_options *options, const char *more);

/* Writes one whole `# ` line among the rows or, before the first row, in the head. */
void bench_write_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes the head, before the first row of a program that writes its rows itself. */
void bench_begin_rows(void);

/* Writes the rows of a measured group. */
void bench_write_group(const bench_group *group);

/* Returns `size` bytes that start `offset` bytes into a page, to be freed with bench_release().
   Ends the program if there is no memory. The arrays of a benchmark have different offsets,
   since a load is delayed by an earlier store to the same offset in another page. */
void *bench_memory(size_t size, size_t offset, bool huge_pages);
void bench_release(void *pointer);

/* The bytes of memory that are available without swapping. */
double bench_available_memory(void);

/* Returns how many processors are busy while this program sleeps for a moment. Unlike the load
   average, it does not include the measurements just done. Below 0: unknown on this system. */
double bench_busy_processors(void);

/* The number of processors that this process may run on. */
unsigned bench_processors(void);

/* The bytes of the last-level cache, or a guess that is large enough. */
size_t bench_last_level_cache(void);

/* Binds the program's first thread to one processor, or releases it. OMP_PROC_BIND keeps that
   thread on one processor, and threads that other libraries start would inherit this. So it is
   bound only while OpenMP's work is timed. */
void bench_bind_caller(bool binds);

/* Returns a context of the CPU engine. Ends the program if there is none. */
parscan_context *bench_engine(unsigned threads);

/* Ends the program, with these words, unless it is right. words: why, or NULL. */
void bench_require(bool right, const char *what, const char *words);

/* Ends the program, with the context's message, unless status is PARSCAN_OK. */
void bench_must(parscan_status status, const parscan_context *engine);

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t bench_random(uint64_t *state);

#ifdef __cplusplus
}
#endif
#endif
