/* Subcommands that work in pieces, between two pipes: the first results come while input is still
   coming. test_pieces.c has all results. */
#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

TestSuite(open_pipes, .init = enter_folder, .fini = leave_folder);

/* The program between two pipes that the test holds. */
typedef struct held_program {
    pid_t child;
    int to, from;
} held_program;

static held_program hold(const char *const *arguments)
{
    int in[2], out[2];
    cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        char *list[16] = {(char *)(uintptr_t) "parscan"};
        for (int i = 0; arguments[i] != NULL && i < 14; i++)
            list[i + 1] = (char *)(uintptr_t)arguments[i];
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execv(program_path(), list);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    return (held_program){child, in[1], out[0]};
}

static void give(const held_program *program, const void *bytes, size_t size)
{
    cr_assert_eq(write(program->to, bytes, size), (ssize_t)size);
}

/* Waits until the program has written these words. */
static void expect_words(const held_program *program, const char *words)
{
    char bytes[64] = "";
    for (size_t got = 0; got < strlen(words);) {
        const ssize_t count = read(program->from, bytes + got, strlen(words) - got);
        cr_assert(count > 0, "no more after '%s'", bytes);
        got += (size_t)count;
    }
    cr_assert_str_eq(bytes, words);
}

static void end(const held_program *program)
{
    int status;
    char byte;
    close(program->to);
    cr_assert_eq(read(program->from, &byte, 1), 0);
    close(program->from);
    cr_assert_eq(waitpid(program->child, &status, 0), program->child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

Test(open_pipes, of_text_give_results, .timeout = 60)
{
    const held_program scan = hold(ARGUMENTS("scan"));
    give(&scan, "1 2 3\n", 6);
    expect_words(&scan, "1\n3\n6\n");
    give(&scan, "4\n5", 3);
    expect_words(&scan, "10\n");
    give(&scan, "6 ", 2);
    expect_words(&scan, "66\n");
    end(&scan);
    const held_program compact = hold(ARGUMENTS("compact", "--where", ">2", "--indices"));
    give(&compact, "1\n2\n3\n", 6);
    expect_words(&compact, "2\n");
    give(&compact, "9", 1);
    close(compact.to);
    expect_words(&compact, "3\n");
    end(&compact);
    const held_program allocate = hold(ARGUMENTS("allocate"));
    give(&allocate, "7 8\n", 4);
    expect_words(&allocate, "0\n7\n");
    end(&allocate);
}

Test(open_pipes, of_raw_npy_and_gzip_give_results, .timeout = 60)
{
    const uint32_t elements[] = {1, 2, 3, 4};
    const held_program raw =
        hold(ARGUMENTS("scan", "--format", "raw", "--type", "u32", "--output-format", "text"));
    give(&raw, elements, 8);
    expect_words(&raw, "1\n3\n");
    end(&raw);
    const blob npy = npy_blob(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (4,), }",
                              elements, sizeof elements);
    const held_program of_npy = hold(ARGUMENTS("scan", "--output-format", "text"));
    give(&of_npy, npy.bytes, npy.size - 4);
    expect_words(&of_npy, "1\n3\n6\n");
    give(&of_npy, elements + 3, 4);
    expect_words(&of_npy, "10\n");
    end(&of_npy);
    /* Two members of gzip data; two files of blocks. */
    const blob firsts[] = {gzip_blob(text_blob("1 2 ")), RUN("1 2 ", "pack", "--blocks").out},
               seconds[] = {gzip_blob(text_blob("3")), RUN("3", "pack", "--blocks").out};
    for (int k = 0; k < 2; k++) {
        const held_program gzip = hold(ARGUMENTS("scan", "--threads=3"));
        give(&gzip, firsts[k].bytes, firsts[k].size);
        expect_words(&gzip, "1\n3\n");
        give(&gzip, seconds[k].bytes, 9);
        give(&gzip, seconds[k].bytes + 9, seconds[k].size - 9);
        close(gzip.to);
        expect_words(&gzip, "6\n");
        end(&gzip);
    }
}

Test(open_pipes, beside_a_second_file_give_results, .timeout = 60)
{
    write_file("flags", text_blob("1 0 1 0"));
    const held_program scan = hold(ARGUMENTS("segscan", "--flags", "flags"));
    give(&scan, "1\n2\n3\n", 6);
    expect_words(&scan, "1\n3\n3\n");
    give(&scan, "4\n", 2);
    expect_words(&scan, "7\n");
    end(&scan);
    write_file("offsets", text_blob("0 2 4"));
    const held_program by_offsets = hold(ARGUMENTS("segscan", "--offsets", "offsets"));
    give(&by_offsets, "1\n2\n3\n", 6);
    expect_words(&by_offsets, "1\n3\n3\n");
    give(&by_offsets, "4\n", 2);
    expect_words(&by_offsets, "7\n");
    end(&by_offsets);
}

Test(open_pipes, do_not_keep_a_failed_program_running, .timeout = 60)
{
    const char *const *const lines[] = {ARGUMENTS("scan", "-o", "/dev/full"),
                                        ARGUMENTS("allocate", "--type", "i32", "-o", "out")};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int status;
        const held_program program = hold(lines[i]);
        give(&program, "1 -2 3\n", 7);
        cr_assert_eq(waitpid(program.child, &status, 0), program.child);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d", status);
        close(program.to);
        close(program.from);
    }
    cr_assert_eq(count_files(), 0);
}
