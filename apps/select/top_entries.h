/* Lists of entries (top_k_kernels.h) on one thread. */
#ifndef PARSCAN_APPS_SELECT_TOP_ENTRIES_H
#define PARSCAN_APPS_SELECT_TOP_ENTRIES_H

#include "apps/select/top_k_kernels.h"

/* Keeps the k <= n entries of the lowest ranks, of equal ranks the first ones, in their order. */
void parscan_keep_best(top_entry *entries, size_t n, size_t k);

/* Sorts n entries by their ranks, stably. spare: as many. */
void parscan_sort_entries(top_entry *entries, size_t n, top_entry *spare);

#endif
