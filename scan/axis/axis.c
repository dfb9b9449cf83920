#include "scan/axis/axis.h"

#include "scan/context/check.h"

PARSCAN_STRUCT_CAN_GROW(parscan_shape, out_strides, PARSCAN_OLDEST_SHAPE);

/* An array as the checks see it. */
typedef struct axis_array {
    const char *name;
    const char *data;
    size_t size;         /* of an element, in bytes */
    size_t length[AXES]; /* none is 0 */
    const int64_t *strides;
    const int64_t *given; /* the caller's; NULL: the array has no gaps */
    const char *given_name;
} axis_array;

/* The strides of an array without gaps. */
static void pack(const axis_array *array, int64_t strides[AXES])
{
    strides[AXIS_INNER] = (int64_t)array->size;
    strides[AXIS_N] = strides[AXIS_INNER] * (int64_t)array->length[AXIS_INNER];
    strides[AXIS_OUTER] = strides[AXIS_N] * (int64_t)array->length[AXIS_N];
}

static parscan_status fail_size(parscan_context *context, const axis_array *array)
{
    return parscan_fail(
        context, PARSCAN_ERROR_INVALID_ARGUMENT,
        "outer = %zu, inner = %zu, %zu elements a line of %zu bytes: %s exceeds the address space",
        array->length[AXIS_OUTER], array->length[AXIS_INNER], array->length[AXIS_N], array->size,
        array->name);
}

static parscan_status fail_strides(parscan_context *context, const axis_array *array,
                                   const char *words)
{
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %lld, %lld, %lld: elements of %s %s", array->given_name,
                        (long long)array->given[AXIS_OUTER], (long long)array->given[AXIS_N],
                        (long long)array->given[AXIS_INNER], array->name, words);
}

static parscan_status fail_null(parscan_context *context, const axis_array *array)
{
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s is NULL, outer = %zu, inner = %zu, %zu elements a line", array->name,
                        array->length[AXIS_OUTER], array->length[AXIS_INNER],
                        array->length[AXIS_N]);
}

/* Whether all elements of an array without gaps fit the address space. */
static bool fits(const axis_array *array)
{
    size_t bytes = array->size;
    bool too_large = false;
    for (int k = 0; k < AXES; k++)
        too_large |= __builtin_mul_overflow(bytes, array->length[k], &bytes);
    return !too_large && bytes <= SIZE_MAX / 2;
}

/* The bytes from the lowest one of an array to its highest one, and how far below data it starts.
   False: they do not fit the address space. */
static bool extent_of(const axis_array *array, int64_t *below, int64_t *bytes)
{
    bool too_large = false;
    *below = 0;
    *bytes = (int64_t)array->size;
    for (int k = 0; k < AXES; k++) {
        int64_t span;
        too_large |=
            array->length[k] > INT64_MAX ||
            __builtin_mul_overflow(array->strides[k], (int64_t)array->length[k] - 1, &span);
        if (too_large || span == INT64_MIN)
            return false;
        too_large |= __builtin_add_overflow(*bytes, span < 0 ? -span : span, bytes);
        *below += span < 0 ? -span : 0; /* at most *bytes */
        if (too_large)
            return false;
    }
    return *bytes <= (int64_t)(SIZE_MAX / 2);
}

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Whether each element of an output has bytes of its own: a stride must pass all that the smaller
   ones span. extent_of() has seen that nothing overflows. */
static bool is_apart(const axis_array *array)
{
    int64_t span = (int64_t)array->size;
    bool done[AXES] = {false};
    for (int round = 0; round < AXES; round++) {
        int least = -1;
        for (int k = 0; k < AXES; k++)
            if (!done[k] &&
                (least < 0 || magnitude(array->strides[k]) < magnitude(array->strides[least])))
                least = k;
        done[least] = true;
        if (array->length[least] == 1)
            continue;
        if (magnitude(array->strides[least]) < span)
            return false;
        span += magnitude(array->strides[least]) * ((int64_t)array->length[least] - 1);
    }
    return true;
}

