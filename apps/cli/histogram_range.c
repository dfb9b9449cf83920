#include "apps/cli/histogram_range.h"

#include <math.h>
#include <string.h>

#include "apps/cli/element_order.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/lookup.h"
#include "apps/cli/number_text.h"

static bool parse_bounds(histogram_range *range, parscan_type type, failure *why)
{
    const char *const colon = strchr(range->text, ':');
    if (colon == NULL)
        return fail(why, "'%.100s' is not LO:HI", range->text);
    return number_parse_two(element_traits_of(type), range->text, colon, colon + 1, range->lower,
                            range->upper, why);
}

/* Whether every integer of one type is one of the other. */
static bool holds(const element_traits *wide, const element_traits *narrow)
{
    return wide->parse_float == NULL && wide->highest >= narrow->highest &&
           wide->lowest_magnitude >= narrow->lowest_magnitude;
}

/* HI is the first number beyond the bins, and may be the first beyond the type: 0:256 of u8. Then
   the narrowest type that holds the elements and the bounds is taken. */
bool histogram_range_read(histogram_range *range, parscan_type type, failure *why)
{
    const element_traits *const traits = element_traits_of(type);
    range->type = type;
    if (parse_bounds(range, type, why))
        return true;
    for (int i = 0; i < LOOKUP_END && traits->parse_float == NULL; i++) {
        const element_traits *const wide = element_traits_of((parscan_type)i);
        failure ignored;
        if (wide != NULL && wide->size > traits->size && holds(wide, traits) &&
            parse_bounds(range, wide->type, &ignored)) {
            range->type = wide->type;
            return true;
        }
    }
    return false;
}

/* Why the library refuses the range. Of integers there is one reason. */
const char *histogram_range_wrong(const histogram_range *range)
{
    if (parscan_is_float(range->type)) {
        const double lower = element_as_double(range->type, range->lower);
        const double upper = element_as_double(range->type, range->upper);
        if (!isfinite(lower) || !isfinite(upper))
            return "LO and HI must be finite";
        if (lower < upper)
            return "the width of a bin is not a finite number above 0";
    }
    return "LO must be less than HI";
}
