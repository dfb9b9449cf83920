/*
 * The prefix of a tile, what comes before it, on CUDA. This is the only look-back protocol; every
 * single-pass kernel of scan/ and apps/ gets its prefixes here. Only a sort whose blocks have one tile
 * each adds the same words in another order (apps/radix/digit_groups.cuh).
 *
 * The tiles of a launch are assigned by a fixed stride: block b has the tiles b, b + blocks, ...
 * When a tile has been reduced, its aggregate is published in the tile's status words. A block
 * keeps the prefix of its own previous tile. It combines this prefix with the aggregates from that
 * tile on: 32 lanes look back over `blocks` tiles at once. If the operator commutes, each lane sums
 * its column (every 32nd tile) first; if not, the aggregates are combined in the order of tiles. No
 * inclusive prefixes are published, so a block waits for aggregates only. How the aggregates are
 * grouped depends only on the number of blocks. The tiles themselves are cut by the output's
 * alignment. So a float sum repeats to the bit on one device with the same arrays.
 *
 * Ordering. A status word holds an epoch of 32 bits and 32 bits of the aggregate. A larger
 * aggregate takes more words, each with the epoch. A 64-bit access is atomic, so a word with the
 * epoch of this launch has the aggregate bits of this launch. No ordering between words is needed,
 * so relaxed accesses suffice. What is published is the value itself, never an address, so no other
 * memory need be visible.
 *
 * Epochs. The device counts them, not the host. Each block reads the epoch and counts itself as a
 * reader in one atomic operation. The last block that does so advances the epoch for the next
 * launch. So a replayed graph never takes the words of an earlier launch for its own, and nothing
 * is cleared between launches. The launch with the last epoch clears all words when it ends.
 *
 * Forward progress. A block waits only for tiles of lower index that belong to other blocks, but in a
 * partition for all tiles. launch_chain.cuh tells when all blocks must be resident for that. The
 * warps of a resident block that reduce never wait for a prefix, so every aggregate is published.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA, 2016; here with aggregates only, instead of the paper's states.
 */
#ifndef PARSCAN_SCAN_TILE_PREFIX_CUH
#define PARSCAN_SCAN_TILE_PREFIX_CUH

#include <stdint.h>
#include <string.h>

#include "scan/cuda/warp_scan.cuh"

/* Device memory of a context for its launches (parscan_cuda_chain_memory()). Launches follow each
   other. */
struct tile_chain {
    unsigned long long *control; /* the epoch of the current or the next launch, never 0; the low 32
                                    bits count the blocks of the launch that have read it */
    unsigned *wrapping;          /* in the launch with the last epoch: the blocks that have ended */
    uint64_t *status;            /* tile_words<T>::count words for each tile */
    size_t words;                /* the number of status words */
};

template <typename T>
struct tile_words {
    static const unsigned count = (sizeof(T) + 3) / 4;
};