/* Completes the strides of an array, and checks it. *extent gets its memory. */
static parscan_status check(parscan_context *context, const axis_array *array,
                            int64_t strides[AXES], parscan_extent *extent)
{
    const int64_t *const given = array->given;
    int64_t below = 0, bytes = 0;
    if (!fits(array))
        return fail_size(context, array);
    pack(array, strides);
    for (int k = 0; k < AXES && given != NULL; k++)
        strides[k] = array->length[k] > 1 ? given[k] : strides[k];
    if (!extent_of(array, &below, &bytes)) /* without gaps they fit */
        return fail_strides(context, array, "exceed the address space");
    if (array->data == NULL)
        return fail_null(context, array);
    *extent = (parscan_extent){array->name, array->data - below, (size_t)bytes};
    return parscan_check_array(context, array->name, extent->data, 1, (size_t)bytes);
}

static bool same_strides(const parscan_axis *axis)
{
    return axis->in[AXIS_OUTER] == axis->out[AXIS_OUTER] && axis->in[AXIS_N] == axis->out[AXIS_N] &&
           axis->in[AXIS_INNER] == axis->out[AXIS_INNER];
}

static axis_array array_of(const axis_side *side, const parscan_axis *axis, const int64_t *strides,
                           const int64_t *given, const char *given_name)
{
    return (axis_array){.name = side->name,
                        .data = side->data,
                        .size = side->size,
                        .length = {axis->outer, side->length, axis->inner},
                        .strides = strides,
                        .given = given,
                        .given_name = given_name};
}

/* Of arrays that have elements. */
static parscan_status check_arrays(parscan_context *context, const axis_strides *strides,
                                   const axis_side *in_side, const axis_side *out_side,
                                   parscan_axis *axis)
{
    const axis_array in = array_of(in_side, axis, axis->in, strides->in, strides->in_name);
    const axis_array out = array_of(out_side, axis, axis->out, strides->out, strides->out_name);
    parscan_extent in_extent = {in.name, NULL, 0}, out_extent = {out.name, NULL, 0};
    parscan_status status = PARSCAN_OK;
    if (in_side->length > 0)
        status = check(context, &in, axis->in, &in_extent);
    if (status == PARSCAN_OK)
        status = check(context, &out, axis->out, &out_extent);
    if (status != PARSCAN_OK)
        return status;
    axis->in_low = in_extent.data;
    axis->in_bytes = in_extent.bytes;
    axis->out_low = out_extent.data;
    axis->out_bytes = out_extent.bytes;
    if (!is_apart(&out)) /* without gaps they are */
        return fail_strides(context, &out, "share bytes");
    if (out_side->apart || in.data != out.data)
        return parscan_check_apart(context, out_extent, in_extent);
    if (in.size == out.size && same_strides(axis))
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %s, but their types or strides differ in size", out.name, in.name);
}

parscan_status parscan_read_shape(parscan_context *context, const parscan_shape *given,
                                  parscan_shape *shape, parscan_axis *axis)
{
    const parscan_status status =
        parscan_read_struct(context, "shape", given, PARSCAN_OLDEST_SHAPE, shape, sizeof *shape);
    *axis = (parscan_axis){.outer = 0};
    if (status == PARSCAN_OK) {
        axis->outer = shape->outer;
        axis->inner = shape->inner;
    }
    return status;
}

parscan_status parscan_check_lines(parscan_context *context, const axis_strides *strides,
                                   const axis_side *in, const axis_side *out, parscan_axis *axis)
{
    if (axis->outer == 0 || axis->inner == 0 || out->length == 0)
        return PARSCAN_OK;
    return check_arrays(context, strides, in, out, axis);
}

parscan_status parscan_check_axis(parscan_scan_call *call, const parscan_shape *given,
                                  parscan_axis *axis)
{
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    const axis_side in = {"in", call->in, parscan_type_size(call->in_type), call->n, false};
    const axis_side out = {"out", call->out, parscan_type_size(call->out_type),
                           reduces ? 1 : call->n, reduces};
    parscan_shape shape;
    const parscan_status status = parscan_read_shape(call->context, given, &shape, axis);
    if (status != PARSCAN_OK)
        return status;
    if (call->shape.algorithm != PARSCAN_AUTO)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "algorithm = %s with a shape: algorithm must be auto",
                            parscan_algorithm_name(call->shape.algorithm));
    if (shape.outer == 1 && shape.inner == 1 && shape.in_strides == NULL &&
        shape.out_strides == NULL)
        return parscan_check_scan_arrays(call->context, call);
    call->axis = axis;
    const axis_strides strides = parscan_strides_of(&shape);
    return parscan_check_lines(call->context, &strides, &in, &out, axis);
}
