/* Operators and predicates of the caller's in chunks: as one call with the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/byte_maps.h"
#include "tests/support/chunked_case.h"
#include "tests/support/compact_case.h"
#include "tests/support/counting.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define ENDED(...)                                              \
    (parscan_chunked_end)                                       \
    {                                                           \
        .struct_size = sizeof(parscan_chunked_end), __VA_ARGS__ \
    }

typedef enum custom_kind {
    INCLUSIVE,
    EXCLUSIVE,
    REDUCTION,
    SEGMENTED,
    SEGMENTED_EXCLUSIVE,
    BY_KEY,
    KINDS
} custom_kind;

typedef struct custom {
    custom_kind kind;
    parscan_segments segments;
    parscan_scan_options options;
    size_t size, n, most;
    const uint8_t *in;
} custom;

static parscan_status make_custom(parscan_chunked **chunked, parscan_context *context,
                                  const void *what)
{
    const custom *const c = what;
    const parscan_scan_options *const options = &c->options;
    switch (c->kind) {
    case INCLUSIVE:
        return parscan_chunked_create_inclusive_scan(chunked, context, PARSCAN_CUSTOM, options);
    case EXCLUSIVE:
        return parscan_chunked_create_exclusive_scan(chunked, context, PARSCAN_CUSTOM, options);
    case REDUCTION:
        return parscan_chunked_create_reduce(chunked, context, PARSCAN_CUSTOM, options);
    case SEGMENTED:
        return parscan_chunked_create_segmented_inclusive_scan(
            chunked, context, PARSCAN_CUSTOM, c->segments.kind, c->segments.type, options);
    case SEGMENTED_EXCLUSIVE:
        return parscan_chunked_create_segmented_exclusive_scan(
            chunked, context, PARSCAN_CUSTOM, c->segments.kind, c->segments.type, options);
    default:
        return parscan_chunked_create_reduce_by_key(chunked, context, c->segments.type,
                                                    PARSCAN_CUSTOM, options);
    }
}

/* The one call. Returns the number of results. */
static uint64_t one_call(parscan_context *context, const custom *c, void *out, void *keys)
{
    uint64_t results = c->n;
    parscan_status status;
    const parscan_scan_options *const options = &c->options;
    switch (c->kind) {
    case INCLUSIVE:
        status = parscan_inclusive_scan(context, PARSCAN_CUSTOM, c->in, out, c->n, options);
        break;
    case EXCLUSIVE:
        status = parscan_exclusive_scan(context, PARSCAN_CUSTOM, c->in, out, c->n, options);
        break;
    case REDUCTION:
        results = 1;
        status = parscan_reduce(context, PARSCAN_CUSTOM, c->in, out, c->n, options);
        break;
    case SEGMENTED:
        status = parscan_segmented_inclusive_scan(context, PARSCAN_CUSTOM, c->in, out, c->n,
                                                  &c->segments, options);
        break;
    case SEGMENTED_EXCLUSIVE:
        status = parscan_segmented_exclusive_scan(context, PARSCAN_CUSTOM, c->in, out, c->n,
                                                  &c->segments, options);
        break;
    default:
        status = parscan_reduce_by_key(context, c->segments.type, c->segments.data, keys,
                                       PARSCAN_CUSTOM, c->in, out, c->n, &results, options);
        break;
    }
    cr_assert_eq(status, PARSCAN_OK, "%s", parscan_context_error(context));
    return results;
}

