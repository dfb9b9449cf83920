/* What a context holds for its calls, and memory that is reserved before the first of them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/fewer_cases.h"

static const unsigned thread_counts[] = {1, 2, 8};
static const size_t lengths[] = {1000, (1u << 15) + 3, (1u << 18) + 3};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static void call_primitive(size_t k, parscan_context *context, const primitive_inputs *in)
{
    char *const out = malloc(primitive_bytes(k, in));
    cr_assert_not_null(out);
    cr_assert_eq(primitive_run(k, context, in, out), PARSCAN_OK, "%s: %s", primitive_name(k),
                 parscan_context_error(context));
    free(out);
}

Test(scratch, of_no_context_and_of_a_new_one_is_none)
{
    cr_assert_eq(parscan_context_scratch(NULL), 0);
    cr_assert_eq(parscan_context_reserve(NULL, 1), PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_context *const context = cpu_context(2);
    cr_assert_eq(parscan_context_scratch(context), 0);
    cr_assert_eq(parscan_context_reserve(context, 0), PARSCAN_OK);
    cr_assert_eq(parscan_context_scratch(context), 0);
    parscan_context_destroy(context);
}

/* With what one context holds after a call, another one makes it without more. */
Test(scratch, that_is_reserved_is_enough_for_the_first_call)
{
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        primitive_inputs *const in = primitive_inputs_begin(lengths[l]);
        cr_assert_not_null(in);
        for (size_t k = 0; k < primitive_count() * COUNT_OF(thread_counts); k++) {
            if (!takes_larger_case())
                continue;
            const unsigned threads = thread_counts[k % COUNT_OF(thread_counts)];
            const size_t primitive = k / COUNT_OF(thread_counts);
            parscan_context *const first = cpu_context(threads), *const second =
                                                                     cpu_context(threads);
            call_primitive(primitive, first, in);
            const size_t needed = parscan_context_scratch(first);
            cr_assert_eq(parscan_context_reserve(second, needed), PARSCAN_OK);
            const size_t reserved = parscan_context_scratch(second);
            cr_assert(needed <= reserved && reserved <= needed + threads * ((size_t)2 << 20));
            call_primitive(primitive, second, in);
            /* context.h excepts choices of many elements, and sorts down columns */
            cr_assert(parscan_context_scratch(second) == reserved ||
                          strstr(primitive_name(primitive), "half") != NULL ||
                          strstr(primitive_name(primitive), "down columns") != NULL,
                      "%s of %zu elements on %u threads", primitive_name(primitive), lengths[l],
                      threads);
            parscan_context_destroy(first);
            parscan_context_destroy(second);
        }
        primitive_inputs_end(in);
    }
}

Test(scratch, that_is_reserved_is_enough_for_all_calls_together)
{
    primitive_inputs *const in = primitive_inputs_begin(lengths[2]);
    parscan_context *const first = cpu_context(4), *const second = cpu_context(4);
    for (size_t k = 0; k < primitive_count(); k++)
        call_primitive(k, first, in);
    cr_assert_eq(parscan_context_reserve(second, parscan_context_scratch(first)), PARSCAN_OK);
    const size_t reserved = parscan_context_scratch(second);
    for (size_t k = 0; k < primitive_count(); k++)
        call_primitive(k, second, in);
    cr_assert_eq(parscan_context_scratch(second), reserved);
    cr_assert_eq(parscan_context_reserve(second, 1), PARSCAN_OK);
    cr_assert_eq(parscan_context_scratch(second), reserved, "what is reserved is not given back");
    parscan_context_destroy(first);
    parscan_context_destroy(second);
    primitive_inputs_end(in);
}

Test(scratch, beyond_the_limit_or_the_memory_cannot_be_reserved)
{
    enum { LIMIT = 1 << 20 };
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 4,
                                .scratch_limit = LIMIT);
    parscan_context *context;
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    cr_assert_eq(parscan_context_reserve(context, LIMIT + 1), PARSCAN_ERROR_OUT_OF_MEMORY);
    cr_assert_not_null(strstr(parscan_context_error(context), "scratch_limit = 1048576"));
    cr_assert_eq(parscan_context_scratch(context), 0);
    cr_assert_eq(parscan_context_reserve(context, LIMIT), PARSCAN_OK);
    cr_assert_eq(parscan_context_scratch(context), LIMIT);
    parscan_context_destroy(context);

    context = cpu_context(4);
    cr_assert_eq(parscan_context_reserve(context, SIZE_MAX / 2), PARSCAN_ERROR_OUT_OF_MEMORY);
    cr_assert_eq(parscan_context_scratch(context), 0);
    parscan_context_destroy(context);
}
