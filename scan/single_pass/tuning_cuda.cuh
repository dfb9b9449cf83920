/*
 * How blocks of the CUDA single pass are made, by the width of the type that is accumulated. Measured:
 * bench/notes/scan-cuda.md has the figures.
 */
#ifndef PARSCAN_SCAN_TUNING_CUDA_CUH
#define PARSCAN_SCAN_TUNING_CUDA_CUH

#include "scan/single_pass/single_pass_kernels.cuh"

/* SCANNERS, REDUCERS, VECTORS, STAGES */
template <typename In, typename T, unsigned WIDTH>
struct tuned_shape;
template <typename In, typename T>
struct tuned_shape<In, T, 1> {
    typedef single_pass_shape<In, T, 16, 8, 2, 8> warp_specialised;
};
template <typename In, typename T>
struct tuned_shape<In, T, 2> {
    typedef single_pass_shape<In, T, 16, 8, 4, 6> warp_specialised;
};
template <typename In, typename T>
struct tuned_shape<In, T, 4> {
    typedef single_pass_shape<In, T, 8, 4, 8, 6> warp_specialised;
};
template <typename In, typename T>
struct tuned_shape<In, T, 8> {
    typedef single_pass_shape<In, T, 8, 4, 8, 6> warp_specialised;
};

/* 1024 threads and tiles of 64 KiB at most fit any multiprocessor. A lane has all elements of its vectors in
   registers, one each: of the narrow, fewer vectors. */
template <typename In, typename T>
struct unspecialised_shape {
    static const bool NARROW = sizeof(T) == 1;
    typedef single_pass_shape<In, T, NARROW ? 16 : 8, 0, NARROW ? 2 : 4, 1> shape;
};

#endif
