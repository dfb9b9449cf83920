/*
 * A segmented reduction by offsets on CUDA, in one launch. The elements and the ends of segments,
 * merged in order, are divided evenly: each warp gets a part (merge path). So neither one huge
 * segment nor many empty ones leave warps idle. A warp reduces its part in slices that fit in its
 * stage. Each offset is read once, and a few are read again in the searches for the starts of parts
 * and slices.
 *
 * A segment that starts and ends in the same part is stored by that part. For other segments the
 * pieces are combined. What a part has after its last end goes to the next part of the block, and
 * from block to block through a tile's status words (tile_prefix.cuh). A block has one tile. Only a
 * tile in which such a segment ends looks back, and only as far as the tile in which the segment
 * starts.
 *
 * Lower bound: one read of elements and offsets, one write of the results.
 *
 * Source: D. Merrill, M. Garland, Merge-based Parallel Sparse Matrix-Vector Multiplication, 2016.
 */
#ifndef PARSCAN_APPS_SEGMENT_PARTS_CUH
#define PARSCAN_APPS_SEGMENT_PARTS_CUH

#include "apps/segments/merge_path_parts.cuh"
#include "apps/segments/segment_sum.cuh"
#include "scan/cuda/pipeline.cuh"

template <typename In, typename T, typename OPERATOR, typename OFFSET, typename PARAMS>
struct part_steps {
    const PARAMS &params;
    parts_shared<In, T> &shared;
    unsigned lane, warp;

    /* Loads the elements begin to end - 1 into the stage, in pieces of 16 bytes. Returns where
       `begin` is in the stage. The pieces at the array's ends may be partial. */
    __device__ __forceinline__ const In *load(size_t begin, size_t end) const
    {
        const unsigned EACH = 16 / sizeof(In);
        const unsigned shift =
            (unsigned)((uintptr_t)(params.in + begin) % SLICE_ALIGNMENT / sizeof(In));
        const unsigned pieces = (unsigned)(end - begin + shift + EACH - 1) / EACH;
        const size_t rest = (params.offsets.n - begin + shift) / EACH;
        const unsigned missing = begin < shift ? shift - (unsigned)begin : 0;
        const unsigned whole_begin = (missing + EACH - 1) / EACH,
                       whole_end = rest < pieces ? (unsigned)rest : pieces;
        const uint4 *const from = (const uint4 *)(params.in + begin - shift);
        uint4 *const stage = (uint4 *)shared.stage[warp];
#pragma unroll
        for (unsigned k = 0; k < SLICE_BYTES / 16 / 32; k++)
            if (lane + 32 * k >= whole_begin && lane + 32 * k < whole_end)
                copy_piece(stage + lane + 32 * k, from + lane + 32 * k);
        pieces_wait();
        __syncwarp();
        if (__builtin_expect(missing != 0 || whole_end != pieces, 0))
            load_at_ends((In *)stage, params.in, params.offsets.n, begin - shift, missing,
                         whole_begin, whole_end, pieces, lane);
        return (const In *)stage + shift;
    }

    /* Loads the partial pieces of n elements: the first one, which starts before the array, and the
       last one, which ends after it. The stage starts at element `first`, which has wrapped around if
       elements are missing before the array. It has no `this`, so that parameters stay in registers. */
    static __device__ __noinline__ void load_at_ends(In *stage, const In *in, size_t n,
                                                     size_t first, unsigned missing,
                                                     unsigned whole_begin, unsigned whole_end,
                                                     unsigned pieces, unsigned lane)
    {
        const unsigned EACH = 16 / sizeof(In), last = whole_end * EACH;
        const unsigned early = missing + lane;
        if (early < whole_begin * EACH && first + early < n)
            stage[early] = in[first + early];
        if (whole_end != pieces && lane < EACH && first + last + lane < n)
            stage[last + lane] = in[first + last + lane];
        __syncwarp();
    }

    /* Reduces a piece of the stage by the whole warp. The result is in all lanes. */
    __device__ __forceinline__ T reduce_long(const In *x, size_t first, unsigned begin,
                                             unsigned end) const
    {
        const OPERATOR op = OPERATOR();
        T sum = identity(op);
#pragma unroll 4
        for (unsigned i = begin + lane; i < end; i += 32)
            sum = combine(op, sum, params.element(x, first, i));
        return warp_shuffle(warp_reduce(op, sum), 0);
    }

    __device__ __forceinline__ T reduce_short(const In *x, size_t first, unsigned begin,
                                              unsigned end) const
    {
        T sum = params.of_empty_segment();
        if (begin < end)
            sum = params.element(x, first, begin);
#pragma unroll 1
        for (unsigned i = begin + 1; i < end; i++)
            sum = combine(OPERATOR(), sum, params.element(x, first, i));
        return sum;
    }

    __device__ __forceinline__ void store(size_t segment, OFFSET from, T sum, bool any) const
    {
        params.store(OPERATOR(), params.in, segment, from, sum, any);
    }

