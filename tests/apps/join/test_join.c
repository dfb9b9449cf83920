/* Joins against two loops over all pairs, and against counts of elements. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/allocated.h"
#include "tests/support/every_simd.h"
#include "tests/support/key_patterns.h"
#include "tests/support/number.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/sorted_pair.h"
#include "tests/support/test_engine.h"

#define GUARD 16u
#define KINDS 4

static const parscan_join_kind kinds[KINDS] = {PARSCAN_JOIN_INNER, PARSCAN_JOIN_LEFT,
                                               PARSCAN_JOIN_SEMI, PARSCAN_JOIN_ANTI};

/* Numbers that are equal if and only if elements are; all NaNs are one. Sorted elements, one after the
   other, are equal if == says so. */
static bool same(parscan_type type, const char *a, const char *b)
{
    long double x, y;
    switch ((int)type) {
    case PARSCAN_F32: {
        float u, v;
        memcpy(&u, a, sizeof u);
        memcpy(&v, b, sizeof v);
        x = u, y = v;
        break;
    }
    case PARSCAN_F64: {
        double u, v;
        memcpy(&u, a, sizeof u);
        memcpy(&v, b, sizeof v);
        x = u, y = v;
        break;
    }
    case PARSCAN_F16:
    case PARSCAN_BF16: {
        uint16_t u, v;
        const unsigned infinity = type == PARSCAN_F16 ? 0x7c00 : 0x7f80;
        memcpy(&u, a, sizeof u);
        memcpy(&v, b, sizeof v);
        const bool u_nan = (u & 0x7fff) > infinity, v_nan = (v & 0x7fff) > infinity;
        return (u_nan && v_nan) || u == v || ((u | v) & 0x7fff) == 0;
    }
    default:
        return memcmp(a, b, parscan_type_size(type)) == 0;
    }
    return x == y || (x != x && y != y);
}

/* The pairs, by a loop that looks at neighbours of what it found last. */
typedef struct pairs {
    uint64_t *left, *right, count;
} pairs;

static void add(pairs *p, size_t *room, uint64_t left, uint64_t right)
{
    if (p->count == *room) {
        *room = 2 * *room + 16;
        p->left = realloc(p->left, *room * sizeof *p->left);
        p->right = realloc(p->right, *room * sizeof *p->right);
    }
    p->left[p->count] = left;
    p->right[p->count++] = right;
}

/* In sorted arrays the matches of an element do not begin before those of the one before it; a zero
   of either sign may stand between others, so the search starts at the first match, or starts anew. */
static pairs expected_pairs(parscan_join_kind kind, parscan_type type, const char *left, size_t n,
                            const char *right, size_t n2)
{
    const size_t size = parscan_type_size(type);
    pairs p = {NULL, NULL, 0};
    size_t room = 0, from = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = from;
        while (j < n2 && !same(type, left + i * size, right + j * size))
            j++;
        const bool found = j < n2;
        if (found)
            from = j;
        if (found && kind == PARSCAN_JOIN_SEMI)
            add(&p, &room, i, 0);
        if (!found && (kind == PARSCAN_JOIN_ANTI || kind == PARSCAN_JOIN_LEFT))
            add(&p, &room, i, n2);
        if (kind == PARSCAN_JOIN_INNER || kind == PARSCAN_JOIN_LEFT)
            for (; j < n2 && same(type, left + i * size, right + j * size); j++)
                add(&p, &room, i, j);
    }
    return p;
}

static uint64_t index_at(parscan_type type, const char *indices, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, indices + i * 4, 4);
    if (type == PARSCAN_U32)
        return narrow;
    memcpy(&wide, indices + i * 8, 8);
    return wide;
}

typedef struct join_case {
    parscan_join_kind kind;
    parscan_type type, index_type;
    const char *left, *right;
    size_t n, n2;
} join_case;

static void expect_indices(const char *what, const join_case *c, char *out, const uint64_t *wanted,
                           uint64_t count)
{
    const size_t size = parscan_type_size(c->index_type);
    for (size_t k = 0; k < count; k++)
        cr_assert_eq(index_at(c->index_type, out, k), wanted[k],
                     "kind %d of %zu and %zu %s: %s %zu of %zu is %zu, not %zu", (int)c->kind, c->n,
                     c->n2, parscan_type_name(c->type), what, k, (size_t)count,
                     (size_t)index_at(c->index_type, out, k), (size_t)wanted[k]);
    for (size_t k = 0; k < GUARD * size; k++)
        cr_assert_eq((unsigned char)out[count * size + k], 0xa5, "%s beyond the room", what);
}

