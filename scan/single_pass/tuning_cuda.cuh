/*
 * The shapes of the CUDA single pass, by the width of the output type. They were measured:
 * bench/notes/scan-cuda.md has the figures.
 */
#ifndef PARSCAN_SCAN_TUNING_CUDA_CUH
#define PARSCAN_SCAN_TUNING_CUDA_CUH

#include "scan/single_pass/single_pass_kernels.cuh"

/* The last template arguments are SCANNERS, REDUCERS, VECTORS, STAGES. */
template <typename In, typename T, unsigned WIDTH, typename Out = T>
struct tuned_shape;
template <typename In, typename T, typename Out>
struct tuned_shape<In, T, 1, Out> {
    typedef single_pass_shape<In, T, 16, 8, 2, 8> warp_specialised;
};
template <typename In, typename T, typename Out>
struct tuned_shape<In, T, 2, Out> {
    typedef single_pass_shape<In, T, 16, 8, 4, 6, Out> warp_specialised;
};
template <typename In, typename T, typename Out>
struct tuned_shape<In, T, 4, Out> {
    typedef single_pass_shape<In, T, 8, 4, 8, 6> warp_specialised;
};
template <typename In, typename T, typename Out>
struct tuned_shape<In, T, 8, Out> {
    typedef single_pass_shape<In, T, 8, 4, 8, 6> warp_specialised;
};

/* At most 1024 threads and tiles of at most 64 KiB fit every multiprocessor. A lane keeps all
   elements of its vectors in registers, one element in each. So narrow types have fewer vectors. */
template <typename In, typename T, typename Out = T>
struct unspecialised_shape {
    static const bool NARROW = sizeof(Out) == 1;
    typedef single_pass_shape<In, T, NARROW ? 16 : 8, 0, NARROW ? 2 : 4, 1, Out> shape;
};

#endif
