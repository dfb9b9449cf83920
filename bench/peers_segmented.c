/* Plain loops, and what a user would write with OpenMP. Compiled once for each element type
   (scan/cpu/element.h), for this machine. */
#include "peers_segmented.h"

#include <omp.h>

#include "scan/cpu/element.h"

static T add(T a, T b)
{
    return (T)((A)a + (A)b);
}

static void scan_share(const T *in, const uint8_t *flags, T *out, size_t begin, size_t end, T sum)
{
    for (size_t i = begin; i < end; i++) {
        sum = flags[i] != 0 || i == 0 ? in[i] : add(sum, in[i]);
        out[i] = sum;
    }
}

void NAMED(bench_segmented_scan_loop)(const void *in, const uint8_t *flags, void *out, size_t n,
                                      unsigned threads)
{
    (void)threads;
    scan_share(in, flags, out, 0, n, 0);
}

/* The sum that a share leaves open: from its last flag on, or, if it has none, of the whole
   share and what was open before it. */
static T sum_open(const T *in, const uint8_t *flags, size_t begin, size_t end, T before)
{
    T sum = 0;
    for (size_t i = end; i-- > begin;) {
        sum = add(in[i], sum);
        if (flags[i] != 0)
            return sum;
    }
    return add(before, sum);
}

void NAMED(bench_segmented_scan_openmp)(const void *in, const uint8_t *flags, void *out, size_t n,
                                        unsigned threads)
{
    T open[256] = {0};
#pragma omp parallel num_threads(threads < 256 ? threads : 255)
    {
        const size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        const size_t begin = n / team * me, end = me + 1 == team ? n : n / team * (me + 1);
#pragma omp for ordered schedule(static, 1)
        for (size_t k = 0; k < team; k++) {
#pragma omp ordered
            open[k + 1] = sum_open(in, flags, begin, end, open[k]);
        }
        scan_share(in, flags, out, begin, end, open[me]);
    }
}

size_t NAMED(bench_segmented_reduce)(const void *from, const uint8_t *flags, void *to, size_t n)
{
    const T *const in = from;
    T *const out = to;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (flags[i] != 0 || i == 0)
            out[count++] = in[i];
        else
            out[count - 1] = add(out[count - 1], in[i]);
    }
    return count;
}

void NAMED(bench_recurrence)(const void *from_a, const void *from_b, void *to, size_t n)
{
    const T *const a = from_a, *const b = from_b;
    T *const out = to;
    T x = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = x = add((T)((A)a[i] * (A)x), b[i]);
}
