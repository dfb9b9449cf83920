#include "rank_calls.h"

#include <stdio.h>
#include <string.h>

const rank_row rank_rows[] = {
    {"sort-keys", "uniform", RANK_SORT_KEYS, RANK_UNIFORM},
    {"sort-keys", "equal", RANK_SORT_KEYS, RANK_EQUAL},
    {"sort-keys", "sorted", RANK_SORT_KEYS, RANK_SORTED},
    {"sort-keys", "reversed", RANK_SORT_KEYS, RANK_REVERSED},
    {"sort-keys", "few-values", RANK_SORT_KEYS, RANK_FEW},
    {"sort-keys", "zipf", RANK_SORT_KEYS, RANK_ZIPF},
    {"sort-pairs", "uniform", RANK_SORT_PAIRS, RANK_UNIFORM},
    {"sort-pairs", "zipf", RANK_SORT_PAIRS, RANK_ZIPF},
    {"scan", "uniform", RANK_SCAN, RANK_UNIFORM},
    {"histogram-256", "uniform", RANK_HISTOGRAM, RANK_UNIFORM},
    {"compact-if", "uniform", RANK_COMPACT, RANK_UNIFORM},
    {NULL, NULL, RANK_SCAN, RANK_UNIFORM},
};

bool rank_row_wanted(const rank_row *row, const char *only)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%s", row->name, row->data_name);
    return only == NULL || strcmp(only, row->name) == 0 || strcmp(only, name) == 0;
}

static const uint32_t upper = UINT32_MAX; /* of the bins */
static const uint32_t kept_below = RANK_KEPT_BELOW;

uint32_t rank_key(rank_data data, uint64_t i, uint64_t all)
{
    const uint64_t random = rank_mixed(i);
    switch (data) {
    case RANK_EQUAL:
        return 42;
    case RANK_SORTED:
        return (uint32_t)((double)i / (double)all * 4294967295.0);
    case RANK_REVERSED:
        return rank_key(RANK_SORTED, all - 1 - i, all);
    case RANK_FEW:
        return (uint32_t)random & 0xf0000000u;
    case RANK_ZIPF: {
        const uint32_t power = UINT32_C(1) << (random >> 59);
        return power | ((uint32_t)random & (power - 1));
    }
    default:
        return (uint32_t)random;
    }
}

parscan_status rank_call_alone(rank_arrays *a, const rank_row *row)
{
    const parscan_histogram_options options = PARSCAN_HISTOGRAM_OPTIONS(.upper = &upper);
    const parscan_predicate keep =
        PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &kept_below);
    switch (row->call) {
    case RANK_SORT_KEYS:
        return parscan_sort_keys(a->context, PARSCAN_U32, a->in, a->out, a->n, NULL);
    case RANK_SORT_PAIRS:
        return parscan_sort_pairs(a->context, PARSCAN_U32, a->in, a->out, 4, a->values_in,
                                  a->values_out, a->n, NULL);
    case RANK_SCAN:
        return parscan_inclusive_scan(a->context, PARSCAN_U32, a->in, a->out, a->n, NULL);
    case RANK_COMPACT:
        return parscan_compact_if(a->context, PARSCAN_U32, a->in, &keep, a->out, a->n, a->counts);
    default:
        return parscan_histogram(a->context, PARSCAN_U32, a->in, a->n, RANK_BINS, PARSCAN_U64,
                                 a->counts, &options);
    }
}

parscan_status rank_call_together(parscan_comm *comm, rank_arrays *a, const rank_row *row)
{
    const parscan_histogram_options options = PARSCAN_HISTOGRAM_OPTIONS(.upper = &upper);
    const parscan_predicate keep =
        PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &kept_below);
    switch (row->call) {
    case RANK_SORT_KEYS:
        return parscan_dist_sort_keys(comm, PARSCAN_U32, a->in, a->n, a->out, a->n, NULL);
    case RANK_SORT_PAIRS:
        return parscan_dist_sort_pairs(comm, PARSCAN_U32, a->in, a->out, 4, a->values_in,
                                       a->values_out, a->n, a->n, NULL);
    case RANK_SCAN:
        return parscan_dist_inclusive_scan(comm, PARSCAN_U32, a->in, a->out, a->n, NULL);
    case RANK_COMPACT:
        return parscan_dist_compact_if(comm, PARSCAN_U32, a->in, &keep, a->out, a->n, &a->counts[0],
                                       NULL, &a->counts[1]);
    default:
        return parscan_dist_histogram(comm, PARSCAN_U32, a->in, a->n, RANK_BINS, PARSCAN_U64,
                                      a->counts, &options);
    }
}

bool rank_parse(int argc, char **argv, const rank_option *list, const char **only)
{
    for (int k = 1; k + 1 < argc; k += 2) {
        const rank_option *found = list;
        if (strcmp(argv[k], "--only") == 0) {
            *only = argv[k + 1];
            continue;
        }
        while (found->name != NULL &&
               (strncmp(argv[k], "--", 2) != 0 || strcmp(argv[k] + 2, found->name) != 0))
            found++;
        if (found->name == NULL || sscanf(argv[k + 1], "%d", found->number) != 1 ||
            *found->number < found->least || *found->number > found->most)
            return false;
    }
    return argc % 2 == 1;
}

double rank_median(double *times, int count)
{
    bench_sort_samples(times, (size_t)count);
    return times[count / 2];
}
