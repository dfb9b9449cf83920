/* Numbers in text: what is read, what is written, what is refused and in which line. */
#include "tests/apps/cli/run_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(text, .init = enter_folder, .fini = leave_folder);

/* One element through the program: a scan of one element is that element. */
static void expect_read(const char *type, const char *text, const char *written)
{
    char line[128];
    snprintf(line, sizeof line, "%s\n", written);
    expect_output(RUN(text, "scan", "--type", type), line);
}

Test(text, any_white_space_separates)
{
    expect_output(RUN("\t1 2\r\n\v3\f4\n\n 5", "scan", "--op", "max", "--quiet"),
                  "1\n2\n3\n4\n5\n");
}

Test(text, the_ends_of_every_integer_type_are_read)
{
    const char *const ends[][3] = {{"u8", "0", "255"},
                                   {"i8", "-128", "127"},
                                   {"u16", "0", "65535"},
                                   {"i16", "-32768", "32767"},
                                   {"u32", "0", "4294967295"},
                                   {"i32", "-2147483648", "2147483647"},
                                   {"u64", "0", "18446744073709551615"},
                                   {"i64", "-9223372036854775808", "9223372036854775807"}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        expect_read(ends[i][0], ends[i][1], ends[i][1]);
        expect_read(ends[i][0], ends[i][2], ends[i][2]);
    }
}

Test(text, one_beyond_the_ends_is_refused)
{
    const char *const beyond[][3] = {
        {"u8", "-1", "256"},
        {"i8", "-129", "128"},
        {"u16", "-1", "65536"},
        {"i16", "-32769", "32768"},
        {"u32", "-1", "4294967296"},
        {"i32", "-2147483649", "2147483648"},
        {"u64", "-1", "18446744073709551616"},
        {"i64", "-9223372036854775809", "9223372036854775808"},
        {"f32", "-3.5e38", "1e39"},
        {"f64", "-1e309", "1e400"},
        {"u64", "-18446744073709551615", "100000000000000000000000000000000000000000"}};
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        for (int end = 1; end <= 2; end++) {
            char words[128];
            snprintf(words, sizeof words, "parscan: standard input: line 1: %s does not fit %s",
                     beyond[i][end], beyond[i][0]);
            expect_failure(RUN(beyond[i][end], "scan", "--type", beyond[i][0]), words);
        }
    }
}

Test(text, a_plus_leading_zeros_and_minus_zero_are_read)
{
    expect_read("u8", "+7", "7");
    expect_read("i8", "-007", "-7");
    expect_read("u32", "-0", "0");
    expect_read("u64", "0000000000000000000000000018446744073709551615", "18446744073709551615");
    expect_read("f64", "-0", "-0");
    expect_read("f64", "+1.5e+1", "15");
}

Test(text, a_number_out_of_range_is_refused_with_its_line)
{
    char text[512] = "";
    for (int line = 1; line <= 16; line++)
        strcat(text, line % 2 ? "1 2\n" : "\n");
    strcat(text, "3 300 4\n5\n");
    write_file("numbers.txt", text_blob(text));
    expect_failure(
        RUN("", "scan", "--type", "u8", "numbers.txt"),
        "parscan: numbers.txt: line 17: 300 does not fit u8, which goes from 0 to 255\n");
}

Test(text, words_that_are_no_numbers_are_refused_with_their_line)
{
    const char *const words[] = {"abc", "1x", "0x10", "--1", "-", "+", "1,2", "1e", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[64], expected[64];
        snprintf(text, sizeof text, "1\n2 %s", words[i]);
        snprintf(expected, sizeof expected, "parscan: standard input: line 2: '%s' is not a number",
                 words[i]);
        if (strcmp(words[i], "0x10") != 0)
            expect_failure(RUN(text, "scan"), expected);
    }
    expect_failure(RUN("0x10", "scan"), "0x10 is hexadecimal: integers are read in decimal");
    expect_failure(RUN("1.5.2", "scan", "--type", "f64"), "line 1: '1.5.2' is not a number");
    expect_failure(RUN("nano", "scan", "--type", "f32"), "line 1: 'nano' is not a number");
}

