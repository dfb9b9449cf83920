#include "tests/support/segment_shapes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/tables.h"
#include "tests/support/key_patterns.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"

#define MANY_EMPTIES 1000u

const segment_form all_segment_forms[SEGMENT_FORMS] = {{PARSCAN_SEGMENTS_FLAGS, 0},
                                                       {PARSCAN_SEGMENTS_FLAGS, PARSCAN_U8},
                                                       {PARSCAN_SEGMENTS_OFFSETS, PARSCAN_U32},
                                                       {PARSCAN_SEGMENTS_OFFSETS, PARSCAN_U64},
#define X(ctx, NAME, ...) {PARSCAN_SEGMENTS_KEYS, PARSCAN_##NAME},
                                                       PARSCAN_TYPES(X, )
#undef X
};

/* The length of a segment that starts at element `at` of n > at. */
static size_t next_length(segment_shape shape, size_t at, size_t n)
{
    const size_t edge = (size_t)16 << random_below(9);
    switch (shape) {
    case ONE_SEGMENT:
    case EMPTY_BUT_ONE:
        return n;
    case SEGMENTS_OF_ONE:
        return 1;
    case LONG_SEGMENTS:
        return 1 + random_below(3000);
    case ZIPF_SEGMENTS:
        return (1u << 20) / (1 + random_below(1u << 20));
    case HUGE_AMONG_TINY:
        return at == n / 4 ? n / 2 + 1 : 1;
    case SEGMENTS_AT_EDGES:
        return (at / edge + 1) * edge - at + random_below(3) - (at % edge < edge - 1);
    case EMPTY_AMONG_OTHERS:
        return random_below(2) * random_below(8);
    default:
        return 1 + random_below(8);
    }
}

static void append(cut_array *cut, size_t *room, size_t bound)
{
    if (cut->count + 1 >= *room) {
        *room = 2 * *room + 16;
        cut->bounds = realloc(cut->bounds, *room * sizeof *cut->bounds);
        if (cut->bounds == NULL)
            abort();
    }
    cut->bounds[++cut->count] = bound;
}

static void append_empties(cut_array *cut, size_t *room, size_t bound)
{
    const size_t empties = random_below(4) == 0 ? MANY_EMPTIES : 1 + random_below(5);
    for (size_t k = 0; cut->segments.kind == PARSCAN_SEGMENTS_OFFSETS && k < empties; k++)
        append(cut, room, bound);
}

static void set_bounds(cut_array *cut)
{
    const segment_shape shape = cut->shape;
    size_t room = 16;
    cut->bounds = calloc(room, sizeof *cut->bounds);
    if (cut->bounds == NULL)
        abort();
    if (shape == EMPTY_AT_THE_START || shape == EMPTY_BUT_ONE)
        append_empties(cut, &room, 0);
    for (size_t at = 0; at < cut->n;) {
        const size_t length = next_length(shape, at, cut->n);
        at = length < cut->n - at ? at + length : cut->n;
        if (length > 0 || cut->segments.kind == PARSCAN_SEGMENTS_OFFSETS)
            append(cut, &room, at);
    }
    if (shape == EMPTY_AT_THE_END || shape == EMPTY_BUT_ONE)
        append_empties(cut, &room, cut->n);
}

static void put(void *array, size_t i, size_t size, uint64_t bits)
{
    memcpy((char *)array + i * size, &bits, size);
}

/* Any byte but zero is a head; the first element is one without. */
static void write_flags(const cut_array *cut, void *flags)
{
    static const uint8_t values[] = {1, 2, 0x80, 0xff, 0x10, 0x7f};
    memset(flags, 0, cut->n);
    for (size_t s = 0; s < cut->count; s++)
        put(flags, cut->bounds[s], 1, values[random_below(6)]);
    if (cut->n > 0 && random_below(2) == 0)
        put(flags, 0, 1, 0);
}

/* Neighbours differ in one bit, or are floats that differ as numbers; floats of a run that are
   zeros or NaNs have bits of many kinds. */
static void write_keys(const cut_array *cut, void *keys)
{
    const parscan_type type = cut->segments.type;
    const size_t size = parscan_type_size(type);
    uint64_t key = random_bits();
    size_t which = random_below(SPECIAL_FLOATS);
    for (size_t s = 0; s < cut->count; s++) {
        for (size_t i = cut->bounds[s]; i < cut->bounds[s + 1]; i++)
            put(keys, i, size, oracle_is_float(type) ? special_float(type, which) : key);
        key ^= UINT64_C(1) << random_below(8 * size);
        which = (which + 1 + random_below(SPECIAL_FLOATS - 1)) % SPECIAL_FLOATS;
    }
}

/* Writes down the bounds that there are. */
static void write_data(cut_array *cut)
{
    const parscan_segment_kind kind = cut->segments.kind;
    const bool by_offsets = kind == PARSCAN_SEGMENTS_OFFSETS;
    const size_t size = kind == PARSCAN_SEGMENTS_FLAGS ? 1 : parscan_type_size(cut->segments.type);
    cut->bytes = (by_offsets ? cut->count + 1 : cut->n) * size;
    void *const data = malloc(cut->bytes + (cut->bytes == 0));
    if (data == NULL)
        abort();
    if (kind == PARSCAN_SEGMENTS_FLAGS)
        write_flags(cut, data);
    if (kind == PARSCAN_SEGMENTS_KEYS)
        write_keys(cut, data);
    for (size_t s = 0; by_offsets && s <= cut->count; s++)
        put(data, s, size, cut->bounds[s]);
    cut->segments.data = data;
    cut->segments.count = by_offsets ? cut->count : 0;
}

cut_array cut_create(size_t n, segment_shape shape, segment_form form)
{
    cut_array cut = {.n = n, .shape = shape};
    cut.segments = PARSCAN_SEGMENTS(.kind = form.kind, .type = form.type);
    set_bounds(&cut);
    write_data(&cut);
    return cut;
}

cut_array cut_create_at(size_t n, const size_t *heads, size_t count, segment_form form)
{
    cut_array cut = {.n = n, .shape = SEGMENTS_AT_EDGES};
    size_t room = 16;
    cut.segments = PARSCAN_SEGMENTS(.kind = form.kind, .type = form.type);
    cut.bounds = calloc(room, sizeof *cut.bounds);
    if (cut.bounds == NULL)
        abort();
    for (size_t k = 0; k < count && heads[k] < n; k++)
        append(&cut, &room, heads[k]);
    append(&cut, &room, n);
    write_data(&cut);
    return cut;
}

void cut_destroy(cut_array *cut)
{
    free((void *)cut->segments.data);
    free(cut->bounds);
}

void describe_cut(const cut_array *cut, char words[CUT_WORDS])
{
    static const char *const shapes[SEGMENT_SHAPES] = {
        "one segment",        "segments of one",  "short segments",    "long segments",
        "zipf segments",      "huge among tiny",  "segments at edges", "empty at the start",
        "empty among others", "empty at the end", "empty but one"};
    static const char *const kinds[] = {[PARSCAN_SEGMENTS_FLAGS] = "flags",
                                        [PARSCAN_SEGMENTS_OFFSETS] = "offsets",
                                        [PARSCAN_SEGMENTS_KEYS] = "keys",
                                        [PARSCAN_SEGMENTS_ROWS] = "rows"};
    snprintf(words, CUT_WORDS, "%s by %s %s, %zu segments", shapes[cut->shape],
             kinds[cut->segments.kind],
             cut->segments.type == 0 ? "" : parscan_type_name(cut->segments.type), cut->count);
}
