/* Bytes as an npy file. */
#include <stdint.h>
#include <string.h>

#include "apps/cli/foreign_codec.h"
#include "apps/cli/unzip.h"
#include "tests/fuzz/fuzz_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A reader takes raw elements that start as such files do for one. */
static bool begins_as_packed(const array *elements)
{
    const size_t size = elements->n * parscan_type_size(elements->type);
    return (size >= 2 && memcmp(elements->data, "\x1f\x8b", 2) == 0) ||
           unzip_recognises(elements->data, size) || codec_recognises(elements->data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    array elements;
    failure why;
    if (!read_file_and_pipe(bytes, size, FORMAT_NPY, (parscan_type)0, &elements, &why) &&
        !read_file_and_pipe(bytes, size, FORMAT_NPY, PARSCAN_BF16, &elements, &why))
        return 0;
    /* Every element was in the file. */
    MUST(elements.n <= size / parscan_type_size(elements.type));
    expect_round_trip(&elements, FORMAT_NPY);
    if (!begins_as_packed(&elements))
        expect_round_trip(&elements, FORMAT_RAW);
    expect_round_trip(&elements, FORMAT_TEXT);
    array_release(&elements);
    return 0;
}
