/* The parts of bench_apps, one for each application. Each measures its groups and returns
   whether every result was right. The options give the rows, sizes, types and threads, where the
   part has a choice. */
#ifndef PARSCAN_BENCH_APPS_PARTS_H
#define PARSCAN_BENCH_APPS_PARTS_H

#include "harness.h"

bool bench_allocate(const bench_options *options);
bool bench_segmented(const bench_options *options);
bool bench_compact(const bench_options *options);
bool bench_histogram(const bench_options *options);
bool bench_sort(const bench_options *options);

#endif
