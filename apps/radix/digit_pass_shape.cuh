/*
 * How a block of a radix sort's pass is made (digit_pass_kernels.cuh), what it keeps in shared
 * memory, and what a launch tells it.
 */
#ifndef PARSCAN_APPS_SORT_DIGIT_PASS_SHAPE_CUH
#define PARSCAN_APPS_SORT_DIGIT_PASS_SHAPE_CUH

#include "apps/radix/digit_keys.cuh"
#include "scan/block/block_cuda.h"
#include "scan/cuda/tile_prefix.cuh"

/* What values are moved as; of none, nothing is. */
template <unsigned BYTES>
struct value_type {
    typedef uint32_t Value;
};
template <>
struct value_type<8> {
    typedef uint64_t Value;
};

/* How keys of a warp that have the same digit are told apart: by votes, in the order of lanes; or
   by counting alone, in whatever order that leaves them, which is looked at and put right
   afterwards: for keys without values, all of whose bits are sorted by. */
enum rank_method { RANK_BY_VOTES, RANK_BY_COUNTS };

/* RANKERS warps, ITEMS keys a lane, BLOCKS a multiprocessor at least; AT_ONCE tiles are looked back
   over at once; of every MATCHED keys of a lane, the first MASKED are matched by masks in shared
   memory and not by votes. COUNTED: the device alone knows how many elements there are. */
template <typename KEY, unsigned VALUE_BYTES, rank_method METHOD_, unsigned RANKER_WARPS,
          unsigned ITEMS_, unsigned BLOCKS_, unsigned AT_ONCE_ = 4, unsigned MASKED_ = 0,
          bool COUNTED_ = false>
struct digit_pass_shape {
    typedef KEY Key;
    typedef typename KEY::Bits Bits;
    typedef typename value_type<VALUE_BYTES>::Value AnyValue;
    static const rank_method METHOD = METHOD_;
    static const bool HAS_VALUES = VALUE_BYTES != 0, COUNTED = COUNTED_ || KEY::HAS_ABSENT;
    static const unsigned RANKERS = RANKER_WARPS, ITEMS = ITEMS_, BLOCKS = BLOCKS_;
    static const unsigned TURNS = METHOD == RANK_BY_COUNTS ? 2 : 1; /* tiles that may be repaired */
    static const unsigned AT_ONCE = AT_ONCE_, MASKED = MASKED_, MATCHED = 4;
    static const unsigned RANKING = 32 * RANKERS;  /* threads */
    static const unsigned PAIRS = SORT_DIGITS / 2; /* threads of the chain */
    static const unsigned THREADS = RANKING + PAIRS;
    static const unsigned TILE = RANKING * ITEMS;
    static_assert(ITEMS % MATCHED == 0, "keys are matched in groups");
    static_assert(TILE >= SORT_LEAST_TILE, "rows are cleared for as many");
    static_assert(TILE <= 32768, "a prefix is known up to 2^26, of at most 341 blocks");
    static_assert(METHOD == RANK_BY_VOTES || (!HAS_VALUES && !KEY::IS_FLOAT),
                  "equal digits are put in order by the keys' other bits");
};

template <typename S>
struct digit_pass_shared {
    static const unsigned HEAD = 16 / sizeof(typename S::Bits);
    /* The tile's keys, after a head of 16 bytes: its last place is compared with the first key. */
    alignas(16) typename S::Bits head_and_keys[HEAD + S::TILE];
    alignas(16) typename S::AnyValue values[S::HAS_VALUES ? S::TILE : 1];
    alignas(16) uint32_t rows[S::RANKERS][SORT_DIGITS];
    /* A digit's first element of the tile goes there, less its place: an index, of keys without
       values an address. */
    uint64_t to[S::TURNS][SORT_DIGITS];
    alignas(16) uint32_t masks[S::MASKED > 0 ? S::RANKERS : 1][S::MASKED > 0 ? SORT_DIGITS : 1];
    uint32_t warp_sums[S::PAIRS / 32];
    size_t n, tiles;     /* that there are, if COUNTED */
    uint32_t block;      /* its first tile */
    uint32_t disordered; /* the tile that was written last was not in order */
    uint32_t present;    /* elements of the tile, where some may be absent */

    /* keys()[-1] is the last place of the head. */
    __device__ __forceinline__ typename S::Bits *keys() { return head_and_keys + HEAD; }
};

template <typename S>
struct digit_pass_params {
    typedef typename S::Bits Bits;
    const sort_pass *pass;
    Bits *keys[SORT_PLACES];
    void *values[SORT_PLACES];
    size_t n, tiles;       /* at most */
    const uint64_t *count; /* of sort_cuda.h */
    digit_of<typename S::Key> digit;
    Bits flip;
    Bits beyond; /* stands for keys that are not there: ranks last */
    Bits known;  /* RANK_BY_COUNTS: bits that keys are in order by after this pass */
    bool indices, drops_keys;
    const uint64_t
        *nans;       /* NULL, or whether there are any: then the pass is this kernel's if that is */
    bool takes_nans; /* so */
    uint32_t *tiles_taken; /* NULL, or what blocks take their first tile from: those before it have
                                begun, whatever blocks the device holds at once */
    digit_chain<SORT_DIGITS / 2> chain;
    sort_bins bins;
    const uint64_t *kept; /* elements that are left after the first pass */
};

#endif
