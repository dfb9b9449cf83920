/* Numbers of rows, places in them, and words of elements (apps/sort/number_rows_kernels.cuh) in the emulator. */
#include "apps/sort/number_rows_kernels.cuh"
#include "tests/emulated/device_memory.h"

template <typename OUT, bool PLACES, bool INDICES>
static void test(size_t all, size_t n, unsigned blocks)
{
    guarded_array<OUT> out(all, 3);
    std::vector<uint32_t> indices(all);
    for (uint32_t &index : indices)
        index = (uint32_t)emulator::running.random();
    const number_params params = {indices.data(), out.data, all, n};
    emulator::launch(blocks, NUMBER_THREADS, 0, false, [&] {
        if (INDICES)
            divide_indices<OUT, PLACES>(params);
        else
            number_elements<OUT, PLACES>(params);
    });
    for (size_t i = 0; i < all; i++) {
        const size_t of = INDICES ? indices[i] : i;
        if (out.data[i] != (OUT)(PLACES ? of % n : of / n) || !out.is_intact()) {
            char words[120];
            snprintf(words, sizeof words, "number_rows: %zu in rows of %zu: wrong at %zu", all, n,
                     i);
            emulator::fail(words);
        }
    }
}

template <typename IN, typename OUT>
static void test_width(size_t all)
{
    guarded_array<OUT> out(all, 1);
    std::vector<IN> in(all);
    for (IN &x : in)
        x = (IN)emulator::running.random();
    const number_params params = {in.data(), out.data, all, 1};
    emulator::launch(2, NUMBER_THREADS, 0, false, [&] { change_width<IN, OUT>(params); });
    for (size_t i = 0; i < all; i++)
        if (out.data[i] != (OUT)in[i] || !out.is_intact())
            emulator::fail("number_rows: a word is wrong");
}

int main()
{
    test_width<uint8_t, uint32_t>(3000);
    test_width<uint32_t, uint16_t>(3000);
    static const size_t shapes[][2] = {{1, 1}, {1000, 1}, {5000, 7}, {5000, 256}, {5000, 4999}};
    for (const auto &s : shapes)
        for (unsigned blocks = 1; blocks < 4; blocks++) {
            test<uint32_t, false, false>(s[0], s[1], blocks);
            test<uint32_t, true, false>(s[0], s[1], blocks);
            test<uint64_t, true, false>(s[0], s[1], blocks);
            test<uint32_t, false, true>(s[0], s[1], blocks);
            test<uint32_t, true, true>(s[0], s[1], blocks);
            test<uint64_t, true, true>(s[0], s[1], blocks);
        }
    return 0;
}
