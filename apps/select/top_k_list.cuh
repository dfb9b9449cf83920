/*
 * The candidates of a top-k on CUDA in the order of their places: one pass over tiles (tile_pipeline.cuh). Warps that reduce a
 * tile compare its elements with the limit, and keep the results as bits; those that scan it write the ranks and places
 * of what passes. So one stable sort by rank orders them. Few elements pass: a warp first looks at 512 bytes at once,
 * 16 bytes a lane, and only where one of them may pass at each element's bit.
 *
 * Lower bound: one read of the array.
 */
#ifndef PARSCAN_APPS_TOP_K_LIST_CUH
#define PARSCAN_APPS_TOP_K_LIST_CUH

#include "apps/select/top_k_params.cuh"
#include "scan/cuda/tile_pipeline.cuh"

/* REDUCERS warps compare a tile's elements, a part for each. SCANNERS warps write the few that pass, of some parts
   each. */
template <bool SPECIALISED>
struct list_shape {
    static const bool WARP_SPECIALISED = SPECIALISED;
    enum : unsigned {
        REDUCERS = SPECIALISED ? 16 : 8,
        SCANNERS = SPECIALISED ? 4 : 8,
        STAGES = SPECIALISED ? 5 : 1,
        TILE_BYTES = TOP_K_LIST_TILE_BYTES,
        THREADS = (SCANNERS + (SPECIALISED ? REDUCERS + 2 : 0)) * 32,
        SHARED_BYTES = STAGES * TILE_BYTES
    };
};

/* What passes of 32 elements, and the number of those before them in their part. */
struct list_word {
    uint32_t bits, before;
};

template <typename S, typename BITS>
struct list_shared {
    static const unsigned WORDS = S::TILE_BYTES / sizeof(BITS) / 32;
    uint64_t before[S::STAGES];
    uint32_t parts[S::STAGES][S::REDUCERS]; /* counts, then the sums of those before */
    list_word words[S::STAGES][WORDS];
};

/* The elements that the first tile has before the array. */
template <typename BITS>
static __host__ __device__ __forceinline__ unsigned list_padding(const BITS *in)
{
    return (unsigned)((uintptr_t)in % 128 / sizeof(BITS));
}

template <typename BITS>
static __host__ __device__ __forceinline__ size_t list_tiles(const BITS *in, size_t n)
{
    const size_t TILE = TOP_K_LIST_TILE_BYTES / sizeof(BITS);
    return n == 0 ? 0 : (n + list_padding(in) - 1) / TILE + 1;
}

template <typename S, typename BITS, typename CODE>
struct list_steps {
    typedef typename code_of<CODE>::PART PART;
    typedef uint64_t prefix;
    enum : unsigned {
        SCANNERS = S::SCANNERS,
        REDUCERS = S::REDUCERS,
        MOST_STAGES = S::STAGES,
        SOURCES = 1,
        STORES_IN_STAGES = 0,
        TILE = S::TILE_BYTES / sizeof(BITS),
        WORDS = TILE / 32 / REDUCERS, /* of a part */
        EACH = 16 / sizeof(BITS),     /* elements of a lane, and words of a group */
        GROUPS = WORDS / EACH,        /* of a part */
        AT_ONCE = GROUPS < 4 ? GROUPS : 4
    };
    struct alignas(16) lane_keys {
        BITS keys[EACH];
    };
    const top_params<BITS, CODE> &params;
    list_shared<S, BITS> &shared;
    unsigned char *memory;

    __device__ __forceinline__ unsigned head_padding() const
    {
        return list_padding(params.elements.in);
    }
    __device__ __forceinline__ size_t tiles() const
    {
        return list_tiles(params.elements.in, params.n);
    }
    __device__ __forceinline__ unsigned stages() const { return S::STAGES; }
    __device__ __forceinline__ unsigned loads() const { return 2; }
    __device__ __forceinline__ const tile_chain &chain() const { return params.chain; }

    __device__ __forceinline__ tile_source source(unsigned, unsigned stage, size_t tile) const
    {
        return source_in<TILE>(params.elements.in, sizeof(BITS), 0, head_padding(), params.n, tile,
                               memory + stage * S::TILE_BYTES);
    }
    __device__ __forceinline__ void prepare(unsigned, unsigned) const {}
    __device__ __forceinline__ void load_ends(unsigned stage, size_t tile, unsigned thread,
                                              unsigned threads) const
    {
        ::load_ends<BITS>(source(0, stage, tile), thread, threads);
    }

    __device__ __forceinline__ PART rank_at(unsigned stage, unsigned i) const
    {
        const BITS key = ((const BITS *)(memory + stage * S::TILE_BYTES))[i];
        return (PART)params.elements.ranks.rank(key);
    }

    /* Whether one of the elements may pass: it may have a later place, or be none of the array, or be a NaN. */
    __device__ __forceinline__ bool may_pass(const lane_keys &lane, PART limit) const
    {
        const auto &ranks = params.elements.ranks;
        auto least = ranks.number_rank(lane.keys[0]);
        BITS greatest = ranks.size(lane.keys[0]);
#pragma unroll
        for (unsigned k = 1; k < EACH; k++) {
            const auto rank = ranks.number_rank(lane.keys[k]);
            const BITS size = ranks.size(lane.keys[k]);
            least = rank < least ? rank : least;
            greatest = size > greatest ? size : greatest;
        }
        return (PART)least <= limit || ranks.exceeds(greatest);
    }

