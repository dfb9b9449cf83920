#include "apps/cli/memory_option.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/usage.h"

/* Reads the number in front of the unit, "" if there is none. */
static bool take_number(const char *value, uint64_t *number, const char **unit)
{
    char digits[32];
    failure unused;
    const size_t length = strspn(value, "0123456789");
    *unit = value + length;
    return length < sizeof digits &&
           snprintf(digits, sizeof digits, "%.*s", (int)length, value) > 0 &&
           take_size(digits, 0, number, &unused);
}

static bool multiply(uint64_t *number, const char *unit)
{
    static const char units[] = "KkMmGgTt";
    if (unit[0] == '\0')
        return true;
    const char *const found = strchr(units, unit[0]);
    if (found == NULL || unit[1] != '\0')
        return false;
    const unsigned shift = 10 * (unsigned)((found - units) / 2 + 1);
    *number = *number <= UINT64_MAX >> shift ? *number << shift : UINT64_MAX;
    return true;
}

bool memory_take(const char *value, const machine_memory *memory, uint64_t *bytes, failure *why)
{
    const char *unit;
    const bool is_number = take_number(value, bytes, &unit);
    const bool is_share = is_number && strcmp(unit, "%") == 0;
    if (is_share ? *bytes > 100 : !is_number || !multiply(bytes, unit))
        return fail(why,
                    "'%.100s' is not a size: a number of bytes, with K, M, G or T, or 1%% to 100%%",
                    value);
    if (is_share)
        *bytes = memory->all / 100 * *bytes;
    if (*bytes >= LEAST_MEMORY)
        return true;
    return is_share ? fail(why, "'%.100s' of the memory is %" PRIu64 " bytes, less than 16M", value,
                           *bytes)
                    : fail(why, "'%.100s' is less than 16M", value);
}

uint64_t memory_by_default(const machine_memory *memory)
{
    return memory->available / 2 > LEAST_MEMORY ? memory->available / 2 : LEAST_MEMORY;
}
