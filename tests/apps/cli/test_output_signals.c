/* Output files of a program that a signal ends, or whose reader goes away: nothing is left. */
#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

TestSuite(output_signals, .init = enter_folder, .fini = leave_folder);

/* How many drafts the process has in this folder: names that are a draft's, or open files that have
   no name. */
static int count_drafts(pid_t process, bool named)
{
    char descriptors[32], here[PATH_MAX];
    snprintf(descriptors, sizeof descriptors, "/proc/%ld/fd", (long)process);
    cr_assert_not_null(getcwd(here, sizeof here));
    DIR *const folder = opendir(named ? "." : descriptors);
    if (folder == NULL)
        return 0;
    int count = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (named) {
            count += strncmp(entry->d_name, ".parscan-", strlen(".parscan-")) == 0;
            continue;
        }
        char target[PATH_MAX];
        const ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        if (length < 0)
            continue;
        target[length] = '\0';
        count += strncmp(target, here, strlen(here)) == 0 && strstr(target, " (deleted)") != NULL;
    }
    closedir(folder);
    return count;
}

/* The program, at work until it is ended: when its draft is complete it writes to a pipe that
   nobody reads. */
static const char *const endless[] = {"parscan",  "sort", "in",  "--values=in", "--values-output",
                                      "the-pipe", "-o",   "out", NULL};

static void write_endless_files(void)
{
    enum { SIZE = 400000 };
    const blob text = new_blob(SIZE);
    for (int i = 0; i < SIZE; i += 4)
        memcpy(text.bytes + i, "987\n", 4);
    write_file("in", text);
    write_file("out", text_blob("old"));
    cr_assert_eq(mkfifo("the-pipe", 0600), 0);
}

static void add_options(const char *variable, const char *options)
{
    const char *const set = getenv(variable);
    char all[512];
    const int length = snprintf(all, sizeof all, "%s:%s", set != NULL ? set : "", options);
    if (length >= (int)sizeof all || setenv(variable, all, 1) != 0)
        _exit(127);
}

/* Starts the program and returns when it has its drafts. Every signal does by default what it does,
   but one, unless it is 0, which is ignored. */
static pid_t start(const char *const *arguments, int drafts, int ignored)
{
    const bool named = getenv("PARSCAN_NAMED_DRAFTS") != NULL;
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        /* A sanitizer's own handlers would print something and exit. */
        static const char handlers[] = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:"
                                       "handle_sigill=0:handle_abort=0:handle_sigtrap=0";
        add_options("ASAN_OPTIONS", handlers);
        add_options("TSAN_OPTIONS", handlers);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (int number = 1; number <= SIGRTMAX; number++)
            signal(number, number == ignored ? SIG_IGN : SIG_DFL);
        execv(program_path(), (char **)(uintptr_t)arguments);
        _exit(127);
    }
    while (count_drafts(child, named) < drafts) {
        int status;
        cr_assert_eq(waitpid(child, &status, WNOHANG), 0, "the program has ended");
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return child;
}

static void end_by(pid_t child, int number)
{
    int status;
    cr_assert_eq(kill(child, number), 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == number, "signal %d: status %d", number,
              status);
}

static bool ends_a_program(int number)
{
    const int others[] = {SIGCHLD, SIGCONT, SIGURG,  SIGWINCH, SIGTSTP,
                          SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL,  SIGXFSZ};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (number == others[i])
            return false;
    /* Those between belong to the C library. */
    return number <= SIGSYS || number >= SIGRTMIN;
}

Test(output_signals, every_signal_that_ends_the_program_leaves_nothing_behind, .timeout = 240)
{
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test(
            "ThreadSanitizer itself fails at a signal in a thread that is about to begin\n");
    write_endless_files();
    const int reader = open("the-pipe", O_RDWR | O_CLOEXEC);
    EACH_KIND_OF_DRAFT(named)
    {
        if (!named && !has_unnamed_files())
            continue;
        for (int number = 1; number <= SIGRTMAX; number++) {
            if (!ends_a_program(number))
                continue;
            end_by(start(endless, 1, 0), number);
            cr_assert_eq(count_files(), 3, "signal %d left a file, named: %d", number, named);
            expect_content("out", "old");
        }
    }
    close(reader);
}

Test(output_signals, a_draft_without_a_name_is_gone_when_the_program_is_killed)
{
    if (!has_unnamed_files())
        cr_skip_test("this file system has no O_TMPFILE\n");
    write_endless_files();
    const int reader = open("the-pipe", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 12; i++) {
        const pid_t child = start(endless, 1, 0);
        cr_assert_eq(count_files(), 3, "the draft has a name");
        end_by(child, SIGKILL);
        cr_assert_eq(count_files(), 3);
    }
    expect_content("out", "old");
    close(reader);
}

Test(output_signals, a_signal_that_is_ignored_stays_so)
{
    const int numbers[] = {SIGHUP, SIGINT, SIGPIPE, SIGUSR1};
    write_endless_files();
    EACH_KIND_OF_DRAFT(named)
    {
        if (!named && !has_unnamed_files())
            continue;
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            const int reader = open("the-pipe", O_RDWR | O_CLOEXEC);
            const pid_t child = start(endless, 1, numbers[i]);
            cr_assert_eq(kill(child, numbers[i]), 0);
            cr_assert_eq(waitpid(child, &(int){0}, WNOHANG), 0);
            end_by(child, SIGTERM);
            close(reader);
        }
    }
    cr_assert_eq(count_files(), 3);
}

/* A large text output compressed takes a while: time enough to end the program when both of its
   drafts are there. */
Test(output_signals, signals_leave_neither_of_two_drafts_behind, .timeout = 60)
{
    enum { SIZE = 8000000 };
    const char *const two[] = {"parscan",  "sort",   "in",
                               "--values", "values", "--values-output=two.gz",
                               "-o",       "out.gz", NULL};
    const blob text = new_blob(SIZE);
    for (int i = 0; i < SIZE; i += 4)
        memcpy(text.bytes + i, "987\n", 4);
    write_file("in", text);
    write_file("values", text);
    write_file("out.gz", text_blob("old"));
    EACH_KIND_OF_DRAFT(named)
    {
        if (!named && !has_unnamed_files())
            continue;
        end_by(start(two, 2, 0), SIGTERM);
        end_by(start(two, 2, 0), SIGXCPU);
        cr_assert_eq(count_files(), 3);
        expect_content("out.gz", "old");
    }
}

Test(output_signals, a_reader_that_goes_away_leaves_no_draft)
{
    write_endless_files();
    EACH_KIND_OF_DRAFT(named)
    {
        expect_shell("{ \"$0\" sort --values in --values-output - -o out in; echo $? >status; } |"
                     " head -n 1 >first");
        expect_content("first", "987\n");
        expect_content("status", "141\n"); /* 128 + SIGPIPE */
        expect_content("out", "old");
        cr_assert_eq(count_files(), 5);
    }
}
