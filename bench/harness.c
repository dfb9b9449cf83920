/* Groups, verification, timing and statistics. */
#include "harness.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The least duration of a timing by the host's clock. */
#define BATCH_SECONDS 20e-6

/* Shorter calls are warmed up by untimed calls, for WARM_UP_SECONDS on the host's clock: a core
   that has run scalar code for a while, as other contestants do, needs 160 us of vector code to
   reach its full speed (notes/harness.md). One run warms up a case with another clock. */
#define WARM_SECONDS 10e-3
#define WARM_UP_SECONDS 300e-6

/* Longer than libgomp's idle threads spin by default, and than TBB's do. */
#define SETTLE_SECONDS 20e-3

/* For the whole program; reported at its end. */
static size_t groups, measured;

/* The timings of one group. */
typedef struct stopwatch {
    bench_group *group;
    enum { WARM, ROTATED, SWEPT } caches;
    bench_pool awake;
    char *swept; /* memory that the default sweep writes */
    size_t swept_bytes;
} stopwatch;

double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bench_group *bench_new_group(const bench_options *options, const char *work, const char *type,
                             const char *input, unsigned log2n, unsigned threads)
{
    bench_group *const group = calloc(1, sizeof *group);
    bench_require(group != NULL, "no memory for a group", NULL);
    groups++;
    group->options = options;
    group->work = work;
    group->type = type;
    group->input = input;
    group->log2n = log2n;
    group->threads = threads;
    return group;
}

bool bench_named(const bench_options *options, const char *name)
{
    if (options->only_count == 0)
        return true;
    for (size_t k = 0; k < options->only_count; k++)
        if (fnmatch(options->only[k], name, 0) == 0)
            return true;
    return false;
}

void bench_add(bench_group *group, bench_case added)
{
    const bool wanted = bench_named(group->options, added.name);
    group->matched |= wanted;
    if (!wanted && added.role != BENCH_COPY)
        return;
    bench_require(group->count < BENCH_MAX_CASES, "too many cases", added.name);
    if (added.work == NULL)
        added.work = group->work;
    if (added.calls == 0)
        added.calls = 1;
    added.status = added.run == NULL ? "missing" : "ok";
    group->cases[group->count++] = added;
}

static bool timed(const bench_case *c)
{
    return strcmp(c->status, "ok") == 0;
}

static void fail(const bench_group *group, bench_case *c)
{
    const char *const words = c->failure != NULL ? c->failure(c->context) : NULL;
    c->status = words != NULL ? words : "wrong";
    fprintf(stderr, "bench: %s/%s/%s, 2^%u, %u threads, %s: %s\n", c->work, group->type,
            group->input, group->log2n, group->threads, c->name,
            words != NULL ? words : "WRONG RESULT");
}

static double time_batch(stopwatch *watch, bench_case *c)
{
    bench_group *const group = watch->group;
    double seconds;
    if (c->time != NULL) {
        seconds = c->time(c->context, c->batch);
    } else {
        const double start = bench_now();
        for (size_t k = 0; k < c->batch; k++) {
            if (watch->caches == ROTATED)
                group->rotate(group->cold_context);
            c->run(c->context);
        }
        seconds = bench_now() - start;
    }
    if (!(seconds > 0) && timed(c))
        fail(group, c);
    return seconds;
}

static void warm_up(const stopwatch *watch, bench_case *c)
{
    const double start = bench_now();
    do {
        if (watch->caches == ROTATED)
            watch->group->rotate(watch->group->cold_context);
        c->run(c->context);
    } while (c->time == NULL && bench_now() - start < WARM_UP_SECONDS);
}

static void let_sleep(stopwatch *watch, bench_pool next)
{
    if (next == BENCH_POOL_NONE)
        return;
    if (watch->awake != BENCH_POOL_NONE && watch->awake != next)
        nanosleep(&(struct timespec){.tv_nsec = (long)(SETTLE_SECONDS * 1e9)}, NULL);
    bench_bind_caller(next == BENCH_POOL_OPENMP);
    watch->awake = next;
}

/* Writes the memory with all threads, so that each core's own caches are swept too. */
static void sweep(stopwatch *watch)
{
    const bench_group *const group = watch->group;
    if (group->sweep != NULL) {
        group->sweep(group->cold_context);
        return;
    }
#pragma omp parallel for num_threads(group->threads) schedule(static)
    for (size_t i = 0; i < watch->swept_bytes; i++)
        watch->swept[i]++;
    watch->awake = BENCH_POOL_OPENMP;
}

static void choose_caches(stopwatch *watch)
{
    const bench_group *const group = watch->group;
    if (group->options->cold)
        watch->caches = group->rotate != NULL ? ROTATED : SWEPT;
    if (watch->caches != SWEPT || group->sweep != NULL)
        return;
    watch->swept_bytes = 2 * bench_last_level_cache();
    watch->swept = bench_memory(watch->swept_bytes, 0, false);
    memset(watch->swept, 0, watch->swept_bytes);
}

static bool verify(bench_group *group)
{
    bool right = true;
    for (size_t k = 0; k < group->count; k++) {
        bench_case *const c = &group->cases[k];
        bench_bind_caller(false); /* other libraries start their threads now */
        if (!timed(c) || c->verify(c->context))
            continue;
        fail(group, c);
        right &= strcmp(c->status, "wrong") != 0;
    }
    return right;
}

