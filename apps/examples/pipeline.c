/*
 * A pipeline: from the list of edges of a graph to compressed rows (CSR), for parts of the list of any
 * length, by the same calls, into the same arrays, without a look at what they have counted.
 *
 *     example_pipeline EDGES [PARTS [host]]      of each vertex: "vertex degree times: neighbours"
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
 * address, in the engine's memory. The n of a call is the most there can be. So arrays and scratch are made
 * once, scratch as a measuring context tells, and on a GPU the calls are captured once, in a CUDA graph that is
 * replayed for each part. With `host` each count goes to the host instead, before the next call.
 */
#include <string.h>

#ifdef PARSCAN_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#include "example.h"

/* An edge is the number from * 2^32 + to, which sorts by from, then by to. */
typedef struct edge_list {
    uint64_t *edge;
    uint8_t *is_kept; /* not a loop */
    size_t lines, vertices;
} edge_list;

/* All in the engine's memory. Row r of the CSR: its edges are distinct[offsets[r]] to
   distinct[offsets[r + 1] - 1]. */
typedef struct graph {
    uint64_t *edge, *kept, *sorted, *distinct;
    uint8_t *is_kept;
    uint64_t *lines, *kept_count, *distinct_count, *total;
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

static void *room_for(parscan_context *context, size_t count, size_t size)
{
    void *room;
    example_check(context, parscan_malloc(context, &room, count * size));
    return room;
}

static graph make_room(parscan_context *context, const edge_list *list)
{
    const size_t lines = list->lines, rows = list->vertices;
    const graph g = {.edge = room_for(context, lines, sizeof *g.edge),
                     .is_kept = room_for(context, lines, sizeof *g.is_kept),
                     .kept = room_for(context, lines, sizeof *g.kept),
                     .sorted = room_for(context, lines, sizeof *g.sorted),
                     .distinct = room_for(context, lines, sizeof *g.distinct),
                     .times = room_for(context, lines, sizeof *g.times),
                     .lines = room_for(context, 1, sizeof *g.lines),
                     .kept_count = room_for(context, 1, sizeof *g.kept_count),
                     .distinct_count = room_for(context, 1, sizeof *g.distinct_count),
                     .total = room_for(context, 1, sizeof *g.total),
                     .degree = room_for(context, rows, sizeof *g.degree),
                     .offsets = room_for(context, rows + 1, sizeof *g.offsets),
                     .row_times = room_for(context, rows, sizeof *g.row_times)};
    example_check(context, parscan_copy(context, g.edge, list->edge, lines * sizeof *g.edge));
    example_check(context, parscan_copy(context, g.is_kept, list->is_kept, lines));
    return g;
}

static void free_room(parscan_context *context, const graph *g)
{
    void *const all[] = {g->edge,   g->is_kept,    g->kept,           g->sorted, g->distinct,
                         g->times,  g->kept_count, g->distinct_count, g->total,  g->lines,
                         g->degree, g->offsets,    g->row_times};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        example_check(context, parscan_free(context, all[k]));
}

/* What the engine has, in host memory. */
static void *fetch(parscan_context *context, const void *from, size_t count, size_t size)
{
    void *const to = example_room(count + 1, size);
    example_check(context, parscan_copy(context, to, from, count * size));
    example_check(context, parscan_synchronize(context));
    return to;
}

/* Whose lengths the calls have. */
typedef enum lengths { ON_DEVICE, THROUGH_HOST } lengths;

/* The n of the next call: the most that there can be, and its length is *n; or what the host reads there. */
static size_t next_length(parscan_context *context, lengths where, const uint64_t *n, size_t most)
{
    uint64_t length;
    if (where == ON_DEVICE) {
        example_check(context, parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = n)));
        return most;
    }
    example_check(context, parscan_copy(context, &length, n, sizeof length));
    example_check(context, parscan_synchronize(context));
    return (size_t)length;
}

/* The pipeline, for the first *g->lines lines of the list. */
static void build(parscan_context *context, const edge_list *list, const graph *g, lengths where)
{
    const size_t most = list->lines, rows = list->vertices;
    const uint64_t lower = 0, upper = (uint64_t)rows << 32; /* a bin is a vertex: 2^32 numbers */
    size_t n = next_length(context, where, g->lines, most);
    example_check(context, parscan_compact(context, sizeof *g->kept, g->edge, g->is_kept, g->kept,
                                           n, g->kept_count));
    n = next_length(context, where, g->kept_count, most);
    example_check(context, parscan_sort_keys(context, PARSCAN_U64, g->kept, g->sorted, n, NULL));
    n = next_length(context, where, g->kept_count, most);
    example_check(context, parscan_run_length_encode(context, PARSCAN_U64, g->sorted, g->distinct,
                                                     PARSCAN_U32, g->times, n, g->distinct_count));
    n = next_length(context, where, g->distinct_count, most);
    example_check(context, parscan_histogram(
                               context, PARSCAN_U64, g->distinct, n, rows, PARSCAN_U32, g->degree,
                               &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper)));
    example_check(context,
                  parscan_allocate(context, PARSCAN_U32, g->degree, rows, PARSCAN_U32, g->offsets,
                                   g->total, &PARSCAN_ALLOCATE_OPTIONS(.close = 1)));
    const parscan_segments by_row =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = g->offsets,
                         .count = rows);
    n = next_length(context, where, g->distinct_count, most);
    example_check(context, parscan_segmented_reduce(context, PARSCAN_U32, g->times, g->row_times, n,
                                                    &by_row, NULL, NULL));
}

