// ips4o: a parallel sorter with threads of its own, which last from call to call. It sorts in place.
#include <cstdint>
#include <memory>
#include <string_view>

#include <ips4o.hpp>

#include "peers.h"

namespace
{
template <typename T>
void sort(peer_job *job)
{
    T *const keys = static_cast<T *>(job->out);
    if (job->threads == 1) {
        ips4o::sort(keys, keys + job->n);
        return;
    }
    static const std::unique_ptr<ips4o::StdThreadPool> threads =
        std::make_unique<ips4o::StdThreadPool>(static_cast<int>(job->threads));
    ips4o::parallel::sort(keys, keys + job->n, std::less<>(), *threads);
}
} // namespace

peer_function *peer_ips4o(const char *work, const char *type)
{
    const std::string_view name = type, sorts = "sort-keys";
    if (work != sorts)
        return nullptr;
    return name == "u32" ? sort<uint32_t> : name == "u64" ? sort<uint64_t> : nullptr;
}
