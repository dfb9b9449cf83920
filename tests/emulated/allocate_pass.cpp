/*
 * Allocation, expansion and packing (apps/allocate) in the emulator, beside loops: in both forms of the
 * pipeline, with lengths that the host knows and lengths in device memory, up to and above what there is
 * room for.
 */
#include "apps/allocate/allocate_scan.cuh"
#include "apps/allocate/decode_kernels.cuh"
#include "apps/allocate/expand_kernels.cuh"
#include "apps/allocate/pack_kernels.cuh"
#include "tests/emulated/device_memory.h"

/* What is left in device memory after a call. */
struct device_words {
    uint64_t deferred[2] = {}, state[UNITS_ROOM] = {}, total = ~0ull;
};

struct length_test {
    size_t room;
    uint64_t length; /* may be above room */
    bool on_device;
    unsigned blocks, shift;

    size_t n() const { return length < room ? (size_t)length : room; }
    device_length at(device_words &words) const
    {
        return device_length{on_device ? &length : NULL, {words.deferred, 7}};
    }
};

static chain_memory chain;

static void fail(const length_test &t, const char *what, size_t place)
{
    char words[200];
    snprintf(words, sizeof words, "length %zu of %zu%s, %u blocks: %s at %zu", (size_t)t.length,
             t.room, t.on_device ? " on the device" : "", t.blocks, what, place);
    emulator::fail(words);
}

/* A length above its argument is told, with the call's ordinal, and nothing else is. */
static void expect_told_length(const length_test &t, const device_words &words)
{
    const bool told = t.length > t.room;
    if (words.deferred[0] != (told ? 7ull << 32 | PARSCAN_ERROR_CAPACITY : 0) ||
        (told && words.deferred[1] != (PARSCAN_IS_LENGTH | t.length)))
        fail(t, "another error is left", (size_t)words.deferred[0]);
}

template <typename S>
static void sum_sizes(const allocate_scan_params<S> &given)
{
    if constexpr (S::WARP_SPECIALISED) {
        scan_units<S>(given);
    } else {
        const allocate_scan_params<S> params = at_its_length(given);
        auto &shared = own_variable<allocate_scan_shared<S>>(__FILE__, __LINE__);
        run_unspecialised(units_steps<S>{{params, own_block().shared}, params, shared});
        finish_if_empty(params);
    }
}

/* Runs the scan of sizes. offsets: room + 1 of them, or NULL. */
template <typename S>
static void allocate(const length_test &t, bool in_order, const typename S::In *sizes,
                     typename S::T *offsets, device_words &words)
{
    allocate_scan_params<S> params = {};
    params.in = sizes;
    params.out = offsets;
    params.units.offsets = offsets;
    params.units.offset_type = sizeof *offsets == 4 ? PARSCAN_U32 : PARSCAN_U64;
    params.units.most = params.units.capacity = params.units.largest = UINT64_MAX;
    params.units.ends = offsets != NULL;
    params.units.state = words.state;
    params.units.total = &words.total;
    params.units.deferred = {words.deferred, 7};
    params.head_padding = (unsigned)((uintptr_t)offsets % 128 / sizeof *offsets);
    params.misalignment =
        (unsigned)(((uintptr_t)sizes - params.head_padding * sizeof *sizes) % 128);
    params.exclusive = true;
    params.length = t.at(words);
    params.set_length(t.on_device ? t.room : t.n());
    params.chain = chain.before_launch();
    emulator::launch((unsigned)std::min<size_t>(t.blocks, params.tiles), S::THREADS,
                     S::SHARED_BYTES, in_order, [&] { sum_sizes<S>(params); });
}

