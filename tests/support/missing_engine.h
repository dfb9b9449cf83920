/*
 * Whether a suite can run at all: asked by the runner's main() before the first test.
 */
#ifndef PARSCAN_TESTS_MISSING_ENGINE_H
#define PARSCAN_TESTS_MISSING_ENGINE_H

#include <stdbool.h>

/* The exit status of a program all of whose tests were skipped, and of nothing else: ctest's
   SKIP_RETURN_CODE. */
#define SKIPPED_STATUS 77

/* Whether the environment asks for CUDA (PARSCAN_TEST_BACKEND=cuda) and it is not there. Says why. */
bool engine_is_missing(void);

#endif
