/*
 * The kernels of gather and scatter (apps/gather/gather_kernels.cuh) in the emulator: units of every size, both
 * widths of indices, elements of one unit and of several, indices that are out of range, and places that
 * many elements have.
 */
#include "apps/gather/gather_kernels.cuh"

#include "tests/emulated/device_memory.h"

enum kind { ELEMENTS, UNITS, SCATTER, WINNERS };
static const char *const names[] = {"elements", "units", "scatter", "winners"};

struct gather_test {
    kind of;
    size_t n, count, units; /* units of an element */
    bool wide, wrong;       /* some indices are out of range */
    unsigned blocks;
    bool over;           /* out is the indices */
    size_t room = 0;     /* not 0: the most that n can be, which is in device memory */
    uint64_t beyond = 0; /* so much is the length there above the room */
};

/* Unit u of element i. */
template <typename UNIT>
static UNIT unit_of(size_t i, size_t u)
{
    UNIT unit;
    unsigned char bytes[sizeof unit];
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (unsigned char)((i * 2654435761u >> 9) + u * 31 + k * 7 + 1);
    memcpy(&unit, bytes, sizeof unit);
    return unit;
}

template <typename UNIT>
static bool same(const UNIT &a, const UNIT &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

template <typename UNIT, bool WIDE>
static void launch(const gather_test &t, const gather_at_length &params, bool in_order)
{
    const auto run = [&](auto kernel) {
        emulator::launch(t.blocks, GATHER_THREADS, 0, in_order, [&] { kernel(params); });
    };
    if (t.of == ELEMENTS)
        run(gather_elements<UNIT, WIDE>);
    else if (t.of == UNITS)
        run(move_by_warps<UNIT, WIDE, false>);
    else if (t.of == SCATTER)
        run(scatter_elements<UNIT, WIDE>);
    else {
        if (params.wide_winners)
            run(find_winners<unsigned long long, WIDE>);
        else
            run(find_winners<unsigned, WIDE>);
        run(move_by_warps<UNIT, WIDE, true>);
    }
}

template <typename UNIT, typename INDEX>
static void test(const gather_test &t, bool in_order)
{
    const bool scatters = t.of == SCATTER || t.of == WINNERS;
    const size_t in_count = scatters ? t.n : t.count, out_count = scatters ? t.count : t.n;
    std::vector<UNIT> in(in_count * t.units);
    std::vector<INDEX> indices(t.n);
    std::vector<uint64_t> winners(t.count + 1);
    guarded_array<UNIT> apart(out_count * t.units, t.over ? 0 : 3);
    UNIT *const out = t.over ? (UNIT *)(void *)indices.data() : apart.data;
    uint64_t error[2] = {};
    size_t wrong = 0;
    for (size_t i = 0; i < in_count; i++)
        for (size_t u = 0; u < t.units; u++)
            in[i * t.units + u] = unit_of<UNIT>(i, u);
    for (size_t i = 0; i < t.n; i++) {
        const uint64_t random = emulator::running.random();
        indices[i] =
            (INDEX)(t.wrong && random % 9 == 0 ? t.count + (random >> 60) : random % t.count);
        wrong += indices[i] >= t.count;
    }
    const std::vector<INDEX> before = indices;
    const UNIT untouched = apart.data[0];
    gather_at_length params = {};
    params.in = in.data();
    params.out = out;
    params.indices = indices.data();
    params.n = t.n;
    params.limit = t.count;
    params.value_size = t.units * sizeof(UNIT);
    params.wide = sizeof(INDEX) == 8;
    params.winners = winners.data();
    params.wide_winners = t.blocks % 2 == 0;
    params.error = {error, 0};
    uint64_t told[2] = {};
    const uint64_t length = t.n + t.beyond;
    if (t.room != 0) {
        params.n = t.room;
        params.length = {&length, {told, 3}};
    }
    launch<UNIT, sizeof(INDEX) == 8>(t, params, in_order);
    const auto fail = [&](const char *what, size_t i) {
        char words[200];
        snprintf(words, sizeof words,
                 "%s, %zu of %zu, %zu units of %zu bytes, indices of %zu: %s, %zu", names[t.of],
                 t.n, t.count, t.units, sizeof(UNIT), sizeof(INDEX), what, i);
        emulator::fail(words);
    };
    std::vector<size_t> last(t.count, t.n);
    std::vector<bool> found(t.count);
    for (size_t i = 0; i < t.n; i++)
        if (before[i] < t.count) {
            last[before[i]] = i;
            found[before[i]] = found[before[i]] || same(out[before[i]], in[i * t.units]);
        }
    for (size_t i = 0; i < out_count; i++)
        for (size_t u = 0; u < t.units; u++) {
            const UNIT unit = out[i * t.units + u];
            UNIT zero;
            memset(&zero, 0, sizeof zero);
            if (!scatters && !same(unit, before[i] < t.count ? in[before[i] * t.units + u] : zero))
                fail("wrong element", i);
            if (scatters && last[i] == t.n && !same(unit, untouched))
                fail("an element without index was written", i);
            if (t.of == SCATTER && last[i] != t.n && !found[i])
                fail("no element of this index", i);
            if (t.of == WINNERS && last[i] != t.n && !same(unit, in[last[i] * t.units + u]))
                fail("not the last element", i);
        }
    if (!apart.is_intact())
        fail("something beside the output was written", 0);
    if (told[0] != (t.beyond != 0 ? 3ull << 32 | PARSCAN_ERROR_CAPACITY : 0))
        fail("another error of the length", (size_t)told[0]);
    if ((error[0] != 0) != (wrong != 0))
        fail("wrong indices", wrong);
    if (wrong != 0 && (error[0] != PARSCAN_ERROR_INVALID_ARGUMENT || error[1] >> 63 != 1 ||
                       before[error[1] << 1 >> 1] < t.count))
        fail("another index is called wrong", (size_t)(error[1] << 1 >> 1));
}

template <typename UNIT>
static void test_unit(bool in_order)
{
    static const size_t lengths[] = {1, 31, 33, 1024, 2500};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned k = 0; k < 4; k++) {
            const size_t units = k == UNITS || k == WINNERS ? 1 + l : 1;
            const gather_test t = {(kind)k, lengths[l],       l % 2 == 0 ? 7u : 3000u, units,
                                   false,   (l + k) % 3 == 0, 1 + (unsigned)l % 3,     false};
            test<UNIT, uint32_t>(t, in_order);
            test<UNIT, uint64_t>(t, in_order);
        }
}

