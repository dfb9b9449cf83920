/*
 * Extremes with their index along an axis (apps/select/arg_reduce_axis.cuh) in the emulator, in the kernel of
 * reductions, beside a loop over numbers. Of a few values, so that there are equal ones.
 */
#include "apps/select/arg_reduce_axis.cuh"
#include "tests/emulated/axis_on_cpu.h"
#include "tests/emulated/extremes.h"

/* The lines lie along inner; `turned`: the caller's outer and inner are exchanged. */
template <typename T, typename BITS, parscan_type TYPE>
static void test(const axis_test &t, bool max, bool turned, unsigned values)
{
    typedef arg_axis_types<BITS> S;
    placed<T> in(t, t.n, t.shift);
    const size_t lines = t.outer * t.inner;
    guarded_array<BITS> best(2 * lines, 1);
    guarded_array<uint64_t> where(lines, 0);
    const select_order order = select_order_of(TYPE, max, true);
    for (size_t i = 0; i < t.outer * in.outer; i++)
        in.array.data[i] = value_of<T>(values, t.starts);
    axis_params<S> params = call_on<S>(t, in);
    params.out.outer = turned ? 1 : (int64_t)t.inner;
    params.out.inner = turned ? (int64_t)t.outer : 1;
    params.scalars.ranks.set(order);
    params.scalars.empty = (BITS)select_last_number(TYPE, &order);
    params.scalars.inner = turned ? t.outer : t.inner;
    params.scalars.wide = t.gap == 0;
    const int64_t size = sizeof(BITS), wide = params.scalars.wide ? 8 : 4;
    const int64_t inner = (int64_t)params.scalars.inner;
    params.scalars.values = {(char *)best.data, 2 * size * inner, 2 * size}; /* with gaps */
    params.scalars.indices = {(char *)where.data, wide * inner, wide};
    launch_reduction<S, parscan_operator_FIRST>(t, params);
    for (size_t o = 0; o < t.outer; o++)
        for (size_t c = 0; c < t.inner; c++) {
            const size_t q = turned ? c * t.outer + o : o * t.inner + c;
            const auto at = [&](size_t k) { return in.at(o, t.backwards ? t.n - 1 - k : k, c); };
            size_t first = 0;
            for (size_t k = 1; k < t.n; k++)
                if (is_better(max, at(first), at(k)))
                    first = k;
            BITS bits = params.scalars.empty;
            if (t.n > 0) {
                const T x = at(first);
                memcpy(&bits, &x, sizeof bits);
            }
            if ((wide == 8 ? where.data[q] : ((const uint32_t *)(const void *)where.data)[q]) !=
                first)
                fail(t, "wrong index of line", q);
            if (best.data[2 * q] != bits)
                fail(t, "wrong value of line", q);
        }
    if (!best.is_intact() || !where.is_intact())
        fail(t, "something else was written", 0);
}

template <typename T, typename BITS, parscan_type TYPE>
static void test_shapes()
{
    each_reduction([](const axis_test &t, unsigned k) {
        test<T, BITS, TYPE>(t, k % 2 == 0, k / 2 % 2 == 0, k % 7 == 0 ? 1 : 50);
    });
}

int main()
{
    test_shapes<uint8_t, uint8_t, PARSCAN_U8>();
    test_shapes<int16_t, uint16_t, PARSCAN_I16>();
    test_shapes<float, uint32_t, PARSCAN_F32>();
    test_shapes<double, uint64_t, PARSCAN_F64>();
    return 0;
}
