/*
 * The scan of the lanes of a SIMD vector. Included by simd.h.
 *
 * The lanes of floats are combined by Sklansky's network, whatever the instruction set: in step s,
 * the lanes of an upper block of s lanes take in the last lane of the block below. Their last bits
 * depend on the network. Integers give the same result in any network. Within 128 bits theirs is
 * Kogge-Stone's, in which lane k takes in lane k - s: a step is one shift of a vector, or of its
 * halves. Lanes that have nothing to take in take the identity.
 *
 * This file defines
 *     vector_scan(op, v)          the inclusive scan of the lanes
 *     vector_scan_keys(op, keys, exclusive, &sum)   the inclusive or exclusive scan of keys
 *                                 (simd_keys.h); sum is the sum of all lanes, in all lanes
 *     NETWORK_TAKEN(neutral, v, s)   what the lanes take in in step s
 *     LOWEST_TAKEN(k, s)          the lowest lane that lane k covers before step s
 *     HALF_STEPS(STEP)            STEP(s) for each step below HALF_LANES
 */
#ifndef PARSCAN_SCAN_CPU_SIMD_NETWORK_H
#define PARSCAN_SCAN_CPU_SIMD_NETWORK_H

#define LITTLE_ENDIAN_LANES (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* Within 64 bits a shift does the same as a shuffle, on another port of some cores. The s lanes
   that it leaves empty are filled with the identity. */
#define LANE_OF_FILL(k, s) ((k) % (64 / PARSCAN_ELEMENT_BITS) < (s) ? (k) : LANES + (k))
#define FILL_OF_SHIFT(neutral, s) \
    (vector_of_u64) __builtin_shufflevector(neutral, (V){0}, EVERY_LANE(LANE_OF_FILL, s))
#define SHIFTED(neutral, v, s) \
    (V)((vector_of_u64)(v) << ((s)*PARSCAN_ELEMENT_BITS % 64) | FILL_OF_SHIFT(neutral, s))

/* Sklansky's network by a general shuffle. */
#define SKLANSKY_LOWEST(k, s) ((k) / (s) * (s))
#define SKLANSKY_LANE(k, s) (((k) & (s)) == 0 ? (k) : LANES + (k) / (s) * (s)-1)
#define SKLANSKY_TAKEN(neutral, v, s) \
    __builtin_shufflevector(neutral, v, EVERY_LANE(SKLANSKY_LANE, s))

#define KOGGE_STONE_LOWEST(k, s) ((k) - (s) + 1)

#if PARSCAN_VECTOR_BYTES == 64
#define NETWORK_TAKEN(neutral, v, s)                           \
    (LITTLE_ENDIAN_LANES && 2 * (s)*PARSCAN_ELEMENT_BITS <= 64 \
         ? SHIFTED(neutral, v, s)                              \
         : __builtin_shufflevector(neutral, v, EVERY_LANE(LANE_OF_STEP, s)))
/* All identities from lane 0. */
#define LANE_OF_STEP(k, s) (((k) & (s)) == 0 ? 0 : LANES + (k) / (s) * (s)-1)

#elif PARSCAN_ELEMENT_IS_FLOAT && PARSCAN_ELEMENT_BITS == 32
#define LOWEST_TAKEN SKLANSKY_LOWEST
#if defined __x86_64__
/* Lanes 0 and 1 of each half from neutral, then twice lane 1 of v. */
#define SECOND_STEP 0x54
#if PARSCAN_VECTOR_BYTES == 32
#define NETWORK_TAKEN(neutral, v, s)   \
    ((s) == 1 ? SHIFTED(neutral, v, 1) \
              : (V)_mm256_shuffle_ps((__m256)(neutral), (__m256)(v), SECOND_STEP))
#else
#define NETWORK_TAKEN(neutral, v, s)   \
    ((s) == 1 ? SHIFTED(neutral, v, 1) \
              : (V)_mm_shuffle_ps((__m128)(neutral), (__m128)(v), SECOND_STEP))
#endif
#else
#define NETWORK_TAKEN(neutral, v, s) \
    (LITTLE_ENDIAN_LANES && (s) == 1 ? SHIFTED(neutral, v, 1) : SKLANSKY_TAKEN(neutral, v, s))
#endif

#else /* integers, and f64, for which the networks are the same */
#define LOWEST_TAKEN KOGGE_STONE_LOWEST
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
#define NETWORK_TAKEN(neutral, v, s) \
    (V) _mm256_alignr_epi8((__m256i)(v), (__m256i)neutral, 16 - (s)*PARSCAN_ELEMENT_BITS / 8)
#elif defined __x86_64__
#define LANE_OF_HALF_FILL(k, s) ((k) < (s) ? (k) : LANES + (k))
#define NETWORK_TAKEN(neutral, v, s)                                                \
    (V)((vector_of_u64)_mm_slli_si128((__m128i)(v), (s)*PARSCAN_ELEMENT_BITS / 8) | \
        (vector_of_u64)__builtin_shufflevector(neutral, (V){0}, EVERY_LANE(LANE_OF_HALF_FILL, s)))
