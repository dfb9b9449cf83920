/*
 * Reproducible scans and reductions by operators of the caller's (scan/runtime/custom_tree.cuh) in the emulator, beside
 * the tree as scan/reproducible/tree.h tells it: the operator is not associative, so that every other grouping is found.
 */
#include <optional>

#include "scan/runtime/custom_tree.cuh"
#include "tests/emulated/custom_callers.h"
#include "tests/emulated/device_memory.h"

/* As sums of floats are not. */
template <typename Element, bool IDENTITY>
struct grouped_caller : plain_caller<Element, sizeof(Element), IDENTITY, false> {
    static Element combine(Element a, Element b)
    {
        return (Element)(IDENTITY && a == 0   ? b
                         : IDENTITY && b == 0 ? a
                                              : (a * 3 + 1) ^ (b * 5 + a / 7 + 2));
    }
    static Element identity() { return 0; }
    static Element make(size_t i) { return (Element)(i * 2654435761u | 1); }
};

/* The same, made of bytes and stored as another type. */
struct grouped_maps : grouped_caller<uint32_t, false> {
    static const bool LOADS = true, STORES = true;
    static uint32_t load(const void *in, size_t i) { return ((const uint8_t *)in)[i] + 17u; }
    static void store(const uint32_t &x, void *out, size_t i) { ((uint64_t *)out)[i] = x; }
};

/* The tree of n elements in the order of combination. */
template <typename CALLER>
struct right_tree {
    typedef std::optional<typename CALLER::E> some;
    std::vector<some> inclusive, exclusive;
    some all;

    static some add(const some &a, const some &b)
    {
        return !a ? b : !b ? a : some(CALLER::combine(*a, *b));
    }
    /* Init and the blocks of a binary counter, from the last to the first, before `after`. */
    static some after_blocks(const some &init, const std::vector<some> &blocks, some after)
    {
        for (const some &block : blocks)
            after = add(block, after);
        return add(init, after);
    }
    right_tree(const std::vector<typename CALLER::E> &x, const some &init)
    {
        std::vector<some> blocks; /* [k]: of 2^k tiles, or none */
        some rest;
        for (size_t begin = 0; begin < x.size(); begin += TREE_ELEMENTS) {
            const some before = after_blocks(init, blocks, some());
            const size_t end = std::min<size_t>(x.size(), begin + TREE_ELEMENTS);
            std::vector<some> local(x.begin() + (ptrdiff_t)begin, x.begin() + (ptrdiff_t)end);
            for (size_t s = 1; s < TREE_ROW; s *= 2)
                for (size_t k = 0; k < local.size(); k++)
                    if ((k % TREE_ROW & s) != 0)
                        local[k] = add(local[k / s * s - 1], local[k]);
            std::vector<some> rows;
            for (size_t k = 0; k < local.size(); k += TREE_ROW)
                rows.push_back(local[std::min<size_t>(local.size(), k + TREE_ROW) - 1]);
            for (size_t stride = 1; stride < rows.size(); stride *= 2)
                for (size_t r = rows.size(); r-- > stride;)
                    rows[r] = add(rows[r - stride], rows[r]);
            for (size_t k = 0; k < local.size(); k++) {
                const some row = k < TREE_ROW ? before : add(before, rows[k / TREE_ROW - 1]);
                inclusive.push_back(add(row, local[k]));
                exclusive.push_back(k % TREE_ROW == 0 ? row : add(row, local[k - 1]));
            }
            rest = end - begin < TREE_ELEMENTS ? rows.back() : some();
            some sum = rows.back();
            for (size_t k = 0; !rest && sum; k++) {
                if (k == blocks.size())
                    blocks.push_back(some());
                std::swap(blocks[k], sum);
                if (sum) { /* two blocks become one */
                    sum = add(sum, blocks[k]);
                    blocks[k].reset();
                }
            }
        }
        all = after_blocks(init, blocks, rest);
    }
};

