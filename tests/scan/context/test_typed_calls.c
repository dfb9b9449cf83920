/* A call that does not take floats of 16 bits yet says so, and touches nothing. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "parscan/parscan.h"
#include "scan/context/check.h"
#include "scan/tables.h"

enum { N = 4 };

typedef struct arrays {
    uint16_t in[N], out[N];
    uint64_t counts[N], count;
} arrays;

static parscan_status sort(parscan_context *context, parscan_type type, arrays *a)
{
    return parscan_sort_keys(context, type, a->in, a->out, N, NULL);
}

static parscan_status scan(parscan_context *context, parscan_type type, arrays *a)
{
    return parscan_inclusive_scan(context, type, a->in, a->out, N, NULL);
}

static parscan_status reduce_widened(parscan_context *context, parscan_type type, arrays *a)
{
    return parscan_reduce(context, type, a->in, a->counts, N,
                          &PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_F64));
}

static parscan_status segmented(parscan_context *context, parscan_type type, arrays *a)
{
    static const uint8_t flags[N] = {1};
    const parscan_segments segments = PARSCAN_SEGMENTS(.data = flags);
    return parscan_segmented_inclusive_scan(context, type, a->in, a->out, N, &segments, NULL);
}

static parscan_status by_keys(parscan_context *context, parscan_type type, arrays *a)
{
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = type, .data = a->in);
    return parscan_segmented_inclusive_scan(context, PARSCAN_U16, a->in, a->out, N, &segments,
                                            NULL);
}

static parscan_status unique(parscan_context *context, parscan_type type, arrays *a)
{
    return parscan_unique(context, type, a->in, a->out, N, &a->count);
}

static parscan_status histogram(parscan_context *context, parscan_type type, arrays *a)
{
    static const uint16_t lower = 0, upper = 0x3c00;
    return parscan_histogram(context, type, a->in, N, N, PARSCAN_U64, a->counts,
                             &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper));
}

static parscan_status sorter(parscan_context *context, parscan_type type, arrays *a)
{
    parscan_sorter *made = NULL;
    (void)a;
    const parscan_status status =
        parscan_sorter_create(&made, context, &PARSCAN_SORTER_OPTIONS(.key_type = type));
    parscan_sorter_destroy(made);
    return status;
}

static parscan_status created(parscan_chunked *made, parscan_status status)
{
    parscan_chunked_destroy(made);
    return status;
}

static parscan_status chunked_scan(parscan_context *context, parscan_type type, arrays *a)
{
    parscan_chunked *made = NULL;
    (void)a;
    const parscan_status status = parscan_chunked_create_inclusive_scan(&made, context, type, NULL);
    return created(made, status);
}

static parscan_status chunked_segmented(parscan_context *context, parscan_type type, arrays *a)
{
    parscan_chunked *made = NULL;
    (void)a;
    const parscan_status status = parscan_chunked_create_segmented_inclusive_scan(
        &made, context, type, PARSCAN_SEGMENTS_FLAGS, PARSCAN_U8, NULL);
    return created(made, status);
}

static parscan_status chunked_unique(parscan_context *context, parscan_type type, arrays *a)
{
    parscan_chunked *made = NULL;
    (void)a;
    const parscan_status status = parscan_chunked_create_unique(&made, context, type);
    return created(made, status);
}

static parscan_status chunked_histogram(parscan_context *context, parscan_type type, arrays *a)
{
    static const uint16_t lower = 0, upper = 0x3c00;
    parscan_chunked *made = NULL;
    (void)a;
    const parscan_status status = parscan_chunked_create_histogram(
        &made, context, type, N, PARSCAN_U64,
        &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper));
    return created(made, status);
}

static const struct {
    parscan_typed_call call;
    parscan_status (*run)(parscan_context *context, parscan_type type, arrays *a);
} calls[] = {
    {PARSCAN_CALL_SCAN, scan},
    {PARSCAN_CALL_SCAN, reduce_widened},
    {PARSCAN_CALL_SEGMENTED, segmented},
    {PARSCAN_CALL_SEGMENT_KEYS, by_keys},
    {PARSCAN_CALL_SORT, sort},
    {PARSCAN_CALL_SORTER, sorter},
    {PARSCAN_CALL_COMPACT, unique},
    {PARSCAN_CALL_HISTOGRAM, histogram},
    {PARSCAN_CALL_CHUNKED_SCAN, chunked_scan},
    {PARSCAN_CALL_CHUNKED_SEGMENTED, chunked_segmented},
    {PARSCAN_CALL_CHUNKED_COMPACT, chunked_unique},
    {PARSCAN_CALL_CHUNKED_HISTOGRAM, chunked_histogram},
};

Test(typed_calls, say_so_where_they_do_not_take_floats_of_16_bits)
{
    static const parscan_type types[] = {
#define X(ctx, NAME, ...) PARSCAN_##NAME,
        PARSCAN_STORED_TYPES(X, )
#undef X
    };
    parscan_context *context = NULL;
    cr_assert_eq(
        parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)),
        PARSCAN_OK);
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
            const arrays before = {.in = {0x3c00, 0, 0x8000, 0x7c01}, .out = {1, 2, 3, 4}};
            const parscan_type type = types[t];
            arrays a = before;
            const parscan_status status = calls[k].run(context, type, &a);
            if (parscan_call_takes(context, calls[k].call, type)) {
                cr_assert_eq(status, PARSCAN_OK, "%zu: %s", k, parscan_context_error(context));
                continue;
            }
            char words[64];
            snprintf(words, sizeof words, "type = %s: ", parscan_type_name(type));
            cr_assert_eq(status, PARSCAN_ERROR_UNSUPPORTED, "%zu", k);
            cr_assert_not_null(strstr(parscan_context_error(context), words), "%zu: %s", k,
                               parscan_context_error(context));
            cr_assert_eq(memcmp(&a, &before, sizeof a), 0, "%zu", k);
        }
    parscan_context_destroy(context);
}
