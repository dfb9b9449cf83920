/*
 * Segmented scans and reductions on CUDA: one pass over the elements and the marks that tell where
 * segments start. Tiles are processed as in any single-pass kernel (tile_pipeline.cuh). A stage of
 * shared memory holds a tile's elements, its marks, and its heads as bits, which the reducing warps
 * compute from the marks. segmented_tile.cuh tells what tiles publish. A reduction is the same pass
 * with less output: segment_outputs.cuh.
 */
#ifndef PARSCAN_APPS_SEGMENTED_PASS_CUH
#define PARSCAN_APPS_SEGMENTED_PASS_CUH

#include "apps/segmented/segment_keys.cuh"
#include "apps/segmented/segment_outputs.cuh"
#include "scan/single_pass/tile_steps.cuh"

/* The shapes of blocks by the width of the output type. The numbers are SCANNERS, REDUCERS,
   VECTORS and the most STAGES; bench/notes/segmented.md has what was tried. */
#define SEGMENTED_STAGES 8u
#define SEGMENTED_PIPELINE_BYTES 222208u /* of shared memory, divided into stages */

/* A reduction reads far more than it writes: one load of so many bytes keeps memory busy. */
#define ONE_LOAD (24u << 10)

template <typename In, typename T, unsigned WIDTH, typename Out = T>
struct segmented_shape;
template <typename In, typename T, typename Out>
struct segmented_shape<In, T, 1, Out> {
    typedef single_pass_shape<In, T, 16, 8, 1, SEGMENTED_STAGES> warp_specialised;
    typedef single_pass_shape<In, T, 8, 0, 1, 1> unspecialised;
};
template <typename In, typename T, typename Out>
struct segmented_shape<In, T, 2, Out> {
    typedef single_pass_shape<In, T, 16, 8, 2, SEGMENTED_STAGES, Out> warp_specialised;
    typedef single_pass_shape<In, T, 8, 0, 1, 1, Out> unspecialised;
};
template <typename In, typename T, typename Out>
struct segmented_shape<In, T, 4, Out> {
    typedef single_pass_shape<In, T, 10, 10, 4, SEGMENTED_STAGES> warp_specialised;
    typedef single_pass_shape<In, T, 8, 0, 2, 1> unspecialised;
};
template <typename In, typename T, typename Out>
struct segmented_shape<In, T, 8, Out> {
    typedef single_pass_shape<In, T, 12, 12, 4, SEGMENTED_STAGES> warp_specialised;
    typedef single_pass_shape<In, T, 8, 0, 4, 1> unspecialised;
};

/* The layout of a stage: the elements, the marks of mark_bytes each, the heads. */
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

/* The bytes of dynamic shared memory, which are the same for all launches of a kernel. */
template <typename S>
struct segmented_room {
    static const unsigned bytes =
        S::WARP_SPECIALISED ? SEGMENTED_PIPELINE_BYTES : segmented_layout<S>(8).bytes;
};

template <typename S>
struct segmented_shared {
    segment_sum<typename S::T> sums[S::STAGES]
                                   [S::SCANNERS]; /* of the parts, then of what is before each */
    uint32_t heads[S::STAGES];                    /* in the tile */
    segment_prefix<typename S::T> before[S::STAGES];
    uint32_t votes[2][S::WORKERS]; /* of the warps that make flags */
    tile_offsets tiles[S::STAGES]; /* of the block's tiles, if the block makes flags */
    bool crowded[S::STAGES];       /* the tile has so many offsets that all warps make its flags */
};

