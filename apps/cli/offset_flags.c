#include "apps/cli/offset_flags.h"

#include <inttypes.h>
#include <string.h>

#include "apps/cli/integer_bits.h"

enum { PART_ELEMENTS = 64 * 1024 };

/* Makes sure that there is a next offset, unless the file has ended. */
static bool prepare_offset(offset_flags *flags, session *job, failure *why)
{
    if (flags->used < flags->offsets.n || flags->ended)
        return true;
    flags->offsets.type = job->second.type;
    flags->offsets.n = flags->used = 0;
    if (!session_read_second(job, flags->file, &flags->offsets, PART_ELEMENTS, why))
        return false;
    flags->ended = flags->offsets.n == 0;
    return true;
}

/* The next offset, which may not be negative. */
static bool next_offset(const offset_flags *flags, uint64_t *offset, failure *why)
{
    const parscan_type type = flags->offsets.type;
    const size_t size = parscan_type_size(type);
    const char *const from = (const char *)flags->offsets.data + flags->used * size;
    const int64_t number = (int64_t)load_signed(from, size);
    *offset = load_unsigned(from, size);
    return parscan_signless(type) == type || number >= 0 ||
           fail(why, "offset %" PRIu64 ", counted from 0, is %" PRId64 ": it is negative",
                flags->count, number);
}

static bool check_offset(const offset_flags *flags, uint64_t offset, failure *why)
{
    if (flags->count == 0)
        return offset == 0 || fail(why, "the first offset is %" PRIu64 ", not 0", offset);
    return offset >= flags->last || fail(why,
                                         "offset %" PRIu64 ", counted from 0, is %" PRIu64
                                         ", less than the %" PRIu64 " before it",
                                         flags->count, offset, flags->last);
}

static bool check_last_offset(const offset_flags *flags, uint64_t n, failure *why)
{
    if (flags->count == 0)
        return fail(why, "there are no offsets: the first must be 0");
    return flags->last == n ||
           fail(why, "the last offset is %" PRIu64 ", not %" PRIu64 ", the number of elements",
                flags->last, n);
}

/* Takes the offsets that lie in the piece; after the last one all that are left. */
static bool take_offsets(offset_flags *flags, session *job, const stream_piece *piece, bool is_last,
                         failure *why)
{
    const uint64_t end = piece->first + piece->in.n;
    char *const marks = piece->second.data;
    for (;;) {
        if (!prepare_offset(flags, job, why))
            return false;
        if (flags->ended)
            return true;
        uint64_t offset;
        if (!next_offset(flags, &offset, why) || !check_offset(flags, offset, why))
            return fail_in(why, input_name(flags->file->path));
        if (offset >= end && !is_last)
            return true;
        if (offset < end)
            marks[offset - piece->first] = 1;
        flags->last = offset;
        flags->count++;
        flags->used++;
    }
}

bool offset_flags_read(offset_flags *flags, session *job, stream_piece *piece, failure *why)
{
    piece->second.type = PARSCAN_U8;
    if (!array_reserve(&piece->second, piece->in.n))
        return session_out_of_memory(job, why);
    piece->second.n = piece->in.n;
    if (piece->in.n > 0)
        memset(piece->second.data, 0, piece->in.n);
    /* Where the end is seen, wrong offsets are told before the piece is computed. */
    const bool is_last = piece->in.n == 0 || input_at_end(job->reader);
    if (!take_offsets(flags, job, piece, is_last, why))
        return false;
    if (!flags->ended)
        return true;
    uint64_t n = piece->first + piece->in.n;
    return stream_count_rest(job, &n, why) &&
           (check_last_offset(flags, n, why) || fail_in(why, input_name(flags->file->path)));
}

void offset_flags_release(offset_flags *flags)
{
    array_release(&flags->offsets);
}
