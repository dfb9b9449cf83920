/*
 * The kernels for one key class, and those for its elements with each class of value.
 *
 * Before: KEY_NAME, KEY_BITS, KEY_FLOAT. All are undefined at the end.
 */
#define OF_KEY(function) PARSCAN_PASTE(PARSCAN_PASTE(function, _), KEY_NAME)

#define KEY_INFINITY PARSCAN_PASTE(infinity_, KEY_NAME)

#include "apps/merge/key_rank.h"

/* Returns a key's digit. `keep` does not change within a loop over keys, so the mask costs
   nothing. */
KERNEL size_t OF_KEY(digit)(const key_order *order, key_digit digit, KEY key)
{
#if KEY_FLOAT
    const KEY rank = OF_KEY(rank)(order, key);
    const size_t mask = ((size_t)1 << digit.bits) - 1;
#else
    const KEY rank = key ^ (KEY)order->flip;
    const size_t mask = (((size_t)1 << digit.bits) - 1) & (size_t)((KEY)order->keep >> digit.low);
#endif
    return (size_t)(rank >> digit.low) & mask;
}

/* Computes the digits of a block of keys, in a loop that compilers vectorise. Then only the
   table look-up of each digit remains to be done key by key. */
KERNEL void OF_KEY(digits_of_block)(const key_order *order, key_digit digit, const char *keys,
                                    KEY *digits)
{
    for (size_t i = 0; i < DIGIT_BLOCK; i++)
        digits[i] = (KEY)OF_KEY(digit)(order, digit, OF_KEY(key)(keys, i));
}

/* Computes the digits of the block after block i; of the last whole block before `end` if there
   is none. */
KERNEL void OF_KEY(digits_of_next)(const key_order *order, key_digit digit, const char *keys,
                                   size_t i, size_t end, KEY *digits)
{
    const size_t next = size_min(i + DIGIT_BLOCK, end - DIGIT_BLOCK);
    OF_KEY(digits_of_block)(order, digit, keys + next * sizeof(KEY), digits);
}

#if KEY_BITS >= 32
#if KEY_BITS == 64
#define REAL double
#define REAL_BIAS 1023
enum { OF_KEY(REAL_BITS) = 52, OF_KEY(REAL_SHIFT) = 20 };
#else
#define REAL float
#define REAL_BIAS 127
enum { OF_KEY(REAL_BITS) = 23, OF_KEY(REAL_SHIFT) = 9 };
#endif
#if KEY_FLOAT
/* The number of a key's bucket among equal parts. Each step keeps the order of ranks, in any rounding mode. */
KERNEL KEY OF_KEY(octave)(const key_order *order, const key_octaves *octaves, KEY key)
{
    const KEY rank = OF_KEY(rank)(order, key), base = (KEY)octaves->base, top = (KEY)octaves->top;
    const KEY inside = rank < base ? base : rank > top ? top : rank;
    const KEY keys[2] = {OF_KEY(key_of_rank)(order, base), OF_KEY(key_of_rank)(order, inside)};
    REAL from, to; /* an array of both would be one word to gcc, which then makes no vectors */
    memcpy(&from, &keys[0], sizeof from), memcpy(&to, &keys[1], sizeof to);
    return (KEY)(int32_t)((to - from) * (REAL)octaves->scale);
}
#else
/* The number of a key's bucket among octaves: exponent and first bits of the distance as a float. That is made without
   rounding, of the distance or of what is left of it without its last bits. */
KERNEL KEY OF_KEY(octave)(const key_order *order, const key_octaves *octaves, KEY key)
{
    const KEY rank = OF_KEY(rank)(order, key), base = (KEY)octaves->base;
    const KEY near = octaves->down ? base : rank, far = octaves->down ? rank : base;
    const KEY distance = (near - far) & -(KEY)(near > far), some = distance | (distance == 0);
    const KEY shift = OF_KEY(REAL_SHIFT) & -(KEY)(some >> OF_KEY(REAL_BITS) != 0);
    const KEY one = (KEY)1 << OF_KEY(REAL_BITS);
    KEY bits = some >> shift | (KEY)(REAL_BIAS + OF_KEY(REAL_BITS)) << OF_KEY(REAL_BITS);
    REAL real;
    memcpy(&real, &bits, sizeof real);
    real -= (REAL)one;
    memcpy(&bits, &real, sizeof bits);
    const KEY number =
        (bits >> (OF_KEY(REAL_BITS) - octaves->fine)) - ((REAL_BIAS - shift) << octaves->fine);
    return octaves->down ? ((KEY)KEY_BITS << octaves->fine) - 1 - number : number;
}
#endif
#undef REAL
#undef REAL_BIAS

