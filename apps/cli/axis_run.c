#include "apps/cli/axis_run.h"

#include "apps/cli/command.h"
#include "apps/cli/progress.h"

bool axis_fail_format(const axis_option *axis, file_format format, failure *why)
{
    return fail(why, "--axis %d: %s files have no axes, npy files do", axis->number,
                file_format_name(format));
}

bool axis_takes_format(const axis_option *axis, file_format format, failure *why)
{
    return !axis->given || format == FORMAT_UNKNOWN || format == FORMAT_NPY ||
           axis_fail_format(axis, format, why);
}

bool axis_find(const npy_shape *whole, const axis_option *axis, axis_lines *lines, failure *why)
{
    if (whole->dimensions == 0)
        return fail(why, "--axis %d: the npy array is one element and has no dimensions",
                    axis->number);
    const int last = whole->dimensions - 1, from_end = axis->number < 0 ? whole->dimensions : 0;
    if (axis->number < -whole->dimensions || axis->number > last) {
        char text[NPY_SHAPE_SIZE];
        npy_shape_text(whole, text);
        return last == 0
                   ? fail(why, "--axis %d: the npy array (%s) has one dimension, 0 or -1",
                          axis->number, text)
                   : fail(why, "--axis %d: the npy array (%s) has dimensions 0 to %d, or %d to -1",
                          axis->number, text, last, -whole->dimensions);
    }
    *lines = (axis_lines){.axis = axis->number + from_end,
                          .shape = PARSCAN_SHAPE(.outer = 1, .inner = 1)};
    lines->n = (size_t)whole->lengths[lines->axis];
    for (int d = 0; d <= last; d++) {
        if (d != lines->axis)
            *((d < lines->axis) != whole->fortran ? &lines->shape.outer : &lines->shape.inner) *=
                (size_t)whole->lengths[d];
    }
    return true;
}

/* The shape of the output, whose lines have n elements. */
static npy_shape output_shape(const npy_shape *whole, const axis_lines *lines, bool drops, size_t n)
{
    npy_shape shape = *whole;
    shape.lengths[lines->axis] = n;
    if (!drops)
        return shape;
    shape.dimensions--;
    for (int d = lines->axis; d < shape.dimensions; d++)
        shape.lengths[d] = whole->lengths[d + 1];
    return shape;
}

/* Text and raw files have no shape. */
static int check_output(session *job, failure *why)
{
    const output_request request = session_output_to(job, job->options->output, &job->no_progress);
    const file_format format = output_format(&request);
    if (format == FORMAT_NPY || npy_is_list(job->out_shape))
        return STATUS_DONE;
    char text[NPY_SHAPE_SIZE];
    npy_shape_text(job->out_shape, text);
    fail(why, "--axis %d: the output is %s, which a %s file cannot tell: write npy",
         job->options->axis.number, text, file_format_name(format));
    return STATUS_USAGE;
}

static int compute_lines(session *job, const axis_work *work, const axis_lines *lines, size_t out_n,
                         failure *why)
{
    const bool room = work->new_memory ? session_make_new_out(job, work->out_type, out_n, why)
                                       : session_make_out(job, work->out_type, out_n, why);
    if (!room)
        return STATUS_FAILED;
    const size_t read = job->in.n;
    const double begin = seconds_now();
    const parscan_status called = work->compute(job, work->user, lines);
    const double seconds = seconds_now() - begin;
    const int status = session_check_result(job, called, why);
    if (status != STATUS_DONE)
        return status;
    job->out.n = out_n;
    session_print_stats(job, read,
                        (double)read * (double)parscan_type_size(job->in.type) +
                            (double)out_n * (double)parscan_type_size(work->out_type),
                        seconds, true);
    return STATUS_DONE;
}

int axis_run(session *job, const axis_work *work, failure *why)
{
    const npy_shape *const whole = input_shape(job->reader);
    axis_lines lines;
    if (whole == NULL) {
        axis_fail_format(&job->options->axis, job->input_format, why);
        fail_in(why, session_input_name(job));
        return STATUS_FAILED;
    }
    if (!axis_find(whole, &job->options->axis, &lines, why)) {
        fail_in(why, session_input_name(job));
        return STATUS_FAILED;
    }
    const size_t most = work->most != 0 && work->most < lines.n ? (size_t)work->most : lines.n;
    const size_t n = work->drops ? 1 : most;
    const npy_shape shape = output_shape(whole, &lines, work->drops, n);
    job->out_shape = &shape;
    int status = check_output(job, why);
    if (status == STATUS_DONE && work->check != NULL)
        status = work->check(work->user, &lines, why);
    if (status != STATUS_DONE)
        fail_in(why, session_input_name(job));
    if (status == STATUS_DONE && !session_read_rest(job, NULL, why))
        status = STATUS_FAILED;
    if (status == STATUS_DONE)
        status = compute_lines(job, work, &lines, lines.shape.outer * n * lines.shape.inner, why);
    if (status == STATUS_DONE)
        status = session_write(job, why);
    job->out_shape = NULL;
    return status;
}