/* The context has the scratch that the pipeline needs, whatever the length, before its first call. */
static void reserve(parscan_context *context, const edge_list *list, const graph *g)
{
    parscan_context *measuring;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = parscan_context_backend(context), .measure = 1);
    if (parscan_context_create(&measuring, &options) != PARSCAN_OK)
        example_fail("parscan_context_create", "no measuring context");
    build(measuring, list, g, ON_DEVICE);
    example_check(context, parscan_context_reserve(context, parscan_context_scratch(measuring)));
    parscan_context_destroy(measuring);
}

/* ---- the calls, made for each part, or captured once and replayed ---- */

typedef struct runner {
    parscan_context *context;
    void *stream, *replayed; /* on a GPU: a cudaStream_t, a cudaGraphExec_t */
    lengths where;
} runner;

#ifdef PARSCAN_HAVE_CUDA
static void check_cuda(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        example_fail(what, cudaGetErrorString(error));
}

/* A stream that can be captured, where there is a GPU. */
static void *own_stream(void)
{
    cudaStream_t stream = NULL;
    int devices;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
        check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    return stream;
}

static void record(runner *r, const edge_list *list, const graph *g)
{
    cudaGraph_t captured;
    cudaGraphExec_t replayed;
    check_cuda(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal), "a capture");
    build(r->context, list, g, ON_DEVICE);
    check_cuda(cudaStreamEndCapture(r->stream, &captured), "a capture");
    check_cuda(cudaGraphInstantiate(&replayed, captured, 0), "a graph");
    check_cuda(cudaGraphDestroy(captured), "a graph");
    r->replayed = replayed;
}

static void replay(const runner *r)
{
    check_cuda(cudaGraphLaunch(r->replayed, r->stream), "a replay");
}

static void end_stream(const runner *r)
{
    if (r->replayed != NULL)
        check_cuda(cudaGraphExecDestroy(r->replayed), "a graph");
    check_cuda(cudaStreamDestroy(r->stream), "a stream");
}
#else
static void *own_stream(void)
{
    return NULL;
}
static void record(runner *r, const edge_list *list, const graph *g)
{
    (void)r, (void)list, (void)g;
}
static void replay(const runner *r)
{
    (void)r;
}
static void end_stream(const runner *r)
{
    (void)r;
}
#endif

static runner make_runner(lengths where)
{
    runner r = {.stream = own_stream(), .where = where};
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend =
                                    r.stream != NULL ? PARSCAN_BACKEND_CUDA : PARSCAN_BACKEND_CPU,
                                .stream = r.stream);
    if (parscan_context_create(&r.context, &options) != PARSCAN_OK)
        example_fail("parscan_context_create", "no context");
    return r;
}

static void run(const runner *r, const edge_list *list, const graph *g, uint64_t lines)
{
    example_check(r->context, parscan_copy(r->context, g->lines, &lines, sizeof lines));
    if (r->replayed != NULL)
        replay(r);
    else
        build(r->context, list, g, r->where);
    example_check(r->context, parscan_synchronize(r->context));
}

static void print_rows(parscan_context *context, const graph *g, size_t rows)
{
    const uint32_t *const offsets = fetch(context, g->offsets, rows + 1, sizeof *offsets),
                          *const degree = fetch(context, g->degree, rows, sizeof *degree),
                          *const times = fetch(context, g->row_times, rows, sizeof *times);
    const uint64_t *const distinct =
        fetch(context, g->distinct, offsets[rows], sizeof *g->distinct);
    for (size_t row = 0; row < rows; row++) {
        printf("%zu %" PRIu32 " %" PRIu32 ":", row, degree[row], times[row]);
        for (uint32_t k = offsets[row]; k < offsets[row + 1]; k++)
            printf(" %" PRIu32, (uint32_t)distinct[k]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4 || (argc == 4 && strcmp(argv[3], "host") != 0))
        example_fail("usage", "example_pipeline EDGES [PARTS [host]]");
    const edge_list list = read_edges(argv[1]);
    runner r = make_runner(argc == 4 ? THROUGH_HOST : ON_DEVICE);
    parscan_context *const context = r.context;
    const graph g = make_room(context, &list);
    reserve(context, &list, &g);
    const size_t scratch = parscan_context_scratch(context);
    if (r.stream != NULL && r.where == ON_DEVICE)
        record(&r, &list, &g);
    const uint64_t parts = argc >= 3 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t part = 1; part <= parts; part++) {
        const uint64_t lines = part * list.lines / parts;
        run(&r, &list, &g, lines);
        const uint64_t *const kept = fetch(context, g.kept_count, 1, sizeof *kept);
        const uint64_t *const distinct = fetch(context, g.distinct_count, 1, sizeof *distinct);
        fprintf(stderr, "%" PRIu64 " lines: %" PRIu64 " edges, %" PRIu64 " of them different%s\n",
                lines, *kept, *distinct,
                parscan_context_scratch(context) == scratch ? "" : "; more scratch was taken");
    }
    print_rows(context, &g, list.vertices);
    free_room(context, &g);
    const int code = example_end(context);
    if (r.stream != NULL)
        end_stream(&r);
    return code;
}
