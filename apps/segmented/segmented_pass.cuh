/*
 * Segmented scans and reductions on CUDA: one pass over elements and what says where segments begin, as
 * tiles pass in any single-pass kernel (tile_pipeline.cuh). A stage of shared memory has a tile's elements, its marks, and its heads as bits, which the reducing
 * warps make of the marks. What travels from tile to tile: segmented_tile.cuh.
 *
 * A reduction is the same pass that stores less. A head stores the sum of the segment that ends before it,
 * where the number of heads so far says; by offsets, whose empty segments have no head, where the offsets say.
 */
#ifndef PARSCAN_APPS_SEGMENTED_PASS_CUH
#define PARSCAN_APPS_SEGMENTED_PASS_CUH

#include "apps/segmented/segmented_tile.cuh"

/* How blocks are made, by the width of the accumulated type; not measured yet. A tile of 16 KB and as much
   again of marks. SCANNERS, REDUCERS, VECTORS, and the most STAGES */
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
    typedef single_pass_shape<In, T, 8, 4, 4, SEGMENTED_STAGES> pipelined;
    typedef single_pass_shape<In, T, 8, 0, 2, 1> in_turns;
};
template <typename In, typename T>
struct segmented_shape<In, T, 8> {
    typedef single_pass_shape<In, T, 8, 4, 4, SEGMENTED_STAGES> pipelined;
    typedef single_pass_shape<In, T, 8, 0, 4, 1> in_turns;
};

/* Of a stage: elements, marks of `bytes` each, heads, ranks. */
template <typename S>
struct segmented_layout {
    unsigned marks_at, heads_at, ranks_at, bytes;
    __host__ __device__ constexpr segmented_layout(unsigned mark_bytes)
        : marks_at(S::STAGE_BYTES),
          heads_at(marks_at + (mark_bytes == 0 ? S::TILE / 8 : S::TILE * mark_bytes + 256)),
          ranks_at(heads_at + S::TILE / 8), bytes((ranks_at + S::TILE / 16 + 127) / 128 * 128)
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
    segment_sum<typename S::T> sums[S::STAGES][S::SCANNERS];
    segment_prefix<typename S::T> before[S::STAGES];
};

/* What the pipeline does to a tile. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
struct segmented_steps {
    typedef typename S::T T;
    typedef segment_prefix<T> prefix;
    enum : unsigned {
        SCANNERS = S::SCANNERS,
        REDUCERS = S::REDUCERS,
        MOST_STAGES = S::STAGES,
        SOURCES = 2
    };
    const segmented_pass_call<S> &call;
    segmented_shared<S> &shared;
    unsigned char *memory;

    __device__ __forceinline__ size_t tiles() const { return call.plain.tiles; }
    __device__ __forceinline__ unsigned stages() const { return call.stages; }
    __device__ __forceinline__ const tile_chain &chain() const { return call.plain.chain; }

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return memory + (size_t)stage * call.stage_bytes;
    }
    __device__ __forceinline__ const typename S::In *elements_of(unsigned stage) const
    {
        return (const typename S::In *)(stage_at(stage) + call.plain.skew);
    }
    __device__ __forceinline__ tile_heads heads_of(unsigned stage) const
    {
        return tile_heads{(uint32_t *)(stage_at(stage) + call.heads_at),
                          (uint16_t *)(stage_at(stage) + call.ranks_at)};
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
        const unsigned words = S::PART / 32, first = part_position<S, REVERSE>(part) / 32;
        const unsigned char *const marks = stage_at(stage) + call.marks_at +
                                           (call.marks.mark == SEGMENT_BITS ? 0 : call.marks.skew);
        const tile_heads heads = heads_of(stage);
        uint32_t word =
            heads_of_part<S, REVERSE>(call.marks, place, marks, tile, part, beyond, lane);
        const segment_sum<T> sum = reduce_segments<S, REVERSE, REDUCES>(
            OPERATOR(), call.plain, elements_of(stage), word, part, lane);
        if (lane == 0)
            shared.sums[stage][part] = sum;
        if (REDUCES) {
            const uint32_t count = (uint32_t)__popc(word);
            const uint32_t ranks = warp_scan(parscan_operator_SUM(), count, lane) - count;
            if (lane < words)
                heads.ranks[first + lane] = (uint16_t)ranks;
            /* The end of the array ends a segment as a head does. */
            const unsigned low = (first + lane) * 32;
            if (place.end != S::TILE && place.end - low < 32)
                word |= 1u << (place.end - low);
        }
        if (lane < words)
            heads.words[first + lane] = word;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t tile, Event landed,
                                           unsigned reducer, unsigned lane) const
    {
        const tile_place<S, REVERSE> place(call.plain, tile);
        const uint64_t beyond =
            reducer == 0 ? mark_beyond<S, REVERSE>(call.plain, call.marks, place) : 0;
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS)
            reduce_part(stage, tile, place, part, beyond, lane);
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t tag,
                                            unsigned lane) const
    {
        const segment_sum<T> sum =
            sum_of_segments<S, REDUCES>(OPERATOR(), shared.sums[stage], lane);
        if (lane == 0)
            tile_publish(call.plain.chain, tag, tile, sum);
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
        const typename S::In *const elements = elements_of(stage);
        const tile_heads heads = heads_of(stage);
        T *const out = REDUCES ? NULL : call.plain.out + place.at * S::TILE - call.plain.lead;
        uint32_t rank;
        T before = before_part<S>(OPERATOR(), shared.sums[stage], before_tile.value, part, &rank);
        if constexpr (REDUCES) {
            const segment_outputs<S> outputs(call, tile, before_tile.heads);
#pragma unroll 1
            for (unsigned v = 0; v < S::VECTORS; v += S::GROUP)
                before = scan_segments<S, REVERSE, true>(
                    OPERATOR(), call.plain, place, elements, heads, out, &outputs, rank,
                    (part * S::VECTORS + v) * 32, before, lane);
            if (tile + 1 == call.plain.tiles && part == S::SCANNERS - 1 && lane == 0)
                finish(outputs, place, rank + shared.sums[stage][part].heads, before);
        } else {
#pragma unroll 1
            for (unsigned v = 0; v < S::VECTORS; v += S::GROUP)
                before = scan_segments<S, REVERSE, false>(
                    OPERATOR(), call.plain, place, elements, heads, out, NULL, rank,
                    (part * S::VECTORS + v) * 32, before, lane);
        }
    }

    /* After the last tile: the last segment, if no end of the array has ended it, and how many there were. */
    __device__ __forceinline__ void finish(const segment_outputs<S> &outputs,
                                           const tile_place<S, REVERSE> &place, uint32_t heads,
                                           T before) const
    {
        if (place.end == S::TILE)
            outputs.store(S::TILE, heads, before);
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

template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, S::PIPELINED ? 1 : 4)
    segmented_pass(const __grid_constant__ segmented_pass_call<S> call)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ segmented_shared<S> shared;
    run_pass<S::PIPELINED>(segmented_steps<S, REVERSE, REDUCES, OPERATOR>{call, shared, stages});
}

#endif
