/* The host side of scans and reductions along an axis on CUDA. Host arrays are copied whole, with their gaps. */
#include "scan/axis/axis_cuda.h"

#include "scan/axis/axis_bits.h"
#include "scan/axis/axis_pack.h"
#include "scan/context/call_scalars.h"
#include "scan/cuda/driver.h"

enum { IN, OUT, ARRAYS };

static unsigned describe_axis(const void *given, parscan_cuda_array *arrays)
{
    const parscan_scan_call *const call = given;
    const parscan_axis *const axis = call->axis;
    const size_t in_size = parscan_type_size(call->in_type);
    const size_t out_size = parscan_type_size(call->out_type);
    const size_t n = call->kind == PARSCAN_KIND_REDUCE ? 1 : call->n;
    arrays[IN] = parscan_cuda_input("in", axis->in_low, axis->in_bytes, 1);
    arrays[OUT] = parscan_cuda_output("out", (void *)axis->out_low, axis->out_bytes, 1);
    arrays[IN].alignment = in_size;
    arrays[OUT].alignment = out_size;
    if (axis->out_bytes != axis->outer * n * axis->inner * out_size) /* gaps stay as they are */
        arrays[OUT].access = PARSCAN_READ_WRITE;
    return ARRAYS;
}

static unsigned lengths_of_axis(void *given, parscan_cuda_length *lengths)
{
    parscan_scan_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

/* The host must know it: the plan depends on it. */
static bool reads_length(const void *given)
{
    (void)given;
    return false;
}

parscan_status parscan_axis_check_strides(parscan_context *context, const char *name,
                                          const int64_t strides[AXES], size_t size)
{
    for (int k = 0; k < AXES; k++)
        if (strides[k] % (int64_t)size != 0)
            return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                "%s_strides[%d] = %lld: on CUDA strides must be multiples of the "
                                "element's size, %zu bytes",
                                name, k, (long long)strides[k], size);
    return PARSCAN_OK;
}

static parscan_status check_axis(const void *given, const parscan_cuda_array *arrays)
{
    const parscan_scan_call *const call = given;
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    (void)arrays;
    if (reduces && !parscan_op_commutes(call->op))
        return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                            "op = %s with a shape: on CUDA an operator must commute",
                            parscan_op_name(call->op));
    const parscan_status status = parscan_axis_check_strides(call->context, "in", call->axis->in,
                                                             parscan_type_size(call->in_type));
    return status == PARSCAN_OK ? parscan_axis_check_strides(call->context, "out", call->axis->out,
                                                             parscan_type_size(call->out_type))
                                : status;
}

static size_t magnitude(int64_t stride)
{
    return stride < 0 ? (size_t)-stride : (size_t)stride;
}

