/*
 * The pass of a radix sort (apps/radix/digit_pass_kernels.cuh) in the emulator, beside std::stable_sort. Where
 * threads run in random order, keys with the same digit that a warp counts at once are out of order, so
 * tiles are repaired, which has never been seen on a GPU.
 */
#include "apps/radix/digit_pass_kernels.cuh"
#include "tests/emulated/device_memory.h"

/* How many tiles were repaired; run.sh adds the counting to a copy of the kernel. */
unsigned long repaired_tiles;

struct sort_test {
    const char *name;
    size_t n;
    unsigned blocks;
    uint64_t distinct; /* keys; 0: any */
    bool descending, indices;
    unsigned shift; /* of the values, in elements past an aligned address */
    unsigned low_bit, high_bit;
    size_t most; /* only the device knows n: it is at most this; 0: the host knows it */
};

static std::vector<sort_digit> digits_of(const sort_test &t)
{
    std::vector<sort_digit> digits;
    for (unsigned low = t.low_bit; low < t.high_bit; low += 8)
        digits.push_back({low, (1u << std::min(8u, t.high_bit - low)) - 1});
    return digits;
}

/* The arrays of a sort: those given, the output and the spare ones. */
template <typename S>
struct sort_arrays {
    typedef typename S::Bits Bits;
    typedef typename S::AnyValue Value;
    std::vector<guarded_array<Bits>> keys;
    std::vector<Value> room[SORT_PLACES];
    Value *values[SORT_PLACES];

    explicit sort_arrays(const sort_test &t)
    {
        keys.reserve(SORT_PLACES);
        for (unsigned p = 0; p < SORT_PLACES; p++) {
            keys.emplace_back(t.n, 0);
            room[p].resize(t.n + 32);
            values[p] = room[p].data();
            while ((uintptr_t)values[p] % 16 != 0)
                values[p]++;
            values[p] += t.shift;
        }
        for (size_t i = 0; i < t.n; i++) {
            const uint64_t random = emulator::running.random();
            keys[SORT_IN].data[i] =
                (Bits)(t.distinct ? random % t.distinct * 0x9e3779b97f4a7c15u : random);
            values[SORT_IN][i] = (Value)emulator::running.random();
        }
    }
};

/* The rank of each key given, by the bits that are sorted. */
template <typename S>
static std::vector<uint64_t> ranks_of(const sort_test &t, const sort_arrays<S> &arrays)
{
    typedef typename S::Key Key;
    typedef typename S::Bits Bits;
    const Bits flip = (Bits)(t.descending ? ~(uint64_t)0 : 0);
    uint64_t mask = 0;
    for (const sort_digit &digit : digits_of(t))
        mask |= (uint64_t)digit.mask << digit.low;
    std::vector<uint64_t> ranks(t.n);
    for (size_t i = 0; i < t.n; i++)
        ranks[i] =
            (uint64_t)Key::rank(Key::encode(arrays.keys[SORT_IN].data[i], flip), flip) & mask;
    return ranks;
}

/* Pass `number` of `count`, as the histogram's kernel would leave it. */
static sort_pass pass_of(const std::vector<uint64_t> &ranks, const sort_digit &digit, size_t number,
                         size_t count)
{
    sort_pass pass = {};
    pass.n = ranks.size();
    uint64_t counts[SORT_DIGITS] = {}, sum = 0;
    for (uint64_t rank : ranks)
        counts[rank >> digit.low & digit.mask]++;
    for (unsigned d = 0; d < SORT_DIGITS; d++) {
        pass.begin[d] = sum;
        sum += counts[d];
    }
    pass.active = 1;
    pass.first = number == 0;
    pass.last = number + 1 == count;
    pass.from = number == 0 ? SORT_IN : number % 2 == 1 ? SORT_OUT : SORT_SPARE;
    pass.to = number % 2 == 1 ? SORT_SPARE : SORT_OUT;
    return pass;
}

