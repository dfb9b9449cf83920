/* Input that is nearly sorted, on the CPU: a few runs in order, merged, or one and what is in none. */
#ifndef PARSCAN_APPS_SORT_SORT_RUNS_CPU_H
#define PARSCAN_APPS_SORT_SORT_RUNS_CPU_H

#include "apps/sort/sort_call.h"

/* Sorts a call that is prepared. Returns false, and has written no output, where the input is not a few long
   runs and little else, or there is no room to merge them. */
bool parscan_sort_by_runs(const sort_call *call);

/* The same where few keys are out of order, wherever they are (sort_aside_cpu.c). */
bool parscan_sort_by_aside(const sort_call *call);

/* Whether there is room to merge two runs. */
bool parscan_sort_may_merge(const sort_call *call);

#endif
