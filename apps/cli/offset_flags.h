/* The offsets of segments as flags, in pieces: a flag is 1 where a segment starts. */
#ifndef PARSCAN_CLI_OFFSET_FLAGS_H
#define PARSCAN_CLI_OFFSET_FLAGS_H

#include "apps/cli/stream.h"

typedef struct offset_flags {
    const second_input *file;
    array offsets;        /* a part of the file */
    size_t used;          /* of that part */
    uint64_t count, last; /* offsets that have been taken, and the last one of them */
    bool ended;           /* the file has no more */
} offset_flags;

/* Reads the offsets that lie in a piece of the input, and makes piece->second its flags. At the end of
   the input, the last offset must be the number of elements. */
bool offset_flags_read(offset_flags *flags, session *job, stream_piece *piece, failure *why);

void offset_flags_release(offset_flags *flags);

#endif
