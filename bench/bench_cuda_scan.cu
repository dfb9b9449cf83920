/*
 * bench_cuda_scan: parscan's scans on the GPU, compared with CUB's and Thrust's and with the
 * device's own copy.
 *
 * The result of each contestant must be bit-identical to CUB's, and CUB's is compared with a plain
 * loop on the host up to 2^22. Floats are filled so that every sum is exact.
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/scan.h>

#include "cuda_thrust.h"

struct machine : device {
    char *in, *out, *reference, *work;
    size_t bytes, work_bytes;
    bench_options options;
    kept_memory memory; /* of Thrust */
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

/* Small integers of both signs: their sums stay exact. */
template <typename T>
static __global__ void fill_floats(T *values, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x) {
        const uint32_t hash = (uint32_t)(i / 2) * 2654435761u >> 28;
        values[i] = (T)(i % 2 == 0 ? (int)hash : -(int)hash);
    }
}

/* Compares CUB's sums, in m.reference, with a plain loop. */
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

/* Compares every result with CUB's, which is the second contestant, and then times all. */
template <typename T>
static bool compete(machine &m, const std::string &work, parscan_type type, unsigned log2n,
                    std::vector<contestant> &all)
{
    const size_t n = (size_t)1 << log2n;
    const std::vector<output> outputs = {{m.out, m.reference, n * sizeof(T)}};
    make_reference(m, outputs, all[1].run);
    if (work == "scan")
        check_sums<T>(m, n);
    return measure(
        m, bench_new_group(&m.options, work.c_str(), parscan_type_name(type), "uniform", log2n, 0),
        outputs, all);
}

/* An inclusive scan by parscan. */
static contestant parscan_scan(machine &m, const char *name, parscan_type type, size_t n,
                               const parscan_scan_options &options)
{
    return {name,
            [&m, type, n, options] {
                attempt(m, parscan_inclusive_scan(m.context, type, m.in, m.out, n, &options));
            },
            2.0 * (double)(n * parscan_type_size(type))};
}

static parscan_scan_options default_options()
{
    parscan_scan_options options = {};
    options.struct_size = sizeof options;
    return options;
}

/* Adds a sum by every algorithm. */
static void add_algorithms(machine &m, parscan_type type, size_t n, std::vector<contestant> &all)
{
    static const parscan_algorithm algorithms[] = {
        PARSCAN_AUTO, PARSCAN_KOGGE_STONE, PARSCAN_BRENT_KUNG, PARSCAN_THREE_PHASE, PARSCAN_WARP};
    for (parscan_algorithm algorithm : algorithms) {
        parscan_scan_options options = default_options();
        options.algorithm = algorithm;
        all.push_back(parscan_scan(m, parscan_algorithm_name(algorithm), type, n, options));
    }
    if (type == PARSCAN_F32 || type == PARSCAN_F64) {
        parscan_scan_options options = default_options();
        options.reproducible = 1;
        all.push_back(parscan_scan(m, "reproducible", type, n, options));
    }
}

/* Reductions: each has one result, which is not compared with the reference. */
template <typename T>
static void add_reductions(machine &m, parscan_type type, size_t n, std::vector<contestant> &all)
{
    const double read = (double)(n * sizeof(T));
    all.push_back(
        {"cub",
         [&m, n] {
             size_t work = m.work_bytes;
             MUST(cub::DeviceReduce::Sum(m.work, work, (const T *)m.in, (T *)m.out, n, m.stream));
         },
         read, BENCH_PEER, false, "reduce"});
    all.push_back(
        {"reduce",
         [&m, n, type] { attempt(m, parscan_reduce(m.context, type, m.in, m.out, n, NULL)); }, read,
         BENCH_PARSCAN, false, "reduce"});
}

template <typename T>
static bool measure_sum(machine &m, parscan_type type, unsigned log2n)
{
    const size_t n = (size_t)1 << log2n;
    const double moved = 2.0 * (double)n * sizeof(T);
    std::vector<contestant> all;
    all.push_back(copy_of(m, m.out, m.in, n * sizeof(T)));
    all.push_back({"cub",
                   [&m, n] {
                       size_t work = m.work_bytes;
                       MUST(cub::DeviceScan::InclusiveSum(m.work, work, (const T *)m.in, (T *)m.out,
                                                          n, m.stream));
                   },
                   moved, BENCH_PEER});
    all.push_back({"thrust",
                   [&m, n] {
                       const T *const in = (const T *)m.in;
                       thrust::inclusive_scan(thrust_on(m.memory, m.stream), in, in + n,
                                              (T *)m.out);
                   },
                   moved, BENCH_PEER});
    add_algorithms(m, type, n, all);
    add_reductions<T>(m, type, n, all);
    return compete<T>(m, "scan", type, log2n, all);
}

