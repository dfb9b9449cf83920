#include "tests/support/oracle_allocate.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

static inline uint64_t get_sized(size_t bytes, const void *array, size_t i)
{
    const unsigned char *const element = (const unsigned char *)array + i * bytes;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (bytes) {
    case 1:
        memcpy(&u8, element, bytes);
        return u8;
    case 2:
        memcpy(&u16, element, bytes);
        return u16;
    case 4:
        memcpy(&u32, element, bytes);
        return u32;
    default:
        memcpy(&u64, element, bytes);
        return u64;
    }
}

uint64_t oracle_get(parscan_type type, const void *array, size_t i)
{
    return get_sized(parscan_type_size(type), array, i);
}

void oracle_set(parscan_type type, void *array, size_t i, uint64_t value)
{
    const size_t bytes = parscan_type_size(type);
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;
    const void *const from = bytes == 1   ? (const void *)&u8
                             : bytes == 2 ? (const void *)&u16
                             : bytes == 4 ? (const void *)&u32
                                          : (const void *)&value;
    memcpy((unsigned char *)array + i * bytes, from, bytes);
}

static uint128 rounded(const oracle_allocation *allocation, size_t i)
{
    const uint128 alignment = allocation->alignment != 0 ? allocation->alignment : 1;
    const uint128 size = oracle_get(allocation->size_type, allocation->sizes, i);
    return (size + alignment - 1) / alignment * alignment;
}

parscan_status oracle_allocate_total(const oracle_allocation *allocation, uint64_t *total)
{
    uint128 sum = 0;
    for (size_t i = 0; i < allocation->n; i++)
        sum += rounded(allocation, i);
    *total = sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
    if (sum > (allocation->offset_type == PARSCAN_U32 ? UINT32_MAX : UINT64_MAX))
        return PARSCAN_ERROR_OVERFLOW;
    return allocation->capacity != 0 && sum > allocation->capacity ? PARSCAN_ERROR_CAPACITY
                                                                   : PARSCAN_OK;
}

size_t oracle_offsets_count(const oracle_allocation *allocation)
{
    return allocation->n + allocation->close;
}

size_t oracle_offset_wrong_at(const oracle_allocation *allocation, const void *offsets)
{
    uint128 sum = 0;
    for (size_t i = 0; i < allocation->n; i++) {
        if (oracle_get(allocation->offset_type, offsets, i) != sum)
            return i;
        sum += rounded(allocation, i);
    }
    if (allocation->close && oracle_get(allocation->offset_type, offsets, allocation->n) != sum)
        return allocation->n;
    return oracle_offsets_count(allocation);
}

/* How many of `count` indices, from `first` on, are `value`, `value` + step and so on. */
static uint64_t are_right(parscan_type type, const void *array, uint64_t first, uint64_t count,
                          uint64_t value, uint64_t step)
{
    const size_t bytes = parscan_type_size(type);
    uint64_t k = 0;
    if (array == NULL)
        return count;
    if (bytes == 4)
        while (k < count && get_sized(4, array, first + k) == value + k * step)
            k++;
    else
        while (k < count && get_sized(bytes, array, first + k) == value + k * step)
            k++;
    return k;
}

uint64_t oracle_slot_wrong_at(parscan_type size_type, const void *sizes, size_t n,
                              parscan_type index_type, const void *owner, const void *rank)
{
    uint64_t slot = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t size = oracle_get(size_type, sizes, i);
        const uint64_t owners = are_right(index_type, owner, slot, size, i, 0);
        const uint64_t ranks = are_right(index_type, rank, slot, size, 0, 1);
        slot += owners < ranks ? owners : ranks;
        if (owners < size || ranks < size)
            return slot;
    }
    return slot;
}

size_t oracle_record_wrong_at(const void *in, parscan_type offset_type, const void *in_offsets,
                              parscan_type size_type, const void *sizes, const void *out,
                              const void *out_offsets, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char *const from =
            (const unsigned char *)in + oracle_get(offset_type, in_offsets, i);
        const unsigned char *const to =
            (const unsigned char *)out + oracle_get(offset_type, out_offsets, i);
        if (memcmp(from, to, oracle_get(size_type, sizes, i)) != 0)
            return i;
    }
    return n;
}
