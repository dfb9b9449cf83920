/*
 * Sorts keys without values by vectors, in the scratch array. Several threads sort a share each, which are then merged.
 */
#include "apps/merge/merge_runs.h"
#include "apps/sort/sort_partition_cpu.h"
#include "scan/cpu/team.h"

enum {
    SHORT_BYTES = 4 << 20, /* up to so many vectors need no digit pass before them */
    MOST_SHARES = 8,
    SAMPLES = 64,
    SAMPLES_EQUAL = 1 /* pairs of equal keys among them */
};

/* Whether some keys of a sample are equal, or, if `apart`, many fall into one bucket. */
static bool is_skewed(const sort_partition *p, key_digit digit, bool apart)
{
    const uint64_t mask = low_bits(digit.bits) << digit.low;
    uint64_t ranks[SAMPLES];
    unsigned equal = 0, most = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const size_t at = p->range.begin + p->range.n / SAMPLES * i;
        unsigned in_bucket = 0;
        ranks[i] = p->call->kernels->rank(&p->call->order, parscan_sort_partition_key(p, at));
        for (size_t k = 0; k < i; k++) {
            equal += ranks[k] == ranks[i];
            in_bucket += ((ranks[k] ^ ranks[i]) & mask) == 0;
        }
        most = in_bucket > most ? in_bucket : most;
    }
    return (apart && most >= SAMPLES / 8) || equal >= SAMPLES_EQUAL;
}

static size_t share_begin(const sort_partition *p, size_t share)
{
    return p->range.begin + (share == p->threads ? p->range.n : p->range.n / p->threads * share);
}

/* A sort of shares. The partition has nothing to do with it but its range and threads. */
typedef struct share_sort {
    const sort_partition *p;
    atomic_bool failed;
} share_sort;

static bool sort_keys(const sort_partition *p, size_t begin, size_t end, elements to)
{
    const sort_call *const call = p->call;
    const size_t at = begin * call->key_size;
    return call->kernels->by_vectors(&call->order, p->range.from.keys + at, end - begin,
                                     call->scratch.keys + at, to.keys + at);
}

static void sort_share(void *state, size_t share)
{
    share_sort *const s = state;
    if (!sort_keys(s->p, share_begin(s->p, share), share_begin(s->p, share + 1),
                   s->p->call->scratch))
        atomic_store(&s->failed, true);
}

static void merge_shares(const sort_partition *p)
{
    const sort_call *const call = p->call;
    merge_run runs[MOST_SHARES];
    size_t taken[MOST_SHARES];
    for (size_t k = 0; k < p->threads; k++)
        runs[k] = (merge_run){.keys = call->scratch.keys + share_begin(p, k) * call->key_size,
                              .n = share_begin(p, k + 1) - share_begin(p, k)};
    const merge_call merge = {.context = call->context,
                              .threads = p->threads,
                              .kernels = parscan_merge_kernels(call->key),
                              .order = call->order,
                              .key_size = call->key_size,
                              .runs = runs,
                              .count = p->threads,
                              .keys_out = call->out.keys + p->range.begin * call->key_size,
                              .n = p->range.n,
                              .taken = taken,
                              .memory = call->workers};
    parscan_merge_runs(&merge);
}

/* All threads of the call, whose memory the merge needs: none of it may hold bounds of a cut, as it does where the whole
   range has a NaN and a bucket has none. */
static bool sort_in_shares(const sort_partition *p)
{
    const sort_call *const call = p->call;
    share_sort s = {.p = p};
    if (p->threads != call->threads || p->threads > MOST_SHARES ||
        *parscan_sort_worker(call, p->worker).bounds != 0 ||
        p->range.from.keys == call->scratch.keys ||
        parscan_merge_memory(p->threads, p->threads) > p->threads * call->worker_bytes)
        return false;
    parscan_team_run(call->context, p->threads, sort_share, &s);
    if (atomic_load(&s.failed))
        return false;
    merge_shares(p);
    parscan_sort_forget_bounds(call);
    return true;
}

static bool sorts_by_vectors(const sort_call *call)
{
    return call->kernels->by_vectors != NULL && call->whole_keys && call->scratch.keys != NULL;
}

static bool sort_by_vectors(const sort_partition *p)
{
    return p->threads > 1 ? sort_in_shares(p)
                          : sort_keys(p, p->range.begin, p->range.begin + p->range.n, p->call->out);
}

bool parscan_sort_short_by_vectors(const sort_partition *p)
{
    const sort_call *const call = p->call;
    return sorts_by_vectors(call) && call->key_size == 4 &&
           call->context->isa == PARSCAN_ISA_AVX512 && p->range.n <= SHORT_BYTES / 4 &&
           sort_by_vectors(p);
}

/* With AVX2 vectors have no advantage over parts for floats that are all different. */
bool parscan_sort_skewed_by_vectors(const sort_partition *p, key_digit digit)
{
    const sort_call *const call = p->call;
    const bool apart = !call->float_keys || call->context->isa == PARSCAN_ISA_AVX512;
    return sorts_by_vectors(call) && is_skewed(p, digit, apart) && sort_by_vectors(p);
}
