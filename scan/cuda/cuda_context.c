/*
 * Contexts on CUDA: the device, the stream, memory, errors.
 *
 * All work goes to the context's stream in order. Only parscan_synchronize() waits for the stream,
 * and functions that bring a result to host memory.
 */
#include "scan/cuda/cuda_context.h"

#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/context/cancellation.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/cuda/cuda_memory.h"

/* How much memory of the device is free, for messages that it is out of memory. "" if CUDA cannot
   tell. */
static const char *memory_left(char words[96])
{
    size_t free_bytes, all;
    words[0] = '\0';
    if (cudaMemGetInfo(&free_bytes, &all) == cudaSuccess)
        snprintf(words, 96, ": %zu of its %zu bytes are free", free_bytes, all);
    cudaGetLastError();
    return words;
}

parscan_status parscan_cuda_fail(parscan_context *context, cudaError_t error, const char *what)
{
    char left[96];
    cudaGetLastError();
    if (error != cudaErrorMemoryAllocation)
        return parscan_fail(context, PARSCAN_ERROR_DEVICE, "%s: %s", what,
                            cudaGetErrorString(error));
    return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "%s: the device is out of memory%s",
                        what, memory_left(left));
}

parscan_status parscan_cuda_check(parscan_context *context, cudaError_t error, const char *what)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, what);
}

/* If CUDA cannot tell, the stream may be captured: returns true. */
static bool is_capturing(const parscan_cuda *cuda)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cuda->stream == NULL)
        return false;
    if (cudaStreamIsCapturing(cuda->stream, &capture) == cudaSuccess)
        return capture != cudaStreamCaptureStatusNone;
    cudaGetLastError();
    return true;
}

parscan_status parscan_cuda_begin(parscan_context *context, const char *range)
{
    parscan_cuda *const cuda = context->cuda;
    nvtxRangePushA(range);
    if (cuda->depth++ > 0)
        return PARSCAN_OK;
    cuda->cancellation = parscan_hold_cancellation();
    cuda->scratch.in_use = cuda->beside.in_use = cuda->chain.in_use = cuda->slots_in_use = false;
    cuda->held = 0;
    memset(cuda->staged_in_use, 0, sizeof cuda->staged_in_use);
    cuda->device_before = cuda->device; /* if the device of before is not told */
    if (cuda->measures)
        return PARSCAN_OK;
    parscan_status status =
        parscan_cuda_check(context, cudaGetDevice(&cuda->device_before), "the current device");
    if (status == PARSCAN_OK && cuda->device_before != cuda->device)
        status = parscan_cuda_check(context, cudaSetDevice(cuda->device), "the context's device");
    cuda->captured = cuda->captured || is_capturing(cuda);
    return status;
}

parscan_status parscan_cuda_end(parscan_context *context, parscan_status status)
{
    parscan_cuda *const cuda = context->cuda;
    nvtxRangePop();
    if (--cuda->depth > 0)
        return status;
    if (cuda->device_before != cuda->device)
        cudaSetDevice(cuda->device_before);
    parscan_allow_cancellation(cuda->cancellation);
    return status;
}

parscan_status parscan_cuda_no_memory(parscan_context *context, size_t size)
{
    char left[96];
    cudaGetLastError();
    return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                        "the device has no memory for %zu bytes%s", size, memory_left(left));
}

parscan_status parscan_cuda_check_size(parscan_context *context, cudaError_t error, size_t size)
{
    if (error == cudaErrorMemoryAllocation)
        return parscan_cuda_no_memory(context, size);
    return parscan_cuda_check(context, error, "an allocation");
}

static parscan_status refuse_capture_of(parscan_context *context, cudaStream_t stream,
                                        const char *what)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &capture);
    if (error == cudaSuccess && capture == cudaStreamCaptureStatusNone)
        return PARSCAN_OK;
    if (error != cudaSuccess && error != cudaErrorStreamCaptureImplicit)
        return parscan_cuda_fail(context, error, "the context's stream");
    cudaGetLastError();
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "%s cannot be captured in a graph",
                        what);
}

