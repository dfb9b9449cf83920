/* parscan allocate. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(allocate_command, .init = enter_folder, .fini = leave_folder);

static void expect_total(program_run run, const char *line)
{
    cr_assert_eq(run.status, 0);
    cr_assert_not_null(strstr(run.err.bytes, line), "%s", run.err.bytes);
}

Test(allocate_command, writes_the_offsets)
{
    expect_output(RUN("5 0 3 8", "allocate"), "0\n5\n5\n8\n");
    expect_output(RUN("", "allocate"), "");
    expect_output(RUN("200 200", "allocate", "--type=u8"), "0\n200\n");
}

Test(allocate_command, aligns)
{
    expect_output(RUN("5 0 3 8", "allocate", "--align=4"), "0\n8\n8\n12\n");
    expect_total(RUN("5 0 3 8", "allocate", "--align=4", "--stats"), "\ntotal 20\n");
    expect_usage(RUN("5 x", "allocate", "--align=6"), "--align 6");
    expect_usage(RUN("5 x", "allocate", "--align=0"), "--align: '0'");
}

Test(allocate_command, stats_tell_the_total)
{
    expect_total(RUN("5 0 3 8", "allocate", "--stats"), "\ntotal 16\n");
    expect_total(RUN("", "allocate", "--stats"), "\ntotal 0\n");
}

Test(allocate_command, a_total_beyond_the_capacity_is_a_failure_that_tells_it)
{
    write_file("sizes", text_blob("5 0 3 8"));
    expect_output(RUN("", "allocate", "--capacity=16", "sizes"), "0\n5\n5\n8\n");
    expect_failure(RUN("", "allocate", "--capacity=15", "sizes", "-o", "out"),
                   "parscan: sizes: the sizes need 16, more than --capacity 15\n");
    expect_failure(RUN("", "allocate", "--capacity=16", "--align=4", "sizes", "-o", "out"),
                   "the sizes need 20, more than");
    cr_assert_eq(count_files(), 1);
}

Test(allocate_command, a_total_beyond_64_bits_is_a_failure)
{
    expect_failure(RUN("18446744073709551615 1", "allocate"), "beyond 64 bits");
}

Test(allocate_command, sizes_are_not_negative)
{
    const int32_t sizes[] = {5, 3, -2, -1};
    write_file("all.npy", npy_blob(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }",
                                   sizes, sizeof sizes));
    write_file("two.npy", npy_blob(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }",
                                   sizes, 2 * sizeof sizes[0]));
    expect_failure(RUN("5\n3\n-2", "allocate"), "parscan: standard input: line 3: -2 does not fit "
                                                "u64, which goes from 0 to 18446744073709551615\n");
    expect_failure(RUN("", "allocate", "all.npy", "-o", "out"),
                   "parscan: all.npy: element 3: a size cannot be negative: -2\n");
    expect_output(RUN("", "allocate", "two.npy", "-o", "out.txt"), "");
    cr_assert_str_eq(read_file("out.txt").bytes, "0\n5\n");
    expect_output(RUN("5 3", "allocate", "--type=i8"), "0\n5\n");
}

Test(allocate_command, sizes_are_integers)
{
    expect_usage(RUN("1 x", "allocate", "--type=f32"), "sizes must be integers, the type is f32");
    expect_failure(RUN("1.5", "allocate"), "1.5 is not an integer");
}
