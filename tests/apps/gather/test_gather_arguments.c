/* The arguments of parscan_gather() and parscan_scatter() that are refused, and the words. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "parscan/gather.h"
#include "parscan/lengths.h"
#include "tests/support/test_engine.h"

static void expect(parscan_context *context, parscan_status status, parscan_status expected,
                   const char *words)
{
    cr_assert_eq(status, expected, "%s", parscan_context_error(context));
    cr_assert_not_null(strstr(parscan_context_error(context), words), "%s, not %s",
                       parscan_context_error(context), words);
}

static const parscan_status invalid = PARSCAN_ERROR_INVALID_ARGUMENT;

Test(gather_arguments, name_what_is_wrong)
{
    parscan_context *const c = test_context();
    const uint32_t in[4] = {1, 2, 3, 4}, indices[4] = {3, 2, 1, 0};
    uint32_t out[4] = {9, 9, 9, 9};
    expect(c, parscan_gather(c, 0, in, 4, PARSCAN_U32, indices, out, 4), invalid,
           "value_size = 0: it must be at least 1");
    expect(c, parscan_gather(c, 4, in, 4, PARSCAN_U16, indices, out, 4), invalid,
           "index_type = u16: it must be u32, u64, i32 or i64");
    expect(c, parscan_gather(c, 4, in, 4, PARSCAN_F32, indices, out, 4), invalid, "f32");
    expect(c, parscan_gather(c, 4, in, 4, (parscan_type)0, indices, out, 4), invalid,
           "index_type = 0 is not a parscan_type");
    expect(c, parscan_gather(c, 4, NULL, 4, PARSCAN_U32, indices, out, 4), invalid,
           "in is NULL, in_count = 4");
    expect(c, parscan_gather(c, 4, in, 4, PARSCAN_U32, NULL, out, 4), invalid, "indices is NULL");
    expect(c, parscan_gather(c, 4, in, 4, PARSCAN_U32, indices, NULL, 4), invalid, "out is NULL");
    expect(c, parscan_gather(c, 4, in, SIZE_MAX / 4, PARSCAN_U32, indices, out, 4), invalid,
           "in_count = ");
    expect(c, parscan_gather(c, SIZE_MAX / 2, in, 1, PARSCAN_U32, indices, out, 4), invalid,
           "exceed the address space");
    cr_assert_eq(parscan_gather(NULL, 4, in, 4, PARSCAN_U32, indices, out, 4), invalid);
    cr_assert_eq(out[0], 9);
    parscan_context_destroy(c);
}

Test(scatter_arguments, name_what_is_wrong)
{
    parscan_context *const c = test_context();
    const uint32_t in[4] = {1, 2, 3, 4}, indices[4] = {3, 2, 1, 0};
    uint32_t out[4] = {9, 9, 9, 9};
    expect(c, parscan_scatter(c, 0, in, 4, PARSCAN_U32, indices, out, 4, NULL), invalid,
           "value_size = 0: it must be at least 1");
    expect(c, parscan_scatter(c, 4, in, 4, PARSCAN_I16, indices, out, 4, NULL), invalid,
           "index_type = i16");
    expect(c, parscan_scatter(c, 4, NULL, 4, PARSCAN_U32, indices, out, 4, NULL), invalid,
           "in is NULL, n = 4");
    expect(c, parscan_scatter(c, 4, in, 4, PARSCAN_U32, NULL, out, 4, NULL), invalid,
           "indices is NULL");
    expect(c, parscan_scatter(c, 4, in, 4, PARSCAN_U32, indices, NULL, 4, NULL), invalid,
           "out is NULL, out_count = 4");
    expect(c, parscan_scatter(c, 4, in, 4, PARSCAN_U32, indices, out, SIZE_MAX / 4, NULL), invalid,
           "out_count = ");
    const parscan_scatter_options none = {0, 0, 0};
    expect(c, parscan_scatter(c, 4, in, 4, PARSCAN_U32, indices, out, 4, &none), invalid,
           "options->struct_size = 0");
    cr_assert_eq(parscan_scatter(NULL, 4, in, 4, PARSCAN_U32, indices, out, 4, NULL), invalid);
    cr_assert_eq(out[0], 9);
    parscan_context_destroy(c);
}

/* The number of indices is a length; what they point into is none. */
Test(gather_arguments, have_one_length)
{
    parscan_context *const c = test_context();
    const uint32_t in[4] = {1, 2, 3, 4}, indices[4] = {3, 2, 9, 9};
    const uint64_t two = 2;
    uint32_t out[4] = {9, 9, 9, 9};
    cr_assert_eq(parscan_set_lengths(c, &PARSCAN_LENGTHS(.n = &two)), PARSCAN_OK);
    cr_assert_eq(parscan_gather(c, 4, in, 4, PARSCAN_U32, indices, out, 4), PARSCAN_OK);
    cr_assert(out[0] == 4 && out[1] == 3 && out[2] == 9);
    cr_assert_eq(parscan_set_lengths(c, &PARSCAN_LENGTHS(.n = &two)), PARSCAN_OK);
    cr_assert_eq(parscan_scatter(c, 4, in, 4, PARSCAN_U32, indices, out, 4, NULL), PARSCAN_OK);
    cr_assert(out[3] == 1 && out[2] == 2 && out[0] == 4);
    cr_assert_eq(parscan_set_lengths(c, &PARSCAN_LENGTHS(.n2 = &two)), PARSCAN_OK);
    expect(c, parscan_gather(c, 4, in, 4, PARSCAN_U32, indices, out, 4), PARSCAN_ERROR_UNSUPPORTED,
           "n2");
    cr_assert_eq(parscan_set_lengths(c, &PARSCAN_LENGTHS(.out_capacity = 2)), PARSCAN_OK);
    expect(c, parscan_scatter(c, 4, in, 4, PARSCAN_U32, indices, out, 4, NULL),
           PARSCAN_ERROR_UNSUPPORTED, "out_capacity");
    parscan_context_destroy(c);
}
