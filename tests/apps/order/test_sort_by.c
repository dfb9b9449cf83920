/* Sorts by an order of the caller's, and runs by an equality. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/operator.h"
#include "tests/support/counting.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test_engine.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* An element starts with a key of one, two or four bytes; the number of its place follows, as much of it as there is room
   for. */
static size_t key_bytes(size_t size)
{
    return size >= 8 ? 4 : size >= 4 ? 2 : 1;
}

static uint32_t key_of(const uint8_t *element, size_t size)
{
    uint32_t key = 0;
    for (size_t k = 0; k < key_bytes(size); k++)
        key |= (uint32_t)element[k] << 8 * k;
    return key;
}

static void relate_keys(const void *a, const void *b, uint8_t *flags, size_t n, const void *state,
                        bool equal)
{
    const size_t size = *(const size_t *)state;
    const size_t alignment = size & (~size + 1) & 31;
    if (n == 0 ||
        (alignment != 0 && ((uintptr_t)a | (uintptr_t)b) % (alignment < 16 ? alignment : 16)))
        abort();
    for (size_t k = 0; k < n; k++) {
        const uint32_t x = key_of((const uint8_t *)a + k * size, size);
        const uint32_t y = key_of((const uint8_t *)b + k * size, size);
        flags[k] = equal ? x == y : x < y;
    }
}

static void less_keys(const void *a, const void *b, uint8_t *flags, size_t n, const void *state)
{
    relate_keys(a, b, flags, n, state, false);
}

static void equal_keys(const void *a, const void *b, uint8_t *flags, size_t n, const void *state)
{
    relate_keys(a, b, flags, n, state, true);
}

/* The same for CUDA, and, by another name, what is no order. */
static const char text[] =
    "struct element { uint8_t of[SIZE]; };\n"
    "__device__ uint32_t key_of(const element &x) {\n"
    "    uint32_t key = 0;\n"
    "    for (unsigned k = 0; k < (SIZE >= 8 ? 4 : SIZE >= 4 ? 2 : 1); k++)\n"
    "        key |= (uint32_t)x.of[k] << 8 * k;\n"
    "    return key;\n"
    "}\n"
    "__device__ bool less_keys(element a, element b, const void *state)\n"
    "{ return key_of(a) < key_of(b); }\n"
    "__device__ bool equal_keys(element a, element b, const void *state)\n"
    "{ return key_of(a) == key_of(b); }\n"
    "__device__ bool say_anything(element a, element b, const void *state)\n"
    "{ return (key_of(a) * 31 + key_of(b)) * 2654435761u >> 31; }\n";

static parscan_operator *relation(parscan_relate_function relate, size_t size)
{
    parscan_operator *op;
    char source[sizeof text + 64];
    snprintf(source, sizeof source, "#define SIZE %zu\n%s#undef SIZE\n", size, text);
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(.kind = PARSCAN_OPERATOR_RELATION, .element_size = size,
                                 .relate = relate, .cuda_source = source, .cuda_type = "element",
                                 .cuda_function = relate == less_keys    ? "less_keys"
                                                  : relate == equal_keys ? "equal_keys"
                                                                         : "say_anything",
                                 .state = &size, .state_size = sizeof size);
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    return op;
}

typedef enum pattern { FEW_KEYS, MANY_KEYS, ASCENDING, DESCENDING, EQUAL, RUNS, PATTERNS } pattern;

static uint8_t *elements_of(size_t size, size_t n, pattern p)
{
    uint8_t *const elements = calloc(n + 1, size);
    for (size_t i = 0; i < n; i++) {
        const uint32_t random = (uint32_t)random_bits();
        const uint32_t keys[PATTERNS] = {random % 7,        random, (uint32_t)i,
                                         (uint32_t)(n - i), 5,      (uint32_t)(i / 5)};
        uint8_t *const element = elements + i * size;
        for (size_t k = 0; k < key_bytes(size); k++)
            element[k] = (uint8_t)(keys[p] >> 8 * k);
        for (size_t k = key_bytes(size); k < size; k++)
            element[k] = (uint8_t)(i >> 8 * (k - key_bytes(size)) % 32);
    }
    return elements;
}

