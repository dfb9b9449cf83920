parscan_sources(FILES apps/search/bounds.c apps/search/bounds_cpu.c)
parscan_sources(TYPES ${PARSCAN_KEY_CLASSES} FILES apps/search/bounds_kernels.c)
