/*
 * Moves records. Up to 64 bytes are copied inline, without touching a byte beyond the record;
 * longer records by memcpy, or past the caches. Compiled once for each instruction set.
 */
#include "apps/allocate/pack_kernels.h"
#include "scan/cpu/stream_fence.h"
#include "scan/tables.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

/* Records up to this size are copied without a call. */
#define SMALL 64

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
    const size_t head = -(uintptr_t)to % SMALL;
    memcpy(to, from, head);
    size_t at = head;
    for (; at + SMALL <= bytes; at += SMALL) {
        for (size_t k = 0; k < SMALL; k += sizeof(vector)) {
            vector v;
            memcpy(&v, from + at + k, sizeof v);
            stream_vector(to + at + k, v);
        }
    }
    memcpy(to + at, from + at, bytes - at);
}

/* Copies records of n to 2n bytes by two copies of n bytes; the second ends where the record
   ends. */
SIZE_FUNCTION void copy_ends(char *to, const char *from, size_t bytes, const size_t n)
{
    char first[SMALL / 2], last[SMALL / 2];
    memcpy(first, from, n);
    memcpy(last, from + bytes - n, n);
    memcpy(to, first, n);
    memcpy(to + bytes - n, last, n);
}

/* Copies 17 to 64 bytes. */
#if defined __x86_64__ && PARSCAN_VECTOR_BYTES == 64
SIZE_FUNCTION void copy_middle(char *to, const char *from, size_t bytes)
{
    const __mmask64 mask = _bzhi_u64(UINT64_MAX, (unsigned)bytes);
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
}
#else
SIZE_FUNCTION void copy_middle(char *to, const char *from, size_t bytes)
{
    if (bytes > 32)
        copy_ends(to, from, bytes, 32);
    else
        copy_ends(to, from, bytes, 16);
}
#endif

SIZE_FUNCTION void copy_small(char *to, const char *from, size_t bytes)
{
    if (bytes > 16)
        copy_middle(to, from, bytes);
    else if (bytes >= 8)
        copy_ends(to, from, bytes, 8);
    else if (bytes >= 4)
        copy_ends(to, from, bytes, 4);
    else if (bytes >= 2)
        copy_ends(to, from, bytes, 2);
    else if (bytes == 1)
        *to = *from;
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
        if (bytes <= SMALL)
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
