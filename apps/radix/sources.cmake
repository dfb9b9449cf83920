parscan_sources(CUDA FILES
    apps/radix/gather.cu
    apps/radix/radix_cuda.c)
parscan_sources(PLAN FILES apps/radix/radix_sort_plan.c)
