/* parscan sort of more than --memory holds: its results, its memory, and what it leaves when it
   fails or is killed. */
#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/support/random.h"

/* Keys of 4 bytes make 10 MiB: more than a run of --memory 16M. */
enum { ELEMENTS = 5 << 19 };

static blob random_keys(void)
{
    const blob keys = new_blob(ELEMENTS * sizeof(uint32_t));
    for (size_t i = 0; i < ELEMENTS; i++) {
        const uint32_t key = (uint32_t)random_bits() >> 10; /* some are equal */
        memcpy(keys.bytes + i * sizeof key, &key, sizeof key);
    }
    return keys;
}

static void enter_with_keys(void)
{
    enter_folder();
    cr_assert_eq(mkdir("tmp", 0777), 0);
    write_file("keys", random_keys());
}

TestSuite(sort_memory, .init = enter_with_keys, .fini = leave_folder, .timeout = 240);

static bool is_file(const char *name, const char *content)
{
    const blob found = read_file(name);
    return found.size == strlen(content) && memcmp(found.bytes, content, found.size) == 0;
}

/* A sort in memory, one of the file with runs in files, and one of a pipe. */
static void expect_same(const char *options, const char *input)
{
    char line[1024];
    snprintf(line, sizeof line,
             "\"$0\" sort %s -S 4G %s -o expected --stats 2>words &&"
             "grep -q 'runs 1, levels 0, 0 bytes' words &&"
             "\"$0\" sort %s -S 16M -T tmp %s -o out --stats 2>words &&"
             "grep -q 'runs [1-9][0-9]*, levels 1, [1-9][0-9]* bytes spilled' words &&"
             "cmp out expected &&"
             "cat %s | \"$0\" sort %s -S 16M -T tmp --threads 3 | cmp - expected && rmdir tmp && "
             "mkdir tmp",
             options, input, options, input, input, options);
    expect_shell(line);
}

#define RAW "--format raw --type u32 "

Test(sort_memory, gives_the_results_of_the_sort_in_memory)
{
    expect_same(RAW, "keys");
    expect_same("--format raw --type f64 --argsort", "keys");
    if (UNDER_THREAD_SANITIZER) /* no other threads than these */
        return;
    expect_same(RAW "--argsort --descending", "keys");
    expect_same("--format raw --type u8", "keys");
    if (UNDER_SANITIZER)
        return;
    expect_same("--format raw --type i16", "keys");
    expect_same("--format raw --type f32 --descending", "keys");
}

/* test_pieces.c has the threads of every format. */
Test(sort_memory, takes_every_format, .disabled = UNDER_THREAD_SANITIZER)
{
    expect_shell("\"$0\" compact " RAW "--where '>=0' keys -o keys.npy");
    expect_same("", "keys.npy");
    expect_shell("\"$0\" compact keys.npy --where '>=0' -o keys.txt");
    expect_same("--type f32", "keys.txt");
    /* Compressed, the length is not known. */
    expect_shell("\"$0\" sort -S 4G " RAW "keys -o expected && gzip -1 -c keys >keys.gz && "
                 "\"$0\" sort -S 16M -T tmp " RAW "keys.gz -o out && cmp out expected");
    /* That of the output is known before the merge starts. */
    expect_shell("cat keys.txt | \"$0\" sort --type u32 -S 16M -T tmp --output-format npy | "
                 "\"$0\" compact --where '>=0' --output-format raw >out");
    expect_shell("\"$0\" compact --where '>=0' expected " RAW "-o all && cmp out all");
}

Test(sort_memory, moves_values_with_the_elements)
{
    expect_shell("\"$0\" sort " RAW "--argsort keys -o order &&"
                 "\"$0\" sort " RAW "keys -o expected");
    /* The values are the indices: a scan of ones. */
    const blob ones = new_blob(ELEMENTS);
    memset(ones.bytes, 1, ones.size);
    write_file("ones", ones);
    expect_shell("\"$0\" scan --exclusive --format raw --type u8 --out-type u64 ones -o index &&"
                 "\"$0\" sort " RAW "--values index --values-type u64 -S 16M -T tmp "
                 "--values-output values keys -o out && cmp out expected && cmp values order");
    expect_shell("cat keys | \"$0\" sort " RAW "--values index --values-type u64 -S 16M -T tmp "
                 "--values-output - -o out | cmp - order && cmp out expected");
}