parscan_status parscan_cuda_refuse_in_capture(parscan_context *context, const char *what)
{
    return context->cuda->measures ? PARSCAN_OK
                                   : refuse_capture_of(context, context->cuda->stream, what);
}

/* How many of the blocks that the device holds at once the context may have there now. */
static unsigned may_stay(const parscan_cuda *cuda, unsigned held)
{
    const unsigned each = held / (unsigned)cuda->multiprocessors;
    const unsigned most = held - each * cuda->left_free;
    return cuda->most_blocks != 0 && cuda->most_blocks < most ? cuda->most_blocks : most;
}

size_t parscan_cuda_few_blocks(const parscan_cuda *cuda)
{
    return may_stay(cuda, PARSCAN_FEW_BLOCKS * (unsigned)cuda->multiprocessors);
}

/* Where the kernels cannot be asked, the most blocks that a device may hold: those for which it has
   threads and shared memory. A multiprocessor keeps 1 KiB of that for each block. */
static unsigned most_blocks_of(const parscan_plan_device *device, unsigned threads,
                               size_t shared_bytes)
{
    const size_t most_threads = 2048, most_blocks = 32, kept = 1024;
    size_t each = (device->shared_bytes + kept) / (shared_bytes + kept);
    each = each < most_threads / threads ? each : most_threads / threads;
    each = each < most_blocks ? each : most_blocks;
    return (unsigned)((each > 0 ? each : 1) * device->multiprocessors);
}

/* Fills a kernel's entry. The first question about a kernel may load it, which a capture on this thread
   would otherwise not allow. */
static cudaError_t ask_kernel(const parscan_cuda *cuda, parscan_cuda_kernel *kernel)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    struct cudaFuncAttributes attributes = {0};
    int each = 0;
    cudaError_t error = cudaThreadExchangeStreamCaptureMode(&mode);
    if (error != cudaSuccess)
        return error;
    error = cudaFuncGetAttributes(&attributes, kernel->function);
    /* The limit only grows: another shape may need what was allowed before. */
    if (error == cudaSuccess && kernel->shared_bytes > (size_t)attributes.maxDynamicSharedSizeBytes)
        error = cudaFuncSetAttribute(kernel->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)kernel->shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, kernel->function, (int)kernel->threads, kernel->shared_bytes);
    if (error == cudaSuccess && each == 0)
        error = cudaErrorLaunchOutOfResources;
    kernel->blocks = (unsigned)(each * cuda->multiprocessors);
    kernel->architecture = attributes.ptxVersion;
    const cudaError_t restored = cudaThreadExchangeStreamCaptureMode(&mode);
    return error == cudaSuccess ? restored : error;
}

cudaError_t parscan_cuda_kernel_of(parscan_cuda *cuda, const void *function, unsigned threads,
                                   size_t shared_bytes, parscan_cuda_kernel *kernel)
{
    parscan_cuda_kernel *const known =
        parscan_cuda_kernel_entry(cuda->known, function, threads, shared_bytes);
    if (!parscan_cuda_kernel_is(known, function, threads, shared_bytes)) {
        parscan_cuda_kernel asked = {
            .function = function, .threads = threads, .shared_bytes = shared_bytes};
        if (cuda->measures) {
            asked.blocks = most_blocks_of(&cuda->plan_device, threads, shared_bytes);
            asked.architecture = cuda->plan_device.architecture;
        } else {
            const cudaError_t error = ask_kernel(cuda, &asked);
            if (error != cudaSuccess)
                return error;
        }
        *known = asked;
    }
    *kernel = *known;
    kernel->blocks = may_stay(cuda, known->blocks);
    return cudaSuccess;
}

/* Why there is no device. Without any driver, CUDA's own message is that the driver is too old. */
static const char *no_device_words(cudaError_t error)
{
    int driver = 0;
    if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
        driver == 0)
        return "this machine has no CUDA driver";
    return error != cudaSuccess ? cudaGetErrorString(error) : "none was found";
}

