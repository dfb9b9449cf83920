/*
 * bench_cuda_scan: parscan's scans on the GPU beside CUB's and beside the device's own copy.
 *
 * Every row of a type and a size is of one run: each contestant's result is verified first (integers
 * against CUB's, to the bit, and CUB's against a plain loop on the host up to 2^22; floats are filled so
 * that every sum is exact), then all are timed in turn, A B C A B C, by device events. Medians and
 * quartiles. Below 2^24 a timing is of a batch of calls. CSV on standard output.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "parscan/parscan.h"

#define MUST(call)                                                                           \
    do {                                                                                     \
        const cudaError_t error_ = (call);                                                   \
        if (error_ != cudaSuccess) {                                                         \
            fprintf(stderr, "bench_cuda_scan: %s: %s\n", #call, cudaGetErrorString(error_)); \
            exit(EXIT_FAILURE);                                                              \
        }                                                                                    \
    } while (0)

struct settings {
    unsigned min = 10, max = 30, step = 2, repeats = 21;
    std::vector<std::string> types;
};

struct machine {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    parscan_context *context;
    char *in, *out, *reference, *work;
    size_t bytes, work_bytes;
    unsigned *differences;
};

struct contestant {
    std::string name;
    std::function<void()> run;
    double bytes; /* that it must move */
    bool checked;
    std::vector<float> times;
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

static __global__ void fill_integers(uint32_t *words, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x) {
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        words[i] = (uint32_t)(z ^ z >> 27);
    }
}

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

template <typename T>
static __global__ void count_differences(const T *a, const T *b, size_t n, unsigned *count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x)
        if (a[i] != b[i])
            atomicAdd(count, 1u);
}

template <typename T>
static bool same(const machine &m, size_t n)
{
    unsigned count = 0;
    MUST(cudaMemsetAsync(m.differences, 0, sizeof count, m.stream));
    count_differences<<<1024, 256, 0, m.stream>>>((const T *)m.out, (const T *)m.reference, n,
                                                  m.differences);
    MUST(cudaMemcpyAsync(&count, m.differences, sizeof count, cudaMemcpyDeviceToHost, m.stream));
    MUST(cudaStreamSynchronize(m.stream));
    return count == 0;
}

