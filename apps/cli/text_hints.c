#include "apps/cli/text_hints.h"

#include <string.h>

#include "apps/cli/matrix_market.h"
#include "apps/cli/number_text.h"

/* Files of which the first bytes tell what they are. No text begins so. */
static const struct {
    const char *magic;
    size_t size;
    const char *words;
} kinds[] = {
    {"BZh91AY&", 8, "a bzip2 file: bzip2 -dc FILE | parscan ..."},
    {"\x89HDF\r\n", 6, "an HDF5 file: save its array as npy"},
    {"PAR1\x15", 5, "a Parquet file: save its columns as CSV or npy"},
    {"\xff\xfe", 2, "text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE | parscan ..."},
    {"\xfe\xff", 2, "text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE | parscan ..."},
};

bool check_is_text(const unsigned char *head, size_t size, failure *why)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (size >= kinds[i].size && memcmp(head, kinds[i].magic, kinds[i].size) == 0)
            return fail(why, "this is %s", kinds[i].words);
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool has(text_span word, char c)
{
    return memchr(word.begin, c, (size_t)(word.end - word.begin)) != NULL;
}

/* What the line that goes on at p looks like that is none of the data; NULL: that is not known. */
static const char *find_line_hint(const char *p)
{
    while (is_space(*p) && *p != '\n')
        p++;
    if (*p == '#' || *p == '%')
        return "a comment? --comment leaves out lines that begin with a text";
    if (strncmp(p, "browser ", 8) == 0 || strncmp(p, "track ", 6) == 0)
        return "a BED file? --comment browser --comment track leave out such lines";
    return NULL;
}

/* With which options a word with a comma is a number; NULL: with none, or such are given. */
static const char *find_number_hint(const field_rules *rules, text_span word)
{
    static const struct {
        char decimal, thousands;
        const char *words, *in_quotes;
    } ways[] = {{0, ',', "--thousands , leaves out commas between thousands",
                 "--thousands , --quotes csv leaves out commas between thousands"},
                {',', 0, "--decimal , reads a decimal comma",
                 "--decimal , --quotes csv reads a decimal comma"},
                {',', '.', "--decimal , --thousands . reads such numbers",
                 "--decimal , --thousands . --quotes csv reads such numbers"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const char decimal = ways[i].decimal, thousands = ways[i].thousands;
        field_rules changed = *rules;
        char number[LONGEST_FIELD];
        double unused;
        failure none;
        changed.decimal = decimal;
        changed.thousands = thousands;
        if ((rules->decimal != 0 && rules->decimal != decimal) ||
            (rules->thousands != 0 && rules->thousands != thousands) ||
            !field_copy_number(&changed, word, number) ||
            !number_parse(element_traits_of(PARSCAN_F64), number, &unused, &none))
            continue;
        return rules->separator == ',' && rules->quote_rule != QUOTES_ARE_CSV ? ways[i].in_quotes
                                                                              : ways[i].words;
    }
    return NULL;
}

/* What the word looks like that is read by these rules; NULL: that is not known. */
static const char *find_hint(const field_rules *rules, text_span word, uint64_t line)
{
    static const field_rules none;
    if (rules == NULL)
        rules = &none;
    const bool separated = rules->separator != 0;
    if (word.begin == word.end)
        return NULL;
    /* One that is cut at a separator begins or ends in a quote. */
    if (has(word, '"') && (separated || (rules->given && *word.begin != '"')))
        return rules->quotes ? NULL : "a cell in quotes? --quotes csv reads it";
    if (*word.begin == '"')
        return "a cell in quotes? -t, reads CSV, and -k N one of its fields";
    if (line == 1 && is_letter(*word.begin))
        return "a header? --header leaves it out; -k N or -k NAME reads one field";
    if (separated || rules->decimal != 0 || rules->thousands != 0) {
        const char *const hint = find_number_hint(rules, word);
        if (separated || hint != NULL)
            return hint;
    }
    if (has(word, ',') && (rules->decimal == ',' || rules->thousands == ','))
        return NULL;
    if (has(word, ','))
        return "-t, reads fields between commas, --decimal , a decimal comma";
    if (has(word, ';'))
        return "-t';' reads fields between semicolons";
    return NULL;
}

/* With which options the Matrix Market file whose banner begins at `banner` is read. */
static const char *find_matrix_hint(const char *banner, const char *limit)
{
    const char *const end = memchr(banner, '\n', (size_t)(limit - banner));
    matrix_market matrix;
    failure unused;
    return end != NULL && matrix_read_banner(&matrix, banner, end, &unused)
               ? matrix_options(&matrix)
               : "-k N reads field N of its lines";
}

bool fail_with_hint(failure *why, const field_rules *rules, const char *first, text_span word,
                    const char *limit, uint64_t line)
{
    const bool wrong = strstr(why->text, "is not a number") != NULL;
    const bool matrix = line == 1 && matrix_begins(word.begin, (size_t)(word.end - word.begin) + 1);
    const char *hint = matrix ? find_matrix_hint(word.begin, limit) : find_line_hint(first);
    const size_t length = strlen(why->text);
    failure longer = *why;
    if (hint == NULL && wrong)
        hint = find_hint(rules, word, line);
    if (hint == NULL || (!wrong && strstr(why->text, "is missing") == NULL))
        return false;
    fail(&longer, "%.*s (%s%s)", (int)(length < 700 ? length : 700), why->text,
         matrix ? "a Matrix Market file: " : "", hint);
    *why = longer;
    return false;
}
