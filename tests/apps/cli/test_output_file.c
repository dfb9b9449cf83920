/* Output files: whole or not at all, in the place and with the permissions that they had. */
#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

TestSuite(output_file, .init = enter_folder, .fini = leave_folder);

static mode_t mode_of(const char *name)
{
    struct stat status;
    cr_assert_eq(lstat(name, &status), 0);
    return status.st_mode;
}

Test(output_file, is_written_by_either_name_of_the_option)
{
    expect_output(RUN("1 2", "scan", "-o", "a"), "");
    expect_output(RUN("1 2", "scan", "--output=b"), "");
    expect_content("a", "1\n3\n");
    expect_content("b", "1\n3\n");
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
    expect_content("b.txt", "1\n4\n");
    expect_done(RUN("", "scan", "a.npy", "-o", "c"));
    cr_assert_eq(memcmp(read_file("c").bytes, "\x93NUMPY", 6), 0);
    expect_done(RUN("1 2", "scan", "-o", "d.npy", "--output-format", "npy"));
    cr_assert(same_bytes(read_file("a.npy"), read_file("d.npy")));
}

/* What the name promises is written, or nothing. */
Test(output_file, the_name_is_that_of_what_is_written)
{
    const char *const foreign[] = {"x.zst", "x.csv.xz", "x.bz2", "x.lz4",     "x.zip",
                                   "x.npz", "x.tar.XZ", "x.h5",  "x.parquet", "x.npy.xz"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        char words[64];
        snprintf(words, sizeof words, "--output: '%s': no .", foreign[i]);
        expect_usage(RUN("2 1", "sort", "-o", foreign[i]), words);
        expect_usage(RUN("2 1", "pack", "-o", foreign[i]), words);
    }
    expect_usage(RUN("2 1", "sort", "-o", "x.npy.gz", "--output-format=raw"),
                 "--output: 'x.npy.gz' is the name of an npy file, and --output-format is raw");
    expect_usage(RUN("2 1", "sort", "-o", "x.txt", "--output-format=npy"),
                 "--output: 'x.txt' is the name of a text file, and --output-format is npy");
    expect_usage(RUN("2 1", "sort", "-o", "x.GZ"), "--output: 'x.GZ': .gz and .bgz compress in");
    expect_usage(RUN("2 1", "sort", "--values=v", "--values-output=x.xz", "-o", "y"),
                 "--values-output: 'x.xz': no .xz files are written");
    expect_usage(RUN("2 1", "bin", "--offsets-output=x.xz", "-o", "y"),
                 "--offsets-output: 'x.xz': no .xz files are written");
    expect_usage(RUN("", "pack", "-d", "-o", "q.gz"),
                 "--output: 'q.gz': this output is not compressed: a name without .gz");
    write_file("in.gz", gzip_blob(text_blob("PAR1")));
    expect_done(RUN("", "pack", "-d", "in.gz", "-o", "q.parquet"));
    expect_content("q.parquet", "PAR1");
    cr_assert_eq(count_files(), 2);
}

Test(output_file, an_empty_name_is_shown)
{
    expect_usage(RUN("", "sort", ""), "FILE 1 is an empty word");
    expect_usage(RUN("", "sort", "a", ""), "FILE 2 is an empty word");
    expect_usage(RUN("", "sort", "-o", ""), "--output: an empty word is no name of a file");
    expect_usage(RUN("", "search", "--in="), "--in: an empty word is no name of a file");
    expect_usage(RUN("", "trace", "--html="), "--html: an empty word is no name of a file");
    expect_usage(RUN("", "compact", "--flags", ""), "--flags: an empty word");
}

Test(output_file, may_be_the_input)
{
    write_file("numbers", text_blob("1 2 3\n"));
    expect_done(RUN("", "scan", "numbers", "-o", "numbers"));
    expect_content("numbers", "1\n3\n6\n");
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
    expect_content("folder/out", "1\n");
    expect_content("folder/new", "2\n");
}

Test(output_file, an_old_file_is_untouched_by_a_failed_run)
{
    write_file("out", text_blob("old"));
    expect_failure(RUN("1 x", "scan", "-o", "out"), "'x'");
    expect_usage(RUN("1", "scan", "-o", "out", "--type", "f32", "--op", "and"), "--op and");
    expect_usage(RUN("1", "scan", "-o", "out", "--init", "x"), "--init");
    expect_content("out", "old");
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
        expect_content("out", "header\n1\n3\ntrailer\n");
        snprintf(line, sizeof line, "\"$0\" scan -o %s in >>out", names[i]);
        expect_shell(line);
        expect_content("out", "header\n1\n3\ntrailer\n1\n3\n");
    }
    expect_shell("exec 5>other; echo header >&5; \"$0\" scan -o /dev/fd/5 in; echo trailer >&5");
    expect_content("other", "header\n1\n3\ntrailer\n");
    expect_shell("echo log >other; exec 5>>other; \"$0\" scan -o /proc/$$/fd/5 in");
    expect_content("other", "log\n1\n3\n");
    cr_assert_eq(count_files(), 5);
}

Test(output_file, beyond_the_limit_of_file_sizes_nothing_is_left)
{
    if (UNDER_THREAD_SANITIZER)
        cr_skip_test("ThreadSanitizer's own memory is a file, and meets the limit\n");
    write_file("out", text_blob("old"));
    expect_shell("seq 100000 >in; ulimit -f 64; \"$0\" scan in -o out 2>/dev/null; test $? = 1");
    expect_content("out", "old");
    cr_assert_eq(count_files(), 2);
}

Test(output_file, the_draft_of_another_is_not_touched)
{
    write_file("in", text_blob("1 2"));
    EACH_KIND_OF_DRAFT(named)
    {
        remove("out");
        expect_shell("echo theirs >.parscan-$(uname -n)-$$-0.tmp; exec \"$0\" scan in -o out");
        expect_shell("echo theirs >.parscan-$(uname -n)-$$-0.tmp; exec \"$0\" scan in -o out");
        expect_content("out", "1\n3\n");
        /* A draft that has a name from the start removes those whose processes have ended. */
        cr_assert_eq(count_files(), named ? 3 : 4);
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
        expect_content("out", "1\n3\n");
        expect_content("new", "3\n7\n");
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
        expect_content("other", "old");
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
        expect_content("folder/out", "2\n");
        cr_assert_eq(count_files(), 2);
        cr_assert_eq(remove("folder/out"), 0);
        cr_assert_eq(remove("folder"), 0, "a draft was left");
        cr_assert_eq(remove("link"), 0);
    }
}
