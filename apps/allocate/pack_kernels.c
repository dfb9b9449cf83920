/*
 * Moves records. Up to 64 bytes are copied inline, without touching a byte beyond the record;
 * longer records by memcpy, or past the caches. Compiled once for each instruction set.
 */
#include "apps/allocate/pack_kernels.h"
#include "scan/cpu/copy_small.h"
#include "scan/cpu/stream_fence.h"
#include "scan/tables.h"

/* Records are streamed by lines of this size. */
#define LINE 64

/* Records from this size on are streamed. For smaller ones, the partial lines at a record's ends
   cost more than streaming saves. */
#define STREAM_RECORD_FROM 256

/* How many records ahead the input is prefetched, since records may be in any order. */
#define AHEAD 8

typedef unsigned char vector __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

SIZE_FUNCTION void stream_vector(char *to, vector v)
{
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
    _mm512_stream_si512((__m512i *)to, (__m512i)v);
#elif defined __x86_64__ && PARSCAN_VECTOR_BYTES == 32
    _mm256_stream_si256((__m256i *)to, (__m256i)v);
#elif defined __x86_64__
    _mm_stream_si128((__m128i *)to, (__m128i)v);
#else
    memcpy(to, &v, sizeof v);
#endif
}

static void copy_bytes(char *to, const char *from, size_t bytes, bool stream)
{
    if (!stream || bytes < STREAM_RECORD_FROM) {
        memcpy(to, from, bytes);
        return;
    }
    const size_t head = -(uintptr_t)to % LINE;
    memcpy(to, from, head);
    size_t at = head;
    for (; at + LINE <= bytes; at += LINE) {
        for (size_t k = 0; k < LINE; k += sizeof(vector)) {
            vector v;
            memcpy(&v, from + at + k, sizeof v);
            stream_vector(to + at + k, v);
        }
    }
    memcpy(to + at, from + at, bytes - at);
}

SIZE_FUNCTION void move(const parscan_type offset_type, const parscan_type size_type,
                        const pack_records *records, size_t begin, size_t end)
{
    const pack_records r = *records;
    for (size_t i = begin; i < end; i++) {
        const size_t bytes = (size_t)size_at(size_type, r.sizes, i);
        const char *const from = r.in + size_at(offset_type, r.in_offsets, i);
        char *const to = r.out + size_at(offset_type, r.out_offsets, i);
        if (end - i > AHEAD)
            __builtin_prefetch(r.in + size_at(offset_type, r.in_offsets, i + AHEAD));
        if (bytes <= COPY_SMALL_MOST)
            copy_small(to, from, bytes);
        else
            copy_bytes(to, from, bytes, r.stream);
    }
}

static void move_specialised(const pack_records *records, size_t begin, size_t end)
{
    WITH_OFFSET_TYPE(records->offset_type,
                     WITH_SIZE_TYPE(records->size_type, move(OFFSET, SIZE, records, begin, end)))
}

const pack_kernels PARSCAN_PASTE(parscan_pack_, PARSCAN_ISA) = {
    .move = move_specialised,
    .copy = copy_bytes,
    .fence = stream_fence,
};
