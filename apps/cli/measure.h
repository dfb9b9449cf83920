/* What parscan bench measures: one row a primitive, on arrays of random data, each with a check by a
   plain loop of what it left. */
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
    uint32_t *runs;           /* ascending, in runs of 8 on average */
    uint8_t *flags;           /* one in 64 is 1, the others 0 */
    uint8_t *small;           /* uniform, 0 to 7 */
    void *out, *out2, *spare; /* room for n elements of 32 bits each */
    uint64_t *count;          /* what the last call counted */
} measure_arrays;

typedef struct measure_data {
    parscan_context *context;
    unsigned threads;
    size_t n;
    measure_arrays host; /* what is prepared and checked */
    measure_arrays on; /* what calls are given: the same on the CPU, else in the device's memory */
} measure_data;

/* False with words: there is no memory. To be closed in any case, and may be opened again then. */
bool measure_data_open(measure_data *data, size_t n, failure *why);
void measure_data_close(measure_data *data);

/* What was prepared to where calls read it; what they wrote to where it is checked. */
parscan_status measure_data_send(measure_data *data);
parscan_status measure_data_fetch(measure_data *data);

typedef struct measure_row {
    const char *name;
    void (*prepare)(measure_data *data);       /* or NULL */
    parscan_status (*run)(measure_data *data); /* waits for nothing that need not be waited for */
    bool (*check)(const measure_data *data);   /* after run() */
    double (*bytes)(const measure_data *data); /* that run() must read and write */
} measure_row;

/* Lists that end in a row of zeros; the first one of all is the copy. */
extern const measure_row measure_scans[], measure_sorts[], measure_compactions[],
    measure_allocations[];

#endif
