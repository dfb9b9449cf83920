/*
 * Compaction and partition (apps/compact/compact_tiles.cuh) in the emulator, whose length is in device
 * memory, with room for some of the results only: what is written is what a loop over so many elements
 * writes, and nothing is beside it. The grid is that of the most elements.
 */
#include "apps/compact/compact_few.cuh"
#include "apps/compact/compact_tiles.cuh"
#include "tests/emulated/device_memory.h"

static const char *const tests[] = {"in a range", "in parts", "heads of runs", "runs", "by flags"};

/* What is written beside the elements. */
enum beside_values { NOTHING, INDICES, ROWS, RECORDS };

struct length_case {
    beside_values beside;
    unsigned percent; /* of the elements that are kept */
    unsigned blocks;
    size_t most;
    uint64_t length;
    size_t room;        /* SIZE_MAX: no limit */
    size_t columns = 1; /* of ROWS: most and length are rows */
    size_t more = 0;    /* columns are in device memory, and the argument is so much larger */
    size_t record = 6;  /* of RECORDS: bytes, and the bytes of a piece */
    unsigned unit = 2;
};

/* The keys of the range begin here. */
#define FIRST 77u

static chain_memory chain;
static parscan_meeting meeting;

/* Whether a shape is that of few elements, whose blocks have one tile. */
template <typename S>
static constexpr bool is_few = false;
template <unsigned WIDTH, compact_test TEST, bool HALVES, unsigned THREADS>
static constexpr bool is_few<compact_few_shape<WIDTH, TEST, HALVES, THREADS>> = true;

template <typename S>
struct length_test {
    typedef typename S::U U;
    const length_case &t;
    size_t most, n;
    guarded_array<U> in;
    guarded_array<uint8_t> flags, records;
    U width;
    std::vector<U> values;
    std::vector<uint8_t> moved;
    std::vector<uint32_t> indices, lengths, rows;
    uint64_t kept = 0, length, count = 77, columns, deferred[2] = {}, exceeded[2] = {};

    length_test(const length_case &of)
        : t(of), most(of.most * (of.columns + of.more)),
          n((size_t)std::min<uint64_t>(of.length, of.most) * of.columns), in(most, 3),
          flags(most, 1), records(most * of.record, of.unit),
          width((U)((double)(U)-1 / 100 * of.percent)), length(of.length), columns(of.columns)
    {
        const auto random = [] { return emulator::running.random(); };
        for (size_t i = 0; i < most; i++) {
            in.data[i] =
                S::HEADS && i > 0 && random() % 100 >= t.percent ? in.data[i - 1] : (U)random();
            flags.data[i] = random() % 100 < t.percent;
        }
        for (size_t k = 0; k < most * t.record; k++)
            records.data[k] = (uint8_t)random();
        expect();
    }

    void expect()
    {
        std::vector<U> rest;
        if (t.columns == 0)
            rows.resize((size_t)std::min<uint64_t>(t.length, t.most));
        for (size_t i = 0; i < n; i++) {
            const bool keeps = S::TEST == COMPACT_FLAGS ? flags.data[i] != 0
                               : S::HEADS               ? i == 0 || in.data[i - 1] != in.data[i]
                                                        : (U)(in.data[i] - FIRST) <= width;
            if (t.beside == ROWS && i % t.columns == 0)
                rows.push_back((uint32_t)kept);
            (keeps ? values : rest).push_back(in.data[i]);
            if (keeps) {
                indices.push_back((uint32_t)(i % (t.beside == ROWS ? t.columns : most)));
                lengths.push_back(0);
                moved.insert(moved.end(), records.data + i * t.record,
                             records.data + (i + 1) * t.record);
            }
            if (S::HEADS)
                lengths.back()++;
            kept += keeps;
        }
        rows.push_back((uint32_t)kept);
        if (S::PARTS)
            values.insert(values.end(), rest.begin(), rest.end());
        const size_t written = std::min<size_t>(values.size(), t.room);
        values.resize(written);
        indices.resize(std::min<size_t>(indices.size(), t.room));
        lengths.resize(std::min<size_t>(lengths.size(), t.room));
        if (t.room != SIZE_MAX)
            moved.resize(std::min<size_t>(moved.size(), t.room * t.record));
    }

