/*
 * The system refuses threads, or there is no memory for a team: results are right, on fewer
 * threads. Linked with the static library and --wrap=pthread_create.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/team.h"
#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/sanitizer.h"

/* Calls of pthread_create(). A member may look at `asked` while the caller starts others. */
static size_t granted = SIZE_MAX;
static atomic_size_t asked;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    return atomic_fetch_add(&asked, 1) < granted
               ? __real_pthread_create(thread, attributes, run, argument)
               : EAGAIN;
}

static void count_part(void *state, size_t part)
{
    atomic_fetch_add((atomic_size_t *)state, part + 1);
}

/* Each part waits until the caller has asked for so many threads, so no part is left to run before
   the team is whole. */
static void wait_until_asked(void *state, size_t part)
{
    (void)part;
    while (atomic_load(&asked) < *(const size_t *)state)
        sched_yield();
}

/* Starts the members of a team, and asks for one more if one is to be refused. */
static void start_all(parscan_context *context, size_t calls)
{
    atomic_store(&asked, 0);
    parscan_team_run(context, 100, wait_until_asked, &calls);
    cr_assert_eq(atomic_load(&asked), calls);
}

static void expect_all_parts(parscan_context *context)
{
    for (size_t parts = 1; parts < 50; parts++) {
        atomic_size_t sum = 0;
        parscan_team_run(context, parts, count_part, &sum);
        cr_assert_eq(atomic_load(&sum), parts * (parts + 1) / 2);
    }
}

Test(refused, threads_leave_a_smaller_team)
{
    static const size_t some[] = {0, 1, 3};
    /* A team of three has what smaller ones have, for ThreadSanitizer. */
    for (size_t k = LESS_UNDER_THREAD_SANITIZER(0, 2); k < sizeof some / sizeof *some; k++) {
        granted = some[k];
        parscan_context *const context = cpu_context(8);
        cr_assert_eq(parscan_context_threads(context), 8);
        start_all(context, granted + 1);
        expect_all_parts(context);
        cr_assert_eq(atomic_load(&asked), granted + 1, "a team asks no more after a refusal");
        primitive_inputs *const in =
            primitive_inputs_begin((1u << LESS_UNDER_SANITIZER(19, 17)) + 3);
        const char *const wrong = first_wrong_primitive(context, in);
        cr_assert_null(wrong, "%s, after %zu threads", wrong, granted);
        primitive_inputs_end(in);
        parscan_context_destroy(context);
    }
}

Test(refused, threads_for_one_context_may_be_granted_to_the_next)
{
    granted = 0;
    parscan_context *const first = cpu_context(3);
    start_all(first, 1);
    granted = SIZE_MAX;
    parscan_context *const second = cpu_context(3);
    start_all(second, 2);
    expect_all_parts(first);
    parscan_context_destroy(first);
    expect_all_parts(second);
    cr_assert_eq(atomic_load(&asked), 2);
    parscan_context_destroy(second);
}

/* ---- memory ---- */

typedef struct failing {
    size_t calls, fails_at, live;
    pthread_t owner;
} failing;

static void *allocate(size_t size, void *user)
{
    failing *const f = user;
    cr_assert(pthread_equal(f->owner, pthread_self()), "called by a member of the team");
    if (f->calls++ == f->fails_at)
        return NULL;
    f->live++;
    return malloc(size);
}

static void release(void *pointer, void *user)
{
    failing *const f = user;
    f->live--;
    free(pointer);
}

static parscan_context *failing_context(failing *f, unsigned threads)
{
    f->owner = pthread_self();
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = threads,
                                .allocator = {allocate, release, f});
    parscan_context *context;
    return parscan_context_create(&context, &options) == PARSCAN_OK ? context : NULL;
}

Test(refused, memory_for_a_team_leaves_the_caller_alone)
{
    granted = SIZE_MAX;
    failing f = {.fails_at = 1}; /* the first one is the context */
    parscan_context *const context = failing_context(&f, 4);
    cr_assert_not_null(context);
    atomic_store(&asked, 0);
    atomic_size_t sum = 0;
    parscan_team_run(context, 5, count_part, &sum);
    cr_assert(f.calls == 2 && atomic_load(&asked) == 0, "%zu allocations", f.calls);
    cr_assert_eq(atomic_load(&sum), 15);
    start_all(context, 3); /* with memory, the team is as large as it should be */
    expect_all_parts(context);
    parscan_context_destroy(context);
    cr_assert_eq(f.live, 0);
}

/* Whether all bytes are those that primitive_run() set before the call. */
static bool is_untouched(const char *out, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (out[i] != 0)
            return false;
    return true;
}

/* Whether what a primitive writes is still zero if it fails: those that work in place fill it before the
   call, and of several chunks the first may have been written. */
static bool stays_clear(const char *name)
{
    return strstr(name, "in place") == NULL && strstr(name, "in chunks") == NULL;
}

/* Calls primitive k; the fails_at-th allocation gives NULL. Returns whether it was reached. */
static bool survives(size_t k, size_t fails_at, const primitive_inputs *in, const char *expected,
                     char *out)
{
    const char *const name = primitive_name(k);
    const size_t bytes = primitive_bytes(k, in);
    failing f = {.fails_at = fails_at};
    parscan_context *const context = failing_context(&f, 4);
    cr_assert_not_null(context);
    const parscan_status status = primitive_run(k, context, in, out);
    if (status == PARSCAN_OK)
        cr_assert_eq(memcmp(out, expected, bytes), 0, "%s, allocation %zu", name, fails_at);
    else
        cr_assert(status == PARSCAN_ERROR_OUT_OF_MEMORY &&
                      (!stays_clear(name) || is_untouched(out, bytes)),
                  "%s, allocation %zu: %s", name, fails_at, parscan_status_string(status));
    const bool reached = f.calls > fails_at;
    f.fails_at = SIZE_MAX;
    cr_assert_eq(primitive_run(k, context, in, out), PARSCAN_OK, "%s", name);
    cr_assert_eq(memcmp(out, expected, bytes), 0, "%s after allocation %zu", name, fails_at);
    parscan_context_destroy(context);
    cr_assert_eq(f.live, 0, "%s leaks", name);
    return reached;
}

Test(refused, memory_at_any_time_is_survived_by_every_primitive)
{
    granted = SIZE_MAX;
    primitive_inputs *const in = primitive_inputs_begin((1u << LESS_UNDER_SANITIZER(18, 17)) + 3);
    parscan_context *const alone = cpu_context(1);
    for (size_t k = 0; k < primitive_count(); k++) {
        char *const expected = malloc(primitive_bytes(k, in));
        char *const out = malloc(primitive_bytes(k, in));
        cr_assert(expected != NULL && out != NULL);
        cr_assert_eq(primitive_run(k, alone, in, expected), PARSCAN_OK);
        for (size_t fails_at = 1; survives(k, fails_at, in, expected, out);
             fails_at += LESS_UNDER_THREAD_SANITIZER(1, 2))
            cr_assert_lt(fails_at, 100, "%s: its allocations have no end", primitive_name(k));
        free(expected);
        free(out);
    }
    parscan_context_destroy(alone);
    primitive_inputs_end(in);
}
