/* Sorts of arrays on the device, compared with the oracle. */
#ifndef PARSCAN_TESTS_SORT_ON_DEVICE_H
#define PARSCAN_TESTS_SORT_ON_DEVICE_H

#include "tests/cuda/on_device.h"
#include "tests/support/key_patterns.h"
#include "tests/support/sort_case.h"

/* The arrays of a case on the device. They start in_offset and out_offset bytes past an address that
   is aligned to 256. */
typedef struct sort_on_device {
    sort_arrays arrays;
    parscan_segments segments;
    size_t key_bytes, value_bytes;
    unsigned in_offset, out_offset;
} sort_on_device;

sort_on_device place_sort(const sort_case *sort, const void *keys, const void *values);
void release_sort(const sort_on_device *d);
parscan_status ask_sort(parscan_context *context, const sort_case *sort, const sort_on_device *d);

/* The test fails unless the outputs are what the oracle says of these keys and values. */
void expect_answer(const sort_case *sort, const void *keys, const void *values,
                   const sort_on_device *d);

/* All of it, with these keys, or with keys of a pattern. */
void expect_keys_on_device(parscan_context *context, sort_case sort, const void *keys);
void expect_on_device(parscan_context *context, sort_case sort, key_pattern pattern);

#endif
