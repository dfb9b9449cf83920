/*
 * Segmented scan and reduction of one tile in SIMD vectors. Compiled once for each element type and
 * instruction set.
 *
 * A vector is scanned by Sklansky's network: in step s, each lane of an upper block of s lanes
 * takes in the last lane of the block below, but only if no segment begins between the two. Which
 * lanes do so is computed in a word of heads, for 64 elements at once. So a vector takes the same
 * time whatever its heads are, and no branch. Blocks without a head are left to the kernels of the
 * plain scan.
 */
#include "apps/segmented/segmented_kernels.h"

#include "scan/cpu/simd.h"

#define WORD ((size_t)64)

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

/* Step s of the network, as bits of a word: the lower blocks, the last lane of each, and the
   upper blocks. */
#define LOWER(s) (~(uint64_t)0 / (((uint64_t)1 << (s)) + 1))
#define LOWER_LAST(s) (LOWER(s) & ~(LOWER(s) >> 1))
#define UPPER(s) (~LOWER(s))

#if PARSCAN_VECTOR_BYTES == 64 && defined __x86_64__
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
#define LANE_BIT(k, s) (LANE)((uint64_t)1 << (k) % PARSCAN_ELEMENT_BITS)
#define BYTE_OF_LANE(k, s) (k) / 8
#if PARSCAN_ELEMENT_BITS == 8
typedef uint8_t LANE;
#elif PARSCAN_ELEMENT_BITS == 16
typedef uint16_t LANE;
#elif PARSCAN_ELEMENT_BITS == 32
typedef uint32_t LANE;
#else
typedef uint64_t LANE;
#endif
typedef LANE LANES_OF_BITS __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
VECTOR_FUNCTION V vector_blend(uint64_t bits, V a, V b)
{
    const LANES_OF_BITS own = {EVERY_LANE(LANE_BIT, 0)};
#if PARSCAN_ELEMENT_BITS == 8
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    const LANES_OF_BITS words = (LANES_OF_BITS)(vector_of_u64){bits};
    const LANES_OF_BITS spread = __builtin_shufflevector(words, words, EVERY_LANE(BYTE_OF_LANE, 0));
#else
    const LANES_OF_BITS spread = {EVERY_LANE(SAME_IN_LANE, (LANE)bits)};
#endif
    const LANES_OF_BITS mask = (LANES_OF_BITS)((spread & own) == own);
    return (V)((mask & (LANES_OF_BITS)a) | (~mask & (LANES_OF_BITS)b));
}
#endif

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
    v = vector_blend(open->step[k] >> at, vector_combine(op, TAKEN(1 << (k)), v), v)

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

/* Scans the elements of one word of heads: results[u] are the inclusive sums of vector u.
   Returns the sum of the open segment, in all lanes. */
#define VECTORS (64 / LANES)
VECTOR_FUNCTION V scan_word(const OPERATOR op, const T *in, uint64_t heads, const T *init, V before,
                            V results[VECTORS])
{
    const open_lanes open = open_lanes_of(heads);
    for (unsigned u = 0; u < VECTORS; u++) {
        const unsigned at = u * LANES;
        V v = vector_load(in + at);
        if (init != NULL)
            v = vector_blend(heads >> at, vector_combine(op, vector_splat(*init), v), v);
        v = scan_vector(op, v, &open, at);
        v = vector_blend(open.carry >> at, vector_combine(op, before, v), v);
        before = vector_broadcast_last(v);
        results[u] = v;
    }
    return before;
}

VECTOR_FUNCTION V scan_and_store(const OPERATOR op, const segmented_tile *tile, size_t w, V before)
{
    const uint64_t heads = tile->heads[w];
    const V start = vector_splat(tile->start);
    V results[VECTORS], last = before;
    before = scan_word(op, tile->in + w * WORD, heads, tile->init, before, results);
    T *const out = tile->out + w * WORD;
    for (unsigned u = 0; u < VECTORS; u++) {
        V result = results[u];
        if (tile->exclusive)
            result = vector_blend(heads >> u * LANES, start, vector_after(last, result));
        last = results[u];
        if (tile->stream)
            vector_stream(out + u * LANES, result);
        else
            vector_store(out + u * LANES, result);
    }
    return before;
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

VECTOR_FUNCTION T scan(const OPERATOR op, const segmented_tile *tile)
{
    const size_t words = commutes(op) && !tile->singly ? tile->n / WORD : 0;
    V before = vector_splat(tile->before);
    for (size_t w = 0; w < words;) {
        const size_t run = headless(tile->heads, w, words);
        prefetch_segments(tile, w, run);
        if (run > 0)
            before = vector_splat(scan_run(op, tile, w * WORD, run * WORD, vector_first(before)));
        w += run;
        for (size_t k = 0; k < BLOCK && w < words; k++, w++) {
            prefetch_next(tile, w);
            before = scan_and_store(op, tile, w, before);
        }
    }
    return scan_singly(op, tile, words * WORD, vector_first(before));
}

/* Writes the sum before each head to `out`, and returns the end of what was written. A
   compressing store would be slow on Zen 4, so the sums are compressed in a register and stored
   with a mask; nothing is written beyond the last. */
VECTOR_FUNCTION T *pack_sums(uint64_t heads, V before, const V results[VECTORS], T *out)
{
#if PARSCAN_VECTOR_BYTES == 64 && defined __x86_64__
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
    V before = vector_splat(tile->before);
    for (size_t w = 0; w < words;) {
        const size_t run = headless(tile->heads, w, words);
        prefetch_segments(tile, w, run);
        if (run > 0)
            before = vector_splat(combine(
                op, vector_first(before),
                tile->plain->reduce(op, tile->in + w * WORD, run * WORD, ahead(tile, w * WORD))));
        w += run;
        for (size_t k = 0; k < BLOCK && w < words; k++, w++) {
            const uint64_t heads = tile->heads[w];
            V results[VECTORS];
            const V last = before;
            prefetch_next(tile, w);
            before = scan_word(op, tile->in + w * WORD, heads, tile->init, before, results);
            out =
                pack_sums(w == 0 && tile->first ? heads & ~(uint64_t)1 : heads, last, results, out);
        }
    }
    return reduce_singly(op, tile, words * WORD, vector_first(before), out);
}
#endif

static T scan_specialised(OPERATOR op, const segmented_tile *tile)
{
    return BY_OPERATOR(op, scan, tile);
}

static T reduce_specialised(OPERATOR op, const segmented_tile *tile)
{
    return BY_OPERATOR(op, reduce, tile);
}

const segmented_kernels NAMED(PARSCAN_PASTE(parscan_segmented_kernels_, PARSCAN_ISA)) = {
    .scan = scan_specialised,
    .reduce = reduce_specialised,
};
