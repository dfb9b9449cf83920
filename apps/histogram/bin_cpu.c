/*
 * parscan_bin() on the CPU, a counting sort: counts -> exclusive scan -> stable scatter.
 *
 *   short arrays   One core counts in offsets[bin + 1]. After the scan this is where the bin's
 *                  next value goes; when all values are placed it is the bin's end.
 *   few bins       Each core counts its part of the entries in a table of its own. The tables are
 *                  scanned bin by bin, and by core within a bin, so each core knows where its own
 *                  entries of each bin go.
 *   many bins      Bins are grouped in buckets of up to 2^16 rows, few enough for the way above.
 *                  Then one core counts and places the entries of each bucket; all that it writes
 *                  lies close together.
 */
#include <stdatomic.h>
#include <string.h>

#include "apps/histogram/bin_tile.h"
#include "apps/histogram/counters.h"
#include "parscan/histogram.h"
#include "parscan/scan.h"
#include "scan/cpu/team.h"

enum {
    /* The most entries that one core takes alone: with any number of threads, with one, with two. */
    FEW_ENTRIES = 1 << 14,
    ALONE_ENTRIES = 1 << 22,
    PAIR_ENTRIES = 1 << 20,
    PAIR_ENTRIES_A_BIN = 256, /* and with two threads, the most for each bin */
    CACHED_OFFSETS = 8,       /* second-level caches that the offsets may take for ALONE and PAIR */
    FEW_BINS = 1 << 13,       /* no buckets up to here, if lines take half of that cache at most */
    MIN_BUCKETS = 1 << 8,
    MAX_BUCKETS = 1 << 11,
    MANY_ROW_BITS = 12,
    BUCKET_BYTES = 1 << 18,
    ENTRIES_A_BIN = 16, /* bins an entry from which on buckets do not pay */
    FLUSH_TILES = (1u << 31) / BIN_TILE
};

/* The first scatter of the entries: to their bins, or to their buckets. */
typedef struct bin_partition {
    const bin_call *call;
    unsigned shift;
    size_t parts, buckets; /* a part is a thread's share of the entries */
    uint64_t *starts;      /* bucket b of part p starts at starts[b * parts + p]; last, the end */
    char *tables;          /* for each part: its counters, and later the ends of its buckets */
    size_t stride;
    char *lines;  /* for each part: for each bucket a line of values and a line of rows */
    char *values; /* where the first scatter writes values */
    uint16_t *rows;
    atomic_bool changed; /* the bins that were scattered are not those that were counted */
} bin_partition;

static size_t part_begin(const bin_partition *p, size_t part)
{
    const size_t tiles = p->call->n / BIN_TILE + (p->call->n % BIN_TILE != 0);
    const size_t begin = (tiles / p->parts * part + tiles % p->parts * part / p->parts) * BIN_TILE;
    return begin < p->call->n && part < p->parts ? begin : p->call->n;
}

static void add_counters(const bin_partition *p, uint32_t *counters, size_t part)
{
    const size_t stride = p->stride / sizeof *counters;
    for (size_t bucket = 0; bucket < p->buckets; bucket++)
        for (size_t table = 0; table < TABLES; table++)
            p->starts[bucket * p->parts + part] += counters[table * stride + bucket];
    memset(counters, 0, TABLES * p->stride);
}

static void count_part(void *state, size_t part)
{
    const bin_partition *const p = state;
    bin_tile tile;
    size_t tiles = 0;
    uint32_t *const counters = (uint32_t *)(p->tables + part * TABLES * p->stride);
    memset(counters, 0, TABLES * p->stride);
    for (size_t begin = part_begin(p, part), end = part_begin(p, part + 1); begin < end;
         begin += BIN_TILE) {
        parscan_bin_split(p->call, p->shift, begin, false, &tile);
        parscan_count_in_words(counters, p->stride / sizeof *counters, tile.bucket, tile.n,
                               tile.bins_ahead);
        if (++tiles % FLUSH_TILES == 0)
            add_counters(p, counters, part);
    }
    add_counters(p, counters, part);
}

