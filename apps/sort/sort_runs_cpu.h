/* Input that is nearly sorted, on the CPU: a few runs in order, merged. */
#ifndef PARSCAN_APPS_SORT_SORT_RUNS_CPU_H
#define PARSCAN_APPS_SORT_SORT_RUNS_CPU_H

#include "apps/sort/sort_call.h"

/* Sorts a call that is prepared. Returns false, and has written no output, where the input is not a few long
   runs and little else, or there is no room to merge them. */
bool parscan_sort_by_runs(const sort_call *call);

#endif