enum kind { INCLUSIVE, EXCLUSIVE, REDUCE, KINDS };

template <typename CALLER, typename Out>
static void test_tree(size_t n, unsigned blocks, unsigned kind, unsigned ways)
{
    typedef typename CALLER::E E;
    const bool reverse = (ways & 1) != 0, on_device = (ways & 4) != 0;
    const bool init = (ways & 2) != 0 || (!CALLER::HAS_IDENTITY && (kind == EXCLUSIVE || n == 0));
    guarded_array<E> in(CALLER::LOADS ? 0 : n, 1);
    guarded_array<Out> out(kind == REDUCE ? 1 : n, 3);
    std::vector<uint8_t> bytes(n);
    std::vector<E> elements(n);
    const uint64_t length = n;
    uint64_t deferred[2] = {0, 0};
    const E start = CALLER::make(9);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)emulator::running.random();
        E &x = elements[reverse ? n - 1 - i : i];
        if constexpr (CALLER::LOADS)
            x = CALLER::load(bytes.data(), i);
        else
            x = in.data[i] = CALLER::make(emulator::running.random() % 1000);
    }
    custom_tree given = {};
    custom_call &call = given.call;
    call.in = CALLER::LOADS ? (const void *)bytes.data() : in.data;
    call.out = out.data;
    call.n = on_device ? n + 5000 : n;
    call.has_init = init;
    call.exclusive = kind == EXCLUSIVE;
    call.reverse = reverse;
    memcpy(call.init, &start, sizeof start);
    if (on_device) {
        call.length_at = &length;
        call.deferred = {deferred, 1, 0};
    }
    given.tiles = call.n / TREE_ELEMENTS + 1;
    std::vector<E> nodes(2 * given.tiles);
    std::vector<uint32_t> halves(given.tiles);
    given.nodes = nodes.data();
    given.halves = halves.data();
    emulator::launch(blocks, CUSTOM_TREE_THREADS, 0, n % 2 == 0,
                     [&] { custom_tree_sums<CALLER>(given); });
    if (kind == REDUCE)
        emulator::launch(1, CUSTOM_TREE_THREADS, 0, true,
                         [&] { custom_tree_result<CALLER>(given); });
    else
        emulator::launch(blocks, CUSTOM_TREE_THREADS, 0, true,
                         [&] { custom_tree_scan<CALLER>(given); });
    const right_tree<CALLER> right(elements, init ? std::optional<E>(start) : std::optional<E>());
    for (size_t k = 0; k < (kind == REDUCE ? 1 : n); k++) {
        const std::optional<E> x = kind == REDUCE      ? right.all
                                   : kind == EXCLUSIVE ? right.exclusive[k]
                                                       : right.inclusive[k];
        const Out found = out.data[kind != REDUCE && reverse ? n - 1 - k : k];
        if (found != (Out)(x ? *x : CALLER::identity())) {
            char words[200];
            snprintf(words, sizeof words, "a tree of %zu, kind %u, ways %u, %u blocks: element %zu",
                     n, kind, ways, blocks, k);
            emulator::fail(words);
        }
    }
    if (!out.is_intact() || deferred[0] != 0)
        emulator::fail("something beside the output was written, or an error");
}

template <typename CALLER, typename Out = typename CALLER::E>
static void trees()
{
    static unsigned turn = 0;
    for (const size_t n : {0u, 1u, 2u, 15u, 17u, 2047u, 2048u, 2049u, 3 * 2048u, 4 * 2048u + 100,
                           7 * 2048u + 1, 21 * 2048u})
        for (unsigned k = 0; k < 4; k++, turn++)
            test_tree<CALLER, Out>(n, 1 + turn % 3, (turn + n) % KINDS, turn * 5 % 8);
}

int main()
{
    trees<grouped_caller<uint32_t, true>>();
    trees<grouped_caller<uint64_t, false>>();
    trees<grouped_caller<uint8_t, false>>();
    trees<grouped_maps, uint64_t>();
    return 0;
}
