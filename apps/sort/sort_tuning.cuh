/*
 * How blocks of a radix sort's pass are made, by the bytes of a key and of a value (bench/NOTES.md).
 */
#ifndef PARSCAN_APPS_SORT_SORT_TUNING_CUH
#define PARSCAN_APPS_SORT_SORT_TUNING_CUH

#include "apps/sort/digit_pass_kernels.cuh"

/* The bytes of shared memory that a block may have on any architecture: 64 KiB. */
#define EVERYWHERE_BYTES 65536u

/* Keys from which on the histogram's counters may be as many as it likes. */
#define MANY_KEYS ((size_t)1 << 22)

/* RANKERS, ITEMS, BLOCKS */
template <unsigned KEY_BYTES, unsigned VALUE_BYTES, rank_method METHOD>
struct digit_pass_numbers;
#define SHAPE(key_bytes, value_bytes, method, rankers, items, blocks)            \
    template <>                                                                  \
    struct digit_pass_numbers<key_bytes, value_bytes, method> {                  \
        static const unsigned RANKERS = rankers, ITEMS = items, BLOCKS = blocks; \
    };
SHAPE(1, 0, RANK_BY_COUNTS, 12, 24, 2)
SHAPE(2, 0, RANK_BY_COUNTS, 12, 24, 2)
SHAPE(4, 0, RANK_BY_COUNTS, 12, 24, 2)
SHAPE(8, 0, RANK_BY_COUNTS, 12, 12, 2)
SHAPE(1, 0, RANK_BY_VOTES, 12, 24, 2)
SHAPE(1, 4, RANK_BY_VOTES, 12, 16, 2)
SHAPE(1, 8, RANK_BY_VOTES, 12, 12, 2)
SHAPE(2, 0, RANK_BY_VOTES, 12, 24, 2)
SHAPE(2, 4, RANK_BY_VOTES, 12, 16, 2)
SHAPE(2, 8, RANK_BY_VOTES, 12, 12, 2)
SHAPE(4, 0, RANK_BY_VOTES, 12, 24, 2)
SHAPE(4, 4, RANK_BY_VOTES, 12, 16, 2)
SHAPE(4, 8, RANK_BY_VOTES, 12, 8, 2)
SHAPE(8, 0, RANK_BY_VOTES, 12, 12, 2)
SHAPE(8, 4, RANK_BY_VOTES, 12, 8, 2)
SHAPE(8, 8, RANK_BY_VOTES, 12, 8, 2)
#undef SHAPE

template <typename KEY, unsigned VALUE_BYTES, rank_method METHOD>
struct digit_pass_of {
    typedef digit_pass_numbers<sizeof(typename KEY::Bits), VALUE_BYTES, METHOD> numbers;
    typedef digit_pass_shape<KEY, VALUE_BYTES, METHOD, numbers::RANKERS, numbers::ITEMS,
                             numbers::BLOCKS>
        shape;
    static_assert(sizeof(digit_pass_shared<shape>) <= EVERYWHERE_BYTES, "of shared memory");
};

#endif
