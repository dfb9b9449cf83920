list(APPEND parscan_sources
    apps/allocate/allocate.c
    apps/allocate/allocate_cpu.c
    apps/allocate/expand.c
    apps/allocate/pack.c
    apps/allocate/shares.c
    apps/allocate/size_types.c)
list(APPEND parscan_simd_sources
    apps/allocate/allocate_kernels_u32.c
    apps/allocate/allocate_kernels_u64.c
    apps/allocate/expand_cpu_u32.c
    apps/allocate/expand_cpu_u64.c
    apps/allocate/pack_kernels.c)
list(APPEND parscan_cuda_sources
    apps/allocate/allocate_cuda.c
    apps/allocate/allocate_launches.cu
    apps/allocate/expand_cuda.c
    apps/allocate/pack_cuda.c)
list(APPEND parscan_no_cuda_sources
    apps/allocate/allocate_none.c)
