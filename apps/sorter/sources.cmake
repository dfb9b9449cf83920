parscan_sources(FILES
    apps/sorter/sorter.c
    apps/sorter/sorter_fill.c
    apps/sorter/sorter_merge.c
    apps/sorter/sorter_threads.c
    apps/sorter/spill_failure.c
    apps/sorter/spill_file.c
    apps/sorter/spill_folder.c)
