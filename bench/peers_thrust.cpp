// Thrust's OpenMP backend on the CPU. It needs the CUDA toolkit's headers, not its compiler.
#include <cstdint>
#include <omp.h>

#include <thrust/copy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>

#include "elements.h"
#include "peers_compact.h"
#include "peers_sort.h"

namespace
{
/* Thrust asks OpenMP for the number of threads. */
class with_threads
{
    const int before = omp_get_max_threads();

  public:
    explicit with_threads(unsigned threads) { omp_set_num_threads((int)threads); }
    ~with_threads() { omp_set_num_threads(before); }
    with_threads(const with_threads &) = delete;
    with_threads &operator=(const with_threads &) = delete;
};

template <typename T>
void scan(const void *in, void *out, size_t n, unsigned threads)
{
    const with_threads bound(threads);
    const T *const from = static_cast<const T *>(in);
    thrust::inclusive_scan(thrust::omp::par, from, from + n, static_cast<T *>(out));
}

template <typename T>
void sort(void *keys, size_t n, unsigned threads)
{
    const with_threads bound(threads);
    thrust::sort(thrust::omp::par, static_cast<T *>(keys), static_cast<T *>(keys) + n);
}

size_t copy_if(const uint32_t *in, size_t n, uint32_t limit, uint32_t *out, unsigned threads)
{
    const with_threads bound(threads);
    return thrust::copy_if(thrust::omp::par, in, in + n, out,
                           [limit](uint32_t x) { return x < limit; }) -
           out;
}
} // namespace

bench_compact_peer *const bench_thrust_copy_if = copy_if;

#define X(function, NAME, number, name, type, ...) \
    case PARSCAN_##NAME:                           \
        return function<type>;

bench_scan_function *bench_thrust_scan(parscan_type type)
{
    switch (type) {
        PARSCAN_TYPES(X, scan)
    }
    return nullptr;
}

bench_sort_function *bench_thrust_sort(parscan_type type)
{
    switch (type) {
        PARSCAN_TYPES(X, sort)
    }
    return nullptr;
}
