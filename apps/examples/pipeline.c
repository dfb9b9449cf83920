/*
 * A pipeline: from the list of edges of a graph to compressed rows (CSR), for parts of the list of any
 * length, by the same calls, into the same arrays, without a look at what they have counted.
 *
 *     example_pipeline EDGES [PARTS]      of each vertex: "vertex degree times: neighbours"
 *
 * EDGES is a list as SNAP has it: a line "from to" for each edge, in any order; a line that starts with
 * # is a comment. An edge may come several times. Loops (from == to) are left out. First come the parts:
 * the list's first 1 / PARTS, 2 / PARTS, ... of its lines, each told in a line on standard error.
 *
 *     edges        2>0  0>1  1>1  2>3  0>1  0>2
 *     no loops     2>0  0>1  2>3  0>1  0>2               parscan_compact()
 *     sorted       0>1  0>1  0>2  2>0  2>3               parscan_sort_keys()
 *     run lengths  0>1 (2)  0>2 (1)  2>0 (1)  2>3 (1)    parscan_run_length_encode()
 *     degrees      2 0 2 0                               parscan_histogram()
 *     offsets      0 2 2 4 4                             parscan_allocate(), closed
 *     times        3 0 2 0, sums of the run lengths      parscan_segmented_reduce()
 *
 * Each call writes a count that is the length of the next one: parscan_set_lengths() gives it by its
 * address. The n of a call is the most there can be. So arrays and scratch are made once, scratch as
 * a measuring context tells.
 */
#include <string.h>

#include "example.h"

/* An edge is the number from * 2^32 + to, which sorts by from, then by to. */
typedef struct edge_list {
    uint64_t *edge;
    uint8_t *is_kept; /* not a loop */
    size_t lines, vertices;
} edge_list;

/* Row r of the CSR: its edges are distinct[offsets[r]] to distinct[offsets[r + 1] - 1]. */
typedef struct graph {
    uint64_t kept_count, distinct_count, *kept, *sorted, *distinct;
    uint32_t *times; /* how often each distinct edge is in the list */
    uint32_t *degree, *offsets, *row_times;
} graph;

static edge_list read_edges(const char *path)
{
    size_t size, most = 1;
    char *const text = example_read(path, &size);
    for (size_t i = 0; i < size; i++)
        most += text[i] == '\n';
    edge_list list = {.edge = example_room(most, sizeof *list.edge),
                      .is_kept = example_room(most, sizeof *list.is_kept)};
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        uint64_t from, to;
        if (*line == '#')
            continue;
        if (sscanf(line, "%" SCNu64 " %" SCNu64, &from, &to) != 2 || (from | to) >> 24 != 0)
            example_fail(path, "has a line without two numbers below 2^24");
        list.edge[list.lines] = from << 32 | to;
        list.is_kept[list.lines++] = from != to;
        const uint64_t larger = from > to ? from : to;
        list.vertices = larger >= list.vertices ? larger + 1 : list.vertices;
    }
    if (list.lines == 0 || list.vertices > 1 << 24)
        example_fail(path, "has no edges, or too many vertices");
    return list;
}

static graph make_room(const edge_list *list)
{
    return (graph){.kept = example_room(list->lines, sizeof(uint64_t)),
                   .sorted = example_room(list->lines, sizeof(uint64_t)),
                   .distinct = example_room(list->lines, sizeof(uint64_t)),
                   .times = example_room(list->lines, sizeof(uint32_t)),
                   .degree = example_room(list->vertices, sizeof(uint32_t)),
                   .offsets = example_room(list->vertices + 1, sizeof(uint32_t)),
                   .row_times = example_room(list->vertices, sizeof(uint32_t))};
}

static void set_length(parscan_context *context, const uint64_t *n)
{
    example_check(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = n)));
}

/* The pipeline, for the first *lines lines of the list. */
static void build(parscan_context *context, const edge_list *list, const uint64_t *lines, graph *g)
{
    const size_t most = list->lines, rows = list->vertices;
    const uint64_t lower = 0, upper = (uint64_t)rows << 32; /* a bin is a vertex: 2^32 numbers */
    uint64_t total;
    set_length(context, lines);
    example_check(context, parscan_compact(context, sizeof *g->kept, list->edge, list->is_kept,
                                           g->kept, most, &g->kept_count));
    set_length(context, &g->kept_count);
    example_check(context, parscan_sort_keys(context, PARSCAN_U64, g->kept, g->sorted, most, NULL));
    set_length(context, &g->kept_count);
    example_check(context,
                  parscan_run_length_encode(context, PARSCAN_U64, g->sorted, g->distinct,
                                            PARSCAN_U32, g->times, most, &g->distinct_count));
    set_length(context, &g->distinct_count);
    example_check(context,
                  parscan_histogram(context, PARSCAN_U64, g->distinct, most, rows, PARSCAN_U32,
                                    g->degree,
                                    &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper)));
    example_check(context,
                  parscan_allocate(context, PARSCAN_U32, g->degree, rows, PARSCAN_U32, g->offsets,
                                   &total, &PARSCAN_ALLOCATE_OPTIONS(.close = 1)));
    const parscan_segments by_row =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = g->offsets,
                         .count = rows);
    set_length(context, &g->distinct_count);
    example_check(context, parscan_segmented_reduce(context, PARSCAN_U32, g->times, g->row_times,
                                                    most, &by_row, NULL, NULL));
}

/* The context has the scratch that the pipeline needs, whatever the length, before its first call. */
static void reserve(parscan_context *context, const edge_list *list, graph *g)
{
    parscan_context *measuring;
    const uint64_t lines = list->lines;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = parscan_context_backend(context), .measure = 1);
    if (parscan_context_create(&measuring, &options) != PARSCAN_OK)
        example_fail("parscan_context_create", "no measuring context");
    build(measuring, list, &lines, g);
    example_check(context, parscan_context_reserve(context, parscan_context_scratch(measuring)));
    parscan_context_destroy(measuring);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        example_fail("usage", "example_pipeline EDGES [PARTS]");
    const edge_list list = read_edges(argv[1]);
    graph g = make_room(&list);
    parscan_context *const context = example_context();
    reserve(context, &list, &g);
    const size_t scratch = parscan_context_scratch(context);
    const uint64_t parts = argc == 3 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t part = 1; part <= parts; part++) {
        const uint64_t lines = part * list.lines / parts;
        build(context, &list, &lines, &g);
        fprintf(stderr, "%" PRIu64 " lines: %" PRIu64 " edges, %" PRIu64 " of them different%s\n",
                lines, g.kept_count, g.distinct_count,
                parscan_context_scratch(context) == scratch ? "" : "; more scratch was taken");
    }
    for (size_t row = 0; row < list.vertices; row++) {
        printf("%zu %" PRIu32 " %" PRIu32 ":", row, g.degree[row], g.row_times[row]);
        for (uint32_t k = g.offsets[row]; k < g.offsets[row + 1]; k++)
            printf(" %" PRIu32, (uint32_t)g.distinct[k]);
        printf("\n");
    }
    return example_end(context);
}
