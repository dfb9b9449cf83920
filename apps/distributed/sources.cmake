parscan_sources(FILES
    apps/distributed/comm.c
    apps/distributed/comm_exchange.c
    apps/distributed/dist_allocate.c
    apps/distributed/dist_bin.c
    apps/distributed/dist_borders.c
    apps/distributed/dist_compact.c
    apps/distributed/dist_histogram.c
    apps/distributed/dist_pieces.c
    apps/distributed/dist_rebalance.c
    apps/distributed/dist_scan.c
    apps/distributed/dist_segmented.c
    apps/distributed/dist_tree.c)
parscan_sources(CUDA FILES apps/distributed/comm_stage_cuda.c)
