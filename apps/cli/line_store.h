/* Lines, or fields of them, that are kept as they stand in a text, beside the elements that are read from
   them. */
#ifndef PARSCAN_CLI_LINE_STORE_H
#define PARSCAN_CLI_LINE_STORE_H

#include "apps/cli/array.h"
#include "apps/cli/field_lines.h"

/* What is kept of each line that has an element. */
typedef enum kept_part { KEEP_LINES = 0, KEEP_KEYS, KEEP_VALUES, KEEP_LINES_AND_VALUES } kept_part;

/* Where a part is in the text: its size in the lowest bits, and where it begins. Lines are shorter than what is read of
   a text at once. */
enum { PLACE_SIZE_BITS = 24 };

static inline uint64_t line_place(uint64_t begin, uint64_t size)
{
    return begin << PLACE_SIZE_BITS | size;
}

static inline uint64_t line_place_begin(uint64_t place)
{
    return place >> PLACE_SIZE_BITS;
}

static inline uint64_t line_place_size(uint64_t place)
{
    return place & (((uint64_t)1 << PLACE_SIZE_BITS) - 1);
}

/* Start with LINE_STORE. */
typedef struct line_store {
    array text; /* u8: the header, and what has been read; less than 1 TiB */
    array places
        [2]; /* u64: of the part of each element; of the value of a line, where both are kept */
    uint64_t first_line; /* the number of the line that is first behind the header */
    size_t head;         /* the header's bytes, its newline included; they are the first ones */
} line_store;

#define LINE_STORE \
    ((line_store){{.type = PARSCAN_U8}, {{.type = PARSCAN_U64}, {.type = PARSCAN_U64}}, 0, 0})

static inline text_span line_store_at(const line_store *lines, uint64_t place)
{
    const char *const begin = (const char *)lines->text.data + line_place_begin(place);
    return (text_span){begin, begin + line_place_size(place)};
}

/* The part that is kept of an element; its value, where both are kept. */
static inline text_span line_store_part(const line_store *lines, size_t element)
{
    return line_store_at(lines, ((const uint64_t *)lines->places[0].data)[element]);
}

static inline text_span line_store_value(const line_store *lines, size_t element)
{
    return line_store_at(lines, ((const uint64_t *)lines->places[1].data)[element]);
}

/* Forgets the lines, and keeps the memory. */
void line_store_clear(line_store *lines);
void line_store_release(line_store *lines);

/* Puts a text after what is there. False: memory ran out. */
bool line_store_add_text(line_store *lines, const char *text, size_t size);

/* The number in the file of the line of an element. */
uint64_t line_store_line(const line_store *lines, size_t element);

/* The bytes that it has taken. */
size_t line_store_bytes(const line_store *lines);

#endif
