/*
 * The brackets of a JSON file: which one closes which, and where they are deepest.
 *
 *     example_brackets FILE.json       "depth N at byte PLACE", and for each [ and {: its byte, that of its partner
 *
 * Two operators of the program's own, which a scan takes like its sum:
 *
 *     compose    Brackets in strings do not count. What a byte does to the state of a reader (outside, in a string,
 *                after a backslash there) is a map, and maps are composed (csv.c tells more).
 *     nest       Of a row of brackets: by how much the depth changes, how deep it becomes, and at which bracket
 *                first: a maximum with its place. Rows are put together in any grouping, but not in any order.
 *
 * A bracket and its partner are neighbours among those of the same depth: a stable sort by depth brings them together.
 */
#include <string.h>

#include "example.h"
#include "parscan/operator.h"

/* Two bits for each of three states. */
enum { OUTSIDE = 0, IN = 1, ESCAPED = 2 };
#define MAP(outside, in, escaped) ((uint8_t)((outside) | (in) << 2 | (escaped) << 4))

PARSCAN_DEFINE_OPERATOR(compose, map, (typedef uint8_t map;), {
    const int outside = later >> 2 * (earlier & 3) & 3;
    const int in = later >> 2 * (earlier >> 2 & 3) & 3;
    const int escaped = later >> 2 * (earlier >> 4 & 3) & 3;
    return (map)(outside | in << 2 | escaped << 4);
})

PARSCAN_DEFINE_OPERATOR(nest, row,
                        (typedef struct row { int32_t change, deepest, lowest, place; } row;), {
                            const int32_t deepest = earlier.change + later.deepest;
                            const int32_t lowest = earlier.change + later.lowest;
                            row both = earlier;
                            both.change = earlier.change + later.change;
                            if (lowest < earlier.lowest)
                                both.lowest = lowest;
                            if (deepest > earlier.deepest) {
                                both.deepest = deepest;
                                both.place = later.place;
                            }
                            return both;
                        })

typedef struct brackets {
    const char *text;
    uint32_t *byte; /* where each stands */
    uint64_t n;
} brackets;

/* The places of brackets that are not in strings. */
static brackets find_brackets(parscan_context *context, const char *text, size_t size)
{
    map *const maps = example_room(size, sizeof *maps);
    for (size_t i = 0; i < size; i++)
        maps[i] = text[i] == '"'    ? MAP(IN, OUTSIDE, IN)
                  : text[i] == '\\' ? MAP(OUTSIDE, ESCAPED, IN)
                                    : MAP(OUTSIDE, IN, IN);
    parscan_operator *composition;
    example_check(context, parscan_operator_create(
                               &composition,
                               &PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(compose, map))));
    const map nothing = MAP(OUTSIDE, IN, ESCAPED);
    example_check(context, parscan_exclusive_scan(
                               context, PARSCAN_CUSTOM, maps, maps, size,
                               &PARSCAN_SCAN_OPTIONS(.custom = composition, .init = &nothing)));
    parscan_operator_destroy(composition);
    for (size_t i = 0; i < size; i++) /* maps[i] was the map of all bytes before it */
        maps[i] = (maps[i] & 3) == OUTSIDE && text[i] != '\0' && strchr("[]{}", text[i]) != NULL;
    brackets b = {.text = text, .byte = example_room(size, sizeof *b.byte)};
    example_check(context, parscan_compact_indices(context, PARSCAN_U8, maps, NULL, PARSCAN_U32,
                                                   b.byte, size, &b.n));
    return b;
}

static int opens(const brackets *b, uint64_t k)
{
    return b->text[b->byte[k]] == '[' || b->text[b->byte[k]] == '{';
}

/* What the row of all brackets up to each one does. */
static row *measure(parscan_context *context, const brackets *b)
{
    row *const rows = example_room(b->n, sizeof *rows);
    for (uint64_t k = 0; k < b->n; k++) {
        const int32_t change = opens(b, k) ? 1 : -1;
        rows[k] = (row){.change = change, .deepest = change, .lowest = change, .place = (int32_t)k};
    }
    parscan_operator *nesting;
    example_check(context,
                  parscan_operator_create(
                      &nesting, &PARSCAN_OPERATOR_OPTIONS(PARSCAN_DEFINED_OPERATOR(nest, row))));
    example_check(context, parscan_inclusive_scan(context, PARSCAN_CUSTOM, rows, rows, b->n,
                                                  &PARSCAN_SCAN_OPTIONS(.custom = nesting)));
    parscan_operator_destroy(nesting);
    return rows;
}

/* Of each opening bracket the one that closes it. Rows are balanced. */
static uint32_t *match(parscan_context *context, const brackets *b, const row *rows)
{
    uint32_t *const depth = example_room(b->n, sizeof *depth);
    uint32_t *const order = example_room(b->n, sizeof *order);
    uint32_t *const partner = example_room(b->n, sizeof *partner);
    for (uint64_t k = 0; k < b->n; k++) {
        depth[k] = (uint32_t)(rows[k].change + !opens(b, k));
        order[k] = (uint32_t)k;
    }
    example_check(context, parscan_sort_pairs(context, PARSCAN_U32, depth, depth, sizeof *order,
                                              order, order, b->n, NULL));
    for (uint64_t k = 0; k < b->n; k += 2)
        partner[order[k]] = order[k + 1];
    return partner;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        example_fail("usage", "example_brackets FILE.json");
    size_t size;
    const char *const text = example_read(argv[1], &size);
    if (size >= INT32_MAX)
        example_fail(argv[1], "has 2 GiB or more");
    parscan_context *const context = example_context();
    const brackets b = find_brackets(context, text, size);
    if (b.n == 0)
        return example_end(context);
    const row *const rows = measure(context, &b), *const all = &rows[b.n - 1];
    if (all->change != 0 || all->lowest < 0)
        example_fail(argv[1], "has a bracket without its partner");
    const uint32_t *const partner = match(context, &b, rows);
    printf("depth %" PRId32 " at byte %" PRIu32 "\n", all->deepest, b.byte[all->place]);
    for (uint64_t k = 0; k < b.n; k++) {
        if (!opens(&b, k))
            continue;
        const uint32_t open = b.byte[k], close = b.byte[partner[k]];
        if ((text[open] == '[') != (text[close] == ']'))
            example_fail(argv[1], "has a bracket that one of the other kind closes");
        printf("%" PRIu32 " %" PRIu32 "\n", open, close);
    }
    return example_end(context);
}
