/* --axis: each line of an npy array of several dimensions, in C and in Fortran order, as a loop has it. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

TestSuite(axis, .init = enter_folder, .fini = leave_folder);

enum { DIMENSIONS = 3, MOST = 60 };

/* An array of numbers; of two dimensions the first length is 1. */
typedef struct grid {
    size_t lengths[DIMENSIONS];
    size_t strides[DIMENSIONS]; /* in elements */
    size_t n, first;            /* first: the dimension that the file begins with */
    bool fortran;
} grid;

static grid new_grid(size_t a, size_t b, size_t c, bool fortran)
{
    grid made = {.lengths = {a, b, c}, .n = a * b * c, .first = a == 1, .fortran = fortran};
    size_t stride = 1;
    for (int k = 0; k < DIMENSIONS; k++) {
        const int d = fortran ? k : DIMENSIONS - 1 - k;
        made.strides[d] = stride;
        stride *= made.lengths[d];
    }
    return made;
}

/* The same where that dimension has another length; 0: where it is gone. */
static grid cut_grid(const grid *from, int axis, size_t length)
{
    size_t lengths[DIMENSIONS];
    memcpy(lengths, from->lengths, sizeof lengths);
    lengths[axis] = length > 0 ? length : 1;
    grid made = new_grid(lengths[0], lengths[1], lengths[2], from->fortran);
    made.first = from->first;
    return made;
}

static size_t place(const grid *of, size_t line, int axis, size_t i)
{
    const int p = axis == 0 ? 1 : 0, q = axis == 2 ? 1 : 2;
    return of->strides[p] * (line / of->lengths[q]) + of->strides[q] * (line % of->lengths[q]) +
           of->strides[axis] * i;
}

/* The header's text; without the dimension `gone`, unless it is -1. */
static void describe(const grid *of, const char *type, int gone, char text[128])
{
    size_t used = 0, shown = 0;
    used = (size_t)snprintf(text, 128, "{'descr': '%s', 'fortran_order': %s, 'shape': (", type,
                            of->fortran ? "True" : "False");
    for (int d = (int)of->first; d < DIMENSIONS; d++)
        if (d != gone)
            used += (size_t)snprintf(text + used, 128 - used, "%s%zu", shown++ > 0 ? ", " : "",
                                     of->lengths[d]);
    snprintf(text + used, 128 - used, "%s), }", shown == 1 ? "," : "");
}

static void expect_npy(program_run run, const char *header, const void *elements, size_t size)
{
    expect_done(run);
    cr_assert_eq(run.out.size, 128 + size, "%zu bytes", run.out.size);
    cr_assert_eq(memcmp(run.out.bytes + 10, header, strlen(header)), 0, "%.118s",
                 run.out.bytes + 10);
    cr_assert_eq(memcmp(run.out.bytes + 128, elements, size), 0);
}

/* Numbers, some of them equal. */
static void fill(const grid *of, int32_t numbers[MOST])
{
    for (size_t i = 0; i < of->n; i++)
        numbers[i] = (int32_t)(i * 7 % 11) - 5;
}

static void write_numbers(const grid *of, const int32_t numbers[MOST])
{
    char header[128];
    describe(of, "<i4", -1, header);
    write_file("in.npy", npy_blob(1, header, numbers, of->n * sizeof *numbers));
}

typedef void grid_check(const grid *of, const int32_t numbers[MOST], int axis, const char *option);

/* Calls it for arrays of two and three dimensions in both orders, and each of their axes, forwards and from
   the end. */
static void each_axis(grid_check *check)
{
    static const size_t shapes[][DIMENSIONS] = {{1, 3, 5}, {1, 1, 7}, {3, 4, 5}};
    for (size_t s = 0; s < 2 * sizeof shapes / sizeof shapes[0]; s++) {
        const size_t *const lengths = shapes[s / 2];
        const grid of = new_grid(lengths[0], lengths[1], lengths[2], s % 2 == 1);
        int32_t numbers[MOST];
        fill(&of, numbers);
        write_numbers(&of, numbers);
        for (int axis = (int)of.first; axis < DIMENSIONS; axis++) {
            char option[32];
            snprintf(option, sizeof option, "--axis=%d",
                     s % 2 == 1 ? axis - DIMENSIONS : axis - (int)of.first);
            check(&of, numbers, axis, option);
        }
    }
}

