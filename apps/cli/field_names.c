#include "apps/cli/field_names.h"

#include <stdio.h>
#include <string.h>

#include "apps/cli/common_options.h"

/* Whether the field of a header is that name, as it stands or with one quote for each two. */
static bool is_name(const field_rules *rules, text_span field, const char *name)
{
    const size_t size = strlen(name);
    const bool quoted = field_word_is_quoted(rules, field);
    const char *p = field.begin + quoted;
    if (size == (size_t)(field.end - p) - quoted && memcmp(name, p, size) == 0)
        return true;
    for (; quoted && p < field.end && *name != '\0' && *p == *name; p++, name++)
        p += *p == '"' && p + 1 < field.end && p[1] == '"';
    return quoted && p == field.end - 1 && *name == '\0';
}

unsigned field_name_find(const field_rules *rules, const char *line, const char *name,
                         unsigned after)
{
    text_span field;
    for (unsigned number = after + 1; field_find(rules, line, number, &field); number++)
        if (is_name(rules, field, name))
            return number;
    return 0;
}

const char *field_name_hint(const char *name)
{
    const char *const colon = strrchr(name, ':');
    failure unused;
    parscan_type type;
    return colon != NULL && (strcmp(colon, ":word") == 0 || strcmp(colon, ":desc") == 0 ||
                             take_type(colon + 1, &type, &unused))
               ? " (only sort, merge and check take :word, :desc and types)"
               : "";
}

/* Says that the header [line, end) has no such field. */
static bool fail_no_field(const field_rules *rules, const field_choice *choice, const char *line,
                          const char *end, failure *why)
{
    const bool named = choice->name != NULL;
    const char *const quote = named ? "'" : "";
    text_span field;
    const bool commas = rules->separator == 0 && !field_find(rules, line, 2, &field) &&
                        memchr(line, ',', (size_t)(end - line)) != NULL;
    return fail(why, "the header has no field %s%.100s%s: %.*s%s", quote,
                named ? choice->name : choice->digits, quote,
                (int)(end - line < 300 ? end - line : 300), line,
                commas                   ? " (commas between fields? -t,)"
                : choice->advice != NULL ? choice->advice
                : named                  ? field_name_hint(choice->name)
                                         : "");
}

static bool find_choice(const field_rules *rules, field_choice *choice, const char *line,
                        const char *end, failure *why)
{
    text_span field;
    if (choice->name == NULL &&
        (choice->digits == NULL || field_find(rules, line, choice->number, &field)))
        return true;
    if (choice->name == NULL && field_name_find(rules, line, choice->digits, 0) > 0)
        choice->name = choice->digits;
    if (choice->name == NULL)
        return fail_no_field(rules, choice, line, end, why);
    choice->number = field_name_find(rules, line, choice->name, 0);
    if (choice->number == 0)
        return fail_no_field(rules, choice, line, end, why);
    const unsigned second = field_name_find(rules, line, choice->name, choice->number);
    return second == 0 || fail(why,
                               "the header has '%.100s' twice, as field %u and field %u: choose "
                               "one by its number",
                               choice->name, choice->number, second);
}

bool field_choice_find(const field_rules *rules, const field_choice *choice, const char *head,
                       text_span *field)
{
    unsigned number = field_is_given(choice) ? choice->number : 1;
    if (choice->name != NULL)
        number = field_name_find(rules, head, choice->name, 0);
    else if (choice->digits != NULL && !field_find(rules, head, number, field))
        number = field_name_find(rules, head, choice->digits, 0);
    return number > 0 && field_find(rules, head, number, field);
}

bool field_names_find(field_rules *rules, const char *line, const char *end, failure *why)
{
    return find_choice(rules, &rules->value, line, end, why) &&
           find_choice(rules, &rules->key, line, end, why);
}

void field_choice_words(const field_choice *choice, char words[FIELD_WORDS])
{
    if (choice->name != NULL)
        snprintf(words, FIELD_WORDS, "field '%.100s'", choice->name);
    else
        snprintf(words, FIELD_WORDS, "field %u", choice->number > 0 ? choice->number : 1);
}
