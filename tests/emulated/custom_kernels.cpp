/*
 * The kernels that are compiled at run time for operators of the caller's (scan/runtime/) in the emulator,
 * beside a loop: elements of several sizes and alignments, with and without an identity, commutative or not,
 * and maps on both sides; predicates.
 */
#include "scan/runtime/custom_blocks.cuh"
#include "scan/runtime/custom_reduce.cuh"
#include "scan/runtime/custom_scan.cuh"
#include "scan/runtime/custom_test.cuh"
#include "tests/emulated/custom_callers.h"
#include "tests/emulated/device_memory.h"

static chain_memory chain;

/* A call, and its arrays: `shift` units of alignment after an aligned address. */
template <typename CALLER, typename Out>
struct call_test {
    typedef typename CALLER::E E;
    guarded_array<E> in;
    guarded_array<Out> out;
    std::vector<uint8_t> bytes;
    alignas(16) E init;
    uint64_t length, deferred[2] = {0, 0};
    size_t n;
    custom_call call = {};
    std::vector<E> elements;

    call_test(size_t n_, unsigned shift_in, unsigned shift_out, bool reduces = false)
        : in(CALLER::LOADS ? 0 : n_, shift_in), out(reduces ? 1 : n_, shift_out), bytes(n_),
          init(CALLER::make(5)), length(n_), n(n_)
    {
        for (size_t i = 0; i < n; i++) {
            bytes[i] = (uint8_t)emulator::running.random();
            if constexpr (CALLER::LOADS)
                elements.push_back(CALLER::load(bytes.data(), i));
            else
                elements.push_back(in.data[i] = CALLER::make(emulator::running.random() % 1000));
        }
        call.in = CALLER::LOADS ? (const void *)bytes.data() : in.data;
        call.out = out.data;
        call.n = n;
    }
    /* ways: 1 an init, 2 it is on the device, 4 exclusive, 8 the length is on the device. */
    void set(unsigned ways, bool reverse)
    {
        call.has_init = (ways & 1) != 0 || ((ways & 4) != 0 && !CALLER::HAS_IDENTITY);
        call.exclusive = (ways & 4) != 0;
        call.reverse = reverse;
        memcpy(call.init, &init, sizeof init);
        if ((ways & 2) != 0)
            call.init_at = &init;
        if ((ways & 8) != 0) {
            call.length_at = &length;
            call.n = n + 1000;
            call.deferred = {deferred, 1, 0};
        }
    }
    void expect(const char *what)
    {
        std::vector<E> expected(n);
        E sum = init;
        bool there = call.has_init != 0;
        if constexpr (CALLER::HAS_IDENTITY)
            if (!there) {
                sum = CALLER::identity();
                there = call.exclusive != 0;
            }
        for (size_t k = 0; k < n; k++) {
            const size_t i = call.reverse ? n - 1 - k : k;
            const E before = sum;
            sum = there ? CALLER::combine(sum, elements[i]) : elements[i];
            there = true;
            expected[i] = call.exclusive ? before : sum;
        }
        if (out.end - out.begin == sizeof(Out) && n != 1) /* a reduction */
            expected.assign(1, sum);
        for (size_t i = 0; i < expected.size(); i++)
            if (is_wrong(out.data[i], expected[i]))
                fail(what, "wrong element", i);
        if (!out.is_intact())
            fail(what, "something beside the output was written", 0);
        if (deferred[0] != 0)
            fail(what, "an error", (size_t)deferred[1]);
    }

  private:
    static bool is_wrong(const E &x, const E &expected) { return x != expected; }
    static bool is_wrong(uint32_t x, const E &expected)
    {
        uint32_t stored;
        CALLER::store(expected, &stored, 0);
        return x != stored;
    }
    void fail(const char *what, const char *words, size_t place)
    {
        char all[200];
        snprintf(all, sizeof all,
                 "%s, elements of %zu bytes, n %zu, init %u, exclusive %u, reverse %u: %s at %zu",
                 what, sizeof(E), n, call.has_init, call.exclusive, call.reverse, words, place);
        emulator::fail(all);
    }
};

static custom_chain next_chain()
{
    const tile_chain of = chain.before_launch();
    return {of.control, of.status, of.words};
}

template <typename CALLER, typename WHICH, typename Out = typename CALLER::E>
static void test_scan(size_t n, unsigned blocks, unsigned shift_in, unsigned shift_out,
                      unsigned ways)
{
    typedef custom_shape<CALLER, WHICH> S;
    call_test<CALLER, Out> test(n, shift_in, shift_out);
    test.set(ways, WHICH::REVERSE);
    custom_pass pass = {test.call, next_chain(), 0, 0};
    if (WHICH::UNIT == 16 && 128 % CALLER::SIZE == 0)
        pass.head_padding = (uint32_t)((uintptr_t)test.out.data % 128 / CALLER::SIZE);
    if (!CALLER::LOADS)
        pass.misalignment =
            (uint32_t)(((uintptr_t)test.in.data - pass.head_padding * CALLER::SIZE) % 128);
    if (S::ALIGNED && WHICH::UNIT == 16 && pass.misalignment % 16 != 0)
        emulator::fail("the test's arrays are not aligned");
    const size_t tiles = (pass.head_padding + test.call.n + S::TILE - 1) / S::TILE;
    emulator::launch((unsigned)std::min<size_t>(blocks, tiles), WHICH::THREADS,
                     S::STAGES * S::STAGE_BYTES, n % 2 == 0,
                     [&] { custom_scan<CALLER, WHICH>(pass); });
    test.expect("a scan");
}

