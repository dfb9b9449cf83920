parscan_sources(FILES apps/gather/gather.c apps/gather/gather_cpu.c)
parscan_sources(EACH_SIMD FILES apps/gather/gather_kernels.c)
