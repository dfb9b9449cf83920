#include "parscan/compact.h"

#include <string.h>

#include "apps/compact/compact_cpu.h"
#include "scan/context/check.h"

static const parscan_predicate nonzero = {.struct_size = sizeof nonzero,
                                          .comparison = PARSCAN_NONZERO};

static parscan_status check_predicate(parscan_context *context, const parscan_predicate *keep)
{
    const parscan_status status =
        parscan_check_struct_size(context, "keep->struct_size", keep->struct_size, sizeof *keep);
    if (status != PARSCAN_OK)
        return status;
    if ((unsigned)keep->comparison > PARSCAN_BETWEEN)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "keep->comparison = %d is not a parscan_comparison",
                            (int)keep->comparison);
    if (keep->comparison != PARSCAN_NONZERO && keep->value == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "keep->value is NULL, comparison = %d", (int)keep->comparison);
    if (keep->comparison == PARSCAN_BETWEEN && keep->upper == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "keep->upper is NULL, comparison = %d", (int)keep->comparison);
    return PARSCAN_OK;
}

/* index_type is u32 or u64; the argument is called name. */
static parscan_status check_index_type(parscan_context *context, const char *name,
                                       parscan_type index_type)
{
    const parscan_status status = parscan_check_type(context, name, index_type);
    if (status != PARSCAN_OK || index_type == PARSCAN_U32 || index_type == PARSCAN_U64)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s = %s: u32 or u64 is wanted",
                        name, parscan_type_name(index_type));
}

