/*
 * A segmented reduction by offsets on CUDA, one launch: the elements and the ends of segments,
 * merged in their order, are shared out evenly, a part to a warp. So neither one huge segment nor
 * many empty ones leave anybody idle, and offsets are read once, beside a few that are searched for
 * where parts begin.
 *
 * A segment that ends in its part is stored by it, if it begins there too. Of the others the pieces
 * are combined: what a part has after its last end goes to the next one in the block, and from
 * block to block through a tile's status words (tile_prefix.cuh), where only a tile in which such a
 * segment ends looks back, and no further than to the tile in which it begins.
 *
 * Floor: one read of elements and offsets, one write of the results.
 * Source: D. Merrill, M. Garland, Merge-based Parallel Sparse Matrix-Vector Multiplication, 2016.
 */
#ifndef PARSCAN_APPS_SEGMENT_PARTS_CUH
#define PARSCAN_APPS_SEGMENT_PARTS_CUH

#include "apps/segmented/segmented_tile.cuh"
#include "apps/segments/segment_search.cuh"

#define PARTS_OF_TILE 5u /* a warp's each */
#define PART_BYTES 8192u /* of elements, at most */
#define PARTS_THREADS ((PARTS_OF_TILE + 1) * 32)
#define NO_SEGMENT (~(size_t)0)
#define PART_BLOCKS 5u         /* of a multiprocessor, for which there are registers */
#define LEAST_PART 128u        /* elements and ends */
#define MOST_SMALL_PARTS 3200u /* so many at most are smaller than they may be */
#define LONG_PIECE 32u         /* elements, for a lane */

template <typename In, typename T>
struct merge_path_params {
    const In *in;
    T *out;
    segment_offsets offsets;
    T start, empty; /* what segments begin with, if not `keeps`; what empty ones reduce to */
    bool keeps;
    unsigned part; /* elements and ends of one */
    size_t tiles;
    tile_chain chain;
};

template <typename In>
struct part_size {
    static const unsigned most = (PART_BYTES - 16) / sizeof(In); /* wherever they begin */
};

/* A part's pieces that segments of other parts go on in. */
template <typename T>
struct part_ends {
    T head, tail;   /* of the segment that ends first, and of what comes after the last end */
    size_t segment; /* the first, where it began before the part; NO_SEGMENT else */
    bool any;       /* something ends */
};

template <typename In, typename T>
struct parts_shared {
    __align__(16) unsigned char stage[PARTS_OF_TILE][PART_BYTES];
    part_ends<T> ends[2][PARTS_OF_TILE];
    uint32_t epoch;
};

/* Where a part begins among the elements and among the segments' ends. */
struct part_begin {
    size_t element, segment;
};

/* Of both ends of a part. */
template <typename OFFSET>
static __device__ __forceinline__ void cut_part(const segment_offsets &offsets,
                                                const size_t (&at)[2], part_begin (&begins)[2],
                                                unsigned lane)
{
    const OFFSET *const ends = (const OFFSET *)offsets.data + 1;
    search_range ranges[2];
#pragma unroll
    for (unsigned k = 0; k < 2; k++)
        ranges[k] = search_range{at[k] > offsets.n ? at[k] - offsets.n : 0,
                                 at[k] < offsets.count ? at[k] : offsets.count};
    search_both(ranges, lane,
                [&](unsigned k, size_t segment) { return ends[segment] + segment < at[k]; });
#pragma unroll
    for (unsigned k = 0; k < 2; k++)
        begins[k] = part_begin{at[k] - ranges[k].low, ranges[k].low};
}

/* Some offset from number `low` to `high` is less than the one before it. */
template <typename OFFSET>
static __device__ __noinline__ void find_error(const segment_offsets &offsets, size_t low,
                                               size_t high, unsigned lane)
{
    const OFFSET *const data = (const OFFSET *)offsets.data;
    for (size_t k = low + lane; k <= high && k <= offsets.count; k += 32)
        if (k > 0 && data[k] < data[k - 1])
            leave_error(offsets, k);
}

template <typename In, typename T, typename OPERATOR, typename OFFSET>
struct part_steps {
    const merge_path_params<In, T> &params;
    parts_shared<In, T> &shared;
    unsigned lane, warp;

