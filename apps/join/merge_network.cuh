/*
 * Merges of many keys without values on CUDA. Each block has a span of the output, as in merge_spans.cuh, and
 * takes tile after tile of it:
 *
 *     stage    both parts of the next tile are copied to shared memory while the block merges this one;
 *              one more warp searches for the end of the tile after it
 *     cut      each warp finds its part of the tile by the merge path
 *     merge    a's elements and b's in reverse are a bitonic sequence, which a network of comparisons
 *              sorts in registers: a lane has every 32nd element, then, through shared memory,
 *              elements that follow each other
 *     store    through shared memory, by vectors
 *
 * A network does not keep the order of equal keys. Those have the same bits, except NaNs, which come last: they
 * are written again, from both parts. No step depends on a read of the step before, as in a merge one element after
 * another.
 *
 * Source: K. E. Batcher, Sorting Networks and Their Applications, 1968.
 */
#ifndef PARSCAN_APPS_JOIN_MERGE_NETWORK_CUH
#define PARSCAN_APPS_JOIN_MERGE_NETWORK_CUH

#include <string.h>

#include <type_traits>

#include "apps/join/merge_cuda.h"
#include "apps/join/pair_lengths.cuh"
#include "apps/merge/stage_parts.cuh"
#include "scan/cuda/launch.cuh"

typedef pair_at_lengths<merge_params> merge_at_lengths;

template <typename KEY>
struct network_shape {
    typedef typename KEY::Bits Bits;
    typedef typename std::conditional<sizeof(Bits) == 8, uint64_t, uint32_t>::type Code;
    static const unsigned WARPS = 8, THREADS = 32 * WARPS; /* that merge; one more searches */
    static const unsigned ALL_THREADS = THREADS + 32, BLOCKS = 2;
    static const unsigned EACH = sizeof(Code) == 8 ? 16 : 32; /* elements of a lane */
    static const unsigned PART = 32 * EACH, TILE = WARPS * PART;
    static const unsigned VECTOR = 16 / sizeof(Code);
    /* The room of a warp has 16 bytes beside each 128. */
    static const unsigned ROOM = PART * sizeof(Code) / 128 * 144;
    static const unsigned STAGE = TILE * sizeof(Bits) + 4 * STAGED_PIECE;
    static const size_t SHARED_BYTES = WARPS * ROOM + 2 * STAGE;
    static_assert(SHARED_BYTES <= MERGE_NETWORK_BYTES, "");
};

/* A tile of a block's span. */
template <typename KEY>
struct network_tile {
    size_t at, i, j; /* where it begins in the output, in a and in b */
    unsigned count, of_a;
};

/* The span of this block; it ends where a line of the output does. */
struct network_span {
    size_t at, end;
};

template <typename KEY>
static __device__ __forceinline__ network_span network_span_of_block(size_t n,
                                                                     const typename KEY::Bits *out)
{
    const unsigned LINE = 128 / sizeof(typename KEY::Bits);
    const unsigned shift = (unsigned)((uintptr_t)out / sizeof(typename KEY::Bits) % LINE);
    const size_t even = (n + shift + gridDim.x - 1) / gridDim.x;
    const size_t span = (even + LINE - 1) / LINE * LINE, first = blockIdx.x * span;
    const size_t at = first < shift ? 0 : first - shift, end = first + span - shift;
    return {at < n ? at : n, end < n ? end : n};
}

/* Tiles end where lines of the output do. */
template <typename KEY>
static __device__ __forceinline__ unsigned count_of_tile(const network_span &span, size_t at,
                                                         const typename KEY::Bits *out)
{
    const unsigned LINE = 128 / sizeof(typename KEY::Bits);
    const unsigned most = network_shape<KEY>::TILE -
                          (unsigned)((uintptr_t)(out + at) / sizeof(typename KEY::Bits) % LINE);
    return span.end - at < most ? (unsigned)(span.end - at) : most;
}

/* How many of the next `count` elements from a[i] and b[j] on are a's. By all lanes of a warp. */
template <typename KEY>
static __device__ __forceinline__ unsigned cross_of_tile(const merge_keys<KEY> &keys, size_t i,
                                                         size_t j, unsigned count, unsigned lane)
{
    const size_t of_a = keys.n - i, of_b = keys.n2 - j;
    const typename KEY::Bits *const a = keys.a + i, *const b = keys.b + j;
    return first_not_of_many<4>(count > of_b ? count - (unsigned)of_b : 0,
                                count < of_a ? count : (unsigned)of_a, lane, [&](unsigned k) {
                                    return keys.rank(keys.code(a[k])) <=
                                           keys.rank(keys.code(b[count - 1 - k]));
                                });
}

