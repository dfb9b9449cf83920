/*
 * Segmented scans and reductions by operators of the caller's (scan/runtime/custom_segments.cuh) in the emulator, beside
 * a loop: heads as bytes and as bits, reductions by offsets with empty segments, by keys, with room for few; lengths on
 * the device; maps.
 */
/* Numbers of heads begin again after 4096. */
#define CUSTOM_HEAD_BITS 12
#include "scan/runtime/custom_segments.cuh"
#include "tests/emulated/custom_callers.h"
#include "tests/emulated/device_memory.h"

static chain_memory chain;

/* Where segments start: `density` of 256 elements do; or all in one. */
struct test_segments {
    size_t n;
    std::vector<uint8_t> heads, bits;
    std::vector<uint32_t> offsets, keys; /* with empty segments; a number for each element's */
    std::vector<size_t> begins;          /* of those with elements, and n */

    test_segments(size_t n_, unsigned density) : n(n_), heads(n), bits(n / 8 + 1), keys(n)
    {
        for (size_t i = 0; i < n; i++) {
            heads[i] = emulator::running.random() % 256 < density;
            if (i == 0 || heads[i]) {
                begins.push_back(i);
                for (size_t k = emulator::running.random() % 8; k < 3; k++)
                    offsets.push_back((uint32_t)i);
                offsets.push_back((uint32_t)i);
                bits[i / 8] |= (uint8_t)(1 << i % 8);
            }
            keys[i] = (uint32_t)begins.size() * 7;
        }
        for (int k = 0; k < 3; k++)
            offsets.push_back((uint32_t)n);
        begins.push_back(n);
    }
};

/* ways: 1 an init, 2 by bits or offsets, 4 exclusive or, of a reduction, with little room, 8 the lengths are on the
   device, 16 with keys. */
template <typename CALLER, typename Out>
struct segments_test {
    typedef typename CALLER::E E;
    const test_segments &segments;
    size_t n;
    unsigned ways;
    bool reverse;
    guarded_array<E> in;
    guarded_array<Out> out;
    guarded_array<uint32_t> keys_out;
    std::vector<uint8_t> bytes;
    std::vector<E> elements;
    alignas(16) E init = CALLER::make(5);
    uint64_t length, count, number = 77, deferred[2] = {0, 0}, exceeded[2] = {0, 0};
    custom_segments given = {};

    segments_test(const test_segments &of, unsigned ways_, bool reverse_, size_t results,
                  bool aligned)
        : segments(of), n(of.n), ways(ways_), reverse(reverse_),
          in(CALLER::LOADS ? 0 : n, aligned ? 15 / CALLER::SIZE + 1 : 1),
          out(results, aligned ? 15 / CALLER::SIZE + 1 : 3), keys_out(results, 1), bytes(n),
          length(n), count(of.offsets.size() - 1)
    {
        custom_call &call = given.pass.call;
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
        call.has_init = (ways & 1) != 0;
        call.reverse = reverse;
        memcpy(call.init, &init, sizeof init);
        if ((ways & 8) != 0) {
            call.length_at = &length;
            call.n = n + 1000;
            call.deferred = {deferred, 1, 0};
        }
        given.heads = (ways & 2) != 0 ? nullptr : segments.heads.data();
        given.bits = (ways & 2) != 0 ? segments.bits.data() : nullptr;
        given.capacity = SIZE_MAX;
        given.number = &number;
    }
    template <typename WHICH, bool REDUCES>
    void run(unsigned blocks)
    {
        typedef custom_shape<CALLER, WHICH, marked_element<CALLER>, true> S;
        const tile_chain next = chain.before_launch();
        custom_pass &pass = given.pass;
        pass.chain = {next.control, next.status, next.words};
        if (WHICH::UNIT == 16 && !REDUCES)
            pass.head_padding = (uint32_t)((uintptr_t)out.data % 128 / CALLER::SIZE);
        if (!CALLER::LOADS)
            pass.misalignment =
                (uint32_t)(((uintptr_t)in.data - pass.head_padding * CALLER::SIZE) % 128);
        if (S::ALIGNED && WHICH::UNIT == 16 && pass.misalignment % 16 != 0)
            emulator::fail("the test's arrays are not aligned");
        emulator::launch(blocks, WHICH::THREADS, S::STAGES * S::STAGE_BYTES, n % 2 == 0,
                         [&] { custom_segmented<CALLER, WHICH, REDUCES>(given); });
    }
    /* A segment's elements in the order of combination, after init. */
    E combined(size_t begin, size_t end, size_t elements_of_it, bool &there) const
    {
        E sum = init;
        there = (ways & 1) != 0;
        for (size_t k = 0; k < elements_of_it; k++) {
            const E &x = elements[reverse ? end - 1 - k : begin + k];
            sum = there ? CALLER::combine(sum, x) : x;
            there = true;
        }
        return there ? sum : start();
    }
    E start() const
    {
        if constexpr (CALLER::HAS_IDENTITY)
            return CALLER::identity();
        else
            return init;
    }
    void expect(size_t i, const E &expected, const char *what) const
    {
        Out stored;
        if constexpr (CALLER::STORES)
            CALLER::store(expected, &stored, 0);
        else
            stored = expected;
        if (out.data[i] != stored)
            fail(what, "wrong element", i);
    }
    void expect_intact(const char *what) const
    {
        if (!out.is_intact() || !keys_out.is_intact())
            fail(what, "something beside the output was written", 0);
        if (deferred[0] != 0)
            fail(what, "an error", (size_t)deferred[1]);
    }
    void fail(const char *what, const char *words, size_t place) const
    {
        char all[200];
        snprintf(all, sizeof all,
                 "%s, elements of %zu bytes, n %zu, %zu segments, ways %u, reverse %d: %s at %zu",
                 what, sizeof(E), n, segments.begins.size() - 1, ways, reverse, words, place);
        emulator::fail(all);
    }
};

