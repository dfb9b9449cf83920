/*
 * The sort of one block (apps/radix/block_sort_kernels.cuh) in the emulator, beside std::stable_sort. Where
 * threads run in random order, elements come to their buckets in any order, and keys that a warp counts at
 * once are out of order.
 */
#include "apps/radix/block_sort_kernels.cuh"

enum pattern { ANY, SPARSE, FEW, EQUAL, ASCENDING, NARROW, HALVING };
static const char *const names[] = {"any",       "sparse", "few",    "equal",
                                    "ascending", "narrow", "halving"};

struct block_test {
    size_t n;
    pattern keys;
    bool descending;
    unsigned low_bit, high_bit, value_size; /* 0: keys alone */
};

static uint64_t key_of(pattern keys, size_t i)
{
    uint64_t random = emulator::running.random();
    switch (keys) {
    case SPARSE:
        return random & emulator::running.random() & emulator::running.random();
    case FEW:
        return random % 5 * 0x9e3779b97f4a7c15u;
    case EQUAL:
        return 0x9e3779b97f4a7c15u;
    case ASCENDING:
        return i * 3;
    case NARROW:
        return 0x7ff0000070000000u + random % 100;
    case HALVING:
        return random >> emulator::running.random() % 64;
    default:
        return random;
    }
}

/* Fails unless the keys, and the values, are those of std::stable_sort. */
template <typename S>
static void test(const block_test &t, bool in_order)
{
    typedef typename S::Key Key;
    typedef typename S::Bits Bits;
    const Bits flip = (Bits)(t.descending ? ~(uint64_t)0 : 0);
    std::vector<Bits> keys(t.n), keys_out(t.n);
    std::vector<uint64_t> values(t.n), values_out(t.n);
    std::vector<uint32_t> order(t.n);
    for (size_t i = 0; i < t.n; i++) {
        keys[i] = (Bits)key_of(t.keys, i);
        values[i] = emulator::running.random();
    }
    block_sort_params<S> params = {};
    params.keys_in = keys.data();
    params.keys_out = keys_out.data();
    params.values_in = values.data();
    params.values_out = values_out.data();
    params.value_size = t.value_size;
    /* The host knows the length, or only the device does. */
    const uint64_t there = t.n;
    params.n = (unsigned)t.n;
    if (t.n == 0 || emulator::running.random() % 2 != 0) {
        params.n = S::MOST;
        params.length.at = &there;
    }
    params.flip = flip;
    params.beyond = Key::beyond(flip);
    for (unsigned low = t.low_bit; low < t.high_bit; low += 8) {
        const sort_digit digit = {low, (1u << std::min(8u, t.high_bit - low)) - 1};
        params.digit[params.passes++] = digit_of<Key>::make(digit, flip);
        params.keep |= (Bits)((uint64_t)digit.mask << digit.low);
    }
    emulator::launch(1, S::THREADS, sizeof(block_sort_shared<S>), in_order,
                     [&] { block_sort<S>(params); });
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return params.compared(Key::encode(keys[a], flip)) <
               params.compared(Key::encode(keys[b], flip));
    });
    for (size_t i = 0; i < t.n; i++) {
        const uint64_t value =
            t.value_size == 8 ? values_out[i] : ((uint32_t *)values_out.data())[i];
        const uint64_t expected =
            t.value_size == 8 ? values[order[i]] : ((uint32_t *)values.data())[order[i]];
        char words[200];
        if (keys_out[i] == keys[order[i]] && (t.value_size == 0 || value == expected))
            continue;
        snprintf(
            words, sizeof words,
            "%zu keys of %zu bytes, %s, bits %u to %u, values of %u bytes, place %zu: key %llx, "
            "expected %llx",
            t.n, sizeof(Bits), names[t.keys], t.low_bit, t.high_bit, t.value_size, i,
            (unsigned long long)keys_out[i], (unsigned long long)keys[order[i]]);
        emulator::fail(words);
    }
}

template <typename KEY>
static void test_key(bool in_order)
{
    static const size_t lengths[] = {4096, 33, 1025, 2047};
    const unsigned bits = 8 * sizeof(typename KEY::Bits);
    for (unsigned k = 0; k < 7; k++) {
        const bool descending = k % 2 == 1;
        const pattern keys = (pattern)k;
        test<block_sort_shape<KEY, true, 16, 8, 1>>(
            {lengths[k % 4], keys, descending, 0, bits, k % 3 == 0 ? 8u : 4u}, in_order);
        test<block_sort_shape<KEY, false, 16, 8, 1>>(
            {lengths[(k + 1) % 4], keys, descending, 0, bits, 0}, in_order);
    }
    test<block_sort_shape<KEY, true, 16, 8, 1>>({0, ANY, false, 0, bits, 4}, in_order);
    test<block_sort_shape<KEY, false, 16, 8, 1>>({1, ANY, false, 0, bits, 0}, in_order);
    test<block_sort_shape<KEY, false, 16, 8, 1>>({2047, ANY, false, 2, 7, 0}, in_order);
    test<block_sort_shape<KEY, true, 16, 8, 1>>({2047, ANY, true, 2, 7, 8}, in_order);
    if (bits != 32)
        return;
    /* Of segments: more elements than buckets. */
    test<block_sort_shape<KEY, true, 16, 32, 1>>({16384, HALVING, false, 0, bits, 4}, in_order);
    test<block_sort_shape<KEY, false, 16, 32, 1>>({9001, SPARSE, true, 0, bits, 0}, in_order);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_key<key_u8>(in_order != 0);
        test_key<key_u32>(in_order != 0);
        test_key<key_u64>(in_order != 0);
        test_key<key_f32>(in_order != 0);
        test_key<key_f64>(in_order != 0);
        test_key<key_f16>(in_order != 0);
    }
    return 0;
}
