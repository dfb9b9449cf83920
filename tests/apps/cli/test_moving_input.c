/* Input files that are the output, or that another program changes while they are read. */
#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

TestSuite(changing_input, .init = enter_folder, .fini = leave_folder, .timeout = 120);

/* Without the check these would go on until the limit of the file's size. */
static void expect_refused(const char *line)
{
    char limited[256];
    snprintf(limited, sizeof limited, "ulimit -f 200; %s 2>err; test $? = 1", line);
    write_file("in", text_blob("1\n2\n3\n"));
    write_file("b", text_blob("1\n0\n1\n"));
    expect_shell(limited);
    const blob words = read_file("err");
    cr_assert_not_null(strstr(words.bytes, ": the output is the input file, so "), "%s: %s", line,
                       words.bytes);
    cr_assert_eq(strchr(words.bytes, '\n'), words.bytes + words.size - 1, "%s", words.bytes);
    expect_content("in", "1\n2\n3\n");
    expect_content("b", "1\n0\n1\n");
}

Test(changing_input, that_the_output_is_appended_to_is_refused)
{
    static const char *const lines[] = {"\"$0\" scan in >>in",
                                        "\"$0\" scan <in >>in",
                                        "\"$0\" scan - <in >>in",
                                        "\"$0\" scan in -o - >>in",
                                        "\"$0\" scan in -o /dev/stdout >>in",
                                        "\"$0\" scan /dev/stdin <in -o /dev/fd/5 5>>in",
                                        "ln in other; \"$0\" scan in >>other",
                                        "ln -s in link; \"$0\" scan link >>in",
                                        "\"$0\" scan in 1<>in",
                                        "(read line; \"$0\" scan) <in 1<>in",
                                        "\"$0\" scan --format raw --type u8 in >>in",
                                        "\"$0\" compact in >>in",
                                        "\"$0\" compact --indices in >>in",
                                        "\"$0\" allocate in >>in",
                                        "\"$0\" pack in >>in",
                                        "\"$0\" compact in --flags b >>b",
                                        "\"$0\" segscan in --flags b >>in",
                                        "\"$0\" segscan in --flags - <b >>b",
                                        "\"$0\" segscan in --keys b >>b",
                                        "printf '0 3\\n' >c; \"$0\" segscan in --offsets c >>c"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        expect_refused(lines[i]);
        remove("other");
        remove("link");
    }
}

Test(changing_input, that_is_read_before_anything_is_written_may_get_the_output)
{
    static const char *const lines[][2] = {
        {"\"$0\" sort in >>in", "2\n1\n1\n2\n"},
        {"\"$0\" sort -S16M in >>in", "2\n1\n1\n2\n"},
        {"\"$0\" sort in --values b --values-output - -o /dev/null >>b; cat b >in", "8\n9\n9\n8\n"},
        {"\"$0\" scan --reverse in >>in", "2\n1\n3\n1\n"},
        {"\"$0\" scan --reverse --format raw --type u8 --op max in >>in", "2\n1\n211\n"},
        {"\"$0\" histogram --bins 2 in >>in", "2\n1\n0\n1\n"},
        {"\"$0\" compact --count in >>in", "2\n1\n2\n"},
        {"\"$0\" scan in -o in", "2\n3\n"},
        {"\"$0\" scan in -o ./in >>in", "2\n3\n"},
        {"\"$0\" compact in --flags in -o in", "2\n1\n"},
        {": >in; \"$0\" scan in >>in", ""},
        {"\"$0\" scan /dev/null >/dev/null", "2\n1\n"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        write_file("in", text_blob("2\n1\n"));
        write_file("b", text_blob("8\n9\n"));
        expect_shell(lines[i][0]);
        expect_content("in", lines[i][1]);
    }
}

/* segscan of the file `in`, which has been opened, beside flags that have not come yet. */
typedef struct waiting_program {
    pid_t child;
    int flags;
} waiting_program;

static waiting_program begin(const char *line)
{
    cr_assert(mkfifo("flags", 0600) == 0);
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", line, program_path(), (char *)NULL);
        _exit(127);
    }
    /* The program opens its input first, then the flags; then this returns. */
    const int flags = open("flags", O_WRONLY | O_CLOEXEC);
    cr_assert(flags >= 0);
    return (waiting_program){child, flags};
}

