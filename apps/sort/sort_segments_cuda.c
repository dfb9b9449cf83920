/*
 * Sorts each segment of an array on CUDA. A segment that fits in a tile is sorted by the block in
 * whose window it starts (segment_tile_kernels.cuh). Blocks list the longer segments that they
 * find, and the elements of all listed segments are sorted together: their indices are sorted
 * stably by key, then by the index of the segment. So the time depends on the number of elements,
 * not on the lengths of segments. The launches of this have to be made before the host knows whether
 * there is a long segment: so in a short array it is sorted by the block that finds it, and in an array
 * of short segments, which is not large, by all blocks of the same launch or of the next. Where segments
 * have a few hundred elements or more, and the array is not large, a block sorts one whole segment
 * after another (segment_block_kernels.cuh). Which of these it is: sort_segments_plan.h.
 */
#include "apps/segments/found_offsets_cuda.h"
#include "apps/segments/row_offsets_cuda.h"
#include "apps/sort/number_rows.h"
#include "apps/sort/segments_cuda.h"
#include "apps/sort/sort_call.h"
#include "apps/sort/sort_place.h"
#include "scan/cuda/driver.h"

enum { SEGMENTS = PLACED_ARRAYS, ALL_ARRAYS, MOST_PIECES = 16 };

typedef struct segment_sort {
    const sort_call *call;
    parscan_sort_segments_cuda_call on_device;
    parscan_listed_call listed;
    bool by_indices;   /* values are not words: their indices are sorted instead */
    sort_state *plans; /* two: of the sort by key, and by segment */
    void *keys, *keys_spare, *order, *order_spare, *indices, *copies;
    uint8_t *heads;
    void *offsets;
    size_t row; /* the length of rows, whose offsets are not written yet; otherwise 0 */
    void *row_offsets;
    uint64_t *count;
    size_t word; /* the bytes of an index */
} segment_sort;

/* Adds the pieces of scratch for segments that are longer than a tile. */
static unsigned add_long_pieces(segment_sort *s, scratch_piece *pieces)
{
    const size_t n = s->call->n, key_size = s->call->key_size;
    const size_t wider = n * (key_size > sizeof(uint32_t) ? key_size : sizeof(uint32_t));
    const size_t values = s->on_device.values_in == NULL ? 0 : n * s->on_device.value_size;
    const bool in_place = s->on_device.values_in == s->on_device.values_out;
    const size_t listed = s->on_device.list.room * sizeof(uint64_t);
    const size_t blocks = s->on_device.plan.together ? SORT_BLOCKS_TOGETHER : 0;
    const scratch_piece here[] = {
        {n * key_size, &s->on_device.spare_keys[0]},
        {n * key_size, &s->on_device.spare_keys[1]},
        {n * sizeof(uint32_t), (void **)&s->on_device.spare_indices[0]},
        {n * sizeof(uint32_t), (void **)&s->on_device.spare_indices[1]},
        {in_place ? values : 0, &s->on_device.spare_values},
        {blocks * sizeof(uint64_t), (void **)&s->on_device.list.taken},
        {blocks > 0 ? listed : 0, (void **)&s->on_device.list.begins},
        {blocks > 0 ? listed : 0, (void **)&s->on_device.list.starts},
        {blocks * 2 * SORT_DIGITS * sizeof(uint32_t), (void **)&s->on_device.counts},
    };
    const scratch_piece apart[] = {
        {listed, (void **)&s->on_device.list.begins},
        {listed, (void **)&s->on_device.list.starts},
        {2 * sizeof(sort_state), (void **)&s->plans},
        {n * key_size, &s->listed.keys},
        {values, &s->listed.values},
        {n * sizeof(uint32_t), (void **)&s->listed.segments},
        {wider, &s->keys},
        {wider, &s->keys_spare},
        {n * s->word, &s->order},
        {n * s->word, &s->order_spare},
    };
    const unsigned count =
        s->on_device.plan.one_launch ? sizeof here / sizeof *here : sizeof apart / sizeof *apart;
    memcpy(pieces, s->on_device.plan.one_launch ? here : apart, count * sizeof *pieces);
    return count;
}

