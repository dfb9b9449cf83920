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
    bool has_order, has_shape, structured;
    npy_shape shape;
    int longer;                /* dimensions that are not of length 1 */
    bool is_empty;             /* a dimension is of length 0 */
    uint64_t product;          /* of the lengths of the others; UINT64_MAX: as much, or more */
    char text[NPY_SHAPE_SIZE]; /* of the shape */
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

/* Reads a number, after which Python 2 wrote an L. NULL if there is none. */
static const char *parse_number(const char *p, uint64_t *number)
{
    if ((unsigned char)(*p - '0') > 9)
        return NULL;
    *number = 0;
    for (; (unsigned char)(*p - '0') <= 9; p++) {
        const unsigned digit = (unsigned)(*p - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return NULL;
        *number = *number * 10 + digit;
    }
    return p + (*p == 'L');
}

/* A length has at most 20 digits. */
static void add_to_shape(char shape[NPY_SHAPE_SIZE], uint64_t length)
{
    enum { LONG = 96 };
    const size_t used = strlen(shape);
    if (used < LONG)
        snprintf(shape + used, NPY_SHAPE_SIZE - used, "%s%llu", used > 0 ? " x " : "",
                 (unsigned long long)length);
    else if (shape[used - 1] != '.')
        snprintf(shape + used, NPY_SHAPE_SIZE - used, " x ...");
}

void npy_shape_text(const npy_shape *shape, char text[NPY_SHAPE_SIZE])
{
    text[0] = '\0';
    for (int d = 0; d < shape->dimensions; d++)
        add_to_shape(text, shape->lengths[d]);
}

npy_shape npy_list(uint64_t n)
{
    return (npy_shape){.dimensions = 1, .lengths = {n}};
}

bool npy_is_list(const npy_shape *shape)
{
    int longer = 0;
    for (int d = 0; d < shape->dimensions; d++)
        longer += shape->lengths[d] != 1;
    return longer <= 1;
}

static void add_dimension(fields *found, uint64_t length)
{
    add_to_shape(found->text, length);
    if (found->shape.dimensions < NPY_MOST_DIMENSIONS)
        found->shape.lengths[found->shape.dimensions] = length;
    found->shape.dimensions++;
    found->longer += length != 1;
    if (length == 0)
        found->is_empty = true;
    else
        found->product =
            length > UINT64_MAX / found->product ? UINT64_MAX : found->product * length;
}

/* Reads (), (8,) or (8, 2). */
static const char *parse_shape(const char *p, fields *found)
{
    found->product = 1;
    found->shape.dimensions = found->longer = 0;
    found->is_empty = false;
    found->text[0] = '\0';
    p = expect(p, '(');
    while (p != NULL && *p != ')') {
        uint64_t length;
        p = parse_number(p, &length);
        if (p == NULL)
            return NULL;
        add_dimension(found, length);
        p = skip_space(p);
        if (*p != ')')
            p = expect(p, ',');
    }
    found->has_shape = p != NULL;
    return p != NULL ? p + 1 : NULL;
}

static const char *parse_value(const char *p, const char *key, int key_length, fields *found)
{
    static const char *const booleans[] = {"True", "False"};
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
        const size_t length = strlen(booleans[i]);
        found->has_order = strncmp(p, booleans[i], length) == 0;
        found->shape.fortran = i == 0;
        if (found->has_order)
            return p + length;
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

/* Whether the type is written as that kind and size. The byte order before it, which NumPy lets be left
   out, says nothing of single bytes and of bytes of any meaning. */
static bool is_described(const fields *found, char kind, size_t size)
{
    char name[16];
    const bool has_order = found->descr_length > 0 && strchr("<>=|", found->descr[0]) != NULL;
    const int length = snprintf(name, sizeof name, "%c%zu", kind, size);
    return found->descr_length == has_order + length &&
           memcmp(found->descr + has_order, name, (size_t)length) == 0 &&
           (kind != 'V' || found->descr[0] != '>');
}

static bool find_type(const fields *found, parscan_type asked, npy_array *array)
{
    array->type = PARSCAN_U8;
    array->is_swapped = found->descr_length > 0 && found->descr[0] == '>';
    array->is_mask = is_described(found, 'b', 1);
    if (array->is_mask)
        return true;
    for (int i = 0; i < LOOKUP_END; i++) {
        const element_traits *const traits = element_traits_of((parscan_type)i);
        array->type = (parscan_type)i;
        if (traits != NULL && is_described(found, element_kind(traits), traits->size) &&
            (element_kind(traits) != 'V' || array->type == asked))
            return true;
    }
    return false;
}

/* The first type that is written as bytes of any meaning, so many as these; NULL if there is none. */
static const char *name_of_bytes(const fields *found)
{
    for (int i = 0; i < LOOKUP_END; i++) {
        const element_traits *const traits = element_traits_of((parscan_type)i);
        if (traits != NULL && element_kind(traits) == 'V' && is_described(found, 'V', traits->size))
            return parscan_type_name((parscan_type)i);
    }
    return NULL;
}

static bool fail_type(const fields *found, failure *why)
{
    const int shown = found->descr_length < 100 ? found->descr_length : 100;
    const char *const name = name_of_bytes(found);
    if (name != NULL)
        return fail(why, "npy elements of type '%.*s' may be anything (--type %s reads them)",
                    shown, found->descr, name);
    return fail(why, "npy elements of type '%.*s' cannot be read (%s)", shown, found->descr,
                memchr(found->descr, 'c', (size_t)shown) != NULL
                    ? "save a.real and a.imag, each as an array"
                    : "save a.astype('f8') or another type of --type");
}

/* The elements of a row or of a column lie one after the other in C and in Fortran order. */
static bool check_shape(const fields *found, shape_rule shapes, size_t size, failure *why)
{
    const int dimensions = found->shape.dimensions;
    if (shapes < SHAPES_ARE_FREE && found->longer > 1)
        return fail(why, "the npy array is %s: all dimensions but one must be 1%s", found->text,
                    shapes == SHAPES_NEED_AXIS
                        ? " (--axis N runs along one of them; --flatten reads all as one list)"
                    : shapes == SHAPES_NEED_FLAT ? " (--flatten reads all as one list)"
                                                 : "");
    if (shapes == SHAPES_ARE_FREE && dimensions > NPY_MOST_DIMENSIONS)
        return fail(why, "the npy array has %d dimensions, more than %d", dimensions,
                    NPY_MOST_DIMENSIONS);
    if (found->product > PTRDIFF_MAX / size)
        return fail(why, "the npy header is corrupt: %llu elements are too many",
                    (unsigned long long)found->product);
    return true;
}

bool npy_header_parse(const char *text, size_t length, parscan_type asked, shape_rule shapes,
                      npy_array *array, failure *why)
{
    fields found = {0};
    if (strlen(text) != length || !parse_dictionary(text, &found))
        return fail(why, found.structured
                             ? "structured types cannot be read (save one field: a['name'])"
                             : "the npy header is corrupt");
    if (!find_type(&found, asked, array))
        return fail_type(&found, why);
    array->n = found.is_empty ? 0 : (size_t)found.product;
    array->shape = found.shape;
    return check_shape(&found, shapes, parscan_type_size(array->type), why);
}

/* The lengths as a tuple of Python: "3, 4", or "3," of one. */
static void write_lengths(const npy_shape *shape, char *to, size_t room)
{
    size_t used = 0;
    to[0] = '\0';
    for (int d = 0; d < shape->dimensions; d++)
        used += (size_t)snprintf(to + used, room - used, "%s%llu", d > 0 ? ", " : "",
                                 (unsigned long long)shape->lengths[d]);
    if (shape->dimensions == 1)
        snprintf(to + used, room - used, ",");
}

void npy_header_write(parscan_type type, const npy_shape *shape, char header[NPY_WRITTEN_SIZE])
{
    enum { PREFIX = NPY_MAGIC_SIZE + 4, TEXT = NPY_WRITTEN_SIZE - PREFIX };
    char descr[16], lengths[TEXT / 2], text[TEXT];
    describe(element_traits_of(type), descr);
    write_lengths(shape, lengths, sizeof lengths);
    const int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr,
                 shape->fortran ? "True" : "False", lengths);
    memcpy(header, NPY_MAGIC, NPY_MAGIC_SIZE);
    const char version_and_length[4] = {1, 0, TEXT, 0};
    memcpy(header + NPY_MAGIC_SIZE, version_and_length, sizeof version_and_length);
    memset(header + PREFIX, ' ', TEXT - 1);
    memcpy(header + PREFIX, text, (size_t)length);
    header[NPY_WRITTEN_SIZE - 1] = '\n';
}
