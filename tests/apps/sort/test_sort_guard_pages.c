/* Nothing next to an array is read or written, and inputs are only read: every array lies against a
   page that ends the process when it is touched, inputs in pages without writing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/guarded.h"
#include "tests/support/key_patterns.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

static const size_t sizes[] = {0,   1,   2,   3,   4,   5,   7,    8,    9,   15,
                               16,  17,  31,  32,  33,  63,  64,   65,   99,  127,
                               129, 255, 257, 300, 511, 513, 1025, 2049, 4097};
#define LARGEST 150001u

/* The case that runs, for the message of a process that dies. */
static char running[SORT_WORDS];

enum { KEYS_IN, KEYS_OUT, VALUES_IN, VALUES_OUT, SEGMENTS, ARRAYS };

typedef struct bench {
    parscan_context *context;
    guarded memory[ARRAYS];
} bench;

static bench bench_create(size_t elements, size_t value_size, unsigned threads)
{
    guarded_watch(running);
    bench b = {.context = test_context_with((parscan_context_options){.threads = threads})};
    for (int k = 0; k < ARRAYS; k++) {
        const size_t size = k == VALUES_IN || k == VALUES_OUT ? value_size : sizeof(uint64_t);
        b.memory[k] = guarded_create((elements + 2048) * size);
    }
    return b;
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    for (int k = 0; k < ARRAYS; k++)
        guarded_destroy(b->memory[k]);
}

/* The array at one guard, with what is copied to it; inputs cannot be written from then on. */
static void *placed(const bench *b, int which, size_t bytes, bool at_end, const void *from)
{
    const bool is_input = which == KEYS_IN || which == VALUES_IN || which == SEGMENTS;
    void *const array = guarded_array(b->memory[which], bytes, at_end);
    guarded_read_only(b->memory[which], false);
    if (from != NULL && bytes > 0)
        memcpy(array, from, bytes);
    guarded_read_only(b->memory[which], is_input);
    return array;
}

static void expect_inside(const bench *b, const sort_case *sort, bool at_end, const void *keys,
                          const size_t *order)
{
    const size_t value_size =
        sort->index_type != 0 ? parscan_type_size(sort->index_type) : sort->value_size;
    const size_t key_bytes = sort->n * parscan_type_size(sort->type);
    const size_t value_bytes = sort->n * value_size;
    void *const values = sort_values(value_size, sort->n);
    sort_arrays a = {
        .keys_in = placed(b, KEYS_IN, key_bytes, at_end, keys),
        .keys_out = placed(b, KEYS_OUT, key_bytes, at_end, sort->keys_in_place ? keys : NULL),
        .values_in = placed(b, VALUES_IN, value_bytes, at_end, values),
        .values_out =
            placed(b, VALUES_OUT, value_bytes, at_end, sort->values_in_place ? values : NULL)};
    if (sort->keys_in_place)
        a.keys_in = a.keys_out;
    if (sort->values_in_place)
        a.values_in = a.values_out;
    if (value_size == 0)
        a.values_in = a.values_out = NULL;
    parscan_segments segments;
    if (sort->cut != NULL) {
        segments = sort->cut->segments;
        segments.data = placed(b, SEGMENTS, sort->cut->bytes, at_end, segments.data);
    }
    char words[SORT_WORDS], described[SORT_WORDS];
    describe_sort(sort, at_end ? "arrays end at a guard" : "arrays begin at a guard", running);
    cr_assert_eq(call_sort(b->context, sort, sort->cut == NULL ? NULL : &segments, a), PARSCAN_OK,
                 "%s", parscan_context_error(b->context));
    if (!sorted_is_right(sort, keys, values, order, a, words)) {
        describe_sort(sort, words, described);
        cr_assert_fail("%s", described);
    }
    free(values);
}

/* Both guards, in place and not, either direction. */
static void expect_every_place(const bench *b, sort_case sort, key_pattern pattern)
{
    sort.options.descending = random_below(2) == 0;
    void *const keys = patterned_keys(sort.type, pattern, sort.n);
    size_t *const order = sort_order(&sort, keys);
    for (unsigned place = 0; place < 8; place++) {
        sort.keys_in_place = place & 1;
        sort.values_in_place = place >> 1 & 1;
        if (sort.value_size == 0 && sort.values_in_place)
            continue;
        expect_inside(b, &sort, place >> 2 & 1, keys, order);
    }
    free(keys);
    free(order);
}

static void expect_every_size_of(parscan_type type)
{
    static const size_t value_sizes[] = {0, 1, 2, 3, 4, 8, 12, 16, 64};
    bench b = bench_create(4097, 64, 2);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        sort_case sort = {.type = type, .n = sizes[s]};
        for (size_t v = 0; v < COUNT_OF(value_sizes); v++) {
            sort.value_size = value_sizes[v];
            expect_every_place(&b, sort, v % 2 == 0 ? KEYS_RANDOM : KEYS_FEW);
        }
        sort.value_size = 0;
        expect_every_place(&b, sort, KEYS_SORTED);
        expect_every_place(&b, sort, KEYS_REVERSED);
        sort.index_type = sizes[s] % 2 == 0 ? PARSCAN_U32 : PARSCAN_U64;
        expect_every_place(&b, sort, KEYS_RANDOM);
    }
    bench_destroy(&b);
}

#define X(ctx, NAME, number, name, ...)                       \
    SimdTest(sort, touches_nothing_next_to_its_arrays_##name) \
    {                                                         \
        expect_every_size_of(PARSCAN_##NAME);                 \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(sort, of_long_arrays_touches_nothing_next_to_them)
{
    static const size_t value_sizes[] = {0, 4, 8, 1, 16};
    bench b = bench_create(LARGEST, 16, 3);
    for (size_t t = 0; t < TYPES; t++) {
        sort_case sort = {.type = all_types[t], .n = LARGEST - t};
        sort.value_size = value_sizes[t % COUNT_OF(value_sizes)];
        expect_every_place(&b, sort, KEYS_RANDOM);
    }
    bench_destroy(&b);
}

SimdTest(sort_segments, touches_nothing_next_to_its_arrays)
{
    static const size_t lengths[] = {1, 2, 3, 33, 100, 1000, 3001, 40009};
    bench b = bench_create(2 * 40009, 8, 2);
    for (size_t k = 0; k < SEGMENT_FORMS * SEGMENT_SHAPES; k++)
        for (size_t s = 0; s < COUNT_OF(lengths); s++) {
            const segment_form form = all_segment_forms[k % SEGMENT_FORMS];
            if (lengths[s] == 40009 && random_below(5) != 0)
                continue;
            cut_array cut = cut_create(lengths[s], (segment_shape)(k / SEGMENT_FORMS), form);
            sort_case sort = {.type = all_types[(k + s) % TYPES], .n = lengths[s], .cut = &cut};
            sort.value_size = k % 3 * 4;
            expect_every_place(&b, sort, KEYS_RANDOM);
            cut_destroy(&cut);
        }
    bench_destroy(&b);
}
