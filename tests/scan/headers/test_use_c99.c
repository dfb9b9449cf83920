/* The option macros of the public headers, as C99 takes them: after an &. */
#include "parscan/parscan.h"

int main(void)
{
    parscan_context *context = NULL;
    if (parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.threads = 1)) != PARSCAN_OK)
        return 1;
    const uint8_t in[] = {200, 100, 50};
    uint32_t out[3] = {0};
    const parscan_status status = parscan_exclusive_scan(
        context, PARSCAN_U8, in, out, 3, &PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U32));
    parscan_context_destroy(context);
    return status == PARSCAN_OK && out[0] == 0 && out[1] == 200 && out[2] == 300 ? 0 : 2;
}
