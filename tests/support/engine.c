#include "tests/support/engine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

parscan_backend test_backend(void)
{
    const char *const name = getenv("PARSCAN_TEST_BACKEND");
    if (name == NULL || strcmp(name, "cpu") == 0)
        return PARSCAN_BACKEND_CPU;
    if (strcmp(name, "cuda") != 0)
        cr_assert_fail("PARSCAN_TEST_BACKEND=%s: cpu or cuda", name);
    return PARSCAN_BACKEND_CUDA;
}

parscan_context *test_context_with(parscan_context_options options)
{
    char words[256] = "";
    parscan_context *context = NULL;
    options.struct_size = sizeof options;
    options.backend = test_backend();
    options.error = words;
    options.error_size = sizeof words;
    const parscan_status status = parscan_context_create(&context, &options);
    if (status != PARSCAN_OK)
        cr_assert_fail("no context: %s: %s", parscan_status_string(status), words);
    return context;
}

parscan_context *test_context(void)
{
    return test_context_with((parscan_context_options){0});
}
