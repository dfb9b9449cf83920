// The C++ library: std::inclusive_scan and std::sort, and the same with std::execution::par_unseq,
// where TBB is.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string_view>
#ifdef BENCH_HAVE_TBB
#include <execution>
#include <tbb/global_control.h>
#endif

#include "peer_functions.h"

namespace
{
template <typename T>
void scan(const peer_job *job)
{
    const T *const in = static_cast<const T *>(job->in);
    std::inclusive_scan(in, in + job->n, static_cast<T *>(job->out));
}

template <typename T>
void sort(const peer_job *job)
{
    std::sort(static_cast<T *>(job->out), static_cast<T *>(job->out) + job->n);
}

#ifdef BENCH_HAVE_TBB
template <typename T>
void scan_tbb(const peer_job *job)
{
    const T *const in = static_cast<const T *>(job->in);
    std::inclusive_scan(std::execution::par_unseq, in, in + job->n, static_cast<T *>(job->out));
}

template <typename T>
void sort_tbb(const peer_job *job)
{
    T *const keys = static_cast<T *>(job->out);
    std::sort(std::execution::par_unseq, keys, keys + job->n);
}

std::unique_ptr<tbb::global_control> bound;
#endif
} // namespace

peer_function *peer_std(const char *work, const char *type)
{
    const std::string_view name = type, scans = "scan";
    if (work == scans)
        return name == "u32" ? scan<uint32_t> : name == "u64" ? scan<uint64_t> : scan<float>;
    return name == "u32" ? sort<uint32_t> : name == "u64" ? sort<uint64_t> : nullptr;
}

peer_function *peer_tbb([[maybe_unused]] const char *work, [[maybe_unused]] const char *type)
{
#ifdef BENCH_HAVE_TBB
    const std::string_view name = type, scans = "scan";
    if (work == scans)
        return name == "u32"   ? scan_tbb<uint32_t>
               : name == "u64" ? scan_tbb<uint64_t>
                               : scan_tbb<float>;
    return name == "u32" ? sort_tbb<uint32_t> : name == "u64" ? sort_tbb<uint64_t> : nullptr;
#else
    return nullptr;
#endif
}

void peer_limit_tbb([[maybe_unused]] unsigned threads)
{
#ifdef BENCH_HAVE_TBB
    bound = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  threads);
#endif
}
