#include "apps/segmented/custom_results.h"

#include "apps/segments/check_segments.h"
#include "apps/segments/heads.h"

/* Element i of a panel that has been scanned. */
static const char *scanned_at(const custom_results *to, scanned_panel panel, size_t i)
{
    return panel.rows + (i % SEGMENT_ROWS + 1) * to->shape.stride +
           i / SEGMENT_ROWS * to->shape.size;
}

/* Stores `count` results, which are in work->results, from place `first` on. */
static void store_results(const custom_results *to, custom_work *work, size_t first, size_t count)
{
    const parscan_operator *const op = to->arrays.op;
    if (first >= to->room)
        return;
    count = count < to->room - first ? count : to->room - first;
    if (count == 0)
        return;
    if (op->store != NULL)
        op->store(work->results, to->arrays.out, first, count, op->state);
    else
        memcpy(to->arrays.out + first * op->size, work->results, count * op->size);
}

/* By flags or keys: each head but the array's first ends the segment before it. */
static void store_at_heads(const custom_results *to, custom_work *work, scanned_panel panel,
                           const segment_carry *before)
{
    const size_t size = to->shape.size;
    size_t count = 0;
    bool first_of_all = before->segments == 0;
    for (size_t begin = 0; begin < panel.n; begin += 64)
        for (uint64_t word = panel.heads[begin / 64]; word != 0; word &= word - 1) {
            const size_t at = begin + (size_t)__builtin_ctzll(word);
            if (!first_of_all)
                memcpy(work->results + count++ * size,
                       at == 0 ? (const char *)before->open.bytes : scanned_at(to, panel, at - 1),
                       size);
            first_of_all = false;
        }
    store_results(to, work, before->segments - (before->segments > 0), count);
}

/* The first offset that is at least p. */
static size_t first_offset(const parscan_segments *segments, size_t p)
{
    if (segments->kind == PARSCAN_SEGMENTS_ROWS)
        return p / segments->count + (p % segments->count != 0);
    return parscan_find_offset(segments, p, 0);
}

/* By offsets: the segments that end in this panel, elements begin to begin + n - 1 in the order of combination.
   Forward, offset k ends segment k - 1; in reverse, it ends segment k. */
static void store_by_offsets(custom_results *to, custom_work *work, scanned_panel panel,
                             const segment_carry *before)
{
    const parscan_segments *const segments = to->segments;
    const bool reverse = to->arrays.reverse;
    const size_t count = parscan_segment_count(segments, to->arrays.n), size = to->shape.size;
    const size_t low = reverse ? to->arrays.n - panel.begin - panel.n : panel.begin;
    const size_t high = low + panel.n;
    size_t k = first_offset(segments, low), done = 0, first = k;
    if (!reverse && k == 0)
        first = k = 1;
    for (; k < count + !reverse; k++) {
        const uint64_t offset = parscan_segment_offset(segments, k);
        const uint64_t other = parscan_segment_offset(segments, reverse ? k + 1 : k - 1);
        if (offset >= high)
            break;
        if (offset < low) {
            atomic_store_explicit(&to->wrong, true, memory_order_relaxed);
            break;
        }
        const char *result = (const char *)to->start.bytes;
        if (offset != other && reverse)
            result = scanned_at(to, panel, high - 1 - (size_t)offset);
        else if (offset != other)
            result = offset == low ? (const char *)before->open.bytes
                                   : scanned_at(to, panel, (size_t)offset - 1 - low);
        memcpy(work->results + done++ * size, result, size);
        if (done == to->panel) {
            store_results(to, work, first - !reverse, done);
            first += done;
            done = 0;
        }
    }
    store_results(to, work, first - !reverse, done);
}

void parscan_store_ended(custom_results *to, custom_work *work, scanned_panel panel,
                         const segment_carry *before)
{
    if (parscan_by_offsets(to->segments))
        store_by_offsets(to, work, panel, before);
    else
        store_at_heads(to, work, panel, before);
    parscan_write_run_keys(&to->keys, panel.heads, panel.begin, panel.n, before->segments);
}

void parscan_end_results(custom_results *to, const segment_carry *end)
{
    const parscan_segments *const segments = to->segments;
    const size_t n = to->arrays.n;
    if (!parscan_by_offsets(segments)) {
        if (end->segments > 0 && end->segments <= to->room)
            parscan_custom_store_at(&to->arrays, end->segments - 1, end->open.bytes);
        parscan_end_run_keys(&to->keys, end->segments);
        if (to->arrays.reverse)
            parscan_reverse_elements(to->arrays.out, to->arrays.op->out_size,
                                     end->segments < to->room ? end->segments : to->room);
        return;
    }
    const size_t count = parscan_segment_count(segments, n);
    for (size_t s = count; s-- > 0 && parscan_segment_offset(segments, s + 1) == n;) {
        const bool empty = parscan_segment_offset(segments, s) == n;
        if (empty || !to->arrays.reverse)
            parscan_custom_store_at(&to->arrays, s, empty ? to->start.bytes : end->open.bytes);
    }
}

uint64_t parscan_count_results(const custom_results *to, const segment_carry *end)
{
    return parscan_by_offsets(to->segments) ? parscan_segment_count(to->segments, to->arrays.n)
                                            : end->segments;
}
