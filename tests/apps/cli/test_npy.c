/* npy files: what numpy writes is read, what is damaged or another thing is refused. */
#define _GNU_SOURCE /* memmem */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(npy, .init = enter_folder, .fini = leave_folder);

static const int32_t four[] = {4, 6, 7, 1};
static const char *const good = "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }\n";

static program_run scan_text_of(blob npy)
{
    return run_arguments(npy, ARGUMENTS("scan", "--output-format", "text"));
}

static void expect_refused(const char *dictionary, const char *words)
{
    expect_failure(scan_text_of(npy_blob(1, dictionary, four, sizeof four)), words);
    cr_assert_eq(count_files(), 0);
}

Test(npy, is_known_by_its_magic_bytes_and_written_again)
{
    write_file("in", npy_blob(1, good, four, sizeof four));
    const program_run run = RUN("", "scan", "in");
    expect_done(run);
    const int32_t sums[] = {4, 10, 17, 18};
    cr_assert_eq(run.out.size, 128 + sizeof sums);
    cr_assert_eq(memcmp(run.out.bytes, "\x93NUMPY\x01\x00\x76\x00", 10), 0);
    cr_assert_eq(memcmp(run.out.bytes + 10, good, strlen(good) - 1), 0);
    cr_assert_eq(run.out.bytes[127], '\n');
    cr_assert_eq(memcmp(run.out.bytes + 128, sums, sizeof sums), 0);
}

Test(npy, versions_1_2_and_3_are_read)
{
    for (int major = 1; major <= 3; major++)
        expect_output(scan_text_of(npy_blob(major, good, four, sizeof four)), "4\n10\n17\n18\n");
    expect_failure(scan_text_of(npy_blob(4, good, four, sizeof four)),
                   "npy version 4.0 is not known");
}

Test(npy, keys_in_any_order_and_either_quote_are_read)
{
    const char *const other = "  {\"shape\":(4 ,),'fortran_order' : False,'descr':\"<i4\"}  \n";
    expect_output(scan_text_of(npy_blob(1, other, four, sizeof four)), "4\n10\n17\n18\n");
}

/* A header of that type and shape, and numbers of one byte. */
static blob bytes_npy(const char *type, const char *order, const char *shape, const void *bytes,
                      size_t size)
{
    char dictionary[128];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }",
             type, order, shape);
    return npy_blob(1, dictionary, bytes, size);
}

Test(npy, bytes_have_no_byte_order)
{
    const char *const types[] = {"|u1", "<u1", ">u1", "=u1", "u1", "|i1", "<i1", ">i1", "=i1"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        expect_output(scan_text_of(bytes_npy(types[i], "False", "2,", "\x02\x03", 2)), "2\n5\n");
}

Test(npy, the_order_of_this_machine_is_little_endian)
{
    const char *const orders[] = {"=", "", "|"};
    const uint16_t narrow[] = {300, 5};
    const int64_t wide[] = {-300, 5};
    const double reals[] = {0.5, 0.25};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        char type[8];
        snprintf(type, sizeof type, "%su2", orders[i]);
        expect_output(scan_text_of(bytes_npy(type, "False", "2,", narrow, 4)), "300\n305\n");
        snprintf(type, sizeof type, "%si8", orders[i]);
        expect_output(scan_text_of(bytes_npy(type, "False", "2,", wide, 16)), "-300\n-295\n");
        snprintf(type, sizeof type, "%sf8", orders[i]);
        expect_output(scan_text_of(bytes_npy(type, "False", "2,", reals, 16)), "0.5\n0.75\n");
    }
}

Test(npy, rows_and_columns_are_arrays_in_either_order)
{
    const char *const shapes[] = {"3,", "3", "1, 3", "3, 1", "1, 3, 1", "3L, 1L"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        expect_output(scan_text_of(bytes_npy("|u1", "True", shapes[i], "\1\2\3", 3)), "1\n3\n6\n");
        expect_output(scan_text_of(bytes_npy("|u1", "False", shapes[i], "\1\2\3", 3)), "1\n3\n6\n");
    }
    expect_output(scan_text_of(bytes_npy("|u1", "True", "1, 1", "\7", 1)), "7\n");
    expect_output(scan_text_of(bytes_npy("|u1", "True", "0, 1", "", 0)), "");
}

static blob mask_npy(const char *type, const void *bytes, size_t n)
{
    char shape[32];
    snprintf(shape, sizeof shape, "%zu,", n);
    return bytes_npy(type, "False", shape, bytes, n);
}

Test(npy, booleans_are_read_as_u8)
{
    const char *const types[] = {"|b1", "<b1", ">b1", "=b1", "b1"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        write_file("mask.npy", mask_npy(types[i], "\1\0\1", 3));
        expect_output(RUN("5 6 7", "compact", "--flags", "mask.npy"), "5\n7\n");
        expect_output(RUN("", "scan", "--output-format", "text", "mask.npy"), "1\n1\n2\n");
    }
}

