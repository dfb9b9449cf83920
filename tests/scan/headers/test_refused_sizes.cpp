/*
 * C++: calls with a parscan_type where the bytes of an element stand must not compile (test_refused.sh
 * compiles each alone, REFUSED = its number, and looks for the words); numbers of any type do.
 */
extern "C" { /* as programs do that know C headers */
#include "parscan/parscan.h"
}

enum { FOUR = 4 };

template <typename Size>
static parscan_status calls(parscan_context *context, parscan_comm *comm, Size size)
{
    void *const a = nullptr;
    const uint8_t *const flags = nullptr;
    parscan_chunked *chunked;
    uint64_t *const count = nullptr;
    return static_cast<parscan_status>(
        parscan_compact(context, size, a, flags, a, 0, count) |
        parscan_sort_pairs(context, PARSCAN_U32, a, a, size, a, a, 0, nullptr) |
        parscan_sort_segments(context, PARSCAN_U32, a, a, size, a, a, 0, nullptr, nullptr) |
        parscan_bin(context, PARSCAN_U32, a, size, a, 0, 1, PARSCAN_U32, a, a) |
        parscan_chunked_create_compact(&chunked, context, size) |
        parscan_chunked_create_unique_pairs(&chunked, context, PARSCAN_U32, size) |
        parscan_dist_sort_pairs(comm, PARSCAN_U32, a, a, size, a, a, 0, 0, nullptr) |
        parscan_dist_bin(comm, PARSCAN_U32, a, size, a, 0, 1, PARSCAN_U32, a, a, 0, count) |
        parscan_unique_pairs(context, PARSCAN_U32, a, a, size, a, a, 0, count) |
        parscan_run_length_decode(context, size, a, PARSCAN_U32, a, 0, a, 0, count) |
        parscan_gather(context, size, a, 0, PARSCAN_U32, a, a, 0) |
        parscan_scatter(context, size, a, 0, PARSCAN_U32, a, a, 0, nullptr) |
        parscan_dist_rebalance(comm, size, a, 0, a, 0));
}

int main()
{
    parscan_context *const context = nullptr;
    parscan_comm *const comm = nullptr;
    void *const a = nullptr;
    const uint8_t *const flags = nullptr;
    parscan_chunked *chunked;
    uint64_t *const count = nullptr;
    const parscan_type type = PARSCAN_U32;
    (void)a, (void)flags, (void)chunked, (void)count, (void)type;
    calls(context, comm, sizeof(int));
    calls(context, comm, 4);
    calls(context, comm, 4u);
    calls(context, comm, 4L);
    calls(context, comm, static_cast<uint8_t>(4));
    calls(context, comm, FOUR);
    parscan_compact(context, sizeof *flags, a, flags, a, 0, count);
    parscan_sort_segments(context, type, a, a, 0, a, a, 0, nullptr, nullptr);
    parscan_status (*const pointer)(parscan_context *, size_t, const void *, const uint8_t *,
                                    void *, size_t, uint64_t *) = parscan_compact;
    (void)pointer;
#define REFUSES(number) (REFUSED == (number))
#if REFUSES(1) /* deleted function */
    parscan_compact(context, type, a, flags, a, 0, count);
#elif REFUSES(2)  /* deleted function */
    parscan_sort_pairs(context, type, a, a, type, a, a, 0, nullptr);
#elif REFUSES(3)  /* deleted function */
    parscan_sort_segments(context, type, a, a, PARSCAN_U64, a, a, 0, nullptr, nullptr);
#elif REFUSES(4)  /* deleted function */
    parscan_bin(context, type, a, type, a, 0, 1, type, a, a);
#elif REFUSES(5)  /* deleted function */
    parscan_chunked_create_compact(&chunked, context, type);
#elif REFUSES(6)  /* deleted function */
    parscan_dist_sort_pairs(comm, type, a, a, type, a, a, 0, 0, nullptr);
#elif REFUSES(7)  /* deleted function */
    parscan_dist_bin(comm, type, a, type, a, 0, 1, type, a, a, 0, count);
#elif REFUSES(8)  /* deleted function */
    parscan_dist_rebalance(comm, type, a, 0, a, 0);
#elif REFUSES(9)  /* deleted function */
    parscan_gather(context, type, a, 0, type, a, a, 0);
#elif REFUSES(10) /* deleted function */
    parscan_scatter(context, type, a, 0, type, a, a, 0, nullptr);
#elif REFUSES(11) /* deleted function */
    parscan_unique_pairs(context, type, a, a, type, a, a, 0, count);
#elif REFUSES(12) /* deleted function */
    parscan_run_length_decode(context, type, a, type, a, 0, a, 0, count);
#elif REFUSES(13) /* deleted function */
    parscan_chunked_create_unique_pairs(&chunked, context, type, type);
#endif
#ifdef PARSCAN_NO_DELETED_OVERLOADS
    (void)&parscan_compact; /* is one function */
#endif
}
