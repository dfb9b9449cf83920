#include "apps/allocate/size_types.h"

#include "scan/context/check.h"
#include "scan/context/context.h"

parscan_status parscan_check_offset_type(parscan_context *context, const char *name,
                                         parscan_type type)
{
    if (type == PARSCAN_U32 || type == PARSCAN_U64)
        return PARSCAN_OK;
    const parscan_status status = parscan_check_type(context, name, type);
    if (status != PARSCAN_OK)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s = %s: it must be u32 or u64",
                        name, parscan_type_name(type));
}

parscan_status parscan_check_size_type(parscan_context *context, const char *name,
                                       parscan_type type)
{
    if (type == PARSCAN_U8 || type == PARSCAN_U16 || type == PARSCAN_U32 || type == PARSCAN_U64)
        return PARSCAN_OK;
    const parscan_status status = parscan_check_type(context, name, type);
    if (status != PARSCAN_OK)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %s: it must be u8, u16, u32 or u64", name, parscan_type_name(type));
}
