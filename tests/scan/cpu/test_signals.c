/* Members of a team run no handler of the program, and a call leaves the mask of signals alone. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/sanitizer.h"

#define ELEMENTS ((1u << LESS_IF_SLOW(19, 17)) + 3)

static pthread_t caller;
static atomic_uint handled, handled_elsewhere;

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add(pthread_equal(caller, pthread_self()) ? &handled : &handled_elsewhere, 1);
}

static void handle(int number)
{
    const struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    cr_assert_eq(sigaction(number, &action, NULL), 0);
}

/* A thread of the test that sends signals to the process while its main thread calls. */
static atomic_bool stops;

static void *send_signals(void *unused)
{
    while (!atomic_load(&stops)) {
        kill(getpid(), SIGUSR1);
        usleep(200);
    }
    return unused;
}

Test(signals, are_handled_by_the_caller_and_never_by_a_member)
{
    caller = pthread_self();
    handle(SIGUSR1);
    handle(SIGALRM);
    sigset_t all, before;
    sigfillset(&all);
    pthread_t sender;
    /* The sender blocks all signals too, so only the caller and the members are left. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    cr_assert_eq(pthread_create(&sender, NULL, send_signals, NULL), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    const struct itimerval often = {.it_interval = {.tv_usec = 300}, .it_value = {.tv_usec = 300}};
    cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    primitive_inputs *const in = primitive_inputs_begin(ELEMENTS);
    parscan_context *const context = cpu_context(4);
    do {
        const char *const wrong = first_wrong_of_few(context, in);
        cr_assert_null(wrong, "%s", wrong);
    } while (atomic_load(&handled) < 100);
    /* While the caller blocks a signal, no thread is left for it. */
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    const unsigned so_far = atomic_load(&handled);
    const char *const wrong = first_wrong_of_few(context, in);
    cr_assert_null(wrong, "%s", wrong);
    cr_assert_eq(atomic_load(&handled), so_far);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    atomic_store(&stops, true);
    pthread_join(sender, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0}}, NULL);
    cr_assert_eq(atomic_load(&handled_elsewhere), 0, "a member ran a handler");
    parscan_context_destroy(context);
    primitive_inputs_end(in);
}

static void expect_same_mask(const sigset_t *expected)
{
    sigset_t now;
    cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
    for (int number = 1; number < NSIG; number++)
        cr_assert_eq(sigismember(expected, number), sigismember(&now, number), "signal %d", number);
}

Test(signals, that_the_caller_blocks_are_the_same_after_a_call)
{
    primitive_inputs *const in = primitive_inputs_begin(ELEMENTS);
    for (int mode = 0; mode < 3; mode++) {
        sigset_t mask;
        sigemptyset(&mask);
        if (mode == 1)
            sigaddset(&mask, SIGUSR2);
        if (mode == 2)
            sigfillset(&mask);
        cr_assert_eq(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
        /* A full set leaves out what cannot be blocked. */
        cr_assert_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
        parscan_context *const context = cpu_context(4);
        for (int again = 0; again < 2; again++) {
            const char *const wrong = first_wrong_of_few(context, in);
            cr_assert_null(wrong, "%s", wrong);
            expect_same_mask(&mask);
        }
        parscan_context_destroy(context);
        expect_same_mask(&mask);
    }
    primitive_inputs_end(in);
}
