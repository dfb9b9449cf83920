/*
 * Arrays cut into segments of every shape, and written down in every way.
 */
#ifndef PARSCAN_TESTS_SEGMENT_SHAPES_H
#define PARSCAN_TESTS_SEGMENT_SHAPES_H

#include "parscan/segments.h"

typedef enum segment_shape {
    ONE_SEGMENT,
    SEGMENTS_OF_ONE,
    SHORT_SEGMENTS,    /* up to 8 elements */
    LONG_SEGMENTS,     /* up to 3000 */
    ZIPF_SEGMENTS,     /* most short, few very long */
    HUGE_AMONG_TINY,   /* half of the array between segments of one */
    SEGMENTS_AT_EDGES, /* heads at multiples of 16 to 4096, and one before and after */
    /* Of offsets; otherwise the empty ones are left out. */
    EMPTY_AT_THE_START,
    EMPTY_AMONG_OTHERS,
    EMPTY_AT_THE_END,
    EMPTY_BUT_ONE,
    SEGMENT_SHAPES
} segment_shape;

/* How they are written down: the kind, and the type of offsets or keys. */
typedef struct segment_form {
    parscan_segment_kind kind;
    parscan_type type;
} segment_form;

/* Flags twice, offsets twice, keys of every type. */
#define SEGMENT_FORMS 16
extern const segment_form all_segment_forms[SEGMENT_FORMS];

typedef struct cut_array {
    size_t n, count;
    size_t *bounds; /* count + 1; segment s is from bounds[s] to bounds[s + 1] */
    segment_shape shape;
    parscan_segments segments; /* data: exactly as long as it must be */
    size_t bytes;              /* of data */
} cut_array;

cut_array cut_create(size_t n, segment_shape shape, segment_form form);

/* Segments that start at 0 and at each of the heads, which ascend; those from n on are left out. */
cut_array cut_create_at(size_t n, const size_t *heads, size_t count, segment_form form);
void cut_destroy(cut_array *cut);

#define CUT_WORDS 120
void describe_cut(const cut_array *cut, char words[CUT_WORDS]);

#endif