/* A tile in shared memory, or a warp's part of it. */
template <typename KEY>
struct staged_tile {
    const typename KEY::Bits *a, *b;
    unsigned of_a, of_b;
};

template <typename KEY>
static __device__ __forceinline__ void stage_tile(const merge_keys<KEY> &keys,
                                                  const network_tile<KEY> &tile, unsigned char *to)
{
    const unsigned THREADS = network_shape<KEY>::THREADS;
    const unsigned bytes = stage_part(to, keys.a, keys.n, keys.a + tile.i, tile.of_a, THREADS);
    stage_part(to + bytes, keys.b, keys.n2, keys.b + tile.j, tile.count - tile.of_a, THREADS);
}

template <typename KEY>
static __device__ __forceinline__ staged_tile<KEY>
tile_in(const unsigned char *stage, const merge_keys<KEY> &keys, const network_tile<KEY> &tile)
{
    typedef typename KEY::Bits Bits;
    const unsigned PIECE = STAGED_PIECE / sizeof(Bits), skew = staged_skew(keys.a + tile.i);
    const unsigned before = tile.of_a > 0 ? (skew + tile.of_a + PIECE - 1) / PIECE * PIECE : 0;
    const Bits *const first = (const Bits *)stage;
    return {first + skew, first + before + staged_skew(keys.b + tile.j), tile.of_a,
            tile.count - tile.of_a};
}

/* ---- the part of a warp ---- */

/* Finds the part of a warp, which begins at a diagonal. crosses: of all warps. Whatever the keys are, the part is within
   the tile. */
template <typename KEY>
static __device__ __forceinline__ staged_tile<KEY>
part_of_warp(const merge_keys<KEY> &keys, const staged_tile<KEY> &tile, unsigned *crosses,
             unsigned warp, unsigned lane)
{
    typedef network_shape<KEY> S;
    const unsigned all = tile.of_a + tile.of_b;
    const unsigned at = warp * S::PART < all ? warp * S::PART : all;
    const unsigned count = all - at < S::PART ? all - at : S::PART;
    const unsigned i = first_not_of_many<1>(at > tile.of_b ? at - tile.of_b : 0,
                                            at < tile.of_a ? at : tile.of_a, lane, [&](unsigned k) {
                                                return keys.rank(keys.code(tile.a[k])) <=
                                                       keys.rank(keys.code(tile.b[at - 1 - k]));
                                            });
    if (lane == 0)
        crosses[warp] = i;
    warps_sync<S::WARPS>(1);
    const unsigned end = warp + 1 < S::WARPS ? crosses[warp + 1] : tile.of_a;
    const unsigned left_a = tile.of_a - i, left_b = tile.of_b - (at - i);
    const unsigned least = count > left_b ? count - left_b : 0;
    const unsigned most = count < left_a ? count : left_a, found = end > i ? end - i : 0;
    const unsigned of_a = found < least ? least : found < most ? found : most;
    return {tile.a + i, tile.b + (at - i), of_a, count - of_a};
}

/* Loads a's elements and b's in reverse, as codes; between them, if there are too few, the greatest code. */
template <typename KEY>
static __device__ __forceinline__ void
load_bitonic(const merge_keys<KEY> &keys, const staged_tile<KEY> &part,
             typename network_shape<KEY>::Code (&codes)[network_shape<KEY>::EACH], unsigned lane)
{
    typedef network_shape<KEY> S;
    typedef typename KEY::Bits Bits;
    const Bits *const a = part.a + lane, *const b = part.b + (S::PART - 1 - lane);
    if (part.of_a + part.of_b == S::PART) {
#pragma unroll
        for (unsigned k = 0; k < S::EACH; k++) {
            const bool of_a = k * 32 + lane < part.of_a;
            Bits key = 0;
            if (of_a)
                key = a[k * 32];
            if (!of_a)
                key = *(b - k * 32);
            codes[k] = keys.code(key);
        }
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < S::EACH; k++) {
        const unsigned at = k * 32 + lane;
        codes[k] = (typename S::Code) ~(typename S::Code)0;
        if (at < part.of_a)
            codes[k] = keys.code(a[k * 32]);
        if (at >= S::PART - part.of_b)
            codes[k] = keys.code(*(b - k * 32));
    }
}

/* ---- the network ---- */

static __device__ __forceinline__ constexpr unsigned in_room(unsigned byte)
{
    return byte + byte / 128 * 16;
}

