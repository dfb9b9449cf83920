#include "cpu_head.h"

#include <stdio.h>

#include "copy.h"
#include "elements.h"
#include "numpy.h"

void bench_write_cpu_head(const char *benchmark, const bench_options *options)
{
    char words[1024];
    parscan_context *const engine = bench_engine(1);
    snprintf(words, sizeof words, "# parscan's SIMD: %s; copy and read: %s\n# peers: %s, %s\n",
             parscan_context_simd(engine), bench_copy_isa(), bench_peer_versions(),
             bench_numpy_version());
    parscan_context_destroy(engine);
    bench_write_head(benchmark, options, words);
}