/* Returns the seconds of a batch. A short one is repeated and the best taken, so that a
   disturbance does not decide how a case is measured. */
static double best_time(stopwatch *watch, bench_case *c)
{
    double best = time_batch(watch, c);
    for (int k = 0; k < 4 && best < WARM_SECONDS; k++) {
        const double seconds = time_batch(watch, c);
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* Returns the seconds of a timing, including the sweep. */
static double calibrate_swept(stopwatch *watch, bench_case *c)
{
    const double start = bench_now();
    sweep(watch);
    time_batch(watch, c);
    return bench_now() - start;
}

/* Finds a batch that lasts long enough to be timed. Returns its seconds and those of the untimed
   calls before it. */
static double calibrate_batch(stopwatch *watch, bench_case *c)
{
    const double least =
        watch->group->least_seconds > 0 ? watch->group->least_seconds : BATCH_SECONDS;
    double seconds = best_time(watch, c);
    while (seconds < least && timed(c)) {
        c->batch *= 2;
        seconds = best_time(watch, c);
    }
    c->estimate = seconds / (double)c->batch;
    if (c->estimate >= WARM_SECONDS)
        return seconds;
    return seconds + (c->estimate > WARM_UP_SECONDS ? c->estimate : WARM_UP_SECONDS);
}

/* Computes how many timings fit the row's time. */
static void calibrate(stopwatch *watch, bench_case *c)
{
    const bench_options *const options = watch->group->options;
    c->batch = 1;
    const double seconds =
        watch->caches == SWEPT ? calibrate_swept(watch, c) : calibrate_batch(watch, c);
    const double reps = options->seconds / seconds;
    c->reps = reps >= options->reps ? options->reps : (size_t)reps;
    if (c->reps < options->min_reps)
        c->reps = options->min_reps;
    c->samples = calloc(c->reps, sizeof *c->samples);
    bench_require(c->samples != NULL, "no memory for samples", NULL);
}

/* Round r of `rounds`: runs every case once. A case with fewer repetitions skips some rounds,
   evenly. */
static void time_round(stopwatch *watch, size_t r, size_t rounds)
{
    for (size_t k = 0; k < watch->group->count; k++) {
        bench_case *const c = &watch->group->cases[k];
        if (!timed(c))
            continue;
        const size_t sample = r * c->reps / rounds;
        if ((r + 1) * c->reps / rounds == sample)
            continue;
        if (watch->caches == SWEPT)
            sweep(watch);
        let_sleep(watch, c->pool);
        if (watch->caches != SWEPT && c->estimate < WARM_SECONDS)
            warm_up(watch, c);
        c->samples[sample] = time_batch(watch, c) / (double)(c->batch * c->calls);
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort_samples(double *samples, size_t n)
{
    qsort(samples, n, sizeof *samples, by_value);
}

double bench_quantile(const double *sorted, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static void summarise(bench_case *c)
{
    if (timed(c)) {
        bench_sort_samples(c->samples, c->reps);
        c->q1 = bench_quantile(c->samples, c->reps, 0.25);
        c->median = bench_quantile(c->samples, c->reps, 0.5);
        c->q3 = bench_quantile(c->samples, c->reps, 0.75);
    }
    free(c->samples);
    c->samples = NULL;
}

bool bench_measure(bench_group *group)
{
    if (!group->matched)
        return true;
    measured++;
    const bool right = verify(group);
    stopwatch watch = {.group = group};
    size_t rounds = 0;
    choose_caches(&watch);
    for (size_t k = 0; k < group->count; k++) {
        bench_case *const c = &group->cases[k];
        if (!timed(c))
            continue;
        let_sleep(&watch, c->pool);
        calibrate(&watch, c);
        rounds = c->reps > rounds ? c->reps : rounds;
    }
    for (size_t r = 0; r < rounds; r++)
        time_round(&watch, r, rounds);
    for (size_t k = 0; k < group->count; k++)
        summarise(&group->cases[k]);
    bench_bind_caller(false);
    bench_release(watch.swept);
    bench_write_group(group);
    return right;
}

int bench_finish(const bench_options *options, bool right)
{
    if (!options->list && measured > 0)
        return right ? EXIT_SUCCESS : EXIT_FAILURE;
    if (options->list && bench_rows_wanted() > 0)
        return EXIT_SUCCESS;
    fputs("bench: nothing to measure: ", stderr);
    if (bench_rows_wanted() == 0 && options->rows != NULL)
        fprintf(stderr, "--rows %s: in no row's WORK/TYPE/INPUT", options->rows_text);
    else if (bench_rows_wanted() == 0)
        fputs("no row is of the types that --type names", stderr);
    else if (groups == 0)
        fprintf(stderr, "--min %u, --max %u: no size from here to there can be measured",
                options->min_log2n, options->max_log2n);
    for (size_t k = 0; groups > 0 && k < options->only_count; k++)
        fprintf(stderr, "%s--only %s", k > 0 ? ", " : "", options->only[k]);
    fputs(groups > 0 ? ": no case has such a name\n" : "\n", stderr);
    return 2;
}