/* Runs all passes. Returns the place of the result. */
template <typename S>
static unsigned sort(const sort_test &t, bool in_order, sort_arrays<S> &arrays)
{
    typedef typename S::Key Key;
    typedef typename S::Bits Bits;
    const uint64_t flip = t.descending ? ~(uint64_t)0 : 0;
    const std::vector<sort_digit> digits = digits_of(t);
    const std::vector<uint64_t> ranks = ranks_of<S>(t, arrays);
    const size_t most = std::max(t.n, t.most), tiles = (most + S::TILE - 1) / S::TILE;
    const unsigned blocks = (unsigned)std::min<size_t>(t.blocks, tiles);
    unsigned rows = 1, result = SORT_IN;
    while (rows <= 3 * blocks && rows < tiles)
        rows *= 2;
    const bool in_groups = S::GROUPED && blocks == tiles;
    const unsigned all_rows = in_groups ? digit_group_rows(rows, blocks) : rows;
    std::vector<uint64_t> words((size_t)all_rows * SORT_DIGITS / 2, 0);
    for (size_t p = 0; p < digits.size(); p++) {
        const sort_pass pass = pass_of(ranks, digits[p], p, digits.size());
        digit_pass_params<S> params = {};
        params.pass = &pass;
        for (unsigned k = 0; k < SORT_PLACES; k++) {
            params.keys[k] = arrays.keys[k].data;
            params.values[k] = arrays.values[k];
        }
        params.n = most;
        params.tiles = tiles;
        params.digit = digit_of<Key>::make(digits[p], flip);
        params.flip = (Bits)flip;
        params.beyond = Key::beyond((Bits)flip);
        params.indices = t.indices;
        params.in_groups = in_groups;
        const uint64_t ordered = ((uint64_t)1 << digits[p].low) - ((uint64_t)1 << t.low_bit);
        params.known = (Bits)((uint64_t)digits[p].mask << digits[p].low | ordered);
        params.chain.words = words.data();
        params.chain.rows = rows;
        params.chain.launch = (uint32_t)p + 1;
        emulator::launch(blocks, S::THREADS, sizeof(digit_pass_shared<S>), in_order,
                         [&] { digit_pass<S>(params); });
        result = pass.to;
    }
    return result;
}

template <typename S>
static void expect_sorted(const sort_test &t, const sort_arrays<S> &arrays, unsigned result)
{
    typedef typename S::AnyValue Value;
    const std::vector<uint64_t> ranks = ranks_of<S>(t, arrays);
    std::vector<uint32_t> order(t.n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return ranks[a] < ranks[b]; });
    for (size_t i = 0; i < t.n; i++) {
        const uint64_t key = arrays.keys[result].data[i];
        const uint64_t expected = arrays.keys[SORT_IN].data[order[i]];
        const Value value = t.indices ? (Value)order[i] : arrays.values[SORT_IN][order[i]];
        char words[200];
        if (key == expected && (!S::HAS_VALUES || arrays.values[result][i] == value))
            continue;
        snprintf(words, sizeof words,
                 "%s, place %zu: key %llx, expected %llx; value %llx, expected %llx", t.name, i,
                 (unsigned long long)key, (unsigned long long)expected,
                 (unsigned long long)arrays.values[result][i], (unsigned long long)value);
        emulator::fail(words);
    }
}

template <typename KEY, unsigned VALUE_BYTES, unsigned ITEMS, rank_method METHOD = RANK_BY_COUNTS,
          unsigned BLOCKS = 1>
static void test(const sort_test &t, bool in_order)
{
    typedef digit_pass_shape<KEY, VALUE_BYTES, METHOD, 8, ITEMS, BLOCKS> shape;
    const unsigned long before = repaired_tiles;
    sort_arrays<shape> arrays(t);
    const unsigned result = sort<shape>(t, in_order, arrays);
    expect_sorted<shape>(t, arrays, result);
    printf("%s, n %zu, %u blocks, bits %u to %u, lanes in %s order: %lu tiles repaired\n", t.name,
           t.n, t.blocks, t.low_bit, t.high_bit, in_order ? "their" : "any",
           repaired_tiles - before);
    fflush(stdout);
}

/* Another kernel changes the keys after they were counted: elements stay in the arrays all the same. */
template <typename KEY, unsigned VALUE_BYTES, unsigned ITEMS, rank_method METHOD, unsigned BLOCKS>
static void test_changing(const sort_test &t, bool in_order)
{
    typedef digit_pass_shape<KEY, VALUE_BYTES, METHOD, 8, ITEMS, BLOCKS> shape;
    sort_arrays<shape> arrays(t);
    const auto change = [&] {
        const auto random = [] { return emulator::running.random(); };
        typename KEY::Bits *const keys = arrays.keys[SORT_IN].data;
        if (random() % 4096 == 0)
            std::fill(keys, keys + t.n, (typename KEY::Bits)(0 - random() % 2));
        keys[random() % t.n] = (typename KEY::Bits)random();
    };
    emulator::running.meanwhile = change;
    sort<shape>(t, in_order, arrays);
    emulator::running.meanwhile = nullptr;
    for (const guarded_array<typename KEY::Bits> &keys : arrays.keys)
        if (!keys.is_intact())
            emulator::fail("something beside an array of keys was written");
    for (unsigned p = 0; p < SORT_PLACES; p++)
        for (size_t k = t.n + t.shift; k < t.n + 8; k++)
            if (arrays.values[p][k - t.shift] != 0)
                emulator::fail("something behind the values was written");
}

static void test_all_changing(bool in_order)
{
    const size_t N = 20011;
    test_changing<key_u32, 0, 16, RANK_BY_COUNTS, 1>({"u32", N, 3, 0, false, false, 0, 0, 16},
                                                     in_order);
    test_changing<key_u32, 4, 16, RANK_BY_COUNTS, 1>(
        {"u32 + 4 bytes", N, 3, 0, false, false, 0, 0, 16}, in_order);
    test_changing<key_u64, 4, 12, RANK_BY_VOTES, 2>(
        {"u64 + 4 bytes, groups", 17 * 3072, 17, 0, false, false, 0, 0, 8}, in_order);
    test_changing<key_u16, 0, 12, RANK_BY_VOTES, 2>({"u16", N, 2, 0, true, false, 0, 0, 16},
                                                    in_order);
}

