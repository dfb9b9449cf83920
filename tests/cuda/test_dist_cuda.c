/* Sorts over ranks, for the tools of compute-sanitizer (tests/cuda/run_staged.sh): the kernels that take
   buckets from the pieces of several sources. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/dist_sort_case.h"
#include "tests/support/key_patterns.h"
#include "tests/support/scan_case.h"

#define N 70001u

typedef struct sample {
    parscan_type type;
    key_pattern pattern;
    size_t value_size; /* 0: keys alone */
    bool descending;
} sample;

static const sample samples[] = {
    {PARSCAN_U32, KEYS_RANDOM, 0, false}, {PARSCAN_U32, KEYS_FEW, 4, true},
    {PARSCAN_F32, KEYS_RANDOM, 0, true},  {PARSCAN_I64, KEYS_RANDOM, 0, false},
    {PARSCAN_U64, KEYS_RANDOM, 8, false}, {PARSCAN_U8, KEYS_RANDOM, 4, false},
    {PARSCAN_I16, KEYS_RANDOM, 3, false}, {PARSCAN_F64, KEYS_FEW, 4, false},
    {PARSCAN_F16, KEYS_RANDOM, 0, false}, {PARSCAN_BF16, KEYS_FEW, 8, true},
};

Test(sanitized, sorts_over_ranks_are_right, .timeout = 600)
{
    for (size_t k = 0; k < COUNT_OF(samples); k++) {
        const sample *const s = &samples[k];
        dist_sort_case sort = {.sort = {.type = s->type, .n = N, .value_size = s->value_size},
                               .in = RANDOM_PIECES,
                               .ranks = 2 + (unsigned)k % 2};
        sort.sort.options.descending = s->descending;
        void *const keys = patterned_keys(s->type, s->pattern, N);
        expect_dist_sort(sort, keys, NULL);
        free(keys);
    }
}
