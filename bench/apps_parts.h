/* The parts of bench_apps, one an application: each measures its groups and says whether every
   result was right. Rows, sizes, types and threads are the options' where the part has a choice. */
#ifndef PARSCAN_BENCH_APPS_PARTS_H
#define PARSCAN_BENCH_APPS_PARTS_H

#include "harness.h"

bool bench_allocate(const bench_options *options);
bool bench_segmented(const bench_options *options);
bool bench_compact(const bench_options *options);
bool bench_histogram(const bench_options *options);
bool bench_sort(const bench_options *options);

#endif
