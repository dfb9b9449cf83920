/* Threads that are cancelled while they push and pull: the sorter can be destroyed. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <criterion/criterion.h>
#include <time.h>

#include "tests/apps/sorter/sorter_case.h"
#include "tests/support/cancelled.h"
#include "tests/support/test_engine.h"

enum { RUN = 20000, RUNS = 6, AT_ONCE = 5000 };

typedef struct sorter_calls {
    parscan_context *context;
    sorter_folders folders;
    parscan_sorter *sorter;
    parscan_status status;
    size_t pulled;
    /* Of work_until_cancelled(): AddressSanitizer's marks in the frame of a cancelled thread would stay. */
    uint32_t keys[AT_ONCE];
    size_t got;
} sorter_calls;

static void create(void *data)
{
    sorter_calls *const c = data;
    c->status = parscan_sorter_create(
        &c->sorter, c->context,
        &PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U32, .run_limit = RUN,
                                .folders = c->folders.list, .folder_count = c->folders.count));
}

static void push(void *data)
{
    sorter_calls *const c = data;
    uint32_t keys[AT_ONCE];
    for (uint32_t n = 0; n < RUN * RUNS && c->status == PARSCAN_OK; n += AT_ONCE) {
        for (uint32_t k = 0; k < AT_ONCE; k++)
            keys[k] = (n + k) * 2654435761u;
        c->status = parscan_sorter_push(c->sorter, keys, NULL, AT_ONCE);
    }
}

static void pull(void *data)
{
    sorter_calls *const c = data;
    uint32_t keys[AT_ONCE];
    size_t got = 1;
    for (c->pulled = 0; got > 0 && c->status == PARSCAN_OK; c->pulled += got)
        c->status = parscan_sorter_pull(c->sorter, keys, NULL, AT_ONCE, &got);
}

static void destroy(void *data)
{
    parscan_sorter_destroy(((sorter_calls *)data)->sorter);
}

static void begin(sorter_calls *c)
{
    *c = (sorter_calls){.context = test_context()};
    folders_create(&c->folders, 2);
}

static void end(sorter_calls *c)
{
    folders_remove(&c->folders);
    parscan_context_destroy(c->context);
}

Test(sorter_cancel, takes_effect_behind_each_call)
{
    sorter_calls c;
    begin(&c);
    cr_assert(returns_before_it_is_cancelled(create, &c), "in parscan_sorter_create()");
    cr_assert(returns_before_it_is_cancelled(push, &c), "in parscan_sorter_push()");
    cr_assert(returns_before_it_is_cancelled(pull, &c), "in parscan_sorter_pull()");
    cr_assert(c.status == PARSCAN_OK && c.pulled == RUN * RUNS, "%zu elements", c.pulled);
    cr_assert(returns_before_it_is_cancelled(destroy, &c), "in parscan_sorter_destroy()");
    end(&c);
}

/* The thread ends in a point of cancellation of its own. */
static void *work_until_cancelled(void *data)
{
    sorter_calls *const c = data;
    for (;;) {
        for (int k = 0; k < 40; k++) {
            parscan_sorter_push(c->sorter, c->keys, NULL, AT_ONCE);
            pthread_testcancel();
        }
        for (int k = 0; k < 40; k++) {
            parscan_sorter_pull(c->sorter, c->keys, NULL, AT_ONCE, &c->got);
            pthread_testcancel();
        }
    }
    return NULL;
}

Test(sorter_cancel, at_any_time_leaves_a_sorter_that_can_be_destroyed)
{
    sorter_calls c;
    begin(&c);
    for (long round = 0; round < 30; round++) {
        const struct timespec pause = {.tv_nsec = 100000 * round};
        pthread_t thread;
        create(&c);
        cr_assert_eq(c.status, PARSCAN_OK);
        cr_assert_eq(pthread_create(&thread, NULL, work_until_cancelled, &c), 0);
        nanosleep(&pause, NULL);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        destroy(&c);
    }
    end(&c);
}
