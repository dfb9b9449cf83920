/*
 * What the benchmarks of the CUDA engine share: contestants that do one work on one input are
 * verified, then timed in turn, A B C A B C, by device events; a timing of fewer than 2^24 elements
 * is of a batch of calls. Medians and quartiles. Nothing empties the caches between calls: from
 * some 2^24 elements on, arrays are larger than they are.
 */
#ifndef PARSCAN_BENCH_CUDA_HARNESS_H
#define PARSCAN_BENCH_CUDA_HARNESS_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <errno.h>

#include <cuda_runtime.h>

#include "parscan/parscan.h"

#define MUST(call)                                                                \
    do {                                                                          \
        const cudaError_t error_ = (call);                                        \
        if (error_ != cudaSuccess) {                                              \
            fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, #call, \
                    cudaGetErrorString(error_));                                  \
            exit(EXIT_FAILURE);                                                   \
        }                                                                         \
    } while (0)

/* The sizes and repetitions of a program. */
struct settings {
    unsigned min, max, step, repeats;
    double seconds; /* after so many a group's timing ends, with LEAST_REPEATS */
};

enum { WARM_UPS = 2, LEAST_REPEATS = 3 };

struct device {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    unsigned *differences;
    parscan_context *context;
    std::string failure; /* of the contestant that runs: the first */
};

struct contestant {
    std::string name;
    std::function<void()> run;
    double bytes; /* that it must move */
    bool checked; /* its outputs are compared */
    std::vector<float> times;
    std::string failure; /* not empty: it is not timed */
};

/* An array that contestants write, and what they must write. */
struct output {
    void *out, *reference;
    size_t bytes;
};

/* False: no GPU. Ends the program where parscan does not find what CUDA does. */
inline bool open_device(device &d, cudaDeviceProp &properties)
{
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        return false;
    MUST(cudaStreamCreate(&d.stream));
    MUST(cudaEventCreate(&d.begin));
    MUST(cudaEventCreate(&d.end));
    MUST(cudaMalloc(&d.differences, sizeof *d.differences));
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

/* What a call of parscan says, kept for who asked for the run. */
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

/* The bitwise AND of so many random words: 1 gives uniform keys, more give keys of less entropy. */
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

/* Whatever is not written stays what it is here, for everybody: so outputs are compared whole. */
inline void spoil(const device &d, const std::vector<output> &outputs)
{
    for (const output &o : outputs)
        MUST(cudaMemsetAsync(o.out, 0xa5, o.bytes, d.stream));
}

/* What `run` writes becomes the reference. */
inline void make_reference(const device &d, const std::vector<output> &outputs,
                           const std::function<void()> &run)
{
    spoil(d, outputs);
    run();
    for (const output &o : outputs)
        MUST(cudaMemcpyAsync(o.reference, o.out, o.bytes, cudaMemcpyDeviceToDevice, d.stream));
}

/* One run of everybody. An error, or a result that is not the reference, becomes its failure. */
inline void verify(device &d, const std::vector<output> &outputs, std::vector<contestant> &all)
{
    for (contestant &c : all) {
        if (!c.failure.empty())
            continue;
        d.failure.clear();
        spoil(d, outputs);
        c.run();
        attempt(d, parscan_synchronize(d.context));
        MUST(cudaStreamSynchronize(d.stream));
        c.failure = d.failure;
        for (const output &o : outputs)
            if (c.failure.empty() && c.checked && !same(d, o))
                c.failure = "wrong result";
    }
}

static void time_once(device &d, contestant &c, unsigned batch, bool kept)
{
    d.failure.clear();
    MUST(cudaEventRecord(d.begin, d.stream));
    for (unsigned k = 0; k < batch; k++)
        c.run();
    MUST(cudaEventRecord(d.end, d.stream));
    MUST(cudaEventSynchronize(d.end));
    float ms;
    MUST(cudaEventElapsedTime(&ms, d.begin, d.end));
    c.failure = d.failure;
    if (kept)
        c.times.push_back(ms / (float)batch);
}

inline void time_in_turn(device &d, const settings &how, size_t n, std::vector<contestant> &all)
{
    const unsigned batch = n <= (size_t)1 << 16 ? 32 : n < (size_t)1 << 24 ? 8 : 1;
    const auto start = std::chrono::steady_clock::now();
    unsigned kept = 0;
    for (unsigned repeat = 0; kept < how.repeats; repeat++) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        const bool late = spent.count() > how.seconds;
        if (late && kept >= LEAST_REPEATS)
            break;
        const bool keep = late || repeat >= WARM_UPS;
        for (contestant &c : all)
            if (c.failure.empty())
                time_once(d, c, batch, keep);
        kept += keep;
    }
}

inline double quantile(std::vector<float> &times, double q)
{
    std::sort(times.begin(), times.end());
    return times[(size_t)(q * (double)(times.size() - 1) + 0.5)];
}

inline contestant copy_of(const device &d, void *to, const void *from, size_t bytes)
{
    return {"copy",
            [&d, to, from, bytes] {
                MUST(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d.stream));
            },
            2.0 * (double)bytes,
            false,
            {},
            {}};
}

/* Whether it was one of the options that all programs have. */
inline bool read_setting(settings &how, const std::string &name, const char *value)
{
    if (name == "--min")
        how.min = (unsigned)atoi(value);
    else if (name == "--max")
        how.max = (unsigned)atoi(value);
    else if (name == "--step")
        how.step = std::max(1, atoi(value));
    else if (name == "--reps")
        how.repeats = std::max(1, atoi(value));
    else if (name == "--seconds")
        how.seconds = atof(value);
    else
        return false;
    return true;
}

#endif
