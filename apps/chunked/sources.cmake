parscan_sources(FILES
    apps/chunked/chunked.c
    apps/chunked/chunked_carry.c
    apps/chunked/chunked_compact.c
    apps/chunked/chunked_counts.c
    apps/chunked/chunked_scan.c
    apps/chunked/chunked_select.c)
