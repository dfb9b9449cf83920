/*
 * Scans and reductions along an axis (scan/axis) in the emulator: tiles of columns, tiles that go through shared
 * memory, one thread a line, lines in vectors, and reductions in parts, rows by warps, by blocks that fall behind each other. Lengths around
 * those of tiles; forward, backward; with gaps.
 */
#include "tests/emulated/axis_on_cpu.h"

/* The output of a reduction. */
template <typename S, typename OPERATOR>
static typename S::Out result_of(OPERATOR op, const axis_params<S> &params, typename S::T sum)
{
    if constexpr (folds<S>) {
        return turned(op, params.keeps ? folded(op, sum)
                                       : combine(op, params.start.at(0), folded(op, sum)));
    } else {
        return (typename S::Out)turned(op, sum);
    }
}

/* The bits that the host may give to an operator (axis_bits.h). */
static axis_scalars any_bits(unsigned k)
{
    return {k % 3 == 0   ? UINT64_MAX
            : k % 3 == 1 ? 0x8080808080808080
                         : 0,
            k % 2 == 0 ? 0x8080808080808080 : 0x8000800080008000};
}

template <typename S, typename OPERATOR>
static void test(axis_test t)
{
    typedef typename S::In In;
    typedef typename S::T T;
    typedef typename S::Out Out;
    const unsigned rows = rows_in<In>::COUNT;
    const bool reduces = t.kind == REDUCE, warps = t.variant == AXIS_WARPS;
    const bool vectors = t.variant == AXIS_NEIGHBOURS || t.variant == AXIS_ROW_VECTORS;
    placed<In> in(t, t.n, t.shift);
    placed<Out> out(t, reduces ? 1 : t.n, warps || vectors ? t.shift : t.shift + 1);
    for (size_t i = 0; i < t.outer * in.outer; i++)
        in.array.data[i] = element<In>::of(emulator::running.random() % 100);
    for (size_t i = 0; i < t.outer * out.outer; i++)
        out.array.data[i] = element<Out>::of(77);
    const T init = element<T>::of(5);
    axis_params<S> params = call_on<S>(t, in, out);
    params.scalars = any_bits(emulator::running.random());
    const OPERATOR op = operator_of<OPERATOR>(params);
    params.keeps = !t.starts;
    identity_of(op, &params.start);
    if (t.starts)
        params.start = init;
    if constexpr (!folds<S> && !is_run<Out>::value)
        params.first = (Out)turned(op, params.start);
    params.exclusive = t.kind == EXCLUSIVE;
    if constexpr (folds<S>)
        launch_reduction<S, OPERATOR>(t, params);
    else if constexpr (is_run<Out>::value)
        warps ? launch_warps<false, S, OPERATOR>(t, params) : launch_piped<S, OPERATOR>(t, params);
    else if (vectors)
        launch_vectors<S, OPERATOR>(t, params);
    else if (warps && reduces)
        launch_warps<true, S, OPERATOR>(t, params);
    else if (warps)
        launch_warps<false, S, OPERATOR>(t, params);
    else if (t.variant == AXIS_PIPED_STAGED || t.variant == AXIS_PIPED_COLUMNS)
        if constexpr (is_piped<S>())
            launch_piped<S, OPERATOR>(t, params);
        else
            emulator::fail("a type that the pipeline does not take");
    else if (reduces)
        launch_reduction<S, OPERATOR>(t, params);
    else
        launch_scan<S, OPERATOR>(t, params);
    for (size_t o = 0; o < t.outer; o++)
        for (size_t c = 0; c < t.inner; c++) {
            T sum = params.start;
            if (folds<S>)
                identity_of(op, &sum);
            for (size_t k = 0; k < t.n * rows; k++) {
                const size_t i = t.backwards ? t.n * rows - 1 - k : k;
                const T before = sum;
                sum = combine(op, sum,
                              turned(op, (T)rows_in<In>::at(in.at(o, i / rows, c), i % rows)));
                if constexpr (!folds<S>) {
                    const auto y = rows_in<Out>::at(out.at(o, i / rows, c), i % rows);
                    const T result = turned(op, params.exclusive ? before : sum);
                    if (!reduces && !same(y, (decltype(y))result))
                        fail(t, "wrong element", i);
                }
            }
            if constexpr (!is_run<Out>::value)
                if (reduces && !same(out.at(o, 0, c), result_of(op, params, sum)))
                    fail(t, "wrong sum of line", o * t.inner + c);
        }
    check_unwritten<Out>(t, out, element<Out>::of(77));
}