Test(sort_memory, of_a_pipe_that_fits_is_not_written_to_files)
{
    expect_shell("head -c 6000000 keys | TMPDIR=/nowhere \"$0\" sort " RAW "-S 16M --stats -o out "
                 "2>words && grep -q '^runs [12], levels [01], 0 bytes' words &&"
                 "head -c 6000000 keys >few && \"$0\" sort " RAW "few | cmp - out");
    expect_shell("test \"$(echo 3 1 2 | TMPDIR=/nowhere \"$0\" sort | paste -sd ' ')\" = '1 2 3' &&"
                 "test -z \"$(cat /dev/null | \"$0\" sort)\"");
}

Test(sort_memory, has_sizes_in_bytes_in_units_and_in_percent)
{
    const char *const sizes[] = {"16M", "16m", "16384K",       "16384k", "16777216",
                                 "1G",  "1T",  "99999999999T", "100%"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        expect_output(RUN("2 1", "sort", "--memory", sizes[i]), "1\n2\n");
    const char *const wrong[] = {"",     "x",    "M",   "1X",   "16MB", "-1",
                                 "1.5G", "101%", "5 %", "16M ", "%",    "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_usage(RUN("2 1", "sort", "-S", wrong[i]), "' is not a size: a number of bytes");
    expect_usage(RUN("2 1", "sort", "-S", "15M"), "parscan: --memory: '15M' is less than 16M (see");
    expect_usage(RUN("2 1", "sort", "-S", "16777215"), "'16777215' is less than 16M");
    expect_usage(RUN("2 1", "sort", "-S", "0%"), "'0%' of the memory is 0 bytes, less than 16M");
    expect_usage(RUN("2 1", "sort", "-S", "16M", "--begin-bit", "3"),
                 "--begin-bit and --memory exclude each other");
    expect_usage(RUN("2 1", "sort", "-T", ".", "--end-bit", "3"),
                 "--end-bit and --temporary exclude each other");
    expect_usage(RUN("2 1", "sort", "-T", ""), "--temporary: the name of a folder is empty");
}

/* A sort into "out", which is there before, fails with these words. The old file stays, and there is
   nothing new. `before` stands before the program on the line. */
static void expect_failed_sort(const char *before, const char *options, const char *words)
{
    char line[1024];
    const int files = count_files();
    snprintf(line, sizeof line,
             "echo old >out; cp keys input; %s \"$0\" sort " RAW "-S 16M %s -o out keys 2>words;"
             "test $? = 1 && cmp keys input && rm input",
             before, options);
    expect_shell(line);
    const blob found = read_file("words");
    cr_assert(strncmp(found.bytes, "parscan: ", 9) == 0 &&
                  strchr(found.bytes, '\n') == found.bytes + found.size - 1,
              "not one line: %s", found.bytes);
    cr_assert_not_null(strstr(found.bytes, words), "'%s' is not in: %s", words, found.bytes);
    cr_assert(is_file("out", "old\n"), "the old output is gone");
    cr_assert(remove("out") == 0 && remove("words") == 0);
    cr_assert_eq(count_files(), files, "a file was left");
    cr_assert(rmdir("tmp") == 0 && mkdir("tmp", 0777) == 0, "something is left in tmp");
}

Test(sort_memory, folders_that_take_no_files_fail_by_name)
{
    expect_failed_sort("", "-T /nowhere",
                       "parscan: --temporary: folder /nowhere: No such file or directory");
    expect_failed_sort("", "-T keys", "parscan: --temporary: folder keys: Not a directory");
    expect_failed_sort("TMPDIR=/nowhere", "", "parscan: folder /nowhere: ");
    expect_failed_sort("", "-T /proc", "parscan: folder /proc: a file cannot be created: ");
    if (geteuid() != 0) {
        cr_assert_eq(mkdir("closed", 0555), 0);
        expect_failed_sort("", "-T closed", "folder closed: Permission");
    }
    /* A limit stops a write as a full disk does. ThreadSanitizer's own memory is a file, and meets it. */
    if (!UNDER_THREAD_SANITIZER)
        expect_failed_sort("ulimit -f 12000;", "-T tmp",
                           "parscan: folder tmp: a run cannot be written: File too large");
    expect_failed_sort("", "-T tmp --values keys --values-type u32 --values-output /dev/full",
                       "parscan: /dev/full: No space left on device");
    expect_failed_sort("", "-T tmp --values keys --values-type u8 --values-output /dev/null",
                       "parscan: keys: 10485760 values for the 2621440 elements of keys");
}

Test(sort_memory, a_folder_that_vanishes_fails_by_name)
{
    expect_shell("echo old >out; mkfifo pipe; \"$0\" sort " RAW
                 "-S 16M -T tmp pipe -o out 2>words &"
                 "exec 3>pipe; head -c 1000000 keys >&3; rmdir tmp; cat keys >&3 2>/dev/null;"
                 "exec 3>&-; wait $!; test $? = 1");
    cr_assert_not_null(strstr(read_file("words").bytes,
                              "parscan: folder tmp: a file cannot be created: "
                              "No such file or directory"));
    cr_assert(is_file("out", "old\n"));
}

Test(sort_memory, full_disks_fail_by_name)
{
    if (mount("parscan", "tmp", "tmpfs", 0, "size=4m") != 0)
        cr_skip_test("no file system can be mounted here\n");
    const int of_runs = run_shell("\"$0\" sort " RAW "-S 16M -T tmp keys -o out 2>words");
    const int of_output =
        run_shell("echo old >tmp/out; \"$0\" sort " RAW "-S 16M -T . keys -o tmp/out "
                  "2>more; test $? = 1 && ls -A tmp >list && cat tmp/out >>list");
    cr_assert_eq(umount2("tmp", MNT_DETACH), 0);
    cr_assert_eq(of_runs, 1);
    cr_assert(is_file("words",
                      "parscan: folder tmp: a run cannot be written: No space left on device\n"));
    cr_assert_eq(of_output, 0);
    cr_assert(is_file("more", "parscan: tmp/out: No space left on device\n"));
    cr_assert(is_file("list", "out\nold\n"), "%s", read_file("list").bytes);
}

static pid_t start_sort(void)
{
    static const char *const list[] = {"parscan", "sort", "keys", "--format", "raw",
                                       "--type",  "u32",  "-S",   "16M",      "-T",
                                       "tmp",     "-o",   "out",  NULL};
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child > 0)
        return child;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    execv(program_path(), (char **)(uintptr_t)list);
    _exit(127);
}

/* Ends a sort after so many microseconds. Returns whether it had ended by itself. */
static bool end_sort(int number, useconds_t after)
{
    int status;
    const pid_t child = start_sort();
    usleep(after);
    cr_assert_eq(kill(child, number), 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) ? WTERMSIG(status) == number : WEXITSTATUS(status) == 0,
              "status %d", status);
    return !WIFSIGNALED(status);
}

