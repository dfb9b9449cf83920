/*
 * The oracle of scans for floats, computed in REAL, whose rounding must be far below that of the type of the
 * results. No include guard: oracle.c includes it once for double and once for long double, which defines
 *   REAL        the type
 *   REALS(f)    the name of a function for it
 */

/* What follows from the elements so far. */
typedef struct REALS(real_sum) {
    bool any;        /* whether there was one, or an init */
    REAL real;       /* the result */
    REAL magnitude;  /* what its rounding errors are relative to */
    REAL operations; /* how many roundings lie behind it */
} REALS(real_sum);

static void REALS(read)(parscan_type type, const void *array, elements part, REAL *to)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...)                              \
    case PARSCAN_##NAME:                                                                       \
        for (size_t k = 0; k < part.count; k++) {                                              \
            ctype value;                                                                       \
            memcpy(&value, (const char *)array + place(part, k) * sizeof value, sizeof value); \
            to[k] = REAL_OF_##class(value);                                                    \
        }                                                                                      \
        break;
        PARSCAN_TYPES(X, )
#undef X
    }
}

/* The lesser of two, -0 below +0, NaN if there is one. */
static REAL REALS(least)(REAL a, REAL b)
{
    if (isnan(a) || isnan(b))
        return (REAL)NAN;
    if (a == 0 && b == 0)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

static inline REALS(real_sum) REALS(combine)(parscan_op op, REALS(real_sum) all, REAL x)
{
    const bool rounds = op == PARSCAN_SUM || op == PARSCAN_PRODUCT;
    const REAL size = x < 0 ? -x : x;
    if (!all.any)
        return (REALS(real_sum)){true, x, rounds ? size : 0, 0};
    all.operations += rounds;
    switch (op) {
    case PARSCAN_SUM:
        all.real += x;
        all.magnitude += size;
        break;
    case PARSCAN_PRODUCT:
        all.real *= x;
        all.magnitude = all.real < 0 ? -all.real : all.real;
        break;
    case PARSCAN_MIN:
        all.real = REALS(least)(all.real, x);
        break;
    case PARSCAN_MAX:
        all.real = -REALS(least)(-all.real, -x);
        break;
    default:
        all.real = (REAL)NAN;
    }
    return all;
}

static REAL REALS(off)(REAL epsilon, REALS(real_sum) all)
{
    return all.operations * epsilon * all.magnitude;
}

static bool REALS(agrees)(parscan_type type, REAL expected, REAL off, REAL found)
{
    const REAL difference = expected < found ? found - expected : expected - found;
    if (difference <= off && off != 0 && difference < (REAL)INFINITY && !is_half(type))
        return true;
    if (isnan(expected) || isnan(found))
        return isnan(expected) && isnan(found);
    if (is_half(type))
        return half_agrees(type, (double)expected, isinf(expected) ? 0 : (double)off,
                           (double)found);
    return (off == 0 || isinf(expected)) && expected == found &&
           (signbit(expected) != 0) == (signbit(found) != 0);
}

/* The results of a block of elements, and how far off they may be; in a loop for each operator. */
static void REALS(continue_sum)(const oracle_scan *scan, const REAL *in, size_t count, REAL epsilon,
                                REALS(real_sum) * all, REAL *results, REAL *offs)
{
    const bool exclusive = scan->kind == SCAN_EXCLUSIVE;
    REALS(real_sum) a = *all;
    switch (scan->op) {
#define X(ctx, NAME, ...)                                          \
    case PARSCAN_##NAME:                                           \
        for (size_t k = 0; k < count; k++) {                       \
            const REALS(real_sum) before = a;                      \
            a = REALS(combine)(PARSCAN_##NAME, a, in[k]);          \
            results[k] = exclusive ? before.real : a.real;         \
            offs[k] = REALS(off)(epsilon, exclusive ? before : a); \
        }                                                          \
        break;
        PARSCAN_OPS(X, )
#undef X
    }
    *all = a;
}

/* oracle_disagrees_at() for results that are floats. */
static size_t REALS(disagree_at)(const oracle_scan *scan, const void *out, char words[ORACLE_WORDS])
{
    const REAL epsilon = (REAL)kind_of(scan->out_type)->epsilon;
    REAL in[BLOCK], results[BLOCK], offs[BLOCK], found[BLOCK];
    REALS(real_sum) all = {.any = scan->init != NULL, .real = (REAL)neutral_real(scan->op)};
    if (scan->init != NULL) {
        REALS(read)(scan->out_type, scan->init, (elements){.count = 1}, in);
        all.any = false;
        all = REALS(combine)(scan->op, all, in[0]);
    }
    for (size_t begin = 0; begin < scan->n; begin += BLOCK) {
        const elements part = elements_from(scan, begin);
        REALS(read)(scan->type, scan->in, part, in);
        REALS(continue_sum)(scan, in, part.count, epsilon, &all, results, offs);
        if (scan->kind == SCAN_REDUCE)
            continue;
        REALS(read)(scan->out_type, out, part, found);
        for (size_t k = 0; k < part.count; k++)
            if (!REALS(agrees)(scan->out_type, results[k], offs[k], found[k])) {
                write_reals(results[k], offs[k], found[k], words);
                return place(part, k);
            }
    }
    if (scan->kind != SCAN_REDUCE)
        return ORACLE_AGREES;
    REALS(read)(scan->out_type, out, (elements){.count = 1}, found);
    const REAL off = REALS(off)(epsilon, all);
    if (REALS(agrees)(scan->out_type, all.real, off, found[0]))
        return ORACLE_AGREES;
    write_reals(all.real, off, found[0], words);
    return 0;
}