#else
#define LANE_MOVED_UP(k, s) LANES - (s) + (k)
#define NETWORK_TAKEN(neutral, v, s) \
    __builtin_shufflevector(neutral, v, EVERY_LANE(LANE_MOVED_UP, s))
#endif
#endif

#if HALF_LANES == 2
#define HALF_STEPS(STEP) STEP(1)
#elif HALF_LANES == 4
#define HALF_STEPS(STEP) STEP(1) STEP(2)
#elif HALF_LANES == 8
#define HALF_STEPS(STEP) STEP(1) STEP(2) STEP(4)
#else
#define HALF_STEPS(STEP) STEP(1) STEP(2) STEP(4) STEP(8)
#endif
#define NETWORK_STEP(s) v = vector_combine_keys(op, NETWORK_TAKEN(neutral, v, s), v);

VECTOR_FUNCTION V vector_neutral_keys(const OPERATOR op)
{
    return vector_keys(op, vector_splat(identity(op)));
}

#if PARSCAN_VECTOR_BYTES == 32
#if !PARSCAN_ELEMENT_IS_FLOAT && PARSCAN_ELEMENT_BITS < 64
/* Integers whose identity is 0: shifts within 64 bits, then the last lane of the lower 64 bits goes
   to all lanes of the upper ones. */
#define BYTE_TAKEN(byte)        \
    (char)((byte) % 16 < 8 ? -1 \
                           : 8 - PARSCAN_ELEMENT_BITS / 8 + (byte) % (PARSCAN_ELEMENT_BITS / 8))
#define BYTES_TAKEN_4(b) BYTE_TAKEN(b), BYTE_TAKEN(b + 1), BYTE_TAKEN(b + 2), BYTE_TAKEN(b + 3)
#define BYTES_TAKEN_16 BYTES_TAKEN_4(0), BYTES_TAKEN_4(4), BYTES_TAKEN_4(8), BYTES_TAKEN_4(12)
VECTOR_FUNCTION V scan_halves_from_zero(const OPERATOR op, V v)
{
    const __m256i upper = _mm256_setr_epi8(BYTES_TAKEN_16, BYTES_TAKEN_16);
#define SHIFT_STEP(s)                       \
    if (2 * (s)*PARSCAN_ELEMENT_BITS <= 64) \
        v = vector_combine(op, (V)((vector_of_u64)v << (s)*PARSCAN_ELEMENT_BITS % 64), v);
    HALF_STEPS(SHIFT_STEP)
    return vector_combine(op, (V)_mm256_shuffle_epi8((__m256i)v, upper), v);
}
#else
#define scan_halves_from_zero(op, v) (v)
#endif

VECTOR_FUNCTION V scan_halves(const OPERATOR op, V v)
{
    const V neutral = vector_neutral_keys(op);
    if (!PARSCAN_ELEMENT_IS_FLOAT && PARSCAN_ELEMENT_BITS < 64 && identity(op) == (T)0)
        return scan_halves_from_zero(op, v);
    HALF_STEPS(NETWORK_STEP)
    return v;
}

VECTOR_FUNCTION V vector_scan_keys(const OPERATOR op, V v, const bool exclusive, V *sum)
{
    const V neutral = vector_neutral_keys(op);
    v = scan_halves(op, v);
    const __m256i sums = (__m256i)__builtin_shufflevector(v, v, EVERY_LANE(LAST_OF_HALF, 0));
    const __m256i swapped = _mm256_permute2x128_si256(sums, sums, 0x01);
    const V below = (V)_mm256_blend_epi32((__m256i)neutral, swapped, 0xf0);
    if (commutes(op)) {
        *sum = vector_combine_keys(op, (V)swapped, (V)sums);
    } else {
        const V low = (V)_mm256_permute2x128_si256(sums, sums, 0x00);
        *sum = vector_combine_keys(op, low, (V)_mm256_permute2x128_si256(sums, sums, 0x11));
    }
    if (exclusive)
        v = (V)_mm256_alignr_epi8((__m256i)v, (__m256i)neutral, 16 - PARSCAN_ELEMENT_BITS / 8);
    return vector_combine_keys(op, below, v);
}
#else
VECTOR_FUNCTION V vector_scan_keys(const OPERATOR op, V v, const bool exclusive, V *sum)
{
    const V neutral = vector_neutral_keys(op);
    HALF_STEPS(NETWORK_STEP)
#if LANES > HALF_LANES
    NETWORK_STEP(HALF_LANES)
#endif
#if LANES > 2 * HALF_LANES
    NETWORK_STEP(2 * HALF_LANES)
#endif
    *sum = vector_broadcast_last(v);
    return exclusive ? vector_after(neutral, v) : v;
}
#endif

VECTOR_FUNCTION V vector_scan(const OPERATOR op, V v)
{
    V sum;
    return vector_values(op, vector_scan_keys(op, vector_keys(op, v), false, &sum));
}

#endif
