/* Scans by every algorithm, and reductions. */
#include "cuda_bench.h"
#include "scan/type_traits.h"

/* CUB's scans take counts of 64 bits. Up to MOST_ON_THE_HOST elements the reference is a plain loop, and sums of
   floats are exact however they are grouped. */
enum { MOST_LOG2N = 32, MOST_ON_THE_HOST = 1 << 20 };

static void fill(const group &g, parscan_type type, void *in)
{
    if (parscan_is_float(type))
        fill_values(g.b, type, in, g.n);
    else
        fill_keys(g.b, type, in, g.n, uniform);
}

/* CUB would sum floats of 16 bits in their own type. */
static bool has_peer(parscan_type type)
{
    return parscan_compute_type(type) == type;
}

/* Sums by a plain loop. */
static void sum_on_host(const group &g, parscan_type type)
{
    MUST((by_type<uint8_t, uint16_t, uint32_t, uint64_t, float, double, __half, __nv_bfloat16>(
        type, [&g](auto sum) {
            typedef decltype(sum) T;
            std::vector<T> x(g.n);
            MUST(cudaStreamSynchronize(g.b.stream));
            MUST(cudaMemcpy(x.data(), g.in, g.n * sizeof(T), cudaMemcpyDeviceToHost));
            for (T &each : x)
                each = sum = (T)(sum + each);
            return cudaMemcpy(g.out, x.data(), g.n * sizeof(T), cudaMemcpyHostToDevice);
        })));
}

static void scan(group &g, const char *name, parscan_type type, const parscan_scan_options &options)
{
    bench &b = g.b;
    const size_t n = g.n;
    g.parscan(name, 2.0 * (double)(n * parscan_type_size(type)),
              [=, &b](const void *in, void *out) {
                  return parscan_inclusive_scan(b.context, type, in, out, n, &options);
              });
}

static void scan_row(bench &b, parscan_type type)
{
    const size_t size = parscan_type_size(type);
    const auto make = [=](group &g) {
        void *const in = g.read(g.n * size), *const out = g.write(g.n * size);
        fill(g, type, in);
        g.chain(!parscan_is_float(type));
        if (g.n <= MOST_ON_THE_HOST)
            g.reference = [&g, type] { sum_on_host(g, type); };
        g.copy(out, in, g.n * size);
        if (has_peer(type))
            g.cub(CUB_scan, 2.0 * (double)(g.n * size), {.type = type});
        for (parscan_algorithm algorithm : {PARSCAN_AUTO, PARSCAN_KOGGE_STONE, PARSCAN_BRENT_KUNG,
                                            PARSCAN_THREE_PHASE, PARSCAN_WARP})
            scan(g, parscan_algorithm_name(algorithm), type,
                 PARSCAN_SCAN_OPTIONS(.algorithm = algorithm));
        if (parscan_is_float(type))
            scan(g, "reproducible", type, PARSCAN_SCAN_OPTIONS(.reproducible = 1));
    };
    each_size(b, "scan", parscan_type_name(type), "uniform", make, MOST_LOG2N);
}

static void operator_row(bench &b, parscan_type type, parscan_op op)
{
    const size_t size = parscan_type_size(type);
    const auto make = [=](group &g) {
        void *const in = g.read(g.n * size), *const out = g.write(g.n * size);
        fill(g, type, in);
        g.copy(out, in, g.n * size);
        g.cub(CUB_scan, 2.0 * (double)(g.n * size), {.type = type, .op = op});
        scan(g, "auto", type, PARSCAN_SCAN_OPTIONS(.op = op));
    };
    each_size(b, std::string("scan-") + parscan_op_name(op), parscan_type_name(type), "uniform",
              make, MOST_LOG2N);
}

static void reduce_row(bench &b, parscan_type type)
{
    const size_t size = parscan_type_size(type);
    const auto make = [=, &b](group &g) {
        const size_t n = g.n;
        void *const in = g.read(n * size), *const copied = b.bytes("copied", n * size);
        g.write(size);
        fill(g, type, in);
        g.has_reference = !parscan_is_float(type) || n <= MOST_ON_THE_HOST;
        g.copy(copied, in, n * size);
        if (has_peer(type))
            g.cub(CUB_reduce, (double)(n * size), {.type = type});
        g.parscan("reduce", (double)(n * size), [=, &b](const void *from, void *out) {
            return parscan_reduce(b.context, type, from, out, n, NULL);
        });
    };
    each_size(b, "reduce", parscan_type_name(type), "uniform", make, MOST_LOG2N);
}

void scan_rows(bench &b)
{
    for (parscan_type type : {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64, PARSCAN_F32,
                              PARSCAN_F64, PARSCAN_F16, PARSCAN_BF16}) {
        scan_row(b, type);
        reduce_row(b, type);
    }
    for (parscan_op op : {PARSCAN_PRODUCT, PARSCAN_MAX, PARSCAN_XOR})
        operator_row(b, PARSCAN_U32, op);
    operator_row(b, PARSCAN_F32, PARSCAN_MAX);
}
