#include "scan/cuda/plan.h"

#include <stdarg.h>
#include <stdio.h>

/* The cards that limits were measured on; both have 132 multiprocessors and 227 KiB a block. */
#define CARD_MULTIPROCESSORS 132u
#define CARD_SHARED_BYTES 232448u

/* value * amount / of, without overflow and at least 1. */
static size_t scaled(size_t value, size_t amount, size_t of)
{
    const size_t whole = value / of, rest = value % of;
    if (whole > (SIZE_MAX - rest * amount / of) / (amount > 0 ? amount : 1))
        return SIZE_MAX;
    const size_t result = whole * amount + rest * amount / of;
    return result > 0 ? result : 1;
}

size_t parscan_plan_limit_of(const parscan_plan_device *device, const parscan_plan_limit limits[],
                             size_t which)
{
    const parscan_plan_limit *const limit = &limits[which];
    switch (limit->scale) {
    case PARSCAN_PER_MULTIPROCESSOR:
        return scaled(limit->value, device->multiprocessors, CARD_MULTIPROCESSORS);
    case PARSCAN_PER_SHARED_BYTE:
        return scaled(limit->value, device->shared_bytes, CARD_SHARED_BYTES);
    case PARSCAN_ABSOLUTE:
        break;
    }
    return limit->value;
}

bool parscan_plan_is_few(size_t bytes, size_t blocks, size_t n, size_t size)
{
    return n <= bytes / size && n * size / PARSCAN_FEW_TILE_BYTES + 2 <= blocks;
}

void parscan_plan_print(const parscan_plan_table *table, size_t variant, const char *details, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, details);
    vsnprintf(text, sizeof text, details, arguments);
    va_end(arguments);
    fprintf(stderr, "parscan: plan: %s: %s, %s\n", table->primitive, table->variants[variant].name,
            text);
}
