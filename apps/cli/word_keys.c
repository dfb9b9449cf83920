#include "apps/cli/word_keys.h"

#include <string.h>

#include "apps/cli/number_text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips the sign and the leading zeros of an integer; another word stays as it is. */
static void take_value(word_key *key)
{
    const char *const end = key->begin + key->length;
    const bool has_sign = key->begin[0] == '-' || key->begin[0] == '+';
    const char *const digits = key->begin + has_sign;
    const char *p = digits;
    while (p < end && is_digit(*p))
        p++;
    if (p == digits || p < end)
        return;
    const char *leading = digits;
    while (leading < end - 1 && *leading == '0')
        leading++;
    /* There is one zero only. */
    key->negative = key->begin[0] == '-' && *leading != '0';
    key->begin = leading;
    key->length = (size_t)(end - leading);
}

bool word_keys_equal(const word_key *a, const word_key *b)
{
    return a->begin != NULL && b->begin != NULL && a->negative == b->negative &&
           a->length == b->length && memcmp(a->begin, b->begin, a->length) == 0;
}

void word_keys_mark(const char *text, const char *end, bool by_value, uint8_t *flags,
                    word_key *first, word_key *last)
{
    *first = *last = (word_key){0};
    for (const char *p = text; p < end;) {
        if (is_space(*p)) {
            p++;
            continue;
        }
        word_key key = {.begin = p};
        while (!is_space(*p))
            p++;
        key.length = (size_t)(p - key.begin);
        if (by_value)
            take_value(&key);
        *flags++ = !word_keys_equal(last, &key);
        if (first->begin == NULL)
            *first = key;
        *last = key;
    }
}