Test(sort_memory, killed_at_any_moment_leaves_nothing)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGKILL};
    const bool unnamed = has_unnamed_files();
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test(
            "ThreadSanitizer itself fails at a signal in a thread that is about to begin\n");
    expect_shell("\"$0\" sort " RAW "keys -o expected");
    const blob expected = read_file("expected");
    write_file("out", text_blob("old"));
    for (unsigned i = 0; i < 36; i++) {
        const int number = numbers[i % 3];
        /* A named draft cannot be removed after SIGKILL; one that replaces a file has a name for a moment. */
        if (number == SIGKILL && !unnamed)
            continue;
        const bool kills = number == SIGKILL, named = !kills && i % 2 == 0;
        cr_assert_eq(
            named ? setenv("PARSCAN_NAMED_DRAFTS", "1", 1) : unsetenv("PARSCAN_NAMED_DRAFTS"), 0);
        cr_assert(!kills || remove("out") == 0);
        const bool ended = end_sort(number, (useconds_t)random_below(120000));
        const bool old = kills ? access("out", F_OK) != 0 : is_file("out", "old");
        cr_assert((old && !ended) || same_bytes(read_file("out"), expected), "signal %d", number);
        write_file("out", text_blob("old"));
        cr_assert_eq(count_files(), 4, "signal %d left a file", number);
        cr_assert(rmdir("tmp") == 0 && mkdir("tmp", 0777) == 0, "signal %d", number);
    }
    unsetenv("PARSCAN_NAMED_DRAFTS");
}

