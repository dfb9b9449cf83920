#include "apps/cli/input_formats.h"

#include <stdlib.h>
#include <string.h>

/* An array needs far less: a longer header is corrupt. */
enum { LONGEST_HEADER = 1024 * 1024 };

static bool read_exactly(byte_source *source, void *to, size_t size, failure *why)
{
    size_t got;
    if (!source_read(source, to, size, &got, why))
        return false;
    return got == size || fail(why, "the npy header is cut short");
}

/* Reads magic bytes, version and the length of the header's text. */
static bool read_prefix(byte_source *source, size_t *length, failure *why)
{
    unsigned char prefix[NPY_PREFIX_SIZE];
    if (!read_exactly(source, prefix, NPY_MAGIC_SIZE + 4, why))
        return false;
    if (memcmp(prefix, NPY_MAGIC, NPY_MAGIC_SIZE) != 0)
        return fail(why, "not an npy file");
    const unsigned major = prefix[6], minor = prefix[7];
    if (major < 1 || major > 3 || minor != 0)
        return fail(why, "npy version %u.%u is not known", major, minor);
    *length = prefix[8] | (size_t)prefix[9] << 8;
    if (major == 1)
        return true;
    if (!read_exactly(source, prefix + 10, 2, why))
        return false;
    *length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
    return *length <= LONGEST_HEADER || fail(why, "the npy header is corrupt");
}

static bool read_header(byte_source *source, parscan_type type, shape_rule shapes, npy_array *found,
                        failure *why)
{
    size_t length = 0;
    if (!read_prefix(source, &length, why))
        return false;
    char *const text = malloc(length + 1);
    if (text == NULL)
        return fail_out_of_memory(why);
    bool done = read_exactly(source, text, length, why);
    if (done) {
        text[length] = '\0';
        done = npy_header_parse(text, length, type, shapes, found, why);
    }
    free(text);
    return done;
}

bool input_npy_header(byte_source *source, parscan_type type, shape_rule shapes, npy_array *found,
                      failure *why)
{
    if (!read_header(source, type, shapes, found, why))
        return false;
    return type == 0 || type == found->type ||
           fail(why, "the npy array holds %s, not %s", parscan_type_name(found->type),
                parscan_type_name(type));
}

static void swap_bytes(unsigned char *at, size_t n, size_t size)
{
    for (; n > 0; n--, at += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            const unsigned char byte = at[low];
            at[low] = at[high];
            at[high] = byte;
        }
}

void input_npy_convert(const npy_array *file, array *elements, size_t first)
{
    const size_t size = parscan_type_size(elements->type);
    unsigned char *const bytes = elements->data;
    for (size_t i = first; file->is_mask && i < elements->n; i++)
        bytes[i] = bytes[i] != 0;
    if (file->is_swapped && first < elements->n)
        swap_bytes(bytes + first * size, elements->n - first, size);
}

static bool check_npy_end(byte_source *source, bool *ended, failure *why)
{
    char byte;
    size_t after;
    if (!source_read(source, &byte, 1, &after, why))
        return false;
    *ended = true;
    return after == 0 || fail(why, "there are bytes after the npy array");
}

bool input_npy(byte_source *source, const npy_array *file, size_t before, size_t most,
               source_reader *read, array *elements, bool *ended, failure *why)
{
    const size_t left = file->n - before, held = elements->n, part = left < most ? left : most;
    size_t taken = 0, loose;
    if (part == 0)
        return *ended || check_npy_end(source, ended, why);
    /* The elements of a file are passed on when it is known that more follow or that it is whole;
       those of a pipe when they come. */
    do {
        if (!input_elements(source, part - taken, read, elements, &loose, why))
            return false;
        if (elements->n - held == taken || loose > 0)
            return fail(why, "the npy data are cut short: %zu of %zu elements are there",
                        before + elements->n - held, file->n);
        taken = elements->n - held;
    } while (taken < part && source_is_ready(source));
    input_npy_convert(file, elements, held);
    return taken < left || !source_is_ready(source) || check_npy_end(source, ended, why);
}
