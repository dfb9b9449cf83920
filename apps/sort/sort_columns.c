#include "parscan/columns.h"

#include <stdio.h>
#include <string.h>

#include "apps/merge/key_order.h"
#include "apps/sort/sort_call.h"
#include "apps/sort/sort_columns_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

PARSCAN_STRUCT_CAN_GROW(parscan_column, width, PARSCAN_OLDEST_COLUMN);
PARSCAN_STRUCT_CAN_GROW(parscan_sort_columns_options, values_out,
                        PARSCAN_OLDEST_SORT_COLUMNS_OPTIONS);

enum { NAME_ROOM = 48 };

/* The name of a column, or with `field` of its field. */
static const char *name_of(char *name, size_t k, const char *field)
{
    snprintf(name, NAME_ROOM, "columns[%zu]%s", k, field);
    return name;
}

static parscan_status check_width(parscan_context *context, size_t k, const parscan_column *column)
{
    const bool is_string = column->type == PARSCAN_BYTES;
    if (is_string && (column->width == 0 || column->width > COLUMN_WIDTH_MOST))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "columns[%zu].width = %zu: strings have 1 to %d bytes", k,
                            column->width, COLUMN_WIDTH_MOST);
    if (!is_string && column->width != 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "columns[%zu].width = %zu: it must be 0 for type = %s", k,
                            column->width, parscan_type_name(column->type));
    return PARSCAN_OK;
}

static sorted_column checked_column(const parscan_column *column)
{
    const bool descending = column->descending != 0;
    sorted_column sorted = {.data = column->data,
                            .flip = descending ? UINT64_MAX : 0,
                            .size = (uint32_t)column->width,
                            .key = KEY_CLASSES};
    if (column->type != PARSCAN_BYTES) {
        const parscan_type_traits traits = parscan_type_traits_of(column->type);
        sorted.size = (uint32_t)traits.size;
        sorted.key = (uint32_t)traits.key;
        sorted.flip =
            parscan_key_order(column->type, descending, 0, 8 * (unsigned)traits.size).flip;
    }
    return sorted;
}

/* Checks a column, and puts it into the call. */
static parscan_status take_column(columns_call *call, size_t k, const void *given)
{
    char name[NAME_ROOM];
    parscan_context *const context = call->context;
    parscan_column column;
    parscan_status status = parscan_read_struct(context, name_of(name, k, ""), given,
                                                PARSCAN_OLDEST_COLUMN, &column, sizeof column);
    if (status == PARSCAN_OK && column.type != PARSCAN_BYTES)
        status = parscan_check_sorted_type(context, name_of(name, k, ".type"), column.type);
    if (status == PARSCAN_OK)
        status = check_width(context, k, &column);
    if (status != PARSCAN_OK)
        return status;
    const sorted_column checked = checked_column(&column);
    call->columns[k] = checked;
    call->bits += 8 * checked.size;
    return parscan_check_array(context, name_of(name, k, ".data"), column.data, call->n,
                               checked.size);
}

/* The columns lie as far apart as the caller's struct is long. */
static parscan_status take_columns(columns_call *call, const parscan_column *columns, size_t count)
{
    parscan_context *const context = call->context;
    parscan_status status = PARSCAN_OK;
    if (count > COLUMNS_MOST)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "column_count = %zu: it must be at most %d", count, COLUMNS_MOST);
    if (count > 0 && columns == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "columns is NULL: column_count = %zu", count);
    call->count = (unsigned)count;
    for (size_t k = 0; k < count && status == PARSCAN_OK; k++) {
        const char *const column = (const char *)columns + k * columns->struct_size;
        size_t struct_size;
        memcpy(&struct_size, column, sizeof struct_size);
        if (struct_size != columns->struct_size)
            return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                                "columns[%zu].struct_size = %zu: that of columns[0] is %zu", k,
                                struct_size, columns->struct_size);
        status = take_column(call, k, column);
    }
    return status;
}

static parscan_status check_order(const columns_call *call)
{
    parscan_context *const context = call->context;
    const parscan_status status = parscan_check_index_type(context, "index_type", call->index_type);
    if (status != PARSCAN_OK)
        return status;
    if (call->n > 0 && call->n - 1 > parscan_most_index(call->index_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: the indices do not fit index_type = %s", call->n,
                            parscan_type_name(call->index_type));
    return parscan_check_array(context, "indices_out", call->order, call->n, call->index_size);
}

static parscan_status check_values(const columns_call *call)
{
    parscan_context *const context = call->context;
    const size_t size = call->value_size;
    if (size == 0 && (call->values_in != NULL || call->values_out != NULL))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "options->value_size = 0: values_in and values_out must be NULL");
    if (size == 0)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_check_array(context, "options->values_in", call->values_in, call->n, size);
    return status == PARSCAN_OK ? parscan_check_array(context, "options->values_out",
                                                      call->values_out, call->n, size)
                                : status;
}

