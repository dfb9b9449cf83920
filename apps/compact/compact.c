#include "parscan/compact.h"

#include "apps/compact/compact_call.h"
#include "apps/compact/compact_kernels.h"
#include "scan/context/call_lengths.h"
#include "scan/context/call_scalars.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/context/float_mode.h"
#include "scan/type_traits.h"

static const parscan_predicate nonzero = {.struct_size = sizeof nonzero,
                                          .comparison = PARSCAN_NONZERO};

PARSCAN_STRUCT_CAN_GROW(parscan_predicate, upper, PARSCAN_OLDEST_PREDICATE);

static const char value_name[] = "keep->value", upper_name[] = "keep->upper";

static parscan_status place_values(parscan_context *context, parscan_type type,
                                   parscan_predicate *keep)
{
    const size_t size = parscan_type_size(type);
    parscan_status status = PARSCAN_OK;
    if (keep->comparison != PARSCAN_NONZERO)
        status = parscan_scalar_on_host(context, value_name, 0, &keep->value, size);
    if (status == PARSCAN_OK && keep->comparison == PARSCAN_BETWEEN)
        status = parscan_scalar_on_host(context, upper_name, 1, &keep->upper, size);
    return status;
}

/* All but where its values are. */
static parscan_status read_predicate(parscan_context *context, const parscan_predicate *given,
                                     parscan_predicate *keep)
{
    const parscan_status status =
        parscan_read_struct(context, "keep", given, PARSCAN_OLDEST_PREDICATE, keep, sizeof *keep);
    if (status != PARSCAN_OK)
        return status;
    if ((unsigned)keep->comparison > PARSCAN_BETWEEN)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "keep->comparison = %d is not a parscan_comparison",
                            (int)keep->comparison);
    if (keep->comparison != PARSCAN_NONZERO && keep->value == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "keep->value is NULL, keep->comparison = %d: only 0 (nonzero) needs no value",
            (int)keep->comparison);
    if (keep->comparison == PARSCAN_BETWEEN && keep->upper == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "keep->upper is NULL, keep->comparison = %d (between): it needs both bounds",
            (int)keep->comparison);
    return PARSCAN_OK;
}

parscan_status parscan_check_predicate(parscan_context *context, parscan_type type,
                                       const parscan_predicate *given, parscan_predicate *keep)
{
    const parscan_status status = read_predicate(context, given, keep);
    return status == PARSCAN_OK ? place_values(context, type, keep) : status;
}

/* Whether all values of a predicate are in device memory. */
static parscan_status find_values(const compact_call *call, const parscan_predicate *keep,
                                  bool *on_device)
{
    bool upper = true;
    parscan_status status = PARSCAN_OK;
    *on_device = false;
    if (keep->comparison != PARSCAN_NONZERO)
        status = parscan_find_scalar(call->context, value_name, keep->value, call->size, on_device);
    if (status == PARSCAN_OK && keep->comparison == PARSCAN_BETWEEN)
        status = parscan_find_scalar(call->context, upper_name, keep->upper, call->size, &upper);
    *on_device = *on_device && upper;
    return status;
}

parscan_status parscan_fetch_predicate(compact_call *call)
{
    parscan_predicate keep = call->on_device;
    const parscan_status status = place_values(call->context, call->type, &keep);
    call->on_device.comparison = PARSCAN_NONZERO;
    if (status == PARSCAN_OK)
        call->range = parscan_compact_range_of(call->type, &keep);
    return status;
}

/* What the calls that CUDA has can do there. */
enum {
    ON_DEVICE = LENGTH_N | LENGTH_ON_DEVICE,
    ROOM = LENGTH_OUT_CAPACITY | LENGTH_CAPACITY_ON_CUDA
};

