/* How much scratch a sort takes, and every allocation of every sort failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/counting.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

/* Bytes that a sort may take for each thread beside its copies of the arrays. */
#define BESIDES ((size_t)2 << 20)
#define N 70001u

static size_t value_size_of(const sort_case *sort)
{
    return sort->index_type != 0 ? parscan_type_size(sort->index_type) : sort->value_size;
}

static size_t allowed_bytes(const sort_case *sort, unsigned threads)
{
    const size_t keys = sort->index_type != 0 ? 2 : 1;
    return sort->n * (keys * parscan_type_size(sort->type) + value_size_of(sort)) +
           threads * BESIDES;
}

/* The values do not matter; random keys are those that nothing is spared for. */
static void expect_little_memory(sort_case sort, const void *keys, unsigned threads)
{
    counting c = counting_begin(NEVER);
    parscan_context_options options = counting_options(&c);
    options.threads = threads;
    parscan_context *const context = test_context_with(options);
    const size_t at_rest = c.live_bytes;
    void *const keys_out = malloc(sort.n * sizeof(uint64_t) + 1);
    void *const values = calloc(sort.n + 1, value_size_of(&sort) + 1);
    const sort_arrays arrays = {keys, keys_out, value_size_of(&sort) == 0 ? NULL : values,
                                value_size_of(&sort) == 0 ? NULL : values};
    cr_assert_eq(call_sort(context, &sort, sort.cut == NULL ? NULL : &sort.cut->segments, arrays),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_leq(c.most_bytes - at_rest, allowed_bytes(&sort, threads),
                  "%zu bytes for %zu %s, values of %zu, index type %d on %u threads",
                  c.most_bytes - at_rest, sort.n, parscan_type_name(sort.type), sort.value_size,
                  (int)sort.index_type, threads);
    const size_t calls = c.calls;
    call_sort(context, &sort, sort.cut == NULL ? NULL : &sort.cut->segments, arrays);
    cr_assert_eq(c.calls, calls, "the same call once more allocated");
    parscan_context_destroy(context);
    counting_end(&c);
    free(keys_out);
    free(values);
}

Test(scratch, is_a_copy_of_the_arrays_and_2_MiB_for_each_thread_at_most)
{
    static const size_t lengths[] = {0, 1, 3, 1000, 100003, (1u << 20) + 7};
    static const unsigned threads[] = {1, 2, 64};
    static const parscan_type types[] = {PARSCAN_U8, PARSCAN_I16, PARSCAN_F32, PARSCAN_U64};
    const size_t step = LESS_UNDER_SANITIZER(1, 3);
    for (size_t k = 0; k < COUNT_OF(lengths) * COUNT_OF(types); k += step) {
        sort_case sort = {.type = types[k % COUNT_OF(types)], .n = lengths[k / COUNT_OF(types)]};
        void *const keys = patterned_keys(sort.type, KEYS_RANDOM, sort.n);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            if (!takes_larger_case())
                continue;
            expect_little_memory(sort, keys, threads[t]);
            sort.value_size = 4;
            expect_little_memory(sort, keys, threads[t]);
            sort.value_size = 24;
            expect_little_memory(sort, keys, threads[t]);
            sort.value_size = 0;
            sort.index_type = t == 1 ? PARSCAN_U64 : PARSCAN_U32;
            expect_little_memory(sort, keys, threads[t]);
            sort.index_type = 0;
        }
        free(keys);
    }
}

Test(scratch, of_segments_is_a_copy_of_the_arrays_and_2_MiB_for_each_thread_at_most)
{
    static const size_t value_sizes[] = {0, 4, 64};
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t form = LESS_UNDER_SANITIZER(0, shape % 2); form < 5;
             form += LESS_UNDER_SANITIZER(1, 2)) {
            const segment_form as = all_segment_forms[form];
            cut_array cut = cut_create(300007, shape, as);
            sort_case sort = {.type = PARSCAN_U32, .n = cut.n, .cut = &cut};
            sort.value_size = value_sizes[(form + shape) % COUNT_OF(value_sizes)];
            void *const keys = patterned_keys(sort.type, KEYS_RANDOM, sort.n);
            expect_little_memory(sort, keys, 2);
            free(keys);
            cut_destroy(&cut);
        }
}

/* A context with the k-th allocation failing, made again if that was its own. */
static parscan_context *context_of(counting *c)
{
    const parscan_context_options options = counting_options(c);
    parscan_context *context = NULL;
    if (parscan_context_create(&context, &options) != PARSCAN_OK) {
        cr_assert(context == NULL && c->live == 0);
        cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    }
    return context;
}

/* Whether an allocation failed. What fails is OUT_OF_MEMORY, writes nothing, may be tried again, and
   leaves the context as good as before. */
