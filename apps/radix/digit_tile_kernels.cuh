/*
 * How a block of a radix sort's pass loads a tile of keys, and writes it out once it is in order.
 * Between them it ranks the keys (digit_rank_kernels.cuh).
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_TILE_KERNELS_CUH
#define PARSCAN_APPS_RADIX_DIGIT_TILE_KERNELS_CUH

#include "apps/radix/digit_pass_shape.cuh"
#include "scan/cuda/pipeline.cuh"

enum { GROUP_COUNTED = 1, GROUP_PLACED, GROUP_KNOWN, GROUP_CHAIN, GROUP_REPAIRED };

/* Called by one thread, before a __syncthreads(). */
template <typename S>
static __device__ __forceinline__ void init_groups()
{
    group_init(GROUP_COUNTED, S::THREADS);
    group_init(GROUP_PLACED, S::THREADS);
    group_init(GROUP_KNOWN, S::THREADS);
    group_init(GROUP_CHAIN, S::PAIRS);
    group_init(GROUP_REPAIRED, S::RANKING);
}

/* A barrier counts whole warps, so the lanes of a warp that a loop or a branch has separated are
   brought together first. */
static __device__ __forceinline__ void warps_sync(unsigned id, unsigned threads)
{
    __syncwarp();
    group_sync(id, threads);
}

/* Arrives at the barrier without waiting: for a warp that has produced something for others and
   goes on. */
static __device__ __forceinline__ void warps_arrive(unsigned id, unsigned threads)
{
    __syncwarp();
    group_arrive(id, threads);
}

/* What a ranking warp works on. */
template <typename S>
struct ranker {
    typedef typename S::Bits Bits;
    typedef typename S::AnyValue Value;
    const digit_pass_params<S> &params;
    digit_pass_shared<S> &shared;

    __device__ uint32_t tiles() const { return shared.tiles; }
    __device__ unsigned lane() const { return threadIdx.x % 32; }
    __device__ uint32_t *row() const { return shared.rows[threadIdx.x / 32]; }
    __device__ uint32_t *masks() const
    {
        return shared.masks[S::MASKED > 0 ? threadIdx.x / 32 : 0];
    }
    __device__ const tile_span &span(size_t tile) const
    {
        return shared.spans[S::PIECED ? (uint32_t)tile / gridDim.x % SPANS : 0];
    }
    __device__ bool is_whole(size_t tile) const
    {
        return S::PIECED ? span(tile).count == S::TILE : tile < shared.whole;
    }
    /* The place in the tile of the lane's first element; its others follow at distances of 32. */
    __device__ unsigned place() const { return threadIdx.x / 32 * 32 * S::ITEMS + lane(); }
    /* The index of that element among the keys, and among the values. */
    __device__ size_t first(size_t tile) const
    {
        return (S::PIECED ? span(tile).keys_at : tile * S::TILE) + place();
    }
    __device__ size_t first_value(size_t tile) const
    {
        return S::PIECED ? span(tile).values_at + place() : first(tile);
    }
    /* The number of elements in the tile. */
    __device__ unsigned count(size_t tile) const
    {
        return S::PIECED             ? span(tile).count
               : tile < shared.whole ? S::TILE
                                     : (unsigned)(shared.n - tile * S::TILE);
    }
    /* Whether the lane's element i exists in a tile of so many. */
    __device__ bool holds(unsigned count, unsigned i) const { return place() + i * 32 < count; }
};

/* The piece that holds a tile. `piece` is that one or an earlier one. */
static __device__ __forceinline__ const sort_piece *piece_of(const sort_piece *piece, size_t tile)
{
    while (tile >= piece[1].first_tile)
        piece++;
    return piece;
}

