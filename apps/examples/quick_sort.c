/*
 * Quick sort by segmented scans: all parts of the array are split at the same time.
 *
 *     example_quick_sort NUMBERS               the integers of a text in order, one a line
 *     example_quick_sort NUMBERS PICTURE.svg   and the array after each round as a picture
 *
 * The parts that a quick sort makes are segments of one array, so that one round splits all of them:
 *
 *     expand         each element learns its segment, and so its pivot
 *     three scans    of 1 where an element is less than (equal to, greater than) its pivot, else 0:
 *                    how many elements of its kind stand before it in its segment
 *     move           to the segment's begin + all elements of the kinds before + that number
 *     compact        the sizes of the three parts of each segment, without the empty ones
 *
 *     [6 1 8 | 3 2]  pivots 1 and 2  ->  [1 | 6 8 | 2 | 3]
 *
 * until a round splits nothing: then each segment has equal elements. That takes about 2 log2(n)
 * rounds. (parscan_sort_keys() is many times as fast. This one shows what segments can do.)
 *
 * Source: G. Blelloch, Prefix Sums and Their Applications, 1990, 1.5.1.
 */
#include <string.h>

#include "example.h"

typedef struct array {
    size_t n, segments;
    int64_t *keys, *moved;
    uint64_t *sizes, *parts; /* of the segments; of their parts, three each */
    uint64_t *offsets, *owner, *before, *base, *total;
    uint8_t *kind, *is_kind; /* 0, 1, 2: less, equal, greater */
} array;

/* How many elements of each kind stand before an element, and where it goes: to moved[]. */
static void move(parscan_context *context, array *a)
{
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = a->offsets,
                         .count = a->segments);
    const parscan_scan_options wide = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    memcpy(a->base, a->offsets, a->segments * sizeof *a->base);
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < a->n; i++)
            a->is_kind[i] = a->kind[i] == kind;
        example_check(context, parscan_segmented_exclusive_scan(context, PARSCAN_U8, a->is_kind,
                                                                a->before, a->n, &segments, &wide));
        example_check(context, parscan_segmented_reduce(context, PARSCAN_U8, a->is_kind, a->total,
                                                        a->n, &segments, NULL, &wide));
        for (size_t i = 0; i < a->n; i++)
            if (a->is_kind[i])
                a->moved[a->base[a->owner[i]] + a->before[i]] = a->keys[i];
        for (size_t s = 0; s < a->segments; s++) {
            a->base[s] += a->total[s];
            a->parts[3 * s + (size_t)kind] = a->total[s];
        }
    }
}

/* Splits every segment. Returns whether one of them had different elements. */
static int split(parscan_context *context, array *a)
{
    uint64_t total;
    example_check(context,
                  parscan_allocate(context, PARSCAN_U64, a->sizes, a->segments, PARSCAN_U64,
                                   a->offsets, &total, &PARSCAN_ALLOCATE_OPTIONS(.close = 1)));
    example_check(context, parscan_expand(context, PARSCAN_U64, a->sizes, a->segments, PARSCAN_U64,
                                          a->owner, NULL, a->n, &total));
    for (size_t i = 0; i < a->n; i++) { /* the pivot: the key in the middle */
        const uint64_t *const segment = a->offsets + a->owner[i];
        const int64_t pivot = a->keys[(segment[0] + segment[1]) / 2];
        a->kind[i] = (uint8_t)((a->keys[i] >= pivot) + (a->keys[i] > pivot));
    }
    move(context, a);
    int64_t *const swap = a->keys;
    a->keys = a->moved;
    a->moved = swap;
    const size_t before = a->segments;
    example_check(context, parscan_compact_if(context, PARSCAN_U64, a->parts, NULL, a->sizes,
                                              3 * before, &total));
    a->segments = total;
    return total > before;
}

/* One more row of the picture: the keys as heights. The head is written again with the new height. */
static void draw_row(FILE *picture, const array *a, unsigned row, int64_t low, int64_t high)
{
    rewind(picture);
    fprintf(picture, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 %6u\">\n",
            50 * row + 50);
    fseek(picture, 0, SEEK_END);
    fprintf(picture, "<path fill=\"#2b6a99\" d=\"M0 %u", 50 * row + 48);
    for (size_t i = 0; i < a->n; i++) {
        const double height = 44 * (double)(a->keys[i] - low) / ((double)(high - low) + 1e-9);
        fprintf(picture, "V%.1fH%.1f", 50 * row + 46 - height,
                800 * (double)(i + 1) / (double)a->n);
    }
    fprintf(picture, "V%uz\"/>\n", 50 * row + 48);
}

static size_t read_numbers(const char *path, int64_t **keys)
{
    size_t size, n = 0;
    char *const text = example_read(path, &size), *at = text, *end;
    *keys = example_room(size / 2 + 1, sizeof **keys);
    for (int64_t key; key = strtoll(at, &end, 10), end != at; at = end)
        (*keys)[n++] = key;
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        example_fail("usage", "example_quick_sort NUMBERS [PICTURE.svg]");
    array a = {.segments = 1};
    a.n = read_numbers(argv[1], &a.keys);
    a.moved = example_room(a.n, sizeof *a.moved);
    uint64_t **const rooms[] = {&a.sizes, &a.offsets, &a.owner, &a.before, &a.base, &a.total};
    for (int k = 0; k < 6; k++)
        *rooms[k] = example_room(a.n + 1, sizeof **rooms[k]);
    a.parts = example_room(3 * a.n, sizeof *a.parts);
    a.kind = example_room(a.n, 1);
    a.is_kind = example_room(a.n, 1);
    a.sizes[0] = a.n;
    parscan_context *const context = example_context();
    int64_t low, high;
    const parscan_scan_options min = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN);
    const parscan_scan_options max = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX);
    example_check(context, parscan_reduce(context, PARSCAN_I64, a.keys, &low, a.n, &min));
    example_check(context, parscan_reduce(context, PARSCAN_I64, a.keys, &high, a.n, &max));
    FILE *const picture = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (argc == 3 && picture == NULL)
        example_fail(argv[2], "cannot be written");
    unsigned rounds = 0;
    do {
        if (picture != NULL)
            draw_row(picture, &a, rounds, low, high);
        rounds++;
    } while (a.n > 0 && split(context, &a));
    if (picture != NULL && (fputs("</svg>\n", picture) < 0 || fclose(picture) != 0))
        example_fail(argv[2], "cannot be written");
    fprintf(stderr, "%u rounds\n", rounds);
    for (size_t i = 0; i < a.n; i++)
        printf("%" PRId64 "\n", a.keys[i]);
    return example_end(context);
}
