/* The parts of bench_apps, one an application: each measures its groups and says whether every result
   was right. Sizes, types and threads are the options' where the part has a choice. */
#ifndef PARSCAN_BENCH_APPS_PARTS_H
#define PARSCAN_BENCH_APPS_PARTS_H

#include "harness.h"

#ifdef __cplusplus
extern "C" {
#endif

bool bench_allocate(const bench_options *options);
bool bench_segmented(const bench_options *options);
bool bench_compact(const bench_options *options);
bool bench_histogram(const bench_options *options);
bool bench_apps_sort(const bench_options *options);

#ifdef __cplusplus
}
#endif
#endif
