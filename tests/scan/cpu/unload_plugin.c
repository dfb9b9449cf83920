/* A plugin that uses libparscan (unload.c). */
#include "tests/scan/cpu/every_primitive.h"

__attribute__((visibility("default"))) const char *unload_plugin_run(void);

/* Returns what is wrong; NULL: nothing. */
const char *unload_plugin_run(void)
{
    primitive_inputs *const in = primitive_inputs_begin((1u << 18) + 3);
    parscan_context *const context = cpu_context(4);
    const bool ready = in != NULL && context != NULL;
    const char *const wrong = ready ? first_wrong_of_few(context, in) : "no context";
    parscan_context_destroy(context);
    if (in != NULL)
        primitive_inputs_end(in);
    return wrong == NULL ? NULL : "a primitive is wrong";
}
