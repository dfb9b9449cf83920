#include "apps/segments/found_offsets_cuda.h"

#include "parscan/compact.h"
#include "parscan/lengths.h"

parscan_status parscan_find_offsets_cuda(parscan_context *context, const parscan_segments *segments,
                                         size_t n, const uint64_t *n_at, uint8_t *heads,
                                         void *offsets, bool wide, uint64_t *count)
{
    parscan_status status = parscan_segment_heads_cuda(context, segments, heads, n, n_at);
    if (status == PARSCAN_OK && n_at != NULL)
        status = parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = n_at));
    return status == PARSCAN_OK
               ? parscan_compact_indices(context, PARSCAN_U8, heads, NULL,
                                         wide ? PARSCAN_U64 : PARSCAN_U32, offsets, n, count)
               : status;
}