    [[noreturn]] void fail(const char *what, size_t place) const
    {
        char words[200];
        snprintf(words, sizeof words,
                 "%s, %u bytes, beside %d, %u%%, %u blocks, length %zu of %zu, room %zu: %s at %zu",
                 tests[S::TEST], (unsigned)S::WIDTH, (int)t.beside, t.percent, t.blocks,
                 (size_t)t.length, t.most, t.room, what, place);
        emulator::fail(words);
    }

    /* The keys of runs are written beside their records. */
    bool moves_elements() const { return t.beside != RECORDS || S::HEADS; }

    /* Room for the most, of which only what is expected may be written. */
    template <typename T>
    static guarded_array<T> room_for(size_t elements, size_t expected, unsigned shift = 1)
    {
        guarded_array<T> array(elements, shift);
        array.end = (unsigned char *)(array.data + expected);
        return array;
    }

    template <typename T>
    void expect_array(const guarded_array<T> &array, const std::vector<T> &expected) const
    {
        const uint64_t none[2] = {0, 0};
        expect_right(array, expected, none,
                     [&](const char *what, size_t place) { fail(what, place); });
    }

    compact_params params_of(guarded_array<U> &out, guarded_array<uint32_t> &numbers,
                             guarded_array<uint32_t> &row_offsets,
                             guarded_array<uint8_t> &records_out)
    {
        compact_params params = {};
        params.in = in.data;
        params.flags = flags.data;
        params.n = most;
        params.head_padding = (unsigned)((uintptr_t)params.in % 128 / sizeof(U));
        params.flag_misalignment =
            S::TEST == COMPACT_FLAGS
                ? (unsigned)(((uintptr_t)params.flags - params.head_padding) % 128)
                : 0;
        params.first = FIRST;
        params.width = width;
        params.rows = t.most;
        params.columns = t.columns + t.more;
        if (t.more > 0)
            params.column_length = device_length{&columns, {deferred, 3}};
        if (moves_elements())
            params.values = out.data;
        if (S::TEST == COMPACT_RUNS)
            params.lengths = numbers.data;
        else if (t.beside == INDICES || t.beside == ROWS)
            params.indices = numbers.data;
        if (t.beside == ROWS)
            params.row_offsets = row_offsets.data;
        if (t.beside == RECORDS) {
            params.records = records.data;
            params.records_out = records_out.data;
            params.unit = t.unit;
            params.units = t.record / t.unit;
        }
        params.tiles = std::max<size_t>(tiles_of<S>(params), 1);
        params.count = &count;
        params.capacity = t.room;
        params.exceeded = parscan_deferred{exceeded, 5};
        params.length = device_length{&length, {deferred, 3}};
        params.chain = chain.before_launch();
        params.meeting = &meeting;
        return params;
    }

    void run(bool in_order)
    {
        guarded_array<U> out = room_for<U>(most, moves_elements() ? values.size() : 0);
        guarded_array<uint8_t> records_out =
            room_for<uint8_t>(most * t.record, t.beside == RECORDS ? moved.size() : 0, t.unit);
        const bool runs = S::TEST == COMPACT_RUNS;
        const std::vector<uint32_t> &wanted = runs ? lengths : indices;
        const bool has_numbers = runs || t.beside == INDICES || t.beside == ROWS;
        guarded_array<uint32_t> numbers = room_for<uint32_t>(most, has_numbers ? wanted.size() : 0);
        guarded_array<uint32_t> row_offsets =
            room_for<uint32_t>(t.most + 1, t.beside == ROWS ? rows.size() : 0);
        const compact_params params = params_of(out, numbers, row_offsets, records_out);
        if (2 * params.tiles + 2 + 2 * t.blocks > chain_memory::WORDS)
            fail("no room for status words", params.tiles);
        if constexpr (is_few<S>)
            emulator::launch((unsigned)params.tiles, S::THREADS, 0, in_order,
                             [&] { compact_few<S>(params); });
        else
            emulator::launch((unsigned)std::min<size_t>(t.blocks, params.tiles), S::THREADS,
                             S::SHARED_BYTES, in_order, [&] {
                                 auto &shared = own_variable<compact_shared<S>>(__FILE__, __LINE__);
                                 run_compaction<S>(params, shared, own_block().shared);
                             });
        if (moves_elements())
            expect_array(out, values);
        if (t.beside == RECORDS)
            expect_array(records_out, moved);
        if (has_numbers)
            expect_array(numbers, wanted);
        if (t.beside == ROWS)
            expect_array(row_offsets, rows);
        expect_told();
    }