/* What the pipeline does with a tile. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
struct segmented_steps : tile_steps<S, REVERSE, OPERATOR> {
    typedef typename S::T T;
    typedef segment_prefix<T> prefix;
    enum : unsigned { SOURCES = 2, STORES_IN_STAGES = REDUCES };
    const segmented_pass_params<S> &params;
    segmented_shared<S> &shared;

    __device__ __forceinline__ unsigned stages() const { return params.stages; }
    __device__ __forceinline__ unsigned loads() const
    {
        return REDUCES && params.stage_bytes >= ONE_LOAD ? 1 : 2;
    }

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return this->memory + (size_t)stage * params.stage_bytes;
    }
    __device__ __forceinline__ typename S::In *elements_of(unsigned stage) const
    {
        return (typename S::In *)(stage_at(stage) + params.plain.misalignment);
    }
    __device__ __forceinline__ typename head_bits<S::LANE>::type *heads_of(unsigned stage) const
    {
        return (typename head_bits<S::LANE>::type *)(stage_at(stage) + params.heads_at);
    }

    /* Makes the flags of the block's tile k, and checks the offsets of that tile. Called by `warps`
       warps; this one is number `warp`. */
    template <typename OFFSET>
    __device__ __forceinline__ void mark_tile(unsigned k, const tile_offsets &tile, unsigned warps,
                                              unsigned warp, unsigned lane) const
    {
        const segment_offsets &offsets = params.marks.offsets;
        const OFFSET *const data = (const OFFSET *)offsets.data;
        const unsigned count = (unsigned)offsets.count + 1, n = (unsigned)offsets.n;
        bool wrong = mark_elements(data, count, warps, warp, lane, tile,
                                   stage_at(k) + params.marks_at + tile.begin);
        if (warp == 0 && lane < 2) /* the first of all offsets, and the last */
            wrong = wrong || data[lane == 0 ? 0 : count - 1] != (lane == 0 ? 0 : n);
        if (__any_sync(0xffffffffu, wrong))
            find_error<OFFSET>(offsets, tile.first, tile.next, lane);
    }

    /* Makes the flags of all tiles of the block, which has a stage for each. There are fewer than
       2^32 elements and offsets. */
    template <typename OFFSET>
    __device__ __forceinline__ void mark_own_tiles(unsigned warp, unsigned lane) const
    {
        const segment_offsets &offsets = params.marks.offsets;
        const OFFSET *const data = (const OFFSET *)offsets.data;
        const unsigned count = (unsigned)offsets.count + 1, n = (unsigned)offsets.n;
        const unsigned tiles = (unsigned)params.plain.tiles;
        const mark_group group(S::WORKERS, params.marks.own, warp);
        const unsigned number = blockIdx.x + group.tile * gridDim.x;
        const bool is_one = group.tile < params.marks.own, has_tile = is_one && number < tiles;
        const unsigned at = !has_tile ? 0 : REVERSE ? tiles - 1 - number : number;
        const unsigned begin = at == 0 ? params.plain.head_padding : 0;
        const unsigned end = (at + 1) * S::TILE - params.plain.head_padding;
        const unsigned low = end - (S::TILE - begin);
        tile_offsets tile = {low, end, (n <= end ? n : end + 1) - low, begin, 0, 0, 0};
        if (has_tile)
            for (unsigned byte = ((warp - group.first) * 32 + lane) * 16; byte <= S::TILE;
                 byte += group.threads() * 16)
                *(uint4 *)(stage_at(group.tile) + params.marks_at + byte) = uint4{};
        search_in_group(data, count, group, warp, lane, shared.votes, tile);
        if (at + 1 == tiles)
            tile.next = count;
        const bool crowded =
            params.marks.own > 1 && tile.end(count) - tile.first > OFFSETS_ALONE * group.threads();
        if (is_one && warp == group.first && lane == 0) {
            shared.tiles[group.tile] = tile;
            shared.crowded[group.tile] = has_tile && crowded;
        }
        warps_sync<S::WORKERS>(2);
        if (has_tile && !crowded)
            mark_tile<OFFSET>(group.tile, tile, group.warps, warp - group.first, lane);
        for (unsigned k = 0; params.marks.own > 1 && k < params.marks.own; k++)
            if (shared.crowded[k])
                mark_tile<OFFSET>(k, shared.tiles[k], S::WORKERS, warp, lane);
        warps_sync<S::WORKERS>(2);
    }

    __device__ __forceinline__ void prepare(unsigned warp, unsigned lane) const
    {
        if (REDUCES || params.marks.marks != NULL)
            return;
        if (params.marks.offsets.wide)
            mark_own_tiles<uint64_t>(warp, lane);
        else
            mark_own_tiles<uint32_t>(warp, lane);
    }

    __device__ __forceinline__ tile_source source(unsigned k, unsigned stage, size_t tile) const
    {
        const tile_extent<S, REVERSE> extent(params.plain, tile);
        unsigned char *const to = stage_at(stage);
        return k == 0 ? source_of(params.plain, extent, to)
                      : marks_of(params.plain, params.marks, extent.at, to + params.marks_at);
    }

    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        load_edges<S>(OPERATOR(), source(0, stage, tile), params.plain.misalignment, thread,
                      threads);
        ::load_ends<uint8_t>(source(1, stage, tile), thread, threads);
    }

    /* Computes the heads of one part, and its pair. */
    __device__ __forceinline__ void reduce_part(unsigned stage, size_t tile,
                                                const tile_extent<S, REVERSE> &extent,
                                                unsigned part, uint64_t beyond, unsigned lane) const
    {
        const tile_range<S, REVERSE> range(extent);
        typename head_bits<S::LANE>::type *const heads = heads_of(stage);
        heads_of_part<S, REVERSE>(params.marks,
                                  stage_at(stage) + params.marks_at + params.marks.misalignment,
                                  part, beyond, heads, lane);
        if (__builtin_expect(tile == 0 || extent.partial(), 0))
            heads_at_edges(range, tile == 0, params.continues, REDUCES && params.through == NULL,
                           part * S::VECTORS * 32, heads, lane);
        const segment_sum<T> sum = reduce_segments<S, REVERSE, REDUCES>(
            OPERATOR(), params.plain, elements_of(stage), heads, range.end, part, lane);
        if (lane == 0)
            shared.sums[stage][part] = sum;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t tile, Event landed,
                                           unsigned reducer, unsigned lane) const
    {
        const tile_extent<S, REVERSE> extent(params.plain, tile);
        const uint64_t beyond = reducer != 0 ? 0
                                : params.marks.marks == NULL
                                    ? stage_at(stage)[params.marks_at + S::TILE]
                                    : mark_beyond<S, REVERSE>(params.plain, params.marks, extent);
        landed.wait();
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS)
            reduce_part(stage, tile, extent, part, beyond, lane);
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t epoch,
                                            unsigned lane) const
    {
        const segment_sum<T> sum = scan_parts<S, REDUCES>(OPERATOR(), shared.sums[stage], lane);
        if (lane == S::SCANNERS - 1) {
            tile_publish(params.plain.chain, epoch, tile, sum);
            shared.heads[stage] = sum.heads;
        }
        __syncwarp(); /* lane 0 then signals for all lanes that have stored */
    }

    __device__ __forceinline__ prefix first() const
    {
        return prefix{params.open, REDUCES && params.continues};
    }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t tile,
                                            uint32_t epoch, unsigned lane) const
    {
        look_back_segments<REDUCES>(OPERATOR(), params.plain.chain, epoch, known, tile, lane,
                                    before);
    }

    __device__ __forceinline__ void keep(unsigned stage, const prefix &before) const
    {
        shared.before[stage] = before;
    }

    /* Stores the keys of the segments that begin in a part, with `heads` heads of the tile before it. */
    __device__ __forceinline__ void write_keys(unsigned stage,
                                               const tile_extent<S, REVERSE> &extent, unsigned part,
                                               uint32_t heads, unsigned lane) const
    {
        const size_t index = extent.at * S::TILE - params.plain.head_padding;
        const char *const keys =
            params.keys != NULL
                ? params.keys + index * params.key_bytes
                : (const char *)stage_at(stage) + params.marks_at + params.marks.misalignment;
        store_keys<S>(params, keys, heads_of(stage), part, extent.end,
                      shared.before[stage].heads + heads, lane);
    }

    /* Called after the last tile: stores the last segment, if no head after the array has done
       so, and the number of segments. A segment that stays open is left to the next chunk; identities
       are behind its last element. */
    __device__ __forceinline__ void finish(const segment_outputs<S> &outputs,
                                           const tile_extent<S, REVERSE> &extent, uint32_t heads,
                                           T before) const
    {
        if (params.through != NULL)
            *params.through = before;
        else if (extent.end == S::TILE)
            outputs.store(heads, rounded<typename S::Out>(before));
        const uint64_t count = outputs.heads + heads;
        if (params.count != NULL)
            *params.count = count;
        if (count > params.capacity)
            leave_capacity(params.marks.offsets.deferred, count);
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        const tile_extent<S, REVERSE> extent(params.plain, tile);
        prefixed.wait_first(); /* unspecialised, publish() may not have replaced the sums before */
        const segment_sum<T> parts = shared.sums[stage][part];
        const auto known = [&] {
            prefixed.wait_late();
            prefix before = shared.before[stage];
            before.value = before_part(OPERATOR(), parts, before.value, part);
            return before;
        };
        if constexpr (REDUCES) {
            const bool last = tile + 1 == params.plain.tiles;
            const uint32_t through =
                part + 1 == S::SCANNERS ? shared.heads[stage] : shared.sums[stage][part + 1].heads;
            if (through == parts.heads && !last) {
                prefixed.wait_late(); /* a stage is freed when its tile's prefix has come */
                return;
            }
            const T after =
                store_segments<S>(OPERATOR(), params.plain, elements_of(stage), heads_of(stage),
                                  parts.heads, part, params.capacity, known, lane);
            if (params.keys_out != NULL)
                write_keys(stage, extent, part, parts.heads, lane);
            if (last && part + 1 == S::SCANNERS && lane == 31)
                finish(segment_outputs<S>{params.plain.out, shared.before[stage].heads,
                                          params.capacity},
                       extent, through, after);
        } else {
            typename S::Out *const out =
                params.plain.out + extent.at * S::TILE - params.plain.head_padding;
            T before = identity(OPERATOR());
#pragma unroll 1
            for (unsigned v = 0; v < S::VECTORS; v += S::GROUP)
                before = scan_segments<S, REVERSE>(
                    OPERATOR(), params.plain, extent, elements_of(stage), heads_of(stage), out,
                    (part * S::VECTORS + v) * 32, [&] { return v == 0 ? known().value : before; },
                    lane);
            if constexpr (is_stored<typename S::Out>::value) {
                /* Positions behind the last element have identities, and no heads. */
                if (params.through != NULL && tile + 1 == params.plain.tiles &&
                    part + 1 == S::SCANNERS && lane == 0)
                    *params.through = before;
            }
        }
    }
};