/* What the manual states, in KiB: beside SIZE, and for each thread that writes text. */
enum { OWN_MEMORY = 24 * 1024, THREAD_MEMORY = 512 };

Test(sort_memory, is_the_limit_and_a_constant_at_most)
{
    if (UNDER_SANITIZER)
        cr_skip_test("a sanitizer has memory of its own\n");
    expect_shell("cat keys keys keys keys keys >big && \"$0\" compact " RAW
                 "--where '>=0' keys -o keys.txt");
#define CPU_SORT "sort", "--backend", "cpu"
    const struct {
        const char *arguments[16];
        long limit;
    } runs[] = {
        {{CPU_SORT, "-S", "16M", "big", "--threads", "1", "--type", "u32", "--format", "raw"}, 16},
        {{CPU_SORT, "-S", "16M", "big", "--threads", "64", "--type", "f64", "--format", "raw"}, 16},
        {{CPU_SORT, "-S", "24M", "big", "--threads", "4", "--type", "u64", "--format", "raw",
          "--argsort"},
         24},
        {{CPU_SORT, "-S", "24M", "keys.txt", "--threads", "4", "--type", "u64", "-T", "."}, 24},
        {{CPU_SORT, "-S", "16M", "keys.txt", "--threads", "4", "-k1", "-T", "."}, 16},
        /* In memory. */
        {{CPU_SORT, "-S", "48M", "keys", "--threads", "4", "--type", "u32", "--format", "raw"}, 48},
    };
#undef CPU_SORT
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const long most = most_memory(runs[i].arguments);
        cr_assert_leq(most, runs[i].limit * 1024 + OWN_MEMORY + 4 * THREAD_MEMORY,
                      "run %zu: %ld KiB", i, most);
    }
}

/* The folder of a new cgroup below that of this process, with a limit; false if none can be made. */
static bool make_group(char folder[512], long mebibytes)
{
    char line[256], limit[640];
    bool made = false;
    FILE *const groups = fopen("/proc/self/cgroup", "r");
    while (!made && groups != NULL && fgets(line, sizeof line, groups) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *const first = strstr(line, ":memory:"), *const second = strstr(line, "0::");
        if (first == NULL && second != line)
            continue;
        snprintf(folder, 512, "/sys/fs/cgroup%s%s/parscan-test-%ld", first != NULL ? "/memory" : "",
                 first != NULL ? first + 8 : line + 3, (long)getpid());
        snprintf(limit, sizeof limit, "%s/memory.%s", folder,
                 first != NULL ? "limit_in_bytes" : "max");
        if (mkdir(folder, 0755) != 0)
            continue;
        FILE *const file = fopen(limit, "r+");
        made = file != NULL && fprintf(file, "%ld\n", mebibytes << 20) > 0;
        made = file != NULL && fclose(file) == 0 && made;
        if (!made)
            rmdir(folder);
    }
    if (groups != NULL)
        fclose(groups);
    return made;
}

/* A process that has more memory than its cgroup may have is killed. Pages of files count too, but can
   be written out. */
Test(sort_memory, is_the_limit_and_a_constant_as_a_cgroup_counts_it)
{
    char group[512], line[1024];
    struct statfs system;
    if (UNDER_SANITIZER)
        cr_skip_test("a sanitizer has memory of its own\n");
    cr_assert_eq(statfs(".", &system), 0);
    if (system.f_type == 0x01021994)
        cr_skip_test("the files of this folder are in memory\n");
    if (!make_group(group, 16 + OWN_MEMORY / 1024))
        cr_skip_test("no cgroup can be made here\n");
    snprintf(line, sizeof line,
             "cat keys keys keys >big; \"$0\" sort " RAW "big -o expected;"
             "sh -c 'echo 0 >%s/cgroup.procs && exec \"$0\" sort " RAW "-S 16M -T tmp big -o out' "
             "\"$0\"",
             group);
    const int status = run_shell(line);
    rmdir(group);
    cr_assert_eq(status, 0, "status %d: %s", status, line);
    cr_assert(same_bytes(read_file("out"), read_file("expected")));
}
