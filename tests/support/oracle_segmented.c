#include "tests/support/oracle_segmented.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "tests/support/half_number.h"
#include "tests/support/number.h"

size_t oracle_segment_disagrees(const oracle_segments *segments, const void *out, size_t *at,
                                char words[ORACLE_WORDS])
{
    const oracle_scan *const whole = &segments->scan;
    const size_t in_size = parscan_type_size(whole->type);
    const size_t out_size = parscan_type_size(whole->out_type);
    for (size_t s = 0; s < segments->count; s++) {
        const size_t begin = segments->bounds[s];
        oracle_scan one = *whole;
        one.in = (const char *)whole->in + begin * in_size;
        one.n = segments->bounds[s + 1] - begin;
        const size_t to = whole->kind == SCAN_REDUCE ? s : begin;
        const size_t wrong = oracle_disagrees_at(&one, (const char *)out + to * out_size, words);
        if (wrong != ORACLE_AGREES) {
            *at = begin + wrong;
            return s;
        }
    }
    return ORACLE_AGREES;
}

/* As in oracle.c: double for what is computed in F32, since long double is slow, and the software's on some processors. */
#define REAL double
#define REALS(name) name##_in_double
#include "tests/support/oracle_recurrence.h"
#undef REAL
#undef REALS
#define REAL long double
#define REALS(name) name##_in_long_double
#include "tests/support/oracle_recurrence.h"
#undef REAL
#undef REALS

size_t oracle_recurrence_disagrees_at(const oracle_recurrence *q, const void *out,
                                      char words[ORACLE_WORDS])
{
    return q->type == PARSCAN_F64 ? recurrence_disagrees_at_in_long_double(q, out, words)
                                  : recurrence_disagrees_at_in_double(q, out, words);
}
