/* The head of a CPU benchmark's CSV: instruction sets and peers, beside the machine. */
#ifndef PARSCAN_BENCH_CPU_HEAD_H
#define PARSCAN_BENCH_CPU_HEAD_H

#include "harness.h"

/* Calls bench_write_head() with parscan's instruction set, that of the copies, and the peers'
   versions. */
void bench_write_cpu_head(const char *benchmark, const bench_options *options);

#endif
