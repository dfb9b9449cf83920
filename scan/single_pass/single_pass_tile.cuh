/*
 * One tile of the CUDA single pass: where it lies, and how its vectors are loaded, reduced, scanned
 * and stored. Both forms of the kernel (single_pass_kernels.cuh) use these functions.
 *
 * Tiles are cut so that each tile of the output starts at a multiple of 128 bytes. So the first
 * tile may have positions before the first element of the array, and the last tile may have
 * positions after the last element: head padding and tail padding. The input's tiles then lie
 * `misalignment` bytes after such an address, both in memory and in the stage.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_TILE_CUH
#define PARSCAN_SCAN_SINGLE_PASS_TILE_CUH

#include "scan/cuda/half.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/tile_pipeline.cuh"

/* The shape of a block; tuning_cuda.cuh chooses it by the width of an element. With one stage the
   kernel is unspecialised. Elements of type In are widened to T, and results rounded to Out. */
template <typename In_, typename T_, unsigned SCANNERS_, unsigned REDUCERS_, unsigned VECTORS_,
          unsigned STAGES_, typename Out_ = T_, unsigned LANE_ = 16 / sizeof(Out_)>
struct single_pass_shape {
    typedef In_ In;
    typedef T_ T;
    typedef Out_ Out;
    static const bool WARP_SPECIALISED = STAGES_ > 1;
    enum : unsigned {
        SCANNERS = SCANNERS_,
        REDUCERS = WARP_SPECIALISED ? REDUCERS_ : SCANNERS_,
        VECTORS = VECTORS_, /* vectors that a lane of a scanning warp has of a tile */
        GROUP = VECTORS < 4 ? VECTORS : 4, /* the vectors that are in registers at once */
        STAGES = STAGES_,
        WORKERS = SCANNERS + (WARP_SPECIALISED ? REDUCERS : 0), /* warps that scan or reduce */
        /* The load and the prefix warp too. */
        THREADS = (WORKERS + (WARP_SPECIALISED ? 2 : 0)) * 32,
        LANE = LANE_, /* elements of a vector, 4 to 16 bytes of output */
        PART = 32 * VECTORS * LANE,
        TILE = SCANNERS * PART,
        STAGE_BYTES = TILE * sizeof(In) + 256, /* room for what lies around the tile, too */
        SHARED_BYTES = STAGES * STAGE_BYTES
    };
};

template <typename S>
struct single_pass_params {
    const typename S::In *in;
    typename S::Out *out;
    size_t n, tiles;
    unsigned head_padding; /* positions of the first tile, in memory, before the array */
    unsigned misalignment; /* in bytes, below 128 */
    typename S::T start;   /* init, or the identity */
    typename S::Out first; /* the first element of an exclusive scan */
    const typename S::Out *init_at = nullptr; /* init in device memory, in place of both */
    bool exclusive, keeps; /* keeps: an inclusive scan copies the input's first element */
    tile_chain chain;
    device_length length;

    __host__ __device__ void set_length(size_t elements)
    {
        n = elements;
        tiles = n == 0 ? 0 : (head_padding + n + S::TILE - 1) / S::TILE;
    }
};

/* What comes before the first element. The kernel that has made an init in device memory has ended. */
template <typename S>
static __device__ __forceinline__ typename S::T start_at(const single_pass_params<S> &params)
{
    if (params.init_at == nullptr)
        return params.start;
    wait_for_previous_kernel();
    return widened<typename S::T>(*params.init_at);
}

/* The extent of a tile: its index in memory, and which of its positions the array has. */
template <typename S, bool REVERSE>
struct tile_extent {
    size_t at;
    unsigned begin, end;
    __device__ tile_extent(const single_pass_params<S> &params, size_t tile)
        : at(REVERSE ? params.tiles - 1 - tile : tile), begin(at == 0 ? params.head_padding : 0)
    {
        const size_t rest = params.head_padding + params.n - at * S::TILE;
        end = rest < S::TILE ? (unsigned)rest : (unsigned)S::TILE;
    }
    __device__ bool partial() const { return begin != 0 || end != S::TILE; }
};