template <typename S, typename OPERATOR>
static void test_scans()
{
    each_scan(REDUCE, 31, test<S, OPERATOR>);
}

template <typename S, typename OPERATOR>
static void test_warps()
{
    static const size_t shapes[][2] = {{3000, 1}, {1500, 2}, {700, 3}, {300, 5},
                                       {90, 16},  {90, 17},  {40, 64}, {30, 127},
                                       {17, 128}, {9, 129},  {3, 700}, {1, 3001}};
    unsigned k = 0;
    for (const auto &s : shapes)
        for (unsigned each = 0; each < 6; each++, k++) {
            const bool sixteen = sizeof(typename S::In) == 16;
            const bool scans = sixteen || is_run<typename S::Out>::value;
            axis_test t = {AXIS_WARPS,
                           s[0],
                           s[1],
                           sixteen ? (size_t)1 << k % 3 : 1,
                           scans ? (enum kind)(each % 2) : (enum kind)(each % 3),
                           k % 4 >= 2 && (scans || each % 3 != 2),
                           k % 2 == 0};
            t.blocks = 1 + k % 3;
            t.shift = k % 7;
            t.width = 1 + k % 5 * (1 + 200 / (unsigned)s[1]);
            test<S, OPERATOR>(t);
        }
}

template <typename S, typename OPERATOR>
static void test_vectors()
{
    const unsigned EACH = AXIS_NEIGHBOURS(S::SIZE), IN = 16 / sizeof(typename S::In);
    unsigned k = 0;
    for (size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 16, 31})
        for (unsigned kind = n > 8 ? REDUCE : INCLUSIVE; kind <= REDUCE; kind++, k++) {
            axis_test t = {
                AXIS_NEIGHBOURS, 1 + k % 3,  n,         EACH * (size_t)(k % 2 == 0 ? 700 : 33),
                (enum kind)kind, k % 4 == 1, k % 5 < 2, k % 3 == 0 ? 2 * (size_t)EACH : 0};
            t.blocks = 1 + k % 3;
            test<S, OPERATOR>(t);
            t.outer = 700;
            t.inner = EACH * (size_t)(1 + k % 2);
            test<S, OPERATOR>(t);
        }
    for (size_t n : {1u, 2u, 4u, 8u, IN, 2 * IN, 3 * IN, 5 * IN, 31 * IN, 32 * IN, 33 * IN,
                     128 * IN, 129 * IN, 600 * IN}) {
        if (n < IN && IN % n != 0)
            continue;
        const size_t inner = IN == 1 ? (size_t)1 << k % 3 : 1;
        axis_test t = {AXIS_ROW_VECTORS, 1 + 9000 / n, n, inner, REDUCE, false, k++ % 2 == 0};
        t.blocks = 1 + k % 3;
        t.together = 1;
        while (t.together < 32 && t.together < n * inner / IN)
            t.together *= 2;
        test<S, OPERATOR>(t);
        t.together = std::min(t.together, 4u); /* a thread has several vectors */
        test<S, OPERATOR>(t);
    }
}

