/*
 * Lexical comparison of strings by scans: each line of a text with the next one.
 *
 *     example_compare_strings TEXT     for each two neighbouring lines "<", "=" or ">", and how many
 *                                      bytes both start with
 *
 * Two strings differ in the first byte in which they differ. Instead of walking along one pair of
 * strings after the other, all bytes of all pairs are compared at once:
 *
 *     compact               the indices of the newlines: where the lines lie
 *     allocate              room for the bytes that two neighbours have both: the offsets are segments
 *     expand                each place -> its pair of lines, and which byte of them
 *     segmented reduction   the minimum of the places that differ: the first one of each pair
 *
 * Long lines and short ones cost the same for a byte, whoever their neighbours are. The common
 * prefixes are what front coding (the way dictionaries and B-trees are packed) does not store.
 *
 * Source: G. Blelloch, Prefix Sums and Their Applications, 1990, 1.1 (the use), 1.5 (segments).
 */
#include "example.h"

#define SAME UINT32_MAX /* the minimum of no place */

typedef struct lines {
    const uint8_t *text;
    uint64_t count;
    uint64_t *ends; /* line i is text[ends[i-1] + 1] to text[ends[i] - 1]; line 0 starts with 0 */
} lines;

static uint64_t begin_of(const lines *l, uint64_t i)
{
    return i == 0 ? 0 : l->ends[i - 1] + 1;
}

static uint64_t length_of(const lines *l, uint64_t i)
{
    return l->ends[i] - begin_of(l, i);
}

static lines find_lines(parscan_context *context, const char *text, size_t size)
{
    lines l = {.text = (const uint8_t *)text, .ends = example_room(size, sizeof *l.ends)};
    const uint8_t newline = '\n';
    const parscan_predicate is_newline =
        PARSCAN_PREDICATE(.comparison = PARSCAN_EQUAL, .value = &newline);
    example_check(context, parscan_compact_indices(context, PARSCAN_U8, text, &is_newline,
                                                   PARSCAN_U64, l.ends, size, &l.count));
    return l;
}

/* first[i] is the first byte in which lines i and i + 1 differ, or SAME if one starts with the other. */
static void compare(parscan_context *context, const lines *l, uint64_t pairs, uint32_t *first)
{
    uint32_t *const sizes = example_room(pairs, sizeof *sizes);
    uint64_t *const offsets = example_room(pairs + 1, sizeof *offsets);
    uint64_t total;
    for (uint64_t i = 0; i < pairs; i++) {
        const uint64_t one = length_of(l, i), other = length_of(l, i + 1);
        const uint64_t shorter = one < other ? one : other;
        if (shorter >= SAME)
            example_fail("example_compare_strings", "a line has 4 GiB or more");
        sizes[i] = (uint32_t)shorter;
    }
    example_check(context,
                  parscan_allocate(context, PARSCAN_U32, sizes, pairs, PARSCAN_U64, offsets, &total,
                                   &PARSCAN_ALLOCATE_OPTIONS(.close = 1)));
    uint64_t *const owner = example_room(total, sizeof *owner);
    uint64_t *const rank = example_room(total, sizeof *rank);
    uint32_t *const place = example_room(total, sizeof *place);
    example_check(context, parscan_expand(context, PARSCAN_U32, sizes, pairs, PARSCAN_U64, owner,
                                          rank, total, &total));
    for (uint64_t j = 0; j < total; j++) { /* each on its own */
        const uint8_t one = l->text[begin_of(l, owner[j]) + rank[j]];
        const uint8_t other = l->text[begin_of(l, owner[j] + 1) + rank[j]];
        place[j] = one != other ? (uint32_t)rank[j] : SAME;
    }
    const parscan_segments by_pair =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets,
                         .count = pairs);
    example_check(context,
                  parscan_segmented_reduce(context, PARSCAN_U32, place, first, total, &by_pair,
                                           NULL, &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN)));
}

/* The order of lines i and i + 1. *prefix receives the length of what both start with. */
static char order_of(const lines *l, uint64_t i, uint32_t first, uint64_t *prefix)
{
    uint64_t one = length_of(l, i), other = length_of(l, i + 1);
    *prefix = first != SAME ? first : one < other ? one : other;
    if (first != SAME) {
        one = l->text[begin_of(l, i) + first];
        other = l->text[begin_of(l, i + 1) + first];
    }
    return one < other ? '<' : one == other ? '=' : '>';
}

int main(int argc, char **argv)
{
    if (argc != 2)
        example_fail("usage", "example_compare_strings TEXT");
    size_t size;
    char *const text = example_read(argv[1], &size);
    if (size > 0 && text[size - 1] != '\n')
        text[size++] = '\n'; /* over the zero that ends it */
    parscan_context *const context = example_context();
    const lines l = find_lines(context, text, size);
    const uint64_t pairs = l.count > 0 ? l.count - 1 : 0;
    uint32_t *const first = example_room(pairs, sizeof *first);
    compare(context, &l, pairs, first);
    uint64_t prefixes = 0, wrong = 0;
    for (uint64_t i = 0; i < pairs; i++) {
        uint64_t prefix;
        const char order = order_of(&l, i, first[i], &prefix);
        printf("%c %" PRIu64 "\n", order, prefix);
        prefixes += prefix;
        wrong += order == '>';
    }
    fprintf(stderr,
            "%" PRIu64 " lines, %" PRIu64 " not in order; %" PRIu64 " of %zu bytes are prefixes "
            "of the line before\n",
            l.count, wrong, prefixes, size);
    return example_end(context);
}
