#include "apps/cli/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/element_order.h"
#include "apps/cli/number_integer.h"
#include "apps/cli/number_text.h"
#include "apps/cli/shortest_float.h"
#include "scan/half.h"

__extension__ typedef __int128 wide_integer;
__extension__ typedef unsigned __int128 wide_unsigned;

const char *tally_op_name_of(int value)
{
    static const char *const names[] = {"sum", "count", "min", "max", "mean"};
    return value >= 0 && value < TALLY_OPS ? names[value] : NULL;
}

bool tally_take(const char *value, tally_list *list, failure *why)
{
    enum { MOST = sizeof list->ops / sizeof list->ops[0] };
    list->count = 0;
    for (const char *name = value;; name++) {
        const char *const end = name + strcspn(name, ",");
        char word[16] = "";
        if ((size_t)(end - name) < sizeof word)
            memcpy(word, name, (size_t)(end - name));
        const int op = lookup(tally_op_name_of, word);
        if (op < 0 || list->count == MOST)
            return fail(why,
                        "'%.100s' is not sum, count, min, max or mean, with commas between them",
                        value);
        list->ops[list->count++] = (tally_op)op;
        if (*end == '\0')
            return true;
        name = end;
    }
}

bool tally_has(const tally_list *list, tally_op op)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->ops[i] == op)
            return true;
    return false;
}

static bool is_float(const tallies *groups)
{
    return element_traits_of(groups->type)->parse_float != NULL;
}

/* Makes room for n entries, all bytes of new ones being `fill`. */
static bool grow_entries(void **entries, size_t size, size_t before, size_t n, int fill)
{
    void *const grown = realloc(*entries, n * size);
    if (grown == NULL)
        return false;
    *entries = grown;
    memset((char *)grown + before * size, fill, (n - before) * size);
    return true;
}

/* The lowest order is kept plus 1, so that NaN has the lowest: 0. An empty group has the highest. */
static bool grow_room(tallies *groups, size_t n)
{
    const tally_list *const list = groups->list;
    const size_t before = groups->room;
    const bool sums = tally_has(list, TALLY_SUM) || tally_has(list, TALLY_MEAN);
    void *counts = groups->counts, *lows = groups->lows, *highs = groups->highs;
    const bool done =
        grow_entries(&counts, sizeof(uint64_t), before, n, 0) &&
        (!sums || grow_entries(&groups->sums, sizeof(wide_integer), before, n, 0)) &&
        (!tally_has(list, TALLY_MIN) || grow_entries(&lows, sizeof(uint64_t), before, n, 0xff)) &&
        (!tally_has(list, TALLY_MAX) || grow_entries(&highs, sizeof(uint64_t), before, n, 0));
    groups->counts = counts;
    groups->lows = lows;
    groups->highs = highs;
    if (done)
        groups->room = n;
    return done;
}

bool tallies_grow(tallies *groups, size_t n)
{
    if (groups->room == 0)
        shortest_decimal_prepare();
    if (n > groups->room && !grow_room(groups, n + n / 2 + 16))
        return false;
    groups->n = n;
    return true;
}

void tallies_release(tallies *groups)
{
    free(groups->counts);
    free(groups->sums);
    free(groups->lows);
    free(groups->highs);
    free(groups->orders);
}

#define ADD_EACH(sums, value)                  \
    do {                                       \
        if (numbers == NULL)                   \
            for (size_t i = 0; i < n; i++)     \
                (sums)[0] += (value);          \
        else                                   \
            for (size_t i = 0; i < n; i++)     \
                (sums)[numbers[i]] += (value); \
    } while (0)

#define ADD_INTEGER(value) ADD_EACH((wide_integer *)sums, (value))
#define ADD_FLOAT(value) ADD_EACH((double *)sums, (double)(value))

static void add_sums(void *sums, parscan_type type, const uint32_t *numbers, const void *elements,
                     size_t n)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, T, A, CLASS, ...) \
    case PARSCAN_##NAME: {                           \
        const T *const from = elements;              \
        ADD_##CLASS(from[i]);                        \
        break;                                       \
    }
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
#define X(ctx, NAME, number, name, T, ...)              \
    case PARSCAN_##NAME: {                              \
        const T *const from = elements;                 \
        ADD_FLOAT(parscan_widen_##NAME##_F64(from[i])); \
        break;                                          \
    }
        PARSCAN_STORED_TYPES(X, )
#undef X
    }
}

static void add_orders(const tallies *groups, const uint32_t *numbers, size_t n)
{
    const uint64_t *const orders = groups->orders;
    for (size_t i = 0; groups->lows != NULL && i < n; i++) {
        uint64_t *const low = &groups->lows[numbers != NULL ? numbers[i] : 0];
        *low = orders[i] + is_float(groups) < *low ? orders[i] + is_float(groups) : *low;
    }
    for (size_t i = 0; groups->highs != NULL && i < n; i++) {
        uint64_t *const high = &groups->highs[numbers != NULL ? numbers[i] : 0];
        *high = orders[i] > *high ? orders[i] : *high;
    }
}

static bool reserve_orders(tallies *groups, size_t n)
{
    if (n <= groups->orders_room)
        return true;
    uint64_t *const grown = realloc(groups->orders, n * sizeof *grown);
    if (grown == NULL)
        return false;
    groups->orders = grown;
    groups->orders_room = n;
    return true;
}

