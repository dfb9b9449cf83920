/*
 * Linear recurrences of first order on CUDA: one pass over a and b, as tiles pass in any single-pass
 * kernel (tile_pipeline.cuh). What travels from tile to tile is the map x -> A x + B that a tile is as
 * a whole; before[] of a tile is x itself. A lane runs the recurrence over its own elements as a loop does.
 *
 * A, the product of many factors, is kept as a mantissa and an exponent: it neither overflows nor
 * underflows where no x does. B is where the recurrence goes from x = 0.
 *
 * Source: P. Kogge, H. Stone, A Parallel Algorithm for the Efficient Solution of a General Class of
 * Recurrence Equations, 1973.
 */
#ifndef PARSCAN_APPS_RECURRENCE_PASS_CUH
#define PARSCAN_APPS_RECURRENCE_PASS_CUH

#include <math.h>

#include "scan/single_pass/single_pass_tile.cuh"

/* A is mantissa * 2^exponent; the mantissa's magnitude is 0, from 1/2 to 1, or not finite. */
template <typename T>
struct recurrence_map;
template <>
struct recurrence_map<float> {
    float mantissa, b;
    int exponent;
};
template <>
struct recurrence_map<double> {
    double mantissa, b;
    long long exponent;
};

/* Beyond what any float holds, times 2 to it is 0 or infinity. */
static __device__ __forceinline__ int bounded_exponent(long long exponent)
{
    const long long most = 1 << 13;
    return (int)(exponent < -most ? -most : exponent > most ? most : exponent);
}

static __device__ __forceinline__ float scaled(float x, int exponent)
{
    return ldexpf(x, bounded_exponent(exponent));
}

static __device__ __forceinline__ double scaled(double x, long long exponent)
{
    return ldexp(x, bounded_exponent(exponent));
}

template <typename T>
static __device__ __forceinline__ T apply(const recurrence_map<T> &map, T x)
{
    const T ax = scaled(map.mantissa * x, map.exponent);
    return ax + map.b;
}

/* Maps under composition: first a, then b. */
struct recurrence_compose {
    static const bool commutes = false;
};

template <typename T>
static __device__ __forceinline__ recurrence_map<T> combine(recurrence_compose, recurrence_map<T> a,
                                                            recurrence_map<T> b)
{
    recurrence_map<T> both = {a.mantissa * b.mantissa, apply(b, a.b), a.exponent + b.exponent};
    if (both.mantissa > -(T)0.5 && both.mantissa < (T)0.5) {
        both.mantissa *= 2;
        both.exponent--;
    }
    return both;
}

template <typename T>
static __host__ __device__ void identity_of(recurrence_compose, recurrence_map<T> *map)
{
    *map = recurrence_map<T>{1, -(T)0, 0};
}

/* The product of a few factors: doubles hold that of floats, whatever they are. */
static __device__ __forceinline__ void multiply_all(const float *a, unsigned n,
                                                    recurrence_map<float> *map)
{
    double all = a[0];
    int exponent;
#pragma unroll
    for (unsigned e = 1; e < n; e++)
        all *= (double)a[e];
    map->mantissa = (float)frexp(all, &exponent);
    map->exponent = isfinite(all) ? exponent : 0;
}

static __device__ __forceinline__ void multiply_all(const double *a, unsigned n,
                                                    recurrence_map<double> *map)
{
    recurrence_map<double> all = {1, -0.0, 0};
#pragma unroll
    for (unsigned e = 0; e < n; e++) {
        int exponent;
        const double mantissa = frexp(a[e], &exponent);
        all = combine(recurrence_compose(), all,
                      recurrence_map<double>{mantissa, -0.0, isfinite(a[e]) ? exponent : 0});
    }
    map->mantissa = all.mantissa;
    map->exponent = all.exponent;
}

template <typename T, unsigned LANE>
static __device__ __forceinline__ recurrence_map<T> map_of(const T (&a)[LANE], const T (&b)[LANE])
{
    recurrence_map<T> map;
    map.b = b[0];
#pragma unroll
    for (unsigned e = 1; e < LANE; e++) {
        const T ax = a[e] * map.b;
        map.b = ax + b[e];
    }
    multiply_all(a, LANE, &map);
    return map;
}

/* How blocks are made; not measured yet. A tile of 16 KB of a and of b. */
#define RECURRENCE_STAGES 6u
template <typename T>
struct recurrence_shape {
    typedef single_pass_shape<T, T, 8, 4, 4, RECURRENCE_STAGES> pipelined;
    typedef single_pass_shape<T, T, 8, 0, 4, 1> in_turns;
};

template <typename S>
struct recurrence_pass_call {
    single_pass_call<S> plain; /* in: b; start: x0 */
    const typename S::T *a;
    unsigned a_skew;
};

template <typename S>
struct recurrence_shared {
    recurrence_map<typename S::T> maps[S::STAGES][S::SCANNERS];
    typename S::T before[S::STAGES];
};

/* What the pipeline does to a tile. A stage has b, then a. */
template <typename S>
struct recurrence_steps {
    typedef typename S::T T;
    typedef recurrence_map<T> map;
    typedef T prefix;
    enum : unsigned {
        SCANNERS = S::SCANNERS,
        REDUCERS = S::REDUCERS,
        MOST_STAGES = S::STAGES,
        SOURCES = 2
    };
    const recurrence_pass_call<S> &call;
    recurrence_shared<S> &shared;
    unsigned char *memory;

