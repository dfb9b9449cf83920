/*
 * Segmented scans and reductions on CUDA: one pass over elements and what says where segments
 * begin, as tiles pass in any single-pass kernel (tile_pipeline.cuh). A stage of shared memory has
 * a tile's elements, its marks, and its heads as bits, which the reducing warps make of the marks.
 * What travels from tile to tile: segmented_tile.cuh. A reduction is the same pass that stores
 * less: segment_outputs.cuh.
 */
#ifndef PARSCAN_APPS_SEGMENTED_PASS_CUH
#define PARSCAN_APPS_SEGMENTED_PASS_CUH

#include "apps/segmented/segment_outputs.cuh"
#include "scan/single_pass/tile_steps.cuh"

/* How blocks are made, by the width of the accumulated type; not measured yet. A tile of 16 KB
   and as much again of marks. SCANNERS, REDUCERS, VECTORS, and the most STAGES */
#define SEGMENTED_STAGES 8u
#define SEGMENTED_PIPELINE_BYTES 222208u /* of shared memory, shared out by stages */
template <typename In, typename T, unsigned WIDTH>
struct segmented_shape;
template <typename In, typename T>
struct segmented_shape<In, T, 1> {
    typedef single_pass_shape<In, T, 16, 8, 1, SEGMENTED_STAGES> pipelined;
    typedef single_pass_shape<In, T, 8, 0, 1, 1> in_turns;
};
template <typename In, typename T>
struct segmented_shape<In, T, 2> {
    typedef single_pass_shape<In, T, 16, 8, 2, SEGMENTED_STAGES> pipelined;
    typedef single_pass_shape<In, T, 8, 0, 1, 1> in_turns;
};
template <typename In, typename T>
struct segmented_shape<In, T, 4> {
    typedef single_pass_shape<In, T, 10, 10, 4, SEGMENTED_STAGES> pipelined;
    typedef single_pass_shape<In, T, 8, 0, 2, 1> in_turns;
};
template <typename In, typename T>
struct segmented_shape<In, T, 8> {
    typedef single_pass_shape<In, T, 12, 12, 4, SEGMENTED_STAGES> pipelined;
    typedef single_pass_shape<In, T, 8, 0, 4, 1> in_turns;
};

/* Of a stage: elements, marks of so many bytes each, heads. */
template <typename S>
struct segmented_layout {
    unsigned marks_at, heads_at, bytes;
    __host__ __device__ constexpr segmented_layout(unsigned mark_bytes)
        : marks_at(S::STAGE_BYTES),
          heads_at(marks_at + (mark_bytes == 0 ? S::TILE / 8 + 128 : S::TILE * mark_bytes + 256)),
          bytes(heads_at + S::TILE / S::LANE * sizeof(typename head_bits<S::LANE>::type))
    {
    }
};

/* Bytes of dynamic shared memory: always the same of a kernel. */
template <typename S>
struct segmented_room {
    static const unsigned bytes =
        S::PIPELINED ? SEGMENTED_PIPELINE_BYTES : segmented_layout<S>(8).bytes;
};

template <typename S>
struct segmented_shared {
    segment_sum<typename S::T> sums[S::STAGES]
                                   [S::SCANNERS]; /* then, what comes before each in the tile */
    uint32_t heads[S::STAGES];                    /* of the tile */
    segment_prefix<typename S::T> before[S::STAGES];
};

