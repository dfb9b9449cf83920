/* What parscan bench measures: a row for each primitive, on arrays of random data. A plain loop
   checks the result of each. */
#ifndef PARSCAN_CLI_MEASURE_H
#define PARSCAN_CLI_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/failure.h"
#include "parscan/context.h"

/* Arrays of n elements. in, runs, flags and small are not written after measure_data_open(). */
typedef struct measure_arrays {
    uint32_t *in;             /* uniform */
    uint32_t *runs;           /* ascending, in runs of 8 equal elements on average */
    uint8_t *flags;           /* one in 64 is 1, the others 0 */
    uint8_t *small;           /* uniform, 0 to 7 */
    void *out, *out2, *spare; /* room for n elements of 32 bits in each */
    uint64_t *count;          /* the count that the last call wrote */
} measure_arrays;

typedef struct measure_data {
    parscan_context *context;
    unsigned threads;
    size_t n;
    measure_arrays host; /* arrays that are prepared and checked */
    measure_arrays on; /* what calls are given: the same on the CPU, else in the device's memory */
} measure_data;

/* False with a message: memory ran out. The caller closes it in any case, and may then open it again.
   */
bool measure_data_open(measure_data *data, size_t n, failure *why);
void measure_data_close(measure_data *data);

/* Copies what was prepared to where calls read it; copies what they wrote to where it is checked.
   */
parscan_status measure_data_send(measure_data *data);
parscan_status measure_data_fetch(measure_data *data);

typedef struct measure_row {
    const char *name;
    void (*prepare)(measure_data *data);       /* or NULL */
    parscan_status (*run)(measure_data *data); /* the call; it does not wait for the device */
    bool (*check)(const measure_data *data);   /* whether the result of run() is right */
    double (*bytes)(const measure_data *data); /* the bytes that run() must read and write */
} measure_row;

/* Lists that end in a row of zeros. The first row of the first list is the memory copy. */
extern const measure_row measure_scans[], measure_sorts[], measure_compactions[],
    measure_allocations[];

#endif
