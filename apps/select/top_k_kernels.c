/*
 * The loops of a top-k and of short segments, for one class of keys and one set of SIMD instructions.
 *
 * Few elements pass a limit. So four vectors of keys are compared at once, and only where one of them passes, its
 * lanes are looked at.
 */
#include "apps/select/top_k_kernels.h"

#include <string.h>

#include "scan/cpu/intrinsics.h"

#define KERNEL static inline __attribute__((always_inline, unused))
#define KEY_IS_FLOAT_INTEGER 0
#define KEY_IS_FLOAT_FLOAT 1
#define KEY_IS_FLOAT_HALF 1
#define KEY_BITS PARSCAN_ELEMENT_BITS
#define KEY_FLOAT PARSCAN_PASTE(KEY_IS_FLOAT_, PARSCAN_ELEMENT_CLASS)
#define KEY_INFINITY PARSCAN_PASTE(infinity_, PARSCAN_ELEMENT_NAME)
#define OF_KEY(function) function
#include "apps/merge/key_rank.h"

typedef PARSCAN_PASTE(PARSCAN_PASTE(int, KEY_BITS), _t) signed_key;
typedef KEY keys __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
typedef signed_key signed_keys __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
typedef uint64_t words __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

#define LANES (PARSCAN_VECTOR_BYTES * 8 / KEY_BITS)
#define TOGETHER 4
#define VS signed_keys
#include "scan/cpu/simd_bits.h"

/* Ranks as signed integers, which every instruction set can compare. */
KERNEL signed_keys signed_ranks(const key_order *order, const char *in, size_t i)
{
    keys v;
    memcpy(&v, in + i * sizeof(KEY), sizeof v);
#if KEY_FLOAT
    const signed_keys negative = (signed_keys)v >> (KEY_BITS - 1);
    const signed_keys nan = (signed_keys)(v & (KEY)~KEY_TOP) > (signed_key)KEY_INFINITY;
    const keys rank = ((v ^ ((keys)negative | KEY_TOP)) | (keys)nan) ^ (KEY)order->flip;
#else
    const keys rank = v ^ (KEY)order->flip;
#endif
    return (signed_keys)(rank ^ KEY_TOP);
}

KERNEL bool any(signed_keys mask)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    return _mm256_testz_si256((__m256i)mask, (__m256i)mask) == 0;
#else
    const words bits = (words)mask;
    return (bits[0] | bits[1]) != 0;
#endif
}

KERNEL signed_keys lesser(signed_keys a, signed_keys b)
{
    const signed_keys less = a < b;
    return (a & less) | (b & ~less);
}

static uint64_t rank_at(const key_order *order, const char *in, size_t i)
{
    return rank(order, key(in, i));
}

KERNEL top_entry *filter_singly(const key_order *order, const char *in, size_t begin, size_t end,
                                KEY limit, top_entry *to)
{
    for (size_t i = begin; i < end; i++) {
        const KEY r = rank(order, key(in, i));
        *to = (top_entry){r, i};
        to += r <= limit;
    }
    return to;
}

static size_t filter(const key_order *order, const char *in, size_t begin, size_t end,
                     uint64_t limit, top_entry *to)
{
    const key_order local = *order;
    const signed_key most = (signed_key)((KEY)limit ^ KEY_TOP);
    top_entry *const first = to;
    for (; begin + TOGETHER * LANES <= end; begin += TOGETHER * LANES) {
        signed_keys passed[TOGETHER];
        for (size_t v = 0; v < TOGETHER; v++)
            passed[v] = signed_ranks(&local, in, begin + v * LANES) <= most;
        if (!any(passed[0] | passed[1] | passed[2] | passed[3]))
            continue;
        for (size_t v = 0; v < TOGETHER; v++)
            if (any(passed[v]))
                to = filter_singly(&local, in, begin + v * LANES, begin + (v + 1) * LANES,
                                   (KEY)limit, to);
    }
    return (size_t)(filter_singly(&local, in, begin, end, (KEY)limit, to) - first);
}

static size_t count(const key_order *order, const char *in, size_t begin, size_t end,
                    uint64_t limit)
{
    const key_order local = *order;
    size_t found = 0;
    for (size_t i = begin; i < end; i++)
        found += rank(&local, key(in, i)) <= (KEY)limit;
    return found;
}