Test(npy, booleans_that_are_neither_0_nor_1_count_as_1)
{
    write_file("mask.npy", mask_npy("|b1", "\2\0\377\1", 4));
    const char *const text = "--output-format=text";
    expect_output(RUN("", "scan", text, "mask.npy"), "1\n1\n2\n3\n");
    expect_output(RUN("", "scan", text, "mask.npy", "--reverse"), "3\n2\n2\n1\n");
    expect_output(RUN("", "scan", text, "mask.npy", "--op=max"), "1\n1\n1\n1\n");
    expect_output(RUN("", "sort", text, "mask.npy"), "0\n1\n1\n1\n");
    expect_output(RUN("", "compact", text, "mask.npy", "--where===1", "--indices"), "0\n2\n3\n");
    expect_output(RUN("", "histogram", text, "mask.npy", "--bins=2"), "1\n3\n");
    expect_output(RUN("", "allocate", text, "mask.npy"), "0\n1\n1\n2\n");
    expect_output(RUN("1 2 3 4", "segscan", "--keys=mask.npy"), "1\n2\n3\n7\n");
    expect_output(RUN("1 2 3 4", "segscan", "--keys=mask.npy", "--reverse"), "1\n2\n7\n4\n");
    expect_output(
        RUN("4 3 2 1", "sort", "--values=mask.npy", "--values-output=-", "-o", "/dev/null", text),
        "1\n1\n0\n1\n");
}

Test(npy, booleans_are_summed_in_u64)
{
    enum { N = 300 };
    blob ones = new_blob(N);
    memset(ones.bytes, 1, N);
    const blob mask = mask_npy("|b1", ones.bytes, N);
    write_file("mask.npy", mask);
    write_file("one", mask_npy("|u1", new_blob(N).bytes, N));
    const char *const *const lines[] = {
        ARGUMENTS("scan", "mask.npy", "-o", "out"),
        ARGUMENTS("scan", "--type=u8", "mask.npy", "-o", "out"),
        ARGUMENTS("scan", "--algorithm=sequential", "mask.npy", "-o", "out"),
        ARGUMENTS("segscan", "--flags=one", "mask.npy", "-o", "out")};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        expect_done(run_arguments(text_blob(""), lines[i]));
        const blob out = read_file("out");
        const uint64_t last = N;
        cr_assert_eq(out.size, 128 + N * sizeof last, "line %zu", i);
        cr_assert_not_null(strstr(out.bytes + 10, "'<u8'"));
        cr_assert_eq(memcmp(out.bytes + out.size - 8, &last, 8), 0, "line %zu", i);
    }
    expect_done(RUN("", "scan", "--exclusive", "--init=300", "mask.npy", "-o", "out"));
    /* Other operators, numbers that are no booleans, and a type that is asked for stay as they are. */
    expect_done(RUN("", "scan", "--op=max", "mask.npy", "-o", "out"));
    cr_assert_eq(read_file("out").size, 128 + N);
    expect_done(RUN("", "scan", "--out-type=u32", "mask.npy", "-o", "out"));
    cr_assert_eq(read_file("out").size, 128 + N * 4);
    write_file("numbers.npy", mask_npy("|u1", ones.bytes, N));
    expect_done(RUN("", "scan", "numbers.npy", "-o", "out"));
    cr_assert_eq(read_file("out").bytes[128 + N - 1], N % 256);
}

Test(npy, an_empty_array_is_read_and_written)
{
    const char *const empty = "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }";
    write_file("in", npy_blob(1, empty, "", 0));
    expect_done(RUN("", "scan", "in", "-o", "out.npy"));
    expect_output(RUN("", "scan", "out.npy", "--output-format", "text"), "");
    cr_assert_eq(read_file("out.npy").size, 128);
}

Test(npy, a_type_that_says_otherwise_is_refused)
{
    write_file("in.npy", npy_blob(1, good, four, sizeof four));
    expect_failure(RUN("", "scan", "--type", "f32", "in.npy"),
                   "parscan: in.npy: the npy array holds i32, not f32\n");
}

