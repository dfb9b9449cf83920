/* What the emulator's tests of kernels along an axis share: calls, plans of small blocks, arrays with gaps. */
#ifndef PARSCAN_TESTS_EMULATED_AXIS_ON_CPU_H
#define PARSCAN_TESTS_EMULATED_AXIS_ON_CPU_H

#include "scan/axis/axis_reduce.cuh"
#include "scan/axis/axis_serial.cuh"
#include "scan/axis/axis_tiles.cuh"
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
    unsigned width, far, together, splits; /* of COLUMNS and REDUCE */
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

template <typename S>
static axis_plan plan_of(const axis_test &t)
{
    axis_plan plan = {t.variant, THREADS};
    const size_t lines = t.outer * t.inner;
    plan.width = t.variant == AXIS_STAGED ? (unsigned)t.inner : t.width;
    const size_t groups = THREADS / (plan.width > 0 ? plan.width : 1);
    plan.rows = S::ROWS - (t.blocks + t.shift) % 3; /* plans may have fewer */
    plan.tile_rows = groups * plan.rows;
    plan.sets = 1;
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
static void launch_reduction(const axis_test &t, const axis_params<S> &params)
{
    const bool in_order = emulator::running.random() % 3 == 0;
    emulator::launch(t.blocks, AXIS_REDUCE_THREADS, 0, in_order,
                     [&] { axis_reduce<S, OPERATOR>(params); });
}

#endif
