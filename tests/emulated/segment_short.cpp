/*
 * The sort of windows of short segments (apps/sort/segment_short_kernels.cuh) in the emulator: keys of every
 * width at every alignment, in place and not, empty and too long segments, too many, and offsets that decrease.
 */
#include "apps/sort/segment_short_kernels.cuh"

enum shape { SHORT, MANY_EMPTY, SOME_LONG, DECREASING, SHAPES };
static const char *const names[] = {"short", "many empty", "some long", "decreasing"};

struct short_test {
    size_t n;
    shape of;
    unsigned window, shift; /* shift: the keys' first byte is so far behind a multiple of 16 */
    bool wide, in_place, descending;
};

static std::vector<uint64_t> offsets_of(const short_test &t)
{
    static const unsigned lengths[] = {1, 128, 0, 8,  9, 2,  16, 17, 3, 1, 32, 33, 5, 1,
                                       2, 64,  1, 65, 4, 96, 1,  7,  1, 2, 3,  1,  1, 127};
    std::vector<uint64_t> offsets{0};
    for (unsigned k = 0; offsets.back() < t.n; k++) {
        const uint64_t last = offsets.back(), random = emulator::running.random();
        uint64_t length = k % 3 == 0 ? lengths[random % 28] : random % 9;
        if (t.of == SOME_LONG && random % 200 == 0)
            length = 129 + random % 1000;
        if (t.of == MANY_EMPTY && k == 500)
            offsets.insert(offsets.end(), 1100, last);
        offsets.push_back(std::min<uint64_t>(t.n, last + length));
    }
    if (t.of == DECREASING)
        for (unsigned k = 0; k < 5; k++)
            std::swap(offsets[emulator::running.random() % offsets.size()],
                      offsets[emulator::running.random() % offsets.size()]);
    return offsets;
}

/* Fails unless the segments that start in each window are sorted, or not touched where one is too long or
   too many start there, and nothing else is written. */
template <typename S>
static void test(const short_test &t, bool in_order)
{
    typedef typename S::Key Key;
    typedef typename S::Bits Bits;
    const std::vector<uint64_t> offsets = offsets_of(t);
    const std::vector<uint32_t> narrow(offsets.begin(), offsets.end());
    const size_t count = offsets.size() - 1, room = t.n * sizeof(Bits) + 64;
    const unsigned blocks = (unsigned)((t.n + t.window - 1) / t.window);
    std::vector<uint64_t> in(room / 8 + 1), out(room / 8 + 1, 0x5a5a5a5a5a5a5a5au);
    const auto keys_of = [&](std::vector<uint64_t> &array) {
        return (Bits *)(((uintptr_t)array.data() + 15) / 16 * 16 + t.shift);
    };
    for (uint64_t &word : in)
        word = emulator::running.random();
    const std::vector<Bits> given(keys_of(in), keys_of(in) + t.n);
    std::vector<char> sorted(blocks);
    segment_params<Key> params = {};
    params.keys_in = keys_of(in);
    params.keys_out = t.in_place ? keys_of(in) : keys_of(out);
    params.offsets = t.wide ? (const void *)offsets.data() : (const void *)narrow.data();
    params.wide = t.wide;
    /* The host knows the lengths, or only the device does. */
    const uint64_t there[] = {t.n, count};
    params.n = t.n;
    params.count = count;
    if (emulator::running.random() % 2 != 0) {
        params.n += 1000;
        params.count += 7;
        params.n_there.at = &there[0];
        params.count_there.at = &there[1];
    }
    params.window = t.window;
    params.flip = (Bits)(t.descending ? ~(uint64_t)0 : 0);
    emulator::launch(blocks, S::THREADS, sizeof(segment_tile_shared<S>), in_order, [&] {
        segment_tile_shared<S> &shared = *(segment_tile_shared<S> *)own_block().shared;
        const uint64_t window = (uint64_t)blockIdx.x * t.window;
        const bool done = sort_short_segments(params, shared, params.sizes(), window);
        if (threadIdx.x == 0)
            sorted[blockIdx.x] = done;
    });
    if (t.of == DECREASING)
        return;
    std::vector<Bits> expected(given);
    if (!t.in_place)
        memset(expected.data(), 0x5a, t.n * sizeof(Bits));
    for (unsigned b = 0; b < blocks; b++) {
        bool has_long = false;
        size_t begun = 0;
        for (size_t k = 0; k < count; k++) {
            if (offsets[k] / t.window != b || offsets[k] == t.n)
                continue;
            begun++;
            has_long = has_long || offsets[k + 1] - offsets[k] > SORT_MOST_BY_WARP;
            if (!sorted[b])
                continue;
            Bits *const at = expected.data() + offsets[k];
            std::copy(given.begin() + offsets[k], given.begin() + offsets[k + 1], at);
            std::sort(at, expected.data() + offsets[k + 1], [&](Bits x, Bits y) {
                return Key::encode(x, params.flip) < Key::encode(y, params.flip);
            });
        }
        const unsigned MOST = segment_lists<S>::MOST;
        if (sorted[b] ? has_long || begun > MOST : !has_long && begun + S::THREADS < MOST)
            emulator::fail(sorted[b]
                               ? "a window was sorted that has a segment too long, or too many"
                               : "a window of short segments was not sorted");
    }
    for (size_t i = 0; i < t.n; i++) {
        if (params.keys_out[i] == expected[i])
            continue;
        char words[200];
        snprintf(
            words, sizeof words,
            "%zu keys of %zu bytes, %s, windows of %u, shift %u, place %zu: %llx, expected %llx",
            t.n, sizeof(Bits), names[t.of], t.window, t.shift, i,
            (unsigned long long)params.keys_out[i], (unsigned long long)expected[i]);
        emulator::fail(words);
    }
}

template <typename KEY>
static void test_key(bool in_order)
{
    typedef segment_tile_shape<KEY, 8, 32, 2, false, true> S;
    const unsigned SIZE = sizeof(typename KEY::Bits);
    for (unsigned k = 0; k < 2 * SHAPES; k++)
        test<S>({k % 3 == 0 ? 9001u : 6144u + k, (shape)(k % SHAPES), k < SHAPES ? 2048u : 6144u,
                 k * SIZE % 16, k % 2 == 0, k % 5 < 2, k % 3 == 1},
                in_order);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_key<key_u8>(in_order != 0);
        test_key<key_u16>(in_order != 0);
        test_key<key_u32>(in_order != 0);
        test_key<key_u64>(in_order != 0);
    }
    return 0;
}
