/*
 * Segmented scans and reductions by offsets without a pass over tiles of the whole array, in the
 * emulator, beside a loop: those of few elements (apps/segmented/segmented_direct.cuh), in blocks of
 * four warps, and reductions in parts (apps/segments/segmented_reduce_merge_path.cuh), and both with a block for each segment. Threads run
 * in random order and blocks fall behind, so a wait that is missing or that never ends shows.
 */
#include "apps/segmented/segmented_block_each.cuh"
#include "apps/segmented/segmented_direct.cuh"
#include "apps/segments/segmented_reduce_merge_path.cuh"
#include "tests/emulated/device_memory.h"

enum kernel { SCAN, REDUCTION, PARTS, BLOCK_SCAN, BLOCK_REDUCTION };
static const char *const kernels[] = {"scan", "reduction", "reduction in parts",
                                      "scan, a block a segment", "reduction, a block a segment"};

static bool scans(kernel of)
{
    return of == SCAN || of == BLOCK_SCAN;
}

/* The sum of an empty segment, another one than the library gives. */
#define EMPTY_SUM 9

enum pattern { ONE, SHORT, LONG, SOME_LONG, EMPTY };
static const char *const patterns[] = {"one", "short", "long", "some long", "many empty"};

/* `init`: 7, else there is none. */
struct offsets_test {
    kernel of;
    pattern segments;
    bool reverse, exclusive, init, wide;
    size_t n;
    unsigned each; /* the segments of a finder; of parts: elements and ends of a slice */
    uint32_t tile; /* n if there are no tile blocks; of parts: elements and ends of a part */
    /* A length in device memory, of which n is done: what the launch knows, or 0; and what it is. */
    size_t most = 0;
    uint64_t length = 0;
};

static void fail(const offsets_test &t, const char *what, size_t place)
{
    char words[200];
    snprintf(words, sizeof words,
             "%s, segments: %s%s%s%s, n %zu in %zu, each %u, tile %u: %s at %zu", kernels[t.of],
             patterns[t.segments], t.reverse ? ", reverse" : "", t.exclusive ? ", exclusive" : "",
             t.init ? ", init" : "", t.n, t.most, t.each, t.tile, what, place);
    emulator::fail(words);
}

/* One for all launches of a type. */
static chain_memory chain;

static std::vector<uint64_t> offsets_of(const offsets_test &t)
{
    const auto random_below = [](uint64_t end) { return emulator::running.random() % end; };
    std::vector<uint64_t> offsets{0};
    while (offsets.back() < t.n) {
        uint64_t length = t.n;
        switch (t.segments) {
        case ONE:
            break;
        case SHORT:
            length = 1 + random_below(700);
            break;
        case LONG:
            length = 1020 + random_below(10) + (offsets.size() % 5 == 0 ? t.n / 3 : 0);
            break;
        case SOME_LONG:
            length = offsets.size() % 6 == 0 ? 1025 + random_below(t.n / 3) : random_below(70);
            break;
        case EMPTY:
            length = offsets.size() % 50 == 0 ? 1 + random_below(t.n) : 0;
            break;
        }
        offsets.push_back(std::min<uint64_t>(t.n, offsets.back() + length));
    }
    return offsets;
}

/* A launch, and what it reads and writes. */
template <typename T>
struct offsets_arrays {
    std::vector<uint64_t> offsets;
    std::vector<uint32_t> narrow;
    guarded_array<T> in, out;
    uint64_t deferred[2] = {0, 0}, number = ~0ull, length, count;
    const T init = 7;
    segment_offsets segments = {};

    offsets_arrays(const offsets_test &t, const std::vector<uint64_t> &given)
        : offsets(given), narrow(given.begin(), given.end()), in(t.n, 1),
          out(scans(t.of) ? t.n : given.size() - 1, 1), length(t.length), count(given.size() - 1)
    {
        for (size_t i = 0; i < t.n; i++)
            in.data[i] = (T)emulator::running.random();
        segments.data = t.wide ? (const void *)offsets.data() : (const void *)narrow.data();
        segments.wide = t.wide;
        segments.count = offsets.size() - 1;
        segments.n = t.n;
        segments.deferred = {deferred, 0};
        segments.number = &number;
        if (t.most != 0) {
            segments.n = t.most;
            segments.n_at = &length;
            segments.count += count / 3 + 40;
            segments.count_at = &count;
        }
    }

    void run(const offsets_test &t, bool in_order) const
    {
        if (t.of == PARTS)
            run_parts(t, in_order);
        else if (t.of >= BLOCK_SCAN)
            run_blocks(t, in_order);
        else
            run_directly(t, in_order);
    }

  private:
    typedef parscan_operator_SUM sum;

