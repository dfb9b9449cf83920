parscan_sources(FILES
    apps/compact/compact.c
    apps/compact/compact_call_cpu.c
    apps/compact/compact_checks.c
    apps/compact/compact_count_cpu.c
    apps/compact/compact_cpu.c
    apps/compact/compact_csr.c
    apps/compact/compact_predicate.c
    apps/compact/compact_records.c
    apps/compact/compact_runs.c
    apps/compact/compact_summary.c
    apps/compact/compact_tile_cpu.c
    apps/compact/csr_cpu.c
    apps/compact/custom_keep_cpu.c
    apps/compact/flags_cpu.c
    apps/compact/flags_if.c
    apps/compact/indices_cpu.c
    apps/compact/run_flags_cpu.c
    apps/compact/run_length_cpu.c
    apps/compact/unique_by.c)
parscan_sources(TYPES ${PARSCAN_TYPE_NAMES} ${PARSCAN_STORED_TYPE_NAMES} FILES apps/compact/compact_element.c)
parscan_sources(EACH_SIMD FILES apps/compact/place_kernels.c)
parscan_sources(TYPES ${PARSCAN_TYPE_NAMES} ${PARSCAN_STORED_TYPE_NAMES} EACH_SIMD FILES apps/compact/keep_kernels.c)
parscan_sources(PLAN FILES apps/compact/compact_plan.c)
parscan_sources(CUDA FILES
    apps/compact/compact_chunks_cuda.c
    apps/compact/compact_cuda.c
    apps/compact/compact_launches.cu
    apps/compact/compact_records_launches.cu
    apps/compact/flags_cuda.c
    apps/compact/predicate_launches.cu)
