/* How much memory a sorter takes, and every allocation failing. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/apps/sorter/sorter_case.h"
#include "tests/support/counting.h"
#include "tests/support/random.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

#define MIB ((size_t)1 << 20)

/* Sorts n random keys that are made as they are pushed. Returns the first error. */
static parscan_status sort_random(parscan_context *context, const parscan_sorter_options *options,
                                  size_t n)
{
    static uint64_t keys[8192], values[8192];
    const bool has_values = options->value_size > 0;
    parscan_sorter *sorter;
    parscan_status status = parscan_sorter_create(&sorter, context, options);
    for (size_t i = 0; i < n && status == PARSCAN_OK; i += COUNT_OF(keys)) {
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            values[k] = ~(keys[k] = random_bits());
        status = parscan_sorter_push(sorter, keys, has_values ? values : NULL, COUNT_OF(keys));
    }
    uint64_t last = 0;
    size_t got = 1, sum = 0;
    while (status == PARSCAN_OK && got > 0) {
        status =
            parscan_sorter_pull(sorter, keys, has_values ? values : NULL, COUNT_OF(keys), &got);
        for (size_t k = 0; k < got; k++) {
            cr_assert_geq(keys[k], last);
            cr_assert(!has_values || values[k] == ~keys[k]);
            last = keys[k];
        }
        sum += got;
    }
    cr_assert(status != PARSCAN_OK || sum >= n);
    parscan_sorter_destroy(sorter);
    return status;
}

Test(sorter_memory, of_its_allocator_is_at_most_the_limit)
{
    static const unsigned threads[] = {1, 2, 5, 64};
    sorter_folders folders;
    folders_create(&folders, 2);
    for (size_t k = 0; k < 2 * COUNT_OF(threads); k++) {
        counting c = counting_begin(NEVER);
        parscan_context_options options = counting_options(&c);
        options.threads = threads[k % COUNT_OF(threads)];
        parscan_context *const context = test_context_with(options);
        const size_t at_rest = c.live_bytes;
        const parscan_sorter_options of_sorter =
            PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U64, .folder_count = 2,
                                   .folders = folders.list, .value_size = k % 2 * 8,
                                   .memory_limit = (k < COUNT_OF(threads) ? 16 : 33) * MIB);
        cr_assert_eq(sort_random(context, &of_sorter, 5u << 20), PARSCAN_OK, "%s",
                     parscan_context_error(context));
        cr_assert_leq(c.most_bytes - at_rest, of_sorter.memory_limit, "%u threads",
                      options.threads);
        cr_assert_geq(c.most_bytes - at_rest, of_sorter.memory_limit / 2, "%u threads",
                      options.threads);
        cr_assert_eq(c.live_bytes, at_rest);
        parscan_context_destroy(context);
        counting_end(&c);
    }
    folders_remove(&folders);
}

Test(sorter_memory, of_few_elements_is_little)
{
    counting c = counting_begin(NEVER);
    parscan_context *const context = test_context_with(counting_options(&c));
    cr_assert_eq(sort_random(context,
                             &PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U64,
                                                     .memory_limit = (size_t)1 << 40),
                             8192),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_leq(c.most_bytes, 20 * MIB);
    parscan_context_destroy(context);
    counting_end(&c);
}

#ifdef MEASURES_MEMORY
/* A thread that looks again and again how much anonymous memory the process has. */
typedef struct watch {
    atomic_bool ends;
    size_t most;
} watch;

static size_t anonymous_bytes(void)
{
    char line[256];
    size_t kilobytes = 0;
    FILE *const status = fopen("/proc/self/status", "r");
    cr_assert_not_null(status);
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "RssAnon: %zu", &kilobytes) == 1)
            break;
    fclose(status);
    return kilobytes << 10;
}

static void *look_again_and_again(void *argument)
{
    watch *const w = argument;
    const struct timespec pause = {.tv_nsec = 500000};
    while (!atomic_load(&w->ends)) {
        const size_t now = anonymous_bytes();
        w->most = now > w->most ? now : w->most;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

Test(sorter_memory, of_the_process_is_at_most_the_limit_and_4_MiB)
{
    static const unsigned threads[] = {1, 2, 64};
    sorter_folders folders;
    folders_create(&folders, 3);
    for (size_t k = 0; k < 2 * COUNT_OF(threads); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads[k % COUNT_OF(threads)]});
        const parscan_sorter_options options =
            PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U64, .folder_count = 3,
                                   .folders = folders.list, .value_size = 8,
                                   .memory_limit = (k < COUNT_OF(threads) ? 16 : 48) * MIB);
        watch w = {.most = 0};
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, look_again_and_again, &w), 0);
        const size_t before = anonymous_bytes();
        const parscan_status status = sort_random(context, &options, 5u << 20);
        atomic_store(&w.ends, true);
        pthread_join(thread, NULL);
        cr_assert_eq(status, PARSCAN_OK, "%s", parscan_context_error(context));
        cr_assert_leq(w.most - before, options.memory_limit + 4 * MIB, "%u threads",
                      threads[k % COUNT_OF(threads)]);
        cr_assert_geq(w.most - before, options.memory_limit / 2);
        cr_assert_leq(anonymous_bytes(), before + 4 * MIB, "memory is kept");
        parscan_context_destroy(context);
    }
    folders_remove(&folders);
}
#endif

/* Whether an allocation failed. What fails is OUT_OF_MEMORY and frees everything. */
static bool survives_failure(const parscan_sorter_options *options, size_t n, size_t k,
                             bool for_ever)
{
    counting c = counting_begin(k);
    c.fails_from_then_on = for_ever;
    const parscan_context_options of_context = counting_options(&c);
    parscan_context *context = NULL;
    if (parscan_context_create(&context, &of_context) == PARSCAN_OK) {
        const parscan_status status = sort_random(context, options, n);
        if (status != PARSCAN_OK) {
            cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY, "%s", parscan_context_error(context));
            cr_assert_gt(strlen(parscan_context_error(context)), 0);
        }
    }
    const bool failed = c.calls > k;
    parscan_context_destroy(context);
    counting_end(&c);
    return failed;
}

Test(sorter_memory, that_is_refused_at_any_call_is_survived)
{
    sorter_folders folders;
    folders_create(&folders, 1);
    /* One run; two in memory; several in files; two levels. */
    static const size_t run_limits[] = {0, 5000, 2000, 60};
    for (size_t i = 0; i < 2 * COUNT_OF(run_limits); i++) {
        const parscan_sorter_options options =
            PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U64, .folder_count = 1,
                                   .folders = folders.list, .value_size = i % 3 == 0 ? 8 : 0,
                                   .memory_limit = 16 * MIB, .run_limit = run_limits[i / 2]);
        size_t k = 0;
        while (survives_failure(&options, 8192, k, i % 2 != 0))
            cr_assert_lt(++k, 200, "the allocations have no end");
        cr_assert_geq(k, 5, "only %zu allocations", k);
    }
    folders_remove(&folders);
}
