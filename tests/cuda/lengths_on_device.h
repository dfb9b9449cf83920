/* Calls on arrays in device memory, with all counts there too, for tests of lengths in device memory. */
#ifndef PARSCAN_TESTS_LENGTHS_ON_DEVICE_H
#define PARSCAN_TESTS_LENGTHS_ON_DEVICE_H

#include "tests/cuda/on_device.h"

enum {
    LENGTH_OUTS = 3,
    SEGMENT_MEAN = 7, /* segments by offsets: n / SEGMENT_MEAN + 1 */
    LENGTH_BINS = 100
};

/* Of an output: 8 an element, and the bins. */
#define LENGTH_OUT_BYTES(most) (8 * (most) + 1024)

/* Inputs have room for `most` elements; so many are right for segments and sizes as lengths_fill() was
   told. */
typedef struct length_arrays {
    size_t most;
    uint32_t *keys, *values, *sizes, *offsets; /* keys are below LENGTH_BINS */
    uint32_t *sorted;
    float *floats;
    uint16_t *halves;
    uint8_t *flags;
    char *out[LENGTH_OUTS];
    uint64_t *count; /* what the call has counted */
} length_arrays;

/* What lengths a call has. */
typedef enum length_fields {
    LENGTH_OF_N,
    LENGTH_OF_SEGMENTS, /* by offsets, whose number is a length too */
    LENGTH_OF_N2,       /* n2 in place of n */
    LENGTH_OF_BOTH      /* n2 is n */
} length_fields;

typedef struct length_call {
    const char *name;
    size_t unit; /* elements of one of n: a row has some */
    length_fields fields;
    parscan_status (*run)(parscan_context *context, const length_arrays *a, size_t n);
} length_call;

extern const length_call length_calls[];
extern const size_t length_call_count;

length_arrays length_arrays_create(size_t most);
void length_arrays_destroy(length_arrays *a);

/* Offsets for n elements. */
void length_arrays_of(length_arrays *a, size_t n);

#endif