/* Neighbours often have one digit, whose counter would be waited for: so there are two of each. */
static void count_digits(const key_order *order, const char *in, size_t begin, size_t end,
                         uint64_t above, unsigned shift, size_t *counts)
{
    const key_order local = *order;
    const unsigned top = shift + TOP_DIGIT_BITS;
    const bool whole = top >= KEY_BITS;
    uint32_t odd[2][TOP_DIGITS] = {{0}};
    for (size_t i = begin; i < end; i++) {
        const uint64_t r = rank(&local, key(in, i));
        odd[i % 2][r >> shift & (TOP_DIGITS - 1)] += whole || r >> top == above;
    }
    for (size_t d = 0; d < TOP_DIGITS; d++)
        counts[d] += (size_t)odd[0][d] + odd[1][d];
}

/* The minima of ranks in groups: lane l of vector v has those of the elements l + v * LANES of every TOGETHER
   vectors. Vectors are joined as long as 2 k groups are left. Returns the number of vectors; 0: there are too
   few groups. */
KERNEL size_t group_minima(const key_order *order, const char *in, size_t n, size_t k,
                           signed_keys *minima)
{
    size_t vectors = TOGETHER;
    if (n < TOGETHER * LANES || TOGETHER * LANES < k)
        return 0;
    for (size_t v = 0; v < TOGETHER; v++)
        minima[v] = signed_ranks(order, in, v * LANES);
    for (size_t i = TOGETHER * LANES; i + TOGETHER * LANES <= n; i += TOGETHER * LANES)
        for (size_t v = 0; v < TOGETHER; v++)
            minima[v] = lesser(minima[v], signed_ranks(order, in, i + v * LANES));
    for (; vectors > 1 && vectors / 2 * LANES >= 2 * k; vectors /= 2)
        for (size_t v = 0; v < vectors / 2; v++)
            minima[v] = lesser(minima[v], minima[v + vectors / 2]);
    return vectors;
}

/* A rank that k elements at least do not exceed: the k-th of the groups' minima. If there are too few groups,
   the highest rank. */
KERNEL signed_key limit_of_few(const key_order *order, const char *in, size_t n, size_t k)
{
    signed_keys minima[TOGETHER], below[TOGETHER] = {{0}};
    const size_t vectors = group_minima(order, in, n, k, minima);
    signed_key limit = (signed_key)(KEY_TOP - 1);
    for (size_t j = 0; j < vectors * LANES; j++) {
        const signed_key one = minima[j / LANES][j % LANES];
        for (size_t v = 0; v < vectors; v++)
            below[v] -= (signed_keys)(one <= minima[v]);
    }
    for (size_t j = 0; j < vectors * LANES; j++) {
        const signed_key one = minima[j / LANES][j % LANES];
        limit = below[j / LANES][j % LANES] >= (signed_key)k && one < limit ? one : limit;
    }
    return limit;
}

/* Candidates of the first few, with their places in the array. */
enum { CANDIDATES = 64 };

typedef struct candidate_list {
    size_t length;
    signed_key ranks[CANDIDATES];
    uint32_t at[CANDIDATES];
} candidate_list;

/* The bits of the lanes before element i in a vector whose first lane is element `first`. */
KERNEL uint64_t lanes_before(size_t i, size_t first)
{
    return i >= first + LANES ? UINT64_MAX : i <= first ? 0 : ((uint64_t)1 << (i - first)) - 1;
}

/* Keeps the first k, sorted. The place of each is the number of those before it, of equal ones the earlier: so
   nothing depends on a branch that is hard to predict. */
KERNEL void keep_few(candidate_list *list, size_t k)
{
    signed_keys ranks[CANDIDATES / LANES + 1];
    const size_t vectors = (list->length + LANES - 1) / LANES;
    for (size_t v = 0; v < vectors; v++) {
        signed_keys v_ranks;
        memcpy(&v_ranks, list->ranks + v * LANES, sizeof v_ranks);
        ranks[v] = v_ranks;
    }
    candidate_list sorted;
    for (size_t i = 0; i < list->length; i++) {
        const signed_key one = list->ranks[i];
        size_t place = 0;
        for (size_t v = 0; v < vectors; v++) {
            const uint64_t before = lanes_before(i, v * LANES);
            const uint64_t valid = lanes_before(list->length, v * LANES);
            place += (size_t)__builtin_popcountll(
                ((vector_bits(ranks[v] <= one) & before) | vector_bits(ranks[v] < one)) & valid);
        }
        sorted.ranks[place] = one;
        sorted.at[place] = list->at[i];
    }
    list->length = list->length < k ? list->length : k;
    memcpy(list->ranks, sorted.ranks, sizeof sorted.ranks);
    memcpy(list->at, sorted.at, sizeof sorted.at);
}