template <typename S>
static __device__ __forceinline__ void set_span(const sort_piece *piece, size_t tile,
                                                digit_pass_shared<S> &shared)
{
    const uint64_t before = (tile - piece->first_tile) * S::TILE;
    const uint64_t left = piece->n - before;
    shared.spans[(uint32_t)tile / gridDim.x % SPANS] = {piece->keys_at + before,
                                                        piece->values_at + before,
                                                        left < S::TILE ? (uint32_t)left : S::TILE};
}

static __device__ __forceinline__ void clear_row(uint32_t *row, unsigned lane)
{
#pragma unroll
    for (unsigned d = 0; d < SORT_DIGITS; d += 128)
        *(uint4 *)(row + d + 4 * lane) = make_uint4(0, 0, 0, 0);
}

template <typename S, typename RAW>
static __device__ __forceinline__ void load_keys_as(const ranker<S> &at, const RAW *keys_in,
                                                    size_t tile, typename S::Bits (&keys)[S::ITEMS])
{
    const size_t first = at.first(tile);
    const RAW *const source = keys_in + first;
    if (at.is_whole(tile)) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            keys[i] = __ldcs(source + i * 32);
    } else {
        const unsigned count = at.count(tile);
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            keys[i] = at.holds(count, i) ? __ldcs(source + i * 32) : at.params.beyond;
    }
}

/* Loads the tile's keys. Bins have a width of their own in the input. */
template <typename S>
static __device__ __forceinline__ void load_keys(const ranker<S> &at, size_t tile,
                                                 typename S::Bits (&keys)[S::ITEMS])
{
    typedef typename S::Bits Bits;
    const Bits *const keys_in = at.shared.work.keys_in;
    if (tile >= at.tiles())
        return;
    if constexpr (S::Key::HAS_ABSENT)
        as_given<Bits>(at.shared.work.encodes ? at.params.bins.size : sizeof(Bits), keys_in,
                       [&](auto *in) { load_keys_as(at, in, tile, keys); });
    else
        load_keys_as(at, keys_in, tile, keys);
}

/* Brings the warp's keys of a tile into the L2 cache. */
template <typename S>
static __device__ __forceinline__ void prefetch_keys(const ranker<S> &at, size_t tile)
{
    const uint32_t bytes = S::ITEMS * 32 * sizeof(typename S::Bits);
    if (at.lane() == 0 && tile < at.tiles() && at.is_whole(tile))
        prefetch_bulk(at.shared.work.keys_in + at.first(tile), bytes);
}

/* Turns keys into codes, if this is the first pass that moves. What stands for a missing key is
   a code already. */
template <typename S>
static __device__ __forceinline__ void encode_keys(const ranker<S> &at, size_t tile,
                                                   typename S::Bits (&keys)[S::ITEMS])
{
    const unsigned count = at.count(tile);
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if constexpr (S::Key::HAS_ABSENT)
            keys[i] = keys[i] < at.params.bins.count ? keys[i] : S::Key::ABSENT;
        else if (at.holds(count, i))
            keys[i] = S::Key::encode(keys[i], at.params.flip);
    }
}

template <typename S>
static __device__ __forceinline__ void load_values(const ranker<S> &at, size_t tile,
                                                   typename S::AnyValue (&values)[S::ITEMS])
{
    typedef typename S::AnyValue Value;
    const size_t first = at.first_value(tile);
    const Value *const source = at.shared.work.values_in + first;
    if (at.shared.work.makes_indices) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = (Value)(first + i * 32);
    } else if (at.is_whole(tile)) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = __ldcs(source + i * 32);
    } else {
        const unsigned count = at.count(tile);
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = at.holds(count, i) ? __ldcs(source + i * 32) : (Value)0;
    }
}

/* The first value of an INDEXED tile, if one bulk copy can load them all; or NULL. */
template <typename S>
static __device__ __forceinline__ const typename S::AnyValue *bulk_of_values(const ranker<S> &at,
                                                                             size_t tile)
{
#if __CUDA_ARCH__ >= 900
    const typename S::AnyValue *const source =
        at.shared.work.values_in + (at.first_value(tile) - at.place());
    if (at.is_whole(tile) && (uintptr_t)source % 16 == 0)
        return source;
#endif
    return NULL;
}

