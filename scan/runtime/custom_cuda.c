#include "scan/runtime/custom_cuda.h"

#include <string.h>

/* The k-th kernel of a program; NULL: it has no more. */
static const char *kernel_name(custom_program_kind kind, unsigned k)
{
    static const char *const names[][CUSTOM_KERNELS] = {
        [CUSTOM_BLOCKS] = {[CUSTOM_REDUCE_TILES] = "parscan_custom_reduce_tiles",
                           [CUSTOM_REDUCE_SUMS] = "parscan_custom_reduce_sums",
                           [CUSTOM_SCAN_SUMS] = "parscan_custom_scan_sums"},
        [CUSTOM_SORT] = {[CUSTOM_MERGE_RUNS] = "parscan_custom_merge_runs"},
        [CUSTOM_TREE] = {[CUSTOM_TREE_SCAN] = "parscan_custom_tree_scan",
                         [CUSTOM_TREE_RESULT] = "parscan_custom_tree_result"},
    };
    return k == CUSTOM_MAIN ? "parscan_custom" : names[kind][k];
}

int parscan_custom_architecture(const parscan_context *context)
{
    return context->cuda->capability;
}

/* Whether two programs are one. */
static bool programs_are_equal(const custom_program *a, const custom_program *b)
{
    return a->kind == b->kind && a->architecture == b->architecture &&
           a->algorithm == b->algorithm && a->reverse == b->reverse && a->vectors == b->vectors &&
           a->aligned == b->aligned;
}

#if CUDART_VERSION >= 12080

void parscan_custom_unload(void *library)
{
    cudaLibraryUnload(library);
    cudaGetLastError();
}

/* Loads code into *loaded. */
static cudaError_t load_code(const void *bytes, custom_program_kind kind, custom_loaded *loaded)
{
    cudaLibrary_t library;
    cudaError_t error = cudaLibraryLoadData(&library, bytes, NULL, NULL, 0, NULL, NULL, 0);
    if (error != cudaSuccess)
        return error;
    for (unsigned k = 0; k < CUSTOM_KERNELS && error == cudaSuccess; k++) {
        const char *const name = kernel_name(kind, k);
        cudaKernel_t kernel = NULL;
        if (name != NULL)
            error = cudaLibraryGetKernel(&kernel, library, name);
        loaded->kernels[k] = kernel;
    }
    if (error != cudaSuccess)
        cudaLibraryUnload(library);
    loaded->library = library;
    return error;
}

#else /* the toolkit cannot load code at run time */

void parscan_custom_unload(void *library)
{
    (void)library;
}

static cudaError_t load_code(const void *bytes, custom_program_kind kind, custom_loaded *loaded)
{
    (void)bytes, (void)kind, (void)loaded;
    (void)kernel_name;
    return cudaErrorNotSupported;
}

#endif

static parscan_status get_code(parscan_context *context, custom_code *code,
                               const custom_request *request, code_key *key, const void **bytes)
{
    char words[sizeof context->error];
    size_t size;
    const parscan_status status =
        parscan_custom_code_get(code, request, key, bytes, &size, words, sizeof words);
    return status == PARSCAN_OK ? PARSCAN_OK : parscan_fail(context, status, "%s", words);
}

/* Compiles a program where there is no code, and loads it. What a folder or a blob had, and the driver does not
   take, is compiled anew. */
static parscan_status make_loaded(parscan_context *context, custom_code *code,
                                  const custom_program *program, custom_loaded *loaded)
{
    custom_request request = {.program = *program, .nvrtc = context->cuda->nvrtc};
    const void *bytes;
    cudaError_t error = cudaErrorUnknown;
    if (request.nvrtc[0] == '\0')
        request.nvrtc = NULL;
    if (cudaDriverGetVersion(&request.driver) != cudaSuccess)
        request.driver = 0;
    for (int turn = 0; turn < 2 && error != cudaSuccess; turn++) {
        request.anew = turn > 0;
        const parscan_status status = get_code(context, code, &request, &loaded->key, &bytes);
        if (status != PARSCAN_OK)
            return status;
        error = load_code(bytes, program->kind, loaded);
        if (error != cudaSuccess)
            cudaGetLastError();
    }
    return parscan_cuda_check(context, error, "loading the code of an operator");
}