/* Lengths in device memory; above the room, its elements are moved. */
template <typename UNIT>
static void test_lengths(bool in_order)
{
    const size_t ROOM = 1100;
    static const size_t lengths[] = {0, 1, 31, 32, 33, 1023, 1024, 1025, ROOM};
    for (const size_t n : lengths)
        for (unsigned k = 0; k < 4; k++) {
            const size_t units = k == UNITS || k == WINNERS ? 3 : 1;
            test<UNIT, uint32_t>({(kind)k, n, 50, units, false, false, 2, false, ROOM, 0},
                                 in_order);
        }
    for (unsigned k = 0; k < 4; k++)
        test<UNIT, uint64_t>({(kind)k, ROOM, 50, 1, false, false, 3, false, ROOM, 9}, in_order);
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_unit<uint8_t>(in_order != 0);
        test_unit<uint16_t>(in_order != 0);
        test_unit<uint32_t>(in_order != 0);
        test_unit<uint64_t>(in_order != 0);
        test_unit<uint4>(in_order != 0);
        test_lengths<uint16_t>(in_order != 0);
        test_lengths<uint4>(in_order != 0);
        test<uint32_t, uint32_t>({ELEMENTS, 3000, 500, 1, false, true, 2, true}, in_order != 0);
        test<uint16_t, uint64_t>({UNITS, 3000, 500, 4, false, true, 2, true}, in_order != 0);
    }
    return 0;
}