static void expect_custom(const chunked_contexts *contexts, const custom *c)
{
    const bool reduces = c->kind == REDUCTION, by_key = c->kind == BY_KEY;
    const size_t key_size = c->kind >= SEGMENTED ? parscan_type_size(c->segments.type) : 0;
    const size_t bytes = (c->n + 1) * c->size;
    uint8_t *const right = need_memory(bytes), *const out = need_memory(bytes);
    char *const right_keys = need_memory((c->n + 1) * 8), *const keys = need_memory((c->n + 1) * 8);
    uint8_t last[MOST_BYTES];
    const uint64_t results = one_call(contexts->of[0], c, right, right_keys);
    const chunked_case given = {.make = make_custom,
                                .what = c,
                                .in = c->in,
                                .in_size = c->size,
                                .in2 = key_size > 0 ? c->segments.data : NULL,
                                .in2_size = key_size,
                                .out = reduces ? NULL : out,
                                .out_size = c->size,
                                .out2 = by_key ? keys : NULL,
                                .out2_size = by_key ? key_size : 0,
                                .n = c->n,
                                .most = c->most,
                                .counts = by_key,
                                .in_place = !by_key && !reduces};
    const bool ends = c->kind <= REDUCTION;
    const uint64_t found =
        chunked_run(contexts, &given, (parscan_chunked_end){.out = ends ? last : NULL},
                    by_key ? results : c->n);
    cr_assert(reduces || found == results);
    cr_assert_eq(memcmp(reduces ? last : out, right, (reduces ? 1 : (size_t)results) * c->size), 0,
                 "kind %d, %zu elements of %zu bytes in chunks of %zu", (int)c->kind, c->n, c->size,
                 c->most);
    if (c->kind == INCLUSIVE && c->n > 0)
        cr_assert_eq(memcmp(last, right + (c->n - 1) * c->size, c->size), 0);
    if (by_key)
        cr_assert_eq(memcmp(keys, right_keys, (size_t)results * key_size), 0);
    free(right);
    free(out);
    free(right_keys);
    free(keys);
}

/* Flags, or keys of some type; for free(). */
static void *random_segments(custom *c, bool flags, size_t length)
{
    static const parscan_type key_types[] = {PARSCAN_U8, PARSCAN_F32, PARSCAN_I64};
    const parscan_type type = flags ? PARSCAN_U8 : key_types[random_below(3)];
    void *const data = flags ? need_memory(c->n + 1) : array_of_runs(type, length, c->n);
    for (size_t i = 0; i < c->n && flags; i++)
        ((uint8_t *)data)[i] = random_below(length) == 0;
    c->segments = PARSCAN_SEGMENTS(.kind = flags ? PARSCAN_SEGMENTS_FLAGS : PARSCAN_SEGMENTS_KEYS,
                                   .type = type, .data = data);
    return data;
}

Test(chunked_custom, is_as_one_call)
{
    static const size_t sizes[] = {1, 4, 12, 16, 64}, lengths[] = {0, 1, 50, 3000, 40000};
    const chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        parscan_operator *const op = byte_maps_operator(sizes[s], 0, true);
        uint8_t *const in = random_byte_maps(sizes[s], 40000), *const init = in + 7 * sizes[s];
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (int kind = 0; kind < KINDS; kind++) {
                custom c = {.kind = (custom_kind)kind,
                            .size = sizes[s],
                            .n = lengths[k],
                            .most = k % 2 ? 100 : 5000,
                            .in = in};
                c.options =
                    PARSCAN_SCAN_OPTIONS(.custom = op, .init = random_below(2) ? init : NULL,
                                         .algorithm = kind <= REDUCTION && k == 2
                                                          ? PARSCAN_BRENT_KUNG
                                                      : k == 3 ? PARSCAN_SEQUENTIAL
                                                               : PARSCAN_AUTO);
                void *const data =
                    random_segments(&c, kind != BY_KEY && k % 2, k < 3 ? 5 : 1 + 400 * s);
                expect_custom(&contexts, &c);
                free(data);
            }
        parscan_operator_destroy(op);
        free(in);
    }
    chunked_contexts_destroy((chunked_contexts *)&contexts);
}

/* Without an identity, a presence flag is carried: the first chunk alone begins with init. */
Test(chunked_custom, without_identity_is_as_one_call)
{
    const chunked_contexts contexts = chunked_contexts_make(2);
    parscan_operator *const op = byte_maps_operator(8, 0, false);
    uint8_t *const in = random_byte_maps(8, 5000);
    for (int kind = 0; kind < KINDS; kind++) {
        const bool exclusive = kind == EXCLUSIVE || kind == SEGMENTED_EXCLUSIVE;
        custom c = {.kind = (custom_kind)kind, .size = 8, .n = 5000, .most = 300, .in = in};
        c.options = PARSCAN_SCAN_OPTIONS(.custom = op, .init = exclusive ? in : NULL);
        void *const data = random_segments(&c, kind != BY_KEY, 20);
        expect_custom(&contexts, &c);
        free(data);
    }
    parscan_operator_destroy(op);
    free(in);
    chunked_contexts_destroy((chunked_contexts *)&contexts);
}