template <typename CALLER, typename WHICH, typename Out>
static void test_scan(const test_segments &segments, unsigned blocks, unsigned ways)
{
    if ((ways & 4) != 0 && !CALLER::HAS_IDENTITY)
        ways |= 1;
    segments_test<CALLER, Out> test(segments, ways, WHICH::REVERSE, segments.n, WHICH::ALIGNED);
    test.given.pass.call.exclusive = (ways & 4) != 0;
    test.template run<WHICH, false>(blocks);
    for (size_t s = 0; s + 1 < segments.begins.size(); s++) {
        const size_t begin = segments.begins[s], end = segments.begins[s + 1];
        for (size_t k = 0; k < end - begin; k++) {
            bool there;
            const typename CALLER::E sum = test.combined(begin, end, k + ((ways & 4) == 0), there);
            test.expect(test.reverse ? end - 1 - k : begin + k, sum, "a segmented scan");
        }
    }
    test.expect_intact("a segmented scan");
}

template <typename CALLER, typename WHICH, typename Out>
static void test_reduction(const test_segments &segments, unsigned blocks, unsigned ways)
{
    if ((ways & 2) != 0 && !CALLER::HAS_IDENTITY)
        ways |= 1;
    const bool by_offsets = (ways & 2) != 0;
    const size_t all = by_offsets ? segments.offsets.size() - 1 : segments.begins.size() - 1;
    const size_t room = (ways & 4) != 0 && !by_offsets ? all / 2 : all;
    segments_test<CALLER, Out> test(segments, ways, WHICH::REVERSE, room, WHICH::ALIGNED);
    custom_segments &given = test.given;
    if (by_offsets) {
        given.offsets = segments.offsets.data();
        given.count = (ways & 8) != 0 ? all + 5 : all;
        given.count_at = (ways & 8) != 0 ? &test.count : nullptr;
    } else {
        given.capacity = room;
        given.exceeded = {test.exceeded, 1, 1};
    }
    if ((ways & 16) != 0 && !by_offsets) {
        given.keys = segments.keys.data();
        given.keys_out = test.keys_out.data;
        given.key_bytes = 4;
    }
    test.template run<WHICH, true>(blocks);
    for (size_t s = 0; s < room; s++) {
        bool there;
        const size_t begin = by_offsets ? segments.offsets[s] : segments.begins[s];
        const size_t end = by_offsets ? segments.offsets[s + 1] : segments.begins[s + 1];
        test.expect(s, test.combined(begin, end, end - begin, there), "a segmented reduction");
        if (given.keys_out != nullptr && test.keys_out.data[s] != segments.keys[begin])
            test.fail("a reduction by keys", "wrong key", s);
    }
    test.expect_intact("a segmented reduction");
    if (test.number != all || (test.exceeded[0] != 0) != (room < all))
        test.fail("a segmented reduction", "a wrong number", (size_t)test.number);
}

template <typename CALLER, typename WHICH, typename Out = typename CALLER::E>
static void segments_of(unsigned density)
{
    static unsigned turn = 0;
    const size_t tile = custom_shape<CALLER, WHICH>::TILE;
    for (const size_t n : {(size_t)1, (size_t)2, tile, tile + 1, 7 * tile + 5}) {
        const test_segments segments(n, density);
        for (unsigned k = 0; k < 3; k++, turn++) {
            test_scan<CALLER, WHICH, Out>(segments, 1 + turn % 3, turn * 7 % 16);
            test_reduction<CALLER, WHICH, Out>(segments, 1 + turn % 3, turn * 11 % 32);
        }
    }
}

/* No elements: offsets have segments all the same. */
template <typename CALLER, typename WHICH>
static void test_nothing()
{
    test_segments none(0, 0);
    test_reduction<CALLER, WHICH, typename CALLER::E>(none, 1, 1);
    test_reduction<CALLER, WHICH, typename CALLER::E>(none, 2, 1 | 2);
    test_reduction<CALLER, WHICH, typename CALLER::E>(none, 1, 8);
    test_scan<CALLER, WHICH, typename CALLER::E>(none, 1, 8);
}

int main()
{
    for (const unsigned density : {0u, 3u, 60u, 256u}) {
        segments_of<affine_caller<8, true>, which<2, 2, 1, 8, true, false>>(density);
        segments_of<affine_caller<4, false>, which<2, 2, 1, 4, true, true>>(density);
        segments_of<range_caller, which<2, 2, 1, 1, true, false>>(density);
        segments_of<range_caller, which<1, 1, 1, 1, true, true>>(density);
        segments_of<affine_caller<8, true>, which<2, 2, 3, 16, true, true>>(density);
        segments_of<byte_caller, which<2, 1, 2, 16, false, false>>(density);
    }
    segments_of<sums_caller<1, 4, true>, which<2, 2, 1, 4, true, false>>(20);
    segments_of<sums_caller<12, 16, false>, which<1, 1, 1, 16, true, true>>(20);
    segments_of<byte_caller, which<2, 2, 1, 1, true, false>>(20);
    segments_of<mapped_caller<true>, which<2, 2, 1, 8, true, false>, uint32_t>(20);
    segments_of<mapped_caller<false>, which<2, 2, 3, 8, true, true>>(20);
    test_nothing<affine_caller<8, true>, which<2, 2, 1, 8, true, false>>();
    test_nothing<range_caller, which<2, 2, 1, 1, true, true>>();
    return 0;
}
