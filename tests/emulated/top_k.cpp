/*
 * The kernels of top-k (apps/select/top_k_kernels.cuh, top_k_segments.cuh, top_k_warps.cuh) in the emulator, beside a stable sort: one block's choice, of
 * arrays and of segments; a sample's limit, the candidates, and limits that are wrong; results of what is sorted.
 */
#include "apps/select/top_k_blocks.cuh"
#include "apps/select/top_k_kernels.cuh"
#include "apps/select/top_k_list.cuh"
#include "apps/select/top_k_rows.cuh"
#include "apps/select/top_k_segments.cuh"
#include "apps/select/top_k_warps.cuh"

#include "tests/emulated/device_memory.h"
#include "tests/emulated/extremes.h"

static chain_memory chain;

enum pattern { RANDOM, FEW_VALUES, EQUAL, RISING, FALLING, COLUMNS, PATTERNS };
static const char *const patterns[] = {"random", "few values", "equal",
                                       "rising", "falling",    "columns"};

enum limit { AS_FOUND, TOO_LOW, TOO_HIGH, LIMITS };

struct top_test {
    size_t n, k;
    pattern of;
    bool smallest, wide;
    unsigned blocks, shift;
    size_t room = 0; /* not 0: n is in device memory, and at most this */
};

template <typename T, typename BITS, parscan_type TYPE, typename CODE>
struct top_run {
    typedef typename code_of<CODE>::PART PART;
    typedef list_shape<true> shape;
    static const size_t SAMPLES = TOP_K_SAMPLES_OF_BLOCK * 2;
    top_test t;
    guarded_array<T> in;
    std::vector<uint32_t> bounds;
    size_t segments;
    guarded_array<BITS> values;
    guarded_array<uint64_t> indices, counts;
    uint64_t deferred[2] = {}, count = 77, length;
    std::vector<CODE> sampled;
    std::vector<PART> ranks, places;
    top_k_state state = {};
    top_params<BITS, CODE> params = {};

    top_run(const top_test &test, const std::vector<uint32_t> &offsets = {}, size_t candidates = 0)
        : t(test), in(t.n, t.shift), bounds(offsets),
          segments(bounds.empty() ? 1 : bounds.size() - 1), values(segments * t.k, 1),
          indices(segments * t.k, 0), counts(segments, 0), length(t.n), sampled(SAMPLES),
          ranks(candidates), places(candidates)
    {
        for (size_t i = 0; i < t.n; i++)
            in.data[i] = value_at(i);
        const size_t n = t.room != 0 ? t.room : t.n;
        params.elements.in = (const BITS *)(const void *)in.data;
        params.elements.ranks.set(select_order_of(TYPE, !t.smallest, false));
        params.set_length(n);
        params.length = {t.room != 0 ? &length : NULL, {deferred, 1}};
        params.samples = SAMPLES;
        params.room = candidates;
        params.to = {
            params.elements.in, values.data, indices.data, t.wide, t.k, counts.data, &count, 1};
        if (!bounds.empty()) {
            params.offsets.data = bounds.data();
            params.offsets.count = segments;
            params.offsets.n = t.n;
            params.offsets.deferred = {deferred, 0};
        }
        params.sampled = sampled.data();
        params.state = &state;
        params.ranks = ranks.data();
        params.places = places.data();
    }

