#include "apps/cli/measure.h"

#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"

/* splitmix64 (G. Steele, D. Lea, C. Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void fill_measured(const measure_arrays *arrays, size_t n)
{
    uint64_t state = 1;
    uint32_t run = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = next_random(&state);
        arrays->in[i] = (uint32_t)bits;
        arrays->small[i] = bits >> 32 & 7;
        arrays->flags[i] = (bits >> 40 & 63) == 0;
        run += (bits >> 48 & 7) == 0;
        arrays->runs[i] = run;
    }
    /* Otherwise the first row would be charged for the first write to each page. */
    memset(arrays->out, 1, n * sizeof(uint32_t));
    memset(arrays->out2, 1, n * sizeof(uint32_t));
    memset(arrays->spare, 1, n * sizeof(uint32_t));
}

/* Lays out the arrays in one block: first those that are only read, then those that calls write. */
static measure_arrays lay_out(void *block, size_t n)
{
    measure_arrays arrays;
    arrays.in = block;
    arrays.runs = arrays.in + n;
    arrays.flags = (uint8_t *)(arrays.runs + n);
    arrays.small = arrays.flags + n;
    arrays.out = arrays.small + n;
    arrays.out2 = (uint32_t *)arrays.out + n;
    arrays.spare = (uint32_t *)arrays.out2 + n;
    arrays.count = (uint64_t *)(void *)((uint32_t *)arrays.spare + n);
    return arrays;
}

static size_t bytes_between(const void *begin, const void *end)
{
    return (size_t)((const char *)end - (const char *)begin);
}

bool measure_data_open(measure_data *data, size_t n, failure *why)
{
    data->n = n;
    const size_t size = (5 * sizeof(uint32_t) + 2 * sizeof(uint8_t)) * n + sizeof(uint64_t);
    const bool far = parscan_context_backend(data->context) == PARSCAN_BACKEND_CUDA;
    void *device = NULL;
    if (far && parscan_malloc(data->context, &device, size) != PARSCAN_OK)
        return fail(why, "%s", parscan_context_error(data->context));
    void *const block = calloc(size, 1);
    if (block == NULL) {
        parscan_free(data->context, device);
        return fail_out_of_memory(why);
    }
    data->host = lay_out(block, n);
    data->on = far ? lay_out(device, n) : data->host;
    fill_measured(&data->host, n);
    if (far && parscan_copy(data->context, device, block, size) != PARSCAN_OK)
        return fail(why, "%s", parscan_context_error(data->context));
    return true;
}

void measure_data_close(measure_data *data)
{
    if (data->on.in != data->host.in)
        parscan_free(data->context, data->on.in);
    free(data->host.in);
    data->host = data->on = (measure_arrays){0};
}

parscan_status measure_data_send(measure_data *data)
{
    if (data->on.in == data->host.in)
        return PARSCAN_OK;
    return parscan_copy(data->context, data->on.out2, data->host.out2,
                        bytes_between(data->host.out2, data->host.count + 1));
}

parscan_status measure_data_fetch(measure_data *data)
{
    if (data->on.in == data->host.in)
        return PARSCAN_OK;
    return parscan_copy(data->context, data->host.out, data->on.out,
                        bytes_between(data->host.out, data->host.count + 1));
}