/* Another operator, compared with CUB's scan with the same operator. */
template <typename T, typename Operator>
static bool measure_operator(machine &m, parscan_type type, parscan_op op, unsigned log2n)
{
    const size_t n = (size_t)1 << log2n;
    const std::string work = std::string("scan-") + parscan_op_name(op);
    if (!bench_wanted(&m.options, work.c_str(), parscan_type_name(type), "uniform"))
        return true;
    std::vector<contestant> all;
    all.push_back(copy_of(m, m.out, m.in, n * sizeof(T)));
    all.push_back({"cub",
                   [&m, n] {
                       size_t room = m.work_bytes;
                       MUST(cub::DeviceScan::InclusiveScan(m.work, room, (const T *)m.in,
                                                           (T *)m.out, Operator(), n, m.stream));
                   },
                   2.0 * (double)n * sizeof(T), BENCH_PEER});
    parscan_scan_options options = default_options();
    options.op = op;
    all.push_back(parscan_scan(m, "auto", type, n, options));
    return compete<T>(m, work, type, log2n, all);
}

template <typename T>
static void fill(machine &m, parscan_type type, size_t n)
{
    if (type == PARSCAN_F32 || type == PARSCAN_F64)
        fill_floats<<<2048, 256, 0, m.stream>>>((T *)m.in, n);
    else
        fill_random<<<2048, 256, 0, m.stream>>>((T *)m.in, n, 1, m.options.seed);
}

template <typename T>
static bool measure_type(machine &m, parscan_type type, unsigned log2n)
{
    const size_t n = (size_t)1 << log2n;
    bool right = true;
    if (!bench_type_wanted(&m.options, type) || (!m.options.list && n * sizeof(T) > m.bytes))
        return true;
    if (!m.options.list)
        fill<T>(m, type, n);
    if (bench_wanted(&m.options, "scan", parscan_type_name(type), "uniform"))
        right &= measure_sum<T>(m, type, log2n);
    if constexpr (std::is_same_v<T, uint32_t>) {
        right &= measure_operator<T, product>(m, type, PARSCAN_PRODUCT, log2n);
        right &= measure_operator<T, maximum>(m, type, PARSCAN_MAX, log2n);
        right &= measure_operator<T, exclusive_or>(m, type, PARSCAN_XOR, log2n);
    }
    if constexpr (std::is_same_v<T, float>)
        right &= measure_operator<T, maximum>(m, type, PARSCAN_MAX, log2n);
    return right;
}

static bool measure_all(machine &m)
{
    bool right = true;
    for (unsigned log2n = m.options.min_log2n; log2n <= m.options.max_log2n;
         log2n += m.options.step) {
        right &= measure_type<uint8_t>(m, PARSCAN_U8, log2n);
        right &= measure_type<uint16_t>(m, PARSCAN_U16, log2n);
        right &= measure_type<uint32_t>(m, PARSCAN_U32, log2n);
        right &= measure_type<uint64_t>(m, PARSCAN_U64, log2n);
        right &= measure_type<float>(m, PARSCAN_F32, log2n);
        right &= measure_type<double>(m, PARSCAN_F64, log2n);
    }
    return right;
}

/* Allocates arrays of u32 of the largest size, or of the largest that fits. */
static void allocate(machine &m)
{
    enum { ARRAYS = 3 };
    size_t free_bytes, all_bytes;
    m.work_bytes = (size_t)64 << 20;
    MUST(cudaMalloc(&m.work, m.work_bytes));
    MUST(cudaMemGetInfo(&free_bytes, &all_bytes));
    m.bytes = sizeof(uint32_t) << m.options.max_log2n;
    while (ARRAYS * m.bytes > free_bytes / 10 * 9)
        m.bytes /= 2;
    MUST(cudaMalloc(&m.in, m.bytes));
    MUST(cudaMalloc(&m.out, m.bytes));
    MUST(cudaMalloc(&m.reference, m.bytes));
}

int main(int argc, char **argv)
{
    enum { MAX_LOG2N = 32 };
    machine m = {};
    m.options = bench_defaults();
    m.options.max_log2n = MAX_LOG2N;
    bench_parse(&m.options, argc, argv);
    cudaDeviceProp properties;
    if (m.options.list)
        return bench_finish(&m.options, measure_all(m));
    if (!open_device(m, properties)) {
        printf("# no GPU: nothing measured\n");
        return EXIT_SUCCESS;
    }
    write_cuda_head("bench_cuda_scan", m.options, properties);
    allocate(m);
    const bool right = measure_all(m);
    parscan_context_destroy(m.context);
    return bench_finish(&m.options, right);
}
