/*
 * Tiles of a scan along an axis (axis_tiles.cuh), the threads' pieces of them, and the stages in shared memory
 * through which the variant STAGED reads and writes tiles.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_STAGE_CUH
#define PARSCAN_SCAN_AXIS_AXIS_STAGE_CUH

#include "scan/axis/axis_params.cuh"
#include "scan/cuda/tile_pipeline.cuh"

/* A tile: rows first_row to first_row + rows - 1, of its set of columns or of all lines. */
struct axis_tile {
    size_t index, first_row, set;
    unsigned rows;
    size_t phase;   /* of the first row in its line; 0 begins one */
    size_t depth;   /* tiles before it that have elements of the line of its first row */
    bool begins;    /* a line begins in it */
    bool continues; /* the line of its last row goes on in a later tile */
};

/* A thread's elements of a tile. */
struct axis_piece {
    unsigned column, group;
    unsigned count;  /* at most ROWS */
    uint64_t begins; /* bit j: element j begins a line */
};

template <typename S>
static __device__ __forceinline__ axis_tile tile_of(const axis_params<S> &params, size_t index)
{
    const axis_plan &plan = params.plan;
    axis_tile tile;
    const bool staged = plan.variant == AXIS_STAGED;
    const size_t k = index / plan.sets, all = staged ? params.outer * params.n : params.n;
    tile.index = index;
    tile.set = index - k * plan.sets;
    tile.first_row = k * plan.tile_rows;
    const size_t rest = all - tile.first_row;
    tile.rows = (unsigned)(rest < plan.tile_rows ? rest : plan.tile_rows);
    tile.phase = tile.first_row;
    if (staged && plan.chained)
        tile.phase = tile.first_row % params.n;
    else if (staged)
        tile.phase = 0;
    tile.depth = tile.phase == 0 ? 0 : k - (tile.first_row - tile.phase) / plan.tile_rows;
    tile.begins = tile.phase == 0 || params.n - tile.phase < tile.rows;
    tile.continues = plan.chained && tile.rows < rest;
    if (staged && tile.continues)
        tile.continues = (tile.phase + tile.rows) % params.n != 0;
    return tile;
}

template <typename S>
static __device__ __forceinline__ axis_piece piece_of(const axis_params<S> &params,
                                                      const axis_tile &tile)
{
    const axis_plan &plan = params.plan;
    const bool staged = plan.variant == AXIS_STAGED;
    axis_piece piece;
    piece.column = threadIdx.x % plan.width;
    piece.group = threadIdx.x / plan.width;
    const unsigned first = piece.group * plan.rows;
    piece.count = first < tile.rows ? tile.rows - first : 0;
    if (piece.count > plan.rows)
        piece.count = plan.rows;
    if (!staged && tile.set * plan.width + piece.column >= params.outer * params.inner)
        piece.count = 0;
    if (piece.group >= blockDim.x / plan.width)
        piece.count = 0;
    piece.begins = tile.phase + first == 0;
    if (staged) {
        /* phase < n, and first is small. */
        const size_t at = tile.phase + first;
        const size_t phase = params.n <= 1u << 30 ? (uint32_t)at % (uint32_t)params.n
                             : at >= params.n     ? at - params.n
                                                  : at;
        size_t next = phase == 0 ? 0 : params.n - phase;
        for (piece.begins = 0; next < piece.count; next += params.n)
            piece.begins |= 1ull << next;
    }
    return piece;
}

/* The shared memory that an array of the input takes, or the output, which comes in the place of the first. */
template <typename S>
static __host__ __device__ __forceinline__ size_t stage_bytes(const axis_plan &plan)
{
    const size_t size = sizeof(typename S::Element) > sizeof(typename S::Out)
                            ? sizeof(typename S::Element)
                            : sizeof(typename S::Out);
    return (plan.tile_rows * plan.width * size + 47) / 16 * 16;
}

/* Where a tile is in an array without gaps, and in shared memory: at the same place in a piece of 16 bytes. */
template <typename Element, typename S>
static __device__ __forceinline__ tile_source staged_source(const axis_params<S> &params,
                                                            const char *array,
                                                            const axis_tile &tile,
                                                            unsigned char *stage)
{
    const size_t all = params.outer * params.n, width = params.plan.width;
    const size_t row = params.backwards ? all - tile.first_row - tile.rows : tile.first_row;
    const char *const from = array + row * width * sizeof(Element);
    const unsigned begin = (unsigned)((uintptr_t)from % 16);
    const unsigned end = begin + (unsigned)(tile.rows * width * sizeof(Element));
    return tile_source{stage, from - begin, cut_bytes(begin, end, 0, (end + 15) / 16 * 16)};
}