PARSCAN_DEFINE_OPERATOR(sum_of_u64, uint64_t, (), { return earlier + later; })
PARSCAN_DEFINE_LOAD(one_more, uint64_t, (), { return ((const uint8_t *)in)[i] + UINT64_C(1); })
PARSCAN_DEFINE_STORE(half, uint64_t, (), { ((uint32_t *)out)[i] = (uint32_t)(x / 2); })

/* Sums are carried whole, and what the map stores is half of them. */
Test(chunked_custom, takes_maps)
{
    enum { N = 3000 };
    parscan_context *const context = test_context();
    parscan_operator *op;
    const uint64_t init = 3, zero = 0;
    const parscan_operator_options options = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_OPERATOR(sum_of_u64, uint64_t), PARSCAN_DEFINED_LOAD(one_more),
        PARSCAN_DEFINED_STORE(half), .in_size = 1, .out_size = 4, .identity = &zero);
    uint8_t in[N];
    uint32_t out[N], last = 0;
    random_fill(PARSCAN_U8, PARSCAN_SUM, in, N);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    for (int kind = INCLUSIVE; kind <= REDUCTION; kind++) {
        const custom c = {.kind = (custom_kind)kind,
                          .options = PARSCAN_SCAN_OPTIONS(.custom = op, .init = &init)};
        parscan_chunked *chunked;
        cr_assert_eq(make_custom(&chunked, context, &c), PARSCAN_OK);
        for (size_t at = 0; at < N; at += 300)
            cr_assert_eq(parscan_chunked_update(
                             chunked, &PARSCAN_CHUNK(.in = in + at, .n = 300,
                                                     .out = kind == REDUCTION ? NULL : out + at)),
                         PARSCAN_OK, "%s", parscan_context_error(context));
        cr_assert_eq(parscan_chunked_finish(chunked, &ENDED(.out = &last)), PARSCAN_OK);
        uint64_t sum = init;
        for (size_t i = 0; i < N; i++) {
            const uint64_t before = sum;
            sum += in[i] + UINT64_C(1);
            cr_assert(kind == REDUCTION ||
                      out[i] == (uint32_t)((kind == INCLUSIVE ? sum : before) / 2));
        }
        cr_assert_eq(last, (uint32_t)(sum / 2));
        parscan_chunked_destroy(chunked);
    }
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* ---- predicates ---- */

typedef struct triple {
    uint32_t a, b, c;
} triple;

PARSCAN_DEFINE_PREDICATE(is_ascending, triple, (), { return x.a % 7 < x.b % 5 + x.c % 3; })

typedef struct filter {
    int kind; /* compaction, indices, flags */
    const parscan_predicate *keep;
} filter;

static parscan_status make_filter(parscan_chunked **chunked, parscan_context *context,
                                  const void *what)
{
    const filter *const f = what;
    switch (f->kind) {
    case 0:
        return parscan_chunked_create_compact_if(chunked, context, PARSCAN_CUSTOM, f->keep);
    case 1:
        return parscan_chunked_create_compact_indices(chunked, context, PARSCAN_CUSTOM, f->keep,
                                                      PARSCAN_U32);
    default:
        return parscan_chunked_create_flags_if(chunked, context, PARSCAN_CUSTOM, f->keep);
    }
}

static uint64_t one_filter(parscan_context *context, const filter *f, const triple *in, size_t n,
                           void *out)
{
    uint64_t count = n;
    const parscan_status status =
        f->kind == 0   ? parscan_compact_if(context, PARSCAN_CUSTOM, in, f->keep, out, n, &count)
        : f->kind == 1 ? parscan_compact_indices(context, PARSCAN_CUSTOM, in, f->keep, PARSCAN_U32,
                                                 out, n, &count)
                       : parscan_flags_if(context, PARSCAN_CUSTOM, in, f->keep, out, n);
    cr_assert_eq(status, PARSCAN_OK);
    return count;
}

