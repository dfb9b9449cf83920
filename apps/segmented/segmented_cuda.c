/* Segmented scans and reductions on CUDA: what the driver (scan/cuda/driver.h) needs to know of
   them. */
#include "apps/segmented/segmented_chunks_cuda.h"

#include "apps/segments/check_segments.h"
#include "apps/segments/half_heads_cuda.h"
#include "apps/segments/row_offsets_cuda.h"
#include "scan/custom/operator_state.h"
#include "scan/runtime/custom_scan_cuda.h"

enum {
    IN = SEGMENTED_IN,
    MARKS = SEGMENTED_MARKS,
    OUT = SEGMENTED_OUT,
    KEYS_OUT = SEGMENTED_KEYS_OUT,
    COUNT = SEGMENTED_COUNT,
    ARRAYS = SEGMENTED_ARRAYS
};

static parscan_segmented_cuda_launch *launch_of(parscan_type type, bool reduces)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return reduces ? parscan_segmented_reduce_cuda_##name : parscan_segmented_scan_cuda_##name;
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

static segment_mark mark_of(const parscan_segments *segments)
{
    if (segments->kind == PARSCAN_SEGMENTS_FLAGS || parscan_by_half_keys(segments))
        return SEGMENT_FLAGS;
    if (segments->kind == PARSCAN_SEGMENTS_OFFSETS)
        return SEGMENT_BITS;
    if (!parscan_is_float(segments->type))
        return SEGMENT_KEYS;
    return parscan_type_size(segments->type) == 4 ? SEGMENT_FLOATS_4 : SEGMENT_FLOATS_8;
}

static bool by_offsets(const segmented_call *call)
{
    return parscan_by_offsets(call->segments);
}

static bool by_rows(const segmented_call *call)
{
    return call->segments->kind == PARSCAN_SEGMENTS_ROWS;
}

/* Describes the call's arrays. The output of a reduction gets room for as many results as there may
   be, or as has room. Offsets and rows go through the device in chunks as flags (segmented_chunks_cuda.c). */
static unsigned describe_segmented(const void *given, parscan_cuda_array *arrays)
{
    const segmented_call *const call = given;
    const parscan_scan_call *const scan = &call->scan;
    const parscan_segments *const segments = call->segments;
    const bool reduces = scan->kind == PARSCAN_KIND_REDUCE;
    const size_t mark_size =
        segments->kind == PARSCAN_SEGMENTS_FLAGS ? 1 : parscan_type_size(segments->type);
    const size_t count = by_offsets(call) ? parscan_segment_count(segments, scan->n) : scan->n;
    const size_t marks = by_offsets(call) ? count + 1 : scan->n;
    const size_t results = reduces ? count : scan->n;
    const size_t room = call->capacity != 0 && call->capacity < results ? call->capacity : results;
    arrays[IN] = parscan_cuda_input("in", scan->in, scan->n, parscan_in_size(scan));
    arrays[MARKS] = parscan_cuda_input("segments->data", segments->data, marks, mark_size);
    arrays[OUT] = parscan_cuda_output("out", scan->out, room, parscan_out_size(scan));
    arrays[OUT].shares = IN + 1; /* a chunk is scanned in place */
    arrays[KEYS_OUT] = parscan_cuda_output("keys_out", call->keys_out, room, mark_size);
    arrays[COUNT] = parscan_cuda_count("count", call->count, results);
    if (scan->custom != NULL) {
        arrays[IN].alignment = scan->custom->loads ? 1 : scan->custom->alignment;
        arrays[OUT].alignment = scan->custom->stores ? 1 : scan->custom->alignment;
    }
    return ARRAYS;
}

static unsigned lengths_of_segmented(void *given, parscan_cuda_length *lengths)
{
    segmented_call *const call = given;
    parscan_segments *const segments =
        (parscan_segments *)call->segments; /* parscan_run_segmented_cuda() has copied them */
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->scan.n, &call->scan.n_at};
    lengths[1] =
        (parscan_cuda_length){LENGTH_SEGMENT_COUNT, &segments->count, &call->segment_count_at};
    return 2;
}

static segmented_variant plan_segmented(const segmented_call *call)
{
    const parscan_cuda *const cuda = call->scan.context->cuda;
    const segmented_facts facts = {
        .reduces = call->scan.kind == PARSCAN_KIND_REDUCE,
        .by_offsets = by_offsets(call),
        .continues = call->open != NULL,
        .carries = call->scan.carry != NULL,
        .n = call->scan.n,
        .segments = by_offsets(call) ? parscan_segment_count(call->segments, call->scan.n) : 0,
        .out_size = parscan_type_size(call->scan.out_type),
        .few_blocks = parscan_cuda_few_blocks(cuda),
    };
    const segmented_variant variant = parscan_segmented_plan(&cuda->plan_device, &facts);
    /* The launches of the others know more. */
    if (cuda->prints_plans && (!facts.by_offsets || variant == SEGMENTED_PARTS))
        parscan_plan_print(&parscan_segmented_plans, variant, "%zu elements, %zu segments", facts.n,
                           facts.segments);
    return variant;
}