    /* Elements begin to end - 1, in pieces of 16 bytes from an aligned place on; returns where
       `begin` is. The pieces at the array's ends it may not have whole. */
    __device__ __forceinline__ const In *load(size_t begin, size_t end) const
    {
        const unsigned EACH = 16 / sizeof(In);
        const unsigned shift = (unsigned)((uintptr_t)(params.in + begin) % 16 / sizeof(In));
        const unsigned pieces = (unsigned)(end - begin + shift + EACH - 1) / EACH;
        const size_t rest = (params.offsets.n - begin + shift) / EACH;
        const unsigned whole_begin = begin < shift,
                       whole_end = rest < pieces ? (unsigned)rest : pieces;
        const uint4 *const from = (const uint4 *)(params.in + begin - shift);
        uint4 *const stage = (uint4 *)shared.stage[warp];
#pragma unroll
        for (unsigned k = 0; k < PART_BYTES / 16 / 32; k++)
            if (lane + 32 * k >= whole_begin && lane + 32 * k < whole_end)
                copy_piece(stage + lane + 32 * k, from + lane + 32 * k);
        pieces_wait();
        __syncwarp();
        if (__builtin_expect(whole_begin != 0 || whole_end != pieces, 0))
            load_at_ends(begin - shift, whole_begin, whole_end, pieces);
        return (const In *)stage + shift;
    }

    /* The first piece, which begins before the array at element `first`, wrapped around, and the
       last, which ends behind it. */
    __device__ __noinline__ void load_at_ends(size_t first, unsigned whole_begin,
                                              unsigned whole_end, unsigned pieces) const
    {
        const unsigned EACH = 16 / sizeof(In), last = whole_end * EACH;
        In *const stage = (In *)shared.stage[warp];
        if (whole_begin != 0 && lane < EACH && first + lane < params.offsets.n)
            stage[lane] = params.in[first + lane];
        if (whole_end != pieces && lane < EACH && first + last + lane < params.offsets.n)
            stage[last + lane] = params.in[first + last + lane];
        __syncwarp();
    }

    /* Of a piece in the stage, by the warp; at all lanes. */
    __device__ __forceinline__ T reduce_long(const In *x, unsigned begin, unsigned end) const
    {
        const OPERATOR op = OPERATOR();
        T sum = identity(op);
#pragma unroll 4
        for (unsigned i = begin + lane; i < end; i += 32)
            sum = combine(op, sum, (T)x[i]);
        return warp_shuffle(warp_reduce(op, sum), 0);
    }

    __device__ __forceinline__ T reduce_short(const In *x, unsigned begin, unsigned end) const
    {
        T sum = params.empty;
        if (begin < end)
            sum = (T)x[begin];
#pragma unroll 1
        for (unsigned i = begin + 1; i < end; i++)
            sum = combine(OPERATOR(), sum, (T)x[i]);
        return sum;
    }

    __device__ __forceinline__ void store(size_t segment, T sum, bool any) const
    {
        params.out[segment] = any && !params.keeps ? combine(OPERATOR(), params.start, sum) : sum;
    }

    /* 32 segments from `segment` on, of those before `last` that end in the part of elements x,
       `begin` to `end` - 1; a lane's begins at `from`. */
    __device__ __forceinline__ void reduce_ends(const In *x, size_t begin, size_t end,
                                                size_t segment, size_t last, OFFSET from, OFFSET to,
                                                part_ends<T> &ends) const
    {
        const bool here = segment + lane < last;
        if (here && offset_is_wrong(params.offsets, segment + lane + 1, to, from))
            leave_error(params.offsets, segment + lane + 1);
        const bool opened = from < begin;
        /* Wherever wrong offsets head_padding, it is in the part. */
        const unsigned low = opened ? 0 : (unsigned)((from < end ? from : end) - begin);
        const unsigned high = !here || to < begin ? 0 : (unsigned)((to < end ? to : end) - begin);
        T sum = params.empty;
        const bool is_long = high > low + LONG_PIECE;
        if (!is_long)
            sum = reduce_short(x, low, high);
        for (uint32_t left = __ballot_sync(0xffffffffu, is_long); left != 0; left &= left - 1) {
            const unsigned which = (unsigned)__ffs((int)left) - 1;
            const T its = reduce_long(x, warp_shuffle(low, which), warp_shuffle(high, which));
            if (lane == which)
                sum = its;
        }
        if (here && opened) { /* the first of the part */
            ends.segment = segment + lane;
            ends.head = low < high ? sum : identity(OPERATOR());
        } else if (here) {
            store(segment + lane, sum, from < to);
        }
    }

