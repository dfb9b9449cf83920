parscan_sources(FILES
    apps/sort/column_values.c
    apps/sort/sort.c
    apps/sort/sort_aside_cpu.c
    apps/sort/sort_axis.c
    apps/sort/sort_axis_cpu.c
    apps/sort/sort_columns.c
    apps/sort/sort_columns_cpu.c
    apps/sort/sort_columns_keys.c
    apps/sort/sort_common.c
    apps/sort/sort_counting.c
    apps/sort/sort_cpu.c
    apps/sort/sort_detect.c
    apps/sort/sort_octaves_cpu.c
    apps/sort/sort_partition_cpu.c
    apps/sort/sort_parts_cpu.c
    apps/sort/sort_runs_cpu.c
    apps/sort/sort_segments_cpu.c
    apps/sort/sort_vectors_cpu.c
    apps/sort/sort_window.c)
parscan_sources(EACH_SIMD FILES apps/sort/column_bits_kernels.c apps/sort/sort_kernels.c)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Where the branches of the kernels happen to lie was worth 5% of a sort (bench/notes/sort-cpu.md).
    set_source_files_properties(apps/sort/sort_kernels.c PROPERTIES COMPILE_OPTIONS
        "-falign-loops=32;-falign-jumps=32;-falign-labels=16")
endif()
parscan_sources(CUDA FILES
    apps/sort/bucket_launches.cu
    apps/sort/bucket_sort_cuda.c
    apps/sort/counting_cuda.c
    apps/sort/long_segments.cu
    apps/sort/number_rows.cu
    apps/sort/sort_appended_cuda.c
    apps/sort/sort_axis_cuda.c
    apps/sort/sort_columns_cuda.c
    apps/sort/sort_columns_launches.cu
    apps/sort/sort_cuda.c
    apps/sort/sort_cuts_cuda.c
    apps/sort/sort_parts_cuda.c
    apps/sort/sort_segments_cuda.c
    apps/sort/sort_windows.cu)
parscan_sources(CUDA TYPES U8 U16 ${PARSCAN_STORED_KEY_CLASSES} FILES apps/sort/counting_launches.cu)
parscan_sources(CUDA TYPES U32 U64 F32 FILES apps/sort/row_launches.cu)
parscan_sources(CUDA TYPES ${PARSCAN_KEY_CLASSES} FILES
    apps/sort/piece_launches.cu
    apps/sort/segment_launches.cu
    apps/sort/sort_launches.cu
    apps/sort/sort_parts_launches.cu)
parscan_sources(PLAN FILES
    apps/sort/sort_axis_plan.c
    apps/sort/sort_columns_plan.c
    apps/sort/sort_parts_plan.c
    apps/sort/sort_plan.c
    apps/sort/sort_segments_plan.c)
