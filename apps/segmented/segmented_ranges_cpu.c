/*
 * Reduction of segments that are given by offsets or rows. Compiled once for each element type
 * (scan/cpu/element.h).
 *
 * Work is divided by elements and segments together (merge path), so that neither one huge segment
 * nor a hundred million empty ones are left to one core. Elements and offsets are regarded as
 * merged into one list, in which offset k stands before element offsets[k]. The list is cut into
 * equal ranges. For each range, a core reduces the segments that end in it: one by one if they are
 * long, otherwise a tile of elements at a time. The first of these segments may have started in
 * earlier ranges; their part of its sum is added when all ranges are done.
 *
 * Source: D. Merrill, M. Garland, Merge-based Parallel Sparse Matrix-Vector Multiplication, 2016.
 */
#include <stdatomic.h>

#include "apps/segmented/segmented_element_cpu.h"
#include "apps/segmented/segmented_kernels.h"
#include "apps/segments/check_segments.h"
#include "apps/segments/heads.h"
#include "scan/call_element.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

#define TILE (TILE_BYTES / sizeof(T))
#define WORD 64u

/* Ranges for each thread, which takes them one after another, since they take different times;
   and the least length of a range, since each cut takes a search. */
enum { RANGES = 16, RANGE_ITEMS = 1 << 17 };

/* The least mean length of segments that are reduced one by one. */
enum { LONG_MEAN = 32 };

typedef struct segment_range {
    size_t element, end;    /* the elements element to end - 1 */
    size_t offset, offsets; /* the offsets `offset` to offsets - 1, each the end of a segment */
    T lead;                 /* the sum of what comes before the first end */
    T open;                 /* the sum of what comes after the last end */
} segment_range;

typedef struct ranges_pass {
    OPERATOR op;
    const tile_kernels *plain;
    const segmented_kernels *kernels;
    parscan_read_heads *read_heads;
    const parscan_segments *segments;
    size_t segment_count;
    VIEW in, out;
    const T *init;
    T start; /* the result of an empty segment */
    bool singly;
    atomic_bool wrong; /* offsets decrease */
    segment_range *ranges;
    size_t count;
    struct range_work *works; /* one for each thread */
} ranges_pass;

/* The buffers of one thread, for one tile. */
typedef struct range_work {
    uint64_t heads[TILE / WORD];
    T buffer[TILE], sums[TILE];
} range_work;

