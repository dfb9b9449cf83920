#include "apps/cli/number_integer.h"

#include <string.h>

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

static void put_pair(char *to, uint32_t value)
{
    memcpy(to, pairs + 2 * value, 2);
}

static char *put_eight(char *to, uint32_t value)
{
    const uint32_t high = value / 10000, low = value % 10000;
    put_pair(to, high / 100);
    put_pair(to + 2, high % 100);
    put_pair(to + 4, low / 100);
    put_pair(to + 6, low % 100);
    return to + 8;
}

/* Below 10^8, without leading zeros. */
static char *put_short(char *to, uint32_t value)
{
    char all[8];
    put_eight(all, value);
    int zeros = 0;
    while (zeros < 7 && all[zeros] == '0')
        zeros++;
    memcpy(to, all + zeros, (size_t)(8 - zeros));
    return to + 8 - zeros;
}

char *format_unsigned(uint64_t value, char *to)
{
    const uint32_t eight = 100000000;
    if (value < eight)
        return put_short(to, (uint32_t)value);
    const uint64_t high = value / eight;
    to = high < eight
             ? put_short(to, (uint32_t)high)
             : put_eight(put_short(to, (uint32_t)(high / eight)), (uint32_t)(high % eight));
    return put_eight(to, (uint32_t)(value % eight));
}
