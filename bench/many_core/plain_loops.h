/* The rows' primitives by a plain loop, or by std::sort: what a user would write, on one thread. */
#ifndef PARSCAN_BENCH_PLAIN_LOOPS_H
#define PARSCAN_BENCH_PLAIN_LOOPS_H

#include "many_core.h"

/* Of the inputs: one in so many elements begins a segment, or a run; the limit of a filter; bins. */
enum { SEGMENT_MEAN = 100, RUN_MEAN = 4, SORTED_MEAN = 1000, BINS = 65536 };
#define KEEP_BELOW 0x80000000u

void plain_scan_u32(row_data *data);
void plain_scan_u64(row_data *data);
void plain_scan_f32(row_data *data);
void plain_scan_reverse(row_data *data);
void plain_scan_in_place(row_data *data);
void plain_reduce(row_data *data);
void plain_segmented_scan(row_data *data);
void plain_segmented_reduce(row_data *data);
void plain_recurrence(row_data *data);
void plain_compact(row_data *data);
void plain_unique(row_data *data);
void plain_histogram_u8(row_data *data);
void plain_histogram_u32(row_data *data);
void plain_allocate(row_data *data);
void plain_expand(row_data *data);
void plain_bin(row_data *data);
#ifdef BENCH_HAVE_STD
void plain_sort_u32(row_data *data);
void plain_sort_u64(row_data *data);
void plain_sort_pairs(row_data *data);
void plain_argsort(row_data *data);
void plain_sort_segments(row_data *data);
#else /* no C++ compiler */
#define plain_sort_u32 NULL
#define plain_sort_u64 NULL
#define plain_sort_pairs NULL
#define plain_argsort NULL
#define plain_sort_segments NULL
#endif

#endif
