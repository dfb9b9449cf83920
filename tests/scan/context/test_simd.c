/* PARSCAN_SIMD, which asks for a set of SIMD instructions. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/every_simd.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

/* Whether simd is one of the sets; its place in the list of them. */
static bool find_set(const char *simd, size_t *place)
{
    for (*place = 0; *place < SIMD_SETS; ++*place)
        if (strcmp(simd, all_simd_sets[*place]) == 0)
            return true;
    return false;
}

Test(simd, of_a_context_is_one_of_the_sets_and_none_for_null)
{
    size_t place;
    parscan_context *const context = test_context();
    cr_assert(find_set(parscan_context_simd(context), &place), "%s", parscan_context_simd(context));
    parscan_context_destroy(context);
    cr_assert_str_eq(parscan_context_simd(NULL), "");
}

Test(simd, is_the_set_that_was_asked_for)
{
    for (size_t s = 0; s < SIMD_SETS; s++) {
        parscan_context *const context = test_context_simd(all_simd_sets[s], 1);
        if (context != NULL)
            cr_assert_str_eq(parscan_context_simd(context), all_simd_sets[s]);
        else
            cr_assert_gt(s, 0, "portable is missing");
        parscan_context_destroy(context);
    }
}

/* The sets that this library was built with: CMake's PARSCAN_SIMD_SETS. */
static const bool is_built[SIMD_SETS] = {
    true,
#ifdef PARSCAN_HAVE_AVX2
    [1] = true,
#endif
#ifdef PARSCAN_HAVE_AVX512
    [2] = true,
#endif
};

Test(simd, of_an_empty_string_is_the_best_and_sets_above_it_are_not_there)
{
    size_t best;
    parscan_context *const context = test_context_simd("", 1);
    cr_assert(find_set(parscan_context_simd(context), &best));
    cr_assert(is_built[best]);
    parscan_context_destroy(context);
    for (size_t s = 0; s < SIMD_SETS; s++) {
        const bool is_there = s <= best && is_built[s];
        char words[256] = "";
        parscan_context *asked = (parscan_context *)words;
        const parscan_status status =
            create_with_simd(&asked, all_simd_sets[s],
                             (parscan_context_options){.error = words, .error_size = sizeof words});
        cr_assert_eq(status, is_there ? PARSCAN_OK : PARSCAN_ERROR_BACKEND, "%s of %s: %s",
                     all_simd_sets[s], all_simd_sets[best], parscan_status_string(status));
        if (!is_there) {
            char expected[64] = "PARSCAN_SIMD = ";
            strcat(strcat(expected, all_simd_sets[s]), ": this ");
            cr_assert(asked == NULL && strstr(words, expected) == words,
                      "\"%s\" does not name what is missing", words);
            cr_assert(strstr(words, "this processor has ") != NULL ||
                          (!is_built[s] && strstr(words, "this library was built without it")),
                      "\"%s\" does not say why", words);
        }
        parscan_context_destroy(asked);
    }
}

Test(simd, that_is_no_set_is_an_invalid_argument_and_named)
{
    static const char *const bad[] = {"sse9", "AVX2", "avx2 ", "avx", "avx5122", "0", " "};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        char words[256] = "", expected[64] = "PARSCAN_SIMD = ";
        parscan_context *context = (parscan_context *)words;
        strcat(expected, bad[k]);
        cr_assert_eq(
            create_with_simd(&context, bad[k],
                             (parscan_context_options){.error = words, .error_size = sizeof words}),
            PARSCAN_ERROR_INVALID_ARGUMENT, "%s", bad[k]);
        cr_assert_null(context);
        cr_assert_not_null(strstr(words, expected), "\"%s\" does not name \"%s\"", words, bad[k]);
        /* The environment is looked at once, when a context is created. */
        context = test_context();
        cr_assert_str_eq(parscan_context_error(context), "");
        parscan_context_destroy(context);
    }
}

/* gcc 12 may move 8 bytes by an MMX register, which is a part of an x87 register, and not give it back:
   from then on long double is NaN in that thread. */
static void expect_usable(parscan_context *context, parscan_type type, void *in, void *out,
                          size_t n)
{
    volatile long double one = 1;
    for (size_t o = 0; o < OPS; o++) {
        const parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.op = all_ops[o], .reverse = n % 2 == 0);
        /* Operators for integers refuse floats. */
        parscan_inclusive_scan(context, type, in, out, n, &options);
        parscan_exclusive_scan(context, type, in, out, n, &options);
        cr_assert(one + one == 2, "type %d, operator %d, n = %zu", (int)type, (int)all_ops[o], n);
    }
}

SimdTest(simd, kernels_leave_long_double_usable)
{
    const size_t bytes = STREAM_FROM_BYTES + 8 * 77;
    void *const in = calloc(bytes, 1), *const out = calloc(bytes, 1);
    cr_assert(in != NULL && out != NULL);
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    for (size_t t = 0; t < TYPES; t++) {
        for (size_t n = 1; n <= 300; n++)
            expect_usable(context, all_types[t], in, out, n);
        expect_usable(context, all_types[t], in, out, bytes / parscan_type_size(all_types[t]));
    }
    parscan_context_destroy(context);
    free(in);
    free(out);
}
