/*
 * The output of a segmented reduction for one tile, on CUDA. Each head stores the sum of the
 * segment that ends before it; the number of heads so far is its index in the output.
 *
 * Each lane has consecutive elements of a part, so lanes exchange only one value: what comes before
 * a lane's first head. The sums are gathered in the part's own place in the stage, and written in
 * whole lines.
 */
#ifndef PARSCAN_APPS_SEGMENT_OUTPUTS_CUH
#define PARSCAN_APPS_SEGMENT_OUTPUTS_CUH

#include "apps/segmented/consecutive.cuh"
#include "apps/segmented/segmented_tile.cuh"

/* Where the sums of a tile's segments are stored. */
template <typename S>
struct segment_outputs {
    typename S::Out *out;
    uint64_t heads;    /* the number of heads before the tile */
    uint64_t capacity; /* sums that `out` has room for */

    /* Stores the sum of the segment that ends before the tile's head number `rank`. The array's
       first element is a head too, but no segment ends before it: that number has wrapped around. */
    __device__ __forceinline__ void store(uint32_t rank, typename S::Out value) const
    {
        const uint64_t number = heads + rank - 1;
        if (number < capacity)
            out[number] = value;
    }
};

/* Where sum i of a part is put in shared memory. Lanes with equally many sums then use different
   banks. */
static __device__ __forceinline__ uint32_t place_of_sum(uint32_t i)
{
    return i ^ (i / 32 & 15);
}

/* The heads of a lane's elements of a part, a bit each. */
template <typename S>
static __device__ __forceinline__ uint32_t
heads_of_lane(const typename head_bits<S::LANE>::type *heads, unsigned part, unsigned lane)
{
    uint32_t bits = 0;
#pragma unroll
    for (unsigned v = 0; v < S::VECTORS; v++)
        bits |= (uint32_t)heads[(part * 32 + lane) * S::VECTORS + v] << v * S::LANE;
    return bits;
}

/* Stores the `all` sums of a part that lie in shared memory, a lane every 32nd. */
template <typename S>
static __device__ __forceinline__ void store_gathered(const segment_outputs<S> &outputs,
                                                      const typename S::Out *sums, uint32_t rank,
                                                      uint32_t all, unsigned lane)
{
    __syncwarp();
#pragma unroll 1
    for (uint32_t i = lane; i < all; i += 32)
        outputs.store(rank + i, sums[place_of_sum(i)]);
}

/* Stores the sums of one part of a tile, with `rank` heads of the tile before it. prefix() returns
   what comes before the part, and the number of heads before the tile; it is called when all is
   scanned that does not need it, since it may have to wait. Returns what comes after the part, at
   lane 31. */
template <typename S, typename OPERATOR, typename PREFIX>
static __device__ __forceinline__ typename S::T
store_segments(OPERATOR op, const single_pass_params<S> &params, typename S::In *tile,
               const typename head_bits<S::LANE>::type *heads, uint32_t rank, unsigned part,
               uint64_t capacity, PREFIX prefix, unsigned lane)
{
    typedef typename S::T T;
    typedef typename S::Out Out;
    const bool STAGED = sizeof(typename S::In) == sizeof(Out);
    T x[S::VECTORS * S::LANE];
    load_consecutive<S>(tile, 0, part * 32 + lane, x);
    const uint32_t bits = heads_of_lane<S>(heads, part, lane);
    const uint32_t lanes[1] = {__ballot_sync(0xffffffffu, bits != 0)};
    const uint32_t count = (uint32_t)__popc(bits);
    const uint32_t through = warp_scan(parscan_operator_SUM(), count, lane);
    const uint32_t first_at = through - count;
    segment_outputs<S> outputs = {params.out, 0, capacity};
    if (!STAGED)
        outputs.heads = prefix().heads;
    Out *const sums = (Out *)(tile + part * S::PART);
    __syncwarp(); /* the part has been read */
    /* first: the elements before the lane's first head. */
    uint32_t at = first_at;
    T first = x[0], last[1] = {x[0]};
    if (bits & 1) {
        last[0] = begun<S>(op, params, x[0]);
        at++;
    }
#pragma unroll
    for (unsigned e = 1; e < S::VECTORS * S::LANE; e++) {
        if (!(bits >> e & 1)) {
            last[0] = combine(op, last[0], x[e]);
            continue;
        }
        if (at == first_at)
            first = last[0];
        else if (STAGED)
            sums[place_of_sum(at)] = rounded<Out>(last[0]);
        else
            outputs.store(rank + at, rounded<Out>(last[0]));
        at++;
        last[0] = begun<S>(op, params, x[e]);
    }
    scan_lanes(op, last, lanes, lane);
    const T up = warp_shuffle_up(last[0], 1);
    const segment_prefix<T> known = prefix();
    outputs.heads = known.heads;
    T before = known.value;
    if (lane != 0)
        before = lanes[0] & ((1u << lane) - 1) ? up : combine(op, before, up);
    const T ended = bits & 1 ? before : combine(op, before, first);
    if (bits != 0 && STAGED)
        sums[place_of_sum(first_at)] = rounded<Out>(ended);
    else if (bits != 0)
        outputs.store(rank + first_at, rounded<Out>(ended));
    const T after = lanes[0] & ((2u << lane) - 1) ? last[0] : combine(op, known.value, last[0]);
    if (STAGED)
        store_gathered(outputs, sums, rank, warp_shuffle(through, 31), lane);
    return after;
}

#endif
