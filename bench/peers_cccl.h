/* CCCL's sort over several GPUs: keys alone, in place, not stable. Collective. */
#ifndef PARSCAN_BENCH_PEERS_CCCL_H
#define PARSCAN_BENCH_PEERS_CCCL_H

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0 when the sort is done; otherwise it has printed why not. */
int bench_cccl_sort(ncclComm_t nccl, cudaStream_t stream, uint32_t *keys, size_t n);

#ifdef __cplusplus
}
#endif
#endif
