/* Tests that skip, pass and fail, for planted.sh. They are not the suite's: ctest runs them by name. */
#include <criterion/criterion.h>

Test(planted, skips_for_want_of_a_device)
{
    cr_skip_test("no CUDA device: planted\n");
}

Test(planted, skips_for_want_of_memory)
{
    cr_skip_test("2^32 elements: 1 MiB of memory are available [SKIP]\n");
}

Test(planted, passes)
{
    cr_assert_eq(1 + 1, 2);
}

Test(planted, fails)
{
    cr_assert_eq(1 + 1, 3,
                 "no CUDA device [SKIP] PARSCAN_SIMD = avx2: this processor has portable");
}
