/*
 * bench_cuda_scan: parscan's scans on the GPU beside CUB's and beside the device's own copy.
 *
 * Every row of a type and a size is of one run: each contestant's result is verified first, against
 * CUB's, to the bit, and CUB's against a plain loop on the host up to 2^22 (floats are filled so
 * that every sum is exact); then all are timed as cuda_harness.h says. CSV on standard output.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda_harness.h"

struct machine : device {
    char *in, *out, *reference, *work;
    size_t bytes, work_bytes;
    settings how;
    std::vector<std::string> types;
};

struct product {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const
    {
        return (T)(a * b);
    }
};
struct maximum {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
struct exclusive_or {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const
    {
        return (T)(a ^ b);
    }
};

/* Small integers of both signs: sums stay exact. */
template <typename T>
static __global__ void fill_floats(T *values, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x) {
        const uint32_t hash = (uint32_t)(i / 2) * 2654435761u >> 28;
        values[i] = (T)(i % 2 == 0 ? (int)hash : -(int)hash);
    }
}

/* CUB's sums, in m.reference, against a loop. */
template <typename T>
static void check_sums(const machine &m, size_t n)
{
    if (n > (size_t)1 << 22)
        return;
    std::vector<T> in(n), out(n);
    MUST(cudaMemcpy(in.data(), m.in, n * sizeof(T), cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(out.data(), m.reference, n * sizeof(T), cudaMemcpyDeviceToHost));
    T sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = (T)(sum + in[i]);
        if (out[i] != sum) {
            fprintf(stderr, "bench_cuda_scan: CUB is wrong at %zu\n", i);
            exit(EXIT_FAILURE);
        }
    }
}

/* Everybody's result against that of CUB, who comes second; then the times. */
template <typename T>
static void compete(machine &m, bool sums, size_t n, std::vector<contestant> &all)
{
    const std::vector<output> outputs = {{m.out, m.reference, n * sizeof(T)}};
    make_reference(m, outputs, all[1].run);
    if (sums)
        check_sums<T>(m, n);
    verify(m, outputs, all);
    time_in_turn(m, m.how, n, all);
    for (const contestant &c : all) {
        if (c.failure.empty())
            continue;
        fprintf(stderr, "bench_cuda_scan: %s, n = %zu: %s\n", c.name.c_str(), n, c.failure.c_str());
        exit(EXIT_FAILURE);
    }
}

/* The copy comes first, then CUB. */
static void print(parscan_type type, parscan_op op, unsigned log2n, double moved,
                  std::vector<contestant> &all)
{
    const double copy = quantile(all[0].times, 0.5), cub = quantile(all[1].times, 0.5);
    for (contestant &c : all) {
        const double ms = quantile(c.times, 0.5);
        printf("%s,%s,%u,%s,%.5f,%.5f,%.5f,%.1f,%.3f,%.3f\n", parscan_type_name(type),
               parscan_op_name(op), log2n, c.name.c_str(), ms, quantile(c.times, 0.25),
               quantile(c.times, 0.75), c.bytes / ms * 1e-6, copy / ms * (c.bytes / moved),
               cub / ms);
    }
    fflush(stdout);
}

template <typename T>
static void measure(machine &m, parscan_type type, unsigned log2n)
{
    const size_t n = (size_t)1 << log2n;
    std::vector<contestant> all;
    const double moved = 2.0 * (double)n * sizeof(T);
    all.push_back(copy_of(m, m.out, m.in, n * sizeof(T)));
    all.push_back({"cub",
                   [&m, n] {
                       size_t work = m.work_bytes;
                       MUST(cub::DeviceScan::InclusiveSum(m.work, work, (const T *)m.in, (T *)m.out,
                                                          n, m.stream));
                   },
                   moved,
                   true,
                   {},
                   {}});
    static const parscan_algorithm algorithms[] = {
        PARSCAN_AUTO, PARSCAN_KOGGE_STONE, PARSCAN_BRENT_KUNG, PARSCAN_THREE_PHASE, PARSCAN_WARP};
    for (parscan_algorithm algorithm : algorithms)
        all.push_back(
            {parscan_algorithm_name(algorithm),
             [&m, n, type, algorithm] {
                 parscan_scan_options options = {};
                 options.struct_size = sizeof options;
                 options.algorithm = algorithm;
                 attempt(m, parscan_inclusive_scan(m.context, type, m.in, m.out, n, &options));
             },
             moved,
             true,
             {},
             {}});
    if (type == PARSCAN_F32 || type == PARSCAN_F64)
        all.push_back(
            {"reproducible",
             [&m, n, type] {
                 parscan_scan_options options = {};
                 options.struct_size = sizeof options;
                 options.reproducible = 1;
                 attempt(m, parscan_inclusive_scan(m.context, type, m.in, m.out, n, &options));
             },
             moved,
             true,
             {},
             {}});
    all.push_back(
        {"cub-reduce",
         [&m, n] {
             size_t work = m.work_bytes;
             MUST(cub::DeviceReduce::Sum(m.work, work, (const T *)m.in, (T *)m.out, n, m.stream));
         },
         moved / 2,
         false,
         {},
         {}});
    all.push_back(
        {"reduce",
         [&m, n, type] { attempt(m, parscan_reduce(m.context, type, m.in, m.out, n, NULL)); },
         moved / 2,
         false,
         {},
         {}});
    compete<T>(m, true, n, all);
    print(type, PARSCAN_SUM, log2n, moved, all);
}

