/*
 * A tree by its Euler tour: the depth of every node, what is below it, and who its ancestors are.
 *
 *     example_tree TREE            depth, nodes below, sum of sizes, sizes before, name: for each node
 *     example_tree TREE NODE       its ancestors and itself: number and name
 *
 * TREE has a line "parent size name" for each node, 0, 1, ...; the root is node 0, its own parent.
 * If the nodes are the folders and files of a disk, the sums are what `du -b` prints. icicle.awk
 * draws the output.
 *
 * The Euler tour goes down and up along every edge, once around the tree. Laid out as an array,
 *
 *     down 0   down 1   down 3   up 3   up 1   down 2   up 2   up 0
 *        1        1        1     -1     -1        1     -1     -1
 *        1        2        3      2      1        2      1      0    the scan: depth + 1
 *
 * it turns questions about a tree into scans: the sum below a node is the difference of the scan of
 * the sizes between its down and its up; a is an ancestor of b if b's down lies within a's tour.
 *
 * The children of each node come from parscan_bin(), and tell which step follows which. Where a step
 * stands in the tour is found by pointer jumping: each step learns how far the end is by asking the
 * step that it points to, and then points as far as that one does: log2(steps) rounds.
 *
 * Source: R. Tarjan, U. Vishkin, An Efficient Parallel Biconnectivity Algorithm, 1985; J. Wyllie, The
 * Complexity of Parallel Computations, 1979 (pointer jumping).
 */
#include <string.h>

#include "example.h"

/* Step 2 v goes down to node v, step 2 v + 1 goes up from it. */
typedef struct tree {
    uint32_t n;
    uint32_t *parent, *place; /* place[s]: where step s stands in the tour */
    uint64_t *size, *sums;    /* sums[p]: the sizes of the nodes that the tour met up to place p */
    int32_t *height;          /* height[p]: depth + 1 after place p */
    char **name;
} tree;

static tree read_tree(const char *path)
{
    size_t size;
    char *const text = example_read(path, &size), *at = text, *end;
    tree t = {.parent = example_room(size + 1, sizeof *t.parent)};
    t.size = example_room(size + 1, sizeof *t.size);
    t.name = example_room(size + 1, sizeof *t.name);
    for (; t.parent[t.n] = (uint32_t)strtoul(at, &end, 10), end != at; t.n++) {
        t.size[t.n] = strtoull(end, &t.name[t.n], 10);
        at = t.name[t.n] + strcspn(t.name[t.n], "\n");
        if (*at != '\0')
            *at++ = '\0';
    }
    for (uint32_t v = 0; v < t.n; v++)
        if (t.parent[v] >= t.n)
            example_fail(path, "has a parent that is not there");
    if (t.n == 0 || t.n > UINT32_MAX / 2 || t.parent[0] != 0)
        example_fail(path, "is not a tree");
    t.place = example_room(2 * (size_t)t.n, sizeof *t.place);
    t.sums = example_room(2 * (size_t)t.n, sizeof *t.sums);
    t.height = example_room(2 * (size_t)t.n, sizeof *t.height);
    return t;
}

/* next[s]: the step after s; the last step, up 0, points to itself. */
static void link_steps(parscan_context *context, const tree *t, uint32_t *next)
{
    uint32_t *const first = example_room((size_t)t->n + 1, sizeof *first);
    uint32_t *const child = example_room(t->n, sizeof *child);
    example_check(context, parscan_bin(context, PARSCAN_U32, t->parent, sizeof *child, NULL, t->n,
                                       t->n, PARSCAN_U32, first, child));
    for (uint32_t v = 0; v < t->n; v++) /* a leaf turns round; others are written below */
        next[2 * v] = 2 * v + 1;
    next[1] = 1;
    for (uint32_t v = 0; v < t->n; v++)
        for (uint32_t k = first[v] + (v == 0), last = 2 * v; k < first[v + 1]; k++) {
            next[last] = 2 * child[k]; /* child[0] is the root itself */
            last = 2 * child[k] + 1;
            next[last] = 2 * v + 1;
        }
}

/* place[s] = the number of steps before s. next and the spares have a number for each step. */
static void rank_steps(uint32_t steps, uint32_t *next, uint32_t *place, uint32_t *spare)
{
    uint32_t *const far = spare, *const to_end = spare + steps;
    for (uint32_t s = 0; s < steps; s++)
        place[s] = next[s] != s;
    for (uint32_t jump = 1; jump < steps; jump *= 2) {
        for (uint32_t s = 0; s < steps; s++) { /* each on its own */
            to_end[s] = place[s] + place[next[s]];
            far[s] = next[next[s]];
        }
        memcpy(next, far, steps * sizeof *next);
        memcpy(place, to_end, steps * sizeof *place);
    }
    for (uint32_t s = 0; s < steps; s++)
        place[s] = steps - 1 - place[s];
}

static void walk(parscan_context *context, tree *t)
{
    const uint32_t steps = 2 * t->n;
    uint32_t *const next = example_room(steps, 3 * sizeof *next);
    link_steps(context, t, next);
    rank_steps(steps, next, t->place, next + steps);
    if (t->place[0] != 0)
        example_fail("example_tree", "not all nodes hang on node 0");
    for (uint32_t s = 0; s < steps; s++) {
        t->height[t->place[s]] = s % 2 == 0 ? 1 : -1;
        t->sums[t->place[s]] = s % 2 == 0 ? t->size[s / 2] : 0;
    }
    example_check(context,
                  parscan_inclusive_scan(context, PARSCAN_I32, t->height, t->height, steps, NULL));
    example_check(context,
                  parscan_inclusive_scan(context, PARSCAN_U64, t->sums, t->sums, steps, NULL));
}

static void print_ancestors(parscan_context *context, const tree *t, size_t of)
{
    if (of >= t->n)
        example_fail("example_tree", "no such node");
    uint8_t *const is_ancestor = example_room(t->n, 1);
    uint32_t *const ancestors = example_room(t->n, sizeof *ancestors);
    const uint32_t here = t->place[2 * of];
    for (uint32_t v = 0; v < t->n; v++)
        is_ancestor[v] = t->place[2 * v] <= here && here < t->place[2 * v + 1];
    uint64_t count;
    example_check(context, parscan_compact_indices(context, PARSCAN_U8, is_ancestor, NULL,
                                                   PARSCAN_U32, ancestors, t->n, &count));
    for (uint64_t i = 0; i < count; i++)
        printf("%" PRIu32 "%s\n", ancestors[i], t->name[ancestors[i]]);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        example_fail("usage", "example_tree TREE [NODE]");
    parscan_context *const context = example_context();
    tree t = read_tree(argv[1]);
    walk(context, &t);
    if (argc == 3)
        print_ancestors(context, &t, strtoul(argv[2], NULL, 10));
    for (uint32_t v = 0; v < t.n && argc == 2; v++) {
        const uint32_t down = t.place[2 * v], up = t.place[2 * v + 1];
        const uint64_t before = t.sums[down] - t.size[v];
        printf("%" PRId32 " %" PRIu32 " %" PRIu64 " %" PRIu64 "%s\n", t.height[down] - 1,
               (up - down) / 2, t.sums[up] - before, before, t.name[v]);
    }
    return example_end(context);
}