/* Notes whether the entries of some bucket of a part are not as many as were counted. */
static void check_ends(bin_partition *p, const bin_places *places, size_t part)
{
    for (size_t bucket = 0; bucket < p->buckets; bucket++)
        if (places->ends[bucket] != p->starts[bucket * p->parts + part + 1])
            atomic_store_explicit(&p->changed, true, memory_order_relaxed);
}

static void scatter_part(void *state, size_t part)
{
    bin_partition *const p = state;
    bin_tile tile;
    const size_t size = p->call->value_size, lines = p->buckets * COMBINE_LINE;
    char *const mine = p->lines + part * 2 * lines;
    const uint64_t limit = p->starts[p->buckets * p->parts];
    bin_places places = {.buckets = p->buckets,
                         .value_size = size,
                         .begins = (uint64_t *)(p->tables + part * TABLES * p->stride),
                         .whole = (size & (size - 1)) == 0,
                         .limit = limit,
                         .values = combine_into(p->values, mine, size, limit),
                         .rows =
                             combine_into((char *)p->rows, mine + lines, sizeof *p->rows, limit),
                         .with_rows = p->rows != NULL};
    places.ends = places.begins + p->buckets;
    for (size_t bucket = 0; bucket < p->buckets; bucket++)
        places.begins[bucket] = places.ends[bucket] = p->starts[bucket * p->parts + part];
    for (size_t begin = part_begin(p, part), end = part_begin(p, part + 1); begin < end;
         begin += BIN_TILE) {
        parscan_bin_split(p->call, p->shift, begin, true, &tile);
        parscan_bin_values(p->call, begin, &tile);
        parscan_bin_scatter(&tile, &places);
    }
    parscan_bin_scatter_end(&places);
    check_ends(p, &places, part);
}

static parscan_status partition(bin_partition *p)
{
    const size_t count = p->buckets * p->parts + 1;
    memset(p->starts, 0, count * sizeof *p->starts);
    parscan_team_run(p->call->context, p->parts, count_part, p);
    const parscan_status status =
        parscan_exclusive_scan(p->call->context, PARSCAN_U64, p->starts, p->starts, count, NULL);
    if (status != PARSCAN_OK)
        return status;
    parscan_team_run(p->call->context, p->parts, scatter_part, p);
    return PARSCAN_OK;
}

static void write_offset(const bin_call *call, size_t bin, uint64_t offset)
{
    const uint32_t narrow = (uint32_t)offset;
    if (call->offset_size == sizeof offset)
        memcpy(call->offsets + bin * sizeof offset, &offset, sizeof offset);
    else
        memcpy(call->offsets + bin * sizeof narrow, &narrow, sizeof narrow);
}

/* Replaces offsets[1..bins] by their exclusive scan. */
static parscan_status scan_offsets(const bin_call *call)
{
    char *const counts = call->offsets + call->offset_size;
    return parscan_exclusive_scan(call->context, call->offset_type, counts, counts, call->bins,
                                  NULL);
}

static size_t bucket_rows(const bin_partition *p, size_t bucket)
{
    const size_t left = p->call->bins - (bucket << p->shift), rows = (size_t)1 << p->shift;
    return left < rows ? left : rows;
}

/* Counts the entries of each bin of a bucket. */
static void count_bucket(void *state, size_t bucket, unsigned worker)
{
    const bin_partition *const p = state;
    const size_t size = p->call->offset_size, begin = p->starts[bucket * p->parts];
    char *const offsets = p->call->offsets + (bucket << p->shift) * size;
    (void)worker;
    memset(offsets + size, 0, bucket_rows(p, bucket) * size);
    parscan_bin_count_rows(p->rows + begin, p->starts[(bucket + 1) * p->parts] - begin, offsets,
                           size);
}

/* Moves the entries of a bucket to their bins. */
static void place_bucket(void *state, size_t bucket, unsigned worker)
{
    const bin_partition *const p = state;
    const bin_call *const call = p->call;
    const size_t size = call->offset_size, begin = p->starts[bucket * p->parts];
    (void)worker;
    parscan_bin_place_rows(p->rows + begin, p->values + begin * call->value_size,
                           p->starts[(bucket + 1) * p->parts] - begin, call->value_size,
                           call->offsets + (bucket << p->shift) * size, size, call->values_out,
                           call->context->prefetch_stores);
}

