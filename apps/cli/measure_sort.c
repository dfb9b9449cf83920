/* Sorts. */
#include "apps/cli/measure.h"
#include "parscan/sort.h"

static parscan_status run_keys(measure_data *data)
{
    return parscan_sort_keys(data->context, PARSCAN_U32, data->on.in, data->on.out, data->n, NULL);
}

/* A number that does not depend on the order of the keys. */
static uint64_t digest(const uint32_t *keys, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (keys[i] + UINT64_C(0x9e3779b97f4a7c15)) * (keys[i] ^ UINT64_C(0xbf58476d1ce4e5b9));
    return sum;
}

static bool check_keys(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    bool ascends = true;
    for (size_t i = 1; i < data->n; i++)
        ascends &= out[i - 1] <= out[i];
    return ascends && digest(out, data->n) == digest(data->host.in, data->n);
}

static double bytes_of_keys(const measure_data *data)
{
    return 8.0 * (double)data->n;
}

static void prepare_pairs(measure_data *data)
{
    uint32_t *const index = data->host.spare;
    for (size_t i = 0; i < data->n; i++)
        index[i] = (uint32_t)i;
}

static parscan_status run_pairs(measure_data *data)
{
    return parscan_sort_pairs(data->context, PARSCAN_U32, data->on.in, data->on.out,
                              sizeof(uint32_t), data->on.spare, data->on.out2, data->n, NULL);
}

/* Indices that put the keys in order, and ascend among equal keys, occur once each. */
static bool check_order(const measure_data *data, const uint32_t *index)
{
    for (size_t i = 0; i < data->n; i++) {
        if (index[i] >= data->n)
            return false;
        if (i == 0)
            continue;
        const uint32_t before = data->host.in[index[i - 1]], key = data->host.in[index[i]];
        if (before > key || (before == key && index[i - 1] >= index[i]))
            return false;
    }
    return true;
}

static bool check_pairs(const measure_data *data)
{
    const uint32_t *const out = data->host.out, *const index = data->host.out2;
    if (!check_order(data, index))
        return false;
    bool right = true;
    for (size_t i = 0; i < data->n; i++)
        right &= out[i] == data->host.in[index[i]];
    return right;
}

static double bytes_of_pairs(const measure_data *data)
{
    return 16.0 * (double)data->n;
}

static parscan_status run_argsort(measure_data *data)
{
    return parscan_argsort(data->context, PARSCAN_U32, data->on.in, PARSCAN_U32, data->on.out,
                           data->n, NULL);
}

static bool check_argsort(const measure_data *data)
{
    return check_order(data, data->host.out);
}

static parscan_status run_segments(measure_data *data)
{
    return parscan_sort_segments(
        data->context, PARSCAN_U32, data->on.in, data->on.out, 0, NULL, NULL, data->n,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = data->on.flags), NULL);
}

static bool check_segments(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    bool right = true;
    for (size_t begin = 0, i = 1; i <= data->n; i++) {
        if (i < data->n && data->host.flags[i] == 0) {
            right &= out[i - 1] <= out[i];
            continue;
        }
        right &= digest(out + begin, i - begin) == digest(data->host.in + begin, i - begin);
        begin = i;
    }
    return right;
}

static double bytes_of_segments(const measure_data *data)
{
    return 9.0 * (double)data->n;
}

const measure_row measure_sorts[] = {
    {"sort keys", NULL, run_keys, check_keys, bytes_of_keys},
    {"sort pairs", prepare_pairs, run_pairs, check_pairs, bytes_of_pairs},
    {"argsort", NULL, run_argsort, check_argsort, bytes_of_keys},
    {"sort segments", NULL, run_segments, check_segments, bytes_of_segments},
    {0}};
