/* The CUDA engine of operator_code.h. */
#include "scan/custom/operator_state.h"
#include "scan/runtime/custom_cuda.h"
#include "scan/runtime/custom_scan_cuda.h"
#include "scan/runtime/custom_segments_cuda.h"
#include "scan/runtime/custom_sort_cuda.h"
#include "scan/runtime/custom_test_cuda.h"
#include "scan/runtime/operator_code.h"

static parscan_status take(parscan_operator *op, const parscan_operator_options *options)
{
    const custom_text text = {
        .source = options->cuda_source,
        .type = options->cuda_type,
        .function = options->cuda_function,
        .load = options->cuda_load,
        .load_source = options->cuda_load_source,
        .store = options->cuda_store,
        .store_source = options->cuda_store_source,
        .size = op->size,
        .alignment = op->alignment,
        .identity = options->identity,
        .state = options->state,
        .state_size = options->state_size,
        .commutes = op->commutes,
    };
    if (text.source == NULL || (op->loads && text.load == NULL) ||
        (op->stores && text.store == NULL))
        return PARSCAN_OK;
    return parscan_custom_code_create(&op->code, &text, options->cache_folder,
                                      options->compile_seconds, &op->allocator,
                                      parscan_custom_unload);
}

static void leave(parscan_operator *op)
{
    parscan_custom_code_release(op->code);
}

static const char *log_of(const parscan_operator *op)
{
    return parscan_custom_code_log(op->code);
}

static parscan_status save(const parscan_operator *op, void *blob, size_t capacity, size_t *size,
                           const char **words)
{
    *words = "no memory for a blob";
    return parscan_custom_code_save(op->code, blob, capacity, size);
}

static parscan_status load(parscan_operator *op, const void *blob, size_t size, const char **words)
{
    return parscan_custom_code_load(op->code, blob, size, words);
}

const operator_code_engine parscan_operator_cuda = {take,
                                                    leave,
                                                    log_of,
                                                    save,
                                                    load,
                                                    parscan_custom_prepare_cuda,
                                                    parscan_custom_prepare_segments_cuda,
                                                    parscan_custom_prepare_test_cuda,
                                                    parscan_custom_prepare_sort_cuda};
