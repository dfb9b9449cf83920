/* The functions of compaction for one element type. Compiled once for each type. */
#include "apps/compact/compact_kernels.h"
#include "apps/compact/compact_key.h"

extern const keep_kernels NAMED(parscan_keep_kernels_portable);
extern const keep_kernels NAMED(parscan_keep_kernels_avx2);
extern const keep_kernels NAMED(parscan_keep_kernels_avx512);
extern const compact_element NAMED(parscan_compact_element);

#if PARSCAN_ELEMENT_BITS == 0

static compact_range compact_range_of(const parscan_predicate *predicate)
{
    compact_range range = {.predicate = *predicate};
    if (predicate->comparison == PARSCAN_NONZERO)
        range.predicate.value = NULL;
    return range;
}

#else

/* Keys are ordered as two's complement, those of unsigned integers as unsigned. With this bit
   flipped, all are ordered as unsigned integers. */
#define ORDER_BIT (LOWEST != 0 ? SIGN_BIT : (U)0)

#if FLOATS_BY_BITS
#define LOWEST ((T)(SIGN_BIT | INFINITE))
#define HIGHEST ((T)INFINITE)
#define MINUS_ZERO ((T)SIGN_BIT)
#define IS_ZERO(x) (((x)&MAGNITUDE) == 0)
#else
#define LOWEST lowest()
#define HIGHEST highest()
#define MINUS_ZERO ((T)-0.0)
#define IS_ZERO(x) (PARSCAN_ELEMENT_IS_FLOAT && (x) == 0)
#endif

/* The first and the last key of the values equal to x: -0 equals +0. */
static U first_equal(T x)
{
    return key_of(IS_ZERO(x) ? MINUS_ZERO : x) ^ ORDER_BIT;
}

static U last_equal(T x)
{
    return key_of(IS_ZERO(x) ? (T)0 : x) ^ ORDER_BIT;
}

static compact_range compact_range_of(const parscan_predicate *predicate)
{
    const parscan_comparison comparison = predicate->comparison;
    const T value = comparison == PARSCAN_NONZERO ? (T)0 : element_at(predicate->value, 0);
    const T upper = comparison == PARSCAN_BETWEEN ? element_at(predicate->upper, 0) : value;
    const U from = first_equal(value), to = last_equal(upper);
    const U bottom = first_equal(LOWEST), top = last_equal(HIGHEST);
    U first = from, last = to;
    bool none = is_nan(value) || is_nan(upper);
    switch (comparison) {
    case PARSCAN_LESS:
        first = bottom;
        last = (U)(from - 1);
        none |= from == bottom;
        break;
    case PARSCAN_LESS_EQUAL:
        first = bottom;
        break;
    case PARSCAN_GREATER:
        first = (U)(to + 1);
        last = top;
        none |= to == top;
        break;
    case PARSCAN_GREATER_EQUAL:
        last = top;
        break;
    default:
        none |= from > to;
        break;
    }
    const bool outside = comparison == PARSCAN_NONZERO || comparison == PARSCAN_NOT_EQUAL;
    if (none) /* no key is in the range */
        return (compact_range){.first = 0, .width = (U)-1, .outside = !outside};
    return (compact_range){
        .first = (U)(first ^ ORDER_BIT), .width = (U)(last - first), .outside = outside};
}

#endif

static const keep_kernels *compact_kernels_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &NAMED(parscan_keep_kernels_portable),
                          &NAMED(parscan_keep_kernels_avx2), &NAMED(parscan_keep_kernels_avx512));
}

const compact_element NAMED(parscan_compact_element) = {
    .size = sizeof(T),
    .range_of = compact_range_of,
    .kernels_of = compact_kernels_of,
};
