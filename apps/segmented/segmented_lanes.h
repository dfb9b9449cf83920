/*
 * The segmented scan of SIMD vectors, for segmented_kernels.c.
 *
 * Before this file: scan/cpu/simd.h. This file defines, for a word of 64 heads,
 *     VECTORS                      the vectors of a word
 *     scan_word(op, in, heads, init, before, to)   scans its elements; writes their sums
 *     word_sums                    where to
 * Sums that are passed on are keys (scan/cpu/simd_keys.h); what is written are values.
 *
 * A vector is scanned by the network of simd_network.h, but a lane takes in what a step offers only
 * if no segment starts between the two. So a vector takes the same time whatever its heads are, and
 * no branch. There are two variants of finding the lanes that do:
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
#if defined __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

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

#define IN_VECTORS (LANES <= PARSCAN_ELEMENT_BITS && !HAS_MASKS)
#if IN_VECTORS

/* The heads of one vector in each lane, and constants to compare with. SSE2 cannot compare integers
   of 64 bits, so such a lane holds the same bits in both halves. */
#if PARSCAN_ELEMENT_BITS == 64
typedef uint32_t BITS;
#define LANE_CONSTANT(bits) (LANE)((bits) | (bits) << 32)
#else
typedef LANE BITS;
#define LANE_CONSTANT(bits) (LANE)(bits)
#endif
typedef BITS head_bits __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
#define LANE_RANGE(low, high) \
    LANE_CONSTANT((((uint64_t)2 << (high)) - 1) & ~(((uint64_t)1 << (low)) - 1))
#define IN_LANES(f, s) ((head_bits)(lanes_of_bits){EVERY_LANE(f, s)})

/* Broadcasts the heads of the vectors from u on that lie in the same part of a word. The compiler
   would rather shift and broadcast them one by one. */
#define PART_VECTORS (8 * (int)sizeof(BITS) / LANES)
VECTOR_FUNCTION head_bits read_part(const uint64_t *heads, int u)
{
    BITS part;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&part, (const char *)heads + u / PART_VECTORS * (int)sizeof part, sizeof part);
#else
    part = (BITS)(*heads >> u / PART_VECTORS * 8 * (int)sizeof part);
#endif
    return part - (head_bits){0};
}

/* Bit k of a lane is the head of lane k of vector u. The bits from LANES on have no meaning. */
VECTOR_FUNCTION head_bits heads_in_part(head_bits part, int u)
{
    const int shift = u % PART_VECTORS * LANES;
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32 && PARSCAN_ELEMENT_BITS >= 32
    return (head_bits)_mm256_srli_epi32((__m256i)part, shift);
#else
    return part >> shift;
#endif
}

#define OWN_BIT(k, s) LANE_RANGE(k, k)
VECTOR_FUNCTION V at_heads(head_bits bits, V a, V b)
{
    const head_bits own = IN_LANES(OWN_BIT, 0);
    return vector_select((vector_mask)((bits & own) == own), a, b);
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
        const head_bits between = IN_LANES(BITS_OF_STEP, s);           \
        const vector_mask open = (vector_mask)((bits & between) == 0); \
        v = combine_open(op, open, NETWORK_TAKEN(neutral, v, s), v);   \
    }

