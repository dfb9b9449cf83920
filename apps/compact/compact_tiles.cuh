/*
 * The kernels of stream compaction on CUDA: one pass over memory, in which tiles are processed as
 * in any single-pass kernel (tile_pipeline.cuh). The warps that reduce a tile test its elements,
 * keep the results as bits, and publish the number of kept elements. The warps that scan a tile
 * list the places of the kept elements in their chunks and write these elements in whole lines.
 *
 * So every element is read once, and every kept element is written once. A partition of a long
 * array moves some of its elements twice, or reads them twice (compact_parts.cuh).
 *
 * This is safe in place. A tile's elements are written at or before the tile's own place, when its
 * prefix is known. At that time all tiles before it have been published, and a tile is published
 * only when it is in shared memory, with everything around it that its tests read. For runs that is
 * the element before the tile. It can be overwritten earlier only by itself, since as long as no
 * element has been dropped, every element is written where it was.
 *
 * Source: M. Billeter, O. Olsson, U. Assarsson, Efficient Stream Compaction on Wide SIMD Many-core
 * Architectures, HPG 2009; D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled
 * Look-back, NVIDIA, 2016.
 */
#ifndef PARSCAN_APPS_COMPACT_TILES_CUH
#define PARSCAN_APPS_COMPACT_TILES_CUH

#include "apps/compact/compact_count.cuh"
#include "apps/compact/compact_store.cuh"
#include "apps/compact/compact_turn.cuh"

template <typename S>
struct compact_shared {
    unsigned long long counted; /* for a partition: what this block has counted in advance */
    unsigned way;               /* for a partition */
    size_t columns;             /* of a matrix */
    compact_prefix before[S::STAGES];
    typename S::Aggregate chunks[S::STAGES][S::CHUNKS]; /* aggregates, then the prefix of each */
    kept_word words[S::STAGES][S::CHUNKS * S::WORDS];
    uint64_t gathered[S::GATHERS ? S::STAGES : 1]; /* mbarriers: the records of a tile are there */
};

template <typename S>
struct compact_steps {
    typedef compact_prefix prefix;
    typedef typename S::Aggregate Aggregate;
    typedef typename S::OPERATOR OPERATOR;
    enum : unsigned {
        SCANNERS = S::COMPACTORS,
        REDUCERS = S::REDUCERS,
        MOST_STAGES = S::STAGES,
        SOURCES = S::TEST == COMPACT_FLAGS ? 2 : 1,
        STORES_IN_STAGES = 1
    };
    const compact_params &params;
    compact_shared<S> &shared;
    unsigned char *memory;
    parts_way way; /* of a partition */

    /* Where a tile is in memory. Tiles are numbered in the order in which they are processed. */
    __device__ __forceinline__ size_t in_memory(size_t tile) const
    {
        return S::PARTS && way == PARTS_KEPT_TURNED ? params.tiles - 1 - tile : tile;
    }