static parscan_status place_buckets(bin_partition *p)
{
    parscan_context *const context = p->call->context;
    const unsigned threads = (unsigned)p->parts;
    /* Then there are rows that were not written, or whose bucket does not have them. */
    if (atomic_load_explicit(&p->changed, memory_order_relaxed))
        memset(p->rows, 0, p->call->n * sizeof *p->rows);
    write_offset(p->call, 0, 0);
    parscan_team_for(context, threads, p->buckets, 1, count_bucket, p);
    const parscan_status status = scan_offsets(p->call);
    if (status == PARSCAN_OK)
        parscan_team_for(context, threads, p->buckets, 1, place_bucket, p);
    return status;
}

static size_t round_up(size_t size)
{
    return (size + COMBINE_LINE - 1) / COMBINE_LINE * COMBINE_LINE;
}

/* Returns the number of bits of a row. The values and the offsets of a bucket should fit a
   core's cache, and so should a line for each bucket. */
static unsigned row_bits(const bin_call *call)
{
    unsigned bits = 0;
    if (call->bins <= MAX_BUCKETS ||
        (call->bins <= FEW_BINS && call->bins * COMBINE_LINE <= call->context->l2_bytes / 2))
        return 0;
    while (call->bins >> bits > MIN_BUCKETS && bits < MANY_ROW_BITS &&
           (call->bins >> bits) * BUCKET_BYTES > call->n * call->value_size)
        bits++;
    while (call->bins >> bits > MAX_BUCKETS && bits < MAX_ROW_BITS)
        bits++;
    return bits;
}

/* The first scatter by so many threads, without its memory. */
static bin_partition partition_of(const bin_call *call, unsigned threads)
{
    const size_t most = call->n / (FEW_ENTRIES / 2);
    bin_partition p = {
        .call = call, .parts = threads < most ? threads : most, .shift = row_bits(call)};
    p.buckets = bin_buckets(call, p.shift);
    p.stride = parscan_counter_stride(p.buckets + 1, sizeof(uint32_t));
    return p;
}

/* Sets the pointers of a partition. Returns the bytes of its memory; NULL: it has none yet. */
static size_t place_arrays(bin_partition *p, char *memory)
{
    const bin_call *const call = p->call;
    const bool buffered = p->shift > 0;
    const size_t starts = round_up((p->buckets * p->parts + 1) * sizeof *p->starts);
    const size_t tables = p->parts * TABLES * p->stride;
    const size_t lines = p->parts * 2 * p->buckets * COMBINE_LINE;
    const size_t rows = buffered ? round_up(call->n * sizeof *p->rows) : 0;
    const size_t values = buffered ? call->n * call->value_size : 0;
    if (memory != NULL) {
        p->starts = (uint64_t *)memory;
        p->tables = memory + starts;
        p->lines = p->tables + tables;
        p->rows = buffered ? (uint16_t *)(p->lines + lines) : NULL;
        p->values = buffered ? p->lines + lines + rows : call->values_out;
    }
    return starts + tables + lines + rows + values;
}

static parscan_status bin_in_parallel(const bin_call *call, unsigned threads, char *scratch)
{
    bin_partition p = partition_of(call, threads);
    atomic_init(&p.changed, false);
    place_arrays(&p, scratch);
    const parscan_status status = partition(&p);
    if (status != PARSCAN_OK)
        return status;
    if (p.shift > 0)
        return place_buckets(&p);
    for (size_t bin = 0; bin <= p.buckets; bin++)
        write_offset(call, bin, p.starts[bin * p.parts]);
    return PARSCAN_OK;
}

