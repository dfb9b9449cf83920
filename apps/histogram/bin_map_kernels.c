/*
 * The bins of elements (bin_map.h): of integers in loops that compilers vectorise, of floats in
 * vectors. Compiled once for each element type and instruction set.
 */
#include "apps/histogram/float_bins.h"
#include "scan/cpu/read_once.h"
#include "scan/cpu/simd.h"

bin_map_kernel NAMED(PARSCAN_PASTE(parscan_bin_map_kernel_, PARSCAN_ISA));

#if PARSCAN_ELEMENT_IS_FLOAT

/* find_many() finds the bins of the first elements, and returns how many these are. */
#if PARSCAN_ELEMENT_BITS == 0

static size_t find_many(const bin_map *map, const char *in, size_t n, uint32_t *to)
{
    (void)map, (void)in, (void)n, (void)to;
    return 0;
}

#else

typedef double reals __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
typedef uint32_t indices __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

/* Elements whose bins are computed at once: two vectors of doubles. */
#define AT_ONCE (PARSCAN_VECTOR_BYTES / (int)sizeof(uint32_t))

/* The low halves of the lanes of two vectors. Masks of comparisons have 32 bits here, also those of
   64-bit lanes: gcc 12 takes masks of 64 bits apart where there is only SSE2. */
#define LOW_HALF(k, s) 2 * (k) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#if PARSCAN_VECTOR_BYTES == 16
#define LOW_HALVES LANES_4(LOW_HALF, 0, 0)
#elif PARSCAN_VECTOR_BYTES == 32
#define LOW_HALVES LANES_8(LOW_HALF, 0, 0)
#else
#define LOW_HALVES LANES_16(LOW_HALF, 0, 0)
#endif
VECTOR_FUNCTION indices low_halves(const indices words[2])
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    const __m256 mixed = _mm256_shuffle_ps((__m256)words[0], (__m256)words[1], 0x88);
    return (indices)_mm256_permute4x64_epi64((__m256i)mixed, 0xd8);
#else
    return __builtin_shufflevector(words[0], words[1], LOW_HALVES);
#endif
}

/* The elements as doubles, those outside as 0, which the arithmetic takes without an exception;
   returns a mask of those inside. */
#if PARSCAN_ELEMENT_BITS == 32
VECTOR_FUNCTION reals widened(V elements, const int half)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    return half == 0 ? _mm512_cvtps_pd(_mm512_castps512_ps256(elements))
                     : _mm512_cvtps_pd(_mm512_extractf32x8_ps(elements, 1));
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    return _mm256_cvtps_pd(half == 0 ? _mm256_castps256_ps128(elements)
                                     : _mm256_extractf128_ps(elements, 1));
#elif defined __x86_64__
    return _mm_cvtps_pd(half == 0 ? (__m128)elements : _mm_movehl_ps(elements, elements));
#else
    reals wide;
    for (int k = 0; k < LANES / 2; k++)
        wide[k] = elements[half * (LANES / 2) + k];
    return wide;
#endif
}
VECTOR_FUNCTION indices load_inside(const char *from, T lower, T upper, reals x[2])
{
    V given = vector_load(from);
    READ_VECTOR_ONCE(given);
    const indices inside = (indices)(given >= lower) & (indices)(given < upper);
    for (int half = 0; half < 2; half++)
        x[half] = widened((V)((indices)given & inside), half);
    return inside;
}
#else
VECTOR_FUNCTION indices load_inside(const char *from, T lower, T upper, reals x[2])
{
    indices inside[2];
    for (int half = 0; half < 2; half++) {
        V given = vector_load(from + half * (int)sizeof given);
        READ_VECTOR_ONCE(given);
        inside[half] = (indices)(given >= lower) & (indices)(given < upper);
        x[half] = (reals)((indices)given & inside[half]);
    }
    return low_halves(inside);
}
#endif

/* float_bin_nearest() of all lanes, less the number of bins. Without the clamp, k may be `bins` only
   where edge(k) is above all elements. */
VECTOR_FUNCTION indices nearest_bins(const bin_map *map, const reals x[2], const bool clamps)
{
    const double lower = map->float_lower, scale = map->scale, step = map->step;
    const double whole = 1.5 * FLOAT_BIN_WHOLE - map->bins;
    indices bins[2];
    for (int half = 0; half < 2; half++) {
        const reals sum = (x[half] - lower) * scale + whole;
        const reals edge = lower + (sum - whole) * step;
        bins[half] = (indices)sum + (indices)(x[half] < edge); /* a mask is -1 */
    }
    const indices nearest = low_halves(bins);
    return clamps ? nearest + (indices)(nearest == 0) : nearest;
}

