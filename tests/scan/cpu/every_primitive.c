#include "tests/scan/cpu/every_primitive.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"

struct primitive_inputs {
    size_t n, segments, records;
    uint64_t state; /* of the random numbers */
    uint32_t *random, *skewed, *sorted, *runs, *offsets, *ids, *sizes, *sparse, *record_at, *to,
        *places;
    uint64_t *wide, *nearly_constant;
    uint8_t *flags, *bytes;
    float *floats;
    double *a, *b;
    /* What one thread writes, as a number: 0 until a call has asked for it. Threads may ask at once. */
    _Atomic uint64_t *expected;
};

typedef struct call {
    parscan_context *context;
    const primitive_inputs *in;
    size_t n;
    char *out;
} call;

/* ---- inputs ---- */

static uint32_t next_random(primitive_inputs *in)
{
    in->state ^= in->state << 13;
    in->state ^= in->state >> 7;
    in->state ^= in->state << 17;
    return (uint32_t)(in->state >> 16);
}

static void fill_values(primitive_inputs *in)
{
    for (size_t i = 0; i < in->n; i++) {
        const uint32_t r = next_random(in), s = next_random(in);
        in->random[i] = r;
        in->skewed[i] = r >> s % 32;
        in->sorted[i] = (uint32_t)(i / 3);
        in->runs[i] = i > 0 && r % 4 != 0 ? in->runs[i - 1] : s % 3;
        in->wide[i] = (uint64_t)r << 32 | s;
        in->nearly_constant[i] = s % 997 == 0 ? (uint64_t)s << 31 | r : 77;
        in->bytes[i] = (uint8_t)s;
        in->floats[i] = (float)(int32_t)r;
        in->a[i] = s % 3 == 0 ? -1 : s % 5 == 0 ? 0 : 1;
        in->b[i] = (double)(r % 100);
        in->places[i] = (uint32_t)((uint64_t)r * in->n >> 32);
        in->sparse[i] = r % 10 == 0 ? s | 1 : 0;
        in->sizes[i] = r % 64 == 0 ? 40 : s % 2;
    }
}

/* Segments of 0 to 49 elements, and a third of the array in one. */
static void fill_segments(primitive_inputs *in)
{
    size_t at = 0;
    in->segments = 0;
    while (at < in->n && in->segments < in->n) {
        size_t length = next_random(in) % 50;
        if (in->segments == 7)
            length = in->n / 3;
        length = length < in->n - at ? length : in->n - at;
        in->offsets[in->segments++] = (uint32_t)at;
        for (size_t i = at; i < at + length; i++) {
            in->flags[i] = i == at;
            in->ids[i] = (uint32_t)in->segments;
        }
        at += length;
    }
    /* The last one ends where the array does. */
    for (; at < in->n; at++)
        in->ids[at] = (uint32_t)in->segments;
    in->offsets[in->segments] = (uint32_t)in->n;
}

/* Records of 0 to 31 bytes, whose inputs lie in reverse order. */
static void fill_records(primitive_inputs *in)
{
    size_t bytes = 0;
    in->records = 0;
    for (size_t i = 0; bytes + 40 < in->n; i++) {
        in->to[i] = (uint32_t)bytes;
        in->record_at[i] = (uint32_t)(in->n - bytes - in->sizes[i]);
        bytes += in->sizes[i];
        in->records++;
        if (in->records == in->n)
            return;
    }
}

primitive_inputs *primitive_inputs_begin(size_t n)
{
    primitive_inputs *const in = calloc(1, sizeof *in);
    if (in == NULL)
        return NULL;
    in->n = n;
    in->state = 0x9e3779b97f4a7c15u + n;
    uint32_t **const words[] = {&in->random,    &in->skewed,  &in->sorted, &in->runs,
                                &in->ids,       &in->offsets, &in->sizes,  &in->sparse,
                                &in->record_at, &in->to,      &in->places};
    bool all = true;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        all &= (*words[k] = calloc(n + 1, sizeof **words[k])) != NULL;
    all &= (in->wide = calloc(n, sizeof *in->wide)) != NULL;
    all &= (in->nearly_constant = calloc(n, sizeof *in->nearly_constant)) != NULL;
    all &= (in->flags = calloc(n, 1)) != NULL && (in->bytes = calloc(n, 1)) != NULL;
    all &= (in->floats = calloc(n, sizeof *in->floats)) != NULL;
    all &= (in->a = calloc(n, sizeof *in->a)) != NULL;
    all &= (in->b = calloc(n, sizeof *in->b)) != NULL;
    all &= (in->expected = calloc(primitive_count(), sizeof *in->expected)) != NULL;
    if (!all) {
        primitive_inputs_end(in);
        return NULL;
    }
    fill_values(in);
    fill_segments(in);
    fill_records(in);
    return in;
}

void primitive_inputs_end(primitive_inputs *in)
{
    void *const all[] = {in->random, in->skewed,    in->sorted, in->runs,  in->ids,
                         in->sizes,  in->sparse,    in->to,     in->wide,  in->nearly_constant,
                         in->flags,  in->record_at, in->floats, in->bytes, in->offsets,
                         in->a,      in->b,         in->places};
    free(in->expected);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(in);
}

/* ---- scan ---- */

static parscan_status inclusive_u32(const call *c)
{
    return parscan_inclusive_scan(c->context, PARSCAN_U32, c->in->random, c->out, c->n, NULL);
}

static parscan_status inclusive_in_place(const call *c)
{
    memcpy(c->out, c->in->random, c->n * 4);
    return parscan_inclusive_scan(c->context, PARSCAN_U32, c->out, c->out, c->n, NULL);
}

PARSCAN_DEFINE_OPERATOR(
    map_after_map, map_u32, (typedef struct map_u32 { uint32_t a, b; } map_u32;), {
        const map_u32 both = {later.a * earlier.a, later.a * earlier.b + later.b};
        return both;
    })

/* An operator of the caller's: maps x -> a x + b, one after the other. */
static parscan_status by_operator(const call *c, int reproducible)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(map_after_map, map_u32));
    parscan_status status = parscan_operator_create(&op, &options);
    if (status == PARSCAN_OK)
        status = parscan_inclusive_scan(
            c->context, PARSCAN_CUSTOM, c->in->wide, c->out, c->n,
            &PARSCAN_SCAN_OPTIONS(.custom = op, .reproducible = reproducible));
    parscan_operator_destroy(op);
    return status;
}

