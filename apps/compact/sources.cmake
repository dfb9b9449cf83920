list(APPEND parscan_sources
    apps/compact/compact.c
    apps/compact/compact_calls_cpu.c
    apps/compact/compact_cpu.c
    apps/compact/compact_records.c
    apps/compact/compress_table.c
    apps/compact/csr_cpu.c
    apps/compact/indices_cpu.c
    apps/compact/run_length_cpu.c)
list(APPEND parscan_element_sources
    apps/compact/compact_element.c)
list(APPEND parscan_simd_sources
    apps/compact/place_kernels.c)
list(APPEND parscan_element_simd_sources
    apps/compact/keep_kernels.c)
list(APPEND parscan_cuda_sources
    apps/compact/compact_cuda.c
    apps/compact/compact_launches.cu)
list(APPEND parscan_no_cuda_sources
    apps/compact/compact_none.c)
