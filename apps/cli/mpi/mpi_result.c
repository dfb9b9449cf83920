#include "apps/cli/mpi/mpi_result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/mpi/mpi_map.h"
#include "parscan/distributed.h"

/* Elements of all ranks to a new file. */
static int write_all(mpi_job *job, file_format format, const array *elements, failure *why)
{
    mpi_output output = {0};
    mpi_output *const outputs[] = {&output};
    const uint64_t count = elements->n;
    uint64_t first = 0, total = 0;
    int status = mpi_check(
        job,
        parscan_dist_allocate(job->comm, PARSCAN_U64, &count, 1, PARSCAN_U64, &first, &total, NULL),
        why);
    if (status == STATUS_DONE)
        status =
            mpi_output_open(job, &output, job->options->output, format, elements->type, total, why);
    if (status == STATUS_DONE)
        status = mpi_output_write(job, &output, elements->data, elements->n, first, why);
    if (status == STATUS_DONE)
        status = mpi_output_commit(job, outputs, 1, why);
    mpi_output_discard(&output);
    return status;
}

int mpi_result_write(mpi_job *job, const mpi_input *input, const array *elements, failure *why)
{
    file_format format;
    const int status = mpi_output_format(job, job->options->output, input, &format, why);
    return status == STATUS_DONE ? write_all(job, format, elements, why) : status;
}

int mpi_text_check(const mpi_job *job, bool shown, failure *why)
{
    const char *const path = job->options->output;
    const file_format format = job->options->output_format;
    const int status = shown ? mpi_check_input(job, why) : mpi_check_paths(job, why);
    if (status != STATUS_DONE)
        return status;
    if (format == FORMAT_RAW || format == FORMAT_NPY)
        fail(why, "--output-format %s: the output is text", file_format_name(format));
    else if (format == FORMAT_UNKNOWN && path != NULL && mpi_ends_in(path, ".npy"))
        fail(why, "%s: the output is text, which no npy file holds", path);
    else if (path != NULL && mpi_ends_in(path, ".gz"))
        fail(why, "%s: gzip files cannot be written in parts", path);
    else
        return STATUS_DONE;
    return STATUS_USAGE;
}

static int show(const mpi_job *job, const array *lines, failure *why)
{
    const bool shown = job->rank != 0 || (fwrite(lines->data, 1, lines->n, stdout) == lines->n &&
                                          fflush(stdout) == 0);
    if (!shown)
        fail(why, "standard output: %s", strerror(errno));
    return mpi_agree(job, shown ? STATUS_DONE : STATUS_FAILED, why);
}

int mpi_text_write(mpi_job *job, const array *lines, failure *why)
{
    return is_standard_file(job->options->output) ? show(job, lines, why)
                                                  : write_all(job, FORMAT_RAW, lines, why);
}