PARSCAN_DEFINE_RELATION(lower_half, uint64_t, (), { return (uint32_t)a < (uint32_t)b; })

/* Stable, by a part of each element. */
static parscan_status custom_sort(const call *c)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_RELATION(lower_half, uint64_t));
    parscan_status status = parscan_operator_create(&op, &options);
    if (status == PARSCAN_OK)
        status = parscan_sort_by(c->context, op, c->in->nearly_constant, c->out, c->n);
    parscan_operator_destroy(op);
    return status;
}

PARSCAN_DEFINE_PREDICATE(odd_half, uint64_t, (), { return (uint32_t)x % 2 != 0; })

static parscan_status custom_partition(const call *c)
{
    parscan_operator *op;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_PREDICATE(odd_half, uint64_t));
    parscan_status status = parscan_operator_create(&op, &options);
    if (status == PARSCAN_OK)
        status = parscan_partition(c->context, PARSCAN_CUSTOM, c->in->wide,
                                   &PARSCAN_PREDICATE(.custom = op), c->out + 8, c->n,
                                   (uint64_t *)c->out);
    parscan_operator_destroy(op);
    return status;
}

static parscan_status custom(const call *c)
{
    return by_operator(c, 0);
}

static parscan_status custom_tree(const call *c)
{
    return by_operator(c, 1);
}

static parscan_status exclusive_u8_to_u64(const call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    return parscan_exclusive_scan(c->context, PARSCAN_U8, c->in->bytes, c->out, c->n, &options);
}

static parscan_status reverse_in_place(const call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = 1);
    memcpy(c->out, c->in->wide, c->n * 8);
    return parscan_exclusive_scan(c->context, PARSCAN_U64, c->out, c->out, c->n, &options);
}

static parscan_status max_f32(const call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX);
    return parscan_inclusive_scan(c->context, PARSCAN_F32, c->in->floats, c->out, c->n, &options);
}

static parscan_status reduce_i16(const call *c)
{
    return parscan_reduce(c->context, PARSCAN_I16, c->in->random, c->out, c->n, NULL);
}

static parscan_status reduce_reverse_wide(const call *c)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.reverse = 1, .out_type = PARSCAN_I64);
    return parscan_reduce(c->context, PARSCAN_I8, c->in->bytes, c->out, c->n, &options);
}

static parscan_status by_algorithm(const call *c, parscan_algorithm algorithm)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = algorithm);
    return parscan_inclusive_scan(c->context, PARSCAN_U32, c->in->random, c->out, c->n, &options);
}

#define SCAN_BY(name, algorithm)              \
    static parscan_status name(const call *c) \
    {                                         \
        return by_algorithm(c, algorithm);    \
    }
SCAN_BY(sequential, PARSCAN_SEQUENTIAL)
SCAN_BY(kogge_stone, PARSCAN_KOGGE_STONE)
SCAN_BY(brent_kung, PARSCAN_BRENT_KUNG)
SCAN_BY(three_phase, PARSCAN_THREE_PHASE)
SCAN_BY(warp, PARSCAN_WARP)

static parscan_status reproducible_f32(const call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reproducible = 1);
    return parscan_inclusive_scan(c->context, PARSCAN_F32, c->in->floats, c->out, c->n, &options);
}

/* Down the columns of rows of 8 elements, the last ones beyond whole rows left out. */
static parscan_status along_axis(const call *c, parscan_type type, const void *in, void *out,
                                 bool reproducible)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 8);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.reproducible = reproducible, .shape = &shape);
    return parscan_inclusive_scan(c->context, type, in, out, c->n / 8, &options);
}

static parscan_status columns_u32(const call *c)
{
    return along_axis(c, PARSCAN_U32, c->in->random, c->out, false);
}

static parscan_status columns_reproducible(const call *c)
{
    return along_axis(c, PARSCAN_F32, c->in->floats, c->out, true);
}

static parscan_status reproducible_f64_in_place(const call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reproducible = 1, .reverse = 1);
    memcpy(c->out, c->in->b, c->n * 8);
    return parscan_exclusive_scan(c->context, PARSCAN_F64, c->out, c->out, c->n, &options);
}

static parscan_status reproducible_wide_reduce(const call *c)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.reproducible = 1, .out_type = PARSCAN_F64);
    return parscan_reduce(c->context, PARSCAN_F32, c->in->floats, c->out, c->n, &options);
}

static parscan_status difference_u32(const call *c)
{
    return parscan_difference(c->context, PARSCAN_U32, c->in->random, c->out, c->n, NULL);
}

static parscan_status difference_in_place(const call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = 1);
    memcpy(c->out, c->in->b, c->n * 8);
    return parscan_difference(c->context, PARSCAN_F64, c->out, c->out, c->n, &options);
}

/* ---- segments ---- */

static parscan_segments by_flags(const call *c)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = c->in->flags);
}

static parscan_segments by_offsets(const call *c)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                            .data = c->in->offsets, .count = c->in->segments);
}

static parscan_segments by_keys(const call *c)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U32, .data = c->in->ids);
}

/* Rows of whatever length n allows. */
static parscan_segments by_rows(const call *c)
{
    size_t row = 100;
    while (c->n % row != 0)
        row--;
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = row);
}

static parscan_status segmented(const call *c, parscan_segments segments)
{
    return parscan_segmented_inclusive_scan(c->context, PARSCAN_U32, c->in->random, c->out, c->n,
                                            &segments, NULL);
}

static parscan_status segmented_by_flags(const call *c)
{
    return segmented(c, by_flags(c));
}

static parscan_status segmented_by_offsets(const call *c)
{
    return segmented(c, by_offsets(c));
}

static parscan_status segmented_by_keys(const call *c)
{
    return segmented(c, by_keys(c));
}

static parscan_status segmented_by_rows(const call *c)
{
    return segmented(c, by_rows(c));
}

static parscan_status segmented_reverse_in_place(const call *c)
{
    const parscan_segments segments = by_flags(c);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = 1, .op = PARSCAN_MIN);
    memcpy(c->out, c->in->wide, c->n * 8);
    return parscan_segmented_exclusive_scan(c->context, PARSCAN_U64, c->out, c->out, c->n,
                                            &segments, &options);
}

static parscan_status segmented_wide_reverse(const call *c)
{
    const parscan_segments segments = by_offsets(c);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.reverse = 1, .out_type = PARSCAN_U64);
    return parscan_segmented_inclusive_scan(c->context, PARSCAN_U8, c->in->bytes, c->out, c->n,
                                            &segments, &options);
}