static void expect_pairs(parscan_context *context, const join_case *c, const pairs *p)
{
    const size_t bytes = (p->count + GUARD) * parscan_type_size(c->index_type);
    const bool both = c->kind == PARSCAN_JOIN_INNER || c->kind == PARSCAN_JOIN_LEFT;
    char *const left = allocated(bytes), *const right = allocated(bytes);
    uint64_t total = 77;
    memset(left, 0xa5, bytes);
    memset(right, 0xa5, bytes);
    cr_assert_eq(parscan_join(context, c->kind, c->type, c->left, c->n, c->right, c->n2,
                              c->index_type, left, both ? right : NULL, p->count, &total),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(total, p->count, "kind %d of %zu and %zu %s: %zu pairs, not %zu", (int)c->kind,
                 c->n, c->n2, parscan_type_name(c->type), (size_t)total, (size_t)p->count);
    expect_indices("left", c, left, p->left, p->count);
    if (both)
        expect_indices("right", c, right, p->right, p->count);
    if (p->count > 0) { /* and with too little room */
        memset(left, 0xa5, bytes);
        cr_assert_eq(parscan_join(context, c->kind, c->type, c->left, c->n, c->right, c->n2,
                                  c->index_type, left, NULL, p->count - 1, &total),
                     PARSCAN_ERROR_CAPACITY);
        cr_assert_eq(total, p->count);
        expect_indices("nothing", c, left, NULL, 0);
    }
    free(left);
    free(right);
}

/* Every kind. */
static void expect_joins(parscan_context *context, join_case c)
{
    for (int k = 0; k < KINDS; k++) {
        c.kind = kinds[k];
        c.index_type = random_below(2) == 0 ? PARSCAN_U32 : PARSCAN_U64;
        pairs p = expected_pairs(c.kind, c.type, c.left, c.n, c.right, c.n2);
        expect_pairs(context, &c, &p);
        free(p.left);
        free(p.right);
    }
}

static void expect_sorted_pair(parscan_context *context, const sorted_pair *pair)
{
    expect_joins(
        context,
        (join_case){
            .type = pair->type, .left = pair->a, .right = pair->b, .n = pair->n, .n2 = pair->n2});
}

static void expect_every_pattern_of(parscan_type type)
{
    static const size_t lengths[][2] = {{30, 30}, {3, 700}, {700, 3}, {600, 500}};
    each_pattern_of_pairs(type, lengths, COUNT_OF(lengths), expect_sorted_pair);
}

#define X(ctx, NAME, number, name, ...)                      \
    Test(join, of_every_pattern_is_that_of_two_loops_##name) \
    {                                                        \
        expect_every_pattern_of(PARSCAN_##NAME);             \
    }
PARSCAN_TYPES(X, )
#undef X

Test(join, of_any_number_of_elements_to_20_each_is_right)
{
    each_length_of_pairs(20, expect_sorted_pair);
}

/* Element i of an array is i / repeats, so pairs are known: so many of each number. */
static void expect_numbers(parscan_context *context, size_t n, size_t repeats, size_t n2,
                           size_t repeats2)
{
    uint64_t *const left = allocated(n * sizeof *left), *const right =
                                                            allocated(n2 * sizeof *right);
    size_t pairs_count = 0;
    for (size_t i = 0; i < n; i++)
        left[i] = i / repeats;
    for (size_t j = 0; j < n2; j++)
        right[j] = j / repeats2;
    for (size_t i = 0; i < n; i++) {
        const size_t begin = left[i] * repeats2, end = begin + repeats2;
        pairs_count += begin >= n2 ? 0 : (end < n2 ? end : n2) - begin;
    }
    uint32_t *const i_out = allocated(pairs_count * 4), *const j_out = allocated(pairs_count * 4);
    uint64_t total;
    cr_assert_eq(parscan_join(context, PARSCAN_JOIN_INNER, PARSCAN_U64, left, n, right, n2,
                              PARSCAN_U32, i_out, j_out, pairs_count, &total),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(total, pairs_count);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = left[i] * repeats2; j < (left[i] + 1) * repeats2 && j < n2; j++, k++)
            if (i_out[k] != i || j_out[k] != j)
                cr_assert_fail("pair %zu is %u, %u, not %zu, %zu", k, i_out[k], j_out[k], i, j);
    free(left);
    free(right);
    free(i_out);
    free(j_out);
}

/* Runs of any length, over the ends of tiles and of the ranges of threads; one side far larger. */
Test(join, of_runs_is_right_on_1_2_3_and_7_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    for (size_t t = FIRST_OF_1_2_3_7_THREADS; t < COUNT_OF(threads); t++) {
        parscan_context *const context =
            test_context_with(PARSCAN_CONTEXT_OPTIONS(.threads = threads[t]));
        expect_numbers(context, 100003, 1, 100003, 1);
        expect_numbers(context, 60007, 3, 90001, 2);
        expect_numbers(context, 30011, 254, 20011, 255);
        expect_numbers(context, 30011, 300, 20011, 256);
        expect_numbers(context, 3, 1, 200003, 70001);
        expect_numbers(context, 200003, 70001, 3, 1);
        expect_numbers(context, 3001, 3001, 2003, 2003);
        expect_numbers(context, 40, 1, 200003, 5000);
        parscan_context_destroy(context);
    }
}

Test(join, takes_zeros_of_both_signs_in_any_order_and_every_nan_for_equal)
{
    parscan_context *const context = test_context();
    const double left[6] = {-1, -0.0, 0, 2, NAN, -NAN}, right[5] = {0, -0.0, 0, INFINITY, -NAN};
    uint64_t i[16], j[16], total;
    static const uint64_t wanted_i[] = {1, 1, 1, 2, 2, 2, 4, 5};
    static const uint64_t wanted_j[] = {0, 1, 2, 0, 1, 2, 4, 4};
    cr_assert_eq(parscan_join(context, PARSCAN_JOIN_INNER, PARSCAN_F64, left, 6, right, 5,
                              PARSCAN_U64, i, j, 16, &total),
                 PARSCAN_OK);
    cr_assert_eq(total, 8);
    cr_assert(memcmp(i, wanted_i, sizeof wanted_i) == 0 &&
              memcmp(j, wanted_j, sizeof wanted_j) == 0);
    parscan_context_destroy(context);
}

/* Each output alone, none, an array with itself. */
Test(join, writes_what_is_wanted)
{
    parscan_context *const context = test_context();
    const int16_t x[4] = {1, 1, 2, 3};
    uint32_t left[6], right[6];
    uint64_t total;
    cr_assert_eq(parscan_join(context, PARSCAN_JOIN_LEFT, PARSCAN_I16, x, 4, x, 3, PARSCAN_U32,
                              NULL, right, 6, &total),
                 PARSCAN_OK);
    cr_assert(total == 6 && right[3] == 1 && right[4] == 2 && right[5] == 3);
    cr_assert_eq(parscan_join(context, PARSCAN_JOIN_LEFT, PARSCAN_I16, x, 4, x, 3, PARSCAN_U32,
                              left, NULL, 6, &total),
                 PARSCAN_OK);
    cr_assert(left[3] == 1 && left[4] == 2 && left[5] == 3);
    cr_assert_eq(parscan_join(context, PARSCAN_JOIN_INNER, PARSCAN_I16, x, 4, x, 4, PARSCAN_U32,
                              NULL, NULL, 6, &total),
                 PARSCAN_OK);
    cr_assert_eq(total, 6);
    cr_assert_eq(parscan_join(context, PARSCAN_JOIN_ANTI, PARSCAN_I16, x, 4, NULL, 0, PARSCAN_U32,
                              left, NULL, 6, &total),
                 PARSCAN_OK);
    cr_assert(total == 4 && left[3] == 3);
    parscan_context_destroy(context);
}

Test(join, of_arrays_that_are_not_sorted_stays_inside)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 8 * TYPES; k++) {
        const parscan_type type = all_types[k % TYPES];
        const size_t n = random_below(k % 5 == 0 ? 90001 : 2000), n2 = random_below(n + 1);
        void *const left = patterned_keys(type, k % 2 == 0 ? KEYS_RANDOM : KEYS_REVERSED_FEW, n);
        void *const right = patterned_keys(type, k % 3 == 0 ? KEYS_EQUAL : KEYS_RANDOM, n2);
        const uint64_t room = n;
        uint64_t *const out = allocated((n + GUARD) * sizeof *out), total;
        memset(out, 0xa5, (n + GUARD) * sizeof *out);
        const parscan_status status = parscan_join(context, kinds[k / TYPES % KINDS], type, left, n,
                                                   right, n2, PARSCAN_U64, out, NULL, room, &total);
        cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_CAPACITY);
        for (size_t i = n; i < n + GUARD; i++)
            cr_assert_eq(out[i], 0xa5a5a5a5a5a5a5a5u);
        free(left);
        free(right);
        free(out);
    }
    parscan_context_destroy(context);
}