    /* The same for a segment from `from` to `to`, of which `sum` is combined from several pieces. */
    __device__ __forceinline__ void store_joined(size_t segment, OFFSET from, OFFSET to,
                                                 T sum) const
    {
        if (to - from == 1 && from < params.offsets.n)
            sum = params.element(params.in + from, from, 0); /* the element itself, to the bit */
        store(segment, from, sum, true);
    }

    /* Reduces 32 segments, from `segment` on, but only those before `last`. They end in the slice
       with the elements x, `begin` to `end` - 1. A lane's segment starts at `from` and ends at
       `to`. */
    __device__ __forceinline__ void reduce_ends(const In *x, size_t begin, size_t end,
                                                size_t segment, size_t last, OFFSET from, OFFSET to,
                                                part_ends<T> &ends) const
    {
        const OPERATOR op = OPERATOR();
        const bool here = segment + lane < last;
        if (here && offset_is_wrong(params.offsets, segment + lane + 1, to, from))
            leave_error(params.offsets, segment + lane + 1);
        const bool opened = from < begin;
        /* Whatever wrong offsets say, these are in the slice. */
        const unsigned low = opened ? 0 : (unsigned)((from < end ? from : end) - begin);
        const unsigned high = !here || to < begin ? 0 : (unsigned)((to < end ? to : end) - begin);
        T sum = params.of_empty_segment();
        const bool is_long = high > low + LONG_PIECE;
        if (!is_long)
            sum = reduce_short(x, begin, low, high);
        for (uint32_t left = __ballot_sync(0xffffffffu, is_long); left != 0; left &= left - 1) {
            const unsigned which = (unsigned)__ffs((int)left) - 1;
            const T its =
                reduce_long(x, begin, warp_shuffle(low, which), warp_shuffle(high, which));
            if (lane == which)
                sum = its;
        }
        if (!here)
            return;
        if (opened) /* the slice's first, which started before it */
            sum = low < high ? combine(op, ends.tail, sum) : ends.tail;
        if (!opened) {
            store(segment + lane, from, sum, from < to);
        } else if (ends.opened && !ends.any) { /* and before the part */
            ends.segment = segment + lane;
            ends.head = sum;
        } else {
            store_joined(segment + lane, from, to, sum);
        }
    }

    /* Returns the end of a lane's segment, of the 32 segments from `segment` on. */
    __device__ __forceinline__ OFFSET end_of(size_t segment, const part_begin &end) const
    {
        const OFFSET *const data = (const OFFSET *)params.offsets.data;
        return segment + lane < end.segment ? data[segment + lane + 1] : 0;
    }

    /* Reduces all segments that end in a slice. The first starts at `first`; `to` is the end of a
       lane's segment, for the first 32. */
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

    /* Reduces the slice from `begin` to `end`. `from` is where the segment starts that is open
       there, and becomes that for the next slice. */
    __device__ __forceinline__ void reduce_slice(const part_begin &begin, const part_begin &end,
                                                 OFFSET &from, part_ends<T> &ends) const
    {
        const OFFSET *const data = (const OFFSET *)params.offsets.data;
        /* These loads overlap those of the elements. */
        const OFFSET first_to = end_of(begin.segment, end), open = data[end.segment];
        const In *const x = load(begin.element, end.element);
        reduce_all_ends(x, begin, end, from, first_to, ends);
        const unsigned size = (unsigned)(end.element - begin.element);
        const unsigned low = open <= begin.element ? 0 : (unsigned)(open - begin.element);
        const T tail = reduce_long(x, begin.element, low < size ? low : size, size);
        const bool any = end.segment != begin.segment;
        ends.tail = any ? tail : combine(OPERATOR(), ends.tail, tail);
        ends.any = ends.any || any;
        from = open;
        __syncwarp(); /* the stage has been read */
    }

    /* Returns the end of the slice that starts at `begin`, in a part that ends at `end`. */
    __device__ __forceinline__ part_begin cut_slice(const part_begin &begin,
                                                    const part_begin &end) const
    {
        const OFFSET *const ends = (const OFFSET *)params.offsets.data + 1;
        const size_t first = begin.element + begin.segment, last = end.element + end.segment;
        const size_t size = last - first < params.slice ? last - first : params.slice;
        const size_t at = first + size;
        /* Whatever wrong offsets say, the slice is in the part. */
        search_range range[1] = {
            {at < begin.segment + end.element ? begin.segment : at - end.element,
             begin.segment + size < end.segment ? begin.segment + size : end.segment}};
        search_all(range, lane,
                   [&](unsigned, size_t segment) { return ends[segment] + segment < at; });
        return {at - range[0].low, range[0].low};
    }

