/* A sorter that gets no threads: the caller's thread writes and reads, and signals interrupt it. And
   one on a file system that has no files without names. The linker puts __wrap_pthread_create() in
   the place of pthread_create(), and __wrap_open() in that of open(). */
#define _GNU_SOURCE /* O_TMPFILE, mkdtemp, setitimer */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "parscan/sorter.h"

enum { N = 400000, RUN = 9000 };

static unsigned given; /* threads that may still be started */
static unsigned refused;
static volatile sig_atomic_t handled;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    if (given == 0) {
        refused++;
        return EAGAIN;
    }
    given--;
    return __real_pthread_create(thread, attributes, run, argument);
}

static bool refuses_files_without_names;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = va_arg(more, mode_t);
    va_end(more);
    if ((flags & O_TMPFILE) == O_TMPFILE && refuses_files_without_names) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_open(path, flags, mode);
}

static void count_signal(int number)
{
    (void)number;
    handled++;
}

static void sort_and_check(parscan_context *context, const char *folder)
{
    static uint32_t keys[N];
    parscan_sorter *sorter;
    const parscan_sorter_options options =
        PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U32, .folder_count = 1, .folders = &folder,
                               .run_limit = RUN);
    cr_assert_eq(parscan_sorter_create(&sorter, context, &options), PARSCAN_OK);
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i * 2654435761u; /* all different */
    cr_assert_eq(parscan_sorter_push(sorter, keys, NULL, N), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    size_t got;
    cr_assert_eq(parscan_sorter_pull(sorter, keys, NULL, N, &got), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert_eq(got, N);
    for (uint32_t i = 1; i < N; i++)
        cr_assert_lt(keys[i - 1], keys[i]);
    cr_assert_eq(parscan_sorter_pull(sorter, keys, NULL, N, &got), PARSCAN_OK);
    cr_assert_eq(got, 0);
    parscan_sorter_destroy(sorter);
}

Test(sorter_alone, with_no_thread_or_one_and_among_signals_is_right)
{
    char folder[] = "/tmp/parscan-alone-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    /* No SA_RESTART: calls of the system return EINTR. */
    const struct sigaction action = {.sa_handler = count_signal};
    const struct itimerval often = {.it_interval = {.tv_usec = 200}, .it_value = {.tv_usec = 200}};
    cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
    for (unsigned threads = 0; threads < 3; threads++) { /* it asks for three */
        parscan_context *context;
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 2);
        cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
        cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
        given = threads;
        refused = 0;
        const sig_atomic_t before = handled;
        do
            sort_and_check(context, folder);
        while (handled - before < 20);
        cr_assert_eq(setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL), 0);
        cr_assert_gt(refused, 0);
        parscan_context_destroy(context);
    }
    cr_assert_eq(rmdir(folder), 0, "the folder is not empty");
}

static void make_file(const char *folder, const char *name, const char *words)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(words, file);
    fclose(file);
}

static int remove_file(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return unlink(path);
}

Test(sorter_alone, without_O_TMPFILE_removes_what_a_killed_process_left)
{
    char folder[] = "/tmp/parscan-alone-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    refuses_files_without_names = true;
    given = 100;
    make_file(folder, ".parscan-run-a1B2c3", "");
    make_file(folder, ".parscan-run-d4E5f6", "not of a sorter: it has bytes");
    make_file(folder, ".parscan-run-longer1", "");
    parscan_context *context;
    cr_assert_eq(
        parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)),
        PARSCAN_OK);
    sort_and_check(context, folder);
    parscan_context_destroy(context);
    cr_assert_eq(remove_file(folder, ".parscan-run-d4E5f6"), 0);
    cr_assert_eq(remove_file(folder, ".parscan-run-longer1"), 0);
    cr_assert_eq(rmdir(folder), 0, "the folder is not empty");
}
