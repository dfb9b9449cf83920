/*
 * Reproducible sums of a distributed array: the tree of scan/reproducible/tree.h over the global
 * array, wherever the pieces are cut.
 *
 * The tree adds tile after tile to a binary counter: whenever two blocks of 2^k tiles are adjacent
 * and start at a multiple of 2^(k+1), they become one. So the tiles of a piece make blocks that do
 * not depend on the tiles before: first ascending ones, up to the largest power of two that fits,
 * then descending ones. Each rank evaluates its blocks, all gather them, and each adds those before
 * its piece to a counter: the tree's state where its piece starts.
 *
 * A tile that is cut belongs to the rank where it ends. The ranks before it send their elements of
 * it, to every rank that has some of it, since each scans its own part of the tile.
 */
#include <string.h>

#include "apps/distributed/dist_scan.h"
#include "parscan/memory.h"
#include "scan/context/check.h"
#include "scan/reproducible/tree_carry.h"

enum { MOST_BLOCKS = 96, LEVELS = 64 };

/* The blocks of a rank's tiles. */
typedef struct tree_blocks {
    uint32_t count;
    unsigned char levels[MOST_BLOCKS];
    dist_element sums[MOST_BLOCKS];
} tree_blocks;

typedef struct piece_place {
    uint64_t first, n; /* in the order of combination */
} piece_place;

typedef struct dist_tree {
    parscan_comm *comm;
    const parscan_scan_call *call;
    size_t in_size, sum_size, out_size;
    uint64_t total;
    piece_place *places;       /* of all ranks */
    uint64_t *routes;          /* 4 arrays for an exchange */
    unsigned char *sent, *got; /* elements of tiles that are cut, at most a tile each */
    parscan_tree_carry *start; /* where this rank's piece starts; its blocks come last */
    parscan_tree_carry *work;
    tree_blocks *mine, *all;
} dist_tree;

static parscan_status take_tree_memory(dist_tree *tree, void **memory)
{
    const size_t size = tree->comm->size, tile = TREE_TILE * TREE_FLOAT_BYTES;
    const size_t bytes = 2 * sizeof(parscan_tree_carry) + 2 * tile +
                         (size + 1) * sizeof(tree_blocks) + size * sizeof(piece_place) +
                         4 * size * sizeof(uint64_t);
    const parscan_status status = parscan_comm_allocate(tree->comm, COMM_ON_HOST, bytes, memory);
    if (status != PARSCAN_OK)
        return status;
    memset(*memory, 0, bytes);
    tree->start = *memory;
    tree->work = tree->start + 1;
    tree->sent = (unsigned char *)(tree->work + 1);
    tree->got = tree->sent + tile;
    tree->places = (piece_place *)(void *)(tree->got + tile);
    tree->routes = (uint64_t *)(tree->places + size);
    tree->mine = (tree_blocks *)(tree->routes + 4 * size);
    tree->all = tree->mine + 1;
    return PARSCAN_OK;
}

static void find_places(dist_tree *tree, const void *lengths, size_t stride)
{
    for (unsigned k = 0; k < tree->comm->size; k++) {
        const unsigned rank = parscan_rank_at(tree->comm, tree->call->reverse, k);
        uint64_t n;
        memcpy(&n, (const char *)lengths + rank * stride, sizeof n);
        tree->places[rank] = (piece_place){tree->total, n};
        tree->total += n;
    }
}

/* Elements `at` to at + n - 1 of this rank's piece, in the order of combination. */
static const void *elements_at(const dist_tree *tree, size_t at, size_t n)
{
    const parscan_scan_call *const call = tree->call;
    return (const char *)call->in + (call->reverse ? call->n - at - n : at) * tree->in_size;
}

/* ---- tiles that are cut ---- */

/* How many elements a rank has of the tile in which its piece ends. */
static uint64_t open_end(const piece_place *place)
{
    const uint64_t behind = (place->first + place->n) % TREE_TILE;
    return behind < place->n ? behind : place->n;
}

/* How many elements `to` needs of `from`, which comes before it. */
static uint64_t needed(const piece_place *from, const piece_place *to)
{
    const uint64_t end = from->first + from->n;
    const bool same = end / TREE_TILE == to->first / TREE_TILE && end % TREE_TILE != 0;
    return to->n > 0 && from->first < to->first && same ? open_end(from) : 0;
}

