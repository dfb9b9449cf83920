#include "tests/support/oracle_segmented.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "tests/support/half_number.h"
#include "tests/support/number.h"

size_t oracle_segment_disagrees(const oracle_segments *segments, const void *out, size_t *at,
                                char words[ORACLE_WORDS])
{
    const oracle_scan *const whole = &segments->scan;
    const size_t in_size = parscan_type_size(whole->type);
    const size_t out_size = parscan_type_size(whole->out_type);
    for (size_t s = 0; s < segments->count; s++) {
        const size_t begin = segments->bounds[s];
        oracle_scan one = *whole;
        one.in = (const char *)whole->in + begin * in_size;
        one.n = segments->bounds[s + 1] - begin;
        const size_t to = whole->kind == SCAN_REDUCE ? s : begin;
        const size_t wrong = oracle_disagrees_at(&one, (const char *)out + to * out_size, words);
        if (wrong != ORACLE_AGREES) {
            *at = begin + wrong;
            return s;
        }
    }
    return ORACLE_AGREES;
}

static long double element(parscan_type type, const void *array, size_t i)
{
    return number_read(type, array, i).real;
}

/* Of 16 bits: whether what was found lies between the roundings of expected - off and expected + off. */
static bool same(parscan_type type, long double expected, long double found, long double off)
{
    if (expected == found) /* which is quick to see where long double is software's */
        return true;
    if (isnan(expected) || isnan(found))
        return isnan(expected) && isnan(found);
    if (is_half(type) && !isinf(expected))
        return half_is_near(type, (double)expected, (double)off, (double)found);
    if (isinf(expected) || isinf(found))
        return expected == found;
    return fabsl(expected - found) <= off;
}

size_t oracle_recurrence_disagrees_at(const oracle_recurrence *q, const void *out,
                                      char words[ORACLE_WORDS])
{
    enum { GROUPS = 32 };
    const bool wide = q->type == PARSCAN_F64;
    const long double epsilon = wide ? DBL_EPSILON : FLT_EPSILON;
    const long double least = wide ? DBL_TRUE_MIN : FLT_TRUE_MIN;
    long double x = q->x0 == NULL ? 0 : element(q->type, q->x0, 0);
    long double magnitude = fabsl(x), largest = magnitude, error = 0;
    for (size_t i = 0; i < q->n; i++) {
        const long double a = element(q->type, q->a, i), b = element(q->type, q->b, i);
        x = a * x + b;
        if (!q->exact) {
            error = fabsl(a) * (error + 2 * epsilon * magnitude) + epsilon * fabsl(b) +
                    least * (1 + largest);
            magnitude = fabsl(a) * magnitude + fabsl(b);
            largest = fmaxl(largest, magnitude);
        }
        const long double off = q->exact ? 0 : error + GROUPS * epsilon * magnitude;
        const long double found = element(q->type, out, i);
        if (!same(q->type, x, found, off)) {
            snprintf(words, ORACLE_WORDS, "expected %.20Lg +- %.3Lg, found %.20Lg", x, off, found);
            return i;
        }
    }
    return ORACLE_AGREES;
}
