parscan_sources(FILES
    apps/order/order.c
    apps/order/sort_by_cpu.c)
parscan_sources(EACH_SIMD FILES apps/order/merge_lanes.c)
parscan_sources(CUDA FILES apps/order/sort_by_cuda.c)
