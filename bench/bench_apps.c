/*
 * bench_apps: parscan's applications, compared with their peers and with copies of the same bytes.
 * harness.h tells how it measures, notes/ what was tried.
 */
#include <stdlib.h>

#include "apps_parts.h"
#include "cpu_head.h"
#include "numpy.h"

int main(int argc, char **argv)
{
    /* LLVM's OpenMP spins 200 ms by default, longer than the harness waits before TBB is
       measured. */
    setenv("KMP_BLOCKTIME", "15", 0);
    bool (*const parts[])(const bench_options *) = {bench_allocate, bench_segmented, bench_compact,
                                                    bench_histogram, bench_sort};
    bench_options options = bench_defaults();
    bench_parse(&options, argc, argv);
    bench_write_cpu_head("bench_apps", &options);
    bool right = true;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        right &= parts[k](&options);
    bench_numpy_stop();
    return bench_finish(&options, right);
}
