/* CCCL's sort over several GPUs, where its sources are given (PARSCAN_BENCH_CCCL). Keys alone, in
   place, not stable. */
#include "peers_cccl.h"

#include <cuda/experimental/__multi_gpu/algorithm/sort/sort.h>
#include <cuda/experimental/__multi_gpu/nccl_communicator_ref.h>
#include <cuda/stream>

#include <cstdio>

extern "C" int bench_cccl_sort(ncclComm_t nccl, cudaStream_t stream, uint32_t *keys, size_t n)
{
    namespace cudax = cuda::experimental;
    try {
        cudax::nccl_communicator_ref comm(nccl);
        cuda::stream_ref on(stream);
        cudax::sort(cudax::distributed, comm, on, keys, n);
        on.sync();
    } catch (const std::exception &error) {
        fprintf(stderr, "bench_nccl: CCCL's sort: %s\n", error.what());
        return 1;
    }
    return 0;
}
