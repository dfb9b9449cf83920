/*
 * Scans and reductions along an axis (scan/axis) in the emulator: tiles of columns, tiles that go through shared
 * memory, one thread a line, and reductions in parts, by blocks that fall behind each other. Lengths around
 * those of tiles; forward, backward; with gaps.
 */
#include "tests/emulated/axis_on_cpu.h"

template <typename S, typename OPERATOR>
static void test(axis_test t)
{
    typedef typename S::In In;
    typedef typename S::T T;
    typedef typename S::Out Out;
    const OPERATOR op = OPERATOR();
    const bool reduces = t.kind == REDUCE, staged = t.variant == AXIS_STAGED;
    placed<In> in(t, t.n, t.shift);
    placed<Out> out(t, reduces ? 1 : t.n, t.shift + 1);
    for (size_t i = 0; i < t.outer * in.outer; i++)
        in.array.data[i] = (In)(emulator::running.random() % 100);
    for (size_t i = 0; i < t.outer * out.outer; i++)
        out.array.data[i] = (Out)77;
    const T init = (T)5;
    axis_params<S> params = {};
    params.in = array_of<In, const char *>(in, t, t.backwards && t.n > 0);
    params.out = array_of<Out, char *>(out, t, t.backwards && !reduces);
    if (staged) {
        params.in.first = (const char *)in.array.data;
        params.out.first = (char *)out.array.data;
        params.backwards = t.backwards;
    }
    params.outer = t.outer;
    params.n = t.n;
    params.inner = t.inner;
    params.keeps = !t.starts;
    identity_of(op, &params.start);
    if (t.starts)
        params.start = init;
    params.first = (Out)params.start;
    params.exclusive = t.kind == EXCLUSIVE;
    params.plan = plan_of<S>(t);
    params.chain = chain_of_words();
    if (reduces)
        launch_reduction<S, OPERATOR>(t, params);
    else
        launch_scan<S, OPERATOR>(t, params);
    for (size_t o = 0; o < t.outer; o++)
        for (size_t c = 0; c < t.inner; c++) {
            T sum = params.start;
            for (size_t k = 0; k < t.n; k++) {
                const size_t i = t.backwards ? t.n - 1 - k : k;
                const T before = sum;
                sum = combine(op, sum, (T)in.at(o, i, c));
                if (!reduces && out.at(o, i, c) != (Out)(params.exclusive ? before : sum))
                    fail(t, "wrong element", i);
            }
            if (reduces && out.at(o, 0, c) != (Out)sum)
                fail(t, "wrong sum of line", o * t.inner + c);
            for (size_t i = 0; i < (reduces ? 1 : t.n) && t.gap > 0; i++)
                if (out.array.data[o * out.outer + i * out.n + t.inner] != (Out)77)
                    fail(t, "a gap was written", i);
        }
    if (!out.array.is_intact())
        fail(t, "something beside the output was written", 0);
}

template <typename S, typename OPERATOR>
static void test_scans()
{
    static const size_t shapes[][3] = {{1, 5000, 2},  {3, 700, 3},  {1, 300, 16}, {40, 7, 5},
                                       {100, 64, 1},  {2, 4000, 1}, {9, 1, 6},    {1, 6400, 1},
                                       {1, 2200, 31}, {1, 1, 1},    {5, 33, 7},   {2, 90, 17}};
    unsigned k = 0;
    for (const auto &s : shapes)
        for (unsigned kind = 0; kind < REDUCE; kind++, k++) {
            axis_test t = {AXIS_STAGED, s[0], s[1], s[2], (enum kind)kind, k % 3 == 1, k % 2 == 0};
            t.blocks = 1 + k % 4;
            t.shift = k % 7;
            test<S, OPERATOR>(t);
            t.variant = AXIS_SERIAL;
            t.gap = k % 2;
            test<S, OPERATOR>(t);
            t.variant = AXIS_COLUMNS;
            t.width = 1 + (k * 5) % 20;
            t.backwards = k % 4 == 1;
            test<S, OPERATOR>(t);
        }
}

template <typename S, typename OPERATOR>
static void test_reductions()
{
    static const struct {
        size_t outer, n, inner;
        unsigned near, far, together, splits;
    } cases[] = {
        {1, 9000, 2, 2, 1, 128, 3}, {3, 700, 3, 3, 1, 85, 1},   {1, 3000, 40, 32, 1, 8, 5},
        {700, 3, 1, 1, 64, 4, 1},   {50, 64, 1, 1, 32, 8, 1},   {5, 0, 7, 4, 2, 1, 1},
        {6, 1, 5, 5, 3, 1, 1},      {3, 5000, 1, 1, 2, 100, 4}, {1, 2, 3000, 256, 1, 1, 1}};
    unsigned k = 0;
    for (const auto &c : cases)
        for (unsigned blocks = 1; blocks < 5; blocks++, k++) {
            axis_test t = {AXIS_REDUCE, c.outer,    c.n,        c.inner,
                           REDUCE,      k % 3 == 1, k % 2 == 0, k % 5};
            t.blocks = blocks;
            t.width = c.near;
            t.far = c.far;
            t.together = c.together;
            t.splits = c.splits;
            test<S, OPERATOR>(t);
        }
}

int main()
{
    test_scans<axis_types<uint32_t, uint32_t, uint32_t>, parscan_operator_SUM>();
    test_scans<axis_types<uint8_t, uint8_t, uint8_t>, parscan_operator_SUM>();
    test_scans<axis_types<uint8_t, uint64_t, uint64_t>, parscan_operator_SUM>();
    test_scans<axis_types<double, double, double>, parscan_operator_SUM>();
    test_scans<axis_types<uint16_t, uint16_t, uint16_t>, parscan_operator_MAX>();
    test_reductions<axis_types<uint32_t, uint32_t, uint32_t>, parscan_operator_SUM>();
    test_reductions<axis_types<uint8_t, uint64_t, uint64_t>, parscan_operator_SUM>();
    return 0;
}