    T value_at(size_t i) const
    {
        const uint64_t random = emulator::running.random();
        if constexpr (std::is_floating_point<T>::value) {
            const T special[] = {(T)-0.0, (T)0.0, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)-NAN};
            if (random >> 60 == 0 && t.of < EQUAL)
                return special[(random >> 32) % 6];
        }
        switch (t.of) {
        case RANDOM:
            return (T)(random >> 20);
        case FEW_VALUES:
            return (T)(random % 3);
        case EQUAL:
            return (T)1;
        case RISING:
            return (T)i;
        case COLUMNS:
            return (T)(i % 32 < 9 ? 100 + random % 20 : random % 80);
        default:
            return (T)(t.n - i);
        }
    }

    void fail(const char *what, size_t place) const
    {
        char words[250];
        snprintf(words, sizeof words, "%zu %s of %zu in %zu, type %d, %s, codes of %zu: %s, %zu",
                 t.k, t.smallest ? "least" : "largest", t.n, t.room, (int)TYPE, patterns[t.of],
                 sizeof(CODE), what, place);
        emulator::fail(words);
    }

    std::vector<size_t> order_of(size_t begin, size_t end) const
    {
        std::vector<size_t> order(end - begin);
        std::iota(order.begin(), order.end(), begin);
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return t.smallest ? is_less(in.data[a], in.data[b]) : is_less(in.data[b], in.data[a]);
        });
        return order;
    }

    void expect_segment(size_t s, size_t begin, size_t end) const
    {
        const std::vector<size_t> order = order_of(begin, end);
        const size_t results = std::min(t.k, end - begin);
        if (counts.data[s] != results)
            fail("count of results", (size_t)counts.data[s]);
        for (size_t j = 0; j < results; j++) {
            const size_t slot = s * t.k + j;
            const uint64_t index =
                t.wide ? indices.data[slot] : ((const uint32_t *)(const void *)indices.data)[slot];
            if (index != order[j] - begin)
                fail("wrong index", j);
            if (memcmp(&values.data[slot], &in.data[order[j]], sizeof(T)) != 0)
                fail("wrong value", j);
        }
        for (size_t j = results; j < t.k; j++)
            for (size_t b = 0; b < sizeof(T); b++)
                if (((const unsigned char *)&values.data[s * t.k + j])[b] != 0xc3)
                    fail("a slot without result was written", j);
    }

    void expect() const
    {
        if (bounds.empty())
            expect_segment(0, 0, t.n);
        for (size_t s = 0; s + 1 < bounds.size(); s++)
            expect_segment(s, bounds[s], bounds[s + 1]);
        if (count != segments)
            fail("count", (size_t)count);
        if (!values.is_intact() || !indices.is_intact() || !counts.is_intact() || deferred[0] != 0)
            fail("something else was written", 0);
    }

    template <typename Kernel>
    void launch(unsigned blocks, unsigned threads, bool in_order, Kernel kernel,
                size_t shared_bytes = 0)
    {
        params.chain = chain.before_launch();
        emulator::launch(blocks, threads, shared_bytes, in_order, [&] { kernel(params); });
    }

    void choose(bool in_order)
    {
        launch(t.blocks, CHOOSE_THREADS, in_order, top_k_choose<BITS, CODE>);
        expect();
    }

    /* Warps take short segments, blocks the others. */
    void choose_by_both(bool in_order)
    {
        params.shortest = TOP_K_WARP_ELEMENTS + 1;
        launch(t.blocks, WARPS_THREADS, in_order, top_k_choose_by_warps<BITS, CODE>);
        choose(in_order);
    }

    void by_blocks(bool in_order)
    {
        launch(t.blocks, CHUNK_THREADS, in_order, top_k_by_blocks<BITS, CODE>,
               sizeof(stream_shared<CODE>));
        expect();
    }

    /* Rows of this length, which `bounds` has too. */
    void rows(size_t length, bool in_order)
    {
        params.row = length;
        params.offsets.data = NULL;
        if (length <= 64 && t.k <= 8)
            rows_by_threads(in_order);
        else if (length <= 1024 && t.k <= 32)
            rows_by_warps(in_order);
        else
            launch(t.blocks, CHUNK_THREADS, in_order, top_k_rows_by_blocks<BITS, CODE>,
                   sizeof(stream_shared<CODE>));
        expect();
    }

    void rows_by_warps(bool in_order)
    {
        const bool whole = (uintptr_t)in.data % 16 == 0 && params.row * sizeof(T) % 16 == 0;
        const unsigned EACH = 1024 / 32;
        if (!whole)
            launch(t.blocks, WARPS_THREADS, in_order,
                   top_k_rows_by_warps<EACH, 1, false, BITS, CODE>);
        else if (params.row == 1024)
            launch(t.blocks, WARPS_THREADS, in_order,
                   top_k_rows_by_warps<EACH, 16 / sizeof(T), true, BITS, CODE>);
        else
            launch(t.blocks, WARPS_THREADS, in_order,
                   top_k_rows_by_warps<EACH, 16 / sizeof(T), false, BITS, CODE>);
    }

    void rows_by_threads(bool in_order)
    {
        const row_params<BITS> rows = row_params<BITS>::of(params);
        emulator::launch(t.blocks, ROWS_THREADS, rows.shared_bytes(), in_order,
                         [&] { top_k_choose_by_threads<8, BITS>(rows); });
    }

    void sample(bool in_order, limit found, bool lists)
    {
        launch(SAMPLES / TOP_K_SAMPLES_OF_BLOCK, TOP_THREADS, in_order, top_k_sample<BITS, CODE>);
        if (found == TOO_LOW)
            state.rank = state.place = 0;
        if (found == TOO_HIGH)
            state.rank = state.place = (PART) ~(PART)0;
        if (lists)
            launch(t.blocks, shape::THREADS, in_order, top_k_list<shape, BITS, CODE>,
                   shape::SHARED_BYTES);
        else
            launch(t.blocks, CHUNK_THREADS, in_order, top_k_filter<BITS, CODE>);
        if (found == AS_FOUND && (state.count < std::min(t.k, t.n) || state.count > ranks.size()))
            fail("the sample's limit is wrong", (size_t)state.count);
    }

    void few(bool in_order, limit found)
    {
        sample(in_order, found, false);
        launch(1, TOP_THREADS, in_order, top_k_finish<BITS, CODE>);
        expect();
    }

    void many(bool in_order, limit found)
    {
        sample(in_order, found, true);
        launch(1, TOP_THREADS, in_order, top_k_repair<BITS, CODE>);
        if (state.count < std::min(t.k, t.n) || state.count > ranks.size())
            fail("candidates", (size_t)state.count);
        std::vector<std::pair<PART, PART>> all;
        for (size_t i = 0; i < state.count; i++) {
            all.push_back({ranks[i], places[i]});
            if (i > 0 && places[i] <= places[i - 1])
                fail("candidates are not in order", i);
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        for (size_t i = 0; i < state.count; i++)
            places[i] = all[i].second;
        write(places.data(), in_order);
    }

    void write(const PART *sorted, bool in_order)
    {
        params.sorted = sorted;
        if (bounds.empty())
            launch(t.blocks, TOP_FLAT_THREADS, in_order, top_k_write<BITS, CODE>);
        else
            launch(t.blocks, TOP_FLAT_THREADS, in_order, top_k_write_segments<BITS, CODE>);
        expect();
    }

    /* All elements sorted, then divided among segments. */
    void sorted_segments(bool in_order)
    {
        const std::vector<size_t> order = order_of(0, t.n);
        std::vector<PART> sorted(order.begin(), order.end());
        std::vector<uint32_t> segment_of(t.n);
        params.sorted = sorted.data();
        params.segment_of = segment_of.data();
        launch(t.blocks, TOP_FLAT_THREADS, in_order, top_k_divide<BITS, CODE>);
        std::vector<size_t> by_segment(t.n);
        std::iota(by_segment.begin(), by_segment.end(), 0);
        std::stable_sort(by_segment.begin(), by_segment.end(),
                         [&](size_t a, size_t b) { return segment_of[a] < segment_of[b]; });
        std::vector<PART> places(t.n);
        for (size_t i = 0; i < t.n; i++)
            places[i] = sorted[by_segment[i]];
        write(places.data(), in_order);
    }
};

