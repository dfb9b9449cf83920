#include "scan/axis/move_lines_plan.h"

#include "scan/context/size_math.h"

enum { BOX_BYTES, SIDE_BYTES, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    /* Eight blocks of a multiprocessor have 32 KB of loads in flight, and fit its shared memory. */
    [BOX_BYTES] = {"box_bytes", 16384, PARSCAN_ABSOLUTE, "bytes of a box", "", ""},
    /* The least that is read or written side by side, if the axis is long enough. */
    [SIDE_BYTES] = {"side_bytes", 128, PARSCAN_ABSOLUTE, "bytes of a side", "", ""},
};

static const parscan_plan_variant variants[MOVE_VARIANTS] = {
    [MOVE_STRAIGHT] = {"straight", "the same axis is nearest in both arrays: copied"},
    [MOVE_TURNED] = {"turned", "boxes go through shared memory, both sides are long"},
    [MOVE_TURNED_SMALL] = {"turned_small", "the same, where an axis is short: boxes of many lines"},
};

const parscan_plan_table parscan_move_lines_plans = {"move_lines", variants, MOVE_VARIANTS, limits,
                                                     LIMITS};

static size_t parts_of(size_t whole, size_t part)
{
    return whole / part + (whole % part != 0);
}

static size_t magnitude(int64_t stride)
{
    return stride < 0 ? (size_t)-stride : (size_t)stride;
}

/* ---- the axes ---- */

typedef struct move_axes {
    size_t lengths[MOVE_AXES];
    int64_t from[MOVE_AXES], to[MOVE_AXES];
    unsigned count;
} move_axes;

static void add_axis(move_axes *axes, size_t length, int64_t from, int64_t to)
{
    axes->lengths[axes->count] = length;
    axes->from[axes->count] = from;
    axes->to[axes->count++] = to;
}

/* Whether axis k goes on where axis j ends, in both arrays. */
static bool goes_on(const move_axes *axes, unsigned k, unsigned j)
{
    const int64_t length = (int64_t)axes->lengths[j];
    return axes->from[k] == axes->from[j] * length && axes->to[k] == axes->to[j] * length;
}

static void remove_axis(move_axes *axes, unsigned k)
{
    axes->count--;
    for (unsigned j = k; j < axes->count; j++) {
        axes->lengths[j] = axes->lengths[j + 1];
        axes->from[j] = axes->from[j + 1];
        axes->to[j] = axes->to[j + 1];
    }
}

/* Joins two axes that are one in both arrays. */
static bool join_two(move_axes *axes)
{
    for (unsigned k = 0; k < axes->count; k++)
        for (unsigned j = 0; j < axes->count; j++)
            if (j != k && goes_on(axes, k, j)) {
                axes->lengths[j] *= axes->lengths[k];
                remove_axis(axes, k);
                return true;
            }
    return false;
}

/* The largest power of two that divides all of them. */
static unsigned common_unit(size_t most, size_t a, size_t b, const move_axes *axes)
{
    size_t all = most | a | b;
    for (unsigned k = 0; k < axes->count; k++)
        all |= (size_t)axes->from[k] | (size_t)axes->to[k];
    return (unsigned)(all & -all);
}

static move_axes axes_of(const move_facts *facts, unsigned *unit)
{
    move_axes axes = {.count = 0};
    for (unsigned k = 0; k < MOVE_GIVEN; k++)
        if (facts->lengths[k] > 1)
            add_axis(&axes, facts->lengths[k], facts->from[k], facts->to[k]);
    *unit = common_unit(8, facts->size, facts->alignment, &axes);
    if (facts->size > *unit)
        add_axis(&axes, facts->size / *unit, *unit, *unit);
    while (join_two(&axes))
        ;
    while (axes.count < MOVE_AXES)
        add_axis(&axes, 1, 0, 0);
    return axes;
}

/* The axis, from `first` on, whose elements are nearest to each other. Elements that are repeated, with stride 0, and
   axes of one element come last. */
static unsigned nearest(const move_axes *axes, const int64_t strides[MOVE_AXES], unsigned first)
{
    unsigned best = first;
    for (unsigned k = first + 1; k < MOVE_AXES; k++) {
        if (axes->lengths[k] == 1 || strides[k] == 0)
            continue;
        if (axes->lengths[best] == 1 || strides[best] == 0 ||
            magnitude(strides[k]) < magnitude(strides[best]))
            best = k;
    }
    return best;
}

static void bring(move_axes *axes, unsigned k, unsigned to)
{
    const size_t length = axes->lengths[k];
    const int64_t from_stride = axes->from[k], to_stride = axes->to[k];
    axes->lengths[k] = axes->lengths[to];
    axes->from[k] = axes->from[to];
    axes->to[k] = axes->to[to];
    axes->lengths[to] = length;
    axes->from[to] = from_stride;
    axes->to[to] = to_stride;
}

