list(APPEND parscan_sources
    scan/block/block_shape.c
    scan/context/check.c
    scan/context/context.c
    scan/context/host_memory.c
    scan/context/isa.c
    scan/context/memory.c
    scan/context/names.c
    scan/context/threads.c
    scan/scan.c)
list(APPEND parscan_element_sources
    scan/hierarchical/hierarchical_cpu.c
    scan/scan_cpu.c
    scan/reproducible/reproducible_cpu.c
    scan/sequential/sequential_cpu.c
    scan/single_pass/choose_kernels.c
    scan/single_pass/single_pass_cpu.c)
list(APPEND parscan_element_simd_sources
    scan/single_pass/tile_kernels.c)
list(APPEND parscan_cuda_sources
    scan/context/cuda_arrays.c
    scan/context/cuda_context.c
    scan/context/cuda_scratch.c
    scan/context/cuda_staging.c
    scan/hierarchical/hierarchical_cuda.c
    scan/scan_cuda.c)
list(APPEND parscan_cuda_element_sources
    scan/hierarchical/hierarchical_launches.cu
    scan/reproducible/reproducible_cuda.cu
    scan/single_pass/single_pass_cuda.cu)
list(APPEND parscan_no_cuda_sources
    scan/context/cuda_none.c)
