/*
 * Whether racecheck follows the barriers between groups of warps, as the sort's kernels use them
 * (group_sync(), group_arrive()). Two groups of a block hand each other a row of shared memory:
 *     racecheck_control ordered     racecheck must find nothing
 *     racecheck_control raced       the readers do not wait for the writers: racecheck must report it
 * Built with PARSCAN_RACECHECK. A clean report of the library proves something only where the second one is
 * not clean (tests/cuda/sanitize.sh).
 */
#include <stdio.h>
#include <string.h>

#include "scan/cuda/pipeline.cuh"

enum { GROUP_FILLED = 1, GROUP_EMPTIED, GROUP = 128, THREADS = 2 * GROUP, ROUNDS = 16 };

/* row[t] of round r is r t. */
static __device__ void fill(uint32_t *row)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        row[threadIdx.x] = round * threadIdx.x;
        __syncwarp();
        group_arrive(GROUP_FILLED, THREADS);
        group_sync(GROUP_EMPTIED, THREADS);
    }
}

/* Each reader takes what a thread of another warp has written. */
static __device__ uint32_t empty(const uint32_t *row, bool ordered)
{
    uint32_t sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        __syncwarp();
        if (ordered)
            group_sync(GROUP_FILLED, THREADS);
        else
            group_arrive(GROUP_FILLED, THREADS);
        sum += row[(threadIdx.x + 32) % GROUP];
        __syncwarp();
        group_sync(GROUP_EMPTIED, THREADS);
    }
    return sum;
}

static __global__ void hand_over(uint32_t *sums, bool ordered)
{
    __shared__ uint32_t row[GROUP];
    if (threadIdx.x == 0) {
        group_init(GROUP_FILLED, THREADS);
        group_init(GROUP_EMPTIED, THREADS);
    }
    __syncthreads();
    if (threadIdx.x < GROUP)
        fill(row);
    else
        sums[threadIdx.x - GROUP] = empty(row, ordered);
}

/* What reader t has in the end: of every round, what the thread 32 further wrote. */
static uint32_t sum_expected(uint32_t t)
{
    return (t + 32) % GROUP * (ROUNDS * (ROUNDS - 1) / 2);
}

int main(int argc, char **argv)
{
    const bool ordered = argc == 2 && strcmp(argv[1], "ordered") == 0;
    uint32_t *on_device, sums[GROUP];
    if (!ordered && (argc != 2 || strcmp(argv[1], "raced") != 0)) {
        fprintf(stderr, "usage: racecheck_control ordered|raced\n");
        return 2;
    }
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
        printf("racecheck_control: no CUDA device\n");
        return 77;
    }
    if (error == cudaSuccess)
        error = cudaMalloc(&on_device, sizeof sums);
    if (error == cudaSuccess) {
        hand_over<<<1, THREADS>>>(on_device, ordered);
        error = cudaGetLastError();
    }
    if (error == cudaSuccess)
        error = cudaMemcpy(sums, on_device, sizeof sums, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        fprintf(stderr, "racecheck_control: %s\n", cudaGetErrorString(error));
        return 2;
    }
    for (uint32_t t = 0; ordered && t < GROUP; t++)
        if (sums[t] != sum_expected(t)) {
            fprintf(stderr, "racecheck_control: reader %u has %u, not %u\n", t, sums[t],
                    sum_expected(t));
            return 1;
        }
    printf("racecheck_control: %s\n", argv[1]);
    return 0;
}