template <typename S>
static void test_sum(const length_test &t, bool in_order)
{
    typedef typename S::In In;
    typedef typename S::T Out;
    device_words words;
    guarded_array<In> sizes(t.n(), t.shift);
    guarded_array<Out> offsets(t.n() + 1, t.shift + 1);
    uint64_t sum = 0;
    for (size_t i = 0; i < t.n(); i++)
        sizes.data[i] = (In)(emulator::running.random() % 200);
    allocate<S>(t, in_order, sizes.data, offsets.data, words);
    for (size_t i = 0; i <= t.n(); i++) {
        if (offsets.data[i] != sum)
            fail(t, "wrong offset", i);
        sum += i < t.n() ? sizes.data[i] : 0;
    }
    if (words.total != sum || words.state[UNITS_TOTAL] != sum || words.state[UNITS_COUNT] != t.n())
        fail(t, "wrong total", (size_t)words.total);
    if (!offsets.is_intact())
        fail(t, "something beside the offsets was written", 0);
    expect_told_length(t, words);
    device_words alone;
    allocate<S>(t, in_order, sizes.data, NULL, alone);
    if (alone.total != sum)
        fail(t, "without offsets another total", (size_t)alone.total);
}

/* Of offsets that a scan has made: its kernel, and that of the slots. BEGINS: ranks of an item begin with
   a number of its own. */
template <typename Index, bool BEGINS>
static void test_expansion(const length_test &t, bool in_order)
{
    typedef single_pass_shape<uint16_t, uint32_t, 2, 2, 2, 2> S;
    device_words words;
    std::vector<uint16_t> sizes(t.n() + 1);
    std::vector<uint32_t> offsets(t.room + 1);
    std::vector<Index> owners, ranks;
    std::vector<uint32_t> begins(t.n() + 1);
    for (size_t i = 0; i < t.n(); i++) {
        sizes[i] = (uint16_t)(emulator::running.random() % 9 == 0 ? i % 60 : i % 3);
        begins[i] = BEGINS ? (uint32_t)emulator::running.random() : 0;
        owners.insert(owners.end(), sizes[i], (Index)i);
        for (size_t k = 0; k < sizes[i]; k++)
            ranks.push_back((Index)(begins[i] + k));
    }
    guarded_array<Index> owner(owners.size(), 4), rank(ranks.size(), t.shift);
    allocate<S>(t, in_order, sizes.data(), offsets.data(), words);
    slots_params slots = {};
    slots.offsets = offsets.data();
    slots.state = words.state;
    slots.owner = owner.data;
    slots.rank = rank.data;
    slots.begins = BEGINS ? begins.data() : NULL;
    emulator::launch(t.blocks, SLOTS_THREADS, 0, in_order,
                     [&] { expand_items<Index, uint32_t, BEGINS>(slots); });
    for (size_t i = 0; i < owners.size(); i++)
        if (owner.data[i] != owners[i] || rank.data[i] != ranks[i])
            fail(t, "wrong slot", i);
    if (!owner.is_intact() || !rank.is_intact())
        fail(t, "something beside the slots was written", 0);
    expect_told_length(t, words);
}

/* The same slots with values of `units` units. */
template <typename Unit>
static void test_decoding(const length_test &t, size_t units, bool in_order)
{
    typedef single_pass_shape<uint16_t, uint32_t, 2, 2, 2, 2> S;
    device_words words;
    std::vector<uint16_t> sizes(t.n() + 1);
    std::vector<uint32_t> offsets(t.room + 1);
    std::vector<Unit> values(t.n() * units + 1), expected;
    for (size_t u = 0; u < values.size(); u++) {
        memset(&values[u], (int)u, sizeof(Unit));
        memset(&values[u], (int)(u >> 8), 1);
    }
    for (size_t i = 0; i < t.n(); i++) {
        sizes[i] = (uint16_t)(emulator::running.random() % 9 == 0 ? i % 60 : i % 3);
        for (size_t k = 0; k < sizes[i]; k++)
            expected.insert(expected.end(), &values[i * units], &values[i * units] + units);
    }
    guarded_array<Unit> out(expected.size(), t.shift);
    allocate<S>(t, in_order, sizes.data(), offsets.data(), words);
    slots_params slots = {};
    slots.offsets = offsets.data();
    slots.state = words.state;
    slots.owner = out.data;
    slots.values = values.data();
    slots.value_size = units * sizeof(Unit);
    emulator::launch(t.blocks, SLOTS_THREADS, 0, in_order, [&] {
        if (units == 1)
            decode_items<Unit, uint32_t>(slots);
        else
            decode_several<Unit, uint32_t>(slots);
    });
    if (expected.size() > 0 &&
        memcmp(out.data, expected.data(), expected.size() * sizeof(Unit)) != 0)
        fail(t, "wrong value", units);
    if (!out.is_intact())
        fail(t, "something beside the values was written", units);
}

