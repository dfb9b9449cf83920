/* The launches of a radix sort for one class of keys. Compiled once a class, with
   PARSCAN_ELEMENT_NAME (u8, f16). */
#include "apps/radix/radix_launches.cuh"
#include "apps/sort/sort_cuda.h"

parscan_status NAMED(parscan_sort_cuda)(const parscan_sort_cuda_call *call)
{
    return sort_keys_of<NAMED(key)>(call);
}
