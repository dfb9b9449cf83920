parscan_sources(FILES apps/merge/key_order.c)