static void exchange(int64_t *a, int64_t *b)
{
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Whether outer should be inner: its elements are nearer to each other. */
static bool is_outer_near(const parscan_axis *axis)
{
    const int other = axis->inner > 1 ? AXIS_INNER : AXIS_N;
    return axis->outer > 1 && magnitude(axis->in[AXIS_OUTER]) < magnitude(axis->in[other]);
}

void parscan_axis_bring_near(parscan_axis *axis)
{
    const size_t outer = axis->outer;
    if (!is_outer_near(axis))
        return;
    axis->outer = axis->inner;
    axis->inner = outer;
    exchange(&axis->in[AXIS_OUTER], &axis->in[AXIS_INNER]);
    exchange(&axis->out[AXIS_OUTER], &axis->out[AXIS_INNER]);
}

/* Whether an array has no gaps, in the order of its axes; a line may be backwards. */
static bool is_packed(const parscan_axis *axis, const int64_t strides[AXES], size_t n, size_t size)
{
    const size_t row = axis->inner * size;
    return (axis->inner == 1 || strides[AXIS_INNER] == (int64_t)size) &&
           (n == 1 || magnitude(strides[AXIS_N]) == row) &&
           (axis->outer == 1 || strides[AXIS_OUTER] == (int64_t)(n * row));
}

bool parscan_axis_is_packed(const parscan_axis *axis, size_t n, size_t in_size, size_t out_size)
{
    return is_packed(axis, axis->in, n, in_size) && is_packed(axis, axis->out, n, out_size) &&
           (n == 1 || (axis->in[AXIS_N] < 0) == (axis->out[AXIS_N] < 0));
}

/* Lines of one element without gaps are neighbours, whatever they were. */
static void join_lines(parscan_axis *axis, const parscan_scan_call *call)
{
    const size_t in_size = parscan_type_size(call->in_type);
    const size_t out_size = parscan_type_size(call->out_type);
    if (call->n != 1 || !parscan_axis_is_packed(axis, 1, in_size, out_size))
        return;
    axis->inner *= axis->outer;
    axis->outer = 1;
    axis->in[AXIS_INNER] = (int64_t)in_size;
    axis->out[AXIS_INNER] = (int64_t)out_size;
}

/* Integers, minima and maxima do not depend on the grouping. */
static bool has_tree(const parscan_scan_call *call)
{
    return parscan_scan_has_tree(call) && parscan_op_rounds(call->op);
}

bool parscan_axis_has_vectors(const parscan_axis *axis, const void *first,
                              const int64_t strides[AXES], size_t n, size_t size, size_t each)
{
    const size_t bytes = each * size;
    return strides[AXIS_INNER] == (int64_t)size && axis->inner % each == 0 &&
           (uintptr_t)first % bytes == 0 && (n == 1 || magnitude(strides[AXIS_N]) % bytes == 0) &&
           (axis->outer == 1 || magnitude(strides[AXIS_OUTER]) % bytes == 0);
}

/* In reverse the last element is the first one. */
static void turn(parscan_axis_launch_call *on_device)
{
    const parscan_scan_call *const call = on_device->base.call;
    parscan_axis *const axis = &on_device->axis;
    if (!call->reverse || call->n == 0)
        return;
    on_device->base.in =
        (const char *)on_device->base.in + (int64_t)(call->n - 1) * axis->in[AXIS_N];
    axis->in[AXIS_N] = -axis->in[AXIS_N];
    if (call->kind == PARSCAN_KIND_REDUCE)
        return;
    on_device->base.out = (char *)on_device->base.out + (int64_t)(call->n - 1) * axis->out[AXIS_N];
    axis->out[AXIS_N] = -axis->out[AXIS_N];
}

/* What the axis tells. */
static void set_extents(const parscan_axis *axis, axis_facts *facts)
{
    facts->outer = axis->outer;
    facts->inner = axis->inner;
    facts->rows_near = magnitude(axis->in[AXIS_N]) <
                       magnitude(axis->in[axis->inner > 1 ? AXIS_INNER : AXIS_OUTER]);
}

axis_plan parscan_axis_choose(parscan_context *context, const parscan_axis *axis, axis_facts facts)
{
    const parscan_cuda *const cuda = context->cuda;
    set_extents(axis, &facts);
    const axis_plan plan = parscan_axis_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_axis_plans, plan.variant,
                           "%zu x %zu x %zu elements of %zu bytes to %zu", axis->outer, facts.n,
                           axis->inner, facts.in_size, facts.out_size);
    return plan;
}

/* Whether the elements of both arrays are at the same place in vectors of 16 bytes. */
static bool are_alike(const parscan_axis_launch_call *on_device, size_t in_size, size_t out_size)
{
    const size_t each = 16 / (in_size > out_size ? in_size : out_size);
    return (uintptr_t)on_device->base.in / in_size % each ==
           (uintptr_t)on_device->base.out / out_size % each;
}

/* Whether neighbours along inner have no gap between them in both arrays. */
static bool has_near(const parscan_axis *axis, size_t in_size, size_t out_size)
{
    return axis->in[AXIS_INNER] == (int64_t)in_size && axis->out[AXIS_INNER] == (int64_t)out_size;
}

static bool has_neighbours(const parscan_axis_launch_call *on_device, size_t in_size,
                           size_t out_size)
{
    const parscan_scan_call *const call = on_device->base.call;
    const size_t each = AXIS_NEIGHBOURS(in_size > out_size ? in_size : out_size);
    const size_t out_n = call->kind == PARSCAN_KIND_REDUCE ? 1 : call->n;
    const parscan_axis *const axis = &on_device->axis;
    return parscan_axis_has_vectors(axis, on_device->base.in, axis->in, call->n, in_size, each) &&
           parscan_axis_has_vectors(axis, on_device->base.out, axis->out, out_n, out_size, each);
}

/* Bytes of a sum: of one row in scans, of all rows of an element in reductions. */
static size_t sum_size(const parscan_axis_launch_call *on_device)
{
    const parscan_scan_call *const call = on_device->base.call;
    const unsigned rows = call->kind == PARSCAN_KIND_REDUCE ? on_device->run : 1;
    return on_device->pack * rows * parscan_type_size(parscan_sum_type(call));
}

