/*
 * The segmented scan of SIMD vectors, for segmented_kernels.c.
 *
 * Before this file: scan/cpu/simd.h. This file defines, for a word of 64 heads,
 *     VECTORS                      the vectors of a word
 *     scan_word(op, in, heads, init, before, results)   scans its elements
 *     at_heads(heads, u, a, b)     the lanes of a where a segment begins in vector u, else of b
 * Sums are keys (scan/cpu/simd_keys.h).
 *
 * A vector is scanned by the network of simd_network.h, but a lane takes in what a step offers only
 * if no segment begins between the two. So a vector takes the same time whatever its heads are, and
 * no branch. There are two ways to find the lanes that do:
 *
 *     in vectors   Each lane holds the heads of the whole vector as bits. It is open in a step if
 *                  the bits of some lanes, a constant for each lane and step, are all 0.
 *     in words     Where a lane is too narrow for that, or where instructions take masks of bits:
 *                  for all 64 elements at once, by Sklansky's network on the bits.
 */
#ifndef PARSCAN_APPS_SEGMENTED_LANES_H
#define PARSCAN_APPS_SEGMENTED_LANES_H

#define WORD ((size_t)64)
#define VECTORS (64 / LANES)

#if PARSCAN_ELEMENT_BITS == 8
typedef uint8_t LANE;
#elif PARSCAN_ELEMENT_BITS == 16
typedef uint16_t LANE;
#elif PARSCAN_ELEMENT_BITS == 32
typedef uint32_t LANE;
#else
typedef uint64_t LANE;
#endif
typedef LANE lanes_of_bits __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

#define HAS_MASKS (PARSCAN_VECTOR_BYTES == 64)

#if LANES <= PARSCAN_ELEMENT_BITS && !HAS_MASKS

#define LANE_RANGE(low, high) (LANE)((((uint64_t)2 << (high)) - 1) & ~(((uint64_t)1 << (low)) - 1))

/* Returns bits whose bit k, in each lane, is the head of lane k of vector u. The bits from LANES on
   have no meaning. */
VECTOR_FUNCTION lanes_of_bits heads_of(const uint64_t *heads, unsigned u)
{
    const unsigned at = u * LANES, part = at / PARSCAN_ELEMENT_BITS;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    LANE bits; /* read from memory, since it is broadcast while it is loaded */
    memcpy(&bits, (const char *)heads + part * sizeof bits, sizeof bits);
#else
    const LANE bits = (LANE)(*heads >> part * PARSCAN_ELEMENT_BITS);
#endif
    return (lanes_of_bits){EVERY_LANE(SAME_IN_LANE, bits)} >> at % PARSCAN_ELEMENT_BITS;
}

#define OWN_BIT(k, s) LANE_RANGE(k, k)
VECTOR_FUNCTION vector_mask mask_of_heads(lanes_of_bits bits)
{
    const lanes_of_bits own = {EVERY_LANE(OWN_BIT, 0)};
    return (vector_mask)((bits & own) == own);
}

VECTOR_FUNCTION V at_heads(const uint64_t *heads, unsigned u, V a, V b)
{
    return vector_select(mask_of_heads(heads_of(heads, u)), a, b);
}

/* Combines `earlier` with v in the lanes of the mask; the others stay as they are. */
VECTOR_FUNCTION V combine_open(const OPERATOR op, vector_mask open, V earlier, V v)
{
    const T neutral = identity(op);
    if (!PARSCAN_ELEMENT_IS_FLOAT && !works_on_keys(op) && neutral == (T)0)
        return vector_combine(op, (V)((vector_mask)earlier & open), v);
    return vector_select(open, vector_combine_keys(op, earlier, v), v);
}

/* What is taken in within a half. Lanes that take in the identity may be open or not. */
#define BITS_OF_STEP(k, s) LANE_RANGE((k) % HALF_LANES < (s) ? (k) : LOWEST_TAKEN(k, s), k)
#define SEGMENTED_STEP(s)                                              \
    {                                                                  \
        const lanes_of_bits between = {EVERY_LANE(BITS_OF_STEP, s)};   \
        const vector_mask open = (vector_mask)((bits & between) == 0); \
        v = combine_open(op, open, NETWORK_TAKEN(neutral, v, s), v);   \
    }

