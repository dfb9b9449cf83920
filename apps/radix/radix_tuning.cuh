/*
 * The shapes of blocks of a radix sort's pass, by the bytes of a key and of a value
 * (bench/notes/sort-cuda.md).
 */
#ifndef PARSCAN_APPS_RADIX_RADIX_TUNING_CUH
#define PARSCAN_APPS_RADIX_RADIX_TUNING_CUH

#include "apps/radix/digit_pass_kernels.cuh"

/* RANKERS, ITEMS and MASKED of a shape with one block a multiprocessor. Pairs ranked by counts take
   more shared memory than SORT_LARGE_BYTES. */
template <unsigned KEY_BYTES, unsigned VALUE_BYTES, rank_method METHOD>
struct digit_pass_numbers;
#define SHAPE(key_bytes, value_bytes, method, rankers, items, masked)            \
    template <>                                                                  \
    struct digit_pass_numbers<key_bytes, value_bytes, method> {                  \
        static const unsigned RANKERS = rankers, ITEMS = items, MASKED = masked; \
    };
SHAPE(1, 0, RANK_BY_COUNTS, 20, 32, 0)
SHAPE(2, 0, RANK_BY_COUNTS, 20, 32, 0)
SHAPE(4, 0, RANK_BY_COUNTS, 20, 28, 0)
SHAPE(8, 0, RANK_BY_COUNTS, 20, 16, 0)
SHAPE(1, 4, RANK_BY_COUNTS, 20, 24, 0)
SHAPE(1, 8, RANK_BY_COUNTS, 16, 20, 0)
SHAPE(2, 4, RANK_BY_COUNTS, 20, 24, 0)
SHAPE(2, 8, RANK_BY_COUNTS, 16, 20, 0)
SHAPE(4, 4, RANK_BY_COUNTS, 16, 28, 0)
SHAPE(4, 8, RANK_BY_COUNTS, 16, 16, 0)
SHAPE(8, 4, RANK_BY_COUNTS, 12, 24, 0)
SHAPE(8, 8, RANK_BY_COUNTS, 12, 20, 0)
SHAPE(1, 0, RANK_BY_VOTES, 28, 24, 1)
SHAPE(1, 4, RANK_BY_VOTES, 20, 24, 0)
SHAPE(1, 8, RANK_BY_VOTES, 16, 24, 1)
SHAPE(2, 0, RANK_BY_VOTES, 28, 24, 1)
SHAPE(2, 4, RANK_BY_VOTES, 20, 24, 0)
SHAPE(2, 8, RANK_BY_VOTES, 16, 24, 1)
SHAPE(4, 0, RANK_BY_VOTES, 28, 24, 1)
SHAPE(4, 4, RANK_BY_VOTES, 16, 28, 0)
SHAPE(4, 8, RANK_BY_VOTES, 16, 20, 1)
SHAPE(8, 0, RANK_BY_VOTES, 20, 20, 1)
SHAPE(8, 4, RANK_BY_VOTES, 16, 20, 0)
SHAPE(8, 8, RANK_BY_VOTES, 12, 20, 0)
#undef SHAPE

template <typename KEY, unsigned VALUE_BYTES, rank_method METHOD, bool LARGE>
struct digit_pass_of {
    typedef digit_pass_numbers<sizeof(typename KEY::Bits), VALUE_BYTES, METHOD> numbers;
    typedef digit_pass_shape<KEY, VALUE_BYTES, METHOD, numbers::RANKERS, numbers::ITEMS, 1, 4,
                             numbers::MASKED>
        shape;
    typedef digit_pass_shape<KEY, VALUE_BYTES, METHOD, numbers::RANKERS, numbers::ITEMS, 1, 4,
                             numbers::MASKED, false, true>
        pieced;
    static_assert(shape::INDEXED ? sizeof(digit_pass_shared<shape>) <= SORT_COUNTED_PAIRS_BYTES
                                 : sizeof(digit_pass_shared<pieced>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
};

template <typename KEY, unsigned VALUE_BYTES, rank_method METHOD>
struct digit_pass_of<KEY, VALUE_BYTES, METHOD, false> {
    static const unsigned BYTES = sizeof(typename KEY::Bits) + VALUE_BYTES;
    /* Keys without values that are ranked by votes: fewer keys a lane make more tiles. */
    static const unsigned MORE = VALUE_BYTES == 0 && METHOD == RANK_BY_VOTES ? 0 : 4;
    static const unsigned ITEMS = BYTES > 8 ? 8 : BYTES == 8 ? 8 + MORE : 12 + MORE;
    typedef digit_pass_shape<KEY, VALUE_BYTES, METHOD, 12, ITEMS, 2, 8, 0> shape;
    typedef digit_pass_shape<KEY, VALUE_BYTES, METHOD, 12, ITEMS, 2, 8, 0, true> counted;
    static_assert(sizeof(digit_pass_shared<shape>) <= EVERYWHERE_BYTES,
                  "the block must fit shared memory");
};

#endif