/* in: the lowest address of the input. */
static axis_facts facts_of(const parscan_axis_launch_call *on_device, const void *in)
{
    const parscan_scan_call *const call = on_device->base.call;
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE, has_runs = on_device->run > 1;
    const unsigned pack = on_device->pack, run = on_device->run;
    const size_t n = call->n / run, in_size = pack * run * parscan_type_size(call->in_type);
    const size_t out_size = pack * (reduces ? 1 : run) * parscan_type_size(call->out_type);
    const bool reads_packed = n > 0 && is_packed(&on_device->axis, on_device->axis.in, n, in_size);
    axis_facts facts = {.reduces = reduces,
                        .n = n,
                        .in_size = in_size,
                        .out_size = out_size,
                        .sum_size = sum_size(on_device),
                        .part_size = parscan_axis_part_size(on_device),
                        .has_tree = has_tree(call),
                        .has_runs = has_runs};
    set_extents(&on_device->axis, &facts);
    if (reduces && has_runs) /* axis_reduce() alone takes them */
        return facts;
    facts.packed =
        reduces ? reads_packed : parscan_axis_is_packed(&on_device->axis, n, in_size, out_size);
    facts.alike = reduces || are_alike(on_device, in_size, out_size);
    facts.has_near = !reduces && has_near(&on_device->axis, in_size, out_size);
    facts.has_neighbours =
        !has_runs && in_size < 16 && has_neighbours(on_device, in_size, out_size);
    facts.has_row_calls = pack == 1 && !has_runs && !on_device->in_words;
    facts.has_sixteen = in_size == 16;
    facts.has_row_vectors = reduces && reads_packed && (uintptr_t)in % 16 == 0;
    return facts;
}

static axis_variant variant_of(const parscan_axis_launch_call *on_device, const void *in)
{
    const axis_facts facts = facts_of(on_device, in);
    return parscan_axis_plan(&on_device->base.call->context->cuda->plan_device, &facts).variant;
}

/* Decides which neighbours are one element. Only two kernels take elements of 16 bytes. */
static void choose_neighbours(parscan_axis_launch_call *on_device, const void *in)
{
    const parscan_axis_launch_call single = *on_device;
    const size_t size = parscan_type_size(on_device->base.call->in_type);
    unsigned packs[AXIS_MOST_PACKS];
    const unsigned count = parscan_axis_packs(&single.axis, size, packs);
    for (unsigned k = 0; k < count; k++) {
        if (!parscan_axis_pack(on_device, packs[k]))
            continue;
        const axis_variant variant = variant_of(on_device, in);
        if (packs[k] * size < 16 || variant == AXIS_WARPS || variant == AXIS_ROW_VECTORS)
            return;
        *on_device = single;
    }
}

/* Decides which rows are one element: where one kernel takes reductions, and two take scans. */
static void choose_rows(parscan_axis_launch_call *on_device, const void *in)
{
    const parscan_axis_launch_call single = *on_device;
    const bool reduces = on_device->base.call->kind == PARSCAN_KIND_REDUCE;
    const axis_variant before = variant_of(on_device, in);
    if (before == AXIS_ROW_CALLS || (reduces && before != AXIS_REDUCE) ||
        !parscan_axis_join_rows(on_device))
        return;
    const axis_variant after = variant_of(on_device, in);
    if (!reduces && after != AXIS_WARPS && after != AXIS_PIPED_STAGED)
        *on_device = single;
}

static void choose_elements(parscan_axis_launch_call *on_device, const void *in)
{
    on_device->pack = on_device->run = 1;
    if (has_tree(on_device->base.call))
        return;
    choose_neighbours(on_device, in);
    choose_rows(on_device, in);
}

parscan_status parscan_axis_chain(parscan_context *context, const parscan_axis *axis,
                                  const axis_plan *plan, size_t sum_size,
                                  parscan_chain_memory *chain)
{
    const size_t words = parscan_axis_status_words(plan, axis->outer, axis->inner, sum_size);
    return words > 0 ? parscan_cuda_chain_memory(context, words, chain) : PARSCAN_OK;
}

/* The memory that the variant needs. */
static parscan_status make_room(parscan_axis_launch_call *on_device)
{
    const axis_plan *const plan = &on_device->plan;
    const parscan_axis *const axis = &on_device->axis;
    parscan_context *const context = on_device->base.call->context;
    const size_t size = sum_size(on_device);
    if (plan->variant == AXIS_TREE && plan->tiles > 1)
        return parscan_cuda_scratch(context, axis->outer * axis->inner * plan->tiles * size,
                                    &on_device->base.scratch);
    return parscan_axis_chain(context, axis, plan, size, &on_device->base.chain);
}