static parscan_status segmented_reduce(const call *c, parscan_segments segments)
{
    return parscan_segmented_reduce(c->context, PARSCAN_U32, c->in->random, c->out + 8, c->n,
                                    &segments, (uint64_t *)c->out, NULL);
}

static parscan_status reduce_by_flags(const call *c)
{
    return segmented_reduce(c, by_flags(c));
}

static parscan_status reduce_by_offsets(const call *c)
{
    return segmented_reduce(c, by_offsets(c));
}

static parscan_status reduce_by_rows(const call *c)
{
    return segmented_reduce(c, by_rows(c));
}

static parscan_status reduce_by_keys(const call *c)
{
    return segmented_reduce(c, by_keys(c));
}

static parscan_status sums_of_runs(const call *c)
{
    return parscan_reduce_by_key(c->context, PARSCAN_U32, c->in->runs, c->out + 8, PARSCAN_U32,
                                 c->in->random, c->out + 8 + c->n * 4, c->n, (uint64_t *)c->out,
                                 NULL);
}

static parscan_status recurrence(const call *c)
{
    const double x0 = 5;
    return parscan_recurrence(c->context, PARSCAN_F64, c->in->a, c->in->b, &x0, c->out, c->n);
}

static parscan_status recurrence_in_place(const call *c)
{
    memcpy(c->out, c->in->b, c->n * 8);
    return parscan_recurrence(c->context, PARSCAN_F64, c->in->a, c->out, NULL, c->out, c->n);
}

static parscan_status recurrence_constant(const call *c)
{
    const double a = -1;
    return parscan_recurrence_with(c->context, PARSCAN_F64, &a, c->in->b, NULL, c->out, c->n,
                                   &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1));
}

static parscan_status recurrence_down(const call *c)
{
    const double a = -1;
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 3);
    return parscan_recurrence_with(c->context, PARSCAN_F64, &a, c->in->b, NULL, c->out, c->n / 3,
                                   &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1, .shape = &shape));
}

/* An infinite x makes a tile opaque: only the thread that has it can add it. */
static parscan_status recurrence_opaque(const call *c)
{
    const double infinite = INFINITY;
    return parscan_recurrence(c->context, PARSCAN_F64, c->in->b, c->in->b, &infinite, c->out, c->n);
}

/* ---- selection ---- */

static parscan_status arg_reduce(const call *c, const parscan_segments *segments)
{
    const parscan_arg_reduce_options options =
        PARSCAN_ARG_REDUCE_OPTIONS(.segments = segments, .count = (uint64_t *)c->out);
    return parscan_arg_reduce(c->context, PARSCAN_F32, c->in->floats, c->n, PARSCAN_MAX, c->out + 8,
                              PARSCAN_U64, c->out + 16 + c->n * 4, &options);
}

static parscan_status argmax(const call *c)
{
    return arg_reduce(c, NULL);
}

static parscan_status argmax_by_flags(const call *c)
{
    const parscan_segments segments = by_flags(c);
    return arg_reduce(c, &segments);
}

static parscan_status argmax_by_offsets(const call *c)
{
    const parscan_segments segments = by_offsets(c);
    return arg_reduce(c, &segments);
}

static parscan_status argmax_by_rows(const call *c)
{
    const parscan_segments segments = by_rows(c);
    return arg_reduce(c, &segments);
}

static parscan_status top(const call *c, size_t k, const parscan_segments *segments)
{
    const parscan_top_k_options options =
        PARSCAN_TOP_K_OPTIONS(.segments = segments, .count = (uint64_t *)c->out);
    return parscan_top_k(c->context, PARSCAN_F32, c->in->floats, c->n, k, c->out + 8, PARSCAN_U32,
                         c->out + 8 + c->n * 4, &options);
}

static parscan_status top_100(const call *c)
{
    return top(c, c->n < 100 ? c->n : 100, NULL);
}

static parscan_status top_half(const call *c)
{
    return top(c, c->n / 2, NULL);
}

static parscan_status top_indices(const call *c)
{
    return parscan_top_k(c->context, PARSCAN_U64, c->in->nearly_constant, c->n, c->n / 2, NULL,
                         PARSCAN_U64, c->out, &PARSCAN_TOP_K_OPTIONS(.smallest = 1));
}

static parscan_status top_by_offsets(const call *c)
{
    const parscan_segments segments = by_offsets(c);
    return top(c, 1, &segments);
}

static parscan_status top_by_rows(const call *c)
{
    const parscan_segments segments = by_rows(c);
    return top(c, segments.count, &segments);
}

/* ---- sort ---- */

static parscan_status keys(const call *c, parscan_type type, const void *in)
{
    return parscan_sort_keys(c->context, type, in, c->out, c->n, NULL);
}

#define SORT_KEYS(name, type, array)          \
    static parscan_status name(const call *c) \
    {                                         \
        return keys(c, type, c->in->array);   \
    }
SORT_KEYS(sort_u32, PARSCAN_U32, random)
SORT_KEYS(sort_u64, PARSCAN_U64, wide)
SORT_KEYS(sort_u8, PARSCAN_U8, bytes)
SORT_KEYS(sort_u16, PARSCAN_U16, random)
SORT_KEYS(sort_f32, PARSCAN_F32, floats)
SORT_KEYS(sort_skewed, PARSCAN_U32, skewed)
SORT_KEYS(sort_sorted, PARSCAN_U32, sorted)
SORT_KEYS(sort_runs, PARSCAN_U32, runs)
SORT_KEYS(sort_nearly_constant, PARSCAN_U64, nearly_constant)

static parscan_status sort_in_place_down(const call *c)
{
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.descending = 1);
    memcpy(c->out, c->in->wide, c->n * 8);
    return parscan_sort_keys(c->context, PARSCAN_U64, c->out, c->out, c->n, &options);
}

static parscan_status sort_pairs(const call *c)
{
    return parscan_sort_pairs(c->context, PARSCAN_U32, c->in->random, c->out, 8, c->in->wide,
                              c->out + c->n * 4, c->n, NULL);
}

static parscan_status sort_pairs_skewed(const call *c)
{
    return parscan_sort_pairs(c->context, PARSCAN_U64, c->in->nearly_constant, c->out, 4,
                              c->in->random, c->out + c->n * 8, c->n, NULL);
}

