#include "apps/cli/npy_header.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/element_traits.h"
#include "apps/cli/lookup.h"
#include "apps/cli/number_text.h"

/* The entries of the dictionary; strings point into it. */
typedef struct fields {
    const char *descr; /* without its quotes */
    int descr_length;
    bool has_order, fortran_order, has_shape, structured;
    int dimensions;
    uint64_t length; /* of the last dimension */
} fields;

static const char *skip_space(const char *p)
{
    while (is_space(*p))
        p++;
    return p;
}

/* Skips the character c with white space around it. NULL if there is something else. */
static const char *expect(const char *p, char c)
{
    p = skip_space(p);
    return *p == c ? skip_space(p + 1) : NULL;
}

/* Reads 'text' or "text". NULL if there is none. */
static const char *parse_string(const char *p, const char **text, int *length)
{
    const char quote = *p;
    if (quote != '\'' && quote != '"')
        return NULL;
    const char *const end = strchr(p + 1, quote);
    if (end == NULL)
        return NULL;
    *text = p + 1;
    *length = (int)(end - p - 1);
    return end + 1;
}

/* Reads (), (8,) or (8, 2). Python 2 wrote an L after the numbers. */
static const char *parse_shape(const char *p, fields *found)
{
    p = expect(p, '(');
    while (p != NULL && *p != ')') {
        if ((unsigned char)(*p - '0') > 9)
            return NULL;
        found->length = 0;
        for (; (unsigned char)(*p - '0') <= 9; p++) {
            const unsigned digit = (unsigned)(*p - '0');
            if (found->length > (UINT64_MAX - digit) / 10)
                return NULL;
            found->length = found->length * 10 + digit;
        }
        p += *p == 'L';
        found->dimensions++;
        p = skip_space(p);
        if (*p != ')')
            p = expect(p, ',');
    }
    found->has_shape = p != NULL;
    return p != NULL ? p + 1 : NULL;
}

static const char *parse_value(const char *p, const char *key, int key_length, fields *found)
{
    const struct {
        const char *text;
        bool value;
    } booleans[] = {{"True", true}, {"False", false}};
#define IS(name) (key_length == (int)sizeof(name) - 1 && memcmp(key, name, sizeof(name) - 1) == 0)
    if (IS("descr") && *p == '[') {
        found->structured = true;
        return NULL;
    }
    if (IS("descr"))
        return parse_string(p, &found->descr, &found->descr_length);
    if (IS("shape"))
        return parse_shape(p, found);
    if (!IS("fortran_order"))
        return NULL;
#undef IS
    for (size_t i = 0; i < sizeof booleans / sizeof booleans[0]; i++) {
        const size_t length = strlen(booleans[i].text);
        if (strncmp(p, booleans[i].text, length) == 0) {
            found->has_order = true;
            found->fortran_order = booleans[i].value;
            return p + length;
        }
    }
    return NULL;
}

static bool parse_dictionary(const char *text, fields *found)
{
    const char *p = expect(text, '{');
    while (p != NULL && *p != '}') {
        const char *key;
        int key_length;
        p = parse_string(p, &key, &key_length);
        p = p != NULL ? expect(p, ':') : NULL;
        p = p != NULL ? parse_value(p, key, key_length, found) : NULL;
        if (p != NULL && *(p = skip_space(p)) != '}')
            p = expect(p, ',');
    }
    return p != NULL && *skip_space(p + 1) == '\0' && found->descr != NULL && found->has_order &&
           found->has_shape;
}

/* Elements of one byte have no byte order. */
static void describe(const element_traits *traits, char descr[16])
{
    snprintf(descr, 16, "%c%c%zu", traits->size == 1 ? '|' : '<', element_kind(traits),
             traits->size);
}

/* NumPy's booleans are bytes of 0 and 1. */
static parscan_type find_type(const fields *found)
{
    static const char booleans[] = "|b1";
    if (found->descr_length == (int)sizeof booleans - 1 &&
        memcmp(found->descr, booleans, sizeof booleans - 1) == 0)
        return PARSCAN_U8;
    for (int i = 0; i < LOOKUP_END; i++) {
        const element_traits *const traits = element_traits_of((parscan_type)i);
        if (traits == NULL)
            continue;
        char descr[16];
        describe(traits, descr);
        const bool little = found->descr[0] == '<' && traits->size == 1;
        if (found->descr_length == (int)strlen(descr) &&
            memcmp(found->descr + little, descr + little, strlen(descr + little)) == 0)
            return traits->type;
    }
    return (parscan_type)0;
}

bool npy_header_parse(const char *text, size_t length, parscan_type *type, size_t *n, failure *why)
{
    fields found = {0};
    if (strlen(text) != length || !parse_dictionary(text, &found))
        return fail(why, found.structured ? "structured types cannot be read"
                                          : "the npy header is corrupt");
    *type = find_type(&found);
    if (*type == 0)
        return fail(why, "npy elements of type '%.*s' cannot be read%s",
                    found.descr_length < 100 ? found.descr_length : 100, found.descr,
                    found.descr[0] == '>' ? ": they are big-endian" : "");
    if (found.dimensions != 1)
        return fail(why, "the npy array has %d dimensions, not 1", found.dimensions);
    if (found.fortran_order)
        return fail(why, "the npy array is in Fortran order, not in C order");
    if (found.length > PTRDIFF_MAX / parscan_type_size(*type))
        return fail(why, "the npy header is corrupt: %llu elements are too many",
                    (unsigned long long)found.length);
    *n = (size_t)found.length;
    return true;
}

void npy_header_write(parscan_type type, size_t n, char header[NPY_WRITTEN_SIZE])
{
    enum { PREFIX = NPY_MAGIC_SIZE + 4, TEXT = NPY_WRITTEN_SIZE - PREFIX };
    char descr[16];
    describe(element_traits_of(type), descr);
    char text[TEXT];
    const int length = snprintf(
        text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }", descr, n);
    memcpy(header, NPY_MAGIC, NPY_MAGIC_SIZE);
    const char version_and_length[4] = {1, 0, TEXT, 0};
    memcpy(header + NPY_MAGIC_SIZE, version_and_length, sizeof version_and_length);
    memset(header + PREFIX, ' ', TEXT - 1);
    memcpy(header + PREFIX, text, (size_t)length);
    header[NPY_WRITTEN_SIZE - 1] = '\n';
}
