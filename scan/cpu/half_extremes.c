#include "scan/cpu/half_extremes.h"

#define PARSCAN_ELEMENT I16
#define PARSCAN_ELEMENT_CLASS INTEGER
#define PARSCAN_ELEMENT_NAME i16
#define PARSCAN_ELEMENT_BITS 16
#include "scan/cpu/simd.h"

#define UNROLLED 4
enum { SIZE = sizeof(uint16_t), MAGNITUDE = 0x7fff };

/* The bits of infinity, above which are those of NaNs. */
VECTOR_FUNCTION int infinity_of(const parscan_type type)
{
    return type == PARSCAN_F16 ? 0x7c00 : 0x7f80;
}

VECTOR_FUNCTION int quiet_bit(const parscan_type type)
{
    return type == PARSCAN_F16 ? 0x200 : 0x40;
}

/* What is added to a two's complement, and wraps, so that NaNs of both signs lie at the end that wins. */
VECTOR_FUNCTION int way_of_nans(const OPERATOR op, const parscan_type type)
{
    const int nans = MAGNITUDE - infinity_of(type);
    return op == PARSCAN_MIN ? nans : -nans;
}

VECTOR_FUNCTION T key_of(const OPERATOR op, const parscan_type type, uint16_t bits)
{
    const int magnitude = bits & MAGNITUDE, nan = magnitude > infinity_of(type);
    const int quiet = bits | (nan ? quiet_bit(type) : 0);
    const int complement = bits > MAGNITUDE ? quiet ^ MAGNITUDE : quiet;
    return (T)(uint16_t)(complement + way_of_nans(op, type));
}

VECTOR_FUNCTION uint16_t bits_of(const OPERATOR op, const parscan_type type, T key)
{
    const uint16_t complement = (uint16_t)(key - way_of_nans(op, type));
    return complement > MAGNITUDE ? complement ^ MAGNITUDE : complement;
}

VECTOR_FUNCTION bool is_nan_key(const OPERATOR op, const parscan_type type, T key)
{
    const uint16_t infinity = (uint16_t)infinity_of(type);
    return op == PARSCAN_MIN ? key < key_of(op, type, infinity | 0x8000)
                             : key > key_of(op, type, infinity);
}

VECTOR_FUNCTION V same(int x)
{
    return vector_splat((T)(uint16_t)x);
}

/* quiet: makes NaNs quiet. */
VECTOR_FUNCTION V keys_of(const bool quiet, const OPERATOR op, const parscan_type type, V bits)
{
    if (quiet)
        bits |= (V)((bits & same(MAGNITUDE)) > same(infinity_of(type))) & same(quiet_bit(type));
    return (bits ^ ((V)(bits < 0) & same(MAGNITUDE))) + same(way_of_nans(op, type));
}

VECTOR_FUNCTION V bits_of_keys(const OPERATOR op, const parscan_type type, V keys)
{
    const V complement = keys - same(way_of_nans(op, type));
    return complement ^ ((V)(complement < 0) & same(MAGNITUDE));
}

typedef struct cursor {
    size_t i; /* elements that are scanned */
    V before; /* the key of the extreme of what comes before, in all lanes */
} cursor;

VECTOR_FUNCTION size_t place_of(const half_tile *tile, size_t i, size_t count)
{
    return (tile->reverse ? tile->n - i - count : i) * SIZE;
}

/* Scans one at a time up to element `end`. */
VECTOR_FUNCTION void scan_singly(const OPERATOR op, const parscan_type type, const half_tile *tile,
                                 const bool exclusive, size_t end, cursor *at)
{
    T before = vector_first(at->before);
    for (; at->i < end; at->i++) {
        const size_t place = place_of(tile, at->i, 1);
        uint16_t bits;
        memcpy(&bits, tile->in + place, SIZE);
        const T through = combine(op, before, key_of(op, type, bits));
        bits = bits_of(op, type, exclusive ? before : through);
        memcpy(tile->out + place, &bits, SIZE);
        before = through;
    }
    at->before = vector_splat(before);
}

/* Scans `count` vectors at a time, as long as there are so many. Unless `quiet`, it stops at the first NaN, whose
   signal would stay: all that follows is NaN. */
VECTOR_FUNCTION void scan_vectors(const bool quiet, const int count, const OPERATOR op,
                                  const parscan_type type, const half_tile *tile,
                                  const bool exclusive, const bool stream, const bool reverse,
                                  cursor *at)
{
    const size_t step = (size_t)count * LANES;
    V before = at->before;
    size_t i = at->i;
    for (; i + step <= tile->n; i += step) {
        if (tile->next != NULL)
            prefetch(tile->next + (tile->n + 3 * i) * SIZE / 4, step * SIZE / 4 * 3);
        V local[UNROLLED], sums[UNROLLED], through = before;
        for (int u = 0; u < count; u++) {
            V v = vector_load(tile->in + place_of(tile, i + (size_t)u * LANES, LANES));
            v = keys_of(quiet, op, type, reverse ? vector_reverse(v) : v);
            local[u] = vector_scan_keys(op, v, exclusive, &sums[u]);
            through = vector_combine(op, through, sums[u]);
        }
        if (!quiet && is_nan_key(op, type, vector_first(through)))
            break;
        for (int u = 0; u < count; u++) {
            V v = bits_of_keys(op, type, vector_combine(op, before, local[u]));
            before = vector_combine(op, before, sums[u]);
            char *const to = tile->out + place_of(tile, i + (size_t)u * LANES, LANES);
            v = reverse ? vector_reverse(v) : v;
            if (stream)
                vector_stream((T *)(void *)to, v);
            else
                vector_store(to, v);
        }
    }
    at->i = i;
    at->before = before;
}

