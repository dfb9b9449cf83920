/* The table of element types. */
#include "elements.h"

#include "element_functions.h"

const bench_element *bench_element_of(parscan_type type)
{
    static const bench_element elements[] = {
#define X(ctx, NAME, number, name, ...)                                          \
    [number] = {bench_fill_##name, bench_check_##name, bench_openmp_simd_##name, \
                bench_openmp_parallel_##name},
        PARSCAN_TYPES(X, )
#undef X
    };
    return &elements[type];
}

bool bench_openmp_parallel_fits(size_t bytes)
{
#ifdef __clang__
    /* clang allocates a buffer as long as the array on the stack. */
    return bytes <= 4u << 20;
#else
    (void)bytes;
    return true;
#endif
}

#ifndef BENCH_HAVE_STD
const char *bench_peer_versions(void)
{
    return "no C++ compiler";
}

bench_scan_function *bench_std_scan(parscan_type type)
{
    (void)type;
    return NULL;
}
#endif

#ifndef BENCH_HAVE_THRUST
bench_scan_function *bench_thrust_scan(parscan_type type)
{
    (void)type;
    return NULL;
}
#endif

#ifndef BENCH_HAVE_TBB
bench_scan_function *bench_std_par_unseq(parscan_type type)
{
    (void)type;
    return NULL;
}

void bench_std_threads(unsigned threads)
{
    (void)threads;
}
#endif
