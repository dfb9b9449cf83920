/*
 * The harness of the benchmarks (harness.h) on the GPU. Contestants that do the same work on the
 * same input become the cases of a group. They are timed by device events, short calls in a batch
 * that lasts LEAST_SECONDS. Their outputs must be bit-identical to the reference. With --cold,
 * twice as much memory as the L2 cache holds is written before each timing.
 */
#ifndef PARSCAN_BENCH_CUDA_HARNESS_H
#define PARSCAN_BENCH_CUDA_HARNESS_H

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <errno.h>

#include <cub/version.cuh>
#include <cuda_runtime.h>
#include <thrust/version.h>

#include "harness.h"
#include "parscan/parscan.h"

/* The least duration of a timing by events, whose resolution is half a microsecond. */
#define LEAST_SECONDS 200e-6

#define MUST(call)                                                                \
    do {                                                                          \
        const cudaError_t error_ = (call);                                        \
        if (error_ != cudaSuccess) {                                              \
            fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, #call, \
                    cudaGetErrorString(error_));                                  \
            exit(EXIT_FAILURE);                                                   \
        }                                                                         \
    } while (0)

struct device {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    unsigned *differences;
    parscan_context *context;
    void *swept; /* twice the size of the L2 cache, for cold figures */
    size_t swept_bytes;
    std::string failure; /* the first failure of the contestant that runs */
};

struct contestant {
    std::string name;
    std::function<void()> run;
    double bytes; /* the bytes that it must move */
    bench_role role = BENCH_PARSCAN;
    bool checked = true; /* its outputs are compared */
    std::string work;    /* empty: the group's */
    std::string failure; /* not empty: it is not timed */
};

/* An array that contestants write, and its reference. */
struct output {
    void *out, *reference;
    size_t bytes;
};

/* Returns false if there is no GPU. Ends the program if CUDA finds a GPU and parscan does not. */
inline bool open_device(device &d, cudaDeviceProp &properties)
{
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        return false;
    MUST(cudaStreamCreate(&d.stream));
    MUST(cudaEventCreate(&d.begin));
    MUST(cudaEventCreate(&d.end));
    MUST(cudaMalloc(&d.differences, sizeof *d.differences));
    d.swept_bytes = 2 * (size_t)properties.l2CacheSize;
    MUST(cudaMalloc(&d.swept, d.swept_bytes));
    parscan_context_options options = {};
    options.struct_size = sizeof options;
    options.backend = PARSCAN_BACKEND_CUDA;
    options.stream = d.stream;
    char words[256] = "";
    options.error = words;
    options.error_size = sizeof words;
    if (parscan_context_create(&d.context, &options) != PARSCAN_OK) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, words);
        exit(EXIT_FAILURE);
    }
    return true;
}

/* Keeps the failure of a call of parscan for the caller of the run. */
inline void attempt(device &d, parscan_status status)
{
    if (status != PARSCAN_OK && d.failure.empty())
        d.failure =
            std::string(parscan_status_string(status)) + ": " + parscan_context_error(d.context);
}

static __device__ uint64_t mix(uint64_t z)
{
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The bitwise AND of `words` random words: one word gives uniform keys, more give keys of less
   entropy. */
static __device__ uint64_t random_bits(size_t i, unsigned words, uint64_t seed)
{
    uint64_t bits = ~(uint64_t)0;
    for (unsigned k = 0; k < words; k++)
        bits &= mix(mix(seed + k) + i);
    return bits;
}

template <typename T>
static __global__ void fill_random(T *values, size_t n, unsigned words, uint64_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x)
        values[i] = (T)(random_bits(i, words, seed) >> (64 - 8 * sizeof(T)));
}

template <typename T>
static __global__ void count_differences(const T *a, const T *b, size_t n, unsigned *count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x)
        if (a[i] != b[i])
            atomicAdd(count, 1u);
}

inline bool same(const device &d, const output &o)
{
    unsigned count = 0;
    MUST(cudaMemsetAsync(d.differences, 0, sizeof count, d.stream));
    if (o.bytes % sizeof(uint32_t) == 0)
        count_differences<<<2048, 256, 0, d.stream>>>((const uint32_t *)o.out,
                                                      (const uint32_t *)o.reference,
                                                      o.bytes / sizeof(uint32_t), d.differences);
    else
        count_differences<<<2048, 256, 0, d.stream>>>(
            (const uint8_t *)o.out, (const uint8_t *)o.reference, o.bytes, d.differences);
    MUST(cudaMemcpyAsync(&count, d.differences, sizeof count, cudaMemcpyDeviceToHost, d.stream));
    MUST(cudaStreamSynchronize(d.stream));
    return count == 0;
}