static parscan_status argsort(const call *c)
{
    return parscan_argsort(c->context, PARSCAN_U32, c->in->skewed, PARSCAN_U32, c->out, c->n, NULL);
}

static parscan_status argsort_constant(const call *c)
{
    return parscan_argsort(c->context, PARSCAN_U64, c->in->nearly_constant, PARSCAN_U64, c->out,
                           c->n, NULL);
}

static parscan_status argsort_down(const call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 3);
    return parscan_argsort(c->context, PARSCAN_U32, c->in->skewed, PARSCAN_U32, c->out, c->n / 3,
                           &PARSCAN_SORT_OPTIONS(.shape = &shape));
}

static parscan_status pairs_down(const call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 3);
    return parscan_sort_pairs(c->context, PARSCAN_U32, c->in->skewed, c->out, 3, c->in->wide,
                              c->out + c->n * 4, c->n / 3, &PARSCAN_SORT_OPTIONS(.shape = &shape));
}

static parscan_status maxima_down(const call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 3);
    return parscan_arg_reduce(c->context, PARSCAN_F32, c->in->floats, c->n / 3, PARSCAN_MAX, NULL,
                              PARSCAN_U32, c->out, &PARSCAN_ARG_REDUCE_OPTIONS(.shape = &shape));
}

static parscan_status top_down(const call *c)
{
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 3);
    const size_t n = c->n / 3, k = n < 5 ? n : 5;
    return parscan_top_k(c->context, PARSCAN_F32, c->in->floats, n, k, NULL, PARSCAN_U32, c->out,
                         &PARSCAN_TOP_K_OPTIONS(.shape = &shape));
}

static parscan_status sort_columns(const call *c)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_U32, .data = c->in->runs),
        PARSCAN_COLUMN(.type = PARSCAN_F32, .data = c->in->skewed, .descending = 1),
        PARSCAN_COLUMN(.type = PARSCAN_U64, .data = c->in->wide)};
    return parscan_sort_columns(c->context, by, 3, PARSCAN_U32, c->out, c->n);
}

static parscan_status sort_groups(const call *c)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_U32, .data = c->in->runs),
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 3, .data = c->in->sparse)};
    return parscan_sort_columns_with(
        c->context, by, 2, PARSCAN_U64, c->out, c->n,
        &PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = (uint8_t *)c->out + 16 * c->n, .value_size = 8,
                                      .values_in = c->in->wide, .values_out = c->out + 8 * c->n));
}

/* Many rounds: rows are equal up to their last bytes, if not beyond. */
static parscan_status sort_strings(const call *c)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_U64, .data = c->in->nearly_constant),
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 4, .data = c->in->runs),
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 3, .data = c->in->sparse)};
    return parscan_sort_columns(c->context, by, 3, PARSCAN_I32, c->out, c->n);
}

static parscan_status sort_segments(const call *c)
{
    const parscan_segments segments = by_offsets(c);
    return parscan_sort_segments(c->context, PARSCAN_U32, c->in->random, c->out, 4, c->in->skewed,
                                 c->out + c->n * 4, c->n, &segments, NULL);
}

static parscan_status sort_segments_by_flags(const call *c)
{
    const parscan_segments segments = by_flags(c);
    return parscan_sort_segments(c->context, PARSCAN_U64, c->in->nearly_constant, c->out, 0, NULL,
                                 NULL, c->n, &segments, NULL);
}

static parscan_status sort_rows(const call *c)
{
    const parscan_segments segments = by_rows(c);
    return parscan_sort_segments(c->context, PARSCAN_U32, c->in->random, c->out, 0, NULL, NULL,
                                 c->n, &segments, NULL);
}

/* ---- merges, of runs in order ---- */

static parscan_status merge_keys(const call *c)
{
    const size_t n = c->n / 3;
    return parscan_merge(c->context, PARSCAN_U32, c->in->sorted, n, c->in->sorted, c->n - n, c->out,
                         0, NULL, NULL, NULL);
}

static parscan_status merge_pairs(const call *c)
{
    const size_t n = c->n / 2;
    return parscan_merge(c->context, PARSCAN_U32, c->in->sorted, n, c->in->sorted + n, c->n - n,
                         c->out, 8, c->in->wide, c->in->wide + n, c->out + c->n * 4);
}

/* A fifth of the elements with all: each number stands there three times. */
static parscan_status join(const call *c, parscan_join_kind kind)
{
    const size_t n = c->n / 5;
    return parscan_join(c->context, kind, PARSCAN_U32, c->in->sorted + n, n, c->in->sorted, c->n,
                        PARSCAN_U32, c->out + 8,
                        kind == PARSCAN_JOIN_LEFT ? c->out + 8 + c->n * 4 : NULL, c->n,
                        (uint64_t *)c->out);
}

static parscan_status join_left(const call *c)
{
    return join(c, PARSCAN_JOIN_LEFT);
}

static parscan_status join_semi(const call *c)
{
    return join(c, PARSCAN_JOIN_SEMI);
}

static parscan_status set_union(const call *c)
{
    const size_t n = c->n / 2;
    return parscan_set_union(c->context, PARSCAN_U32, c->in->sorted, n, c->in->sorted + n / 2, n,
                             c->out + 8, 2 * n, (uint64_t *)c->out);
}

static parscan_status set_difference(const call *c)
{
    return parscan_set_difference(c->context, PARSCAN_U32, c->in->sorted, c->n, c->in->offsets,
                                  c->in->segments, c->out + 8, c->n, (uint64_t *)c->out);
}

/* ---- search ---- */

static parscan_status lower_bounds(const call *c)
{
    return parscan_lower_bound(c->context, PARSCAN_U32, c->in->sorted, c->n, c->in->sizes, c->n,
                               PARSCAN_U32, c->out);
}

static parscan_status upper_bounds_in_order(const call *c)
{
    return parscan_upper_bound(c->context, PARSCAN_U32, c->in->offsets, c->in->segments,
                               c->in->sorted, c->n, PARSCAN_U64, c->out);
}

static parscan_status bounds_of_bytes(const call *c)
{
    return parscan_lower_bound(c->context, PARSCAN_U8, c->in->flags, c->n, c->in->bytes, c->n,
                               PARSCAN_U64, c->out);
}

/* ---- compact ---- */

static parscan_status compact_flags(const call *c)
{
    return parscan_compact(c->context, 8, c->in->wide, c->in->flags, c->out + 8, c->n,
                           (uint64_t *)c->out);
}

