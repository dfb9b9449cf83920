#define _POSIX_C_SOURCE 200809L
#include "apps/cli/output_name.h"

#include <string.h>
#include <strings.h>

/* Endings of files that are not written, those of compressed ones first. */
static const char *const foreign[] = {".zst", ".xz",  ".bz2", ".lz4",
                                      ".zip", ".npz", ".h5",  ".parquet"};
enum { COMPRESSED = 4, FOREIGN = sizeof foreign / sizeof foreign[0] };

file_format output_name_format(const char *path, bool *compress, bool *blocks)
{
    size_t length = strlen(path);
    *blocks = name_ends_in(path, length, ".bgz");
    *compress = *blocks || name_ends_in(path, length, ".gz");
    if (*compress)
        length -= strlen(*blocks ? ".bgz" : ".gz");
    if (name_ends_in(path, length, ".npy"))
        return FORMAT_NPY;
    return name_ends_in(path, length, ".txt") ? FORMAT_TEXT : FORMAT_UNKNOWN;
}

/* The same, whether in small letters or capitals. */
static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0;
}

bool output_name_check(const char *option, const char *path, file_format format, failure *why)
{
    bool compress, blocks;
    if (path == NULL)
        return true;
    for (int i = 0; i < FOREIGN; i++)
        if (ends_in(path, foreign[i]))
            return fail(
                why,
                "%s: '%.200s': no %s files are written: .gz and .bgz compress, .npy and .txt "
                "choose a format",
                option, path, foreign[i]);
    const file_format named = output_name_format(path, &compress, &blocks);
    if (!compress && (ends_in(path, ".gz") || ends_in(path, ".bgz")))
        return fail(why, "%s: '%.200s': .gz and .bgz compress in small letters only", option, path);
    return named == FORMAT_UNKNOWN || format == FORMAT_UNKNOWN || named == format ||
           fail(why, "%s: '%.200s' is the name of %s file, and --output-format is %s: another name",
                option, path, named == FORMAT_NPY ? "an npy" : "a text", file_format_name(format));
}

bool output_name_check_plain(const char *option, const char *path, failure *why)
{
    const char *const own[] = {".gz", ".bgz"};
    const char *ending = NULL;
    for (int i = 0; path != NULL && i < COMPRESSED; i++)
        if (ends_in(path, foreign[i]))
            ending = foreign[i];
    for (int i = 0; path != NULL && i < 2; i++)
        if (ends_in(path, own[i]))
            ending = own[i];
    return ending == NULL ||
           fail(why, "%s: '%.200s': this output is not compressed: a name without %s", option, path,
                ending);
}