/* Begins the copy of a tile's values. All ranking warps have read what was there. */
template <typename S>
static __device__ __forceinline__ void request_values(const ranker<S> &at, size_t tile,
                                                      unsigned turn)
{
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0 || tile >= at.tiles() || at.shared.work.makes_indices)
        return;
    const typename S::AnyValue *const source = bulk_of_values(at, tile);
    const uint32_t bytes = S::TILE * sizeof *source;
    if (source == NULL)
        return;
    barrier_arrive_expecting(&at.shared.landed[turn], bytes);
    bulk_load(at.shared.values[turn], source, bytes, &at.shared.landed[turn]);
#endif
}

/* Waits for the values of a tile, or loads them. *parities has a bit for each turn. */
template <typename S>
static __device__ __forceinline__ void await_values(const ranker<S> &at, size_t tile, unsigned turn,
                                                    uint32_t *parities)
{
    if (at.shared.work.makes_indices)
        return;
#if __CUDA_ARCH__ >= 900
    if (bulk_of_values(at, tile) != NULL) {
        barrier_wait(&at.shared.landed[turn], *parities >> turn & 1);
        *parities ^= 1u << turn;
        return;
    }
#endif
    const typename S::AnyValue *const source = at.shared.work.values_in + at.first_value(tile);
    const unsigned count = at.count(tile);
#pragma unroll 4
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (at.holds(count, i))
            at.shared.values[turn][at.place() + i * 32] = __ldcs(source + i * 32);
#if __CUDA_ARCH__ >= 900
    fence_async_proxy();
#endif
    warps_sync(GROUP_REPAIRED, S::RANKING);
}

/* Writes the tile from shared memory to its digits' parts of the output. Thread t writes the
   elements t, t + RANKING, ... Ranked by counts, it returns whether some element should not follow
   the one before it. */
template <typename S>
struct tile_writer {
    typedef typename S::Bits Bits;
    typedef typename S::AnyValue Value;
    const ranker<S> &at;
    const digit_pass_work<S> work;
    const uint64_t *to;
    const Value *staged;
    Value first_index; /* of the tile's first element, if it makes indices */

    __device__ tile_writer(const ranker<S> &ranker, size_t tile, unsigned turn)
        : at(ranker), work(ranker.shared.work), to(ranker.shared.to[turn]),
          staged(ranker.shared.values[S::INDEXED ? turn : 0]),
          first_index((Value)(ranker.first_value(tile) - ranker.place()))
    {
    }

    /* Of two elements with the same digit the one that came first is less. */
    __device__ __forceinline__ uint32_t order_of(unsigned eight, unsigned index) const
    {
        return eight << 13 | index;
    }

    __device__ __forceinline__ Value value_at(unsigned place) const
    {
        if constexpr (S::INDEXED) {
            const unsigned index = at.shared.indices()[place];
            return work.makes_indices ? (Value)(first_index + index) : staged[index];
        }
        return staged[place];
    }

    __device__ __forceinline__ bool is_misplaced(unsigned place, Bits code, unsigned eight) const
    {
        const Bits before = at.shared.keys()[(int)place - 1];
        if constexpr (S::INDEXED)
            return order_of(at.params.digit.template times<3>(before),
                            at.shared.indices()[(int)place - 1]) >
                   order_of(eight, at.shared.indices()[place]);
        return (before & at.params.known) > (code & at.params.known);
    }

    __device__ __forceinline__ Bits given(Bits code) const
    {
        if (S::Key::IS_MAPPED)
            return work.decodes ? S::Key::decode(code, work.flip) : code;
        return code ^ work.flip;
    }

