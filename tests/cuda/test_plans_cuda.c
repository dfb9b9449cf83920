/* PARSCAN_DEBUG=plan prints which variant a call runs. What plans there are, tests/scan/plan asks. */
#define _POSIX_C_SOURCE 200809L /* dup, setenv */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parscan/parscan.h"
#include "tests/support/test_engine.h"

TestSuite(printed_plans, .timeout = 120);

#define N ((size_t)1000)

typedef struct arrays {
    uint32_t in[N], out[N], offsets[N / 10 + 1], counts[256];
} arrays;

static parscan_status sort_keys(parscan_context *context, arrays *a)
{
    return parscan_sort_keys(context, PARSCAN_U32, a->in, a->out, N, NULL);
}

static parscan_segments segments_of(const arrays *a)
{
    return (parscan_segments){.struct_size = sizeof(parscan_segments),
                              .kind = PARSCAN_SEGMENTS_OFFSETS,
                              .type = PARSCAN_U32,
                              .data = a->offsets,
                              .count = N / 10};
}

static parscan_status sort_segments(parscan_context *context, arrays *a)
{
    const parscan_segments segments = segments_of(a);
    return parscan_sort_segments(context, PARSCAN_U32, a->in, a->out, 0, NULL, NULL, N, &segments,
                                 NULL);
}

static parscan_status count(parscan_context *context, arrays *a)
{
    return parscan_histogram(context, PARSCAN_U8, a->in, N, 256, PARSCAN_U32, a->counts, NULL);
}

static parscan_status bin(parscan_context *context, arrays *a)
{
    return parscan_bin(context, PARSCAN_U32, a->offsets, 4, a->in, N / 10, 64, PARSCAN_U32,
                       a->counts, a->out);
}

static parscan_status scan(parscan_context *context, arrays *a)
{
    return parscan_inclusive_scan(context, PARSCAN_U32, a->in, a->out, N, NULL);
}

static parscan_status reduce(parscan_context *context, arrays *a)
{
    return parscan_reduce(context, PARSCAN_U32, a->in, a->out, N, NULL);
}

static parscan_status compact(parscan_context *context, arrays *a)
{
    uint64_t kept;
    return parscan_compact_if(context, PARSCAN_U32, a->in, NULL, a->out, N, &kept);
}

static parscan_status scan_segments(parscan_context *context, arrays *a)
{
    const parscan_segments segments = segments_of(a);
    return parscan_segmented_inclusive_scan(context, PARSCAN_U32, a->in, a->out, N, &segments,
                                            NULL);
}

static parscan_status reduce_segments(parscan_context *context, arrays *a)
{
    const parscan_segments segments = segments_of(a);
    return parscan_segmented_reduce(context, PARSCAN_U32, a->in, a->out, N, &segments, NULL, NULL);
}

static parscan_status recur(parscan_context *context, arrays *a)
{
    return parscan_recurrence(context, PARSCAN_F32, a->in, a->in, NULL, a->out, N);
}

static parscan_status allocate(parscan_context *context, arrays *a)
{
    uint64_t total;
    return parscan_allocate(context, PARSCAN_U32, a->in, N, PARSCAN_U32, a->out, &total, NULL);
}

static parscan_status expand(parscan_context *context, arrays *a)
{
    uint64_t total;
    return parscan_expand(context, PARSCAN_U32, a->in, N, PARSCAN_U32, a->out, NULL, N, &total);
}

static parscan_status pack(parscan_context *context, arrays *a)
{
    for (unsigned k = 0; k < 256; k++)
        a->counts[k] = 4;
    return parscan_pack(context, a->in, PARSCAN_U32, a->offsets, PARSCAN_U32, a->counts, a->out,
                        a->offsets, N / 10);
}

/* What a call prints on standard error, in a new context. */
static void print_call(parscan_status (*call)(parscan_context *, arrays *), char *text, size_t size)
{
    arrays *const a = calloc(1, sizeof *a);
    FILE *const file = tmpfile();
    const int before = dup(STDERR_FILENO);
    cr_assert_not_null(a);
    cr_assert_not_null(file);
    for (size_t k = 0; k <= N / 10; k++)
        a->offsets[k] = (uint32_t)(10 * k);
    parscan_context *const context = test_context();
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    const parscan_status status = call(context, a);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    parscan_context_destroy(context);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    free(a);
    cr_assert_eq(status, PARSCAN_OK);
}

Test(printed_plans, name_the_variant_of_each_call)
{
    static const struct {
        parscan_status (*call)(parscan_context *, arrays *);
        const char *plan; /* the start of its line */
    } rows[] = {
        {sort_keys, "parscan: plan: radix_sort: in_block, 1000 elements"},
        {sort_segments, "parscan: plan: sort_segments: "},
        {count, "parscan: plan: histogram: bytes, 1000 elements"},
        {bin, "parscan: plan: bin: in_block, 100 elements"},
        {scan, "parscan: plan: scan: few, 1000 elements"},
        {reduce, "parscan: plan: scan: reduce_few, 1000 elements"},
        {compact, "parscan: plan: compact: "},
        {scan_segments, "parscan: plan: segmented: block_each, 1000 elements, 100 segments"},
        {reduce_segments, "parscan: plan: segmented: block_each, 1000 elements, 100 segments"},
        {recur, "parscan: plan: recurrence: "},
        {allocate, "parscan: plan: allocate: "},
        {expand, "parscan: plan: expand: after_total, 1000 items"},
        {pack, "parscan: plan: pack: in_batches, 100 records"}};
    char text[4096];
    need_cuda();
    setenv("PARSCAN_DEBUG", "plan", 1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        print_call(rows[k].call, text, sizeof text);
        cr_expect_not_null(strstr(text, rows[k].plan), "not \"%s\", but:\n%s", rows[k].plan, text);
    }
}

Test(printed_plans, are_printed_only_where_the_environment_asks)
{
    char text[4096];
    need_cuda();
    unsetenv("PARSCAN_DEBUG");
    print_call(sort_keys, text, sizeof text);
    cr_expect_str_eq(text, "");
}