template <typename Element>
static __device__ __forceinline__ void load_stage(const tile_source &source, uint64_t *full)
{
    if constexpr (is_compiled<true>()) {
        if (threadIdx.x == 0 && whole_bytes(source) != 0)
            bulk_load(source.to + source.bytes.whole_begin, source.from + source.bytes.whole_begin,
                      whole_bytes(source), full);
    } else {
#pragma unroll 1
        for (unsigned b = source.bytes.whole_begin + threadIdx.x * 16; b < source.bytes.whole_end;
             b += blockDim.x * 16)
            copy_piece(source.to + b, source.from + b);
    }
    load_ends<Element>(source, threadIdx.x, blockDim.x);
}

/* By `threads` threads. */
template <typename Element>
static __device__ __forceinline__ void store_stage(const tile_source &source, unsigned thread,
                                                   unsigned threads)
{
    const tile_bytes &bytes = source.bytes;
    char *const to = (char *)source.from;
    for (unsigned b = bytes.whole_begin + thread * 16; b < bytes.whole_end; b += threads * 16)
        *(uint4 *)(to + b) = *(const uint4 *)(source.to + b);
    for (unsigned b = bytes.begin + thread * (unsigned)sizeof(Element); b < bytes.whole_begin;
         b += threads * (unsigned)sizeof(Element))
        *(Element *)(to + b) = *(const Element *)(source.to + b);
    for (unsigned b = bytes.whole_end + thread * (unsigned)sizeof(Element); b < bytes.end;
         b += threads * (unsigned)sizeof(Element))
        *(Element *)(to + b) = *(const Element *)(source.to + b);
}

/* A thread's first element in a stage, and how far the next one is. */
template <typename Element, typename S>
static __device__ __forceinline__ Element *
staged_elements(const axis_params<S> &params, const axis_tile &tile, const axis_piece &piece,
                const tile_source &source, int *step)
{
    const int width = (int)params.plan.width, row = (int)(piece.group * params.plan.rows);
    const int at = params.backwards ? (int)tile.rows - 1 - row : row;
    *step = params.backwards ? -width : width;
    return (Element *)(source.to + source.bytes.begin) + at * width + (int)piece.column;
}

/* Array k of the input in a stage. */
template <typename S>
static __device__ __forceinline__ tile_source staged_input(const axis_params<S> &params,
                                                           const axis_tile &tile,
                                                           unsigned char *stage, unsigned k)
{
    return staged_source<typename S::Element>(params, input_array(params, k), tile,
                                              stage + k * stage_bytes<S>(params.plan));
}

/* Begins to load a tile. By all threads, after a barrier since the stage was used. */
template <typename S>
static __device__ __forceinline__ void begin_stage(const axis_params<S> &params,
                                                   const axis_tile &tile, unsigned char *stage,
                                                   uint64_t *full)
{
    tile_source sources[S::ARRAYS];
    uint32_t bytes = 0;
#pragma unroll
    for (unsigned k = 0; k < S::ARRAYS; k++) {
        sources[k] = staged_input(params, tile, stage, k);
        bytes += whole_bytes(sources[k]);
    }
    if constexpr (is_compiled<true>())
        if (threadIdx.x == 0)
            barrier_arrive_expecting(full, bytes);
#pragma unroll
    for (unsigned k = 0; k < S::ARRAYS; k++)
        load_stage<typename S::Element>(sources[k], full);
}

/* Takes a piece of a tile, of which all is there then. */
template <typename S>
static __device__ __forceinline__ void
load_staged_piece(const axis_params<S> &params, const axis_tile &tile, const axis_piece &piece,
                  unsigned char *stage, uint64_t *full, unsigned parity,
                  typename S::In (&x)[S::ROWS])
{
    typedef typename S::Element Element;
    if constexpr (is_compiled<true>())
        barrier_wait(full, parity);
    else
        pieces_wait();
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < S::ARRAYS; k++) {
        int step;
        const Element *from = staged_elements<Element>(params, tile, piece,
                                                       staged_input(params, tile, stage, k), &step);
#pragma unroll
        for (unsigned j = 0; j < S::ROWS; j++, from += step)
            if (j < piece.count)
                ((Element *)&x[j])[k] = *from;
    }
}

#endif
