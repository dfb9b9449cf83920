/*
 * Calls by parscan/typed.h that must not compile, in C and in C++: test_refused.sh compiles each alone,
 * REFUSED = its number, and looks for the words.
 */
#include "parscan/typed.h"

typedef struct record {
    int number;
} record;

typedef struct other {
    int number;
} other;

void calls(parscan_context *context, parscan_comm *comm);

void calls(parscan_context *context, parscan_comm *comm)
{
    const int in[1] = {0};
    int out[1];
    float real[1];
    double wide[1];
    record records[1];
    other others[1];
    unsigned numbers[1];
    uint64_t longs[1], count;
    const uint8_t flags[1] = {0};
    void *const any = out;
    (void)comm, (void)in, (void)out, (void)real, (void)wide, (void)records, (void)others;
    (void)numbers, (void)longs, (void)flags, (void)any, (void)count, (void)context;
#define REFUSES(number) (REFUSED == (number))
#if REFUSES(1) /* elements of one type */
    parscan_typed_sort_keys(context, in, real, 1, NULL);
#elif REFUSES(2)  /* elements of one type */
    parscan_typed_sort_pairs(context, in, out, records, others, 1, NULL);
#elif REFUSES(3)  /* elements of one type */
    parscan_typed_compact(context, records, flags, others, 1, &count);
#elif REFUSES(4)  /* must not be void \* */
    parscan_typed_compact(context, any, flags, any, 1, &count);
#elif REFUSES(5)  /* elements of one type */
    parscan_typed_recurrence(context, real, real, wide, real, 1);
#elif REFUSES(6)  /* must be integers of 32 or 64 bits */
    parscan_typed_bin_indices(context, flags, 1, 1, numbers, real);
#elif REFUSES(7)  /* elements of one type */
    parscan_typed_run_length_encode(context, in, wide, NULL, 1, &count);
#elif REFUSES(8)  /* not compatible with any|no member named .value|not a member */
    parscan_typed_unique(context, records, records, 1, &count);
#elif REFUSES(9)  /* elements of one type */
    parscan_typed_expand(context, flags, 1, numbers, longs, 1, &count);
#elif REFUSES(10) /* elements of one type */
    parscan_typed_partition(context, in, NULL, numbers, 1, &count);
#elif REFUSES(11) /* elements of one type */
    parscan_typed_dense_to_csr(context, in, 1, 1, numbers, longs, out, &count);
#elif REFUSES(12) /* elements of one type */
    parscan_typed_pack(context, in, numbers, flags, out, longs, 1);
#elif REFUSES(13) /* elements of one type */
    parscan_typed_bin(context, flags, in, 1, 1, numbers, wide);
#elif REFUSES(14) /* elements of one type */
    parscan_typed_dist_sort_keys(comm, in, 1, wide, 1, NULL);
#elif REFUSES(15) /* elements of one type */
    parscan_typed_dist_rebalance(comm, records, 1, others, 1);
#elif REFUSES(16) /* not compatible with any|no member named .value|not a member|incomplete type */
    parscan_typed_reduce(context, any, out, 1, NULL);
#elif REFUSES(17) /* elements of one type */
    parscan_typed_sort_segments(context, in, real, 1, NULL, NULL);
#elif REFUSES(18) /* elements of one type */
    parscan_typed_compact_if(context, wide, NULL, out, 1, &count);
#elif REFUSES(19) /* elements of one type */
    parscan_typed_merge(context, in, 1, numbers, 1, out);
#elif REFUSES(20) /* elements of one type */
    parscan_typed_merge_pairs(context, in, 1, in, 1, out, records, records, others);
#elif REFUSES(21) /* elements of one type */
    parscan_typed_gather(context, records, 1, numbers, others, 1);
#elif REFUSES(22) /* must not be void \* */
    parscan_typed_scatter(context, any, 1, numbers, any, 1, NULL);
#elif REFUSES(23) /* elements of one type */
    parscan_typed_join(context, PARSCAN_JOIN_LEFT, in, 1, wide, 1, numbers, numbers, 1, &count);
#elif REFUSES(24) /* elements of one type */
    parscan_typed_join(context, PARSCAN_JOIN_LEFT, in, 1, in, 1, numbers, longs, 1, &count);
#elif REFUSES(25) /* elements of one type */
    parscan_typed_set_union(context, in, 1, in, 1, numbers, 1, &count);
#endif
}
