/*
 * Reproducible sums along an axis (scan/axis/axis_tree.cuh) in the emulator: each line has the bits that the
 * kernel of one line (scan/reproducible) gives it.
 */
#include "scan/axis/axis_tree.cuh"
#include "tests/emulated/device_memory.h"

static chain_memory chain;

enum kind { INCLUSIVE, EXCLUSIVE, REDUCE, KINDS };

struct tree_test {
    size_t lines, n;
    bool rows_near; /* the lines are rows; else they are columns */
    enum kind kind;
    bool backwards, starts;
    unsigned blocks;
};

static void fail(const tree_test &t, size_t line, size_t i)
{
    char words[200];
    snprintf(
        words, sizeof words,
        "%zu lines of %zu, rows %d, kind %d, backwards %d, init %d: other bits in line %zu at %zu",
        t.lines, t.n, t.rows_near, (int)t.kind, t.backwards, t.starts, line, i);
    emulator::fail(words);
}

static const float INIT = 0.3f;

template <typename T>
static std::vector<T> alone(const tree_test &t, const std::vector<T> &in)
{
    typedef tree_shape<T, T, 1, 2, 2> S;
    std::vector<T> out(t.kind == REDUCE ? 1 : t.n);
    tree_params<S> params = {};
    params.in = in.data();
    params.out = out.data();
    params.step = t.backwards ? -1 : 1;
    params.exclusive = t.kind == EXCLUSIVE;
    params.reduces = t.kind == REDUCE;
    params.keeps = !t.starts;
    params.start = t.starts ? (T)INIT : (T)-0.0;
    params.first = t.starts ? (T)INIT : (T)0;
    params.chain = chain.before_launch();
    params.set_length(t.n);
    emulator::launch(1, S::THREADS, 0, true,
                     [&] { tree_kernel<S, parscan_operator_SUM, false>(params); });
    return out;
}

template <typename S>
static void launch(axis_tree_params<S> params, const tree_test &t)
{
    typedef parscan_operator_SUM Sum;
    const unsigned threads = params.plan.threads;
    params.only_sums = params.plan.tiles > 1;
    emulator::launch(t.blocks, threads, 0, false, [&] { axis_tree_tiles<S, Sum>(params); });
    if (params.plan.tiles == 1)
        return;
    emulator::launch(t.blocks, AXIS_COUNTERS * 32, 0, false,
                     [&] { axis_tree_counts<S, Sum>(params); });
    params.only_sums = false;
    if (!params.reduces)
        emulator::launch(t.blocks, threads, 0, false, [&] { axis_tree_tiles<S, Sum>(params); });
}

template <typename T>
static axis_plan plan_of(const tree_test &t)
{
    axis_plan plan = {AXIS_TREE};
    const size_t rows = (std::min(t.n, (size_t)TREE_TILE) + ROW - 1) / ROW;
    plan.rows = 1;
    while (plan.rows < rows)
        plan.rows *= 2;
    plan.width = (unsigned)std::min(t.lines, (size_t)3);
    plan.threads = (plan.width * plan.rows + 31) / 32 * 32;
    plan.sets = (t.lines + plan.width - 1) / plan.width;
    plan.tiles = (t.n + TREE_TILE - 1) / TREE_TILE;
    plan.rows_near = t.rows_near;
    return plan;
}

template <typename T>
static void test(const tree_test &t)
{
    typedef axis_types<T, T, T> S;
    const size_t all = t.lines * t.n, results = t.kind == REDUCE ? 1 : t.n;
    guarded_array<T> in(all, 1), out(t.lines * results, 2);
    for (size_t i = 0; i < all; i++)
        in.data[i] = (T)((int)(emulator::running.random() % 2001) - 1000) / (T)7;
    axis_tree_params<S> params = {};
    const int64_t size = sizeof(T), line = t.rows_near ? (int64_t)t.n : 1;
    const int64_t next = t.rows_near ? 1 : (int64_t)t.lines;
    const int64_t out_line = t.rows_near ? (int64_t)results : 1;
    const int64_t begin = t.backwards ? (int64_t)(t.n - 1) * next : 0;
    params.in = {(const char *)(in.data + begin), line * size,
                 t.backwards ? -next * size : next * size, line * size};
    params.out = {(char *)(out.data + (t.kind == REDUCE ? 0 : begin)), out_line * size, params.in.n,
                  out_line * size};
    params.outer = 1;
    params.n = t.n;
    params.inner = t.lines;
    params.by_inner = axis_divisor::of(t.lines);
    params.keeps = !t.starts;
    params.exclusive = t.kind == EXCLUSIVE;
    params.reduces = t.kind == REDUCE;
    params.start = t.starts ? (T)INIT : (T)-0.0;
    params.first = t.starts ? (T)INIT : (T)0;
    params.plan = plan_of<T>(t);
    std::vector<T> sums(t.lines * params.plan.tiles);
    params.sums = sums.data();
    launch(params, t);
    for (size_t q = 0; q < t.lines; q++) {
        std::vector<T> x(t.n);
        for (size_t i = 0; i < t.n; i++)
            x[i] = in.data[(int64_t)q * line + (int64_t)i * next];
        const std::vector<T> right = alone(t, x);
        for (size_t i = 0; i < results; i++)
            if (memcmp(&right[i], &out.data[(int64_t)q * out_line + (int64_t)i * next],
                       sizeof(T)) != 0)
                fail(t, q, i);
    }
    if (!out.is_intact())
        fail(t, t.lines, 0);
}

int main()
{
    static const size_t shapes[][2] = {{5, 1},    {4, 7},    {7, 40},    {3, 2048},
                                       {4, 2049}, {2, 9000}, {1, 70000}, {2, 65536}};
    unsigned k = 0;
    for (const auto &s : shapes)
        for (unsigned kind = 0; kind < KINDS; kind++, k++) {
            test<float>(
                {s[0], s[1], k % 2 == 0, (enum kind)kind, k % 3 == 0, k % 5 < 2, 1 + k % 3});
            if (s[1] < 60000)
                test<double>({s[0], s[1], k % 2 == 1, (enum kind)kind, k % 4 == 1, k % 3 == 1, 2});
        }
    return 0;
}
