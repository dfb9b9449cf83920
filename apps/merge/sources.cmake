parscan_sources(FILES
    apps/merge/key_order.c
    apps/merge/merge.c
    apps/merge/merge_split.c)
# The classes of keys: a signed integer is merged as an unsigned one.
parscan_sources(TYPES U8 U16 U32 U64 F32 F64 FILES apps/merge/merge_kernels.c)
# Keys in vectors are compared as signed integers.
parscan_sources(EACH_SIMD TYPES I32 I64 FILES apps/merge/merge_vectors.c)