static parscan_status take_options(columns_call *call, const parscan_sort_columns_options *given)
{
    parscan_sort_columns_options options;
    const parscan_status status =
        parscan_read_struct(call->context, "options", given, PARSCAN_OLDEST_SORT_COLUMNS_OPTIONS,
                            &options, sizeof options);
    if (status != PARSCAN_OK)
        return status;
    call->heads = options.heads_out;
    call->value_size = options.value_size;
    call->values_in = options.values_in;
    call->values_out = options.values_out;
    return check_values(call);
}

/* No output overlaps another array. */
static parscan_status check_places(const columns_call *call)
{
    enum { OUTPUTS = 3 };
    char name[NAME_ROOM];
    const size_t n = call->n;
    const parscan_extent arrays[] = {
        {"indices_out", call->order, n * call->index_size},
        {"options->heads_out", call->heads, n},
        {"options->values_out", call->values_out, n * call->value_size},
        {"options->values_in", call->values_in, n * call->value_size}};
    parscan_status status = parscan_check_all_apart(call->context, arrays, OUTPUTS, OUTPUTS + 1);
    for (unsigned k = 0; k < call->count && status == PARSCAN_OK; k++)
        for (unsigned out = 0; out < OUTPUTS && status == PARSCAN_OK; out++)
            status = parscan_check_apart(call->context, arrays[out],
                                         (parscan_extent){name_of(name, k, ".data"),
                                                          call->columns[k].data,
                                                          n * call->columns[k].size});
    return status;
}

/* One column of a type needs no other keys. */
static parscan_status sort_column(const columns_call *call)
{
    static parscan_status (*const engines[])(sort_call * call) =
        PARSCAN_ENGINES(parscan_sort_cpu, parscan_sort_cuda);
    const sorted_column *const column = &call->columns[0];
    static const parscan_type types[] = {
#define X(ctx, NAME, ...) [KEY_##NAME] = PARSCAN_##NAME,
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    sort_call sort;
    const parscan_status status = parscan_sort_begin(&sort, call->context, types[column->key],
                                                     call->index_size, call->n, NULL);
    if (status != PARSCAN_OK)
        return status;
    sort.order.flip = column->flip;
    sort.in.keys = (char *)column->data;
    sort.out.values = call->order;
    sort.n_at = call->n_at;
    return engines[call->context->backend](&sort);
}

static parscan_status run_columns(columns_call *call)
{
    static parscan_status (*const engines[])(columns_call * call) =
        PARSCAN_ENGINES(parscan_sort_columns_cpu, parscan_sort_columns_cuda);
    if (call->n == 0)
        return PARSCAN_OK;
    if (call->count == 1 && call->columns[0].key != KEY_CLASSES && call->heads == NULL &&
        call->value_size == 0)
        return sort_column(call);
    return engines[call->context->backend](call);
}

parscan_status parscan_sort_columns_with(parscan_context *context, const parscan_column *columns,
                                         size_t column_count, parscan_type index_type,
                                         void *indices_out, size_t n,
                                         const parscan_sort_columns_options *options)
{
    columns_call call = {.context = context,
                         .index_type = index_type,
                         .index_size = parscan_type_size(index_type) == 4 ? 4 : 8,
                         .order = indices_out,
                         .n = n};
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = take_columns(&call, columns, column_count);
    if (status == PARSCAN_OK)
        status = check_order(&call);
    if (status == PARSCAN_OK)
        status = take_options(&call, options);
    if (status == PARSCAN_OK)
        status = check_places(&call);
    if (status != PARSCAN_OK)
        return status;
    call.n = parscan_length(&lengths, LENGTH_N, n);
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    return parscan_end_lengths(context, &lengths, run_columns(&call));
}

parscan_status parscan_sort_columns(parscan_context *context, const parscan_column *columns,
                                    size_t column_count, parscan_type index_type, void *indices_out,
                                    size_t n)
{
    return parscan_sort_columns_with(context, columns, column_count, index_type, indices_out, n,
                                     NULL);
}