segment_offsets parscan_segmented_offsets(const segmented_call *call,
                                          const parscan_cuda_array *arrays)
{
    return (segment_offsets){
        .data = arrays[MARKS].device,
        .wide = parscan_wide_offsets(call->segments),
        .count = call->segments->count,
        .n = call->scan.n,
        .deferred = parscan_segmented_deferred(call, arrays),
        .number = arrays[COUNT].device,
        .n_at = call->scan.n_at,
        .count_at = call->segment_count_at,
    };
}

/* Whether the kernel stores the carry: a reduction's, and one that the output has only rounded. */
static bool stores_carry(const parscan_scan_call *call)
{
    return call->carry != NULL &&
           (call->kind == PARSCAN_KIND_REDUCE || parscan_sum_type(call) != call->out_type);
}

/* The tiles that have status words, at most. The first one may have a single element. */
static size_t most_tiles(const segmented_call *call, segmented_variant variant)
{
    const size_t size = parscan_type_size(call->scan.out_type);
    switch (variant) {
    case SEGMENTED_PARTS:
        return SEGMENTED_REDUCE_TILES;
    case SEGMENTED_FEW:
        return call->scan.n / (PARSCAN_FEW_TILE_BYTES / SEGMENTED_FEW_ELEMENT(size)) + 2;
    default:
        return call->scan.n / (SEGMENTED_LEAST_TILE_BYTES / size) + 2;
    }
}

/* Takes the scratch: status words for every tile, the offsets of rows (`offsets` bytes), the bits made of offsets, or
   the carry and the flags made of keys of 16 bits. */
static parscan_status make_room_for_segmented(const segmented_call *call, size_t offsets,
                                              parscan_segmented_cuda_call *on_device)
{
    parscan_context *const context = call->scan.context;
    const size_t sum_size = parscan_type_size(parscan_sum_type(&call->scan));
    const segmented_variant variant = on_device->variant;
    const size_t tiles = most_tiles(call, variant);
    const size_t words =
        variant == SEGMENTED_DIRECT ? SEGMENTED_DIRECT_WORDS : SEGMENT_WORDS(sum_size) * tiles;
    const parscan_status status = parscan_cuda_chain_memory(context, words, &on_device->scan.chain);
    const size_t through = stores_carry(&call->scan) ? sizeof(uint64_t) : 0;
    const size_t flags = parscan_by_half_keys(call->segments) ? call->scan.n : 0;
    const size_t bits = variant == SEGMENTED_BITS && through + flags == 0
                            ? (call->scan.n + 128 + SEGMENTED_MOST_TILE) / 8 + 2 * sizeof(uint64_t)
                            : 0;
    if (status != PARSCAN_OK || offsets + through + flags + bits == 0)
        return status;
    const size_t aligned = (offsets + 255) / 256 * 256;
    void *scratch;
    const parscan_status taken =
        parscan_cuda_scratch(context, aligned + through + flags + bits, &scratch);
    if (taken != PARSCAN_OK)
        return taken;
    void *const rest = (char *)scratch + aligned;
    if (offsets > 0)
        on_device->offsets.data = scratch;
    on_device->offsets.bits = bits > 0 ? rest : NULL;
    on_device->through = through > 0 ? rest : NULL;
    on_device->marks = flags > 0 ? (char *)rest + through : on_device->marks;
    return PARSCAN_OK;
}

size_t parscan_segmented_rows_bytes(const segmented_call *call)
{
    const size_t bytes = parscan_row_offsets_bytes(call->segments);
    return call->scan.n_at != NULL ? (bytes + 7) / 8 * 8 + sizeof(uint64_t) : bytes;
}

parscan_status parscan_segmented_write_rows(const segmented_call *call, size_t row,
                                            segment_offsets *offsets)
{
    parscan_context *const context = call->scan.context;
    void *const data = (void *)offsets->data;
    uint64_t *count = NULL;
    if (call->scan.n_at != NULL)
        count = (uint64_t *)((char *)data + parscan_segmented_rows_bytes(call)) - 1;
    offsets->count_at = count;
    return PARSCAN_CUDA_QUEUE(context, parscan_row_offsets_cuda(context, call->segments, row, data,
                                                                call->scan.n_at, count));
}

