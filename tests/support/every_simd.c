#define _POSIX_C_SOURCE 200809L /* setenv */
#include "tests/support/every_simd.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/test_engine.h"

/* Spreads names over 0 to count - 1 (FNV-1a). */
static size_t share_of(const char *name, size_t count)
{
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return (hash >> 16) % count;
}

/* How many of all sets a test takes. */
static size_t sets_asked(size_t all)
{
    const char *const how_many = getenv("PARSCAN_TEST_SETS");
    if (how_many != NULL && strcmp(how_many, "one") == 0)
        return 1;
    return how_many != NULL && strcmp(how_many, "two") == 0 && all > 2 ? 2 : all;
}

void every_simd(const char *name, void (*body)(void))
{
    const char *const asked = getenv("PARSCAN_SIMD");
    if (test_backend() != PARSCAN_BACKEND_CPU || (asked != NULL && *asked != '\0')) {
        body();
        return;
    }
    const char *sets[SIMD_SETS];
    size_t all = 0;
    for (size_t s = 0; s < SIMD_SETS; s++) {
        parscan_context *const context = test_context_simd(all_simd_sets[s], 1);
        if (context == NULL)
            continue;
        parscan_context_destroy(context);
        sets[all++] = all_simd_sets[s];
    }
    const size_t count = sets_asked(all);
    /* One is always the same; which of more are left out depends on the seed. */
    const size_t first = count == all ? 0 : count == 1 ? share_of(name, all) : random_below(all);
    for (size_t k = 0; k < count; k++) {
        const size_t s = (first + k) % all;
        /* Which set it is, should the body fail. */
        fprintf(stderr, "%s: PARSCAN_SIMD=%s\n", name, sets[s]);
        setenv("PARSCAN_SIMD", sets[s], 1);
        random_restart();
        body();
    }
    unsetenv("PARSCAN_SIMD");
}
