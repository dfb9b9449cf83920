/* What the emulator's tests of kernels along an axis share: calls, plans of small blocks, arrays with gaps. */
#ifndef PARSCAN_TESTS_EMULATED_AXIS_ON_CPU_H
#define PARSCAN_TESTS_EMULATED_AXIS_ON_CPU_H

#include "scan/axis/axis_pack.cuh"
#include "scan/axis/axis_piped.cuh"
#include "scan/axis/axis_reduce.cuh"
#include "scan/axis/axis_serial.cuh"
#include "scan/axis/axis_tiles.cuh"
#include "scan/axis/axis_vectors.cuh"
#include "scan/axis/axis_warps.cuh"
#include "tests/emulated/device_memory.h"

static struct {
    unsigned long long control = (unsigned long long)(LAST_EPOCH - 2) << 32;
    unsigned wrapping = 0;
    uint64_t status[1 << 16] = {};
} words;

enum kind { INCLUSIVE, EXCLUSIVE, REDUCE };

struct axis_test {
    axis_variant variant;
    size_t outer, n, inner;
    enum kind kind;
    bool backwards, starts;
    size_t gap; /* elements between rows */
    unsigned blocks, shift;
    unsigned width, far, together, splits; /* of COLUMNS and REDUCE; WARPS: width rows for a warp */
};

static void fail(const axis_test &t, const char *what, size_t i)
{
    char line[300];
    snprintf(
        line, sizeof line,
        "axis: variant %d, %zu x %zu x %zu, kind %d, backwards %d, init %d, gap %zu, width %u: "
        "%s at %zu",
        (int)t.variant, t.outer, t.n, t.inner, (int)t.kind, t.backwards, t.starts, t.gap, t.width,
        what, i);
    emulator::fail(line);
}

static const unsigned THREADS = 64;

/* Of blocks whose warps have roles, as small as they may be. */
template <typename S>
using small_piped_shape = piped_shape<sizeof(typename S::Out), 2, 1, 2, 3>;

template <typename S>
static axis_plan piped_plan_of(const axis_test &t)
{
    typedef small_piped_shape<S> shape;
    axis_plan plan = {t.variant, shape::THREADS};
    const bool staged = t.variant == AXIS_PIPED_STAGED;
    plan.width = staged ? (unsigned)t.inner : (unsigned)shape::COLUMNS;
    plan.sets = (t.outer * t.inner + plan.width - 1) / plan.width;
    plan.rows = shape::ROWS;
    plan.tile_rows = shape::PIECES / plan.width * plan.rows;
    plan.tiles = (t.n + plan.tile_rows - 1) / plan.tile_rows;
    plan.chained = true;
    return plan;
}

template <typename S>
static axis_plan plan_of(const axis_test &t)
{
    if (t.variant == AXIS_PIPED_STAGED || t.variant == AXIS_PIPED_COLUMNS)
        return piped_plan_of<S>(t);
    axis_plan plan = {t.variant, THREADS};
    const size_t lines = t.outer * t.inner;
    plan.width = t.variant == AXIS_STAGED ? (unsigned)t.inner : t.width;
    const size_t groups = THREADS / (plan.width > 0 ? plan.width : 1);
    plan.rows = S::ROWS - (t.blocks + t.shift) % 3; /* plans may have fewer */
    plan.tile_rows = groups * plan.rows;
    plan.sets = 1;
    if (t.variant == AXIS_WARPS)
        plan.rows = t.width;
    plan.together = t.together;
    if (t.variant == AXIS_STAGED) {
        if (t.n < plan.tile_rows && t.n % 2 == 0)
            plan.tile_rows = plan.tile_rows / t.n * t.n;
        plan.tiles = (t.outer * t.n + plan.tile_rows - 1) / plan.tile_rows;
        plan.chained = plan.tiles > 1 && plan.tile_rows % t.n != 0;
    } else if (t.variant == AXIS_COLUMNS) {
        plan.sets = (lines + plan.width - 1) / plan.width;
        plan.tiles = (t.n + plan.tile_rows - 1) / plan.tile_rows;
        plan.chained = plan.tiles > 1;
    } else if (t.variant == AXIS_REDUCE) {
        plan.near = t.width;
        plan.far = t.far;
        plan.together = t.together;
        plan.many = t.n <= AXIS_REDUCE_SHORT * t.together;
        plan.tile_rows = (t.n + t.splits - 1) / t.splits;
        plan.tile_rows = plan.tile_rows > 0 ? plan.tile_rows : 1;
        plan.splits = plan.many ? 1 : (t.n + plan.tile_rows - 1) / plan.tile_rows;
        plan.chained = plan.splits > 1;
    }
    return plan;
}