static void check_scans(const grid *of, const int32_t numbers[MOST], int axis, const char *option)
{
    int32_t forward[MOST], back[MOST];
    char header[128];
    const size_t n = of->lengths[axis];
    describe(of, "<i4", -1, header);
    for (size_t line = 0; line < of->n / n; line++) {
        int32_t sum = 0, before = 100;
        for (size_t i = 0; i < n; i++) {
            const size_t at = place(of, line, axis, i), end = place(of, line, axis, n - 1 - i);
            forward[at] = sum += numbers[at];
            back[end] = before;
            before += numbers[end];
        }
    }
    expect_npy(RUN("", "scan", option, "in.npy"), header, forward, of->n * sizeof *forward);
    expect_npy(RUN("", "scan", option, "in.npy", "--reverse", "--exclusive", "--init=100"), header,
               back, of->n * sizeof *back);
}

Test(axis, scans_run_along_each)
{
    each_axis(check_scans);
}

/* The rank of element i of a line in ascending order, or in descending order; equal ones stay in order. */
static size_t rank_of(const grid *of, const int32_t *numbers, size_t line, int axis, size_t i,
                      bool descending)
{
    const int32_t it = numbers[place(of, line, axis, i)];
    size_t rank = 0;
    for (size_t k = 0; k < of->lengths[axis]; k++) {
        const int32_t other = numbers[place(of, line, axis, k)];
        rank += (descending ? other > it : other < it) || (other == it && k < i);
    }
    return rank;
}

static void check_sorts(const grid *of, const int32_t numbers[MOST], int axis, const char *option)
{
    int32_t sorted[MOST];
    uint64_t indices[MOST];
    char header[128], index_header[128];
    describe(of, "<i4", -1, header);
    describe(of, "<u8", -1, index_header);
    for (size_t line = 0; line < of->n / of->lengths[axis]; line++)
        for (size_t i = 0; i < of->lengths[axis]; i++) {
            const int32_t number = numbers[place(of, line, axis, i)];
            sorted[place(of, line, axis, rank_of(of, numbers, line, axis, i, false))] = number;
            indices[place(of, line, axis, rank_of(of, numbers, line, axis, i, true))] = i;
        }
    expect_npy(RUN("", "sort", option, "in.npy"), header, sorted, of->n * sizeof *sorted);
    expect_npy(RUN("", "sort", option, "in.npy", "--argsort", "-r"), index_header, indices,
               of->n * sizeof *indices);
}

Test(axis, sorts_run_along_each)
{
    each_axis(check_sorts);
}

static void check_tops(const grid *of, const int32_t numbers[MOST], int axis, const char *option)
{
    int32_t best[MOST];
    char header[128];
    const size_t n = of->lengths[axis], k = n < 2 ? n : 2;
    const grid to = cut_grid(of, axis, k);
    describe(&to, "<i4", -1, header);
    for (size_t line = 0; line < of->n / n; line++)
        for (size_t i = 0; i < n; i++) {
            const size_t rank = rank_of(of, numbers, line, axis, i, true);
            if (rank < k)
                best[place(&to, line, axis, rank)] = numbers[place(of, line, axis, i)];
        }
    expect_npy(RUN("", "top", "-n2", option, "in.npy"), header, best, to.n * sizeof *best);
}

Test(axis, the_largest_of_each_line_are_found)
{
    each_axis(check_tops);
}