/* Never inlined: much code, for few calls. */
static __attribute__((noinline)) void OF_KEY(octaves_of_block)(const key_order *order,
                                                               const key_octaves *octaves,
                                                               const char *keys, KEY *numbers)
{
    const key_order by = *order;
    const key_octaves of = *octaves;
    for (size_t i = 0; i < DIGIT_BLOCK; i++)
        numbers[i] = OF_KEY(octave)(&by, &of, OF_KEY(key)(keys, i));
}
#endif

/* What a pass through memory sorts by: an octave, where there are any, else a digit. `by_octaves` is a constant. */
KERNEL size_t OF_KEY(bucket)(const key_order *order, key_digit digit, const key_octaves *octaves,
                             const bool by_octaves, KEY key)
{
#if KEY_BITS >= 32
    if (by_octaves)
        return OF_KEY(octave)(order, octaves, key);
#endif
    (void)octaves, (void)by_octaves;
    return OF_KEY(digit)(order, digit, key);
}

KERNEL void OF_KEY(buckets_of_block)(const key_order *order, key_digit digit,
                                     const key_octaves *octaves, const bool by_octaves,
                                     const char *keys, KEY *buckets)
{
#if KEY_BITS >= 32
    if (by_octaves) {
        OF_KEY(octaves_of_block)(order, octaves, keys, buckets);
        return;
    }
#endif
    (void)octaves, (void)by_octaves;
    OF_KEY(digits_of_block)(order, digit, keys, buckets);
}

enum { OF_KEY(HAS_OCTAVES) = KEY_BITS >= 32 };

enum { OF_KEY(ORDER_BLOCK) = 256 };

static bool OF_KEY(ascends)(const key_order *order, const char *keys, size_t n)
{
    const key_order by = *order;
    for (size_t i = 1; i < n;) {
        const size_t end = size_min(n, i + OF_KEY(ORDER_BLOCK));
        KEY wrong = 0;
        for (; i < end; i++)
            wrong |= (KEY)(OF_KEY(rank)(&by, OF_KEY(key)(keys, i)) <
                           OF_KEY(rank)(&by, OF_KEY(key)(keys, i - 1)));
        if (wrong)
            return false;
    }
    return true;
}

static bool OF_KEY(descends)(const key_order *order, const char *keys, size_t n)
{
    const key_order by = *order;
    for (size_t i = 1; i < n;) {
        const size_t end = size_min(n, i + OF_KEY(ORDER_BLOCK));
        KEY wrong = 0;
        for (; i < end; i++)
            wrong |= (KEY)(OF_KEY(rank)(&by, OF_KEY(key)(keys, i)) >=
                           OF_KEY(rank)(&by, OF_KEY(key)(keys, i - 1)));
        if (wrong)
            return false;
    }
    return true;
}

static uint64_t OF_KEY(varying)(const key_order *order, const char *keys, size_t n, size_t stride)
{
    const key_order by = *order;
    const KEY first = OF_KEY(rank)(&by, OF_KEY(key)(keys, 0));
    KEY varying = 0;
    if (stride == 1)
        for (size_t i = 1; i < n; i++)
            varying |= OF_KEY(rank)(&by, OF_KEY(key)(keys, i)) ^ first;
    else
        for (size_t i = stride; i < n; i += stride)
            varying |= OF_KEY(rank)(&by, OF_KEY(key)(keys, i)) ^ first;
    return varying;
}

/* The same for all keys, which are copied meanwhile: each is read once. */
static uint64_t OF_KEY(copy_varying)(const key_order *order, const char *restrict keys, size_t n,
                                     char *restrict copy)
{
    const key_order by = *order;
    const KEY start = OF_KEY(key)(keys, 0), first = OF_KEY(rank)(&by, start);
    KEY varying = 0;
    OF_KEY(put_key)(copy, 0, start);
    for (size_t i = 1; i < n; i++) {
        const KEY key = OF_KEY(key)(keys, i);
        OF_KEY(put_key)(copy, i, key);
        varying |= OF_KEY(rank)(&by, key) ^ first;
    }
    return varying;
}

/* Counts digits in two tables, so that in a run of equal digits a count does not wait for the
   one before it. */
