/* Output files: whole or not at all, in the place and with the permissions that they had. */
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

TestSuite(output_file, .init = enter_folder, .fini = leave_folder);

static void expect_file(const char *name, const char *content)
{
    cr_assert_str_eq(read_file(name).bytes, content);
}

static mode_t mode_of(const char *name)
{
    struct stat status;
    cr_assert_eq(lstat(name, &status), 0);
    return status.st_mode;
}

/* Everything about drafts holds of both kinds. The environment is then as before, since the plain runner
   has the next test in the same process. */
#define EACH_KIND_OF_DRAFT(named) for (int named = 0; choose_draft(named); named++)

static bool choose_draft(int named)
{
    cr_assert_eq(
        named == 1 ? setenv("PARSCAN_NAMED_DRAFTS", "1", 1) : unsetenv("PARSCAN_NAMED_DRAFTS"), 0);
    return named < 2;
}

Test(output_file, is_written_by_either_name_of_the_option)
{
    expect_output(RUN("1 2", "scan", "-o", "a"), "");
    expect_output(RUN("1 2", "scan", "--output=b"), "");
    expect_file("a", "1\n3\n");
    expect_file("b", "1\n3\n");
    cr_assert_eq(count_files(), 2);
}

Test(output_file, a_dash_is_standard_output)
{
    expect_output(RUN("1 2", "scan", "-o", "-"), "1\n3\n");
    cr_assert_eq(count_files(), 0);
}

Test(output_file, the_name_chooses_the_format_unless_told)
{
    expect_done(RUN("1 2", "scan", "-o", "a.npy"));
    cr_assert_eq(memcmp(read_file("a.npy").bytes, "\x93NUMPY", 6), 0);
    expect_done(RUN("", "scan", "a.npy", "-o", "b.txt"));
    expect_file("b.txt", "1\n4\n");
    expect_done(RUN("", "scan", "a.npy", "-o", "c"));
    cr_assert_eq(memcmp(read_file("c").bytes, "\x93NUMPY", 6), 0);
    expect_done(RUN("1 2", "scan", "-o", "d.npy", "--output-format", "text"));
    expect_file("d.npy", "1\n3\n");
    expect_done(RUN("1 2", "scan", "--type", "u8", "-o", "e.txt", "--output-format", "raw"));
    expect_file("e.txt", "\1\3");
}

Test(output_file, may_be_the_input)
{
    write_file("numbers", text_blob("1 2 3\n"));
    expect_done(RUN("", "scan", "numbers", "-o", "numbers"));
    expect_file("numbers", "1\n3\n6\n");
    cr_assert_eq(count_files(), 1);
}

Test(output_file, keeps_the_permissions_of_the_old_file)
{
    write_file("out", text_blob("old"));
    cr_assert_eq(chmod("out", 0640), 0);
    expect_done(RUN("1", "scan", "-o", "out"));
    cr_assert_eq(mode_of("out") & 07777, 0640);
}

Test(output_file, a_new_file_has_the_permissions_that_the_umask_leaves)
{
    const mode_t before = umask(027);
    const program_run done = RUN("1", "scan", "-o", "out");
    umask(before);
    expect_done(done);
    cr_assert_eq(mode_of("out") & 07777, 0640);
}

Test(output_file, a_symbolic_link_stays_one)
{
    cr_assert_eq(mkdir("folder", 0777), 0);
    write_file("folder/out", text_blob("old"));
    cr_assert_eq(symlink("folder/out", "link"), 0);
    cr_assert_eq(symlink("folder/new", "dangling"), 0);
    cr_assert_eq(symlink("loop", "loop"), 0);
    expect_done(RUN("1", "scan", "-o", "link"));
    expect_done(RUN("2", "scan", "-o", "dangling"));
    expect_failure(RUN("2", "scan", "-o", "loop"),
                   "parscan: loop: Too many levels of symbolic links\n");
    cr_assert(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("dangling")));
    expect_file("folder/out", "1\n");
    expect_file("folder/new", "2\n");
}

Test(output_file, an_old_file_is_untouched_by_a_failed_run)
{
    write_file("out", text_blob("old"));
    expect_failure(RUN("1 x", "scan", "-o", "out"), "'x'");
    expect_usage(RUN("1", "scan", "-o", "out", "--type", "f32", "--op", "and"), "--op and");
    expect_usage(RUN("1", "scan", "-o", "out", "--init", "x"), "--init");
    expect_file("out", "old");
    cr_assert_eq(count_files(), 1);
}

