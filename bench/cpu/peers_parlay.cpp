// parlaylib: by its interface, which allocates its results, and with buffers that are there already.
#include <cstdint>
#include <cstring>
#include <string_view>

#include <parlay/primitives.h>

#include "peers.h"

namespace
{
template <typename T>
auto input(peer_job *job)
{
    const T *const in = static_cast<const T *>(job->in);
    return parlay::make_slice(in, in + job->n);
}

template <typename T>
auto slice_of(void *to, size_t n)
{
    return parlay::make_slice(static_cast<T *>(to), static_cast<T *>(to) + n);
}

template <typename Sequence>
void keep(peer_job *job, const Sequence &result)
{
    if (job->keeps)
        std::memcpy(job->out, result.data(), job->n * sizeof result[0]);
}

template <typename T>
void scan(peer_job *job)
{
    keep(job, parlay::scan_inclusive(input<T>(job)));
}

template <typename T>
void scan_buffers(peer_job *job)
{
    parlay::internal::scan_(input<T>(job), slice_of<T>(job->out, job->n), parlay::plus<T>(),
                            parlay::internal::fl_scan_inclusive);
}

template <typename T>
void sort(peer_job *job)
{
    keep(job, parlay::integer_sort(input<T>(job)));
}

template <typename T>
void sort_buffers(peer_job *job)
{
    T *const in = static_cast<T *>(const_cast<void *>(job->in)); // read only
    parlay::internal::integer_sort_<std::false_type, parlay::uninitialized_copy_tag>(
        parlay::make_slice(in, in + job->n), slice_of<T>(job->out, job->n),
        slice_of<T>(job->spare, job->n), [](T key) { return key; }, 8 * sizeof(T), 0);
}
} // namespace

peer_function *peer_parlay(const char *work, const char *type)
{
    const std::string_view name = type, scans = "scan";
    if (work == scans)
        return name == "u32" ? scan<uint32_t> : name == "u64" ? scan<uint64_t> : scan<float>;
    return name == "u32" ? sort<uint32_t> : name == "u64" ? sort<uint64_t> : nullptr;
}

peer_function *peer_parlay_buffers(const char *work, const char *type)
{
    const std::string_view name = type, scans = "scan";
    if (work == scans)
        return name == "u32"   ? scan_buffers<uint32_t>
               : name == "u64" ? scan_buffers<uint64_t>
                               : scan_buffers<float>;
    return name == "u32"   ? sort_buffers<uint32_t>
           : name == "u64" ? sort_buffers<uint64_t>
                           : nullptr;
}
