// std::copy_if, std::partition_copy, std::unique_copy; Highway's CopyIf.
#include <algorithm>
#ifdef BENCH_HAVE_HIGHWAY
#include <hwy/contrib/algo/copy-inl.h>
#endif

#include "peers_compact.h"

namespace
{
size_t std_copy_if(const uint32_t *in, size_t n, uint32_t limit, uint32_t *out, unsigned)
{
    return std::copy_if(in, in + n, out, [limit](uint32_t x) { return x < limit; }) - out;
}

size_t std_partition(const uint32_t *in, size_t n, uint32_t limit, uint32_t *out, unsigned)
{
    const auto below = [limit](uint32_t x) { return x < limit; };
    uint32_t *const rest = out + std::count_if(in, in + n, below);
    return std::partition_copy(in, in + n, out, rest, below).first - out;
}

size_t std_unique(const uint32_t *in, size_t n, uint32_t, uint32_t *out, unsigned)
{
    return std::unique_copy(in, in + n, out) - out;
}

#ifdef BENCH_HAVE_HIGHWAY
namespace hn = hwy::HWY_NAMESPACE;

size_t highway_copy_if(const uint32_t *in, size_t n, uint32_t limit, uint32_t *out, unsigned)
{
    const hn::ScalableTag<uint32_t> d;
    return hn::CopyIf(d, in, n, out,
                      [limit](const auto tag, const auto v)
                          HWY_ATTR { return hn::Lt(v, hn::Set(tag, limit)); }) -
           out;
}
#else
constexpr bench_compact_peer *highway_copy_if = nullptr;
#endif
} // namespace

bench_compact_peer *const bench_std_copy_if = std_copy_if;
bench_compact_peer *const bench_std_partition = std_partition;
bench_compact_peer *const bench_std_unique = std_unique;
bench_compact_peer *const bench_highway_copy_if = highway_copy_if;