static parscan_status choose_device(parscan_context *context,
                                    const parscan_context_options *options)
{
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        const char *const words = no_device_words(error);
        cudaGetLastError();
        return parscan_fail(context, PARSCAN_ERROR_BACKEND, "backend = cuda: no device: %s", words);
    }
    const int device = options != NULL ? options->device : 0;
    if (device < 0 || device >= devices)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "device = %d: it must be less than %d, the number of devices", device,
                            devices);
    context->cuda->device = device;
    return PARSCAN_OK;
}

/* A context cannot be created while the stream is captured: that would allocate and free memory,
   which ends the capture. */
static parscan_status check_stream(parscan_context *context, const parscan_context_options *options)
{
    if (options == NULL || options->stream == NULL)
        return PARSCAN_OK;
    context->cuda->stream = options->stream;
    return parscan_cuda_refuse_in_capture(context, "a new context");
}

/* What plans know of the device. */
static parscan_status ask_device(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    struct cudaDeviceProp device;
    cudaError_t error = cudaGetDeviceProperties(&device, cuda->device);
    if (error == cudaSuccess && 10 * device.major + device.minor < 75)
        return parscan_fail(context, PARSCAN_ERROR_BACKEND,
                            "device = %d has compute capability %d.%d: it must be at least 7.5",
                            cuda->device, device.major, device.minor);
    if (error == cudaSuccess) {
        cuda->multiprocessors = device.multiProcessorCount;
        cuda->plan_device = (parscan_plan_device){
            .multiprocessors = (size_t)device.multiProcessorCount,
            .shared_bytes = device.sharedMemPerBlockOptin,
        };
        cuda->capability = 10 * device.major + device.minor;
        snprintf(context->device, sizeof context->device,
                 "%.64s, compute capability %d.%d, %d multiprocessors, %u GiB", device.name,
                 device.major, device.minor, device.multiProcessorCount,
                 (unsigned)(device.totalGlobalMem >> 30));
        error = parscan_cuda_code_architecture(&cuda->plan_device.architecture);
    }
    return parscan_cuda_check(context, error, "setting up the device");
}

/* What NULL stands for. */
static cudaError_t make_own_stream(parscan_cuda *cuda)
{
    if (cuda->own_stream != NULL)
        return cudaSuccess;
    const cudaError_t error = cudaStreamCreate(&cuda->own_stream);
    if (error != cudaSuccess)
        cuda->own_stream = NULL;
    return error;
}

static parscan_status take_resources(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    cudaError_t error = cudaSuccess;
    if (cuda->stream == NULL) {
        error = make_own_stream(cuda);
        cuda->stream = cuda->own_stream;
    }
    cuda->lanes[PARSCAN_LANE_CALL].stream = cuda->stream;
    if (error == cudaSuccess)
        error = cudaMalloc((void **)&cuda->deferred, PARSCAN_DEVICE_WORDS * sizeof *cuda->deferred);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(cuda->deferred, 0, PARSCAN_DEVICE_WORDS * sizeof *cuda->deferred,
                                cuda->stream);
    return parscan_cuda_check(context, error, "setting up the device");
}

/* Becomes a context that measures, of which nothing is left to free but its own memory. */
static void begin_to_measure(parscan_context *context, const parscan_context_options *options)
{
    parscan_cuda *const cuda = context->cuda;
    cuda->measures = true;
    cuda->measures_host = options->measure_host != 0;
    cuda->next_address = PARSCAN_FIRST_ADDRESS;
    cuda->stream = NULL;
}

PARSCAN_STRUCT_CAN_GROW(parscan_measured_device, reserved, PARSCAN_OLDEST_MEASURED_DEVICE);

