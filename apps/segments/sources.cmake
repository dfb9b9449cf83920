parscan_sources(FILES
    apps/segments/check_segments.c
    apps/segments/find_heads.c)
parscan_sources(EACH_SIMD FILES apps/segments/heads.c)
parscan_sources(CUDA FILES
    apps/segments/found_offsets_cuda.c
    apps/segments/half_heads.cu
    apps/segments/mark_heads.cu
    apps/segments/mark_offsets.cu
    apps/segments/row_offsets.cu)
