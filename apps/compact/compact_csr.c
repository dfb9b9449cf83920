/* A dense matrix to compressed sparse rows. */
#include "apps/compact/compact_checks.h"
#include "parscan/compact.h"
#include "scan/context/check.h"
#include "scan/type_traits.h"

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
                            "%s is NULL, but %s is not: give both or neither",
                            values == NULL ? "values" : "column_indices",
                            values == NULL ? "column_indices" : "values");
    if (columns > 0 && columns - 1 > parscan_most_index(index_type))
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "columns = %zu: the column indices do not fit index_type = %s", columns,
                            parscan_type_name(index_type));
    /* Both of the last two may be empty, and then at one place. */
    const parscan_extent arrays[] = {{"row_offsets", row_offsets, (rows + 1) * index_size},
                                     {"dense", dense, n * parscan_type_size(type)},
                                     parscan_kept("column_indices", column_indices, n),
                                     parscan_kept("values", values, n)};
    status = parscan_check_all_apart(context, arrays, 2, 4);
    if (status != PARSCAN_OK)
        return status;
    rows = parscan_length(&lengths, LENGTH_N, rows);
    columns = parscan_length(&lengths, LENGTH_N2, columns);
    compact_call call = {
        .context = context,
        .name = "parscan_dense_to_csr",
        .in = dense,
        .size = parscan_type_size(type),
        .n = rows * columns,
        .n_at = parscan_length_at(&lengths, LENGTH_N),
        .columns_at = parscan_length_at(&lengths, LENGTH_N2),
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
    return parscan_end_lengths(context, &lengths, parscan_run_compact(&call));
}