/* Blocks that return to their columns, and blocks that do not. */
template <typename S, typename OPERATOR>
static void test_piped()
{
    static const struct {
        size_t outer, n, inner, gap;
    } cases[] = {{1, 9001, 1, 0}, {1, 9000, 2, 0}, {1, 5000, 3, 0}, {1, 4000, 16, 0},
                 {1, 1, 5, 0},    {1, 2200, 7, 0}, {1, 900, 15, 0}, {1, 900, 64, 0},
                 {1, 300, 40, 0}, {1, 300, 71, 1}, {2, 300, 64, 0}, {1, 150, 160, 4},
                 {3, 67, 32, 6},  {3, 3000, 2, 0}, {2, 5000, 1, 0}, {5, 701, 7, 0},
                 {40, 90, 13, 0}};
    unsigned k = 0;
    for (const auto &c : cases)
        for (unsigned kind = INCLUSIVE; kind <= EXCLUSIVE; kind++)
            for (unsigned blocks = 1 + k % 2; blocks < 6; blocks += 2, k++) {
                axis_test t = {c.inner < 16 || c.n == 4000 ? AXIS_PIPED_STAGED : AXIS_PIPED_COLUMNS,
                               c.outer,
                               c.n,
                               c.inner,
                               (enum kind)kind,
                               k % 3 == 1,
                               k % 2 == 0,
                               c.gap};
                t.blocks = blocks;
                t.shift = c.gap != 0 ? 1 : k % 4;
                if (is_run<typename S::Out>::value && t.inner > 1)
                    continue;
                if (t.variant == AXIS_PIPED_STAGED || has_piped_columns<S>())
                    test<S, OPERATOR>(t);
            }
}

template <typename S, typename OPERATOR>
static void test_reductions()
{
    each_reduction([](const axis_test &t, unsigned) { test<S, OPERATOR>(t); });
}

/* Elements of several parts, in the kernels that take those of 16 bytes; ALL: in all kernels. */
template <typename Pack, typename OPERATOR, bool ALL = false>
static void test_packs()
{
    typedef axis_types<Pack, Pack, Pack> S;
    test_warps<S, OPERATOR>();
    test_vectors<S, OPERATOR>();
    if constexpr (ALL) {
        test_scans<S, OPERATOR>();
        test_reductions<S, OPERATOR>();
        test_piped<S, OPERATOR>();
    }
}

/* Several rows of narrow elements in a word. */
template <typename E, typename OPERATOR>
static void test_runs()
{
    typedef axis_run<E, 4 / sizeof(E)> run;
    typedef axis_types<run, E, run> S;
    test_warps<S, OPERATOR>();
    test_piped<S, OPERATOR>();
}

/* The parts of a word are combined as they are alone. */
template <typename E>
static void test_parts()
{
    const unsigned N = 4 / sizeof(E);
    for (unsigned k = 0; k < 10000; k++) {
        axis_pack<E, N> a, b;
        a.words[0] = emulator::running.random() * 0x10003u;
        b.words[0] = k % 3 == 0 ? a.words[0] ^ 1u << k % 32 : emulator::running.random() * 0x10003u;
        const axis_parts_sum sum = {ends_of<E>, 8 * sizeof(E) - 1};
        const axis_parts_min min = {ends_of<E>, 8 * sizeof(E) - 1};
        const axis_parts_product product = {ends_of<E>, 8 * sizeof(E) - 1};
        axis_pack<E, N> sums = {}, least = {}, products = {};
        for (unsigned i = 0; i < N; i++) {
            sums.put(i, (E)(a.at(i) + b.at(i)));
            least.put(i, std::min(a.at(i), b.at(i)));
            products.put(i, (E)((uint32_t)a.at(i) * b.at(i)));
        }
        const uint64_t wide_a = a.words[0] * 0x100000001u, wide_b = b.words[0] * 0x100000001u;
        if (combine(sum, a.words[0], b.words[0]) != sums.words[0] ||
            combine(min, a.words[0], b.words[0]) != least.words[0] ||
            combine(product, a.words[0], b.words[0]) != products.words[0] ||
            (uint32_t)(combine(min, wide_a, wide_b) >> 32) != least.words[0])
            emulator::fail("the parts of a word");
    }
}

