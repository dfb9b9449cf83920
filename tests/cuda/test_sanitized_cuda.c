/*
 * A little of everything, in one test, for the tools of compute-sanitizer (tests/cuda/sanitize.sh):
 * arrays on the device that end where their memory ends, tiles that are whole and tiles that are not,
 * more tiles than stages, wide and narrow elements, and what is called once more.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/cuda/on_device.h"
#include "tests/cuda/operator_questions.h"

typedef struct sample {
    parscan_type type, out_type;
    parscan_op op;
} sample;

static const sample samples[] = {
    {PARSCAN_U8, 0, PARSCAN_MAX},  {PARSCAN_I16, 0, PARSCAN_SUM},
    {PARSCAN_U32, 0, PARSCAN_XOR}, {PARSCAN_F32, 0, PARSCAN_SUM},
    {PARSCAN_F64, 0, PARSCAN_MIN}, {PARSCAN_U8, PARSCAN_U64, PARSCAN_SUM},
};

/* The last: every block of the fast path has tiles of its own, of the shorter ones some. */
static const size_t lengths[] = {1, 33, 5003, 70001};
#define LONGEST 70001u

static void expect_modes(parscan_context *context, const sample *s, parscan_algorithm algorithm,
                         bool reproducible, const void *in)
{
    for (size_t k = 0; k < COUNT_OF(lengths) * 6; k++) {
        scan_case scan = {.kind = (scan_kind)(k % 3), .type = s->type, .n = lengths[k / 6]};
        char words[CASE_WORDS];
        scan.space = ENGINE_MEMORY;
        scan.options.op = s->op;
        scan.options.out_type = s->out_type;
        scan.options.algorithm = algorithm;
        scan.options.reproducible = reproducible;
        scan.options.reverse = k / 3 % 2;
        scan.in_offset = (unsigned)(k % 5);
        scan.out_offset = (unsigned)(k % 7);
        if (algorithm == PARSCAN_SEQUENTIAL && scan.n > 5003)
            continue;
        if (!scan_is_right_in(context, &scan, in, words))
            cr_assert_fail("%s", words);
    }
}

Test(sanitized, calls_of_every_algorithm_are_right, .timeout = 600)
{
    parscan_context *const context = context_on(NULL);
    for (size_t s = 0; s < COUNT_OF(samples); s++) {
        void *const in = random_array(samples[s].type, samples[s].op, LONGEST);
        for (size_t a = 0; a < ALGORITHMS; a++)
            expect_modes(context, &samples[s], all_algorithms[a], false, in);
        expect_modes(context, &samples[s], PARSCAN_AUTO, true, in);
        free(in);
    }
    scan_case staged = {.type = PARSCAN_F64, .n = LONGEST};
    void *const in = random_array(PARSCAN_F64, PARSCAN_SUM, LONGEST);
    expect_scan(context, staged, in);
    free(in);
    parscan_context_destroy(context);
    CUDA(cudaDeviceReset()); /* what is left is a leak */
}

/* Kernels that are compiled here: vectors and units, with and without an identity. */
Test(sanitized, operators_of_the_caller_are_right, .timeout = 600)
{
    static const size_t subjects[] = {BARE_SUBJECT, AFFINE_SUBJECT, 7};
    static const parscan_algorithm algorithms[] = {PARSCAN_AUTO, PARSCAN_THREE_PHASE};
    for (size_t s = 0; s < COUNT_OF(subjects); s++) {
        operator_bench b = operator_bench_create(&operator_subjects[subjects[s]]);
        void *const in = subject_elements(b.subject, LONGEST);
        for (size_t a = 0; a < (s < 1 ? COUNT_OF(algorithms) : 1); a++)
            expect_operator_algorithm(&b, algorithms[a], lengths, COUNT_OF(lengths), in);
        free(in);
        operator_bench_destroy(&b);
    }
    CUDA(cudaDeviceReset());
}
