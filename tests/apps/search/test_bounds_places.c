/* Searches for bounds touch nothing but their arrays, whatever these hold; bad arguments; lengths. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/lengths.h"
#include "parscan/search.h"
#include "tests/support/every_simd.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static char running[128];

enum { SORTED, VALUES, OUT, MEMORIES };

static void fill_randomly(void *array, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)array)[i] = (unsigned char)random_bits();
}

/* Keys that are not sorted: bounds are anything from 0 to count. */
static void expect_inside(parscan_context *context, const guarded *memory, parscan_type type,
                          size_t count, size_t n, bool at_end, bool upper, bool in_order)
{
    const size_t size = parscan_type_size(type);
    guarded_read_only(memory[SORTED], false);
    guarded_read_only(memory[VALUES], false);
    void *const sorted = guarded_array(memory[SORTED], count * size, at_end);
    void *const values = guarded_array(memory[VALUES], n * size, at_end);
    uint64_t *const out = guarded_array(memory[OUT], n * sizeof *out, at_end);
    fill_randomly(sorted, count * size);
    if (in_order)
        memset(values, 0x41, n * size);
    else
        fill_randomly(values, n * size);
    guarded_read_only(memory[SORTED], true);
    guarded_read_only(memory[VALUES], true);
    snprintf(running, sizeof running, "%s, %zu needles in %zu keys", parscan_type_name(type), n,
             count);
    cr_assert_eq((upper ? parscan_upper_bound : parscan_lower_bound)(context, type, sorted, count,
                                                                     values, n, PARSCAN_U64, out),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    for (size_t i = 0; i < n; i++)
        cr_assert_leq(out[i], count, "%s: bound %zu", running, i);
}

SimdTest(bounds, of_keys_that_are_not_sorted_stay_inside)
{
    static const size_t lengths[] = {0, 1, 3, 16, 17, 63, 65, 130, 1025, 9001};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, MOST = 9001 };
    guarded memory[MEMORIES];
    parscan_context *const context = test_context();
    guarded_watch(running);
    for (int k = 0; k < MEMORIES; k++)
        memory[k] = guarded_create(MOST * sizeof(uint64_t));
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < LENGTHS; i++)
            for (size_t k = 1; k < LENGTHS; k++)
                for (unsigned way = 0; way < 2; way++)
                    expect_inside(context, memory, all_types[t], lengths[i], lengths[k],
                                  (i + t) % 2, (k + way) % 2, way);
    for (int k = 0; k < MEMORIES; k++)
        guarded_destroy(memory[k]);
    parscan_context_destroy(context);
}

/* ---- arguments ---- */

static const uint32_t keys[] = {1, 3, 3, 7};
static const uint32_t needles[] = {3, 9, 0};

typedef struct call {
    parscan_type type, index_type;
    const void *sorted, *values;
    void *out;
    size_t count, n;
} call;

static uint32_t answer[3];

static call good_call(void)
{
    memset(answer, 0xa5, sizeof answer);
    return (call){PARSCAN_U32, PARSCAN_U32, keys, needles, answer, 4, 3};
}

static parscan_status make(parscan_context *context, const call *c, bool upper)
{
    return (upper ? parscan_upper_bound : parscan_lower_bound)(
        context, c->type, c->sorted, c->count, c->values, c->n, c->index_type, c->out);
}

#define REFUSED(status, name, value, ...)                                                       \
    for (int upper = 0; upper < 2; upper++) {                                                   \
        call c = good_call();                                                                   \
        __VA_ARGS__;                                                                            \
        cr_assert_eq(make(context, &c, upper), PARSCAN_ERROR_##status);                         \
        const char *const words = parscan_context_error(context);                               \
        cr_assert(strstr(words, name) != NULL && strstr(words, value) != NULL, "%s", words);    \
        cr_assert(answer[0] == 0xa5a5a5a5 && answer[1] == 0xa5a5a5a5, "something was written"); \
    }

Test(bounds, of_bad_arguments_are_refused_in_words)
{
    parscan_context *const context = test_context();
    const call good = good_call();
    cr_assert_eq(make(context, &good, false), PARSCAN_OK);
    cr_assert(answer[0] == 1 && answer[1] == 4 && answer[2] == 0);
    cr_assert_eq(make(NULL, &good, false), PARSCAN_ERROR_INVALID_ARGUMENT);
    REFUSED(INVALID_ARGUMENT, "type", "99", c.type = (parscan_type)99)
    REFUSED(INVALID_ARGUMENT, "index_type", "0", c.index_type = (parscan_type)0)
    REFUSED(INVALID_ARGUMENT, "index_type", "f32", c.index_type = PARSCAN_F32)
    REFUSED(INVALID_ARGUMENT, "sorted", "NULL", c.sorted = NULL)
    REFUSED(INVALID_ARGUMENT, "values", "NULL", c.values = NULL)
    REFUSED(INVALID_ARGUMENT, "out", "NULL", c.out = NULL)
    REFUSED(INVALID_ARGUMENT, "count", "4294967296", c.count = (size_t)1 << 32)
    REFUSED(INVALID_ARGUMENT, "count", "i32", c.count = (size_t)1 << 31, c.index_type = PARSCAN_I32)
    REFUSED(INVALID_ARGUMENT, "9223372036854775807", "address space", c.n = SIZE_MAX / 2)
    REFUSED(INVALID_ARGUMENT, "9223372036854775807", "address space", c.count = SIZE_MAX / 2,
            c.index_type = PARSCAN_U64)
    parscan_context_destroy(context);
}

Test(bounds, need_no_arrays_that_are_empty)
{
    parscan_context *const context = test_context();
    call c = good_call();
    c.n = 0;
    c.values = NULL;
    c.out = NULL;
    cr_assert_eq(make(context, &c, false), PARSCAN_OK);
    c = good_call();
    c.count = 0;
    c.sorted = NULL;
    cr_assert_eq(make(context, &c, true), PARSCAN_OK);
    cr_assert(answer[0] == 0 && answer[1] == 0 && answer[2] == 0);
    parscan_context_destroy(context);
}

Test(bounds, take_both_lengths)
{
    parscan_context *const context = test_context();
    const uint64_t two = 2, five = 5;
    call c = good_call();
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &two)), PARSCAN_OK);
    cr_assert_eq(make(context, &c, true), PARSCAN_OK);
    cr_assert(answer[0] == 2 && answer[1] == 2 && answer[2] == 0);
    c = good_call();
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n2 = &two)), PARSCAN_OK);
    cr_assert_eq(make(context, &c, true), PARSCAN_OK);
    cr_assert(answer[0] == 3 && answer[1] == 4 && answer[2] == 0xa5a5a5a5);
    c = good_call();
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &five, .n2 = &two)),
                 PARSCAN_OK);
    cr_assert_eq(make(context, &c, true), PARSCAN_ERROR_CAPACITY);
    cr_assert(answer[0] == 3 && answer[1] == 4 && answer[2] == 0xa5a5a5a5);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 1)), PARSCAN_OK);
    cr_assert_eq(make(context, &c, true), PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}
