#include "apps/cli/unzip.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Source: PKWARE, APPNOTE.TXT. Numbers are little-endian. */
enum {
    BUFFER_SIZE = 64 * 1024,
    HEADER_SIZE = 26, /* of a member, after its signature */
    END_SIZE = 22,    /* of the record at the end, without its comment */
    NAMES_SIZE = 400,
    STORED = 0,
    DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
    FLAG_DESCRIPTOR = 8, /* checksum and sizes are after the data */
    EXTRA_ZIP64 = 1
};

static const unsigned char member_magic[] = {'P', 'K', 3, 4}, end_magic[] = {'P', 'K', 5, 6},
                           descriptor_magic[] = {'P', 'K', 7, 8};

struct unzipper {
    gunzip_reader *read;
    gunzip_ready *ready;
    void *user;
    bool only; /* the member must be the only one */
    z_stream stream;
    bool inflates;
    unsigned flags, method;
    uint32_t expected, checksum;
    bool is_bounded; /* the size of the data is known: `left` of it are left */
    bool is_large;   /* sizes have 8 bytes */
    uint64_t left;
    bool holds_output, ended;
    char name[256];         /* of the member that was found last */
    char names[NAMES_SIZE]; /* of all that were found */
    size_t used, held;      /* of the buffer */
    unsigned char buffer[BUFFER_SIZE];
};

static uint64_t load(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    while (size-- > 0)
        number = number << 8 | bytes[size];
    return number;
}

bool unzip_recognises(const unsigned char *bytes, size_t size)
{
    return size >= 4 && (memcmp(bytes, member_magic, 4) == 0 || memcmp(bytes, end_magic, 4) == 0);
}

bool unzip_has_several(const unsigned char *end, size_t size)
{
    for (size_t at = size; at-- > 0;)
        if (size - at >= END_SIZE && memcmp(end + at, end_magic, 4) == 0)
            return load(end + at + 10, 2) > 1;
    return false;
}

static bool refill(unzipper *unzip, failure *why)
{
    unzip->used = unzip->held = 0;
    if (!unzip->read(unzip->user, unzip->buffer, sizeof unzip->buffer, false, &unzip->held, why))
        return false;
    return unzip->held > 0 || fail(why, "the zip file is cut short");
}

/* Reads size bytes, or skips them if `to` is NULL. */
static bool take(unzipper *unzip, unsigned char *to, uint64_t size, failure *why)
{
    while (size > 0) {
        if (unzip->used == unzip->held && !refill(unzip, why))
            return false;
        const size_t here = unzip->held - unzip->used, part = size < here ? (size_t)size : here;
        if (to != NULL) {
            memcpy(to, unzip->buffer + unzip->used, part);
            to += part;
        }
        unzip->used += part;
        size -= part;
    }
    return true;
}

/* Large sizes are in an extra field. */
static bool read_extra(unzipper *unzip, size_t size, failure *why)
{
    unsigned char head[4], sizes[16];
    while (size >= sizeof head) {
        if (!take(unzip, head, sizeof head, why))
            return false;
        size -= sizeof head;
        const size_t length = (size_t)load(head + 2, 2);
        if (length > size)
            return fail(why, "the zip file is corrupt");
        size -= length;
        const bool has_sizes = load(head, 2) == EXTRA_ZIP64 && length >= sizeof sizes;
        if (has_sizes && !take(unzip, sizes, sizeof sizes, why))
            return false;
        if (has_sizes && unzip->left == UINT32_MAX)
            unzip->left = load(sizes + 8, 8);
        unzip->is_large = unzip->is_large || has_sizes;
        if (!take(unzip, NULL, length - (has_sizes ? sizeof sizes : 0), why))
            return false;
    }
    return take(unzip, NULL, size, why);
}

static void add_name(unzipper *unzip)
{
    const size_t used = strlen(unzip->names);
    if (used + strlen(unzip->name) + 8 < sizeof unzip->names)
        snprintf(unzip->names + used, sizeof unzip->names - used, "%s%s", used > 0 ? ", " : "",
                 unzip->name);
    else if (used > 0 && unzip->names[used - 1] != '.')
        snprintf(unzip->names + used, sizeof unzip->names - used, ", ...");
}

