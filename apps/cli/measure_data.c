#include "apps/cli/measure.h"

#include <stdlib.h>
#include <string.h>

/* splitmix64 (G. Steele, D. Lea, C. Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void fill(measure_data *data)
{
    uint64_t state = 1;
    uint32_t run = 0;
    for (size_t i = 0; i < data->n; i++) {
        const uint64_t bits = next_random(&state);
        data->in[i] = (uint32_t)bits;
        data->small[i] = bits >> 32 & 7;
        data->flags[i] = (bits >> 40 & 63) == 0;
        run += (bits >> 48 & 7) == 0;
        data->runs[i] = run;
    }
    /* Pages that nobody has written yet would be counted in the first row. */
    memset(data->out, 1, data->n * sizeof(uint32_t));
    memset(data->out2, 1, data->n * sizeof(uint32_t));
    memset(data->spare, 1, data->n * sizeof(uint32_t));
}

bool measure_data_open(measure_data *data, size_t n)
{
    data->n = n;
    data->in = calloc(n, sizeof *data->in);
    data->runs = calloc(n, sizeof *data->runs);
    data->flags = calloc(n, sizeof *data->flags);
    data->small = calloc(n, sizeof *data->small);
    data->out = calloc(n, sizeof(uint32_t));
    data->out2 = calloc(n, sizeof(uint32_t));
    data->spare = calloc(n, sizeof(uint32_t));
    if (data->in == NULL || data->runs == NULL || data->flags == NULL || data->small == NULL ||
        data->out == NULL || data->out2 == NULL || data->spare == NULL)
        return false;
    fill(data);
    return true;
}

void measure_data_close(measure_data *data)
{
    free(data->in);
    free(data->runs);
    free(data->flags);
    free(data->small);
    free(data->out);
    free(data->out2);
    free(data->spare);
}
