/*
 * Cuts of the sorted keys of several ranks (apps/sort/sort_cuts_kernels.cuh) in the emulator, beside a merge that is
 * counted: keys of every class, few values and many, NaNs, ranks without keys, cuts at both ends.
 */
#include "apps/sort/sort_cuts_kernels.cuh"
#include "tests/emulated/device_memory.h"

struct cut_test {
    std::vector<size_t> lengths; /* of each rank */
    uint64_t values;             /* of a key, from the least on; 0: any */
    unsigned cuts;
};

/* What each rank has among the first `target` of all. */
template <typename KEY>
static std::vector<uint64_t> merged(const key_order &order,
                                    const std::vector<std::vector<typename KEY::Bits>> &keys,
                                    uint64_t target)
{
    std::vector<uint64_t> taken(keys.size());
    for (; target > 0; target--) {
        size_t best = keys.size();
        for (size_t r = 0; r < keys.size(); r++)
            if (taken[r] < keys[r].size() &&
                (best == keys.size() || key_rank<KEY>(order, keys[r][taken[r]]) <
                                            key_rank<KEY>(order, keys[best][taken[best]])))
                best = r;
        taken[best]++;
    }
    return taken;
}

template <typename KEY>
static void test(const cut_test &t, uint64_t flip, bool in_order)
{
    typedef typename KEY::Bits Bits;
    std::vector<std::vector<Bits>> keys;
    uint64_t all = 0;
    parts_cuts params = {};
    params.order = {flip, ~(uint64_t)0};
    for (const size_t n : t.lengths) {
        std::vector<Bits> own(n);
        for (Bits &key : own) {
            const uint64_t random = emulator::running.random();
            key = (Bits)(t.values != 0 ? random % t.values * 0x10101 : random);
        }
        std::sort(own.begin(), own.end(), [&](Bits a, Bits b) {
            return key_rank<KEY>(params.order, a) < key_rank<KEY>(params.order, b);
        });
        params.of.n[keys.size()] = n;
        keys.push_back(own);
        all += n;
    }
    params.of.ranks = (unsigned)keys.size();
    params.of.count = t.cuts;
    for (size_t r = 0; r < keys.size(); r++)
        params.of.keys[r] = keys[r].data();
    for (unsigned k = 0; k < t.cuts; k++)
        params.of.targets[k] = t.cuts == 1 ? all / 3 : all * k / (t.cuts - 1);
    guarded_array<uint64_t> cuts(t.cuts * keys.size(), 1);
    params.cuts = cuts.data;
    emulator::launch(t.cuts, CUT_THREADS, 0, in_order, [&] { find_key_cuts<KEY>(params); });
    for (unsigned k = 0; k < t.cuts; k++) {
        const std::vector<uint64_t> expected =
            merged<KEY>(params.order, keys, params.of.targets[k]);
        for (size_t r = 0; r < keys.size(); r++)
            if (cuts.data[k * keys.size() + r] != expected[r])
                emulator::fail("another cut");
    }
    if (!cuts.is_intact())
        emulator::fail("something beside the cuts was written");
}

template <typename KEY>
static void of_class(uint64_t flip)
{
    const cut_test tests[] = {
        {{0, 0}, 0, 2},
        {{1, 0, 3}, 0, 5},
        {{5000, 7000}, 0, 4},
        {{3000, 2999}, 3, 3},
        {{0, 2000, 0, 1, 700}, 40, 3},
        {std::vector<size_t>(16, 150), 9, 3},
        {{600}, 0, 3},
    };
    bool in_order = false;
    for (const cut_test &t : tests)
        test<KEY>(t, flip, in_order = !in_order);
}

int main()
{
    of_class<key_u8>(0);
    of_class<key_u32>(1u << 31);
    of_class<key_u64>(0);
    of_class<key_f32>(0);
    of_class<key_bf16>(0);
    return 0;
}
