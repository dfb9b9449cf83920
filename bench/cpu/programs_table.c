/*
 * Programs on tables: a join of sorted keys, CSR of coordinates, groups by two columns.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

enum { MEAN_ROW = 16 };

/* ---- the inner join of two sorted arrays ---- */

static void fill_sorted(data *d)
{
    for (size_t side = 0; side < 2; side++) {
        uint64_t seed = d->seed + side, *const keys = d->in[side], key = 0;
        for (size_t i = 0; i < d->n; i++)
            keys[i] = key += bench_random(&seed) % 3;
    }
}

static void join(data *d)
{
    must(d, parscan_join(d->engine, PARSCAN_JOIN_INNER, PARSCAN_U64, d->in[0], d->n, d->in[1], d->n,
                         PARSCAN_U32, d->out[0], d->out[1], 2 * d->n, &d->count));
}

static void loop_join(data *d)
{
    const uint64_t *const left = d->in[0], *const right = d->in[1];
    uint32_t *const left_out = d->loop_out[0], *const right_out = d->loop_out[1];
    size_t begin = 0, total = 0;
    for (size_t i = 0; i < d->n; i++) {
        while (begin < d->n && right[begin] < left[i])
            begin++;
        for (size_t j = begin; j < d->n && right[j] == left[i]; j++, total++)
            if (total < 2 * d->n) {
                left_out[total] = (uint32_t)i;
                right_out[total] = (uint32_t)j;
            }
    }
    d->loop_count = total;
}

/* ---- CSR from coordinates, entries of one place summed ---- */

static void fill_coordinates(data *d)
{
    uint64_t seed = d->seed;
    d->rows = d->n / MEAN_ROW + 1;
    for (size_t i = 0; i < d->n; i++) {
        ((uint32_t *)d->in[0])[i] = (uint32_t)(bench_random(&seed) % d->rows);
        ((uint32_t *)d->in[1])[i] = (uint32_t)(bench_random(&seed) % 64);
        ((double *)d->in[2])[i] = (double)(bench_random(&seed) % 8);
    }
}

/* Columns of 32 bits stand below the row in a key. The offsets of rows are where their first keys belong. */
static void make_csr(data *d)
{
    const uint32_t *const row = d->in[0], *const column = d->in[1];
    uint64_t *const keys = d->room[0], *const places = d->out[1], *const ends = d->room[2];
    for (size_t i = 0; i < d->n; i++)
        keys[i] = (uint64_t)row[i] << 32 | column[i];
    for (size_t r = 0; r <= d->rows; r++)
        ends[r] = (uint64_t)r << 32;
    must(d, parscan_sort_pairs(d->engine, PARSCAN_U64, keys, keys, 8, d->in[2], d->room[1], d->n,
                               NULL));
    must(d, parscan_reduce_by_key(d->engine, PARSCAN_U64, keys, places, PARSCAN_F64, d->room[1],
                                  d->out[0], d->n, &d->count, NULL));
    must(d, parscan_lower_bound(d->engine, PARSCAN_U64, places, (size_t)d->count, ends, d->rows + 1,
                                PARSCAN_U64, d->out[2]));
}

typedef struct entry {
    uint64_t place;
    double value;
} entry;

static void sort_row(entry *row, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const entry moved = row[i];
        size_t k = i;
        for (; k > 0 && row[k - 1].place > moved.place; k--)
            row[k] = row[k - 1];
        row[k] = moved;
    }
}

static void loop_csr(data *d)
{
    const uint32_t *const row = d->in[0], *const column = d->in[1];
    const double *const value = d->in[2];
    double *const sums = d->loop_out[0];
    uint64_t *const places = d->loop_out[1], *const offsets = d->loop_out[2];
    entry *const entries = d->room[0];
    memset(offsets, 0, (d->rows + 2) * sizeof *offsets);
    for (size_t i = 0; i < d->n; i++)
        offsets[row[i] + 2]++;
    for (size_t r = 2; r < d->rows + 2; r++)
        offsets[r] += offsets[r - 1];
    for (size_t i = 0; i < d->n; i++)
        entries[offsets[row[i] + 1]++] = (entry){(uint64_t)row[i] << 32 | column[i], value[i]};
    size_t count = 0;
    for (size_t r = 0, begin = 0; r < d->rows; r++) {
        const size_t end = offsets[r + 1];
        offsets[r] = count;
        sort_row(entries + begin, end - begin);
        for (size_t i = begin; i < end; i++) {
            if (i == begin || entries[i].place != entries[i - 1].place) {
                places[count] = entries[i].place;
                sums[count++] = 0;
            }
            sums[count - 1] += entries[i].value;
        }
        begin = end;
    }
    offsets[d->rows] = d->loop_count = count;
}

