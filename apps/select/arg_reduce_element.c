/*
 * The extreme of an array and its index. Compiled once for each element type (scan/cpu/element.h).
 *
 * The kernel of a reduction gives the extreme of each tile, at its speed. Only where a tile wins over all
 * before it, it is kept in mind. At the end the extreme is looked for in the tile that had it, by
 * halves: the kernel tells whether the first half has it.
 */
#include "apps/select/arg_reduce_kernels.h"
#include "scan/cpu/element.h"
#include "scan/cpu/tile_kernels.h"
#include "scan/cpu/tiles.h"

/* So many elements are looked at one by one. */
enum { FEW = 32 };

#define TILE (2 * (size_t)TILE_BYTES)

static T read_element(parscan_type type, const void *in, size_t i)
{
    const VIEW view = {(void *)in, type, i + 1, false};
    return load(&view, i);
}

/* Whether b is below a for MIN, above it for MAX. A NaN is both, but where a is one too. */
static bool beats(OPERATOR op, T a, T b)
{
#if PARSCAN_ELEMENT_IS_FLOAT
    if (a != a || b != b)
        return a == a;
    if (a == b)
        return op == PARSCAN_MIN ? signbit(b) && !signbit(a) : signbit(a) && !signbit(b);
#endif
    return op == PARSCAN_MIN ? b < a : b > a;
}

static bool wins(OPERATOR op, parscan_type type, const void *a, const void *b)
{
    return beats(op, read_element(type, a, 0), read_element(type, b, 0));
}

static size_t find_few(OPERATOR op, parscan_type type, const char *in, size_t n)
{
    size_t best = 0;
    T extreme = read_element(type, in, 0);
    for (size_t i = 1; i < n; i++) {
        const T x = read_element(type, in, i);
        if (beats(op, extreme, x)) {
            extreme = x;
            best = i;
        }
    }
    return best;
}

/* The first of n elements whose extreme is known to be `extreme`. */
static size_t find_in_tile(const tile_kernels *kernels, OPERATOR op, parscan_type type,
                           const char *in, size_t n, T extreme)
{
    const size_t size = parscan_type_size(type);
    size_t begin = 0;
    while (n > FEW) {
        const size_t half = n / 2;
        if (beats(op, kernels->reduce(op, type, in + begin * size, half, NULL), extreme)) {
            begin += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return begin + find_few(op, type, in + begin * size, n);
}

static size_t find(parscan_isa isa, OPERATOR op, parscan_type type, const void *in, size_t n)
{
    if (n <= FEW)
        return find_few(op, type, in, n);
    const tile_kernels *const kernels = NAMED(parscan_tile_kernels)(isa);
    const size_t size = parscan_type_size(type), tile = TILE / size;
    T extreme = 0;
    size_t best = 0;
    for (size_t begin = 0; begin < n; begin += tile) {
        const size_t length = n - begin < tile ? n - begin : tile;
        const T x = kernels->reduce(op, type, (const char *)in + begin * size, length, NULL);
        if (begin == 0 || beats(op, extreme, x)) {
            extreme = x;
            best = begin;
        }
    }
    const size_t length = n - best < tile ? n - best : tile;
    return best + find_in_tile(kernels, op, type, (const char *)in + best * size, length, extreme);
}

static void store_identity(OPERATOR op, parscan_type type, void *to)
{
    const VIEW one = {to, type, 1, false};
    store(&one, 0, identity(op));
}

const arg_kernels NAMED(parscan_arg_kernels) = {find, wins, store_identity};
