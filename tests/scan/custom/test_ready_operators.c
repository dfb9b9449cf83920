/* The operators of parscan/ready_operators.h, by plain loops that are written anew. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/ready_operators.h"
#include "parscan/scan.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

enum { N = 30011 };

/* The inclusive scan by the operator. */
static void scan_by(parscan_operator_options options, const void *in, void *out)
{
    parscan_context *const context = test_context();
    parscan_operator *op;
    options.struct_size = sizeof options;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, N,
                                        &PARSCAN_SCAN_OPTIONS(.custom = op)),
                 PARSCAN_OK);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}
#define SCAN_BY(name, in, out) \
    scan_by((parscan_operator_options){PARSCAN_READY_OPERATOR(name)}, in, out)

Test(ready, sums_of_128_bits_carry)
{
    static uint64_t in[N][2], out[N][2];
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < N; i++)
        in[i][0] = random_bits(), in[i][1] = random_bits();
    SCAN_BY(sum_u128, in, out);
    for (size_t i = 0; i < N; i++) {
        const uint64_t carry = low > UINT64_MAX - in[i][0];
        low += in[i][0];
        high += in[i][1] + carry;
        cr_assert(out[i][0] == low && out[i][1] == high, "element %zu", i);
    }
}

/* Powers of i: exact. */
Test(ready, products_of_complex_numbers_turn)
{
    static const float units[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    static float in[N][2], out[N][2];
    static double wide_in[N][2], wide_out[N][2];
    unsigned angle = 0;
    for (size_t i = 0; i < N; i++) {
        const float *const unit = units[random_below(4)];
        for (int k = 0; k < 2; k++)
            wide_in[i][k] = in[i][k] = unit[k];
    }
    SCAN_BY(product_c32, in, out);
    SCAN_BY(product_c64, wide_in, wide_out);
    for (size_t i = 0; i < N; i++) {
        for (unsigned turn = 0; turn < 4; turn++)
            if (in[i][0] == units[turn][0] && in[i][1] == units[turn][1]) {
                angle = (angle + turn) % 4;
                break;
            }
        for (int k = 0; k < 2; k++)
            cr_assert(out[i][k] == units[angle][k] && wide_out[i][k] == units[angle][k],
                      "element %zu", i);
    }
}

typedef struct at_f32 {
    float value;
    uint64_t index;
} at_f32;
typedef struct at_f64 {
    double value;
    uint64_t index;
} at_f64;

/* Few values, so that many are equal; NaN from some place on, or nowhere. */
static void expect_extremes(size_t first_nan)
{
    static at_f32 in[N], most[N], least[N];
    static at_f64 wide_in[N], wide_most[N], wide_least[N];
    size_t greatest = 0, smallest = 0;
    for (size_t i = 0; i < N; i++) {
        const float value = i >= first_nan && i % 7 == 0 ? NAN : (float)random_below(1 + i / 50);
        in[i] = (at_f32){value, i};
        wide_in[i] = (at_f64){value, i};
    }
    SCAN_BY(max_at_f32, in, most);
    SCAN_BY(min_at_f32, in, least);
    SCAN_BY(max_at_f64, wide_in, wide_most);
    SCAN_BY(min_at_f64, wide_in, wide_least);
    for (size_t i = 0; i < N; i++) {
        const float x = in[i].value;
        if (!isnan(in[greatest].value) && (isnan(x) || x > in[greatest].value))
            greatest = i;
        if (!isnan(in[smallest].value) && (isnan(x) || x < in[smallest].value))
            smallest = i;
        cr_assert(most[i].index == greatest && least[i].index == smallest &&
                      wide_most[i].index == greatest && wide_least[i].index == smallest,
                  "element %zu", i);
        cr_assert(most[i].value == in[greatest].value || isnan(in[greatest].value));
    }
}

Test(ready, extremes_have_the_index_of_the_first_that_has_them)
{
    expect_extremes(N);
    expect_extremes(N / 2);
}

Test(ready, last_is_the_last_that_is_there)
{
    static float in[N], out[N];
    static double wide_in[N], wide_out[N];
    static uint64_t flagged[N][2], flagged_out[N][2];
    float last = NAN;
    for (size_t i = 0; i < N; i++) {
        const bool present = random_below(9) == 0;
        wide_in[i] = in[i] = present ? (float)i : NAN;
        flagged[i][0] = i;
        flagged[i][1] = present;
    }
    SCAN_BY(last_f32, in, out);
    SCAN_BY(last_f64, wide_in, wide_out);
    SCAN_BY(last_u64, flagged, flagged_out);
    for (size_t i = 0; i < N; i++) {
        last = isnan(in[i]) ? last : in[i];
        if (isnan(last))
            cr_assert(isnan(out[i]) && isnan(wide_out[i]) && flagged_out[i][1] == 0);
        else
            cr_assert(out[i] == last && wide_out[i] == last && flagged_out[i][1] == 1 &&
                      flagged_out[i][0] == (uint64_t)last);
    }
}

/* x -> +-x + b with small b, and matrices that shift: exact. */
Test(ready, maps_and_matrices_are_composed_in_order)
{
    static float in[N][2], out[N][2], matrix[N][4], matrix_out[N][4];
    static double wide[N][2], wide_out[N][2], wide_matrix[N][4], wide_matrix_out[N][4];
    double a = 1, b = 0;
    for (size_t i = 0; i < N; i++) {
        in[i][0] = random_below(2) ? 1 : -1;
        in[i][1] = (float)random_below(9) - 4;
        memcpy(matrix[i], (float[4]){in[i][0], in[i][1], 0, 1}, sizeof matrix[i]);
        for (int k = 0; k < 2; k++)
            wide[i][k] = in[i][k];
        for (int k = 0; k < 4; k++)
            wide_matrix[i][k] = matrix[i][k];
    }
    SCAN_BY(affine_f32, in, out);
    SCAN_BY(affine_f64, wide, wide_out);
    SCAN_BY(matrix_f32, matrix, matrix_out);
    SCAN_BY(matrix_f64, wide_matrix, wide_matrix_out);
    for (size_t i = 0; i < N; i++) {
        a *= in[i][0];
        b = in[i][0] * b + in[i][1];
        cr_assert(out[i][0] == a && out[i][1] == b && wide_out[i][0] == a && wide_out[i][1] == b,
                  "element %zu", i);
        const double right[4] = {a, b, 0, 1};
        for (int k = 0; k < 4; k++)
            cr_assert(matrix_out[i][k] == right[k] && wide_matrix_out[i][k] == right[k]);
    }
}
