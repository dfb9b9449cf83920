#define _POSIX_C_SOURCE 200809L /* setenv */
#include "tests/support/test_engine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void need_cuda(void)
{
    static bool found;
    char words[256] = "";
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .error = words,
                                .error_size = sizeof words);
    if (found)
        return;
    if (parscan_context_create(&context, &options) == PARSCAN_ERROR_BACKEND)
        cr_skip_test("no CUDA device: %s\n", words);
    parscan_context_destroy(context);
    found = true;
}

parscan_backend test_backend(void)
{
    const char *const name = getenv("PARSCAN_TEST_BACKEND");
    if (name == NULL || strcmp(name, "cpu") == 0)
        return PARSCAN_BACKEND_CPU;
    if (strcmp(name, "cuda") != 0)
        cr_assert_fail("PARSCAN_TEST_BACKEND=%s: cpu or cuda", name);
    need_cuda();
    return PARSCAN_BACKEND_CUDA;
}

parscan_context *test_context_with(parscan_context_options options)
{
    char words[256] = "";
    parscan_context *context = NULL;
    options.struct_size = sizeof options;
    options.backend = test_backend();
    options.error = words;
    options.error_size = sizeof words;
    const char *const blocks = getenv("PARSCAN_TEST_BLOCKS");
    if (blocks != NULL && options.resident_blocks == 0)
        options.resident_blocks = (unsigned)strtoul(blocks, NULL, 10);
    const parscan_status status = parscan_context_create(&context, &options);
    if (status != PARSCAN_OK)
        cr_assert_fail("no context: %s: %s", parscan_status_string(status), words);
    return context;
}

parscan_context *test_context(void)
{
    return test_context_with((parscan_context_options){0});
}

bool is_of_cpu_alone(const parscan_context *context, parscan_status status)
{
    return status == PARSCAN_ERROR_UNSUPPORTED && test_backend() == PARSCAN_BACKEND_CUDA &&
           strstr(parscan_context_error(context), "needs a CPU context") != NULL;
}

const char *const all_simd_sets[SIMD_SETS] = {"portable", "avx2", "avx512"};

parscan_status create_with_simd(parscan_context **context, const char *simd,
                                parscan_context_options options)
{
    char before[64] = "";
    const char *const was = getenv("PARSCAN_SIMD");
    if (was != NULL)
        strncpy(before, was, sizeof before - 1);
    if (setenv("PARSCAN_SIMD", simd, 1) != 0)
        abort();
    options.struct_size = sizeof options;
    options.backend = test_backend();
    const parscan_status status = parscan_context_create(context, &options);
    if (was != NULL)
        setenv("PARSCAN_SIMD", before, 1);
    else
        unsetenv("PARSCAN_SIMD");
    return status;
}

parscan_context *test_context_simd(const char *simd, unsigned threads)
{
    parscan_context *context;
    const parscan_status status =
        create_with_simd(&context, simd, (parscan_context_options){.threads = threads});
    if (status != PARSCAN_OK && status != PARSCAN_ERROR_BACKEND)
        cr_assert_fail("no context for %s: %s", simd, parscan_status_string(status));
    return context;
}

void expect_error_words(parscan_context *context, parscan_status status, parscan_status wanted,
                        const char *words)
{
    cr_assert_eq(status, wanted, "%s: %d", words, status);
    cr_assert_not_null(strstr(parscan_context_error(context), words), "%s: %s", words,
                       parscan_context_error(context));
}

void expect_invalid(parscan_context *context, parscan_status status, const char *words)
{
    expect_error_words(context, status, PARSCAN_ERROR_INVALID_ARGUMENT, words);
}