template <typename CALLER, typename Out = typename CALLER::E>
static void test_reduction(size_t n, unsigned blocks, unsigned ways)
{
    if (n == 0 && !CALLER::HAS_IDENTITY)
        ways |= 1;
    call_test<CALLER, Out> test(n, 1, 0, true);
    test.set(ways & ~4u, (ways & 4) != 0);
    const custom_pass pass = {test.call, next_chain(), 0, 0};
    emulator::launch(blocks, CUSTOM_REDUCE_THREADS, 0, n % 2 == 0,
                     [&] { custom_reduce<CALLER>(pass); });
    test.expect("a reduction");
}

/* Two levels. */
template <typename CALLER, parscan_algorithm ALGORITHM, typename Out = typename CALLER::E>
static void test_blocks(unsigned threads, unsigned items, size_t n, unsigned ways, bool reverse)
{
    typedef typename combined_type<CALLER>::T T;
    typedef callers_elements<CALLER> elements;
    const unsigned tile = threads * items, tiles = (unsigned)((n + tile - 1) / tile);
    call_test<CALLER, Out> test(n, 1, 1);
    std::vector<T> sums(tiles);
    test.set(ways, reverse);
    custom_level level = {test.call, 1, sums.data(), threads, items, test.call.has_init, 0};
    custom_level above = level;
    above.call.in = above.call.out = sums.data();
    above.call.exclusive = above.starts = 1;
    above.call.reverse = 0;
    above.span = tile;
    above.sums = nullptr;
    const size_t bytes =
        block_shared_size(parscan_block_shape{ALGORITHM, threads, items}) * sizeof(T);
    if (tiles > tile)
        emulator::fail("the test has too many tiles");
    emulator::launch(2, CUSTOM_TILES_THREADS, 0, true,
                     [&] { custom_reduce_tiles<CALLER, elements>(level); });
    emulator::launch(1, threads, bytes, true,
                     [&] { custom_scan_tiles<CALLER, ALGORITHM, T>(above); });
    emulator::launch(3, threads, bytes, false,
                     [&] { custom_scan_tiles<CALLER, ALGORITHM, elements>(level); });
    test.expect("a hierarchical scan");
}

template <typename CALLER>
static void test_sequential(size_t n, unsigned ways, bool reverse)
{
    call_test<CALLER, typename CALLER::E> test(n, 0, 0);
    test.set(ways, reverse);
    /* The emulator has whole warps: all lanes do the same. */
    emulator::launch(1, 32, 0, true, [&] { custom_sequential<CALLER>(test.call); });
    test.expect("a sequential scan");
}

/* A predicate: the sum of an element's bytes is odd. */
template <typename CALLER>
struct odd_caller : CALLER {
    static bool test(const typename CALLER::E &x)
    {
        unsigned sum = 0;
        for (unsigned k = 0; k < sizeof x; k++)
            sum += ((const uint8_t *)&x)[k];
        return sum % 2 != 0;
    }
};

/* ways: 8 the length is on the device; bytes are tested in place. */
template <typename CALLER>
static void test_flags(size_t n, unsigned blocks, unsigned ways, unsigned shift)
{
    typedef odd_caller<CALLER> odd;
    call_test<CALLER, uint8_t> test(n, shift, 3);
    std::vector<uint8_t> expected(n);
    test.set(ways & 8, false);
    for (size_t i = 0; i < n; i++)
        expected[i] = odd::test(test.elements[i]);
    if (sizeof(typename CALLER::E) == 1 && n % 2 == 1)
        test.call.out = test.in.data;
    emulator::launch(blocks, CUSTOM_TEST_THREADS, 0, n % 2 == 0,
                     [&] { custom_test<odd>(test.call); });
    for (size_t i = 0; i < n; i++)
        if (((const uint8_t *)test.call.out)[i] != expected[i])
            emulator::fail("a flag is wrong");
    if (!test.out.is_intact() || !test.in.is_intact())
        emulator::fail("something beside the flags was written");
}

/* Lengths, blocks, and ways that come one after the other. */
template <typename Run>
static void each_way(std::vector<size_t> lengths, Run run)
{
    static unsigned k = 0;
    for (const size_t n : lengths)
        for (unsigned turn = 0; turn < 3; turn++, k++)
            run(n, 1 + k % 3, (k * 5 + turn * 4) % 16);
}