/* What the pipeline does to a tile. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
struct segmented_steps : tile_steps<S, REVERSE, OPERATOR> {
    typedef typename S::T T;
    typedef segment_prefix<T> prefix;
    enum : unsigned { SOURCES = 2, STORES_IN_STAGES = REDUCES };
    const segmented_pass_call<S> &call;
    segmented_shared<S> &shared;

    __device__ __forceinline__ unsigned stages() const { return call.stages; }

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return this->memory + (size_t)stage * call.stage_bytes;
    }
    __device__ __forceinline__ typename S::In *elements_of(unsigned stage) const
    {
        return (typename S::In *)(stage_at(stage) + call.plain.skew);
    }
    __device__ __forceinline__ typename head_bits<S::LANE>::type *heads_of(unsigned stage) const
    {
        return (typename head_bits<S::LANE>::type *)(stage_at(stage) + call.heads_at);
    }

    __device__ __forceinline__ tile_source source(unsigned k, unsigned stage, size_t tile) const
    {
        const tile_place<S, REVERSE> place(call.plain, tile);
        unsigned char *const to = stage_at(stage);
        return k == 0 ? source_of(call.plain, place, to)
                      : marks_of(call.plain, call.marks, place.at, to + call.marks_at);
    }

    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        load_edges<S>(OPERATOR(), source(0, stage, tile), call.plain.skew, thread, threads);
        ::load_ends<uint8_t>(source(1, stage, tile), thread, threads);
    }

    /* One part: its heads as bits, and its pair. */
    __device__ __forceinline__ void reduce_part(unsigned stage, size_t tile,
                                                const tile_place<S, REVERSE> &place, unsigned part,
                                                uint64_t beyond, unsigned lane) const
    {
        const tile_range<S, REVERSE> range(place);
        typename head_bits<S::LANE>::type *const heads = heads_of(stage);
        heads_of_part<S, REVERSE>(call.marks, stage_at(stage) + call.marks_at + call.marks.skew,
                                  part, beyond, heads, lane);
        if (__builtin_expect(tile == 0 || place.partial(), 0))
            heads_at_edges(range, tile == 0, REDUCES, part * S::VECTORS * 32, heads, lane);
        const segment_sum<T> sum = reduce_segments<S, REVERSE, REDUCES>(
            OPERATOR(), call.plain, elements_of(stage), heads, range.end, part, lane);
        if (lane == 0)
            shared.sums[stage][part] = sum;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t tile, Event landed,
                                           unsigned reducer, unsigned lane) const
    {
        const tile_place<S, REVERSE> place(call.plain, tile);
        const uint64_t beyond = reducer != 0 ? 0
                                : call.marks.marks == NULL
                                    ? stage_at(stage)[call.marks_at + S::TILE]
                                    : mark_beyond<S, REVERSE>(call.plain, call.marks, place);
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS)
            reduce_part(stage, tile, place, part, beyond, lane);
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t tag,
                                            unsigned lane) const
    {
        const segment_sum<T> sum = scan_parts<S, REDUCES>(OPERATOR(), shared.sums[stage], lane);
        if (lane == S::SCANNERS - 1) {
            tile_publish(call.plain.chain, tag, tile, sum);
            shared.heads[stage] = sum.heads;
        }
        __syncwarp(); /* lane 0 speaks for all that have stored */
    }

    __device__ __forceinline__ prefix first() const { return prefix{call.plain.start, 0}; }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t tile, uint32_t tag,
                                            unsigned lane) const
    {
        look_back_segments(OPERATOR(), call.plain.chain, tag, known, tile, lane, before);
    }

    __device__ __forceinline__ void keep(unsigned stage, const prefix &before) const
    {
        shared.before[stage] = before;
    }

    __device__ __forceinline__ void scan_after(unsigned stage, size_t tile,
                                               const prefix &before_tile, unsigned part,
                                               unsigned lane) const
    {
        const tile_place<S, REVERSE> place(call.plain, tile);
        const segment_sum<T> parts = shared.sums[stage][part];
        T before = before_part(OPERATOR(), parts, before_tile.value, part);
        if constexpr (REDUCES) {
            const bool last = tile + 1 == call.plain.tiles;
            const uint32_t through =
                part + 1 == S::SCANNERS ? shared.heads[stage] : shared.sums[stage][part + 1].heads;
            if (through == parts.heads && !last)
                return;
            const segment_outputs<S> outputs = {call.plain.out, before_tile.heads};
            before = store_segments<S>(OPERATOR(), call.plain, outputs, elements_of(stage),
                                       heads_of(stage), parts.heads, part, before, lane);
            if (last && part + 1 == S::SCANNERS && lane == 31)
                finish(outputs, place, through, before);
        } else {
            T *const out = call.plain.out + place.at * S::TILE - call.plain.lead;
#pragma unroll 1
            for (unsigned v = 0; v < S::VECTORS; v += S::GROUP)
                before = scan_segments<S, REVERSE>(OPERATOR(), call.plain, place,
                                                   elements_of(stage), heads_of(stage), out,
                                                   (part * S::VECTORS + v) * 32, before, lane);
        }
    }

    /* After the last tile: the last segment, if no end of the array has ended it, and how many there were. */
    __device__ __forceinline__ void finish(const segment_outputs<S> &outputs,
                                           const tile_place<S, REVERSE> &place, uint32_t heads,
                                           T before) const
    {
        if (place.end == S::TILE)
            outputs.store(heads, before);
        if (call.count != NULL)
            *call.count = outputs.heads + heads;
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        prefixed.wait();
        scan_after(stage, tile, shared.before[stage], part, lane);
    }
};

/* Where blocks have one tile each: its flags, made of offsets. */
template <typename S, bool REVERSE, typename OFFSET>
static __device__ __forceinline__ void mark_own_tile(const segmented_pass_call<S> &call,
                                                     unsigned char *stage)
{
    const tile_place<S, REVERSE> place(call.plain, blockIdx.x);
    mark_tile<S, OFFSET>(call.marks.offsets, call.plain.lead, place.at, stage + call.marks_at);
}

template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, S::PIPELINED ? 1 : 4)
    segmented_pass(const __grid_constant__ segmented_pass_call<S> call)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ segmented_shared<S> shared;
    if constexpr (!REDUCES && is_compiled<S::PIPELINED>())
        if (call.marks.marks == NULL) {
            if (call.marks.offsets.wide)
                mark_own_tile<S, REVERSE, uint64_t>(call, stages);
            else
                mark_own_tile<S, REVERSE, uint32_t>(call, stages);
        }
    run_pass<S::PIPELINED>(
        segmented_steps<S, REVERSE, REDUCES, OPERATOR>{{call.plain, stages}, call, shared});
}

#endif
