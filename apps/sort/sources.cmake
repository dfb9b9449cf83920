list(APPEND parscan_sources
    apps/sort/sort.c
    apps/sort/sort_counting.c
    apps/sort/sort_cpu.c
    apps/sort/sort_detect.c
    apps/sort/sort_segments_cpu.c)
list(APPEND parscan_simd_sources
    apps/sort/sort_kernels.c)
list(APPEND parscan_cuda_sources
    apps/sort/segment_launches_f32.cu
    apps/sort/segment_launches_f64.cu
    apps/sort/segment_launches_u16.cu
    apps/sort/segment_launches_u32.cu
    apps/sort/segment_launches_u64.cu
    apps/sort/segment_launches_u8.cu
    apps/sort/segment_listed.cu
    apps/sort/sort_cuda.c
    apps/sort/sort_gather.cu
    apps/sort/sort_launches_f32.cu
    apps/sort/sort_launches_f64.cu
    apps/sort/sort_launches_u16.cu
    apps/sort/sort_launches_u32.cu
    apps/sort/sort_launches_u64.cu
    apps/sort/sort_launches_u8.cu
    apps/sort/sort_segments_cuda.c)
list(APPEND parscan_no_cuda_sources
    apps/sort/sort_none.c)
