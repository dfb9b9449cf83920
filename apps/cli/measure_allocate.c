/* Histograms, bins and allocations. */
#include <string.h>

#include "apps/cli/measure.h"
#include "parscan/allocate.h"
#include "parscan/histogram.h"

enum { BYTE_BINS = 256, SHORT_BINS = 65536, RECORD_UNIT = 16 };

static parscan_status run_bytes(measure_data *data)
{
    return parscan_histogram(data->context, PARSCAN_U8, data->on.in,
                             data->n * sizeof *data->host.in, BYTE_BINS, PARSCAN_U64, data->on.out,
                             NULL);
}

static bool check_bytes(const measure_data *data)
{
    const uint8_t *const in = (const uint8_t *)data->host.in;
    uint64_t counts[BYTE_BINS] = {0};
    for (size_t i = 0; i < data->n * sizeof *data->host.in; i++)
        counts[in[i]]++;
    return memcmp(counts, data->host.out, sizeof counts) == 0;
}

static double bytes_of_input(const measure_data *data)
{
    return 4.0 * (double)data->n;
}

static parscan_status run_shorts(measure_data *data)
{
    static const uint32_t lower = 0, upper = UINT32_MAX;
    return parscan_histogram(data->context, PARSCAN_U32, data->on.in, data->n, SHORT_BINS,
                             PARSCAN_U32, data->on.out,
                             &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper));
}

static bool check_shorts(const measure_data *data)
{
    static uint32_t counts[SHORT_BINS];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < data->n; i++)
        if (data->host.in[i] < UINT32_MAX)
            counts[(uint64_t)data->host.in[i] * SHORT_BINS / UINT32_MAX]++;
    return memcmp(counts, data->host.out, sizeof counts) == 0;
}

/* Sorts values, which are indices, by a byte of each. */
static parscan_status run_bin(measure_data *data)
{
    return parscan_bin(data->context, PARSCAN_U8, data->on.in, sizeof(uint32_t), NULL, data->n,
                       BYTE_BINS, PARSCAN_U32, data->on.out2, data->on.out);
}

static bool check_bin(const measure_data *data)
{
    const uint8_t *const bin_of = (const uint8_t *)data->host.in;
    const uint32_t *const offsets = data->host.out2, *const values = data->host.out;
    bool right = offsets[0] == 0 && offsets[BYTE_BINS] == data->n;
    for (size_t bin = 0; right && bin < BYTE_BINS; bin++) {
        right = offsets[bin] <= offsets[bin + 1];
        for (size_t i = offsets[bin]; right && i < offsets[bin + 1]; i++)
            right = values[i] < data->n && bin_of[values[i]] == bin &&
                    (i == offsets[bin] || values[i - 1] < values[i]);
    }
    return right;
}

static double bytes_of_u8_to_u32(const measure_data *data)
{
    return 5.0 * (double)data->n;
}

static parscan_status run_allocate(measure_data *data)
{
    return parscan_allocate(data->context, PARSCAN_U8, data->on.small, data->n, PARSCAN_U32,
                            data->on.out, data->on.count,
                            &PARSCAN_ALLOCATE_OPTIONS(.alignment = 4));
}

static bool check_allocate(const measure_data *data)
{
    const uint32_t *const offsets = data->host.out;
    uint32_t total = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++) {
        right &= offsets[i] == total;
        total += (data->host.small[i] + 3u) & ~3u;
    }
    return right && *data->host.count == total;
}

/* The number of sizes that there is room for; they are 3.5 on average. */
static size_t size_count(const measure_data *data)
{
    return data->n / 8;
}

static parscan_status run_expand(measure_data *data)
{
    return parscan_expand(data->context, PARSCAN_U8, data->on.small, size_count(data), PARSCAN_U32,
                          data->on.out, data->on.out2, data->n, data->on.count);
}

static bool check_expand(const measure_data *data)
{
    const uint32_t *const owner = data->host.out, *const rank = data->host.out2;
    uint64_t slot = 0;
    bool right = true;
    for (size_t i = 0; i < size_count(data); i++)
        for (uint32_t k = 0; k < data->host.small[i]; k++, slot++)
            right &= owner[slot] == i && rank[slot] == k;
    return right && *data->host.count == slot;
}

static double bytes_of_expand(const measure_data *data)
{
    return (double)size_count(data) + 8.0 * (double)*data->host.count;
}

/* Records of 0 to 112 bytes, which are packed in reverse order: their sizes, and then the offsets
   where they are and where they go. */
typedef struct records {
    size_t count;
    uint32_t *sizes, *from, *to;
} records;

static records records_in(const measure_arrays *arrays, size_t n)
{
    const size_t count = n / 4 / RECORD_UNIT * 2;
    uint32_t *const sizes = arrays->spare;
    return (records){count, sizes, sizes + count, sizes + 2 * count};
}

static void prepare_pack(measure_data *data)
{
    const records r = records_in(&data->host, data->n);
    uint32_t total = 0;
    for (size_t i = 0; i < r.count; i++) {
        r.sizes[i] = data->host.small[i] * (uint32_t)RECORD_UNIT;
        r.from[i] = total;
        total += r.sizes[i];
    }
    for (size_t i = 0; i < r.count; i++)
        r.to[i] = total - r.from[i] - r.sizes[i];
    *data->host.count = total;
}

static parscan_status run_pack(measure_data *data)
{
    const records r = records_in(&data->on, data->n);
    return parscan_pack(data->context, data->on.in, PARSCAN_U32, r.from, PARSCAN_U32, r.sizes,
                        data->on.out, r.to, r.count);
}

static bool check_pack(const measure_data *data)
{
    const records r = records_in(&data->host, data->n);
    bool right = true;
    for (size_t i = 0; right && i < r.count; i++)
        right = memcmp((const char *)data->host.in + r.from[i],
                       (const char *)data->host.out + r.to[i], r.sizes[i]) == 0;
    return right;
}

static double bytes_of_pack(const measure_data *data)
{
    return 2.0 * (double)*data->host.count + 12.0 * (double)records_in(&data->host, data->n).count;
}

const measure_row measure_allocations[] = {
    {"histogram u8, 256", NULL, run_bytes, check_bytes, bytes_of_input},
    {"histogram, 65536", NULL, run_shorts, check_shorts, bytes_of_input},
    {"bin by u8", NULL, run_bin, check_bin, bytes_of_u8_to_u32},
    {"allocate u8", NULL, run_allocate, check_allocate, bytes_of_u8_to_u32},
    {"expand", NULL, run_expand, check_expand, bytes_of_expand},
    {"pack", prepare_pack, run_pack, check_pack, bytes_of_pack},
    {0}};
