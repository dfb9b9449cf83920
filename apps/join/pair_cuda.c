#include "apps/join/pair_cuda.h"

#include "apps/merge/key_order.h"

unsigned parscan_pair_lengths_cuda(sorted_array *a, sorted_array *b, parscan_cuda_length *lengths)
{
    lengths[0] = (parscan_cuda_length){LENGTH_N, &a->n, &a->n_at};
    lengths[1] = (parscan_cuda_length){LENGTH_N2, &b->n, &b->n_at};
    return 2;
}

pair_params parscan_pair_on_device(parscan_type type, const sorted_array *a, const sorted_array *b,
                                   const parscan_cuda_array *arrays, void *out)
{
    const unsigned bits = 8 * (unsigned)parscan_type_size(type);
    return (pair_params){.a = arrays[0].device,
                         .b = arrays[1].device,
                         .out = out,
                         .n = a->n,
                         .n2 = b->n,
                         .n_at = a->n_at,
                         .n2_at = b->n_at,
                         .flip = parscan_key_order(type, false, 0, bits).flip};
}
