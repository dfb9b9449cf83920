/*
 * The kernels of a search for bounds (apps/search/bounds_kernels.cuh, bounds_stream.cuh) in the emulator: with
 * and without a tree, with so few samples in shared memory that there are several levels; needles in order and not, among
 * few keys and many; counts of equal keys; lengths in device memory; keys that are not sorted.
 */
#include "apps/search/bounds_stream.cuh"

#include "tests/emulated/device_memory.h"

struct bounds_test {
    size_t count, n;
    bounds_variant variant;
    unsigned top, batches, blocks;
    bool ordered, sorted, upper;
    bounds_count counted;
    uint64_t values;        /* keys and needles are below */
    bool on_device = false; /* the lengths are there; the arguments are longer */
    unsigned rows = 0;      /* of a warp in tiles before the tree; 0: there are none */
    size_t broken = 0;      /* this needle is less than the one before it */
    bool in_place = false;  /* the bounds take the needles' place */
    uint64_t beyond = 0;    /* so much is the number of needles there above the argument */
};

/* As parscan_bounds_plan() does it, with any number of samples in shared memory. */
static bounds_plan plan_of(const bounds_test &t, size_t count, size_t size)
{
    const unsigned fanout = size > 4 ? 4 : 8;
    bounds_plan plan = {};
    plan.variant = t.variant;
    plan.top = t.top;
    plan.batches = t.batches;
    plan.far = t.n % 2 != 0;
    plan.shared_bytes = t.top * size + BOUNDS_WARPS * BOUNDS_STAGE_BYTES;
    if (t.variant == BOUNDS_DIRECT)
        return plan;
    size_t samples = (count - 1) / (BOUNDS_BLOCK_BYTES / size) + 1;
    for (;;) {
        plan.level_at[plan.levels++] = plan.tree_keys;
        plan.tree_keys += (samples + fanout - 1) / fanout * fanout;
        if (samples <= t.top)
            return plan;
        samples = (samples + fanout - 1) / fanout;
    }
}