/* Compares codes that are FROM, FROM / 2 ... 1 apart in registers. */
template <unsigned FROM, unsigned EACH, typename CODE>
static __device__ __forceinline__ void order_registers(CODE (&codes)[EACH])
{
#pragma unroll
    for (unsigned apart = FROM; apart > 0; apart /= 2)
#pragma unroll
        for (unsigned k = 0; k < EACH; k++) {
            if ((k & apart) != 0)
                continue;
            const CODE one = codes[k], other = codes[k + apart];
            codes[k] = one < other ? one : other;
            codes[k + apart] = one < other ? other : one;
        }
}

/* Compares codes of lanes. */
template <unsigned EACH, typename CODE>
static __device__ __forceinline__ void order_lanes(CODE (&codes)[EACH], unsigned apart,
                                                   unsigned lane)
{
    typedef typename std::conditional<sizeof(CODE) == 8, unsigned long long, unsigned>::type word;
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        const CODE one = codes[k], other = (CODE)__shfl_xor_sync(~0u, (word)one, (int)apart);
        const CODE low = other < one ? other : one, high = other < one ? one : other;
        codes[k] = (lane & apart) != 0 ? high : low;
    }
}

template <typename CODE, typename WORDS>
static __device__ __forceinline__ void put_vector(unsigned char *to, const WORDS &from)
{
    uint4 vector;
    memcpy(&vector, from, sizeof vector);
    *(uint4 *)to = vector;
}

template <typename CODE>
static __device__ __forceinline__ void get_vector(const unsigned char *from, CODE *to)
{
    const uint4 vector = *(const uint4 *)from;
    memcpy(to, &vector, sizeof vector);
}

/* Sorts a bitonic sequence, of which the lane has every 32nd code, and leaves it in the room. By a whole warp. */
template <typename KEY>
static __device__ __forceinline__ void
order_bitonic(typename network_shape<KEY>::Code (&codes)[network_shape<KEY>::EACH],
              unsigned char *room, unsigned lane)
{
    typedef network_shape<KEY> S;
    typedef typename S::Code Code;
    const unsigned SIZE = sizeof(Code), EACH = S::EACH;
    unsigned char *const every_32nd = room + in_room(lane * SIZE);
    unsigned char *const own = room + in_room(lane * EACH * SIZE);
    order_registers<EACH / 2>(codes);
    __syncwarp(); /* what the room had is stored */
#pragma unroll
    for (unsigned k = 0; k < EACH; k++)
        *(Code *)(every_32nd + in_room(k * 32 * SIZE)) = codes[k];
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < EACH; k += S::VECTOR)
        get_vector(own + in_room(k * SIZE), &codes[k]);
#pragma unroll
    for (unsigned apart = 16 / EACH; apart > 0; apart /= 2)
        order_lanes(codes, apart, lane);
    order_registers<(EACH < 32 ? EACH / 2 : 16)>(codes);
#pragma unroll
    for (unsigned k = 0; k < EACH; k += S::VECTOR)
        put_vector<Code>(own + in_room(k * SIZE), &codes[k]);
    __syncwarp();
}

/* ---- the output ---- */

/* Writes the codes that are in a room. */
template <typename KEY>
static __device__ __forceinline__ void write_codes(const merge_keys<KEY> &keys,
                                                   const unsigned char *room, unsigned count,
                                                   typename KEY::Bits *out, unsigned lane)
{
    typedef network_shape<KEY> S;
    typedef typename KEY::Bits Bits;
    struct alignas(S::VECTOR * sizeof(Bits)) vector {
        Bits of[S::VECTOR];
    };
    if (count < S::PART || (uintptr_t)out % sizeof(vector) != 0) {
#pragma unroll 4
        for (unsigned k = lane; k < count; k += 32)
            out[k] = keys.key(
                (Bits) * (const typename S::Code *)(room + in_room(k * sizeof(typename S::Code))));
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < S::EACH / S::VECTOR; k++) {
        typename S::Code codes[S::VECTOR];
        get_vector(room + in_room(lane * 16) + in_room(k * 512), codes);
        vector made;
#pragma unroll
        for (unsigned e = 0; e < S::VECTOR; e++)
            made.of[e] = keys.key((Bits)codes[e]);
        ((vector *)out)[k * 32 + lane] = made;
    }
}

/* How many of the last of count keys are NaNs. */
template <typename KEY>
static __device__ __forceinline__ unsigned nans_of(const merge_keys<KEY> &keys,
                                                   const typename KEY::Bits *part, unsigned count)
{
    if (count == 0 || !KEY::is_nan(keys.code(part[count - 1])))
        return 0;
    return count -
           first_not(0, count, [&](unsigned k) { return !KEY::is_nan(keys.code(part[k])); });
}