static __device__ __forceinline__ void status_store(uint64_t *word, uint64_t value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

static __device__ __forceinline__ uint64_t status_load(const uint64_t *word)
{
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

/* Publishes a tile's aggregate. Called by one lane. */
template <typename T>
static __device__ __forceinline__ void tile_publish(const tile_chain &chain, uint32_t epoch,
                                                    size_t tile, T aggregate)
{
    const unsigned count = tile_words<T>::count;
    uint32_t parts[count] = {};
    memcpy(parts, &aggregate, sizeof aggregate);
#pragma unroll
    for (unsigned k = 0; k < count; k++)
        status_store(chain.status + tile * count + k, (uint64_t)epoch << 32 | parts[k]);
}

/* Loads a tile's status words as they are now, if `wanted`; else they are unchanged. They may be
   from earlier launches. The condition is in the instruction: after a branch the compiler would
   put the use of the words too, and then the loads of several tiles would take a round trip to L2
   each, not one together. */
template <unsigned COUNT>
static __device__ __forceinline__ void status_load_tile(const tile_chain &chain, size_t tile,
                                                        bool wanted, uint64_t (&words)[COUNT])
{
    const uint64_t *const from = chain.status + tile * COUNT;
    if constexpr (COUNT == 2) {
        asm volatile("{\n"
                     ".reg .pred wanted;\n"
                     "setp.ne.u32 wanted, %3, 0;\n"
                     "@wanted ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];\n"
                     "}"
                     : "+l"(words[0]), "+l"(words[1])
                     : "l"(from), "r"((unsigned)wanted)
                     : "memory");
    } else {
#pragma unroll
        for (unsigned k = 0; k < COUNT; k++)
            asm volatile("{\n"
                         ".reg .pred wanted;\n"
                         "setp.ne.u32 wanted, %2, 0;\n"
                         "@wanted ld.relaxed.gpu.global.u64 %0, [%1];\n"
                         "}"
                         : "+l"(words[k])
                         : "l"(from + k), "r"((unsigned)wanted)
                         : "memory");
    }
}

template <unsigned COUNT>
static __device__ __forceinline__ bool status_is_of(uint32_t epoch, const uint64_t (&words)[COUNT])
{
    bool all = true;
#pragma unroll
    for (unsigned k = 0; k < COUNT; k++)
        all = all && (uint32_t)(words[k] >> 32) == epoch;
    return all;
}

/* Waits for the status words of those tiles tile(k) that are `missing`. A word that is not is neither loaded nor
   looked at. Each round loads all words that are still missing. */
template <unsigned AT_ONCE, unsigned COUNT, typename TILE>
static __device__ __forceinline__ void status_await_tiles(const tile_chain &chain, uint32_t epoch,
                                                          TILE tile, bool (&missing)[AT_ONCE],
                                                          uint64_t (&words)[AT_ONCE][COUNT])
{
    bool any;
    do {
        any = false;
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            status_load_tile(chain, tile(k), missing[k], words[k]);
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            missing[k] = missing[k] && !status_is_of(epoch, words[k]);
            any = any || missing[k];
        }
    } while (any);
}

/* The aggregate in a tile's status words. */
template <typename T, unsigned COUNT>
static __device__ __forceinline__ T status_aggregate(const uint64_t (&words)[COUNT])
{
    uint32_t parts[COUNT];
    T aggregate;
#pragma unroll
    for (unsigned k = 0; k < COUNT; k++)
        parts[k] = (uint32_t)words[k];
    memcpy(&aggregate, parts, sizeof aggregate);
    return aggregate;
}

/* Waits for a tile's aggregate, and returns it. */
template <typename T>
static __device__ __forceinline__ T tile_wait(const tile_chain &chain, uint32_t epoch, size_t tile)
{
    uint64_t words[tile_words<T>::count];
    do
        status_load_tile(chain, tile, true, words);
    while (!status_is_of(epoch, words));
    return status_aggregate<T>(words);
}

/* Waits for the aggregates of the tiles from + row * 32 + lane that are below `end`. Other entries
   of `aggregates` are unchanged. */
template <unsigned ROWS, typename T>
static __device__ __forceinline__ void tile_read(const tile_chain &chain, uint32_t epoch,
                                                 size_t from, size_t end, unsigned lane,
                                                 T (&aggregates)[ROWS])
{
    const unsigned COUNT = tile_words<T>::count;
    const unsigned tiles = end - from < 32 * ROWS ? (unsigned)(end - from) : 32 * ROWS;
    uint64_t words[ROWS][COUNT];
    bool missing[ROWS];
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++)
        missing[row] = row * 32 + lane < tiles;
    status_await_tiles(
        chain, epoch, [=](unsigned row) { return from + row * 32 + lane; }, missing, words);
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++)
        if (row * 32 + lane < tiles)
            aggregates[row] = status_aggregate<T>(words[row]);
    __syncwarp();
}

/* How many rows of 32 aggregates a warp loads at once, if its caller says nothing else. */
template <typename T>
struct tile_rows {
    static const unsigned count = tile_words<T>::count < 8 ? 8 / tile_words<T>::count : 1;
};

/* Combines the aggregates of the tiles begin to end - 1: column by column if the operator commutes,
   else in the order of tiles. By all lanes of a warp; only lane 0's result counts. It loads ROWS rows
   of 32 aggregates at once. */
template <typename OPERATOR, typename T, unsigned ROWS = tile_rows<T>::count>
static __device__ __forceinline__ T tile_look_back(OPERATOR op, const tile_chain &chain,
                                                   uint32_t epoch, size_t begin, size_t end,
                                                   unsigned lane)
{
    T sum = identity(op), column = identity(op);
#pragma unroll 1
    for (size_t from = begin; from < end; from += 32 * ROWS) {
        T aggregates[ROWS];
#pragma unroll
        for (T &aggregate : aggregates)
            aggregate = identity(op);
        tile_read(chain, epoch, from, end, lane, aggregates);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            if (OPERATOR::commutes)
                column = combine(op, column, aggregates[row]);
            else
                sum = combine(op, sum, warp_reduce(op, aggregates[row]));
        }
    }
    return OPERATOR::commutes ? warp_reduce(op, column) : sum;
}

/*
 * Wide prefixes: for each tile the counts of 2 * PAIRS digits of a sort or bin. To look back over
 * the aggregates of all blocks would be too much here. So a tile's words first hold its aggregate,
 * and later, with one more flag, the inclusive prefix of all tiles up to it. A look-back ends at
 * the first tile that has its inclusive prefix, or at the block's own previous tile.
 *
 * The words are the caller's memory. The caller clears them before the first of up to 15 launches,
 * which are numbered from 1. A 64-bit word holds two counts, each with the number of the launch, so
 * that a look-back reads few bytes. The words lie in a ring of rows, so that they stay in L2
 * however many tiles there are: tile t has row t % rows, and the parity of t / rows is in the word.
 * There are more than 3 x blocks rows, or as many rows as tiles.
 *
 * So no word is overwritten before it has been read. When a block publishes tile t, it has looked
 * back from tile t - blocks. So all tiles before t - blocks were published, each by a block that
 * had finished its own previous tile. So all tiles before t - 2 x blocks are finished, and the
 * other tiles read nothing before t - 3 x blocks. A look-back may see a word of the round of the
 * ring just before, but of no earlier one.
 *
 * Forward progress is as above: a tile's aggregate waits for no other tile, its prefix for lower
 * tiles.
 *
 * A count has 26 bits. An inclusive prefix exceeds what the block knows of its own previous tile by
 * less than 2^26, since `blocks` tiles have fewer elements. So the higher bits follow from that.
 */