template <typename RANKS, typename NUMBER>
static void test(const bounds_test &t, bool in_order)
{
    typedef typename RANKS::key key;
    const size_t room = t.on_device ? t.count + 1000 : t.count, most = t.on_device ? t.n + 77 : t.n;
    std::vector<key> needles(most + 1);
    guarded_array<key> sorted(room, t.batches == 1 ? 0 : 3); /* at a sector, or not */
    key *const keys = sorted.data;
    const auto random_key = [&] {
        const uint64_t random = emulator::running.random();
        return (key)(random % 50 == 0 ? ~(uint64_t)0 >> random / 50 % 2 : (random >> 8) % t.values);
    };
    for (size_t i = 0; i < room; i++)
        keys[i] = random_key();
    for (key &k : needles)
        k = random_key();
    const bool counted = t.counted != BOUNDS_COUNT_NONE;
    bounds_at_length params = {};
    params.order.flip = 0;
    params.order.keep = ~(uint64_t)0;
    const auto below = [&](key a, key b) {
        return counted
                   ? by_value<RANKS>::rank(params.order, a) < by_value<RANKS>::rank(params.order, b)
                   : RANKS::rank(params.order, a) < RANKS::rank(params.order, b);
    };
    const size_t n = t.beyond != 0 ? most : t.n;
    if (t.sorted)
        std::stable_sort(keys, keys + t.count, below);
    if (t.ordered)
        std::stable_sort(needles.begin(), needles.begin() + n, below);
    if (t.broken > 0)
        needles[t.broken] = needles[t.broken - 1] / 2;
    guarded_array<NUMBER> out(n, 3), counts(counted ? n : 0, 1);
    params.sorted = keys;
    params.values = needles.data();
    params.out = t.in_place ? (NUMBER *)needles.data() : out.data;
    const std::vector<key> sought = needles;
    params.counts = counts.data;
    params.count = room;
    params.n = most;
    params.upper = t.upper;
    params.wide = sizeof(NUMBER) == 8;
    params.counted = t.counted;
    params.plan = plan_of(t, room, sizeof(key));
    params.plan.sectors = (uintptr_t)keys % BOUNDS_NODE_BYTES == 0;
    params.plan.stream_needles = t.rows * BOUNDS_STREAM_THREADS;
    params.plan.left_at = (params.plan.tree_keys * sizeof(key) + 31) / 32 * 32;
    std::vector<unsigned char> aligned(params.plan.left_at + BOUNDS_STREAM_BLOCKS + 64 +
                                       (t.rows > 0 ? most / params.plan.stream_needles + 1 : 0));
    params.tree = (void *)(((uintptr_t)aligned.data() + 31) / 32 * 32);
    uint64_t told[2] = {};
    const uint64_t lengths[2] = {t.count, t.beyond != 0 ? most + t.beyond : t.n};
    if (t.on_device) {
        params.sorted_length = {&lengths[0], {told, 3}};
        params.values_length = {&lengths[1], {told, 3}};
    }
    const auto run = [&](auto stream, auto build, auto find) {
        if (t.rows > 0)
            emulator::launch(t.blocks, BOUNDS_STREAM_THREADS + 32,
                             stream_shape<RANKS>::SHARED_BYTES, in_order, [&] { stream(params); });
        const unsigned char *const left = (const unsigned char *)params.tree + params.plan.left_at;
        if (t.rows > 0 && t.ordered && t.broken == 0 && t.sorted)
            for (unsigned k = 0; k < BOUNDS_STREAM_BLOCKS; k++)
                if (left[k] != 0)
                    emulator::fail("needles in order are left to the tree");
        if (t.variant == BOUNDS_TREE)
            emulator::launch(2, BOUNDS_BUILD_THREADS, 0, in_order, [&] { build(params); });
        emulator::launch(t.blocks, BOUNDS_THREADS, params.plan.shared_bytes, in_order,
                         [&] { find(params); });
    };
    if (counted)
        run([](const auto &) { emulator::fail("joins have no tiles"); },
            build_tree<by_value<RANKS>>, find_bounds<by_value<RANKS>, true>);
    else
        run(stream_bounds<RANKS>, build_tree<RANKS>, find_bounds<RANKS, false>);
    const auto fail = [&](const char *what, size_t i) {
        char words[200];
        snprintf(words, sizeof words,
                 "%zu of %zu keys of %zu bytes, variant %d, top %u, counted %d, %d %d %d: %s, %zu",
                 t.n, t.count, sizeof(key), t.variant, t.top, t.counted, t.ordered, t.sorted,
                 t.upper, what, i);
        emulator::fail(words);
    };
    for (size_t i = 0; i < n && t.in_place; i++)
        memcpy(&out.data[i], &((const NUMBER *)needles.data())[i], sizeof(NUMBER));
    for (size_t i = 0; i < n; i++) {
        const key *const begin = keys, *const end = keys + t.count;
        if (!t.sorted) {
            if (out.data[i] > t.count)
                fail("a bound beyond the keys", i);
            continue;
        }
        const size_t lower = std::lower_bound(begin, end, sought[i], below) - begin;
        const size_t upper = std::upper_bound(begin, end, sought[i], below) - begin;
        const size_t equal = upper - lower;
        const bool none = t.counted == BOUNDS_COUNT_LEFT && equal == 0;
        const size_t expected = t.counted == BOUNDS_COUNT_ANY       ? equal > 0
                                : t.counted == BOUNDS_COUNT_MISSING ? equal == 0
                                : none                              ? 1
                                                                    : equal;
        if (out.data[i] != (none ? t.count : counted || !t.upper ? lower : upper))
            fail("wrong bound", i);
        if (counted && counts.data[i] != expected)
            fail("wrong count", i);
    }
    if (!out.is_intact() || !counts.is_intact())
        fail("something beside the output was written", 0);
    if (told[0] != (t.beyond != 0 ? 3ull << 32 | PARSCAN_ERROR_CAPACITY : 0))
        fail("another error of the length", (size_t)told[0]);
}

