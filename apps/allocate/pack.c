#include "apps/allocate/allocate_call.h"
#include "parscan/allocate.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

static parscan_status check_pack_arguments(parscan_context *context, const pack_records *records,
                                           size_t n)
{
    parscan_status status = parscan_check_index_type(context, "offset_type", records->offset_type);
    if (status == PARSCAN_OK)
        status = parscan_check_unsigned(context, "size_type", records->size_type);
    if (status != PARSCAN_OK)
        return status;
    const size_t offset_bytes = parscan_type_size(records->offset_type);
    const size_t size_bytes = parscan_type_size(records->size_type);
    status = parscan_check_array(context, "in", records->in, n, 1);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "in_offsets", records->in_offsets, n, offset_bytes);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "sizes", records->sizes, n, size_bytes);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", records->out, n, 1);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out_offsets", records->out_offsets, n, offset_bytes);
    return status;
}

parscan_status parscan_pack(parscan_context *context, const void *in, parscan_type offset_type,
                            const void *in_offsets, parscan_type size_type, const void *sizes,
                            void *out, const void *out_offsets, size_t n)
{
    static parscan_status (*const engines[])(parscan_context * context, const pack_records *records,
                                             size_t n) =
        PARSCAN_ENGINES(parscan_pack_cpu, parscan_pack_cuda);
    call_lengths lengths;
    pack_records records = {
        .in = in,
        .out = out,
        .offset_type = offset_type,
        .size_type = size_type,
        .in_offsets = in_offsets,
        .out_offsets = out_offsets,
        .sizes = sizes,
    };
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = check_pack_arguments(context, &records, n);
    if (status != PARSCAN_OK)
        return status;
    n = parscan_length(&lengths, LENGTH_N, n);
    records.n_at = parscan_length_at(&lengths, LENGTH_N);
    records.offset_type = parscan_unsigned_index(offset_type);
    if (n > 0)
        status = engines[context->backend](context, &records, n);
    return parscan_end_lengths(context, &lengths, status);
}