/* Takes the lengths and checks what all calls have in common. Each call checks its own outputs. */
static parscan_status check_named(parscan_context *context, unsigned accepts, call_lengths *lengths,
                                  parscan_type type, const char *name, const void *in, size_t n,
                                  const uint64_t *count)
{
    parscan_status status = parscan_take_lengths(context, accepts, lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "type", type);
    if (status != PARSCAN_OK)
        return status;
    if (count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    return parscan_check_array(context, name, in, n, parscan_type_size(type));
}

static parscan_status check_input(parscan_context *context, unsigned accepts, call_lengths *lengths,
                                  parscan_type type, const void *in, size_t n,
                                  const uint64_t *count)
{
    return check_named(context, accepts, lengths, type, "in", in, n, count);
}

compact_range parscan_compact_range_of(parscan_type type, const parscan_predicate *keep)
{
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    const compact_range range = parscan_compact_element(type)->range_of(keep);
    parscan_float_end(before);
    return range;
}

compact_range parscan_compact_range_of_flags(void)
{
    return parscan_compact_range_of(PARSCAN_U8, &nonzero);
}

/* The same for a call with a predicate. On success *call tests the elements of `in`, which the caller
   calls so. */
static parscan_status begin_filter(compact_call *call, const char *name, unsigned accepts,
                                   call_lengths *lengths, const parscan_predicate *given)
{
    parscan_context *const context = call->context;
    parscan_predicate keep;
    parscan_status status =
        check_named(context, accepts, lengths, call->type, name, call->in, call->n, call->count);
    if (status != PARSCAN_OK)
        return status;
    call->size = parscan_type_size(call->type);
    bool on_device = false;
    status = read_predicate(context, given, &keep);
    if (status == PARSCAN_OK && (accepts & LENGTH_ON_DEVICE) && !call->partition)
        status = find_values(call, &keep, &on_device);
    if (status == PARSCAN_OK && !on_device)
        status = place_values(context, call->type, &keep);
    if (status != PARSCAN_OK)
        return status;
    if (on_device)
        call->on_device = keep;
    call->range =
        on_device ? parscan_compact_range_of_flags() : parscan_compact_range_of(call->type, &keep);
    return PARSCAN_OK;
}

/* An output of the elements that are kept, of n: none, perhaps. */
static parscan_extent kept(const char *name, const void *out, size_t n)
{
    return (parscan_extent){name, out, n > 0};
}

static parscan_extent input(const compact_call *call)
{
    return (parscan_extent){"in", call->in, call->n * call->size};
}

parscan_status parscan_run_compact(const compact_call *call)
{
    static parscan_status (*const engines[])(const compact_call *call) =
        PARSCAN_ENGINES(parscan_compact_cpu, parscan_compact_cuda);
    if (!parscan_is_float(call->type))
        return engines[call->context->backend](call);
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    const parscan_status status = engines[call->context->backend](call);
    parscan_float_end(before);
    return status;
}

/* Runs a call whose arguments are checked, with its lengths. */
static parscan_status run_with_lengths(compact_call *call, call_lengths *lengths)
{
    call->n = parscan_length(lengths, LENGTH_N, call->n);
    call->n_at = parscan_length_at(lengths, LENGTH_N);
    call->capacity = lengths->capacity;
    return parscan_end_lengths(call->context, lengths, parscan_run_compact(call));
}

/* Checks what is moved as bytes, and where it goes; out == NULL: nothing is. */
static parscan_status check_records(parscan_context *context, size_t element_size, const void *in,
                                    const void *out, size_t n, parscan_extent tested)
{
    if (element_size == 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "element_size = 0: it must be at least 1");
    if (out == NULL)
        return PARSCAN_OK;
    parscan_status status = parscan_check_array(context, "in", in, n, element_size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", out, n, element_size);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, kept("out", out, n), tested);
    if (status == PARSCAN_OK)
        status = parscan_check_same_or_apart(context, kept("out", out, n),
                                             (parscan_extent){"in", in, n * element_size});
    return status;
}

parscan_status parscan_compact(parscan_context *context, size_t element_size, const void *in,
                               const uint8_t *flags, void *out, size_t n, uint64_t *count)
{
    call_lengths lengths;
    parscan_status status =
        check_input(context, ON_DEVICE | ROOM, &lengths, PARSCAN_U8, flags, 0, count);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "flags", flags, n, 1);
    if (status == PARSCAN_OK)
        status =
            check_records(context, element_size, in, out, n, (parscan_extent){"flags", flags, n});
    if (status != PARSCAN_OK)
        return status;
    compact_call call = {
        .context = context,
        .name = "parscan_compact",
        .in = in,
        .size = element_size,
        .n = n,
        .flags = flags,
        .range = parscan_compact_range_of_flags(),
        .values = out,
        .count = count,
    };
    if (out == NULL) { /* flags are counted as elements are */
        call.in = flags;
        call.size = 1;
        call.type = PARSCAN_U8;
        call.flags = NULL;
    }
    return run_with_lengths(&call, &lengths);
}

parscan_status parscan_compact_by(parscan_context *context, size_t element_size, const void *in,
                                  parscan_type type, const void *by, const parscan_predicate *keep,
                                  void *out, size_t n, uint64_t *count)
{
    compact_call call = {
        .context = context,
        .name = "parscan_compact_by",
        .in = by,
        .n = n,
        .type = type,
        .count = count,
    };
    call_lengths lengths;
    parscan_status status =
        begin_filter(&call, "by", LENGTH_N | LENGTH_OUT_CAPACITY, &lengths, keep);
    if (status == PARSCAN_OK)
        status = check_records(context, element_size, in, out, n,
                               (parscan_extent){"by", by, n * call.size});
    if (status == PARSCAN_OK && context->backend == PARSCAN_BACKEND_CUDA)
        status = parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                              "backend = cuda: parscan_compact_by() needs a CPU context");
    if (status != PARSCAN_OK)
        return status;
    if (out != NULL) {
        call.in = in;
        call.by = by;
        call.size = element_size;
        call.values = out;
    }
    return run_with_lengths(&call, &lengths);
}

