/*
 * Sorts of rows in registers (apps/sort/sort_rows_kernels.cuh) in the emulator, beside std::stable_sort: lengths around
 * those of the threads' places, few and many equal keys, either direction, bits that are kept, floats with NaNs.
 */
#include "apps/sort/sort_rows_kernels.cuh"
#include "tests/emulated/device_memory.h"

#include <numeric>

struct rows_test {
    size_t rows, n;
    unsigned distinct; /* keys; 0: any */
    bool descending;
    unsigned index_size, blocks;
    uint64_t keep;
    bool aligned;
};

static void fail(const rows_test &t, const char *what, size_t i)
{
    char words[200];
    snprintf(words, sizeof words,
             "sort_rows: %zu rows of %zu, %u distinct, descending %d, indices of %u: %s at %zu",
             t.rows, t.n, t.distinct, t.descending, t.index_size, what, i);
    emulator::fail(words);
}

template <typename S>
static void test(const rows_test &t, bool in_order)
{
    typedef typename S::Bits Bits;
    typedef typename S::Key KEY;
    const size_t all = t.rows * t.n;
    const Bits flip = (Bits)(t.descending ? ~(uint64_t)0 : 0);
    const unsigned shift = t.aligned ? 0 : 1;
    guarded_array<Bits> keys(all, shift), sorted(all, 2 * shift);
    guarded_array<uint32_t> short_indices(all, shift);
    guarded_array<uint64_t> indices(all, shift);
    for (size_t i = 0; i < all; i++) {
        const uint64_t random = emulator::running.random();
        keys.data[i] = (Bits)(t.distinct != 0 ? random % t.distinct * 0x9e3779b97f4a7c15u : random);
    }
    sort_rows_params<KEY> params = {};
    params.keys = keys.data;
    params.keys_out = S::INDEXED ? nullptr : sorted.data;
    params.indices = t.index_size == 4 ? (void *)short_indices.data : indices.data;
    params.index_size = t.index_size;
    params.n = (unsigned)t.n;
    params.rows = t.rows;
    params.flip = flip;
    params.keep = (Bits)t.keep;
    params.has_vectors = t.aligned && t.n * sizeof(Bits) % 16 == 0;
    emulator::launch(t.blocks, S::THREADS * S::ROWS, S::SHARED_BYTES, in_order,
                     [&] { sort_rows<S>(params); });
    std::vector<uint32_t> order(t.n);
    for (size_t r = 0; r < t.rows; r++) {
        const Bits *const row = keys.data + r * t.n;
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            const auto rank = [&](uint32_t i) {
                return (Bits)(KEY::rank(KEY::encode(row[i], flip), flip) & (Bits)t.keep);
            };
            return rank(a) < rank(b);
        });
        for (size_t i = 0; i < t.n; i++) {
            const size_t at = r * t.n + i;
            if (!S::INDEXED && sorted.data[at] != row[order[i]])
                fail(t, "a wrong key", at);
            if (S::INDEXED &&
                (t.index_size == 4 ? short_indices.data[at] : indices.data[at]) != order[i])
                fail(t, "a wrong index", at);
        }
    }
    if (!sorted.is_intact() || !short_indices.is_intact() || !indices.is_intact())
        fail(t, "something beside the output was written", 0);
}

template <typename S>
static void test_shape(bool in_order)
{
    unsigned k = 0;
    const size_t PLACES = S::PLACES;
    for (const size_t n : {(size_t)1, PLACES / 2 + 1, PLACES - 8, PLACES - 1, PLACES})
        for (const unsigned distinct : {0u, 5u}) {
            const rows_test t = {1 + S::ROWS + k % 3,
                                 n,
                                 distinct,
                                 k % 3 == 1,
                                 k % 2 == 0 ? 4u : 8u,
                                 1 + k % 2,
                                 S::INDEXED && !S::Key::IS_FLOAT && k % 4 == 3 ? 0xff00ull : ~0ull,
                                 k % 5 != 0};
            test<S>(t, in_order);
            k++;
        }
}

int main()
{
    typedef integer_key<uint32_t> u32;
    typedef integer_key<uint64_t> u64;
    typedef float_key<uint32_t, 0x7f800000> f32;
    for (int in_order = 0; in_order < 2; in_order++) {
        test_shape<sort_rows_shape<u32, false, 16, 4, 32>>(in_order != 0);
        test_shape<sort_rows_shape<u32, true, 16, 4, 32>>(in_order != 0);
        test_shape<sort_rows_shape<f32, true, 16, 8, 16>>(in_order != 0);
        test_shape<sort_rows_shape<u64, false, 16, 16, 8>>(in_order != 0);
        test_shape<sort_rows_shape<u32, true, 4, 32, 4>>(in_order != 0);
        test_shape<sort_rows_shape<f32, true, 16, 32, 4>>(in_order != 0);
        test_shape<sort_rows_shape<u64, false, 8, 32, 4>>(in_order != 0);
        test_shape<sort_rows_shape<u32, false, 16, 64, 1>>(in_order != 0);
        test_shape<sort_rows_shape<u32, true, 4, 256, 1>>(in_order != 0);
    }
    return 0;
}
