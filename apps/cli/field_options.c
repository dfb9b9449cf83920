#include "apps/cli/field_options.h"

#include <limits.h>
#include <string.h>

#include "apps/cli/common_options.h"
#include "apps/cli/field_names.h"
#include "apps/cli/number_text.h"

bool field_take_choice(const char *option, const char *value, field_choice *choice, failure *why)
{
    uint64_t number = 0;
    failure unused;
    *choice = (field_choice){.option = option};
    if (value[0] == '\0')
        return fail(why, "the name of a field is empty");
    if (strspn(value, "0123456789") < strlen(value)) {
        choice->name = value;
        return true;
    }
    if (!take_size(value, 1, &number, &unused) || number > INT_MAX)
        return fail(why, "'%.100s' is not the number of a field: they count from 1", value);
    choice->number = (unsigned)number;
    choice->digits = value;
    return true;
}

/* Reads one character, or a word for one. */
static bool take_character(const char *value, char *character, failure *why)
{
    if (strcmp(value, "tab") == 0 || strcmp(value, "\\t") == 0)
        *character = '\t';
    else if (strlen(value) == 1 && value[0] != '\n')
        *character = value[0];
    else
        return fail(why, "'%.100s' is not one character of one byte, or tab", value);
    return true;
}

/* Reads the beginning of comments. */
static bool take_comment(const char *value, field_rules *rules, failure *why)
{
    if (value[0] == '\0' || strpbrk(value, " \t\n") == value || strchr(value, '\n') != NULL)
        return fail(why, "'%.100s' begins no line", value);
    if (rules->comment_count == MOST_COMMENTS)
        return fail(why, "more than %d of them", MOST_COMMENTS);
    rules->comments[rules->comment_count++] = value;
    return true;
}

static bool take_missing(const char *value, missing_rule *rule, failure *why)
{
    if (strcmp(value, "fail") == 0)
        *rule = MISSING_FAILS;
    else if (strcmp(value, "skip") == 0)
        *rule = MISSING_IS_SKIPPED;
    else if (strcmp(value, "0") == 0)
        *rule = MISSING_IS_ZERO;
    else
        return fail(why, "'%.100s' is not skip, 0 or fail", value);
    return true;
}

static bool take_quotes(const char *value, quote_rule *rule, failure *why)
{
    if (strcmp(value, "csv") == 0)
        *rule = QUOTES_ARE_CSV;
    else if (strcmp(value, "none") == 0)
        *rule = QUOTES_ARE_NONE;
    else
        return fail(why, "'%.100s' is not csv or none", value);
    return true;
}

bool field_take(field_rules *rules, int id, const char *value, failure *why)
{
    rules->given = true;
    switch (id) {
    case 'k':
        return field_take_choice("--field", value, &rules->value, why);
    case 't':
        return take_character(value, &rules->separator, why);
    case OPTION_COMMENT:
        return take_comment(value, rules, why);
    case OPTION_DECIMAL:
        return take_character(value, &rules->decimal, why);
    case OPTION_THOUSANDS:
        return take_character(value, &rules->thousands, why);
    case OPTION_MISSING:
        return take_missing(value, &rules->missing, why);
    case OPTION_QUOTES:
        return take_quotes(value, &rules->quote_rule, why);
    case OPTION_MIRROR:
        rules->mirrors = true;
        return true;
    default: /* OPTION_HEADER */
        rules->header = true;
        return true;
    }
}

static bool is_part_of_numbers(char c)
{
    return (c >= '0' && c <= '9') || c == '"';
}

/* Whether the character, 0 for none, may stand in a number that is a field. Where it separates fields, numbers are cut
   at it, unless they are in quotes: that has to be said. */
static bool check_in_number(const field_rules *rules, const char *option, char c, failure *why)
{
    const bool space = rules->separator == 0 && is_space(c);
    if (c == 0)
        return true;
    if (is_part_of_numbers(c) || strchr("+-eE", c) != NULL)
        return fail(why, "%s: %c is no such character: it is no digit, quote, sign or e, such as ,",
                    option, c);
    if ((!space && c != rules->separator) || rules->quote_rule == QUOTES_ARE_CSV)
        return true;
    return fail(why, "%s: '%c' separates fields (--quotes csv, if such numbers stand in quotes)",
                option, c);
}

bool field_rules_complete(field_rules *rules, failure *why)
{
    const char point = rules->decimal != 0 ? rules->decimal : '.';
    if (is_part_of_numbers(rules->separator))
        return fail(why, "--separator: %c cannot separate fields", rules->separator);
    if (!check_in_number(rules, "--decimal", rules->decimal, why) ||
        !check_in_number(rules, "--thousands", rules->thousands, why))
        return false;
    if (rules->thousands == point)
        return fail(why, "--thousands and the decimal point are both %c", point);
    if (field_is_named(rules) && !rules->header) {
        const field_choice *const named = rules->value.name != NULL ? &rules->value : &rules->key;
        return fail(
            why,
            "%s: '%.100s' is not the number of a field, which count from 1, and a name needs "
            "--header%s",
            named->option, named->name, field_name_hint(named->name));
    }
    /* Other characters may be in numbers: those of -1.5e+3, 0x1p3 and nan(1). */
    rules->copied = rules->decimal != 0 || rules->thousands != 0 ||
                    (rules->separator != 0 && strchr("\t ,;:|", rules->separator) == NULL);
    rules->quotes =
        rules->quote_rule == QUOTES_ARE_CSV || (rules->quote_rule == QUOTES_BY_DEFAULT &&
                                                rules->separator != 0 && rules->separator != '\t');
    return true;
}