/* The position of a vector in its tile. Vectors are counted in the order of combination. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ unsigned position_of(unsigned vector)
{
    return REVERSE ? S::TILE - (vector + 1) * S::LANE : vector * S::LANE;
}

/* Loads WORDS words of shared memory from an aligned address. */
template <unsigned WORDS>
static __device__ __forceinline__ void load_words(const unsigned char *from, uint32_t *words)
{
    if constexpr (WORDS >= 4)
#pragma unroll
        for (unsigned w = 0; w < WORDS; w += 4)
            *(uint4 *)(words + w) = *(const uint4 *)(from + 4 * w);
    else if constexpr (WORDS == 2)
        *(uint2 *)words = *(const uint2 *)from;
    else
        *words = *(const uint32_t *)from;
}

/* Loads WORDS words, at most 4, from an address that lies `shift` bytes after an aligned one,
   0 < shift < 4 * WORDS: loads the aligned words there and the next ones, and shifts them. */
template <unsigned WORDS>
static __device__ __forceinline__ void load_shifted(const unsigned char *from, unsigned shift,
                                                    uint32_t *words)
{
    __align__(16) uint32_t wide[2 * WORDS];
    load_words<WORDS>(from - shift, wide);
    load_words<WORDS>(from - shift + 4 * WORDS, wide + WORDS);
#pragma unroll
    for (unsigned by = WORDS / 2; by > 0; by /= 2)
#pragma unroll
        for (unsigned w = 0; w + by < 2 * WORDS; w++)
            wide[w] = shift & 4 * by ? wide[w + by] : wide[w];
#pragma unroll
    for (unsigned w = 0; w < WORDS; w++)
        words[w] = __funnelshift_r(wide[w], wide[w + 1], 8 * (shift & 3));
}

/* Loads GROUP vectors for each lane from a tile in its stage, in the order of combination. A lane's
   vectors are 32 vectors apart. */
template <typename S, bool REVERSE, unsigned GROUP>
static __device__ __forceinline__ void load_vectors(const typename S::In *tile,
                                                    unsigned misalignment, unsigned vector,
                                                    typename S::T (&x)[GROUP][S::LANE])
{
    typedef typename S::In In;
    const unsigned BYTES = S::LANE * sizeof(In), WORDS = BYTES / 4, PIECE = WORDS < 4 ? WORDS : 4;
    __align__(16) In raw[GROUP][S::LANE];
    const unsigned shift = misalignment % (BYTES < 16 ? BYTES : 16);
    const In *const from = tile + position_of<S, REVERSE>(vector);
    const int next = REVERSE ? -32 * (int)S::LANE : 32 * (int)S::LANE;
    if constexpr (WORDS == 0) {
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++)
#pragma unroll
            for (unsigned e = 0; e < S::LANE; e++)
                raw[g][e] = from[(int)g * next + (int)e];
    } else if (__builtin_expect(shift == 0, 1)) {
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++)
            load_words<WORDS>((const unsigned char *)(from + (int)g * next), (uint32_t *)raw[g]);
    } else {
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++)
#pragma unroll
            for (unsigned w = 0; w < WORDS; w += PIECE)
                load_shifted<PIECE>((const unsigned char *)(from + (int)g * next) + 4 * w, shift,
                                    (uint32_t *)raw[g] + w);
    }
#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        if constexpr (is_stored<In>::value) {
            typename S::T wide[S::LANE];
            widen_all(raw[g], wide);
#pragma unroll
            for (unsigned e = 0; e < S::LANE; e++)
                x[g][e] = wide[REVERSE ? S::LANE - 1 - e : e];
        } else {
#pragma unroll
            for (unsigned e = 0; e < S::LANE; e++)
                x[g][e] = (typename S::T)raw[g][REVERSE ? S::LANE - 1 - e : e];
        }
    }
}

template <typename S, bool REVERSE>
static __device__ __forceinline__ tile_source source_of(const single_pass_params<S> &params,
                                                        const tile_extent<S, REVERSE> &extent,
                                                        unsigned char *to)
{
    return source_in<S::TILE>(params.in, sizeof(typename S::In), params.misalignment,
                              params.head_padding, params.n, extent.at, to);
}

/* Loads the bytes begin to end - 1 of a stage, element by element. Positions that the array does
   not have get the identity. */
template <typename In>
static __device__ __forceinline__ void load_edge(In neutral, const tile_source &source,
                                                 unsigned begin, unsigned end, unsigned thread,
                                                 unsigned threads)
{
#pragma unroll 1
    for (unsigned byte = begin + thread * sizeof(In); byte < end; byte += threads * sizeof(In)) {
        const bool there = byte >= source.bytes.begin && byte < source.bytes.end;
        *(In *)(source.to + byte) = there ? *(const In *)(source.from + byte) : neutral;
    }
}