/* The upper half takes in the sum of the lower half; the lower half does not. */
#define BITS_OF_UPPER(k, s) (k) < HALF_LANES ? (LANE)0 : LANE_RANGE(HALF_LANES, k)
#define CLOSED_BELOW(k, s) (k) < HALF_LANES ? (LANE)1 : (LANE)0
VECTOR_FUNCTION V scan_vector(const OPERATOR op, V v, lanes_of_bits bits)
{
    const V neutral = vector_neutral_keys(op);
    HALF_STEPS(SEGMENTED_STEP)
#if PARSCAN_VECTOR_BYTES == 32
    const lanes_of_bits between = {EVERY_LANE(BITS_OF_UPPER, 0)};
    const lanes_of_bits expected = {EVERY_LANE(CLOSED_BELOW, 0)};
    const __m256i sums = (__m256i)__builtin_shufflevector(v, v, EVERY_LANE(LAST_OF_HALF, 0));
    const V below = (V)_mm256_permute2x128_si256(sums, sums, 0x01);
    v = combine_open(op, (vector_mask)((bits & between) == expected), below, v);
#endif
    return v;
}

#define BITS_THROUGH(k, s) LANE_RANGE(0, k)
#define BITS_OF_VECTOR(k, s) LANE_RANGE(0, LANES - 1)
/* Scans the elements of one word of heads: results[u] are the inclusive sums of vector u. Returns
   the sum of the open segment, in all lanes. */
VECTOR_FUNCTION V scan_word(const OPERATOR op, const T *in, const uint64_t *heads, const T *init,
                            V before, V results[VECTORS])
{
    const lanes_of_bits through = {EVERY_LANE(BITS_THROUGH, 0)},
                        all = {EVERY_LANE(BITS_OF_VECTOR, 0)};
    for (unsigned u = 0; u < VECTORS; u++) {
        const lanes_of_bits bits = heads_of(heads, u);
        V v = vector_keys(op, vector_load(in + u * LANES));
        if (init != NULL) {
            const V start = vector_keys(op, vector_splat(*init));
            v = vector_select(mask_of_heads(bits), vector_combine_keys(op, start, v), v);
        }
        v = scan_vector(op, v, bits);
        results[u] = combine_open(op, (vector_mask)((bits & through) == 0), before, v);
        /* From vector to vector only this has to be waited for. */
        before =
            combine_open(op, (vector_mask)((bits & all) == 0), before, vector_broadcast_last(v));
    }
    return before;
}

#else

/* Step s of Sklansky's network, as bits of a word: the lower blocks, the last lane of each, and
   the upper blocks. */
#define LOWER(s) (~(uint64_t)0 / (((uint64_t)1 << (s)) + 1))
#define LOWER_LAST(s) (LOWER(s) & ~(LOWER(s) >> 1))
#define UPPER(s) (~LOWER(s))

#if HAS_MASKS
#define MASK_MOVE_(bits) _mm512_mask_mov_epi##bits
#define MASK_MOVE(bits) MASK_MOVE_(bits)
#define MASK_STORE_(bits) _mm512_mask_storeu_epi##bits
#define MASK_STORE(bits) MASK_STORE_(bits)
#define COMPRESS_(bits) _mm512_maskz_compress_epi##bits
#define COMPRESS(bits) COMPRESS_(bits)
#if LANES == 64
typedef __mmask64 lane_mask;
#elif LANES == 32
typedef __mmask32 lane_mask;
#elif LANES == 16
typedef __mmask16 lane_mask;
#else
typedef __mmask8 lane_mask;
#endif
/* Takes lane k from a where bit k is set, else from b. */
VECTOR_FUNCTION V vector_blend(uint64_t bits, V a, V b)
{
    return (V)MASK_MOVE(PARSCAN_ELEMENT_BITS)((__m512i)b, (lane_mask)bits, (__m512i)a);
}
#else
#define BIT_OF_LANE(k, s) (LANE)((uint64_t)1 << (k) % 8)
#define BYTE_OF_LANE(k, s) (k) / 8
VECTOR_FUNCTION V vector_blend(uint64_t bits, V a, V b)
{
    const lanes_of_bits own = {EVERY_LANE(BIT_OF_LANE, 0)}, byte = {EVERY_LANE(BYTE_OF_LANE, 0)};
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
#if PARSCAN_VECTOR_BYTES == 32
    const lanes_of_bits spread =
        (lanes_of_bits)_mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), (__m256i)byte);
