/*
 * Reduction and scan of one tile in SIMD vectors. Compiled once for each element type and
 * instruction set, with PARSCAN_VECTOR_BYTES and PARSCAN_ISA (avx512).
 *
 * The scan scans each vector on its own (vector_scan_keys). Then one combine adds the sum of all
 * vectors before it, which is in all lanes. So the dependency from vector to vector is one
 * combine, and the shuffles of several vectors overlap.
 *
 * Both kernels prefetch a part of the next tile. So a core has as many reads of main memory in
 * flight while it reduces, which works in its cache, as while it scans and writes.
 */
#include "scan/cpu/tile_kernels.h"

#include "scan/cpu/half_extremes.h"
#include "scan/cpu/simd.h"
#include "scan/cpu/simd_pairs.h"
#include "scan/cpu/simd_stored.h"
#include "scan/cpu/stream_fence.h"

#define UNROLLED 4
#define STEP_ELEMENTS ((size_t)UNROLLED * LANES)

/* The vectors that are scanned before the first is combined. gcc regroups the additions of
   integers, and more than one vector would then need more registers than AVX2 has. */
#if PARSCAN_VECTOR_BYTES == 32
#define TOGETHER (PARSCAN_ELEMENT_IS_FLOAT ? UNROLLED : 1)
#else
#define TOGETHER UNROLLED
#endif

/* The first of `count` elements of in[0..n) that come after i others. */
VECTOR_FUNCTION size_t place(size_t i, size_t count, size_t n, const bool reverse)
{
    return reverse ? n - i - count : i;
}

VECTOR_FUNCTION T widened(const parscan_type type, uint16_t bits)
{
    return typed_read(type, &bits);
}

/* The reduction prefetches one quarter of the next tile, the scan the rest. */
VECTOR_FUNCTION T reduce(const OPERATOR op, const parscan_type type, const char *in, size_t n,
                         const void *next, const bool reverse)
{
    if (is_half_extreme(op, type))
        return widened(type,
                       PARSCAN_PASTE(parscan_half_reduce_, PARSCAN_ISA)(op, type, in, n, next));
    const size_t size = typed_size(type);
    const V neutral = vector_neutral_keys(op);
    V sums[UNROLLED] = {neutral, neutral, neutral, neutral};
    size_t i = 0;
    if (commutes(op)) {
        for (; i + STEP_ELEMENTS <= n; i += STEP_ELEMENTS) {
            if (next != NULL)
                prefetch((const char *)next + i * size / 4, STEP_ELEMENTS * size / 4);
            for (int u = 0; u < UNROLLED; u++) {
                const size_t at = place(i + u * LANES, LANES, n, reverse);
                const V v = typed_load(op, type, in + at * size);
                sums[u] = vector_combine_keys(op, sums[u], vector_keys(op, v));
            }
        }
    }
    for (int u = 1; u < UNROLLED; u++)
        sums[0] = vector_combine_keys(op, sums[0], sums[u]);
    if (reverse)
        sums[0] = vector_reverse(sums[0]);
    T sum = vector_last(vector_scan(op, vector_values(op, sums[0])));
    for (; i < n; i++) {
        sum = combine(op, sum, typed_read(type, in + place(i, 1, n, reverse) * size));
    }
    return sum;
}

/* Scans the elements `from` to `to` - 1 one at a time: those before an aligned address, or the last
   of a tile. */
VECTOR_FUNCTION T scan_singly(const OPERATOR op, const parscan_type type, const tile_scan *tile,
                              size_t from, size_t to, T before, const bool exclusive,
                              const bool reverse)
{
    for (size_t i = from; i < to; i++) {
        const size_t at = place(i, 1, tile->n, reverse) * typed_size(type);
        const T through = combine(op, before, typed_read(type, (const char *)tile->in + at));
        typed_write(type, (char *)tile->out + at, exclusive ? before : through);
        before = through;
    }
    return before;
}

/* How many elements come before a vector of out that is aligned. */
VECTOR_FUNCTION size_t misaligned_elements(const parscan_type type, const tile_scan *tile,
                                           const bool reverse)
{
    const size_t size = typed_size(type);
    const uintptr_t border = (uintptr_t)tile->out + (reverse ? tile->n * size : 0);
    const size_t up = border % sizeof(V) / size;
    const size_t elements = reverse || up == 0 ? up : sizeof(V) / size - up;
    return elements < tile->n ? elements : tile->n;
}

VECTOR_FUNCTION T scan_extremes(const OPERATOR op, const parscan_type type, const tile_scan *tile)
{
    half_tile halves = {.in = tile->in,
                        .out = tile->out,
                        .n = tile->n,
                        .exclusive = tile->exclusive,
                        .stream = tile->stream,
                        .reverse = tile->reverse,
                        .next = tile->next};
    typed_write(type, &halves.before, tile->before);
    return widened(type, PARSCAN_PASTE(parscan_half_scan_, PARSCAN_ISA)(op, type, &halves));
}