    /* Reduces a part. Returns what it leaves to other parts, at lane 0. */
    __device__ __forceinline__ part_ends<T> reduce_part(size_t number) const
    {
        const segment_offsets &offsets = params.offsets;
        const size_t items = params.items();
        const size_t first = number * params.part < items ? number * params.part : items;
        const size_t at[2] = {first, items - first > params.part ? first + params.part : items};
        part_begin cuts[2];
        cut_part<OFFSET>(offsets, at, cuts, lane);
        part_begin &begin = cuts[0];
        part_begin &end = cuts[1];
        if (end.segment < begin.segment || end.element < begin.element) {
            find_error<OFFSET>(offsets, end.segment < begin.segment ? end.segment : begin.segment,
                               (end.segment < begin.segment ? begin.segment : end.segment) + 1,
                               lane);
            end = begin;
        }
        OFFSET from = ((const OFFSET *)offsets.data)[begin.segment];
        part_ends<T> ends = {identity(OPERATOR()), identity(OPERATOR()), NO_SEGMENT,
                             from < begin.element, false};
#pragma unroll 1
        while (begin.element + begin.segment < end.element + end.segment) {
            const part_begin next = cut_slice(begin, end);
            reduce_slice(begin, next, from, ends);
            begin = next;
        }
        return ends;
    }
};

/* Returns, at lane 0, the sum before tile `end` of the segment that is open there. It includes
   all tiles from the last one that has a head. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T sum_of_open(OPERATOR op, const tile_chain &chain,
                                                uint32_t epoch, size_t end, unsigned lane)
{
    const unsigned ROWS = tile_rows<segment_sum<T>>::count;
    unsigned most = 32; /* few at first: the head is seldom far, the latest tiles may be late */
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

/* Publishes what a tile leaves to the tiles after it, and stores the segments that end in it and
   started before their parts. Called by one warp. */
template <typename In, typename T, typename OPERATOR, typename OFFSET, typename PARAMS>
static __device__ __forceinline__ void
join_parts(const part_steps<In, T, OPERATOR, OFFSET, PARAMS> &steps,
           const part_ends<T> (&ends)[PARTS_OF_TILE], size_t tile)
{
    const OPERATOR op = OPERATOR();
    const unsigned lane = steps.lane;
    const PARAMS &params = steps.params;
    const uint32_t epoch = steps.shared.epoch;
    const tile_chain chain = params.chain; /* in registers */
    part_ends<T> mine = {identity(op), identity(op), NO_SEGMENT, false, false};
    if (lane < PARTS_OF_TILE)
        mine = ends[lane];
    const uint32_t lanes[1] = {__ballot_sync(0xffffffffu, mine.any)};
    T sum[1] = {mine.tail};
    scan_lanes(op, sum, lanes, lane);
    if (lane == PARTS_OF_TILE - 1)
        tile_publish(chain, epoch, tile, sum_of(sum[0], lanes[0] != 0));
    const uint32_t before = lanes[0] & ((1u << lane) - 1);
    const bool stores = mine.segment != NO_SEGMENT;
    const uint32_t open = __ballot_sync(0xffffffffu, stores && before == 0);
    T earlier = warp_shuffle_up(sum[0], 1);
    if (lane == 0)
        earlier = identity(op);
    if (open != 0) {
        const T known = warp_shuffle(sum_of_open<OPERATOR, T>(op, chain, epoch, tile, lane), 0);
        if (before == 0)
            earlier = combine(op, known, earlier);
    }
    if (!stores)
        return;
    const OFFSET *const data = (const OFFSET *)params.offsets.data + mine.segment;
    steps.store_joined(mine.segment, data[0], data[1], combine(op, earlier, mine.head));
}

template <typename In, typename T, typename OPERATOR, typename OFFSET, typename Out,
          typename RESULTS = segment_results<In, T, Out>>
static __global__ void __launch_bounds__(PARTS_THREADS, PART_BLOCKS(sizeof(T)))
    reduce_parts(const __grid_constant__ merge_path_params<In, T, Out, RESULTS> given)
{
    typedef merge_path_params<In, T, Out, RESULTS> PARAMS;
    __shared__ parts_shared<In, T> shared;
    PARAMS params = given;
    if (given.offsets.n_at != NULL || given.offsets.count_at != NULL) {
        params.offsets = at_their_lengths(given.offsets);
        params.cut();
    }
    const part_steps<In, T, OPERATOR, OFFSET, PARAMS> steps{params, shared, threadIdx.x % 32,
                                                            threadIdx.x / 32};
    wait_for_previous_kernel();
    const unsigned long long entered = threadIdx.x == 0 ? tile_chain_enter(params.chain) : 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const size_t first = *(const OFFSET *)params.offsets.data;
        if (offset_is_wrong(params.offsets, 0, first, 0))
            leave_error(params.offsets, 0);
        if (params.offsets.number != NULL)
            *params.offsets.number = params.offsets.count;
    }
    const part_ends<T> own = steps.reduce_part((size_t)blockIdx.x * PARTS_OF_TILE + steps.warp);
    if (steps.lane == 0)
        shared.ends[steps.warp] = own;
    if (threadIdx.x == 0)
        shared.epoch = tile_chain_epoch(params.chain, entered);
    __syncthreads();
    if (steps.warp == 0)
        join_parts(steps, shared.ends, blockIdx.x);
    tile_chain_end(params.chain, shared.epoch);
}

#endif
