list(APPEND parscan_sources
    apps/segmented/check_segments.c
    apps/segmented/heads_choose.c
    apps/segmented/segmented.c)
list(APPEND parscan_element_sources
    apps/segmented/recurrence_cpu.c
    apps/segmented/segmented_choose.c
    apps/segmented/segmented_cpu.c
    apps/segmented/segmented_ranges_cpu.c
    apps/segmented/segmented_tiles_cpu.c)
list(APPEND parscan_simd_sources
    apps/segmented/heads.c)
list(APPEND parscan_element_simd_sources
    apps/segmented/recurrence_kernels.c
    apps/segmented/segmented_kernels.c)
list(APPEND parscan_cuda_sources
    apps/segmented/mark_offsets.cu
    apps/segmented/recurrence_cuda.c
    apps/segmented/segmented_cuda.c)
list(APPEND parscan_cuda_element_sources
    apps/segmented/recurrence_launches.cu
    apps/segmented/segmented_launches.cu)
list(APPEND parscan_no_cuda_sources
    apps/segmented/segmented_none.c)