Test(output_file, no_file_is_left_by_a_failed_run)
{
    expect_failure(RUN("1 x", "scan", "-o", "out"), "'x'");
    cr_assert_eq(count_files(), 0);
}

Test(output_file, a_missing_input_is_a_failure)
{
    expect_failure(RUN("", "scan", "nothing", "-o", "out"),
                   "parscan: nothing: No such file or directory\n");
    expect_failure(RUN("", "scan", "."), "parscan: .: Is a directory\n");
    cr_assert_eq(count_files(), 0);
}

Test(output_file, a_folder_that_takes_no_files_is_a_failure)
{
    expect_failure(RUN("1", "scan", "-o", "no/out"),
                   "parscan: no/out: No such file or directory\n");
    expect_failure(RUN("1", "scan", "-o", "/proc/out"), "parscan: /proc/out: ");
    expect_failure(RUN("1", "scan", "-o", "."), "parscan: .: Is a directory\n");
    if (geteuid() != 0) {
        cr_assert_eq(mkdir("closed", 0555), 0);
        expect_failure(RUN("1", "scan", "-o", "closed/out"), "closed/out: Permission denied\n");
    }
}

Test(output_file, a_full_device_is_a_failure)
{
    expect_failure(RUN("1 2", "scan", "-o", "/dev/full"),
                   "parscan: /dev/full: No space left on device\n");
    expect_failure(run_to("/dev/full", text_blob("1 2"), ARGUMENTS("scan")),
                   "parscan: standard output: No space left on device\n");
    write_file("in", new_blob(64));
    expect_failure(run_to("/dev/full", text_blob(""),
                          ARGUMENTS("scan", "in", "--format", "raw", "--type", "u8",
                                    "--output-format", "npy")),
                   "parscan: standard output: No space left on device\n");
    cr_assert(S_ISCHR(mode_of("/dev/full")));
}

Test(output_file, a_device_stays_a_device)
{
    expect_done(RUN("1 2", "scan", "-o", "/dev/null"));
    cr_assert(S_ISCHR(mode_of("/dev/null")));
    cr_assert_eq(symlink("/dev/null", "link"), 0);
    expect_done(RUN("1 2", "scan", "-o", "link"));
    cr_assert(S_ISCHR(mode_of("/dev/null")) && S_ISLNK(mode_of("link")));
}

Test(output_file, dev_stdout_is_the_standard_output)
{
    expect_output(RUN("1 2", "scan", "-o", "/dev/stdout"), "1\n3\n");
    cr_assert_eq(count_files(), 0);
}

Test(output_file, what_stands_before_and_behind_in_the_file_of_a_descriptor_stays)
{
    const char *const names[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "far"};
    write_file("in", text_blob("1 2"));
    cr_assert_eq(symlink("/dev/stdout", "link"), 0);
    cr_assert_eq(symlink("link", "far"), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[160];
        snprintf(line, sizeof line, "(echo header; \"$0\" scan -o %s in; echo trailer) >out",
                 names[i]);
        expect_shell(line);
        expect_file("out", "header\n1\n3\ntrailer\n");
        snprintf(line, sizeof line, "\"$0\" scan -o %s in >>out", names[i]);
        expect_shell(line);
        expect_file("out", "header\n1\n3\ntrailer\n1\n3\n");
    }
    expect_shell("exec 5>other; echo header >&5; \"$0\" scan -o /dev/fd/5 in; echo trailer >&5");
    expect_file("other", "header\n1\n3\ntrailer\n");
    expect_shell("echo log >other; exec 5>>other; \"$0\" scan -o /proc/$$/fd/5 in");
    expect_file("other", "log\n1\n3\n");
    cr_assert_eq(count_files(), 5);
}

Test(output_file, beyond_the_limit_of_file_sizes_nothing_is_left)
{
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test("ThreadSanitizer's own memory is a file, and meets the limit\n");
    write_file("out", text_blob("old"));
    expect_shell("seq 100000 >in; ulimit -f 64; \"$0\" scan in -o out 2>/dev/null; test $? = 1");
    expect_file("out", "old");
    cr_assert_eq(count_files(), 2);
}

