/* The header of an npy file. It reads NumPy's formats 1.0, 2.0 and 3.0, and writes 1.0. */
#ifndef PARSCAN_CLI_NPY_HEADER_H
#define PARSCAN_CLI_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/failure.h"
#include "parscan/types.h"

/* An npy file starts with "\x93NUMPY", two bytes of version, and two or four bytes that hold the
   length of the dictionary after them. */
#define NPY_MAGIC "\x93NUMPY"
enum { NPY_MAGIC_SIZE = 6, NPY_PREFIX_SIZE = 12, NPY_WRITTEN_SIZE = 128 };

/* So many dimensions fit into a header that is written, whatever their lengths. */
enum { NPY_MOST_DIMENSIONS = 8 };

typedef struct npy_shape {
    bool fortran; /* the first index runs fastest in memory, not the last */
    int dimensions;
    uint64_t lengths[NPY_MOST_DIMENSIONS];
} npy_shape;

/* The shapes that are read. */
typedef enum shape_rule {
    SHAPES_ARE_LISTS = 0, /* one dimension or none; others are of length 1 */
    SHAPES_NEED_FLAT,     /* the same, and the words about other ones advise --flatten */
    SHAPES_NEED_AXIS,     /* the same, and --axis */
    SHAPES_ARE_FREE,      /* any, of at most NPY_MOST_DIMENSIONS */
    SHAPES_ARE_FLAT       /* any: all elements are one list, as they lie in the file */
} shape_rule;

/* What a header says of the elements after it. */
typedef struct npy_array {
    parscan_type type;
    bool is_mask;    /* NumPy's booleans, as u8: a byte that is not 0 counts as 1 */
    bool is_swapped; /* big-endian elements of several bytes */
    size_t n;        /* elements in all dimensions */
    npy_shape shape; /* of more dimensions than NPY_MOST_DIMENSIONS: only their number */
} npy_array;

/*
 * Reads the text of a header, a Python dictionary: length bytes and a terminating zero. asked: the type that
 * the user has named, or 0. It tells only what bytes of any meaning (NumPy's V) are: of other types the
 * header does.
 */
bool npy_header_parse(const char *text, size_t length, parscan_type asked, shape_rule shapes,
                      npy_array *array, failure *why);

/* The shape of n elements in one dimension. */
npy_shape npy_list(uint64_t n);

/* Whether at most one dimension is not of length 1. */
bool npy_is_list(const npy_shape *shape);

/* Room for a shape as text. */
enum { NPY_SHAPE_SIZE = 128 };

/* Writes a shape as 2 x 3, cut if it is long. */
void npy_shape_text(const npy_shape *shape, char text[NPY_SHAPE_SIZE]);

/* Writes a header for an array of that shape to header. */
void npy_header_write(parscan_type type, const npy_shape *shape, char header[NPY_WRITTEN_SIZE]);

#endif
