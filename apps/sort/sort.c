#include "parscan/sort.h"

#include "apps/segmented/check_segments.h"
#include "apps/sort/sort_job.h"
#include "scan/context/check.h"
#include "scan/tables.h"

typedef struct key_traits {
    key_class class;
    unsigned bits;
    bool is_float, is_signed;
} key_traits;

enum { MAX_VALUE_SIZE = 64 };

static key_traits key_traits_of(parscan_type type)
{
    switch (type) {
    case PARSCAN_U8:
        return (key_traits){KEY_U8, 8, false, false};
    case PARSCAN_I8:
        return (key_traits){KEY_U8, 8, false, true};
    case PARSCAN_U16:
        return (key_traits){KEY_U16, 16, false, false};
    case PARSCAN_I16:
        return (key_traits){KEY_U16, 16, false, true};
    case PARSCAN_U32:
        return (key_traits){KEY_U32, 32, false, false};
    case PARSCAN_I32:
        return (key_traits){KEY_U32, 32, false, true};
    case PARSCAN_U64:
        return (key_traits){KEY_U64, 64, false, false};
    case PARSCAN_I64:
        return (key_traits){KEY_U64, 64, false, true};
    case PARSCAN_F32:
        return (key_traits){KEY_F32, 32, true, true};
    case PARSCAN_F64:
        return (key_traits){KEY_F64, 64, true, true};
    }
    return (key_traits){0};
}

static uint64_t low_bits(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static parscan_status check_bits(parscan_context *context, key_traits key, parscan_type type,
                                 const parscan_sort_options *options)
{
    if (options->begin_bit == 0 && options->end_bit == 0)
        return PARSCAN_OK;
    if (key.is_float)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "begin_bit = %u, end_bit = %u: bits are for integers, key_type is %s",
                            options->begin_bit, options->end_bit, parscan_type_name(type));
    const unsigned end = options->end_bit != 0 ? options->end_bit : key.bits;
    if (end > key.bits)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "end_bit = %u: %s has %u bits",
                            end, parscan_type_name(type), key.bits);
    if (options->begin_bit >= end)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "begin_bit = %u is not below end_bit = %u", options->begin_bit, end);
    return PARSCAN_OK;
}

static const sort_kernels *kernels_of(parscan_isa isa, key_class key, size_t value_size)
{
    const value_class value = value_size == 0   ? VALUE_NONE
                              : value_size == 4 ? VALUE_4
                              : value_size == 8 ? VALUE_8
                                                : VALUE_ANY;
#define KERNELS(set) &parscan_sort_kernels_##set[key][value]
    return PARSCAN_OF_ISA(isa, KERNELS);
}

/* Checks type and options, and begins a job. */
static parscan_status begin(sort_job *job, parscan_context *context, parscan_type type,
                            size_t value_size, size_t n, const parscan_sort_options *options)
{
    static const parscan_sort_options defaults = {.struct_size = sizeof defaults};
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (options == NULL)
        options = &defaults;
    parscan_status status = parscan_check_type(context, "key_type", type);
    if (status == PARSCAN_OK)
        status = parscan_check_struct_size(context, "options->struct_size", options->struct_size,
                                           sizeof *options);
    if (status != PARSCAN_OK)
        return status;
    const key_traits key = key_traits_of(type);
    status = check_bits(context, key, type, options);
    if (status != PARSCAN_OK)
        return status;
    const uint64_t all = low_bits(key.bits);
    const unsigned end = options->end_bit != 0 ? options->end_bit : key.bits;
    const bool flips_sign = key.is_signed && !key.is_float;
    const uint64_t flip = flips_sign ? (uint64_t)1 << (key.bits - 1) : 0;
    *job = (sort_job){
        .context = context,
        .kernels = kernels_of(context->isa, key.class, value_size),
        .order = {.flip = options->descending ? flip ^ all : flip,
                  .keep = low_bits(end) & ~low_bits(options->begin_bit)},
        .value_size = value_size,
        .n = n,
        .float_keys = key.is_float,
        .whole_keys = options->begin_bit == 0 && end == key.bits,
    };
    return PARSCAN_OK;
}