/* What the device has loaded of a program, or loads now. */
static parscan_status find_loaded(parscan_context *context, custom_code *code,
                                  const custom_program *program, custom_loaded *found)
{
    *found = (custom_loaded){.device = context->cuda->device};
    parscan_status status = parscan_custom_code_key(code, program, &found->key);
    if (status != PARSCAN_OK)
        return parscan_fail(context, status, "no memory for the text of an operator");
    const custom_loaded *const loaded = parscan_custom_code_loaded(code, found->key, found->device);
    if (loaded != NULL) {
        *found = *loaded;
        return PARSCAN_OK;
    }
    status = make_loaded(context, code, program, found);
    if (status != PARSCAN_OK)
        return status;
    status = parscan_custom_code_add_loaded(code, found);
    if (status != PARSCAN_OK) {
        parscan_custom_unload(found->library);
        return parscan_fail(context, status, "no memory for the code of an operator");
    }
    return PARSCAN_OK;
}

/* Loading, which a capture on this thread would otherwise not allow. */
static parscan_status load_beside_captures(parscan_context *context, custom_code *code,
                                           const custom_program *program, custom_loaded *found)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    parscan_status status = parscan_cuda_check(context, cudaThreadExchangeStreamCaptureMode(&mode),
                                               "the mode of captures");
    if (status != PARSCAN_OK)
        return status;
    parscan_custom_code_lock(code);
    status = find_loaded(context, code, program, found);
    parscan_custom_code_unlock(code);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return status;
}

parscan_status parscan_custom_use(parscan_context *context, custom_code *code,
                                  const custom_program *program, const custom_use **use)
{
    parscan_cuda *const cuda = context->cuda;
    custom_loaded loaded;
    *use = NULL;
    if (cuda->measures)
        return PARSCAN_OK;
    for (const custom_use *known = cuda->custom_uses; known != NULL; known = known->next)
        if (known->code == code && programs_are_equal(&known->program, program)) {
            *use = known;
            return PARSCAN_OK;
        }
    parscan_status status = load_beside_captures(context, code, program, &loaded);
    if (status != PARSCAN_OK)
        return status;
    custom_use *const made = parscan_host_allocate(&context->allocator, sizeof *made);
    if (made == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for an operator");
    *made = (custom_use){.next = cuda->custom_uses, .code = code, .program = *program};
    for (unsigned k = 0; k < CUSTOM_KERNELS; k++)
        made->kernels[k] = loaded.kernels[k];
    parscan_custom_code_retain(code);
    cuda->custom_uses = made;
    *use = made;
    return PARSCAN_OK;
}

void parscan_custom_forget(parscan_context *context)
{
    while (context->cuda->custom_uses != NULL) {
        custom_use *const use = context->cuda->custom_uses;
        context->cuda->custom_uses = use->next;
        parscan_custom_code_release(use->code);
        parscan_host_release(&context->allocator, use);
    }
}

/* As launch_overlapped() of launch.cuh, if the kernel waits for the one before it. */
static cudaError_t launch_blocks(const parscan_cuda *cuda, const parscan_cuda_kernel *kernel,
                                 unsigned blocks, bool cooperative, const custom_launch *launch)
{
    cudaLaunchAttribute attributes[2];
    unsigned count = 0;
    memset(attributes, 0, sizeof attributes);
    if (launch->chained && kernel->architecture >= 90) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (cooperative) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count++].val.cooperative = 1;
    }
    const cudaLaunchConfig_t config = {
        .gridDim = {blocks, 1, 1},
        .blockDim = {kernel->threads, 1, 1},
        .dynamicSmemBytes = kernel->shared_bytes,
        .stream = cuda->stream,
        .attrs = attributes,
        .numAttrs = count,
    };
    void *arguments[] = {(void *)(uintptr_t)launch->params};
    return cudaLaunchKernelExC(&config, kernel->function, arguments);
}

static cudaError_t launch_kernel(parscan_context *context, const custom_launch *launch)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error = parscan_cuda_kernel_of(context->cuda, launch->kernel, launch->threads,
                                                     launch->shared_bytes, &kernel);
    if (error != cudaSuccess)
        return error;
    const bool all = !launch->chained || launch->blocks <= kernel.blocks;
    const unsigned blocks = all ? (unsigned)launch->blocks : kernel.blocks;
    return launch_blocks(context->cuda, &kernel, blocks, !all && !launch->in_order && blocks > 1,
                         launch);
}

parscan_status parscan_custom_launch(parscan_context *context, const custom_launch *launch)
{
    return PARSCAN_CUDA_QUEUE(context, launch_kernel(context, launch));
}