Test(output_file, the_draft_of_another_is_not_touched)
{
    write_file("in", text_blob("1 2"));
    EACH_KIND_OF_DRAFT(named)
    {
        remove("out");
        expect_shell("echo theirs >.parscan-$$-0.tmp; exec \"$0\" scan in -o out");
        expect_shell("echo theirs >.parscan-$$-0.tmp; exec \"$0\" scan in -o out");
        expect_file("out", "1\n3\n");
        cr_assert_eq(count_files(), 4 + 2 * named);
    }
}

Test(output_file, a_pipe_is_written_directly)
{
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    const int end = open("pipe", O_RDWR);
    cr_assert(end >= 0);
    expect_done(RUN("1 2", "scan", "-o", "pipe"));
    char bytes[8] = "";
    cr_assert_eq(read(end, bytes, sizeof bytes), 4);
    cr_assert_str_eq(bytes, "1\n3\n");
    cr_assert(S_ISFIFO(mode_of("pipe")));
    close(end);
}

Test(output_file, a_draft_takes_the_place_of_what_is_there_or_not)
{
    EACH_KIND_OF_DRAFT(named)
    {
        write_file("out", text_blob("old"));
        cr_assert_eq(chmod("out", 0641), 0);
        expect_done(RUN("1 2", "scan", "-o", "out"));
        expect_done(RUN("3 4", "scan", "-o", "new"));
        expect_file("out", "1\n3\n");
        expect_file("new", "3\n7\n");
        cr_assert_eq(mode_of("out") & 07777, 0641);
        cr_assert_eq(mode_of("new") & 07777, 0644);
        cr_assert_eq(count_files(), 2);
        cr_assert_eq(remove("new"), 0);
    }
}

Test(output_file, keeps_the_owner_and_other_names_of_the_old_file)
{
    EACH_KIND_OF_DRAFT(named)
    {
        struct stat status;
        write_file("out", text_blob("old"));
        cr_assert_eq(link("out", "other"), 0);
        if (geteuid() == 0)
            cr_assert_eq(chown("out", 1234, 4321), 0);
        cr_assert_eq(chmod("out", 04755), 0);
        expect_done(RUN("1", "scan", "-o", "out"));
        cr_assert_eq(stat("out", &status), 0);
        cr_assert_eq(status.st_mode & 07777, 04755);
        cr_assert_eq(status.st_nlink, 1);
        cr_assert_eq(status.st_uid, geteuid() == 0 ? 1234 : geteuid());
        cr_assert(geteuid() != 0 || status.st_gid == 4321);
        expect_file("other", "old");
        cr_assert_eq(remove("other"), 0);
    }
}

Test(output_file, a_link_to_another_folder_has_its_draft_there)
{
    EACH_KIND_OF_DRAFT(named)
    {
        cr_assert_eq(mkdir("folder", 0777), 0);
        cr_assert_eq(symlink("folder/out", "link"), 0);
        expect_done(RUN("1", "scan", "-o", "link"));
        expect_done(RUN("2", "scan", "-o", "link"));
        cr_assert(S_ISLNK(mode_of("link")));
        expect_file("folder/out", "2\n");
        cr_assert_eq(count_files(), 2);
        cr_assert_eq(remove("folder/out"), 0);
        cr_assert_eq(remove("folder"), 0, "a draft was left");
        cr_assert_eq(remove("link"), 0);
    }
}

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

Test(output_file, every_signal_that_ends_the_program_leaves_nothing_behind, .timeout = 240)
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
            expect_file("out", "old");
        }
    }
    close(reader);
}

Test(output_file, a_draft_without_a_name_is_gone_when_the_program_is_killed)
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
    expect_file("out", "old");
    close(reader);
}

Test(output_file, a_signal_that_is_ignored_stays_so)
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
Test(output_file, signals_leave_neither_of_two_drafts_behind, .timeout = 60)
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
        expect_file("out.gz", "old");
    }
}

Test(output_file, a_reader_that_goes_away_leaves_no_draft)
{
    write_endless_files();
    EACH_KIND_OF_DRAFT(named)
    {
        expect_shell("{ \"$0\" sort --values in --values-output - -o out in; echo $? >status; } |"
                     " head -n 1 >first");
        expect_file("first", "987\n");
        expect_file("status", "141\n"); /* 128 + SIGPIPE */
        expect_file("out", "old");
        cr_assert_eq(count_files(), 5);
    }
}
