/* Extremes with their index, and the k first, in chunks against one call with the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/select.h"
#include "tests/support/chunked_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/key_patterns.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

typedef struct selection {
    parscan_type type, index_type;
    size_t n, k;
    bool smallest;
} selection;

static parscan_status make_top_k(parscan_chunked **chunked, parscan_context *context,
                                 const void *what)
{
    const selection *const s = what;
    return parscan_chunked_create_top_k(chunked, context, s->type, s->k, s->index_type,
                                        &PARSCAN_TOP_K_OPTIONS(.smallest = s->smallest));
}

static parscan_status make_extreme(parscan_chunked **chunked, parscan_context *context,
                                   const void *what)
{
    const selection *const s = what;
    return parscan_chunked_create_arg_reduce(
        chunked, context, s->type, s->smallest ? PARSCAN_MIN : PARSCAN_MAX, s->index_type);
}

/* Chunks of about `most` elements give the bytes of the one call. */
static void expect_same(const chunked_contexts *contexts, const selection *s, const void *in,
                        chunked_maker *make, size_t results, const void *values,
                        const void *indices, size_t most)
{
    const size_t size = parscan_type_size(s->type), index_size = parscan_type_size(s->index_type);
    void *const out = need_memory(results * size + 1);
    void *const out2 = need_memory(results * index_size + 1);
    const chunked_case c = {.make = make,
                            .what = s,
                            .in = in,
                            .in_size = size,
                            .n = s->n,
                            .most = most,
                            .counts = true};
    uint64_t written = 12345;
    cr_assert_eq(chunked_run(contexts, &c,
                             (parscan_chunked_end){.out = out, .out2 = out2, .written = &written},
                             s->n),
                 0);
    cr_assert_eq(written, results);
    cr_assert_eq(memcmp(out, values, results * size), 0, "top %zu of %zu %s: values", s->k, s->n,
                 parscan_type_name(s->type));
    cr_assert_eq(memcmp(out2, indices, results * index_size), 0, "top %zu of %zu %s: indices", s->k,
                 s->n, parscan_type_name(s->type));
    free(out);
    free(out2);
}

static void expect_selections(const chunked_contexts *contexts, selection s, size_t most)
{
    const size_t results = s.k < s.n ? s.k : s.n;
    void *const in = patterned_keys(s.type, random_below(2) == 0 ? KEYS_FEW : KEYS_SPECIAL, s.n);
    void *const values = need_memory((results + 1) * 8), *const indices =
                                                             need_memory((results + 1) * 8);
    cr_assert_eq(parscan_top_k(contexts->of[1], s.type, in, s.n, results, values, s.index_type,
                               indices, &PARSCAN_TOP_K_OPTIONS(.smallest = s.smallest)),
                 PARSCAN_OK);
    expect_same(contexts, &s, in, make_top_k, results, values, indices, most);
    cr_assert_eq(parscan_arg_reduce(contexts->of[1], s.type, in, s.n,
                                    s.smallest ? PARSCAN_MIN : PARSCAN_MAX, values, s.index_type,
                                    indices, NULL),
                 PARSCAN_OK);
    expect_same(contexts, &s, in, make_extreme, 1, values, indices, most);
    free(in);
    free(values);
    free(indices);
}

SimdTest(chunked_select, of_every_type_equals_the_one_call)
{
    static const size_t some[] = {0, 1, 7, 100, 5000};
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t j = 0; j < COUNT_OF(some); j++) {
            selection s = {.type = all_types[t],
                           .index_type = random_below(2) == 0 ? PARSCAN_U32 : PARSCAN_U64,
                           .k = some[j],
                           .smallest = random_below(2) == 0};
            expect_selections(&contexts, s, 1);
            s.n = 300;
            expect_selections(&contexts, s, 3);
            s.n = 9001;
            expect_selections(&contexts, s, 2000);
        }
    chunked_contexts_destroy(&contexts);
}

Test(chunked_select, refuses_what_chunks_have_not)
{
    parscan_context *const context = test_context();
    parscan_chunked *chunked;
    const parscan_segments rows = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = 1);
    cr_assert_eq(parscan_chunked_create_top_k(&chunked, context, PARSCAN_U32, 3, PARSCAN_U32,
                                              &PARSCAN_TOP_K_OPTIONS(.segments = &rows)),
                 PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(parscan_context_error(context), "segments"));
    cr_assert_eq(
        parscan_chunked_create_top_k(&chunked, context, PARSCAN_U32, SIZE_MAX, PARSCAN_U32, NULL),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(
        parscan_chunked_create_arg_reduce(&chunked, context, PARSCAN_U32, PARSCAN_SUM, PARSCAN_U32),
        PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(
        parscan_chunked_create_arg_reduce(&chunked, context, PARSCAN_U32, PARSCAN_MIN, PARSCAN_F32),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(
        parscan_chunked_create_arg_reduce(NULL, context, PARSCAN_U32, PARSCAN_MIN, PARSCAN_U32),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_context_destroy(context);
}
