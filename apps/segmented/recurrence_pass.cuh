/*
 * Linear recurrences of first order on CUDA: one pass over a and b, in which tiles are processed as
 * in any single-pass kernel (tile_pipeline.cuh). A tile publishes its map x -> A x + B; before[] of
 * a tile is x itself. Each lane runs the recurrence over its own elements, in a loop.
 *
 * Source: P. Kogge, H. Stone, A Parallel Algorithm for the Efficient Solution of a General Class of
 * Recurrence Equations, 1973.
 */
#ifndef PARSCAN_APPS_RECURRENCE_PASS_CUH
#define PARSCAN_APPS_RECURRENCE_PASS_CUH

#include "apps/segmented/consecutive.cuh"
#include "apps/segmented/recurrence_map.cuh"
#include "scan/single_pass/tile_steps.cuh"

/* The shapes of blocks, not yet tuned by measurement. A tile has 16 KB of a and 16 KB of b. */
#define RECURRENCE_STAGES 3u
template <typename Stored, typename T>
struct recurrence_shape {
    /* A lane of floats of 16 bits has as many elements as one of floats. */
    static const unsigned VECTORS = is_stored<Stored>::value ? 2 : 4;
    typedef single_pass_shape<Stored, T, 16, 8, VECTORS, RECURRENCE_STAGES, Stored>
        warp_specialised;
    typedef single_pass_shape<Stored, T, 8, 0, VECTORS, 1, Stored> unspecialised;
};

template <typename S>
struct recurrence_pass_params {
    single_pass_params<S> plain; /* plain.in is b, plain.start is x0 */
    const typename S::In *a;     /* one element if there is one a for all; NULL: it is constant_a */
    unsigned a_misalignment;
    typename S::T constant_a;
    typename S::T
        *through; /* if results are rounded: receives the last one, as it is not; NULL: not
                               wanted */
};

template <typename S>
struct recurrence_shared {
    recurrence_map<typename S::T> maps[S::STAGES][S::SCANNERS];
    typename S::T before[S::STAGES];
};

