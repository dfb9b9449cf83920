/* What the head of a CPU benchmark's CSV says beside the machine: instruction sets and peers. */
#ifndef PARSCAN_BENCH_CPU_HEAD_H
#define PARSCAN_BENCH_CPU_HEAD_H

#include "harness.h"

/* bench_write_head() with parscan's instruction set, the copies', and the peers' versions. */
void bench_write_cpu_head(const char *benchmark, const bench_options *options);

#endif
