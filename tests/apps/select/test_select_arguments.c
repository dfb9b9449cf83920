/* Every bad argument of selections: the status, the message, nothing written. */
#include <criterion/criterion.h>
#include <string.h>

#include "parscan/select.h"
#include "tests/support/test_engine.h"

enum { N = 10 };

/* A call that is right until a test changes something. */
typedef struct call {
    parscan_type type, index_type;
    parscan_op op;
    const void *in;
    size_t n;
    void *values, *indices;
    parscan_segments cut;
    bool by_segments;
    parscan_arg_reduce_options options;
} call;

static int32_t in[N];
static unsigned char values[8 * N], indices[8 * N];
static uint64_t count;
static const uint8_t flags[N] = {0, 0, 1};
static const uint32_t decreasing[] = {0, 7, 3, N}, early[] = {0, 3, N - 1};

static call good_call(void)
{
    return (call){.type = PARSCAN_I32,
                  .index_type = PARSCAN_U32,
                  .op = PARSCAN_MAX,
                  .in = in,
                  .n = N,
                  .values = values,
                  .indices = indices,
                  .cut = PARSCAN_SEGMENTS(.data = flags),
                  .options = PARSCAN_ARG_REDUCE_OPTIONS(.count = &count)};
}

static parscan_status make(parscan_context *context, call c)
{
    memset(values, 0xa5, sizeof values);
    memset(indices, 0xa5, sizeof indices);
    count = 12345;
    if (c.by_segments)
        c.options.segments = &c.cut;
    return parscan_arg_reduce(context, c.type, c.in, c.n, c.op, c.values, c.index_type, c.indices,
                              &c.options);
}

static bool nothing_written(void)
{
    for (size_t i = 0; i < sizeof values; i++)
        if (values[i] != 0xa5 || indices[i] != 0xa5)
            return false;
    return count == 12345;
}

#define EXPECT(status, name, value, kept, ...)                                 \
    do {                                                                       \
        call c = good_call();                                                  \
        __VA_ARGS__;                                                           \
        cr_assert_eq(make(context, c), PARSCAN_ERROR_##status, "%s", name);    \
        const char *const words = parscan_context_error(context);              \
        cr_assert(strstr(words, name) != NULL && strstr(words, value) != NULL, \
                  "\"%s\" does not name %s = %s", words, name, value);         \
        cr_assert(!(kept) || nothing_written());                               \
        cr_assert_eq(make(context, good_call()), PARSCAN_OK);                  \
    } while (0)
#define INVALID(name, value, ...) EXPECT(INVALID_ARGUMENT, name, value, true, __VA_ARGS__)

Test(bad_arguments, of_a_reduction_to_an_index_are_named)
{
    parscan_context *const context = test_context();
    cr_assert_eq(make(NULL, good_call()), PARSCAN_ERROR_INVALID_ARGUMENT);
    INVALID("type", "99", c.type = (parscan_type)99);
    INVALID("op", "77", c.op = (parscan_op)77);
    EXPECT(UNSUPPORTED, "op", "sum", true, c.op = PARSCAN_SUM);
    INVALID("index_type", "f32", c.index_type = PARSCAN_F32);
    INVALID("index_type", "0", c.index_type = (parscan_type)0);
    INVALID("in is NULL", "n = 10", c.in = NULL);
    INVALID("struct_size", "8", c.options.struct_size = 8);
    INVALID("overlaps", "in", c.values = in);
    INVALID("overlaps", "indices_out", c.values = indices + 2);
    INVALID("n", "address space", c.n = SIZE_MAX / 2, c.index_type = PARSCAN_U64);
    INVALID("n = 4294967297", "u32", c.n = ((size_t)1 << 32) + 1);
    INVALID("n = 2147483649", "i32", c.n = ((size_t)1 << 31) + 1, c.index_type = PARSCAN_I32);
    parscan_context_destroy(context);
}

Test(bad_arguments, of_segments_are_named)
{
    parscan_context *const context = test_context();
    INVALID("count", "NULL", c.by_segments = true, c.options.count = NULL);
    INVALID("kind", "9", c.by_segments = true, c.cut.kind = (parscan_segment_kind)9);
    INVALID("segments->data", "NULL", c.by_segments = true, c.cut.data = NULL);
    INVALID("segments->count", "3", c.by_segments = true, c.cut.kind = PARSCAN_SEGMENTS_ROWS,
            c.cut.count = 3);
    INVALID("overlaps", "segments->data", c.by_segments = true, c.cut.data = indices);
    INVALID("offsets[2]", "9", c.by_segments = true, c.cut.kind = PARSCAN_SEGMENTS_OFFSETS,
            c.cut.type = PARSCAN_U32, c.cut.data = early, c.cut.count = 2);
    EXPECT(INVALID_ARGUMENT, "offsets[2] = 3", "7", false, c.by_segments = true,
           c.cut.kind = PARSCAN_SEGMENTS_OFFSETS, c.cut.type = PARSCAN_U32, c.cut.data = decreasing,
           c.cut.count = 3);
    parscan_context_destroy(context);
}

/* ---- top-k ---- */

typedef struct top_call {
    parscan_type type, index_type;
    const void *in;
    size_t n, k;
    void *values, *indices;
    parscan_segments cut;
    bool by_segments;
    parscan_top_k_options options;
} top_call;

static uint64_t counts[N];

static top_call good_top(void)
{
    return (top_call){.type = PARSCAN_I32,
                      .index_type = PARSCAN_U32,
                      .in = in,
                      .n = N,
                      .k = 3,
                      .values = values,
                      .indices = indices,
                      .cut = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = 2),
                      .options = PARSCAN_TOP_K_OPTIONS(.count = &count, .counts = counts)};
}

