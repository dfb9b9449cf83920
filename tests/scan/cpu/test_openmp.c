/* The caller's OpenMP team beside the threads of contexts. Built where the compiler has OpenMP. */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/sanitizer.h"

enum { TEAM = 4, ROUNDS = 6, ITEMS = 100000 };

static primitive_inputs *in;

/* A loop of the caller's. Returns its sum. Its threads wait actively when it ends. */
static long caller_loop(void)
{
    long sum = 0;
#pragma omp parallel for num_threads(TEAM) reduction(+ : sum)
    for (long i = 0; i < ITEMS; i++)
        sum += i;
    return sum;
}

static void *use_other_context(void *argument)
{
    const char **const wrong = argument;
    parscan_context *const context = cpu_context(3);
    *wrong = context == NULL ? "no context" : NULL;
    for (int k = 0; k < ROUNDS && *wrong == NULL; k++)
        *wrong = first_wrong_of_few(context, in);
    parscan_context_destroy(context);
    return NULL;
}

Test(openmp, loops_of_the_caller_alternate_with_calls)
{
    in = primitive_inputs_begin((1u << LESS_UNDER_SANITIZER(19, 17)) + 3);
    pthread_t thread;
    const char *other;
    cr_assert_eq(pthread_create(&thread, NULL, use_other_context, &other), 0);
    parscan_context *const context = cpu_context(4);
    for (int k = 0; k < ROUNDS; k++) {
        cr_assert_eq(caller_loop(), (long)ITEMS * (ITEMS - 1) / 2);
        const char *const wrong = first_wrong_of_few(context, in);
        cr_assert_null(wrong, "%s", wrong);
    }
    pthread_join(thread, NULL);
    cr_assert_null(other, "%s, in the other thread", other);
    parscan_context_destroy(context);
    primitive_inputs_end(in);
}

/* Each thread of the caller's team has a context, and all call at once. */
Test(openmp, threads_of_the_caller_have_contexts)
{
    in = primitive_inputs_begin((1u << LESS_UNDER_SANITIZER(18, 17)) + 3);
    atomic_uint members = 0, wrong = 0;
#pragma omp parallel num_threads(TEAM)
    {
        parscan_context *const context = cpu_context(1 + (unsigned)omp_get_thread_num());
        for (int k = 0; k < 3; k++)
            if (context == NULL || first_wrong_of_few(context, in) != NULL)
                atomic_fetch_add(&wrong, 1);
        parscan_context_destroy(context);
        atomic_fetch_add(&members, 1);
    }
    cr_assert_eq(atomic_load(&members), TEAM);
    cr_assert_eq(atomic_load(&wrong), 0);
    primitive_inputs_end(in);
}
