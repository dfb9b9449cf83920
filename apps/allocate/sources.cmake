parscan_sources(FILES
    apps/allocate/allocate.c
    apps/allocate/allocate_cpu.c
    apps/allocate/decode.c
    apps/allocate/decode_cpu.c
    apps/allocate/expand.c
    apps/allocate/expand_cpu.c
    apps/allocate/pack.c
    apps/allocate/pack_cpu.c
    apps/allocate/load_balance.c)
parscan_sources(EACH_SIMD FILES apps/allocate/pack_kernels.c)
# The types of offsets and indices.
parscan_sources(EACH_SIMD TYPES U32 U64 FILES apps/allocate/allocate_kernels.c)
# These, and those of values that are decoded.
parscan_sources(EACH_SIMD TYPES U8 U16 U32 U64 FILES apps/allocate/expand_kernels.c)
parscan_sources(PLAN FILES
    apps/allocate/allocate_plan.c
    apps/allocate/expand_plan.c
    apps/allocate/pack_plan.c)
parscan_sources(CUDA FILES
    apps/allocate/allocate_cuda.c
    apps/allocate/allocate_launches.cu
    apps/allocate/decode_launches.cu
    apps/allocate/expand_cuda.c
    apps/allocate/pack_cuda.c)
