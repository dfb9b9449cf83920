// std::inclusive_scan, and the same with std::execution::par_unseq, where TBB is.
#include <cstdint>
#include <memory>
#include <numeric>
#ifdef BENCH_HAVE_TBB
#include <execution>
#include <tbb/global_control.h>
#endif

#include "elements.h"

namespace
{
template <typename T>
void scan(const void *in, void *out, size_t n, unsigned)
{
    const T *const from = static_cast<const T *>(in);
    std::inclusive_scan(from, from + n, static_cast<T *>(out));
}

#ifdef BENCH_HAVE_TBB
template <typename T>
void scan_par_unseq(const void *in, void *out, size_t n, unsigned)
{
    const T *const from = static_cast<const T *>(in);
    std::inclusive_scan(std::execution::par_unseq, from, from + n, static_cast<T *>(out));
}

std::unique_ptr<tbb::global_control> bound;
#endif
} // namespace

#define X(function, NAME, number, name, type, ...) \
    case PARSCAN_##NAME:                           \
        return function<type>;

bench_scan_function *bench_std_scan(parscan_type type)
{
    switch (type) {
        PARSCAN_TYPES(X, scan)
    }
    return nullptr;
}

#ifdef BENCH_HAVE_TBB
bench_scan_function *bench_std_par_unseq(parscan_type type)
{
    switch (type) {
        PARSCAN_TYPES(X, scan_par_unseq)
    }
    return nullptr;
}

void bench_std_threads(unsigned threads)
{
    bound = nullptr; // several bounds that exist at once would all apply
    bound = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  threads);
}
#endif
