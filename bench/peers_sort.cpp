// std::sort, also with std::execution::par; tbb::parallel_sort; Highway's vqsort.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#ifdef BENCH_HAVE_TBB
#include <execution>
#include <tbb/parallel_sort.h>
#endif
#ifdef BENCH_HAVE_HWY
#include <hwy/contrib/sort/vqsort.h>
#endif

#include "peers_sort.h"
#include "scan/tables.h"

namespace
{
template <typename T>
void sort(void *keys, size_t n, unsigned)
{
    std::sort(static_cast<T *>(keys), static_cast<T *>(keys) + n);
}

#ifdef BENCH_HAVE_TBB
template <typename T>
void sort_par(void *keys, size_t n, unsigned)
{
    std::sort(std::execution::par, static_cast<T *>(keys), static_cast<T *>(keys) + n);
}

template <typename T>
void sort_tbb(void *keys, size_t n, unsigned)
{
    tbb::parallel_sort(static_cast<T *>(keys), static_cast<T *>(keys) + n);
}
#endif

#ifdef BENCH_HAVE_HWY
template <typename T>
void sort_hwy(void *keys, size_t n, unsigned)
{
    if constexpr (sizeof(T) > 1) {
        hwy::Sorter sorter;
        sorter(static_cast<T *>(keys), n, hwy::SortAscending());
    }
}
#endif
} // namespace

#define X(function, NAME, number, name, type, ...) \
    case PARSCAN_##NAME:                           \
        return function<type>;

bench_sort_function *bench_std_sort(parscan_type type)
{
    switch (type) {
        PARSCAN_TYPES(X, sort)
    }
    return nullptr;
}

bench_sort_function *bench_std_sort_par([[maybe_unused]] parscan_type type)
{
#ifdef BENCH_HAVE_TBB
    switch (type) {
        PARSCAN_TYPES(X, sort_par)
    }
#endif
    return nullptr;
}

bench_sort_function *bench_tbb_sort([[maybe_unused]] parscan_type type)
{
#ifdef BENCH_HAVE_TBB
    switch (type) {
        PARSCAN_TYPES(X, sort_tbb)
    }
#endif
    return nullptr;
}

bench_sort_function *bench_vqsort([[maybe_unused]] parscan_type type)
{
#ifdef BENCH_HAVE_HWY
    if (parscan_type_size(type) == 1)
        return nullptr;
    switch (type) {
        PARSCAN_TYPES(X, sort_hwy)
    }
#endif
    return nullptr;
}
