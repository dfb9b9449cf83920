/* fork(): contexts made before it and after it work in the child and in the parent. */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/sanitizer.h"

#define N ((1u << LESS_UNDER_SANITIZER(18, 17)) + 3)

static primitive_inputs *in;

static bool is_right(parscan_context *context)
{
    const char *const wrong = context == NULL ? "no context" : first_wrong_of_few(context, in);
    if (wrong != NULL)
        fprintf(stderr, "process %d: %s\n", (int)getpid(), wrong);
    return wrong == NULL;
}

static bool new_context_is_right(unsigned threads)
{
    parscan_context *const context = cpu_context(threads);
    const bool right = is_right(context);
    parscan_context_destroy(context);
    return right;
}

/* Waits for a child. Returns whether it has ended with status 0. */
static bool ends_well(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* In a child: the context of the parent, its end, a new one, and the child's own children. */
static bool use_in_child(parscan_context *context, int generations)
{
    if (!is_right(context))
        return false;
    if (generations > 0) {
        const pid_t child = fork();
        if (child == 0)
            _exit(!use_in_child(context, generations - 1));
        if (child < 0 || !is_right(context) || !ends_well(child))
            return false;
    }
    parscan_context_destroy(context);
    return new_context_is_right(3);
}

static void expect_right_child(parscan_context *context, int generations)
{
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0)
        _exit(!use_in_child(context, generations));
    cr_assert_geq(child, 0);
    cr_assert(is_right(context), "in the parent, beside the child");
    cr_assert(ends_well(child), "the child");
    cr_assert(is_right(context), "in the parent, after the child");
}

static void begin(void)
{
    if (UNDER_THREAD_SANITIZER)
        cr_skip("ThreadSanitizer does not let a child of a program with threads start threads");
    in = primitive_inputs_begin(N);
    cr_assert_not_null(in);
}

static void end(void)
{
    if (in != NULL)
        primitive_inputs_end(in);
}

TestSuite(fork, .init = begin, .fini = end);

Test(fork, leaves_a_used_context_to_parent_and_child)
{
    parscan_context *const context = cpu_context(4);
    cr_assert(is_right(context));
    for (int again = 0; again < 3; again++)
        expect_right_child(context, again);
    parscan_context_destroy(context);
    cr_assert(new_context_is_right(2));
}

Test(fork, leaves_an_unused_context_to_parent_and_child)
{
    parscan_context *const context = cpu_context(4);
    expect_right_child(context, 1);
    parscan_context_destroy(context);
}

/* The child destroys the context that it inherits, and does not use it. */
Test(fork, lets_a_child_destroy_a_context_at_once)
{
    parscan_context *const context = cpu_context(4);
    cr_assert(is_right(context));
    const pid_t child = fork();
    if (child == 0) {
        parscan_context_destroy(context);
        _exit(!new_context_is_right(4));
    }
    cr_assert(ends_well(child));
    cr_assert(is_right(context));
    parscan_context_destroy(context);
}

static atomic_bool stops, other_is_wrong;

static void *call_again_and_again(void *argument)
{
    while (!atomic_load(&stops))
        if (!is_right(argument))
            atomic_store(&other_is_wrong, true);
    return NULL;
}

Test(fork, works_while_another_thread_is_inside_a_call)
{
    parscan_context *const context = cpu_context(4), *const other = cpu_context(4);
    cr_assert(is_right(context));
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, call_again_and_again, other), 0);
    for (int again = 0; again < LESS_UNDER_SANITIZER(10, 4); again++)
        expect_right_child(context, 0);
    atomic_store(&stops, true);
    pthread_join(thread, NULL);
    cr_assert_not(atomic_load(&other_is_wrong));
    parscan_context_destroy(context);
    parscan_context_destroy(other);
}
