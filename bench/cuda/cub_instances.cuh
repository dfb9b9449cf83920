/* What the files cub_*.cu share: BENCH_CUB is the name of the peer, cub_calls.h. */
#ifndef PARSCAN_BENCH_CUB_INSTANCES_CUH
#define PARSCAN_BENCH_CUB_INSTANCES_CUH

#include <cub/util_namespace.cuh>
#include <cub/version.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include "cub_calls.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define BENCH_CUB_CALLS PASTE(BENCH_CUB, _calls)

namespace lib = CUB_NS_QUALIFIER;

namespace BENCH_CUB_CALLS
{
#define DECLARE_CALL(name) cudaError_t name(void *work, size_t &room, const cub_call &c);
CUB_WORKS(DECLARE_CALL)
} // namespace BENCH_CUB_CALLS

#endif
