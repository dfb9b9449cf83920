/*
 * Segment heads as bits: whatever says where segments begin (flags, offsets, keys) is read into a
 * bitmap that lies in cache, a range of elements at a time. Compiled once an instruction set.
 *
 * Elements are numbered in the order of combination: in reverse, element j is x[n-1-j], and its bit
 * says that x[n-1-j] ends a segment of x, which is where a scan from the end begins anew.
 */
#ifndef PARSCAN_APPS_SEGMENTED_HEADS_H
#define PARSCAN_APPS_SEGMENTED_HEADS_H

#include <stdbool.h>

#include "parscan/segments.h"
#include "scan/cpu/isa.h"

/* One thread's reading of segments, from range to range. Begin with segments, n and reverse, the
   rest zero. */
typedef struct head_reader {
    const parscan_segments *segments;
    size_t n;
    bool reverse;
    bool wrong;           /* offsets were seen to decrease */
    size_t heads;         /* how many the range read last has */
    size_t first, last;   /* of offsets: numbers first to last - 1 are in the range read last, */
    size_t begin, length; /* this one of x */
} head_reader;

/*
 * Sets bit k % 64 of heads[k / 64], for every k < count, to whether element begin + k starts a
 * segment; bits beyond count in the last word are 0. Offsets that decrease: some bits, and
 * reader->wrong.
 */
typedef void parscan_read_heads(head_reader *reader, size_t begin, size_t count, uint64_t *heads);

parscan_read_heads parscan_read_heads_portable, parscan_read_heads_avx2, parscan_read_heads_avx512;

/* The one for an instruction set that this machine has. */
parscan_read_heads *parscan_heads_of(parscan_isa isa);

/* The number of the first offset that is p or more, p <= n. Offsets that decrease lead it astray,
   but not out of their array. guess <= count: where to look first. */
size_t parscan_find_offset(const parscan_segments *segments, uint64_t p, size_t guess);

#endif
