/*
 * Recurrences along an axis (apps/segmented/recurrence_axis.cuh) in the emulator, in the kernels of scans. Factors are
 * 0, powers of two whose products leave the range of a float and come back, and a constant; all results are
 * exact, whatever is composed first.
 */
#include "apps/segmented/recurrence_axis.cuh"
#include "tests/emulated/axis_on_cpu.h"

/* x stays a small integer: factors come in pairs, up and down again. */
template <typename T>
static T factor_at(size_t k, uint64_t random)
{
    static bool up;
    const T far = sizeof(T) == 8 ? (T)0x1p600 : (T)0x1p100;
    if (k % 2 == 0) {
        up = random % 3 == 0;
        return up ? far : random % 7 == 0 ? (T)0 : random % 2 == 0 ? (T)1 : (T)-1;
    }
    return up ? 1 / far : (T)1;
}

template <typename T, bool CONSTANT>
static void test(axis_test t)
{
    typedef recurrence_types<T, T, CONSTANT> S;
    const bool staged = t.variant == AXIS_STAGED;
    placed<T> a(t, t.n, t.shift + 3), b(t, t.n, t.shift), out(t, t.n, t.shift + 1);
    const T x0 = 3, constant = t.starts ? -1 : 1;
    for (size_t i = 0; i < t.outer * out.outer; i++)
        a.array.data[i] = b.array.data[i] = out.array.data[i] = (T)77;
    for (size_t o = 0; o < t.outer; o++)
        for (size_t c = 0; c < t.inner; c++)
            for (size_t k = 0; k < t.n; k++) {
                const size_t i = t.backwards ? t.n - 1 - k : k;
                const uint64_t random = emulator::running.random();
                a.at(o, i, c) = factor_at<T>(k, random);
                b.at(o, i, c) = k % 2 == 0 && !CONSTANT ? 0 : (T)((random >> 40) % 9) - 4;
            }
    axis_params<S> params = {};
    params.in = array_of<T, const char *>(b, t, t.backwards);
    params.out = array_of<T, char *>(out, t, t.backwards);
    if (staged) {
        params.in.first = (const char *)b.array.data;
        params.out.first = (char *)out.array.data;
        params.backwards = t.backwards;
    }
    params.outer = t.outer;
    params.n = t.n;
    params.inner = t.inner;
    params.keeps = true;
    params.plan = plan_of<S>(t);
    params.chain = chain_of_words();
    params.scalars.to_a = (const char *)a.array.data - (const char *)b.array.data;
    params.scalars.x0 = t.starts ? x0 : 99;
    params.scalars.a = t.starts ? constant : 99;
    params.scalars.x0_at = t.starts ? NULL : &x0;
    params.scalars.a_at = t.starts ? NULL : &constant;
    launch_scan<S, recurrence_along<T>>(t, params);
    for (size_t o = 0; o < t.outer; o++)
        for (size_t c = 0; c < t.inner; c++) {
            T x = x0;
            for (size_t k = 0; k < t.n; k++) {
                const size_t i = t.backwards ? t.n - 1 - k : k;
                x = (CONSTANT ? constant : a.at(o, i, c)) * x + b.at(o, i, c);
                if (out.at(o, i, c) != x)
                    fail(t, "wrong element", i);
            }
            for (size_t i = 0; i < t.n && t.gap > 0; i++)
                if (out.array.data[o * out.outer + i * out.n + t.inner] != (T)77)
                    fail(t, "a gap was written", i);
        }
    if (!out.array.is_intact())
        fail(t, "something beside the output was written", 0);
}

template <typename T, bool CONSTANT>
static void test_shapes()
{
    static const size_t shapes[][3] = {{1, 5000, 2},  {3, 700, 3},  {1, 300, 15}, {40, 7, 5},
                                       {100, 64, 1},  {2, 4000, 1}, {9, 1, 6},    {1, 6400, 1},
                                       {1, 1500, 13}, {1, 1, 1},    {5, 33, 7},   {2, 90, 12}};
    unsigned k = 0;
    for (const auto &s : shapes)
        for (unsigned turn = 0; turn < 2; turn++, k++) {
            axis_test t = {AXIS_STAGED, s[0], s[1], s[2], INCLUSIVE, k % 3 == 1, k % 2 == 0};
            t.blocks = 1 + k % 4;
            t.shift = k % 7;
            test<T, CONSTANT>(t);
            t.variant = AXIS_SERIAL;
            t.gap = k % 2;
            test<T, CONSTANT>(t);
            t.variant = AXIS_COLUMNS;
            t.width = 1 + (k * 5) % 16;
            t.backwards = k % 4 == 1;
            test<T, CONSTANT>(t);
        }
}

int main()
{
    test_shapes<float, false>();
    test_shapes<float, true>();
    test_shapes<double, false>();
    test_shapes<double, true>();
    return 0;
}
