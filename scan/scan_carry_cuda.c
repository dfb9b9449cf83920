/*
 * The carry of a scan on CUDA. It is in host memory, so these functions wait for the stream. They
 * leave the little arithmetic that is needed to the CPU engine.
 */
#include "scan/scan_cuda.h"

#include <string.h>

/* The elements of a chunk that the CPU evaluates at once; fewer if scratch is limited. */
#define PIECE ((size_t)1 << 18)
#define LEAST_PIECE ((size_t)1 << 10)

/* The last element in the order of combination. */
static size_t last_of(const parscan_scan_call *call)
{
    return call->reverse ? 0 : call->n - 1;
}

static bool is_minus_zero(parscan_type type, const unsigned char *element)
{
    static const unsigned char zeros[sizeof(double)];
    const size_t top = parscan_type_size(type) - 1; /* little-endian, as the device is */
    return parscan_is_float(type) && element[top] == 0x80 && memcmp(element, zeros, top) == 0;
}

parscan_status parscan_cuda_begin_carry(const parscan_scan_call *call, const void *in,
                                        parscan_cuda_carry *carry)
{
    const size_t size = parscan_type_size(call->in_type);
    *carry =
        (parscan_cuda_carry){.alone = call->n == 1 && call->init == NULL && call->init_at == NULL};
    if (call->carry == NULL)
        return PARSCAN_OK;
    parscan_status status = parscan_cuda_refuse_in_capture(call->context, "a carry");
    if (status != PARSCAN_OK || call->kind != PARSCAN_KIND_EXCLUSIVE)
        return status;
    status = parscan_cuda_unstage(call->context, carry->last,
                                  (const char *)in + last_of(call) * size, size);
    carry->minus_zero = is_minus_zero(call->in_type, carry->last);
    return status;
}

parscan_status parscan_cuda_end_carry(const parscan_scan_call *call, const void *out,
                                      const parscan_cuda_carry *carry)
{
    unsigned char result[sizeof carry->last];
    const size_t size = parscan_type_size(call->out_type);
    if (call->carry == NULL)
        return PARSCAN_OK;
    const size_t at = call->kind == PARSCAN_KIND_REDUCE ? 0 : last_of(call);
    const parscan_status status =
        parscan_cuda_unstage(call->context, result, (const char *)out + at * size, size);
    if (status != PARSCAN_OK)
        return status;
    if (call->kind != PARSCAN_KIND_EXCLUSIVE) {
        memcpy(call->carry, result, size);
        return PARSCAN_OK;
    }
    const parscan_scan_call sum = {
        .context = call->context,
        .kind = PARSCAN_KIND_REDUCE,
        .op = call->op,
        .in_type = call->in_type,
        .out_type = call->out_type,
        .in = carry->last,
        .out = call->carry,
        .n = 1,
        .init = carry->alone ? NULL : result,
    };
    return parscan_scan_cpu.run(&sum);
}

/* Runs elements `begin` to `begin` + n - 1 of a call, whose arrays may be in device memory, with
   copies in host memory. */
static parscan_status run_piece(const parscan_scan_call *call, size_t begin, size_t n, char *in,
                                char *out)
{
    parscan_context *const context = call->context;
    const size_t in_size = parscan_type_size(call->in_type);
    const size_t out_size = parscan_type_size(call->out_type);
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    parscan_scan_call piece = *call;
    piece.in = in;
    piece.out = out;
    piece.n = n;
    parscan_status status = PARSCAN_OK;
    if (n > 0)
        status =
            parscan_cuda_copy(context, in, (const char *)call->in + begin * in_size, n * in_size);
    if (status == PARSCAN_OK)
        status = parscan_scan_cpu.run(&piece);
    if (status != PARSCAN_OK)
        return status;
    return parscan_cuda_copy(context, (char *)call->out + (reduces ? 0 : begin * out_size), out,
                             (reduces ? 1 : n) * out_size);
}

parscan_status parscan_cuda_scan_tree(const parscan_scan_call *call)
{
    parscan_context *const context = call->context;
    bool in_there = false, out_there = false;
    parscan_status status = PARSCAN_OK;
    if (call->n > 0)
        status = parscan_cuda_on_device(context, "in", call->in, &in_there);
    if (status == PARSCAN_OK)
        status = parscan_cuda_on_device(context, "out", call->out, &out_there);
    if (status != PARSCAN_OK)
        return status;
    if (!in_there && !out_there)
        return parscan_scan_cpu.run(call);
    size_t piece = PIECE;
    while (piece > LEAST_PIECE && context->scratch_limit != 0 &&
           2 * piece * sizeof(double) > context->scratch_limit)
        piece /= 2;
    const size_t room = call->n < piece ? call->n + 1 : piece;
    void *scratch;
    status = parscan_scratch(context, 2 * room * sizeof(double), &scratch);
    if (status != PARSCAN_OK || context->measures)
        return status;
    char *const in = scratch, *const out = in + room * sizeof(double);
    size_t begin = 0;
    do {
        const size_t n = call->n - begin < piece ? call->n - begin : piece;
        status = run_piece(call, call->reverse ? call->n - begin - n : begin, n, in, out);
        begin += n;
    } while (status == PARSCAN_OK && begin < call->n);
    return status;
}