static void check_reductions(const grid *of, const int32_t numbers[MOST], int axis,
                             const char *option)
{
    int64_t sums[MOST];
    int32_t least[MOST];
    double means[MOST];
    char header[128];
    const size_t n = of->lengths[axis];
    const grid to = cut_grid(of, axis, 0);
    for (size_t line = 0; line < to.n; line++) {
        const size_t at = place(&to, line, axis, 0);
        sums[at] = 0;
        least[at] = INT32_MAX;
        for (size_t i = 0; i < n; i++) {
            const int32_t number = numbers[place(of, line, axis, i)];
            sums[at] += number;
            least[at] = number < least[at] ? number : least[at];
        }
        means[at] = (double)sums[at] / (double)n;
    }
    describe(&to, "<i8", axis, header);
    expect_npy(RUN("", "reduce", option, "in.npy"), header, sums, to.n * sizeof *sums);
    describe(&to, "<i4", axis, header);
    expect_npy(RUN("", "reduce", "--op=min", option, "in.npy"), header, least,
               to.n * sizeof *least);
    describe(&to, "<f8", axis, header);
    expect_npy(RUN("", "reduce", "--op=mean", option, "in.npy"), header, means,
               to.n * sizeof *means);
}

Test(axis, reductions_drop_each)
{
    each_axis(check_reductions);
}

static void write_npy(const char *type, const char *shape, const void *elements, size_t size)
{
    char header[128];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
             type, shape);
    write_file("in.npy", npy_blob(1, header, elements, size));
}

#define HEADER(type, shape) "{'descr': '" type "', 'fortran_order': False, 'shape': (" shape "), }"

/* The types are those of numpy.sum, numpy.mean and numpy.count of such arrays. */
Test(axis, results_have_the_types_that_hold_them)
{
    const uint64_t twice[] = {400, 2}, two[] = {2, 2};
    write_npy("|u1", "2, 2", "\310\1\310\1", 4);
    expect_npy(RUN("", "reduce", "--axis=0", "in.npy"), HEADER("<u8", "2,"), twice, 16);
    expect_npy(RUN("", "reduce", "--axis=0", "--op=count", "in.npy"), HEADER("<u8", "2,"), two, 16);
    write_npy("|b1", "2, 2", "\2\0\1\1", 4);
    expect_npy(RUN("", "scan", "--axis=0", "in.npy"), HEADER("<u8", "2, 2"),
               ((const uint64_t[]){1, 0, 2, 1}), 32);
    const double tenths[] = {0.1f, 0.2f};
    write_npy("<f4", "1, 2", (const float[]){0.1f, 0.2f}, 8);
    expect_npy(RUN("", "reduce", "--axis=0", "in.npy"), HEADER("<f8", "2,"), tenths, 16);
    const int64_t large[] = {INT64_MAX, INT64_MAX};
    write_npy("<i8", "2", large, sizeof large);
    expect_npy(RUN("", "reduce", "--axis=0", "--op=mean", "in.npy"), HEADER("<f8", ""),
               (const double[]){0x1p63}, 8);
    const uint64_t unsigned_large[] = {UINT64_MAX, 1};
    write_npy("<u8", "2, 1", unsigned_large, sizeof unsigned_large);
    expect_npy(RUN("", "reduce", "--axis=1", "--op=mean", "in.npy"), HEADER("<f8", "2,"),
               ((const double[]){0x1p64, 1}), 16);
}

Test(axis, empty_lines_and_no_lines_are_arrays_too)
{
    write_npy("<f8", "0, 2", "", 0);
    expect_npy(RUN("", "scan", "--axis=0", "in.npy"), HEADER("<f8", "0, 2"), "", 0);
    expect_npy(RUN("", "top", "--axis=0", "in.npy"), HEADER("<f8", "0, 2"), "", 0);
    expect_npy(RUN("", "reduce", "--axis=0", "in.npy"), HEADER("<f8", "2,"),
               ((const double[]){0, 0}), 16);
    expect_output(RUN("", "reduce", "--axis=0", "--op=mean", "--output-format=text", "in.npy"),
                  "nan\nnan\n");
    expect_npy(RUN("", "reduce", "--axis=1", "--op=max", "in.npy"), HEADER("<f8", "0,"), "", 0);
    expect_usage(RUN("", "reduce", "--axis=-2", "--op=max", "in.npy"),
                 "in.npy: --op max: axis 0 has no elements");
}

