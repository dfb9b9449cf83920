/* The team of threads of a context (scan/cpu/team.h): every part of every job runs once. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "scan/cpu/team.h"
#include "tests/scan/cpu/every_primitive.h"

enum { MOST = TEAM_MAX_PARTS };

static void nap(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* How often each part of a job ran. `job` tells a part of an older job, which must not run. */
typedef struct job {
    atomic_uint *ran;
    size_t parts, naps;
    atomic_bool ended, late;
} job;

static void count_part(void *state, size_t part)
{
    job *const j = state;
    if (atomic_load(&j->ended) || part >= j->parts) {
        atomic_store(&j->late, true);
        return;
    }
    if (part < j->naps)
        nap((long)(part % 7) * 100000);
    atomic_fetch_add(&j->ran[part], 1);
}

/* The memory of all jobs of a test, so that a part that runs too late is seen. */
static void expect_every_part_once(parscan_context *context, job *j, atomic_uint *ran, size_t parts,
                                   size_t naps)
{
    j->ran = ran;
    j->parts = parts;
    j->naps = naps;
    atomic_init(&j->ended, false);
    atomic_init(&j->late, false);
    for (size_t part = 0; part < parts; part++)
        atomic_init(&ran[part], 0);
    parscan_team_run(context, parts, count_part, j);
    atomic_store(&j->ended, true);
    for (size_t part = 0; part < parts; part++)
        cr_assert_eq(atomic_load(&ran[part]), 1, "part %zu of %zu on %u threads ran %u times", part,
                     parts, parscan_context_threads(context), atomic_load(&ran[part]));
}

static parscan_context *context_with(unsigned threads)
{
    parscan_context *const context = cpu_context(threads);
    cr_assert_not_null(context);
    return context;
}

Test(team, runs_every_part_once_for_each_number_of_parts_and_threads)
{
    static atomic_uint ran[200];
    static job jobs[201];
    for (unsigned threads = 1; threads <= 70; threads++) {
        parscan_context *const context = context_with(threads);
        for (size_t parts = 1; parts <= 200; parts += threads < 10 ? 1 : 13)
            expect_every_part_once(context, &jobs[parts], ran, parts, 0);
        for (size_t parts = 1; parts <= 200; parts++)
            cr_assert_not(atomic_load(&jobs[parts].late), "a part ran when its job was over");
        parscan_context_destroy(context);
    }
}

static void expect_many_jobs(unsigned threads, size_t count, bool pauses)
{
    static atomic_uint ran[97];
    job *const jobs = calloc(count, sizeof *jobs);
    cr_assert_not_null(jobs);
    parscan_context *const context = context_with(threads);
    for (size_t k = 0; k < count; k++) {
        expect_every_part_once(context, &jobs[k], ran, 1 + k % 97, 0);
        if (pauses && k % 8 == 0)
            nap(200000); /* the members are asleep when the next job starts */
    }
    for (size_t k = 0; k < count; k++)
        cr_assert_not(atomic_load(&jobs[k].late), "a part ran when its job was over");
    parscan_context_destroy(context);
    free(jobs);
}

Test(team, runs_many_jobs_in_a_row)
{
    expect_many_jobs(2, 30000, false);
    expect_many_jobs(3, 5000, false);
    expect_many_jobs(33, 2000, false);
}

Test(team, runs_many_jobs_with_pauses)
{
    expect_many_jobs(2, 2000, true);
    expect_many_jobs(5, 2000, true);
}

Test(team, waits_for_parts_that_sleep)
{
    static atomic_uint ran[60];
    static job jobs[60];
    for (unsigned threads = 2; threads <= 32; threads *= 4) {
        parscan_context *const context = context_with(threads);
        for (size_t k = 0; k < 20; k++)
            expect_every_part_once(context, &jobs[k], ran, 3 * k + 1, 2 * k);
        parscan_context_destroy(context);
    }
}

Test(team, runs_the_most_parts_that_there_may_be)
{
    static atomic_uint ran[MOST];
    static job jobs[3];
    for (unsigned threads = 1; threads <= 3; threads++) {
        parscan_context *const context = context_with(threads);
        expect_every_part_once(context, &jobs[0], ran, MOST, 0);
        expect_every_part_once(context, &jobs[1], ran, MOST - 1, 0);
        expect_every_part_once(context, &jobs[2], ran, 2, 2);
        parscan_context_destroy(context);
    }
}

Test(team, has_a_thousand_threads)
{
    static atomic_uint ran[2000];
    static job jobs[3];
    parscan_context *const context = context_with(1024);
    expect_every_part_once(context, &jobs[0], ran, 2000, 1000);
    expect_every_part_once(context, &jobs[1], ran, 1024, 0);
    expect_every_part_once(context, &jobs[2], ran, 2000, 0);
    parscan_context_destroy(context);
}

/* ---- order ---- */

typedef struct order {
    atomic_size_t ran;
    atomic_bool wrong;
    unsigned number;
} order;