/* Fetches what the ranks before have of the tile in which this piece starts. */
static parscan_status exchange_ends(dist_tree *tree)
{
    parscan_comm *const comm = tree->comm;
    const size_t size = comm->size;
    uint64_t *const send_begin = tree->routes, *const send_counts = send_begin + size;
    uint64_t *const receive_begin = send_counts + size, *const receive_counts =
                                                            receive_begin + size;
    const piece_place *const me = &tree->places[comm->rank];
    uint64_t at = 0;
    exchange under_way;
    for (unsigned k = 0; k < size; k++) {
        const unsigned rank = parscan_rank_at(comm, tree->call->reverse, k);
        send_begin[rank] = 0;
        send_counts[rank] = needed(me, &tree->places[rank]);
        receive_begin[rank] = at;
        receive_counts[rank] = needed(&tree->places[rank], me);
        at += receive_counts[rank];
    }
    const parscan_status status =
        parscan_exchange_begin(comm, &under_way, tree->in_size, tree->sent, send_begin, send_counts,
                               tree->got, receive_begin, receive_counts);
    return status == PARSCAN_OK ? parscan_exchange_end(comm, &under_way) : status;
}

/* ---- evaluation ---- */

/* Adds elements to a tree. */
static parscan_status add_elements(const dist_tree *tree, parscan_tree_carry *carry, const void *in,
                                   size_t n)
{
    dist_element sum;
    parscan_scan_call reduction = *tree->call;
    reduction.kind = PARSCAN_KIND_REDUCE;
    reduction.in = in;
    reduction.out = sum.bytes;
    reduction.n = n;
    reduction.init = NULL;
    reduction.tree = carry;
    return n > 0 ? parscan_run_scan(&reduction) : PARSCAN_OK;
}

static void keep_block(dist_tree *tree, unsigned level)
{
    tree_blocks *const mine = tree->mine;
    mine->levels[mine->count] = (unsigned char)level;
    memcpy(mine->sums[mine->count].bytes, tree->work->blocks + level * tree->sum_size,
           tree->sum_size);
    mine->count++;
}

/* Evaluates `tiles` whole tiles from element `at` on as blocks, the largest first. */
static parscan_status add_tiles(dist_tree *tree, size_t at, uint64_t tiles)
{
    const size_t n = (size_t)tiles * TREE_TILE;
    tree->work->tiles = tree->work->pending = 0;
    const parscan_status status = add_elements(tree, tree->work, elements_at(tree, at, n), n);
    for (unsigned level = LEVELS; status == PARSCAN_OK && level-- > 0;)
        if (tiles >> level & 1)
            keep_block(tree, level);
    return status;
}

/* Evaluates this rank's blocks. Afterwards work->pending and work->elements are those of the tile in
   which the piece ends. */
static parscan_status evaluate(dist_tree *tree)
{
    const size_t n = tree->call->n, begun = (size_t)tree->start->pending;
    size_t at = 0;
    parscan_status status = PARSCAN_OK;
    *tree->work = *tree->start;
    if (begun > 0) {
        at = n < TREE_TILE - begun ? n : TREE_TILE - begun;
        status = add_elements(tree, tree->work, elements_at(tree, 0, at), at);
        if (status == PARSCAN_OK && begun + at == TREE_TILE)
            keep_block(tree, 0);
    }
    uint64_t tile = (tree->places[tree->comm->rank].first + at) / TREE_TILE;
    while (status == PARSCAN_OK && n - at >= TREE_TILE) {
        const uint64_t left = (n - at) / TREE_TILE;
        const uint64_t aligned = tile & (~tile + 1); /* 0: at the very start */
        const uint64_t tiles = aligned != 0 && aligned <= left ? aligned : left;
        status = add_tiles(tree, at, tiles);
        at += (size_t)tiles * TREE_TILE;
        tile += tiles;
    }
    if (status != PARSCAN_OK || at == n)
        return status;
    tree->work->tiles = tree->work->pending = 0;
    return add_elements(tree, tree->work, elements_at(tree, at, n - at), n - at);
}

/* Adds a rank's blocks to the counter of tree->start. */
static void count_blocks(dist_tree *tree, const tree_blocks *blocks)
{
    const size_t size = tree->sum_size;
    parscan_tree_carry *const carry = tree->start;
    unsigned char pair[2 * DIST_ELEMENT];
    for (uint32_t k = 0; k < blocks->count; k++) {
        unsigned level = blocks->levels[k];
        dist_element sum = blocks->sums[k];
        for (; carry->tiles >> level & 1; level++) {
            memcpy(pair, carry->blocks + level * size, size);
            memcpy(pair + size, sum.bytes, size);
            parscan_fold(tree->call, NULL, pair, 2, sum.bytes);
        }
        memcpy(carry->blocks + level * size, sum.bytes, size);
        carry->tiles += (uint64_t)1 << blocks->levels[k];
    }
}

