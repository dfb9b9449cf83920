/*
 * The engine under test: the backend that the environment variable PARSCAN_TEST_BACKEND names,
 * else the CPU. A context is made inside a test, since Criterion runs each in a process of its own.
 */
#ifndef PARSCAN_TESTS_ENGINE_H
#define PARSCAN_TESTS_ENGINE_H

#include <stdbool.h>

#include "parscan/context.h"

/* Skips the test where this build or machine has no CUDA, with words that ctest knows. */
void need_cuda(void);

/* The backend under test; skips where that is CUDA and not here. */
parscan_backend test_backend(void);

/* A context of it; the test fails when there is none. */
parscan_context *test_context(void);

/* The same with options, whose backend and struct_size are filled in, and resident_blocks, if it is 0,
   from the environment variable PARSCAN_TEST_BLOCKS. */
parscan_context *test_context_with(parscan_context_options options);

/* The call was refused since the CPU engine alone has it, and CUDA is under test. */
bool is_of_cpu_alone(const parscan_context *context, parscan_status status);

/* The sets of SIMD instructions that PARSCAN_SIMD may ask for, the least first. */
#define SIMD_SETS 3
extern const char *const all_simd_sets[SIMD_SETS];

/* parscan_context_create() with PARSCAN_SIMD = simd in the environment, which is then as before;
   options as in test_context_with(). */
parscan_status create_with_simd(parscan_context **context, const char *simd,
                                parscan_context_options options);

/* A context with the set of SIMD instructions and the number of threads; NULL when this processor
   lacks the set. */
parscan_context *test_context_simd(const char *simd, unsigned threads);

/* The call has given this status, and the context's message has these words. */
void expect_error_words(parscan_context *context, parscan_status status, parscan_status wanted,
                        const char *words);

/* The same, INVALID_ARGUMENT. */
void expect_invalid(parscan_context *context, parscan_status status, const char *words);

#endif