Test(axis, a_list_is_text_and_other_shapes_are_not)
{
    const int16_t numbers[] = {1, 2, 3, 4, 5, 6};
    write_npy("<i2", "2, 3", numbers, sizeof numbers);
    expect_output(RUN("", "reduce", "--axis=0", "--output-format=text", "in.npy"), "5\n7\n9\n");
    expect_done(RUN("", "reduce", "--axis=1", "in.npy", "-o", "out.txt"));
    expect_content("out.txt", "6\n15\n");
    expect_output(RUN("", "top", "-n1", "--axis=1", "--output-format=text", "in.npy"), "3\n6\n");
    expect_usage(RUN("", "scan", "--axis=1", "in.npy", "-o", "sums.txt"),
                 "--axis 1: the output is 2 x 3, which a text file cannot tell: write npy");
    expect_usage(RUN("", "sort", "--axis=-1", "in.npy", "--output-format=raw"),
                 "--axis -1: the output is 2 x 3, which a raw file cannot tell");
    expect_done(RUN("", "scan", "--axis=1", "in.npy", "-o", "out.npy.gz"));
    expect_output(RUN("", "reduce", "--axis=0", "--output-format=text", "out.npy.gz"),
                  "5\n12\n21\n");
}

Test(axis, what_cannot_be_is_refused_in_words)
{
    const int16_t numbers[] = {1, 2, 3, 4, 5, 6};
    write_file("text", text_blob("1 2 3"));
    write_npy("<i2", "6,", numbers, sizeof numbers);
    expect_failure(RUN("", "scan", "--axis=1", "in.npy"),
                   "in.npy: --axis 1: the npy array (6) has one dimension, 0 or -1");
    expect_output(RUN("", "scan", "--axis=-1", "--output-format=text", "in.npy"),
                  "1\n3\n6\n10\n15\n21\n");
    write_npy("<i2", "2, 3", numbers, sizeof numbers);
    const char *const range = "--axis 2: the npy array (2 x 3) has dimensions 0 to 1, or -2 to -1";
    expect_failure(RUN("", "scan", "--axis", "2", "in.npy"), range);
    expect_failure(RUN("", "reduce", "--axis", "-3", "in.npy"), "--axis -3: the npy array (2 x 3)");
    expect_failure(RUN("", "scan", "in.npy"), "(--axis N runs along one of them; --flatten");
    expect_usage(RUN("", "scan", "--axis=down", "in.npy"), "--axis: 'down' is not the number");
    expect_failure(RUN("", "sort", "--axis=0", "text"), "text: --axis 0: text files have no axes");
    expect_failure(RUN("", "top", "--axis=1", "-k3", "in.npy"), "are for text; -n N says how many");
    expect_usage(RUN("", "top", "--axis=0", "--format=raw", "--type=u8", "text"),
                 "--axis 0: raw files have no axes");
    expect_usage(RUN("", "scan", "--axis=0", "--algorithm=warp", "in.npy"),
                 "--algorithm warp with --axis: it must be auto");
    expect_usage(RUN("", "reduce", "--axis=0", "--op=min,max", "in.npy"), "--op: 2 operators");
    expect_usage(RUN("", "sort", "--axis=0", "-u", "in.npy"), "--axis and --unique");
    expect_usage(RUN("", "sort", "--axis=0", "-c", "in.npy"), "--axis and --check");
    expect_usage(RUN("", "sort", "--axis=0", "-S", "1G", "in.npy"), "--axis and --memory");
    expect_usage(RUN("", "sort", "--axis=0", "--values=in.npy", "--values-output=out", "in.npy"),
                 "--axis and --values");
    write_npy("<i2", "1, 1, 1, 1, 1, 1, 1, 2, 3", numbers, sizeof numbers);
    expect_failure(RUN("", "scan", "--axis=0", "in.npy"), "has 9 dimensions, more than 8");
    write_npy("<i2", "4294967296, 4294967296, 4294967296", numbers, sizeof numbers);
    expect_failure(RUN("", "scan", "--axis=0", "in.npy"), "elements are too many");
    write_npy("<i2", "2, 4", numbers, sizeof numbers);
    expect_failure(RUN("", "scan", "--axis=0", "in.npy"), "6 of 8 elements are there");
}