/* The upper half takes in the sum of the lower half; the lower half does not. */
#define BITS_OF_UPPER(k, s) (k) < HALF_LANES ? (LANE)0 : LANE_RANGE(HALF_LANES, k)
#define CLOSED_BELOW(k, s) (k) < HALF_LANES ? LANE_RANGE(0, 0) : (LANE)0
VECTOR_FUNCTION V scan_vector(const OPERATOR op, V v, head_bits bits)
{
    const V neutral = vector_neutral_keys(op);
    HALF_STEPS(SEGMENTED_STEP)
#if PARSCAN_VECTOR_BYTES == 32
    const head_bits between = IN_LANES(BITS_OF_UPPER, 0);
    const head_bits expected = IN_LANES(CLOSED_BELOW, 0);
    const __m256i sums = (__m256i)__builtin_shufflevector(v, v, EVERY_LANE(LAST_OF_HALF, 0));
    const V below = (V)_mm256_permute2x128_si256(sums, sums, 0x01);
    v = combine_open(op, (vector_mask)((bits & between) == expected), below, v);
#endif
    return v;
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

typedef uint64_t head_bits;
VECTOR_FUNCTION V at_heads(head_bits bits, V a, V b)
{
    return vector_blend(bits, a, b);
}
/* For the 64 elements of a word: step[k] has the lanes that step k changes, carry the lanes that
   take in what comes before the vector. */
typedef struct open_lanes {
    uint64_t step[6], carry;
} open_lanes;

VECTOR_FUNCTION open_lanes open_lanes_of(uint64_t heads)
{
    open_lanes open = {{0}, 0};
    uint64_t begun = heads; /* a segment starts at this lane, or before it in its block */
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

/* Step k of the network, for one vector of a word whose bits start at bit `at`. */
#define SEGMENTED_STEP(k) \
    v = vector_blend(open->step[k] >> at, vector_combine_keys(op, TAKEN(1 << (k)), v), v)

/* Returns the inclusive scan within a vector whose heads start at bit `at`. */
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

#endif

/* Where the sums of a word go: to `sums`, or else to `out` as a scan writes them. */
typedef struct word_sums {
    V *sums; /* one for each vector, or NULL */
    T *out;
    bool exclusive, stream;
    V start; /* for the first element of each segment, if exclusive */
    V last;  /* the sums of the vector before; its last lane is used if exclusive */
} word_sums;

VECTOR_FUNCTION void put_sums(const OPERATOR op, word_sums *to, int u, head_bits bits, V keys)
{
    const V through = vector_values(op, keys);
    if (to->sums != NULL) {
        to->sums[u] = through;
        return;
    }
    V result = through;
    if (to->exclusive)
        result = at_heads(bits, to->start, vector_after(to->last, through));
    to->last = through;
    if (to->stream)
        vector_stream(to->out + u * LANES, result);
    else
        vector_store(to->out + u * LANES, result);
}

/* Both ways: before and the returned sum of the open segment are in all lanes. */
#if IN_VECTORS
#define BITS_THROUGH(k, s) LANE_RANGE(0, k)
#define ALL_OPEN(k, s) (LANE) ~(LANE)0
#define NONE_OPEN(k, s) (LANE)0
/* Returns the sum of the open segment, in all lanes. From vector to vector, only what changes that
   is waited for. */
VECTOR_FUNCTION V scan_word(const OPERATOR op, const T *in, const uint64_t *heads, const T *init,
                            V before, word_sums *to)
{
    static const LANE open_if_none[] = {EVERY_LANE(ALL_OPEN, 0), EVERY_LANE(NONE_OPEN, 0)};
    const head_bits through = IN_LANES(BITS_THROUGH, 0);
    for (int first = 0; first < VECTORS; first += PART_VECTORS) {
        const head_bits part = read_part(heads, first);
        UNROLL for (int u = first; u < first + PART_VECTORS; u++)
        {
            const head_bits bits = heads_in_part(part, u);
            const bool any = (*heads >> u * LANES & (((uint64_t)1 << LANES) - 1)) != 0;
            V v = vector_keys(op, vector_load(in + u * LANES));
            if (init != NULL) {
                const V start = vector_keys(op, vector_splat(*init));
                v = at_heads(bits, vector_combine_keys(op, start, v), v);
            }
            v = scan_vector(op, v, bits);
            const vector_mask carry = (vector_mask)((bits & through) == 0);
            put_sums(op, to, u, bits, combine_open(op, carry, before, v));
            const vector_mask all = (vector_mask)vector_load(open_if_none + any * LANES);
            before = combine_open(op, all, before, vector_broadcast_last(v));
        }
    }
    return before;
}

#else
VECTOR_FUNCTION V scan_word(const OPERATOR op, const T *in, const uint64_t *heads, const T *init,
                            V before, word_sums *to)
{
    const open_lanes open = open_lanes_of(*heads);
    for (int u = 0; u < VECTORS; u++) {
        const unsigned at = (unsigned)u * LANES;
        V v = vector_keys(op, vector_load(in + at));
        if (init != NULL) {
            const V start = vector_keys(op, vector_splat(*init));
            v = vector_blend(*heads >> at, vector_combine_keys(op, start, v), v);
        }
        v = scan_vector(op, v, &open, at);
        v = vector_blend(open.carry >> at, vector_combine_keys(op, before, v), v);
        before = vector_broadcast_last(v);
        put_sums(op, to, u, *heads >> at, v);
    }
    return before;
}
#endif
#endif
