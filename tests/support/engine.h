/*
 * The engine under test: the backend that the environment variable PARSCAN_TEST_BACKEND names,
 * else the CPU. A context is made inside a test, since Criterion runs each in a process of its own
 * and the CPU engine does not survive a fork.
 */
#ifndef PARSCAN_TESTS_ENGINE_H
#define PARSCAN_TESTS_ENGINE_H

#include "parscan/context.h"

/* The backend under test. */
parscan_backend test_backend(void);

/* A context of it; the test fails when there is none. */
parscan_context *test_context(void);

/* The same with options, whose backend and struct_size are filled in. */
parscan_context *test_context_with(parscan_context_options options);

#endif