Test(chunked_custom, predicates_are_as_one_call)
{
    static const size_t out_sizes[] = {sizeof(triple), 4, 1};
    enum { N = 20000 };
    chunked_contexts contexts = chunked_contexts_make(2);
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_PREDICATE(is_ascending, triple));
    triple *const in = need_memory(N * sizeof *in), *const right = need_memory(N * sizeof *in);
    triple *const out = need_memory(N * sizeof *in);
    random_fill(PARSCAN_U32, PARSCAN_SUM, in, 3 * N);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = op);
    for (int kind = 0; kind < 3; kind++)
        for (size_t n = 0; n <= N; n = n * 3 + 1) {
            const filter f = {kind, &keep};
            const uint64_t results = one_filter(contexts.of[0], &f, in, n, right);
            const chunked_case c = {.make = make_filter,
                                    .what = &f,
                                    .in = in,
                                    .in_size = sizeof *in,
                                    .out = out,
                                    .out_size = out_sizes[kind],
                                    .n = n,
                                    .most = 400,
                                    .counts = kind < 2,
                                    .in_place = kind == 0};
            cr_assert_eq(chunked_run(&contexts, &c, (parscan_chunked_end){.out = NULL},
                                     kind < 2 ? results : n),
                         results);
            cr_assert_eq(memcmp(out, right, (size_t)results * out_sizes[kind]), 0, "kind %d", kind);
        }
    parscan_operator_destroy(op);
    chunked_contexts_destroy(&contexts);
    free(in);
    free(right);
    free(out);
}

/* ---- errors ---- */

static parscan_operator *loading(size_t in_size)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(sum_of_u64, uint64_t),
                                 PARSCAN_DEFINED_LOAD(one_more), .in_size = in_size);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    return op;
}

static parscan_status make_with(parscan_context *context, parscan_chunked **chunked,
                                custom_kind kind, parscan_scan_options options)
{
    return make_custom(chunked, context, &(custom){.kind = kind, .options = options});
}

Test(chunked_custom, that_is_wrong_is_refused)
{
    parscan_context *const context = test_context();
    parscan_chunked *chunked;
    parscan_operator *const op = byte_maps_operator(8, 0, false);
    parscan_operator *const maps = loading(8), *const knows = loading(0);
    const uint64_t map = UINT64_C(0x0101010101010101);
    uint64_t array[4] = {map, map, map, map};
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    expect_error_words(context, make_with(context, &chunked, EXCLUSIVE, options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "init is NULL");
    cr_assert_null(chunked);
    options.reproducible = 1;
    expect_error_words(context, make_with(context, &chunked, INCLUSIVE, options),
                       PARSCAN_ERROR_UNSUPPORTED, "reproducible");
    options = PARSCAN_SCAN_OPTIONS(.custom = op, .reverse = 1);
    expect_error_words(context, make_with(context, &chunked, SEGMENTED, options),
                       PARSCAN_ERROR_UNSUPPORTED, "reverse");
    options = PARSCAN_SCAN_OPTIONS(.custom = knows);
    expect_error_words(context, make_with(context, &chunked, INCLUSIVE, options),
                       PARSCAN_ERROR_UNSUPPORTED, "in_size = 0");
    expect_error_words(context,
                       parscan_chunked_create_compact_if(&chunked, context, PARSCAN_CUSTOM, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "keep->custom is NULL");
    options = PARSCAN_SCAN_OPTIONS(.custom = maps);
    cr_assert_eq(make_with(context, &chunked, INCLUSIVE, options), PARSCAN_OK);
    expect_error_words(
        context, parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = array, .out = array, .n = 4)),
        PARSCAN_ERROR_INVALID_ARGUMENT, "overlap");
    parscan_chunked_destroy(chunked);
    options = PARSCAN_SCAN_OPTIONS(.custom = op);
    cr_assert_eq(make_with(context, &chunked, REDUCTION, options), PARSCAN_OK);
    expect_error_words(context, parscan_chunked_finish(chunked, &ENDED(.out = array)),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "init is NULL, n = 0");
    cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = array, .n = 4)), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_finish(chunked, &ENDED(.out = array)), PARSCAN_OK);
    parscan_chunked_destroy(chunked);
    parscan_operator_destroy(op);
    parscan_operator_destroy(maps);
    parscan_operator_destroy(knows);
    parscan_context_destroy(context);
}