static parscan_status check_values(sort_job *job, const void *values_in, void *values_out)
{
    const size_t size = job->value_size;
    if (size == 0 || size > MAX_VALUE_SIZE)
        return parscan_fail(job->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = %zu: a value has 1 to %d bytes", size, MAX_VALUE_SIZE);
    const parscan_status status =
        parscan_check_array(job->context, "values_in", values_in, job->n, size);
    if (status != PARSCAN_OK)
        return status;
    job->in.values = (char *)values_in;
    job->out.values = values_out;
    return parscan_check_array(job->context, "values_out", values_out, job->n, size);
}

static parscan_status check_keys(sort_job *job, const void *keys_in, void *keys_out)
{
    const size_t size = job->kernels->key_size;
    const parscan_status status =
        parscan_check_array(job->context, "keys_in", keys_in, job->n, size);
    if (status != PARSCAN_OK)
        return status;
    job->in.keys = (char *)keys_in; /* not written, unless it is keys_out too */
    job->out.keys = keys_out;
    return parscan_check_array(job->context, "keys_out", keys_out, job->n, size);
}

static parscan_status run(sort_job *job)
{
    if (job->n == 0)
        return PARSCAN_OK;
    if (job->context->cuda != NULL)
        return parscan_sort_cuda(job);
    const parscan_status status = parscan_sort_prepare(job, 0, NULL);
    if (status == PARSCAN_OK)
        parscan_sort_cpu(job);
    return status;
}

parscan_status parscan_sort_keys(parscan_context *context, parscan_type key_type,
                                 const void *keys_in, void *keys_out, size_t n,
                                 const parscan_sort_options *options)
{
    sort_job job;
    parscan_status status = begin(&job, context, key_type, 0, n, options);
    if (status == PARSCAN_OK)
        status = check_keys(&job, keys_in, keys_out);
    return status == PARSCAN_OK ? run(&job) : status;
}

parscan_status parscan_sort_pairs(parscan_context *context, parscan_type key_type,
                                  const void *keys_in, void *keys_out, size_t value_size,
                                  const void *values_in, void *values_out, size_t n,
                                  const parscan_sort_options *options)
{
    sort_job job;
    parscan_status status = begin(&job, context, key_type, value_size, n, options);
    if (status == PARSCAN_OK)
        status = check_keys(&job, keys_in, keys_out);
    if (status == PARSCAN_OK)
        status = check_values(&job, values_in, values_out);
    return status == PARSCAN_OK ? run(&job) : status;
}

/* Keys have nowhere to go but scratch; the values are the elements' indices. */
parscan_status parscan_argsort(parscan_context *context, parscan_type key_type, const void *keys,
                               parscan_type index_type, void *indices_out, size_t n,
                               const parscan_sort_options *options)
{
    sort_job job;
    const size_t index_size = index_type == PARSCAN_U32 ? 4 : 8;
    parscan_status status = begin(&job, context, key_type, index_size, n, options);
    if (status != PARSCAN_OK)
        return status;
    status = parscan_check_type(context, "index_type", index_type);
    if (status != PARSCAN_OK)
        return status;
    if (index_type != PARSCAN_U32 && index_type != PARSCAN_U64)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "index_type = %s is neither u32 nor u64",
                            parscan_type_name(index_type));
    if (index_type == PARSCAN_U32 && n > (uint64_t)UINT32_MAX + 1)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: indices of u32 go to 2^32 - 1", n);
    status = parscan_check_array(context, "keys", keys, n, job.kernels->key_size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "indices_out", indices_out, n, index_size);
    job.in.keys = (char *)keys;
    job.out.values = indices_out;
    return status == PARSCAN_OK ? run(&job) : status;
}

parscan_status parscan_sort_segments(parscan_context *context, parscan_type key_type,
                                     const void *keys_in, void *keys_out, size_t value_size,
                                     const void *values_in, void *values_out, size_t n,
                                     const parscan_segments *segments,
                                     const parscan_sort_options *options)
{
    sort_job job;
    parscan_status status = begin(&job, context, key_type, value_size, n, options);
    if (status == PARSCAN_OK)
        status = check_keys(&job, keys_in, keys_out);
    if (status == PARSCAN_OK && (value_size != 0 || values_in != NULL || values_out != NULL))
        status = check_values(&job, values_in, values_out);
    if (status == PARSCAN_OK)
        status = parscan_check_segments(context, segments, n);
    if (status != PARSCAN_OK)
        return status;
    return context->cuda != NULL ? parscan_sort_segments_cuda(&job, segments)
                                 : parscan_sort_segments_cpu(&job, segments);
}
