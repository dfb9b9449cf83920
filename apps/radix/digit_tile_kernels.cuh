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

    __device__ size_t n() const { return S::COUNTED ? shared.n : params.n; }
    __device__ size_t tiles() const { return S::COUNTED ? shared.tiles : params.tiles; }
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
        return S::PIECED ? span(tile).count == S::TILE : tile + 1 < tiles() || n() % S::TILE == 0;
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
    /* Whether the lane's element i exists. */
    __device__ bool holds(size_t tile, unsigned i) const
    {
        return S::PIECED ? place() + i * 32 < span(tile).count : first(tile) + i * 32 < n();
    }
    /* The number of elements in the tile, or more. */
    __device__ size_t left(size_t tile) const
    {
        return S::PIECED ? span(tile).count : n() - tile * S::TILE;
    }
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
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            keys[i] = at.holds(tile, i) ? __ldcs(source + i * 32) : at.params.beyond;
    }
}

/* Loads the tile's keys. Bins have a width of their own in the input. */
template <typename S>
static __device__ __forceinline__ void load_keys(const ranker<S> &at,
                                                 const typename S::Bits *keys_in, size_t tile,
                                                 typename S::Bits (&keys)[S::ITEMS])
{
    if (tile >= at.tiles())
        return;
    if constexpr (S::Key::HAS_ABSENT) {
        if (at.params.pass->first && at.params.bins.size != sizeof(typename S::Bits)) {
            if (sizeof(typename S::Bits) == 8 || at.params.bins.size == 4)
                load_keys_as(at, (const uint32_t *)keys_in, tile, keys);
            else if (at.params.bins.size == 2)
                load_keys_as(at, (const uint16_t *)keys_in, tile, keys);
            else
                load_keys_as(at, (const uint8_t *)keys_in, tile, keys);
            return;
        }
    }
    load_keys_as(at, keys_in, tile, keys);
}

/* Turns keys into codes, if this is the first pass that moves. What stands for a missing key is
   a code already. */
template <typename S>
static __device__ __forceinline__ void encode_keys(const ranker<S> &at, size_t tile,
                                                   typename S::Bits (&keys)[S::ITEMS])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if constexpr (S::Key::HAS_ABSENT)
            keys[i] = keys[i] < at.params.bins.count ? keys[i] : S::Key::ABSENT;
        else if (at.holds(tile, i))
            keys[i] = S::Key::encode(keys[i], at.params.flip);
    }
}

template <typename S>
static __device__ __forceinline__ void load_values(const ranker<S> &at, size_t tile,
                                                   typename S::AnyValue (&values)[S::ITEMS])
{
    typedef typename S::AnyValue Value;
    const size_t first = at.first_value(tile);
    const Value *const source = (const Value *)at.params.values[at.params.pass->from] + first;
    if (at.params.indices && at.params.pass->first) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = (Value)(first + i * 32);
    } else if (at.is_whole(tile)) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = __ldcs(source + i * 32);
    } else {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = at.holds(tile, i) ? __ldcs(source + i * 32) : (Value)0;
    }
}

/* Writes the tile from shared memory to its digits' parts of the output. Thread t writes the
   elements t, t + RANKING, ... For keys without values it returns whether some key is less than
   the one before it. */
template <typename S>
struct tile_writer {
    typedef typename S::Bits Bits;
    typedef typename S::AnyValue Value;
    const ranker<S> &at;
    const uint64_t *to;
    Bits *keys;
    Value *values;
    Bits flip;
    bool decodes, drops, emits;

    __device__ tile_writer(const ranker<S> &ranker, unsigned turn)
        : at(ranker), to(ranker.shared.to[turn])
    {
        const sort_pass &pass = *at.params.pass;
        keys = at.params.keys[pass.to];
        values = (Value *)at.params.values[pass.to];
        decodes = pass.last != 0;
        drops = at.params.drops_keys && pass.last;
        emits = S::Key::HAS_ABSENT && at.params.bins.emits && pass.last;
        flip = decodes || S::Key::IS_MAPPED ? at.params.flip : 0;
    }

    __device__ __forceinline__ Bits given(Bits code) const
    {
        if (S::Key::IS_MAPPED)
            return decodes ? S::Key::decode(code, flip) : code;
        return code ^ flip;
    }

    /* Stores the offset of a bin's first element in the tile, which may be the bin's first of
       all. */
    __device__ __forceinline__ void emit(Bits bin, uint64_t offset) const
    {
        const sort_bins &bins = at.params.bins;
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
            if (!drops)
                keys[there + place] = given(code);
            values[there + place] = at.shared.values[place];
            if (emits && at.shared.keys()[(int)place - 1] != code)
                emit(code, there + place);
        } else {
            ((Bits *)there)[place] = given(code);
        }
        return S::METHOD == RANK_BY_COUNTS &&
               (at.shared.keys()[(int)place - 1] & at.params.known) > (code & at.params.known);
    }
};

template <typename S>
static __device__ __forceinline__ void write_tile(const ranker<S> &at, size_t tile, unsigned turn)
{
    const tile_writer<S> writer(at, turn);
    bool disordered = false;
    if (S::Key::HAS_ABSENT ? at.shared.present == S::TILE : at.is_whole(tile)) {
#pragma unroll 4 /* more would take the registers that hold the keys of the next tile */
        for (unsigned i = 0; i < S::ITEMS; i++)
            disordered |= writer.write(i * S::RANKING + threadIdx.x);
    } else {
        const unsigned count = S::Key::HAS_ABSENT ? at.shared.present : (unsigned)at.left(tile);
#pragma unroll(S::Key::HAS_ABSENT ? 4 : 1)
        for (unsigned place = threadIdx.x; place < count; place += S::RANKING)
            disordered |= writer.write(place);
    }
    if (S::METHOD == RANK_BY_COUNTS && disordered)
        store_alike(&at.shared.disordered, 1u);
}

/* Puts a tile that was written out of order in order, and writes it again. Only keys with the
   same digit that a warp counted at once can be out of order, so it takes at most 32 rounds of
   exchanges between neighbours. Called by all ranking warps. */
template <typename S>
static __device__ __noinline__ void repair_tile(const digit_pass_params<S> &params,
                                                digit_pass_shared<S> &shared, size_t tile,
                                                unsigned turn)
{
    typedef typename S::Bits Bits;
    const size_t left = ranker<S>{params, shared}.left(tile);
    const unsigned count = left < S::TILE ? (unsigned)left : S::TILE;
    bool again = true;
    while (again) {
        warps_sync(GROUP_REPAIRED, S::RANKING);
        store_alike(&shared.disordered, 0u);
        warps_sync(GROUP_REPAIRED, S::RANKING);
        for (unsigned odd = 0; odd < 2; odd++) {
            for (unsigned k = 2 * threadIdx.x + odd; k + 1 < count; k += 2 * S::RANKING) {
                const Bits a = shared.keys()[k], b = shared.keys()[k + 1];
                if ((a & params.known) > (b & params.known)) {
                    shared.keys()[k] = b;
                    shared.keys()[k + 1] = a;
                    store_alike(&shared.disordered, 1u);
                }
            }
            warps_sync(GROUP_REPAIRED, S::RANKING);
        }
        again = shared.disordered != 0;
    }
    write_tile(ranker<S>{params, shared}, tile, turn);
    warps_sync(GROUP_REPAIRED, S::RANKING);
}

#endif
