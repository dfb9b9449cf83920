parscan_sources(FILES apps/gather/gather.c apps/gather/gather_cpu.c)
parscan_sources(EACH_SIMD FILES apps/gather/gather_kernels.c)
parscan_sources(PLAN FILES apps/gather/gather_plan.c)
parscan_sources(CUDA FILES apps/gather/gather_cuda.c apps/gather/gather_launches.cu)