static bool survives_failure(const sort_case *sort, size_t k, const void *keys, const size_t *order)
{
    const size_t key_bytes = sort->n * parscan_type_size(sort->type);
    const size_t value_bytes = sort->n * value_size_of(sort);
    void *const values = sort_values(value_size_of(sort), sort->n);
    char *const out = malloc(key_bytes + 1), *const values_out = malloc(value_bytes + 1);
    failing_run run = {.counted = counting_begin(k)};
    run.context = context_of(&run.counted);
    memcpy(out, keys, key_bytes);
    memcpy(values_out, values, value_bytes);
    const bool has_values = value_bytes > 0;
    const sort_arrays arrays = {sort->keys_in_place ? out : keys, out,
                                !has_values             ? NULL
                                : sort->values_in_place ? values_out
                                                        : values,
                                has_values ? values_out : NULL};
    const parscan_status status =
        call_sort(run.context, sort, sort->cut == NULL ? NULL : &sort->cut->segments, arrays);
    if (failing_check(&run, status)) {
        cr_assert(memcmp(out, keys, key_bytes) == 0, "a failed sort wrote keys");
        cr_assert(memcmp(values_out, values, value_bytes) == 0, "a failed sort wrote values");
    }
    expect_order(run.context, *sort, keys, order);
    free(values);
    free(out);
    free(values_out);
    return failing_end(&run);
}

/* Every k until no allocation is left to fail. */
static void expect_survival(sort_case sort)
{
    void *const keys = patterned_keys(sort.type, KEYS_RANDOM, sort.n);
    size_t *const order = sort_order(&sort, keys);
    size_t k = 0;
    while (survives_failure(&sort, k, keys, order))
        cr_assert_lt(++k, 100, "the allocations have no end");
    cr_assert_geq(k, 2, "neither the context nor scratch was allocated");
    free(keys);
    free(order);
}

Test(allocator, that_fails_at_any_call_of_a_sort_is_survived)
{
    static const size_t value_sizes[] = {0, 4, 8, 1, 33};
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_F64, PARSCAN_U8};
    const size_t step = LESS_UNDER_SANITIZER(1, 7);
    for (size_t k = 0; k < COUNT_OF(types) * COUNT_OF(value_sizes) * 2; k += step) {
        sort_case sort = {.type = types[k % COUNT_OF(types)], .n = N};
        sort.value_size = value_sizes[k / COUNT_OF(types) / 2];
        sort.keys_in_place = sort.values_in_place = k / COUNT_OF(types) % 2 != 0;
        expect_survival(sort);
    }
}

Test(allocator, that_fails_at_any_call_of_an_argsort_is_survived)
{
    for (size_t k = 0; k < 4; k++)
        expect_survival((sort_case){.type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_F64,
                                    .n = N,
                                    .index_type = k / 2 == 0 ? PARSCAN_U32 : PARSCAN_U64});
}

Test(allocator, that_fails_at_any_call_of_a_sort_of_segments_is_survived)
{
    static const segment_shape shapes[] = {ONE_SEGMENT, LONG_SEGMENTS, HUGE_AMONG_TINY};
    for (size_t k = 0; k < COUNT_OF(shapes) * 5; k += LESS_UNDER_SANITIZER(1, 2)) {
        const segment_form form = all_segment_forms[k % 5];
        cut_array cut = cut_create(N, shapes[k / 5], form);
        sort_case sort = {.type = PARSCAN_U32, .n = N, .cut = &cut, .value_size = k % 2 * 4};
        sort.keys_in_place = sort.values_in_place = k % 3 == 0;
        expect_survival(sort);
        cut_destroy(&cut);
    }
}

/* A sort keeps to the limit, or says that it cannot and leaves everything as it was. */
static bool keeps_to_the_limit(sort_case sort, size_t limit, const void *keys, const size_t *order)
{
    counting c = counting_begin(NEVER);
    parscan_context_options options = counting_options(&c);
    options.scratch_limit = limit;
    parscan_context *const context = test_context_with(options);
    const size_t at_rest = c.live_bytes;
    const size_t bytes = sort.n * (parscan_type_size(sort.type) + sort.value_size);
    unsigned char *const out = malloc(bytes), *const before = malloc(bytes);
    void *const values = sort_values(sort.value_size, sort.n);
    memset(out, 0xa5, bytes);
    memset(before, 0xa5, bytes);
    const sort_arrays arrays = {keys, out, sort.value_size == 0 ? NULL : values,
                                sort.value_size == 0 ? NULL
                                                     : out + sort.n * parscan_type_size(sort.type)};
    const parscan_status status = call_sort(context, &sort, NULL, arrays);
    if (status == PARSCAN_OK)
        expect_order(context, sort, keys, order);
    else {
        cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY);
        cr_assert_not_null(strstr(parscan_context_error(context), "scratch_limit"), "%s",
                           parscan_context_error(context));
        cr_assert_eq(memcmp(out, before, bytes), 0, "a failed sort wrote");
    }
    cr_assert_leq(c.most_bytes - at_rest, limit + 128);
    parscan_context_destroy(context);
    counting_end(&c);
    free(out);
    free(before);
    free(values);
    return status == PARSCAN_OK;
}

Test(scratch_limit, is_respected_named_and_survived)
{
    static const size_t limits[] = {1, 4321, 65536, 300000, 600000, 1u << 20, 1u << 22, 1u << 25};
    for (size_t k = 0; k < 4; k++) {
        sort_case sort = {.type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_F64, .n = N};
        sort.value_size = k / 2 * 4;
        void *const keys = patterned_keys(sort.type, KEYS_RANDOM, N);
        size_t *const order = sort_order(&sort, keys);
        for (size_t l = 0; l < COUNT_OF(limits); l++) {
            const bool kept = keeps_to_the_limit(sort, limits[l], keys, order);
            cr_assert(kept || limits[l] < allowed_bytes(&sort, 2), "%zu bytes are enough",
                      limits[l]);
        }
        free(keys);
        free(order);
    }
}