static parscan_status make_top(parscan_context *context, top_call c)
{
    memset(values, 0xa5, sizeof values);
    memset(indices, 0xa5, sizeof indices);
    count = 12345;
    if (c.by_segments)
        c.options.segments = &c.cut;
    return parscan_top_k(context, c.type, c.in, c.n, c.k, c.values, c.index_type, c.indices,
                         &c.options);
}

#define INVALID_TOP(name, value, ...)                                                   \
    do {                                                                                \
        top_call c = good_top();                                                        \
        __VA_ARGS__;                                                                    \
        cr_assert_eq(make_top(context, c), PARSCAN_ERROR_INVALID_ARGUMENT, "%s", name); \
        const char *const words = parscan_context_error(context);                       \
        cr_assert(strstr(words, name) != NULL && strstr(words, value) != NULL,          \
                  "\"%s\" does not name %s = %s", words, name, value);                  \
        cr_assert(nothing_written());                                                   \
        cr_assert_eq(make_top(context, good_top()), PARSCAN_OK);                        \
    } while (0)

Test(bad_arguments, of_a_top_k_are_named)
{
    parscan_context *const context = test_context();
    cr_assert_eq(make_top(NULL, good_top()), PARSCAN_ERROR_INVALID_ARGUMENT);
    INVALID_TOP("type", "99", c.type = (parscan_type)99);
    INVALID_TOP("index_type", "u8", c.index_type = PARSCAN_U8);
    INVALID_TOP("in is NULL", "n = 10", c.in = NULL);
    INVALID_TOP("k = 11", "n = 10", c.k = 11);
    INVALID_TOP("struct_size", "8", c.options.struct_size = 8);
    INVALID_TOP("overlaps", "in", c.values = in);
    INVALID_TOP("values_out", "indices_out", c.values = indices + 2);
    INVALID_TOP("indices_out", "counts", c.options.counts = (uint64_t *)(void *)indices);
    INVALID_TOP("k = 4611686018427387904", "address space", c.by_segments = true,
                c.k = (size_t)1 << 62);
    /* By flags only the call finds out how many segments there are: none is named. */
    INVALID_TOP("values_out: k = 18446744073709551615 elements of 4 bytes", "address space",
                c.by_segments = true, c.cut = PARSCAN_SEGMENTS(.data = flags), c.k = SIZE_MAX);
    INVALID_TOP("n = 4294967297", "u32", c.n = ((size_t)1 << 32) + 1);
    parscan_context_destroy(context);
}
