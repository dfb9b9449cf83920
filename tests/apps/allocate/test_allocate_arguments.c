/* Every bad argument of allocate, expand and pack: the status, words that name the argument and its
   value, nothing written. */
#include <criterion/criterion.h>
#include <string.h>

#include "parscan/allocate.h"
#include "tests/support/test_engine.h"

#define N 4u
#define UNTOUCHED 0xa5a5a5a5a5a5a5a5u

static uint64_t sizes[N], results[2][N], total;

static void begin(void)
{
    memset(sizes, 0, sizeof sizes);
    memset(results, 0xa5, sizeof results);
    total = UNTOUCHED;
}

static void expect_words(parscan_context *context, parscan_status status, const char *words)
{
    cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT, "%s", words);
    cr_assert_str_eq(parscan_context_error(context), words);
    cr_assert_eq(total, UNTOUCHED);
    for (size_t k = 0; k < N; k++)
        cr_assert(results[0][k] == UNTOUCHED && results[1][k] == UNTOUCHED);
}

Test(allocate, rejects_bad_arguments)
{
    begin();
    parscan_context *const c = test_context();
    const parscan_type u64 = PARSCAN_U64;
    void *const out = results[0];
    cr_assert_eq(parscan_allocate(NULL, u64, sizes, N, u64, out, &total, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_words(c, parscan_allocate(c, PARSCAN_I32, sizes, N, u64, out, &total, NULL),
                 "size_type = i32: it must be u8, u16, u32 or u64");
    expect_words(c, parscan_allocate(c, (parscan_type)77, sizes, N, u64, out, &total, NULL),
                 "size_type = 77 is not a parscan_type");
    expect_words(c, parscan_allocate(c, u64, sizes, N, PARSCAN_U16, out, &total, NULL),
                 "offset_type = u16: it must be u32, u64, i32 or i64");
    expect_words(c, parscan_allocate(c, u64, sizes, N, (parscan_type)0, out, &total, NULL),
                 "offset_type = 0 is not a parscan_type");
    expect_words(c, parscan_allocate(c, u64, NULL, N, u64, out, &total, NULL),
                 "sizes is NULL, n = 4");
    expect_words(c, parscan_allocate(c, u64, sizes, N, u64, out, NULL, NULL), "total is NULL");
    expect_words(c, parscan_allocate(c, u64, out, N, PARSCAN_U32, out, &total, NULL),
                 "offsets = sizes: offset_type = u32 and size_type = u64 must be of one size");
    expect_words(c,
                 parscan_allocate(c, u64, sizes, N, u64, out, &total,
                                  &PARSCAN_ALLOCATE_OPTIONS(.alignment = 12)),
                 "alignment = 12: it must be a power of two");
    const parscan_allocate_options no_size = {0};
    cr_assert_eq(parscan_allocate(c, u64, sizes, N, u64, out, &total, &no_size),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_allocate(c, u64, sizes, SIZE_MAX / 8, u64, out, &total, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(total, UNTOUCHED);
    parscan_context_destroy(c);
}

Test(expand, rejects_bad_arguments)
{
    begin();
    parscan_context *const c = test_context();
    const parscan_type u64 = PARSCAN_U64;
    void *const owner = results[0], *const rank = results[1];
    cr_assert_eq(parscan_expand(NULL, u64, sizes, N, u64, owner, rank, N, &total),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_words(c, parscan_expand(c, PARSCAN_F64, sizes, N, u64, owner, rank, N, &total),
                 "size_type = f64: it must be u8, u16, u32 or u64");
    expect_words(c, parscan_expand(c, u64, sizes, N, PARSCAN_I16, owner, rank, N, &total),
                 "index_type = i16: it must be u32, u64, i32 or i64");
    expect_words(c, parscan_expand(c, u64, NULL, N, u64, owner, rank, N, &total),
                 "sizes is NULL, n = 4");
    expect_words(c, parscan_expand(c, u64, sizes, N, u64, owner, rank, N, NULL), "total is NULL");
    const size_t many = ((size_t)1 << 32) + 1;
    expect_words(c, parscan_expand(c, PARSCAN_U8, sizes, many, PARSCAN_U32, owner, rank, N, &total),
                 "n = 4294967297: the owners do not fit index_type = u32");
    parscan_context_destroy(c);
}

Test(pack, rejects_bad_arguments)
{
    begin();
    parscan_context *const c = test_context();
    const parscan_type u64 = PARSCAN_U64;
    const void *const at = sizes;
    void *const out = results[0];
    cr_assert_eq(parscan_pack(NULL, at, u64, at, u64, sizes, out, at, N),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_words(c, parscan_pack(c, at, PARSCAN_U8, at, u64, sizes, out, at, N),
                 "offset_type = u8: it must be u32, u64, i32 or i64");
    expect_words(c, parscan_pack(c, at, u64, at, PARSCAN_I8, sizes, out, at, N),
                 "size_type = i8: it must be u8, u16, u32 or u64");
    expect_words(c, parscan_pack(c, NULL, u64, at, u64, sizes, out, at, N), "in is NULL, n = 4");
    expect_words(c, parscan_pack(c, at, u64, NULL, u64, sizes, out, at, N),
                 "in_offsets is NULL, n = 4");
    expect_words(c, parscan_pack(c, at, u64, at, u64, NULL, out, at, N), "sizes is NULL, n = 4");
    expect_words(c, parscan_pack(c, at, u64, at, u64, sizes, NULL, at, N), "out is NULL, n = 4");
    expect_words(c, parscan_pack(c, at, u64, at, u64, sizes, out, NULL, N),
                 "out_offsets is NULL, n = 4");
    parscan_context_destroy(c);
}
