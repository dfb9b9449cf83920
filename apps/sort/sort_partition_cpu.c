#include "apps/sort/sort_partition_cpu.h"

#include <string.h>

#include "scan/cpu/team.h"

/* The scan of the counts is a tile kernel of scan/, for u64, which size_t is. */
#define PARSCAN_ELEMENT U64
#define PARSCAN_ELEMENT_NAME u64
#define PARSCAN_ELEMENT_CLASS INTEGER
#include "scan/cpu/tile_kernels.h"

enum {
    FEW_SHARES = 4,         /* up to so many, one thread adds up the counts */
    DIGIT_BLOCK = 64,       /* digits whose counts a thread adds up at once */
    STREAM_BYTES = 4 << 20, /* bytes of keys from which on stores bypass the caches */
};

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are scanned as u64");

static size_t share_begin(const sort_partition *p, size_t share)
{
    return p->range.begin + (share == p->threads ? p->range.n : p->range.n / p->threads * share);
}

static size_t *row_of(const sort_partition *p, size_t share)
{
    return p->rows + (share << p->digit.bits);
}

static void count_share(void *state, size_t share)
{
    sort_partition *const p = state;
    const sort_call *const call = p->call;
    const size_t begin = share_begin(p, share);
    const uint64_t varying = call->kernels->count(
        &call->order, p->digit, &p->octaves, parscan_sort_partition_key(p, begin),
        share_begin(p, share + 1) - begin, parscan_sort_partition_key(p, p->range.begin),
        row_of(p, share));
    atomic_fetch_or(&p->varying, varying);
}

uint64_t parscan_sort_partition_count(sort_partition *p)
{
    atomic_store(&p->varying, 0);
    parscan_team_run(p->call->context, p->threads, count_share, p);
    return atomic_load(&p->varying);
}

/* Replaces the counts of a block of digits by their exclusive scan over the shares. bounds[digit]
   becomes the count of all shares. */
static void add_up_digits(void *state, size_t block, unsigned worker)
{
    const sort_partition *const p = state;
    const size_t digits = (size_t)1 << p->digit.bits, begin = block * DIGIT_BLOCK;
    const size_t n = digits - begin < DIGIT_BLOCK ? digits - begin : DIGIT_BLOCK;
    size_t *const sums = p->bounds + begin;
    (void)worker;
    memset(sums, 0, n * sizeof *sums);
    for (size_t share = 0; share < p->threads; share++) {
        size_t *const row = row_of(p, share) + begin;
        for (size_t d = 0; d < n; d++) {
            const size_t count = row[d];
            row[d] = sums[d];
            sums[d] += count;
        }
    }
}

/* Scans the counts in the order of digits, and of shares within a digit. bounds[digit] becomes the
   place where the bucket starts; a row has for each digit how far behind it the share's elements
   start. */
static void scan_counts(sort_partition *p)
{
    parscan_context *const context = p->call->context;
    const size_t digits = (size_t)1 << p->digit.bits;
    const size_t blocks = (digits + DIGIT_BLOCK - 1) / DIGIT_BLOCK;
    parscan_team_for(context, p->threads > FEW_SHARES ? p->threads : 1, blocks, 1, add_up_digits,
                     p);
    const tile_scan scan = {.in = p->bounds,
                            .out = p->bounds,
                            .n = digits,
                            .before = p->range.begin,
                            .exclusive = true};
    parscan_tile_kernels_u64(context->isa)->scan(PARSCAN_SUM, &scan);
    p->bounds[digits] = p->range.begin + p->range.n;
}

static void scatter_share(void *state, size_t share)
{
    const sort_partition *const p = state;
    const sort_call *const call = p->call;
    const sort_worker w = parscan_sort_worker(call, p->worker + (unsigned)share);
    size_t *const at = row_of(p, share);
    for (size_t d = 0; d < (size_t)1 << p->digit.bits; d++)
        at[d] += p->bounds[d];
    const digit_scatter scatter = {.order = call->order,
                                   .digit = p->digit,
                                   .octaves = p->octaves,
                                   .from = p->range.from,
                                   .to = p->to,
                                   .value_size = call->value_size,
                                   .first_index = call->first_index,
                                   .begin = share_begin(p, share),
                                   .end = share_begin(p, share + 1),
                                   .limit = p->range.begin + p->range.n,
                                   .at = at,
                                   .line_begin = w.line_begin,
                                   .lines = w.lines,
                                   .stream = p->stream,
                                   .prefetch = call->context->prefetch_stores};
    call->kernels->scatter(&scatter);
}

sort_partition parscan_sort_partition(const sort_call *call, sort_range range, elements to,
                                      unsigned threads, unsigned worker)
{
    return (sort_partition){.call = call,
                            .range = range,
                            .to = to,
                            .threads = threads,
                            .worker = worker,
                            .rows =
                                threads == 1 ? parscan_sort_worker(call, worker).at : call->counts,
                            .stream = range.n * call->key_size >= STREAM_BYTES};
}

void parscan_sort_partition_scatter(sort_partition *p)
{
    scan_counts(p);
    if (p->threads == 1)
        scatter_share(p, 0);
    else
        parscan_team_run(p->call->context, p->threads, scatter_share, p);
}