#else
    (void)byte;
    const lanes_of_bits words = (lanes_of_bits)(vector_of_u64){bits};
    const lanes_of_bits spread = __builtin_shufflevector(words, words, EVERY_LANE(BYTE_OF_LANE, 0));
#endif
    return vector_select((vector_mask)((spread & own) == own), a, b);
}
#endif

VECTOR_FUNCTION V at_heads(const uint64_t *heads, unsigned u, V a, V b)
{
    return vector_blend(*heads >> u * LANES, a, b);
}

/* For the 64 elements of a word: step[k] has the lanes that step k changes, carry the lanes that
   take in what comes before the vector. */
typedef struct open_lanes {
    uint64_t step[6], carry;
} open_lanes;

VECTOR_FUNCTION open_lanes open_lanes_of(uint64_t heads)
{
    open_lanes open = {{0}, 0};
    uint64_t begun = heads; /* a segment begins at this lane, or before it in its block */
    for (int k = 0, s = 1; s < LANES; k++, s *= 2) {
        open.step[k] = ~begun & UPPER(s);
        const uint64_t first = (begun & LOWER_LAST(s)) << 1;
        begun |= (first << s) - first;
    }
    open.carry = ~begun;
    return open;
}

/* Within 64 bits a shift replaces the shuffle of neighbours; it runs on another port. */
#define LANE_TAKEN(k, s) (((k) & (s)) == 0 ? (k) : (k) / (s) * (s)-1)
#define TAKEN(s)                                                  \
    (LITTLE_ENDIAN_LANES && (s) == 1 && PARSCAN_ELEMENT_BITS < 64 \
         ? (V)((vector_of_u64)v << PARSCAN_ELEMENT_BITS % 64)     \
         : __builtin_shufflevector(v, v, EVERY_LANE(LANE_TAKEN, s)))

/* Step k of the network, for one vector of a word whose bits begin at bit `at`. */
#define SEGMENTED_STEP(k) \
    v = vector_blend(open->step[k] >> at, vector_combine_keys(op, TAKEN(1 << (k)), v), v)

/* Returns the inclusive scan within a vector whose heads begin at bit `at`. */
VECTOR_FUNCTION V scan_vector(const OPERATOR op, V v, const open_lanes *open, unsigned at)
{
    SEGMENTED_STEP(0);
#if LANES > 2
    SEGMENTED_STEP(1);
#endif
#if LANES > 4
    SEGMENTED_STEP(2);
#endif
#if LANES > 8
    SEGMENTED_STEP(3);
#endif
#if LANES > 16
    SEGMENTED_STEP(4);
#endif
#if LANES > 32
    SEGMENTED_STEP(5);
#endif
    return v;
}

VECTOR_FUNCTION V scan_word(const OPERATOR op, const T *in, const uint64_t *heads, const T *init,
                            V before, V results[VECTORS])
{
    const open_lanes open = open_lanes_of(*heads);
    for (unsigned u = 0; u < VECTORS; u++) {
        const unsigned at = u * LANES;
        V v = vector_keys(op, vector_load(in + at));
        if (init != NULL) {
            const V start = vector_keys(op, vector_splat(*init));
            v = vector_blend(*heads >> at, vector_combine_keys(op, start, v), v);
        }
        v = scan_vector(op, v, &open, at);
        v = vector_blend(open.carry >> at, vector_combine_keys(op, before, v), v);
        before = vector_broadcast_last(v);
        results[u] = v;
    }
    return before;
}
#endif
#endif
