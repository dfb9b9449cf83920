#include "tests/support/plot.h"

#include <string.h>

#include "tests/support/random.h"

#define UNTOUCHED 0xa5
#define AROUND 256u /* bytes that are looked at beside an array */

plot_place plot_anywhere(void)
{
    const unsigned gap = (unsigned)random_below(2 * PLOT_GAPS);
    return (plot_place){random_below(2) == 0, gap < PLOT_GAPS ? gap : 0};
}

static void lay_out(plot *p, size_t bytes, plot_place place)
{
    const size_t needed = bytes + PLOT_GAPS;
    if (p->memory.begin == NULL || (size_t)(p->memory.end - p->memory.begin) < needed) {
        if (p->memory.begin != NULL)
            guarded_destroy(p->memory);
        p->memory = guarded_create(needed);
    } else {
        guarded_read_only(p->memory, false);
    }
    p->array = place.at_end ? p->memory.end - place.gap - bytes : p->memory.begin + place.gap;
    p->bytes = bytes;
}

void *plot_input(plot *p, const void *from, size_t bytes, plot_place place)
{
    lay_out(p, bytes, place);
    if (bytes > 0)
        memcpy(p->array, from, bytes);
    guarded_read_only(p->memory, true);
    return p->array;
}

static char *look_from(const plot *p)
{
    return p->array - p->memory.begin > AROUND ? p->array - AROUND : p->memory.begin;
}

static char *look_to(const plot *p)
{
    char *const end = p->array + p->bytes;
    return p->memory.end - end > AROUND ? end + AROUND : p->memory.end;
}

void *plot_output(plot *p, size_t bytes, plot_place place)
{
    lay_out(p, bytes, place);
    memset(look_from(p), UNTOUCHED, (size_t)(look_to(p) - look_from(p)));
    return p->array;
}

static bool untouched(const char *begin, const char *end)
{
    for (; begin < end; begin++)
        if ((unsigned char)*begin != UNTOUCHED)
            return false;
    return true;
}

bool plot_is_clean_around(const plot *p)
{
    return untouched(look_from(p), p->array) && untouched(p->array + p->bytes, look_to(p));
}

bool plot_is_untouched(const plot *p)
{
    return untouched(look_from(p), look_to(p));
}