parscan_status parscan_compact_if(parscan_context *context, parscan_type type, const void *in,
                                  const parscan_predicate *keep, void *out, size_t n,
                                  uint64_t *count)
{
    compact_call call = {
        .context = context,
        .name = "parscan_compact_if",
        .in = in,
        .n = n,
        .type = type,
        .values = out,
        .count = count,
    };
    call_lengths lengths;
    parscan_status status = begin_filter(&call, "in", ON_DEVICE | ROOM, &lengths, keep);
    if (status == PARSCAN_OK && out != NULL)
        status = parscan_check_array(context, "out", out, n, call.size);
    if (status == PARSCAN_OK)
        status = parscan_check_same_or_apart(context, kept("out", out, n), input(&call));
    return status == PARSCAN_OK ? run_with_lengths(&call, &lengths) : status;
}

parscan_status parscan_compact_indices(parscan_context *context, parscan_type type, const void *in,
                                       const parscan_predicate *keep, parscan_type index_type,
                                       void *indices_out, size_t n, uint64_t *count)
{
    compact_call call = {
        .context = context,
        .name = "parscan_compact_indices",
        .in = in,
        .n = n,
        .type = type,
        .indices = indices_out,
        .given_type = index_type,
        .count = count,
    };
    call_lengths lengths;
    parscan_status status = begin_filter(&call, "in", ON_DEVICE | ROOM, &lengths, keep);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "index_type", index_type);
    if (status != PARSCAN_OK)
        return status;
    if (n > 0 && n - 1 > parscan_most_index(index_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: the indices do not fit index_type = %s", n,
                            parscan_type_name(index_type));
    call.index_type = parscan_unsigned_index(index_type);
    if (indices_out != NULL)
        status = parscan_check_array(context, "indices_out", indices_out, n, 1);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, kept("indices_out", indices_out, n), input(&call));
    return status == PARSCAN_OK ? run_with_lengths(&call, &lengths) : status;
}

parscan_status parscan_partition(parscan_context *context, parscan_type type, const void *in,
                                 const parscan_predicate *keep, void *out, size_t n,
                                 uint64_t *count)
{
    compact_call call = {
        .context = context,
        .name = "parscan_partition",
        .in = in,
        .n = n,
        .type = type,
        .values = out,
        .partition = out != NULL,
        .count = count,
    };
    call_lengths lengths;
    parscan_status status = begin_filter(&call, "in", ON_DEVICE, &lengths, keep);
    if (status == PARSCAN_OK && out != NULL)
        status = parscan_check_array(context, "out", out, n, call.size);
    if (status == PARSCAN_OK)
        status =
            parscan_check_apart(context, (parscan_extent){"out", out, n * call.size}, input(&call));
    return status == PARSCAN_OK ? run_with_lengths(&call, &lengths) : status;
}

/* An output of one element for every run: of n elements there is one at least. */
static parscan_extent first_run(const char *name, const void *out, size_t n, size_t size)
{
    return (parscan_extent){name, out, n > 0 ? size : 0};
}

