/* Verifying, timing and statistics. */
#include "harness.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* The least that a timing lasts. */
#define BATCH_SECONDS 20e-6

/* Calls shorter than this are warmed up by an untimed one. */
#define WARM_SECONDS 10e-3

/* How long libgomp's idle threads spin by default, and more than TBB's do. */
#define SETTLE_SECONDS 20e-3

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void *bench_memory(size_t size, size_t offset, bool huge_pages)
{
    void *pages = NULL;
    if (posix_memalign(&pages, huge_pages ? HUGE_PAGE : PAGE, size + offset) != 0) {
        fprintf(stderr, "bench: no memory for %zu bytes\n", size);
        exit(EXIT_FAILURE);
    }
    /* Advice: without huge pages the measurement is that of small ones. */
    if (huge_pages && madvise(pages, size + offset, MADV_HUGEPAGE) != 0)
        fprintf(stderr, "bench: no huge pages: %s\n", strerror(errno));
    return (char *)pages + offset;
}

void bench_release(void *pointer)
{
    free((void *)((uintptr_t)pointer & ~(uintptr_t)(PAGE - 1)));
}

static bool wanted(const bench_options *options, const bench_case *added)
{
    if (options->only_count == 0 || added->role != BENCH_PLAIN)
        return true;
    for (size_t k = 0; k < options->only_count; k++)
        if (fnmatch(options->only[k], added->name, 0) == 0)
            return true;
    return false;
}

void bench_add(bench_group *group, bench_case added)
{
    if (!wanted(group->options, &added))
        return;
    if (group->count == BENCH_MAX_CASES) {
        fprintf(stderr, "bench: more than %d cases\n", BENCH_MAX_CASES);
        exit(EXIT_FAILURE);
    }
    group->cases[group->count++] = added;
}

static bool timed(const bench_case *c)
{
    return c->run != NULL && !c->wrong;
}

static double time_batch(const bench_case *c)
{
    const double start = now();
    for (size_t k = 0; k < c->batch; k++)
        c->run(c->context);
    return now() - start;
}

static void let_sleep(bench_pool *awake, bench_pool next)
{
    if (next == BENCH_POOL_NONE)
        return;
    if (*awake != BENCH_POOL_NONE && *awake != next)
        nanosleep(&(struct timespec){.tv_nsec = (long)(SETTLE_SECONDS * 1e9)}, NULL);
    *awake = next;
}

static bool verify(bench_group *group)
{
    bool right = true;
    for (size_t k = 0; k < group->count; k++) {
        bench_case *const c = &group->cases[k];
        if (c->run == NULL)
            continue;
        c->wrong = !c->verify(c->context);
        right &= !c->wrong;
        if (c->wrong)
            fprintf(stderr, "bench: WRONG RESULT: %s %s, %s, 2^%u, %u threads\n", group->benchmark,
                    c->name, group->type, group->log2n, group->threads);
    }
    return right;
}

/* The seconds of a batch: of a short one the best of some, since a disturbance must not decide how
   a case is measured. */
static double best_time(const bench_case *c)
{
    double best = time_batch(c);
    for (int k = 0; k < 4 && best < WARM_SECONDS; k++) {
        const double seconds = time_batch(c);
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* The batch that lasts long enough to be timed, and how many of them the row can pay for. */
static void calibrate(bench_case *c, const bench_options *options)
{
    c->batch = 1;
    double seconds = best_time(c);
    while (seconds < BATCH_SECONDS) {
        c->batch *= 2;
        seconds = best_time(c);
    }
    c->estimate = seconds / (double)c->batch;
    if (c->estimate < WARM_SECONDS)
        seconds += c->estimate;
    const double reps = options->seconds / seconds;
    c->reps = reps >= options->reps ? options->reps : (size_t)reps;
    if (c->reps < options->min_reps)
        c->reps = options->min_reps;
    c->samples = calloc(c->reps, sizeof *c->samples);
    if (c->samples == NULL) {
        fprintf(stderr, "bench: no memory for %zu samples\n", c->reps);
        exit(EXIT_FAILURE);
    }
}

/* Round r of rounds: every case once; one with fewer repetitions sits some rounds out, evenly. */
static void time_round(bench_group *group, size_t r, size_t rounds, bench_pool *awake)
{
    for (size_t k = 0; k < group->count; k++) {
        bench_case *const c = &group->cases[k];
        if (!timed(c))
            continue;
        const size_t sample = r * c->reps / rounds;
        if ((r + 1) * c->reps / rounds == sample)
            continue;
        let_sleep(awake, c->pool);
        if (c->estimate < WARM_SECONDS)
            c->run(c->context);
        c->samples[sample] = time_batch(c) / (double)c->batch;
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two samples nearest to the share. */
static double quantile(const double *sorted, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static void summarise(bench_case *c)
{
    qsort(c->samples, c->reps, sizeof *c->samples, by_value);
    c->q1 = quantile(c->samples, c->reps, 0.25);
    c->median = quantile(c->samples, c->reps, 0.5);
    c->q3 = quantile(c->samples, c->reps, 0.75);
    free(c->samples);
    c->samples = NULL;
}

bool bench_measure(bench_group *group)
{
    const bool right = verify(group);
    bench_pool awake = BENCH_POOL_NONE;
    size_t rounds = 0;
    for (size_t k = 0; k < group->count; k++) {
        bench_case *const c = &group->cases[k];
        if (!timed(c))
            continue;
        let_sleep(&awake, c->pool);
        calibrate(c, group->options);
        rounds = c->reps > rounds ? c->reps : rounds;
    }
    for (size_t r = 0; r < rounds; r++)
        time_round(group, r, rounds, &awake);
    for (size_t k = 0; k < group->count; k++)
        if (timed(&group->cases[k]))
            summarise(&group->cases[k]);
    bench_write_group(group);
    return right;
}
