/* gzip data in and out. */
#include "tests/apps/cli/run_program.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(gzip, .init = enter_folder, .fini = leave_folder);

Test(gzip, is_known_by_its_magic_bytes_from_a_file_and_standard_input)
{
    const blob packed = gzip_blob(text_blob("1 2 3\n"));
    write_file("in", packed);
    expect_output(RUN("", "scan", "in"), "1\n3\n6\n");
    expect_output(run_arguments(packed, ARGUMENTS("scan")), "1\n3\n6\n");
}

Test(gzip, may_hold_nothing)
{
    expect_output(run_arguments(gzip_blob(text_blob("")), ARGUMENTS("scan")), "");
}

Test(gzip, may_hold_npy_and_raw)
{
    const blob npy =
        npy_blob(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "\x01\x02\x03", 3);
    expect_output(run_arguments(gzip_blob(npy), ARGUMENTS("scan", "--output-format", "text")),
                  "1\n3\n6\n");
    expect_output(run_arguments(gzip_blob(text_blob("\x01\x02")),
                                ARGUMENTS("scan", "--format", "raw", "--type", "u8",
                                          "--output-format", "text")),
                  "1\n3\n");
}

Test(gzip, members_follow_one_another)
{
    blob first = gzip_blob(text_blob("1 2")), second = gzip_blob(text_blob("3 4"));
    const blob both = new_blob(first.size + second.size);
    memcpy(both.bytes, first.bytes, first.size);
    memcpy(both.bytes + first.size, second.bytes, second.size);
    expect_output(run_arguments(both, ARGUMENTS("scan")), "1\n24\n28\n");
}

Test(gzip, every_truncation_is_refused)
{
    blob packed = gzip_blob(text_blob("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"));
    const size_t whole = packed.size;
    for (packed.size = 4; packed.size < whole; packed.size++) {
        write_file("in.gz", packed);
        expect_failure(RUN("", "scan", "in.gz", "-o", "out"),
                       "parscan: in.gz: the gzip data are cut short\n");
        cr_assert_eq(count_files(), 1);
    }
}

Test(gzip, damage_is_refused)
{
    blob packed = gzip_blob(text_blob("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"));
    packed.bytes[packed.size - 6] ^= 1; /* the check sum */
    expect_failure(run_arguments(packed, ARGUMENTS("scan")), "corrupt gzip data (");
    packed = gzip_blob(text_blob("1 2 3\n"));
    packed.bytes[10] = (char)0xff; /* the first block */
    expect_failure(run_arguments(packed, ARGUMENTS("scan")), "corrupt gzip data (");
}

Test(gzip, garbage_after_the_data_is_refused)
{
    blob packed = gzip_blob(text_blob("1 2 3\n"));
    char bytes[128];
    memcpy(bytes, packed.bytes, packed.size);
    memcpy(bytes + packed.size, "garbage", 7);
    expect_failure(run_arguments((blob){bytes, packed.size + 7}, ARGUMENTS("scan")),
                   "corrupt gzip data (");
}

Test(gzip, zeros_after_the_data_are_padding)
{
    const blob packed = gzip_blob(text_blob("1 2 3\n"));
    const blob padded = new_blob(packed.size + 1000000);
    memcpy(padded.bytes, packed.bytes, packed.size);
    expect_output(run_arguments(padded, ARGUMENTS("scan")), "1\n3\n6\n");
}

Test(gzip, is_written_to_names_in_gz)
{
    expect_done(RUN("1 2 3", "scan", "-o", "out.gz"));
    expect_done(RUN("1 2 3", "scan", "-o", "out.npy.gz"));
    const blob text = read_file("out.gz"), npy = read_file("out.npy.gz");
    cr_assert_eq(memcmp(text.bytes, "\x1f\x8b", 2), 0);
    cr_assert_eq(memcmp(npy.bytes, "\x1f\x8b", 2), 0);
    expect_output(RUN("", "scan", "out.gz"), "1\n4\n10\n");
    expect_output(RUN("", "scan", "out.npy.gz", "--output-format", "text"), "1\n4\n10\n");
}

Test(gzip, large_data_come_back)
{
    enum { SIZE = 1200000 };
    char *const text = malloc(SIZE + 1);
    cr_assert_not_null(text);
    for (int i = 0; i < SIZE; i += 2)
        memcpy(text + i, i / 2 % 3 ? "1\n" : "7\n", 2);
    text[SIZE] = '\0';
    write_file("in.gz", gzip_blob(text_blob(text)));
    write_file("in", text_blob(text));
    expect_done(RUN("", "scan", "in", "-o", "a"));
    expect_done(RUN("", "scan", "in.gz", "-o", "b.gz"));
    expect_done(RUN("", "scan", "--op", "max", "a", "-o", "c"));
    expect_done(RUN("", "scan", "--op", "max", "b.gz", "-o", "d"));
    cr_assert(same_bytes(read_file("c"), read_file("d")));
    cr_assert(same_bytes(read_file("a"), read_file("c")));
    free(text);
}
