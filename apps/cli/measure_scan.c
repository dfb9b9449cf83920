/* The copy; scans and reductions, plain and segmented; the recurrence. */
#include <string.h>

#include "apps/cli/measure.h"
#include "apps/cli/parallel.h"
#include "parscan/memory.h"
#include "parscan/scan.h"
#include "parscan/segmented.h"

#if defined __SSE2__
#include <emmintrin.h>
#endif

/* Stores bypass the caches where the processor can do so, as the scan's own stores do. */
static void copy_share(char *to, const char *from, size_t size)
{
#if defined __SSE2__
    while (size > 0 && ((uintptr_t)to & 15) != 0)
        *to++ = *from++, size--;
    for (; size >= 16; to += 16, from += 16, size -= 16)
        _mm_stream_si128((__m128i *)(void *)to,
                         _mm_loadu_si128((const __m128i *)(const void *)from));
    _mm_sfence();
#endif
    memcpy(to, from, size);
}

static void copy_part(size_t index, unsigned thread, void *user)
{
    (void)thread;
    const measure_data *const data = user;
    const size_t size = data->n * sizeof *data->host.in;
    const size_t begin = size / data->threads * index;
    const size_t end = index + 1 < data->threads ? size / data->threads * (index + 1) : size;
    copy_share((char *)data->host.out + begin, (const char *)data->host.in + begin, end - begin);
}

static parscan_status run_copy(measure_data *data)
{
    if (parscan_context_backend(data->context) == PARSCAN_BACKEND_CUDA)
        return parscan_copy(data->context, data->on.out, data->on.in, data->n * sizeof(uint32_t));
    parallel_for(data->threads, data->threads, copy_part, data);
    return PARSCAN_OK;
}

static bool check_copy(const measure_data *data)
{
    return memcmp(data->host.in, data->host.out, data->n * sizeof *data->host.in) == 0;
}

static double bytes_of_copy(const measure_data *data)
{
    return 2.0 * sizeof *data->host.in * (double)data->n;
}

static parscan_status run_scan(measure_data *data)
{
    return parscan_inclusive_scan(data->context, PARSCAN_U32, data->on.in, data->on.out, data->n,
                                  NULL);
}

static bool check_scan(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    uint32_t sum = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++)
        right &= out[i] == (sum += data->host.in[i]);
    return right;
}

static parscan_status run_reduce(measure_data *data)
{
    return parscan_reduce(data->context, PARSCAN_U32, data->on.in, data->on.out, data->n, NULL);
}

static bool check_reduce(const measure_data *data)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < data->n; i++)
        sum += data->host.in[i];
    return *(const uint32_t *)data->host.out == sum;
}

static double bytes_of_reduce(const measure_data *data)
{
    return (double)sizeof *data->host.in * (double)data->n;
}

static parscan_status run_segscan(measure_data *data)
{
    return parscan_segmented_inclusive_scan(
        data->context, PARSCAN_U32, data->on.in, data->on.out, data->n,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = data->on.flags), NULL);
}

static bool check_segscan(const measure_data *data)
{
    const uint32_t *const out = data->host.out;
    uint32_t sum = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++) {
        sum = data->host.flags[i] != 0 ? data->host.in[i] : sum + data->host.in[i];
        right &= out[i] == sum;
    }
    return right;
}

static double bytes_of_segscan(const measure_data *data)
{
    return bytes_of_copy(data) + (double)data->n;
}

static parscan_status run_segreduce(measure_data *data)
{
    return parscan_segmented_reduce(data->context, PARSCAN_U32, data->on.in, data->on.out, data->n,
                                    &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS,
                                                      .type = PARSCAN_U32, .data = data->on.runs),
                                    data->on.count, NULL);
}

static bool check_segreduce(const measure_data *data)
{
    const uint32_t *const out = data->host.out, *const keys = data->host.runs;
    uint64_t count = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; count++) {
        uint32_t sum = data->host.in[i];
        for (i++; i < data->n && keys[i] == keys[i - 1]; i++)
            sum += data->host.in[i];
        right = right && count < *data->host.count && out[count] == sum;
    }
    return right && count == *data->host.count;
}

static double bytes_of_segreduce(const measure_data *data)
{
    return bytes_of_copy(data) + 4.0 * (double)*data->host.count;
}

/* Sums that start again at every flag. All values are integers, so that no order of operations
   rounds. */
static void prepare_recurrence(measure_data *data)
{
    float *const a = data->host.out2, *const b = data->host.spare;
    for (size_t i = 0; i < data->n; i++) {
        a[i] = data->host.flags[i] != 0 ? 0 : 1;
        b[i] = data->host.small[i];
    }
}

static parscan_status run_recurrence(measure_data *data)
{
    return parscan_recurrence(data->context, PARSCAN_F32, data->on.out2, data->on.spare, NULL,
                              data->on.out, data->n);
}

static bool check_recurrence(const measure_data *data)
{
    const float *const a = data->host.out2, *const b = data->host.spare,
                       *const out = data->host.out;
    float x = 0;
    bool right = true;
    for (size_t i = 0; i < data->n; i++) {
        x = a[i] * x + b[i];
        right &= out[i] == x;
    }
    return right;
}

static double bytes_of_recurrence(const measure_data *data)
{
    return 3.0 * sizeof(float) * (double)data->n;
}

const measure_row measure_scans[] = {
    {"copy", NULL, run_copy, check_copy, bytes_of_copy},
    {"scan", NULL, run_scan, check_scan, bytes_of_copy},
    {"reduce", NULL, run_reduce, check_reduce, bytes_of_reduce},
    {"segmented scan", NULL, run_segscan, check_segscan, bytes_of_segscan},
    {"segmented reduce", NULL, run_segreduce, check_segreduce, bytes_of_segreduce},
    {"recurrence f32", prepare_recurrence, run_recurrence, check_recurrence, bytes_of_recurrence},
    {0}};
