/*
 * The harness (harness.h) on the GPU, and what its rows are made of.
 *
 * A row is a work, a type and an input: "sort-keys/u32/uniform". At one size it is a group: the function that
 * makes it fills the inputs, names the outputs and adds the contestants: the copy, CUB, parscan. Before they
 * are timed, the outputs of all are compared with the reference: what the first CUB writes, or what the group's own
 * `reference` writes where CUB has nothing comparable.
 *
 * Calls of fewer than 2^GRAPH_LOG2N elements are captured, CALLS_OF_A_GRAPH of them in a CUDA graph, because a stream
 * of short calls measures the host. The calls of a "graph" are equal; in a "chain" each call reads what the last one
 * wrote. Longer calls, those that cannot be captured, and all with --stream or --cold, go to a stream one by one ("direct"). Both are timed
 * by device events. With --cold, twice as much memory as the L2 cache holds is written before each timing.
 *
 * Rows are written with designated initialisers and device lambdas (--extended-lambda), which nvcc takes in C++17.
 */
#ifndef PARSCAN_BENCH_CUDA_BENCH_H
#define PARSCAN_BENCH_CUDA_BENCH_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <errno.h>

#include "cub_calls.h"
#include "harness.h"

enum { GRAPH_LOG2N = 22, CALLS_OF_A_GRAPH = 64 };

#define MUST(call)                                                                \
    do {                                                                          \
        const cudaError_t error_ = (call);                                        \
        if (error_ != cudaSuccess) {                                              \
            fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, #call, \
                    cudaGetErrorString(error_));                                  \
            exit(EXIT_FAILURE);                                                   \
        }                                                                         \
    } while (0)

struct buffer {
    void *data;
    size_t bytes;
};

/* An array that contestants write, and its reference. */
struct output {
    void *out, *reference;
    size_t bytes;
};

struct bench {
    bench_options options;
    bool right; /* every result so far was right, and every reference was made */
    cudaStream_t stream;
    cudaEvent_t begin, end;
    unsigned *differ; /* not 0: two arrays differ */
    parscan_context *context;
    buffer swept; /* twice the size of the L2 cache, for cold figures */
    std::map<std::string, buffer> arrays;
    std::string failure; /* the first failure of the contestant that runs */

    /* Returns the group's array of the name, which grows as needed. Its contents are undefined.
       Throws std::bad_alloc if there is no memory. */
    void *bytes(const std::string &name, size_t size);
    template <typename T>
    T *array(const std::string &name, size_t n)
    {
        return (T *)bytes(name, n * sizeof(T));
    }

    void attempt(parscan_status status);
    void attempt(cudaError_t error);
};

struct contestant {
    std::string name;
    std::function<void(const void *in, void *out)> run;
    double bytes; /* the bytes that it must move */
    bench_role role;
    bool checked;        /* its outputs are compared */
    std::string failure; /* not empty: it is not timed */
};

struct group {
    bench &b;
    std::string work, type, input;
    size_t n;
    const void *in;
    void *out;
    std::vector<output> outputs;
    std::vector<contestant> all;
    std::function<void()> reference; /* writes the outputs; empty: the first CUB does */
    bool has_reference = true;
    bool in_stream = false; /* a contestant cannot be captured in a graph */
    output chained = {};    /* the array that takes turns with `out` in a chain; none: no chain */

    /* The main input and output. */
    void *read(size_t bytes);
    void *write(size_t bytes);
    /* One more output. */
    void *writes(const std::string &name, size_t bytes);
    template <typename T>
    T *writes(const std::string &name, size_t count)
    {
        return (T *)writes(name, count * sizeof(T));
    }

    /* A chain of short calls is measured, too. exact: its results can be compared. */
    void chain(bool exact);
    bool exact_chain = false;

    void copy(void *to, const void *from, size_t bytes);

    /* A call of every CUB that has it. Its in and out are the group's, unless it names others. name: NULL or
       what follows the name of the peer. */
    void cub(cub_work work, double bytes, cub_call call, bool checked = true,
             const char *name = NULL);