    /* Where a lane's segment of 32 from number `segment` on ends. */
    __device__ __forceinline__ OFFSET end_of(size_t segment, const part_begin &end) const
    {
        const OFFSET *const data = (const OFFSET *)params.offsets.data;
        return segment + lane < end.segment ? data[segment + lane + 1] : 0;
    }

    /* All that end in a part: the first begins at `first`, a lane's of the first 32 ends at `to`. */
    __device__ __forceinline__ void reduce_all_ends(const In *x, const part_begin &begin,
                                                    const part_begin &end, OFFSET first, OFFSET to,
                                                    part_ends<T> &ends) const
    {
#pragma unroll 1
        for (size_t segment = begin.segment; segment < end.segment; segment += 32) {
            const OFFSET next = end_of(segment + 32, end);
            OFFSET from = warp_shuffle_up(to, 1);
            if (lane == 0)
                from = first;
            first = warp_shuffle(to, 31);
            reduce_ends(x, begin.element, end.element, segment, end.segment, from, to, ends);
            to = next;
        }
    }

    /* A part: what it leaves to others, at lane 0. */
    __device__ __forceinline__ part_ends<T> reduce_part(size_t number) const
    {
        const segment_offsets &offsets = params.offsets;
        const OFFSET *const data = (const OFFSET *)offsets.data;
        const size_t items = offsets.n + offsets.count;
        const size_t first = number * params.part < items ? number * params.part : items;
        const size_t at[2] = {first, items - first > params.part ? first + params.part : items};
        part_begin cuts[2];
        cut_part<OFFSET>(offsets, at, cuts, lane);
        const part_begin &begin = cuts[0];
        part_begin &end = cuts[1];
        if (end.segment < begin.segment || end.element < begin.element) {
            find_error<OFFSET>(offsets, end.segment < begin.segment ? end.segment : begin.segment,
                               (end.segment < begin.segment ? begin.segment : end.segment) + 1,
                               lane);
            end = begin;
        }
        /* Asked for while the elements are on their way. */
        const OFFSET first_from = data[begin.segment], first_to = end_of(begin.segment, end);
        const size_t open = data[end.segment];
        const In *const x = load(begin.element, end.element);
        part_ends<T> ends = {identity(OPERATOR()), identity(OPERATOR()), NO_SEGMENT,
                             end.segment != begin.segment};
        reduce_all_ends(x, begin, end, first_from, first_to, ends);
        const unsigned size = (unsigned)(end.element - begin.element);
        const unsigned low = open <= begin.element ? 0 : (unsigned)(open - begin.element);
        ends.tail = reduce_long(x, low < size ? low : size, size);
        __syncwarp(); /* the stage has been read */
        return ends;
    }
};

/* What comes before tile `end` in the segment that is open there, at lane 0: the sum from the
   last tile on that has a head. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T sum_of_open(OPERATOR op, const tile_chain &chain,
                                                uint32_t epoch, size_t end, unsigned lane)
{
    const unsigned ROWS = tile_rows<segment_sum<T>>::count;
    unsigned most = 32; /* at first: it is seldom far, and the last tiles may be long in coming */
    T column = identity(op);
    bool begins = false;
#pragma unroll 1
    while (end > 0 && !begins) {
        const size_t from = end > most ? end - most : 0;
        segment_sum<T> sums[ROWS];
#pragma unroll
        for (segment_sum<T> &sum : sums)
            sum = sum_of((T)identity(op), 0);
        tile_read(chain, epoch, from, end, lane, sums);
#pragma unroll
        for (unsigned row = ROWS; row-- > 0;) {
            const uint32_t lanes = __ballot_sync(0xffffffffu, sums[row].heads != 0);
            if (!begins && (lanes == 0 || lane >= 31 - (unsigned)__clz((int)lanes)))
                column = combine(op, column, value_of(sums[row]));
            begins = begins || lanes != 0;
        }
        end = from;
        most = 32 * ROWS;
    }
    return warp_reduce(op, column);
}