VECTOR_FUNCTION T scan(const OPERATOR op, const parscan_type type, const tile_scan *tile,
                       const bool exclusive, const bool stream, const bool reverse)
{
    if (is_half_extreme(op, type))
        return scan_extremes(op, type, tile);
    const char *const in = tile->in;
    char *const out = tile->out;
    const size_t n = tile->n, size = typed_size(type);
    size_t i = stream ? misaligned_elements(type, tile, reverse) : 0;
    T before_single = scan_singly(op, type, tile, 0, i, tile->before, exclusive, reverse);
    const char *next = tile->next;
    if (next != NULL)
        next += n * size / 4;
    V before = vector_keys(op, vector_splat(before_single));
    for (; i + STEP_ELEMENTS <= n; i += STEP_ELEMENTS) {
        if (next != NULL) {
            prefetch(next, STEP_ELEMENTS * size / 4 * 3);
            next += STEP_ELEMENTS * size / 4 * 3;
        }
        if (in_pairs(op, type)) {
            const size_t at = place(i, STEP_ELEMENTS, n, reverse) * size;
            scan_pairs(op, in + at, out + at, &before, exclusive, stream, reverse);
            continue;
        }
        for (int u = 0; u < UNROLLED; u += TOGETHER) {
            V local[TOGETHER], sums[TOGETHER];
            for (int t = 0; t < TOGETHER; t++) {
                const size_t at = place(i + (u + t) * LANES, LANES, n, reverse);
                V v = typed_load(op, type, in + at * size);
                v = reverse ? vector_reverse(v) : v;
                local[t] = vector_scan_keys(op, vector_keys(op, v), exclusive, &sums[t]);
            }
            V results[TOGETHER];
            for (int t = 0; t < TOGETHER; t++) {
                const size_t at = place(i + (u + t) * LANES, LANES, n, reverse);
                results[t] = vector_values(op, vector_combine_keys(op, before, local[t]));
                if (reverse)
                    results[t] = vector_reverse(results[t]);
                typed_store(op, type, stream, reverse, out + at * size, results, t);
                before = vector_combine_keys(op, before, sums[t]);
            }
        }
    }
    before_single = vector_first(vector_values(op, before));
    return scan_singly(op, type, tile, i, n, before_single, exclusive, reverse);
}

/* The n elements of a view from `begin` on, in memory. */
static char *memory_of(const VIEW *view, size_t begin, size_t n, size_t size)
{
    return (char *)view->data + (view->reverse ? view->n - begin - n : begin) * size;
}

static void gather_halves(const VIEW *from, size_t begin, size_t n, float *buffer)
{
    const char *const in = memory_of(from, begin, n, HALF_BYTES);
    if (from->reverse)
        BY_HALF_TYPE(from->type, halves_widen, true, buffer, in, n);
    else
        BY_HALF_TYPE(from->type, halves_widen, false, buffer, in, n);
}

static void scatter_halves(const VIEW *to, size_t begin, size_t n, const float *buffer, bool stream)
{
    char *const out = memory_of(to, begin, n, HALF_BYTES);
    if (to->reverse && stream)
        BY_HALF_TYPE(to->type, halves_narrow, true, true, out, buffer, n);
    else if (to->reverse)
        BY_HALF_TYPE(to->type, halves_narrow, true, false, out, buffer, n);
    else if (stream)
        BY_HALF_TYPE(to->type, halves_narrow, false, true, out, buffer, n);
    else
        BY_HALF_TYPE(to->type, halves_narrow, false, false, out, buffer, n);
}

/* The copy of the view tells the compiler that its direction is the same in every iteration. So it makes a SIMD
   loop for each. */
VECTOR_FUNCTION void gather_type(const parscan_type type, const VIEW *from, size_t begin, size_t n,
                                 T *buffer)
{
    const VIEW view = {from->data, type, from->n, from->reverse};
    for (size_t i = 0; i < n; i++)
        buffer[i] = load(&view, begin + i);
}

static void gather(const VIEW *from, size_t begin, size_t n, T *buffer)
{
    if (PARSCAN_ELEMENT_TYPE == PARSCAN_F32 && from->type != PARSCAN_F32) {
        gather_halves(from, begin, n, (float *)(void *)buffer);
        return;
    }
    BY_TYPE(from->type, gather_type, from, begin, n, buffer);
}

static void scatter_forward(T *out, size_t n, const T *buffer, bool stream)
{
    const size_t misaligned = (uintptr_t)out % sizeof(V) / sizeof(T);
    size_t i = 0;
    if (stream) {
        const size_t head = misaligned == 0 ? 0 : LANES - misaligned;
        i = head < n ? head : n;
        memcpy(out, buffer, i * sizeof(T));
        for (; i + LANES <= n; i += LANES)
            vector_stream(out + i, vector_load(buffer + i));
    }
    memcpy((char *)out + i * sizeof(T), buffer + i, (n - i) * sizeof(T));
}