static parscan_status compact_records(const call *c)
{
    return parscan_compact(c->context, 24, c->in->wide, c->in->flags, c->out + 8, c->n / 3,
                           (uint64_t *)c->out);
}

static parscan_status compact_if(const call *c)
{
    return parscan_compact_if(c->context, PARSCAN_U32, c->in->sparse, NULL, c->out + 8, c->n,
                              (uint64_t *)c->out);
}

static parscan_status compact_by(const call *c)
{
    const uint32_t half = 1u << 31;
    const parscan_predicate keep = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &half);
    return parscan_compact_by(c->context, 8, c->in->wide, PARSCAN_U32, c->in->random, &keep,
                              c->out + 8, c->n, (uint64_t *)c->out);
}

static parscan_status flags_if(const call *c)
{
    return parscan_flags_if(c->context, PARSCAN_F32, c->in->floats, NULL, (uint8_t *)c->out, c->n);
}

static parscan_status counts_alone(const call *c)
{
    uint64_t *const counts = (uint64_t *)c->out;
    const parscan_status status =
        parscan_compact_if(c->context, PARSCAN_U32, c->in->sparse, NULL, NULL, c->n, &counts[0]);
    return status == PARSCAN_OK
               ? parscan_unique(c->context, PARSCAN_U32, c->in->runs, NULL, c->n, &counts[1])
               : status;
}

static parscan_status compact_in_place(const call *c)
{
    /* What is after the last kept element is unspecified, so it is cleared. */
    const uint32_t half = 1u << 31;
    const parscan_predicate keep = PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &half);
    uint64_t *const count = (uint64_t *)c->out;
    memcpy(c->out + 8, c->in->random, c->n * 4);
    const parscan_status status =
        parscan_compact_if(c->context, PARSCAN_U32, c->out + 8, &keep, c->out + 8, c->n, count);
    if (status == PARSCAN_OK)
        memset(c->out + 8 + *count * 4, 0, (c->n - *count) * 4);
    return status;
}

static parscan_status compact_indices(const call *c)
{
    return parscan_compact_indices(c->context, PARSCAN_U32, c->in->sparse, NULL, PARSCAN_U32,
                                   c->out + 8, c->n, (uint64_t *)c->out);
}

static parscan_status compact_with_indices(const call *c)
{
    return parscan_compact_with_indices(c->context, PARSCAN_U32, c->in->sparse, NULL, c->out + 8,
                                        PARSCAN_U32, c->out + 8 + 4 * c->n, c->n,
                                        (uint64_t *)c->out);
}

static parscan_status partition(const call *c)
{
    return parscan_partition(c->context, PARSCAN_U32, c->in->sparse, NULL, c->out + 8, c->n,
                             (uint64_t *)c->out);
}

static parscan_status unique(const call *c)
{
    return parscan_unique(c->context, PARSCAN_U32, c->in->runs, c->out + 8, c->n,
                          (uint64_t *)c->out);
}

static parscan_status run_lengths(const call *c)
{
    return parscan_run_length_encode(c->context, PARSCAN_U32, c->in->runs, c->out + 8, PARSCAN_U32,
                                     c->out + 8 + c->n * 4, c->n, (uint64_t *)c->out);
}

static parscan_status unique_pairs(const call *c)
{
    return parscan_unique_pairs(c->context, PARSCAN_U32, c->in->runs, c->out + 8, 8, c->in->wide,
                                c->out + 8 + c->n * 4, c->n, (uint64_t *)c->out);
}

static parscan_status csr(const call *c)
{
    const size_t columns = 97, rows = c->n / columns;
    char *const at = c->out + 8;
    return parscan_dense_to_csr(c->context, PARSCAN_U32, c->in->sparse, rows, columns, PARSCAN_U32,
                                at, at + (rows + 1) * 4, at + (rows + 1 + c->n) * 4,
                                (uint64_t *)c->out);
}

/* ---- histogram ---- */

static parscan_status histogram_u8(const call *c)
{
    return parscan_histogram(c->context, PARSCAN_U8, c->in->bytes, c->n, 256, PARSCAN_U32, c->out,
                             NULL);
}

static parscan_status histogram_u8_bounds(const call *c)
{
    const uint8_t lower = 3, upper = 200;
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    return parscan_histogram(c->context, PARSCAN_U8, c->in->bytes, c->n, 7, PARSCAN_U64, c->out,
                             &options);
}

static parscan_status histogram_u32(const call *c, size_t bins)
{
    const uint32_t lower = 0, upper = UINT32_MAX;
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    return parscan_histogram(c->context, PARSCAN_U32, c->in->random, c->n, bins, PARSCAN_U32,
                             c->out, &options);
}

static parscan_status histogram_few(const call *c)
{
    return histogram_u32(c, 100);
}

static parscan_status histogram_many(const call *c)
{
    return histogram_u32(c, 65536);
}

static parscan_status histogram_most(const call *c)
{
    return histogram_u32(c, 200000);
}

static parscan_status histogram_f32(const call *c)
{
    const float lower = -1e9f, upper = 1e9f;
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    return parscan_histogram(c->context, PARSCAN_F32, c->in->floats, c->n, 1000, PARSCAN_U32,
                             c->out, &options);
}

static parscan_status bin_few(const call *c)
{
    return parscan_bin(c->context, PARSCAN_U8, c->in->bytes, 8, c->in->wide, c->n, 250, PARSCAN_U32,
                       c->out, c->out + 2048);
}

static parscan_status bin_many(const call *c)
{
    const size_t bins = c->n + 1000;
    return parscan_bin(c->context, PARSCAN_U32, c->in->ids, 4, NULL, c->n, bins, PARSCAN_U32,
                       c->out, c->out + (bins + 1) * 4);
}

static parscan_status bin_skewed(const call *c)
{
    return parscan_bin(c->context, PARSCAN_U32, c->in->skewed, 8, c->in->wide, c->n, 100000,
                       PARSCAN_U32, c->out, c->out + 400016);
}

static parscan_status bin_offsets(const call *c)
{
    return parscan_bin(c->context, PARSCAN_U32, c->in->ids, 0, NULL, c->n, 3000, PARSCAN_U64,
                       c->out, NULL);
}

/* ---- gather ---- */

static parscan_status gather(const call *c)
{
    return parscan_gather(c->context, 4, c->in->random, c->n, PARSCAN_U32, c->in->places, c->out,
                          c->n);
}

