/*
 * The bits of reproducible scans, as literals: whoever changes the tree, on whatever machine, sees
 * it here. They were made once by the library and agree with the tree oracle, as a test shows.
 *
 * And the bits of zeros, of first elements and of subnormal numbers.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/tree_oracle.h"

/* The inputs: numbers of Knuth's linear congruential generator, exact in 24 bits, of magnitudes
   from 2^-8 to 2^7. */
static double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const double mantissa = (double)(*state >> 40) - 8388607.5;
    return mantissa / 8388608 * 128 / (double)(1u << (*state >> 36) % 16);
}

static void *golden_input(parscan_type type, size_t n)
{
    void *const in = malloc(n * parscan_type_size(type));
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++)
        if (type == PARSCAN_F32)
            ((float *)in)[i] = (float)next_number(&state);
        else
            ((double *)in)[i] = next_number(&state) / 3;
    return in;
}

/* FNV-1a over the bytes of the results. */
static uint64_t hash_of(const void *results, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)results)[i]) * 0x100000001b3u;
    return hash;
}

typedef struct golden {
    parscan_type type;
    size_t n;
    uint64_t sum;       /* the bits of the reduction */
    uint64_t inclusive; /* the hash of the inclusive scan */
    uint64_t exclusive; /* of the exclusive scan in reverse, after an init of 0.1 */
} golden;

static const golden goldens[] = {
    {PARSCAN_F32, 1, 0xbc9d4484, 0x191bd48aaec055ec, 0x848a69dce2401057},
    {PARSCAN_F32, 16, 0x4201e5a2, 0x6dde01470383a881, 0x136e40865481245f},
    {PARSCAN_F32, 17, 0x41f079ae, 0x73c728063040aaaf, 0x7956f915764e5ff4},
    {PARSCAN_F32, 2048, 0x43b88968, 0x3f08878c92b2fcf0, 0xe546328c9b4971f1},
    {PARSCAN_F32, 5003, 0x441af70e, 0x3122cd99ed646848, 0xadb9d03ae6538667},
    {PARSCAN_F32, 100003, 0xc54a6a5e, 0xd4d7adaf81ebd848, 0x4042c6b92ecd22c9},
    {PARSCAN_F32, 1048573, 0xc6fb21fa, 0x7a8dd69ff74163f6, 0x7185a46e7762970b},
    {PARSCAN_F64, 1, 0xbf7a361600000000, 0xfbc9229b48ef416e, 0x4fa09cc0eec310c4},
    {PARSCAN_F64, 16, 0x4025a64598595556, 0x9d254132b56d54b3, 0x9968a81ac615446},
    {PARSCAN_F64, 17, 0x40240a23cdaeaaab, 0x5bec28f1f8b29f1e, 0x6d48faab0298fd9c},
    {PARSCAN_F64, 2048, 0x405ec190bea1aaa8, 0x754f7ca3e1835ca, 0xe7691b9b43dc4f28},
    {PARSCAN_F64, 5003, 0x4069d3d77d395552, 0xa779f8b60ce1b558, 0x9a7909100da0cdc4},
    {PARSCAN_F64, 100003, 0xc090de32739cc158, 0x486ef4d275d528c, 0xdc7b7662474ba1c5},
    {PARSCAN_F64, 1048573, 0xc0c4ed7f3acbd256, 0x98f4b6323150cb4c, 0xa2879b574cc670ee},
};

/* What a question is answered with: by the library in a context, or by the oracle if it is NULL. */
static void answer(parscan_context *context, const oracle_scan *question, void *out)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.init = question->init, .reverse = question->reverse,
                             .reproducible = 1);
    if (context == NULL)
        tree_oracle(question, out);
    else
        cr_assert_eq(call_scan(context, question->kind, question->type, question->in, out,
                               question->n, &options),
                     PARSCAN_OK);
}

static golden found_bits(parscan_context *context, parscan_type type, size_t n)
{
    static const float init_f32 = 0.1f;
    static const double init_f64 = 0.1;
    const size_t bytes = n * parscan_type_size(type);
    void *const in = golden_input(type, n), *const out = malloc(bytes);
    oracle_scan question = {.kind = SCAN_REDUCE, .type = type, .out_type = type, .in = in, .n = n};
    golden found = {.type = type, .n = n};
    answer(context, &question, out);
    memcpy(&found.sum, out, parscan_type_size(type));
    question.kind = SCAN_INCLUSIVE;
    answer(context, &question, out);
    found.inclusive = hash_of(out, bytes);
    question.kind = SCAN_EXCLUSIVE;
    question.reverse = true;
    question.init = type == PARSCAN_F32 ? (const void *)&init_f32 : (const void *)&init_f64;
    answer(context, &question, out);
    found.exclusive = hash_of(out, bytes);
    free(in);
    free(out);
    return found;
}