/* The oracle: places ordered by key, then by place, by the C library. */
typedef struct placed {
    uint32_t key;
    size_t place;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *const x = a, *const y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static uint8_t *sorted(const uint8_t *elements, size_t size, size_t n)
{
    placed *const order = malloc((n + 1) * sizeof *order);
    uint8_t *const out = malloc((n + 1) * size);
    for (size_t i = 0; i < n; i++)
        order[i] = (placed){key_of(elements + i * size, size), i};
    qsort(order, n, sizeof *order, compare_placed);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * size, elements + order[i].place * size, size);
    free(order);
    return out;
}

typedef struct sort_case {
    size_t size, n;
    pattern pattern;
    bool in_place;
    unsigned in_offset, out_offset;
} sort_case;

static void expect_sorted(parscan_context *context, const parscan_operator *less, sort_case c)
{
    const size_t bytes = c.n * c.size;
    uint8_t *const elements = elements_of(c.size, c.n, c.pattern);
    uint8_t *const right = sorted(elements, c.size, c.n);
    uint8_t *const a = malloc(bytes + 64), *const b = malloc(bytes + 65);
    uint8_t *const in = a + c.in_offset, *const out = c.in_place ? in : b + c.out_offset;
    memcpy(in, elements, bytes);
    memset(b, 0xa5, bytes + 65);
    const parscan_status status = parscan_sort_by(context, less, in, out, c.n);
    if (status != PARSCAN_OK || memcmp(out, right, bytes) != 0 ||
        (!c.in_place && (out[bytes] != 0xa5 || memcmp(in, elements, bytes) != 0)))
        cr_assert_fail(
            "%zu elements of %zu bytes, pattern %d, in place %d, offsets %u, %u: %d (%s)", c.n,
            c.size, c.pattern, c.in_place, c.in_offset, c.out_offset, status,
            parscan_context_error(context));
    free(elements);
    free(right);
    free(a);
    free(b);
}

SimdTest(sort_by, is_right_and_stable_for_every_size)
{
    static const size_t lengths[] = {0, 1, 2, 15, 16, 17, 31, 100, 4097, 16385};
    parscan_context *const context = test_context();
    for (size_t size = 1; size <= 64; size += size < 16 ? 1 : 6) {
        parscan_operator *const less = relation(less_keys, size);
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            if (!takes_larger_case())
                continue;
            sort_case c = {
                .size = size, .n = lengths[k], .pattern = (pattern)((k + size) % PATTERNS)};
            expect_sorted(context, less, c);
            c.in_place = true;
            c.pattern = FEW_KEYS;
            expect_sorted(context, less, c);
        }
        parscan_operator_destroy(less);
    }
    parscan_context_destroy(context);
}

/* One thread has long lanes from so many elements on. */
Test(sort_by, is_right_where_lanes_are_long)
{
    parscan_operator *const less = relation(less_keys, 8);
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    expect_sorted(context, less, (sort_case){.size = 8, .n = 260001, .pattern = MANY_KEYS});
    parscan_context_destroy(context);
    parscan_operator_destroy(less);
}

SimdTest(sort_by, is_right_for_every_pattern_and_with_several_threads)
{
    static const size_t lengths[] = {32769, 65536, 70003};
    parscan_operator *const less = relation(less_keys, 16);
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (int p = 0; p < PATTERNS; p++)
            for (int mode = 0; mode < 4; mode++)
                if (takes_larger_case())
                    expect_sorted(context, less,
                                  (sort_case){.size = 16,
                                              .n = lengths[(p + mode) % 3],
                                              .pattern = (pattern)p,
                                              .in_place = mode % 2,
                                              .in_offset = mode / 2 * 3,
                                              .out_offset = mode / 2 * 5});
        parscan_context_destroy(context);
    }
    parscan_operator_destroy(less);
}

static void say_anything(const void *a, const void *b, uint8_t *flags, size_t n, const void *state)
{
    (void)a, (void)b, (void)state;
    for (size_t k = 0; k < n; k++)
        flags[k] = random_bits() & 1;
}

Test(sort_by, of_no_order_ends_and_stays_inside)
{
    enum { N = 20000 };
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    parscan_operator *const less = relation(say_anything, 8);
    uint8_t *const in = elements_of(8, N, MANY_KEYS), *const out = malloc(8 * N + 1);
    out[8 * N] = 0xa5;
    for (int k = 0; k < 10; k++)
        cr_assert_eq(parscan_sort_by(context, less, in, out, N), PARSCAN_OK);
    cr_assert_eq(out[8 * N], 0xa5);
    parscan_operator_destroy(less);
    parscan_context_destroy(context);
    free(in);
    free(out);
}

