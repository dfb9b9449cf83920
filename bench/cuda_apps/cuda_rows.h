/*
 * What the rows of bench_cuda_apps are built from.
 *
 * A row is a work, a type and an input: "sort-keys/u32/uniform". At one size it is a group: the
 * copy, CUB, Thrust for some, parscan. The function that makes a group fills the inputs, names the
 * outputs and adds the contestants. The reference is what CUB writes, or what the group's own
 * `reference` function writes where CUB has nothing comparable or computes only a part.
 */
#ifndef PARSCAN_BENCH_CUDA_ROWS_H
#define PARSCAN_BENCH_CUDA_ROWS_H

#include <algorithm>
#include <map>

#include "../cuda_thrust.h"

struct buffer {
    void *data;
    size_t bytes;
};

struct bench : device {
    bench_options options;
    bool right; /* every result so far was right */
    std::map<std::string, buffer> arrays;
    buffer work;        /* the temporary memory of CUB, as large as any call has needed */
    kept_memory memory; /* of Thrust */

    /* Returns an array that is kept from row to row and grows as needed. Its contents are
       undefined. */
    template <typename T>
    T *array(const std::string &name, size_t n)
    {
        return (T *)grown(arrays[name], n * sizeof(T));
    }

    void *grown(buffer &b, size_t bytes)
    {
        if (b.bytes < bytes) {
            MUST(cudaFree(b.data));
            MUST(cudaMalloc(&b.data, bytes));
            b.bytes = bytes;
        }
        return b.data;
    }
};

struct group {
    bench &b;
    std::string row, type, input;
    size_t n;
    std::vector<output> outputs;
    std::vector<contestant> all;
    std::function<void()> reference; /* writes the outputs; empty: CUB's run does */
    bool has_reference = true;

    template <typename T>
    T *written(const std::string &name, size_t count)
    {
        T *const out = b.array<T>(name, count);
        outputs.push_back({out, b.array<T>(name + "'", count), count * sizeof(T)});
        return out;
    }

    void add_copy(void *to, const void *from, size_t bytes)
    {
        all.push_back(copy_of(b, to, from, bytes));
    }

    /* call(work, work_bytes), like all calls of CUB. */
    template <typename Call>
    void add_cub(const char *name, double bytes, Call call, bool checked = true)
    {
        bench &owner = b;
        size_t needed = 0;
        MUST(call(nullptr, needed));
        owner.grown(owner.work, std::max(needed, (size_t)1));
        all.push_back({name,
                       [&owner, call] {
                           size_t room = owner.work.bytes;
                           MUST(call(owner.work.data, room));
                       },
                       bytes, BENCH_PEER, checked});
    }

    /* call(policy). */
    template <typename Call>
    void add_thrust(double bytes, Call call)
    {
        bench &owner = b;
        all.push_back({"thrust", [&owner, call] { call(thrust_on(owner.memory, owner.stream)); },
                       bytes, BENCH_PEER});
    }

    /* call() is a call of parscan. */
    template <typename Call>
    void add(const char *name, double bytes, Call call)
    {
        bench &owner = b;
        all.push_back({name, [&owner, call] { attempt(owner, call()); }, bytes});
    }
};

/* Verifies a row at a modest size. Then verifies and times it at every size of the settings. */
void each_size(bench &b, const std::string &row, const std::string &type, const std::string &input,
               const std::function<void(group &)> &make);

/* The rows, by file. */
void sort_rows(bench &b);
void compact_rows(bench &b);
void histogram_rows(bench &b);
void allocate_rows(bench &b);
void segmented_rows(bench &b);

/* Inputs, from here on. */

/* Keys that are the AND of several random words (Thearling & Smith 1992); one value; sorted. */
enum { ONE_VALUE = 0, SORTED = -1 };
struct key_input {
    const char *name; /* the entropy of a bit */
    int words;
};
static const key_input uniform = {"uniform", 1}, entropy_54 = {"0.54", 3}, entropy_20 = {"0.2", 5},
                       one_value = {"one-value", ONE_VALUE}, sorted = {"sorted", SORTED};

template <typename T>
struct type_of;
template <>
struct type_of<uint8_t> {
    static constexpr parscan_type value = PARSCAN_U8;
    typedef uint8_t bits;
};
template <>
struct type_of<uint16_t> {
    static constexpr parscan_type value = PARSCAN_U16;
    typedef uint16_t bits;
};
template <>
struct type_of<uint32_t> {
    static constexpr parscan_type value = PARSCAN_U32;
    typedef uint32_t bits;
};
template <>
struct type_of<uint64_t> {
    static constexpr parscan_type value = PARSCAN_U64;
    typedef uint64_t bits;
};
template <>
struct type_of<float> {
    static constexpr parscan_type value = PARSCAN_F32;
    typedef int32_t bits;
};
template <>
struct type_of<double> {
    static constexpr parscan_type value = PARSCAN_F64;
    typedef int64_t bits;
};

template <typename T>
static std::string name_of()
{
    return parscan_type_name(type_of<T>::value);
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
static void on_device(const bench &b, size_t n, Function f)
{
    for_each<<<2048, 256, 0, b.stream>>>(n, f);
    MUST(cudaGetLastError());
}

template <typename T>
struct key_filler {
    T *keys;
    size_t n;
    int words;
    uint64_t mask, seed;

    __device__ void operator()(size_t i) const
    {
        typedef typename type_of<T>::bits bits;
        const unsigned unused = 64 - 8 * sizeof(T);
        uint64_t key = mask / 3;
        if (words > 0)
            key = random_bits(i, (unsigned)words, seed) >> unused;
        else if (words == SORTED)
            key = (uint64_t)((double)i / (double)n * ((double)mask + 1));
        keys[i] = (T)(bits)(key & mask); /* floats: finite numbers of both signs */
    }
};

/* Fills keys with the bits of mask. */
template <typename T>
static void fill_keys(const bench &b, T *keys, size_t n, const key_input &input,
                      uint64_t mask = ~(uint64_t)0 >> (64 - 8 * sizeof(T)))
{
    on_device(b, n, key_filler<T>{keys, n, input.words, mask, b.options.seed});
}

/* Ends the program on an error of a call that makes inputs. */
void must(const bench &b, parscan_status status);

/* An array that is cut at random into segments of a mean length, or of lengths of every order of
   magnitude. */
enum { MEAN_OF_ALL_ORDERS = 0 };
struct segment_input {
    const char *name;
    double mean;
};

struct segments {
    size_t count;
    uint8_t *flags;    /* 1 where a segment begins */
    uint32_t *offsets; /* count + 1 offsets */
    uint32_t *keys;    /* 1, 2, ... */
};

segments cut(bench &b, size_t n, const segment_input &input);

parscan_segments by_flags(const segments &s);
parscan_segments by_offsets(const segments &s);
parscan_segments by_keys(const segments &s);

/* Fills keys with the mixed indices of their runs. */
template <typename T>
void fill_runs(bench &b, T *values, size_t n, const segment_input &input, size_t *count);

/* CUB's sort of pairs by the lowest bits, for contestants that sort by bins. */
cudaError_t cub_sort_pairs(void *work, size_t &bytes, const uint32_t *keys, uint32_t *keys_out,
                           const uint32_t *values, uint32_t *values_out, size_t n, int bits,
                           cudaStream_t stream);

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
