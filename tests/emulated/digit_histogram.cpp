/*
 * The first kernel of a radix sort (apps/radix/digit_histogram_kernels.cuh) in the emulator, where the host
 * knows the number of keys and where only the device does: the counts, the blocks that take part, and what
 * the passes are told. And the kernel that copies elements which are in order.
 */
#include "apps/radix/digit_histogram_kernels.cuh"
#include "apps/radix/ordered_kernels.cuh"

#include "tests/emulated/device_memory.h"

struct histogram_test {
    size_t n, most;  /* most: 0: the host knows n */
    uint64_t length; /* that the device reads, if it is not n */
    uint64_t distinct;
    unsigned blocks;
    bool aliased, settled;
};

static void fail(const histogram_test &t, const char *what, unsigned pass)
{
    char words[200];
    snprintf(words, sizeof words, "%zu of %zu keys, %llu of them distinct, %u blocks, pass %u: %s",
             t.n, t.most, (unsigned long long)t.distinct, t.blocks, pass, what);
    emulator::fail(words);
}

/* Expects the passes to move the n keys to the output, an even number of times if the sort is in place. */
static void expect_passes(const histogram_test &t, const sort_state &state, unsigned passes,
                          const std::vector<bool> &varies)
{
    unsigned place = SORT_IN, active = 0;
    for (unsigned p = 0; p < passes; p++) {
        const sort_pass &pass = state.passes[p];
        if (varies[p] && !pass.active)
            fail(t, "it is left out", p);
        if (!pass.active)
            continue;
        if (pass.n != t.n)
            fail(t, "a wrong number of keys", p);
        if (pass.from != place || pass.to == place || pass.first != (active == 0))
            fail(t, "a wrong place", p);
        place = pass.to;
        active++;
    }
    if (place != SORT_OUT && !(t.settled && active == 0))
        fail(t, "the keys do not come to the output", passes);
    if (t.aliased && active % 2 != 0)
        fail(t, "an odd number of passes", passes);
}

template <typename KEY, bool MANY>
static void test(const histogram_test &t, bool in_order)
{
    typedef typename KEY::Bits Bits;
    typedef digit_histogram_shape<KEY, MANY> shape;
    const unsigned digits = sizeof(Bits), passes = digits + (t.aliased && digits % 2 != 0);
    std::vector<Bits> keys(t.n);
    std::vector<uint64_t> counts(digits * SORT_DIGITS);
    for (Bits &key : keys) {
        const uint64_t random = emulator::running.random();
        key = (Bits)(t.distinct ? random % t.distinct * 0x9e3779b97f4a7c15u : random);
        for (unsigned p = 0; p < digits; p++)
            counts[p * SORT_DIGITS + ((uint64_t)key >> 8 * p & 255)]++;
    }
    std::vector<sort_state> memory(1);
    sort_state &state = memory[0];
    memset((void *)&state, 0, sizeof state);
    const uint64_t length = t.length > t.n ? t.length : t.n;
    uint64_t error[2] = {};
    digit_histogram_params<KEY> params = {};
    params.keys = keys.data();
    params.n = t.most > 0 ? t.most : t.n;
    params.length.at = t.most > 0 ? &length : NULL;
    params.length.deferred = {error, 7};
    params.plan = &state;
    params.digits = digits;
    params.passes = passes;
    params.whole = true;
    params.aliased = t.aliased;
    params.settled = t.settled;
    for (unsigned p = 0; p < digits; p++)
        params.digit[p] = digit_of<KEY>::make({8 * p, 255}, 0);
    emulator::launch(t.blocks, shape::THREADS, shape::BYTES, in_order,
                     [&] { digit_histogram<KEY, MANY, Bits>(params); });
    std::vector<bool> varies(passes);
    for (unsigned p = 0; p < digits; p++) {
        uint64_t begin = 0;
        for (unsigned d = 0; d < SORT_DIGITS; d++) {
            const uint64_t count = counts[p * SORT_DIGITS + d];
            if (state.counts[p * SORT_DIGITS + d] != count)
                fail(t, "a wrong count", p);
            if (state.passes[p].begin[d] != begin)
                fail(t, "a digit begins elsewhere", p);
            varies[p] = varies[p] || (count != 0 && count != t.n);
            begin += count;
        }
    }
    expect_passes(t, state, passes, varies);
    const size_t useful = t.n * sizeof(Bits) / (shape::THREADS * 16) + 1;
    if (state.blocks_done != (t.most == 0 ? t.blocks : std::min<size_t>(t.blocks, useful)))
        fail(t, "a wrong number of blocks took part", 0);
    if ((uint32_t)error[0] != (length > t.n ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK))
        fail(t, "a wrong status was left", 0);
}

