/* Compaction, unique and run lengths in chunks against one call with the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/random.h"

static parscan_status make_compact(parscan_chunked **chunked, parscan_context *context,
                                   const void *what)
{
    const compact_case *const c = what;
    switch (c->kind) {
    case COMPACT_FLAGS:
        return parscan_chunked_create_compact(chunked, context, c->element_size);
    case COMPACT_IF:
        return parscan_chunked_create_compact_if(chunked, context, c->type, c->keep);
    case COMPACT_INDICES:
        return parscan_chunked_create_compact_indices(chunked, context, c->type, c->keep,
                                                      c->index_type);
    case COMPACT_UNIQUE:
        return parscan_chunked_create_unique(chunked, context, c->type);
    default:
        return parscan_chunked_create_run_length_encode(chunked, context, c->type, c->index_type);
    }
}

/* Compares all outputs, to the bit, with those of the one call. */
static void expect_chunks(const chunked_contexts *contexts, const compact_case *what,
                          const void *in, size_t most)
{
    const bool flags = what->kind == COMPACT_FLAGS, runs = what->kind == COMPACT_RUNS;
    const bool indices = what->kind == COMPACT_INDICES;
    const size_t n = what->n, index_size = parscan_type_size(what->index_type);
    const size_t size = flags ? what->element_size : parscan_type_size(what->type);
    const size_t out_size = indices ? index_size : size;
    void *const whole[3] = {need_memory(n * size), need_memory(n * 8), NULL};
    void *const out = need_memory(n * out_size), *const lengths = need_memory(n * 8);
    uint64_t count;
    cr_assert_eq(call_compact(contexts->of[1], what, in, what->flags, whole, &count), PARSCAN_OK);
    const chunked_case c = {
        .make = make_compact,
        .what = what,
        .in = in,
        .in_size = size,
        .in2 = what->flags,
        .in2_size = flags ? 1 : 0,
        .out = out,
        .out_size = out_size,
        .out2 = runs ? lengths : NULL,
        .out2_size = runs ? index_size : 0,
        .n = n,
        .most = most,
        .counts = true,
        .in_place = !runs && !indices,
    };
    const uint64_t results = chunked_run(contexts, &c, (parscan_chunked_end){.out = NULL}, count);
    cr_assert_eq(results, count, "%llu results, not %llu", (unsigned long long)results,
                 (unsigned long long)count);
    cr_assert_eq(memcmp(out, indices ? whole[1] : whole[0], count * out_size), 0,
                 "kind %d, type %s, n = %zu: the outputs differ", (int)what->kind,
                 flags ? "none" : parscan_type_name(what->type), n);
    if (runs)
        cr_assert_eq(memcmp(lengths, whole[1], count * index_size), 0, "the lengths differ");
    free(whole[0]);
    free(whole[1]);
    free(out);
    free(lengths);
}

static void expect_flags(const chunked_contexts *contexts, size_t element_size, size_t n,
                         size_t most)
{
    for (int p = 0; p < PATTERNS; p++) {
        uint8_t *const flags = need_memory(n);
        unsigned char *const in = need_memory(n * element_size);
        for (size_t i = 0; i < n; i++)
            flags[i] = pattern_keeps((pattern)p, i, n) ? (uint8_t)(1 + random_below(255)) : 0;
        for (size_t i = 0; i < n * element_size; i++)
            in[i] = (unsigned char)random_bits();
        const compact_case c = {
            .kind = COMPACT_FLAGS, .element_size = element_size, .flags = flags, .n = n};
        expect_chunks(contexts, &c, in, most);
        free(flags);
        free(in);
    }
}

SimdTest(chunked_compact, by_flags_equals_the_one_call)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 100};
    chunked_contexts contexts = chunked_contexts_make(2);
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        expect_flags(&contexts, sizes[s], 3001, 1000);
    expect_flags(&contexts, 4, 400009, 300000);
    chunked_contexts_destroy(&contexts);
}

static void expect_filter(const chunked_contexts *contexts, parscan_type type, pattern p, size_t n,
                          size_t most)
{
    odd_predicate of;
    void *const bounds = random_array(type, PARSCAN_SUM, 2);
    predicate_of(&of, type, (parscan_comparison)random_below(PARSCAN_BETWEEN + 1), bounds,
                 (char *)bounds + parscan_type_size(type));
    void *const in = patterned_array(type, &of.keep, p, n);
    compact_case c = {.kind = COMPACT_IF, .type = type, .keep = &of.keep, .n = n};
    expect_chunks(contexts, &c, in, most);
    c.kind = COMPACT_INDICES;
    c.index_type = random_below(2) == 0 ? PARSCAN_U32 : PARSCAN_U64;
    expect_chunks(contexts, &c, in, most);
    c.keep = NULL;
    expect_chunks(contexts, &c, in, most);
    free(bounds);
    free(in);
}

SimdTest(chunked_compact_if, and_indices_equal_the_one_call)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++) {
        for (int p = 0; p < PATTERNS; p++)
            expect_filter(&contexts, all_types[t], (pattern)p, 2003, 700);
        expect_filter(&contexts, all_types[t], HALF, 600011, 600011);
    }
    chunked_contexts_destroy(&contexts);
}

static void expect_runs(const chunked_contexts *contexts, parscan_type type, size_t length,
                        size_t n, size_t most)
{
    void *const in = array_of_runs(type, length, n);
    compact_case c = {.kind = COMPACT_UNIQUE, .type = type, .n = n};
    expect_chunks(contexts, &c, in, most);
    c.kind = COMPACT_RUNS;
    c.index_type = PARSCAN_U32;
    expect_chunks(contexts, &c, in, most);
    c.index_type = PARSCAN_U64;
    expect_chunks(contexts, &c, in, most);
    free(in);
}

SimdTest(chunked_unique, and_run_lengths_equal_the_one_call)
{
    static const size_t lengths[] = {1, 2, 5, 100, 5000};
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++) {
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            expect_runs(&contexts, all_types[t], lengths[k], 2003, 700);
            expect_runs(&contexts, all_types[t], lengths[k], 300, 3);
        }
        expect_runs(&contexts, all_types[t], 20, 600011, 600011);
    }
    chunked_contexts_destroy(&contexts);
}

Test(chunked_unique, and_run_lengths_of_nothing_are_empty)
{
    chunked_contexts contexts = chunked_contexts_make(1);
    expect_runs(&contexts, PARSCAN_F64, 1, 0, 1);
    expect_filter(&contexts, PARSCAN_F64, NONE, 0, 1);
    expect_flags(&contexts, 3, 0, 1);
    chunked_contexts_destroy(&contexts);
}
