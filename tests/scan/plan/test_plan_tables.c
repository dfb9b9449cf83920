/* What every table of plans holds to: docs/design.md is made of them. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tests/scan/plan/plans.h"

TestSuite(plan_tables, .timeout = 60);

/* The cards that limits of today were measured on. */
static const char *const cards[] = {"", "H100", "H200"};

/* A row of a variant in docs/design.md is short. */
#define MOST_WORDS 12u

static bool is_name(const char *name)
{
    if (!islower((unsigned char)*name))
        return false;
    for (; *name != '\0'; name++)
        if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static unsigned words_of(const char *text)
{
    unsigned words = 0;
    for (size_t i = 0; text[i] != '\0'; i++)
        words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return words;
}

static void check_variants(const parscan_plan_table *table)
{
    cr_assert_gt(table->variant_count, 0, "%s has no variants", table->primitive);
    for (size_t k = 0; k < table->variant_count; k++) {
        const parscan_plan_variant *const variant = &table->variants[k];
        cr_assert_not_null(variant->name, "%s: variant %zu has no row", table->primitive, k);
        cr_expect(is_name(variant->name), "%s: %s is no name", table->primitive, variant->name);
        cr_expect_gt(words_of(variant->meaning), 0, "%s: %s has no meaning", table->primitive,
                     variant->name);
        cr_expect_leq(words_of(variant->meaning), MOST_WORDS, "%s: %s is told in many words",
                      table->primitive, variant->name);
        cr_expect_null(strchr(variant->meaning, '|'), "a bar ends a column of the table");
        for (size_t j = 0; j < k; j++)
            cr_expect_str_neq(variant->name, table->variants[j].name, "%s has two variants %s",
                              table->primitive, variant->name);
    }
}

static bool is_card(const char *name)
{
    for (size_t k = 0; k < sizeof cards / sizeof *cards; k++)
        if (strcmp(name, cards[k]) == 0)
            return true;
    return false;
}

static bool is_note(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", PARSCAN_NOTES, name);
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return false;
    fclose(file);
    return true;
}

/* A limit that was measured names its card and the note that has the figures; another names neither. */
static void check_limits(const parscan_plan_table *table)
{
    for (size_t k = 0; k < table->limit_count; k++) {
        const parscan_plan_limit *const limit = &table->limits[k];
        cr_assert_not_null(limit->name, "%s: limit %zu has no row", table->primitive, k);
        cr_expect(is_name(limit->name), "%s: %s is no name", table->primitive, limit->name);
        cr_expect_gt(limit->value, 0, "%s: %s is nothing", table->primitive, limit->name);
        cr_expect_gt(words_of(limit->unit), 0, "%s: %s has no unit", table->primitive, limit->name);
        cr_expect(is_card(limit->card), "%s: %s: %s is no card", table->primitive, limit->name,
                  limit->card);
        cr_expect_eq(limit->card[0] == '\0', limit->note[0] == '\0',
                     "%s: %s has a card and no note, or a note and no card", table->primitive,
                     limit->name);
        cr_expect(limit->note[0] == '\0' || is_note(limit->note), "%s: %s: no note %s",
                  table->primitive, limit->name, limit->note);
        for (size_t j = 0; j < k; j++)
            cr_expect_str_neq(limit->name, table->limits[j].name, "%s has two limits %s",
                              table->primitive, limit->name);
    }
}

Test(plan_tables, are_complete)
{
    for (size_t k = 0; every_plan_table[k] != NULL; k++) {
        check_variants(every_plan_table[k]);
        check_limits(every_plan_table[k]);
    }
}

Test(plan_tables, have_different_names)
{
    for (size_t k = 0; every_plan_table[k] != NULL; k++) {
        cr_expect(is_name(every_plan_table[k]->primitive));
        for (size_t j = 0; j < k; j++)
            cr_expect_str_neq(every_plan_table[k]->primitive, every_plan_table[j]->primitive);
    }
}

Test(plan_tables, limits_are_as_measured_on_the_card_that_they_were_measured_on)
{
    for (size_t k = 0; every_plan_table[k] != NULL; k++)
        for (size_t j = 0; j < every_plan_table[k]->limit_count; j++) {
            const parscan_plan_limit *const limit = &every_plan_table[k]->limits[j];
            cr_expect_eq(parscan_plan_limit_of(&plan_devices[PLAN_H100], limit, 0), limit->value,
                         "%s: %s", every_plan_table[k]->primitive, limit->name);
        }
}

static size_t scaled(size_t value, parscan_plan_scale scale, parscan_plan_device device)
{
    const parscan_plan_limit limit = {.value = value, .scale = scale};
    return parscan_plan_limit_of(&device, &limit, 0);
}

Test(plan_limits, follow_the_device)
{
    const parscan_plan_device card = plan_devices[PLAN_H100], small = plan_devices[PLAN_SMALL];
    cr_expect_eq(scaled(1000, PARSCAN_ABSOLUTE, small), 1000);
    cr_expect_eq(scaled(1320, PARSCAN_PER_MULTIPROCESSOR, small), 200);
    cr_expect_eq(scaled(227, PARSCAN_PER_SHARED_BYTE, small), 99);
    cr_expect_eq(scaled(227, PARSCAN_PER_MULTIPROCESSOR, card), 227);
}

Test(plan_limits, are_at_least_one_and_never_wrap)
{
    parscan_plan_device large = plan_devices[PLAN_H100];
    large.multiprocessors *= 4;
    cr_expect_eq(scaled(1, PARSCAN_PER_MULTIPROCESSOR, plan_devices[PLAN_SMALL]), 1);
    cr_expect_eq(scaled(SIZE_MAX, PARSCAN_PER_MULTIPROCESSOR, plan_devices[PLAN_H100]), SIZE_MAX);
    cr_expect_eq(scaled(SIZE_MAX, PARSCAN_PER_MULTIPROCESSOR, large), SIZE_MAX);
    cr_expect_eq(scaled(SIZE_MAX / 4, PARSCAN_PER_MULTIPROCESSOR, large), SIZE_MAX / 4 * 4);
}
