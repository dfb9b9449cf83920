list(APPEND parscan_sources
    apps/segmented/check_segments.c)
