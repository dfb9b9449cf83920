list(APPEND parscan_sources
    apps/sort/sort.c
    apps/sort/sort_counting.c
    apps/sort/sort_cpu.c
    apps/sort/sort_detect.c
    apps/sort/sort_segments_cpu.c)
list(APPEND parscan_simd_sources
    apps/sort/sort_kernels.c)
