parscan_sources(FILES
    apps/select/arg_reduce.c
    apps/select/arg_reduce_cpu.c
    apps/select/select_axis.c
    apps/select/select_check.c
    apps/select/select_segments.c
    apps/select/top_entries.c
    apps/select/top_k.c
    apps/select/top_k_cpu.c
    apps/select/top_search.c
    apps/select/top_write.c)
parscan_sources(EACH_SIMD TYPES ${PARSCAN_KEY_CLASSES} FILES apps/select/top_k_kernels.c)
parscan_sources(EACH_TYPE FILES apps/select/arg_reduce_element.c)
parscan_sources(PLAN FILES apps/select/arg_reduce_plan.c apps/select/top_k_plan.c)
parscan_sources(CUDA FILES apps/select/arg_reduce_axis_cuda.c apps/select/arg_reduce_cuda.c apps/select/select_cuda.c apps/select/top_k_cuda.c)
parscan_sources(CUDA TYPES U8 U16 U32 U64 FILES apps/select/arg_reduce_axis_launches.cu
    apps/select/arg_reduce_launches.cu apps/select/top_k_launches.cu)
