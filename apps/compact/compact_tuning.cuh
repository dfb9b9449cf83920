/* The shapes of blocks of compaction on CUDA, by the width of an element and the kind of test. */
#ifndef PARSCAN_APPS_COMPACT_TUNING_CUH
#define PARSCAN_APPS_COMPACT_TUNING_CUH

#include "apps/compact/compact_tiles.cuh"

/* The numbers are COMPACTORS, REDUCERS, CHUNKS, WORDS, STAGES. */
template <unsigned WIDTH, compact_test TEST>
struct compact_tuned;
template <compact_test TEST>
struct compact_tuned<1, TEST> {
    typedef compact_shape<1, TEST, 16, 8, 16, 32, 8> warp_specialised;
};
template <compact_test TEST>
struct compact_tuned<2, TEST> {
    typedef compact_shape<2, TEST, 16, 8, 16, 32, 5> warp_specialised;
};
template <compact_test TEST>
struct compact_tuned<4, TEST> {
    typedef compact_shape<4, TEST, 8, 8, 8, 32, 6> warp_specialised;
};
template <compact_test TEST>
struct compact_tuned<8, TEST> {
    typedef compact_shape<8, TEST, 8, 8, 8, 16, 6> warp_specialised;
};
/* Runs with their lengths write more: their tiles are small, which also suits small arrays. */
template <>
struct compact_tuned<1, COMPACT_RUNS> {
    typedef compact_shape<1, COMPACT_RUNS, 8, 8, 8, 32, 8> warp_specialised;
};
template <>
struct compact_tuned<2, COMPACT_RUNS> {
    typedef compact_shape<2, COMPACT_RUNS, 8, 8, 8, 32, 8> warp_specialised;
};
/* Flags are read beside the elements. */
template <>
struct compact_tuned<1, COMPACT_FLAGS> {
    typedef compact_shape<1, COMPACT_FLAGS, 16, 8, 16, 32, 5> warp_specialised;
};
template <>
struct compact_tuned<2, COMPACT_FLAGS> {
    typedef compact_shape<2, COMPACT_FLAGS, 8, 8, 8, 32, 6> warp_specialised;
};
template <>
struct compact_tuned<4, COMPACT_FLAGS> {
    typedef compact_shape<4, COMPACT_FLAGS, 8, 8, 8, 24, 6> warp_specialised;
};
template <>
struct compact_tuned<8, COMPACT_FLAGS> {
    typedef compact_shape<8, COMPACT_FLAGS, 8, 8, 8, 16, 5> warp_specialised;
};

/* The shape for few elements, at most a tile for each multiprocessor. Larger tiles would leave them to a
   few. */
template <unsigned WIDTH, compact_test TEST>
struct compact_small {
    typedef compact_shape<WIDTH, TEST, 8, 8, 8, WIDTH == 8 ? 8 : 16, 2> warp_specialised;
};

/* The shape for records that are gathered. The most stages. */
template <unsigned WIDTH, compact_test TEST>
struct compact_gathered {
    typedef compact_shape<WIDTH, TEST, 8, 8, 8, 16, WIDTH == 8 ? 4 : 6> warp_specialised;
};

/* The shapes of the unspecialised form: at least two blocks, mostly more, fit the shared memory
   of any multiprocessor. */
template <unsigned WIDTH, compact_test TEST>
struct compact_turns {
    typedef compact_shape<WIDTH, TEST, 8, 0, WIDTH == 1 ? 16 : 8, WIDTH == 8 ? 8 : 16, 1> shape;
};

#endif