parscan_status parscan_unique(parscan_context *context, parscan_type type, const void *in,
                              void *out, size_t n, uint64_t *count)
{
    call_lengths lengths;
    parscan_status status = check_input(context, ON_DEVICE | ROOM, &lengths, type, in, n, count);
    if (status == PARSCAN_OK && out != NULL)
        status = parscan_check_array(context, "out", out, n, parscan_type_size(type));
    if (status != PARSCAN_OK)
        return status;
    compact_call call = {
        .context = context,
        .name = "parscan_unique",
        .in = in,
        .size = parscan_type_size(type),
        .n = n,
        .type = type,
        .runs = true,
        .values = out,
        .count = count,
    };
    status =
        parscan_check_same_or_apart(context, first_run("out", out, n, call.size), input(&call));
    return status == PARSCAN_OK ? run_with_lengths(&call, &lengths) : status;
}

/* Checks the arrays of pairs: two inputs, and an output for each. */
static parscan_status check_pairs(const compact_call *call)
{
    parscan_context *const context = call->context;
    const size_t n = call->n;
    const parscan_extent keys_in = {"keys_in", call->in, n * call->size};
    const parscan_extent values_in = {"values_in", call->beside_in, n * call->beside_size};
    const parscan_extent keys_out = first_run("keys_out", call->values, n, call->size);
    const parscan_extent values_out = first_run("values_out", call->beside, n, call->beside_size);
    const parscan_extent arrays[] = {keys_out, values_out, values_in};
    parscan_status status = parscan_check_array(context, "keys_in", call->in, n, call->size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "keys_out", call->values, n, call->size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "values_in", call->beside_in, n, call->beside_size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "values_out", call->beside, n, call->beside_size);
    if (status == PARSCAN_OK)
        status = parscan_check_all_apart(context, arrays, 1, 3);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, values_out, keys_in);
    if (status == PARSCAN_OK)
        status = parscan_check_same_or_apart(context, keys_out, keys_in);
    return status == PARSCAN_OK ? parscan_check_same_or_apart(context, values_out, values_in)
                                : status;
}

parscan_status parscan_unique_pairs(parscan_context *context, parscan_type key_type,
                                    const void *keys_in, void *keys_out, size_t value_size,
                                    const void *values_in, void *values_out, size_t n,
                                    uint64_t *count)
{
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_OUT_CAPACITY, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "key_type", key_type);
    if (status != PARSCAN_OK)
        return status;
    if (value_size == 0 || count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s",
                            count == NULL ? "count is NULL"
                                          : "value_size = 0: it must be at least 1");
    compact_call call = {
        .context = context,
        .name = "parscan_unique_pairs",
        .in = keys_in,
        .size = parscan_type_size(key_type),
        .n = n,
        .type = key_type,
        .runs = true,
        .values = keys_out,
        .beside_in = values_in,
        .beside = values_out,
        .beside_size = value_size,
        .count = count,
    };
    status = check_pairs(&call);
    return status == PARSCAN_OK ? run_with_lengths(&call, &lengths) : status;
}

parscan_status parscan_run_length_encode(parscan_context *context, parscan_type type,
                                         const void *in, void *values, parscan_type count_type,
                                         void *lengths, size_t n, uint64_t *count)
{
    call_lengths given;
    parscan_status status = check_input(context, ON_DEVICE | ROOM, &given, type, in, n, count);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "count_type", count_type);
    if (status != PARSCAN_OK)
        return status;
    compact_call call = {
        .context = context,
        .name = "parscan_run_length_encode",
        .in = in,
        .size = parscan_type_size(type),
        .n = n,
        .type = type,
        .runs = true,
        .values = values,
        .lengths = lengths,
        .index_type = parscan_unsigned_index(count_type),
        .given_type = count_type,
        .count = count,
    };
    const parscan_extent first = first_run("values", values, n, call.size);
    const parscan_extent arrays[] = {
        first_run("lengths", lengths, n, parscan_type_size(count_type)), first, input(&call)};
    status = parscan_check_same_or_apart(context, first, input(&call));
    if (status == PARSCAN_OK)
        status = parscan_check_all_apart(context, arrays, 1, 3);
    return status == PARSCAN_OK ? run_with_lengths(&call, &given) : status;
}

parscan_status parscan_dense_to_csr(parscan_context *context, parscan_type type, const void *dense,
                                    size_t rows, size_t columns, parscan_type index_type,
                                    void *row_offsets, void *column_indices, void *values,
                                    uint64_t *count)
{
    call_lengths lengths;
    parscan_status status =
        check_input(context, ON_DEVICE | LENGTH_N2 | ROOM, &lengths, type, dense, 0, count);
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
                                     kept("column_indices", column_indices, n),
                                     kept("values", values, n)};
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
        .range = parscan_compact_range_of(type, &nonzero),
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