/* An element; the parts of a pack are different. */
template <typename Element>
struct element {
    static Element of(uint32_t x) { return (Element)x; }
};
template <typename E, unsigned N>
struct element<axis_pack<E, N>> {
    static axis_pack<E, N> of(uint32_t x)
    {
        axis_pack<E, N> parts = {0};
        for (unsigned k = 0; k < N; k++)
            parts.put(k, (E)(x + 37 * k));
        return parts;
    }
};

template <typename E, unsigned R>
struct element<axis_run<E, R>> {
    static axis_run<E, R> of(uint32_t x) { return {element<axis_pack<E, R>>::of(x)}; }
};

/* The rows of an element: one, or those of a run. */
template <typename Element>
struct rows_in {
    static constexpr unsigned COUNT = 1;
    static Element at(const Element &x, unsigned) { return x; }
};
template <typename E, unsigned R>
struct rows_in<axis_run<E, R>> {
    static constexpr unsigned COUNT = R;
    static auto at(const axis_run<E, R> &x, unsigned r) { return x.parts.at(r); }
};

template <typename Element>
static bool same(const Element &a, const Element &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

template <typename Element>
struct placed {
    guarded_array<Element> array;
    size_t outer, n, inner; /* strides, in elements */

    placed(const axis_test &t, size_t n_, unsigned shift)
        : array(t.outer * n_ * (t.inner + t.gap), shift), outer(n_ * (t.inner + t.gap)),
          n(t.inner + t.gap), inner(1)
    {
    }
    Element &at(size_t o, size_t i, size_t c) { return array.data[o * outer + i * n + c * inner]; }
};

template <typename Element, typename Pointer>
static axis_array<Pointer> array_of(placed<Element> &of, const axis_test &t, bool turns)
{
    const int64_t size = sizeof(Element), sign = turns ? -1 : 1;
    Pointer first = (Pointer)of.array.data;
    if (turns)
        first += (int64_t)((t.n - 1) * of.n) * size;
    return {first, (int64_t)of.outer * size, sign * (int64_t)of.n * size, size};
}

/* The words that tiles publish. */
static tile_chain chain_of_words()
{
    return tile_chain{&words.control, &words.wrapping, words.status,
                      sizeof words.status / sizeof *words.status};
}

template <typename S, typename OPERATOR>
static void launch_scan(const axis_test &t, const axis_params<S> &given)
{
    axis_params<S> params = given;
    const bool in_order = emulator::running.random() % 3 == 0;
    const size_t tiles = params.plan.sets * params.plan.tiles;
    params.stage_bytes =
        (unsigned)std::max(S::ARRAYS * stage_bytes<S>(params.plan), sizeof(axis_window));
    params.stages = t.variant == AXIS_STAGED ? 1 + emulator::running.random() % 2 : 1;
    if (t.variant == AXIS_SERIAL)
        emulator::launch(t.blocks, THREADS, 0, in_order, [&] { axis_serial<S, OPERATOR>(params); });
    else
        emulator::launch(std::min(t.blocks, (unsigned)tiles), THREADS,
                         params.stages * params.stage_bytes, in_order,
                         [&] { axis_tiles<S, OPERATOR>(params); });
}

template <typename S, typename OPERATOR>
static void launch_piped(const axis_test &t, axis_params<S> params)
{
    typedef small_piped_shape<S> shape;
    const unsigned blocks =
        (unsigned)std::min<size_t>(t.blocks, params.plan.sets * params.plan.tiles);
    params.unit = axis_unit(params, sizeof(typename S::In));
    emulator::launch(blocks, shape::THREADS, shape::SHARED_BYTES,
                     emulator::running.random() % 3 == 0, [&] {
                         if (t.variant == AXIS_PIPED_STAGED)
                             axis_piped<S, false, OPERATOR, shape>(params);
                         else if constexpr (has_piped_columns<S>())
                             axis_piped<S, true, OPERATOR, shape>(params);
                     });
}

template <bool REDUCES, typename S, typename OPERATOR>
static void launch_warps(const axis_test &t, const axis_params<S> &params)
{
    emulator::launch(t.blocks, AXIS_WARPS_THREADS, 0, emulator::running.random() % 3 == 0,
                     [&] { axis_warps<S, REDUCES, OPERATOR>(params); });
}

template <typename S, typename OPERATOR>
static void launch_vectors(const axis_test &t, const axis_params<S> &params)
{
    emulator::launch(t.blocks, AXIS_VECTORS_THREADS, 0, emulator::running.random() % 3 == 0, [&] {
        if (t.variant == AXIS_ROW_VECTORS)
            axis_row_vectors<S, OPERATOR>(params);
        else if (t.kind == REDUCE)
            axis_neighbours<S, true, OPERATOR>(params);
        else
            axis_neighbours<S, false, OPERATOR>(params);
    });
}

template <typename S, typename OPERATOR>
static void launch_reduction(const axis_test &t, const axis_params<S> &params)
{
    const bool in_order = emulator::running.random() % 3 == 0;
    emulator::launch(t.blocks, AXIS_REDUCE_THREADS, 0, in_order,
                     [&] { axis_reduce<S, OPERATOR>(params); });
}

/* A call on the axis of `in`, without what the operation asks for. */
template <typename S, typename In>
static axis_params<S> call_on(const axis_test &t, placed<In> &in)
{
    axis_params<S> params = {};
    params.in = array_of<In, const char *>(in, t, t.backwards && t.n > 0);
    params.outer = t.outer;
    params.n = t.n;
    params.inner = t.inner;
    params.by_inner = axis_divisor::of(t.inner);
    params.keeps = true;
    params.plan = plan_of<S>(t);
    params.chain = chain_of_words();
    return params;
}

/* The same with an output. Kernels that take an array as one part have both as they lie. */
template <typename S, typename In, typename Out>
static axis_params<S> call_on(const axis_test &t, placed<In> &in, placed<Out> &out)
{
    axis_params<S> params = call_on<S>(t, in);
    params.out = array_of<Out, char *>(out, t, t.backwards && t.kind != REDUCE);
    if (t.variant == AXIS_STAGED || t.variant == AXIS_PIPED_STAGED ||
        (t.variant == AXIS_WARPS && t.kind != REDUCE)) {
        params.in.first = (const char *)in.array.data;
        params.out.first = (char *)out.array.data;
        params.backwards = t.backwards;
    }
    return params;
}

/* Fails if something was written beside `out` or in its gaps, which were filled with `unwritten`. */
template <typename Out>
static void check_unwritten(const axis_test &t, placed<Out> &out, Out unwritten)
{
    const size_t rows = out.outer / out.n;
    for (size_t o = 0; o < t.outer; o++)
        for (size_t i = 0; i < rows && t.gap > 0; i++)
            if (!same(out.array.data[o * out.outer + i * out.n + t.inner], unwritten))
                fail(t, "a gap was written", i);
    if (!out.array.is_intact())
        fail(t, "something beside the output was written", 0);
}

/* Calls test(t) with scans of the first `kinds` kinds, of each variant, of at most `widest` columns at once. */
template <typename TEST>
static void each_scan(unsigned kinds, unsigned widest, TEST test)
{
    static const size_t shapes[][3] = {{1, 5000, 2},  {3, 700, 3},  {1, 300, 16}, {40, 7, 5},
                                       {100, 64, 1},  {2, 4000, 1}, {9, 1, 6},    {1, 6400, 1},
                                       {1, 2200, 31}, {1, 1, 1},    {5, 33, 7},   {2, 90, 17}};
    unsigned k = 0;
    for (const auto &s : shapes)
        for (unsigned kind = 0; kind < kinds; kind++, k++) {
            const size_t inner = std::min(s[2], (size_t)widest);
            axis_test t = {AXIS_STAGED, s[0], s[1], inner, (enum kind)kind, k % 3 == 1, k % 2 == 0};
            t.blocks = 1 + k % 4;
            t.shift = k % 7;
            test(t);
            t.variant = AXIS_SERIAL;
            t.gap = k % 2;
            test(t);
            t.variant = AXIS_COLUMNS;
            t.width = 1 + (k * 5) % std::min(20u, widest);
            t.backwards = k % 4 == 1;
            test(t);
        }
}

/* Calls test(t, k) with reductions, k = 0, 1, ... */
template <typename TEST>
static void each_reduction(TEST test)
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
            t.shift = k % 4;
            t.width = c.near;
            t.far = c.far;
            t.together = c.together;
            t.splits = c.splits;
            test(t, k);
        }
}

#endif