/* What is to be done without elements. */
template <typename S>
static __device__ __forceinline__ void do_nothing(const segmented_pass_params<S> &params)
{
    const segment_offsets &offsets = params.marks.offsets;
    if (blockIdx.x == 0 && threadIdx.x == 0 && params.count != NULL)
        *params.count = 0;
    if (params.marks.marks != NULL)
        return;
    /* Nobody has read the offsets. Each warp checks as many. */
    const size_t warps = (size_t)gridDim.x * (S::THREADS / 32);
    const size_t warp = (size_t)blockIdx.x * (S::THREADS / 32) + threadIdx.x / 32;
    const size_t share = offsets.count / warps + 1;
    const unsigned lane = threadIdx.x % 32;
    if (offsets.wide)
        find_error<uint64_t>(offsets, warp * share, (warp + 1) * share - 1, lane);
    else
        find_error<uint32_t>(offsets, warp * share, (warp + 1) * share - 1, lane);
}

/* The parameters with their lengths (length.cuh). */
template <typename S>
static __device__ __forceinline__ segmented_pass_params<S>
segments_at_their_lengths(const segmented_pass_params<S> &given)
{
    segmented_pass_params<S> params = given;
    const segment_offsets &offsets = given.marks.offsets;
    if (offsets.n_at == NULL && offsets.count_at == NULL)
        return params;
    params.marks.offsets = at_their_lengths(offsets);
    params.plain.set_length(params.marks.offsets.n);
    if (params.plain.tiles == 0)
        do_nothing(params);
    else if (given.marks.own > 0)
        params.marks.own = (unsigned)((params.plain.tiles - 1) / gridDim.x) + 1;
    return params;
}

/* Puts init in device memory in the place of one that the host knows. */
template <typename S>
static __device__ __forceinline__ void read_init(segmented_pass_params<S> &params)
{
    if (params.plain.init_at == nullptr)
        return;
    wait_for_previous_kernel();
    params.plain.first = *params.plain.init_at;
    params.plain.start = widened<typename S::T>(params.plain.first);
    params.open = params.plain.start; /* no chunk goes on with a segment then */
}

/* READS: it reads an init in device memory, if there is one. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR, bool READS>
static __global__ void __launch_bounds__(S::THREADS, S::WARP_SPECIALISED ? 1 : 4)
    segmented_pass(const __grid_constant__ segmented_pass_params<S> given)
{
    segmented_pass_params<S> params = segments_at_their_lengths(given);
    params.plain.tiles = (uint32_t)params.plain.tiles; /* few: a register less */
    if (READS)
        read_init(params);
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ segmented_shared<S> shared;
    run_pass<S::WARP_SPECIALISED>(
        segmented_steps<S, REVERSE, REDUCES, OPERATOR>{{params.plain, stages}, params, shared});
}

#endif