/* Counts the entries, or places those that go below `limit`. */
static void each_tile(const bin_call *call, bool place, uint64_t limit)
{
    bin_tile tile;
    /* Indices of bins have 32 bits, unless they are split. */
    const unsigned shift = call->bins < UINT32_MAX ? 0 : MAX_ROW_BITS;
    const size_t left_out = bin_buckets(call, shift);
    for (size_t begin = 0; begin < call->n; begin += BIN_TILE) {
        parscan_bin_split(call, shift, begin, true, &tile);
        if (!place) {
            parscan_bin_count_tile(&tile, left_out, call->offsets, call->offset_size);
            continue;
        }
        parscan_bin_values(call, begin, &tile);
        parscan_bin_place_tile(&tile, left_out, call->value_size, call->offsets, call->offset_size,
                               call->values_out, limit);
    }
}

static parscan_status bin_on_one_core(const bin_call *call)
{
    if (!call->context->measures)
        memset(call->offsets, 0, (call->bins + 1) * call->offset_size);
    if (call->n == 0 || call->bins == 0)
        return PARSCAN_OK;
    if (!call->context->measures)
        each_tile(call, false, 0);
    char *const counts = call->offsets + call->offset_size;
    if (call->values_out == NULL)
        return parscan_inclusive_scan(call->context, call->offset_type, counts, counts, call->bins,
                                      NULL);
    /* The scan leaves out the last count, with which the places end. */
    const char *const end = call->offsets + call->bins * call->offset_size;
    const bool measures = call->context->measures;
    const uint64_t last = measures ? 0 : bin_offset_at(end, call->offset_size);
    const parscan_status status = scan_offsets(call);
    if (status == PARSCAN_OK && !measures)
        each_tile(call, true, bin_offset_at(end, call->offset_size) + last);
    return status;
}

static parscan_status only_offsets(const bin_call *call)
{
    const parscan_status status =
        parscan_histogram(call->context, call->bin_type, call->bin_of, call->n, call->bins,
                          call->offset_type, call->offsets, NULL);
    if (status != PARSCAN_OK)
        return status;
    if (!call->context->measures)
        write_offset(call, call->bins, 0);
    return parscan_exclusive_scan(call->context, call->offset_type, call->offsets, call->offsets,
                                  call->bins + 1, NULL);
}

/* Whether one core, which takes two passes, is faster than all threads with three or four. */
static bool is_short(const bin_call *call, unsigned threads)
{
    if (call->n < FEW_ENTRIES)
        return true;
    if (call->bins * call->offset_size > CACHED_OFFSETS * call->context->l2_bytes)
        return false;
    return (threads == 1 && call->n <= ALONE_ENTRIES) ||
           (threads == 2 && call->n <= PAIR_ENTRIES && call->n / PAIR_ENTRIES_A_BIN <= call->bins);
}

static size_t bin_scratch_need(const void *state, unsigned threads)
{
    const bin_call *const call = state;
    bin_partition p = partition_of(call, threads);
    return is_short(call, threads) ? 0 : place_arrays(&p, NULL);
}

static parscan_status bin_values(const bin_call *call)
{
    unsigned threads = call->context->threads;
    void *scratch;
    const parscan_status status =
        parscan_scratch_of_threads(call->context, &threads, bin_scratch_need, call, &scratch);
    if (status != PARSCAN_OK)
        return status;
    if (call->context->measures && !is_short(call, threads))
        return partition_of(call, threads).shift > 0 ? scan_offsets(call) : PARSCAN_OK;
    return is_short(call, threads) ? bin_on_one_core(call)
                                   : bin_in_parallel(call, threads, scratch);
}

/* One core takes no scratch. */
static parscan_status bin_offsets(const bin_call *call)
{
    parscan_context *const context = call->context;
    char words[sizeof context->error];
    memcpy(words, context->error, sizeof words);
    const parscan_status status = only_offsets(call);
    if (status != PARSCAN_ERROR_OUT_OF_MEMORY)
        return status;
    memcpy(context->error, words, sizeof words); /* this call has not failed */
    return bin_on_one_core(call);
}

parscan_status parscan_bin_cpu(const bin_call *call)
{
    const size_t histogram_bins = (size_t)1 << 24;
    if (call->bins == 0 || is_short(call, call->context->threads) ||
        call->n < call->bins / ENTRIES_A_BIN)
        return bin_on_one_core(call);
    if (call->values_out != NULL)
        return bin_values(call);
    return call->bins <= histogram_bins ? bin_offsets(call) : bin_on_one_core(call);
}