/* Returns how many offsets are among the first `items` of the merged list. */
static size_t offsets_among(const ranges_pass *pass, size_t items)
{
    size_t low = 0, high = pass->segment_count + 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (parscan_segment_offset(pass->segments, middle) + middle < items)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void set_wrong(ranges_pass *pass)
{
    atomic_store_explicit(&pass->wrong, true, memory_order_relaxed);
}

/* Stores the sums of the segments that the offsets k to end - 1 end. Empty segments have no
   entry in `sums`. */
static void place(ranges_pass *pass, segment_range *range, size_t k, size_t end, const T *sums,
                  size_t count)
{
    const parscan_segments segments = *pass->segments;
    const T *const sums_end = sums + count;
    k += k == 0;
    uint64_t from = k < end ? parscan_segment_offset(&segments, k - 1) : 0;
    for (; k < end; k++) {
        const uint64_t to = parscan_segment_offset(&segments, k);
        const bool leads = k == range->offset;
        if (to == from && !leads) {
            store(&pass->out, k - 1, pass->start);
            continue;
        }
        if (to < from || sums == sums_end) {
            set_wrong(pass);
            return;
        }
        if (leads)
            range->lead = *sums++;
        else
            store(&pass->out, k - 1, *sums++);
        from = to;
    }
}

/* Reduces a tile of n elements; offset k is the first that may end a segment in it. Returns the
   first offset that does not. */
static size_t reduce_tile(ranges_pass *pass, segment_range *range, head_reader *reader,
                          range_work *work, size_t begin, size_t n, size_t k)
{
    const T *in = (const T *)pass->in.data + begin;
    if (pass->in.type != PARSCAN_ELEMENT_TYPE) {
        pass->plain->gather(&pass->in, begin, n, work->buffer);
        in = work->buffer;
    }
    pass->read_heads(reader, begin, n, work->heads);
    const size_t end = reader->last;
    if (reader->wrong || reader->first > k || end < k || end > range->offsets) {
        set_wrong(pass);
        return range->offsets;
    }
    /* A head at the tile's first element ends no segment if it is the array's first element, or
       if that end belongs to the range before. */
    const bool ends_first = k > 0 && k < end && parscan_segment_offset(pass->segments, k) == begin;
    const size_t sums = reader->heads - ((work->heads[0] & 1) != 0 && !ends_first);
    const bool all_sums = sums == end - k && k > range->offset;
    const bool in_place = all_sums && pass->out.type == PARSCAN_ELEMENT_TYPE;
    const segmented_tile tile = {
        .plain = pass->plain,
        .heads = work->heads,
        .in = in,
        .out = in_place ? (T *)pass->out.data + k - 1 : work->sums,
        .n = n,
        .before = range->open,
        .init = pass->init,
        .first = !ends_first,
        .singly = pass->singly,
    };
    range->open = pass->kernels->reduce(pass->op, &tile);
    if (all_sums && !in_place)
        pass->plain->scatter(&pass->out, k - 1, sums, work->sums, false);
    else if (!in_place)
        place(pass, range, k, end, work->sums, sums);
    return end;
}

static void reduce_range(ranges_pass *pass, segment_range *range, range_work *work)
{
    head_reader reader = {.segments = pass->segments, .n = pass->in.n};
    range->open = range->lead = identity(pass->op);
    size_t k = range->offset;
    for (size_t begin = range->element; begin < range->end; begin += TILE) {
        const size_t n = range->end - begin < TILE ? range->end - begin : TILE;
        k = reduce_tile(pass, range, &reader, work, begin, n, k);
    }
    if (k == range->offsets)
        return;
    /* The remaining offsets end at the range's last element; the first of them may end a segment
       that has elements. */
    const T open = range->open;
    place(pass, range, k, range->offsets, &open, 1);
    range->open = identity(pass->op);
}

static T reduce_part(const ranges_pass *pass, size_t begin, size_t end, bool begins_segment)
{
    const char *const in = (const char *)pass->in.data + begin * parscan_type_size(pass->in.type);
    const T sum = pass->plain->reduce(pass->op, pass->in.type, in, end - begin, NULL);
    return begins_segment && pass->init != NULL ? combine(pass->op, *pass->init, sum) : sum;
}

/* The same as reduce_range() for segments that are long: each is reduced by itself, so no heads are
   needed. */
static void reduce_long_segments(ranges_pass *pass, segment_range *range)
{
    const parscan_segments *const segments = pass->segments;
    const size_t k = range->offset, begin = range->element, end = range->end;
    const bool begins = k > 0 && parscan_segment_offset(segments, k - 1) == begin && begin < end;
    range->open = range->lead = identity(pass->op);
    if (k == range->offsets) {
        range->open = reduce_part(pass, begin, end, begins);
        return;
    }
    const size_t last = range->offsets - 1;
    const uint64_t first_end = parscan_segment_offset(segments, k);
    const uint64_t last_end = parscan_segment_offset(segments, last);
    const segment_list list = {
        .plain = pass->plain,
        .segments = segments,
        .first = k,
        .count = last - k,
        .in = pass->in.data,
        .in_type = pass->in.type,
        .out_type = pass->out.type,
        .limit = end,
        .out = (char *)pass->out.data + k * parscan_type_size(pass->out.type),
        .init = pass->init,
        .start = pass->start,
    };
    if (first_end < begin || first_end > end || last_end > end ||
        !pass->kernels->reduce_list(pass->op, &list)) {
        set_wrong(pass);
        return;
    }
    if (first_end > begin)
        range->lead = reduce_part(pass, begin, first_end, begins);
    if (last_end < end)
        range->open = reduce_part(pass, last_end, end, true);
}

/* The segments that the offsets k to last - 1 end, in a tile of a buffer; the first one may have started
   before. Returns the sum of what comes after the last end. */
static T reduce_ends(ranges_pass *pass, segment_range *range, range_work *work, size_t begin,
                     size_t n, size_t k, size_t last, T open)
{
    const size_t first_end = parscan_segment_offset(pass->segments, k);
    const size_t last_end = parscan_segment_offset(pass->segments, last - 1);
    segment_list list = {
        .plain = pass->plain,
        .segments = pass->segments,
        .in = work->buffer,
        .in_type = PARSCAN_ELEMENT_TYPE,
        .out_type = PARSCAN_ELEMENT_TYPE,
        .origin = begin,
        .limit = begin + n,
        .out = work->sums,
        .init = pass->init,
        .start = pass->start,
    };
    if (first_end < begin || first_end > begin + n || last_end < first_end ||
        last_end > begin + n) {
        set_wrong(pass);
        return open;
    }
    if (first_end > begin)
        open = combine(pass->op, open,
                       pass->plain->reduce(pass->op, PARSCAN_ELEMENT_TYPE, work->buffer,
                                           first_end - begin, NULL));
    if (k > range->offset)
        store(&pass->out, k - 1, open);
    else if (first_end > begin)
        range->lead = open;
    for (list.first = k; list.first + 1 < last; list.first += list.count) {
        const size_t left = last - 1 - list.first;
        list.count = left < TILE ? left : TILE;
        if (!pass->kernels->reduce_list(pass->op, &list)) {
            set_wrong(pass);
            return open;
        }
        pass->plain->scatter(&pass->out, list.first, list.count, work->sums, false);
    }
    const T sum =
        pass->plain->reduce(pass->op, PARSCAN_ELEMENT_TYPE, work->buffer + (last_end - begin),
                            begin + n - last_end, NULL);
    return pass->init != NULL ? combine(pass->op, *pass->init, sum) : sum;
}

/* The same as reduce_long_segments() in tiles that are gathered to a buffer, whose sums are scattered. */
static void reduce_long_staged(ranges_pass *pass, segment_range *range, range_work *work)
{
    const parscan_segments *const segments = pass->segments;
    size_t k = range->offset, last = k;
    const bool begins = k > 0 && range->element < range->end &&
                        parscan_segment_offset(segments, k - 1) == range->element;
    T open = begins && pass->init != NULL ? *pass->init : identity(pass->op);
    range->lead = identity(pass->op);
    for (size_t begin = range->element, n; begin < range->end; begin += n, k = last) {
        n = range->end - begin < TILE ? range->end - begin : TILE;
        pass->plain->gather(&pass->in, begin, n, work->buffer);
        while (last < range->offsets && parscan_segment_offset(segments, last) <= begin + n)
            last++;
        open = last > k ? reduce_ends(pass, range, work, begin, n, k, last, open)
                        : combine(pass->op, open,
                                  pass->plain->reduce(pass->op, PARSCAN_ELEMENT_TYPE, work->buffer,
                                                      n, NULL));
    }
    if (last < range->offsets)
        set_wrong(pass);
    /* The next range knows itself whether a segment starts where it does. */
    const bool ends =
        last > range->offset && parscan_segment_offset(segments, last - 1) == range->end;
    range->open = ends ? identity(pass->op) : open;
}

/* Computes range r of `count`: from one cut of the merged list to the next. */
static bool cut_range(const ranges_pass *pass, segment_range *range, size_t r, size_t count)
{
    const size_t items = pass->in.n + pass->segment_count + 1;
    const size_t length = items / count, begin = r * length;
    const size_t end = r + 1 == count ? items : begin + length;
    range->offset = r == 0 ? 0 : offsets_among(pass, begin);
    range->offsets = r + 1 == count ? pass->segment_count + 1 : offsets_among(pass, end);
    range->element = begin - range->offset;
    range->end = end - range->offsets;
    return range->offset <= range->offsets && range->element <= range->end &&
           range->end <= pass->in.n;
}

static bool is_long(const ranges_pass *pass, const segment_range *range)
{
    return !pass->singly &&
           (range->end - range->element) / LONG_MEAN >= range->offsets - range->offset;
}

static void run_range(void *state, size_t r, unsigned worker)
{
    ranges_pass *const pass = state;
    segment_range *const range = &pass->ranges[r];
    if (!cut_range(pass, range, r, pass->count))
        set_wrong(pass);
    else if (is_long(pass, range) && !kernels_take(pass->in.type))
        reduce_long_staged(pass, range, &pass->works[worker]);
    else if (is_long(pass, range))
        reduce_long_segments(pass, range);
    else
        reduce_range(pass, range, &pass->works[worker]);
}

/* Adds to the first segment that ends in each range what earlier ranges have left open. */
static void link_ranges(const ranges_pass *pass, const segment_range *ranges, size_t count)
{
    T open = identity(pass->op);
    for (size_t r = 0; r < count; r++) {
        const segment_range *const range = &ranges[r];
        if (range->offset == range->offsets) {
            open = combine(pass->op, open, range->open);
            continue;
        }
        const size_t k = range->offset;
        if (k > 0) {
            const bool empty = parscan_segment_offset(pass->segments, k - 1) ==
                               parscan_segment_offset(pass->segments, k);
            store(&pass->out, k - 1, empty ? pass->start : combine(pass->op, open, range->lead));
        }
        open = range->open;
    }
}

static size_t items_of(const segmented_call *call)
{
    return call->scan.n + parscan_segment_count(call->segments, call->scan.n);
}

static size_t ranges_for(const segmented_call *call, unsigned threads)
{
    const size_t most = (size_t)threads * RANGES, some = items_of(call) / RANGE_ITEMS + 1;
    return threads == 1 ? 1 : some < most ? some : most;
}

static size_t ranges_scratch_need(const void *state, unsigned threads)
{
    return threads * sizeof(range_work) + ranges_for(state, threads) * sizeof(segment_range);
}

static parscan_status run_ranges(ranges_pass *pass, const segmented_call *call)
{
    parscan_context *const context = call->scan.context;
    unsigned threads = pass->singly ? 1 : parscan_threads_for(context, items_of(call) * sizeof(T));
    void *memory;
    const parscan_status status =
        parscan_scratch_of_threads(context, &threads, ranges_scratch_need, call, &memory);
    if (status != PARSCAN_OK || context->measures)
        return status;
    pass->works = memory;
    pass->ranges = (segment_range *)(pass->works + threads);
    pass->count = ranges_for(call, threads);
    parscan_team_for(context, threads, pass->count, 1, run_range, pass);
    if (atomic_load_explicit(&pass->wrong, memory_order_relaxed))
        return parscan_fail_offsets(context, pass->segments);
    link_ranges(pass, pass->ranges, pass->count);
    return PARSCAN_OK;
}

parscan_status NAMED(parscan_segmented_ranges_cpu)(const segmented_call *call)
{
    const parscan_scan_call *const scan = &call->scan;
    const parscan_segments *const segments = call->segments;
    const size_t count = parscan_segment_count(segments, scan->n);
    T init;
    const T *const given = init_of(scan, &init);
    ranges_pass pass = {
        .op = scan->op,
        .plain = NAMED(parscan_tile_kernels)(scan->context->isa),
        .kernels = NAMED(parscan_segmented_kernels)(scan->context->isa),
        .read_heads = parscan_heads_of(scan->context->isa),
        .segments = segments,
        .segment_count = count,
        .in = input_of(scan),
        .out = {scan->out, scan->out_type, count, false},
        .init = given,
        .start = start_value(scan->op, given),
        .singly = scan->shape.algorithm == PARSCAN_SEQUENTIAL,
    };
    const parscan_status status = count > 0 ? run_ranges(&pass, call) : PARSCAN_OK;
    if (status == PARSCAN_OK && call->count != NULL)
        *call->count = count;
    return status;
}
