parscan_sources(FILES
    apps/select/arg_reduce.c
    apps/select/arg_reduce_cpu.c
    apps/select/select_check.c
    apps/select/select_segments.c)
parscan_sources(EACH_TYPE FILES apps/select/arg_reduce_element.c)
