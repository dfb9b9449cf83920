/*
 * The rows of the reproducible tree in SIMD vectors, for floats. Compiled once for each element
 * type and instruction set.
 *
 * A row takes ROW / LANES vectors. Each vector is scanned on its own: these are the network's steps
 * below LANES. The steps from LANES on combine vectors with each other.
 */
#include <stdalign.h>

#include "scan/reproducible/row_kernels.h"

#if PARSCAN_ELEMENT_IS_FLOAT
#include "scan/cpu/simd.h"
#include "scan/reproducible/tree.h"

#include "scan/block/kogge_stone.h"

#define ROW_VECTORS ((int)ROW / LANES)

VECTOR_FUNCTION void scan_row(const OPERATOR op, V row[ROW_VECTORS])
{
    for (int k = 0; k < ROW_VECTORS; k++)
        row[k] = vector_scan(op, row[k]);
    for (int s = 1; s < ROW_VECTORS; s *= 2)
        for (int k = s; k < ROW_VECTORS; k++)
            if (k & s)
                row[k] = vector_combine(op, vector_broadcast_last(row[k / s * s - 1]), row[k]);
}

/* Loads a row of n elements; if n < ROW, fills it up with identities. */
VECTOR_FUNCTION void load_row(const OPERATOR op, const T *in, size_t n, V row[ROW_VECTORS])
{
    if (n >= ROW) {
        for (int k = 0; k < ROW_VECTORS; k++)
            row[k] = vector_load(in + k * LANES);
        return;
    }
    T padded[ROW];
    for (size_t i = 0; i < ROW; i++)
        padded[i] = identity(op);
    memcpy(padded, in, n * sizeof(T));
    for (int k = 0; k < ROW_VECTORS; k++)
        row[k] = vector_load(padded + k * LANES);
}

VECTOR_FUNCTION const T *scan_rows(const OPERATOR op, const T *in, size_t n, T *local, T *work,
                                   const void *next)
{
    unsigned rows = 0;
    for (size_t i = 0; i < n; i += ROW) {
        V row[ROW_VECTORS];
        if (next != NULL)
            prefetch((const char *)next + i * sizeof(T), ROW * sizeof(T));
        load_row(op, in + i, n - i, row);
        scan_row(op, row);
        for (int k = 0; k < ROW_VECTORS; k++)
            vector_store(local + i + k * LANES, row[k]);
        work[PADDED_INDEX(rows)] = vector_last(row[ROW_VECTORS - 1]);
        rows++;
    }
    /* Both calls do the same, but in the first one the compiler knows the length: a whole tile. */
    if (rows == TILE_ROWS)
        return kogge_stone(op, TILE_ROWS, work, work + PADDED_SIZE(TILE_ROWS), TILE_ROWS);
    return kogge_stone(op, TILE_ROWS, work, work + PADDED_SIZE(TILE_ROWS), rows);
}

VECTOR_FUNCTION void add_rows(const OPERATOR op, T *local, size_t n, const T *rows, T before,
                              const bool exclusive)
{
    for (size_t i = 0; i < n; i += ROW) {
        const unsigned r = (unsigned)(i / ROW);
        const V start =
            vector_splat(r == 0 ? before : combine(op, before, rows[PADDED_INDEX(r - 1)]));
        V previous = start;
        for (int k = 0; k < ROW_VECTORS; k++) {
            T *const at = local + i + k * LANES;
            const V through = vector_combine(op, start, vector_load(at));
            vector_store(at, exclusive ? vector_after(previous, through) : through);
            previous = through;
        }
    }
}

static const T *scan_rows_specialised(OPERATOR op, const T *in, size_t n, T *local, T *work,
                                      const void *next)
{
    return BY_OPERATOR(op, scan_rows, in, n, local, work, next);
}

static void add_rows_specialised(OPERATOR op, T *local, size_t n, const T *rows, T before,
                                 bool exclusive)
{
    if (exclusive)
        BY_OPERATOR(op, add_rows, local, n, rows, before, true);
    else
        BY_OPERATOR(op, add_rows, local, n, rows, before, false);
}

/* ---- sums ---- */

/* The sums of pairs of neighbours: first those of a, then those of b. */
VECTOR_FUNCTION V sums_of_pairs(const OPERATOR op, V a, V b)
{
    return vector_combine(op, vector_evens(a, b), vector_odds(a, b));
}