/* What every call has; the outputs are checked by the call. */
static parscan_status check_input(parscan_context *context, parscan_type type, const void *in,
                                  size_t n, const uint64_t *count)
{
    const parscan_status supported = parscan_check_cpu(context);
    if (supported != PARSCAN_OK)
        return supported;
    const parscan_status status = parscan_check_type(context, "type", type);
    if (status != PARSCAN_OK)
        return status;
    if (count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    return parscan_check_array(context, "in", in, n, parscan_type_size(type));
}

/* The same for calls with a predicate; on success *job tests the elements of in. */
static parscan_status begin_filter(parscan_context *context, parscan_type type, const void *in,
                                   const parscan_predicate **keep, size_t n, const uint64_t *count,
                                   compact_job *job)
{
    parscan_status status = check_input(context, type, in, n, count);
    if (status != PARSCAN_OK)
        return status;
    if (*keep == NULL)
        *keep = &nonzero;
    status = check_predicate(context, *keep);
    if (status != PARSCAN_OK)
        return status;
    *job = (compact_job){.context = context, .n = n};
    parscan_compact_elements(job, type, in);
    job->range = parscan_compact_element(type)->range_of(*keep);
    return PARSCAN_OK;
}

static parscan_status run(compact_job *job, uint64_t *count)
{
    compact_before end;
    parscan_compact_run(job, &end);
    *count = end.kept;
    return PARSCAN_OK;
}

/* The type whose kernels move records of a size; 0: none. */
static parscan_type type_of_size(size_t size)
{
    switch (size) {
    case 1:
        return PARSCAN_U8;
    case 2:
        return PARSCAN_U16;
    case 4:
        return PARSCAN_U32;
    case 8:
        return PARSCAN_U64;
    default:
        return (parscan_type)0;
    }
}

parscan_status parscan_compact(parscan_context *context, size_t element_size, const void *in,
                               const uint8_t *flags, void *out, size_t n, uint64_t *count)
{
    parscan_status status = check_input(context, PARSCAN_U8, flags, 0, count);
    if (status != PARSCAN_OK)
        return status;
    if (element_size == 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "element_size = 0");
    status = parscan_check_array(context, "in", in, n, element_size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "flags", flags, n, 1);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", out, n, element_size);
    if (status != PARSCAN_OK)
        return status;
    compact_job job = {.context = context, .n = n};
    const parscan_type type = type_of_size(element_size);
    parscan_compact_elements(&job, PARSCAN_U8, flags);
    job.range = parscan_compact_element(PARSCAN_U8)->range_of(&nonzero);
    job.move = type != 0 ? parscan_compact_element(type)->kernels[context->isa] : NULL;
    job.in = in;
    job.size = element_size;
    job.values = out;
    return run(&job, count);
}

parscan_status parscan_compact_if(parscan_context *context, parscan_type type, const void *in,
                                  const parscan_predicate *keep, void *out, size_t n,
                                  uint64_t *count)
{
    compact_job job;
    parscan_status status = begin_filter(context, type, in, &keep, n, count, &job);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", out, n, job.size);
    if (status != PARSCAN_OK)
        return status;
    job.values = out;
    return run(&job, count);
}

parscan_status parscan_compact_indices(parscan_context *context, parscan_type type, const void *in,
                                       const parscan_predicate *keep, parscan_type index_type,
                                       void *indices_out, size_t n, uint64_t *count)
{
    compact_job job;
    parscan_status status = begin_filter(context, type, in, &keep, n, count, &job);
    if (status == PARSCAN_OK)
        status = check_index_type(context, "index_type", index_type);
    if (status != PARSCAN_OK)
        return status;
    if (index_type == PARSCAN_U32 && n > 0 && (uint64_t)(n - 1) > UINT32_MAX)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: more than index_type = u32 counts", n);
    status = parscan_check_array(context, "indices_out", indices_out, n, 1);
    if (status != PARSCAN_OK)
        return status;
    job.place = parscan_place_indices;
    job.placed = indices_out;
    job.index_type = index_type;
    return run(&job, count);
}

parscan_status parscan_partition(parscan_context *context, parscan_type type, const void *in,
                                 const parscan_predicate *keep, void *out, size_t n,
                                 uint64_t *count)
{
    compact_job job;
    parscan_status status = begin_filter(context, type, in, &keep, n, count, &job);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", out, n, job.size);
    if (status != PARSCAN_OK)
        return status;
    if (in == out && n > 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "out = in: a partition is not done in place");
    job.values = out;
    if (n > 0)
        job.rest = (char *)out + (size_t)parscan_compact_count(&job) * job.size;
    return run(&job, count);
}

parscan_status parscan_unique(parscan_context *context, parscan_type type, const void *in,
                              void *out, size_t n, uint64_t *count)
{
    parscan_status status = check_input(context, type, in, n, count);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", out, n, parscan_type_size(type));
    if (status != PARSCAN_OK)
        return status;
    compact_job job = {.context = context, .n = n, .runs = true, .values = out};
    parscan_compact_elements(&job, type, in);
    return run(&job, count);
}

parscan_status parscan_run_length_encode(parscan_context *context, parscan_type type,
                                         const void *in, void *values, parscan_type count_type,
                                         void *lengths, size_t n, uint64_t *count)
{
    parscan_status status = check_input(context, type, in, n, count);
    if (status == PARSCAN_OK)
        status = check_index_type(context, "count_type", count_type);
    if (status != PARSCAN_OK)
        return status;
    compact_job job = {.context = context, .n = n, .runs = true, .values = values};
    parscan_compact_elements(&job, type, in);
    if (lengths != NULL) {
        job.place = parscan_place_lengths;
        job.placed = lengths;
        job.index_type = count_type;
    }
    compact_before end;
    parscan_compact_run(&job, &end);
    *count = end.kept;
    if (n == 0 || lengths == NULL)
        return PARSCAN_OK;
    return parscan_close_last_run(&job, &end);
}

parscan_status parscan_dense_to_csr(parscan_context *context, parscan_type type, const void *dense,
                                    size_t rows, size_t columns, parscan_type index_type,
                                    void *row_offsets, void *column_indices, void *values,
                                    uint64_t *count)
{
    parscan_status status = check_input(context, type, dense, 0, count);
    if (status == PARSCAN_OK)
        status = check_index_type(context, "index_type", index_type);
    if (status != PARSCAN_OK)
        return status;
    const size_t index_size = parscan_type_size(index_type);
    const size_t most = SIZE_MAX / 2 / parscan_type_size(type);
    if (rows >= SIZE_MAX / 2 / index_size || (columns > 0 && rows > most / columns))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "rows = %zu, columns = %zu: more elements than an address space holds",
                            rows, columns);
    const size_t n = rows * columns;
    status = parscan_check_array(context, "dense", dense, n, parscan_type_size(type));
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "row_offsets", row_offsets, rows, index_size);
    if (status != PARSCAN_OK)
        return status;
    if (row_offsets == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "row_offsets is NULL");
    if ((column_indices == NULL) != (values == NULL) && n > 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is NULL and the other of values and column_indices is not",
                            values == NULL ? "values" : "column_indices");
    if (index_type == PARSCAN_U32 && columns > 0 && (uint64_t)(columns - 1) > UINT32_MAX)
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "columns = %zu: more than index_type = u32 counts", columns);
    compact_job job = {.context = context, .n = n};
    parscan_compact_elements(&job, type, dense);
    job.range = parscan_compact_element(type)->range_of(&nonzero);
    job.values = values;
    job.place = parscan_place_columns;
    job.placed = column_indices;
    job.index_type = index_type;
    job.row_offsets = row_offsets;
    job.columns = columns;
    memset(row_offsets, 0, (n == 0 ? rows + 1 : 1) * index_size);
    status = run(&job, count);
    if (status == PARSCAN_OK && index_type == PARSCAN_U32 && *count > UINT32_MAX)
        status = parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                              "%llu entries: more than index_type = u32 counts",
                              (unsigned long long)*count);
    return status;
}
