/* What single fields hold: numbers as people write them, values that are missing, and what is said of wrong ones. */
#include <string.h>

#include "apps/cli/field_lines.h"
#include "apps/cli/field_names.h"
#include "apps/cli/number_text.h"

char *field_number(const field_rules *rules, char *number, char *end)
{
    const size_t size = (size_t)(end - number);
    const char point = rules->decimal;
    numbers_set_point(number, end, point);
    if (point == 0 || point != rules->separator || memchr(number, point, size) == NULL)
        return end;
    memmove(number + 1, number, size);
    number[0] = number[size + 1] = '"';
    return end + FIELD_QUOTES;
}

static bool is_one_of(text_span field, const char *const *words)
{
    const size_t length = (size_t)(field.end - field.begin);
    for (; *words != NULL; words++)
        if (strlen(*words) == length && memcmp(*words, field.begin, length) == 0)
            return true;
    return false;
}

bool field_is_missing(text_span field)
{
    static const char *const words[] = {"NA",  "N/A", "n/a", "NULL", "null", "None", "nan",
                                        "NaN", "-",   ".",   "?",    "\\N",  NULL};
    return field.begin == field.end || is_one_of(field, words);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool field_has(text_span field, char c)
{
    return memchr(field.begin, c, (size_t)(field.end - field.begin)) != NULL;
}

/* Whether what stands between thousands does so only where it may: in the integer part, which begins with one to three
   digits, no 0; three digits are behind the last, and three or, as in India, two between any others. */
static bool has_thousands(text_span field, char c)
{
    const char *p = field.begin + (*field.begin == '-' || *field.begin == '+');
    size_t first = 0, between = 0;
    if (!field_has(field, c))
        return true;
    for (bool more = true; more; p += more) {
        const char *const begin = p;
        while (p < field.end && is_digit(*p))
            p++;
        const size_t size = (size_t)(p - begin);
        more = p < field.end && *p == c;
        if (first == 0 ? size == 0 || size > 3 || *begin == '0'
            : more     ? (size != 2 || first == 3) && size != 3
                       : size != 3)
            return false;
        if (first > 0 && more && between > 0 && size != between)
            return false;
        between = first > 0 && more ? size : between;
        first = first == 0 ? size : first;
    }
    return memchr(p, c, (size_t)(field.end - p)) == NULL;
}

bool field_copy_number(const field_rules *rules, text_span field, char to[LONGEST_FIELD])
{
    const char point = rules->decimal != 0 ? rules->decimal : '.';
    size_t length = 0;
    if (field.begin == field.end) {
        to[0] = '\0';
        return true;
    }
    if (field.end - field.begin >= LONGEST_FIELD ||
        (rules->thousands != 0 && !has_thousands(field, rules->thousands)))
        return false;
    for (const char *p = field.begin; p < field.end; p++) {
        if (rules->thousands != 0 && *p == rules->thousands)
            continue;
        if (*p == '\0' || (*p == '.' && point != '.'))
            return false;
        to[length++] = *p == point ? '.' : *p;
    }
    to[length] = '\0';
    return true;
}

static bool fail_in_field(failure *why, const field_choice *choice)
{
    char words[FIELD_WORDS];
    field_choice_words(choice, words);
    return fail_in(why, words);
}

/* Says why a field is not a number. */
static bool fail_value(failure *why, const field_rules *rules, const element_traits *traits,
                       text_span field)
{
    char number[LONGEST_FIELD];
    const size_t size = (size_t)(field.end - field.begin);
    if (field_copy_number(rules, field, number))
        return fail_number(why, traits, number, strlen(number));
    fail(why, "'%.*s' is not a number", size < 60 ? (int)size : 60, field.begin);
    if (rules->thousands != 0 && !has_thousands(field, rules->thousands))
        fail(why, "'%.*s' is not a number: three digits follow each --thousands %c",
             size < 60 ? (int)size : 60, field.begin, rules->thousands);
    return false;
}

bool fail_width(failure *why, const field_rules *rules, size_t has, size_t fields,
                const char *advice)
{
    if (advice == NULL)
        advice =
            rules->separator == 0 ? "-t C, if white space does not separate fields"
            : has > fields
                ? (rules->quotes ? "a separator in a field? quotes around it"
                                 : "a separator in a field? --quotes csv, and quotes around it")
                : "results would stand in different columns";
    return fail(why, "%zu field%s, where the %s has %zu (%s)", has, has == 1 ? "" : "s",
                rules->header ? "header" : "first line", fields, advice);
}

bool fail_field(failure *why, const field_rules *rules, const element_traits *traits,
                line_verdict verdict, text_span field)
{
    switch (verdict) {
    case LINE_IS_SHORT:
    case LINE_HAS_NO_KEY:
        if (verdict == LINE_HAS_NO_KEY || rules->worded || traits == NULL)
            fail(why,
                 "a word is missing (--missing skip leaves such lines out, --missing 0 reads an "
                 "empty one)%s",
                 verdict == LINE_IS_SHORT && rules->value.advice != NULL ? rules->value.advice
                                                                         : "");
        else
            fail(why,
                 "a value is missing (--missing skip leaves such lines out, --missing 0 reads 0)");
        break;
    case LINE_IS_WIDE:
        return fail_width(why, rules, field_count(rules, field), rules->width, NULL);
    case LINE_IS_LONG:
        return fail(why, "several fields: -k N chooses one of them");
    case LINE_IS_CUT:
        return fail(why, "this is text with lines that end in carriage returns: tr '\\r' '\\n' "
                         "<FILE | parscan ...");
    case LINE_IS_OPEN:
        return fail(why,
                    "a quote is not closed on its line: a field must not have a line end (put a "
                    "space in its place)");
    default:
        fail_value(why, rules, traits, field);
    }
    return fail_in_field(why, verdict == LINE_HAS_NO_KEY ? &rules->key : &rules->value);
}