static bool add_extremes(tallies *groups, const uint32_t *numbers, const array *elements)
{
    if (groups->lows == NULL && groups->highs == NULL)
        return true;
    if (!reserve_orders(groups, elements->n))
        return false;
    element_orders(groups->type, elements->data, elements->n, groups->orders);
    add_orders(groups, numbers, elements->n);
    return true;
}

bool tallies_add(tallies *groups, const uint32_t *numbers, const array *elements)
{
    for (size_t i = 0; i < elements->n; i++)
        groups->counts[numbers[i]]++;
    if (groups->sums != NULL)
        add_sums(groups->sums, groups->type, numbers, elements->data, elements->n);
    return add_extremes(groups, numbers, elements);
}

bool tallies_add_extremes(tallies *groups, const array *elements)
{
    return add_extremes(groups, NULL, elements);
}

void tallies_add_counts(tallies *groups, const array *elements)
{
    groups->counts[0] += elements->n;
    if (groups->sums != NULL && !is_float(groups))
        add_sums(groups->sums, groups->type, NULL, elements->data, elements->n);
}

void tallies_set_sum(tallies *groups, double sum)
{
    if (groups->sums != NULL)
        ((double *)groups->sums)[0] = sum;
}

tally_part tallies_part(const tallies *groups, size_t group)
{
    tally_part part = {.count = groups->counts[group], .low = UINT64_MAX};
    if (groups->lows != NULL)
        part.low = groups->lows[group];
    if (groups->highs != NULL)
        part.high = groups->highs[group];
    if (groups->sums != NULL && is_float(groups))
        memcpy(part.sum, (const double *)groups->sums + group, sizeof(double));
    else if (groups->sums != NULL)
        memcpy(part.sum, (const wide_integer *)groups->sums + group, sizeof(wide_integer));
    return part;
}

void tallies_join(tallies *groups, size_t group, const tally_part *part)
{
    groups->counts[group] += part->count;
    if (groups->lows != NULL && part->low < groups->lows[group])
        groups->lows[group] = part->low;
    if (groups->highs != NULL && part->high > groups->highs[group])
        groups->highs[group] = part->high;
    if (groups->sums != NULL && is_float(groups)) {
        double sum;
        memcpy(&sum, part->sum, sizeof sum);
        ((double *)groups->sums)[group] += sum;
    } else if (groups->sums != NULL) {
        wide_integer sum;
        memcpy(&sum, part->sum, sizeof sum);
        ((wide_integer *)groups->sums)[group] += sum;
    }
}

static char *format_wide(wide_integer value, char *to)
{
    const uint64_t part = 1000000000000000000u; /* 10^18 */
    wide_unsigned rest = value < 0 ? 0 - (wide_unsigned)value : (wide_unsigned)value;
    char digits[40];
    size_t length = 0;
    if (value < 0)
        *to++ = '-';
    if (rest < part)
        return format_unsigned((uint64_t)rest, to);
    for (; rest > 0; rest /= 10)
        digits[length++] = (char)('0' + (int)(rest % 10));
    while (length > 0)
        *to++ = digits[--length];
    return to;
}

static char *format_element(parscan_type type, const void *element, char *to)
{
    return numbers_format(element_traits_of(type), element, 1, to) - 1;
}

/* The sign of NaN depends on the order of the operations that made it. */
static char *format_double_value(double value, char *to)
{
    value = isnan(value) ? (double)NAN : value;
    return format_element(PARSCAN_F64, &value, to);
}

static char *format_order(const tallies *groups, uint64_t order, char *to)
{
    long double element; /* room and alignment for an element of any type */
    element_of_order(groups->type, order, &element);
    return format_element(groups->type, &element, to);
}

static char *format_sum(const tallies *groups, size_t group, char *to)
{
    return is_float(groups) ? format_double_value(((const double *)groups->sums)[group], to)
                            : format_wide(((const wide_integer *)groups->sums)[group], to);
}

static double mean(const tallies *groups, size_t group)
{
    const long double sum = is_float(groups) ? (long double)((double *)groups->sums)[group]
                                             : (long double)((wide_integer *)groups->sums)[group];
    return (double)(sum / (long double)groups->counts[group]);
}

char *tally_format(const tallies *groups, tally_op op, size_t group, char to[TALLY_LENGTH])
{
    if (op == TALLY_COUNT)
        return format_unsigned(groups->counts[group], to);
    if (op == TALLY_SUM)
        return format_sum(groups, group, to);
    if (groups->counts[group] == 0)
        return format_double_value((double)NAN, to);
    if (op == TALLY_MEAN)
        return format_double_value(mean(groups, group), to);
    return format_order(
        groups, op == TALLY_MAX ? groups->highs[group] : groups->lows[group] - is_float(groups),
        to);
}

char *tally_format_line(const tallies *groups, size_t group, char to[TALLY_LINE])
{
    const tally_list *const list = groups->list;
    for (size_t i = 0; i < list->count; i++) {
        to = tally_format(groups, list->ops[i], group, to);
        *to++ = i + 1 < list->count ? '\t' : '\n';
    }
    return to;
}