    /* What the parameters of both kernels have. */
    template <typename Params>
    Params params_of(const offsets_test &t) const
    {
        Params params = {};
        params.in = in.data;
        params.out = out.data;
        params.offsets = segments;
        params.start = t.init ? 7 : 0;
        params.empty = scans(t.of) ? 0 : EMPTY_SUM;
        params.keeps = !t.init;
        if (t.init && t.wide && sizeof(T) <= 4) { /* from device memory */
            params.start = params.empty = 99;
            params.init_at = &init;
        }
        params.chain = chain.before_launch();
        return params;
    }

    void run_directly(const offsets_test &t, bool in_order) const
    {
        direct_params<T, T> params = params_of<direct_params<T, T>>(t);
        params.exclusive = t.exclusive;
        params.reverse = t.reverse;
        params.each = t.each;
        params.finders = (unsigned)((segments.count - 1) / t.each + 1);
        params.tile = t.tile;
        const unsigned tile_blocks =
            t.tile < segments.n ? (unsigned)((2 * segments.n - 1) / t.tile) : 0;
        if (params.finders > DIRECT_THREADS)
            fail(t, "more finders than threads of a block", params.finders);
        emulator::launch(params.finders + tile_blocks, DIRECT_THREADS, 0, in_order, [&] {
            if (t.of == SCAN)
                segments_directly<T, T, sum, true>(params);
            else
                segments_directly<T, T, sum, false>(params);
        });
    }

    void run_blocks(const offsets_test &t, bool in_order) const
    {
        direct_params<T, T> params = params_of<direct_params<T, T>>(t);
        params.exclusive = t.exclusive;
        params.reverse = t.reverse;
        emulator::launch((unsigned)segments.count, BLOCK_EACH_THREADS, 0, in_order, [&] {
            if (t.of == BLOCK_SCAN)
                segments_by_blocks<T, T, sum, true>(params);
            else
                segments_by_blocks<T, T, sum, false>(params);
        });
    }

    void run_parts(const offsets_test &t, bool in_order) const
    {
        merge_path_params<T, T> params = params_of<merge_path_params<T, T>>(t);
        params.part = t.tile;
        params.slice = t.each;
        size_t tiles = (t.n + segments.count - 1) / (t.tile * PARTS_OF_TILE) + 1;
        if (t.most != 0) /* parts follow from the length */
            tiles = params.tiles = 7;
        emulator::launch((unsigned)tiles, PARTS_THREADS, 0, in_order, [&] {
            if (t.wide)
                reduce_parts<T, T, sum, uint64_t>(params);
            else
                reduce_parts<T, T, sum, uint32_t>(params);
        });
    }
};

template <typename T>
static std::vector<T> expected(const offsets_test &t, const offsets_arrays<T> &arrays)
{
    std::vector<T> out(scans(t.of) ? t.n : arrays.offsets.size() - 1);
    for (size_t s = 0; s + 1 < arrays.offsets.size(); s++) {
        const size_t begin = arrays.offsets[s], length = arrays.offsets[s + 1] - begin;
        T sum = t.init ? 7 : 0;
        for (size_t k = 0; k < length; k++) {
            const size_t i = t.reverse ? begin + length - 1 - k : begin + k;
            const T before = sum;
            sum += arrays.in.data[i];
            if (scans(t.of))
                out[i] = t.exclusive ? before : sum;
        }
        if (!scans(t.of))
            out[s] = length == 0 && !(t.init && t.wide && sizeof(T) <= 4) ? EMPTY_SUM : sum;
    }
    return out;
}

template <typename T>
static void test(const offsets_test &t, bool in_order)
{
    offsets_arrays<T> arrays(t, offsets_of(t));
    arrays.run(t, in_order);
    const std::vector<T> out = expected(t, arrays);
    expect_right(arrays.out, out, arrays.deferred,
                 [&](const char *what, size_t place) { fail(t, what, place); });
    if (arrays.number != arrays.segments.count)
        fail(t, "wrong number of segments", (size_t)arrays.number);
}

/* The length and the number of segments are in device memory. */
template <typename T>
static void test_length(offsets_test t, bool in_order, size_t most, uint64_t length)
{
    const bool is_above = length > most;
    t.most = most;
    t.length = length;
    t.n = std::min<uint64_t>(length, most);
    offsets_arrays<T> arrays(t, offsets_of(t));
    arrays.run(t, in_order);
    if (is_above && arrays.deferred[0] != PARSCAN_ERROR_CAPACITY)
        fail(t, "no error of a length above", (size_t)arrays.deferred[1]);
    if (is_above)
        arrays.deferred[0] = 0;
    expect_right(arrays.out, expected(t, arrays), arrays.deferred,
                 [&](const char *what, size_t place) { fail(t, what, place); });
    if (arrays.number != arrays.count)
        fail(t, "wrong number of segments", (size_t)arrays.number);
}

