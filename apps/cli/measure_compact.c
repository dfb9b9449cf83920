/* Compactions. */
#include <string.h>

#include "apps/cli/measure.h"
#include "parscan/compact.h"

/* Half of the elements are below this. */
static const uint32_t middle = UINT32_C(1) << 31;

#define BELOW_MIDDLE PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &middle)

static parscan_status run_compact(measure_data *data)
{
    return parscan_compact(data->context, sizeof *data->host.in, data->on.in, data->on.flags,
                           data->on.out, data->n, data->on.count);
}

static bool check_compact(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    uint64_t count = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++)
        if (data->host.flags[i] != 0)
            right &= out[count++] == data->host.in[i];
    return right && count == *data->host.count;
}

static double bytes_of_compact(const measure_data *data)
{
    return 5.0 * (double)data->n + 4.0 * (double)*data->host.count;
}

static parscan_status run_compact_if(measure_data *data)
{
    return parscan_compact_if(data->context, PARSCAN_U32, data->on.in, &BELOW_MIDDLE, data->on.out,
                              data->n, data->on.count);
}

static bool check_compact_if(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    uint64_t count = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++)
        if (data->host.in[i] < middle)
            right &= out[count++] == data->host.in[i];
    return right && count == *data->host.count;
}

static double bytes_of_compact_if(const measure_data *data)
{
    return 4.0 * ((double)data->n + (double)*data->host.count);
}

static parscan_status run_indices(measure_data *data)
{
    return parscan_compact_indices(data->context, PARSCAN_U32, data->on.in, &BELOW_MIDDLE,
                                   PARSCAN_U32, data->on.out, data->n, data->on.count);
}

static bool check_indices(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    uint64_t count = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++)
        if (data->host.in[i] < middle)
            right &= out[count++] == i;
    return right && count == *data->host.count;
}

static parscan_status run_partition(measure_data *data)
{
    return parscan_partition(data->context, PARSCAN_U32, data->on.in, &BELOW_MIDDLE, data->on.out,
                             data->n, data->on.count);
}

static bool check_partition(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    uint64_t kept = 0, rest = *data->host.count;
    bool right = true;
    for (size_t i = 0; right && i < data->n; i++) {
        uint64_t *const next = data->host.in[i] < middle ? &kept : &rest;
        right = *next < data->n && out[*next] == data->host.in[i];
        ++*next;
    }
    return right && kept == *data->host.count;
}

static double bytes_of_partition(const measure_data *data)
{
    return 8.0 * (double)data->n;
}

static parscan_status run_unique(measure_data *data)
{
    return parscan_unique(data->context, PARSCAN_U32, data->on.runs, data->on.out, data->n,
                          data->on.count);
}

static bool check_unique(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    uint64_t count = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++)
        if (i == 0 || data->host.runs[i] != data->host.runs[i - 1])
            right &= out[count++] == data->host.runs[i];
    return right && count == *data->host.count;
}

static parscan_status run_lengths(measure_data *data)
{
    return parscan_run_length_encode(data->context, PARSCAN_U32, data->on.runs, data->on.out,
                                     PARSCAN_U32, data->on.out2, data->n, data->on.count);
}

static bool check_lengths(const measure_data *data)
{
    const uint32_t *const lengths = data->host.out2;
    if (!check_unique(data))
        return false;
    size_t i = 0;
    bool right = true;
    for (uint64_t run = 0; run < *data->host.count; run++) {
        size_t end = i + 1;
        while (end < data->n && data->host.runs[end] == data->host.runs[i])
            end++;
        right &= lengths[run] == end - i;
        i = end;
    }
    return right;
}

static double bytes_of_lengths(const measure_data *data)
{
    return 4.0 * (double)data->n + 8.0 * (double)*data->host.count;
}

/* The flags as a matrix. */
enum { COLUMNS = 256 };

static parscan_status run_csr(measure_data *data)
{
    return parscan_dense_to_csr(data->context, PARSCAN_U8, data->on.flags, data->n / COLUMNS,
                                COLUMNS, PARSCAN_U32, data->on.out, data->on.out2, data->on.spare,
                                data->on.count);
}

static bool check_csr(const measure_data *data)
{
    const uint32_t *const offsets = data->host.out, *const columns = data->host.out2;
    const uint8_t *const values = data->host.spare;
    uint32_t entry = 0;
    bool right = true;
    for (size_t i = 0; i < data->n / COLUMNS * COLUMNS; i++) {
        if (i % COLUMNS == 0)
            right &= offsets[i / COLUMNS] == entry;
        if (data->host.flags[i] != 0) {
            right &= columns[entry] == i % COLUMNS && values[entry] == data->host.flags[i];
            entry++;
        }
    }
    return right && offsets[data->n / COLUMNS] == entry && *data->host.count == entry;
}

static double bytes_of_csr(const measure_data *data)
{
    return (double)data->n * (1 + 4.0 / COLUMNS) + 5.0 * (double)*data->host.count;
}

const measure_row measure_compactions[] = {
    {"compact by flags", NULL, run_compact, check_compact, bytes_of_compact},
    {"compact, half", NULL, run_compact_if, check_compact_if, bytes_of_compact_if},
    {"indices of half", NULL, run_indices, check_indices, bytes_of_compact_if},
    {"partition", NULL, run_partition, check_partition, bytes_of_partition},
    {"unique", NULL, run_unique, check_unique, bytes_of_compact_if},
    {"run lengths", NULL, run_lengths, check_lengths, bytes_of_lengths},
    {"dense to CSR, u8", NULL, run_csr, check_csr, bytes_of_csr},
    {0}};