static parscan_status gather_records(const call *c)
{
    return parscan_gather(c->context, 5, c->in->wide, c->n, PARSCAN_I32, c->in->places, c->out,
                          c->n);
}

static parscan_status scatter(const call *c, size_t value_size)
{
    const parscan_scatter_options options = PARSCAN_SCATTER_OPTIONS(.last_wins = 1);
    return parscan_scatter(c->context, value_size, c->in->wide, c->n, PARSCAN_U32, c->in->places,
                           c->out, c->n, &options);
}

static parscan_status scatter_last(const call *c)
{
    return scatter(c, 8);
}

static parscan_status scatter_records(const call *c)
{
    return scatter(c, 7);
}

/* Elements of out that have an index differ from none. */
static parscan_status scatter_same(const call *c)
{
    memset(c->out + c->n * 4, 7, c->n * 4);
    return parscan_scatter(c->context, 4, c->out + c->n * 4, c->n, PARSCAN_U32, c->in->places,
                           c->out, c->n, NULL);
}

/* ---- allocate ---- */

static parscan_status allocate(const call *c)
{
    const parscan_allocate_options options = PARSCAN_ALLOCATE_OPTIONS(.alignment = 16);
    return parscan_allocate(c->context, PARSCAN_U32, c->in->sizes, c->n, PARSCAN_U64, c->out + 8,
                            (uint64_t *)c->out, &options);
}

static parscan_status allocate_in_place(const call *c)
{
    memcpy(c->out + 8, c->in->sizes, c->n * 4);
    return parscan_allocate(c->context, PARSCAN_U32, c->out + 8, c->n, PARSCAN_U32, c->out + 8,
                            (uint64_t *)c->out, NULL);
}

static parscan_status allocate_closed(const call *c)
{
    const parscan_allocate_options options = PARSCAN_ALLOCATE_OPTIONS(.close = 1);
    return parscan_allocate(c->context, PARSCAN_U32, c->in->sizes, c->n, PARSCAN_U64, c->out + 8,
                            (uint64_t *)c->out, &options);
}

static parscan_status expand(const call *c)
{
    const size_t room = c->n * 3 + 1000;
    return parscan_expand(c->context, PARSCAN_U32, c->in->sizes, c->n, PARSCAN_U32, c->out + 8,
                          c->out + 8 + room * 4, room, (uint64_t *)c->out);
}

static parscan_status decode(const call *c)
{
    const size_t room = c->n * 3 + 1000;
    return parscan_run_length_decode(c->context, 2, c->in->random, PARSCAN_U32, c->in->sizes, c->n,
                                     c->out + 8, room, (uint64_t *)c->out);
}

static parscan_status decode_records(const call *c)
{
    const size_t room = c->n + 100;
    return parscan_run_length_decode(c->context, 12, c->in->wide, PARSCAN_U32, c->in->sizes,
                                     c->n / 3, c->out + 8, room, (uint64_t *)c->out);
}

static parscan_status pack(const call *c)
{
    return parscan_pack(c->context, c->in->bytes, PARSCAN_U32, c->in->record_at, PARSCAN_U32,
                        c->in->sizes, c->out, c->in->to, c->in->records);
}

/* ---- chunks ---- */

/* What chunks have: `in` of 4 bytes an element, in2, if it is not NULL, of in2_size. */
typedef struct chunk_arrays {
    const void *in, *in2;
    size_t in2_size;
    bool compacts; /* results are as many as a chunk writes */
    bool pairs;    /* out2 has 4 bytes for each result */
    bool ends;     /* the end writes a result too */
} chunk_arrays;

/* Gives the arrays to an object, whose creation returned status, in three chunks of different
   lengths. Ends and destroys the object. */
static parscan_status in_chunks(const call *c, parscan_status status, parscan_chunked *chunked,
                                chunk_arrays a)
{
    const size_t cuts[] = {0, c->n / 3 + 1, c->n / 3 + 2, c->n};
    char *out = c->out, *out2 = a.pairs ? c->out + c->n * 4 : NULL;
    uint64_t written = 0;
    for (int k = 0; k < 3 && status == PARSCAN_OK; k++) {
        const parscan_chunk chunk =
            PARSCAN_CHUNK(.in = (const char *)a.in + cuts[k] * 4,
                          .in2 = a.in2 == NULL ? NULL : (const char *)a.in2 + cuts[k] * a.in2_size,
                          .out = out, .out2 = out2, .n = cuts[k + 1] - cuts[k],
                          .written = &written);
        status = parscan_chunked_update(chunked, &chunk);
        const size_t bytes = (a.compacts ? (size_t)written : chunk.n) * 4;
        out += bytes;
        out2 = a.pairs ? out2 + bytes : NULL;
    }
    if (status == PARSCAN_OK)
        status = parscan_chunked_finish(
            chunked, a.ends ? &PARSCAN_CHUNKED_END(.out = out, .out2 = out2) : NULL);
    parscan_chunked_destroy(chunked);
    return status;
}

static parscan_status scan_in_chunks(const call *c)
{
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_exclusive_scan(&chunked, c->context, PARSCAN_U32, NULL);
    return in_chunks(c, status, chunked, (chunk_arrays){.in = c->in->random});
}

static parscan_status reproducible_in_chunks(const call *c)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reproducible = 1);
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_inclusive_scan(&chunked, c->context, PARSCAN_F32, &options);
    return in_chunks(c, status, chunked, (chunk_arrays){.in = c->in->floats});
}

static parscan_status segmented_in_chunks(const call *c)
{
    parscan_chunked *chunked;
    const parscan_status status = parscan_chunked_create_segmented_inclusive_scan(
        &chunked, c->context, PARSCAN_U32, PARSCAN_SEGMENTS_FLAGS, PARSCAN_U8, NULL);
    return in_chunks(c, status, chunked,
                     (chunk_arrays){.in = c->in->random, .in2 = c->in->flags, .in2_size = 1});
}

static parscan_status unique_in_chunks(const call *c)
{
    parscan_chunked *chunked;
    const parscan_status status = parscan_chunked_create_unique(&chunked, c->context, PARSCAN_U32);
    return in_chunks(c, status, chunked, (chunk_arrays){.in = c->in->runs, .compacts = true});
}

static parscan_status reduce_by_key_in_chunks(const call *c)
{
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_reduce_by_key(&chunked, c->context, PARSCAN_U32, PARSCAN_U32, NULL);
    return in_chunks(c, status, chunked,
                     (chunk_arrays){.in = c->in->random,
                                    .in2 = c->in->runs,
                                    .in2_size = 4,
                                    .compacts = true,
                                    .pairs = true,
                                    .ends = true});
}