static _Thread_local unsigned number_before;
static _Thread_local size_t part_before;

/* The parts that one thread runs have increasing numbers. */
static void look_at_order(void *state, size_t part)
{
    order *const o = state;
    if (number_before == o->number && part <= part_before)
        atomic_store(&o->wrong, true);
    number_before = o->number;
    part_before = part;
    atomic_fetch_add(&o->ran, 1);
}

Test(team, takes_parts_in_increasing_order)
{
    unsigned number = 0;
    for (unsigned threads = 1; threads <= 4; threads++) {
        parscan_context *const context = context_with(threads);
        for (int again = 0; again < 200; again++) {
            order o = {.number = ++number};
            parscan_team_run(context, 150, look_at_order, &o);
            cr_assert_eq(atomic_load(&o.ran), 150);
            cr_assert_not(atomic_load(&o.wrong));
        }
        parscan_context_destroy(context);
    }
}

/* A part may wait for a part with a smaller number, which has started. */
static void wait_for_earlier(void *state, size_t part)
{
    atomic_uint *const ran = state;
    while (part > 0 && atomic_load(&ran[part - 1]) == 0)
        nap(1000);
    atomic_store(&ran[part], 1);
}

Test(team, lets_a_part_wait_for_earlier_parts)
{
    for (unsigned threads = 1; threads <= 17; threads += 4) {
        parscan_context *const context = context_with(threads);
        for (int again = 0; again < 20; again++) {
            atomic_uint ran[40] = {0};
            parscan_team_run(context, 40, wait_for_earlier, ran);
            for (size_t part = 0; part < 40; part++)
                cr_assert_eq(atomic_load(&ran[part]), 1);
        }
        parscan_context_destroy(context);
    }
}

/* ---- loops ---- */

enum { INDICES = 1000, WORKERS = 40 };

typedef struct visits {
    atomic_uint count[INDICES], busy[WORKERS];
    atomic_bool shared, beyond;
    unsigned workers;
} visits;

static void visit(void *state, size_t index, unsigned worker)
{
    visits *const v = state;
    if (worker >= v->workers || index >= INDICES) {
        atomic_store(&v->beyond, true);
        return;
    }
    if (atomic_fetch_add(&v->busy[worker], 1) != 0)
        atomic_store(&v->shared, true);
    atomic_fetch_add(&v->count[index], 1);
    atomic_fetch_sub(&v->busy[worker], 1);
}

static void expect_every_index_once(parscan_context *context, unsigned workers, size_t count,
                                    size_t grain)
{
    visits v = {.workers = workers};
    parscan_team_for(context, workers, count, grain, visit, &v);
    cr_assert_not(atomic_load(&v.beyond), "%u workers, %zu indices, grain %zu", workers, count,
                  grain);
    cr_assert_not(atomic_load(&v.shared), "two indices at a time had one worker");
    for (size_t k = 0; k < INDICES; k++)
        cr_assert_eq(atomic_load(&v.count[k]), k < count, "index %zu of %zu, grain %zu", k, count,
                     grain);
}

Test(team_for, visits_every_index_once_with_every_grain)
{
    static const unsigned threads[] = {1, 2, 3, 8, 40};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        parscan_context *const context = context_with(threads[t]);
        for (size_t grain = 1; grain <= INDICES + 1; grain += grain < 20 ? 1 : 97)
            for (size_t count = 0; count <= INDICES; count += 37)
                expect_every_index_once(context, threads[t], count, grain);
        expect_every_index_once(context, 1, INDICES, 10);
        expect_every_index_once(context, WORKERS, INDICES, SIZE_MAX / 64);
        parscan_context_destroy(context);
    }
}

/* ---- two teams ---- */

static void *run_jobs(void *argument)
{
    atomic_bool *const wrong = argument;
    parscan_context *const context = cpu_context(3);
    for (int k = 0; context != NULL && k < 3000; k++) {
        visits v = {.workers = 3};
        parscan_team_for(context, 3, 100, 1, visit, &v);
        for (size_t i = 0; i < 100; i++)
            if (atomic_load(&v.count[i]) != 1)
                atomic_store(wrong, true);
    }
    if (context == NULL)
        atomic_store(wrong, true);
    parscan_context_destroy(context);
    return NULL;
}

Test(team, of_one_context_leaves_those_of_others_alone)
{
    pthread_t threads[3];
    atomic_bool wrong = false;
    for (int k = 0; k < 3; k++)
        cr_assert_eq(pthread_create(&threads[k], NULL, run_jobs, &wrong), 0);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    cr_assert_not(atomic_load(&wrong));
}

Test(team, ends_at_once_before_its_first_job_and_after_it)
{
    for (unsigned k = 0; k < 300; k++) {
        parscan_context *const context = context_with(1 + k % 9);
        static atomic_uint ran[9];
        static job j;
        if (k % 3 != 0)
            expect_every_part_once(context, &j, ran, 1 + k % 9, 0);
        parscan_context_destroy(context);
    }
}