/* A key and its opposite: other bytes are no element. */
typedef struct sealed {
    float key, opposite;
} sealed;

static bool is_sealed(const sealed *x)
{
    uint32_t key, opposite;
    memcpy(&key, &x->key, sizeof key);
    memcpy(&opposite, &x->opposite, sizeof opposite);
    return key == ~opposite;
}

static sealed sealed_of(float key)
{
    sealed x = {.key = key};
    uint32_t bits;
    memcpy(&bits, &key, sizeof bits);
    bits = ~bits;
    memcpy(&x.opposite, &bits, sizeof bits);
    return x;
}

/* < of floats, which is no order where there are NaNs. */
static void less_sealed(const void *a, const void *b, uint8_t *flags, size_t n, const void *state)
{
    const sealed *const x = a, *const y = b;
    (void)state;
    for (size_t k = 0; k < n; k++) {
        if (!is_sealed(x + k) || !is_sealed(y + k))
            abort();
        flags[k] = x[k].key < y[k].key;
    }
}

/* An element may hold a pointer that the caller's function follows. */
SimdTest(sort_by, of_no_order_gets_and_gives_elements_of_the_array_alone)
{
    static const size_t lengths[] = {20, 300, 5000, 70000};
    parscan_operator *const less = relation(less_sealed, sizeof(sealed));
    for (unsigned threads = FEWEST_THREADS; threads <= 2; threads++) {
        parscan_context *const context = test_context_with(
            (parscan_context_options){.backend = PARSCAN_BACKEND_CPU, .threads = threads});
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            const size_t n = lengths[k];
            sealed *const in = malloc(n * sizeof *in), *const out = calloc(n, sizeof *out);
            for (size_t i = 0; i < n; i++)
                in[i] = sealed_of(random_bits() % 4 == 0 ? NAN : (float)(random_bits() % 1000));
            cr_assert_eq(parscan_sort_by(context, less, in, out, n), PARSCAN_OK);
            for (size_t i = 0; i < n; i++)
                cr_assert(is_sealed(out + i), "result %zu of %zu", i, n);
            free(in);
            free(out);
        }
        parscan_context_destroy(context);
    }
    parscan_operator_destroy(less);
}

static void expect_runs(parscan_context *context, const parscan_operator *equal, sort_case c)
{
    const size_t bytes = c.n * c.size;
    uint8_t *const in = malloc(bytes + 64), *const out = malloc(bytes + 64);
    uint8_t *const elements = elements_of(c.size, c.n, c.pattern), *const right = malloc(bytes + 1);
    memcpy(in + c.in_offset, elements, bytes);
    size_t runs = 0;
    for (size_t i = 0; i < c.n; i++)
        if (i == 0 ||
            key_of(elements + i * c.size, c.size) != key_of(elements + (i - 1) * c.size, c.size))
            memcpy(right + runs++ * c.size, elements + i * c.size, c.size);
    uint64_t count = 77;
    uint8_t *const to = c.in_place ? in + c.in_offset : out;
    cr_assert_eq(parscan_unique_by(context, equal, in + c.in_offset, to, c.n, &count), PARSCAN_OK,
                 "%s", parscan_context_error(context));
    cr_assert_eq(count, runs);
    cr_assert_eq(memcmp(to, right, runs * c.size), 0);
    memcpy(in + c.in_offset, elements, bytes);
    cr_assert_eq(parscan_unique_by(context, equal, in + c.in_offset, NULL, c.n, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, runs);
    free(in);
    free(out);
    free(elements);
    free(right);
}

SimdTest(unique_by, keeps_the_first_of_each_run)
{
    static const size_t sizes[] = {1, 3, 8, 24, 64}, lengths[] = {0, 1, 2, 130, 5000, 70001};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        parscan_operator *const equal = relation(equal_keys, sizes[s]);
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            for (int mode = 0; mode < 4; mode++)
                if (takes_larger_case())
                    expect_runs(context, equal,
                                (sort_case){.size = sizes[s],
                                            .n = lengths[k],
                                            .in_place = mode % 2,
                                            .pattern = mode < 2 ? RUNS : FEW_KEYS,
                                            .in_offset = (unsigned)mode});
        parscan_operator_destroy(equal);
    }
    parscan_context_destroy(context);
}

static void add_bytes(const void *a, const void *b, void *out, size_t n, const void *state)
{
    (void)state;
    for (size_t k = 0; k < n; k++)
        ((uint8_t *)out)[k] = (uint8_t)(((const uint8_t *)a)[k] + ((const uint8_t *)b)[k]);
}

