#include "parscan/comm.h"
#include "scan/context/context_state.h"

parscan_status parscan_comm_refuse(parscan_context *context, parscan_status status,
                                   const char *words)
{
    return parscan_fail(context, status, "%s", words);
}