/* Each kind of code has three types, which take turns: a third of the cases each, since all are alike. */
enum { TYPES_OF_A_CODE = 3 };

template <typename T, typename BITS, parscan_type TYPE, typename CODE>
static void test_type(bool in_order, unsigned type)
{
    typedef top_run<T, BITS, TYPE, CODE> run;
    const size_t ROOM = code_of<CODE>::ROOM;
    const size_t lengths[] = {0, 1, 33, ROOM / 4, ROOM / 4 + 1, ROOM, 4 * ROOM - 1, 4 * ROOM + 7};
    unsigned k = 0, cases = 0;
    const auto has_turn = [&] { return cases++ % TYPES_OF_A_CODE == type; };
    for (const size_t n : lengths)
        for (unsigned p = 0; p < 2; p++, k++) {
            const size_t results[] = {1, 7, 100, TOP_K_MOST_CHOSEN};
            const size_t most = std::min(n, results[k % 4]);
            const top_test t = {n,
                                p ? most : results[k % 4],
                                (pattern)(k % PATTERNS),
                                k % 3 == 0,
                                k % 2 == 0,
                                1,
                                k % 5,
                                p ? n + 100 : 0};
            if (has_turn())
                run(t).choose(in_order);
        }
    for (unsigned mean = 3; mean < 3000; mean *= 9) {
        const top_test t = {mean < 80 ? 40 * mean : 9000u,
                            1 + mean % 40,
                            (pattern)(mean % 2),
                            mean % 2 == 0,
                            true,
                            2,
                            1};
        if (!has_turn())
            continue;
        const std::vector<uint32_t> offsets = random_offsets(t.n, mean);
        run(t, offsets).choose(in_order);
        run(t, offsets).sorted_segments(in_order);
    }
    for (unsigned p = 0; p < PATTERNS; p++)
        for (const unsigned mean : {20u, 90u, 400u, 1100u}) {
            const size_t results = p % 3 == 0 ? 32 : p % 3 == 1 ? 8 : 1;
            const top_test t = {8 * mean,   results,       (pattern)p, mean % 20 == 0 || p % 2 == 0,
                                p % 2 == 0, 1 + mean % 40, p};
            if (has_turn())
                run(t, random_offsets(t.n, mean)).choose_by_both(in_order);
        }
    for (unsigned p = 0; p < PATTERNS; p++)
        for (const size_t n : {300u, 9000u, 70000u, 300000u}) {
            const size_t results[] = {1, 16, 17, 64};
            const top_test t = {
                n,     results[(p + n / 300) % 4], (pattern)p, p % 2 == 0, p % 3 == 0, 1 + p % 4,
                p % 4, p == 1 ? n + 5000 : 0};
            if (has_turn())
                run(t).by_blocks(in_order);
        }
    for (unsigned p = 0; p < PATTERNS; p++)
        for (const unsigned length :
             {1u, 5u, 16u, 60u, 64u, 65u, 100u, 1000u, 1024u, 5000u, 40000u}) {
            const size_t results = length <= 64 ? 1 + p : length <= 1024 ? 3 + 5 * p : 20 + 190 * p;
            const unsigned rows = length > 4000 ? 2 : 70;
            const top_test t = {rows * (size_t)length,
                                std::min<size_t>(results, length + 1),
                                (pattern)p,
                                p % 2 == 0,
                                p % 3 == 0,
                                1 + p % 2,
                                p % 3 == 0 ? p : 0};
            std::vector<uint32_t> offsets;
            for (unsigned r = 0; r <= rows; r++)
                offsets.push_back(r * length);
            if (has_turn())
                run(t, offsets).rows(length, in_order);
        }
    /* The first results are all in a few lanes. */
    const top_test lanes = {1024, 32, COLUMNS, false, true, 1, 0};
    run(lanes, {0, 1024}).choose_by_both(in_order);
    for (unsigned p = 0; p < COLUMNS; p++)
        for (unsigned found = 0; found < LIMITS; found++) {
            if (!has_turn())
                continue;
            const size_t n = 30000 + 777 * p;
            const top_test few = {n, 1 + 99 * (size_t)(p % 2), (pattern)p, p % 2 == 0, true, 3,
                                  p, p == 3 ? n + 9 : 0};
            run(few, {}, 5000).few(in_order, (limit)found);
            const top_test many = {n,     1500, (pattern)p, p % 2 == 1,
                                   false, 2,    0,          p == 2 ? n + 9 : 0};
            run(many, {}, 5000).many(in_order, (limit)found);
        }
    const top_test all = {4000, 60, RANDOM, true, true, 2, 0, 60000}; /* fewer than the room */
    run(all, {}, 5000).few(in_order, AS_FOUND);
    const top_test none = {0, 60, RANDOM, true, true, 2, 0, 60000};
    run(none, {}, 5000).few(in_order, AS_FOUND);
}

int main()
{
    test_type<float, uint32_t, PARSCAN_F32, uint64_t>(true, 0);
    test_type<int32_t, uint32_t, PARSCAN_I32, uint64_t>(false, 1);
    test_type<uint8_t, uint8_t, PARSCAN_U8, uint64_t>(true, 2);
    test_type<int16_t, uint16_t, PARSCAN_I16, wide_code>(true, 0);
    test_type<double, uint64_t, PARSCAN_F64, wide_code>(true, 1);
    test_type<uint64_t, uint64_t, PARSCAN_U64, wide_code>(false, 2);
    return 0;
}
