parscan_sources(FILES
    apps/join/join.c
    apps/join/join_cpu.c
    apps/join/merge.c
    apps/join/merge_cpu.c
    apps/join/sets.c
    apps/join/sets_cpu.c)
parscan_sources(TYPES ${PARSCAN_KEY_CLASSES} FILES
    apps/join/join_kernels.c
    apps/join/set_kernels.c)
parscan_sources(PLAN FILES apps/join/merge_plan.c)
parscan_sources(CUDA FILES apps/join/join_cuda.c apps/join/merge_cuda.c apps/join/pair_cuda.c
    apps/join/sets_cuda.c)
parscan_sources(CUDA TYPES ${PARSCAN_KEY_CLASSES} FILES apps/join/merge_launches.cu apps/join/set_launches.cu)
