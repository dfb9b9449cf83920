/*
 * Moves between arrays with strides (scan/axis/move_lines_kernels.cuh) in the emulator: boxes of any sides, in any
 * order of the axes, with gaps, backwards, with repeated elements; ends of axes that fill no box.
 */
#include "scan/axis/move_lines_kernels.cuh"
#include "tests/emulated/device_memory.h"

struct move_test {
    move_variant variant;
    unsigned long lengths[MOVE_AXES];
    unsigned box[MOVE_GIVEN];
    unsigned read_shift, write_shift, blocks, pad;
};

static unsigned below(unsigned end)
{
    return (unsigned)(emulator::running.random() % end);
}

/* An array of the lengths whose axes lie in a random order; some axes go backwards. */
struct strided {
    int64_t strides[MOVE_AXES], first; /* in units; where element 0, 0, 0 is */
    size_t units;

    strided(const move_test &t, bool repeats) : first(0), units(1)
    {
        unsigned order[MOVE_AXES] = {0, 1, 2, 3};
        std::shuffle(order, order + MOVE_AXES, emulator::running.random);
        for (const unsigned k : order) {
            strides[k] = (int64_t)units;
            units = units * t.lengths[k] + below(3);
            if (below(3) == 0) {
                first += strides[k] * (int64_t)(t.lengths[k] - 1);
                strides[k] = -strides[k];
            }
        }
        if (repeats) {
            const unsigned k = below(MOVE_AXES);
            first -= strides[k] < 0 ? -strides[k] * (int64_t)(t.lengths[k] - 1) : 0;
            strides[k] = 0;
        }
    }
    size_t at(size_t a, size_t b, size_t c, size_t d) const
    {
        return (size_t)(first + strides[0] * (int64_t)a + strides[1] * (int64_t)b +
                        strides[2] * (int64_t)c + strides[3] * (int64_t)d);
    }
};

static move_sweep sweep_of(unsigned side, unsigned shift)
{
    return move_sweep{shift, (side + (1u << shift) - 1) >> shift};
}

static move_plan plan_of(const move_test &t, unsigned unit, const strided &from, const strided &to)
{
    move_plan plan = {t.variant, unit};
    plan.boxes = 1;
    for (unsigned k = 0; k < MOVE_AXES; k++) {
        plan.lengths[k] = t.lengths[k];
        plan.from[k] = from.strides[k] * unit;
        plan.to[k] = to.strides[k] * unit;
        plan.box[k] = k < MOVE_GIVEN ? t.box[k] : 1;
        plan.parts[k] = (unsigned)((t.lengths[k] + plan.box[k] - 1) / plan.box[k]);
        plan.boxes *= plan.parts[k];
    }
    plan.pitch = t.box[0] + t.pad;
    plan.shared_bytes = (size_t)plan.pitch * t.box[1] * t.box[2] * unit;
    plan.reads = sweep_of(t.box[0], t.read_shift);
    plan.writes = sweep_of(t.box[1], t.write_shift);
    return plan;
}

template <typename UNIT>
static void test(const move_test &t, bool repeats)
{
    const strided from(t, repeats), to(t, false);
    std::vector<UNIT> in(from.units);
    guarded_array<UNIT> out(to.units, below(5));
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (UNIT)(emulator::running.random() | 1);
    std::vector<UNIT> expected(out.data, out.data + to.units);
    for (size_t a = 0; a < t.lengths[0]; a++)
        for (size_t b = 0; b < t.lengths[1]; b++)
            for (size_t c = 0; c < t.lengths[2]; c++)
                for (size_t d = 0; d < t.lengths[3]; d++)
                    expected[to.at(a, b, c, d)] = in[from.at(a, b, c, d)];
    const move_params params = move_params_of(in.data() + from.first, out.data + to.first,
                                              plan_of(t, sizeof(UNIT), from, to));
    emulator::launch(t.blocks, MOVE_THREADS, params.plan.shared_bytes, below(2) == 0, [&] {
        if (t.variant == MOVE_STRAIGHT)
            move_straight<UNIT>(params);
        else if (t.variant == MOVE_TURNED)
            move_turned<UNIT, true>(params);
        else
            move_turned<UNIT, false>(params);
    });
    for (size_t i = 0; i < to.units; i++)
        if (out.data[i] != expected[i] || !out.is_intact()) {
            char words[200];
            snprintf(words, sizeof words,
                     "move_lines: variant %d, %lu x %lu x %lu x %lu in boxes of %u x %u x %u, "
                     "units of %zu, "
                     "threads 2^%u, 2^%u: wrong at %zu",
                     (int)t.variant, t.lengths[0], t.lengths[1], t.lengths[2], t.lengths[3],
                     t.box[0], t.box[1], t.box[2], sizeof(UNIT), t.read_shift, t.write_shift, i);
            emulator::fail(words);
        }
}

template <typename UNIT>
static void test_unit()
{
    static const move_test tests[] = {
        {MOVE_TURNED, {100, 70, 3, 1}, {64, 64, 1}, 6, 6, 3, 1},
        {MOVE_TURNED, {33, 65, 1, 2}, {32, 64, 1}, 5, 6, 2, 1},
        {MOVE_TURNED, {300, 5, 2, 1}, {256, 5, 1}, 8, 3, 1, 0},
        {MOVE_TURNED, {64, 64, 2, 1}, {64, 64, 1}, 6, 6, 2, 1},
        {MOVE_TURNED_SMALL, {2, 1500, 1, 2}, {2, 1024, 1}, 1, 8, 2, 1},
        {MOVE_TURNED_SMALL, {3, 5, 150, 1}, {3, 5, 60}, 2, 3, 2, 0},
        {MOVE_TURNED_SMALL, {700, 3, 2, 1}, {600, 3, 1}, 8, 2, 3, 8},
        {MOVE_TURNED_SMALL, {16, 20, 19, 3}, {16, 16, 8}, 4, 4, 4, 2},
        {MOVE_TURNED_SMALL, {1, 1, 1, 1}, {1, 1, 1}, 0, 0, 1, 0},
        {MOVE_STRAIGHT, {700, 3, 5, 1}, {600, 2, 1}, 8, 1, 2, 0},
        {MOVE_STRAIGHT, {3, 400, 4, 2}, {3, 300, 1}, 2, 8, 3, 0},
        {MOVE_STRAIGHT, {17, 9, 31, 2}, {17, 9, 10}, 5, 4, 2, 0},
    };
    for (const move_test &t : tests)
        for (unsigned k = 0; k < 4; k++)
            test<UNIT>(t, k == 3);
}

int main()
{
    test_unit<uint8_t>();
    test_unit<uint16_t>();
    test_unit<uint32_t>();
    test_unit<uint64_t>();
    return 0;
}
