/*
 * The kernels that write keys by their counts (apps/sort/counting_kernels.cuh) in the emulator, beside
 * the keys one after another. Counts are those of many equal keys, of keys far apart, and of all keys; of
 * floats without NaNs, with equal NaNs, and with NaNs that differ, of which nothing may be written.
 */
#include "apps/sort/counting_kernels.cuh"

#include "tests/emulated/device_memory.h"

enum pattern { EQUAL, ENDS, FEW, ANY, SINGLE, MOSTLY_ONE, SPARSE, PATTERNS };
/* Two that differ are found by neighbouring threads, or by one thread. */
enum nans { ANY_NANS, EQUAL_NANS, NO_NANS, NEAR_NANS, FAR_NANS, WAYS };
static const char *const names[] = {"equal",  "ends",       "few",   "any",
                                    "single", "mostly one", "sparse"};

/* The key at a place of n. */
template <typename Bits>
static Bits key_of(pattern keys, size_t i)
{
    const uint64_t random = emulator::running.random(), most = (Bits) ~(Bits)0;
    switch (keys) {
    case EQUAL:
        return (Bits)(most / 3);
    case ENDS:
        return (Bits)(random % 2 * most);
    case FEW:
        return (Bits)(random % 5 * (most / 5));
    case SINGLE:
        return (Bits)i;
    case MOSTLY_ONE:
        return (Bits)(random % 4 == 0 ? random >> 8 : most / 2);
    case SPARSE:
        return (Bits)(random & random >> 20 & random >> 40);
    default:
        return (Bits)random;
    }
}

struct counting_test {
    size_t n;
    pattern keys;
    unsigned flip;
    nans have;              /* of floats */
    unsigned shift, blocks; /* shift: of the output, in keys, from an aligned address */
};

/* The key; of a NaN, one that the test has. */
template <typename KEY>
static typename KEY::Bits changed(typename KEY::Bits key, nans have)
{
    if constexpr (KEY::IS_FLOAT) {
        const unsigned code = KEY::encode(key, 0), first = KEY::HIGHEST + 1u, last = 0xffff;
        if (have == ANY_NANS || code < first)
            return key;
        if (have == NO_NANS || have == EQUAL_NANS)
            return KEY::decode(have == NO_NANS ? KEY::HIGHEST : last, 0);
        const unsigned distance = code % 2 * (have == NEAR_NANS ? 1 : COUNTING_THREADS);
        return KEY::decode(std::min(first + distance, last), 0);
    }
    return key;
}

/* Whether there are NaNs that differ. */
template <typename KEY, typename COUNT>
static bool nans_differ(const std::vector<COUNT> &counts)
{
    size_t patterns = 0;
    if constexpr (KEY::IS_FLOAT)
        for (size_t key = 0; key < counts.size(); key++)
            patterns += counts[key] != 0 && KEY::is_nan(KEY::encode((typename KEY::Bits)key, 0));
    return patterns > 1;
}

template <typename KEY, typename COUNT>
static void test(const counting_test &t, bool in_order)
{
    typedef typename KEY::Bits Bits;
    typedef typename counting_shape<KEY>::Coder coder;
    const size_t codes = counting_shape<KEY>::CODES;
    std::vector<COUNT> counts(codes), starts(codes + 1);
    std::vector<Bits> expected(t.n);
    const uint64_t deferred[2] = {};
    const Bits flip = (Bits)t.flip;
    guarded_array<Bits> out(t.n, t.shift);
    const Bits untouched = t.n > 0 ? out.data[0] : 0;
    for (size_t i = 0; i < t.n; i++) {
        expected[i] = changed<KEY>(key_of<Bits>(t.keys, i), t.have);
        counts[expected[i]]++;
    }
    std::sort(expected.begin(), expected.end(),
              [&](Bits a, Bits b) { return coder::encode(a, flip) < coder::encode(b, flip); });
    uint64_t differ = 0xa5;
    counting_on_device params = {};
    params.counts = counts.data();
    params.starts = starts.data();
    params.wide = sizeof(COUNT) == 8;
    params.flip = flip;
    params.nans = KEY::IS_FLOAT ? &differ : NULL;
    params.out = out.data;
    /* The host knows the length, or only the device does. */
    const uint64_t there = t.n;
    params.n = t.n;
    if (t.n == 0 || emulator::running.random() % 2 != 0) {
        params.n += 3 * counting_shape<KEY>::TILE;
        params.n_at = &there;
    }
    starts[codes] = 0xa5;
    emulator::launch(t.blocks, COUNTING_THREADS, 0, in_order,
                     [&] { order_counts<KEY, COUNT>(params); });
    if (starts[codes] != 0xa5)
        emulator::fail("something behind the starts was written");
    COUNT sum = 0;
    for (size_t code = 0; code < codes; code++) {
        const COUNT count = starts[code];
        starts[code] = sum;
        sum += count;
    }
    emulator::launch(t.blocks, COUNTING_THREADS, 0, in_order,
                     [&] { write_runs<KEY, COUNT>(params); });
    if (KEY::IS_FLOAT && differ != nans_differ<KEY>(counts))
        emulator::fail("NaNs that differ were not found, or others");
    if (KEY::IS_FLOAT && differ)
        std::fill(expected.begin(), expected.end(), untouched);
    expect_right(out, expected, deferred, [&](const char *what, size_t i) {
        char words[200];
        snprintf(words, sizeof words, "%zu keys of %zu bytes, %s, flip %x, shift %u: %s, place %zu",
                 t.n, sizeof(Bits), names[t.keys], t.flip, t.shift, what, i);
        emulator::fail(words);
    });
}

template <typename KEY, typename COUNT>
static void test_key(bool in_order)
{
    const unsigned sign = KEY::IS_FLOAT ? 0 : counting_shape<KEY>::CODES / 2;
    const unsigned all = counting_shape<KEY>::CODES - 1;
    static const size_t lengths[] = {65536, 1, 2047, 8, 16384 + 7, 4096, 15};
    test<KEY, COUNT>({0, ANY, 0, NO_NANS, 1, 2}, in_order);
    for (unsigned k = 0; k < PATTERNS; k++) {
        const pattern keys = (pattern)k;
        const nans have = (nans)(k % WAYS);
        test<KEY, COUNT>({30000 + 1001 * k, keys, k % 2 * all, have, k % 5, 1}, in_order);
        test<KEY, COUNT>({lengths[k], keys, k % 2 * all ^ sign, NO_NANS, k % 3, 2}, in_order);
        test<KEY, COUNT>({lengths[PATTERNS - 1 - k], keys, sign, EQUAL_NANS, 3 * k % 8, 1},
                         in_order);
    }
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_key<key_u8, uint32_t>(in_order != 0);
        test_key<key_u16, uint32_t>(in_order != 0);
        test_key<key_u16, uint64_t>(in_order != 0);
        test_key<key_f16, uint32_t>(in_order != 0);
        test_key<key_bf16, uint64_t>(in_order != 0);
    }
    return 0;
}