static parscan_status take_segments_scratch(segment_sort *s, bool finds_heads, size_t row_offsets)
{
    const sort_call *const call = s->call;
    const size_t words = call->n * s->word, values = call->n * call->value_size;
    const bool copies = s->by_indices && call->in.values == call->out.values;
    scratch_piece pieces[MOST_PIECES];
    unsigned count = add_long_pieces(s, pieces);
    pieces[count++] = (scratch_piece){finds_heads ? call->n : 0, (void **)&s->heads};
    pieces[count++] = (scratch_piece){finds_heads ? words : 0, &s->offsets};
    pieces[count++] = (scratch_piece){sizeof *s->count, (void **)&s->count};
    pieces[count++] = (scratch_piece){s->by_indices ? words : 0, &s->indices};
    pieces[count++] = (scratch_piece){copies ? values : 0, &s->copies};
    pieces[count++] = (scratch_piece){row_offsets, &s->row_offsets};
    const parscan_status status = parscan_sort_take_scratch(call->context, pieces, count);
    if (s->on_device.values_in != s->on_device.values_out)
        s->on_device.spare_values = NULL;
    if (s->on_device.plan.one_launch && !s->on_device.plan.together)
        s->on_device.list.taken = NULL;
    return status;
}

/* Turns flags and keys into offsets: the indices of the elements that start segments. */
static parscan_status find_offsets(segment_sort *s, const parscan_segments *segments)
{
    const sort_call *const call = s->call;
    s->on_device.offsets = s->offsets;
    s->on_device.count_at = s->count;
    return parscan_find_offsets_cuda(call->context, segments, call->n, call->n_at, s->heads,
                                     s->offsets, s->word == 8, s->count);
}

/* No tile has more elements. */
enum { LONGEST_TILE = 16384 };

/* The listed segments of the elements in their order by key. Rows are all listed, if they are longer than a tile:
   so the order tells their places in the list. */
static parscan_status find_segments(const segment_sort *s)
{
    const sort_call *const call = s->call;
    const parscan_gather_call segments = {
        .in = s->listed.segments,
        .index = s->order,
        .out = s->keys,
        .size = sizeof *s->listed.segments,
        .n = call->n,
        .index_size = s->word,
        .count = s->on_device.list.taken,
    };
    if (s->row <= LONGEST_TILE || s->word != 4 || call->n_at != NULL)
        return parscan_gather_cuda(call->context, &segments);
    return PARSCAN_CUDA_QUEUE(
        call->context,
        parscan_rows_of_indices_launch(call->context->cuda, s->order, s->keys, call->n, s->row));
}

/* Sorts the listed segments' elements by key, then by segment. */
static parscan_status find_order(const segment_sort *s)
{
    const sort_call *const call = s->call;
    parscan_sort_cuda_call by_key = {
        .context = call->context,
        .plan = &s->plans[0],
        .cleared = true,
        .keys = {s->listed.keys, s->keys, s->keys_spare},
        .values = {NULL, s->order, s->order_spare},
        .n = call->n,
        .count = s->on_device.list.taken,
        .value_size = s->word,
        .flip = call->order.flip,
        .indices = true,
        .drops_keys = true,
    };
    parscan_sort_cuda_call by_segment = {
        .context = call->context,
        .plan = &s->plans[1],
        .cleared = true,
        .keys = {s->keys, s->keys, s->keys_spare},
        .values = {s->order, s->order, s->order_spare},
        .n = call->n,
        .count = s->on_device.list.taken,
        .value_size = s->word,
    };
    uint64_t last =
        call->n / (s->on_device.most + 1) | 1; /* the bits of a listed segment's index */
    for (unsigned shift = 1; shift < 64; shift *= 2)
        last |= last >> shift;
    parscan_sort_choose_digits(&by_key, call->order.keep, false);
    parscan_sort_choose_digits(&by_segment, last, true);
    parscan_status status = parscan_sort_launches(call->key, &by_key);
    if (status == PARSCAN_OK)
        status = find_segments(s);
    return status == PARSCAN_OK ? parscan_sort_launches(KEY_U32, &by_segment) : status;
}

