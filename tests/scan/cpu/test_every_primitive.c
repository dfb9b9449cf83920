/* Every primitive with more threads than processors, and with several contexts at once. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/sanitizer.h"

static void expect_right(unsigned threads, size_t n, const primitive_inputs *in)
{
    parscan_context *const context = cpu_context(threads);
    cr_assert_not_null(context);
    const char *const wrong = first_wrong_primitive(context, in);
    cr_assert_null(wrong, "%s of %zu elements on %u threads", wrong, n, threads);
    const char *const again = first_wrong_of_few(context, in);
    cr_assert_null(again, "%s of %zu elements on %u threads, again", again, n, threads);
    parscan_context_destroy(context);
}

Test(many_threads, on_few_processors_are_right)
{
    static const unsigned threads[] = {2, 3, 7, 64, 1024};
    static const size_t lengths[] = {1000, (1u << 17) + 3, (1u << 18) + 3};
    /* share_large_arrays has longer ones. */
    const size_t count = LESS_IN_EMULATOR(LESS_UNDER_THREAD_SANITIZER(3, 2), 2);
    for (size_t l = 0; l < count; l++) {
        primitive_inputs *const in = primitive_inputs_begin(lengths[l]);
        cr_assert_not_null(in);
        for (size_t k = 0; k < LESS_IN_EMULATOR(sizeof threads / sizeof *threads, 2); k++)
            if (LESS_IF_SLOW(true, l == 0 || k % 2 == l - 1))
                expect_right(threads[k], lengths[l], in);
        primitive_inputs_end(in);
    }
}

Test(many_threads, share_large_arrays)
{
    /* Under sanitizers on_few_processors_are_right has as many threads; each of three has what seven have of more. */
    for (unsigned k = 0; k < LESS_IF_SLOW(2, 1); k++) {
        const size_t n = (1u << LESS_IF_SLOW(20 + k, 18)) + 9;
        primitive_inputs *const in = primitive_inputs_begin(n);
        cr_assert_not_null(in);
        expect_right(k == 0 ? LESS_IF_SLOW(7, 3) : 1024, n, in);
        primitive_inputs_end(in);
    }
}

/* ---- two contexts at once ---- */

typedef struct user {
    const primitive_inputs *in;
    unsigned threads;
    int times;
    const char *wrong;
} user;

static void *use_context(void *argument)
{
    user *const u = argument;
    parscan_context *const context = cpu_context(u->threads);
    u->wrong = context == NULL ? "no context" : NULL;
    for (int k = 0; k < u->times && u->wrong == NULL; k++)
        u->wrong =
            k == 0 ? first_wrong_primitive(context, u->in) : first_wrong_of_few(context, u->in);
    parscan_context_destroy(context);
    return NULL;
}

Test(contexts, of_several_threads_work_at_the_same_time)
{
    primitive_inputs *const in = primitive_inputs_begin((1u << LESS_IF_SLOW(18, 17)) + 7);
    user users[3];
    pthread_t threads[3];
    for (unsigned k = 0; k < 3; k++) {
        users[k] = (user){.in = in, .threads = 2 + k, .times = LESS_IF_SLOW(8, 2)};
        cr_assert_eq(pthread_create(&threads[k], NULL, use_context, &users[k]), 0);
    }
    for (unsigned k = 0; k < 3; k++) {
        pthread_join(threads[k], NULL);
        cr_assert_null(users[k].wrong, "%s on %u threads", users[k].wrong, users[k].threads);
    }
    primitive_inputs_end(in);
}

/* One thread may use two contexts in turn, and another thread may go on with a context. */
Test(contexts, may_change_their_thread)
{
    primitive_inputs *const in = primitive_inputs_begin((1u << LESS_IF_SLOW(18, 17)) + 7);
    parscan_context *const first = cpu_context(3), *const second = cpu_context(2);
    for (int k = 0; k < LESS_IN_EMULATOR(LESS_UNDER_SANITIZER(6, 2), 2); k++) {
        const char *const wrong = first_wrong_of_few(k % 2 == 0 ? first : second, in);
        cr_assert_null(wrong, "%s", wrong);
    }
    for (int k = 0; k < LESS_IF_SLOW(3, 1); k++) {
        user u = {.in = in, .threads = 2, .times = 2};
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, use_context, &u), 0);
        const char *const wrong = first_wrong_of_few(first, in);
        pthread_join(thread, NULL);
        cr_assert(wrong == NULL && u.wrong == NULL, "%s", wrong != NULL ? wrong : u.wrong);
    }
    parscan_context_destroy(first);
    parscan_context_destroy(second);
    primitive_inputs_end(in);
}
