/*
 * Scans by operators of the caller's, which parscan compiles at run time, beside CUB's with the same operator
 * compiled ahead. Values are such that floats are exact. The first call, with its compilation, is timed by
 * bench_first_call.
 */
#include <limits.h>
#include <memory>

#include "cuda_bench.h"
#include "parscan/operator.h"

namespace
{
/* An operator, freed with the rows that use it. */
std::shared_ptr<parscan_operator> made(parscan_operator_options options)
{
    char words[256] = "";
    parscan_operator *op;
    options.struct_size = sizeof options;
    options.error = words;
    options.error_size = sizeof words;
    if (parscan_operator_create(&op, &options) != PARSCAN_OK) {
        fprintf(stderr, "bench_cuda: no operator: %s\n", words);
        exit(EXIT_FAILURE);
    }
    return {op, parscan_operator_destroy};
}

parscan_operator_options options_of(size_t size, const char *source, const char *type,
                                    const char *function, const void *identity, bool commutes)
{
    parscan_operator_options options = {};
    options.element_size = size;
    options.cuda_source = source;
    options.cuda_type = type;
    options.cuda_function = function;
    options.identity = identity;
    options.commutes = commutes;
    return options;
}

std::shared_ptr<parscan_operator> sum_of_u32()
{
    static const uint32_t none = 0;
    return made(options_of(
        4, "__device__ unsigned add(unsigned a, unsigned b, const void *) { return a + b; }\n",
        "unsigned", "add", &none, true));
}

void add_scan(group &g, const char *name, double bytes, std::shared_ptr<parscan_operator> op)
{
    bench &b = g.b;
    const size_t n = g.n;
    g.parscan(name, bytes, [=, &b](const void *in, void *out) {
        parscan_scan_options options = {};
        options.struct_size = sizeof options;
        options.custom = op.get();
        return parscan_inclusive_scan(b.context, PARSCAN_CUSTOM, in, out, n, &options);
    });
}

/* n words of 32 bits: word k of element i is of(i, k). */
template <typename Of>
void fill_words(const bench &b, uint32_t *to, size_t n, unsigned words, Of of)
{
    on_device(b, n * words,
              [=] __device__(size_t k) { to[k] = of(k / words, (unsigned)(k % words)); });
}

/* The least and the greatest of pairs of integers. */
void min_max_row(bench &b)
{
    static const int none[2] = {INT_MAX, INT_MIN};
    const std::shared_ptr<parscan_operator> op =
        made(options_of(8,
                        "struct range { int low, high; };\n"
                        "__device__ range both(range a, range b, const void *)\n"
                        "{ return range{min(a.low, b.low), max(a.high, b.high)}; }\n",
                        "range", "both", none, true));
    const auto make = [=](group &g) {
        uint32_t *const in = (uint32_t *)g.read(g.n * 8);
        void *const out = g.write(g.n * 8);
        const double bytes = 16.0 * (double)g.n;
        fill_words(g.b, in, g.n, 2, [] __device__(size_t i, unsigned) { return (uint32_t)mix(i); });
        g.chain(true);
        g.copy(out, in, g.n * 8);
        g.cub(CUB_scan_pairs, bytes, {});
        add_scan(g, "auto", bytes, op);
    };
    each_size(b, "operator-min-max", "pair", "uniform", make);
}

/* Affine maps of floats of 64 bits, which do not commute. */
void affine_row(bench &b)
{
    static const double none[2] = {1, 0};
    const std::shared_ptr<parscan_operator> op =
        made(options_of(16,
                        "struct affine { double a, b; };\n"
                        "__device__ affine both(affine f, affine g, const void *)\n"
                        "{ return affine{g.a * f.a, g.a * f.b + g.b}; }\n",
                        "affine", "both", none, false));
    const auto make = [=](group &g) {
        double *const in = (double *)g.read(g.n * 16);
        void *const out = g.write(g.n * 16);
        const double bytes = 32.0 * (double)g.n;
        on_device(g.b, g.n, [=] __device__(size_t i) {
            in[2 * i] = mix(i) % 2 == 0 ? 1 : -1;
            in[2 * i + 1] = (double)(mix(i + 1) % 15) - 7;
        });
        /* No chain: a scan of scans is not exact. */
        g.copy(out, in, g.n * 16);
        g.cub(CUB_scan_affine, bytes, {});
        add_scan(g, "auto", bytes, op);
    };
    each_size(b, "operator-affine", "f64", "uniform", make);
}

/* Sums of squares: a map on the way in. Few are not 0. */
void squares_row(bench &b)
{
    static const float none = 0;
    parscan_operator_options options =
        options_of(4, "__device__ float add(float a, float b, const void *) { return a + b; }\n",
                   "float", "add", &none, true);
    options.cuda_load = "square";
    options.cuda_load_source = "__device__ float square(const void *in, size_t i, const void *)\n"
                               "{ const float x = ((const float *)in)[i]; return x * x; }\n";
    options.in_size = 4;
    const std::shared_ptr<parscan_operator> op = made(options);
    const auto make = [=](group &g) {
        float *const in = (float *)g.read(g.n * 4);
        void *const out = g.write(g.n * 4);
        const double bytes = 8.0 * (double)g.n;
        on_device(g.b, g.n, [=] __device__(size_t i) {
            in[i] = mix(i) % 128 == 0 ? mix(i) % 256 == 0 ? 1 : -1 : 0;
        });
        g.copy(out, in, g.n * 4);
        g.cub(CUB_scan_squares, bytes, {});
        add_scan(g, "auto", bytes, op);
    };
    each_size(b, "operator-squares", "f32", "sparse", make);
}

/* The library's own sum, and the same as an operator of the caller's. */
void sum_row(bench &b)
{
    const std::shared_ptr<parscan_operator> op = sum_of_u32();
    const auto make = [=](group &g) {
        bench &each = g.b;
        const size_t n = g.n;
        void *const in = g.read(n * 4), *const out = g.write(n * 4);
        const double bytes = 8.0 * (double)n;
        fill_keys(each, PARSCAN_U32, in, n, uniform);
        g.chain(true);
        g.copy(out, in, n * 4);
        g.cub(CUB_scan, bytes, {.type = PARSCAN_U32});
        g.parscan("named", bytes, [=, &each](const void *from, void *to) {
            return parscan_inclusive_scan(each.context, PARSCAN_U32, from, to, n, NULL);
        });
        add_scan(g, "auto", bytes, op);
    };
    each_size(b, "operator-sum", "u32", "uniform", make);
}
parscan_operator_options relation_of(size_t size, const char *source, const char *type)
{
    parscan_operator_options options = options_of(size, source, type, "relate", NULL, false);
    options.kind = PARSCAN_OPERATOR_RELATION;
    return options;
}

/* A sort of records by their key; each is read and written once, as of any sort. */
void sort_by_row(bench &b)
{
    const std::shared_ptr<parscan_operator> less = made(relation_of(
        16,
        "struct record { uint64_t key, value; };\n"
        "__device__ bool relate(record a, record b, const void *) { return a.key < b.key; }\n",
        "record"));
    const auto make = [=](group &g) {
        bench &each = g.b;
        const size_t n = g.n;
        uint32_t *const in = (uint32_t *)g.read(n * 16);
        void *const out = g.write(n * 16);
        const double bytes = 32.0 * (double)n;
        fill_words(each, in, n, 4,
                   [] __device__(size_t i, unsigned k) { return (uint32_t)mix(4 * (i >> 1) + k); });
        g.copy(out, in, n * 16);
        g.cub(CUB_sort_records, bytes, {});
        g.parscan("parscan", bytes, [=, &each](const void *from, void *to) {
            return parscan_sort_by(each.context, less.get(), from, to, n);
        });
    };
    each_size(b, "operator-sort-by", "record", "uniform", make, 28);
}

/* Runs by an equality; a third of the elements begin one. */
void unique_by_row(bench &b)
{
    const std::shared_ptr<parscan_operator> equal = made(relation_of(
        8, "__device__ bool relate(uint64_t a, uint64_t b, const void *) { return a == b; }\n",
        "uint64_t"));
    const auto make = [=](group &g) {
        bench &each = g.b;
        const size_t n = g.n;
        uint64_t *const in = (uint64_t *)g.read(n * 8);
        void *const out = g.write(n * 8);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        const double bytes = 8.0 * (double)(n + (n + 2) / 3);
        on_device(each, n, [=] __device__(size_t i) { in[i] = mix(i / 3); });
        g.copy(out, in, (size_t)(bytes / 2));
        g.cub(CUB_unique, bytes, {.type = PARSCAN_U64, .count = count});
        g.parscan("parscan", bytes, [=, &each](const void *from, void *to) {
            return parscan_unique_by(each.context, equal.get(), from, to, n, count);
        });
    };
    each_size(b, "operator-unique-by", "u64", "runs-of-3", make);
}
/* Sums of u32 in segments by flags and by offsets, beside CUB's by key, which reads four bytes a key. */
void segments_by_operator_row(bench &b, const segment_input &input)
{
    const std::shared_ptr<parscan_operator> op = sum_of_u32();
    const auto make = [=, &input](group &g) {
        bench &each = g.b;
        const size_t n = g.n;
        void *const in = g.read(n * 4), *const out = g.write(n * 4);
        const segments s = cut(each, n, input);
        const double moved = 8.0 * (double)n;
        const auto by = [=, &each, &g](const char *name, double more,
                                       const parscan_segments &kind) {
            g.parscan(name, moved + more, [=, &each](const void *from, void *to) {
                parscan_scan_options options = {};
                options.struct_size = sizeof options;
                options.custom = op.get();
                return parscan_segmented_inclusive_scan(each.context, PARSCAN_CUSTOM, from, to, n,
                                                        &kind, &options);
            });
        };
        fill_values(each, PARSCAN_U32, in, n);
        g.copy(out, in, n * 4);
        g.cub(CUB_scan_by_key, moved + 4.0 * (double)n,
              {.type = PARSCAN_U32, .beside = s.keys, .offsets = s.offsets, .segments = s.count});
        by("flags", (double)n, segments_by(PARSCAN_SEGMENTS_FLAGS, s));
        by("offsets", 4.0 * (double)s.count, segments_by(PARSCAN_SEGMENTS_OFFSETS, s));
    };
    each_size(b, "operator-segmented-scan", "u32", input.name, make);
}

void keys_by_operator_row(bench &b, const segment_input &input)
{
    const std::shared_ptr<parscan_operator> op = sum_of_u32();
    const auto make = [=, &input](group &g) {
        bench &each = g.b;
        const size_t n = g.n;
        void *const in = g.read(n * 4);
        const segments s = cut(each, n, input);
        g.write(s.count * 4);
        uint64_t *const count = g.writes<uint64_t>("count", (size_t)1);
        void *const keys_out = g.writes("keys-out", s.count * 4);
        const double bytes = 8.0 * (double)(n + s.count);
        fill_values(each, PARSCAN_U32, in, n);
        g.copy(each.bytes("copied", n * 4), in, n * 4);
        g.cub(CUB_reduce_by_key, bytes,
              {.type = PARSCAN_U32,
               .beside = s.keys,
               .beside_out = keys_out,
               .count = count,
               .offsets = s.offsets,
               .segments = s.count});
        g.parscan("parscan", bytes, [=, &each](const void *from, void *to) {
            parscan_scan_options options = {};
            options.struct_size = sizeof options;
            options.custom = op.get();
            return parscan_reduce_by_key(each.context, PARSCAN_U32, s.keys, keys_out,
                                         PARSCAN_CUSTOM, from, to, n, count, &options);
        });
    };
    each_size(b, "operator-reduce-by-key", "u32", input.name, make);
}

/* The tree of reproducible sums, by the library's own operator and by the caller's. */
void reproducible_by_operator_row(bench &b)
{
    const std::shared_ptr<parscan_operator> op = made(
        options_of(4, "__device__ float add(float a, float b, const void *) { return a + b; }\n",
                   "float", "add", NULL, true));
    const auto make = [=](group &g) {
        bench &each = g.b;
        const size_t n = g.n;
        float *const in = (float *)g.read(n * 4);
        void *const out = g.write(n * 4);
        const double bytes = 8.0 * (double)n;
        on_device(each, n, [=] __device__(size_t i) {
            in[i] = mix(i) % 128 == 0 ? mix(i) % 256 == 0 ? 1 : -1 : 0;
        });
        const auto by = [=, &each, &g](const char *name, parscan_type type,
                                       const parscan_operator *custom) {
            g.parscan(name, bytes, [=, &each](const void *from, void *to) {
                parscan_scan_options options = {};
                options.struct_size = sizeof options;
                options.reproducible = 1;
                options.custom = custom;
                return parscan_inclusive_scan(each.context, type, from, to, n, &options);
            });
        };
        g.copy(out, in, n * 4);
        g.cub(CUB_scan, bytes, {.type = PARSCAN_F32});
        by("named", PARSCAN_F32, NULL);
        by("parscan", PARSCAN_CUSTOM, op.get());
    };
    each_size(b, "operator-reproducible", "f32", "sparse", make);
}
} // namespace

void operator_rows(bench &b)
{
    static const segment_input short_ones = {"mean-8", 8}, long_ones = {"mean-1000", 1000};
    segments_by_operator_row(b, short_ones);
    segments_by_operator_row(b, long_ones);
    keys_by_operator_row(b, short_ones);
    reproducible_by_operator_row(b);
    sort_by_row(b);
    unique_by_row(b);
    sum_row(b);
    min_max_row(b);
    affine_row(b);
    squares_row(b);
}