    /* Stores the offset of a bin's first element in the tile, which may be the bin's first of
       all. If the input has changed during the call, some places of the scratch were not written, and
       what is there may be no bin. */
    __device__ __forceinline__ void emit(Bits bin, uint64_t offset) const
    {
        const sort_bins &bins = at.params.bins;
        if (bin >= bins.bins)
            return;
        if (bins.wide)
            atomicMin((unsigned long long *)bins.offsets + bin, (unsigned long long)offset);
        else
            atomicMin((uint32_t *)bins.offsets + bin, (uint32_t)offset);
    }

    __device__ __forceinline__ bool write(unsigned place) const
    {
        const Bits code = at.shared.keys()[place];
        const unsigned eight = at.params.digit.template times<3>(code);
        const uint64_t there = *(const uint64_t *)((const char *)to + eight);
        if (S::HAS_VALUES) {
            if (work.keys_out != NULL)
                work.keys_out[there + place] = given(code);
            work.values_out[there + place] = value_at(place);
            if (work.emits && at.shared.keys()[(int)place - 1] != code)
                emit(code, there + place);
        } else {
            ((Bits *)there)[place] = given(code);
        }
        return S::METHOD == RANK_BY_COUNTS && is_misplaced(place, code, eight);
    }
};

template <typename S>
static __device__ __forceinline__ void write_tile(const ranker<S> &at, size_t tile, unsigned turn)
{
    const tile_writer<S> writer(at, tile, turn);
    bool disordered = false;
    if (S::Key::HAS_ABSENT ? at.shared.present == S::TILE : at.is_whole(tile)) {
#pragma unroll 4 /* more would take the registers that hold the keys of the next tile */
        for (unsigned i = 0; i < S::ITEMS; i++)
            disordered |= writer.write(i * S::RANKING + threadIdx.x);
    } else {
        const unsigned count = S::Key::HAS_ABSENT ? at.shared.present : at.count(tile);
#pragma unroll(S::Key::HAS_ABSENT ? 4 : 1)
        for (unsigned place = threadIdx.x; place < count; place += S::RANKING)
            disordered |= writer.write(place);
    }
    if (S::METHOD == RANK_BY_COUNTS && disordered)
        store_alike(&at.shared.disordered, 1u);
}

/* Puts a tile that was written out of order in order, and writes it again. Only keys with the
   same digit that a warp counted at once can be out of order, so it takes at most 32 rounds of
   exchanges between neighbours; more only if the input has changed during the sort, and then the order
   does not matter. Called by all ranking warps. */
template <typename S>
static __device__ __noinline__ void repair_tile(const digit_pass_params<S> &params,
                                                digit_pass_shared<S> &shared, size_t tile,
                                                unsigned turn)
{
    typedef typename S::Bits Bits;
    const ranker<S> at{params, shared};
    const tile_writer<S> writer(at, tile, turn);
    const unsigned count = at.count(tile);
    bool again = true;
    for (unsigned round = 0; again && round < 32; round++) {
        warps_sync(GROUP_REPAIRED, S::RANKING);
        store_alike(&shared.disordered, 0u);
        warps_sync(GROUP_REPAIRED, S::RANKING);
        for (unsigned odd = 0; odd < 2; odd++) {
            for (unsigned k = 2 * threadIdx.x + odd; k + 1 < count; k += 2 * S::RANKING) {
                const Bits a = shared.keys()[k], b = shared.keys()[k + 1];
                if (writer.is_misplaced(k + 1, b, params.digit.template times<3>(b))) {
                    shared.keys()[k] = b;
                    shared.keys()[k + 1] = a;
                    if constexpr (S::INDEXED) {
                        const uint16_t index = shared.indices()[k];
                        shared.indices()[k] = shared.indices()[k + 1];
                        shared.indices()[k + 1] = index;
                    }
                    store_alike(&shared.disordered, 1u);
                }
            }
            warps_sync(GROUP_REPAIRED, S::RANKING);
        }
        again = shared.disordered != 0;
    }
    write_tile(at, tile, turn);
    warps_sync(GROUP_REPAIRED, S::RANKING);
}

#endif