static void expect_golden_bits(parscan_context *context)
{
    for (size_t k = 0; k < COUNT_OF(goldens); k++) {
        const golden *const g = &goldens[k];
        const golden f = found_bits(context, g->type, g->n);
        cr_assert(f.sum == g->sum && f.inclusive == g->inclusive && f.exclusive == g->exclusive,
                  "found {PARSCAN_%s, %zu, 0x%llx, 0x%llx, 0x%llx}",
                  g->type == PARSCAN_F32 ? "F32" : "F64", g->n, (unsigned long long)f.sum,
                  (unsigned long long)f.inclusive, (unsigned long long)f.exclusive);
    }
}

Test(reproducible, has_the_golden_bits)
{
    for (size_t k = 0; k < SIMD_SETS * 2; k++) {
        parscan_context *const context =
            test_context_simd(all_simd_sets[k % SIMD_SETS], k < SIMD_SETS ? 1 : 3);
        if (context != NULL)
            expect_golden_bits(context);
        parscan_context_destroy(context);
    }
}

Test(tree_oracle, has_the_golden_bits)
{
    expect_golden_bits(NULL);
}

/* The results of n floats, given as bits. */
static void expect_bits(scan_kind kind, const uint32_t *in, size_t n, const uint32_t *expected)
{
    parscan_context *const context = test_context();
    uint32_t *const out = malloc(n * sizeof *out);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reproducible = 1);
    cr_assert_eq(call_scan(context, kind, PARSCAN_F32, in, out, n, &options), PARSCAN_OK);
    for (size_t i = 0; i < (kind == SCAN_REDUCE ? 1 : n); i++)
        cr_assert_eq(out[i], expected[i], "element %zu of %zu: 0x%x, not 0x%x", i, n, out[i],
                     expected[i]);
    free(out);
    parscan_context_destroy(context);
}

#define N 5003u
#define NEGATIVE_ZERO 0x80000000u

Test(reproducible, sums_negative_zeros_to_negative_zero)
{
    static uint32_t zeros[N], after_zero[N];
    for (size_t i = 0; i < N; i++)
        zeros[i] = after_zero[i] = NEGATIVE_ZERO;
    after_zero[0] = 0;
    for (size_t n = 1; n <= N; n = n * 5 + 3) {
        expect_bits(SCAN_INCLUSIVE, zeros, n, zeros);
        expect_bits(SCAN_REDUCE, zeros, n, zeros);
        expect_bits(SCAN_EXCLUSIVE, zeros, n, after_zero);
    }
    static uint32_t mixed[N], sums[N];
    memcpy(mixed, zeros, sizeof mixed);
    memcpy(sums, zeros, sizeof sums);
    mixed[2100] = 0;
    for (size_t i = 2100; i < N; i++)
        sums[i] = 0;
    expect_bits(SCAN_INCLUSIVE, mixed, N, sums);
    expect_bits(SCAN_REDUCE, mixed, N, sums + N - 1);
}

Test(reproducible, starts_with_the_first_element_to_the_bit)
{
    /* A NaN with a payload, one that signals, the least subnormal number, negative zero. */
    static const uint32_t firsts[] = {0x7fc12345, 0x7f812345, 1, NEGATIVE_ZERO};
    for (size_t k = 0; k < COUNT_OF(firsts); k++) {
        expect_bits(SCAN_INCLUSIVE, &firsts[k], 1, &firsts[k]);
        expect_bits(SCAN_EXCLUSIVE, &firsts[k], 1, &(uint32_t){0});
    }
}

Test(reproducible, does_not_flush_subnormal_numbers_to_zero)
{
    static uint32_t least[N], sums[N], before[N];
    for (uint32_t i = 0; i < N; i++) {
        least[i] = 1;
        sums[i] = i + 1;
        before[i] = i;
    }
    expect_bits(SCAN_INCLUSIVE, least, N, sums);
    expect_bits(SCAN_EXCLUSIVE, least, N, before);
    expect_bits(SCAN_REDUCE, least, N, sums + N - 1);
}