/* Whether the host knows a reduction's count at the end of the call. */
static bool host_learns_count(const parscan_cuda_array *arrays)
{
    return arrays[COUNT].staged || arrays[OUT].staged || arrays[KEYS_OUT].staged;
}

parscan_deferred parscan_segmented_deferred(const segmented_call *call,
                                            const parscan_cuda_array *arrays)
{
    const bool tells_capacity =
        call->capacity != 0 && !host_learns_count(arrays) && call->scan.carry == NULL;
    parscan_deferred deferred = {0};
    if (by_offsets(call) || call->scan.n_at != NULL || tells_capacity)
        deferred = parscan_cuda_deferred(call->scan.context);
    deferred.of_lengths = 1;
    return deferred;
}

/* Launches the variant. row: the length of rows, whose offsets are not written yet; otherwise 0. Fetches the carry
   if the kernel stores it. */
static parscan_status launch_segmented_variant(const segmented_call *call, size_t row,
                                               const parscan_cuda_array *arrays)
{
    const parscan_scan_call signless = parscan_scan_signless(&call->scan);
    const parscan_scan_call *const scan = &signless;
    parscan_context *const context = scan->context;
    const parscan_segments *const segments = call->segments;
    const bool reduces = scan->kind == PARSCAN_KIND_REDUCE;
    parscan_segmented_cuda_call on_device = {
        .scan = {.call = scan,
                 .in = arrays[IN].device,
                 .out = arrays[OUT].device,
                 .stream = context->cuda->stream},
        .mark = mark_of(segments),
        .marks = arrays[MARKS].device,
        .mark_bytes =
            mark_of(segments) == SEGMENT_FLAGS ? 1 : (unsigned)parscan_type_size(segments->type),
        .count = arrays[COUNT].device,
        .capacity = call->capacity != 0 ? call->capacity : UINT64_MAX,
        .keys = arrays[MARKS].device,
        .keys_out = call->keys_out != NULL ? arrays[KEYS_OUT].device : NULL,
        .key_bytes = (unsigned)parscan_type_size(segments->type),
        .open = call->open,
        .variant = plan_segmented(call),
        .offsets = {.n = scan->n,
                    .n_at = scan->n_at,
                    .deferred = parscan_segmented_deferred(call, arrays)},
    };
    if (by_offsets(call)) {
        on_device.offsets = parscan_segmented_offsets(call, arrays);
        on_device.marks = NULL;
        on_device.mark_bytes = 0;
        on_device.count = NULL;
    }
    parscan_status status =
        make_room_for_segmented(call, row > 0 ? parscan_segmented_rows_bytes(call) : 0, &on_device);
    if (status != PARSCAN_OK)
        return status;
    if (row > 0)
        status = parscan_segmented_write_rows(call, row, &on_device.offsets);
    if (status == PARSCAN_OK && parscan_by_half_keys(segments))
        status = PARSCAN_CUDA_QUEUE(
            context, parscan_half_heads_cuda(context, segments->type, arrays[MARKS].device,
                                             (uint8_t *)on_device.marks, scan->n, scan->n_at));
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(context, launch_of(scan->out_type, reduces)(&on_device));
    if (status != PARSCAN_OK || !stores_carry(scan))
        return status;
    return parscan_cuda_unstage(context, scan->carry, on_device.through,
                                parscan_type_size(parscan_sum_type(scan)));
}

/* The number of results that have room. */
static size_t within(const segmented_call *call, uint64_t count)
{
    return call->capacity != 0 && count > call->capacity ? call->capacity : (size_t)count;
}

/* A reduction's number of results must be known before they are copied to the host. */
static parscan_status learn_results(void *given, parscan_cuda_array *arrays)
{
    const segmented_call *const call = given;
    const bool staged = arrays[OUT].staged || arrays[KEYS_OUT].staged;
    if (call->scan.kind != PARSCAN_KIND_REDUCE || !staged || by_offsets(call))
        return PARSCAN_OK;
    uint64_t count;
    const parscan_status status =
        parscan_cuda_unstage(call->scan.context, &count, arrays[COUNT].device, sizeof count);
    if (status != PARSCAN_OK)
        return status;
    /* The sum of a segment that stays open is not stored. */
    const size_t sums = within(call, count - (call->scan.carry != NULL));
    arrays[OUT].bytes = sums * parscan_out_size(&call->scan);
    if (call->keys_out != NULL)
        arrays[KEYS_OUT].bytes = within(call, count) * parscan_type_size(call->segments->type);
    return PARSCAN_OK;
}

