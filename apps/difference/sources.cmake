parscan_sources(FILES
    apps/difference/difference.c
    apps/difference/difference_cpu.c)
parscan_sources(EACH_TYPE FILES apps/difference/difference_choose.c)
parscan_sources(EACH_TYPE EACH_SIMD FILES apps/difference/difference_kernels.c)
parscan_sources(CUDA FILES apps/difference/difference_cuda.c apps/difference/difference_launches.cu)
