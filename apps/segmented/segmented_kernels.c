/*
 * Segmented scan and reduction of one tile in SIMD vectors. Compiled once for each element type and
 * instruction set.
 *
 * Vectors are scanned by the network of segmented_lanes.h, 64 elements with one word of heads at a
 * time. Blocks without a head are left to the kernels of the plain scan.
 */
#include "apps/segmented/segmented_kernels.h"

#include "apps/segments/check_segments.h"
#include "scan/cpu/simd.h"
#include "scan/cpu/simd_stored.h"

#if PARSCAN_ELEMENT_BITS != 0
#include "apps/segmented/segmented_lanes.h"
#else
#define WORD ((size_t)64)
#endif

/* Scans the elements from i on one by one. */
VECTOR_FUNCTION T scan_singly(const OPERATOR op, const segmented_tile *tile, size_t i, T before)
{
    for (; i < tile->n; i++) {
        const bool head = tile->heads[i / WORD] >> i % WORD & 1;
        T through;
        memcpy(&through, tile->in + i, sizeof through);
        if (!head)
            through = combine(op, before, through);
        else if (tile->init != NULL)
            through = combine(op, *tile->init, through);
        if (head)
            before = tile->start;
        memcpy(tile->out + i, tile->exclusive ? &before : &through, sizeof through);
        before = through;
    }
    return before;
}

/* The same for a reduction, which writes its results to `out`. */
VECTOR_FUNCTION T reduce_singly(const OPERATOR op, const segmented_tile *tile, size_t i, T before,
                                T *out)
{
    for (; i < tile->n; i++) {
        const bool head = tile->heads[i / WORD] >> i % WORD & 1;
        T value;
        memcpy(&value, tile->in + i, sizeof value);
        if (!head) {
            before = combine(op, before, value);
            continue;
        }
        if (i > 0 || !tile->first)
            memcpy(out++, &before, sizeof before);
        before = tile->init != NULL ? combine(op, *tile->init, value) : value;
    }
    return before;
}

#if PARSCAN_ELEMENT_BITS == 0
VECTOR_FUNCTION T scan(const OPERATOR op, const segmented_tile *tile)
{
    return scan_singly(op, tile, 0, tile->before);
}

VECTOR_FUNCTION T reduce(const OPERATOR op, const segmented_tile *tile)
{
    return reduce_singly(op, tile, 0, tile->before, tile->out);
}
#else

/* Words of heads that are tested together. One branch for each block is cheap; one for each
   vector would often be mispredicted. */
#define BLOCK ((size_t)8)

/* Returns how many words from w on have no head, in whole blocks. */
static size_t headless(const uint64_t *heads, size_t w, size_t words)
{
    size_t end = w;
    for (; end + BLOCK <= words; end += BLOCK) {
        uint64_t any = 0;
        for (size_t k = 0; k < BLOCK; k++)
            any |= heads[end + k];
        if (any != 0)
            break;
    }
    return end - w;
}

static const char *ahead(const segmented_tile *tile, size_t i)
{
    return tile->next != NULL ? (const char *)tile->next + i * sizeof(T) : NULL;
}

VECTOR_FUNCTION void prefetch_segments(const segmented_tile *tile, size_t w, size_t words)
{
    const size_t bytes = WORD * tile->segment_bytes;
    if (tile->next_segments != NULL)
        prefetch((const char *)tile->next_segments + w * bytes, words * bytes);
}

VECTOR_FUNCTION void prefetch_next(const segmented_tile *tile, size_t w)
{
    if (tile->next != NULL)
        prefetch(ahead(tile, w * WORD), WORD * sizeof(T));
    prefetch_segments(tile, w, 1);
}

VECTOR_FUNCTION V scan_and_store(const OPERATOR op, const segmented_tile *tile, size_t w, V before)
{
    word_sums to = {
        .out = tile->out + w * WORD,
        .exclusive = tile->exclusive,
        .stream = tile->stream,
        .start = vector_splat(tile->start),
        .last = vector_values(op, before),
    };
    return scan_word(op, tile->in + w * WORD, tile->heads + w, tile->init, before, &to);
}

