parscan_sources(FILES
    apps/distributed/comm.c
    apps/distributed/comm_exchange.c
    apps/distributed/dist_scan.c
    apps/distributed/dist_tree.c)
