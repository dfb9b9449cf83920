/* Segments, runs and counts of a piece of a distributed array, and what follows from those of all
   ranks. */
#ifndef PARSCAN_APPS_DISTRIBUTED_DIST_PIECES_H
#define PARSCAN_APPS_DISTRIBUTED_DIST_PIECES_H

#include "apps/distributed/dist_borders.h"

/* What a rank tells the others of its piece. Segments start at heads. */
typedef struct segment_piece {
    uint64_t n;
    uint64_t
        first;     /* flags, keys: the first head after element 0, or n; offsets: the first, or n */
    uint64_t last; /* the last head; flags, keys: but element 0; 0 if there is none */
    uint8_t begins; /* element 0 is a head; of keys, and of the first flag, all ranks know it only
                       after parscan_join_pieces() */
    uint8_t inner;  /* there is a head after element 0; offsets: there is a head */
    uint8_t has_sum;
    dist_element key_first, key_last; /* of keys, if n > 0 */
    dist_element sum;                 /* of a part of the piece, if it is not empty */
} segment_piece;

/* Checks the segments of a piece (parscan/distributed.h), but not that all offsets are in order.
   Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_piece_segments(parscan_context *context, const parscan_segments *given,
                                            size_t n, parscan_segments *segments);

enum { PIECE_FIRST = 1, PIECE_LAST = 2 };

/* Fills a piece, but for its sum. wanted: which of first and last, by flags or keys. Errors:
   INVALID_ARGUMENT, offsets beyond n; those of dist_borders.h. */
parscan_status parscan_describe_piece(parscan_context *context, const parscan_segments *segments,
                                      size_t n, unsigned wanted, segment_piece *piece);

/* Completes `begins` of all pieces. Fails on all ranks if elements belong to no segment. */
parscan_status parscan_join_pieces(parscan_comm *comm, const parscan_segments *segments,
                                   segment_piece *all);

/* The sums, one after the other and in the order of ranks, of the ranks whose elements belong to the
   segment that this rank's piece goes on with; or to which its last segment goes on. size: bytes of
   a sum. */
size_t parscan_sums_before(const parscan_comm *comm, const segment_piece *all, unsigned char *sums,
                           size_t size);
size_t parscan_sums_behind(const parscan_comm *comm, const segment_piece *all, unsigned char *sums,
                           size_t size);

/* The last exchange of a function whose result has counts[0] elements on this rank: agrees on the
   status, and sets counts[1] to those of the ranks before and counts[2] to those of all. memory:
   8 bytes a rank, on the host. */
parscan_status parscan_gather_counts(parscan_comm *comm, parscan_status status, uint64_t counts[3],
                                     void *memory);

/* Writes count, offset and total where the caller wants them. */
void parscan_put_counts(const uint64_t counts[3], uint64_t *const outputs[3]);

#endif