static void test_pairs(bool in_order)
{
    const size_t N = 20011, WHOLE = 5 * 3072; /* not whole tiles, and whole ones */
    test<key_u64, 4, 12>({"u64 + 4 bytes", N, 3, 0, false, false, 0, 0, 24}, in_order);
    test<key_u64, 4, 12>({"u64, indices", N, 3, 0, true, true, 0, 40, 64}, in_order);
    test<key_u64, 8, 12>({"u64 + 8 bytes, shifted", WHOLE, 2, 1000, false, false, 1, 0, 16},
                         in_order);
    test<key_u64, 8, 12>({"u64 + 8 bytes, 3 keys", WHOLE + 1, 2, 3, false, false, 0, 50, 64},
                         in_order);
    test<key_u32, 4, 16>({"u32 + 4 bytes, shifted", N, 3, 0, true, false, 1, 0, 32}, in_order);
    test<key_u32, 4, 16>({"u32, indices, 5 keys", N, 2, 5, false, true, 0, 0, 32}, in_order);
    test<key_f32, 8, 16>({"f32 + 8 bytes, 700 keys", N, 2, 700, false, false, 0, 0, 32}, in_order);
    test<key_u16, 4, 16>({"u16 + 4 bytes, 1 key", N, 3, 1, false, false, 0, 3, 13}, in_order);
}

/* A tile a block: 1 to 3 groups of 16 tiles, whole and not; and blocks that have 3 tiles. */
static void test_groups(bool in_order)
{
    test<key_u8, 0, 12, RANK_BY_VOTES, 2>({"u8, 1 group", 16 * 3072, 16, 0, false, false, 0, 0, 8},
                                          in_order);
    test<key_u16, 0, 12, RANK_BY_VOTES, 2>(
        {"u16, 2 groups", 17 * 3072 - 5, 17, 0, true, false, 0, 0, 16}, in_order);
    test<key_u64, 4, 12, RANK_BY_VOTES, 2>(
        {"u64 + 4 bytes, 3 groups", 33 * 3072 + 1, 34, 0, false, false, 0, 0, 8}, in_order);
    test<key_u64, 4, 12, RANK_BY_VOTES, 2>({"u64, 3 keys", 7 * 3072, 3, 3, false, false, 0, 0, 8},
                                           in_order);
}

/* Fewer elements than the host has made tiles for: of blocks with one tile, some of them in groups, and of
   blocks with several. */
template <typename KEY, unsigned VALUE_BYTES, unsigned ITEMS, rank_method METHOD, unsigned BLOCKS>
static void test_length(sort_test t, bool in_order)
{
    const size_t tile = 8 * 32 * ITEMS;
    for (size_t n :
         {(size_t)0, (size_t)1, tile - 1, tile, tile + 1, 2 * tile, t.most - 1, t.most}) {
        t.n = n;
        test<KEY, VALUE_BYTES, ITEMS, METHOD, BLOCKS>(t, in_order);
    }
}

static void test_lengths(bool in_order)
{
    test_length<key_u32, 0, 16, RANK_BY_COUNTS, 1>(
        {"u32, length there", 0, 2, 0, false, false, 0, 0, 32, 5 * 4096 + 7}, in_order);
    test_length<key_u64, 4, 12, RANK_BY_COUNTS, 1>(
        {"u64 + 4 bytes, length there", 0, 2, 900, true, false, 0, 0, 16, 4 * 3072}, in_order);
    test_length<key_u32, 8, 12, RANK_BY_VOTES, 1>(
        {"u32, indices, length there", 0, 3, 0, false, true, 0, 0, 16, 5 * 3072}, in_order);
    test_length<key_u16, 0, 12, RANK_BY_VOTES, 2>(
        {"u16, groups, length there", 0, 18, 0, true, false, 0, 0, 16, 17 * 3072 + 5}, in_order);
}

static void test_keys(bool in_order)
{
    test<key_u32, 0, 16>({"u32", 20011, 3, 0, false, false, 0, 0, 32}, in_order);
    test<key_u64, 0, 12>({"u64, 900 keys", 20011, 2, 900, true, false, 0, 0, 64}, in_order);
}

int main()
{
    test_pairs(true);
    test_keys(true);
    test_groups(true);
    test_lengths(true);
    test_all_changing(true);
    const unsigned long in_order = repaired_tiles;
    test_pairs(false);
    test_keys(false);
    test_groups(false);
    test_lengths(false);
    test_all_changing(false);
    if (repaired_tiles == in_order)
        emulator::fail("no tile was repaired, though lanes were served in any order");
    return 0;
}
