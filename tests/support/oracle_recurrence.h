/*
 * The oracle of recurrences, computed in REAL, whose rounding must be far below that of the type of the
 * results. No include guard: oracle_segmented.c includes it once for double and once for long double, which
 * defines
 *   REAL        the type
 *   REALS(f)    the name of a function for it
 */

static inline REAL REALS(element)(parscan_type type, const void *array, size_t i)
{
    return (REAL)number_read(type, array, i).real;
}

/* Of 16 bits: whether what was found lies between the roundings of expected - off and expected + off. */
static inline bool REALS(same)(parscan_type type, REAL expected, REAL found, REAL off)
{
    const REAL difference = expected < found ? found - expected : expected - found;
    if (expected == found) /* which is quick to see where long double is software's */
        return true;
    if (isnan(expected) || isnan(found))
        return isnan(expected) && isnan(found);
    if (is_half(type) && !isinf(expected))
        return half_is_near(type, (double)expected, (double)off, (double)found);
    if (isinf(expected) || isinf(found))
        return false;
    return difference <= off;
}

static size_t REALS(recurrence_disagrees_at)(const oracle_recurrence *q, const void *out,
                                             char words[ORACLE_WORDS])
{
    enum { GROUPS = 32 };
    const bool wide = q->type == PARSCAN_F64;
    const REAL epsilon = wide ? (REAL)DBL_EPSILON : (REAL)FLT_EPSILON;
    const REAL least = wide ? (REAL)DBL_TRUE_MIN : (REAL)FLT_TRUE_MIN;
    REAL x = q->x0 == NULL ? 0 : REALS(element)(q->type, q->x0, 0);
    REAL magnitude = x < 0 ? -x : x, largest = magnitude, error = 0;
    for (size_t i = 0; i < q->n; i++) {
        const REAL a = REALS(element)(q->type, q->a, i), b = REALS(element)(q->type, q->b, i);
        x = a * x + b;
        if (!q->exact) {
            const REAL size_a = a < 0 ? -a : a, size_b = b < 0 ? -b : b;
            error = size_a * (error + 2 * epsilon * magnitude) + epsilon * size_b +
                    least * (1 + largest);
            magnitude = size_a * magnitude + size_b;
            largest = magnitude > largest ? magnitude : largest;
        }
        const REAL off = q->exact ? 0 : error + GROUPS * epsilon * magnitude;
        const REAL found = REALS(element)(q->type, out, i);
        if (!REALS(same)(q->type, x, found, off)) {
            snprintf(words, ORACLE_WORDS, "expected %.20Lg +- %.3Lg, found %.20Lg", (long double)x,
                     (long double)off, (long double)found);
            return i;
        }
    }
    return ORACLE_AGREES;
}
