/* Set operations against std-like loops, which compare by the places of elements in the oracle's order. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/allocated.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/sorted_pair.h"
#include "tests/support/test_engine.h"

#define GUARD 16u
#define OPERATIONS 4

typedef parscan_status set_function(parscan_context *context, parscan_type type, const void *a,
                                    size_t n, const void *b, size_t n2, void *out,
                                    uint64_t capacity, uint64_t *count);

/* Whether the result has elements of a alone, of b alone, of both. */
static const struct {
    const char *name;
    set_function *call;
    bool of_a, of_b, of_both;
} operations[OPERATIONS] = {
    {"union", parscan_set_union, true, true, true},
    {"intersection", parscan_set_intersection, false, false, true},
    {"difference", parscan_set_difference, true, false, false},
    {"symmetric difference", parscan_set_symmetric_difference, true, true, false},
};

static bool is_nan(parscan_type type, const char *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, parscan_type_size(type));
    switch ((int)type) {
    case PARSCAN_F16:
        return (bits & 0x7fff) > 0x7c00;
    case PARSCAN_BF16:
        return (bits & 0x7fff) > 0x7f80;
    case PARSCAN_F32:
        return (bits & 0x7fffffff) > 0x7f800000;
    case PARSCAN_F64:
        return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    default:
        return false;
    }
}

typedef struct set_case {
    parscan_type type;
    const char *both; /* a's elements, then b's */
    size_t n, n2;
} set_case;

static bool same(const set_case *c, size_t i, size_t j)
{
    const size_t size = parscan_type_size(c->type);
    const char *const x = c->both + i * size, *const y = c->both + j * size;
    return memcmp(x, y, size) == 0 || (is_nan(c->type, x) && is_nan(c->type, y));
}

/* The elements of the result, as indices of `both`. place: of each element in the order of all. */
static size_t expected_set(const set_case *c, size_t operation, const size_t *place, size_t *found)
{
    const size_t end = c->n + c->n2;
    size_t i = 0, j = c->n, count = 0;
    while (i < c->n || j < end) {
        const bool both = i < c->n && j < end && same(c, i, j);
        if (both) {
            if (operations[operation].of_both)
                found[count++] = i;
            i++;
            j++;
        } else if (j == end || (i < c->n && place[i] < place[j])) {
            if (operations[operation].of_a)
                found[count++] = i;
            i++;
        } else {
            if (operations[operation].of_b)
                found[count++] = j;
            j++;
        }
    }
    return count;
}

/* With so much room. */
static void expect_elements(parscan_context *context, const set_case *c, size_t operation,
                            const size_t *found, size_t wanted, size_t room)
{
    const size_t size = parscan_type_size(c->type), written = room < wanted ? room : wanted;
    char *const out = allocated((room + GUARD) * size), *const expected = allocated(room * size);
    uint64_t count = 77;
    memset(out, 0xa5, (room + GUARD) * size);
    const parscan_status status = operations[operation].call(
        context, c->type, c->both, c->n, c->both + c->n * size, c->n2, out, room, &count);
    const char *const name = operations[operation].name;
    cr_assert_eq(status, room < wanted ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s: %s", name,
                 parscan_context_error(context));
    cr_assert_eq(count, wanted, "%s of %zu and %zu %s: %zu elements, not %zu", name, c->n, c->n2,
                 parscan_type_name(c->type), (size_t)count, wanted);
    oracle_gather(c->both, size, found, written, expected);
    for (size_t k = 0; k < written; k++)
        cr_assert(memcmp(out + k * size, expected + k * size, size) == 0,
                  "%s of %zu and %zu %s: element %zu of %zu is not that at %zu", name, c->n, c->n2,
                  parscan_type_name(c->type), k, wanted, found[k]);
    for (size_t k = written * size; k < (written + GUARD) * size && k < (room + GUARD) * size; k++)
        cr_assert_eq((unsigned char)out[k], 0xa5, "%s: memory beyond the result", name);
    free(out);
    free(expected);
}