    void expect_told() const
    {
        if (count != kept)
            fail("wrong number of kept elements", (size_t)count);
        if (meeting.blocks != 0 || meeting.way != 0)
            fail("what blocks share is left", meeting.blocks);
        const bool above = t.length > t.most, full = kept > t.room;
        if (deferred[0] != (above ? 3ull << 32 | PARSCAN_ERROR_CAPACITY : 0) ||
            deferred[1] != (above ? PARSCAN_IS_LENGTH | t.length : 0))
            fail("what is told of the length is wrong", (size_t)deferred[1]);
        if (exceeded[0] != (full ? 5ull << 32 | PARSCAN_ERROR_CAPACITY : 0) ||
            exceeded[1] != (full ? PARSCAN_IS_COUNT | kept : 0))
            fail("what is told of the count is wrong", (size_t)exceeded[1]);
    }
};

template <typename S>
static void test(bool in_order, const length_case &t)
{
    length_test<S>(t).run(in_order);
}

/* Every length at the edges of tiles, and beyond the argument. */
template <typename S>
static void test_lengths(bool in_order, beside_values beside, size_t most)
{
    const size_t TILE = S::TILE;
    const uint64_t lengths[] = {0,        1,        TILE - 4, TILE - 3, TILE - 2,
                                TILE + 7, most - 1, most,     most + 5};
    for (const uint64_t length : lengths)
        if (length <= most + 5)
            test<S>(in_order, {beside, 40, 3, most, length, SIZE_MAX});
    test<S>(in_order, {beside, 40, 2, 0, 0, SIZE_MAX});
    test<S>(in_order, {beside, 40, 2, 0, 4, SIZE_MAX});
}

/* Room that ends at either side of what a chunk and a tile keep, and inside. */
template <typename S>
static void test_rooms(bool in_order, beside_values beside)
{
    const size_t most = 4 * S::TILE;
    for (const unsigned percent : {3u, 60u, 100u})
        for (const size_t room : {(size_t)1, (size_t)2, (size_t)S::CHUNK - 1, (size_t)S::CHUNK,
                                  (size_t)S::CHUNK + 1, (size_t)S::TILE, 2 * (size_t)S::TILE + 77})
            test<S>(in_order, {beside, percent, 2, most, most - 9, room});
}

/* Records of one piece and of several, some of which are fetched. */
template <typename S>
static void test_records(bool in_order)
{
    static const struct {
        size_t record;
        unsigned unit;
    } sizes[] = {{1, 1}, {4, 4},   {6, 2},  {8, 8},  {8, 4},
                 {7, 1}, {16, 16}, {12, 4}, {32, 1}, {200, 8}};
    test_lengths<S>(in_order, RECORDS, 3 * S::TILE);
    test_rooms<S>(in_order, RECORDS);
    for (const auto &size : sizes)
        for (const unsigned percent : {1u, 70u})
            if (!S::GATHERS || size.record <= 8)
                test<S>(in_order, {RECORDS, percent, 2, 2 * S::TILE + 40, 2 * S::TILE + 5, SIZE_MAX,
                                   1, 0, size.record, size.unit});
}

template <typename S>
static void test_rows(bool in_order)
{
    for (const size_t columns : {(size_t)1, (size_t)13, (size_t)S::TILE + 5}) {
        const size_t rows = 5 * S::TILE / columns;
        for (const uint64_t length :
             {(uint64_t)0, (uint64_t)1, (uint64_t)rows / 2, (uint64_t)rows, (uint64_t)rows + 3})
            for (const size_t room : {SIZE_MAX, (size_t)100})
                test<S>(in_order,
                        {ROWS, 30, 2, rows, length, room, columns, room == SIZE_MAX ? 3u : 0u});
    }
    test<S>(in_order, {ROWS, 30, 2, 7, 4, SIZE_MAX, 0});
    test<S>(in_order, {ROWS, 30, 2, 7, 4, SIZE_MAX, 0, 5});
    test<S>(in_order, {ROWS, 30, 2, 7, 9, 3, 0});
}