/* Sorts the axes as in a move_plan. Returns whether one is the nearest of both. */
static bool order_axes(move_axes *axes)
{
    const unsigned a = nearest(axes, axes->from, 0);
    const bool same = a == nearest(axes, axes->to, 0);
    bring(axes, a, 0);
    bring(axes, nearest(axes, axes->to, 1), 1);
    bring(axes, nearest(axes, same ? axes->from : axes->to, 2), 2);
    return same;
}

/* Rows without gaps are bytes. */
static void widen(move_axes *axes, unsigned *unit, size_t alignment)
{
    move_axes others = {.count = 0};
    if (axes->lengths[0] > 1 && (axes->from[0] != *unit || axes->to[0] != *unit))
        return;
    for (unsigned k = 1; k < MOVE_AXES; k++)
        add_axis(&others, 1, axes->from[k], axes->to[k]);
    const size_t bytes = axes->lengths[0] * *unit;
    *unit = common_unit(16, bytes, alignment, &others);
    axes->lengths[0] = bytes / *unit;
    axes->from[0] = axes->to[0] = *unit;
}

/* ---- the boxes ---- */

static unsigned log_up(size_t value)
{
    unsigned shift = 0;
    while ((size_t)1 << shift < value)
        shift++;
    return shift;
}

static move_sweep sweep_of(size_t side)
{
    move_sweep sweep = {.shift = log_up(size_min(side, MOVE_THREADS))};
    sweep.chunks = (unsigned)parts_of(side, (size_t)1 << sweep.shift);
    return sweep;
}

/* Rows of a box are so far apart that threads side by side along a column are in different banks: `side` of them,
   then the next columns. */
static unsigned pitch_of(size_t row, size_t side, size_t unit)
{
    const size_t word = size_max(unit, 4), banks = 128 / word;
    const size_t apart = banks / size_min((size_t)1 << log_up(side), banks);
    if (row * unit < word || row * side * unit <= 128)
        return (unsigned)row;
    size_t words = parts_of(row * unit, word * apart);
    words += words % 2 == 0;
    return (unsigned)(words * apart * word / unit);
}

/* How long the second axis of a box is at least. A copy has long rows; where rows are short, boxes have many of
   both other axes, since neighbours share sectors. */
static size_t least_rows(const move_plan *plan, bool turns, size_t most, size_t side)
{
    if (turns)
        return size_min(plan->lengths[1], most / side);
    const size_t a = size_min(plan->lengths[0], most);
    return a >= side ? 1 : size_min(plan->lengths[1], size_max(most / a / side, 1));
}

/* Both sides of a box have side_bytes, or more where the other axis is short. */
static void choose_box(const parscan_plan_device *device, move_plan *plan, bool turns)
{
    const size_t most = parscan_plan_limit_of(device, limits, BOX_BYTES) / plan->unit;
    size_t side = parscan_plan_limit_of(device, limits, SIDE_BYTES) / plan->unit;
    while (side * side < most)
        side *= 2;
    const size_t least = least_rows(plan, turns, most, side);
    const size_t a = size_min(plan->lengths[0], most / least);
    size_t b = size_min(plan->lengths[1], most / a);
    if (!turns && a < side)
        b = size_min(b, size_max(least, most / a / size_min(plan->lengths[2], side)));
    plan->pitch = turns ? pitch_of(a, b, plan->unit) : (unsigned)a;
    plan->box[0] = (unsigned)a;
    plan->box[1] = (unsigned)b;
    plan->box[2] = (unsigned)size_min(plan->lengths[2], size_max(most / (plan->pitch * b), 1));
    plan->box[3] = 1;
    plan->reads = sweep_of(a);
    plan->writes = sweep_of(b);
    if (turns)
        plan->shared_bytes = (size_t)plan->pitch * plan->box[1] * plan->box[2] * plan->unit;
}

move_plan parscan_move_lines_plan(const parscan_plan_device *device, const move_facts *facts)
{
    move_plan plan = {.boxes = 1};
    move_axes axes = axes_of(facts, &plan.unit);
    const bool straight = order_axes(&axes);
    if (straight)
        widen(&axes, &plan.unit, facts->alignment);
    for (unsigned k = 0; k < MOVE_AXES; k++) {
        plan.lengths[k] = axes.lengths[k];
        plan.from[k] = axes.from[k];
        plan.to[k] = axes.to[k];
    }
    choose_box(device, &plan, !straight);
    const bool small = plan.box[2] > 1 || plan.reads.chunks > 1 || plan.writes.chunks > 1;
    plan.variant = straight ? MOVE_STRAIGHT : small ? MOVE_TURNED_SMALL : MOVE_TURNED;
    for (unsigned k = 0; k < MOVE_AXES; k++) {
        plan.parts[k] = (unsigned)parts_of(plan.lengths[k], plan.box[k]);
        plan.boxes *= plan.parts[k];
    }
    return plan;
}
