/*
 * How blocks of a radix sort's pass are made, by the bytes of a key and of a value. Not yet
 * measured: what is to be varied is in bench/NOTES.md.
 */
#ifndef PARSCAN_APPS_SORT_SORT_TUNING_CUH
#define PARSCAN_APPS_SORT_SORT_TUNING_CUH

#include "apps/sort/digit_pass_kernels.cuh"

/* The bytes of shared memory that a block may have on any architecture: 64 KiB. */
#define EVERYWHERE_BYTES 65536u

/* RANKERS, ITEMS, BLOCKS, MASKED */
template <unsigned KEY_BYTES, unsigned VALUE_BYTES>
struct digit_pass_numbers;
#define SHAPE(key_bytes, value_bytes, rankers, items, blocks, masked)                             \
    template <>                                                                                   \
    struct digit_pass_numbers<key_bytes, value_bytes> {                                           \
        static const unsigned RANKERS = rankers, ITEMS = items, BLOCKS = blocks, MASKED = masked; \
    };
SHAPE(1, 0, 12, 24, 2, 0)
SHAPE(1, 4, 12, 16, 2, 0)
SHAPE(1, 8, 12, 12, 2, 0)
SHAPE(2, 0, 12, 24, 2, 0)
SHAPE(2, 4, 12, 16, 2, 0)
SHAPE(2, 8, 12, 12, 2, 0)
SHAPE(4, 0, 12, 24, 2, 0)
SHAPE(4, 4, 12, 16, 2, 0)
SHAPE(4, 8, 12, 8, 2, 0)
SHAPE(8, 0, 12, 12, 2, 0)
SHAPE(8, 4, 12, 8, 2, 0)
SHAPE(8, 8, 12, 8, 2, 0)
#undef SHAPE

template <typename KEY, unsigned VALUE_BYTES>
struct digit_pass_tuned {
    typedef digit_pass_numbers<sizeof(typename KEY::Bits), VALUE_BYTES> numbers;
    typedef digit_pass_shape<KEY, VALUE_BYTES, numbers::RANKERS, numbers::ITEMS, numbers::BLOCKS,
                             numbers::MASKED>
        shape;
    static_assert(digit_pass_bytes<shape>::all <= EVERYWHERE_BYTES, "of shared memory");
};

#endif