/* Writes the NaNs, a's before b's, each array's in its order. */
template <typename KEY>
static __device__ __forceinline__ void write_nans(const merge_keys<KEY> &keys,
                                                  const staged_tile<KEY> &part,
                                                  typename KEY::Bits *out, unsigned lane)
{
    const unsigned of_a = nans_of(keys, part.a, part.of_a), of_b = nans_of(keys, part.b, part.of_b);
    if (of_a + of_b == 0)
        return;
    __syncwarp(); /* after the stores of these places */
    typename KEY::Bits *const to = out + (part.of_a + part.of_b - of_a - of_b);
    for (unsigned k = lane; k < of_a + of_b; k += 32)
        to[k] = k < of_a ? part.a[part.of_a - of_a + k] : part.b[part.of_b - of_b + (k - of_a)];
}

template <typename KEY>
static __device__ __forceinline__ void
merge_staged(const merge_keys<KEY> &keys, const staged_tile<KEY> &tile, typename KEY::Bits *out,
             unsigned *crosses, unsigned char *room, unsigned lane)
{
    typedef network_shape<KEY> S;
    const unsigned warp = threadIdx.x / 32;
    const staged_tile<KEY> part = part_of_warp(keys, tile, crosses, warp, lane);
    const unsigned count = part.of_a + part.of_b;
    if (count == 0)
        return;
    typename S::Code codes[S::EACH];
    load_bitonic(keys, part, codes, lane);
    order_bitonic<KEY>(codes, room, lane);
    write_codes(keys, room, count, out + warp * S::PART, lane);
    if constexpr (KEY::IS_FLOAT)
        write_nans(keys, part, out + warp * S::PART, lane);
}

/* What warps find: where the span begins in a; how many elements of tile t are a's, in of_a[t % 4]; how many of a's
   the parts before each warp's have. */
struct network_found {
    size_t first;
    unsigned of_a[4], crosses[8];
};

template <typename KEY>
static __global__ void __launch_bounds__(network_shape<KEY>::ALL_THREADS,
                                         BLOCKS_HELD(network_shape<KEY>::ALL_THREADS,
                                                     network_shape<KEY>::BLOCKS))
    merge_network(const __grid_constant__ merge_at_lengths params)
{
    typedef network_shape<KEY> S;
    typedef typename KEY::Bits Bits;
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ network_found found;
    const unsigned lane = threadIdx.x % 32;
    const bool searches = threadIdx.x >= S::THREADS;
    unsigned char *const stages = shared + S::WARPS * S::ROOM;
    unsigned char *const room = shared + threadIdx.x / 32 % S::WARPS * S::ROOM;
    wait_for_previous_kernel();
    const merge_keys<KEY> keys = params.template keys_there<KEY>();
    Bits *const out = (Bits *)params.keys.out;
    const network_span span = network_span_of_block<KEY>(keys.n + keys.n2, out);
    if (span.at == span.end)
        return;
    network_tile<KEY> next = {span.at, 0, 0, count_of_tile<KEY>(span, span.at, out), 0};
    if (searches) {
        const size_t i = cross_by_warp(keys, 0, 0, span.at, lane);
        const unsigned of_a = cross_of_tile(keys, i, span.at - i, next.count, lane);
        if (lane == 0)
            found.first = i, found.of_a[0] = of_a;
    }
    __syncthreads();
    next.i = found.first;
    next.j = span.at - next.i;
    next.of_a = found.of_a[0];
    if (!searches)
        stage_tile(keys, next, stages);
#pragma unroll 1
    for (unsigned t = 0; next.count > 0; t++) {
        const network_tile<KEY> tile = next;
        next.at += tile.count;
        next.i += tile.of_a;
        next.j += tile.count - tile.of_a;
        next.count = count_of_tile<KEY>(span, next.at, out);
        if (searches && t == 0 && next.count > 0) { /* later ones are found a tile ahead */
            const unsigned of_a = cross_of_tile(keys, next.i, next.j, next.count, lane);
            if (lane == 0)
                found.of_a[1] = of_a;
        }
        pieces_wait();
        __syncthreads(); /* the tile is there, the one before it is done */
        next.of_a = found.of_a[(t + 1) % 4];
        if (!searches) {
            if (next.count > 0)
                stage_tile(keys, next, stages + (t + 1) % 2 * S::STAGE);
            merge_staged(keys, tile_in(stages + t % 2 * S::STAGE, keys, tile), out + tile.at,
                         found.crosses, room, lane);
        } else if (next.count > 0) {
            const size_t at = next.at + next.count;
            const unsigned count = at < span.end ? count_of_tile<KEY>(span, at, out) : 0;
            const unsigned of_a = cross_of_tile(keys, next.i + next.of_a,
                                                next.j + (next.count - next.of_a), count, lane);
            if (lane == 0)
                found.of_a[(t + 2) % 4] = of_a;
        }
    }
}

#endif
