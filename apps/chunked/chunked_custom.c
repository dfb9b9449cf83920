/* Scans and reductions over chunks with an operator of the caller's, whose elements have up to 64 bytes. */
#include <string.h>

#include "apps/chunked/chunked_object.h"
#include "scan/context/check.h"
#include "scan/custom/custom_check.h"

static parscan_status check_custom(const parscan_scan_call *call)
{
    parscan_context *const context = call->context;
    if (context->backend != PARSCAN_BACKEND_CPU)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "type = custom with backend = %s: chunks by an operator of the "
                            "caller's: it needs a CPU context",
                            parscan_backend_name(context->backend));
    if (call->reproducible)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "reproducible = 1 with type = custom: chunks are not reproducible");
    if (call->custom->in_size == 0)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "custom: its load has in_size = 0, so chunks have no elements of it");
    /* What a reduction of nothing gives is asked for at the end. */
    return call->kind == PARSCAN_KIND_REDUCE ? PARSCAN_OK : parscan_check_custom_start(call);
}

parscan_status parscan_chunked_keep_custom(parscan_chunked *draft)
{
    const parscan_scan_call *const call = &draft->call.segmented.scan;
    const parscan_operator *const op = call->custom;
    const parscan_status status = check_custom(call);
    if (status != PARSCAN_OK)
        return status;
    if (call->init != NULL) {
        const uint64_t sum = parscan_chunked_sum_of_bytes(call->init, op->size, CHUNKED_NO_BYTES);
        draft->arguments.given |= GIVEN_FIRST;
        memcpy(draft->arguments.first.bytes, &sum, sizeof sum);
    }
    draft->arguments.element_size = op->size;
    draft->apart = parscan_has_maps(call);
    draft->carry_bytes = op->size;
    draft->work_bytes = op->size + op->out_size;
    return PARSCAN_OK;
}

parscan_status parscan_chunked_make_custom(parscan_chunked **chunked, const parscan_chunked *draft)
{
    const parscan_status status = parscan_chunked_make(chunked, draft, true);
    if (status != PARSCAN_OK)
        return status;
    parscan_scan_call *const call = &(*chunked)->call.segmented.scan;
    if (call->init != NULL)
        call->init = memcpy((*chunked)->work, call->init, call->custom->size);
    return PARSCAN_OK;
}

/* Behind init. */
void *parscan_chunked_unread(const parscan_chunked *chunked, chunked_element *room)
{
    return parscan_chunked_is_custom(chunked)
               ? (char *)chunked->work + chunked->call.segmented.scan.custom->size
               : (char *)room->bytes;
}
