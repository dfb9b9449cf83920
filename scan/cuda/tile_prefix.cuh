/*
 * The tile prefix: what comes before a tile, on CUDA. The one look-back protocol; every single-pass
 * kernel of scan/ and apps/ learns its prefixes here.
 *
 * The tiles of a launch are dealt out by a fixed stride: block b has the tiles b, b + blocks, ...
 * Who has reduced a tile publishes its aggregate in the tile's status words. A block keeps the prefix
 * through its own previous tile and combines with it, in the order of tiles, the aggregates that the
 * others have published since: 32 lanes look back over `blocks` tiles at once. There is no chain of
 * inclusive prefixes, so nobody waits for more than aggregates, and the order of the combinations
 * depends on the number of blocks alone: a float sum repeats to the bit on one device.
 *
 * Ordering. A status word holds a epoch of 32 bits beside 32 bits of the aggregate; an aggregate of
 * more bytes takes more words, each with the epoch. A 64-bit access is single, so a word whose epoch is
 * this launch's has this launch's bits: no word orders another, and relaxed accesses suffice. What
 * is published is the value itself, never an address, so nothing else need be visible.
 *
 * Epochs. They are counted by the device, not by the host: a block reads the epoch and says that it has
 * in one atomic operation, and the last block that does so advances it, for the next launch. So a
 * graph that is replayed never takes the words of an earlier launch for its own, and nothing is
 * cleared between launches. The launch that has the last epoch clears all words when it ends.
 *
 * Forward progress. A block waits for tiles of lower index only, and those of other blocks: all blocks
 * of a launch must be resident, which a cooperative launch guarantees (it fails or waits otherwise).
 * A resident block's reducing warps never wait for a prefix, so every aggregate comes.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA,
 * 2016; with aggregates alone instead of its states.
 */
#ifndef PARSCAN_SCAN_TILE_PREFIX_CUH
#define PARSCAN_SCAN_TILE_PREFIX_CUH

#include <stdint.h>
#include <string.h>

#include "scan/block/warp_shuffle.cuh"

/* What a context keeps on the device for its launches, one at a time, in one piece of memory. */
struct tile_chain {
    unsigned long long
        *control;       /* the epoch of the launch that runs, or runs next, never 0; below it,
                                    in 32 bits, how many of its blocks have read it */
    unsigned *wrapping; /* in the launch with the last epoch, the blocks that have ended */
    uint64_t *status;   /* tile_words a tile */
    size_t words;       /* of room */
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

/* By one lane. */
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

/* The values of all lanes combined in the order of lanes, at lane 0. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T warp_reduce(OPERATOR op, T value)
{
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2)
        value = combine(op, value, warp_shuffle_down(value, delta));
    return value;
}

/* Inclusive, Kogge-Stone. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T warp_scan(OPERATOR op, T value, unsigned lane)
{
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const T before = warp_shuffle_up(value, delta);
        if (lane >= delta)
            value = combine(op, before, value);
    }
    return value;
}

/* A tile's status words as they are now; those of other launches among them. */
template <unsigned COUNT>
static __device__ __forceinline__ void status_load_tile(const tile_chain &chain, size_t tile,
                                                        uint64_t (&words)[COUNT])
{
    const uint64_t *const from = chain.status + tile * COUNT;
    if constexpr (COUNT == 2) {
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(words[0]), "=l"(words[1])
                     : "l"(from)
                     : "memory");
    } else {
#pragma unroll
        for (unsigned k = 0; k < COUNT; k++)
            words[k] = status_load(from + k);
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

/* The aggregates of the tiles from + row * 32 + lane, those before end, once they are published; the
   others are left as they are. What is not there yet is asked for again all at once: one after another
   would take a trip to L2 each. */
template <unsigned ROWS, typename T>
static __device__ __forceinline__ void tile_read(const tile_chain &chain, uint32_t epoch,
                                                 size_t from, size_t end, unsigned lane,
                                                 T (&aggregates)[ROWS])
{
    const unsigned COUNT = tile_words<T>::count;
    uint64_t words[ROWS][COUNT];
    bool here[ROWS], all;
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++)
        here[row] = from + row * 32 + lane >= end;
    do {
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++)
            if (!here[row])
                status_load_tile(chain, from + row * 32 + lane, words[row]);
        all = true;
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            here[row] = here[row] || status_is_of(epoch, words[row]);
            all = all && here[row];
        }
    } while (!all);
