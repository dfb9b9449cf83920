/*
 * The kernel of set operations (apps/join/set_tiles.cuh) in the emulator, against a plain loop over elements and
 * counts: all operations, runs of equal elements over the ends of tiles, capacities, counts alone, lengths in
 * device memory, and arrays that are not in order, of which nothing but the places is promised.
 */
#include "apps/join/set_tiles.cuh"

#include "tests/emulated/device_memory.h"
#include "tests/emulated/key_numbers.h"

struct set_test {
    size_t n, n2;
    unsigned blocks, pattern;
    bool sorted = true, lengths = false;
};

/* The elements of the result, in order: of those that are equal, which are together in both arrays. */
template <typename KEY>
static std::vector<typename KEY::Bits> expected_set(const std::vector<typename KEY::Bits> &a,
                                                    const std::vector<typename KEY::Bits> &b,
                                                    const set_rule &rule)
{
    const auto before = key_numbers<KEY>::before;
    std::vector<typename KEY::Bits> result;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool of_a = j == b.size() || (i < a.size() && !before(b[j], a[i]));
        const auto run = of_a ? a[i] : b[j];
        size_t k = i, k2 = j;
        while (k < a.size() && !before(run, a[k]))
            k++;
        while (k2 < b.size() && !before(run, b[k2]))
            k2++;
        const size_t both = std::min(k - i, k2 - j);
        for (size_t m = i; m < k; m++)
            if (m - i < both ? rule.of_both : rule.of_a)
                result.push_back(a[m]);
        for (size_t m = j + both; m < k2; m++)
            if (rule.of_b)
                result.push_back(b[m]);
        i = k;
        j = k2;
    }
    return result;
}

static chain_memory chain;

template <typename KEY>
static void test(const set_test &t, set_operation operation, bool in_order)
{
    typedef typename KEY::Bits Bits;
    const std::vector<Bits> a = key_numbers<KEY>::array(t.n, t.pattern, t.sorted);
    const std::vector<Bits> b = key_numbers<KEY>::array(t.n2, t.pattern, t.sorted);
    const set_rule rule = set_rule_of(operation);
    const std::vector<Bits> expected = expected_set<KEY>(a, b, rule);
    const size_t random = emulator::running.random() % 8;
    const size_t room = random > 1 ? t.n + t.n2 : expected.size() * random / 2;
    const bool counts_alone = random == 2;
    guarded_array<Bits> out(room, (unsigned)t.n2 % 3);
    uint64_t told[2] = {}, count = 77;
    const uint64_t lengths[2] = {t.n, t.n2};
    set_at_lengths params = {};
    params.keys.a = a.data();
    params.keys.b = b.data();
    params.keys.out = counts_alone ? NULL : out.data;
    params.keys.n = t.n + (t.lengths ? 9000 : 0);
    params.keys.n2 = t.n2 + (t.lengths ? 77 : 0);
    params.rule = rule;
    params.capacity = room;
    params.count = &count;
    params.exceeded = {told, 5};
    if (t.lengths) {
        params.length = {&lengths[0], {told, 3}};
        params.length2 = {&lengths[1], {told, 3}};
    }
    params.chain = chain.before_launch();
    emulator::launch(t.blocks, set_shape<KEY>::ALL_THREADS, set_shape<KEY>::CODE_BYTES, in_order,
                     [&] { set_tiles<KEY>(params); });
    const auto fail = [&](const char *what, size_t i) {
        char words[200];
        snprintf(words, sizeof words,
                 "operation %d of %zu and %zu keys of %zu bytes, pattern %u, %u blocks: %s, %zu",
                 (int)operation, t.n, t.n2, sizeof(Bits), t.pattern, t.blocks, what, i);
        emulator::fail(words);
    };
    if (!out.is_intact())
        fail("something beside the output was written", 0);
    if (!t.sorted)
        return;
    if (count != expected.size())
        fail("another count", (size_t)count);
    if (told[0] != (!counts_alone && count > room ? 5ull << 32 | PARSCAN_ERROR_CAPACITY : 0))
        fail("another error", (size_t)told[0]);
    for (size_t k = 0; k < expected.size() && k < room && !counts_alone; k++)
        if (out.data[k] != expected[k])
            fail("wrong element", k);
}

template <typename KEY>
static void test_class(bool in_order)
{
    const size_t TILE = set_shape<KEY>::TILE;
    const size_t sizes[][2] = {{0, 1},        {1, 0},        {300, 211},   {TILE, 1},
                               {TILE - 1, 1}, {5, 3 * TILE}, {TILE, TILE}, {2 * TILE, 5 * TILE / 2},
                               {4 * TILE, 90}};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (unsigned pattern = 0; pattern < KEY_NUMBER_PATTERNS; pattern++) {
            const set_operation operation = (set_operation)((k + pattern) % SET_OPERATIONS);
            const set_operation other = (set_operation)((k + pattern + 1) % SET_OPERATIONS);
            test<KEY>({sizes[k][0], sizes[k][1], 1 + (k + pattern) % 3, pattern}, operation,
                      in_order);
            test<KEY>({sizes[k][0], sizes[k][1], 2, pattern, pattern != 0, true}, other, in_order);
        }
    test<KEY>({0, 0, 2, 0, true, true}, SET_UNION, in_order);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_class<key_u8>(in_order != 0);
        test_class<key_u32>(in_order != 0);
        test_class<key_f16>(in_order != 0);
        test_class<key_f64>(in_order != 0);
    }
    return 0;
}
