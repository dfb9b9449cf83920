#include "tests/support/plot.h"

#include <criterion/criterion.h>
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

void plot_expect(const plot *p, const char *name, const void *elements, size_t count, size_t size,
                 const char *words)
{
    size_t k = 0;
    if (memcmp(p->array, elements, count * size) != 0) {
        while (memcmp(p->array + k * size, (const char *)elements + k * size, size) == 0)
            k++;
        cr_assert_fail("%s %zu of %zu is wrong: %s", name, k, count, words);
    }
    if (!untouched(look_from(p), p->array) || !untouched(p->array + p->bytes, look_to(p)))
        cr_assert_fail("memory around an output was written: %s", words);
}