/* Reads the header of the next member. *found: there is one. */
static bool next_member(unzipper *unzip, bool *found, failure *why)
{
    unsigned char magic[4], head[HEADER_SIZE];
    if (!take(unzip, magic, sizeof magic, why))
        return false;
    *found = memcmp(magic, member_magic, sizeof magic) == 0;
    if (!*found)
        return true;
    if (!take(unzip, head, sizeof head, why))
        return false;
    const size_t name_size = (size_t)load(head + 22, 2), extra = (size_t)load(head + 24, 2);
    const size_t kept = name_size < sizeof unzip->name ? name_size : sizeof unzip->name - 1;
    unzip->flags = (unsigned)load(head + 2, 2);
    unzip->method = (unsigned)load(head + 4, 2);
    unzip->expected = (uint32_t)load(head + 10, 4);
    unzip->left = load(head + 14, 4);
    unzip->is_large = false;
    if (!take(unzip, (unsigned char *)unzip->name, kept, why) ||
        !take(unzip, NULL, name_size - kept, why))
        return false;
    unzip->name[kept] = '\0';
    add_name(unzip);
    if (!read_extra(unzip, extra, why))
        return false;
    unzip->is_bounded = (unzip->flags & FLAG_DESCRIPTOR) == 0;
    unzip->checksum = (uint32_t)crc32(0, NULL, 0);
    unzip->ended = false;
    return true;
}

static bool begin_member(unzipper *unzip, failure *why)
{
    if ((unzip->flags & FLAG_ENCRYPTED) != 0)
        return fail(why, "%s is encrypted", unzip->name);
    if (unzip->method != STORED && unzip->method != DEFLATED)
        return fail(why, "%s is compressed by method %u, not by deflate", unzip->name,
                    unzip->method);
    if (unzip->method == STORED && !unzip->is_bounded)
        return fail(why, "%s is stored without its size: unpack the file (unzip)", unzip->name);
    if (unzip->method != DEFLATED)
        return true;
    const int begun =
        unzip->inflates ? inflateReset(&unzip->stream) : inflateInit2(&unzip->stream, -MAX_WBITS);
    unzip->inflates = begun == Z_OK;
    return unzip->inflates || fail_out_of_memory(why);
}

/* Checks what is behind the data of a member. */
static bool end_member(unzipper *unzip, failure *why)
{
    unsigned char descriptor[20];
    unzip->ended = true;
    if ((unzip->flags & FLAG_DESCRIPTOR) != 0) {
        const size_t sizes = unzip->is_large ? 16 : 8;
        if (!take(unzip, descriptor, 4, why))
            return false;
        if (memcmp(descriptor, descriptor_magic, 4) == 0 && !take(unzip, descriptor, 4, why))
            return false;
        unzip->expected = (uint32_t)load(descriptor, 4);
        if (!take(unzip, NULL, sizes, why))
            return false;
    }
    return unzip->checksum == unzip->expected ||
           fail(why, "%s is corrupt: its checksum is wrong", unzip->name);
}

static bool inflate_some(unzipper *unzip, void *to, size_t room, size_t *got, failure *why)
{
    z_stream *const stream = &unzip->stream;
    size_t here = unzip->held - unzip->used;
    if (unzip->is_bounded && unzip->left < here)
        here = (size_t)unzip->left;
    stream->next_in = unzip->buffer + unzip->used;
    stream->avail_in = (uInt)here;
    stream->next_out = to;
    stream->avail_out = (uInt)(room < INT_MAX ? room : INT_MAX);
    const uInt before = stream->avail_out;
    const int status = inflate(stream, Z_NO_FLUSH);
    const size_t used = here - stream->avail_in;
    unzip->used += used;
    unzip->left -= unzip->is_bounded ? used : 0;
    *got = before - stream->avail_out;
    unzip->checksum = (uint32_t)crc32_z(unzip->checksum, to, *got);
    unzip->holds_output = stream->avail_out == 0 && status == Z_OK;
    if (status == Z_STREAM_END)
        return end_member(unzip, why);
    if ((status == Z_OK || status == Z_BUF_ERROR) &&
        (!unzip->is_bounded || unzip->left > 0 || unzip->holds_output))
        return true;
    return status == Z_MEM_ERROR ? fail_out_of_memory(why)
                                 : fail(why, "%s is corrupt", unzip->name);
}

