/*
 * Compaction and partition (apps/compact/compact_tiles.cuh) in the emulator, in both forms of the
 * pipeline, beside a loop. Threads run in random order and blocks fall behind, so a wait that is
 * missing or that never ends shows. Blocks are small, so that a partition takes every one of its
 * ways.
 */
#include "apps/compact/compact_few.cuh"
#include "apps/compact/compact_tiles.cuh"
#include "tests/emulated/device_memory.h"

static const char *const tests[] = {"in a range", "in parts", "heads of runs", "runs", "by flags"};

struct compact_case {
    unsigned percent; /* of the elements that are kept, or, `outside`, not kept */
    bool outside;
    unsigned blocks;
    size_t n;
    unsigned shift, out_shift; /* of the arrays, in elements past an aligned address */
    bool misled;               /* of those that the sample has, none is kept */
    bool changes;              /* the input, during the launch; only what is written is looked at */
};

static void fail(compact_test of, unsigned width, const compact_case &t, const char *what,
                 size_t place)
{
    char words[200];
    snprintf(words, sizeof words, "%s, %u bytes, %u%%%s%s, %u blocks, n %zu, shift %u: %s at %zu",
             tests[of], width, t.percent, t.outside ? ", outside" : "", t.misled ? ", misled" : "",
             t.blocks, t.n, t.shift, what, place);
    emulator::fail(words);
}

/* One for all launches of a shape. */
static chain_memory chain;
static parscan_meeting meeting;

/* The keys of the range begin here. */
#define FIRST 77u
/* Of floats of 16 bits. */
#define HALF_INFINITY 0x7f80u

/* A launch, and what it reads and writes. */
template <typename S>
struct compact_arrays {
    typedef typename S::U U;
    typedef typename std::make_signed<U>::type I;
    guarded_array<U> in;
    guarded_array<uint8_t> flags;
    std::vector<U> expected;
    std::vector<uint32_t> expected_lengths;
    uint64_t kept = 0;
    U width;
    bool floats;
    static const U MAGNITUDE = (U)-1 >> 1;

    compact_arrays(const compact_case &t)
        : in(t.n, t.shift), flags(t.n, t.shift / 2),
          width(t.percent == 100 ? (U)-1 : (U)((double)(U)-1 / 100 * t.percent)),
          floats(S::HALVES || (S::WIDTH >= 4 && t.shift % 2 == 1))
    {
        fill(t);
        std::vector<U> rest;
        for (size_t i = 0; i < t.n; i++) {
            const bool keeps = S::TEST == COMPACT_FLAGS ? flags.data[i] != 0
                               : S::HEADS ? i == 0 || differ(in.data[i - 1], in.data[i])
                                          : is_in_range(in.data[i]) != t.outside;
            (keeps ? expected : rest).push_back(in.data[i]);
            if (keeps)
                expected_lengths.push_back(0);
            if (S::HEADS)
                expected_lengths.back()++;
            kept += keeps;
        }
        if (S::PARTS)
            expected.insert(expected.end(), rest.begin(), rest.end());
    }

    /* All elements at once, or one of them, become kept or not. */
    void change(const compact_case &t)
    {
        const auto random = [] { return emulator::running.random(); };
        const U x = random() % 2 == 0 ? (U)FIRST : (U)(FIRST - 1);
        if (random() % 256 == 0)
            std::fill(in.data, in.data + t.n, x);
        else
            in.data[random() % t.n] = x;
    }

  private:
    /* Of HALVES: whether the floats differ, where every NaN is the same. */
    static bool differ(U before, U x)
    {
        const U a = before & MAGNITUDE, b = x & MAGNITUDE;
        if (!S::HALVES)
            return before != x;
        return before != x && !(a == 0 && b == 0) && !(a > HALF_INFINITY && b > HALF_INFINITY);
    }

    bool is_in_range(U x) const
    {
        if (floats && (I)x < 0)
            x ^= MAGNITUDE;
        return (U)(x - FIRST) <= width;
    }

    void fill(const compact_case &t)
    {
        const auto random = [] { return emulator::running.random(); };
        for (size_t i = 0; i < t.n; i++) {
            in.data[i] = (U)random();
            if (S::HEADS && i > 0 && random() % 100 >= t.percent)
                in.data[i] = in.data[i - 1];
            if (S::HALVES && random() % 8 == 0) /* zeros and NaNs */
                in.data[i] =
                    (U)(random() << 15) + (random() % 2 == 0 ? 0 : HALF_INFINITY + random() % 3);
            flags.data[i] = random() % 100 < t.percent ? (uint8_t)(1 + i % 255) : 0;
        }
        const unsigned sample = std::min<unsigned>(S::THREADS, 256);
        for (unsigned k = 0; t.misled && k < sample; k++)
            in.data[sample_at(t.n, sample, k)] = t.outside ? (U)FIRST : (U)(FIRST - 1);
    }
};