#pragma unroll
    for (unsigned row = 0; row < ROWS; row++) {
        if (from + row * 32 + lane >= end)
            continue;
        uint32_t parts[COUNT];
#pragma unroll
        for (unsigned k = 0; k < COUNT; k++)
            parts[k] = (uint32_t)words[row][k];
        memcpy(&aggregates[row], parts, sizeof(T));
    }
    __syncwarp();
}

/* How many rows of 32 aggregates a warp reads at once. */
template <typename T>
struct tile_rows {
    static const unsigned count = tile_words<T>::count < 8 ? 8 / tile_words<T>::count : 1;
};

/* The aggregates of the tiles begin to end - 1 combined in order, at lane 0; the whole warp. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T tile_look_back(OPERATOR op, const tile_chain &chain,
                                                   uint32_t epoch, size_t begin, size_t end,
                                                   unsigned lane)
{
    const unsigned ROWS = tile_rows<T>::count;
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
 * Wide prefixes: of each tile, counts of 2 * PAIRS kinds (a radix sort's digits), of which the aggregates
 * of every block would be too much to look back over. So here a tile's words tell its aggregate first and
 * then, by one flag more, the inclusive prefix of all tiles up to it: a look-back ends at the first that
 * has it, or at the block's own previous tile.
 *
 * The words are in memory of the caller's, cleared before the first of up to 15 launches, which number
 * themselves from 1: two counts in a word of 64 bits, each with that number, so that as many bytes as can
 * be are spared those that look back. They lie in a ring of rows, so that they stay in L2 whatever the
 * number of tiles: tile t has row t % rows, and the parity of t / rows is in the word. Rows are more than
 * 3 x blocks, or as many as tiles. A block that publishes tile t has looked back from t - blocks, so all
 * tiles before that one had been published, each by a block that was through with its own previous
 * tile: all before t - 2 x blocks are through, the others read nothing before t - 3 x blocks. So no word
 * is overwritten that is yet to be read, and of an earlier turn of the ring only the one before is ever
 * seen. Progress as above: a tile's aggregate waits for no other tile, its prefix for lower ones.
 *
 * A count has 26 bits. An inclusive prefix is more than what the block knows of its own previous tile
 * by less than 2^26, the elements of `blocks` tiles: the bits above follow.
 */
#define DIGIT_WORD_BITS 26
#define DIGIT_WORD_MASK ((1u << DIGIT_WORD_BITS) - 1)
#define DIGIT_WORD_INCLUSIVE (1u << DIGIT_WORD_BITS)

struct digit_prefix {
    uint64_t before[2]; /* all tiles up to and including the block's own last one */
};

template <unsigned PAIRS>
struct digit_chain {
    uint64_t *words;
    uint32_t launch, rows; /* rows: a power of two */

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

/* What comes before the tile, of a pair of digits: *known goes on to it. AT_ONCE tiles are asked for at
   once. */
template <unsigned AT_ONCE, unsigned PAIRS>
static __device__ __forceinline__ void
digit_look_back(const digit_chain<PAIRS> &digits, size_t tile, unsigned pair, digit_prefix *known)
{
    const size_t end = tile >= gridDim.x ? tile - gridDim.x + 1 : 0; /* those before are known */
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

#define LAST_TAG 0xffffffffu

/* The epoch of this launch. By one thread of each block, once. */
static __device__ __forceinline__ uint32_t tile_chain_begin(const tile_chain &chain)
{
    const unsigned long long control = atomicAdd(chain.control, 1ull);
    const uint32_t epoch = (uint32_t)(control >> 32), readers = (uint32_t)control + 1;
    if (readers == gridDim.x && epoch != LAST_TAG)
        atomicAdd(chain.control, (1ull << 32) - readers);
    return epoch;
}

/* By all threads of each block, when they read no status word any more. */
static __device__ __forceinline__ void tile_chain_end(const tile_chain &chain, uint32_t epoch)
{
    if (epoch != LAST_TAG)
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