static parscan_status sort_listed(segment_sort *s)
{
    parscan_context *const context = s->call->context;
    s->listed.list = s->on_device.list;
    s->listed.keys_in = s->on_device.keys_in;
    s->listed.values_in = s->on_device.values_in;
    s->listed.keys_out = s->on_device.keys_out;
    s->listed.values_out = s->on_device.values_out;
    s->listed.order = s->order;
    s->listed.n = s->call->n;
    s->listed.key_size = s->call->key_size;
    s->listed.value_size = s->on_device.value_size;
    s->listed.wide = s->word == 8;
    if (s->on_device.values_in == NULL)
        s->listed.values = NULL;
    parscan_status status = parscan_listed_collect_cuda(context, &s->listed);
    if (status == PARSCAN_OK)
        status = find_order(s);
    return status == PARSCAN_OK ? parscan_listed_return_cuda(context, &s->listed) : status;
}

static parscan_status launch_tiles(segment_sort *s)
{
    static parscan_sort_segments_launch *const launches[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = parscan_sort_segments_cuda_##name,
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return launches[s->call->key](&s->on_device);
}

static parscan_status launch_segments(segment_sort *s, const parscan_segments *segments,
                                      const parscan_cuda_array *arrays)
{
    parscan_context *const context = s->call->context;
    const bool finds_heads = segments->kind != PARSCAN_SEGMENTS_OFFSETS;
    parscan_status status =
        take_segments_scratch(s, finds_heads, s->row > 0 ? parscan_row_offsets_bytes(segments) : 0);
    if (status == PARSCAN_OK && finds_heads)
        status = find_offsets(s, segments);
    if (status == PARSCAN_OK && s->row > 0) {
        s->on_device.offsets = s->row_offsets;
        s->on_device.count_at = s->call->n_at != NULL ? s->count : NULL;
        status = PARSCAN_CUDA_QUEUE(context, parscan_row_offsets_cuda(context, segments, s->row,
                                                                      s->row_offsets, s->call->n_at,
                                                                      s->count));
    }
    if (s->by_indices)
        s->on_device.values_out = s->indices;
    if (status == PARSCAN_OK && !s->on_device.plan.one_launch) {
        s->on_device.list.taken = &s->plans[0].listed;
        status = parscan_sort_clear_plans(context, s->plans, 2, s->call->n);
    }
    if (status == PARSCAN_OK)
        status = launch_tiles(s);
    if (status == PARSCAN_OK && !s->on_device.plan.one_launch)
        status = sort_listed(s);
    return status == PARSCAN_OK && s->by_indices
               ? parscan_sort_move_values(s->call, arrays, s->indices, s->word, s->copies)
               : status;
}

static sort_segments_plan segments_plan_of(const parscan_sort_segments_cuda_call *on_device,
                                           const sort_call *call, bool offsets)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const uint64_t all = UINT64_MAX >> (64 - 8 * call->key_size);
    const sort_segments_facts facts = {
        .n = call->n,
        .count = on_device->count,
        .key_size = call->key_size,
        .value_size = on_device->value_size,
        .floats = call->float_keys,
        .whole_keys = (call->order.keep & all) == all,
        .offsets = offsets,
    };
    const sort_segments_plan plan = parscan_sort_segments_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_sort_segments_plans, plan.variant,
                           "%zu elements in %s%zu segments, keys of %zu bytes, values of %zu",
                           facts.n, offsets ? "" : "at most ", facts.count, facts.key_size,
                           facts.value_size);
    return plan;
}

/* Sorts with segments->data in device memory. row: as in a segment_sort. checks: the host has not checked the
   offsets. */