    /* Keeps what passes of a group as bits, and returns the count of it and of those before it. */
    __device__ __forceinline__ uint32_t list_group(unsigned stage, size_t tile, unsigned group,
                                                   PART limit, uint32_t count, unsigned lane) const
    {
        const PART last = (PART)params.state->place;
        const size_t first = tile * TILE - head_padding(); /* it may be before the array */
#pragma unroll 4
        for (unsigned w = group * EACH; w < (group + 1) * EACH; w++) {
            const size_t place = first + w * 32 + lane;
            const PART rank = rank_at(stage, w * 32 + lane);
            const bool passes =
                place < params.n && rank <= limit && (rank < limit || (PART)place <= last);
            const uint32_t bits = __ballot_sync(0xffffffffu, passes);
            if (lane == 0)
                shared.words[stage][w] = list_word{bits, count};
            count += (uint32_t)__popc(bits);
        }
        return count;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t tile, Event landed, unsigned part,
                                           unsigned lane) const
    {
        const PART limit = (PART)params.state->rank;
        uint32_t count = 0;
        landed.wait();
#pragma unroll 1
        for (unsigned g = part * GROUPS; g < (part + 1) * GROUPS; g += AT_ONCE) {
            lane_keys keys[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                keys[k] =
                    ((const lane_keys *)(memory + stage * S::TILE_BYTES))[(g + k) * 32 + lane];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++) {
                if (__any_sync(0xffffffffu, may_pass(keys[k], limit)))
                    count = list_group(stage, tile, g + k, limit, count, lane);
                else if (lane < EACH)
                    shared.words[stage][(g + k) * EACH + lane] = list_word{0, count};
            }
        }
        if (lane == 0)
            shared.parts[stage][part] = count;
    }

    __device__ __forceinline__ void publish(unsigned stage, size_t tile, uint32_t epoch,
                                            unsigned lane) const
    {
        const uint32_t count = lane < REDUCERS ? shared.parts[stage][lane] : 0;
        const uint32_t through = warp_scan(parscan_operator_SUM(), count, lane);
        if (lane == 31)
            tile_publish(params.chain, epoch, tile, through);
        if (lane < REDUCERS)
            shared.parts[stage][lane] = through - count;
        __syncwarp();
    }

    __device__ __forceinline__ prefix first() const
    {
        return 0;
    }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t tile,
                                            uint32_t epoch, unsigned lane) const
    {
        before += tile_look_back<parscan_operator_SUM, uint32_t>(
            parscan_operator_SUM(), params.chain, epoch, known, tile, lane);
    }

    __device__ __forceinline__ void keep(unsigned stage, prefix before) const
    {
        shared.before[stage] = before;
    }

    /* The candidates before a word in the tile. */
    __device__ __forceinline__ uint32_t before_word(unsigned stage, unsigned w) const
    {
        return shared.parts[stage][w / WORDS] + shared.words[stage][w].before;
    }

    /* first: the place of the tile's first element; before: candidates before the word. */
    __device__ __forceinline__ void write_word(unsigned stage, unsigned w, size_t first,
                                               uint64_t before, unsigned lane) const
    {
        const uint32_t bits = shared.words[stage][w].bits;
        const uint64_t at = before + (uint32_t)__popc(bits & ((1u << lane) - 1));
        if ((bits >> lane & 1) == 0 || at >= params.room)
            return;
        params.ranks[at] = rank_at(stage, w * 32 + lane);
        params.places[at] = (PART)(first + w * 32 + lane);
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t tile, Event prefixed, unsigned part,
                                         unsigned lane) const
    {
        prefixed.wait();
        const unsigned each = TILE / 32 / SCANNERS, end = (part + 1) * each;
        const uint64_t before = shared.before[stage];
        const size_t first = tile * TILE - head_padding(); /* it may be before the array */
#pragma unroll 1
        for (unsigned from = part * each; from < end; from += 32) {
            const bool has = from + lane < end && shared.words[stage][from + lane].bits != 0;
            uint32_t left = __ballot_sync(0xffffffffu, has);
            for (; left != 0; left &= left - 1) {
                const unsigned w = from + (unsigned)__ffs((int)left) - 1;
                write_word(stage, w, first, before + before_word(stage, w), lane);
            }
        }
        if (tile + 1 == tiles() && part + 1 == SCANNERS && lane == 0)
            params.state->count = before + before_word(stage, end - 1) +
                                  (uint32_t)__popc(shared.words[stage][end - 1].bits);
    }
};

template <typename S, typename BITS, typename CODE>
static __global__ void __launch_bounds__(S::THREADS, 1)
    top_k_list(const __grid_constant__ top_params<BITS, CODE> given)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ list_shared<S, BITS> shared;
    const top_params<BITS, CODE> params = at_its_length(given);
    const list_steps<S, BITS, CODE> steps = {params, shared, stages};
    run_pass<S::WARP_SPECIALISED>(steps);
}

#endif