/* Scans a run without heads with the plain scan's kernel. */
static T scan_run(OPERATOR op, const segmented_tile *tile, size_t i, size_t n, T before)
{
    const tile_scan run = {
        .in = tile->in + i,
        .out = tile->out + i,
        .n = n,
        .before = before,
        .exclusive = tile->exclusive,
        .stream = tile->stream,
        .next = ahead(tile, i),
    };
    return tile->plain->scan(op, &run);
}

VECTOR_FUNCTION V splat_keys(const OPERATOR op, T x)
{
    return vector_keys(op, vector_splat(x));
}

VECTOR_FUNCTION T first_value(const OPERATOR op, V keys)
{
    return vector_first(vector_values(op, keys));
}

VECTOR_FUNCTION T scan(const OPERATOR op, const segmented_tile *tile)
{
    const size_t words = commutes(op) && !tile->singly ? tile->n / WORD : 0;
    V before = splat_keys(op, tile->before);
    for (size_t w = 0; w < words;) {
        const size_t run = headless(tile->heads, w, words);
        prefetch_segments(tile, w, run);
        if (run > 0)
            before =
                splat_keys(op, scan_run(op, tile, w * WORD, run * WORD, first_value(op, before)));
        w += run;
        for (size_t k = 0; k < BLOCK && w < words; k++, w++) {
            prefetch_next(tile, w);
            before = scan_and_store(op, tile, w, before);
        }
    }
    return scan_singly(op, tile, words * WORD, first_value(op, before));
}

/* Writes the sum before each head to `out`, and returns the end of what was written. A
   compressing store would be slow on Zen 4, so the sums are compressed in a register and stored
   with a mask; nothing is written beyond the last. */
VECTOR_FUNCTION T *pack_sums(uint64_t heads, V before, const V results[VECTORS], T *out)
{
#if HAS_MASKS
    for (unsigned u = 0; u < VECTORS; u++) {
        const lane_mask own = (lane_mask)(heads >> u * LANES);
        const unsigned count = (unsigned)__builtin_popcountll(own);
        const __m512i sums = (__m512i)vector_after(before, results[u]);
        const __m512i packed = COMPRESS(PARSCAN_ELEMENT_BITS)(own, sums);
        MASK_STORE(PARSCAN_ELEMENT_BITS)(out, (lane_mask)_bzhi_u64(~(uint64_t)0, count), packed);
        out += count;
        before = results[u];
    }
#else
    T sums[64 + LANES]; /* sums[LANES + k] is the sum through element k */
    vector_store(sums, before);
    for (unsigned u = 0; u < VECTORS; u++)
        vector_store(sums + (u + 1) * LANES, results[u]);
    for (; heads != 0; heads &= heads - 1)
        memcpy(out++, &sums[LANES - 1 + __builtin_ctzll(heads)], sizeof *out);
#endif
    return out;
}

VECTOR_FUNCTION T reduce(const OPERATOR op, const segmented_tile *tile)
{
    const size_t words = commutes(op) && !tile->singly ? tile->n / WORD : 0;
    T *out = tile->out;
    V before = splat_keys(op, tile->before);
    for (size_t w = 0; w < words;) {
        const size_t run = headless(tile->heads, w, words);
        prefetch_segments(tile, w, run);
        if (run > 0)
            before = splat_keys(
                op, combine(op, first_value(op, before),
                            tile->plain->reduce(op, PARSCAN_ELEMENT_TYPE, tile->in + w * WORD,
                                                run * WORD, ahead(tile, w * WORD))));
        w += run;
        for (size_t k = 0; k < BLOCK && w < words; k++, w++) {
            const uint64_t *const heads = tile->heads + w;
            const uint64_t ends = w == 0 && tile->first ? *heads & ~(uint64_t)1 : *heads;
            V results[VECTORS];
            word_sums to = {.sums = results};
            const V last = vector_values(op, before);
            prefetch_next(tile, w);
            before = scan_word(op, tile->in + w * WORD, heads, tile->init, before, &to);
            out = pack_sums(ends, last, results, out);
        }
    }
    return reduce_singly(op, tile, words * WORD, first_value(op, before), out);
}
#endif

