#include "apps/cli/trace_file.h"

#include <inttypes.h>
#include <string.h>

bool trace_file_check(trace_file *file, size_t values, failure *why)
{
    if (file->path == NULL && file->axis.given)
        return fail(why, "--axis %d needs --file FILE, an npy array", file->axis.number);
    if (!file->axis.given && file->line_given)
        return fail(why, "--line %" PRIu64 " needs --axis N", file->line);
    if (file->path == NULL && file->fields.given)
        return fail(why, "-k, -t, --header and the like need --file FILE, a text");
    if (!field_rules_complete(&file->fields, why))
        return false;
    if (file->member != NULL && file->path == NULL)
        return fail(why, "--member %.100s needs --file FILE, a zip file", file->member);
    if (file->flatten && (file->axis.given || file->path == NULL))
        return fail(why, file->axis.given ? "--axis and --flatten exclude each other"
                                          : "--flatten needs --file FILE, an npy array");
    if (file->path != NULL && values > 0)
        return fail(why, "the values are those of --file or of the arguments, not of both");
    return file->path != NULL || values > 0 || fail(why, "at least one value is needed");
}

/* Moves line number `line` of an array to its begin. */
static void take_line(array *elements, const axis_lines *lines, size_t line)
{
    const size_t size = parscan_type_size(elements->type), inner = lines->shape.inner;
    const size_t first = line / inner * lines->n * inner + line % inner;
    char *const bytes = elements->data;
    for (size_t i = 0; i < lines->n; i++)
        memmove(bytes + i * size, bytes + (first + i * inner) * size, size);
    elements->n = lines->n;
}

/* Finds the lines of an array of at most two dimensions: the numbers of lines are then the same in C and in
   Fortran order. */
static bool find_lines(const trace_file *file, const input_reader *reader, axis_lines *lines,
                       failure *why)
{
    const npy_shape *const shape = input_shape(reader);
    if (shape == NULL)
        return axis_fail_format(&file->axis, input_format(reader), why);
    if (!axis_find(shape, &file->axis, lines, why))
        return false;
    if (shape->dimensions > 2)
        return fail(why, "--axis %d: trace takes npy arrays of 2 dimensions, not of %d",
                    file->axis.number, shape->dimensions);
    const size_t count = lines->shape.outer * lines->shape.inner;
    return file->line < count ||
           fail(why, "--line %" PRIu64 ": there %s %zu line%s along axis %d; the first is 0",
                file->line, count == 1 ? "is" : "are", count, count == 1 ? "" : "s", lines->axis);
}

bool trace_file_read(const trace_file *file, parscan_type type, array *elements, failure *why)
{
    progress none = {0};
    const input_request request = {.path = file->path,
                                   .member = file->member,
                                   .type = type,
                                   .fields = file->fields.given ? &file->fields : NULL,
                                   .shapes = file->axis.given ? SHAPES_ARE_FREE
                                             : file->flatten  ? SHAPES_ARE_FLAT
                                                              : SHAPES_NEED_AXIS,
                                   .threads = 1,
                                   .progress = &none};
    *elements = (array){0};
    input_reader *const reader = input_open(&request, why);
    if (reader == NULL)
        return false;
    elements->type = input_type(reader);
    axis_lines lines;
    bool done = !file->axis.given || find_lines(file, reader, &lines, why) ||
                fail_in(why, input_name(file->path));
    done = done && input_rest(reader, elements, why);
    if (done && file->axis.given)
        take_line(elements, &lines, (size_t)file->line);
    if (done && elements->n == 0) {
        fail(why, "there are no values");
        done = fail_in(why, input_name(file->path));
    }
    input_close(reader);
    return done;
}
