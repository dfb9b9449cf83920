/*
 * Segment heads as bits: flags, offsets, keys or rows are read into a bitmap that stays in cache, one
 * range of elements at a time. The functions are compiled once for each instruction set.
 *
 * Elements are numbered in the order of combination. In reverse, element j is x[n-1-j]; its bit
 * tells that x[n-1-j] ends a segment of x, which is where a scan from the end starts again.
 */
#ifndef PARSCAN_APPS_SEGMENTED_HEADS_H
#define PARSCAN_APPS_SEGMENTED_HEADS_H

#include <stdbool.h>

#include "parscan/segments.h"
#include "scan/cpu/isa.h"

/* The state of one thread that reads segments range by range. Initialise segments, n, reverse and
   continues, and set the rest to zero. The caller's arrays are borrowed. */
typedef struct head_reader {
    const parscan_segments *segments;
    size_t n;
    bool reverse;
    bool continues; /* x[0] does not start a segment; for flags and keys */
    bool wrong;     /* offsets were seen to decrease */
    size_t heads;   /* the number of heads in the range that was read last */
    size_t first,
        last; /* offsets and rows: first to last - 1 lie in the range that was read last, */
    size_t begin, length; /* which is x[begin] to x[begin + length - 1]; offsets only */
} head_reader;

/*
 * Sets bit k % 64 of heads[k / 64], for every k < count, if element begin + k starts a segment, and
 * clears it otherwise. Bits beyond count in the last word are 0. Where offsets decrease, the bits
 * are undefined and reader->wrong is set.
 */
typedef void parscan_read_heads(head_reader *reader, size_t begin, size_t count, uint64_t *heads);

parscan_read_heads parscan_read_heads_portable, parscan_read_heads_avx2, parscan_read_heads_avx512;

/* Returns the function for an instruction set, which this machine must have. */
parscan_read_heads *parscan_heads_of(parscan_isa isa);

/* Returns the index of the first offset that is at least p, where p <= n. With offsets that
   decrease the result may be wrong, but is still an index into their array. guess <= count:
   where the search starts. */
size_t parscan_find_offset(const parscan_segments *segments, uint64_t p, size_t guess);

#endif