Test(sort_by, that_is_wrong_is_refused)
{
    parscan_context *const context = test_context();
    parscan_operator *const less = relation(less_keys, 1);
    parscan_operator *sum;
    uint8_t in[4] = {2, 1, 4, 3}, out[4] = {9, 9, 9, 9};
    uint64_t count;
    const parscan_operator_options options =
        PARSCAN_OPERATOR_OPTIONS(.element_size = 1, .combine = add_bytes);
    cr_assert_eq(parscan_operator_create(&sum, &options), PARSCAN_OK);
    expect_invalid(context, parscan_sort_by(context, NULL, in, out, 4), "less is NULL");
    expect_invalid(context, parscan_sort_by(context, sum, in, out, 4), "kind 0");
    expect_invalid(context, parscan_sort_by(context, less, NULL, out, 4), "in is NULL");
    expect_invalid(context, parscan_sort_by(context, less, in, NULL, 4), "out is NULL");
    expect_invalid(context, parscan_sort_by(context, less, in, in + 1, 3), "overlap");
    expect_invalid(context, parscan_unique_by(context, NULL, in, out, 4, &count), "equal is NULL");
    expect_invalid(context, parscan_unique_by(context, less, in, out, 4, NULL), "count is NULL");
    expect_invalid(context, parscan_unique_by(context, less, NULL, out, 4, &count), "in is NULL");
    expect_invalid(
        context,
        parscan_reduce(context, PARSCAN_CUSTOM, in, out, 4, &PARSCAN_SCAN_OPTIONS(.custom = less)),
        "kind 1");
    cr_assert_eq(parscan_sort_by(NULL, less, in, out, 4), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert(out[0] == 9 && out[3] == 9);
    parscan_operator_destroy(sum);
    parscan_operator_destroy(less);
    parscan_context_destroy(context);
}

typedef struct relations {
    parscan_operator *less, *equal;
} relations;

static parscan_status order_failing(parscan_context *context, void *state)
{
    const relations *const r = state;
    uint8_t *const in = elements_of(16, 50000, FEW_KEYS), *const out = malloc(800000);
    uint64_t count;
    parscan_status status = parscan_sort_by(context, r->less, in, out, 50000);
    cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_OUT_OF_MEMORY);
    status = parscan_unique_by(context, r->equal, in, out, 50000, &count);
    free(in);
    free(out);
    return status;
}

static void expect_failing(parscan_context *context, void *state)
{
    const relations *const r = state;
    expect_sorted(context, r->less, (sort_case){.size = 16, .n = 50000, .pattern = FEW_KEYS});
    expect_runs(context, r->equal, (sort_case){.size = 16, .n = 50000, .pattern = RUNS});
}

Test(sort_by, survives_every_allocation_that_fails)
{
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return; /* most allocations are of contexts */
    relations r = {relation(less_keys, 16), relation(equal_keys, 16)};
    cr_assert_geq(fail_every_allocation(&(failing_test){order_failing, expect_failing, &r}), 2);
    parscan_operator_destroy(r.less);
    parscan_operator_destroy(r.equal);
}

Test(sort_by, is_measured_without_running)
{
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return; /* tests/cuda/test_measure_cuda.c */
    parscan_operator *const less = relation(less_keys, 16);
    uint8_t *const in = elements_of(16, 50000, FEW_KEYS), *const out = calloc(50000, 16);
    parscan_context *const real = test_context_with((parscan_context_options){.threads = 2});
    parscan_context *const measuring =
        test_context_with((parscan_context_options){.threads = 2, .measure = 1});
    uint64_t count = 0, most = 0;
    for (int way = 0; way < 2; way++) {
        parscan_context *const context = way == 0 ? measuring : real;
        cr_assert_eq(parscan_sort_by(context, less, in, out, 50000), PARSCAN_OK);
        cr_assert_eq(parscan_unique_by(context, less, in, NULL, 50000, way == 0 ? &most : &count),
                     PARSCAN_OK);
        cr_assert(way == 1 || (out[0] == 0 && out[799999] == 0));
    }
    cr_assert_eq(most, 50000);
    cr_assert_eq(parscan_context_scratch(measuring), parscan_context_scratch(real));
    parscan_context_destroy(real);
    parscan_context_destroy(measuring);
    parscan_operator_destroy(less);
    free(in);
    free(out);
}
