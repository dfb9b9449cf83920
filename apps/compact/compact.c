/* Elements that are kept by flags or by a predicate. */
#include "parscan/compact.h"

#include "apps/compact/compact_checks.h"
#include "scan/context/check.h"
#include "scan/type_traits.h"

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
        status = parscan_check_apart(context, parscan_kept("out", out, n), tested);
    if (status == PARSCAN_OK)
        status = parscan_check_same_or_apart(context, parscan_kept("out", out, n),
                                             (parscan_extent){"in", in, n * element_size});
    return status;
}

parscan_status parscan_compact(parscan_context *context, size_t element_size, const void *in,
                               const uint8_t *flags, void *out, size_t n, uint64_t *count)
{
    call_lengths lengths;
    parscan_status status = parscan_check_compact_input(context, ON_DEVICE | ROOM, &lengths,
                                                        PARSCAN_U8, flags, 0, count);
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
    return parscan_run_compact_with(&call, &lengths);
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
    parscan_status status = parscan_begin_filter(&call, "by", ON_DEVICE | ROOM, &lengths, keep);
    if (status == PARSCAN_OK)
        status = check_records(context, element_size, in, out, n,
                               (parscan_extent){"by", by, n * call.size});
    if (status != PARSCAN_OK)
        return status;
    if (out != NULL) {
        call.in = in;
        call.by = by;
        call.size = element_size;
        call.values = out;
    }
    return parscan_run_compact_with(&call, &lengths);
}

static parscan_status check_kept(const compact_call *call)
{
    const size_t n = call->n;
    parscan_status status = PARSCAN_OK;
    if (call->values != NULL)
        status = parscan_check_array(call->context, "out", call->values, n, call->size);
    return status == PARSCAN_OK
               ? parscan_check_same_or_apart(call->context, parscan_kept("out", call->values, n),
                                             parscan_compact_input(call))
               : status;
}

static parscan_status check_indices(compact_call *call)
{
    parscan_context *const context = call->context;
    const size_t n = call->n;
    parscan_status status = parscan_check_index_type(context, "index_type", call->given_type);
    if (status != PARSCAN_OK)
        return status;
    if (n > 0 && n - 1 > parscan_most_index(call->given_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: the indices do not fit index_type = %s", n,
                            parscan_type_name(call->given_type));
    call->index_type = parscan_unsigned_index(call->given_type);
    if (call->indices != NULL)
        status = parscan_check_array(context, "indices_out", call->indices, n, 1);
    return status == PARSCAN_OK
               ? parscan_check_apart(context, parscan_kept("indices_out", call->indices, n),
                                     parscan_compact_input(call))
               : status;
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
    parscan_status status = parscan_begin_filter(&call, "in", ON_DEVICE | ROOM, &lengths, keep);
    if (status == PARSCAN_OK)
        status = check_kept(&call);
    return status == PARSCAN_OK ? parscan_run_compact_with(&call, &lengths) : status;
}

/* The elements, their indices, or both, in a call of this name. */
static parscan_status compact_with(const char *name, parscan_context *context, parscan_type type,
                                   const void *in, const parscan_predicate *keep, void *out,
                                   parscan_type index_type, void *indices_out, size_t n,
                                   uint64_t *count)
{
    compact_call call = {
        .context = context,
        .name = name,
        .in = in,
        .n = n,
        .type = type,
        .values = out,
        .indices = indices_out,
        .given_type = index_type,
        .count = count,
    };
    call_lengths lengths;
    parscan_status status = parscan_begin_filter(&call, "in", ON_DEVICE | ROOM, &lengths, keep);
    if (status == PARSCAN_OK)
        status = check_indices(&call);
    if (status == PARSCAN_OK)
        status = check_kept(&call);
    return status == PARSCAN_OK ? parscan_run_compact_with(&call, &lengths) : status;
}

parscan_status parscan_compact_indices(parscan_context *context, parscan_type type, const void *in,
                                       const parscan_predicate *keep, parscan_type index_type,
                                       void *indices_out, size_t n, uint64_t *count)
{
    return compact_with("parscan_compact_indices", context, type, in, keep, NULL, index_type,
                        indices_out, n, count);
}

parscan_status parscan_compact_with_indices(parscan_context *context, parscan_type type,
                                            const void *in, const parscan_predicate *keep,
                                            void *out, parscan_type index_type, void *indices_out,
                                            size_t n, uint64_t *count)
{
    return compact_with("parscan_compact_with_indices", context, type, in, keep, out, index_type,
                        indices_out, n, count);
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
    parscan_status status = parscan_begin_filter(&call, "in", ON_DEVICE, &lengths, keep);
    if (status == PARSCAN_OK && out != NULL)
        status = parscan_check_array(context, "out", out, n, call.size);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, (parscan_extent){"out", out, n * call.size},
                                     parscan_compact_input(&call));
    return status == PARSCAN_OK ? parscan_run_compact_with(&call, &lengths) : status;
}
