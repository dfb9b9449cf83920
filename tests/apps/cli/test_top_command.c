/* parscan top and parscan quantile: elements by their ranks. */
#include "tests/apps/cli/run_program.h"

#include <criterion/criterion.h>

TestSuite(top_command, .init = enter_folder, .fini = leave_folder);
TestSuite(quantile_command, .init = enter_folder, .fini = leave_folder);

Test(top_command, writes_the_largest_first)
{
    expect_output(RUN("3 1 4 1 5", "top", "-n2"), "5\n4\n");
    expect_output(RUN("3 1 4 1 5", "top", "-n", "2", "--smallest"), "1\n1\n");
    expect_output(RUN("3 1 4 1 5", "top"), "5\n4\n3\n1\n1\n");
    expect_output(RUN("", "top"), "");
    expect_output(RUN("0 -0 nan 1", "top", "--type=f64", "-n3"), "nan\n1\n0\n");
    expect_output(RUN("\1\3\2", "top", "--format=raw", "--type=u8", "-n2"), "\3\2");
    expect_output(RUN("a 1\nb 2\nc 2\nd 0\n", "top", "-n2", "-k2"), "b 2\nc 2\n");
    expect_output(RUN("n v\na 1\nb 2\n", "top", "-n1", "-kv", "--header"), "n v\nb 2\n");
    expect_output(RUN("n v\n", "top", "-n1", "-kv", "--header"), "n v\n");
    expect_usage(RUN("", "top", "-n0"), "--number: '0' is not an integer of 1 or more");
    expect_failure(RUN("1 x", "top", "-o", "out"), "'x' is not a number");
    cr_assert_eq(count_files(), 0);
}

/* Its threads are those that read lines, which test_fields.c has. */
Test(top_command, of_many_lines_is_sort_s, .disabled = UNDER_THREAD_SANITIZER)
{
    expect_shell("seq 0 59999 | awk '{ print $1 \",\" $1 * 7919 % 4001 }' >in;"
                 "cat in in in in in in in in >in8;"
                 "for n in 1 5000 100000; do"
                 "  $0 sort -t, -k2 -r in8 | head -n $n >expected;"
                 "  $0 top -n $n -t, -k2 in8 | cmp - expected || exit 1;"
                 "  $0 sort -t, -k2 in8 | head -n $n >expected;"
                 "  $0 top -n $n -t, -k2 --smallest in8 | cmp - expected || exit 1;"
                 "  cut -d, -f2 expected >numbers;"
                 "  cut -d, -f2 in8 | $0 top -n $n --smallest | cmp - numbers || exit 1;"
                 "done");
}

Test(top_command, of_ascending_numbers_takes_little_memory, .disabled = UNDER_THREAD_SANITIZER)
{
    expect_shell("seq 3000000 >in");
    const long kibibytes = most_memory(ARGUMENTS("top", "-k1", "in", "-o", "out"));
    cr_assert(UNDER_ADDRESS_SANITIZER || kibibytes <= 64 * 1024, "%ld KiB", kibibytes);
}

Test(quantile_command, takes_elements_by_their_ranks)
{
    expect_output(RUN("5 1 4 2 3", "quantile"), "1\t2\t3\t4\t5\n");
    expect_output(RUN("4 1 3 2", "quantile", "-q0.5"), "2\n");
    expect_output(RUN("4 1 3 2", "quantile", "-q.5,1"), "2\t4\n");
    expect_output(RUN("4 1 3 2", "quantile", "--quantiles=0.500000001,1,0"), "3\t4\t1\n");
    expect_output(RUN("4 1 3 2", "quantile", "-q0.5,0.25", "--linear"), "2.5\t1.75\n");
    expect_output(RUN("1.5 nan 0.5", "quantile", "--linear", "--type=f64"),
                  "nan\tnan\tnan\tnan\tnan\n");
    expect_output(RUN("-inf inf", "quantile", "--linear", "--type=f64"),
                  "-inf\tnan\tnan\tnan\tinf\n");
    expect_output(RUN("-1e308 1e308", "quantile", "--linear", "--type=f64"),
                  "-1e308\t-5e307\t0\t5e307\t1e308\n");
    /* NumPy's, which counts from the nearer element */
    expect_output(RUN("0.1 0.7", "quantile", "--linear", "--type=f64", "-q0.3,0.9"),
                  "0.28\t0.64\n");
    expect_output(RUN("7", "quantile", "--linear"), "7\t7\t7\t7\t7\n");
    expect_output(RUN("1.5 nan 0.5", "quantile", "--type=f32"), "0.5\t0.5\t1.5\tnan\tnan\n");
    expect_output(RUN("a 5\nb 7\n", "quantile", "-k2", "-q1"), "7\n");
    expect_shell("seq 100 | $0 quantile -q 0.07,0.29,0.57,0.58 | grep -qx '7\t29\t57\t58'");
    expect_failure(RUN("", "quantile"), "there are no elements, so there are no quantiles");
    const char *const wrong[][2] = {
        {"0.5,1.1", "--quantiles: '1.1' is not a number of 0 to 1"},
        {"", "'' is not a number of 0 to 1"},
        {"0.5,,1", "'' is not a number of 0 to 1"},
        {"0.0000000001", "'0.0000000001' is not a number of 0 to 1 with up to 9 decimals"},
        {"0.1234567891,0", "'0.1234567891' is not a number of 0 to 1 with up to 9 decimals"},
        {"1,1e-1", "'1e-1' is not a number of 0 to 1 with up to 9 decimals and no exponent"},
        {"0.5 1", "'0.5 1' is not a number of 0 to 1 with up to 9 decimals and no exponent, such "
                  "as 0.25 (commas stand between several)"},
        {"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
         "0,"
         "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
         "--quantiles: more than 64 numbers"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_usage(RUN("1", "quantile", "-q", wrong[i][0]), wrong[i][1]);
    expect_failure(RUN("1 x", "quantile", "-o", "out"), "'x' is not a number");
    cr_assert_eq(count_files(), 0);
}
