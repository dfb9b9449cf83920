/*
 * The kernels of merges (apps/join/merge_spans.cuh, merge_network.cuh) in the emulator, against std::merge by another order: keys
 * alone and with values of every unit, spans of one tile and of several, lengths in device memory, and arrays
 * that are not in order, of which nothing but the places is promised.
 */
#include "apps/join/merge_spans.cuh"
#include "apps/join/merge_network.cuh"

#include "tests/emulated/device_memory.h"
#include "tests/emulated/key_numbers.h"

struct merge_test {
    size_t n, n2, value_size, shift;
    unsigned blocks, pattern;
    bool sorted = true, lengths = false, network = false;
};

/* Some keys before the array, so that it begins anywhere in a piece of 16 bytes. */
template <typename KEY>
static std::vector<typename KEY::Bits> keys_behind(size_t before, size_t n, const merge_test &t)
{
    std::vector<typename KEY::Bits> keys = key_numbers<KEY>::array(n, t.pattern, t.sorted);
    keys.insert(keys.begin(), before, 0);
    return keys;
}

template <typename KEY>
static void test(const merge_test &t, bool in_order)
{
    typedef typename KEY::Bits Bits;
    typedef merge_shape<KEY> S;
    const size_t all = t.n + t.n2, size = t.value_size;
    const std::vector<Bits> all_a = keys_behind<KEY>(t.shift, t.n, t);
    const std::vector<Bits> all_b = keys_behind<KEY>(2 * t.shift + 1, t.n2, t);
    const Bits *const a = all_a.data() + t.shift, *const b = all_b.data() + 2 * t.shift + 1;
    std::vector<unsigned char> a_values(t.n * size + 16), b_values(t.n2 * size + 16);
    for (size_t k = 0; k < a_values.size(); k++)
        a_values[k] = (unsigned char)(k * 2654435761u >> 11);
    for (size_t k = 0; k < b_values.size(); k++)
        b_values[k] = (unsigned char)(k * 2246822519u >> 13);
    guarded_array<Bits> out(all, (unsigned)t.shift);
    guarded_array<unsigned char> values_out(all * size, (unsigned)(t.shift * 16));
    uint64_t told[2] = {};
    const uint64_t lengths[2] = {t.n, t.n2};
    merge_at_lengths params = {};
    params.keys.a = a;
    params.keys.b = b;
    params.keys.out = out.data;
    params.keys.n = t.n + (t.lengths ? 1000 : 0);
    params.keys.n2 = t.n2 + (t.lengths ? 77 : 0);
    params.least_span = 512;
    if (t.lengths) {
        params.length = {&lengths[0], {told, 3}};
        params.length2 = {&lengths[1], {told, 3}};
    }
    size_t unit = size & -size;
    unit = unit > 16 ? 16 : unit;
    if (size > 0)
        params.values = {a_values.data(), b_values.data(), values_out.data, (unsigned)unit,
                         (unsigned)(size / unit)};
    typedef network_shape<KEY> N;
    if (t.network)
        emulator::launch(t.blocks, N::ALL_THREADS, N::SHARED_BYTES, in_order,
                         [&] { merge_network<KEY>(params); });
    else
        emulator::launch(t.blocks, S::ALL_THREADS, S::CODE_BYTES + S::PLACE_BYTES, in_order, [&] {
            if (size > 0)
                merge_spans<true, KEY>(params);
            else
                merge_spans<false, KEY>(params);
        });
    const auto fail = [&](const char *what, size_t i) {
        char words[200];
        snprintf(
            words, sizeof words,
            "merge of %zu and %zu keys of %zu bytes, pattern %u, values of %zu, %u blocks: %s, %zu",
            t.n, t.n2, sizeof(Bits), t.pattern, size, t.blocks, what, i);
        emulator::fail(words);
    };
    if (!out.is_intact() || !values_out.is_intact())
        fail("something beside the output was written", 0);
    if (told[0] != 0)
        fail("an error of the length", (size_t)told[0]);
    size_t i = 0, j = 0;
    for (size_t k = 0; k < all && t.sorted; k++) {
        const bool of_a = j == t.n2 || (i < t.n && !key_numbers<KEY>::before(b[j], a[i]));
        const Bits key = of_a ? a[i] : b[j];
        const unsigned char *const value = of_a ? &a_values[i * size] : &b_values[j * size];
        if (out.data[k] != key)
            fail("wrong key", k);
        if (memcmp(&values_out.data[k * size], value, size) != 0)
            fail("wrong value", k);
        i += of_a;
        j += !of_a;
    }
}

template <typename KEY>
static void test_class(bool in_order)
{
    const size_t TILE = merge_shape<KEY>::THREADS * merge_shape<KEY>::MOST_ITEMS;
    const size_t sizes[][2] = {{0, 1},           {1, 0},
                               {1, 1},           {300, 211},
                               {511, 1},         {640, 129},
                               {TILE, 1},        {0, 3 * TILE},
                               {TILE - 1, TILE}, {2 * TILE, 5 * TILE / 2},
                               {9, 4 * TILE},    {3 * TILE, 3 * TILE}};
    static const size_t value_sizes[] = {0, 4, 8, 1, 16, 24, 0, 6, 48, 5};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (unsigned pattern = 0; pattern < KEY_NUMBER_PATTERNS; pattern++) {
            const size_t value_size = value_sizes[(k + 3 * pattern) % 10];
            test<KEY>({sizes[k][0], sizes[k][1], value_size, k % 3, 1 + (unsigned)(k + pattern) % 3,
                       pattern},
                      in_order);
            if (pattern % 2 == 0)
                test<KEY>({sizes[k][0], sizes[k][1], pattern == 2 ? 4u : 0u, 1, 2, pattern,
                           pattern != 4, true},
                          in_order);
        }
    test<KEY>({0, 0, 0, 0, 2, 0, true, true}, in_order);
}

template <typename KEY>
static void test_network(bool in_order)
{
    const size_t TILE = network_shape<KEY>::TILE;
    const size_t sizes[][2] = {
        {0, 0}, {1, 0}, {0, 77}, {300, 211}, {TILE, TILE}, {9, TILE}, {2 * TILE + 5, TILE / 3}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (unsigned pattern = 0; pattern < KEY_NUMBER_PATTERNS; pattern++) {
            test<KEY>({sizes[k][0], sizes[k][1], 0, (k + pattern) % 5,
                       1 + (unsigned)(k + pattern) % 3, pattern, true, pattern % 2 != 0, true},
                      in_order);
            if (pattern == 2)
                test<KEY>({sizes[k][0], sizes[k][1], 0, k % 5, 2, pattern, false, false, true},
                          in_order);
        }
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_network<key_u8>(in_order != 0);
        test_network<key_u16>(in_order != 0);
        test_network<key_u32>(in_order != 0);
        test_network<key_u64>(in_order != 0);
        test_network<key_f16>(in_order != 0);
        test_network<key_f32>(in_order != 0);
        test_network<key_f64>(in_order != 0);
        test_class<key_u8>(in_order != 0);
        test_class<key_u32>(in_order != 0);
        test_class<key_u64>(in_order != 0);
        test_class<key_f16>(in_order != 0);
        test_class<key_f32>(in_order != 0);
        test_class<key_f64>(in_order != 0);
    }
    return 0;
}
