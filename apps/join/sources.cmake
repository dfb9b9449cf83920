parscan_sources(FILES
    apps/join/merge.c
    apps/join/merge_cpu.c)
