// The option macros of the public headers, as C++20 takes them.
#include "parscan/parscan.h"

int main()
{
    parscan_context *context = nullptr;
    const parscan_context_options one_thread = PARSCAN_CONTEXT_OPTIONS(.threads = 1);
    if (parscan_context_create(&context, &one_thread) != PARSCAN_OK)
        return 1;
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX, .algorithm = PARSCAN_BRENT_KUNG, .reverse = 1);
    const int32_t in[] = {1, 5, 2, 4};
    int32_t out[4] = {};
    const parscan_status status =
        parscan_inclusive_scan(context, PARSCAN_I32, in, out, 4, &options);
    parscan_context_destroy(context);
    const bool right = out[0] == 5 && out[1] == 5 && out[2] == 4 && out[3] == 4;
    return status == PARSCAN_OK && right ? 0 : 2;
}
