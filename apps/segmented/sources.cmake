parscan_sources(FILES
    apps/segmented/custom_results_cpu.c
    apps/segmented/custom_segmented_cpu.c
    apps/segmented/recurrence_axis.c
    apps/segmented/reduce_by_key.c
    apps/segmented/run_keys_cpu.c
    apps/segmented/segment_panel.c
    apps/segmented/segmented.c
    apps/segmented/segmented_cpu.c)
parscan_sources(EACH_TYPE FILES
    apps/segmented/recurrence_cpu.c
    apps/segmented/segmented_choose.c
    apps/segmented/segmented_element_cpu.c
    apps/segmented/segmented_ranges_cpu.c
    apps/segmented/segmented_tiles_cpu.c)
parscan_sources(EACH_TYPE EACH_SIMD FILES
    apps/segmented/recurrence_kernels.c
    apps/segmented/segmented_kernels.c)
parscan_sources(PLAN FILES apps/segmented/segmented_plan.c apps/segmented/recurrence_plan.c)
parscan_sources(CUDA FILES
    apps/segmented/custom_segmented_cuda.c
    apps/segmented/recurrence_axis_cuda.c
    apps/segmented/recurrence_cuda.c
    apps/segmented/reduce_by_key_cuda.c
    apps/segmented/segmented_chunks_cuda.c
    apps/segmented/segmented_cuda.c)
parscan_sources(CUDA TYPES ${PARSCAN_STORED_TYPE_NAMES} F32 F64
    FILES apps/segmented/recurrence_axis_launches.cu)
parscan_sources(CUDA TYPES ${PARSCAN_TYPE_NAMES} ${PARSCAN_STORED_TYPE_NAMES} FILES
    apps/segmented/recurrence_launches.cu
    apps/segmented/segmented_launches.cu)
