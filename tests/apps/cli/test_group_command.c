/* parscan group and parscan reduce: sums, numbers, extremes and means. */
#include "tests/apps/cli/run_program.h"

#include <stdio.h>

#include <criterion/criterion.h>

TestSuite(group_command, .init = enter_folder, .fini = leave_folder);
TestSuite(reduce_command, .init = enter_folder, .fini = leave_folder);

static const char *const fruit = "pear 3\napple -1\npear 4\nfig 10\napple 2\n";

Test(group_command, sums_by_the_words_of_a_field)
{
    expect_output(RUN(fruit, "group", "-g1", "-k2"), "apple\t1\nfig\t10\npear\t7\n");
    expect_output(RUN(fruit, "group", "--by", "1"), "apple\t2\nfig\t1\npear\t2\n");
    expect_output(RUN(fruit, "group", "-g1", "-k2", "--op=min,max,mean,count,sum"),
                  "apple\t-1\t2\t0.5\t2\t1\nfig\t10\t10\t10\t1\t10\npear\t3\t4\t3.5\t2\t7\n");
    expect_output(RUN("", "group", "-g1", "-k2"), "");
    expect_output(
        RUN("a 1.5\na nan\nb -0\n", "group", "-g1", "-k2", "--type=f64", "--op=sum,min,max"),
        "a\tnan\tnan\tnan\nb\t0\t-0\t-0\n");
    expect_output(RUN("1 200\n1 100\n", "group", "-g1", "-k2", "--type=u8"), "1\t300\n");
    expect_output(RUN("1 1.5\n1 2.5\n", "group", "-g1", "-k2", "--type=f16", "--op=sum,max"),
                  "1\t4\t2.5\n");
    expect_output(RUN("x 9223372036854775807\nx 9223372036854775807\ny -9223372036854775808\n"
                      "y -9223372036854775808\n",
                      "group", "-g1", "-k2"),
                  "x\t18446744073709551614\ny\t-18446744073709551616\n");
}

Test(group_command, orders_integers_by_value_before_other_words)
{
    expect_output(
        RUN("b 10 -2 9 007 7 a +1 -10 0 12345678901234567890123 -x\n", "unique", "-w", "--count"),
        "1\t-10\n1\t-2\n1\t0\n1\t+1\n1\t007\n1\t7\n1\t9\n1\t10\n"
        "1\t12345678901234567890123\n1\t-x\n1\ta\n1\tb\n");
}

Test(group_command, names_what_it_writes_where_there_is_a_header)
{
    const char *const text =
        "name,n,size\n\"a,b\",1,5\n\"say \"\"x\"\"\",2,6\n\"a,b\",3,7\n\"c\",4,8\n";
    expect_output(
        RUN(text, "group", "--header", "-t,", "-g", "name", "-k", "size", "--op=count,sum"),
        "name,count,sum(size)\n\"a,b\",2,12\nc,1,8\n\"say \"\"x\"\"\",1,6\n");
    expect_output(RUN(text, "group", "--header", "-t,", "-g2", "-k3", "--op=max"),
                  "n,max(size)\n1,5\n2,6\n3,7\n4,8\n");
    expect_output(RUN("a b\n", "group", "--header", "-gb"), "b\tcount\n");
    expect_output(
        RUN("\"a,b\",\"v,w\",\"q\"\"\"\nx,1,2\n", "group", "-t,", "--header", "-g1", "-kv,w"),
        "\"a,b\",\"sum(v,w)\"\nx,1\n");
    expect_output(RUN("\"a,b\",\"q\"\"\"\nx,1\n", "group", "-t,", "--header", "-g1", "-k2"),
                  "\"a,b\",\"sum(q\"\")\"\nx,1\n");
}