static void count_blocks_before(dist_tree *tree, unsigned pieces)
{
    for (unsigned k = 0; k < pieces; k++)
        count_blocks(tree, &tree->all[parscan_rank_at(tree->comm, tree->call->reverse, k)]);
}

/* ---- results ---- */

static parscan_status scan_piece(dist_tree *tree)
{
    const parscan_comm *const comm = tree->comm;
    parscan_scan_call scan = *tree->call;
    count_blocks_before(tree, scan.reverse ? comm->size - 1 - comm->rank : comm->rank);
    scan.tree = tree->start;
    return scan.n > 0 ? parscan_run_scan(&scan) : PARSCAN_OK;
}

/* The rank whose piece is the last one that is not empty evaluates the tree; all get its result. */
static parscan_status reduce_all(dist_tree *tree)
{
    parscan_comm *const comm = tree->comm;
    const parscan_scan_call *const call = tree->call;
    unsigned last = 0;
    dist_element sum = {{0}};
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < comm->size; k++) {
        const unsigned rank = parscan_rank_at(comm, call->reverse, k);
        last = tree->places[rank].n > 0 ? rank : last;
    }
    if (comm->rank == last) {
        parscan_scan_call reduction = *call;
        count_blocks_before(tree, comm->size);
        tree->start->pending = tree->work->pending;
        memcpy(tree->start->elements, tree->work->elements, sizeof tree->start->elements);
        reduction.n = 0;
        reduction.out = sum.bytes;
        reduction.tree = tree->start;
        status = parscan_scan_cpu.run(&reduction);
    }
    dist_element *const sums = (dist_element *)(void *)tree->all;
    status = parscan_comm_gather(comm, status, &sum, sizeof sum, sums);
    return status == PARSCAN_OK
               ? parscan_copy(comm->context, call->out, sums[last].bytes, tree->out_size)
               : status;
}

/* What the exchange of the ends sends. */
static parscan_status copy_end(dist_tree *tree)
{
    const size_t n = (size_t)open_end(&tree->places[tree->comm->rank]);
    return parscan_copy(tree->comm->context, tree->sent,
                        n > 0 ? elements_at(tree, tree->call->n - n, n) : NULL, n * tree->in_size);
}

/* Begins tree->start with what has come of the tile in which this piece starts. */
static parscan_status begin_tile(dist_tree *tree)
{
    const parscan_comm *const comm = tree->comm;
    const uint64_t *const begin = tree->routes + 2 * comm->size, *const counts = begin + comm->size;
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < comm->size && status == PARSCAN_OK; k++) {
        const unsigned rank = parscan_rank_at(comm, tree->call->reverse, k);
        status = add_elements(tree, tree->start, tree->got + begin[rank] * tree->in_size,
                              (size_t)counts[rank]);
    }
    return status;
}

parscan_status parscan_dist_tree(parscan_comm *comm, const parscan_scan_call *call,
                                 const void *lengths, size_t stride)
{
    void *memory;
    dist_tree tree = {.comm = comm,
                      .call = call,
                      .in_size = parscan_type_size(call->in_type),
                      .sum_size = parscan_type_size(parscan_sum_type(call)),
                      .out_size = parscan_type_size(call->out_type)};
    parscan_status status = take_tree_memory(&tree, &memory);
    if (status == PARSCAN_OK) {
        find_places(&tree, lengths, stride);
        status = copy_end(&tree);
    }
    if (status == PARSCAN_OK && tree.total > TREE_MOST_ELEMENTS)
        status = parscan_fail(comm->context, PARSCAN_ERROR_UNSUPPORTED,
                              "%llu elements in all: a reproducible scan takes 2^51",
                              (unsigned long long)tree.total);
    status = parscan_agree(comm, status);
    if (status == PARSCAN_OK)
        status = exchange_ends(&tree);
    if (status != PARSCAN_OK)
        return status;
    status = begin_tile(&tree);
    if (status == PARSCAN_OK)
        status = evaluate(&tree);
    status = parscan_comm_gather(comm, status, tree.mine, sizeof *tree.mine, tree.all);
    if (status != PARSCAN_OK)
        return status;
    return parscan_comm_finish(comm, call->kind == PARSCAN_KIND_REDUCE ? reduce_all(&tree)
                                                                       : scan_piece(&tree));
}
