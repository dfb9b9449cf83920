/* Values of any size by their indices, and heads of segments, on CUDA. */
#include "apps/sort/sort_cuda.h"

#include "apps/sort/digit_keys.cuh"
#include "scan/context/context.h"

enum { GATHER_THREADS = 256 };

template <typename UNIT>
struct gather_units_call {
    const UNIT *in;
    UNIT *out;
    const void *index;
    size_t n;
    const uint64_t *count;
    unsigned units; /* of a value */
    bool wide;      /* indices have 8 bytes */
};

/* A warp has 32 values at a time, a lane their units l, 32 + l, ...: whole lines are written. */
template <typename UNIT>
static __global__ void __launch_bounds__(GATHER_THREADS)
    gather_units(const __grid_constant__ gather_units_call<UNIT> call)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * GATHER_THREADS / 32;
    const size_t n = call.count == NULL ? call.n : *call.count;
    size_t warp = ((size_t)blockIdx.x * GATHER_THREADS + threadIdx.x) / 32;
    for (; warp < (n + 31) / 32; warp += warps) {
        const size_t base = warp * 32;
        const unsigned values = n - base < 32 ? (unsigned)(n - base) : 32;
        for (unsigned unit = lane; unit < values * call.units; unit += 32) {
            const unsigned value = unit / call.units, part = unit % call.units;
            const size_t from = call.wide ? ((const uint64_t *)call.index)[base + value]
                                          : ((const uint32_t *)call.index)[base + value];
            call.out[base * call.units + unit] = call.in[from * call.units + part];
        }
    }
}

template <typename Call>
static cudaError_t launch_flat(parscan_context *context, void (*function)(Call), Call &on_device,
                               size_t threads)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(context->cuda, (const void *)function, GATHER_THREADS, 0, &kernel);
    if (error != cudaSuccess)
        return error;
    const size_t useful = threads / GATHER_THREADS + 1;
    void *arguments[] = {&on_device};
    return cudaLaunchKernel((const void *)function,
                            dim3(useful < kernel.blocks ? (unsigned)useful : kernel.blocks),
                            dim3(GATHER_THREADS), arguments, 0, context->cuda->stream);
}

template <typename UNIT>
static cudaError_t gather(parscan_context *context, const parscan_gather_call *call)
{
    gather_units_call<UNIT> on_device = {(const UNIT *)call->in,
                                         (UNIT *)call->out,
                                         call->index,
                                         call->n,
                                         call->count,
                                         (unsigned)(call->size / sizeof(UNIT)),
                                         call->index_size == 8};
    return launch_flat(context, gather_units<UNIT>, on_device, call->n);
}

static parscan_status status_of(parscan_context *context, cudaError_t error)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

parscan_status parscan_gather_cuda(parscan_context *context, const parscan_gather_call *call)
{
    const uintptr_t all = (uintptr_t)call->in | (uintptr_t)call->out | call->size;
    return status_of(context, all % 16 == 0  ? gather<uint4>(context, call)
                              : all % 8 == 0 ? gather<uint64_t>(context, call)
                              : all % 4 == 0 ? gather<uint32_t>(context, call)
                              : all % 2 == 0 ? gather<uint16_t>(context, call)
                                             : gather<uint8_t>(context, call));
}

template <typename DATA, typename HEAD>
struct heads_call {
    const DATA *data;
    HEAD *heads;
    size_t n, count;
    bool flags;
    unsigned long long *deferred;
};

/* By flags, or where keys differ. */
template <typename DATA, typename HEAD>
static __global__ void __launch_bounds__(GATHER_THREADS)
    mark_heads(const __grid_constant__ heads_call<DATA, HEAD> call)
{
    const size_t threads = (size_t)gridDim.x * GATHER_THREADS;
    for (size_t i = (size_t)blockIdx.x * GATHER_THREADS + threadIdx.x; i < call.n; i += threads) {
        const DATA key = call.data[i], before = i > 0 ? call.data[i - 1] : key;
        const bool nans = before != before && key != key;
        const bool starts = call.flags ? key != 0 : key != before && !nans;
        call.heads[i] = i == 0 || starts;
    }
}

/* All heads are 0 before, but those of offsets. What is wrong with them is left for
   parscan_synchronize(). */
template <typename DATA, typename HEAD>
static __global__ void __launch_bounds__(GATHER_THREADS)
    mark_offsets(const __grid_constant__ heads_call<DATA, HEAD> call)
{
    const size_t threads = (size_t)gridDim.x * GATHER_THREADS;
    for (size_t k = (size_t)blockIdx.x * GATHER_THREADS + threadIdx.x; k <= call.count;
         k += threads) {
        const uint64_t begin = call.data[k], end = k < call.count ? call.data[k + 1] : call.n;
        if (begin > end || (k == 0 && begin != 0) || (k == call.count && begin != call.n)) {
            if (atomicCAS(call.deferred, 0ull,
                          (unsigned long long)PARSCAN_ERROR_INVALID_ARGUMENT) == 0)
                atomicExch(call.deferred + 1, (unsigned long long)k);
        }
        if (begin < call.n)
            call.heads[begin] = 1;
    }
}

template <typename DATA, typename HEAD>
static cudaError_t heads_of(parscan_context *context, const parscan_segments *segments, HEAD *heads,
                            size_t n)
{
    const bool offsets = segments->kind == PARSCAN_SEGMENTS_OFFSETS;
    heads_call<DATA, HEAD> on_device = {(const DATA *)segments->data,
                                        heads,
                                        n,
                                        segments->count,
                                        segments->kind == PARSCAN_SEGMENTS_FLAGS,
                                        NULL};
    if (!offsets)
        return launch_flat(context, mark_heads<DATA, HEAD>, on_device, n);
    on_device.deferred = (unsigned long long *)parscan_cuda_deferred(context);
    cudaError_t error = cudaSuccess;
    if (n > 0)
        error = cudaMemsetAsync(heads, 0, n * sizeof(HEAD), context->cuda->stream);
    return error == cudaSuccess
               ? launch_flat(context, mark_offsets<DATA, HEAD>, on_device, on_device.count + 1)
               : error;
}

template <typename HEAD>
static cudaError_t heads_to(parscan_context *context, const parscan_segments *segments, HEAD *heads,
                            size_t n)
{
    if (segments->kind == PARSCAN_SEGMENTS_FLAGS)
        return heads_of<uint8_t>(context, segments, heads, n);
    switch (segments->type) {
    case PARSCAN_U8:
    case PARSCAN_I8:
        return heads_of<uint8_t>(context, segments, heads, n);
    case PARSCAN_U16:
    case PARSCAN_I16:
        return heads_of<uint16_t>(context, segments, heads, n);
    case PARSCAN_U32:
    case PARSCAN_I32:
        return heads_of<uint32_t>(context, segments, heads, n);
    case PARSCAN_U64:
    case PARSCAN_I64:
        return heads_of<uint64_t>(context, segments, heads, n);
    case PARSCAN_F32:
        return heads_of<float>(context, segments, heads, n);
    default:
        return heads_of<double>(context, segments, heads, n);
    }
}

parscan_status parscan_segment_heads_cuda(parscan_context *context,
                                          const parscan_segments *segments, void *heads,
                                          size_t head_size, size_t n)
{
    return status_of(context, head_size == 4 ? heads_to(context, segments, (uint32_t *)heads, n)
                                             : heads_to(context, segments, (uint64_t *)heads, n));
}