static int end(waiting_program program, blob flags)
{
    int status;
    signal(SIGPIPE, SIG_IGN);
    for (size_t done = 0; done < flags.size;) {
        const ssize_t count = write(program.flags, flags.bytes + done, flags.size - done);
        if (count < 0)
            break;
        done += (size_t)count;
    }
    close(program.flags);
    signal(SIGPIPE, SIG_DFL);
    cr_assert_eq(waitpid(program.child, &status, 0), program.child);
    remove("flags");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_cut_is_told(const char *line, blob in, off_t left, blob flags)
{
    write_file("in", in);
    const waiting_program program = begin(line);
    cr_assert_eq(truncate("in", left), 0);
    cr_assert_eq(end(program, flags), 1, "%s", line);
    const blob words = read_file("err");
    cr_assert_not_null(strstr(words.bytes, "parscan: in: the file has become shorter: "), "%s: %s",
                       line, words.bytes);
    cr_assert_eq(count_files(), 2, "%s left a file", line);
}

Test(changing_input, that_is_cut_while_it_is_read_is_a_failure)
{
    enum { SIZE = 3000000 };
    static const char raw[] =
        "exec \"$0\" segscan --format raw --type u8 --flags flags in -o out 2>err";
    static const char text[] = "exec \"$0\" compact --flags flags in -o out 2>err";
    static const char sort[] =
        "exec \"$0\" sort --format raw --type u8 --values-type u8 --values flags "
        "--values-output w in -o out 2>err";
    static const char reverse[] =
        "exec \"$0\" segscan --reverse --format raw --type u8 --flags flags in -o out 2>err";
    blob bytes = new_blob(SIZE), lines = new_blob(SIZE);
    unsigned state = 1;
    for (size_t i = 0; i < SIZE; i++) {
        state = state * 1664525u + 1013904223u;
        bytes.bytes[i] = (char)(state >> 24);
        lines.bytes[i] = i % 2 == 0 ? '7' : '\n';
    }
    const blob zeros = {new_blob(SIZE).bytes, 2000000};
    expect_cut_is_told(raw, bytes, 2000000, zeros);
    expect_cut_is_told(raw, bytes, 0, zeros);
    expect_cut_is_told(reverse, bytes, 2000000, zeros);
    expect_cut_is_told(sort, bytes, 2000000, zeros);
    expect_cut_is_told(text, lines, 2000000, (blob){lines.bytes, 2000000});
    expect_cut_is_told(text, gzip_blob(bytes), 2000000, (blob){lines.bytes, 2000000});
    const blob npy = npy_blob(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3000000,), }",
                              bytes.bytes, SIZE);
    expect_cut_is_told(text, npy, 2000000, (blob){lines.bytes, 2000000});
}

Test(changing_input, that_grows_is_read_to_its_new_end)
{
    static const char line[] =
        "exec \"$0\" segscan --format raw --type u8 --flags flags in -o out 2>err";
    static const char npy_line[] = "exec \"$0\" segscan --format raw --type u8 --output-format npy "
                                   "--flags flags in -o out 2>err";
    const blob zeros = new_blob(20);
    write_file("in", text_blob("\1\1\1\1\1\1\1\1\1\1"));
    const waiting_program program = begin(line);
    write_file("in", text_blob("\1\1\1\1\1\1\1\1\1\1\1\1"));
    cr_assert_eq(end(program, (blob){zeros.bytes, 12}), 0);
    expect_content("out", "\1\2\3\4\5\6\7\10\11\12\13\14");
    /* An npy file starts with the number of elements. */
    remove("out");
    write_file("in", text_blob("\1\1\1\1\1\1\1\1\1\1"));
    const waiting_program again = begin(npy_line);
    write_file("in", text_blob("\1\1\1\1\1\1\1\1\1\1\1\1"));
    cr_assert_eq(end(again, (blob){zeros.bytes, 12}), 1);
    cr_assert_not_null(strstr(read_file("err").bytes, "the input has changed"));
    cr_assert_eq(count_files(), 2);
}