static parscan_status sort_placed(const sort_call *call, const parscan_segments *segments,
                                  size_t row, bool checks, const parscan_cuda_array *arrays)
{
    const bool offsets = segments->kind == PARSCAN_SEGMENTS_OFFSETS;
    segment_sort s = {
        .call = call,
        .row = row,
        .by_indices = call->value_size != 0 && !parscan_sort_values_are_words(call, arrays),
        .word = call->n <= UINT32_MAX ? 4 : 8,
        .on_device =
            {
                .context = call->context,
                .keys_in = arrays[KEYS_IN].device,
                .keys_out = arrays[KEYS_OUT].device,
                .values_in = arrays[VALUES_IN].device,
                .values_out = arrays[VALUES_OUT].device,
                .n = call->n,
                .n_at = call->n_at,
                .value_size = call->value_size,
                .flip = call->order.flip,
                .keep = call->order.keep,
                .offsets = segments->data,
                .count = offsets ? segments->count : call->n,
                .count_at = call->segment_count_at,
                .list.room = call->n / SORT_LEAST_WINDOW + 1 + SORT_BLOCKS_TOGETHER,
                .deferred = checks ? parscan_cuda_deferred(call->context) : (parscan_deferred){0},
            },
    };
    parscan_sort_cuda_call digits = {0};
    parscan_sort_choose_digits(&digits, call->order.keep, false);
    s.on_device.passes = digits.passes;
    memcpy(s.on_device.digits, digits.digits, sizeof digits.digits);
    s.on_device.wide = offsets ? parscan_wide_offsets(segments) : s.word == 8;
    if (s.by_indices) {
        s.on_device.values_in = NULL;
        s.on_device.value_size = s.word;
    }
    s.on_device.plan = segments_plan_of(&s.on_device, call, offsets);
    return launch_segments(&s, segments, arrays);
}

/* A call, and its segments. */
typedef struct segments_run {
    sort_call *call;
    parscan_segments *segments;
} segments_run;

static bool by_offsets(const segments_run *run)
{
    return run->segments->kind == PARSCAN_SEGMENTS_OFFSETS;
}

static bool by_rows(const segments_run *run)
{
    return run->segments->kind == PARSCAN_SEGMENTS_ROWS;
}

static unsigned describe_sort_segments(const void *given, parscan_cuda_array *arrays)
{
    const segments_run *const run = given;
    const parscan_segments *const segments = run->segments;
    const size_t size =
        segments->kind == PARSCAN_SEGMENTS_FLAGS ? 1 : parscan_type_size(segments->type);
    parscan_sort_name_arrays(run->call, arrays);
    arrays[SEGMENTS] =
        parscan_cuda_input("segments->data", segments->data,
                           by_offsets(run) ? segments->count + 1 : run->call->n, size);
    return ALL_ARRAYS;
}

static unsigned lengths_of_segments(void *given, parscan_cuda_length *lengths)
{
    const segments_run *const run = given;
    sort_call *const call = run->call;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    lengths[1] =
        (parscan_cuda_length){LENGTH_SEGMENT_COUNT, &run->segments->count, &call->segment_count_at};
    return by_offsets(run) ? 2 : 1;
}

/* Offsets in host memory, and rows, are checked before anything is written. The device checks offsets in
   device memory, and rows of a length that it reads. */
static parscan_status check_sort_segments(const void *given, const parscan_cuda_array *arrays)
{
    const segments_run *const run = given;
    if (by_rows(run))
        return parscan_check_rows(run->call->context, run->segments, run->call->n);
    return by_offsets(run) && arrays[SEGMENTS].staged
               ? parscan_check_all_offsets(run->call->context, run->segments, run->call->n)
               : PARSCAN_OK;
}

static parscan_status launch_sort_segments(void *given, parscan_cuda_array *arrays)
{
    const segments_run *const run = given;
    if (run->call->n == 0 && !by_offsets(run))
        return PARSCAN_OK;
    if (by_rows(run)) {
        const parscan_segments offsets = parscan_offsets_of_rows(run->segments, run->call->n);
        return sort_placed(run->call, &offsets, run->segments->count, run->call->n_at != NULL,
                           arrays);
    }
    parscan_segments placed = *run->segments;
    placed.data = arrays[SEGMENTS].device;
    return sort_placed(run->call, &placed, 0, by_offsets(run) && !arrays[SEGMENTS].staged, arrays);
}

parscan_status parscan_sort_segments_cuda(sort_call *call, const parscan_segments *given)
{
    static const parscan_cuda_operation operation = {.describe = describe_sort_segments,
                                                     .lengths = lengths_of_segments,
                                                     .check = check_sort_segments,
                                                     .launch = launch_sort_segments};
    parscan_segments segments = *given;
    segments_run run = {call, &segments};
    const bool nothing = by_rows(&run) ? call->n == 0 : segments.data == NULL;
    if (nothing || (call->n == 0 && !by_offsets(&run)))
        return PARSCAN_OK;
    return parscan_cuda_run(call->context, "parscan_sort_segments", &operation, &run);
}
