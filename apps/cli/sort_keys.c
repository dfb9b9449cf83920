#include "apps/cli/sort_keys.h"

#include <string.h>

/* Reads what is behind the last colon of a key. False: it is a part of the name. */
static bool take_suffix(sort_key *key, const char *suffix)
{
    failure unused;
    parscan_type type;
    if (strcmp(suffix, "word") == 0)
        key->word = true;
    else if (strcmp(suffix, "desc") == 0)
        key->descending = true;
    else if (take_type(suffix, &type, &unused))
        key->type = type;
    else
        return false;
    return true;
}

/* Reads a key. */
static bool read_key(sort_key *key, const char *value, failure *why)
{
    *key = (sort_key){.type = 0};
    if (strlen(value) >= sizeof key->text)
        return fail(why, "a name of more than %d characters", SORT_KEY_NAME - 1);
    strcpy(key->text, value);
    for (char *colon; (colon = strrchr(key->text, ':')) != NULL; *colon = '\0')
        if (!take_suffix(key, colon + 1))
            break;
    const char *const rest = strchr(key->text, ':');
    if (rest != NULL && strspn(key->text, "0123456789") == (size_t)(rest - key->text))
        return fail(why, "'%.100s': behind a field stand :word, :desc or a type, not %.100s", value,
                    rest);
    if (key->word && key->type != 0)
        return fail(why, "'%.100s': a field is a word or of type %s, not both", value,
                    parscan_type_name(key->type));
    return field_take_choice("--field", key->text, &key->field, why);
}

bool sort_keys_take(sort_keys *keys, common_options *options, const char *value, failure *why)
{
    if (keys->count == MOST_SORT_KEYS)
        return fail(why, "more than %d of them", MOST_SORT_KEYS);
    if (!read_key(&keys->keys[keys->count++], value, why))
        return false;
    options->fields.given = true;
    options->fields.value = keys->keys[0].field;
    /* So that a header must be there, whichever key has a name. */
    const field_choice *const last = &keys->keys[keys->count - 1].field;
    if (last->name != NULL)
        options->fields.key = *last;
    return true;
}

void sort_keys_apply(const sort_keys *keys, common_options *options, bool *descending)
{
    const sort_key *const key = &keys->keys[0];
    if (keys->count == 0)
        return;
    if (key->type != 0)
        options->type = key->type;
    *descending = *descending != key->descending;
}