    __device__ __forceinline__ size_t tiles() const { return call.plain.tiles; }
    __device__ __forceinline__ unsigned stages() const { return S::STAGES; }
    __device__ __forceinline__ const tile_chain &chain() const { return call.plain.chain; }

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return memory + (size_t)stage * (2 * S::STAGE_BYTES);
    }
    __device__ __forceinline__ tile_source source(unsigned k, unsigned stage, size_t tile) const
    {
        return k == 0
                   ? source_of(call.plain, tile_place<S, false>(call.plain, tile), stage_at(stage))
                   : source_in<S::TILE>(call.a, sizeof(T), call.a_skew, call.plain.lead,
                                        call.plain.n, tile, stage_at(stage) + S::STAGE_BYTES);
    }

    /* Positions that the array does not have get the map that changes nothing, 1 x + -0. */
    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        load_edges<S>(parscan_operator_SUM(), source(0, stage, tile), call.plain.skew, thread,
                      threads);
        load_edges<S>(parscan_operator_PRODUCT(), source(1, stage, tile), call.a_skew, thread,
                      threads);
    }

    __device__ __forceinline__ void load_group(unsigned stage, unsigned vector,
                                               T (&a)[S::GROUP][S::LANE],
                                               T (&b)[S::GROUP][S::LANE]) const
    {
        load_vectors<S, false>((const T *)(stage_at(stage) + call.plain.skew), call.plain.skew,
                               vector, b);
        load_vectors<S, false>((const T *)(stage_at(stage) + S::STAGE_BYTES + call.a_skew),
                               call.a_skew, vector, a);
    }

    /* The map of one part. */
    __device__ __forceinline__ void reduce_part(unsigned stage, unsigned part, unsigned lane) const
    {
        const recurrence_compose op;
        map all = identity(op);
#pragma unroll 1
        for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
            T a[S::GROUP][S::LANE], b[S::GROUP][S::LANE];
            load_group(stage, (part * S::VECTORS + v) * 32 + lane, a, b);
#pragma unroll
            for (unsigned g = 0; g < S::GROUP; g++)
                all = combine(op, all, warp_reduce(op, map_of(a[g], b[g])));
        }
        if (lane == 0)
            shared.maps[stage][part] = all;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t, Event landed, unsigned reducer,
                                           unsigned lane) const
    {
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS)
            reduce_part(stage, part, lane);
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t tag,
                                            unsigned lane) const
    {
        const map all = sum_of_parts(stage, lane);
        if (lane == 0)
            tile_publish(call.plain.chain, tag, tile, all);
    }

    __device__ __forceinline__ map sum_of_parts(unsigned stage, unsigned lane) const
    {
        const recurrence_compose op;
        map all = identity(op);
        if (lane < S::SCANNERS)
            all = shared.maps[stage][lane];
        return warp_reduce(op, all);
    }

    __device__ __forceinline__ T first() const
    {
        return call.plain.start;
    }

    __device__ __forceinline__ void advance(T &before, size_t known, size_t tile, uint32_t tag,
                                            unsigned lane) const
    {
        if (known != tile)
            before = apply(tile_look_back<recurrence_compose, map>(
                               recurrence_compose(), call.plain.chain, tag, known, tile, lane),
                           before);
    }

    __device__ __forceinline__ void keep(unsigned stage, T before) const
    {
        shared.before[stage] = before;
    }

    /* A group of vectors of each lane, after x; returns x after them. */
    __device__ __forceinline__ T run_group(unsigned stage, const tile_place<S, false> &place,
                                           T *out, unsigned vector, T x, unsigned lane) const
    {
        const recurrence_compose op;
        T a[S::GROUP][S::LANE], b[S::GROUP][S::LANE];
        map upto[S::GROUP];
        load_group(stage, vector + lane, a, b);
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++)
            upto[g] = warp_scan(op, map_of(a[g], b[g]), lane);
        const bool partial = __builtin_expect(place.partial(), 0);
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            const map before = warp_shuffle_up(upto[g], 1);
            const unsigned first = (vector + g * 32 + lane) * S::LANE;
            __align__(16) T y[S::LANE];
            if (lane != 0)
                x = apply(before, x);
#pragma unroll
            for (unsigned e = 0; e < S::LANE; e++) {
                const T ax = a[g][e] * x;
                y[e] = x = ax + b[g][e];
            }
            if (__builtin_expect(!partial || (first >= place.begin && first + S::LANE <= place.end),
                                 1))
                __stwb((uint4 *)(out + first), *(uint4 *)y);
            else
                store_edge<S, false>(place, out, first, y);
            x = warp_shuffle(x, 31);
        }
        return x;
    }

    __device__ __forceinline__ void scan_after(unsigned stage, size_t tile, T x, unsigned part,
                                               unsigned lane) const
    {
        const tile_place<S, false> place(call.plain, tile);
        T *const out = call.plain.out + place.at * S::TILE - call.plain.lead;
#pragma unroll 1
        for (unsigned p = 0; p < part; p++)
            x = apply(shared.maps[stage][p], x);
#pragma unroll 1
        for (unsigned v = 0; v < S::VECTORS; v += S::GROUP)
            x = run_group(stage, place, out, (part * S::VECTORS + v) * 32, x, lane);
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        prefixed.wait();
        scan_after(stage, tile, shared.before[stage], part, lane);
    }
};

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::PIPELINED ? 1 : 2)
    recurrence_pass(const __grid_constant__ recurrence_pass_call<S> call)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ recurrence_shared<S> shared;
    run_pass<S::PIPELINED>(recurrence_steps<S>{call, shared, stages});
}

#endif