static parscan_status unique_pairs_in_chunks(const call *c)
{
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_unique_pairs(&chunked, c->context, PARSCAN_U32, 4);
    return in_chunks(c, status, chunked,
                     (chunk_arrays){.in = c->in->runs,
                                    .in2 = c->in->random,
                                    .in2_size = 4,
                                    .compacts = true,
                                    .pairs = true});
}

static parscan_status difference_in_chunks(const call *c)
{
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_difference(&chunked, c->context, PARSCAN_F32, NULL);
    return in_chunks(c, status, chunked, (chunk_arrays){.in = c->in->floats});
}

static parscan_status flags_in_chunks(const call *c)
{
    parscan_chunked *chunked;
    const parscan_status status =
        parscan_chunked_create_flags_if(&chunked, c->context, PARSCAN_U32, NULL);
    return in_chunks(c, status, chunked, (chunk_arrays){.in = c->in->random});
}

/* ---- all ---- */

static const struct primitive {
    const char *name;
    parscan_status (*run)(const call *c);
    size_t bytes_an_element, bytes;
    bool few; /* one of the few that tests call again and again */
} primitives[] = {
    {"inclusive scan of u32", inclusive_u32, 4, 0, true},
    {"inclusive scan of u32 in place", inclusive_in_place, 4, 0, true},
    {"exclusive scan of u8 to u64", exclusive_u8_to_u64, 8, 0, false},
    {"exclusive reverse scan of u64 in place", reverse_in_place, 8, 0, false},
    {"scan of f32, max", max_f32, 4, 0, false},
    {"reduction of i16", reduce_i16, 0, 8, false},
    {"reverse reduction of i8 to i64", reduce_reverse_wide, 0, 8, false},
    {"scan by an operator of the caller's", custom, 8, 0, false},
    {"the same, reproducible", custom_tree, 8, 0, false},
    {"sort by an order of the caller's", custom_sort, 8, 0, false},
    {"scan, sequential", sequential, 4, 0, false},
    {"scan, kogge_stone", kogge_stone, 4, 0, false},
    {"scan, brent_kung", brent_kung, 4, 0, true},
    {"scan, three_phase", three_phase, 4, 0, false},
    {"scan, warp", warp, 4, 0, false},
    {"reproducible scan of f32", reproducible_f32, 4, 0, true},
    {"reproducible reverse scan of f64 in place", reproducible_f64_in_place, 8, 0, false},
    {"reproducible reduction of f32 to f64", reproducible_wide_reduce, 0, 8, false},
    {"scan down columns", columns_u32, 4, 0, true},
    {"reproducible scan down columns", columns_reproducible, 4, 0, false},
    {"difference", difference_u32, 4, 0, false},
    {"reverse difference in place", difference_in_place, 8, 0, true},
    {"segmented scan by flags", segmented_by_flags, 4, 0, true},
    {"segmented scan by offsets", segmented_by_offsets, 4, 0, false},
    {"segmented scan by keys", segmented_by_keys, 4, 0, false},
    {"segmented scan by rows", segmented_by_rows, 4, 0, false},
    {"segmented reverse scan in place", segmented_reverse_in_place, 8, 0, false},
    {"segmented reverse scan of u8 to u64", segmented_wide_reverse, 8, 0, false},
    {"segmented reduction by flags", reduce_by_flags, 4, 8, false},
    {"segmented reduction by offsets", reduce_by_offsets, 4, 8, true},
    {"segmented reduction by keys", reduce_by_keys, 4, 8, false},
    {"segmented reduction by rows", reduce_by_rows, 4, 8, false},
    {"reduction by key", sums_of_runs, 8, 8, false},
    {"recurrence", recurrence, 8, 0, true},
    {"recurrence in place", recurrence_in_place, 8, 0, false},
    {"recurrence with one a", recurrence_constant, 8, 0, false},
    {"recurrences down columns", recurrence_down, 8, 0, false},
    {"recurrence of infinite numbers", recurrence_opaque, 8, 0, false},
    {"index of the maximum", argmax, 4, 32, true},
    {"indices of maxima by flags", argmax_by_flags, 12, 32, false},
    {"indices of maxima by offsets", argmax_by_offsets, 12, 32, false},
    {"indices of maxima by rows", argmax_by_rows, 12, 32, false},
    {"100 largest", top_100, 8, 8, true},
    {"larger half", top_half, 8, 8, false},
    {"indices of the smaller half", top_indices, 8, 0, false},
    {"largest by offsets", top_by_offsets, 8, 8, false},
    {"all of rows, sorted", top_by_rows, 8, 8, false},
    {"sort of u32", sort_u32, 4, 0, true},
    {"sort of u64", sort_u64, 8, 0, false},
    {"sort of u8", sort_u8, 1, 0, false},
    {"sort of u16", sort_u16, 2, 0, false},
    {"sort of f32", sort_f32, 4, 0, false},
    {"sort of skewed keys", sort_skewed, 4, 0, false},
    {"sort of sorted keys", sort_sorted, 4, 0, false},
    {"sort of few distinct keys", sort_runs, 4, 0, false},
    {"sort of nearly constant keys", sort_nearly_constant, 8, 0, false},
    {"descending sort of u64 in place", sort_in_place_down, 8, 0, false},
    {"sort of pairs", sort_pairs, 12, 0, true},
    {"sort of pairs with nearly constant keys", sort_pairs_skewed, 12, 0, false},
    {"argsort of skewed keys", argsort, 4, 0, false},
    {"argsort of nearly constant keys", argsort_constant, 8, 0, false},
    {"argsort down columns", argsort_down, 4, 0, false},
    {"pairs down columns", pairs_down, 7, 0, false},
    {"maxima down columns", maxima_down, 4, 0, false},
    {"top-k down columns", top_down, 4, 0, false},
    {"sort of columns", sort_columns, 4, 0, true},
    {"sort of strings", sort_strings, 4, 0, false},
    {"sort of columns with heads and values", sort_groups, 17, 0, false},
    {"sort of segments", sort_segments, 8, 0, true},
    {"sort of rows", sort_rows, 4, 0, false},
    {"sort of segments by flags", sort_segments_by_flags, 8, 0, false},
    {"merge of keys", merge_keys, 4, 0, true},
    {"merge of pairs", merge_pairs, 12, 0, false},
    {"left join", join_left, 8, 8, true},
    {"semi join", join_semi, 4, 8, false},
    {"union", set_union, 4, 8, true},
    {"difference of sets", set_difference, 4, 8, false},
    {"lower bounds", lower_bounds, 4, 0, true},
    {"upper bounds of needles in order", upper_bounds_in_order, 8, 0, false},
    {"lower bounds of bytes in keys that are not sorted", bounds_of_bytes, 8, 0, false},
    {"compaction by flags", compact_flags, 8, 8, true},
    {"compaction of records of 24 bytes", compact_records, 8, 8, false},
    {"compaction by a predicate", compact_if, 4, 8, false},
    {"compaction by another array", compact_by, 8, 8, false},
    {"flags by a predicate", flags_if, 1, 0, false},
    {"counts alone", counts_alone, 0, 16, false},
    {"compaction in place", compact_in_place, 4, 8, false},
    {"indices of kept elements", compact_indices, 4, 8, false},
    {"kept elements with indices", compact_with_indices, 8, 8, false},
    {"partition", partition, 4, 8, false},
    {"partition by a predicate of the caller's", custom_partition, 8, 8, false},
    {"unique", unique, 4, 8, false},
    {"run lengths", run_lengths, 8, 8, false},
    {"unique pairs", unique_pairs, 12, 8, false},
    {"dense to csr", csr, 9, 64, false},
    {"histogram of u8", histogram_u8, 0, 1024, true},
    {"histogram of u8 with bounds", histogram_u8_bounds, 0, 64, false},
    {"histogram of u32, 100 bins", histogram_few, 0, 400, false},
    {"histogram of u32, 65536 bins", histogram_many, 0, 65536 * 4, true},
    {"histogram of u32, 200000 bins", histogram_most, 0, 200000 * 4, false},
    {"histogram of f32", histogram_f32, 0, 4000, false},
    {"bin, 250 bins", bin_few, 8, 2048, true},
    {"bin, n bins", bin_many, 8, 8192, false},
    {"bin, skewed", bin_skewed, 8, 400016, false},
    {"bin, offsets alone", bin_offsets, 0, 3001 * 8, false},
    {"gather", gather, 4, 0, true},
    {"gather of records", gather_records, 5, 0, false},
    {"scatter", scatter_same, 8, 0, true},
    {"scatter, the last wins", scatter_last, 8, 0, false},
    {"scatter of records", scatter_records, 7, 0, false},
    {"allocation", allocate, 8, 8, true},
    {"closed allocation", allocate_closed, 8, 16, false},
    {"allocation in place", allocate_in_place, 4, 8, false},
    {"expansion", expand, 24, 8192, true},
    {"run lengths decoded", decode, 6, 2008, false},
    {"run lengths of records decoded", decode_records, 12, 1208, false},
    {"pack", pack, 1, 0, true},
    {"exclusive scan of u32 in chunks", scan_in_chunks, 4, 0, false},
    {"reproducible scan of f32 in chunks", reproducible_in_chunks, 4, 0, true},
    {"segmented scan in chunks", segmented_in_chunks, 4, 0, false},
    {"unique in chunks", unique_in_chunks, 4, 0, false},
    {"reduction by key in chunks", reduce_by_key_in_chunks, 8, 0, false},
    {"unique pairs in chunks", unique_pairs_in_chunks, 8, 0, false},
    {"difference in chunks", difference_in_chunks, 4, 0, false},
    {"flags in chunks", flags_in_chunks, 4, 0, false},
};