static bool copy_some(unzipper *unzip, void *to, size_t room, size_t *got, failure *why)
{
    const size_t here = unzip->held - unzip->used;
    *got = here < room ? here : room;
    if (unzip->left < *got)
        *got = (size_t)unzip->left;
    memcpy(to, unzip->buffer + unzip->used, *got);
    unzip->checksum = (uint32_t)crc32_z(unzip->checksum, to, *got);
    unzip->used += *got;
    unzip->left -= *got;
    return unzip->left > 0 || end_member(unzip, why);
}

/* Reads data of the member that has been found last. */
static bool read_member(unzipper *unzip, void *to, size_t size, bool whole, size_t *got,
                        failure *why)
{
    *got = 0;
    while (*got < size && !unzip->ended && (whole || *got == 0 || unzip_is_ready(unzip))) {
        const bool empty = unzip->method == STORED && unzip->left == 0;
        if (unzip->used == unzip->held && !unzip->holds_output && !empty && !refill(unzip, why))
            return false;
        size_t part;
        if (!(unzip->method == STORED ? copy_some : inflate_some)(unzip, (char *)to + *got,
                                                                  size - *got, &part, why))
            return false;
        *got += part;
    }
    return true;
}

static bool skip_member(unzipper *unzip, failure *why)
{
    char unused[4096];
    size_t got;
    if (unzip->is_bounded)
        return take(unzip, NULL, unzip->left, why);
    if (!begin_member(unzip, why))
        return false;
    do {
        if (!read_member(unzip, unused, sizeof unused, true, &got, why))
            return false;
    } while (got > 0);
    return true;
}

static bool is_name(const char *name, const char *member)
{
    const size_t length = strlen(member);
    return strncmp(name, member, length) == 0 &&
           (name[length] == '\0' || strcmp(name + length, ".npy") == 0);
}

/* Tells the names of all members, of which those from here on have not been found. */
static bool fail_several(unzipper *unzip, failure *why)
{
    bool found = true;
    while (found && skip_member(unzip, why) && next_member(unzip, &found, why))
        ;
    return fail(why, "a zip file of several members: --member NAME reads one: %s", unzip->names);
}

static bool find_member(unzipper *unzip, const char *member, bool several, failure *why)
{
    bool found;
    for (;;) {
        if (!next_member(unzip, &found, why))
            return false;
        if (!found && member == NULL)
            return fail(why, "the zip file has no members");
        if (!found)
            return fail(why, "--member: there is no %.100s: %s", member, unzip->names);
        if (member == NULL || is_name(unzip->name, member))
            break;
        if (!skip_member(unzip, why))
            return false;
    }
    if (member == NULL && several)
        return fail_several(unzip, why);
    unzip->only = member == NULL;
    return begin_member(unzip, why);
}

unzipper *unzip_open(gunzip_reader *read, gunzip_ready *ready, void *user, const char *member,
                     bool several, failure *why)
{
    unzipper *const unzip = calloc(1, sizeof *unzip);
    if (unzip == NULL) {
        fail_out_of_memory(why);
        return NULL;
    }
    unzip->read = read;
    unzip->ready = ready;
    unzip->user = user;
    if (find_member(unzip, member, several, why))
        return unzip;
    unzip_close(unzip);
    return NULL;
}

void unzip_close(unzipper *unzip)
{
    if (unzip == NULL)
        return;
    if (unzip->inflates)
        inflateEnd(&unzip->stream);
    free(unzip);
}

bool unzip_is_ready(unzipper *unzip)
{
    return unzip->used < unzip->held || unzip->holds_output || unzip->ended ||
           unzip->ready(unzip->user);
}

bool unzip_read(unzipper *unzip, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    bool more = false;
    if (!read_member(unzip, to, size, whole, got, why))
        return false;
    if (!unzip->ended || !unzip->only)
        return true;
    unzip->only = false;
    return next_member(unzip, &more, why) && (!more || fail_several(unzip, why));
}