/* A carry of another init, or of elements of another size, is not taken. */
Test(chunked_custom, carries_tell_size_and_init)
{
    parscan_context *const context = test_context();
    parscan_operator *const of8 = byte_maps_operator(8, 0, true);
    parscan_operator *const of16 = byte_maps_operator(16, 0, true);
    uint8_t *const in = random_byte_maps(8, 4);
    const parscan_scan_options options[] = {
        PARSCAN_SCAN_OPTIONS(.custom = of8, .init = in),
        PARSCAN_SCAN_OPTIONS(.custom = of8, .init = in + 8),
        PARSCAN_SCAN_OPTIONS(.custom = of16, .init = in),
    };
    static const char *const words[] = {"", "init or x0", "element_size"};
    parscan_chunked *chunked[3];
    char carry[1024];
    for (int k = 0; k < 3; k++)
        cr_assert_eq(make_with(context, &chunked[k], INCLUSIVE, options[k]), PARSCAN_OK);
    const size_t size = parscan_chunked_carry_size(chunked[0]);
    cr_assert_leq(size, sizeof carry);
    cr_assert_eq(parscan_chunked_carry_get(chunked[0], carry, size), PARSCAN_OK);
    for (int k = 1; k < 3; k++)
        expect_error_words(context, parscan_chunked_carry_set(chunked[k], carry, size),
                           PARSCAN_ERROR_INVALID_ARGUMENT, words[k]);
    for (int k = 0; k < 3; k++)
        parscan_chunked_destroy(chunked[k]);
    parscan_operator_destroy(of8);
    parscan_operator_destroy(of16);
    parscan_context_destroy(context);
    free(in);
}

/* The allocation that fails is one of the object's, or of a chunk's scratch. */
Test(chunked_custom, is_as_before_after_an_allocation_that_fails)
{
    enum { N = 60000 };
    uint8_t *const in = random_byte_maps(8, N), *const out = need_memory(8 * N);
    parscan_operator *const op = byte_maps_operator(8, 0, true);
    for (int kind = 0; kind < BY_KEY; kind++)
        for (size_t fails_at = 1; fails_at < 5; fails_at++) {
            counting counted = counting_begin(fails_at);
            parscan_context *const context = test_context_with(counting_options(&counted));
            custom c = {.kind = (custom_kind)kind, .options = PARSCAN_SCAN_OPTIONS(.custom = op)};
            void *const flags = calloc(N, 1);
            parscan_chunked *chunked;
            const parscan_chunk chunk =
                PARSCAN_CHUNK(.in = in, .in2 = kind >= SEGMENTED ? flags : NULL,
                              .out = kind == REDUCTION ? NULL : out, .n = N);
            parscan_status status = make_custom(&chunked, context, &c);
            cr_assert_eq(status, fails_at == 1 ? PARSCAN_ERROR_OUT_OF_MEMORY : PARSCAN_OK);
            if (fails_at == 1)
                cr_assert_eq(make_custom(&chunked, context, &c), PARSCAN_OK);
            const size_t size = parscan_chunked_carry_size(chunked);
            char *const before = need_memory(size), *const after = need_memory(size);
            cr_assert_eq(parscan_chunked_carry_get(chunked, before, size), PARSCAN_OK);
            status = parscan_chunked_update(chunked, &chunk);
            cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_OUT_OF_MEMORY);
            if (status != PARSCAN_OK) {
                cr_assert_eq(parscan_chunked_carry_get(chunked, after, size), PARSCAN_OK);
                cr_assert_eq(memcmp(before, after, size), 0, "kind %d", kind);
                cr_assert_eq(parscan_chunked_update(chunked, &chunk), PARSCAN_OK);
            }
            parscan_chunked_destroy(chunked);
            parscan_context_destroy(context);
            counting_end(&counted);
            free(flags);
            free(before);
            free(after);
        }
    parscan_operator_destroy(op);
    free(in);
    free(out);
}