KERNEL uint64_t OF_KEY(count_as)(const key_order *order, key_digit digit,
                                 const key_octaves *octaves, const char *keys, size_t n,
                                 const char *first, size_t *counts, const bool by_octaves)
{
    const key_order by = *order;
    const key_octaves of = *octaves;
    const KEY start = OF_KEY(rank)(&by, OF_KEY(key)(first, 0));
    const size_t size = (size_t)1 << digit.bits;
    uint32_t even[1 << SCATTER_DIGIT_BITS], odd[1 << SCATTER_DIGIT_BITS];
    KEY varying = 0;
    memset(counts, 0, size * sizeof *counts);
    for (size_t i = 0; i < n;) {
        const size_t end = size_min(n, i + COUNT_BLOCK);
        memset(even, 0, size * sizeof *even);
        memset(odd, 0, size * sizeof *odd);
        for (; i + DIGIT_BLOCK <= end; i += DIGIT_BLOCK) {
            KEY digits[DIGIT_BLOCK];
            OF_KEY(buckets_of_block)
            (&by, digit, &of, by_octaves, keys + i * sizeof(KEY), digits);
            for (size_t k = 0; k < DIGIT_BLOCK; k++)
                varying |= OF_KEY(rank)(&by, OF_KEY(key)(keys, i + k)) ^ start;
            UNROLL
            for (size_t k = 0; k < DIGIT_BLOCK; k += 2) {
                even[digits[k]]++;
                odd[digits[k + 1]]++;
            }
        }
        for (; i < end; i++) {
            const KEY key = OF_KEY(key)(keys, i);
            varying |= OF_KEY(rank)(&by, key) ^ start;
            even[OF_KEY(bucket)(&by, digit, &of, by_octaves, key)]++;
        }
        for (size_t d = 0; d < size; d++)
            counts[d] += (size_t)even[d] + odd[d];
    }
    return varying;
}

static uint64_t OF_KEY(count)(const key_order *order, key_digit digit, const key_octaves *octaves,
                              const char *keys, size_t n, const char *first, size_t *counts)
{
    if (OF_KEY(HAS_OCTAVES) && octaves->fine != 0)
        return OF_KEY(count_as)(order, digit, octaves, keys, n, first, counts, true);
    return OF_KEY(count_as)(order, digit, octaves, keys, n, first, counts, false);
}

static uint64_t OF_KEY(count_wide)(const key_order *order, key_digit digit, const char *keys,
                                   size_t n, const char *first, uint32_t *counts)
{
    const key_order by = *order;
    const KEY start = OF_KEY(rank)(&by, OF_KEY(key)(first, 0));
    KEY varying = 0;
    size_t i = 0;
    for (; i + DIGIT_BLOCK <= n; i += DIGIT_BLOCK) {
        KEY digits[DIGIT_BLOCK];
        OF_KEY(digits_of_block)(&by, digit, keys + i * sizeof(KEY), digits);
        for (size_t k = 0; k < DIGIT_BLOCK; k++)
            varying |= OF_KEY(rank)(&by, OF_KEY(key)(keys, i + k)) ^ start;
        UNROLL
        for (size_t k = 0; k < DIGIT_BLOCK; k++)
            counts[digits[k]]++;
    }
    for (; i < n; i++) {
        const KEY key = OF_KEY(key)(keys, i);
        varying |= OF_KEY(rank)(&by, key) ^ start;
        counts[OF_KEY(digit)(&by, digit, key)]++;
    }
    return varying;
}

#if KEY_BITS >= 32 && !KEY_FLOAT
/* Counts a key, or stores it at outside[count]. Returns how many are there then. */
KERNEL size_t OF_KEY(count_or_keep)(KEY key, size_t place, size_t width, uint32_t *counts,
                                    char *outside, size_t count)
{
    OF_KEY(put_key)(outside, count, key);
    counts[size_min(place, width)]++;
    return count + (place >= width);
}

static size_t OF_KEY(count_window)(const key_order *order, uint64_t base, size_t width,
                                   const char *keys, size_t n, uint32_t *counts, char *outside)
{
    const key_order by = *order;
    size_t count = 0, i = 0;
    for (; i + DIGIT_BLOCK <= n; i += DIGIT_BLOCK) {
        KEY block[DIGIT_BLOCK], places[DIGIT_BLOCK];
        memcpy(block, keys + i * sizeof(KEY), sizeof block);
        for (size_t k = 0; k < DIGIT_BLOCK; k++)
            places[k] = OF_KEY(rank)(&by, block[k]) - (KEY)base;
        UNROLL
        for (size_t k = 0; k < DIGIT_BLOCK; k++)
            count = OF_KEY(count_or_keep)(block[k], places[k], width, counts, outside, count);
    }
    for (; i < n; i++) {
        const KEY key = OF_KEY(key)(keys, i);
        count = OF_KEY(count_or_keep)(key, (KEY)(OF_KEY(rank)(&by, key) - (KEY)base), width, counts,
                                      outside, count);
    }
    return count;
}
#endif

