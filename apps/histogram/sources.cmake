list(APPEND parscan_sources
    apps/histogram/bin.c
    apps/histogram/bin_cpu.c
    apps/histogram/bin_tile.c
    apps/histogram/histogram.c
    apps/histogram/histogram_cpu.c
    apps/histogram/byte_histogram.c
    apps/histogram/counters.c)
list(APPEND parscan_element_sources
    apps/histogram/bin_map.c)
list(APPEND parscan_element_simd_sources
    apps/histogram/bin_map_kernels.c)
list(APPEND parscan_cuda_sources
    apps/histogram/bin_cuda.c
    apps/histogram/bin_launches_u32.cu
    apps/histogram/bin_launches_u64.cu
    apps/histogram/histogram_cuda.c
    apps/histogram/histogram_launches.cu)
list(APPEND parscan_no_cuda_sources
    apps/histogram/histogram_none.c)
