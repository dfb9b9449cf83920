/*
 * Reductions to an index in the emulator, beside a loop over numbers: of an array (apps/select/arg_reduce_kernels.cuh)
 * and of segments by offsets (apps/select/arg_reduce_parts.cuh). Elements are few values, so that there are
 * equal ones, and of floats zeros of both signs, infinities and NaNs.
 */
#include "apps/select/arg_reduce_kernels.cuh"
#include "apps/select/arg_reduce_parts.cuh"
#include "apps/select/arg_reduce_tiles.cuh"
#include "tests/emulated/device_memory.h"
#include "tests/emulated/extremes.h"

static chain_memory chain;

struct arg_test {
    size_t n, room; /* room: not 0: n is in device memory, and at most this */
    unsigned blocks, shift;
    bool max, wide;
    unsigned values; /* so many different ones */
};

template <typename T, typename BITS, parscan_type TYPE>
struct arg_run {
    arg_test t;
    guarded_array<T> in;
    guarded_array<BITS> values;
    guarded_array<uint64_t> indices;
    select_order order;
    uint64_t deferred[2] = {}, count = 77;
    uint64_t length;

    arg_run(const arg_test &test, size_t results, bool nans)
        : t(test), in(t.n, t.shift), values(results, 1), indices(results, 0),
          order(select_order_of(TYPE, t.max, true)), length(t.n)
    {
        for (size_t i = 0; i < t.n; i++)
            in.data[i] = value_of<T>(t.values, nans);
    }

    void fail(const char *what, size_t place) const
    {
        char words[200];
        snprintf(words, sizeof words, "%s of %zu in %zu %s, %u blocks: %s, %zu",
                 t.max ? "max" : "min", t.n, t.room, std::to_string(TYPE).c_str(), t.blocks, what,
                 place);
        emulator::fail(words);
    }

    BITS empty() const { return (BITS)select_last_number(TYPE, &order); }

    /* Result s, of the elements begin to end - 1. */
    void expect(size_t s, size_t begin, size_t end) const
    {
        size_t best = begin;
        for (size_t i = begin + 1; i < end; i++)
            if (is_better(t.max, in.data[best], in.data[i]))
                best = i;
        const uint64_t found =
            t.wide ? indices.data[s] : ((const uint32_t *)(const void *)indices.data)[s];
        if (found != best - begin)
            fail("wrong index", (size_t)found);
        BITS bits = empty();
        if (begin < end)
            memcpy(&bits, &in.data[best], sizeof bits);
        if (values.data[s] != bits)
            fail("wrong value", s);
    }

    void expect_intact() const
    {
        if (!values.is_intact() || !indices.is_intact() || deferred[0] != 0)
            fail("something else was written", 0);
    }

    void whole(bool in_order, bool tiles)
    {
        arg_params<BITS> params = {};
        params.in = (const BITS *)(const void *)in.data;
        params.set_length(t.room != 0 ? t.room : t.n);
        params.length = {t.room != 0 ? &length : NULL, {deferred, 1}};
        params.ranks.set(order);
        params.empty = empty();
        params.value = values.data;
        params.index = indices.data;
        params.wide = t.wide;
        params.count = &count;
        params.chain = chain.before_launch();
        if (tiles)
            emulator::launch((unsigned)std::max<size_t>(
                                 1, typename arg_tile<BITS>::tiles{params.in, params.n}.count()),
                             CHUNK_THREADS, 0, in_order, [&] { arg_reduce_tiles<BITS>(params); });
        else
            emulator::launch(t.blocks, CHUNK_THREADS, 0, in_order,
                             [&] { arg_reduce_blocks<BITS>(params); });
        expect(0, 0, t.n);
        if (count != 1)
            fail("count", (size_t)count);
        expect_intact();
    }

    void parts(const std::vector<uint32_t> &offsets, bool in_order)
    {
        typedef typename arg_results<BITS>::found found;
        merge_path_params<BITS, found, BITS, arg_results<BITS>> params;
        params.in = (const BITS *)(const void *)in.data;
        params.offsets = segment_offsets{};
        params.offsets.data = offsets.data();
        params.offsets.count = offsets.size() - 1;
        params.offsets.n = t.n;
        params.offsets.number = &count;
        params.offsets.deferred = {deferred, 0};
        params.ranks.set(order);
        params.empty = empty();
        params.values = values.data;
        params.indices = indices.data;
        params.wide = t.wide;
        params.chain = chain.before_launch();
        params.tiles = t.blocks;
        params.cut();
        emulator::launch(t.blocks, PARTS_THREADS, 0, in_order, [&] {
            reduce_parts<BITS, found, parscan_operator_FIRST, uint32_t, BITS, arg_results<BITS>>(
                params);
        });
        for (size_t s = 0; s + 1 < offsets.size(); s++)
            expect(s, offsets[s], offsets[s + 1]);
        if (count != offsets.size() - 1)
            fail("count", (size_t)count);
        expect_intact();
    }
};

template <typename T, typename BITS, parscan_type TYPE>
static void test_type(bool in_order)
{
    const size_t chunk = select_chunks<BITS>::BYTES / sizeof(BITS);
    const size_t lengths[] = {0, 1, 2, 33, chunk - 1, chunk, chunk + 1, 2 * chunk + 77};
    const size_t ROOM = 2 * chunk + 100;
    unsigned k = 0;
    for (const size_t n : lengths)
        for (unsigned way = 0; way < 8; way++, k++) {
            const arg_test t = {
                n,          way & 1 ? ROOM : 0, 1 + k % 3, k * 7 % 5, (way & 2) != 0,
                k % 2 == 0, k % 3 ? 50u : 2u};
            arg_run<T, BITS, TYPE>(t, 1, k % 5 != 0).whole(in_order, (way & 4) != 0);
        }
    for (unsigned mean = 1; mean < 5000; mean *= 9) {
        const arg_test t = {
            mean < 80 ? 1500u : 9000u, 0, 1 + mean % 3, mean % 4, mean % 2 == 0, mean % 5 == 0, 40};
        const std::vector<uint32_t> offsets = random_offsets(t.n, mean);
        arg_run<T, BITS, TYPE>(t, offsets.size() - 1, true).parts(offsets, in_order);
    }
}

int main()
{
    for (int in_order = 0; in_order < 2; in_order++) {
        test_type<uint8_t, uint8_t, PARSCAN_U8>(in_order != 0);
        test_type<int16_t, uint16_t, PARSCAN_I16>(in_order != 0);
        test_type<int32_t, uint32_t, PARSCAN_I32>(in_order != 0);
        test_type<float, uint32_t, PARSCAN_F32>(in_order != 0);
        test_type<uint64_t, uint64_t, PARSCAN_U64>(in_order != 0);
        test_type<double, uint64_t, PARSCAN_F64>(in_order != 0);
    }
    return 0;
}