/* Overwrites the outputs with the same bytes for every contestant, so that whole arrays can be
   compared. */
inline void spoil(const device &d, const std::vector<output> &outputs)
{
    for (const output &o : outputs)
        MUST(cudaMemsetAsync(o.out, 0xa5, o.bytes, d.stream));
}

/* Makes the outputs of `run` the reference. */
inline void make_reference(const device &d, const std::vector<output> &outputs,
                           const std::function<void()> &run)
{
    spoil(d, outputs);
    run();
    for (const output &o : outputs)
        MUST(cudaMemcpyAsync(o.reference, o.out, o.bytes, cudaMemcpyDeviceToDevice, d.stream));
}

#define WRONG_RESULT "wrong result"

/* Runs a contestant once. An error, or a result that differs from the reference, becomes its
   failure. */
inline bool verify_contestant(device &d, const std::vector<output> &outputs, contestant &c)
{
    if (!c.failure.empty())
        return false;
    d.failure.clear();
    spoil(d, outputs);
    c.run();
    attempt(d, parscan_synchronize(d.context));
    MUST(cudaStreamSynchronize(d.stream));
    c.failure = d.failure;
    for (const output &o : outputs)
        if (c.failure.empty() && c.checked && !same(d, o))
            c.failure = WRONG_RESULT;
    return c.failure.empty();
}

/* A contestant as the context of a bench_case. */
struct turn {
    device &d;
    const std::vector<output> &outputs;
    contestant &c;
};

inline void run_turn(void *context)
{
    ((turn *)context)->c.run();
}

inline bool verify_turn(void *context)
{
    const turn &t = *(turn *)context;
    return verify_contestant(t.d, t.outputs, t.c);
}

inline double time_turn(void *context, size_t calls)
{
    const turn &t = *(turn *)context;
    device &d = t.d;
    d.failure.clear();
    MUST(cudaEventRecord(d.begin, d.stream));
    for (size_t k = 0; k < calls; k++)
        t.c.run();
    MUST(cudaEventRecord(d.end, d.stream));
    MUST(cudaEventSynchronize(d.end));
    float ms;
    MUST(cudaEventElapsedTime(&ms, d.begin, d.end));
    t.c.failure = d.failure;
    return d.failure.empty() ? ms * 1e-3 : 0;
}

inline const char *failure_of_turn(void *context)
{
    const turn &t = *(turn *)context;
    return t.c.failure.empty() || t.c.failure == WRONG_RESULT ? NULL : t.c.failure.c_str();
}

inline void sweep_device(void *context)
{
    const device &d = *(device *)context;
    MUST(cudaMemsetAsync(d.swept, 0, d.swept_bytes, d.stream));
}

/* Verifies and times the contestants, and writes their rows. Returns false if a result was
   wrong. */
inline bool measure(device &d, bench_group *group, const std::vector<output> &outputs,
                    std::vector<contestant> &all)
{
    std::vector<turn> turns;
    turns.reserve(all.size()); /* the cases keep pointers to its elements */
    for (contestant &c : all) {
        turns.push_back({d, outputs, c});
        bench_case added = {};
        added.name = c.name.c_str();
        added.work = c.work.empty() ? NULL : c.work.c_str();
        added.run = run_turn;
        added.verify = verify_turn;
        added.time = time_turn;
        added.failure = failure_of_turn;
        added.context = &turns.back();
        added.bytes = c.bytes;
        added.role = c.role;
        bench_add(group, added);
    }
    group->sweep = sweep_device;
    group->cold_context = &d;
    group->least_seconds = LEAST_SECONDS;
    const bool right = bench_measure(group);
    free(group);
    return right;
}

inline contestant copy_of(const device &d, void *to, const void *from, size_t bytes)
{
    return {"copy",
            [&d, to, from, bytes] {
                MUST(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d.stream));
            },
            2.0 * (double)bytes, BENCH_COPY, false};
}

/* Calls bench_write_head() with the GPU and the peers' versions. */
inline void write_cuda_head(const char *benchmark, const bench_options &options,
                            const cudaDeviceProp &gpu)
{
    char words[512];
    int driver = 0;
    MUST(cudaDriverGetVersion(&driver));
    snprintf(words, sizeof words,
             "# GPU: %s, %d multiprocessors, L2 cache %d MiB, memory %zu MiB; CUDA driver %d.%d, "
             "runtime %d.%d\n# peers: CUB %d, Thrust %d\n",
             gpu.name, gpu.multiProcessorCount, gpu.l2CacheSize >> 20, gpu.totalGlobalMem >> 20,
             driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
             CUB_VERSION, THRUST_VERSION);
    bench_write_head(benchmark, &options, words);
}

#endif
