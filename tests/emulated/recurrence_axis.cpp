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
    axis_params<S> params = call_on<S>(t, b, out);
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
        }
    check_unwritten<T>(t, out, 77);
}

int main()
{
    for (const auto &test_of :
         {test<float, false>, test<float, true>, test<double, false>, test<double, true>})
        each_scan(2, 15, test_of); /* what plans give doubles, whose maps are pairs */
    return 0;
}