static void expect_sets(parscan_context *context, const set_case *c)
{
    const size_t all = c->n + c->n2;
    size_t *const order = allocated(all * sizeof *order), *const place =
                                                              allocated(all * sizeof *place);
    size_t *const found = allocated(all * sizeof *found);
    oracle_sort_order(&(oracle_sort){.type = c->type, .keys = c->both, .n = all}, order);
    for (size_t k = 0; k < all; k++)
        place[order[k]] = k;
    for (size_t operation = 0; operation < OPERATIONS; operation++) {
        const size_t wanted = expected_set(c, operation, place, found);
        uint64_t count;
        expect_elements(context, c, operation, found, wanted, wanted + random_below(3));
        if (wanted > 0)
            expect_elements(context, c, operation, found, wanted, random_below(wanted));
        cr_assert_eq(operations[operation].call(context, c->type, c->both, c->n,
                                                c->both + c->n * parscan_type_size(c->type), c->n2,
                                                NULL, 0, &count),
                     PARSCAN_OK);
        cr_assert_eq(count, wanted);
    }
    free(order);
    free(place);
    free(found);
}

static void expect_sorted_pair(parscan_context *context, const sorted_pair *pair)
{
    const size_t size = parscan_type_size(pair->type);
    char *const both = allocated((pair->n + pair->n2) * size);
    memcpy(both, pair->a, pair->n * size);
    memcpy(both + pair->n * size, pair->b, pair->n2 * size);
    expect_sets(context,
                &(set_case){.type = pair->type, .both = both, .n = pair->n, .n2 = pair->n2});
    free(both);
}

static void expect_every_pattern_of(parscan_type type)
{
    static const size_t lengths[][2] = {{30, 30}, {3, 700}, {700, 3}, {9001, 12011}};
    each_pattern_of_pairs(type, lengths, COUNT_OF(lengths), expect_sorted_pair);
}

#define X(ctx, NAME, number, name, ...)                     \
    Test(sets, of_every_pattern_are_those_of_a_loop_##name) \
    {                                                       \
        expect_every_pattern_of(PARSCAN_##NAME);            \
    }
PARSCAN_TYPES(X, )
#undef X

Test(sets, of_any_number_of_elements_to_20_each_are_right)
{
    each_length_of_pairs(20, expect_sorted_pair);
}

/* Runs of equal elements over the ends of parts. */
Test(sets, of_runs_are_right_on_1_2_3_and_7_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_EQUAL, KEYS_FEW, KEYS_ZIPF,
                                           KEYS_SORTED};
    for (size_t t = FIRST_OF_1_2_3_7_THREADS; t < COUNT_OF(threads); t++) {
        parscan_context *const context =
            test_context_with(PARSCAN_CONTEXT_OPTIONS(.threads = threads[t]));
        for (size_t k = 0; k < COUNT_OF(patterns); k++) {
            if (k > 0 && !takes_larger_case())
                continue;
            with_sorted_pair(context, expect_sorted_pair, k % 2 == 0 ? PARSCAN_U64 : PARSCAN_F32,
                             patterns[k], 120011, 90001);
            with_sorted_pair(context, expect_sorted_pair, PARSCAN_I64, patterns[k], 200003, 501);
        }
        parscan_context_destroy(context);
    }
}

/* Of elements that are equal and differ in bits, a's are taken. */
Test(sets, take_the_elements_of_a_and_tell_zeros_apart)
{
    parscan_context *const context = test_context();
    const float a[4] = {-0.0f, 0, 1, -NAN}, b[3] = {0, 0, NAN};
    float out[8];
    uint64_t count;
    cr_assert_eq(parscan_set_intersection(context, PARSCAN_F32, a, 4, b, 3, out, 8, &count),
                 PARSCAN_OK);
    cr_assert(count == 2 && !signbit(out[0]) && memcmp(&out[1], &a[3], sizeof *a) == 0);
    cr_assert_eq(parscan_set_union(context, PARSCAN_F32, a, 4, b, 3, out, 8, &count), PARSCAN_OK);
    cr_assert(count == 5 && signbit(out[0]) && !signbit(out[2]) &&
              memcmp(&out[4], &a[3], sizeof *a) == 0);
    parscan_context_destroy(context);
}

Test(sets, of_arrays_that_are_not_sorted_stay_inside)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 8 * TYPES; k++) {
        const parscan_type type = all_types[k % TYPES];
        const size_t size = parscan_type_size(type), n = random_below(k % 5 == 0 ? 90001 : 2000);
        const size_t n2 = random_below(n + 1), room = n / 2;
        char *const a = patterned_keys(type, k % 2 == 0 ? KEYS_RANDOM : KEYS_REVERSED_FEW, n);
        char *const b = patterned_keys(type, k % 3 == 0 ? KEYS_EQUAL : KEYS_RANDOM, n2);
        char *const out = allocated((room + GUARD) * size);
        uint64_t count;
        memset(out, 0xa5, (room + GUARD) * size);
        const parscan_status status =
            operations[k / TYPES % OPERATIONS].call(context, type, a, n, b, n2, out, room, &count);
        cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_CAPACITY);
        for (size_t i = 0; i < GUARD * size; i++)
            cr_assert_eq((unsigned char)out[room * size + i], 0xa5);
        free(a);
        free(b);
        free(out);
    }
    parscan_context_destroy(context);
}

