/* What a sorter says of bad arguments and of files that fail, and that it leaves nothing behind. */
#define _GNU_SOURCE /* mount, kill */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mount.h>
#endif

#include "tests/apps/sorter/sorter_case.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define RUN ((size_t)20000)

static parscan_sorter *sorter_in(parscan_context *context, const char *const *folders,
                                 unsigned count)
{
    parscan_sorter *sorter = NULL;
    cr_assert_eq(
        parscan_sorter_create(&sorter, context,
                              &PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U64, .folders = folders,
                                                      .folder_count = count, .run_limit = RUN)),
        PARSCAN_OK, "%s", parscan_context_error(context));
    return sorter;
}

/* Pushes random keys until a call fails, at most n. */
static parscan_status push_random(parscan_sorter *sorter, size_t n)
{
    uint64_t keys[1000];
    parscan_status status = PARSCAN_OK;
    for (size_t i = 0; i < n && status == PARSCAN_OK; i += COUNT_OF(keys)) {
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            keys[k] = random_bits();
        status = parscan_sorter_push(sorter, keys, NULL, COUNT_OF(keys));
    }
    return status;
}

/* Pulls until there is nothing left or a call fails. Returns how many keys there were, in order. */
static size_t pull_in_order(parscan_sorter *sorter, parscan_status *status)
{
    static uint64_t keys[5000];
    uint64_t last = 0;
    size_t sum = 0, got;
    while ((*status = parscan_sorter_pull(sorter, keys, NULL, COUNT_OF(keys), &got)) ==
               PARSCAN_OK &&
           got > 0) {
        for (size_t k = 0; k < got; k++) {
            cr_assert_geq(keys[k], last);
            last = keys[k];
        }
        sum += got;
    }
    cr_assert(*status == PARSCAN_OK || got == 0);
    return sum;
}

/* Pushes and pulls; the sorter must fail, with these words, in every later call too. */
static void expect_failure(parscan_context *context, parscan_sorter *sorter, size_t n,
                           const char *const words[])
{
    parscan_status status = push_random(sorter, n);
    if (status == PARSCAN_OK)
        pull_in_order(sorter, &status);
    for (unsigned turn = 0; turn < 3; turn++) {
        cr_assert_eq(status, PARSCAN_ERROR_IO, "%s: %s", parscan_status_string(status),
                     parscan_context_error(context));
        for (size_t k = 0; words[k] != NULL; k++)
            cr_assert(strstr(parscan_context_error(context), words[k]),
                      "\"%s\" does not say \"%s\"", parscan_context_error(context), words[k]);
        uint64_t key = 1;
        size_t got = 1;
        status = turn == 0 ? parscan_sorter_push(sorter, &key, NULL, 1)
                           : parscan_sorter_pull(sorter, &key, NULL, 1, &got);
        cr_assert_eq(got, turn == 0);
    }
}