template <template <compact_test> class SHAPE>
static void test_width(bool in_order)
{
    typedef SHAPE<COMPACT_PARTS> parts;
    const size_t HELD = 3 * parts::STAGES * parts::TILE;
    chain = chain_memory();
    test_lengths<parts>(in_order, NOTHING, parts::TILE);
    test_lengths<parts>(in_order, NOTHING, 5 * HELD);
    for (const unsigned percent : {2u, 50u, 98u})
        for (const uint64_t length : {HELD - 9, 2 * HELD - 7, 4 * HELD + 11})
            test<parts>(in_order, {NOTHING, percent, 3, 5 * HELD, length, SIZE_MAX});
    test_lengths<SHAPE<COMPACT_RANGE>>(in_order, NOTHING, 5 * parts::TILE);
    test_lengths<SHAPE<COMPACT_RANGE>>(in_order, INDICES, 2 * parts::TILE);
    test_lengths<SHAPE<COMPACT_HEADS>>(in_order, NOTHING, 5 * parts::TILE);
    test_lengths<SHAPE<COMPACT_RUNS>>(in_order, NOTHING, 5 * parts::TILE);
    test_lengths<SHAPE<COMPACT_FLAGS>>(in_order, NOTHING, 5 * parts::TILE);
    test_rows<SHAPE<COMPACT_RANGE>>(in_order);
    test_rooms<SHAPE<COMPACT_RANGE>>(in_order, NOTHING);
    test_rooms<SHAPE<COMPACT_RANGE>>(in_order, INDICES);
    test_rooms<SHAPE<COMPACT_HEADS>>(in_order, NOTHING);
    test_rooms<SHAPE<COMPACT_RUNS>>(in_order, NOTHING);
    test_rooms<SHAPE<COMPACT_FLAGS>>(in_order, NOTHING);
    test_records<compact_with_records<SHAPE<COMPACT_RANGE>>>(in_order);
    test_records<compact_with_records<SHAPE<COMPACT_HEADS>>>(in_order);
    if constexpr (parts::WARP_SPECIALISED) {
        test_records<compact_gathering<SHAPE<COMPACT_RANGE>>>(in_order);
        test_records<compact_gathering<SHAPE<COMPACT_HEADS>>>(in_order);
    }
}

template <unsigned WIDTH>
static void test_few(bool in_order)
{
    typedef compact_few_shape<WIDTH, COMPACT_RANGE, false, 64> range;
    typedef compact_few_shape<WIDTH, COMPACT_HEADS, false, 64> heads;
    typedef compact_few_shape<WIDTH, COMPACT_FLAGS, false, 64> flags;
    const size_t TILE = range::TILE, most = 4 * TILE;
    chain = chain_memory();
    test_lengths<compact_few_shape<WIDTH, COMPACT_PARTS, false, 64>>(in_order, NOTHING, 5 * TILE);
    test_lengths<range>(in_order, NOTHING, TILE);
    test_lengths<range>(in_order, INDICES, 5 * TILE);
    test_lengths<heads>(in_order, INDICES, 5 * TILE);
    test_lengths<flags>(in_order, NOTHING, 5 * TILE);
    for (const unsigned percent : {3u, 100u})
        for (const size_t room : {(size_t)1, TILE / 2, TILE, 2 * TILE + 77}) {
            test<range>(in_order, {INDICES, percent, 2, most, most - 9, room});
            test<heads>(in_order, {NOTHING, percent, 2, most, most - 9, room});
            test<flags>(in_order, {INDICES, percent, 2, most, most - 9, room});
        }
}

template <compact_test TEST>
using bytes_1 = compact_shape<1, TEST, 2, 1, 2, 8, 3>;
template <compact_test TEST>
using bytes_4 = compact_shape<4, TEST, 2, 1, 4, 8, 2>;
template <compact_test TEST>
using bytes_8_unspecialised = compact_shape<8, TEST, 2, 0, 4, 8, 1>;

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_few<1>(in_order != 0);
        test_few<4>(in_order != 0);
        test_few<8>(in_order != 0);
        test_width<bytes_1>(in_order != 0);
        test_width<bytes_4>(in_order != 0);
        test_width<bytes_8_unspecialised>(in_order != 0);
    }
    return 0;
}