Test(npy, other_element_types_are_refused)
{
    expect_refused("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", "'<c8'");
    expect_refused("{'descr': '|b2', 'fortran_order': False, 'shape': (2,), }", "'|b2'");
    expect_refused("{'descr': '|V4', 'fortran_order': False, 'shape': (2,), }", "'|V4'");
    expect_refused("{'descr': '>V2', 'fortran_order': False, 'shape': (2,), }", "'>V2'");
    expect_refused("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "'|O'");
    expect_refused("{'descr': '', 'fortran_order': False, 'shape': (2,), }", "''");
    expect_refused("{'descr': '<', 'fortran_order': False, 'shape': (2,), }", "'<'");
    expect_refused("{'descr': '<<i4', 'fortran_order': False, 'shape': (2,), }", "'<<i4'");
}

/* 1, 2, 4096 and 1. */
static const uint16_t f16[] = {0x3c00, 0x4000, 0x6c00, 0x3c00};
static const uint16_t bf16[] = {0x3f80, 0x4000, 0x4580, 0x3f80};

Test(npy, floats_of_16_bits_are_read_and_written)
{
    const char *const text = "--output-format=text";
    write_file("f16.npy", bytes_npy("<f2", "False", "4,", f16, sizeof f16));
    expect_output(RUN("", "scan", text, "f16.npy"), "1\n3\n4100\n4100\n");
    expect_output(RUN("", "scan", text, "--out-type", "f64", "f16.npy"), "1\n3\n4099\n4100\n");
    expect_output(RUN("", "compact", text, "--where", ">1", "f16.npy"), "2\n4096\n");
    expect_done(RUN("", "compact", "--where", "nonzero", "-o", "again.npy", "f16.npy"));
    const blob again = read_file("again.npy"), same = read_file("f16.npy");
    cr_assert_eq(again.size, 128 + sizeof f16);
    cr_assert_not_null(memmem(again.bytes, 128, "'<f2'", 5));
    cr_assert_eq(memcmp(again.bytes + 128, f16, sizeof f16), 0);
    cr_assert_eq(memcmp(same.bytes + same.size - sizeof f16, f16, sizeof f16), 0);
    expect_failure(RUN("", "scan", "--type", "bf16", "f16.npy"),
                   "f16.npy: the npy array holds f16, not bf16");
}

/* ml_dtypes' bfloat16 is void of 2 bytes in a file, as other types may be. */
Test(npy, bytes_of_any_meaning_are_bf16_if_the_type_is_given)
{
    const char *const orders[] = {"<V2", "|V2", "=V2", "V2"}, *const text = "--output-format=text";
    for (int i = 0; i < 4; i++) {
        write_file("b.npy", bytes_npy(orders[i], "False", "4,", bf16, sizeof bf16));
        expect_output(RUN("", "scan", text, "--type", "bf16", "b.npy"), "1\n3\n4100\n4100\n");
        char words[128];
        snprintf(words, sizeof words,
                 "b.npy: npy elements of type '%s' may be anything (--type bf16 reads them)",
                 orders[i]);
        expect_failure(RUN("", "scan", "b.npy"), words);
        expect_failure(RUN("", "scan", "--type", "f16", "b.npy"), words);
    }
    expect_failure(RUN("1 2 3 4", "segscan", "--keys", "b.npy"), "(--keys-type bf16 reads them)");
    expect_output(RUN("1 2 3 4", "segscan", "--keys-type", "bf16", "--keys", "b.npy"),
                  "1\n2\n3\n4\n");
    expect_done(RUN("", "scan", "--type", "bf16", "-o", "again.npy", "b.npy"));
    const blob again = read_file("again.npy");
    cr_assert_eq(again.size, 128 + sizeof bf16);
    cr_assert_not_null(memmem(again.bytes, 128, "'<V2'", 5));
}

/* Elements of 1, 2, 4 and 8 bytes, read in pieces and, in reverse, by their places. */
Test(npy, big_endian_elements_are_swapped)
{
    write_file("in", npy_blob(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (3,), }",
                              "\0\0\0\1\xff\xff\xff\xff\0\1\0\0", 12));
    expect_output(RUN("", "scan", "--output-format=text", "in"), "1\n0\n65536\n");
    expect_output(RUN("", "scan", "--reverse", "--output-format=text", "in"),
                  "65536\n65535\n65536\n");
    expect_done(RUN("", "sort", "-o", "out.npy", "in"));
    cr_assert_not_null(memmem(read_file("out.npy").bytes, 128, "'<i4'", 5));
    write_file("in",
               npy_blob(2, "{'descr': '>u1', 'fortran_order': True, 'shape': (2,), }", "\1\2", 2));
    expect_output(RUN("", "scan", "--output-format=text", "in"), "1\n3\n");
    write_file("in", npy_blob(3, "{'descr': '>f2', 'fortran_order': False, 'shape': (1,), }",
                              "\x3c\0", 2));
    expect_output(RUN("", "scan", "--output-format=text", "in"), "1\n");
    write_file("in", npy_blob(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }",
                              "\x3f\xf8\0\0\0\0\0\0", 8));
    expect_output(RUN("", "scan", "--output-format=text", "in"), "1.5\n");
}

