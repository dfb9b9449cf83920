/* Memory of a context: parscan_malloc, parscan_free, parscan_copy. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/test_engine.h"

#define INVALID PARSCAN_ERROR_INVALID_ARGUMENT

Test(memory, is_aligned_to_a_cache_line)
{
    parscan_context *const context = test_context();
    for (size_t size = 1; size < 5000; size = size * 3 / 2 + 1) {
        void *pointer;
        cr_assert_eq(parscan_malloc(context, &pointer, size), PARSCAN_OK);
        cr_assert_eq((uintptr_t)pointer % 64, 0, "%zu bytes", size);
        cr_assert_eq(parscan_free(context, pointer), PARSCAN_OK);
    }
    parscan_context_destroy(context);
}

Test(memory, is_copied_in_and_out)
{
    parscan_context *const context = test_context();
    unsigned char in[1000], out[1000] = {0};
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7);
    void *first, *second;
    cr_assert_eq(parscan_malloc(context, &first, sizeof in), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(context, &second, sizeof in), PARSCAN_OK);
    cr_assert_neq(first, second);
    cr_assert_eq(parscan_copy(context, first, in, sizeof in), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, second, first, sizeof in), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, out, second, sizeof in - 1), PARSCAN_OK);
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    cr_assert_eq(memcmp(out, in, sizeof in - 1), 0);
    cr_assert_eq(out[sizeof out - 1], 0);
    cr_assert_eq(parscan_free(context, first), PARSCAN_OK);
    cr_assert_eq(parscan_free(context, second), PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(memory, of_no_bytes_is_null_and_may_be_freed)
{
    parscan_context *const context = test_context();
    int something;
    void *pointer = &something;
    cr_assert_eq(parscan_malloc(context, &pointer, 0), PARSCAN_OK);
    cr_assert_null(pointer);
    cr_assert_eq(parscan_free(context, NULL), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, NULL, NULL, 0), PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(memory, beyond_the_machine_is_out_of_memory)
{
    parscan_context *const context = test_context();
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX - 80, SIZE_MAX / 2};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        int something;
        void *pointer = &something;
        cr_assert_eq(parscan_malloc(context, &pointer, sizes[k]), PARSCAN_ERROR_OUT_OF_MEMORY);
        cr_assert_null(pointer);
        char value[32];
        snprintf(value, sizeof value, "%zu", sizes[k]);
        cr_assert_not_null(strstr(parscan_context_error(context), value), "%s",
                           parscan_context_error(context));
    }
    void *pointer;
    cr_assert_eq(parscan_malloc(context, &pointer, 100), PARSCAN_OK);
    cr_assert_eq(parscan_free(context, pointer), PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(memory, names_the_argument_that_is_null)
{
    parscan_context *const context = test_context();
    char byte = 1;
    void *pointer = &byte;
    cr_assert_eq(parscan_malloc(context, NULL, 1), INVALID);
    cr_assert_not_null(strstr(parscan_context_error(context), "pointer"));
    cr_assert_eq(parscan_copy(context, NULL, &byte, 1), INVALID);
    cr_assert_not_null(strstr(parscan_context_error(context), "to is NULL"));
    cr_assert_eq(parscan_copy(context, &byte, NULL, 1), INVALID);
    cr_assert_not_null(strstr(parscan_context_error(context), "from is NULL"));
    cr_assert_eq(parscan_malloc(NULL, &pointer, 1), INVALID);
    cr_assert_null(pointer);
    cr_assert_eq(parscan_free(NULL, NULL), INVALID);
    cr_assert_eq(parscan_copy(NULL, &byte, &byte, 0), INVALID);
    cr_assert_eq(byte, 1);
    parscan_context_destroy(context);
}
