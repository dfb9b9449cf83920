#include "tests/cuda/on_device.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/half.h"
#include "tests/support/test_engine.h"

void expect_success(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        cr_assert_fail("%s: %s", call, cudaGetErrorString(error));
}

void expect_ok(parscan_context *context, parscan_status status)
{
    if (status != PARSCAN_OK)
        cr_assert_fail("%s: %s", parscan_status_string(status), parscan_context_error(context));
}

parscan_context *context_on(cudaStream_t stream)
{
    return context_of_blocks(stream, 0);
}

parscan_context *context_of_blocks(cudaStream_t stream, unsigned blocks)
{
    char words[256] = "";
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .stream = stream, .error = words,
                                .error_size = sizeof words, .resident_blocks = blocks);
    need_cuda();
    if (parscan_context_create(&context, &options) != PARSCAN_OK)
        cr_assert_fail("no context: %s", words);
    return context;
}

void *device_room(size_t bytes)
{
    void *room;
    CUDA(cudaMalloc(&room, bytes));
    CUDA(cudaMemset(room, ROOM_BYTE, bytes));
    CUDA(cudaDeviceSynchronize()); /* streams of the tests do not wait for the default one */
    return room;
}

/* cudaMemcpy() from pageable memory may return before the bytes have arrived. */
void device_write(void *to, const void *from, size_t bytes)
{
    CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
}

void *device_copy_of(const void *from, size_t bytes)
{
    void *const copy = device_room(bytes);
    device_write(copy, from, bytes);
    return copy;
}

void *host_copy_of(const void *device, size_t bytes)
{
    void *const copy = malloc(bytes);
    if (copy == NULL)
        abort();
    CUDA(cudaMemcpy(copy, device, bytes, cudaMemcpyDeviceToHost));
    return copy;
}

size_t first_other_than(unsigned char value, const void *bytes, size_t n)
{
    size_t i = 0;
    while (i < n && ((const unsigned char *)bytes)[i] == value)
        i++;
    return i;
}

void put_number(parscan_type type, void *at, unsigned number)
{
    const float f32 = (float)number;
    const double f64 = number;
    const uint16_t f16 = parscan_narrow_F16(f32).bits;
    const uint64_t integer = number;
    const void *const from = type == PARSCAN_F32   ? (const void *)&f32
                             : type == PARSCAN_F64 ? (const void *)&f64
                             : type == PARSCAN_F16 ? (const void *)&f16
                                                   : (const void *)&integer;
    memcpy(at, from, parscan_type_size(type));
}

void plain_sums(scan_kind kind, bool reverse, const uint32_t *in, uint32_t *out, size_t n)
{
    uint32_t sum = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t i = reverse ? n - 1 - k : k;
        if (kind == SCAN_EXCLUSIVE)
            out[i] = sum;
        sum += in[i];
        if (kind == SCAN_INCLUSIVE)
            out[i] = sum;
    }
    if (kind == SCAN_REDUCE)
        out[0] = sum;
}
