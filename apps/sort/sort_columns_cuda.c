#include "apps/sort/sort_columns_call.h"

parscan_status parscan_sort_columns_cuda(columns_call *call)
{
    return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                        "parscan_sort_columns needs a CPU context");
}