/* What the pipeline does with a tile. A stage holds b, then a, or, CONSTANT, b alone. */
template <typename S, bool CONSTANT>
struct recurrence_steps : tile_steps<S, false, parscan_operator_SUM> {
    typedef typename S::T T;
    typedef typename S::In Stored; /* of the arrays */
    typedef recurrence_map<T> map;
    typedef T prefix;
    enum : unsigned {
        SOURCES = CONSTANT ? 1 : 2,
        STORES_IN_STAGES = 1,
        EACH = S::VECTORS * S::LANE
    };
    const recurrence_pass_params<S> &params;
    recurrence_shared<S> &shared;

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return this->memory + (size_t)stage * (2 * S::STAGE_BYTES);
    }
    __device__ __forceinline__ Stored *b_of(unsigned stage) const
    {
        return (Stored *)(stage_at(stage) + params.plain.misalignment);
    }
    __device__ __forceinline__ tile_source source(unsigned k, unsigned stage, size_t tile) const
    {
        return k == 0 ? source_of(params.plain, tile_extent<S, false>(params.plain, tile),
                                  stage_at(stage))
                      : source_in<S::TILE>(params.a, sizeof(Stored), params.a_misalignment,
                                           params.plain.head_padding, params.plain.n, tile,
                                           stage_at(stage) + S::STAGE_BYTES);
    }

    /* Positions outside of the array get the map that changes nothing: 1 x + -0. */
    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        load_edges<S>(parscan_operator_SUM(), source(0, stage, tile), params.plain.misalignment,
                      thread, threads);
        if (!CONSTANT)
            load_edges<S>(parscan_operator_PRODUCT(), source(1, stage, tile), params.a_misalignment,
                          thread, threads);
    }

    /* The constant, for a lane's positions that the array has. */
    __device__ __forceinline__ void repeat(size_t tile, unsigned part, unsigned lane,
                                           T (&a)[EACH]) const
    {
        const tile_extent<S, false> extent(params.plain, tile);
        const unsigned first = (part * 32 + lane) * EACH;
        const bool whole = first >= extent.begin && first + EACH <= extent.end;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            a[e] = whole || (first + e >= extent.begin && first + e < extent.end)
                       ? params.constant_a
                       : (T)1;
    }

    /* Loads a lane's elements of a part, which are consecutive. */
    __device__ __forceinline__ void load_lane(unsigned stage, size_t tile, unsigned part,
                                              unsigned lane, T (&a)[EACH], T (&b)[EACH]) const
    {
        load_consecutive<S>(b_of(stage), params.plain.misalignment, part * 32 + lane, b);
        if (CONSTANT)
            repeat(tile, part, lane, a);
        else
            load_consecutive<S>(
                (const Stored *)(stage_at(stage) + S::STAGE_BYTES + params.a_misalignment),
                params.a_misalignment, part * 32 + lane, a);
    }

    /* Computes the map of one part. */
    __device__ __forceinline__ void reduce_part(unsigned stage, size_t tile, unsigned part,
                                                unsigned lane) const
    {
        T a[EACH], b[EACH];
        load_lane(stage, tile, part, lane, a, b);
        const map all = warp_reduce(recurrence_compose(), map_of(a, b));
        if (lane == 0)
            shared.maps[stage][part] = all;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t tile, Event landed,
                                           unsigned reducer, unsigned lane) const
    {
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS)
            reduce_part(stage, tile, part, lane);
    }

    /* Publishes the tile's map, and replaces the map of each part by that of the parts before
       it. */
    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t epoch,
                                            unsigned lane) const
    {
        const recurrence_compose op;
        map all = identity(op);
        if (lane < S::SCANNERS)
            all = shared.maps[stage][lane];
        all = warp_scan(op, all, lane);
        if (lane == S::SCANNERS - 1)
            tile_publish(params.plain.chain, epoch, tile, all);
        const map before = warp_shuffle_up(all, 1);
        if (lane != 0 && lane < S::SCANNERS)
            shared.maps[stage][lane] = before;
        __syncwarp(); /* each lane that arrives signals for the whole warp */
    }

    __device__ __forceinline__ T first() const
    {
        return start_at(params.plain);
    }

    __device__ __forceinline__ void advance(T &before, size_t known, size_t tile, uint32_t epoch,
                                            unsigned lane) const
    {
        if (known != tile)
            before = apply(tile_look_back<recurrence_compose, map>(
                               recurrence_compose(), params.plain.chain, epoch, known, tile, lane),
                           before);
    }

    __device__ __forceinline__ void keep(unsigned stage, T before) const
    {
        shared.before[stage] = before;
    }

    /* Stores a part's results. They are first put in the part's place in the stage, where b is
       not needed any more, so that whole lines are written. */
    __device__ __forceinline__ void store_lane(unsigned stage, size_t tile, unsigned part,
                                               unsigned lane, T (&y)[EACH]) const
    {
        const tile_extent<S, false> extent(params.plain, tile);
        Stored *const out = params.plain.out + extent.at * S::TILE - params.plain.head_padding;
        Stored *const room = b_of(stage) + part * S::PART;
        const bool aligned = params.plain.misalignment % 16 == 0;
        const unsigned turn = turn_of<S::VECTORS>(lane);
        if (aligned) {
            turn_vectors<S::VECTORS, S::LANE>(S::VECTORS - turn, y);
#pragma unroll
            for (unsigned v = 0; v < S::VECTORS; v++)
                store_vector(room + (lane * S::VECTORS + (v + turn) % S::VECTORS) * S::LANE,
                             y + v * S::LANE);
            __syncwarp();
        }
        const bool partial = __builtin_expect(extent.partial(), 0);
#pragma unroll
        for (unsigned v = 0; v < S::VECTORS; v++) {
            const unsigned vector = aligned ? v * 32 + lane : lane * S::VECTORS + v;
            const unsigned first = part * S::PART + vector * S::LANE;
            __align__(16) Stored own[S::LANE];
            round_vector(y + v * S::LANE, own);
            if (aligned)
                *(uint4 *)own = *(const uint4 *)(room + vector * S::LANE);
            if (__builtin_expect(
                    !partial || (first >= extent.begin && first + S::LANE <= extent.end), 1))
                __stwb((uint4 *)(out + first), *(uint4 *)own);
            else
                store_edge<S, false>(extent, out, first, own);
        }
    }

    static __device__ __forceinline__ void round_vector(const T *from, Stored (&to)[S::LANE])
    {
        if constexpr (is_stored<Stored>::value) {
            T vector[S::LANE];
            memcpy(vector, from, sizeof vector);
            round_all(vector, to);
        } else {
            memcpy(to, from, sizeof to);
        }
    }

    static __device__ __forceinline__ void store_vector(Stored *to, const T *from)
    {
        __align__(16) Stored vector[S::LANE];
        round_vector(from, vector);
        *(uint4 *)to = *(const uint4 *)vector;
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        const recurrence_compose op;
        T a[EACH], b[EACH];
        load_lane(stage, tile, part, lane, a, b);
        const map before = warp_shuffle_up(warp_scan(op, map_of(a, b), lane), 1);
        prefixed.wait();
        T x = shared.before[stage];
        if (part != 0)
            x = apply(shared.maps[stage][part], x);
        if (lane != 0)
            x = apply(before, x);
#pragma unroll
        for (unsigned e = 0; e < EACH; e++) {
            const T ax = a[e] * x;
            b[e] = x = ax + b[e];
        }
        if constexpr (is_stored<Stored>::value) {
            /* Positions behind the last element have maps that change nothing. */
            if (params.through != NULL && tile + 1 == params.plain.tiles &&
                part + 1 == S::SCANNERS && lane == 31)
                *params.through = x;
        }
        store_lane(stage, tile, part, lane, b);
    }
};

template <typename S, bool CONSTANT>
static __global__ void __launch_bounds__(S::THREADS, S::WARP_SPECIALISED ? 1 : 2)
    recurrence_pass(const __grid_constant__ recurrence_pass_params<S> given)
{
    recurrence_pass_params<S> params = given;
    params.plain = at_its_length(given.plain);
    if (CONSTANT && params.a != NULL) {
        wait_for_previous_kernel();
        params.constant_a = widened<typename S::T>(*params.a);
    }
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ recurrence_shared<S> shared;
    run_pass<S::WARP_SPECIALISED>(
        recurrence_steps<S, CONSTANT>{{params.plain, stages}, params, shared});
}

#endif