/* Another operator, beside CUB's scan with the same one. */
template <typename T, typename Operator>
static void measure_operator(machine &m, parscan_type type, parscan_op op, unsigned log2n)
{
    const size_t n = (size_t)1 << log2n;
    const double moved = 2.0 * (double)n * sizeof(T);
    std::vector<contestant> all;
    all.push_back(copy_of(m, m.out, m.in, n * sizeof(T)));
    all.push_back({"cub",
                   [&m, n] {
                       size_t work = m.work_bytes;
                       MUST(cub::DeviceScan::InclusiveScan(m.work, work, (const T *)m.in,
                                                           (T *)m.out, Operator(), n, m.stream));
                   },
                   moved,
                   true,
                   {},
                   {}});
    all.push_back({"auto",
                   [&m, n, type, op] {
                       parscan_scan_options options = {};
                       options.struct_size = sizeof options;
                       options.op = op;
                       attempt(m,
                               parscan_inclusive_scan(m.context, type, m.in, m.out, n, &options));
                   },
                   moved,
                   true,
                   {},
                   {}});
    compete<T>(m, false, n, all);
    print(type, op, log2n, moved, all);
}

static bool wanted(const machine &m, const char *type)
{
    return m.types.empty() || std::find(m.types.begin(), m.types.end(), type) != m.types.end();
}

static void measure_all(machine &m)
{
    for (unsigned log2n = m.how.min; log2n <= m.how.max; log2n += m.how.step) {
        const size_t n = (size_t)1 << log2n;
        fill_random<<<2048, 256, 0, m.stream>>>((uint32_t *)m.in, m.bytes / 4, 1, 0);
        if (wanted(m, "u8"))
            measure<uint8_t>(m, PARSCAN_U8, log2n);
        if (wanted(m, "u16"))
            measure<uint16_t>(m, PARSCAN_U16, log2n);
        if (wanted(m, "u32"))
            measure<uint32_t>(m, PARSCAN_U32, log2n);
        if (wanted(m, "u32")) {
            measure_operator<uint32_t, product>(m, PARSCAN_U32, PARSCAN_PRODUCT, log2n);
            measure_operator<uint32_t, maximum>(m, PARSCAN_U32, PARSCAN_MAX, log2n);
            measure_operator<uint32_t, exclusive_or>(m, PARSCAN_U32, PARSCAN_XOR, log2n);
        }
        if (wanted(m, "u64") && n * 8 <= m.bytes)
            measure<uint64_t>(m, PARSCAN_U64, log2n);
        if (wanted(m, "f32")) {
            fill_floats<<<2048, 256, 0, m.stream>>>((float *)m.in, n);
            measure<float>(m, PARSCAN_F32, log2n);
            measure_operator<float, maximum>(m, PARSCAN_F32, PARSCAN_MAX, log2n);
        }
        if (wanted(m, "f64") && n * 8 <= m.bytes) {
            fill_floats<<<2048, 256, 0, m.stream>>>((double *)m.in, n);
            measure<double>(m, PARSCAN_F64, log2n);
        }
    }
}

static void read_options(machine &m, int argc, char **argv)
{
    m.how = {10, 30, 2, 21, 60};
    for (int k = 1; k < argc; k += 2) {
        const std::string name = argv[k];
        if (k + 1 < argc && read_setting(m.how, name, argv[k + 1]))
            continue;
        if (k + 1 < argc && name == "--type") {
            m.types.push_back(argv[k + 1]);
            continue;
        }
        fprintf(stderr, "usage: bench_cuda_scan [--min K] [--max K] [--step K] [--reps N] "
                        "[--seconds S] [--type u8|u16|u32|u64|f32|f64]...   sizes 2^K, CSV on "
                        "standard output\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    machine m = {};
    read_options(m, argc, argv);
    cudaDeviceProp properties;
    if (!open_device(m, properties)) {
        printf("# no GPU: nothing measured\n");
        return EXIT_SUCCESS;
    }
    m.bytes = ((size_t)1 << m.how.max) * 4;
    MUST(cudaMalloc(&m.in, m.bytes));
    MUST(cudaMalloc(&m.out, m.bytes));
    MUST(cudaMalloc(&m.reference, m.bytes));
    m.work_bytes = (size_t)64 << 20;
    MUST(cudaMalloc(&m.work, m.work_bytes));
    printf("# bench_cuda_scan, parscan %s, CUB %d, %s\n", parscan_version(), CUB_VERSION,
           properties.name);
    printf("type,op,log2n,name,ms,q1,q3,gb_per_s,share_of_copy,times_cub\n");
    measure_all(m);
    parscan_context_destroy(m.context);
    return EXIT_SUCCESS;
}
