#include "apps/cli/number_text.h"

#include <inttypes.h>
#include <string.h>

#include "apps/cli/integer_bits.h"

/* Reads more than 19 digits, and checks for the end of 64 bits. */
static const char *parse_long_integer(const char *p, uint64_t *magnitude, bool *fits)
{
    uint64_t value = 0;
    unsigned digit;
    *fits = true;
    for (; (digit = (unsigned char)(*p - '0')) <= 9; p++) {
        *fits = *fits && value <= (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    *magnitude = value;
    return p;
}

/* Reads an integer; returns its end, text itself when there is none. */
static inline const char *parse_integer(const element_traits *traits, const char *text, void *out,
                                        bool *fits)
{
    const bool negative = *text == '-';
    const char *const digits = text + (negative || *text == '+');
    const char *p = digits;
    uint64_t magnitude = 0;
    unsigned digit;
    for (; (digit = (unsigned char)(*p - '0')) <= 9; p++)
        magnitude = magnitude * 10 + digit;
    if (p == digits)
        return text;
    *fits = true;
    if (p - digits > 19)
        parse_long_integer(digits, &magnitude, fits);
    if (magnitude > (negative ? traits->lowest_magnitude : traits->highest))
        *fits = false;
    store_integer(negative ? 0 - magnitude : magnitude, traits->size, out);
    return p;
}

static inline const char *parse_one(const element_traits *traits, const char *text, void *out,
                                    bool *fits)
{
    return traits->parse_float != NULL ? traits->parse_float(text, out, fits)
                                       : parse_integer(traits, text, out, fits);
}

const char *numbers_parse(const element_traits *traits, const char *text, const char *end,
                          void *out)
{
    const element_traits type = *traits; /* so that stores to out cannot change it */
    char *to = out;
    for (const char *p = text; p < end;) {
        if (is_space(*p)) {
            p++;
            continue;
        }
        bool fits;
        const char *const after = parse_one(&type, p, to, &fits);
        if (after == p || !fits || !is_space(*after))
            return p;
        p = after + 1;
        to += type.size;
    }
    return NULL;
}

const char *number_read(const element_traits *traits, const char *text, void *out)
{
    bool fits;
    if (is_space(*text))
        return NULL;
    const char *const after = parse_one(traits, text, out, &fits);
    return after > text && fits ? after : NULL;
}

bool number_parse(const element_traits *traits, const char *text, void *out, failure *why)
{
    bool fits;
    const char *const after = is_space(*text) ? text : parse_one(traits, text, out, &fits);
    if (after == text || !fits || *after != '\0')
        return fail_number(why, traits, text, strlen(text));
    return true;
}

bool number_parse_two(const element_traits *traits, const char *text, const char *end,
                      const char *second, void *out, void *second_out, failure *why)
{
    char first[400]; /* longer than any number that is written for a type */
    const size_t length = (size_t)(end - text);
    if (length >= sizeof first)
        return fail(why, "a number of %zu characters is too long", length);
    memcpy(first, text, length);
    first[length] = '\0';
    return number_parse(traits, first, out, why) && number_parse(traits, second, second_out, why);
}

static bool is_hexadecimal(const char *word)
{
    word += *word == '-' || *word == '+';
    return word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
}

/* Of integers, the range of the type is told. */
static bool fail_fit(failure *why, const element_traits *traits, const char *shown)
{
    const char *const name = parscan_type_name(traits->type);
    if (traits->parse_float != NULL)
        return fail(why, "%s does not fit %s", shown, name);
    return fail(why, "%s does not fit %s, which goes from %s%" PRIu64 " to %" PRIu64, shown, name,
                traits->lowest_magnitude > 0 ? "-" : "", traits->lowest_magnitude, traits->highest);
}

bool fail_number(failure *why, const element_traits *traits, const char *word, size_t length)
{
    enum { SHOWN = 60 };
    char shown[SHOWN + 4] = "";
    for (size_t i = 0; i < length && i < SHOWN; i++)
        shown[i] = word[i] != '\0' ? word[i] : '?';
    if (length > SHOWN)
        strcpy(shown + SHOWN, "...");

    const char *const end = word + length;
    long double unused; /* room for an element of any type */
    bool fits;
    if (length == 0)
        return fail(why, "a number is missing");
    if (is_space(*word))
        return fail(why, "'%s' is not a number", shown);
    if (parse_one(traits, word, &unused, &fits) == end)
        return fail_fit(why, traits, shown);
    if (traits->parse_float == NULL && is_hexadecimal(word) &&
        parse_double(word, &unused, &fits) == end)
        return fail(why, "%s is hexadecimal: integers are read in decimal", shown);
    if (parse_double(word, &unused, &fits) == end)
        return fail(why, "%s is not an integer (--type f64 reads floats)", shown);
    return fail(why, "'%s' is not a number", shown);
}
