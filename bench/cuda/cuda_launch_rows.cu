/*
 * What a short call cannot be shorter than: kernels launched as parscan's are, which start while the one before them ends, and do
 * nothing, or copy. A block has 512 threads and 16 KiB of the array.
 */
#include "cuda_bench.h"

enum { LAUNCH_THREADS = 512, LAUNCH_VECTORS = 2, LAUNCH_MOST_LOG2N = 22 };

static __device__ __forceinline__ void wait_and_allow()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

static __global__ void __launch_bounds__(LAUNCH_THREADS) do_nothing(const uint4 *, uint4 *, size_t)
{
    wait_and_allow();
}

static __global__ void __launch_bounds__(LAUNCH_THREADS)
    copy_vectors(const uint4 *in, uint4 *out, size_t vectors)
{
    const size_t first = blockIdx.x * (size_t)(LAUNCH_THREADS * LAUNCH_VECTORS) + threadIdx.x;
    uint4 held[LAUNCH_VECTORS];
    wait_and_allow();
#pragma unroll
    for (size_t k = 0, i = first; k < LAUNCH_VECTORS; k++, i += LAUNCH_THREADS)
        if (i < vectors)
            held[k] = in[i];
#pragma unroll
    for (size_t k = 0, i = first; k < LAUNCH_VECTORS; k++, i += LAUNCH_THREADS)
        if (i < vectors)
            out[i] = held[k];
}

typedef void launched(const uint4 *, uint4 *, size_t);

/* A contestant that launches the kernel. */
static void launches(group &g, const char *name, launched *kernel, double bytes)
{
    bench &b = g.b;
    const size_t vectors = (g.n * sizeof(uint32_t) + sizeof(uint4) - 1) / sizeof(uint4);
    int architecture = 0;
    MUST(cudaDeviceGetAttribute(&architecture, cudaDevAttrComputeCapabilityMajor, 0));
    g.all.push_back({name,
                     [=, &b](const void *in, void *out) {
                         cudaLaunchAttribute attribute = {};
                         attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
                         attribute.val.programmaticStreamSerializationAllowed = 1;
                         const size_t each = LAUNCH_THREADS * LAUNCH_VECTORS;
                         cudaLaunchConfig_t config = {};
                         config.gridDim = dim3((unsigned)((vectors + each - 1) / each));
                         config.blockDim = dim3(LAUNCH_THREADS);
                         config.stream = b.stream;
                         config.attrs = &attribute;
                         config.numAttrs = architecture >= 9 ? 1 : 0;
                         b.attempt(cudaLaunchKernelEx(&config, kernel, (const uint4 *)in,
                                                      (uint4 *)out, vectors));
                     },
                     bytes, BENCH_PEER, false, ""});
}

void launch_rows(bench &b)
{
    const auto make = [](group &g) {
        const size_t bytes =
            (g.n * sizeof(uint32_t) + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
        void *const in = g.read(bytes), *const out = g.write(bytes);
        MUST(cudaMemsetAsync(in, 1, bytes, g.b.stream));
        g.has_reference = false;
        g.chain(false);
        g.copy(out, in, bytes);
        launches(g, "nothing", do_nothing, 0);
        launches(g, "vectors", copy_vectors, 2.0 * (double)bytes);
    };
    each_size(b, "launch", "u32", "uniform", make, LAUNCH_MOST_LOG2N);
}