/* Takes a device that the caller describes. */
static parscan_status take_description(parscan_context *context,
                                       const parscan_measured_device *given)
{
    enum { MOST_MULTIPROCESSORS = 1 << 16 };
    parscan_cuda *const cuda = context->cuda;
    parscan_measured_device device;
    const parscan_status status = parscan_read_struct(
        context, "measure_device", given, PARSCAN_OLDEST_MEASURED_DEVICE, &device, sizeof device);
    if (status != PARSCAN_OK)
        return status;
    if (device.multiprocessors == 0 || device.multiprocessors > MOST_MULTIPROCESSORS)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "measure_device->multiprocessors = %zu: it must be 1 to %d",
                            device.multiprocessors, MOST_MULTIPROCESSORS);
    if (device.shared_bytes < PARSCAN_LEAST_SHARED_BYTES)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "measure_device->shared_bytes = %zu: every device has at least %zu",
                            device.shared_bytes, PARSCAN_LEAST_SHARED_BYTES);
    if (device.architecture < 75)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "measure_device->architecture = %d: it must be at least 75",
                            device.architecture);
    cuda->multiprocessors = (int)device.multiprocessors;
    cuda->plan_device = (parscan_plan_device){.multiprocessors = device.multiprocessors,
                                              .shared_bytes = device.shared_bytes,
                                              .architecture = device.architecture};
    cuda->capability = device.architecture;
    snprintf(context->device, sizeof context->device,
             "measured, compute capability %d.%d, %d multiprocessors", device.architecture / 10,
             device.architecture % 10, cuda->multiprocessors);
    return PARSCAN_OK;
}

static void destroy_event(cudaEvent_t event)
{
    if (event != NULL)
        cudaEventDestroy(event);
}

static void destroy_lane(parscan_cuda_lane *lane, bool with_stream)
{
    for (unsigned k = 0; k < 2; k++) {
        cudaFreeHost(lane->pinned[k]);
        destroy_event(lane->travelled[k]);
    }
    if (with_stream && lane->stream != NULL)
        cudaStreamDestroy(lane->stream);
}

static void destroy_cuda(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    if (cuda->measures) {
        parscan_cuda_release_scratch(context);
        parscan_host_release(&context->allocator, cuda);
        context->cuda = NULL;
        return;
    }
    parscan_cuda_begin(context, "parscan_context_destroy");
    if (cuda->stream != NULL)
        cudaStreamSynchronize(cuda->stream);
    parscan_cuda_release_scratch(context);
    parscan_custom_forget(context);
    cudaFree(cuda->deferred);
    parscan_cuda_release_all_copies(cuda);
    parscan_cuda_forget(context);
    for (unsigned k = 0; k < PARSCAN_CHUNK_SLOTS; k++) {
        destroy_event(cuda->arrived[k]);
        destroy_event(cuda->computed[k]);
        destroy_event(cuda->left[k]);
    }
    for (unsigned k = 0; k < PARSCAN_LANES; k++)
        destroy_lane(&cuda->lanes[k], k != PARSCAN_LANE_CALL);
    destroy_event(cuda->moves);
    if (cuda->own_stream != NULL)
        cudaStreamDestroy(cuda->own_stream);
    parscan_cuda_end(context, PARSCAN_OK);
    parscan_host_release(&context->allocator, cuda);
    context->cuda = NULL;
}

/* It needs no device. */
static parscan_status create_described(parscan_context *context,
                                       const parscan_context_options *options)
{
    const parscan_status status = take_description(context, options->measure_device);
    begin_to_measure(context, options);
    if (status != PARSCAN_OK)
        destroy_cuda(context);
    return status;
}

