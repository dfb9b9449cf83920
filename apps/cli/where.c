#include "apps/cli/where.h"

#include <string.h>

#include "apps/cli/element_order.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/number_text.h"

/* A longer sign comes before a shorter one that it starts with. */
static const struct {
    const char *sign;
    parscan_comparison comparison;
} signs[] = {
    {"==", PARSCAN_EQUAL},         {"!=", PARSCAN_NOT_EQUAL}, {"<=", PARSCAN_LESS_EQUAL},
    {">=", PARSCAN_GREATER_EQUAL}, {"<", PARSCAN_LESS},       {">", PARSCAN_GREATER},
};

/* Whether the first number of the range is not above the second. */
static bool check_range(const where *condition, const char *text, parscan_type type, failure *why)
{
    uint64_t lower, upper;
    element_orders(type, condition->value, 1, &lower);
    element_orders(type, condition->upper, 1, &upper);
    return order_without_sign_of_0(type, lower) <= order_without_sign_of_0(type, upper) ||
           fail(why, "'%.100s' has no numbers: the first one is the larger", text);
}

/* A..B. A float may have a point beside the two points, so every possible place is tried. */
static bool parse_between(where *condition, const char *text, const element_traits *traits,
                          failure *why)
{
    const char *dots = strstr(text, "..");
    if (dots == NULL)
        return fail(why,
                    "'%.100s' is not nonzero, ==V, !=V, <V, <=V, >V, >=V or A..B (in quotes: "
                    "--where '>5')",
                    text);
    condition->predicate.comparison = PARSCAN_BETWEEN;
    int places = 0;
    for (; dots != NULL; dots = strstr(dots + 1, ".."))
        places +=
            number_parse_two(traits, text, dots, dots + 2, condition->value, condition->upper, why);
    if (places > 1)
        return fail(why, "'%.100s' can be read in two ways: 0.5 is not .5, and 1 not 1.", text);
    return places == 1 && check_range(condition, text, traits->type, why);
}

bool where_parse(where *condition, const char *text, parscan_type type, failure *why)
{
    const element_traits *const traits = element_traits_of(type);
    condition->predicate = PARSCAN_PREDICATE(.comparison = PARSCAN_NONZERO,
                                             .value = condition->value, .upper = condition->upper);
    if (strcmp(text, "nonzero") == 0)
        return true;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t length = strlen(signs[i].sign);
        if (strncmp(text, signs[i].sign, length) != 0)
            continue;
        condition->predicate.comparison = signs[i].comparison;
        return number_parse(traits, text + length + strspn(text + length, " "), condition->value,
                            why);
    }
    return parse_between(condition, text, traits, why);
}
