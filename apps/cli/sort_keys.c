#include "apps/cli/sort_keys.h"

#include <stdio.h>
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
    sort_key *const key = &keys->keys[keys->count++];
    if (!read_key(key, value, why))
        return false;
    if (strchr(value, ':') != NULL)
        key->field.advice = " (a name with a colon? the number of the field chooses it)";
    options->fields.given = true;
    options->fields.value = keys->keys[0].field;
    /* So that a header must be there, whichever key has a name. */
    if (key->field.name != NULL)
        options->fields.key = key->field;
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

/* Whether a shell takes the name as it stands. */
static bool is_plain_name(const char *name)
{
    return name[strspn(name,
                       "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.,:%+-")] ==
           '\0';
}

/* Writes " -k FIELD", with what is said of it. Returns its length. */
static size_t key_words(const sort_key *key, size_t room, char *words)
{
    char number[16];
    snprintf(number, sizeof number, "%u", key->field.number > 0 ? key->field.number : 1);
    const char *const name = key->field.name != NULL ? key->field.name : number;
    const char *const quote = is_plain_name(name) ? "" : strchr(name, '\'') != NULL ? "\"" : "'";
    const int size =
        snprintf(words, room, " -k %s%s%s%s%s%s%s", quote, name, key->word ? ":word" : "",
                 key->type != 0 ? ":" : "", key->type != 0 ? parscan_type_name(key->type) : "",
                 key->descending ? ":desc" : "", quote);
    return (size_t)size;
}

/* Whether options say how elements are read. */
static bool reads_otherwise(const common_options *options)
{
    const field_rules *const rules = &options->fields;
    return options->type != 0 || rules->header || rules->separator != 0 ||
           rules->comment_count > 0 || rules->decimal != 0 || rules->thousands != 0 ||
           rules->missing != 0 || rules->quote_rule != 0;
}

void sort_keys_command(const sort_keys *keys, bool descending, const common_options *options,
                       char words[SORT_COMMAND])
{
    const char *const others =
        reads_otherwise(options) ? ", with the other options that are given here," : "";
    const size_t room = SORT_COMMAND - strlen(others);
    size_t size = (size_t)snprintf(words, room, "parscan sort%s", descending ? " -r" : "");
    for (size_t k = 0; k < keys->count && size < room; k++)
        size += key_words(&keys->keys[k], room - size, words + size);
    if (size >= room)
        strcpy(words, "parscan sort with the same -k");
    strcat(words, others);
}