/* The bins of n elements, a multiple of AT_ONCE. */
VECTOR_FUNCTION void find_bins(const bin_map *map, const char *in, size_t n, uint32_t *restrict to,
                               const bool clamps)
{
    const T lower = (T)map->float_lower, upper = (T)map->float_upper;
    for (size_t i = 0; i < n; i += AT_ONCE) {
        reals x[2];
        const indices inside = load_inside(in + i * sizeof(T), lower, upper, x);
        const indices bins = (nearest_bins(map, x, clamps) & inside) + map->bins;
        memcpy(to + i, &bins, sizeof bins);
    }
}

static size_t find_many(const bin_map *map, const char *in, size_t n, uint32_t *restrict to)
{
    const size_t many = map->searched ? 0 : n / AT_ONCE * AT_ONCE;
    if (map->float_lower + map->bins * map->step < map->float_upper)
        find_bins(map, in, many, to, true);
    else
        find_bins(map, in, many, to, false);
    return many;
}

#endif

void NAMED(PARSCAN_PASTE(parscan_bin_map_kernel_, PARSCAN_ISA))(const bin_map *given,
                                                                const void *from, size_t n,
                                                                uint32_t *restrict to)
{
    const bin_map map = *given; /* whose fields stay in registers */
    const char *const in = from;
    const T lower = (T)map.float_lower, upper = (T)map.float_upper;
    for (size_t i = find_many(&map, in, n, to); i < n; i++) {
        T x;
        read_once(&x, in + i * sizeof x, sizeof x);
        to[i] = x >= lower && x < upper ? float_bin(&map, (double)x) : map.bins;
    }
}

#else

/* Rounds down. `bin` is scale * d with d < width, perhaps rounded up, so it fits a signed integer;
   the conversion to one is a single instruction in every instruction set. */
static inline uint32_t whole(double bin)
{
    return (uint32_t)(int32_t)bin;
}

/* x - lower, wrapping: for x outside it is at least width. Narrow types are computed in 32 bits,
   since width may not fit the type. */
#if PARSCAN_ELEMENT_BITS == 64
typedef uint64_t word;
#else
typedef uint32_t word;
#endif

__extension__ typedef unsigned __int128 wide;

static inline word distance(const T *in, size_t i, word lower)
{
    T element;
    memcpy(&element, &in[i], sizeof element);
    return (word)element - lower;
}

/* Elements may change meanwhile. In these two loops d is a difference, which compilers do not compute twice;
   tests/scan/cpu/test_changing_input.c would find it. */
static void shift(const bin_map *map, const T *in, size_t n, uint32_t *restrict to)
{
    const word lower = (word)map->lower, last = (word)(map->width - 1);
    const uint32_t bins = map->bins;
    const unsigned bits = map->shift;
    for (size_t i = 0; i < n; i++) {
        const word d = distance(in, i, lower);
        to[i] = d <= last ? (uint32_t)(d >> bits) : bins;
    }
}

static void scale(const bin_map *map, const T *in, size_t n, uint32_t *restrict to)
{
    const word lower = (word)map->lower, last = (word)(map->width - 1);
    const uint32_t bins = map->bins;
    const double factor = map->scale;
    for (size_t i = 0; i < n; i++) {
        const word d = distance(in, i, lower);
        const uint32_t bin = whole((double)(d <= last ? d : 0) * factor);
        to[i] = d <= last ? bin : bins;
    }
}

static void exact(const bin_map *map, const T *in, size_t n, uint32_t *restrict to)
{
    const word lower = (word)map->lower, last = (word)(map->width - 1);
    const uint32_t bins = map->bins;
    for (size_t i = 0; i < n; i++) {
        word d = distance(in, i, lower);
        READ_WORD_ONCE(d);
        uint32_t bin = bins;
        if (d <= last) {
            bin = whole((double)d * map->scale);
            const wide dividend = (wide)d * bins, below = (wide)bin * map->width;
            if (dividend < below)
                bin--;
            else if (dividend - below >= map->width)
                bin++;
        }
        to[i] = bin;
    }
}

void NAMED(PARSCAN_PASTE(parscan_bin_map_kernel_, PARSCAN_ISA))(const bin_map *map,
                                                                const void *from, size_t n,
                                                                uint32_t *restrict to)
{
    switch (map->kind) {
    case BIN_MAP_SHIFT:
        shift(map, from, n, to);
        break;
    case BIN_MAP_SCALE:
        scale(map, from, n, to);
        break;
    case BIN_MAP_EXACT:
        exact(map, from, n, to);
        break;
    }
}

#endif
