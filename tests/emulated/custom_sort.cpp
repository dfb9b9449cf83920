/*
 * A merge sort by an order of the caller's, and the flags of runs by an equality (scan/runtime/custom_sort.cuh,
 * custom_test.cuh) in the emulator: elements of several sizes and alignments, lengths on the device, and relations that
 * are no order.
 */
#include "scan/runtime/custom_sort.cuh"
#include "scan/runtime/custom_test.cuh"
#include "tests/emulated/device_memory.h"

/* Bytes: a key, then the number of the element's place, as much of it as there is room for. */
template <unsigned BYTES>
struct record {
    uint8_t of[BYTES];
};

template <unsigned BYTES, unsigned ALIGNED_TO>
struct by_key {
    typedef record<BYTES> E;
    enum : unsigned { SIZE = BYTES, ALIGNMENT = ALIGNED_TO };
    static const bool LOADS = false;
    static bool relate(const E &a, const E &b) { return a.of[0] < b.of[0]; }
    static bool equal(const E &a, const E &b) { return a.of[0] == b.of[0]; }
};

/* The same as an equality. */
template <typename CALLER>
struct equality : CALLER {
    static bool relate(const typename CALLER::E &a, const typename CALLER::E &b)
    {
        return CALLER::equal(a, b);
    }
};

/* Whatever it says, nothing else is read or written. */
template <typename CALLER>
struct no_order : CALLER {
    static bool relate(const typename CALLER::E &, const typename CALLER::E &)
    {
        return emulator::running.random() % 2 != 0;
    }
};

template <typename CALLER>
using records = guarded_array<typename CALLER::E>;

template <typename CALLER>
static void fill(const records<CALLER> &array, size_t n, unsigned keys)
{
    for (size_t i = 0; i < n; i++) {
        array.data[i].of[0] = (uint8_t)(keys == 0 ? i : emulator::running.random() % keys);
        for (unsigned k = 1; k < CALLER::SIZE; k++)
            array.data[i].of[k] = k < 5 ? (uint8_t)(i >> 8 * (k - 1)) : (uint8_t)k;
    }
}

struct sort_test {
    size_t n;
    unsigned keys, blocks, shift;
    bool in_place, on_device; /* the length */
};

/* As parscan_custom_sort_cuda() launches the kernels. */
template <typename CALLER>
static bool sort_records(const sort_test &t, records<CALLER> &in, records<CALLER> &out,
                         records<CALLER> &scratch)
{
    const size_t tile = sort_shape<CALLER>::TILE, most = t.n + (t.on_device ? tile : 0);
    const uint64_t length = t.n;
    uint64_t deferred[2] = {0, 0};
    custom_sort step = {};
    void *to = t.in_place ? in.data : out.data, *other = scratch.data;
    for (size_t run = tile; run < most; run *= 2)
        std::swap(to, other);
    step.call.in = in.data;
    step.call.out = to;
    step.call.n = most;
    if (t.on_device) {
        step.call.length_at = &length;
        step.call.deferred = {deferred, 1, 0};
    }
    emulator::launch(t.blocks, CUSTOM_SORT_THREADS, 0, true,
                     [&] { custom_sort_tiles<CALLER>(step); });
    for (step.run = 1; step.run * tile < most; step.run *= 2) {
        void *const from = step.call.out;
        step.call.out = other;
        step.call.in = other = from;
        emulator::launch(t.blocks, CUSTOM_SORT_THREADS, 0, true,
                         [&] { custom_merge_runs<CALLER>(step); });
    }
    return deferred[0] == 0 && in.is_intact() && out.is_intact() && scratch.is_intact();
}

template <typename CALLER>
static void test_sort(const sort_test &t)
{
    typedef typename CALLER::E E;
    records<CALLER> in(t.n, t.shift), out(t.n, t.shift + 1), scratch(t.n, 0);
    fill<CALLER>(in, t.n, t.keys);
    std::vector<E> expected(in.data, in.data + t.n);
    std::stable_sort(expected.begin(), expected.end(), CALLER::relate);
    if (!sort_records<CALLER>(t, in, out, scratch))
        emulator::fail("something beside the arrays was written, or an error");
    if (t.n > 0 && memcmp(t.in_place ? in.data : out.data, expected.data(), t.n * sizeof(E)) != 0) {
        char words[160];
        snprintf(words, sizeof words, "%zu elements of %u bytes, %u keys, are not sorted", t.n,
                 CALLER::SIZE, t.keys);
        emulator::fail(words);
    }
}

/* Flags of an equality. */
template <typename CALLER>
static void test_heads(size_t n, unsigned blocks, bool on_device)
{
    records<CALLER> in(n, blocks);
    guarded_array<uint8_t> flags(n, blocks);
    const uint64_t length = n;
    uint64_t deferred[2] = {0, 0};
    custom_call call = {};
    fill<CALLER>(in, n, 2);
    call.in = in.data;
    call.out = flags.data;
    call.n = on_device ? n + 1000 : n;
    if (on_device) {
        call.length_at = &length;
        call.deferred = {deferred, 1, 0};
    }
    emulator::launch(blocks, CUSTOM_TEST_THREADS, 0, true,
                     [&] { custom_heads<equality<CALLER>>(call); });
    for (size_t i = 0; i < n; i++)
        if (flags.data[i] != (i == 0 || !CALLER::equal(in.data[i - 1], in.data[i])))
            emulator::fail("a flag is wrong");
    if (!flags.is_intact() || deferred[0] != 0)
        emulator::fail("something beside the flags was written, or an error");
}

template <typename CALLER>
static void test_size()
{
    const size_t tile = sort_shape<CALLER>::TILE;
    const unsigned keys[] = {2, 200, 0, 1};
    unsigned k = 0;
    for (const size_t length : {(size_t)1, (size_t)2, (size_t)31, tile - 1, tile, tile + 1,
                                2 * tile + tile / 2, 5 * tile + 7}) {
        test_sort<CALLER>({length, keys[k % 4], 1 + k % 3, k % 4, k % 2 == 1, k % 3 == 1});
        k++;
    }
    test_heads<CALLER>(1, 1, false);
    test_heads<CALLER>(1234, 2, true);
    test_heads<CALLER>(2049, 3, false);
    const size_t n = 7 * tile;
    records<CALLER> in(n, 1), out(n, 0), scratch(n, 0);
    fill<CALLER>(in, n, 9);
    if (!sort_records<no_order<CALLER>>({n, 0, 2, 0, false, false}, in, out, scratch))
        emulator::fail("by no order something beside the arrays was written");
}

int main()
{
    test_size<by_key<1, 1>>();
    test_size<by_key<3, 1>>();
    test_size<by_key<8, 8>>();
    test_size<by_key<12, 4>>();
    test_size<by_key<16, 16>>();
    test_size<by_key<24, 8>>();
    test_size<by_key<40, 8>>();
    test_size<by_key<64, 16>>();
    return 0;
}
