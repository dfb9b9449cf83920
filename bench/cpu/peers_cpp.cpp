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

void std_sort_u32(uint32_t *keys, size_t n)
{
    std::sort(keys, keys + n);
}

void std_sort_u64(uint64_t *keys, size_t n)
{
    std::sort(keys, keys + n);
}

void std_sort_indices(const uint32_t *keys, uint32_t *indices, size_t n)
{
    std::stable_sort(indices, indices + n,
                     [keys](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
}

namespace
{
template <typename T>
T *out_of(peer_job *job)
{
    return static_cast<T *>(job->out);
}

template <typename T>
const T *in_of(const peer_job *job)
{
    return static_cast<const T *>(job->in);
}

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

template <typename T>
struct scan {
    static void run(peer_job *job)
    {
        std::inclusive_scan(in_of<T>(job), in_of<T>(job) + job->n, out_of<T>(job));
    }
};

template <typename T>
struct sort {
    static void run(peer_job *job) { std::sort(out_of<T>(job), out_of<T>(job) + job->n); }
};

void copy_if(peer_job *job)
{
    const uint32_t *const in = in_of<uint32_t>(job), limit = job->limit;
    uint32_t *const out = out_of<uint32_t>(job);
    job->result = static_cast<uint64_t>(
        std::copy_if(in, in + job->n, out, [limit](uint32_t x) { return x < limit; }) - out);
}

void partition(peer_job *job)
{
    const uint32_t *const in = in_of<uint32_t>(job), limit = job->limit;
    const auto below = [limit](uint32_t x) { return x < limit; };
    uint32_t *const out = out_of<uint32_t>(job);
    uint32_t *const rest = out + std::count_if(in, in + job->n, below);
    job->result =
        static_cast<uint64_t>(std::partition_copy(in, in + job->n, out, rest, below).first - out);
}

void unique(peer_job *job)
{
    const uint32_t *const in = in_of<uint32_t>(job);
    uint32_t *const out = out_of<uint32_t>(job);
    job->result = static_cast<uint64_t>(std::unique_copy(in, in + job->n, out) - out);
}
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
template <typename T>
struct scan_par {
    static void run(peer_job *job)
    {
        std::inclusive_scan(std::execution::par_unseq, in_of<T>(job), in_of<T>(job) + job->n,
                            out_of<T>(job));
    }
};

template <typename T>
struct sort_par {
    static void run(peer_job *job)
    {
        std::sort(std::execution::par_unseq, out_of<T>(job), out_of<T>(job) + job->n);
    }
};

template <typename T>
struct sort_tbb {
    static void run(peer_job *job) { tbb::parallel_sort(out_of<T>(job), out_of<T>(job) + job->n); }
};

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

void highway_copy_if(peer_job *job)
{
    const hn::ScalableTag<uint32_t> d;
    const uint32_t limit = job->limit;
    job->result = hn::CopyIf(d, in_of<uint32_t>(job), job->n, out_of<uint32_t>(job),
                             [limit](const auto tag, const auto v)
                                 HWY_ATTR { return hn::Lt(v, hn::Set(tag, limit)); }) -
                  out_of<uint32_t>(job);
}
} // namespace

peer_function *peer_highway(const char *, const char *)
{
    return highway_copy_if;
}
#endif

#ifdef BENCH_HAVE_HWY
namespace
{
template <typename T>
struct sort_hwy {
    static void run(peer_job *job)
    {
        hwy::Sorter sorter;
        sorter(out_of<T>(job), job->n, hwy::SortAscending());
    }
};

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