    /* call(in, out) is a call of parscan. */
    void parscan(const char *name, double bytes,
                 std::function<parscan_status(const void *in, void *out)> call);
};

/* Verifies a row at a modest size. Then verifies and times it at every size of the settings up to 2^most_log2n for
   which there is memory. CUB's counts are ints in most rows. */
void each_size(bench &b, const std::string &work, const std::string &type, const std::string &input,
               const std::function<void(group &)> &make, unsigned most_log2n = 30);

/* The rows, by file. */
void scan_rows(bench &b);
void sort_rows(bench &b);
void compact_rows(bench &b);
void histogram_rows(bench &b);
void allocate_rows(bench &b);
void segmented_rows(bench &b);
void pipeline_rows(bench &b);
void axis_rows(bench &b);
void select_rows(bench &b);
void merge_rows(bench &b);
void search_rows(bench &b);
void operator_rows(bench &b);
void launch_rows(bench &b);

/* Inputs, from here on. */

static __device__ inline uint64_t mix(uint64_t z)
{
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Calls f(i) for every i < n on the device. */
template <typename Function>
static __global__ void for_each(size_t n, Function f)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x)
        f(i);
}

template <typename Function>
static cudaError_t launch(const bench &b, size_t n, Function f)
{
    const size_t blocks = std::min<size_t>(2048, n / 256 + 1);
    for_each<<<(unsigned)blocks, 256, 0, b.stream>>>(n, f);
    return cudaGetLastError();
}

/* Not for contestants, whose launches may be captured and fail. */
template <typename Function>
static void on_device(const bench &b, size_t n, Function f)
{
    MUST(launch(b, n, f));
}

/* The number of keys before the lower bound of a needle, or before its upper one. */
template <typename T>
static __device__ size_t bound_of(const T *keys, size_t n, T needle, bool upper = false)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (upper ? keys[middle] <= needle : keys[middle] < needle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* to[i] = i. */
cudaError_t write_indices(const bench &b, uint32_t *to, size_t n);

/* Keys that are the AND of several random words (Thearling & Smith 1992); one value; sorted; sorted but for 1% at the end. */
enum { ONE_VALUE = 0, SORTED = -1, APPENDED = -2 };
struct key_input {
    const char *name; /* the entropy of a bit */
    int words;
};
static const key_input uniform = {"uniform", 1}, entropy_54 = {"0.54", 3}, entropy_20 = {"0.2", 5},
                       one_value = {"one-value", ONE_VALUE}, sorted = {"sorted", SORTED},
                       appended = {"appended", APPENDED};

/* Fills keys with the bits of mask. Floats are numbers of both signs, whose integral values are such keys. */
void fill_keys(const bench &b, parscan_type type, void *keys, size_t n, const key_input &input,
               uint64_t mask = ~(uint64_t)0, uint64_t seed = 0);

/* Small integers of both signs, so that every sum of floats is exact. */
void fill_values(const bench &b, parscan_type type, void *values, size_t n);

/* An array that is cut at random into segments of a mean length, or of lengths of every order of
   magnitude. */
enum { MEAN_OF_ALL_ORDERS = 0 };
struct segment_input {
    const char *name;
    double mean;
};

struct segments {
    size_t count;
    uint8_t *flags;    /* 1 where a segment starts */
    uint32_t *offsets; /* count + 1 offsets */
    uint32_t *keys;    /* 1, 2, ... */
};

segments cut(bench &b, size_t n, const segment_input &input);

parscan_segments segments_by(parscan_segment_kind kind, const segments &s);

/* Ends the program on an error of a call that makes inputs; throws std::bad_alloc for lack of memory. */
void must(const bench &b, parscan_status status);

/* Reads one number from the device. */
template <typename T>
static T fetched(const bench &b, const T *from)
{
    T value;
    MUST(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, b.stream));
    MUST(cudaStreamSynchronize(b.stream));
    return value;
}

#endif
