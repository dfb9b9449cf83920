/*
 * Bytes as gzip data. A gunzipper with a buffer of 5 bytes must give the same as the program's.
 * Half of the mutations are of what is compressed, which a mutation of the compressed bytes, which
 * end in a check sum, would hardly ever reach.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "apps/cli/gunzip.h"
#include "apps/cli/gzip_block.h"
#include "tests/fuzz/fuzz_files.h"

enum { MOST_PAYLOAD = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

gunzipper *gunzip_open_by_5(gunzip_reader *read, gunzip_ready *ready, void *user, unsigned threads);
bool gunzip_read_by_5(gunzipper *gunzip, void *to, size_t size, bool whole, size_t *got,
                      failure *why);
void gunzip_close_by_5(gunzipper *gunzip);

typedef struct memory {
    const uint8_t *bytes;
    size_t left;
} memory;

static bool read_memory(void *user, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    memory *const from = user;
    (void)whole, (void)why;
    *got = size < from->left ? size : from->left;
    memcpy(to, from->bytes, *got);
    from->bytes += *got;
    from->left -= *got;
    return true;
}

/* As if more had to be waited for: what has been unpacked is passed on after every buffer. */
static bool memory_is_ready(void *user)
{
    (void)user;
    return false;
}

/* What the gunzipper with the small buffer makes of the bytes is what the program read. */
static void expect_the_same_by_5(const uint8_t *bytes, size_t size, const array *payload, bool done,
                                 const failure *why)
{
    memory from = {bytes, size};
    failure why_again = {""};
    uint8_t part[777];
    size_t got, all = 0;
    bool good = true;
    gunzipper *const gunzip = gunzip_open_by_5(read_memory, memory_is_ready, &from, 1);
    MUST(gunzip != NULL);
    do {
        good = gunzip_read_by_5(gunzip, part, sizeof part, false, &got, &why_again);
        if (good && done) {
            MUST(got <= payload->n - all);
            MUST(got == 0 || memcmp(part, (const uint8_t *)payload->data + all, got) == 0);
        }
        all += got;
    } while (good && got > 0);
    gunzip_close_by_5(gunzip);
    MUST(good == done);
    MUST(done ? all == payload->n : same_words((fail_in(&why_again, "-"), &why_again), why));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    array payload, numbers;
    failure why;
    const bool done = read_file(bytes, size, FORMAT_RAW, PARSCAN_U8, &payload, &why);
    if (gunzip_recognises(bytes, size))
        expect_the_same_by_5(bytes, size, &payload, done, &why);
    if (done)
        expect_gzip_round_trip(payload.data, payload.n);
    if (read_file(bytes, size, FORMAT_UNKNOWN, (parscan_type)0, &numbers, &why)) {
        MUST(done);
        expect_round_trip(&numbers, FORMAT_NPY);
    }
    array_release(&payload);
    array_release(&numbers);
    return 0;
}

/* Inflates the first member, at most MOST_PAYLOAD bytes of it. */
static size_t unpack(const uint8_t *bytes, size_t size, uint8_t *payload)
{
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)size};
    if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
        return 0;
    stream.next_out = payload;
    stream.avail_out = MOST_PAYLOAD;
    inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    return MOST_PAYLOAD - stream.avail_out;
}

/* A block of BGZF. 0: it does not fit. */
static size_t pack_block(const uint8_t *payload, size_t size, int level, uint8_t *bytes,
                         size_t most)
{
    enum { AROUND = GZIP_BLOCK_HEAD + GZIP_BLOCK_TAIL };
    z_stream stream = {.next_in = (Bytef *)payload, .avail_in = (uInt)size};
    if (most < AROUND ||
        deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    stream.next_out = bytes + GZIP_BLOCK_HEAD;
    stream.avail_out = (uInt)(most - AROUND);
    const bool fits = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    const size_t deflated = stream.total_out;
    deflateEnd(&stream);
    return fits ? gzip_block_seal(bytes, deflated, (uint32_t)crc32(0, payload, (uInt)size), size)
                : 0;
}

/* 0: it does not fit. */
static size_t pack(const uint8_t *payload, size_t size, int level, uint8_t *bytes, size_t most)
{
    z_stream stream = {.next_in = (Bytef *)payload, .avail_in = (uInt)size};
    if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    stream.next_out = bytes;
    stream.avail_out = (uInt)most;
    const bool fits = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&stream);
    return fits ? most - stream.avail_out : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    if (seed % 2 == 0)
        return LLVMFuzzerMutate(bytes, size, most);
    uint8_t *const payload = malloc(MOST_PAYLOAD);
    MUST(payload != NULL);
    size_t length = unpack(bytes, size, payload);
    length = LLVMFuzzerMutate(payload, length, MOST_PAYLOAD);
    const int level = (int)(seed / 2 % 10);
    const size_t packed =
        (seed / 20 % 2 == 0 ? pack : pack_block)(payload, length, level, bytes, most);
    free(payload);
    return packed > 0 ? packed : LLVMFuzzerMutate(bytes, size, most);
}