/* Bins: the offsets, and the passes, of which the first leaves out what has no bin. */
static void test_bins(size_t n, size_t most, enum bin_offsets from, bool in_order)
{
    typedef bin_key<uint32_t> key;
    typedef digit_histogram_shape<key, false> shape;
    const size_t bins = from == OFFSETS_OF_DIGITS ? 200 : 5000;
    std::vector<uint16_t> given(n);
    std::vector<uint64_t> expected(bins + 1);
    guarded_array<uint32_t> offsets(bins + 1, 0);
    uint64_t kept = 0;
    for (uint16_t &bin : given) {
        bin = (uint16_t)(emulator::running.random() % (bins + 50));
        kept += bin < bins;
        for (size_t b = bin + 1; b <= bins; b++)
            expected[b]++;
    }
    const histogram_test t = {n, most, 0, bins, 3};
    std::vector<sort_state> memory(1);
    sort_state &state = memory[0];
    memset((void *)&state, 0, sizeof state);
    const uint64_t length = n;
    digit_histogram_params<key> params = {};
    params.keys = (const uint32_t *)given.data();
    params.n = most;
    params.length.at = &length;
    params.plan = &state;
    params.digits = params.passes = from == OFFSETS_OF_DIGITS ? 1 : 2;
    params.bins = {bins, sizeof(uint16_t), bins, offsets.data, false, from};
    params.ranges = from == OFFSETS_OF_RANGES ? (unsigned)bin_ranges(bins) : 0;
    for (unsigned p = 0; p < params.digits; p++)
        params.digit[p] = digit_of<key>::make({8 * p, 255}, 0);
    emulator::launch(t.blocks + params.ranges, shape::THREADS, shape::BYTES, in_order,
                     [&] { digit_histogram<key, false, uint16_t>(params); });
    for (size_t b = 0; b <= bins; b++)
        if (offsets.data[b] !=
            (from == OFFSETS_OF_TILES && b < bins ? UINT32_MAX : (uint32_t)expected[b]))
            fail(t, "a wrong offset", (unsigned)b);
    if (!offsets.is_intact())
        fail(t, "something beside the offsets was written", 0);
    for (unsigned p = 0, active = 0; p < params.passes; p++) {
        const sort_pass &pass = state.passes[p];
        if (pass.active && pass.n != (active == 0 ? n : kept))
            fail(t, "a wrong number of bins", p);
        active += pass.active;
    }
}

template <typename KEY, bool MANY>
static void test_lengths(bool in_order)
{
    const size_t most = 20011, threads = digit_histogram_shape<KEY, MANY>::THREADS;
    const size_t batch = threads * 16 / sizeof(typename KEY::Bits);
    test<KEY, MANY>({most, 0, 0, 0, 3, false, false}, in_order);
    for (size_t n : {(size_t)0, (size_t)1, batch - 1, batch, batch + 1})
        test<KEY, MANY>({n, most, 0, n % 2 * 300, 4, n % 2 != 0, n % 4 == 1}, in_order);
    test<KEY, MANY>({most, most, most + 1, 1, 3, true, true}, in_order);
}

enum { RISES, FALLS, FALLS_WITH_TIES, ONE_OUT, EQUAL, MIXED, APPENDED, ORDERS };

struct order_test {
    size_t n;
    unsigned order, blocks;
    bool with_values, indices, in_place, flips;

    size_t head() const { return n - n / 16; }
};

static void fail(const order_test &t, const char *what, size_t i)
{
    char words[200];
    snprintf(
        words, sizeof words,
        "order %u of %zu keys, %u blocks, values %d, indices %d, in place %d, flip %d: %s at %zu",
        t.order, t.n, t.blocks, t.with_values, t.indices, t.in_place, t.flips, what, i);
    emulator::fail(words);
}

/* Key i of n; 5 equal ones after each other in FALLS_WITH_TIES. */
template <typename Bits>
static Bits key_of_order(const order_test &t, size_t i)
{
    const uint64_t falls = t.n - i;
    uint64_t key = t.order == FALLS             ? falls
                   : t.order == FALLS_WITH_TIES ? falls / 5
                   : t.order == EQUAL           ? 7
                   : t.order == APPENDED        ? (i < t.head() ? 9 + i / 2 : falls)
                   : t.order == MIXED           ? emulator::running.random()
                                                : i;
    if (t.order == ONE_OUT && i == t.n / 2)
        key = 0;
    return (Bits)(t.flips ? ~key : key);
}

/* Expects that the passes sort the tail into the spare place. */
template <typename KEY>
static void expect_tail(const order_test &t, const sort_state &state,
                        const digit_histogram_params<KEY> &params)
{
    const size_t head = t.head(), n = t.n - head;
    unsigned place = SORT_TAIL;
    for (unsigned p = 0; p < params.digits; p++) {
        const sort_pass &pass = state.passes[p];
        uint64_t counts[SORT_DIGITS] = {}, before = 0;
        for (size_t i = head; i < t.n; i++)
            counts[KEY::rank(KEY::encode(params.keys[i], params.flip), params.flip) >> 8 * p &
                   255]++;
        bool varies = true;
        for (unsigned d = 0; d < SORT_DIGITS; d++) {
            if (pass.begin[d] != before)
                fail(t, "a digit of the tail starts elsewhere", d);
            before += counts[d];
            varies = varies && counts[d] != n;
        }
        if (varies && !pass.active)
            fail(t, "a pass of the tail is left out", p);
        if (!pass.active)
            continue;
        if (pass.n != n || pass.from != place)
            fail(t, "a pass of the tail has a wrong place", p);
        place = pass.to;
    }
    if (place != SORT_SPARE)
        fail(t, "the tail does not come to the spare place", place);
}