/* ---- arguments ---- */

#define INVALID(words, ...)                                                                      \
    do {                                                                                         \
        parscan_context *const context = test_context();                                         \
        for (size_t k = 0; k < OPERATIONS; k++) {                                                \
            cr_assert_eq(operations[k].call(context, __VA_ARGS__),                               \
                         PARSCAN_ERROR_INVALID_ARGUMENT);                                        \
            cr_assert_not_null(strstr(parscan_context_error(context), words), "\"%s\" lacks %s", \
                               parscan_context_error(context), words);                           \
        }                                                                                        \
        parscan_context_destroy(context);                                                        \
    } while (0)

Test(arguments, that_are_wrong_are_named)
{
    uint32_t a[8] = {1, 2}, b[8] = {1, 4}, out[8] = {9};
    uint64_t count = 5;
    INVALID("type = 99", (parscan_type)99, a, 2, b, 2, out, 8, &count);
    INVALID("a is NULL", PARSCAN_U32, NULL, 2, b, 2, out, 8, &count);
    INVALID("b is NULL", PARSCAN_U32, a, 2, NULL, 2, out, 8, &count);
    INVALID("count is NULL", PARSCAN_U32, a, 2, b, 2, out, 8, NULL);
    INVALID("out", PARSCAN_U32, a, 2, b, 2, a, 8, &count);
    INVALID("address space", PARSCAN_U32, a, SIZE_MAX / 4, b, 2, out, 8, &count);
    cr_assert(count == 5 && out[0] == 9);
}

Test(lengths, are_those_of_both_arrays_and_a_capacity)
{
    parscan_context *const context = test_context();
    const uint32_t a[3] = {1, 1, 6}, b[3] = {1, 6, 6};
    const uint64_t two = 2, one = 1;
    uint32_t out[6] = {7, 7, 7, 7, 7, 7};
    uint64_t count;
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &two, .n2 = &one)), PARSCAN_OK);
    cr_assert_eq(parscan_set_union(context, PARSCAN_U32, a, 3, b, 3, out, 6, &count), PARSCAN_OK);
    cr_assert(count == 2 && out[1] == 1 && out[2] == 7);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 3)), PARSCAN_OK);
    cr_assert_eq(parscan_set_union(context, PARSCAN_U32, a, 3, b, 3, out, 6, &count),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert(count == 4 && out[2] == 6 && out[3] == 7);
    cr_assert_str_eq(parscan_context_error(context),
                     "lengths->out_capacity = 3: count = 4 exceeds it");
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 3)), PARSCAN_OK);
    cr_assert_eq(parscan_set_union(context, PARSCAN_U32, a, 3, b, 3, out, 2, &count),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert_str_eq(parscan_context_error(context), "capacity = 2: count = 4 exceeds it");
    parscan_context_destroy(context);
}
