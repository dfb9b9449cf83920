#include "apps/segments/check_segments.h"
#include "apps/segments/heads.h"

parscan_read_heads *parscan_heads_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, parscan_read_heads_portable, parscan_read_heads_avx2,
                          parscan_read_heads_avx512);
}

/* Searches from the guess in steps that double, then by bisection. */
size_t parscan_find_offset(const parscan_segments *segments, uint64_t p, size_t guess)
{
    size_t low = 0, high = segments->count, step = 1;
    if (guess < high && parscan_segment_offset(segments, guess) < p) {
        low = guess + 1;
        for (; step < high - low && parscan_segment_offset(segments, low + step) < p; step *= 2)
            low += step + 1;
        high = step < high - low ? low + step : high;
    } else {
        high = guess;
        for (; step < high - low && parscan_segment_offset(segments, high - step) >= p; step *= 2)
            high -= step;
        low = step < high - low ? high - step + 1 : low;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (parscan_segment_offset(segments, middle) < p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
