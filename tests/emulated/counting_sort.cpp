/*
 * The kernels that write keys by their counts (apps/sort/counting_kernels.cuh) in the emulator, beside
 * the keys one after another. Counts are those of many equal keys, of keys far apart, and of all keys.
 */
#include "apps/sort/counting_kernels.cuh"

#include "tests/emulated/device_memory.h"

enum pattern { EQUAL, ENDS, FEW, ANY, SINGLE, MOSTLY_ONE, SPARSE, PATTERNS };
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
    unsigned shift, blocks; /* shift: of the output, in keys, from an aligned address */
};

template <typename KEY, typename COUNT>
static void test(const counting_test &t, bool in_order)
{
    typedef typename KEY::Bits Bits;
    const size_t codes = counting_shape<KEY>::CODES;
    std::vector<COUNT> counts(codes), starts(codes + 1);
    std::vector<Bits> expected(t.n);
    const uint64_t deferred[2] = {};
    const Bits flip = (Bits)t.flip;
    guarded_array<Bits> out(t.n, t.shift);
    for (size_t i = 0; i < t.n; i++) {
        expected[i] = key_of<Bits>(t.keys, i);
        counts[expected[i]]++;
    }
    std::sort(expected.begin(), expected.end(),
              [&](Bits a, Bits b) { return KEY::encode(a, flip) < KEY::encode(b, flip); });
    const counting_on_device params = {counts.data(), starts.data(), sizeof(COUNT) == 8,
                                       flip,          out.data,      t.n};
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
    const unsigned sign = counting_shape<KEY>::CODES / 2, all = counting_shape<KEY>::CODES - 1;
    static const size_t lengths[] = {65536, 1, 2047, 8, 16384 + 7, 4096, 15};
    for (unsigned k = 0; k < PATTERNS; k++) {
        test<KEY, COUNT>({30000 + 1001 * k, (pattern)k, k % 2 * all, k % 5, 1}, in_order);
        test<KEY, COUNT>({lengths[k], (pattern)k, k % 2 * all ^ sign, k % 3, 2}, in_order);
        test<KEY, COUNT>({lengths[k], (pattern)(PATTERNS - 1 - k), sign, 3 * k % 8, 1}, in_order);
    }
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_key<key_u8, uint32_t>(in_order != 0);
        test_key<key_u16, uint32_t>(in_order != 0);
        test_key<key_u16, uint64_t>(in_order != 0);
    }
    return 0;
}
