#define _POSIX_C_SOURCE 200809L /* setenv */
#include "tests/support/every_simd.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/test_engine.h"

void every_simd(const char *name, void (*body)(void))
{
    const char *const asked = getenv("PARSCAN_SIMD");
    if (test_backend() != PARSCAN_BACKEND_CPU || (asked != NULL && *asked != '\0')) {
        body();
        return;
    }
    for (size_t s = 0; s < SIMD_SETS; s++) {
        parscan_context *const context = test_context_simd(all_simd_sets[s], 1);
        if (context == NULL)
            continue;
        parscan_context_destroy(context);
        /* Which set it is, should the body fail. */
        fprintf(stderr, "%s: PARSCAN_SIMD=%s\n", name, all_simd_sets[s]);
        setenv("PARSCAN_SIMD", all_simd_sets[s], 1);
        random_restart();
        body();
    }
    unsetenv("PARSCAN_SIMD");
}
