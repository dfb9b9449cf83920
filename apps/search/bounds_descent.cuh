/*
 * From the top of the tree of samples (bounds_tree.cuh) down to the bound. A lane takes several needles at once, so
 * that their loads wait together: in shared memory by halves, then node by node, then in a block of keys by halves.
 */
#ifndef PARSCAN_APPS_BOUNDS_DESCENT_CUH
#define PARSCAN_APPS_BOUNDS_DESCENT_CUH

#include <string.h>

#include "apps/search/bounds_tree.cuh"

/* The smallest power of two that is not below n. */
static __device__ __forceinline__ unsigned power_from(unsigned n)
{
    return n <= 1 ? 1 : 1u << (32 - __clz((int)(n - 1)));
}

/* Finds how many of `power` - 1 sorted ranks are below each needle. */
template <unsigned E, typename KEY>
static __device__ __forceinline__ void halve_shared(const KEY *ranks, unsigned power,
                                                    const KEY (&needles)[E], unsigned (&at)[E])
{
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        at[e] = 0;
#pragma unroll 1
    for (unsigned half = power / 2; half > 0; half /= 2)
#pragma unroll
        for (unsigned e = 0; e < E; e++)
            at[e] += ranks[at[e] + half - 1] < needles[e] ? half : 0;
}

/* The number of ranks of a node that are below a needle. */
template <typename S>
static __device__ __forceinline__ unsigned below_in_node(const typename S::key *node,
                                                         typename S::key needle)
{
    typedef typename S::vector vector;
    const unsigned LOADS = S::FANOUT * S::SIZE / sizeof(vector);
    vector raw[LOADS];
    typename S::key ranks[S::FANOUT];
    unsigned below = 0;
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++)
        raw[k] = ((const vector *)node)[k];
    memcpy(ranks, raw, sizeof ranks);
#pragma unroll
    for (unsigned k = 0; k < S::FANOUT; k++)
        below += ranks[k] < needle;
    return below;
}

/* Finds the blocks in which the bounds of needles are; the last one, where all keys are below. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
find_blocks(const bounds_view<RANKS> &view, const typename RANKS::key *top,
            const typename RANKS::key (&needles)[E], unsigned (&at)[E])
{
    typedef bounds_shape<RANKS> S;
    const unsigned levels = view.params.plan.levels, above = levels > 0 ? levels - 1 : 0;
    const unsigned length = view.length_of_level(above);
    halve_shared(top, power_from(length), needles, at);
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        at[e] = at[e] < length ? at[e] : length - 1;
#pragma unroll 1
    for (unsigned l = above; l-- > 0;) {
        const typename S::key *const level = view.level(l);
        const unsigned last = view.length_of_level(l) - 1;
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            const size_t node = (size_t)at[e] * S::FANOUT;
            const unsigned found = (unsigned)node + below_in_node<S>(level + node, needles[e]);
            at[e] = found < last ? found : last;
        }
    }
}

/* Halves the parts of blocks, from `half` on, in which the bounds are, until they have `least` keys. last: of the
   block, of which a probe goes no further. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
halve_blocks(const bounds_view<RANKS> &view, const typename RANKS::key (&needles)[E],
             const size_t (&begins)[E], const unsigned (&last)[E], unsigned half, unsigned least,
             unsigned (&at)[E])
{
#pragma unroll 1
    for (; half >= least; half /= 2)
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            const unsigned probe = at[e] + half - 1;
            const typename RANKS::key rank =
                view.rank_at(begins[e] + (probe < last[e] ? probe : last[e]));
            at[e] += rank < needles[e] ? half : 0;
        }
}

/* Whether keys can be read by sectors, all of those that the lanes want. By a whole warp. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ bool
can_read_sectors(const bounds_view<RANKS> &view, const size_t (&begins)[E], const unsigned (&at)[E])
{
    bool inside = true;
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        inside = inside && begins[e] + at[e] + bounds_shape<RANKS>::SECTOR <= view.count;
    return !__any_sync(~0u, !inside);
}

/* Counts the keys below the needles in a sector each. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void find_in_sectors(const bounds_view<RANKS> &view,
                                                       const typename RANKS::key (&needles)[E],
                                                       const size_t (&begins)[E], unsigned (&at)[E])
{
    typedef bounds_shape<RANKS> S;
    uint4 raw[E][2];
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        const typename S::key *const keys = (const typename S::key *)view.params.sorted;
        const uint4 *const sector = (const uint4 *)(keys + begins[e] + at[e]);
        raw[e][0] = view.load(sector);
        raw[e][1] = view.load(sector + 1);
    }
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        typename S::key keys[S::SECTOR];
        memcpy(keys, raw[e], sizeof keys);
#pragma unroll
        for (unsigned k = 0; k < S::SECTOR; k++)
            at[e] += RANKS::rank(view.params.order, keys[k]) < needles[e];
    }
}

/* Finds the bounds in these blocks. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
find_in_blocks(const bounds_view<RANKS> &view, const typename RANKS::key (&needles)[E],
               const unsigned (&blocks)[E], size_t (&bounds)[E])
{
    typedef bounds_shape<RANKS> S;
    const size_t size = (size_t)1 << view.block_bits;
    const bool sectors = S::SIZE >= 4 && view.params.plan.sectors && size > S::SECTOR;
    unsigned at[E], last[E];
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        bounds[e] = (size_t)blocks[e] << view.block_bits;
        const size_t left = view.count - bounds[e];
        last[e] = (unsigned)((left < size ? left : size) - 1);
        at[e] = 0;
    }
    unsigned half = (unsigned)(size / 2);
    if (sectors) {
        halve_blocks(view, needles, bounds, last, half, S::SECTOR, at);
        half = S::SECTOR / 2;
    }
    if (sectors && can_read_sectors(view, bounds, at))
        find_in_sectors(view, needles, bounds, at);
    else
        halve_blocks(view, needles, bounds, last, half, 1, at);
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        bounds[e] += at[e] < last[e] ? at[e] : last[e];
        if (bounds[e] + 1 == view.count)
            bounds[e] += view.rank_at(bounds[e]) < needles[e];
    }
}
#endif
