/* Host code that the radix sorts and the sorts by bins of the CUDA engine share. */
#include "apps/radix/radix_cuda.h"

parscan_status parscan_sort_take_scratch(parscan_context *context, const scratch_piece *pieces,
                                         unsigned count)
{
    const size_t alignment = 256;
    size_t size = 0;
    for (unsigned k = 0; k < count; k++)
        size += (pieces[k].size + alignment - 1) / alignment * alignment;
    void *scratch;
    const parscan_status status = parscan_cuda_scratch(context, size, &scratch);
    if (status != PARSCAN_OK)
        return status;
    char *next = scratch;
    for (unsigned k = 0; k < count; k++) {
        *pieces[k].to = next;
        next += (pieces[k].size + alignment - 1) / alignment * alignment;
    }
    return PARSCAN_OK;
}

/* Makes the digits as even as possible: the narrower a digit, the fewer runs a tile is scattered
   to. */
void parscan_sort_choose_digits(parscan_sort_cuda_call *call, uint64_t keep, bool aliased)
{
    const unsigned begin = (unsigned)__builtin_ctzll(keep);
    const unsigned end = 64 - (unsigned)__builtin_clzll(keep);
    const unsigned count = (end - begin + SORT_DIGIT_BITS - 1) / SORT_DIGIT_BITS;
    const unsigned width = (end - begin + count - 1) / count;
    for (unsigned p = 0; p < count; p++) {
        const unsigned low = begin + p * width, bits = end - low < width ? end - low : width;
        call->digits[p] = (sort_digit){low, (1u << bits) - 1};
    }
    call->passes = count;
    if (aliased && count % 2 == 1)
        call->digits[call->passes++] = (sort_digit){0, 0};
}
