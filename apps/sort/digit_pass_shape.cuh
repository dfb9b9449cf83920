/*
 * How a block of a radix sort's pass is made (digit_pass_kernels.cuh), what it keeps in shared
 * memory, and what a launch tells it.
 */
#ifndef PARSCAN_APPS_SORT_DIGIT_PASS_SHAPE_CUH
#define PARSCAN_APPS_SORT_DIGIT_PASS_SHAPE_CUH

#include "apps/sort/digit_keys.cuh"
#include "scan/single_pass/tile_prefix.cuh"

/* What values are moved as; of none, nothing is. */
template <unsigned BYTES>
struct value_type {
    typedef uint32_t Value;
};
template <>
struct value_type<8> {
    typedef uint64_t Value;
};

/* RANKERS warps, ITEMS keys a lane, BLOCKS a multiprocessor at least; of every MATCHED keys of a
   lane, the first MASKED are matched by masks in shared memory and not by votes. */
template <typename KEY, unsigned VALUE_BYTES, unsigned RANKER_WARPS, unsigned ITEMS_,
          unsigned BLOCKS_, unsigned MASKED_ = 0>
struct digit_pass_shape {
    typedef KEY Key;
    typedef typename KEY::Bits Bits;
    typedef typename value_type<VALUE_BYTES>::Value AnyValue;
    static const bool HAS_VALUES = VALUE_BYTES != 0;
    static const unsigned RANKERS = RANKER_WARPS, ITEMS = ITEMS_, BLOCKS = BLOCKS_;
    static const unsigned MASKED = MASKED_, MATCHED = 4;
    static const unsigned RANKING = 32 * RANKERS;  /* threads */
    static const unsigned PAIRS = SORT_DIGITS / 2; /* threads of the chain */
    static const unsigned THREADS = RANKING + PAIRS;
    static const unsigned TILE = RANKING * ITEMS;
    static_assert(ITEMS % MATCHED == 0, "keys are matched in groups");
};

/* In shared memory: values, keys, then this. Values first: they are the more aligned. */
template <typename S>
struct digit_pass_shared {
    alignas(16) uint32_t rows[S::RANKERS][SORT_DIGITS];
    uint64_t to[SORT_DIGITS]; /* a digit's first element of the tile goes there, less its place */
    alignas(16) uint32_t masks[S::MASKED > 0 ? S::RANKERS : 1][S::MASKED > 0 ? SORT_DIGITS : 1];
    uint32_t warp_sums[S::PAIRS / 32];
    uint32_t tag;
};

template <typename S>
struct digit_pass_bytes {
    static const size_t values = S::HAS_VALUES ? (size_t)S::TILE * sizeof(typename S::AnyValue) : 0;
    static const size_t keys = (size_t)S::TILE * sizeof(typename S::Bits);
    static const size_t all = values + keys + sizeof(digit_pass_shared<S>);
};

template <typename S>
struct digit_pass_call {
    typedef typename S::Bits Bits;
    const sort_pass *pass;
    Bits *keys[SORT_PLACES];
    void *values[SORT_PLACES];
    size_t n, tiles;
    digit_of<typename S::Key> digit;
    Bits beyond; /* stands for keys that are not there: ranks last */
    bool numbers, drops_keys;
    tile_chain chain;
    uint32_t rows;
};

#endif
