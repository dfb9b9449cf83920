#include "tests/support/fewer_cases.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/test_engine.h"

bool takes_case(void)
{
    const char *const cases = getenv("PARSCAN_TEST_CASES");
    return test_backend() != PARSCAN_BACKEND_CUDA || (cases != NULL && strcmp(cases, "all") == 0) ||
           random_below(8) == 0;
}