/* Fills the bytes begin to end - 1 of a stage with identities, in 16-byte pieces. */
template <typename In>
static __device__ __forceinline__ void fill_edge(In neutral, unsigned char *to, unsigned begin,
                                                 unsigned end, unsigned thread, unsigned threads)
{
    __align__(16) In piece[16 / sizeof(In)];
#pragma unroll
    for (In &element : piece)
        element = neutral;
#pragma unroll 1
    for (unsigned byte = begin + thread * 16; byte < end; byte += threads * 16)
        *(uint4 *)(to + byte) = *(const uint4 *)piece;
}

/* The identity of T as an element of type In, which it is exactly. */
template <typename In, typename T, typename OPERATOR>
static __device__ __forceinline__ In neutral_of(OPERATOR op)
{
    if constexpr (is_stored<In>::value)
        return rounded<In>((T)identity(op));
    else
        return (In)identity(op);
}

/* Loads what a tile has beside its whole pieces, with `threads` threads. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void load_edges(OPERATOR op, const tile_source &source,
                                                  unsigned misalignment, unsigned thread,
                                                  unsigned threads)
{
    typedef typename S::In In;
    const In neutral = neutral_of<In, typename S::T>(op);
    const tile_bytes &bytes = source.bytes;
    const unsigned end = misalignment + S::TILE * sizeof(In);
    const unsigned head = bytes.begin / 16 * 16, tail = (bytes.end + 15) / 16 * 16;
    fill_edge(neutral, source.to, misalignment / 16 * 16, head, thread, threads);
    load_edge(neutral, source, head, bytes.whole_begin, thread, threads);
    load_edge(neutral, source, bytes.whole_end, tail, thread, threads);
    fill_edge(neutral, source.to, tail, end, thread, threads);
}

/* Reduces the vectors of a warp. Only lane 0's result counts. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
reduce_loaded(OPERATOR op, const typename S::T (&x)[S::VECTORS][S::LANE])
{
    typedef typename S::T T;
    T sum = identity(op);
#pragma unroll
    for (unsigned v = 0; v < S::VECTORS; v++) {
        T local = x[v][0];
#pragma unroll
        for (unsigned e = 1; e < S::LANE; e++)
            local = combine(op, local, x[v][e]);
        sum = combine(op, sum, OPERATOR::commutes ? local : warp_reduce(op, local));
    }
    return OPERATOR::commutes ? warp_reduce(op, sum) : sum;
}

/* Reduces one scanning warp's part of a tile. Only lane 0's result counts. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ typename S::T reduce_part(OPERATOR op, const typename S::In *tile,
                                                            unsigned misalignment, unsigned part,
                                                            unsigned lane)
{
    typename S::T x[S::VECTORS][S::LANE];
    load_vectors<S, REVERSE>(tile, misalignment, part * S::VECTORS * 32 + lane, x);
    return reduce_loaded<S>(op, x);
}

/* Rounds and stores those elements of a vector that the array has. Y: T, or Out. */
template <typename S, bool REVERSE, typename Y>
static __device__ __forceinline__ void store_edge(const tile_extent<S, REVERSE> &extent,
                                                  typename S::Out *out, unsigned first,
                                                  const Y (&y)[S::LANE])
{
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++)
        if (first + e >= extent.begin && first + e < extent.end)
            out[first + e] = rounded<typename S::Out>(y[e]);
}

/* Rounds and stores a group of vectors of each lane, from `vector` on. y is aligned to 16 bytes. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ void
store_vectors(const tile_extent<S, REVERSE> &extent, typename S::Out *out, unsigned vector,
              const typename S::T (&y)[S::GROUP][S::LANE], unsigned lane)
{
    const bool partial = __builtin_expect(extent.partial(), 0);
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        const unsigned first = position_of<S, REVERSE>(vector + g * 32 + lane);
        if (__builtin_expect(!partial || (first >= extent.begin && first + S::LANE <= extent.end),
                             1))
            store_vector(out + first, y[g]);
        else
            store_edge<S, REVERSE>(extent, out, first, y[g]);
    }
}

/* Scans a group of vectors of each lane and stores them: store(y), in the order of memory. prefix(sums),
   of the sum of each vector of the warp, returns what comes before the group; it is called when all is
   scanned that does not need it, since it may have to wait. Returns the prefix of the next group. */
