/*
 * Prints what the CUDA engine may run for each primitive, as docs/design.md has it, or with the argument
 * "limits" the limits by which it chooses, as docs/limits.md has them (tests/docs/plan_tables.sh).
 */
#include <stdio.h>
#include <string.h>

#include "tests/scan/plan/plans.h"

/* Cells without spaces at the bars, so that the source of the tables counts few words. */
static void print_variants(void)
{
    puts("|primitive|variant|what runs, and for which calls|\n|---|---|---|");
    for (size_t k = 0; every_plan_table[k] != NULL; k++)
        for (size_t j = 0; j < every_plan_table[k]->variant_count; j++)
            printf("|%s|`%s`|%s|\n", j == 0 ? every_plan_table[k]->primitive : "",
                   every_plan_table[k]->variants[j].name, every_plan_table[k]->variants[j].meaning);
}

static const char *scale_of(const parscan_plan_limit *limit)
{
    return limit->scale == PARSCAN_PER_MULTIPROCESSOR ? "multiprocessors"
           : limit->scale == PARSCAN_PER_SHARED_BYTE  ? "shared memory"
                                                      : "";
}

static void print_limit(const char *primitive, const parscan_plan_limit *limit)
{
    printf("|%s|`%s`|%zu %s|%s|", primitive, limit->name, limit->value, limit->unit,
           scale_of(limit));
    if (limit->card[0] != '\0')
        printf("%s, [%.*s](../bench/notes/%s)", limit->card, (int)strcspn(limit->note, "."),
               limit->note, limit->note);
    puts("|");
}

static void print_limits(void)
{
    puts("|primitive|limit|on an H100|scales by|measured|\n|---|---|---|---|---|");
    for (size_t k = 0; every_plan_table[k] != NULL; k++)
        for (size_t j = 0; j < every_plan_table[k]->limit_count; j++)
            print_limit(j == 0 ? every_plan_table[k]->primitive : "",
                        &every_plan_table[k]->limits[j]);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "limits") == 0)
        print_limits();
    else
        print_variants();
    return 0;
}