Test(npy, flatten_reads_any_shape_in_the_order_of_the_file)
{
    const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    write_file(
        "in",
        npy_blob(1,
                 "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1, 1, 1, 1, 1, 1, 1, 5), }",
                 bytes, 10));
    expect_output(RUN("", "reduce", "--op=count,sum", "--flatten", "in"), "10\t55\n");
    expect_output(RUN("", "compact", "--flatten", "--flags=in", "--output-format=text", "in"),
                  "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    expect_failure(RUN("", "histogram", "--bins=2", "in"),
                   "must be 1 (--flatten reads all as one list)");
    expect_failure(RUN("", "scan", "in"), "along one of them; --flatten reads all as one list)");
    expect_usage(RUN("", "scan", "--flatten", "--axis=0", "in"),
                 "--axis and --flatten exclude each other");
    expect_usage(RUN("", "trace", "--flatten", "1"), "--flatten needs --file FILE");
    cr_assert_str_eq(
        RUN("", "trace", "--flatten", "--file", "in").out.bytes,
        RUN("", "trace", "--type=u8", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10").out.bytes);
}

Test(npy, other_dimensions_than_one_are_refused)
{
    expect_refused("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }",
                   "the npy array is 2 x 2: all dimensions but one must be 1");
    expect_refused("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 1, 2), }",
                   "is 2 x 1 x 2:");
    expect_refused("{'descr': '<i4', 'fortran_order': True, 'shape': (0, 4), }", "is 0 x 4:");
    expect_refused("{'descr': '<i4', 'fortran_order': False, 'shape': ("
                   "1000000001, 1000000001, 1000000001, 1000000001, 1000000001, 1000000001, "
                   "1000000001, 1000000001, 1000000001, 1000000001), }",
                   "1000000001 x 1000000001 x ...: all dimensions");
}

/* One element, as `reduce --axis 0` of a list writes it. */
Test(npy, no_dimensions_are_one_element)
{
    write_file("list.npy", npy_blob(1, good, four, sizeof four));
    expect_done(RUN("", "reduce", "--axis=0", "-o", "sum.npy", "list.npy"));
    cr_assert_not_null(memmem(read_file("sum.npy").bytes, 128, "'shape': ()", 11));
    expect_output(RUN("", "scan", "--output-format=text", "sum.npy"), "18\n");
    expect_failure(RUN("", "scan", "--axis=0", "sum.npy"),
                   "sum.npy: --axis 0: the npy array is one element");
}

Test(npy, corrupt_headers_are_refused)
{
    const char *const corrupt[] = {
        "",
        "{",
        "garbage",
        "{'descr': '<i4'}",
        "{'descr': '<i4', 'fortran_order': False}",
        "{'descr': '<i4', 'fortran_order': Maybe, 'shape': (4,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (4,",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (-4,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': 4}",
        "{'descr': '<i4, 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<i4' 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), 'more': 1}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)} more",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (9999999999999999999,)}"};
    for (size_t i = 0; i < sizeof corrupt / sizeof corrupt[0]; i++)
        expect_refused(corrupt[i], "parscan: standard input: the npy header is corrupt");
}

Test(npy, every_cut_short_file_is_refused)
{
    blob npy = npy_blob(2, good, four, sizeof four);
    const size_t whole = npy.size;
    for (npy.size = 6; npy.size < whole; npy.size++)
        expect_failure(scan_text_of(npy), "cut short");
    npy.size = whole - 1;
    expect_failure(scan_text_of(npy), "the npy data are cut short: 3 of 4 elements are there");
}

Test(npy, a_header_that_promises_too_much_takes_no_memory)
{
    const char *const huge = "{'descr': '|u1', 'fortran_order': False, 'shape': (100000000000,)}";
    expect_failure(scan_text_of(npy_blob(1, huge, four, sizeof four)), "16 of 100000000000");
    blob long_header = npy_blob(2, good, four, sizeof four);
    long_header.bytes[11] = 0x7f;
    expect_failure(scan_text_of(long_header), "the npy header is corrupt");
}

Test(npy, bytes_after_the_array_are_refused)
{
    const int32_t five[] = {4, 6, 7, 1, 2};
    expect_failure(scan_text_of(npy_blob(1, good, five, sizeof five)), "bytes after the npy array");
}

Test(npy, a_format_that_is_not_there_is_refused)
{
    expect_failure(RUN("1 2 3 4 5 6 7", "scan", "--format", "npy"), "not an npy file");
    expect_failure(RUN("", "scan", "--format", "npy"), "cut short");
}

Test(npy, structured_types_are_refused_by_name)
{
    const blob pairs = npy_blob(
        1, "{'descr': [('x', '<f4'), ('y', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "\0\0\0\0\0\0\0\0", 8);
    expect_failure(run_arguments(pairs, ARGUMENTS("scan")), "structured types cannot be read");
}
