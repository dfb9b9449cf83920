/* Reads and checks the bounds of a histogram. Compiled once for each element type
   (scan/cpu/element.h). */
#include "apps/histogram/bin_map.h"

#include <math.h>

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

/* Whether x is a multiple of 2^-24 and so small that 2^28 + x is one. */
static bool is_on_grid(double x)
{
    return fabs(x) < 0x1p27 && x * 0x1p24 == floor(x * 0x1p24);
}

/* Whether the whole part of every place is the bin: scale is a power of two, and the places of both
   bounds, `first` and `last`, are multiples of 2^-24. Then all edges are exact, and so is a place
   but for its rounding down to a multiple of 2^-24, which no edge lies within. */
static bool places_are_exact(double scale, double first, double last, double bins)
{
    int exponent;
    return frexp(scale, &exponent) == 0.5 && is_on_grid(first) && is_on_grid(last) &&
           last - first == bins;
}

/* How far places may be off in x * scale + start, as histogram_bins.cuh computes it: roundings of
   three numbers up to M * scale, among them that of edges, here in any rounding mode, and of some
   near 2^28. */
static void prepare_places(bin_map *map)
{
    const double most = fmax(fabs(map->float_lower), fabs(map->float_upper));
    const double doubt = 6 * 0x1p-53 * most * map->scale + 0x1p-22;
    map->searched = map->step < 0x1p-51 * most;
    map->start = 0x1p28 - map->float_lower * map->scale;
    map->doubt = doubt < 0.5 ? (uint32_t)(doubt * 0x1p32) + 1 : 0;
    map->doubt_span = doubt < 0.5 ? 2 * map->doubt : UINT32_MAX;
    if (places_are_exact(map->scale, map->float_lower * map->scale, map->float_upper * map->scale,
                         (double)map->bins)) {
        map->doubt = 1; /* no fraction plus 1 is 0: the last 8 bits are 0 */
        map->doubt_span = 0;
    }
}

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
    const double width = high - low, scale = (double)bins / width;
    if (!isfinite(low) || !isfinite(high) || low >= high)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "*lower = %.17g, *upper = %.17g: bounds must be finite, and lower below upper", low,
            high);
    if (!isfinite(width) || !isfinite(scale))
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "*lower = %.17g, *upper = %.17g: upper - lower or bins / (upper - lower) "
            "is not finite in double",
            low, high);
    *map = (bin_map){.bins = (uint32_t)bins,
                     .scale = scale,
                     .float_lower = low,
                     .float_upper = high,
                     .step = width / (double)bins};
    prepare_places(map);
    return PARSCAN_OK;
}

#else

/* Holds a bound of any integer type, and products of widths. */
__extension__ typedef __int128 wide;

/* The absolute value of a bound, for messages. */
static unsigned long long magnitude(wide bound)
{
    return (unsigned long long)(bound < 0 ? -bound : bound);
}

static void choose_kind(bin_map *map)
{
    const uint64_t bins = map->bins, width = map->width, ratio = width / bins;
    map->scale = (double)bins / (double)width;
    if (width % bins == 0 && (ratio & (ratio - 1)) == 0) {
        map->kind = BIN_MAP_SHIFT;
        map->shift = (unsigned)__builtin_ctzll(ratio);
    } else if ((wide)width * (wide)bins <= (wide)1 << 51) {
        map->kind = BIN_MAP_SCALE;
        map->scale = nextafter(map->scale, INFINITY);
    } else {
        map->kind = BIN_MAP_EXACT;
    }
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
    *map = (bin_map){
        .bins = (uint32_t)bins, .lower = (uint64_t)lower, .width = (uint64_t)(upper - lower)};
    choose_kind(map);
    return PARSCAN_OK;
}

#endif

const bin_map_type NAMED(parscan_bin_map) = {prepare_bin_map, kernel};
