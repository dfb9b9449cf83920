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

static move_axes axes_of(const move_facts *facts)
{
    move_axes axes = {.count = 0};
    for (unsigned k = 0; k < MOVE_AXES; k++)
        if (facts->lengths[k] > 1)
            add_axis(&axes, facts->lengths[k], facts->from[k], facts->to[k]);
    while (join_two(&axes))
        ;
    while (axes.count < MOVE_AXES)
        add_axis(&axes, 1, 0, 0);
    return axes;
}

/* The axis whose elements are nearest to each other; `but`: not this one. Elements that are repeated, with stride
   0, and axes of one element come last. */
static unsigned nearest(const move_axes *axes, const int64_t strides[MOVE_AXES], unsigned but)
{
    unsigned best = MOVE_AXES;
    for (unsigned k = 0; k < MOVE_AXES; k++) {
        const bool first = best == MOVE_AXES;
        if (k == but || (!first && (axes->lengths[k] == 1 || strides[k] == 0)))
            continue;
        if (first || axes->lengths[best] == 1 || strides[best] == 0 ||
            magnitude(strides[k]) < magnitude(strides[best]))
            best = k;
    }
    return best;
}

static void put_axis(move_plan *plan, unsigned at, const move_axes *axes, unsigned k)
{
    plan->lengths[at] = axes->lengths[k];
    plan->from[at] = axes->from[k];
    plan->to[at] = axes->to[k];
}

/* The largest power of two, up to 16, that divides all of them. */
static unsigned widest_unit(const move_plan *plan, size_t alignment)
{
    size_t all = 16 | alignment | plan->lengths[0] * plan->unit;
    for (unsigned k = 1; k < MOVE_AXES; k++)
        all |= (size_t)plan->from[k] | (size_t)plan->to[k];
    return (unsigned)(all & -all);
}

/* Rows without gaps are bytes. */
static void widen(move_plan *plan, size_t alignment)
{
    const int64_t size = plan->unit;
    if (plan->lengths[0] > 1 && (plan->from[0] != size || plan->to[0] != size))
        return;
    const unsigned wide = widest_unit(plan, alignment);
    plan->lengths[0] = plan->lengths[0] * plan->unit / wide;
    plan->unit = wide;
    plan->from[0] = plan->to[0] = wide;
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

/* Both sides of a box have side_bytes, or more where the other axis is short. Copies have long rows. */
static void choose_box(const parscan_plan_device *device, move_plan *plan, bool turns)
{
    const size_t most = parscan_plan_limit_of(device, limits, BOX_BYTES) / plan->unit;
    size_t side = parscan_plan_limit_of(device, limits, SIDE_BYTES) / plan->unit;
    while (side * side < most)
        side *= 2;
    const size_t least = size_min(plan->lengths[1], turns ? most / side : 1);
    const size_t a = size_min(plan->lengths[0], most / least);
    const size_t b = size_min(plan->lengths[1], most / a);
    plan->pitch = turns ? pitch_of(a, b, plan->unit) : (unsigned)a;
    plan->box[0] = (unsigned)a;
    plan->box[1] = (unsigned)b;
    plan->box[2] = (unsigned)size_min(plan->lengths[2], size_max(most / (plan->pitch * b), 1));
    plan->reads = sweep_of(a);
    plan->writes = sweep_of(b);
    if (turns)
        plan->shared_bytes = (size_t)plan->pitch * plan->box[1] * plan->box[2] * plan->unit;
}

move_plan parscan_move_lines_plan(const parscan_plan_device *device, const move_facts *facts)
{
    const move_axes axes = axes_of(facts);
    const unsigned a = nearest(&axes, axes.from, MOVE_AXES), b = nearest(&axes, axes.to, MOVE_AXES);
    const unsigned second = a != b ? b : nearest(&axes, axes.to, a);
    move_plan plan = {.unit = (unsigned)facts->size};
    put_axis(&plan, 0, &axes, a);
    put_axis(&plan, 1, &axes, second);
    put_axis(&plan, 2, &axes, 3 - a - second);
    if (a == b)
        widen(&plan, facts->alignment);
    choose_box(device, &plan, a != b);
    const bool small = plan.box[2] > 1 || plan.reads.chunks > 1 || plan.writes.chunks > 1;
    plan.variant = a == b ? MOVE_STRAIGHT : small ? MOVE_TURNED_SMALL : MOVE_TURNED;
    plan.boxes = 1;
    for (unsigned k = 0; k < MOVE_AXES; k++) {
        plan.parts[k] = (unsigned)parts_of(plan.lengths[k], plan.box[k]);
        plan.boxes *= plan.parts[k];
    }
    return plan;
}
