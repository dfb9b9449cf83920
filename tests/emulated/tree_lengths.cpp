/*
 * The reproducible scan and reduction (scan/reproducible/reproducible_kernels.cuh) in the emulator: with the
 * length in device memory they give the bits that they give with n on the host, by any number of blocks. Sums
 * of small integers are right in any grouping.
 */
#include "scan/reproducible/reproducible_kernels.cuh"
#include "tests/emulated/device_memory.h"

static chain_memory chain;

enum kind { INCLUSIVE, EXCLUSIVE, REDUCE, KINDS };

struct tree_test {
    size_t n;
    enum kind kind;
    bool reverse, starts, in_order;
    float init;
};

template <typename S>
static void fail(const tree_test &t, const char *words, size_t i)
{
    char line[200];
    snprintf(line, sizeof line,
             "a tree of %zu, kind %d, vectors of %u, reverse %d, init %d: %s at %zu", t.n,
             (int)t.kind, (unsigned)S::LANE, t.reverse, t.starts, words, i);
    emulator::fail(line);
}

/* room: not 0: n is in device memory, and at most this. Returns what the kernel has written. */
template <typename S>
static std::vector<typename S::Out> run(const tree_test &t, const typename S::In *in,
                                        uint64_t given, size_t room, unsigned blocks,
                                        uint64_t (&deferred)[2])
{
    typedef typename S::Out Out;
    const typename S::T init = t.init;
    const size_t results = t.kind == REDUCE ? 1 : t.n;
    guarded_array<Out> out(results, 0);
    tree_params<S> params = {};
    params.in = in;
    params.out = out.data;
    params.step = t.reverse ? -1 : 1;
    params.exclusive = t.kind == EXCLUSIVE;
    params.reduces = t.kind == REDUCE;
    params.keeps = !t.starts;
    params.start = t.starts ? t.init : -0.0f;
    params.first = t.starts ? t.init : 0.0f;
    if (t.starts && t.n % 2 == 0) { /* it is in device memory */
        params.start = params.first = 77;
        params.init.at = &init;
    }
    params.chain = chain.before_launch();
    params.length = {room != 0 ? &given : NULL, {deferred, 1}};
    params.set_length(room != 0 ? room : t.n);
    emulator::launch(blocks, S::THREADS, 0, t.in_order, [&] {
        if (room != 0 || params.init.at != nullptr)
            tree_kernel<S, parscan_operator_SUM, true>(params);
        else
            tree_kernel<S, parscan_operator_SUM, false>(params);
    });
    if (!out.is_intact())
        fail<S>(t, "something beside the output was written", 0);
    return std::vector<Out>(out.data, out.data + results);
}

/* The sum before (EXCLUSIVE) or up to element i, in the order of the scan; of all for a reduction. */
template <typename In>
static std::vector<double> sums_of(const tree_test &t, const In *in)
{
    std::vector<double> sums;
    double sum = t.starts ? t.init : 0;
    for (size_t i = 0; i < t.n; i++) {
        if (t.kind == EXCLUSIVE)
            sums.push_back(sum);
        sum += (double)in[t.reverse ? t.n - 1 - i : i];
        if (t.kind == INCLUSIVE)
            sums.push_back(sum);
    }
    if (t.kind == REDUCE)
        sums.push_back(sum);
    else if (t.reverse)
        std::reverse(sums.begin(), sums.end());
    return sums;
}

/* whole: the elements are small integers. */
template <typename S>
static void test(const tree_test &t, bool whole)
{
    typedef typename S::In In;
    guarded_array<In> in(t.n, 0);
    uint64_t deferred[2] = {};
    for (size_t i = 0; i < t.n; i++) {
        const In value = (In)(int)(emulator::running.random() % 201) - 100;
        in.data[i] = whole ? value : value / 7;
    }
    const size_t tiles = t.n == 0 ? 1 : (t.n - 1) / S::TILE + 1;
    const auto right = run<S>(t, in.data, 0, 0, tiles < 2 ? (unsigned)tiles : 2, deferred);
    const std::vector<double> sums = sums_of(t, in.data);
    for (size_t i = 0; whole && i < right.size(); i++)
        if ((double)right[i] != sums[i])
            fail<S>(t, "wrong sum", i);
    const struct {
        uint64_t given;
        size_t room;
        unsigned blocks;
    } ways[] = {{t.n, t.n, 1}, {t.n, t.n + 1, 2}, {t.n, 5 * S::TILE, 5}, {t.n + 9, t.n, 3}};
    for (const auto &way : ways) {
        if (way.room == 0)
            continue;
        deferred[0] = deferred[1] = 0;
        const auto found = run<S>(t, in.data, way.given, way.room, way.blocks, deferred);
        for (size_t i = 0; i < right.size(); i++)
            if (memcmp(&found[i], &right[i], sizeof found[i]) != 0)
                fail<S>(t, "other bits with the length in device memory", i);
        if ((deferred[0] != 0) != (way.given > way.room))
            fail<S>(t, "an error is left, or it lacks", way.blocks);
    }
}

template <typename S>
static void test_all()
{
    const size_t tile = S::TILE;
    const size_t lengths[] = {0, 1, 17, TREE_TILE + 1, tile - 1, tile, tile + 1, 4 * tile + 100};
    unsigned k = 0;
    for (const size_t n : lengths)
        for (unsigned kind = 0; kind < KINDS; kind++, k++) {
            const bool reverse = S::LANE == 1 && k % 2 == 1;
            test<S>({n, (enum kind)kind, reverse, k % 3 == 0, k % 5 == 0, 1.5f}, true);
            test<S>({n, (enum kind)kind, !reverse && S::LANE == 1, k % 3 == 1, k % 4 == 0, 0.3f},
                    false);
        }
}

int main()
{
    test_all<tree_shape<float, float, 1, 2, 2>>();
    test_all<tree_shape<float, float, 4, 2, 2>>();
    test_all<tree_shape<float, double, 1, 2, 2>>();
    return 0;
}