/* The last offset is not the length that is in device memory. */
template <typename T>
static void test_other_length(offsets_test t, bool in_order, size_t most, uint64_t length)
{
    offsets_arrays<T> arrays(t, offsets_of(t));
    t.most = arrays.segments.n = most;
    arrays.length = length;
    arrays.segments.n_at = &arrays.length;
    arrays.run(t, in_order);
    expect_told(arrays.out, arrays.deferred, arrays.segments.count,
                [&](const char *what, size_t place) { fail(t, what, place); });
}

/* Offset `number` is wrong: that is found, and nothing beside the output is written. */
template <typename T>
static void test_wrong(const offsets_test &t, bool in_order, size_t number, uint64_t offset)
{
    std::vector<uint64_t> offsets = offsets_of(t);
    const size_t at = std::min(number, offsets.size() - 1);
    offsets[at] = offset;
    offsets_arrays<T> arrays(t, offsets);
    arrays.run(t, in_order);
    expect_told(arrays.out, arrays.deferred, at,
                [&](const char *what, size_t place) { fail(t, what, place); });
}

/* Another kernel changes the offsets during the launch: nothing beside the output is written, and the launch
   ends. */
template <typename T>
static void test_changing(const offsets_test &t, bool in_order)
{
    offsets_arrays<T> arrays(t, offsets_of(t));
    const std::vector<uint64_t> given = arrays.offsets;
    const auto change = [&] {
        const auto random = [] { return emulator::running.random(); };
        const size_t k = random() % given.size();
        const uint64_t any[] = {given[k], given[k], 0, t.n, random() % (t.n + 1), random()};
        arrays.offsets[k] = any[random() % 6];
        arrays.narrow[k] = (uint32_t)arrays.offsets[k];
    };
    emulator::running.meanwhile = change;
    arrays.run(t, in_order);
    emulator::running.meanwhile = nullptr;
    if (!arrays.out.is_intact())
        fail(t, "something beside the output was written", 0);
}

/* The sizes of test() for a kernel. */
struct sizes {
    unsigned each;
    uint32_t tile;
};

template <typename T>
static void test_type(bool in_order)
{
    chain = chain_memory();
    for (const kernel of : {SCAN, REDUCTION, PARTS, BLOCK_SCAN, BLOCK_REDUCTION}) {
        const bool reverse = scans(of) && in_order, exclusive = scans(of) && !in_order;
        const auto either = [&](sizes direct, sizes parts) { return of == PARTS ? parts : direct; };
        const auto run = [&](offsets_test t, sizes s) {
            t.each = s.each;
            t.tile = s.tile;
            test<T>(t, in_order);
        };
        run({of, ONE, reverse, false, false, false, 9001}, either({1, 9001}, {500, 2500}));
        run({of, ONE, reverse, exclusive, true, true, 9001}, either({1, 1024}, {1000, 128}));
        run({of, SHORT, reverse, exclusive, false, true, 6000}, either({7, 2048}, {333, 640}));
        run({of, LONG, false, exclusive, true, false, 15000}, either({3, 1500}, {256, 1024}));
        run({of, LONG, reverse, false, false, false, 12345}, either({32, 5000}, {700, 416}));
        run({of, SOME_LONG, reverse, exclusive, true, true, 14000}, either({9, 1300}, {97, 320}));
        run({of, EMPTY, reverse, exclusive, false, false, 8192}, either({32, 4095}, {192, 384}));
        const sizes s = either({5, 2000}, {160, 480});
        for (const uint64_t length : {0, 1, 31, 479, 1999, 2000, 2001, 4097, 9000, 9001, 70000})
            for (const pattern segments : {ONE, SHORT, SOME_LONG})
                test_length<T>(
                    {of, segments, reverse, exclusive, false, length % 2 != 0, 0, 32, s.tile},
                    in_order, 9000, length);
        test_other_length<T>({of, SHORT, reverse, exclusive, false, true, 5000, s.each, s.tile},
                             in_order, 9000, 4999);
        for (const pattern segments : {ONE, LONG, SOME_LONG}) {
            test_changing<T>(
                {of, segments, reverse, exclusive, false, in_order, 6000, s.each, s.tile},
                in_order);
            test_changing<T>({of, segments, reverse, exclusive, false, !in_order, 6000, 3, 1400},
                             in_order);
        }
        for (const bool wide : {false, true}) {
            const offsets_test few = {of,   SOME_LONG, false,  false, false,
                                      wide, 9000,      s.each, s.tile};
            test_wrong<T>(few, in_order, 0, 3);
            test_wrong<T>(few, in_order, 7, 0);
            test_wrong<T>(few, in_order, 8, wide ? (uint64_t)1 << 63 : 0xfffffff0u);
            test_wrong<T>(few, in_order, 9, wide ? UINT64_MAX : 0xffffffffu);
            test_wrong<T>(few, in_order, SIZE_MAX, few.n - 1);
        }
    }
    if (chain.wrapped != 1)
        emulator::fail("the last epoch was not that of one launch");
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_type<uint32_t>(in_order != 0);
        test_type<uint64_t>(in_order != 0);
    }
    return 0;
}