/* Records of up to 40 bytes, some of 2000, in reverse order. */
static void test_pack(const length_test &t, bool in_order)
{
    device_words words;
    std::vector<uint16_t> sizes(t.n() + 1);
    std::vector<uint32_t> from(t.n() + 1), to(t.n() + 1);
    uint32_t all = 0;
    for (size_t i = 0; i < t.n(); i++) {
        sizes[i] = (uint16_t)(emulator::running.random() % 300 == 0 ? 2000 : i % 40);
        from[i] = all;
        all += sizes[i];
    }
    for (size_t i = 0; i < t.n(); i++)
        to[i] = all - from[i] - sizes[i];
    std::vector<char> in(all + 1);
    for (char &byte : in)
        byte = (char)emulator::running.random();
    guarded_array<char> out(all, t.shift);
    std::vector<uint64_t> list(2 * t.room);
    pack_small_params params = {};
    params.size_type = PARSCAN_U16;
    params.offset_type = PARSCAN_U32;
    params.sizes = sizes.data();
    params.in_offsets = from.data();
    params.out_offsets = to.data();
    params.in = in.data();
    params.out = out.data;
    params.n = t.on_device ? t.room : t.n();
    params.batch = 8;
    params.state = words.state;
    params.listed = words.state + UNITS_LISTED;
    params.items = list.data();
    params.ends = list.data() + t.room;
    params.room = t.room;
    params.length = t.at(words);
    emulator::launch(t.blocks, PACK_THREADS, 0, in_order, [&] { pack_small(params); });
    emulator::launch(t.blocks, PACK_THREADS, 0, in_order, [&] { pack_large(params); });
    for (size_t i = 0; i < t.n(); i++)
        if (memcmp(out.data + to[i], in.data() + from[i], sizes[i]) != 0)
            fail(t, "wrong record", i);
    if (!out.is_intact())
        fail(t, "something beside the records was written", 0);
    expect_told_length(t, words);
}

/* Lengths around a tile of `tile` sizes. */
template <typename Test>
static void test_lengths(size_t tile, Test test)
{
    const size_t room = 3 * tile + 17;
    const uint64_t lengths[] = {0, 1, tile - 1, tile, tile + 1, 2 * tile + 5, room, room + 1000};
    unsigned k = 0;
    for (const uint64_t length : lengths)
        for (int on_device = 0; on_device < 2; on_device++, k++)
            if (on_device || (length > 0 && length <= room))
                test(length_test{room, length, on_device != 0, 1 + k % 3, k % 5}, k % 4 == 0);
}

int main()
{
    typedef single_pass_shape<uint8_t, uint32_t, 2, 2, 2, 2> bytes;
    typedef single_pass_shape<uint64_t, uint64_t, 2, 2, 2, 2> wide;
    typedef single_pass_shape<uint32_t, uint64_t, 2, 0, 2, 1> unspecialised;
    test_lengths(bytes::TILE, test_sum<bytes>);
    test_lengths(wide::TILE, test_sum<wide>);
    test_lengths(unspecialised::TILE, test_sum<unspecialised>);
    test_lengths(300, test_expansion<uint32_t, false>);
    test_lengths(500, test_expansion<uint64_t, false>);
    test_lengths(300, test_expansion<uint64_t, true>);
    const auto decode = [](auto unit, size_t units) {
        test_lengths(250, [=](const length_test &t, bool in_order) {
            test_decoding<decltype(unit)>(t, units, in_order);
        });
    };
    decode(uint8_t{}, 1);
    decode(uint16_t{}, 1);
    decode(uint32_t{}, 1);
    decode(uint64_t{}, 1);
    decode(uint4{}, 1);
    decode(uint8_t{}, 3);
    decode(uint64_t{}, 300);
    test_lengths(200, test_pack);
    return 0;
}