/* How many elements come before a vector of out that is aligned. */
static size_t misaligned_elements(const half_tile *tile)
{
    const uintptr_t border = (uintptr_t)tile->out + (tile->reverse ? tile->n * SIZE : 0);
    const size_t up = border % sizeof(V) / SIZE;
    const size_t elements = tile->reverse || up == 0 ? up : LANES - up;
    return elements < tile->n ? elements : tile->n;
}

VECTOR_FUNCTION uint16_t scan(const OPERATOR op, const parscan_type type, const half_tile *tile,
                              const bool exclusive, const bool stream, const bool reverse)
{
    cursor at = {0, vector_splat(key_of(op, type, tile->before))};
    if (stream)
        scan_singly(op, type, tile, exclusive, misaligned_elements(tile), &at);
    scan_vectors(false, UNROLLED, op, type, tile, exclusive, stream, reverse, &at);
    scan_vectors(true, 1, op, type, tile, exclusive, stream, reverse, &at);
    scan_singly(op, type, tile, exclusive, tile->n, &at);
    return bits_of(op, type, vector_first(at.before));
}

/* Unless `quiet`, a NaN may win whose signal stays, or that another one would beat. */
VECTOR_FUNCTION T reduce_keys(const bool quiet, const OPERATOR op, const parscan_type type,
                              const char *in, size_t n, const char *next)
{
    const int of_nothing = infinity_of(type) | (op == PARSCAN_MIN ? 0 : MAGNITUDE + 1);
    const V neutral = vector_splat(key_of(op, type, (uint16_t)of_nothing));
    V extremes[UNROLLED] = {neutral, neutral, neutral, neutral};
    size_t i = 0;
    for (; i + UNROLLED * LANES <= n; i += UNROLLED * LANES) {
        if (next != NULL)
            prefetch(next + i * SIZE / 4, UNROLLED * LANES * SIZE / 4);
        for (size_t u = 0; u < UNROLLED; u++) {
            const V v = vector_load(in + (i + u * LANES) * SIZE);
            extremes[u] = vector_combine(op, extremes[u], keys_of(quiet, op, type, v));
        }
    }
    for (int u = 1; u < UNROLLED; u++)
        extremes[0] = vector_combine(op, extremes[0], extremes[u]);
    /* The last vector may have elements of the one before. */
    for (; i < n && n >= LANES; i += LANES) {
        const V v = vector_load(in + (i + LANES <= n ? i : n - LANES) * SIZE);
        extremes[0] = vector_combine(op, extremes[0], keys_of(quiet, op, type, v));
    }
    T extreme = vector_last(vector_scan(op, extremes[0]));
    for (; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, in + i * SIZE, SIZE);
        extreme = combine(op, extreme, key_of(op, type, bits));
    }
    return extreme;
}

VECTOR_FUNCTION uint16_t reduce(const OPERATOR op, const parscan_type type, const char *in,
                                size_t n, const char *next)
{
    T extreme = reduce_keys(false, op, type, in, n, next);
    if (is_nan_key(op, type, extreme))
        extreme = reduce_keys(true, op, type, in, n, NULL);
    return bits_of(op, type, extreme);
}

#define BY_EXTREME(op, function, ...) \
    ((op) == PARSCAN_MIN ? function(PARSCAN_MIN, __VA_ARGS__) : function(PARSCAN_MAX, __VA_ARGS__))
#define SCAN_FUNCTION(name, exclusive, stream, reverse)                         \
    static uint16_t name(OPERATOR op, parscan_type type, const half_tile *tile) \
    {                                                                           \
        return BY_EXTREME(op, scan, type, tile, exclusive, stream, reverse);    \
    }
SCAN_FUNCTION(scan_inclusive, false, false, false)
SCAN_FUNCTION(scan_inclusive_stream, false, true, false)
SCAN_FUNCTION(scan_exclusive, true, false, false)
SCAN_FUNCTION(scan_exclusive_stream, true, true, false)
SCAN_FUNCTION(scan_reverse, tile->exclusive, tile->stream, true)

uint16_t PARSCAN_PASTE(parscan_half_scan_, PARSCAN_ISA)(OPERATOR op, parscan_type type,
                                                        const half_tile *tile)
{
    if (tile->reverse)
        return scan_reverse(op, type, tile);
    if (tile->exclusive)
        return tile->stream ? scan_exclusive_stream(op, type, tile)
                            : scan_exclusive(op, type, tile);
    return tile->stream ? scan_inclusive_stream(op, type, tile) : scan_inclusive(op, type, tile);
}

uint16_t PARSCAN_PASTE(parscan_half_reduce_, PARSCAN_ISA)(OPERATOR op, parscan_type type,
                                                          const char *in, size_t n,
                                                          const char *next)
{
    return BY_EXTREME(op, reduce, type, in, n, next);
}