Test(text, a_message_names_the_remedy)
{
    expect_failure(RUN("size\n1\n", "scan"), "line 1: 'size' is not a number (a header? --header");
    expect_failure(RUN("1\n1,2\n", "scan"), "line 2: '1,2' is not a number (-t, reads fields");
    expect_failure(RUN("1\n1;2\n", "scan"), "line 2: '1;2' is not a number (-t';' reads");
    expect_failure(RUN("\"1\"\n", "scan"), "(a cell in quotes? -t, reads CSV");
    expect_failure(RUN("1\n# 2\n", "scan"), "line 2: '#' is not a number (a comment? --comment");
    expect_failure(RUN("n,size\na,1\n", "scan", "-t,", "-k2"),
                   "line 1: field 2: 'size' is not a number (a header? --header");
    const struct {
        const char *text, *options[4], *words;
    } cases[] = {
        {"a;1.234,5\n", {"-t;", "-k2", "--decimal=,"}, "number (--decimal , --thousands . reads"},
        {"a;1.234,5\n", {"-t;", "-k2"}, "number (--decimal , --thousands . reads such"},
        {"a;1,5\n", {"-t;", "-k2"}, "number (--decimal , reads a decimal comma)"},
        {"a;1,500\n", {"-t;", "-k2"}, "number (--thousands , leaves out commas"},
        {"a,\"1,234\"\n", {"-t,", "-k2"}, "number (--thousands , --quotes csv leaves"},
        {"a,1;2\n", {"-t,", "-k2"}, "'1;2' is not a number\n"},
        {"a\t\"1\"\n", {"-ttab", "-k2"}, "number (a cell in quotes? --quotes csv reads it)"},
        {"1,5\n", {"-k1", "--thousands=,"}, "three digits follow each --thousands ,\n"},
        {"\"a\nb\",n\n1,2\n", {"-t,", "-kn", "--header"}, "line 1: a quote is not closed on its"},
        {"1,\"a\nb\"\n", {"-t,", "-k1"}, "line 1: a quote is not closed on its line: a field must"},
        {"\"a\nb\",1\n", {"-t,", "-k2", "--quotes=none"}, "a field must not have a line end (put"},
        {"k,v\ra,1\rb,2\r",
         {"-t,", "-k2"},
         "input: line 1: this is text with lines that end in carriage ret"},
        {"1\r2", {"-k1"}, "carriage returns: tr '\\r' '\\n' <FILE | parscan ..."},
        {"", {"-kb", "--header"}, "standard input: there is no header: the input has no line"},
        {"# a\n\n", {"-kb", "--header", "--comment=#"}, "there is no header"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const *const options = cases[i].options;
        expect_failure(run_arguments(text_blob(cases[i].text),
                                     ARGUMENTS("reduce", options[0], options[1], options[2])),
                       cases[i].words);
    }
    expect_failure(RUN("", "sort", "--header", "-k1", "-kb"), "there is no header");
    expect_output(RUN("\"a\rb\",5\r", "scan", "-t,", "-k2"), "5\n");
    expect_output(RUN("1\r2\r", "scan"), "1\n3\n");
    expect_failure(RUN("\xff\xfe"
                       "1",
                       "sort"),
                   "this is text in UTF-16: iconv");
}

/* Records that they end would be lost. */
Test(text, carriage_returns_within_lines_are_refused)
{
    static const struct {
        const char *text, *options[4], *words;
    } cases[] = {
        {"1,5\r2,6\r3,7\n4,8\n", {"reduce", "-t,", "-k1"}, "input: line 1: this is text with li"},
        {"1\r\n1\r2\r3\r\n4\n",
         {"reduce", "-k1"},
         "line 2: this is text with lines that end in car"},
        {"a,1\na,2\rb,3\n", {"group", "-t,", "-g1"}, "line 2: this is text with lines that end"},
        {"\n1 2\n\r2 2\n", {"sort", "-k1"}, "line 3: this is text with lines that end in"},
        {"2 x\r1 y\n", {"unique", "-k2", "--words"}, "line 1: this is text with lines that end"},
        {"a,b\r1,2\n3,4\n", {"scan", "-t,", "-ka", "--header"}, "line 1: this is text with lines"},
        {"# a\r1 2\r3 4\n5 6\n", {"scan", "-k1", "--comment=#"}, "line 1: this is text with lines"},
        {"1\n# \"\r5\"\n",
         {"scan", "-k1", "--comment=#", "--quotes=csv"},
         "line 2: this is text with"},
        {"\"a\rb\",1\n\"a\",2\r\"a\",3\n", {"reduce", "-t,", "-k2"}, "line 2: this is text with"},
        {"\"a\"\"\rb\",1\nc\",\rd\"\n",
         {"scan", "-t,", "-k2", "--missing=0"},
         "line 2: this is te"},
        {"\"a\rb\",1\n", {"reduce", "-t,", "-k2", "--quotes=none"}, "line 1: this is text with"},
        {"1 2\rx 3\ny 4\n", {"reduce", "-k2"}, "line 1: this is text with lines that end in"},
        {"x 2\n1\r3\n", {"reduce", "-k1"}, "line 1: field 1: 'x' is not a number"},
        {"%%MatrixMarket matrix array integer general\r1 1\r1\n",
         {"scan", "-k1"},
         "line 1: this is"},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\r3 2\n",
         {"sort", "-k1", "--mirror"},
         "line 4: this is text with lines that end in carriage returns"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const *const options = cases[i].options;
        expect_failure(
            run_arguments(text_blob(cases[i].text),
                          ARGUMENTS(options[0], options[1], options[2], options[3], "--threads=3")),
            cases[i].words);
    }
    write_file("a", text_blob("1 x\n"));
    write_file("b", text_blob("x 1\nx 2\rx 3\n"));
    expect_failure(RUN("", "join", "-k2", "--other-field=1", "a", "b"),
                   "b: line 2: this is text with lines that end in carriage returns");
    expect_output(RUN("\"a\r,b\",5\r\n\"c\"\"\r\",6\r\r\n \r \n", "scan", "-t,", "-k2"), "5\n11\n");
    expect_output(RUN("1\r5\n2\r6\n", "scan", "-t\r", "-k2"), "5\n11\n");
    expect_output(RUN("1\r2\n2\n", "unique", "--words"), "1\n2\n");
    expect_output(RUN("1\r2\r3\n", "scan"), "1\n3\n6\n");
    expect_shell("seq 300000 >in; (cat in; printf '1\\r2\\n'; cat in) | $0 reduce -k1 2>err;"
                 "test $? = 1 && grep -q 'line 300001: this is text with lines that end' err");
}

Test(text, a_float_for_an_integer_is_refused_with_a_hint)
{
    expect_failure(RUN("1\n2.5\n", "scan"),
                   "line 2: 2.5 is not an integer (--type f64 reads floats)");
    expect_failure(RUN("1e3", "scan"), "1e3 is not an integer");
}

Test(text, control_characters_in_a_word_do_not_reach_the_terminal)
{
    expect_failure(RUN("\x1b[31m", "scan"), "'?[31m' is not a number");
}

Test(text, a_very_long_word_is_cut_in_the_message)
{
    char word[5001];
    memset(word, '7', 5000);
    word[5000] = '\0';
    expect_failure(RUN(word, "scan"), "7... does not fit i64");
    word[4999] = 'x';
    expect_failure(RUN(word, "scan"), "7...' is not a number");
}

Test(text, a_zero_byte_is_no_number)
{
    const blob zero = {"1\0002\n", 4};
    expect_failure(run_arguments(zero, ARGUMENTS("scan")), "line 1: '1?2' is not a number");
}

Test(text, floats_are_written_with_the_fewest_digits)
{
    const char *const cases[][2] = {{"0.1", "0.1"},
                                    {"0.10000000000000001", "0.1"},
                                    {"100", "100"},
                                    {"1e22", "1e22"},
                                    {"123456789012345678", "1.2345678901234568e17"},
                                    {"12345678901234567", "12345678901234568"},
                                    {"0.001", "0.001"},
                                    {"0.00001", "1e-5"},
                                    {"5e-324", "5e-324"},
                                    {"1.7976931348623157e308", "1.7976931348623157e308"},
                                    {"2.2250738585072014e-308", "2.2250738585072014e-308"},
                                    {"5.684341886080802e-14", "5.684341886080802e-14"},
                                    {"9007199254740993", "9007199254740992"},
                                    {"-2.5", "-2.5"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_read("f64", cases[i][0], cases[i][1]);
    expect_read("f32", "0.1", "0.1");
    expect_read("f32", "16777217", "16777216");
    expect_read("f32", "1e-45", "1e-45");
    expect_read("f32", "3.4028235e38", "3.4028235e38");
}

Test(text, floats_half_way_round_to_even_once)
{
    /* Half-way between two floats, and a little above, beyond what a double tells apart. */
    expect_read("f32", "1.000000059604644775390625", "1");
    expect_read("f32", "1.000000059604644775390626", "1.0000001");
    expect_read("f32", "1.00000005960464477539062500000001", "1.0000001");
}

Test(text, nan_and_infinity_are_read_and_written)
{
    const char *const types[] = {"f32", "f64", "f16", "bf16"};
    for (int i = 0; i < 4; i++) {
        expect_read(types[i], "nan", "nan");
        expect_read(types[i], "-nan", "-nan");
        expect_read(types[i], "inf", "inf");
        expect_read(types[i], "-inf", "-inf");
        expect_read(types[i], "Infinity", "inf");
        expect_read(types[i], "NaN", "nan");
    }
    expect_failure(RUN("nan", "scan"), "line 1: nan is not an integer");
}

/* Several chunks of words of varied length, so that words lie across every cut. */
static char *long_text(size_t size, size_t *words, int64_t *last)
{
    char *const text = malloc(size + 32);
    cr_assert_not_null(text);
    size_t used = 0;
    uint64_t state = 1;
    *words = 0;
    *last = 0;
    while (used < size) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t value = (int64_t)(state >> (20 + state % 43)) * (state >> 40 & 1 ? 1 : -1);
        used += (size_t)sprintf(text + used, "%" PRId64 "%c", value, *words % 3 ? ' ' : '\n');
        ++*words;
        *last += value;
    }
    return text;
}

Test(text, words_across_the_edges_of_chunks_are_read_whole)
{
    size_t words;
    int64_t last;
    char *const text = long_text(9500000, &words, &last);
    write_file("in", text_blob(text));
    const char *const threads[] = {"1", "2", "5"};
    for (int i = 0; i < 3; i++) {
        expect_done(RUN("", "scan", "--quiet", "--threads", threads[i], "in", "-o", "out.npy"));
        const blob out = read_file("out.npy");
        cr_assert_eq(out.size, 128 + words * 8);
        cr_assert_eq(memcmp(out.bytes + out.size - 8, &last, 8), 0);
    }
    free(text);
}

Test(text, the_line_of_an_error_in_a_later_chunk_is_right)
{
    size_t words;
    int64_t last;
    char *const text = long_text(9500000, &words, &last);
    size_t lines = 1;
    for (const char *p = text; *p != '\0'; p++)
        lines += *p == '\n';
    strcat(text, "oops\n1\n2\n");
    char expected[64];
    snprintf(expected, sizeof expected,
             "parscan: standard input: line %zu: 'oops' is not a number\n", lines);
    expect_failure(RUN(text, "scan", "--threads", "1", "-o", "out"), expected);
    expect_failure(RUN(text, "scan", "--threads", "3", "-o", "out"), expected);
    cr_assert_eq(count_files(), 0);
    free(text);
}

Test(text, the_first_of_several_errors_is_told)
{
    char *const text = malloc(3000000);
    cr_assert_not_null(text);
    memset(text, '\n', 2999999);
    text[2999999] = '\0';
    memcpy(text + 1000000, "first", 5);
    memcpy(text + 2500000, "second", 6);
    expect_failure(RUN(text, "scan", "--threads", "4", "-o", "out"),
                   "line 1000001: 'first' is not a number");
    free(text);
}

Test(text, a_word_longer_than_a_chunk_is_refused)
{
    char *const text = malloc(5000001);
    cr_assert_not_null(text);
    memset(text, '0', 5000000);
    memcpy(text, "1\n2\n", 4);
    text[5000000] = '\0';
    expect_failure(RUN(text, "scan", "-o", "out"),
                   "parscan: standard input: line 3: a word of more than 4194304 bytes");
    free(text);
}

Test(text, a_byte_order_mark_is_skipped)
{
    expect_output(RUN("\xef\xbb\xbf"
                      "1 2\n",
                      "scan"),
                  "1\n3\n");
    expect_output(RUN("\xef\xbb\xbf", "scan"), "");
    expect_failure(RUN("1 \xef\xbb\xbf", "scan"), "is not a number");
}