static cudaError_t launch_of_type(const parscan_axis_launch_call *on_device)
{
    const bool is_tree = on_device->plan.variant == AXIS_TREE;
    switch ((int)on_device->base.call->out_type) {
#define X(ctx, NAME, number, name, ...)                           \
    case PARSCAN_##NAME:                                          \
        return is_tree ? parscan_axis_tree_cuda_##name(on_device) \
                       : parscan_axis_cuda_##name(on_device);
        PARSCAN_TYPES(X, )
#undef X
    }
    return cudaErrorInvalidValue;
}

/* Variants that take an array as one part begin at its lowest address. Lines of a reduction may as well be read
   forwards: its operator commutes. */
static void take_backwards(parscan_axis_launch_call *on_device, const char *in, char *out)
{
    const axis_variant variant = on_device->plan.variant;
    if ((variant != AXIS_STAGED && variant != AXIS_PIPED_STAGED && variant != AXIS_WARPS &&
         variant != AXIS_ROW_VECTORS) ||
        on_device->axis.in[AXIS_N] >= 0 || on_device->base.call->n == 1)
        return;
    on_device->base.in = in;
    if (on_device->base.call->kind == PARSCAN_KIND_REDUCE)
        return;
    on_device->base.out = out;
    on_device->backwards = true;
}

/* Each row is a call of its own, one after the other. */
static parscan_status launch_row_calls(const parscan_axis_launch_call *on_device,
                                       const parscan_scan_call *given)
{
    const parscan_axis *const axis = &on_device->axis;
    parscan_scan_call row = parscan_scan_signless(given);
    const int64_t last = (int64_t)(row.n - 1);
    row.axis = NULL;
    row.n_at = NULL;
    row.reverse = axis->in[AXIS_N] < 0;
    parscan_status status = PARSCAN_OK;
    for (size_t o = 0; o < axis->outer && status == PARSCAN_OK; o++) {
        const char *in = (const char *)on_device->base.in + (int64_t)o * axis->in[AXIS_OUTER];
        char *out = (char *)on_device->base.out + (int64_t)o * axis->out[AXIS_OUTER];
        if (row.reverse)
            in += last * axis->in[AXIS_N];
        if (row.reverse && row.kind != PARSCAN_KIND_REDUCE)
            out += last * axis->out[AXIS_N];
        parscan_cuda_call call = {
            .call = &row, .in = in, .out = out, .stream = on_device->base.stream};
        status = parscan_scan_launch(&call);
    }
    return status;
}

static parscan_status launch_axis(void *given, parscan_cuda_array *arrays)
{
    const parscan_scan_call *const call = given;
    parscan_context *const context = call->context;
    parscan_axis_launch_call on_device = {.axis = *call->axis,
                                          .base = {.stream = context->cuda->stream}};
    parscan_axis_take_call(&on_device, call);
    if (call->n == 0 && call->kind != PARSCAN_KIND_REDUCE)
        return PARSCAN_OK;
    const char *const in = arrays[IN].device;
    char *const out = arrays[OUT].device;
    on_device.base.in = in != NULL ? in + ((const char *)call->in - call->axis->in_low) : NULL;
    on_device.base.out = out + ((char *)call->out - call->axis->out_low);
    turn(&on_device);
    parscan_axis_bring_near(&on_device.axis);
    join_lines(&on_device.axis, call);
    choose_elements(&on_device, in);
    on_device.plan = parscan_axis_choose(context, &on_device.axis, facts_of(&on_device, in));
    if (on_device.plan.variant == AXIS_ROW_CALLS)
        return launch_row_calls(&on_device, call);
    take_backwards(&on_device, in, out);
    const parscan_status status = make_room(&on_device);
    if (status != PARSCAN_OK)
        return status;
    return PARSCAN_CUDA_QUEUE(context, launch_of_type(&on_device));
}

parscan_status parscan_axis_cuda(const parscan_scan_call *given, const char *name)
{
    static const parscan_cuda_operation operation = {.describe = describe_axis,
                                                     .lengths = lengths_of_axis,
                                                     .reads_lengths = reads_length,
                                                     .check = check_axis,
                                                     .launch = launch_axis};
    parscan_scan_call call = *given;
    const parscan_status status = parscan_fetch_init(&call);
    return status == PARSCAN_OK ? parscan_cuda_run(call.context, name, &operation, &call) : status;
}