/* ---- segments one by one ---- */

/* Longer segments are left to the kernel of the plain reduction, which unrolls. */
#define MOST_VECTORS ((size_t)32)

#if PARSCAN_ELEMENT_BITS != 0
/* The vector at last_lanes + k has ones in the last k lanes, and zeros in the others. */
#define LANE_IS(k, s) s
static const PARSCAN_PASTE(PARSCAN_PASTE(int, PARSCAN_ELEMENT_BITS),
                           _t) last_lanes[] = {EVERY_LANE(LANE_IS, 0), EVERY_LANE(LANE_IS, -1)};
#endif

/* The sum of list->in[from] to list->in[to - 1], which are at least one. */
VECTOR_FUNCTION T reduce_segment(const OPERATOR op, const parscan_type type,
                                 const segment_list *list, size_t from, size_t to)
{
    const char *const in = list->in;
    const size_t size = typed_size(type);
#if PARSCAN_ELEMENT_BITS != 0
    const size_t most = is_half_extreme(op, type) ? 2 * LANES : MOST_VECTORS * LANES;
    if (commutes(op) && to - from <= most && to >= LANES) {
        V sums = vector_neutral_keys(op);
        for (; from + LANES <= to; from += LANES)
            sums = vector_combine_keys(op, sums,
                                       vector_keys(op, typed_load(op, type, in + from * size)));
        /* The rest is at the end of a vector whose other lanes count as neutral. */
        const vector_mask is_rest = (vector_mask)vector_load(last_lanes + (to - from));
        const V rest = vector_keys(op, typed_load(op, type, in + (to - LANES) * size));
        V sum;
        vector_scan_keys(
            op,
            vector_combine_keys(op, sums, vector_select(is_rest, rest, vector_neutral_keys(op))),
            false, &sum);
        return vector_first(vector_values(op, sum));
    }
#endif
    return list->plain->reduce(op, type, in + from * size, to - from, NULL);
}

VECTOR_FUNCTION bool reduce_list(const OPERATOR op, const parscan_type type,
                                 const segment_list *list)
{
    char *out = list->out;
    const parscan_segments segments = *list->segments;
    uint64_t from = parscan_segment_offset(&segments, list->first);
    if (from < list->origin)
        return false;
    for (size_t k = 0; k < list->count; k++) {
        const uint64_t to = parscan_segment_offset(&segments, list->first + k + 1);
        if (to < from || to > list->limit)
            return false;
        T sum = list->start;
        if (to > from) {
            sum = reduce_segment(op, type, list, from - list->origin, to - list->origin);
            if (list->init != NULL)
                sum = combine(op, *list->init, sum);
        }
        typed_write(list->out_type, out, sum);
        out += typed_size(list->out_type);
        from = to;
    }
    return true;
}

static T scan_specialised(OPERATOR op, const segmented_tile *tile)
{
    return BY_OPERATOR(op, scan, tile);
}

static T reduce_specialised(OPERATOR op, const segmented_tile *tile)
{
    return BY_OPERATOR(op, reduce, tile);
}

static bool reduce_list_specialised(OPERATOR op, const segment_list *list)
{
#define X(ctx, NAME, ...)                                          \
    if (IS_HALF(list->in_type) && list->in_type == PARSCAN_##NAME) \
        return BY_OPERATOR(op, reduce_list, PARSCAN_##NAME, list);
    PARSCAN_STORED_TYPES(X, )
#undef X
    return BY_OPERATOR(op, reduce_list, PARSCAN_ELEMENT_TYPE, list);
}

const segmented_kernels NAMED(PARSCAN_PASTE(parscan_segmented_kernels_, PARSCAN_ISA)) = {
    .scan = scan_specialised,
    .reduce = reduce_specialised,
    .reduce_list = reduce_list_specialised,
};