template <typename RANKS>
static void test_stream(bool in_order)
{
    for (unsigned kind = 0; kind < 12; kind++) {
        const unsigned rows = kind % 3 == 0 ? 1 : kind % 3 == 1 ? 2 : 4;
        const size_t n = kind % 4 == 0 ? 3 * 512 + 100 : kind % 4 == 1 ? 2048 : 33;
        bounds_test t = {kind % 5 == 4 ? 1 : 900 * (kind % 5) + 1,
                         n,
                         BOUNDS_TREE,
                         8,
                         2,
                         1 + kind % 3,
                         kind != 6,
                         true,
                         kind % 2 != 0,
                         BOUNDS_COUNT_NONE,
                         kind < 6 ? 1000000u : 7u};
        t.rows = rows;
        t.broken = kind == 4 || kind == 8 ? 700 : 0;
        t.sorted = kind != 9;
        t.on_device = kind == 5;
        test<RANKS, uint32_t>(t, in_order);
        t.in_place = sizeof(typename RANKS::key) == sizeof(uint32_t);
        test<RANKS, uint32_t>(t, in_order);
    }
}

template <typename RANKS>
static void test_keys(bool in_order)
{
    static const size_t counts[] = {0, 1, 31, 33, 700, 9000};
    static const size_t needles[] = {1, 130, 700};
    for (size_t c = 0; c < 6; c++)
        for (unsigned kind = 0; kind < 8; kind++) {
            const bool ordered = kind % 2 != 0, upper = kind / 2 % 2 != 0, tree = kind >= 4;
            const size_t count = counts[c], n = needles[(c + kind) % 3];
            const bounds_test t = {count,
                                   n,
                                   tree && count > 0 ? BOUNDS_TREE : BOUNDS_DIRECT,
                                   tree ? 4u : 32u,
                                   1 + kind / 2 % 2,
                                   1 + kind % 2,
                                   ordered,
                                   true,
                                   upper,
                                   BOUNDS_COUNT_NONE,
                                   c % 2 == 0 ? 40u : 1000000u};
            test<RANKS, uint32_t>(t, in_order);
        }
    for (unsigned kind = 0; kind < 8; kind++)
        test<RANKS, uint64_t>({700 * (kind % 3), 300, kind % 3 != 0 ? BOUNDS_TREE : BOUNDS_DIRECT,
                               8, 1 + kind % 2, 1, kind % 2 != 0, true, false,
                               (bounds_count)(BOUNDS_COUNT_EQUAL + kind / 2), kind < 4 ? 200u : 3u},
                              in_order);
    for (unsigned kind = 0; kind < 4; kind++)
        test<RANKS, uint32_t>({5000, 300, kind % 2 != 0 ? BOUNDS_TREE : BOUNDS_DIRECT, 8, 2, 1,
                               kind / 2 != 0, false, true, BOUNDS_COUNT_NONE, 100000},
                              in_order);
    for (const size_t count : {0, 1, 32, 500})
        for (const size_t n : {0, 1, 256, 300})
            test<RANKS, uint32_t>({count, n, n % 2 != 0 ? BOUNDS_DIRECT : BOUNDS_TREE, 4, 2, 2,
                                   n == 256, true, count == 32, BOUNDS_COUNT_NONE, 1000, true,
                                   n == 300 ? 9u : 0u},
                                  in_order);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_keys<u8_keys>(in_order != 0);
        test_stream<u8_keys>(in_order != 0);
        test_keys<u32_keys>(in_order != 0);
        test_stream<u32_keys>(in_order != 0);
        test_keys<u64_keys>(in_order != 0);
        test_stream<u64_keys>(in_order != 0);
        test_keys<f16_keys>(in_order != 0);
        test_stream<f16_keys>(in_order != 0);
        test_keys<f32_keys>(in_order != 0);
        test_stream<f32_keys>(in_order != 0);
    }
    return 0;
}
