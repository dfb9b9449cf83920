/*
 * Keys without values of which few are out of order, wherever these are: one read keeps those that are in order, and sets
 * the others aside with some of their neighbours. These are sorted, and merged with what was kept. Of keys that are
 * equal nobody can tell which comes first, but of NaNs: where one would be set aside this is not done.
 */
#include "apps/merge/merge_kernels.h"
#include "apps/merge/merge_runs.h"
#include "apps/sort/sort_kernels.h"
#include "apps/sort/sort_runs_cpu.h"

enum {
    ASIDE_FROM = 1 << 16, /* keys */
    ASIDE_THREADS = 2,    /* the most: one of them reads all keys */
    ASIDE_PART = 8,       /* of the keys, the most that are set aside */
    SAMPLES =
        64, /* windows of SAMPLE_KEYS neighbours, of which SAMPLE_WRONG pairs may be out of order */
    SAMPLE_KEYS = 32,
    SAMPLE_WRONG = 128
};

static bool looks_nearly_sorted(const sort_call *call)
{
    const size_t step = call->n / SAMPLES;
    unsigned wrong = 0;
    for (size_t k = 0; k < SAMPLES && wrong <= SAMPLE_WRONG; k++) {
        uint64_t before = 0;
        for (size_t i = 0; i < SAMPLE_KEYS; i++) {
            const uint64_t rank =
                call->kernels->rank(&call->order, call->in.keys + (k * step + i) * call->key_size);
            wrong += rank < before;
            before = rank;
        }
    }
    return wrong <= SAMPLE_WRONG;
}

/* The keys that were set aside, which are behind those that were kept, in the scratch array; the output has room
   for the sort. */
static void sort_others(const sort_call *call, size_t kept)
{
    sort_call own = *call;
    own.out = call->scratch;
    own.scratch = call->out;
    parscan_sort_range(&own,
                       (sort_range){.from = call->scratch, .begin = kept, .n = call->n - kept},
                       call->threads, 0);
}

bool parscan_sort_by_aside(const sort_call *call)
{
    const merge_kernels *const kernels = parscan_merge_kernels(call->key);
    if (call->value_size > 0 || !call->whole_keys || call->key_size < 4 || call->n < ASIDE_FROM ||
        call->threads > ASIDE_THREADS || !parscan_sort_may_merge(call) ||
        !looks_nearly_sorted(call))
        return false;
    const size_t n = call->n, kept = kernels->set_aside(&call->order, call->in.keys, n,
                                                        n / ASIDE_PART, call->scratch.keys);
    if (kept > n)
        return false;
    sort_others(call, kept);
    const merge_run runs[2] = {{.keys = call->scratch.keys, .n = kept},
                               {.keys = call->scratch.keys + kept * call->key_size, .n = n - kept}};
    size_t taken[2];
    const merge_call merge = {.context = call->context,
                              .threads = call->threads,
                              .kernels = kernels,
                              .order = call->order,
                              .key_size = call->key_size,
                              .runs = runs,
                              .count = 2,
                              .keys_out = call->out.keys,
                              .n = n,
                              .taken = taken,
                              .memory = call->workers};
    parscan_merge_runs(&merge);
    return true;
}
