parscan_sources(FILES
    apps/histogram/bin.c
    apps/histogram/bin_cpu.c
    apps/histogram/bin_tile.c
    apps/histogram/byte_histogram.c
    apps/histogram/count_in_tables.c
    apps/histogram/counters.c
    apps/histogram/half_bins.c
    apps/histogram/histogram.c
    apps/histogram/histogram_cpu.c)
parscan_sources(EACH_TYPE FILES apps/histogram/bin_map.c)
parscan_sources(EACH_TYPE EACH_SIMD FILES apps/histogram/bin_map_kernels.c)
parscan_sources(EACH_SIMD FILES apps/histogram/half_bins_kernels.c)
parscan_sources(CUDA FILES
    apps/histogram/bin_cuda.c
    apps/histogram/count_bins.cu
    apps/histogram/histogram_cuda.c
    apps/histogram/histogram_launches.cu)
parscan_sources(CUDA TYPES U32 U64 FILES apps/histogram/bin_launches.cu)
parscan_sources(PLAN FILES
    apps/histogram/bin_plan.c
    apps/histogram/histogram_plan.c)