/* The way that a partition has to take, or 4 if it may take any. */
template <typename S>
static unsigned way_wanted(const compact_case &t, size_t tiles)
{
    const size_t held = std::min<size_t>(t.blocks, tiles) * S::STAGES;
    const unsigned kept = t.outside ? 100 - t.percent : t.percent;
    if (tiles <= held)
        return PARTS_HELD;
    if (tiles <= 2 * held || (kept == 50 && !t.misled))
        return PARTS_COUNTED;
    if (kept < 5 || t.misled)
        return PARTS_KEPT_TURNED;
    return kept > 95 ? (unsigned)PARTS_REST_TURNED : 4u;
}

/* Runs the kernel. Returns the way of a partition. */
template <typename S>
static unsigned run(const compact_params &params, unsigned blocks, bool in_order)
{
    unsigned way = 0;
    emulator::launch((unsigned)std::min<size_t>(blocks, params.tiles), S::THREADS, S::SHARED_BYTES,
                     in_order, [&] {
                         auto &shared = own_variable<compact_shared<S>>(__FILE__, __LINE__);
                         run_compaction<S>(params, shared, own_block().shared);
                         if (S::PARTS && takes_sample<S>(params))
                             way = shared.way;
                         else if (S::PARTS)
                             way = way_of<S>(params, NULL);
                     });
    return way;
}

/* With 64 threads a block. */
template <unsigned WIDTH, compact_test TEST, bool HALVES = false>
struct few_elements : compact_few_shape<WIDTH, TEST, HALVES, 64> {
    enum : unsigned { STAGES = 1 };
};

template <typename S>
static void run_few(const compact_params &params, bool in_order)
{
    emulator::launch((unsigned)params.tiles, S::THREADS, 0, in_order,
                     [&] { compact_few<S>(params); });
}
template <unsigned WIDTH, compact_test TEST, bool HALVES>
static unsigned run_of(few_elements<WIDTH, TEST, HALVES>, const compact_params &params, unsigned,
                       bool in_order)
{
    run_few<compact_few_shape<WIDTH, TEST, HALVES, 64>>(params, in_order);
    return PARTS_HELD;
}
template <typename S>
static unsigned run_of(S, const compact_params &params, unsigned blocks, bool in_order)
{
    return run<S>(params, blocks, in_order);
}

template <typename S>
static void test(bool in_order, const compact_case &t)
{
    typedef typename S::U U;
    const auto failed = [&](const char *what, size_t place) {
        fail(S::TEST, S::WIDTH, t, what, place);
    };
    const uint64_t none[2] = {0, 0};
    compact_arrays<S> arrays(t);
    guarded_array<U> out(arrays.expected.size(), t.out_shift);
    guarded_array<uint32_t> lengths(S::TEST == COMPACT_RUNS ? arrays.kept : 0, 1);
    uint64_t count = 77;
    compact_params params = {};
    params.in = arrays.in.data;
    params.flags = arrays.flags.data;
    params.n = t.n;
    params.head_padding = (unsigned)((uintptr_t)params.in % 128 / sizeof(U));
    params.flag_misalignment =
        S::TEST == COMPACT_FLAGS ? (unsigned)(((uintptr_t)params.flags - params.head_padding) % 128)
                                 : 0;
    params.tiles = (params.head_padding + t.n + S::TILE - 1) / S::TILE;
    params.first = FIRST;
    params.width = arrays.width;
    params.outside = t.outside;
    params.floats = arrays.floats && S::IN_RANGE;
    params.infinity = S::HALVES ? HALF_INFINITY : 0;
    params.values = out.data;
    params.lengths = S::TEST == COMPACT_RUNS ? lengths.data : NULL;
    params.count = &count;
    params.capacity = SIZE_MAX;
    params.chain = chain.before_launch();
    params.meeting = &meeting;
    if (2 * params.tiles + 2 + 2 * t.blocks > chain_memory::WORDS)
        failed("no room for status words", params.tiles);
    const auto change = [&] { arrays.change(t); };
    if (t.changes)
        emulator::running.meanwhile = change;
    const unsigned way = run_of(S(), params, t.blocks, in_order);
    emulator::running.meanwhile = nullptr;
    if (meeting.blocks != 0 || meeting.way != 0)
        failed("what blocks share is left", meeting.blocks);
    if (t.changes) {
        if (!out.is_intact())
            failed("something beside the output was written", 0);
        return;
    }
    expect_right(out, arrays.expected, none, failed);
    if (S::TEST == COMPACT_RUNS)
        expect_right(lengths, arrays.expected_lengths, none, failed);
    if (count != arrays.kept)
        failed("wrong number of kept elements", (size_t)count);
    const unsigned wanted = way_wanted<S>(t, params.tiles);
    if (S::PARTS && wanted != 4 && way != wanted)
        failed("not the way that is wanted, but way", way);
}

