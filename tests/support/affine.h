/*
 * Elements that the block algorithms and the hierarchical scan are tested with: maps
 * x -> a x + b modulo 2^32 under composition, which is associative and not commutative. The
 * operator counts its uses: OPERATOR points to the count. The vocabulary is that of block.h and of
 * hierarchical_cpu_template.h; include it before them.
 */
#ifndef PARSCAN_TESTS_AFFINE_H
#define PARSCAN_TESTS_AFFINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "parscan/types.h"
#include "tests/support/random.h"

typedef struct affine_map {
    uint32_t a, b;
} affine_map;

#define T affine_map
typedef atomic_ulong *OPERATOR;
#define DO_BY_OPERATOR(op, function, ...) function((op), __VA_ARGS__)

/* First `earlier`, then `later`. */
static inline affine_map composed(affine_map earlier, affine_map later)
{
    return (affine_map){later.a * earlier.a, later.a * earlier.b + later.b};
}

static inline T combine(OPERATOR op, T a, T b)
{
    atomic_fetch_add_explicit(op, 1, memory_order_relaxed);
    return composed(a, b);
}

static inline T identity(OPERATOR op)
{
    (void)op;
    return (affine_map){1, 0};
}

typedef struct affine_view {
    affine_map *data;
    parscan_type type; /* the template hands it on; there is only one */
    size_t n;
    bool reverse;
} affine_view;
#define VIEW affine_view

static inline T load(const VIEW *view, size_t i)
{
    return view->data[view->reverse ? view->n - 1 - i : i];
}

static inline void store(const VIEW *view, size_t i, T value)
{
    view->data[view->reverse ? view->n - 1 - i : i] = value;
}

static inline bool same_map(affine_map f, affine_map g)
{
    return f.a == g.a && f.b == g.b;
}

/* Invertible maps, so that no product forgets what came before. */
static inline void random_maps(affine_map *maps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        maps[i] = (affine_map){(uint32_t)random_bits() | 1, (uint32_t)random_bits()};
}

/* The first element, in the order of combination, in which out is not the scan of in, after init
   if there is one; n when there is none. The oracle of these tests. */
static inline size_t first_wrong_map(const affine_map *in, const affine_map *out, size_t n,
                                     bool exclusive, bool reverse, const affine_map *init)
{
    affine_map before = init != NULL ? *init : (affine_map){1, 0};
    for (size_t k = 0; k < n; k++) {
        const size_t i = reverse ? n - 1 - k : k;
        const affine_map through = composed(before, in[i]);
        if (!same_map(out[i], exclusive ? before : through))
            return k;
        before = through;
    }
    return n;
}

#endif
