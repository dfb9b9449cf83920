/* The parts of the table of rows. Each ends with an empty row. */
#ifndef PARSCAN_BENCH_ROWS_H
#define PARSCAN_BENCH_ROWS_H

#include "many_core.h"

extern const bench_row rows_scan[], rows_segmented[], rows_compact[], rows_sort[], rows_allocate[];

#endif