/* A trace of a line is that of its values. */
Test(axis, trace_shows_one_line)
{
    for (int fortran = 0; fortran <= 1; fortran++) {
        const grid of = new_grid(1, 3, 5, fortran == 1);
        int32_t numbers[MOST];
        fill(&of, numbers);
        write_numbers(&of, numbers);
        for (int axis = 1; axis <= 2; axis++) {
            const char *arguments[9] = {"trace", "--type=i32", "--"};
            char words[8][16], option[32];
            for (size_t i = 0; i < of.lengths[axis]; i++) {
                snprintf(words[i], sizeof words[i], "%d", (int)numbers[place(&of, 2, axis, i)]);
                arguments[3 + i] = words[i];
            }
            snprintf(option, sizeof option, "--axis=%d", axis - 1);
            expect_output(RUN("", "trace", "--file", "in.npy", option, "--line", "2"),
                          run_arguments(text_blob(""), arguments).out.bytes);
        }
    }
}

Test(axis, trace_reads_lists_and_refuses_other_shapes)
{
    const char *const three = RUN("", "trace", "5", "0", "2").out.bytes;
    expect_output(RUN("5 0 2", "trace", "--file", "-"), three);
    write_npy("<i8", "3,", (const int64_t[]){5, 0, 2}, 24);
    expect_output(RUN("", "trace", "--file", "in.npy"), three);
    expect_output(RUN("", "trace", "--file", "in.npy", "--axis", "-1"), three);
    expect_failure(RUN("", "trace", "--file=in.npy", "--axis=0", "--line=1"),
                   "--line 1: there is 1 line along axis 0; the first is 0");
    expect_failure(RUN("1 2", "trace", "--file=-", "--axis=0"), "text files have no axes");
    expect_failure(RUN("", "trace", "--file=none"), "none: ");
    expect_output(
        RUN("n,v\na,5\nb,0\nc,2\n", "trace", "-t", ",", "-k", "v", "--header", "--file", "-"),
        three);
    expect_failure(RUN("n,v\na,5\n", "trace", "--file=-"), "--header leaves it out");
    expect_usage(RUN("", "trace", "-k", "2", "5", "0"),
                 "-k, -t, --header and the like need --file");
    expect_usage(RUN("1 5", "trace", "-k", "v", "--file=-"),
                 "--field: 'v' is not the number of a field");
    expect_usage(RUN("", "trace", "--axis=1", "5", "0"), "--axis 1 needs --file FILE");
    expect_usage(RUN("", "trace", "--line=1", "5", "0"), "--line 1 needs --axis N");
    expect_usage(RUN("", "trace", "--line=0", "--file=in.npy"), "--line 0 needs --axis N");
    expect_usage(RUN("", "trace", "--file=in.npy", "5"), "not of both");
    write_npy("<i8", "1, 3, 1", (const int64_t[]){5, 0, 2}, 24);
    expect_failure(RUN("", "trace", "--file=in.npy", "--axis=1"), "2 dimensions, not of 3");
    write_npy("<i8", "0, 2", "", 0);
    expect_failure(RUN("", "trace", "--file=in.npy", "--axis=0"), "there are no values");
    expect_failure(RUN("", "trace", "--file=in.npy"), "--axis N runs along one of them");
}