template <typename S, bool REVERSE, typename OPERATOR, typename PREFIX, typename STORE>
static __device__ __forceinline__ typename S::T
scan_loaded(OPERATOR op, bool exclusive, typename S::T (&x)[S::GROUP][S::LANE], PREFIX prefix,
            STORE store, unsigned lane)
{
    typedef typename S::T T;
    T through[S::GROUP], earlier[S::GROUP];
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
#pragma unroll
        for (unsigned e = 1; e < S::LANE; e++)
            x[g][e] = combine(op, x[g][e - 1], x[g][e]);
        through[g] = x[g][S::LANE - 1];
    }
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            const T up = warp_shuffle_up(through[g], delta);
            if (lane >= delta)
                through[g] = combine(op, up, through[g]);
        }
    }
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        earlier[g] = warp_shuffle_up(through[g], 1);
        through[g] = warp_shuffle(through[g], 31);
    }
    T before = prefix(through);
    __align__(16) T y[S::GROUP][S::LANE];
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        const T mine = lane == 0 ? before : combine(op, before, earlier[g]);
        before = combine(op, before, through[g]);
        T previous = identity(op);
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            y[g][REVERSE ? S::LANE - 1 - e : e] = combine(op, mine, exclusive ? previous : x[g][e]);
            previous = x[g][e];
        }
    }
    store(y);
    return before;
}

/* The position, in the first tile, of the first element in the order of combination. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ unsigned first_position(const tile_extent<S, REVERSE> &extent)
{
    return REVERSE ? extent.end - 1 : extent.begin;
}

/* The first element, `in` in the input, has exactly the bits that the caller gave. Combining a float
   with the identity may change the bits of a NaN or the sign of a zero. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ void
store_first(const single_pass_params<S> &params, const tile_extent<S, REVERSE> &extent,
            typename S::In in, typename S::Out *out, unsigned part, unsigned lane)
{
    const unsigned first = first_position(extent);
    const unsigned order = REVERSE ? S::TILE - 1 - first : first;
    if (order / S::PART != part || !(params.exclusive || params.keeps))
        return;
    __syncwarp();
    if (lane == 0)
        out[first] = !params.exclusive           ? copied<typename S::Out, typename S::T>(in)
                     : params.init_at == nullptr ? params.first
                                                 : *params.init_at;
}

/* Scans one warp's part of a tile. prefix() waits for its prefix, and returns that. */
template <typename S, bool REVERSE, typename OPERATOR, typename PREFIX>
static __device__ __forceinline__ void scan_part(OPERATOR op, const single_pass_params<S> &params,
                                                 const tile_extent<S, REVERSE> &extent,
                                                 const typename S::In *tile, size_t tile_number,
                                                 PREFIX prefix, unsigned part, unsigned lane)
{
    typedef typename S::T T;
    typename S::Out *const out = params.out + extent.at * S::TILE - params.head_padding;
    T before = identity(op);
#pragma unroll 1
    for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
        const unsigned vector = (part * S::VECTORS + v) * 32;
        T x[S::GROUP][S::LANE];
        load_vectors<S, REVERSE>(tile, params.misalignment, vector + lane, x);
        before = scan_loaded<S, REVERSE>(
            op, params.exclusive, x, [&](const auto &) { return v == 0 ? prefix() : before; },
            [&](const T(&y)[S::GROUP][S::LANE]) {
                store_vectors<S, REVERSE>(extent, out, vector, y, lane);
            },
            lane);
    }
    if (tile_number == 0)
        store_first(params, extent, tile[first_position(extent)], out, part, lane);
}

/* The sum of all parts before `part`. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
sum_before_part(OPERATOR op, const typename S::T (&sums)[S::SCANNERS], unsigned part)
{
    typename S::T local = identity(op);
#pragma unroll
    for (unsigned p = 0; p + 1 < S::SCANNERS; p++) {
        const typename S::T sum = sums[p];
        if (p < part)
            local = combine(op, local, sum);
    }
    return local;
}

/* The sum of all parts. By all lanes of a warp; only lane 0's result counts. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
sum_of_parts(OPERATOR op, const typename S::T (&sums)[S::SCANNERS], unsigned lane)
{
    typename S::T sum = identity(op);
    if (lane < S::SCANNERS)
        sum = sums[lane];
    return warp_reduce(op, sum);
}

#endif
