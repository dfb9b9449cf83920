parscan_sources(FILES
    apps/merge/key_order.c
    apps/merge/merge_runs.c
    apps/merge/merge_split.c
    apps/merge/merge_tile.c)
parscan_sources(TYPES ${PARSCAN_KEY_CLASSES} FILES apps/merge/merge_kernels.c)
# Keys in vectors are compared as signed integers.
parscan_sources(EACH_SIMD TYPES I32 I64 FILES apps/merge/merge_vectors.c apps/merge/places.c)
