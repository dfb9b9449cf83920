/* What the CUDA suites share: contexts on a stream, arrays on the device, CUDA's errors. */
#ifndef PARSCAN_TESTS_ON_DEVICE_H
#define PARSCAN_TESTS_ON_DEVICE_H

#include <cuda_runtime_api.h>

#include "tests/support/scan_case.h"

/* A call of CUDA that must succeed. */
#define CUDA(call) expect_success(call, #call)
void expect_success(cudaError_t error, const char *call);

/* A call of parscan that must succeed. */
void expect_ok(parscan_context *context, parscan_status status);

/* A context on CUDA, on the caller's stream; NULL: on its own. Skips where there is no device. */
parscan_context *context_on(cudaStream_t stream);
/* The same with resident_blocks. */
parscan_context *context_of_blocks(cudaStream_t stream, unsigned blocks);

/* Room on the device, for cudaFree(); its bytes are ROOM_BYTE, or copies. */
#define ROOM_BYTE 0xa5
void *device_room(size_t bytes);
void *device_copy_of(const void *from, size_t bytes);

/* Copies to the device, and ends when the bytes are there, for streams that do not wait for the default one. */
void device_write(void *to, const void *from, size_t bytes);

/* What the device has, for free(). */
void *host_copy_of(const void *device, size_t bytes);

/* The first of n bytes that is another, or n. */
size_t first_other_than(unsigned char value, const void *bytes, size_t n);

/* Stores a small number, as an element of an integer type, F16, F32 or F64. */
void put_number(parscan_type type, void *at, unsigned number);

/* The sums of n u32 by a plain loop; of a reduction, one. */
void plain_sums(scan_kind kind, bool reverse, const uint32_t *in, uint32_t *out, size_t n);

#endif