size_t primitive_count(void)
{
    return sizeof primitives / sizeof *primitives;
}

const char *primitive_name(size_t k)
{
    return primitives[k].name;
}

size_t primitive_bytes(size_t k, const primitive_inputs *in)
{
    return primitives[k].bytes_an_element * in->n + primitives[k].bytes;
}

parscan_status primitive_run(size_t k, parscan_context *context, const primitive_inputs *in,
                             void *out)
{
    const call c = {.context = context, .in = in, .n = in->n, .out = out};
    memset(out, 0, primitive_bytes(k, in));
    return primitives[k].run(&c);
}

parscan_context *cpu_context(unsigned threads)
{
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = threads);
    parscan_context *context = NULL;
    parscan_context_create(&context, &options);
    return context;
}

/* What primitive k writes, as a number of 64 bits that is not 0; other bytes are another number, but for one in 2^64.
   0: the call failed. */
static uint64_t result_of(size_t k, parscan_context *context, const primitive_inputs *in)
{
    const size_t bytes = primitive_bytes(k, in);
    char *const out = malloc(bytes + sizeof(uint64_t));
    uint64_t print = 1;
    if (out == NULL || primitive_run(k, context, in, out) != PARSCAN_OK) {
        free(out);
        return 0;
    }
    memset(out + bytes, 0, sizeof print);
    for (size_t i = 0; i < bytes; i += sizeof print) {
        uint64_t word;
        memcpy(&word, out + i, sizeof word);
        __extension__ const unsigned __int128 product =
            (unsigned __int128)(print ^ word) * 0x9e3779b97f4a7c15u;
        print = ((uint64_t)product ^ (uint64_t)(product >> 64)) + i + 1;
    }
    free(out);
    return print == 0 ? 1 : print;
}

static uint64_t expected_of(size_t k, parscan_context *alone, const primitive_inputs *in)
{
    uint64_t expected = atomic_load(&in->expected[k]);
    if (expected == 0) {
        expected = result_of(k, alone, in);
        atomic_store(&in->expected[k], expected);
    }
    return expected;
}

static const char *first_wrong(parscan_context *context, const primitive_inputs *in, bool few)
{
    parscan_context *const alone = cpu_context(1);
    const char *wrong = alone == NULL ? "no context" : NULL;
    for (size_t k = 0; k < primitive_count() && wrong == NULL; k++) {
        if (few && !primitives[k].few)
            continue;
        const uint64_t expected = expected_of(k, alone, in), result = result_of(k, context, in);
        if (expected == 0 || result != expected)
            wrong = primitives[k].name;
    }
    parscan_context_destroy(alone);
    return wrong;
}

const char *first_wrong_primitive(parscan_context *context, const primitive_inputs *in)
{
    return first_wrong(context, in, false);
}

const char *first_wrong_of_few(parscan_context *context, const primitive_inputs *in)
{
    return first_wrong(context, in, true);
}