/* Arrays of some tiles, of which a block holds STAGES at once. */
template <template <compact_test> class SHAPE>
static void test_width(bool in_order)
{
    typedef SHAPE<COMPACT_PARTS> parts;
    const size_t TILE = parts::TILE, HELD = parts::STAGES;
    chain = chain_memory();
    for (const unsigned percent : {0u, 2u, 50u, 97u, 100u}) {
        test<parts>(in_order, {percent, false, 2, 2 * HELD * TILE - 40, 5, 1});
        test<parts>(in_order, {percent, true, 2, 3 * HELD * TILE, 0, 0});
        test<parts>(in_order, {percent, false, 2, 5 * HELD * TILE + 11, 7, 12});
        test<parts>(in_order, {percent, true, 1, 3 * HELD * TILE - 5, 9, 0});
    }
    test<parts>(in_order, {20, false, 3, 7 * HELD * TILE + TILE / 3, 12, 3});
    test<parts>(in_order, {80, false, 1, 4 * HELD * TILE + 5, 1, 15});
    test<parts>(in_order, {80, false, 1, 5 * HELD * TILE + 3, 3, 2, true});
    test<parts>(in_order, {30, true, 2, 6 * HELD * TILE - 9, 0, 7, true});
    test<parts>(in_order, {50, false, 3, 1, 3, 1});
    for (unsigned k = 0; k < 4; k++) {
        test<parts>(in_order, {50, false, 3, 2 * 3 * HELD * TILE - 7, 1, 3, false, true});
        test<parts>(in_order,
                    {k < 2 ? 10u : 50u, k % 2 == 0, 3, 7 * HELD * TILE + 9, 5, 1, false, true});
    }
    for (const unsigned percent : {3u, 60u}) {
        test<SHAPE<COMPACT_RANGE>>(in_order, {percent, true, 2, 5 * TILE + 3, 5, 1});
        test<SHAPE<COMPACT_FLAGS>>(in_order, {percent, false, 2, 5 * TILE - 9, 6, 2});
        test<SHAPE<COMPACT_HEADS>>(in_order, {percent, false, 2, 5 * TILE + 7, 3, 1});
        test<SHAPE<COMPACT_RUNS>>(in_order, {percent, false, 2, 5 * TILE, 7, 2});
    }
    if (chain.wrapped != 1)
        emulator::fail("the last epoch was not that of one launch");
}

/* Few elements: a block has one tile. */
template <unsigned WIDTH, bool HALVES>
static void test_few(bool in_order)
{
    typedef few_elements<WIDTH, COMPACT_PARTS, HALVES> parts;
    const size_t TILE = parts::TILE;
    const unsigned MOST = 20;
    chain = chain_memory();
    for (const size_t n : {(size_t)1, TILE - 2, TILE, 2 * TILE + 1, 9 * TILE - 5})
        for (const unsigned percent : {0u, 3u, 60u, 100u}) {
            const unsigned shift = (unsigned)n % 5;
            const compact_case one = {percent, n % 2 == 0, MOST, n, shift, 1};
            test<parts>(in_order, one);
            test<few_elements<WIDTH, COMPACT_RANGE, HALVES>>(in_order, one);
            test<few_elements<WIDTH, COMPACT_FLAGS, HALVES>>(in_order, one);
            test<few_elements<WIDTH, COMPACT_HEADS, HALVES>>(in_order, one);
        }
    for (unsigned k = 0; k < 4; k++)
        test<parts>(in_order, {50, k % 2 == 0, MOST, 7 * TILE + 9, 5, 1, false, true});
    if (chain.wrapped == 0)
        emulator::fail("no launch had the last epoch");
}

template <compact_test TEST>
using bytes_1 = compact_shape<1, TEST, 2, 1, 2, 8, 3>;
template <compact_test TEST>
using bytes_2 = compact_shape<2, TEST, 4, 2, 4, 8, 2>;
template <compact_test TEST>
using halves = compact_halves<bytes_2<TEST>>;
template <compact_test TEST>
using bytes_4 = compact_shape<4, TEST, 2, 1, 4, 8, 2>;
template <compact_test TEST>
using bytes_8 = compact_shape<8, TEST, 2, 2, 2, 8, 2>;
template <compact_test TEST>
using bytes_4_unspecialised = compact_shape<4, TEST, 2, 0, 4, 8, 1>;

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_few<1, false>(in_order != 0);
        test_few<2, false>(in_order != 0);
        test_few<2, true>(in_order != 0);
        test_few<4, false>(in_order != 0);
        test_few<8, false>(in_order != 0);
        test_width<bytes_1>(in_order != 0);
        test_width<bytes_2>(in_order != 0);
        test_width<halves>(in_order != 0);
        test_width<bytes_4>(in_order != 0);
        test_width<bytes_8>(in_order != 0);
        test_width<bytes_4_unspecialised>(in_order != 0);
    }
    return 0;
}