typedef axis_inverted<parscan_operator_MIN> inverted_MIN;
typedef axis_inverted<parscan_operator_AND> inverted_AND;
typedef axis_inverted<axis_parts_min> parts_min;

int main()
{
    test_parts<uint8_t>();
    test_parts<uint16_t>();
    test_runs<uint8_t, parscan_operator_SUM>();
    test_runs<uint16_t, parscan_operator_SUM>();
    test_runs<uint16_t, axis_parts_sum>();
    test_runs<uint16_t, parts_min>();
    test_runs<uint8_t, inverted_AND>();
    test_runs<uint8_t, inverted_MIN>();
    test_scans<axis_types<uint32_t, uint32_t, uint32_t>, parscan_operator_SUM>();
    test_scans<axis_types<uint8_t, uint8_t, uint8_t>, parscan_operator_SUM>();
    test_scans<axis_types<uint8_t, uint64_t, uint64_t>, parscan_operator_SUM>();
    test_scans<axis_types<double, double, double>, parscan_operator_SUM>();
    test_scans<axis_types<uint16_t, uint16_t, uint16_t>, inverted_MIN>();
    test_piped<axis_types<uint32_t, uint32_t, uint32_t>, parscan_operator_SUM>();
    test_piped<axis_types<double, double, double>, parscan_operator_SUM>();
    test_vectors<axis_types<uint32_t, uint32_t, uint32_t>, parscan_operator_SUM>();
    test_vectors<axis_types<uint8_t, uint8_t, uint8_t>, parscan_operator_SUM>();
    test_vectors<axis_types<uint8_t, uint64_t, uint64_t>, parscan_operator_SUM>();
    test_vectors<axis_types<double, double, double>, parscan_operator_SUM>();
    test_vectors<axis_types<uint16_t, uint16_t, uint16_t>, inverted_MIN>();
    test_packs<uint32_t, axis_parts_sum, true>();
    test_packs<uint16_t, axis_parts_sum>();
    test_packs<uint32_t, parts_min, true>();
    test_packs<uint64_t, parts_min>();
    test_packs<uint16_t, parts_min>();
    test_packs<uint32_t, axis_parts_product>();
    test_packs<axis_pack<uint64_t, 2>, axis_parts_product>();
    test_packs<uint64_t, inverted_AND>();
    test_packs<axis_pack<float, 2>, parscan_operator_SUM, true>();
    test_packs<axis_pack<uint64_t, 2>, parts_min>();
    test_packs<axis_pack<uint64_t, 2>, axis_parts_sum>();
    test_packs<axis_pack<float, 4>, parscan_operator_SUM>();
    test_packs<axis_pack<uint64_t, 2>, parscan_operator_XOR>();
    test_reductions<axis_types<axis_pack<uint8_t, 4>, axis_pack<uint8_t, 4>, uint8_t>,
                    parscan_operator_SUM>();
    test_reductions<axis_types<axis_pack<uint16_t, 2>, axis_pack<uint16_t, 2>, uint16_t>,
                    parts_min>();
    test_reductions<axis_types<axis_pack<uint8_t, 4>, axis_pack<uint8_t, 4>, uint8_t>,
                    inverted_MIN>();
    test_piped<axis_types<uint8_t, uint8_t, uint8_t>, parscan_operator_SUM>();
    test_warps<axis_types<uint32_t, uint32_t, uint32_t>, parscan_operator_SUM>();
    test_warps<axis_types<uint8_t, uint8_t, uint8_t>, parscan_operator_SUM>();
    test_warps<axis_types<uint8_t, uint64_t, uint64_t>, parscan_operator_SUM>();
    test_warps<axis_types<double, double, double>, parscan_operator_SUM>();
    test_warps<axis_types<uint16_t, uint16_t, uint16_t>, inverted_MIN>();
    test_reductions<axis_types<uint32_t, uint32_t, uint32_t>, parscan_operator_SUM>();
    test_reductions<axis_types<uint8_t, uint64_t, uint64_t>, parscan_operator_SUM>();
    return 0;
}