/* Elements are taken in order, so none that equals the k-th of those before it is wanted. */
KERNEL void take_one(candidate_list *list, size_t k, signed_key one, size_t at, signed_key *limit)
{
    if (list->length == CANDIDATES) {
        keep_few(list, k);
        *limit = list->ranks[k - 1];
    }
    list->ranks[list->length] = one;
    list->at[list->length] = (uint32_t)at;
    list->length++;
}

/* Which of 64 elements do not exceed the limit; their ranks, as signed integers. */
KERNEL uint64_t passing(const key_order *order, const char *in, size_t i, signed_key limit,
                        signed_key *ranks)
{
    uint64_t passed = 0;
    for (size_t lane = 0; lane < CANDIDATES; lane += LANES) {
        const signed_keys v = signed_ranks(order, in, i + lane);
        passed |= vector_bits(v <= limit) << lane;
        memcpy(ranks + lane, &v, sizeof v);
    }
    return passed;
}

static size_t few(const key_order *order, const char *in, size_t n, size_t k, top_entry *to)
{
    const key_order local = *order;
    signed_key limit = limit_of_few(&local, in, n, k);
    candidate_list list = {.length = 0};
    size_t i = 0;
    for (; i + CANDIDATES <= n; i += CANDIDATES) {
        signed_key ranks[CANDIDATES];
        for (uint64_t passed = passing(&local, in, i, limit, ranks); passed != 0;
             passed &= passed - 1) {
            const size_t lane = (size_t)__builtin_ctzll(passed);
            take_one(&list, k, ranks[lane], i + lane, &limit);
        }
    }
    for (; i < n; i++) {
        const signed_key one = (signed_key)(rank(&local, key(in, i)) ^ KEY_TOP);
        if (one <= limit)
            take_one(&list, k, one, i, &limit);
    }
    keep_few(&list, k);
    for (size_t j = 0; j < list.length; j++)
        to[j] = (top_entry){(KEY)list.ranks[j] ^ KEY_TOP, list.at[j]};
    return list.length;
}

/* The lowest lane. */
KERNEL signed_key lowest_lane(signed_keys v)
{
    signed_key lanes[LANES];
    memcpy(lanes, &v, sizeof v);
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes[l] = lanes[l] < lanes[l + half] ? lanes[l] : lanes[l + half];
    return lanes[0];
}

/* Ranks that go up by 1, where no number has the highest one: a NaN's becomes the lowest. */
KERNEL signed_keys raised_ranks(const key_order *order, KEY raise, const char *in, size_t i)
{
    return (signed_keys)(((keys)signed_ranks(order, in, i) ^ KEY_TOP) + raise) ^
           (signed_key)KEY_TOP;
}

static size_t first_singly(const key_order *order, KEY raise, const char *in, size_t n)
{
    size_t best = 0;
    KEY lowest = (KEY)(rank(order, key(in, 0)) + raise);
    for (size_t i = 1; i < n; i++) {
        const KEY r = (KEY)(rank(order, key(in, i)) + raise);
        best = r < lowest ? i : best;
        lowest = r < lowest ? r : lowest;
    }
    return best;
}

/* Two looks: for the lowest rank, and for the first that has it. The last vector overlaps the one before. */
static size_t first(const key_order *order, bool nan_first, const char *in, size_t n)
{
    const key_order local = *order;
    const KEY raise = KEY_FLOAT && nan_first;
    if (n < LANES)
        return first_singly(&local, raise, in, n);
    signed_keys lowest = raised_ranks(&local, raise, in, n - LANES);
    for (size_t i = 0; i + LANES <= n; i += LANES)
        lowest = lesser(lowest, raised_ranks(&local, raise, in, i));
    const signed_key least = lowest_lane(lowest);
    for (size_t i = 0; i + LANES <= n; i += LANES) {
        const signed_keys same = raised_ranks(&local, raise, in, i) == least;
        if (any(same))
            return i + (size_t)__builtin_ctzll(vector_bits(same));
    }
    const uint64_t last = vector_bits(raised_ranks(&local, raise, in, n - LANES) == least);
    return n - LANES + (last == 0 ? 0 : (size_t)__builtin_ctzll(last));
}

const top_kernels NAMED(PARSCAN_PASTE(parscan_top_kernels_, PARSCAN_ISA)) = {
    .rank = rank_at,
    .filter = filter,
    .count = count,
    .count_digits = count_digits,
    .few = few,
    .first = first,
};
