#include "tests/support/fewer_cases.h"

#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/test_engine.h"

/* One in as many as the environment says, or `otherwise`. */
static bool by_chance(unsigned long otherwise)
{
    const char *const cases = getenv("PARSCAN_TEST_CASES");
    const unsigned long one_in = cases == NULL ? otherwise : strtoul(cases, NULL, 10); /* all: 0 */
    return one_in <= 1 || random_below(one_in) == 0;
}

bool takes_case(void)
{
    return by_chance(test_backend() == PARSCAN_BACKEND_CUDA ? 8 : 1);
}

bool takes_larger_case(void)
{
    return by_chance(1);
}