static void must(const machine &m, parscan_status status)
{
    if (status == PARSCAN_OK)
        return;
    fprintf(stderr, "bench_cuda_scan: %s\n", parscan_context_error(m.context));
    exit(EXIT_FAILURE);
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

/* Everybody's result against m.reference. */
template <typename T>
static void verify(const machine &m, size_t n, const std::vector<contestant> &all)
{
    for (const contestant &c : all) {
        if (!c.checked)
            continue;
        MUST(cudaMemsetAsync(m.out, 0xa5, n * sizeof(T), m.stream));
        c.run();
        if (!same<T>(m, n)) {
            fprintf(stderr, "bench_cuda_scan: WRONG RESULT: %s, n = %zu\n", c.name.c_str(), n);
            exit(EXIT_FAILURE);
        }
    }
}

static void time_in_turn(machine &m, const settings &how, size_t n, std::vector<contestant> &all)
{
    const unsigned batch = n <= (size_t)1 << 16 ? 32 : n < (size_t)1 << 24 ? 8 : 1;
    for (unsigned repeat = 0; repeat < how.repeats + 2; repeat++) {
        for (contestant &c : all) {
            MUST(cudaEventRecord(m.begin, m.stream));
            for (unsigned k = 0; k < batch; k++)
                c.run();
            MUST(cudaEventRecord(m.end, m.stream));
            MUST(cudaEventSynchronize(m.end));
            float ms;
            MUST(cudaEventElapsedTime(&ms, m.begin, m.end));
            if (repeat >= 2)
                c.times.push_back(ms / (float)batch);
        }
    }
}

static double quantile(std::vector<float> &times, double q)
{
    std::sort(times.begin(), times.end());
    return times[(size_t)(q * (double)(times.size() - 1) + 0.5)];
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
static contestant copy_of(const machine &m, size_t n)
{
    return {
        "copy",
        [&m, n] {
            MUST(cudaMemcpyAsync(m.out, m.in, n * sizeof(T), cudaMemcpyDeviceToDevice, m.stream));
        },
        2.0 * (double)n * sizeof(T),
        false,
        {}};
}

template <typename T>
static void measure(machine &m, const settings &how, parscan_type type, unsigned log2n)
{
    const size_t n = (size_t)1 << log2n;
    std::vector<contestant> all;
    const double moved = 2.0 * (double)n * sizeof(T);
    all.push_back(copy_of<T>(m, n));
    all.push_back({"cub",
                   [&m, n] {
                       size_t work = m.work_bytes;
                       MUST(cub::DeviceScan::InclusiveSum(m.work, work, (const T *)m.in, (T *)m.out,
                                                          n, m.stream));
                   },
                   moved,
                   true,
                   {}});
    static const parscan_algorithm algorithms[] = {
        PARSCAN_AUTO, PARSCAN_KOGGE_STONE, PARSCAN_BRENT_KUNG, PARSCAN_THREE_PHASE, PARSCAN_WARP};
    for (parscan_algorithm algorithm : algorithms)
        all.push_back({parscan_algorithm_name(algorithm),
                       [&m, n, type, algorithm] {
                           parscan_scan_options options = {};
                           options.struct_size = sizeof options;
                           options.algorithm = algorithm;
                           must(m,
                                parscan_inclusive_scan(m.context, type, m.in, m.out, n, &options));
                       },
                       moved,
                       true,
                       {}});
    if (type == PARSCAN_F32 || type == PARSCAN_F64)
        all.push_back({"reproducible",
                       [&m, n, type] {
                           parscan_scan_options options = {};
                           options.struct_size = sizeof options;
                           options.reproducible = 1;
                           must(m,
                                parscan_inclusive_scan(m.context, type, m.in, m.out, n, &options));
                       },
                       moved,
                       true,
                       {}});
    all.push_back(
        {"cub-reduce",
         [&m, n] {
             size_t work = m.work_bytes;
             MUST(cub::DeviceReduce::Sum(m.work, work, (const T *)m.in, (T *)m.out, n, m.stream));
         },
         moved / 2,
         false,
         {}});
    all.push_back(
        {"reduce",
         [&m, n, type] { must(m, parscan_reduce(m.context, type, m.in, m.out, n, NULL)); },
         moved / 2,
         false,
         {}});
    size_t work = m.work_bytes;
    MUST(cub::DeviceScan::InclusiveSum(m.work, work, (const T *)m.in, (T *)m.reference, n,
                                       m.stream));
    check_sums<T>(m, n);
    verify<T>(m, n, all);
    time_in_turn(m, how, n, all);
    print(type, PARSCAN_SUM, log2n, moved, all);
}

/* Another operator, beside CUB's scan with the same one. */
template <typename T, typename Operator>
static void measure_operator(machine &m, const settings &how, parscan_type type, parscan_op op,
                             unsigned log2n)
{
    const size_t n = (size_t)1 << log2n;
    const double moved = 2.0 * (double)n * sizeof(T);
    const auto by_cub = [&m, n](char *out) {
        size_t work = m.work_bytes;
        MUST(cub::DeviceScan::InclusiveScan(m.work, work, (const T *)m.in, (T *)out, Operator(), n,
                                            m.stream));
    };
    std::vector<contestant> all;
    all.push_back(copy_of<T>(m, n));
    all.push_back({"cub", [&m, by_cub] { by_cub(m.out); }, moved, true, {}});
    all.push_back({"auto",
                   [&m, n, type, op] {
                       parscan_scan_options options = {};
                       options.struct_size = sizeof options;
                       options.op = op;
                       must(m, parscan_inclusive_scan(m.context, type, m.in, m.out, n, &options));
                   },
                   moved,
                   true,
                   {}});
    by_cub(m.reference);
    verify<T>(m, n, all);
    time_in_turn(m, how, n, all);
    print(type, op, log2n, moved, all);
}

static bool wanted(const settings &how, const char *type)
{
    return how.types.empty() ||
           std::find(how.types.begin(), how.types.end(), type) != how.types.end();
}

static void measure_all(machine &m, const settings &how)
{
    for (unsigned log2n = how.min; log2n <= how.max; log2n += how.step) {
        const size_t n = (size_t)1 << log2n;
        fill_integers<<<2048, 256, 0, m.stream>>>((uint32_t *)m.in, m.bytes / 4);
        if (wanted(how, "u8"))
            measure<uint8_t>(m, how, PARSCAN_U8, log2n);
        if (wanted(how, "u16"))
            measure<uint16_t>(m, how, PARSCAN_U16, log2n);
        if (wanted(how, "u32"))
            measure<uint32_t>(m, how, PARSCAN_U32, log2n);
        if (wanted(how, "u32")) {
            measure_operator<uint32_t, product>(m, how, PARSCAN_U32, PARSCAN_PRODUCT, log2n);
            measure_operator<uint32_t, maximum>(m, how, PARSCAN_U32, PARSCAN_MAX, log2n);
            measure_operator<uint32_t, exclusive_or>(m, how, PARSCAN_U32, PARSCAN_XOR, log2n);
        }
        if (wanted(how, "u64") && n * 8 <= m.bytes)
            measure<uint64_t>(m, how, PARSCAN_U64, log2n);
        if (wanted(how, "f32")) {
            fill_floats<<<2048, 256, 0, m.stream>>>((float *)m.in, n);
            measure<float>(m, how, PARSCAN_F32, log2n);
            measure_operator<float, maximum>(m, how, PARSCAN_F32, PARSCAN_MAX, log2n);
        }
        if (wanted(how, "f64") && n * 8 <= m.bytes) {
            fill_floats<<<2048, 256, 0, m.stream>>>((double *)m.in, n);
            measure<double>(m, how, PARSCAN_F64, log2n);
        }
    }
}

static settings read_options(int argc, char **argv)
{
    settings how;
    for (int k = 1; k < argc; k += 2) {
        const std::string name = argv[k];
        if (k + 1 < argc && name == "--min")
            how.min = (unsigned)atoi(argv[k + 1]);
        else if (k + 1 < argc && name == "--max")
            how.max = (unsigned)atoi(argv[k + 1]);
        else if (k + 1 < argc && name == "--step")
            how.step = (unsigned)atoi(argv[k + 1]);
        else if (k + 1 < argc && name == "--reps")
            how.repeats = (unsigned)atoi(argv[k + 1]);
        else if (k + 1 < argc && name == "--type")
            how.types.push_back(argv[k + 1]);
        else {
            fprintf(stderr,
                    "usage: bench_cuda_scan [--min K] [--max K] [--step K] [--reps N] "
                    "[--type u8|u16|u32|u64|f32|f64]...   sizes 2^K, CSV on standard output\n");
            exit(2);
        }
    }
    return how;
}

int main(int argc, char **argv)
{
    const settings how = read_options(argc, argv);
    machine m = {};
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
        printf("# no GPU: nothing measured\n");
        return EXIT_SUCCESS;
    }
    MUST(cudaStreamCreate(&m.stream));
    MUST(cudaEventCreate(&m.begin));
    MUST(cudaEventCreate(&m.end));
    m.bytes = ((size_t)1 << how.max) * 4;
    MUST(cudaMalloc(&m.in, m.bytes));
    MUST(cudaMalloc(&m.out, m.bytes));
    MUST(cudaMalloc(&m.reference, m.bytes));
    MUST(cudaMalloc(&m.differences, sizeof *m.differences));
    m.work_bytes = (size_t)64 << 20;
    MUST(cudaMalloc(&m.work, m.work_bytes));
    parscan_context_options options = {};
    options.struct_size = sizeof options;
    options.backend = PARSCAN_BACKEND_CUDA;
    options.stream = m.stream;
    char words[256] = "";
    options.error = words;
    options.error_size = sizeof words;
    if (parscan_context_create(&m.context, &options) != PARSCAN_OK) {
        fprintf(stderr, "bench_cuda_scan: %s\n", words);
        return EXIT_FAILURE;
    }
    printf("# bench_cuda_scan, parscan %s, CUB %d, %s\n", parscan_version(), CUB_VERSION,
           properties.name);
    printf("type,op,log2n,name,ms,q1,q3,gb_per_s,share_of_copy,times_cub\n");
    measure_all(m, how);
    parscan_context_destroy(m.context);
    return EXIT_SUCCESS;
}