template <typename CALLER, typename WHICH, typename Out = typename CALLER::E>
static void scans(unsigned shift_in, unsigned shift_out)
{
    const size_t tile = custom_shape<CALLER, WHICH>::TILE;
    each_way({1, 2, tile - 1, tile, tile + 1, 5 * tile + 7},
             [=](size_t n, unsigned blocks, unsigned ways) {
                 test_scan<CALLER, WHICH, Out>(n, blocks, shift_in, shift_out, ways);
             });
}

template <typename CALLER, typename Out = typename CALLER::E>
static void reductions()
{
    each_way({0, 1, 2, 513, 9001}, [](size_t n, unsigned blocks, unsigned ways) {
        test_reduction<CALLER, Out>(n, n < 2 ? 1 : blocks, ways);
    });
}

template <typename CALLER, typename Out = typename CALLER::E>
static void blocks()
{
    each_way({1, 2, 64, 65, 900}, [](size_t n, unsigned number, unsigned ways) {
        const bool reverse = number % 2 == 1;
        test_blocks<CALLER, PARSCAN_KOGGE_STONE, Out>(64, 1, n, ways, reverse);
        test_blocks<CALLER, PARSCAN_BRENT_KUNG, Out>(32, 2, n, ways, reverse);
        test_blocks<CALLER, PARSCAN_THREE_PHASE, Out>(32, 5, n, ways, reverse);
        test_blocks<CALLER, PARSCAN_WARP, Out>(32, 1, n, ways, reverse);
        test_blocks<CALLER, PARSCAN_WARP_PADDED, Out>(32, 1, n, ways, reverse);
    });
}

template <typename CALLER>
static void flags()
{
    each_way({1, 2, 255, 2048, 2049, 9001}, [](size_t n, unsigned blocks, unsigned ways) {
        test_flags<CALLER>(n, blocks, ways, blocks);
    });
}

template <typename CALLER>
static void sequential_scans()
{
    each_way({1, 2, 300}, [](size_t n, unsigned number, unsigned ways) {
        test_sequential<CALLER>(n, ways, number % 2 == 1);
    });
}

int main()
{
    /* Vectors, with edges filled, and with edges replaced, in both forms of the kernel. */
    scans<affine_caller<8, true>, which<2, 2, 3, 16, true, false>>(3, 3);
    scans<affine_caller<8, true>, which<2, 2, 3, 16, false, true>>(2, 3);
    scans<affine_caller<8, true>, which<2, 4, 1, 16, false, false>>(1, 0);
    scans<affine_caller<8, false>, which<2, 2, 3, 16, true, true>>(5, 5);
    scans<affine_caller<8, false>, which<2, 1, 1, 16, false, false>>(0, 1);
    scans<affine_caller<4, true>, which<2, 2, 3, 16, false, true>>(1, 1);
    scans<sums_caller<1, 4, true>, which<2, 2, 3, 16, false, false>>(3, 1);
    scans<sums_caller<4, 16, false>, which<2, 4, 2, 16, true, false>>(1, 2);
    scans<sums_caller<8, 16, true>, which<2, 2, 2, 16, true, true>>(1, 1);
    scans<sums_caller<12, 16, false>, which<1, 2, 2, 16, true, false>>(1, 1);
    /* Units of 8, 4 and 1 bytes. */
    scans<sums_caller<6, 8, true>, which<2, 2, 3, 8, true, false>>(1, 2);
    scans<sums_caller<3, 4, false>, which<2, 2, 3, 4, true, true>>(1, 2);
    scans<affine_caller<4, false>, which<2, 2, 1, 4, true, false>>(3, 1);
    scans<range_caller, which<2, 4, 3, 1, true, false>>(5, 3);
    scans<range_caller, which<2, 2, 1, 1, true, true>>(0, 1);
    scans<mapped_caller<false>, which<2, 2, 1, 16, true, false>>(0, 3);
    scans<mapped_caller<false>, which<2, 2, 3, 16, true, true>>(0, 1);
    scans<mapped_caller<true>, which<2, 4, 3, 8, true, false>, uint32_t>(0, 3);
    scans<mapped_caller<true>, which<2, 2, 1, 8, true, true>, uint32_t>(0, 1);

    reductions<affine_caller<8, true>>();
    reductions<affine_caller<4, false>>();
    reductions<range_caller>();
    reductions<sums_caller<1, 4, true>>();
    reductions<sums_caller<12, 16, false>>();
    reductions<mapped_caller<true>, uint32_t>();

    blocks<affine_caller<8, true>>();
    blocks<range_caller>();
    blocks<mapped_caller<true>, uint32_t>();
    sequential_scans<affine_caller<8, true>>();
    sequential_scans<range_caller>();
    flags<affine_caller<4, true>>();
    flags<range_caller>();
    flags<sums_caller<12, 16, false>>();
    flags<byte_caller>();
    return 0;
}
