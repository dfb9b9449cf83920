/* A dense matrix to compressed sparse rows. */
#include "apps/compact/compact_checks.h"
#include "parscan/compact.h"
#include "scan/context/check.h"
#include "scan/type_traits.h"

/* Checks the size of the matrix and the arrays; types are checked. */
static parscan_status check_matrix(const compact_call *call)
{
    parscan_context *const context = call->context;
    const size_t rows = call->rows, columns = call->columns;
    const size_t index_size = parscan_type_size(call->given_type);
    const size_t most = SIZE_MAX / 2 / call->size;
    if (rows >= SIZE_MAX / 2 / index_size || (columns > 0 && rows > most / columns))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "rows = %zu, columns = %zu: more elements than an address space holds",
                            rows, columns);
    const size_t n = rows * columns;
    parscan_status status = parscan_check_array(context, "dense", call->in, n, call->size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "row_offsets", call->row_offsets, rows, index_size);
    if (status != PARSCAN_OK)
        return status;
    if (call->row_offsets == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "row_offsets is NULL");
    if ((call->indices == NULL) != (call->values == NULL) && n > 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is NULL, but %s is not: give both or neither",
                            call->values == NULL ? "values" : "column_indices",
                            call->values == NULL ? "column_indices" : "values");
    if (columns > 0 && columns - 1 > parscan_most_index(call->given_type))
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "columns = %zu: the column indices do not fit index_type = %s", columns,
                            parscan_type_name(call->given_type));
    /* Both of the last two may be empty, and then at one place. */
    const parscan_extent arrays[] = {{"row_offsets", call->row_offsets, (rows + 1) * index_size},
                                     {"dense", call->in, n * call->size},
                                     parscan_kept("column_indices", call->indices, n),
                                     parscan_kept("values", call->values, n)};
    return parscan_check_all_apart(context, arrays, 2, 4);
}

parscan_status parscan_dense_to_csr(parscan_context *context, parscan_type type, const void *dense,
                                    size_t rows, size_t columns, parscan_type index_type,
                                    void *row_offsets, void *column_indices, void *values,
                                    uint64_t *count)
{
    call_lengths lengths;
    parscan_status status = parscan_check_compact_input(context, ON_DEVICE | LENGTH_N2 | ROOM,
                                                        &lengths, type, dense, 0, count);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "index_type", index_type);
    if (status != PARSCAN_OK)
        return status;
    compact_call call = {
        .context = context,
        .name = "parscan_dense_to_csr",
        .in = dense,
        .size = parscan_type_size(type),
        .type = type,
        .range = parscan_compact_range_of_nonzero(type),
        .values = values,
        .indices = column_indices,
        .row_offsets = row_offsets,
        .rows = rows,
        .columns = columns,
        .index_type = parscan_unsigned_index(index_type),
        .given_type = index_type,
        .count = count,
        .capacity = lengths.capacity,
    };
    status = check_matrix(&call);
    if (status != PARSCAN_OK)
        return status;
    call.rows = parscan_length(&lengths, LENGTH_N, rows);
    call.columns = parscan_length(&lengths, LENGTH_N2, columns);
    call.n = call.rows * call.columns;
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    call.columns_at = parscan_length_at(&lengths, LENGTH_N2);
    return parscan_end_lengths(context, &lengths, parscan_run_compact(&call));
}