#define DIGIT_WORD_BITS 26
#define DIGIT_WORD_MASK ((1u << DIGIT_WORD_BITS) - 1)
#define DIGIT_WORD_INCLUSIVE (1u << DIGIT_WORD_BITS)

struct digit_prefix {
    uint64_t before[2]; /* the counts of all tiles up to and including the block's own last one */
};

template <unsigned PAIRS>
struct digit_chain {
    uint64_t *words;
    uint32_t launch, rows; /* rows is a power of two */

    __device__ uint32_t mark(size_t tile) const
    {
        return launch << 28 | ((tile & rows) != 0 ? 1u << 27 : 0);
    }
    __device__ uint64_t *word(size_t tile, unsigned pair) const
    {
        return words + (tile & (rows - 1)) * PAIRS + pair;
    }
    __device__ void publish(size_t tile, unsigned pair, const uint32_t (&counts)[2],
                            uint32_t flag) const
    {
        const uint32_t marked = mark(tile) | flag;
        const uint32_t low = marked | (counts[0] & DIGIT_WORD_MASK);
        const uint32_t high = marked | (counts[1] & DIGIT_WORD_MASK);
        status_store(word(tile, pair), (uint64_t)high << 32 | low);
    }
};

/* Looks back for one pair of digits: *known, the block's own prefix, becomes the prefix of `tile`.
   Loads AT_ONCE words at once. */
template <unsigned AT_ONCE, unsigned PAIRS>
static __device__ __forceinline__ void
digit_look_back(const digit_chain<PAIRS> &digits, size_t tile, unsigned pair, digit_prefix *known)
{
    const size_t end = tile >= gridDim.x ? tile - gridDim.x + 1 : 0; /* tiles before it are known */
    uint32_t sum[2] = {};
    bool inclusive = false;
    size_t at = tile;
    while (at > end && !inclusive) {
        uint64_t words[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (at > end + k)
                words[k] = status_load(digits.word(at - 1 - k, pair));
        unsigned taken = 0;
        bool going = true;
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            going = going && at > end + k &&
                    (((uint32_t)words[k] ^ digits.mark(at - 1 - k)) >> (DIGIT_WORD_BITS + 1)) == 0;
            if (going) {
                sum[0] += (uint32_t)words[k];
                sum[1] += (uint32_t)(words[k] >> 32);
                inclusive = ((uint32_t)words[k] & DIGIT_WORD_INCLUSIVE) != 0;
                going = !inclusive;
                taken++;
            }
        }
        at -= taken;
    }
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t more = inclusive ? sum[k] - (uint32_t)known->before[k] : sum[k];
        known->before[k] += more & DIGIT_WORD_MASK;
    }
}

#define LAST_EPOCH 0xffffffffu

/* Counts a block. The result, for tile_chain_epoch(), takes a round trip to L2: it is best used
   later. Called by one thread of each block, once. */
static __device__ __forceinline__ unsigned long long tile_chain_enter(const tile_chain &chain)
{
    return atomicAdd(chain.control, 1ull);
}

/* Returns the epoch of this launch. Called once by the thread that has entered. */
static __device__ __forceinline__ uint32_t tile_chain_epoch(const tile_chain &chain,
                                                            unsigned long long control)
{
    const uint32_t epoch = (uint32_t)(control >> 32), readers = (uint32_t)control + 1;
    if (readers == gridDim.x && epoch != LAST_EPOCH)
        atomicAdd(chain.control, (1ull << 32) - readers);
    return epoch;
}

/* Both at once. */
static __device__ __forceinline__ uint32_t tile_chain_begin(const tile_chain &chain)
{
    return tile_chain_epoch(chain, tile_chain_enter(chain));
}

/* Called by all threads of each block, after the block's last load of a status word. */
static __device__ __forceinline__ void tile_chain_end(const tile_chain &chain, uint32_t epoch)
{
    if (epoch != LAST_EPOCH)
        return;
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(chain.wrapping, 1u) + 1 < gridDim.x)
        return;
#pragma unroll 1
    for (size_t k = 0; k < chain.words; k++)
        chain.status[k] = 0;
    *chain.wrapping = 0;
    *chain.control = 1ull << 32;
}

#endif
