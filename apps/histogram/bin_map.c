/* Reads and checks the bounds of a histogram. Compiled once for each element type
   (scan/cpu/element.h). */
#include "apps/histogram/bin_map.h"

#include "apps/histogram/make_bin_map.h"
#include "scan/context/context_state.h"
#include "scan/cpu/element.h"
#include "scan/cpu/isa.h"

#define KERNEL(isa) NAMED(PARSCAN_PASTE(parscan_bin_map_kernel_, isa))
extern bin_map_kernel KERNEL(portable), KERNEL(avx2), KERNEL(avx512);

static bin_map_kernel *kernel(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, KERNEL(portable), KERNEL(avx2), KERNEL(avx512));
}

#if PARSCAN_ELEMENT_IS_FLOAT

static parscan_status prepare_bin_map(parscan_context *context, size_t bins,
                                      const parscan_histogram_options *options, bin_map *map)
{
    if (options->lower == NULL || options->upper == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "options->%s is NULL: float elements need both bounds",
                            options->lower == NULL ? "lower" : "upper");
    T lower, upper;
    memcpy(&lower, options->lower, sizeof lower);
    memcpy(&upper, options->upper, sizeof upper);
    const double low = lower, high = upper;
    if (!bin_map_are_bounds(low, high))
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "*lower = %.17g, *upper = %.17g: bounds must be finite, and lower below upper", low,
            high);
    if (!bin_map_of_floats(low, high, bins, map))
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "*lower = %.17g, *upper = %.17g: upper - lower or bins / (upper - lower) "
            "is not finite in double",
            low, high);
    return PARSCAN_OK;
}

#else

/* Holds a bound of any integer type. */
__extension__ typedef __int128 wide;

/* The absolute value of a bound, for messages. */
static unsigned long long magnitude(wide bound)
{
    return (unsigned long long)(bound < 0 ? -bound : bound);
}

static parscan_status prepare_bin_map(parscan_context *context, size_t bins,
                                      const parscan_histogram_options *options, bin_map *map)
{
    T bound;
    wide lower = 0, upper = (wide)bins;
    if (options->lower != NULL) {
        memcpy(&bound, options->lower, sizeof bound);
        lower = bound;
    }
    if (options->upper != NULL) {
        memcpy(&bound, options->upper, sizeof bound);
        upper = bound;
    }
    if (lower >= upper)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "*lower = %s%llu, *upper = %s%llu: lower must be below upper",
                            lower < 0 ? "-" : "", magnitude(lower), upper < 0 ? "-" : "",
                            magnitude(upper));
    bin_map_of_integers((uint64_t)lower, (uint64_t)(upper - lower), bins, map);
    return PARSCAN_OK;
}

#endif

const bin_map_type NAMED(parscan_bin_map) = {prepare_bin_map, kernel};