/* Expects elements in order in the output, and no pass left; or all passes as they were. */
template <typename KEY, bool HAS_VALUES>
static void test_order(const order_test &t, bool in_order)
{
    typedef typename KEY::Bits Bits;
    typedef digit_histogram_shape<KEY, true> shape;
    guarded_array<Bits> keys(t.n, 1), sorted(t.n, 2);
    guarded_array<uint32_t> values(t.n, 1), moved(t.n, 3);
    for (size_t i = 0; i < t.n; i++) {
        keys.data[i] = key_of_order<Bits>(t, i);
        values.data[i] = (uint32_t)i + 1000;
    }
    std::vector<sort_state> memory(1);
    sort_state &state = memory[0];
    memset((void *)&state, 0, sizeof state);
    digit_histogram_params<KEY> params = {};
    params.keys = keys.data;
    params.n = t.n;
    params.plan = &state;
    params.flip = t.flips ? (Bits) ~(Bits)0 : 0;
    params.digits = params.passes = sizeof(Bits);
    params.whole = params.notices = true;
    for (unsigned p = 0; p < params.digits; p++)
        params.digit[p] = digit_of<KEY>::make({8 * p, 255}, params.flip);
    emulator::launch(t.blocks, shape::THREADS, shape::BYTES, in_order,
                     [&] { digit_histogram<KEY, true, Bits>(params); });
    unsigned active = 0, left = 0;
    for (unsigned p = 0; p < params.passes; p++)
        active += state.passes[p].active;
    ordered_params<KEY> ordered = {};
    (digit_histogram_params<KEY> &)ordered = params;
    ordered.keys_out = t.in_place ? keys.data : sorted.data;
    ordered.values_in = values.data;
    ordered.values_out = moved.data;
    ordered.indices = t.indices;
    ordered.head = t.in_place ? 0 : t.head();
    emulator::launch(t.blocks, ORDERED_THREADS, 0, in_order,
                     [&] { copy_if_ordered<KEY, uint32_t, HAS_VALUES>(ordered); });
    for (unsigned p = 0; p < params.passes; p++)
        left += state.passes[p].active;
    const bool falls = (t.order == FALLS && t.n > 1) || (t.order == FALLS_WITH_TIES && t.n > 4);
    const bool apart = t.order == APPENDED && !t.in_place && t.n >= 32;
    if (state.head != (apart ? t.head() : 0) || state.tail != (apart ? t.n - t.head() : 0))
        fail(t, "a wrong tail", (size_t)state.tail);
    const bool copied = falls ? !t.in_place && (t.order == FALLS || !HAS_VALUES)
                              : (t.order != ONE_OUT && t.order < MIXED) || t.n < 3 ||
                                    (t.order == APPENDED && t.n < 16);
    if (apart)
        expect_tail<KEY>(t, state, params);
    else if ((t.order != MIXED || t.n > 5) && left != (copied ? 0 : active))
        fail(t, "a wrong number of passes is left", left);
    for (size_t i = 0; i < t.n && copied && t.order != MIXED; i++) {
        const size_t from = falls ? t.n - 1 - i : i;
        if (!t.in_place && sorted.data[i] != keys.data[from])
            fail(t, "a wrong key", i);
        if (HAS_VALUES && moved.data[i] != (t.indices ? from : values.data[from]))
            fail(t, "a wrong value", i);
    }
    if (!keys.is_intact() || !sorted.is_intact() || !moved.is_intact())
        fail(t, "something beside the output was written", 0);
}

template <typename KEY>
static void test_orders(bool in_order)
{
    unsigned k = 0;
    for (size_t n : {1, 5, 4096, 8193})
        for (unsigned order = 0; order < ORDERS; order++, k++) {
            const unsigned h = k * 7 + k / ORDERS;
            const order_test t = {n,          order,     1 + h % 3, h % 2 != 0, h / 2 % 2 != 0,
                                  h % 5 == 0, h % 3 == 0};
            if (t.with_values)
                test_order<KEY, true>(t, in_order);
            else
                test_order<KEY, false>(t, in_order);
        }
    /* The last block to look may come when warps of another one have not yet counted their part of the tail. */
    for (unsigned turn = 0; turn < 40 && !in_order; turn++)
        test_order<KEY, false>({16000, APPENDED, 2 + turn % 2, false, false, false, false}, false);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_lengths<key_u8, false>(in_order != 0);
        test_lengths<key_u32, false>(in_order != 0);
        test_lengths<key_u64, true>(in_order != 0);
        if (in_order != 0)
            test_orders<key_u64>(true);
        else
            test_orders<key_u32>(false);
        for (size_t n : {0, 1, 4095, 6000})
            for (enum bin_offsets from : {OFFSETS_OF_DIGITS, OFFSETS_OF_RANGES, OFFSETS_OF_TILES})
                test_bins(n, 6000, from, in_order != 0);
    }
    return 0;
}