/* ---- arguments ---- */

#define INVALID(words, ...)                                                                  \
    do {                                                                                     \
        parscan_context *const context = test_context();                                     \
        cr_assert_eq(parscan_join(context, __VA_ARGS__), PARSCAN_ERROR_INVALID_ARGUMENT);    \
        cr_assert_not_null(strstr(parscan_context_error(context), words), "\"%s\" lacks %s", \
                           parscan_context_error(context), words);                           \
        parscan_context_destroy(context);                                                    \
    } while (0)

#define INNER PARSCAN_JOIN_INNER
#define U32 PARSCAN_U32

Test(arguments, that_are_wrong_are_named)
{
    uint32_t a[8] = {1, 2}, b[8] = {1, 4}, out[8] = {9}, out2[8] = {9};
    uint64_t total = 5;
    INVALID("kind = 7 is not a parscan_join_kind", (parscan_join_kind)7, U32, a, 2, b, 2, U32, out,
            out2, 8, &total);
    INVALID("type = 99", INNER, (parscan_type)99, a, 2, b, 2, U32, out, out2, 8, &total);
    INVALID("left is NULL", INNER, U32, NULL, 2, b, 2, U32, out, out2, 8, &total);
    INVALID("right is NULL", INNER, U32, a, 2, NULL, 2, U32, out, out2, 8, &total);
    INVALID("index_type = f32", INNER, U32, a, 2, b, 2, PARSCAN_F32, out, out2, 8, &total);
    INVALID("total is NULL", INNER, U32, a, 2, b, 2, U32, out, out2, 8, NULL);
    INVALID("SEMI", PARSCAN_JOIN_SEMI, U32, a, 2, b, 2, U32, out, out2, 8, &total);
    INVALID("ANTI", PARSCAN_JOIN_ANTI, U32, a, 2, b, 2, U32, out, out2, 8, &total);
    INVALID("n = 4294967297", INNER, PARSCAN_U8, a, 4294967297u, b, 2, U32, out, out2, 8, &total);
    INVALID("n2 = 4294967296", INNER, PARSCAN_U8, a, 2, b, 4294967296u, U32, out, out2, 8, &total);
    INVALID("left_out", INNER, U32, a, 2, b, 2, U32, a, out2, 8, &total);
    INVALID("right_out", INNER, U32, a, 2, b, 2, U32, out, out + 4, 8, &total);
    cr_assert(total == 5 && out[0] == 9 && out2[0] == 9);
    cr_assert_eq(parscan_join(NULL, INNER, U32, a, 2, b, 2, U32, out, out2, 8, &total),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
}

Test(lengths, are_those_of_both_arrays_and_a_capacity)
{
    parscan_context *const context = test_context();
    const uint32_t a[3] = {1, 1, 6}, b[3] = {1, 6, 6};
    const uint64_t two = 2, one = 1;
    uint32_t i[6], j[6] = {7, 7, 7, 7, 7, 7};
    uint64_t total;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &two, .n2 = &one)), PARSCAN_OK);
    cr_assert_eq(parscan_join(context, PARSCAN_JOIN_LEFT, U32, a, 3, b, 3, U32, i, j, 6, &total),
                 PARSCAN_OK);
    cr_assert(total == 2 && i[1] == 1 && j[1] == 0 && j[2] == 7);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 3)), PARSCAN_OK);
    cr_assert_eq(parscan_join(context, INNER, U32, a, 3, b, 3, U32, i, j, 6, &total),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert(total == 4 && j[2] == 7);
    cr_assert_str_eq(parscan_context_error(context),
                     "lengths->out_capacity = 3: total = 4 exceeds it");
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 3)), PARSCAN_OK);
    cr_assert_eq(parscan_join(context, INNER, U32, a, 3, b, 3, U32, i, j, 2, &total),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert_str_eq(parscan_context_error(context), "capacity = 2: total = 4 exceeds it");
    parscan_context_destroy(context);
}
