/* Loads and stores integers of any size as 64 bits. */
#ifndef PARSCAN_CLI_INTEGER_BITS_H
#define PARSCAN_CLI_INTEGER_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t load_unsigned(const void *from, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, from, size); /* little-endian: the low bytes */
    return value;
}

/* The integer, sign-extended to 64 bits. */
static inline uint64_t load_signed(const void *from, size_t size)
{
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return (load_unsigned(from, size) ^ sign) - sign;
}

static inline void store_integer(uint64_t value, size_t size, void *out)
{
    const uint8_t v8 = (uint8_t)value;
    const uint16_t v16 = (uint16_t)value;
    const uint32_t v32 = (uint32_t)value;
    switch (size) {
    case sizeof v8:
        memcpy(out, &v8, sizeof v8);
        break;
    case sizeof v16:
        memcpy(out, &v16, sizeof v16);
        break;
    case sizeof v32:
        memcpy(out, &v32, sizeof v32);
        break;
    default:
        memcpy(out, &value, sizeof value);
    }
}

#endif