static bool offsets_are_equal(const data *d)
{
    return memcmp(d->out[2], d->loop_out[2], (d->rows + 1) * sizeof(uint64_t)) == 0;
}

/* ---- sums of groups by two columns, a string and a day ---- */

static void fill_groups(data *d)
{
    enum { CITIES = 1000, DAYS = 365 };
    uint64_t seed = d->seed, cities[CITIES];
    for (size_t k = 0; k < CITIES; k++)
        cities[k] = bench_random(&seed) | 0x6161616161616161u;
    for (size_t i = 0; i < d->n; i++) {
        ((uint64_t *)d->in[0])[i] = cities[bench_random(&seed) % CITIES];
        ((int32_t *)d->in[1])[i] = (int32_t)(bench_random(&seed) % DAYS);
        ((double *)d->in[2])[i] = (double)(bench_random(&seed) % 8);
    }
}

/* The sums, and the first row of each group. */
static void group_sums(data *d)
{
    uint32_t *const order = d->room[0];
    uint8_t *const heads = d->room[2];
    const parscan_segments groups = PARSCAN_SEGMENTS(.data = heads);
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 8, .data = d->in[0]),
        PARSCAN_COLUMN(.type = PARSCAN_I32, .data = d->in[1])};
    must(d, parscan_sort_columns_with(
                d->engine, by, 2, PARSCAN_U32, order, d->n,
                &PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = heads, .value_size = 8,
                                              .values_in = d->in[2], .values_out = d->room[1])));
    must(d, parscan_compact(d->engine, 4, order, heads, d->out[1], d->n, &d->count));
    must(d, parscan_segmented_reduce(d->engine, PARSCAN_F64, d->room[1], d->out[0], d->n, &groups,
                                     &d->count, NULL));
}

typedef struct city_day {
    unsigned char city[8];
    int32_t day;
    uint32_t first; /* row */
    double sum;
} city_day;

static int compare_groups(const void *a, const void *b)
{
    const city_day *const x = a, *const y = b;
    const int found = memcmp(x->city, y->city, sizeof x->city);
    return found != 0 ? found : (x->day > y->day) - (x->day < y->day);
}

/* In a hash table, whose groups are then sorted. */
static void loop_groups(data *d)
{
    enum { SLOTS = 1 << 20 };
    const uint64_t *const city = d->in[0];
    const int32_t *const day = d->in[1];
    uint32_t *const slots = calloc(SLOTS, sizeof *slots);
    city_day *const groups = malloc(SLOTS * sizeof *groups);
    size_t count = 0;
    for (size_t i = 0; i < d->n; i++) {
        size_t at = (city[i] ^ (uint64_t)day[i] << 17) * 0x9e3779b97f4a7c15u >> 44;
        for (; slots[at] != 0; at = (at + 1) % SLOTS)
            if (groups[slots[at] - 1].day == day[i] &&
                memcmp(groups[slots[at] - 1].city, &city[i], 8) == 0)
                break;
        if (slots[at] == 0) {
            slots[at] = (uint32_t)++count;
            groups[count - 1] = (city_day){.day = day[i], .first = (uint32_t)i};
            memcpy(groups[count - 1].city, &city[i], 8);
        }
        groups[slots[at] - 1].sum += ((double *)d->in[2])[i];
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    for (size_t k = 0; k < count; k++) {
        ((double *)d->loop_out[0])[k] = groups[k].sum;
        ((uint32_t *)d->loop_out[1])[k] = groups[k].first;
    }
    d->loop_count = count;
    free(slots);
    free(groups);
}

const program table_programs[] = {
    PROGRAM("inner-join", "u64", "sorted", 24, join, loop_join, fill_sorted, counted_results, NULL,
            4, 4),
    PROGRAM("csr", "f64", "rows-of-16", 32, make_csr, loop_csr, fill_coordinates, counted_results,
            offsets_are_equal, 8, 8),
    PROGRAM("group-by-two", "f64", "string-day", 20, group_sums, loop_groups, fill_groups,
            counted_results, NULL, 8, 4),
    {0},
};
