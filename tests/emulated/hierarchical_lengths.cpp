/*
 * The hierarchical and the sequential scan (scan/hierarchical/hierarchical_kernels.cuh) in the emulator, with
 * the length in device memory: levels and grids are those of the most that it can be.
 */
#include "scan/hierarchical/hierarchical_kernels.cuh"
#include "tests/emulated/device_memory.h"

typedef uint64_t T;

struct scan_test {
    parscan_block_shape shape;
    bool tuned, exclusive, reverse, in_order;
    size_t n, room; /* room: not 0: n is in device memory, and at most this */
    uint64_t given; /* the length there; above room: the first elements are scanned */
    T init;         /* 0: there is none */
};

static void fail(const scan_test &t, const char *words, size_t i)
{
    char line[200];
    snprintf(line, sizeof line,
             "a scan of %zu in %zu by algorithm %d, %u x %u, reverse %d, exclusive %d: %s at %zu",
             t.n, t.room, (int)t.shape.algorithm, t.shape.threads, t.shape.items, t.reverse,
             t.exclusive, words, i);
    emulator::fail(line);
}

static size_t tiles_of(size_t n, size_t tile)
{
    return (n + tile - 1) / tile;
}

template <typename In>
static void launch_reduction(const scan_test &t, const level_params<In, T> &params)
{
    const size_t at_once = REDUCE_TILES_THREADS >> params.sharing;
    emulator::launch((unsigned)tiles_of(params.tiles, at_once), REDUCE_TILES_THREADS, 0, t.in_order,
                     [=] { reduce_tiles_of<In, T, parscan_operator_SUM, T, true>(params); });
}

template <typename In>
static void launch_scan(const scan_test &t, const level_params<In, T> &params)
{
    const unsigned blocks = params.batches < 3 ? (unsigned)params.batches : 3;
    const size_t own = block_shared_size(t.shape);
    if (!t.tuned) {
        emulator::launch(blocks, t.shape.threads, own * sizeof(T), t.in_order, [=] {
            scan_tiles_of<In, T, parscan_operator_SUM, false, T, true>(params);
        });
        return;
    }
    const size_t beyond = own - PADDED_SIZE(t.shape.threads * t.shape.items);
    const size_t room = PADDED_SIZE(BATCH) + BATCH_THREADS / t.shape.threads * beyond;
    emulator::launch(blocks, BATCH_THREADS, room * sizeof(T), t.in_order,
                     [=] { scan_tiles_of<In, T, parscan_operator_SUM, true, T, true>(params); });
}

/* A level of one tile is only scanned. */
template <typename In>
static void run_levels(const scan_test &t, level_params<In, T> params, T *sums)
{
    const size_t tile = (size_t)t.shape.threads * t.shape.items;
    params.tile_span = params.span * tile;
    params.set_length(t.room != 0 ? t.room : t.n);
    if (params.tiles > 1) {
        params.sums = sums;
        launch_reduction(t, params);
        level_params<T, T> above = {};
        above.in = above.out = {sums, 0, false};
        above.shape = t.shape;
        above.tiles_a_batch = params.tiles_a_batch;
        above.sharing = params.sharing;
        above.exclusive = above.starts = true;
        above.start = above.first = params.start;
        above.init = params.init;
        above.span = params.tile_span;
        above.length = params.length;
        run_levels(t, above, sums + params.tiles);
    }
    launch_scan(t, params);
}

template <typename In>
static void test(const scan_test &t)
{
    guarded_array<In> in(t.n, 0);
    guarded_array<T> out(t.n, 0);
    const size_t most = t.room != 0 ? t.room : t.n;
    guarded_array<T> sums(2 * most + 2, 0);
    uint64_t deferred[2] = {};
    std::vector<T> expected(t.n);
    T sum = t.init;
    for (size_t i = 0; i < t.n; i++)
        in.data[i] = (In)emulator::running.random();
    for (size_t i = 0; i < t.n; i++) {
        const size_t at = t.reverse ? t.n - 1 - i : i;
        expected[at] = t.exclusive ? sum : sum + in.data[at];
        sum += in.data[at];
    }
    level_params<In, T> params = {};
    params.in = {in.data, 0, t.reverse};
    params.out = {out.data, 0, t.reverse};
    params.shape = t.shape;
    params.exclusive = t.exclusive;
    params.starts = t.init != 0;
    params.start = params.first = t.init;
    if (t.init != 0 && t.n % 2 == 0) { /* it is in device memory */
        params.start = params.first = 77;
        params.init.at = &t.init;
    }
    params.span = 1;
    params.tiles_a_batch = t.tuned ? BATCH / (t.shape.threads * t.shape.items) : 1;
    params.sharing = (unsigned)(t.n % 9);
    params.length = {t.room != 0 ? &t.given : NULL, {deferred, 1}};
    if (most > 0 && t.shape.algorithm == PARSCAN_SEQUENTIAL) {
        params.tile_span = 1;
        params.set_length(most);
        emulator::launch(1, 32, 0, true, [=] {
            if (threadIdx.x == 0)
                scan_sequentially<In, T, parscan_operator_SUM, T>(params);
        });
    } else if (most > 0) {
        run_levels(t, params, sums.data);
    }
    for (size_t i = 0; i < t.n; i++)
        if (out.data[i] != expected[i])
            fail(t, "wrong element", i);
    if (!out.is_intact() || !sums.is_intact())
        fail(t, "something beside the output was written", 0);
    if ((deferred[0] != 0) != (t.room != 0 && t.given > t.room))
        fail(t, "an error is left, or it lacks", 0);
}

int main()
{
    const struct {
        parscan_block_shape shape;
        bool tuned;
    } shapes[] = {{{PARSCAN_KOGGE_STONE, 64, 1}, false},  {{PARSCAN_BRENT_KUNG, 32, 2}, false},
                  {{PARSCAN_THREE_PHASE, 32, 3}, false},  {{PARSCAN_WARP, 32, 1}, true},
                  {{PARSCAN_THREE_PHASE, 256, 16}, true}, {{PARSCAN_SEQUENTIAL, 0, 0}, false}};
    const size_t lengths[] = {0, 1, 31, 32, 33, 63, 64, 65, 1000, 4096, 4097};
    unsigned k = 0;
    for (const auto &each : shapes)
        for (const size_t n : lengths)
            for (const size_t room : {(size_t)0, n, n + 1, (size_t)9000}) {
                const scan_test t = {each.shape,
                                     each.tuned,
                                     k % 2 == 1,
                                     k / 2 % 2 == 1,
                                     k % 3 == 0,
                                     n,
                                     room,
                                     room == n ? n + k % 2 : n,
                                     k % 5 < 2 ? (T)7 : (T)0};
                test<uint64_t>(t);
                test<uint8_t>(t);
                k += 1 + k % 3;
            }
    return 0;
}