/* The sums of LANES rows that lie one behind the other, which are ROW vectors: each is that of a balanced tree, as the
   last sum of Sklansky's network is. */
#define SUMS_OF(vectors, half)                                                        \
    VECTOR_FUNCTION V sums_of_##vectors(const OPERATOR op, const T *in)               \
    {                                                                                 \
        return sums_of_pairs(op, sums_of_##half(op, in),                              \
                             sums_of_##half(op, in + (size_t)(vectors) / 2 * LANES)); \
    }
VECTOR_FUNCTION V sums_of_1(const OPERATOR op, const T *in)
{
    (void)op;
    return vector_load(in);
}
SUMS_OF(2, 1)
SUMS_OF(4, 2)
SUMS_OF(8, 4)
SUMS_OF(16, 8)
SUMS_OF(32, 16)

VECTOR_FUNCTION V sums_of_vectors(const OPERATOR op, const T *in, const int vectors)
{
    switch (vectors) {
    case 1:
        return sums_of_1(op, in);
    case 2:
        return sums_of_2(op, in);
    case 4:
        return sums_of_4(op, in);
    case 8:
        return sums_of_8(op, in);
    case 16:
        return sums_of_16(op, in);
    default:
        return sums_of_32(op, in);
    }
}

/* The most elements that are padded to a whole tree: half of those of LANES rows, or a little more. */
enum { FEW = (LANES >= 8 ? 8 : 4) * ROW };

/* The sum of a balanced tree with so many elements as leaves: at least as many as a vector has lanes, at most FEW. */
VECTOR_FUNCTION T sum_of_tree(const OPERATOR op, const T *in, const int elements)
{
    V v = sums_of_vectors(op, in, elements / LANES);
    for (int s = 1; s < LANES; s *= 2)
        v = sums_of_pairs(op, v, v);
    return vector_first(v);
}

/* The same of n elements, fewer than those of LANES rows; the identity behind them. */
VECTOR_FUNCTION V sums_of_some(const OPERATOR op, const T *in, size_t n)
{
    T padded[ROW * LANES];
    for (size_t k = 0; k < ROW; k++)
        vector_store(padded + k * LANES, vector_splat(identity(op)));
    memcpy(padded, in, n * sizeof(T));
    return sums_of_16(op, padded);
}

/* The sum of few rows: the identity behind the last element, and rows of identities before the first one. */
VECTOR_FUNCTION T sum_of_few(const OPERATOR op, const T *in, size_t n, size_t rows,
                             const int elements)
{
    T padded[FEW];
    for (int k = 0; k < elements; k += LANES)
        vector_store(padded + k, vector_splat(identity(op)));
    memcpy(padded + (size_t)elements - rows * ROW, in, n * sizeof(T));
    return sum_of_tree(op, padded, elements);
}

/*
 * The last sum of Kogge-Stone's scan of R sums of rows is that of a balanced tree, too, if identities before the first
 * one fill its leaves up to a power of two. So they are put at the end of an array: of one row, if they are at
 * most ROW, otherwise of as many rows as a tile has sums of ROW rows, whose sums are put at the end of one row.
 */
enum {
    ROWS_OF_SUMS = (TILE_ROWS / ROW > LANES ? TILE_ROWS / ROW : LANES),
    SUMS = ROWS_OF_SUMS * ROW
};

VECTOR_FUNCTION T sum_tile(const OPERATOR op, const T *in, size_t n)
{
    T sums[SUMS + LANES], last[ROW + LANES];
    const size_t rows = (n + ROW - 1) / ROW, room = rows <= ROW ? ROW : SUMS;
    if (rows <= 2)
        return sum_of_few(op, in, n, rows, 2 * ROW);
    if (rows <= 4)
        return sum_of_few(op, in, n, rows, 4 * ROW);
    if (rows <= FEW / ROW)
        return sum_of_few(op, in, n, rows, FEW);
    for (size_t k = 0; k < room; k += LANES)
        vector_store(sums + k, vector_splat(identity(op)));
    T *const to = sums + room - rows;
    for (size_t r = 0; r < rows; r += LANES) {
        const size_t begin = r * ROW, left = n - begin;
        vector_store(to + r, left >= ROW * LANES ? sums_of_16(op, in + begin)
                                                 : sums_of_some(op, in + begin, left));
    }
    if (rows <= ROW)
        return sum_of_tree(op, sums, ROW);
    for (size_t k = 0; k < ROW; k += LANES)
        vector_store(last + k, vector_splat(identity(op)));
    for (size_t r = 0; r < ROWS_OF_SUMS; r += LANES)
        vector_store(last + ROW - ROWS_OF_SUMS + r, sums_of_16(op, sums + r * ROW));
    return sum_of_tree(op, last, ROW);
}

static T sum_tile_specialised(OPERATOR op, const T *in, size_t n)
{
#define X(ctx, NAME)          \
    if (op == PARSCAN_##NAME) \
        return sum_tile(PARSCAN_##NAME, in, n);
    PARSCAN_ROUNDING_OPS(X, )
#undef X
    return identity(op);
}

/* ---- columns ---- */

/* Element k of a vector of columns, or the identity behind the last one. */
VECTOR_FUNCTION V element_at(const OPERATOR op, const row_columns *c, const char *in,
                             const unsigned k)
{
    return k < c->count ? vector_load(in + (int64_t)k * c->in_row) : vector_splat(identity(op));
}

VECTOR_FUNCTION V sum_of_4(const OPERATOR op, const row_columns *c, const char *in,
                           const unsigned k)
{
    return vector_combine(
        op, vector_combine(op, element_at(op, c, in, k), element_at(op, c, in, k + 1)),
        vector_combine(op, element_at(op, c, in, k + 2), element_at(op, c, in, k + 3)));
}

/* The last sum of Sklansky's network is that of a balanced tree. */
VECTOR_FUNCTION V sum_row(const OPERATOR op, const row_columns *c, const char *in)
{
    return vector_combine(op, vector_combine(op, sum_of_4(op, c, in, 0), sum_of_4(op, c, in, 4)),
                          vector_combine(op, sum_of_4(op, c, in, 8), sum_of_4(op, c, in, 12)));
}

VECTOR_FUNCTION void sum_columns(const OPERATOR op, const row_columns *columns, const T *levels,
                                 const unsigned up, T *to, const unsigned count)
{
    row_columns c = *columns;
    const size_t whole = c.width / LINE_COLUMNS * LINE_COLUMNS, shift = c.room - c.width;
    c.count = count;
    for (size_t j = 0; j < c.room; j += LANES) {
        const char *const in = c.in + (j < whole ? j : j - shift) * sizeof(T);
        if (j % LINE_COLUMNS == 0)
            prefetch((const char *)((uintptr_t)in + (uintptr_t)c.in_row * ROW), LINE);
        V sum = sum_row(op, &c, in);
        for (unsigned level = 0; level < up; level++)
            sum = vector_combine(op, vector_load(levels + level * c.room + j), sum);
        vector_store(to + j, sum);
    }
}

static void sum_columns_specialised(OPERATOR op, const row_columns *columns, const T *levels,
                                    unsigned up, T *to)
{
#define X(ctx, NAME)                                               \
    if (op == PARSCAN_##NAME && columns->count == ROW)             \
        sum_columns(PARSCAN_##NAME, columns, levels, up, to, ROW); \
    else if (op == PARSCAN_##NAME)                                 \
        sum_columns(PARSCAN_##NAME, columns, levels, up, to, columns->count);
    PARSCAN_ROUNDING_OPS(X, )
#undef X
}

/* What comes before row r of a vector of columns; the identity, if nothing does. */
VECTOR_FUNCTION V before_row(const OPERATOR op, const T *before, const T *sums, size_t room,
                             unsigned r)
{
    if (r == 0)
        return before == NULL ? vector_splat(identity(op)) : vector_load(before);
    const V rows = vector_load(sums + (r - 1 < 64 ? r - 1 : 64) * room);
    return before == NULL ? rows : vector_combine(op, vector_load(before), rows);
}

/* Keeps the sum of row r: a step of Kogge-Stone for each bit of r. */
VECTOR_FUNCTION void keep_row(const OPERATOR op, V row, T *sums, size_t room, unsigned r)
{
    V through = row;
    if (r > 0) {
        const unsigned top = 31 - (unsigned)__builtin_clz(r);
        T *of_last = sums + SUMS_THROUGH * room; /* 2^k rows, of which this one is the last */
        for (unsigned k = 0; k < top; k++) {
            T *const at = of_last + (r & ((1u << k) - 1)) * room;
            const V before = vector_load(at);
            vector_store(at, row);
            row = vector_combine(op, before, row);
            of_last += room << k;
        }
        if (top < 6)
            vector_store(of_last + (r & ((1u << top) - 1)) * room, row);
        through = vector_combine(op, vector_load(sums + (r - (1u << top)) * room), row);
    }
    vector_store(sums + (r < 64 ? r : 64) * room, through);
}

VECTOR_FUNCTION void scan_vector(const OPERATOR op, const row_columns *c, const T *before, T *sums,
                                 unsigned r, const bool exclusive)
{
    V x[ROW];
#pragma GCC unroll 16
    for (unsigned k = 0; k < ROW; k++)
        x[k] =
            k < c->count ? vector_load(c->in + (int64_t)k * c->in_row) : vector_splat(identity(op));
#pragma GCC unroll 4
    for (unsigned s = 1; s < ROW; s *= 2)
#pragma GCC unroll 16
        for (unsigned k = s; k < ROW; k++)
            if (k & s)
                x[k] = vector_combine(op, x[k / s * s - 1], x[k]);
    const V start = before_row(op, before, sums, c->room, r);
    const bool bare = r == 0 && before == NULL; /* then the bits of the first element stay */
#pragma GCC unroll 16
    for (unsigned k = 0; k < ROW; k++) {
        V y = start;
        if (!exclusive || k > 0)
            y = vector_combine(op, start, x[exclusive ? k - (k > 0) : k]);
        if (k < c->count)
            vector_store(c->out + (int64_t)k * c->out_row, !exclusive && k == 0 && bare ? x[0] : y);
    }
    keep_row(op, x[ROW - 1], sums, c->room, r);
}

/* The last columns, if they are no whole line, are read before the others are written. */
VECTOR_FUNCTION void scan_columns(const OPERATOR op, const row_columns *c, const T *before, T *sums,
                                  unsigned r, const bool exclusive)
{
    const size_t last = c->width - LINE_COLUMNS, whole = c->width / LINE_COLUMNS * LINE_COLUMNS;
    row_columns part = *c;
    alignas(64) T tail[ROW][LINE_COLUMNS];
    for (unsigned k = 0; k < c->count && whole < c->room; k++)
        memcpy(tail[k], c->in + last * sizeof(T) + (int64_t)k * c->in_row, LINE);
    for (size_t j = 0; j < whole; j += LANES) {
        prefetch((const char *)((uintptr_t)part.in + (uintptr_t)c->in_row * ROW), sizeof(V));
        scan_vector(op, &part, before == NULL ? NULL : before + j, sums + j, r, exclusive);
        part.in += sizeof(V);
        part.out += sizeof(V);
    }
    part.in = (const char *)tail;
    part.in_row = sizeof *tail;
    part.out = c->out + last * sizeof(T);
    for (size_t j = whole; j < c->room; j += LANES) {
        scan_vector(op, &part, before == NULL ? NULL : before + j, sums + j, r, exclusive);
        part.in += sizeof(V);
        part.out += sizeof(V);
    }
}

static void scan_columns_specialised(OPERATOR op, const row_columns *columns, const T *before,
                                     T *sums, unsigned r, bool exclusive)
{
#define X(ctx, NAME)                                                  \
    if (op == PARSCAN_##NAME && exclusive)                            \
        scan_columns(PARSCAN_##NAME, columns, before, sums, r, true); \
    else if (op == PARSCAN_##NAME)                                    \
        scan_columns(PARSCAN_##NAME, columns, before, sums, r, false);
    PARSCAN_ROUNDING_OPS(X, )
#undef X
}

const row_kernels NAMED(PARSCAN_PASTE(parscan_row_kernels_, PARSCAN_ISA)) = {
    .scan_rows = scan_rows_specialised,
    .add_rows = add_rows_specialised,
    .sum_tile = sum_tile_specialised,
    .sum_columns = sum_columns_specialised,
    .scan_columns = scan_columns_specialised,
};

#endif
