#include "scan/axis/axis_pack.h"

#include "scan/axis/axis_bits.h"

/*
 * Rows of 16, 32 or 64 bytes are 1, 2 or 4 columns of 16 bytes, if there are so many of them that each warp has some.
 * Rows of up to 8 bytes are one element; but two long columns of 4 bytes have a kernel of their own. Else narrow types
 * are words.
 */
unsigned parscan_axis_packs(const parscan_axis *axis, size_t size, unsigned packs[AXIS_MOST_PACKS])
{
    const size_t row = axis->inner * size;
    unsigned count = 0;
    if (row == 16 || row == 32 || row == 64)
        packs[count++] = (unsigned)(16 / size);
    if ((row == 2 || row == 4 || row == 8) && axis->inner > 1 && (size < 4 || axis->outer > 1))
        packs[count++] = (unsigned)axis->inner;
    for (unsigned words = size < 4 ? (unsigned)(4 / size) : 1; words > 1; words /= 2)
        if (axis->inner % words == 0 && axis->inner != words)
            packs[count++] = words;
    return count;
}

/* Sums are of the elements' type. */
static bool takes_packs(const parscan_scan_call *call)
{
    return call->n > 0 && call->in_type == call->out_type &&
           parscan_sum_type(call) == call->out_type;
}

/* Products of narrow elements are too rare for more kernels (launch_parts() of axis_launches.cu). */
static bool has_kernels(const parscan_scan_call *call, size_t bytes)
{
    return call->op != PARSCAN_PRODUCT || parscan_type_size(call->in_type) >= 4 || bytes != 8;
}

bool parscan_axis_pack(parscan_axis_launch_call *on_device, unsigned pack)
{
    const parscan_scan_call *const call = on_device->base.call;
    parscan_axis *const axis = &on_device->axis;
    const size_t size = parscan_type_size(call->in_type);
    const size_t out_n = call->kind == PARSCAN_KIND_REDUCE ? 1 : call->n;
    if (!takes_packs(call) || !has_kernels(call, pack * size) ||
        !parscan_axis_has_vectors(axis, on_device->base.in, axis->in, call->n, size, pack) ||
        !parscan_axis_has_vectors(axis, on_device->base.out, axis->out, out_n, size, pack))
        return false;
    axis->inner /= pack;
    axis->in[AXIS_INNER] = axis->out[AXIS_INNER] = (int64_t)(pack * size);
    on_device->pack = pack;
    parscan_axis_join_words(on_device);
    return true;
}

/* Whether the rows of an array, which follow each other, are whole words. first: the first one in the order of
   combination. */
static bool has_words(const parscan_axis *axis, const void *first, const int64_t strides[AXES],
                      size_t n)
{
    const int64_t step = strides[AXIS_N];
    const uintptr_t low = (uintptr_t)first + (uintptr_t)(step < 0 ? (int64_t)(n - 1) * step : 0);
    return low % 4 == 0 && (axis->outer == 1 || strides[AXIS_OUTER] % 4 == 0);
}

bool parscan_axis_join_rows(parscan_axis_launch_call *on_device)
{
    const parscan_scan_call *const call = on_device->base.call;
    parscan_axis *const axis = &on_device->axis;
    const size_t row = on_device->pack * parscan_type_size(call->in_type);
    const int64_t step = axis->in[AXIS_N], before = step < 0 ? 4 - (int64_t)row : 0;
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    if (row >= 4 || (call->op == PARSCAN_PRODUCT && !reduces) || !takes_packs(call) ||
        axis->inner != 1 || (step != (int64_t)row && step != -(int64_t)row) ||
        call->n % (4 / row) != 0 || (reduces && call->n == 4 / row) ||
        !has_words(axis, on_device->base.in, axis->in, call->n))
        return false;
    if (!reduces &&
        (axis->out[AXIS_N] != step || !has_words(axis, on_device->base.out, axis->out, call->n)))
        return false;
    on_device->run = (unsigned)(4 / row);
    on_device->base.in = (const char *)on_device->base.in - before;
    axis->in[AXIS_N] = step < 0 ? -4 : 4;
    axis->in[AXIS_INNER] = 4;
    if (!reduces) {
        on_device->base.out = (char *)on_device->base.out - before;
        axis->out[AXIS_N] = axis->in[AXIS_N];
        axis->out[AXIS_INNER] = 4;
    }
    return true;
}
