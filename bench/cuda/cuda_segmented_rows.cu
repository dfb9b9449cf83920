/* Segmented scans and reductions compared with CUB's by key and by offsets; recurrences compared
   with a copy. */
#include "cuda_bench.h"
#include "scan/type_traits.h"

static cub_call segment_call(parscan_type type, const segments &s)
{
    return {.type = type, .beside = s.keys, .offsets = s.offsets, .segments = s.count};
}

/* Segments given by flags, offsets and keys. CUB scans by key; newer ones by offsets, too. */
static void scan_row(bench &b, parscan_type type, const segment_input &input)
{
    const size_t size = parscan_type_size(type);
    each_size(b, "segmented-scan", parscan_type_name(type), input.name, [=, &b, &input](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const out = g.write(n * size);
        const segments s = cut(b, n, input);
        const double moved = 2.0 * (double)(n * size);
        const auto by = [=, &b, &g](const char *name, double more, const parscan_segments &kind) {
            g.parscan(name, moved + more, [=, &b](const void *from, void *to) {
                return parscan_segmented_inclusive_scan(b.context, type, from, to, n, &kind, NULL);
            });
        };
        fill_values(b, type, in, n);
        g.copy(out, in, n * size);
        if (parscan_compute_type(type) == type) { /* CUB would sum others in their own type */
            g.cub(CUB_scan_by_key, moved + 4.0 * (double)n, segment_call(type, s));
            g.cub(CUB_scan_by_offsets, moved + 4.0 * (double)s.count, segment_call(type, s), true,
                  "-offsets");
        }
        by("keys", 4.0 * (double)n, segments_by(PARSCAN_SEGMENTS_KEYS, s));
        by("flags", (double)n, segments_by(PARSCAN_SEGMENTS_FLAGS, s));
        by("offsets", 4.0 * (double)s.count, segments_by(PARSCAN_SEGMENTS_OFFSETS, s));
    });
}

static void reduce_offsets_row(bench &b, const segment_input &input)
{
    each_size(b, "segmented-reduce-offsets", "u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const in = g.read(n * size);
        const segments s = cut(b, n, input);
        const double bytes = 4.0 * (double)(n + 2 * s.count);
        fill_values(b, PARSCAN_U32, in, n);
        g.write(s.count * size);
        g.copy(b.bytes("copied", n * size), in, n * size);
        g.cub(CUB_reduce_by_offsets, bytes, segment_call(PARSCAN_U32, s));
        g.parscan("parscan", bytes, [=, &b](const void *from, void *to) {
            const parscan_segments kind = segments_by(PARSCAN_SEGMENTS_OFFSETS, s);
            return parscan_segmented_reduce(b.context, PARSCAN_U32, from, to, n, &kind, NULL, NULL);
        });
    });
}

/* CUB's reduction by key writes the keys too. */
static void reduce_keys_row(bench &b, const segment_input &input)
{
    each_size(b, "segmented-reduce-keys", "u32", input.name, [&b, &input](group &g) {
        const size_t n = g.n, size = sizeof(uint32_t);
        void *const in = g.read(n * size);
        const segments s = cut(b, n, input);
        g.write(s.count * size);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double read = 4.0 * (double)n, written = 4.0 * (double)s.count;
        const auto by = [=, &b, &g](const char *name, double bytes, const parscan_segments &kind) {
            g.parscan(name, bytes, [=, &b](const void *from, void *to) {
                return parscan_segmented_reduce(b.context, PARSCAN_U32, from, to, n, &kind, count,
                                                NULL);
            });
        };
        fill_values(b, PARSCAN_U32, in, n);
        g.copy(b.bytes("copied", n * size), in, n * size);
        cub_call call = segment_call(PARSCAN_U32, s);
        call.beside_out = b.bytes("keys-out", s.count * size);
        call.count = count;
        g.cub(CUB_reduce_by_key, 2 * (read + written), call);
        g.parscan("keys-out", 2 * (read + written), [=, &b](const void *from, void *to) {
            return parscan_reduce_by_key(b.context, PARSCAN_U32, s.keys, call.beside_out,
                                         PARSCAN_U32, from, to, n, count, NULL);
        });
        by("keys", 2 * read + written, segments_by(PARSCAN_SEGMENTS_KEYS, s));
        by("flags", read + (double)n + written, segments_by(PARSCAN_SEGMENTS_FLAGS, s));
    });
}

/* Factors of -1, 0, 1, and odd numbers, so that results are exact. */
template <typename T>
static void recurrence_row(bench &b)
{
    enum { MOST_ON_THE_HOST = 1 << 20 };
    const parscan_type type = type_of<T>::value;
    each_size(b, "recurrence", parscan_type_name(type), "exact", [=, &b](group &g) {
        const size_t n = g.n, size = n * sizeof(T);
        T *const a = b.array<T>("factors", n), *const in = (T *)g.read(size);
        T *const out = (T *)g.write(size);
        on_device(b, n, [=] __device__(size_t i) {
            const unsigned random = (unsigned)(mix(i) >> 32);
            a[i] = (T)(random % 8 == 0 ? 0 : random % 16 < 8 ? 1 : -1);
            in[i] = (T)(2 * (int)(random >> 28) - 15);
        });
        g.has_reference = n <= MOST_ON_THE_HOST;
        g.reference = [=, &b] {
            std::vector<T> factors(n), x(n);
            MUST(cudaStreamSynchronize(b.stream));
            MUST(cudaMemcpy(factors.data(), a, size, cudaMemcpyDeviceToHost));
            MUST(cudaMemcpy(x.data(), in, size, cudaMemcpyDeviceToHost));
            for (size_t i = 1; i < n; i++)
                x[i] += factors[i] * x[i - 1];
            MUST(cudaMemcpy(out, x.data(), size, cudaMemcpyHostToDevice));
        };
        g.copy(out, in, size);
        g.parscan("parscan", 3.0 * (double)size, [=, &b](const void *from, void *to) {
            return parscan_recurrence(b.context, type, a, from, NULL, to, n);
        });
    });
}

void segmented_rows(bench &b)
{
    static const segment_input each = {"each", 1}, short_ones = {"mean-3", 3},
                               hundred = {"mean-100", 100}, long_ones = {"mean-10000", 10000},
                               mixed = {"all-orders", MEAN_OF_ALL_ORDERS}, one = {"one", 1e30};
    for (const segment_input &input : {each, short_ones, hundred, long_ones, mixed, one}) {
        scan_row(b, PARSCAN_U32, input);
        reduce_offsets_row(b, input);
        reduce_keys_row(b, input);
    }
    for (const segment_input &input : {short_ones, hundred})
        for (parscan_type type : {PARSCAN_U8, PARSCAN_F32, PARSCAN_U64, PARSCAN_F16, PARSCAN_BF16})
            scan_row(b, type, input);
    recurrence_row<float>(b);
    recurrence_row<double>(b);
}