/* By one warp: publishes what a tile leaves to those after it, and stores what ends in it of
   segments that began before their parts. */
template <typename In, typename T, typename OPERATOR, typename OFFSET>
static __device__ __forceinline__ void join_parts(const part_steps<In, T, OPERATOR, OFFSET> &steps,
                                                  const part_ends<T> (&ends)[PARTS_OF_TILE],
                                                  size_t tile)
{
    const OPERATOR op = OPERATOR();
    const unsigned lane = steps.lane;
    const merge_path_params<In, T> &params = steps.params;
    const uint32_t epoch = steps.shared.epoch;
    part_ends<T> mine = {identity(op), identity(op), NO_SEGMENT, false};
    if (lane < PARTS_OF_TILE)
        mine = ends[lane];
    const uint32_t lanes[1] = {__ballot_sync(0xffffffffu, mine.any)};
    T sum[1] = {mine.tail};
    scan_lanes(op, sum, lanes, lane);
    if (lane == PARTS_OF_TILE - 1)
        tile_publish(params.chain, epoch, tile, sum_of(sum[0], lanes[0] != 0));
    const uint32_t before = lanes[0] & ((1u << lane) - 1);
    const bool stores = mine.segment != NO_SEGMENT;
    const uint32_t open = __ballot_sync(0xffffffffu, stores && before == 0);
    T earlier = warp_shuffle_up(sum[0], 1);
    if (lane == 0)
        earlier = identity(op);
    if (open != 0) {
        const T known =
            warp_shuffle(sum_of_open<OPERATOR, T>(op, params.chain, epoch, tile, lane), 0);
        if (before == 0)
            earlier = combine(op, known, earlier);
    }
    if (!stores)
        return;
    const OFFSET *const data = (const OFFSET *)params.offsets.data;
    T all = combine(op, earlier, mine.head);
    if (data[mine.segment + 1] - data[mine.segment] == 1)
        all = (T)params.in[data[mine.segment]]; /* to the bit */
    steps.store(mine.segment, all, true);
}

/* The last warp joins what the others have reduced of a tile while they reduce the next one. */
template <typename In, typename T, typename OPERATOR, typename OFFSET>
static __device__ __forceinline__ void run_parts(const part_steps<In, T, OPERATOR, OFFSET> &steps)
{
    unsigned turn = 0;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < steps.params.tiles; tile += gridDim.x, turn ^= 1) {
        part_ends<T>(&ends)[PARTS_OF_TILE] = steps.shared.ends[turn];
        if (steps.warp < PARTS_OF_TILE) {
            const part_ends<T> own = steps.reduce_part(tile * PARTS_OF_TILE + steps.warp);
            if (steps.lane == 0)
                ends[steps.warp] = own;
        }
        __syncthreads();
        if (steps.warp == PARTS_OF_TILE)
            join_parts(steps, ends, tile);
    }
}

template <typename In, typename T, typename OPERATOR, typename OFFSET>
static __global__ void __launch_bounds__(PARTS_THREADS, PART_BLOCKS)
    reduce_parts(const __grid_constant__ merge_path_params<In, T> params)
{
    __shared__ parts_shared<In, T> shared;
    if (threadIdx.x == 0)
        shared.epoch = tile_chain_begin(params.chain);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const size_t first = *(const OFFSET *)params.offsets.data;
        if (offset_is_wrong(params.offsets, 0, first, 0))
            leave_error(params.offsets, 0);
        if (params.offsets.number != NULL)
            *params.offsets.number = params.offsets.count;
    }
    __syncthreads();
    run_parts(
        part_steps<In, T, OPERATOR, OFFSET>{params, shared, threadIdx.x % 32, threadIdx.x / 32});
    tile_chain_end(params.chain, shared.epoch);
}

#endif
