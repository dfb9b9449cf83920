/* How threads divide the units of records that follow each other: thread t has the units t, t + stride, and so
   on, without a division for each. */
#ifndef PARSCAN_SCAN_CUDA_UNIT_WALK_CUH
#define PARSCAN_SCAN_CUDA_UNIT_WALK_CUH

#include <stddef.h>

struct unit_walk {
    size_t each; /* units of a record */
    size_t step; /* `stride` units are `more` records and `step` units */
    unsigned more;
    unsigned record;
    size_t part; /* unit `part` of record `record` */

    __device__ __forceinline__ unit_walk(unsigned first, unsigned stride, size_t each)
        : each(each), more(each <= stride ? stride / (unsigned)each : 0),
          record(each <= first ? first / (unsigned)each : 0)
    {
        step = stride - more * each;
        part = first - record * each;
    }
    __device__ __forceinline__ size_t unit() const { return record * each + part; }
    __device__ __forceinline__ void next()
    {
        part += step;
        record += more;
        if (part >= each) {
            part -= each;
            record++;
        }
    }
};

#endif
