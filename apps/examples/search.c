/*
 * Breadth-first search: how many steps each vertex of a graph is from a first one, and a shortest path.
 *
 *     example_search GRAPH.mtx FROM         the distance of every vertex, a line each; -1: no path
 *     example_search GRAPH.mtx FROM TO      the vertices of a shortest path, a line each
 *
 * GRAPH.mtx is a file of the Matrix Market (pattern): "vertices vertices edges", then "vertex vertex"
 * for each edge, counted from 1. Edges go both ways.
 *
 * The search goes level by level. All vertices of a level, the frontier, are expanded at once:
 *
 *     allocate   the degrees of the frontier -> how many neighbours there are in all
 *     expand     each place of the output -> whose neighbour it is, and which of them
 *     compact    keeps the neighbours that no level has reached
 *     sort, unique   a vertex that several of them reach is kept once: the next frontier
 *
 * A vertex of a thousand neighbours and one of two are no different: threads share the neighbours.
 *
 * Source: D. Merrill, M. Garland, A. Grimshaw, Scalable GPU Graph Traversal, PPoPP 2012.
 */
#include <string.h>

#include "example.h"

#define NOT_REACHED UINT32_MAX

typedef struct graph {
    uint32_t vertices;
    size_t arcs;                 /* two for each edge */
    uint32_t *offsets, *targets; /* neighbours of v: targets[offsets[v]] to [offsets[v+1] - 1] */
} graph;

static graph read_graph(parscan_context *context, const char *path)
{
    size_t size;
    char *const text = example_read(path, &size), *at = text;
    while (*at == '%')
        at += strcspn(at, "\n"), at += *at != '\0';
    graph g = {.vertices = (uint32_t)strtoul(at, &at, 10)};
    (void)strtoul(at, &at, 10);
    g.arcs = 2 * strtoul(at, &at, 10);
    if (g.arcs > size)
        example_fail(path, "is cut");
    uint32_t *const from = example_room(g.arcs, sizeof *from);
    uint32_t *const to = example_room(g.arcs, sizeof *to);
    for (size_t i = 0; i < g.arcs; i += 2) {
        from[i] = to[i + 1] = (uint32_t)strtoul(at, &at, 10) - 1;
        to[i] = from[i + 1] = (uint32_t)strtoul(at, &at, 10) - 1;
        if (from[i] >= g.vertices || to[i] >= g.vertices)
            example_fail(path, "has an edge to a vertex that is not there");
    }
    g.offsets = example_room((size_t)g.vertices + 1, sizeof *g.offsets);
    g.targets = example_room(g.arcs, sizeof *g.targets);
    example_check(context, parscan_bin(context, PARSCAN_U32, from, sizeof *to, to, g.arcs,
                                       g.vertices, PARSCAN_U32, g.offsets, g.targets));
    return g;
}

/* The frontier that follows `frontier`, of n vertices, all of which have a distance. next has room for
   every arc of the graph. */
static uint64_t expand(parscan_context *context, const graph *g, const uint32_t *distance,
                       const uint32_t *frontier, uint64_t n, uint32_t *next)
{
    uint32_t *const degrees = example_room(n, sizeof *degrees);
    for (uint64_t i = 0; i < n; i++)
        degrees[i] = g->offsets[frontier[i] + 1] - g->offsets[frontier[i]];
    uint64_t total;
    example_check(context, parscan_allocate(context, PARSCAN_U32, degrees, n, PARSCAN_U32, NULL,
                                            &total, NULL));
    uint32_t *const owner = example_room(total, sizeof *owner);
    uint32_t *const rank = example_room(total, sizeof *rank);
    uint8_t *const is_new = example_room(total, 1);
    example_check(context, parscan_expand(context, PARSCAN_U32, degrees, n, PARSCAN_U32, owner,
                                          rank, total, &total));
    for (uint64_t j = 0; j < total; j++) { /* each on its own */
        next[j] = g->targets[g->offsets[frontier[owner[j]]] + rank[j]];
        is_new[j] = distance[next[j]] == NOT_REACHED;
    }
    example_check(context,
                  parscan_compact(context, sizeof *next, next, is_new, next, total, &total));
    example_check(context, parscan_sort_keys(context, PARSCAN_U32, next, next, total, NULL));
    example_check(context, parscan_unique(context, PARSCAN_U32, next, next, total, &total));
    return total;
}

static void search(parscan_context *context, const graph *g, uint32_t from, uint32_t *distance)
{
    for (uint32_t v = 0; v < g->vertices; v++)
        distance[v] = NOT_REACHED;
    uint32_t *frontier = example_room(g->arcs + 1, sizeof *frontier);
    uint32_t *next = example_room(g->arcs + 1, sizeof *next);
    frontier[0] = from;
    uint64_t n = 1;
    for (uint32_t level = 0; n > 0; level++) {
        fprintf(stderr, "%" PRIu32 " steps: %" PRIu64 " vertices\n", level, n);
        for (uint64_t i = 0; i < n; i++)
            distance[frontier[i]] = level;
        n = expand(context, g, distance, frontier, n, next);
        uint32_t *const swap = frontier;
        frontier = next;
        next = swap;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        example_fail("usage", "example_search GRAPH.mtx FROM [TO]");
    parscan_context *const context = example_context();
    graph g = read_graph(context, argv[1]);
    /* A path is followed back from its end. */
    uint32_t v = (uint32_t)strtoul(argv[2], NULL, 10) - 1;
    const uint32_t other = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) - 1 : v;
    if (v >= g.vertices || other >= g.vertices)
        example_fail("example_search", "no such vertex");
    uint32_t *const distance = example_room(g.vertices, sizeof *distance);
    search(context, &g, other, distance);
    if (argc == 3)
        for (uint32_t i = 0; i < g.vertices; i++)
            printf("%" PRId64 "\n", distance[i] == NOT_REACHED ? -1 : (int64_t)distance[i]);
    else if (distance[v] == NOT_REACHED)
        example_fail("example_search", "there is no path");
    for (uint32_t k; argc == 4; v = g.targets[k]) {
        printf("%" PRIu32 "\n", v + 1);
        if (v == other)
            break;
        for (k = g.offsets[v]; distance[g.targets[k]] + 1 != distance[v]; k++) {
        }
    }
    return example_end(context);
}