/* Stores buffer[i] to end[-1 - i]. */
static void scatter_backward(char *end, size_t n, const T *buffer, bool stream)
{
    const size_t misaligned = (uintptr_t)end % sizeof(V) / sizeof(T);
    const size_t head = stream && misaligned < n ? misaligned : 0;
    size_t i = 0;
    for (; i < head; i++)
        memcpy(end - (i + 1) * sizeof(T), buffer + i, sizeof(T));
    for (; i + LANES <= n; i += LANES) {
        char *const to = end - (i + LANES) * sizeof(T);
        const V reversed = vector_reverse(vector_load(buffer + i));
        if (stream && (uintptr_t)to % sizeof(V) == 0)
            vector_stream((T *)to, reversed);
        else
            vector_store(to, reversed);
    }
    for (; i < n; i++)
        memcpy(end - (i + 1) * sizeof(T), buffer + i, sizeof(T));
}

static void scatter(const VIEW *to, size_t begin, size_t n, const T *buffer, bool stream)
{
    if (PARSCAN_ELEMENT_TYPE == PARSCAN_F32 && to->type != PARSCAN_F32)
        scatter_halves(to, begin, n, (const float *)(const void *)buffer, stream);
    else if (to->reverse)
        scatter_backward((char *)to->data + (to->n - begin) * sizeof(T), n, buffer, stream);
    else
        scatter_forward((T *)to->data + begin, n, buffer, stream);
}

/* Functions of their own: inlined together, the portable kernels of u8 would take 37 KiB of stack. */
#define SCAN_FUNCTION(name, type, exclusive, stream, reverse)                   \
    static __attribute__((noinline)) T name(OPERATOR op, const tile_scan *tile) \
    {                                                                           \
        return BY_OPERATOR(op, scan, type, tile, exclusive, stream, reverse);   \
    }
#define REDUCE_FUNCTION(name, type, reverse)                               \
    static T name(OPERATOR op, const void *in, size_t n, const void *next) \
    {                                                                      \
        return BY_OPERATOR(op, reduce, type, in, n, next, reverse);        \
    }

/* The functions of one type in memory. */
#define TILE_FUNCTIONS(name, type)                                                \
    REDUCE_FUNCTION(reduce_##name, type, false)                                   \
    REDUCE_FUNCTION(reduce_reverse_##name, type, true)                            \
    SCAN_FUNCTION(scan_inclusive_##name, type, false, false, false)               \
    SCAN_FUNCTION(scan_inclusive_stream_##name, type, false, true, false)         \
    SCAN_FUNCTION(scan_exclusive_##name, type, true, false, false)                \
    SCAN_FUNCTION(scan_exclusive_stream_##name, type, true, true, false)          \
    SCAN_FUNCTION(scan_reverse_##name, type, tile->exclusive, tile->stream, true) \
    static T scan_##name(OPERATOR op, const tile_scan *tile)                      \
    {                                                                             \
        if (tile->reverse)                                                        \
            return scan_reverse_##name(op, tile);                                 \
        if (tile->exclusive)                                                      \
            return tile->stream ? scan_exclusive_stream_##name(op, tile)          \
                                : scan_exclusive_##name(op, tile);                \
        return tile->stream ? scan_inclusive_stream_##name(op, tile)              \
                            : scan_inclusive_##name(op, tile);                    \
    }
TILE_FUNCTIONS(own, PARSCAN_ELEMENT_TYPE)
#define X(ctx, NAME, number, name, ...) TILE_FUNCTIONS(name, PARSCAN_##NAME)
PARSCAN_STORED_TYPES(X, )
#undef X

static T reduce_specialised(OPERATOR op, parscan_type type, const void *in, size_t n,
                            const void *next)
{
#define X(ctx, NAME, number, name, ...)          \
    if (IS_HALF(type) && type == PARSCAN_##NAME) \
        return reduce_##name(op, in, n, next);
    PARSCAN_STORED_TYPES(X, )
#undef X
    return reduce_own(op, in, n, next);
}

static T reduce_reverse_specialised(OPERATOR op, parscan_type type, const void *in, size_t n,
                                    const void *next)
{
#define X(ctx, NAME, number, name, ...)          \
    if (IS_HALF(type) && type == PARSCAN_##NAME) \
        return reduce_reverse_##name(op, in, n, next);
    PARSCAN_STORED_TYPES(X, )
#undef X
    return reduce_reverse_own(op, in, n, next);
}

static T scan_specialised(OPERATOR op, const tile_scan *tile)
{
#define X(ctx, NAME, number, name, ...)                      \
    if (IS_HALF(tile->type) && tile->type == PARSCAN_##NAME) \
        return scan_##name(op, tile);
    PARSCAN_STORED_TYPES(X, )
#undef X
    return scan_own(op, tile);
}

const tile_kernels NAMED(PARSCAN_PASTE(parscan_tile_kernels_, PARSCAN_ISA)) = {
    .reduce = reduce_specialised,
    .reduce_reverse = reduce_reverse_specialised,
    .scan = scan_specialised,
    .gather = gather,
    .scatter = scatter,
    .fence = stream_fence,
};
