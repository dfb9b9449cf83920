#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/support/counting.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/support/test_engine.h"

#define ARENA ((size_t)1 << 29) /* 64 threads with 2 MiB of L2 each take 150 MiB, more than once */

static void *counting_allocate(size_t size, void *user)
{
    counting *const c = user;
    cr_assert(pthread_equal(c->owner, pthread_self()), "called by a worker");
    const size_t call = c->calls++;
    if (call == c->fails_at || (c->fails_from_then_on && call > c->fails_at))
        return NULL;
    const size_t whole = (size + 16 + 15) / 16 * 16;
    cr_assert_leq(c->used + whole, ARENA, "the arena of the test is too small");
    char *const block = c->arena + c->used;
    memcpy(block, &size, sizeof size);
    c->used += whole;
    c->live++;
    c->live_bytes += size;
    c->most_bytes = c->live_bytes > c->most_bytes ? c->live_bytes : c->most_bytes;
    return block + 16;
}

static void counting_release(void *pointer, void *user)
{
    counting *const c = user;
    char *const block = (char *)pointer - 16;
    cr_assert(block >= c->arena && block < c->arena + c->used, "not from this allocator");
    size_t size;
    memcpy(&size, block, sizeof size);
    cr_assert_neq(size, NEVER, "released twice");
    c->live--;
    c->live_bytes -= size;
    size = NEVER;
    memcpy(block, &size, sizeof size);
}

counting counting_begin(size_t fails_at)
{
    counting c = {.fails_at = fails_at, .owner = pthread_self()};
    /* Not by malloc: AddressSanitizer marks what that gives and gets back, 64 MiB of its own for each arena. */
    c.arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    cr_assert_neq(c.arena, MAP_FAILED);
    return c;
}

void counting_end(counting *c)
{
    cr_assert_eq(c->live, 0, "%zu allocations leaked", c->live);
    munmap(c->arena, ARENA);
}

bool counting_owns(const counting *c, const void *pointer)
{
    return (const char *)pointer > c->arena && (const char *)pointer < c->arena + ARENA;
}

parscan_context_options counting_options(counting *c)
{
    return PARSCAN_CONTEXT_OPTIONS(.backend = test_backend(), .threads = 2,
                                   .allocator = {counting_allocate, counting_release, c});
}

parscan_context *counting_context(counting *c)
{
    const parscan_context_options options = counting_options(c);
    parscan_context *context = NULL;
    if (parscan_context_create(&context, &options) != PARSCAN_OK) {
        cr_assert(context == NULL && c->live == 0);
        cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    }
    return context;
}

void failing_begin(failing_run *run, size_t k)
{
    run->counted = counting_begin(k);
    run->context = counting_context(&run->counted);
}

bool failing_check(failing_run *run, parscan_status status)
{
    run->failed = run->counted.calls > run->counted.fails_at;
    run->counted.fails_at = NEVER;
    if (status == PARSCAN_OK)
        return false;
    cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY);
    cr_assert_gt(strlen(parscan_context_error(run->context)), 0);
    return true;
}

bool failing_end(failing_run *run)
{
    parscan_context_destroy(run->context);
    counting_end(&run->counted);
    return run->failed;
}

/* The k-th allocation fails, or none is left. Returns whether it has failed. */
static bool survives_failure(const failing_test *test, size_t k)
{
    failing_run run;
    failing_begin(&run, k);
    failing_check(&run, test->attempt(run.context, test->state));
    test->expect(run.context, test->state);
    return failing_end(&run);
}

size_t fail_every_allocation(const failing_test *test)
{
    size_t k = 0;
    while (survives_failure(test, k))
        k++;
    return k;
}