static bool OF_KEY(count_known)(const char *keys, size_t n, uint64_t multiplier, unsigned shift,
                                const uint64_t *table, size_t *counts)
{
    for (size_t i = 0; i < n;) {
        const size_t end = size_min(n, i + KNOWN_BLOCK);
        uint64_t wrong = 0;
        for (; i < end; i++) {
            const uint64_t key = OF_KEY(key)(keys, i);
            const size_t h = (size_t)(key * multiplier >> shift);
            wrong |= table[h] ^ key;
            counts[h]++;
        }
        if (wrong != 0)
            return false;
    }
    return true;
}

static void OF_KEY(fill)(char *keys, size_t begin, size_t end, uint64_t key)
{
    for (size_t i = begin; i < end; i++)
        OF_KEY(put_key)(keys, i, (KEY)key);
}

static uint64_t OF_KEY(raw)(const char *key)
{
    return OF_KEY(key)(key, 0);
}

static uint64_t OF_KEY(rank_of)(const key_order *order, const char *key)
{
    return OF_KEY(rank)(order, OF_KEY(key)(key, 0));
}

static uint64_t OF_KEY(key_of)(const key_order *order, uint64_t rank)
{
    return OF_KEY(key_of_rank)(order, (KEY)rank);
}

/* Whether another thread may change keys of the bucket. */
KERNEL bool OF_KEY(may_change)(const bucket_sort *b, elements e)
{
    return b->changing != NULL && e.keys == b->changing + b->begin * sizeof(KEY);
}

/* Where keys that may change are copied to. The output takes no more of the caches, but a single pass
   cannot read it. */
KERNEL char *OF_KEY(place_of_copy)(const bucket_sort *b, elements from, elements to)
{
    const uint64_t bits = b->order.keep & (KEY) ~(KEY)0;
    const bool one_pass = bits >> __builtin_ctzll(bits) >> BUCKET_DIGIT_BITS == 0;
    return one_pass || from.keys == to.keys ? b->spare[1].keys : to.keys;
}

#if KEY_BITS >= 32
static bool OF_KEY(by_vectors)(const key_order *order, const char *from, size_t n, char *work,
                               char *to)
{
    sort_of_vectors *const sort = VECTOR_SORT(KEY_BITS);
    const merge_vector_order by = {.flip = order->flip ^ (KEY_FLOAT ? 0 : KEY_TOP),
                                   .is_float = KEY_FLOAT};
    return sort != NULL && (KEY)~order->keep == 0 && sort(&by, from, n, work, to);
}

/* Whether one or two digits are all that varies: of integers they cost less than vectors, unless a digit has very few
   values, which wait for each other's counts. */
KERNEL bool OF_KEY(has_few_digits)(const bucket_sort *b, const char *keys)
{
    enum { FROM = 1024, BITS = 7 };
    if (KEY_FLOAT || b->n < FROM)
        return false;
    const uint64_t varying = OF_KEY(varying)(&b->order, keys, b->n, 1);
    if (varying >> BITS == 0)
        return false;
    const bucket_digits plan = plan_bucket(varying, b->n, true);
    return plan.digits <= 2;
}

/* The most keys of a bucket that vectors sort. Digits cost floats more; AVX-512 has minima of 64 bits. */
enum {
    OF_KEY(VECTORS_MOST) = PARSCAN_VECTOR_BYTES == 64
                               ? (KEY_BITS == 64 && !KEY_FLOAT ? 64 : INT_MAX)
                               : (PARSCAN_VECTOR_BYTES == 32 ? 256 : 0)
};
#endif

#define VALUE_NAME none
#define VALUE_BYTES 0
#include "apps/sort/element_kernels_template.h"

#define VALUE_NAME 4
#define VALUE_BYTES 4
#include "apps/sort/element_kernels_template.h"

#define VALUE_NAME 8
#define VALUE_BYTES 8
#include "apps/sort/element_kernels_template.h"

#define VALUE_NAME any
#define VALUE_BYTES 1 /* times value_size */
#define VALUE_ANY_SIZE 1
#include "apps/sort/element_kernels_template.h"
#undef VALUE_ANY_SIZE

#include "apps/merge/key_rank_end.h"
#undef KEY_NAME