Test(sorter_arguments, that_are_wrong_are_named)
{
    parscan_context *const context = test_context();
    const char *const empty[] = {"/tmp", ""}, *const none[] = {NULL}, *const one[] = {"/tmp"};
    const struct {
        parscan_sorter_options options;
        const char *words;
    } cases[] = {
        {PARSCAN_SORTER_OPTIONS(.key_type = (parscan_type)0), "key_type = 0"},
        {PARSCAN_SORTER_OPTIONS(.key_type = (parscan_type)13), "key_type = 13"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .value_size = 65), "value_size = 65"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .value_size = 4, .argsort = 1),
         "value_size = 4"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .memory_limit = 16777215),
         "memory_limit = 16777215: it must be at least 16777216 (16 MiB)"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .memory_limit = 1), "memory_limit = 1:"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .folder_count = 1), "folder_count = 1"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .folders = one), "folder_count = 0"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .folder_count = 1, .folders = none),
         "folders[0] is NULL"},
        {PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8, .folder_count = 2, .folders = empty),
         "folders[1] is empty"},
    };
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        parscan_sorter *sorter = (parscan_sorter *)context;
        cr_assert_eq(parscan_sorter_create(&sorter, context, &cases[k].options),
                     PARSCAN_ERROR_INVALID_ARGUMENT);
        cr_assert_null(sorter);
        cr_assert(strstr(parscan_context_error(context), cases[k].words), "\"%s\" does not say %s",
                  parscan_context_error(context), cases[k].words);
    }
    parscan_sorter *sorter = NULL;
    cr_assert_eq(parscan_sorter_create(&sorter, context, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_sorter_create(NULL, context, &cases[0].options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_sorter_create(&sorter, NULL, &cases[0].options),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_context_destroy(context);
}

static void expect_words(parscan_context *context, parscan_status status, const char *words)
{
    cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(parscan_context_error(context), words);
}

Test(sorter_arguments, that_are_wrong_leave_the_sorter_as_it_was)
{
    parscan_context *const context = test_context();
    parscan_sorter *const sorter = sorter_in(context, NULL, 0);
    uint64_t key = 7, other = 3;
    size_t got = 9;
    cr_assert_eq(parscan_sorter_push(sorter, &key, NULL, 1), PARSCAN_OK);
    expect_words(context, parscan_sorter_push(sorter, NULL, NULL, 3), "keys is NULL, n = 3");
    cr_assert_eq(parscan_sorter_push(sorter, &key, &key, 1), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "NULL with value_size = 0"));
    cr_assert_eq(parscan_sorter_push(NULL, &key, NULL, 1), PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_words(context, parscan_sorter_pull(sorter, NULL, NULL, 4, &got), "keys is NULL, n = 4");
    cr_assert_eq(got, 0);
    expect_words(context, parscan_sorter_pull(sorter, &key, NULL, 1, NULL), "got is NULL");
    cr_assert_eq(parscan_sorter_push(sorter, &other, NULL, 1), PARSCAN_OK);
    uint64_t keys[3];
    cr_assert_eq(parscan_sorter_pull(sorter, keys, NULL, 3, &got), PARSCAN_OK);
    cr_assert(got == 2 && keys[0] == 3 && keys[1] == 7);
    expect_words(context, parscan_sorter_push(sorter, &key, NULL, 1),
                 "n = 1: no elements can be pushed after the first pull");
    cr_assert_eq(parscan_sorter_pull(sorter, keys, NULL, 3, &got), PARSCAN_OK);
    cr_assert_eq(got, 0);
    cr_assert_eq(parscan_sorter_pull(NULL, keys, NULL, 3, &got), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_sorter_counts(NULL, NULL, NULL, NULL, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_sorter_counts(sorter, NULL, NULL, NULL, NULL), PARSCAN_OK);
    parscan_sorter_destroy(sorter);
    parscan_sorter_destroy(NULL);
    parscan_context_destroy(context);
}

Test(sorter_files, in_a_folder_that_is_missing_or_vanished_fail_by_name)
{
    parscan_context *const context = test_context();
    sorter_folders folders;
    folders_create(&folders, 2);
    const char *const missing[] = {folders.names[0], "/nowhere/at/all"};
    parscan_sorter *sorter = sorter_in(context, missing, 2);
    expect_failure(context, sorter, 6 * RUN,
                   (const char *[]){"folder /nowhere/at/all:", "No such file or directory", NULL});
    parscan_sorter_destroy(sorter);

    const char *const gone[] = {folders.names[1]};
    sorter = sorter_in(context, gone, 1);
    cr_assert_eq(push_random(sorter, 2 * RUN), PARSCAN_OK);
    cr_assert_eq(rmdir(folders.names[1]), 0);
    expect_failure(context, sorter, 6 * RUN,
                   (const char *[]){folders.names[1], "No such file or directory", NULL});
    parscan_sorter_destroy(sorter);
    folders.count = 1;
    folders_remove(&folders);
    parscan_context_destroy(context);
}

/* A folder that is not used need not be there. */
Test(sorter_files, are_not_made_before_they_are_needed)
{
    parscan_context *const context = test_context();
    const char *const missing[] = {"/nowhere/at/all"};
    parscan_sorter *const sorter = sorter_in(context, missing, 1);
    parscan_status status = push_random(sorter, 2 * RUN);
    cr_assert_eq(status, PARSCAN_OK);
    cr_assert_eq(pull_in_order(sorter, &status), 2 * RUN);
    parscan_sorter_destroy(sorter);
    parscan_context_destroy(context);
}

/* A limit of the size of files stops a write as a full disk does: after a part of it. */
Test(sorter_files, that_cannot_grow_fail_by_name)
{
    parscan_context *const context = test_context();
    sorter_folders folders;
    folders_create(&folders, 1);
    struct rlimit before, limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 3 * RUN * sizeof(uint64_t) + 12345;
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    parscan_sorter *const sorter = sorter_in(context, folders.list, 1);
    expect_failure(
        context, sorter, 12 * RUN,
        (const char *[]){folders.names[0], "a run cannot be written: File too large", NULL});
    parscan_sorter_destroy(sorter);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    folders_remove(&folders);
    parscan_context_destroy(context);
}

#ifdef __linux__
Test(sorter_files, on_a_full_disk_fail_by_name)
{
    sorter_folders folders;
    folders_create(&folders, 1);
    if (mount("parscan", folders.names[0], "tmpfs", 0, "size=1m") != 0) {
        folders_remove(&folders);
        cr_skip_test("no file system can be mounted here\n");
    }
    parscan_context *const context = test_context();
    parscan_sorter *const sorter = sorter_in(context, folders.list, 1);
    expect_failure(context, sorter, 20 * RUN,
                   (const char *[]){folders.names[0], "No space left on device", NULL});
    parscan_sorter_destroy(sorter);
    const bool clean = folders_are_empty(&folders);
    cr_assert_eq(umount2(folders.names[0], MNT_DETACH), 0);
    cr_assert(clean);
    folders_remove(&folders);
    parscan_context_destroy(context);
}

/* Opens the file without a name in a folder once more, by its descriptor. */
static int open_spilled(const char *folder)
{
    char link[64], path[4096];
    for (int file = 3; file < 1024; file++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        const ssize_t length = readlink(link, path, sizeof path - 1);
        if (length > 0 && (path[length] = '\0', strstr(path, folder) == path))
            return open(link, O_RDWR);
    }
    return -1;
}

/* Runs are in the file; `harm` changes it; then they are pulled. */
static void expect_harm_is_found(void (*harm)(int file, off_t size), const char *words)
{
    parscan_context *const context = test_context();
    sorter_folders folders;
    folders_create(&folders, 1);
    parscan_sorter *const sorter = sorter_in(context, folders.list, 1);
    cr_assert_eq(push_random(sorter, 9 * RUN), PARSCAN_OK);
    const int file = open_spilled(folders.names[0]);
    cr_assert_geq(file, 0, "the sorter has no file");
    struct stat about;
    /* The runs before the last one are written, as they are waited for. */
    cr_assert(fstat(file, &about) == 0 && (size_t)about.st_size >= 6 * RUN * sizeof(uint64_t));
    harm(file, (off_t)(5 * RUN * sizeof(uint64_t)));
    close(file);
    expect_failure(context, sorter, 0, (const char *[]){folders.names[0], words, NULL});
    parscan_sorter_destroy(sorter);
    folders_remove(&folders);
    parscan_context_destroy(context);
}

static void change_a_bit(int file, off_t size)
{
    unsigned char byte;
    const off_t at = (off_t)random_below((size_t)size);
    cr_assert_eq(pread(file, &byte, 1, at), 1);
    byte ^= (unsigned char)(1u << random_below(8));
    cr_assert_eq(pwrite(file, &byte, 1, at), 1);
}

static void cut_short(int file, off_t size)
{
    cr_assert_eq(ftruncate(file, size - (off_t)random_below(100)), 0);
}

Test(sorter_files, that_changed_are_found_out)
{
    for (unsigned k = 0; k < 20; k++)
        expect_harm_is_found(change_a_bit, "not what was written");
}

Test(sorter_files, that_are_too_short_are_found_out)
{
    /* The write of the last run that is spilled may be under way, and make the file long again, with
       zeros in the gap. */
    for (unsigned k = 0; k < 5; k++)
        expect_harm_is_found(cut_short, "what was written");
}
#endif

/* Runs are parts of one file, so their number needs no descriptors. */
Test(sorter_files, need_few_descriptors)
{
    struct rlimit before, limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    const int next = dup(0);
    cr_assert_geq(next, 0);
    close(next);
    limit.rlim_cur = (rlim_t)next + 3; /* one is for looking into the folder */
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    const sorter_seen seen =
        expect_sorter((sorter_case){.options = {.key_type = PARSCAN_U32, .run_limit = 50},
                                    .pattern = KEYS_RANDOM,
                                    .n = 25000,
                                    .threads = 2});
    cr_assert_eq(seen.runs, 500);
    setrlimit(RLIMIT_NOFILE, &before);
}

Test(sorter_destroy, at_any_time_frees_everything)
{
    parscan_context *const context = test_context();
    sorter_folders folders;
    folders_create(&folders, 2);
    for (size_t runs = 0; runs < 12; runs++)
        for (unsigned pulls = 0; pulls < 3; pulls++) {
            parscan_sorter *const sorter = sorter_in(context, folders.list, 2);
            uint64_t keys[100];
            size_t got;
            cr_assert_eq(push_random(sorter, runs * RUN / 2 + 1), PARSCAN_OK);
            for (unsigned k = 0; k < pulls; k++)
                cr_assert_eq(parscan_sorter_pull(sorter, keys, NULL, COUNT_OF(keys), &got),
                             PARSCAN_OK);
            parscan_sorter_destroy(sorter);
        }
    folders_remove(&folders);
    parscan_context_destroy(context);
}

/* A child that sorts until it is killed. */
static void sort_for_ever(const sorter_folders *folders, int started)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (;;) {
        parscan_sorter *const sorter = sorter_in(context, folders->list, folders->count);
        parscan_status status = push_random(sorter, 5 * RUN);
        if (write(started, "", 1) != 1)
            _exit(1);
        status = status == PARSCAN_OK ? push_random(sorter, 5 * RUN) : status;
        if (status != PARSCAN_OK || pull_in_order(sorter, &status) != 10 * RUN)
            _exit(1);
        parscan_sorter_destroy(sorter);
    }
}

Test(sorter_killed, at_any_time_leaves_nothing_in_its_folders)
{
    sorter_folders folders;
    folders_create(&folders, 2);
    for (unsigned k = 0; k < 8; k++) {
        int pipes[2], status;
        char byte;
        cr_assert_eq(pipe(pipes), 0);
        const pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0)
            sort_for_ever(&folders, pipes[1]);
        close(pipes[1]);
        cr_assert_eq(read(pipes[0], &byte, 1), 1, "the child failed");
        usleep((useconds_t)random_below(20000));
        kill(child, SIGKILL);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the child failed");
        close(pipes[0]);
    }
    folders_remove(&folders);
}
