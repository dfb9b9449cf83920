parscan_sources(CUDA FILES
    apps/radix/gather.cu
    apps/radix/radix_cuda.c)
