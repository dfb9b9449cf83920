// The C++ library's algorithms, the same on TBB's threads where TBB is, and Highway's.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string_view>
#ifdef BENCH_HAVE_TBB
#include <execution>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/version.h>
#endif
#ifdef BENCH_HAVE_HIGHWAY
#include <hwy/contrib/algo/copy-inl.h>
#endif
#ifdef BENCH_HAVE_HWY
#include <hwy/contrib/sort/vqsort.h>
#endif

#include "peers.h"

extern "C" {
void std_sort_u32(uint32_t *keys, size_t n);
void std_sort_u64(uint64_t *keys, size_t n);
void std_sort_indices(const uint32_t *keys, uint32_t *indices, size_t n);
}

#define STD_SORT(name, T)          \
    void name(T *keys, size_t n)   \
    {                              \
        std::sort(keys, keys + n); \
    }
STD_SORT(std_sort_u32, uint32_t)
STD_SORT(std_sort_u64, uint64_t)

void std_sort_indices(const uint32_t *keys, uint32_t *indices, size_t n)
{
    std::stable_sort(indices, indices + n,
                     [keys](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
}

namespace
{
/* A function of a job, of elements of one type; of T, as name<T>::run. */
#define JOB(name, T, ...)                                                                   \
    void name(peer_job *job)                                                                \
    {                                                                                       \
        [[maybe_unused]] const T *const in = static_cast<T *>(const_cast<void *>(job->in)); \
        T *const out = static_cast<T *>(job->out);                                          \
        [[maybe_unused]] const T limit = static_cast<T>(job->limit);                        \
        const size_t n = job->n;                                                            \
        __VA_ARGS__;                                                                        \
    }
#define JOB_OF(name, ...)               \
    template <typename T>               \
    struct name {                       \
        static JOB(run, T, __VA_ARGS__) \
    };

/* Function<T>::run for a type by its name. */
template <template <typename> class Function>
peer_function *of_type(std::string_view type)
{
    return type == "u8"    ? Function<uint8_t>::run
           : type == "u16" ? Function<uint16_t>::run
           : type == "u32" ? Function<uint32_t>::run
           : type == "u64" ? Function<uint64_t>::run
           : type == "f32" ? Function<float>::run
           : type == "f64" ? Function<double>::run
                           : nullptr;
}

JOB_OF(scan, std::inclusive_scan(in, in + n, out))
JOB_OF(sort, std::sort(out, out + n))
JOB(copy_if, uint32_t,
    job->result = static_cast<uint64_t>(
        std::copy_if(in, in + n, out, [limit](uint32_t x) { return x < limit; }) - out))
JOB(
    partition, uint32_t, const auto below = [limit](uint32_t x) { return x < limit; };
    uint32_t *const rest = out + std::count_if(in, in + n, below);
    job->result = static_cast<uint64_t>(std::partition_copy(in, in + n, out, rest, below).first -
                                        out))
JOB(unique, uint32_t, job->result = static_cast<uint64_t>(std::unique_copy(in, in + n, out) - out))
} // namespace

peer_function *peer_std(const char *work, const char *type)
{
    const std::string_view name = work;
    return name == "scan"         ? of_type<scan>(type)
           : name == "sort-keys"  ? of_type<sort>(type)
           : name == "compact-if" ? copy_if
           : name == "partition"  ? partition
                                  : unique;
}

#ifdef BENCH_HAVE_TBB
namespace
{
JOB_OF(scan_par, std::inclusive_scan(std::execution::par_unseq, in, in + n, out))
JOB_OF(sort_par, std::sort(std::execution::par_unseq, out, out + n))
JOB_OF(sort_tbb, tbb::parallel_sort(out, out + n))

std::unique_ptr<tbb::global_control> bound;
} // namespace

peer_function *peer_tbb(const char *work, const char *type)
{
    const std::string_view scans = "scan";
    return work == scans ? of_type<scan_par>(type) : of_type<sort_par>(type);
}

peer_function *peer_tbb_sort(const char *, const char *type)
{
    return of_type<sort_tbb>(type);
}
#endif

void peer_limit_tbb([[maybe_unused]] unsigned threads)
{
#ifdef BENCH_HAVE_TBB
    bound = nullptr; // several bounds that exist at once would all apply
    bound = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  threads);
#endif
}

#ifdef BENCH_HAVE_HIGHWAY
namespace
{
namespace hn = hwy::HWY_NAMESPACE;

JOB(highway_copy_if, uint32_t, const hn::ScalableTag<uint32_t> d;
    job->result = static_cast<uint64_t>(hn::CopyIf(d, in, n, out,
                                                   [limit](const auto tag, const auto v) HWY_ATTR {
                                                       return hn::Lt(v, hn::Set(tag, limit));
                                                   }) -
                                        out))
} // namespace

peer_function *peer_highway(const char *, const char *)
{
    return highway_copy_if;
}
#endif

#ifdef BENCH_HAVE_HWY
namespace
{
JOB_OF(sort_hwy, hwy::Sorter sorter; sorter(out, n, hwy::SortAscending()))

template <>
struct sort_hwy<uint8_t> {
    static constexpr peer_function *run = nullptr;
};
} // namespace

peer_function *peer_vqsort(const char *, const char *type)
{
    return of_type<sort_hwy>(type);
}
#endif

#define WORDS_OF(x) #x
#define WORDS(x) WORDS_OF(x)

const char *peer_versions()
{
    return
#ifdef _GLIBCXX_RELEASE
        "libstdc++ " WORDS(_GLIBCXX_RELEASE)
#else
        "another C++ library than libstdc++"
#endif
#ifdef BENCH_HAVE_TBB
            ", TBB " WORDS(TBB_VERSION_MAJOR) "." WORDS(TBB_VERSION_MINOR)
#else
        ", no TBB"
#endif
#ifdef BENCH_HIGHWAY_VERSION
                ", Highway " BENCH_HIGHWAY_VERSION
#else
        ", no Highway"
#endif
        ;
}