/* The device tells that results had no room, or the host does, if it knows their number. */
static parscan_status report_capacity(void *given, const parscan_cuda_array *arrays)
{
    const segmented_call *const call = given;
    parscan_context *const context = call->scan.context;
    uint64_t count = 0;
    parscan_status status = PARSCAN_OK;
    if (call->capacity == 0 || call->scan.carry != NULL || !host_learns_count(arrays))
        return PARSCAN_OK;
    if (arrays[COUNT].staged)
        count = *call->count;
    else
        status = parscan_cuda_unstage(context, &count, arrays[COUNT].device, sizeof count);
    return status == PARSCAN_OK ? parscan_check_capacity(context, count, call->capacity) : status;
}

/* A call without elements only checks the offsets. */
static parscan_status count_nothing(const segmented_call *call, const parscan_cuda_array *arrays)
{
    parscan_cuda *const cuda = call->scan.context->cuda;
    const uint64_t none = 0;
    if (call->count == NULL)
        return PARSCAN_OK;
    return PARSCAN_CUDA_QUEUE(call->scan.context,
                              cudaMemsetAsync(arrays[COUNT].device, 0, sizeof none, cuda->stream));
}

/* The kernels combine the values of a segment in any order (segmented_tile.cuh). */
static parscan_status check_commutes(const segmented_call *call)
{
    if (call->scan.custom != NULL) /* nor do they need it of the caller's */
        return parscan_custom_check_cuda(&call->scan);
    if (parscan_op_commutes(call->scan.op))
        return PARSCAN_OK;
    return parscan_fail(call->scan.context, PARSCAN_ERROR_UNSUPPORTED,
                        "op = %s: for segments on CUDA it must be an operator that commutes",
                        parscan_op_name(call->scan.op));
}

/* Offsets in host memory, and rows, are checked before anything is written. The device checks offsets in
   device memory, and rows of a length that it reads. */
static parscan_status check_segmented(const void *given, const parscan_cuda_array *arrays)
{
    const segmented_call *const call = given;
    const parscan_status status = check_commutes(call);
    if (status == PARSCAN_OK && by_rows(call))
        return parscan_check_rows(call->scan.context, call->segments, call->scan.n);
    if (status != PARSCAN_OK || !by_offsets(call) || !arrays[MARKS].staged)
        return status;
    return parscan_check_all_offsets(call->scan.context, call->segments, call->scan.n);
}

static parscan_status launch_one(const segmented_call *call, size_t row,
                                 const parscan_cuda_array *arrays)
{
    return call->scan.custom != NULL ? parscan_custom_segmented_cuda(call, row, arrays)
                                     : launch_segmented_variant(call, row, arrays);
}

static parscan_status launch_by_rows(const segmented_call *call, const parscan_cuda_array *arrays)
{
    const parscan_segments offsets = parscan_offsets_of_rows(call->segments, call->scan.n);
    segmented_call made = *call;
    made.segments = &offsets;
    return launch_one(&made, call->segments->count, arrays);
}

static parscan_status launch_segmented(void *given, parscan_cuda_array *arrays)
{
    const segmented_call *const call = given;
    const bool nothing = call->scan.n == 0 && (call->segments->data == NULL || !by_offsets(call));
    parscan_cuda_carry carry;
    parscan_status status = parscan_segmented_begin_carry(call, arrays[IN].device, &carry);
    if (status == PARSCAN_OK)
        status = nothing         ? count_nothing(call, arrays)
                 : by_rows(call) ? launch_by_rows(call, arrays)
                                 : launch_one(call, 0, arrays);
    if (status != PARSCAN_OK || stores_carry(&call->scan))
        return status;
    return parscan_cuda_end_carry(&call->scan, arrays[OUT].device, &carry);
}

parscan_status parscan_run_segmented_cuda(segmented_call *call)
{
    static const char *const names[] = {"parscan_segmented_inclusive_scan",
                                        "parscan_segmented_exclusive_scan",
                                        "parscan_segmented_reduce"};
    static const parscan_cuda_operation segmented = {.describe = describe_segmented,
                                                     .lengths = lengths_of_segmented,
                                                     .check = check_segmented,
                                                     .can_pass = parscan_segmented_can_pass,
                                                     .in_chunks = parscan_segmented_in_chunks,
                                                     .launch = launch_segmented,
                                                     .finish = learn_results,
                                                     .report = report_capacity};
    return parscan_cuda_run(call->scan.context, names[call->scan.kind], &segmented, call);
}

parscan_status parscan_segmented_cuda(const segmented_call *given)
{
    segmented_call call = *given;
    parscan_segments segments = *given->segments;
    call.segments = &segments;
    return parscan_run_segmented_cuda(&call);
}