    __device__ __forceinline__ size_t tiles() const { return params.tiles; }
    __device__ __forceinline__ unsigned stages() const
    {
        if constexpr (S::GATHERS)
            return S::stages(params.units * params.unit);
        return S::STAGES;
    }
    /* Tiles of a shape that gathers are small. */
    __device__ __forceinline__ unsigned loads() const { return S::GATHERS ? 4 : 2; }
    __device__ __forceinline__ const tile_chain &chain() const { return params.chain; }

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        if constexpr (S::GATHERS)
            return memory + stage * S::stage_bytes(params.units * params.unit);
        return memory + (size_t)stage * S::STAGE_BYTES;
    }

    __device__ __forceinline__ tile_source source(unsigned k, unsigned stage, size_t tile) const
    {
        unsigned char *const to = stage_at(stage);
        return k == 0 ? source_in<S::TILE>(params.in, S::WIDTH, S::MARGIN, params.head_padding,
                                           params.n, in_memory(tile), to)
                      : source_in<S::TILE>(params.flags, 1, params.flag_misalignment,
                                           params.head_padding, params.n, tile, to + S::FLAGS_AT);
    }

    __device__ __forceinline__ void prepare(unsigned, unsigned) const {}

    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        ::load_ends<typename S::U>(source(0, stage, tile), thread, threads);
        if (SOURCES == 2)
            ::load_ends<uint8_t>(source(1, stage, tile), thread, threads);
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t tile, Event landed,
                                           unsigned reducer, unsigned lane) const
    {
        const compact_extent<S> extent(params, in_memory(tile));
        landed.wait();
#pragma unroll 1
        for (unsigned chunk = reducer; chunk < S::CHUNKS; chunk += S::REDUCERS) {
            const uint32_t word = test_chunk<S>(params, extent, stage_at(stage), chunk, lane);
            uint32_t first;
            const Aggregate count = count_chunk<S>(extent, word, chunk, lane, &first);
            if constexpr (S::RECORDS && !S::GATHERS)
                fetch_records<S>(params, extent, word, chunk, lane);
            if constexpr (S::GATHERS)
                gather_records<S>(params, extent, stage_at(stage), word, first, chunk, lane);
            if (lane < S::WORDS)
                shared.words[stage][chunk * S::WORDS + lane] = kept_word{word, first};
            if (lane == 0)
                shared.chunks[stage][chunk] = count;
        }
        if constexpr (S::GATHERS)
            copies_arrive(&shared.gathered[stage]);
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t epoch,
                                            unsigned lane) const
    {
        const Aggregate all =
            scan_chunks<S>(shared.chunks[stage], S::PARTS && way == PARTS_KEPT_TURNED, lane);
        if (lane == 0)
            tile_publish(params.chain, epoch, tile, all);
        if (S::PARTS && way == PARTS_COUNTED && tile == blockIdx.x && lane == 0)
            tile_publish(counts_of(params), epoch, tile, (uint64_t)shared.counted);
        __syncwarp(); /* lane 0 then signals for all lanes that have stored */
    }

    __device__ __forceinline__ prefix first() const
    {
        return prefix{0, 0, 0};
    }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t tile,
                                            uint32_t epoch, unsigned lane) const
    {
        const OPERATOR op = OPERATOR();
        const Aggregate between =
            tile_look_back<OPERATOR, Aggregate>(op, params.chain, epoch, known, tile, lane);
        before = prefix_after(before, between, known * S::TILE - params.head_padding);
        if constexpr (S::PARTS)
            if (way <= PARTS_COUNTED && tile == blockIdx.x)
                before.total = total_kept<S>(params, way, epoch, lane);
    }

    __device__ __forceinline__ void keep(unsigned stage, const prefix &before) const
    {
        shared.before[stage] = before;
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed,
                                         unsigned compactor, unsigned lane) const
    {
        const compact_extent<S> extent(params, in_memory(tile));
        uint16_t *const places = (uint16_t *)stage_at(stages()) + compactor * S::CHUNK;
#pragma unroll 1
        for (unsigned c = compactor; c < S::CHUNKS; c += S::COMPACTORS) {
            compact_chunk chunk = chunk_of<S>(extent, c, &shared.words[stage][c * S::WORDS], lane);
            if (c == compactor) {
                prefixed.wait();
                if constexpr (S::GATHERS)
                    barrier_wait(&shared.gathered[stage], prefixed.parity);
            }
            chunk.before =
                prefix_after(shared.before[stage], shared.chunks[stage][c], extent.index);
            if constexpr (!S::PARTS)
                chunk.stored = stored_of(params, chunk);
            if constexpr (S::MATRIX)
                chunk.columns = shared.columns;
            const bool last_tile = tile + 1 == params.tiles;
            if constexpr (S::PARTS)
                store_parts<S>(params, chunk, way, stage_at(stage), c,
                               last_tile && c == (way == PARTS_KEPT_TURNED ? 0 : S::CHUNKS - 1),
                               places, lane);
            else
                store_chunk<S>(params, chunk, stage_at(stage), c, last_tile && c + 1 == S::CHUNKS,
                               places, lane);
        }
    }
};

template <typename S>
static __device__ __forceinline__ void
run_compaction(const compact_params &given, compact_shared<S> &shared, unsigned char *stages)
{
    size_t columns = 0;
    const compact_params params = at_its_lengths<S>(given, &columns);
    if (S::MATRIX && threadIdx.x == 0)
        shared.columns = columns; /* before the first wait of all threads, and the first tile */
    if (params.n == 0)
        store_nothing(params);
    if constexpr (S::GATHERS)
        if (threadIdx.x == 0) /* before the first wait of all threads */
            for (unsigned s = 0; s < S::STAGES; s++)
                barrier_init(&shared.gathered[s], S::REDUCERS * 32);
    compact_steps<S> steps{params, shared, stages, PARTS_HELD};
    if constexpr (S::PARTS) {
        steps.way = way_of<S>(params, &shared.way);
        if (steps.way == PARTS_COUNTED)
            count_ahead<S>(params, &shared.counted);
    }
    if constexpr (S::WARP_SPECIALISED)
        run_warp_specialised(steps);
    else
        run_unspecialised(steps);
    if constexpr (S::PARTS) {
        const bool turned = steps.way > PARTS_COUNTED;
        if (turned)
            turn_part<S>(params, steps.way, stages);
        if (takes_sample<S>(params))
            blocks_part(params.meeting, turned);
    }
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    compact_kernel(const __grid_constant__ compact_params params)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ compact_shared<S> shared;
    if constexpr (is_compiled<S::WARP_SPECIALISED>())
        run_compaction<S>(params, shared, stages);
}

/* Copies back what was gathered in scratch: *count records of `units` pieces, but at most `most`; after the
   first *after of `to`, or to its start. */
template <typename Unit>
static __global__ void __launch_bounds__(512)
    copy_back(const Unit *from, Unit *to, const uint64_t *count, size_t most, size_t units,
              const uint64_t *after)
{
    to += after != nullptr ? *after * units : 0;
    const size_t all = (*count < most ? *count : most) * units;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

#endif
