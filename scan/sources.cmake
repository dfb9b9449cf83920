parscan_sources(FILES
    scan/axis/axis.c
    scan/axis/axis_rows.c
    scan/axis/axis_rows_cpu.c
    scan/block/block_shape.c
    scan/context/check.c
    scan/context/context.c
    scan/context/host_memory.c
    scan/context/call_lengths.c
    scan/context/call_scalars.c
    scan/context/memory.c
    scan/context/names.c
    scan/context/page_memory.c
    scan/cpu/cpu_context.c
    scan/cpu/isa.c
    scan/cpu/processors.c
    scan/cpu/team.c
    scan/cpu/tiles.c
    scan/cpu/wait.c
    scan/custom/custom_arrays.c
    scan/custom/custom_blocks_cpu.c
    scan/custom/custom_check.c
    scan/custom/custom_cpu.c
    scan/custom/custom_pass_cpu.c
    scan/custom/custom_tree_cpu.c
    scan/custom/operator.c
    scan/custom/panel.c
    scan/scan.c
    scan/scan_cpu.c)
parscan_sources(EACH_TYPE FILES
    scan/axis/axis_cpu.c
    scan/axis/axis_lines_cpu.c
    scan/cpu/choose_kernels.c
    scan/hierarchical/hierarchical_cpu.c
    scan/reproducible/reproducible_cpu.c
    scan/scan_element_cpu.c
    scan/sequential/sequential_cpu.c
    scan/single_pass/single_pass_cpu.c)
parscan_sources(EACH_SIMD FILES scan/cpu/half_extremes.c scan/custom/panel_kernels.c)
parscan_sources(EACH_TYPE EACH_SIMD FILES
    scan/axis/column_kernels.c
    scan/cpu/tile_kernels.c
    scan/reproducible/row_kernels.c)
parscan_sources(CUDA FILES
    scan/axis/axis_cuda.c
    scan/axis/axis_rows_cuda.c
    scan/axis/move_lines.cu
    scan/axis/move_lines_cuda.c
    scan/cuda/cuda_arrays.c
    scan/cuda/cuda_memory.c
    scan/cuda/cuda_chunks.c
    scan/cuda/cuda_context.c
    scan/cuda/cuda_scratch.c
    scan/cuda/cuda_staging.c
    scan/cuda/deferred.c
    scan/cuda/driver.c
    scan/cuda/fetch.cu
    scan/hierarchical/hierarchical_cuda.c
    scan/scan_carry_cuda.c
    scan/scan_cuda.c)
parscan_sources(PLAN FILES scan/axis/axis_plan.c scan/axis/move_lines_plan.c scan/cuda/plan.c scan/scan_plan.c)
parscan_sources(CUDA TYPES ${PARSCAN_TYPE_NAMES} ${PARSCAN_STORED_TYPE_NAMES} FILES
    scan/axis/axis_launches.cu
    scan/axis/axis_tree_launches.cu
    scan/hierarchical/hierarchical_launches.cu
    scan/reproducible/reproducible_cuda.cu
    scan/single_pass/single_pass_cuda.cu)