static parscan_status create_cuda(parscan_context *context, const parscan_context_options *options)
{
    context->cuda = parscan_host_allocate(&context->allocator, sizeof *context->cuda);
    if (context->cuda == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for a context");
    memset(context->cuda, 0, sizeof *context->cuda);
    const char *const debug = getenv("PARSCAN_DEBUG");
    context->cuda->prints_plans = debug != NULL && strcmp(debug, "plan") == 0;
    const char *const nvrtc = getenv("PARSCAN_NVRTC");
    snprintf(context->cuda->nvrtc, sizeof context->cuda->nvrtc, "%s", nvrtc != NULL ? nvrtc : "");
    context->cuda->most_blocks = options->resident_blocks;
    if (options->measure_device != NULL)
        return create_described(context, options);
    parscan_status status = choose_device(context, options);
    if (status == PARSCAN_OK)
        status = check_stream(context, options);
    if (status != PARSCAN_OK) {
        parscan_host_release(&context->allocator, context->cuda);
        context->cuda = NULL;
        return status;
    }
    status = parscan_cuda_begin(context, "parscan_context_create");
    if (status == PARSCAN_OK)
        status = parscan_cuda_choose_memory(context, options->device_allocator);
    if (status == PARSCAN_OK)
        status = ask_device(context);
    if (status == PARSCAN_OK && !context->measures)
        status = take_resources(context);
    parscan_cuda_end(context, status);
    if (status != PARSCAN_OK)
        destroy_cuda(context);
    else if (context->measures)
        begin_to_measure(context, options);
    return status;
}

static parscan_status synchronize(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    parscan_status status = parscan_cuda_begin(context, "parscan_synchronize");
    if (status == PARSCAN_OK)
        status = parscan_cuda_refuse_in_capture(context, "parscan_synchronize()");
    if (cuda->measures)
        return parscan_cuda_end(context, status);
    if (status == PARSCAN_OK && cuda->may_defer)
        status = parscan_cuda_take_deferred(context);
    else if (status == PARSCAN_OK)
        status = parscan_cuda_check(context, cudaStreamSynchronize(cuda->stream), "the device");
    return parscan_cuda_end(context, status);
}

/* What comes on the new stream waits for what the context has done on its stream. */
static cudaError_t order_streams(parscan_cuda *cuda, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (cuda->moves == NULL)
        error = cudaEventCreateWithFlags(&cuda->moves, cudaEventDisableTiming);
    if (error != cudaSuccess) {
        cuda->moves = NULL;
        return error;
    }
    error = cudaEventRecord(cuda->moves, cuda->stream);
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, cuda->moves, 0) : error;
}

static parscan_status move_to(parscan_context *context, cudaStream_t stream)
{
    parscan_cuda *const cuda = context->cuda;
    parscan_status status = parscan_cuda_refuse_in_capture(context, "a change of the stream");
    if (status == PARSCAN_OK && stream == NULL)
        status = parscan_cuda_check(context, make_own_stream(cuda), "the context's stream");
    if (status != PARSCAN_OK)
        return status;
    if (stream == NULL)
        stream = cuda->own_stream;
    if (stream == cuda->stream)
        return PARSCAN_OK;
    status = refuse_capture_of(context, stream, "a change of the stream");
    if (status == PARSCAN_OK)
        status = parscan_cuda_check(context, order_streams(cuda, stream), "the order of streams");
    if (status == PARSCAN_OK) {
        cuda->stream = cuda->lanes[PARSCAN_LANE_CALL].stream = stream;
        cuda->has_moved = true;
    }
    return status;
}

static parscan_status set_stream(parscan_context *context, void *stream)
{
    parscan_status status = parscan_cuda_begin(context, "parscan_context_set_stream");
    if (status == PARSCAN_OK && !context->measures)
        status = move_to(context, stream);
    return parscan_cuda_end(context, status);
}

static parscan_status not_on_device(parscan_context *context, const char *name, const void *pointer,
                                    bool *on_host)
{
    bool on_device;
    const parscan_status status = parscan_cuda_on_device(context, name, pointer, &on_device);
    *on_host = status == PARSCAN_OK && !on_device;
    return status;
}

const parscan_engine parscan_cuda_engine = {
    .create = create_cuda,
    .destroy = destroy_cuda,
    .synchronize = synchronize,
    .set_stream = set_stream,
    .allocate = parscan_cuda_malloc,
    .release = parscan_cuda_free,
    .allocate_shared = parscan_cuda_malloc_shared,
    .copy = parscan_cuda_copy,
    .scratch = parscan_cuda_held_scratch,
    .reserve = parscan_cuda_reserve,
    .status_word = parscan_cuda_status_word,
    .on_host = not_on_device,
    .only_on_device = parscan_cuda_only_on_device,
};
