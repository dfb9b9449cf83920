/* Raw files: elements and nothing else. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>

#include <criterion/criterion.h>

TestSuite(raw, .init = enter_folder, .fini = leave_folder);

Test(raw, elements_come_and_go_as_they_are)
{
    const uint16_t in[] = {1, 2, 65535};
    const blob bytes = {(char *)in, sizeof in};
    const program_run run =
        run_arguments(bytes, ARGUMENTS("scan", "--format", "raw", "--type", "u16"));
    expect_done(run);
    const uint16_t out[] = {1, 3, 2};
    cr_assert(same_bytes(run.out, (blob){(char *)out, sizeof out}));
}

Test(raw, output_has_the_out_type)
{
    const uint8_t in[] = {200, 100};
    const uint64_t out[] = {200, 300};
    const program_run run =
        run_arguments((blob){(char *)in, sizeof in},
                      ARGUMENTS("scan", "--format", "raw", "--type", "u8", "--out-type", "u64"));
    expect_done(run);
    cr_assert(same_bytes(run.out, (blob){(char *)out, sizeof out}));
}

Test(raw, data_need_a_type)
{
    expect_failure(RUN("12345678", "scan", "--format", "raw"),
                   "parscan: standard input: raw data need --type\n");
}

Test(raw, a_part_of_an_element_is_refused)
{
    expect_failure(RUN("123456789", "scan", "--format", "raw", "--type", "u32"),
                   "9 bytes are not a whole number of u32 elements of 4 bytes");
    expect_failure(RUN("1", "scan", "--format", "raw", "--type", "f64"), "1 bytes");
}

Test(raw, magic_bytes_are_data_when_the_format_is_given)
{
    const program_run run =
        RUN("\x93NUMPY", "scan", "--format", "raw", "--type", "u8", "--op", "or");
    expect_done(run);
    cr_assert_eq(run.out.size, 6);
}

Test(raw, a_file_of_several_chunks_is_read_whole)
{
    enum { SIZE = 20000003 };
    const blob zeros = new_blob(SIZE);
    zeros.bytes[SIZE - 1] = 9;
    write_file("in", zeros);
    write_file("in.gz", gzip_blob(zeros));
    const char *const names[] = {"in", "in.gz"};
    for (int i = 0; i < 2; i++) {
        expect_done(RUN("", "scan", "--format", "raw", "--type", "u8", names[i], "-o", "out"));
        cr_assert(same_bytes(read_file("out"), zeros), "%s", names[i]);
    }
}