Test(group_command, refuses_what_does_not_go_together)
{
    expect_usage(RUN("", "group", "-k2"), "--by FIELD is needed");
    expect_usage(RUN("", "group", "-g1", "--op=sum"), "--op sum needs -k FIELD");
    expect_usage(RUN("", "group", "-g1", "--op=sum,median"),
                 "'sum,median' is not sum, count, min, max or mean");
    expect_usage(RUN("", "group", "-gname", "-k2"), "--by: 'name' is not the number of a field");
    expect_failure(RUN("a 1\nb\n", "group", "-g1", "-k2", "-o", "out"),
                   "line 2: field 2: a value is missing");
    expect_failure(RUN("a 1\nb\n", "group", "-g2", "-k1", "--type=f16"),
                   "line 1: field 1: 'a' is not a number");
    expect_failure(RUN("1 a\n2\n", "group", "-g2", "-k1"), "line 2: field 2: a word is missing");
    expect_output(RUN("a\nb c\n", "group", "-g2", "--missing=0"), "NA\t1\nc\t1\n");
    expect_output(RUN("a\nb,c\n", "group", "-t,", "-g2", "--missing=0"), ",1\nc,1\n");
    expect_usage(RUN("a 1\n", "group", "-g1", "--flatten"), "--flatten is for npy arrays");
    expect_usage(RUN("1 2\n", "depth", "-k1", "--flatten"), "--flatten is for npy arrays");
    expect_output(RUN("a 1\nb\n", "group", "-g1", "-k2", "--missing=skip"), "a\t1\n");
    expect_failure(RUN("a 1\n", "group", "-g1", "-k2", "-o", "out.npy"), "which no npy file holds");
    cr_assert_eq(count_files(), 0);
}

/* Keys of 0 to 40 bytes, which differ in one: the table has short ones elsewhere than long ones. */
Test(group_command, keys_of_every_length_are_told_apart)
{
    expect_shell("awk 'BEGIN { for (n = 0; n <= 40; n++) for (at = 1; at <= n + (n == 0); at++) {"
                 " for (i = 1; i <= n; i++) printf i == at ? \"y\" : \"x\"; print \",\" n } }' >in;"
                 "cat in in | $0 group -t, -g1 -k2 --op count,max >out &&"
                 "LC_ALL=C sort in | sed 's/,/,2,/' >expected && cmp out expected");
}

Test(group_command, of_many_lines_is_awk_s)
{
    expect_shell(
        "seq 0 59999 | awk '{ print \"key\" $1 * 7919 % 1009 \",\" $1 * $1 % 1000 }' >in;"
        "awk -F, '{ n[$1]++; s[$1] += $2 } END { for (k in n) print k \",\" n[k] \",\" s[k] }'"
        " in | LC_ALL=C sort >expected;"
        "for threads in 1 5; do $0 group -t, -g1 -k2 --op count,sum --threads $threads in |"
        "cmp - expected || exit 1; done;"
        "cut -d, -f1 in | LC_ALL=C sort | uniq -c | sed 's/^ *//' >expected;"
        "cut -d, -f1 in | $0 unique -w --count | tr '\\t' ' ' | cmp - expected");
}

Test(reduce_command, writes_several_results_on_a_line)
{
    expect_output(RUN("3 -1 4", "reduce"), "6\n");
    expect_output(RUN("3 -1 4", "reduce", "--op=count,min,max,mean,sum"), "3\t-1\t4\t2\t6\n");
    expect_output(RUN("", "reduce", "--op=sum,count,min,max,mean"), "0\t0\tnan\tnan\tnan\n");
    expect_output(RUN("inf -inf", "reduce", "--type=f64", "--op=sum,mean"), "nan\tnan\n");
    expect_output(RUN("1.5 nan", "reduce", "--type=f32", "--op=sum,min,max"), "nan\tnan\tnan\n");
    expect_output(RUN("1.5 0.25 -0", "reduce", "--type=f32", "--op=sum,min,max"),
                  "1.75\t-0\t1.5\n");
    expect_output(RUN("200 100", "reduce", "--type=u8"), "300\n");
    expect_output(RUN("18446744073709551615 18446744073709551615", "reduce", "--type=u64"),
                  "36893488147419103230\n");
    expect_output(RUN("a 2\nb 5\n", "reduce", "-k2", "--op=mean"), "3.5\n");
    expect_output(RUN("\1\2\377", "reduce", "--format=raw", "--type=i8", "--op=sum,min"),
                  "2\t-1\n");
    expect_usage(RUN("1", "reduce", "--op=product"), "'product' is not sum, count");
    expect_failure(RUN("1 x", "reduce", "-o", "out"), "'x' is not a number");
    cr_assert_eq(count_files(), 0);
}
