#include "apps/cli/mpi/mpi_map.h"

#include "apps/cli/command.h"

typedef struct map_files {
    mpi_input input;
    mpi_output output;
    array in, out;
    double begin;
} map_files;

int mpi_check_input(const mpi_job *job, failure *why)
{
    if (!is_standard_file(job->options->input))
        return STATUS_DONE;
    fail(why, "an input FILE is needed: ranks read parts of it");
    return STATUS_USAGE;
}

int mpi_check_paths(const mpi_job *job, failure *why)
{
    const int status = mpi_check_input(job, why);
    if (status != STATUS_DONE || !is_standard_file(job->options->output))
        return status;
    fail(why, "--output FILE is needed: ranks write parts of it");
    return STATUS_USAGE;
}

int mpi_reserve(const mpi_job *job, array *elements, size_t capacity, failure *why)
{
    const bool room = array_reserve(elements, capacity);
    if (!room) {
        fail_out_of_memory(why);
        fail_in(why, mpi_input_name(job));
    }
    return mpi_agree(job, room ? STATUS_DONE : STATUS_FAILED, why);
}

static int open_map_files(mpi_job *job, map_files *files, const mpi_map *work, failure *why)
{
    const common_options *const options = job->options;
    file_format format;
    parscan_type out_type = (parscan_type)0;
    int status =
        mpi_input_open(job, &files->input, options->input, options->format, options->type, why);
    job->is_mask = files->input.is_mask;
    if (status == STATUS_DONE)
        status = work->check(job, work->user, files->input.type, &out_type, why);
    if (status == STATUS_DONE)
        status = mpi_output_format(job, options->output, &files->input, &format, why);
    if (status != STATUS_DONE)
        return status;
    files->out.type = out_type;
    return mpi_output_open(job, &files->output, options->output, format, out_type, files->input.n,
                           why);
}

static int compute_map(mpi_job *job, map_files *files, const mpi_map *work, failure *why)
{
    int status = mpi_input_read(job, &files->input, &files->in, why);
    if (status != STATUS_DONE)
        return status;
    files->begin = seconds_now();
    status = mpi_reserve(job, &files->out, files->in.n, why);
    if (status == STATUS_DONE)
        status = work->compute(job, work->user, &files->in, &files->out, files->input.first, why);
    if (status == STATUS_DONE) {
        const size_t moved = parscan_type_size(files->in.type) + parscan_type_size(files->out.type);
        mpi_print_stats(job, files->input.n, (double)files->input.n * (double)moved, files->begin);
    }
    array_release(&files->in);
    return status;
}

static int map(mpi_job *job, map_files *files, const mpi_map *work, failure *why)
{
    int status = open_map_files(job, files, work, why);
    if (status == STATUS_DONE)
        status = compute_map(job, files, work, why);
    if (status == STATUS_DONE)
        status = mpi_output_write(job, &files->output, files->out.data, files->input.count,
                                  files->input.first, why);
    if (status != STATUS_DONE)
        return status;
    mpi_output *const outputs[] = {&files->output};
    return mpi_output_commit(job, outputs, 1, why);
}

int mpi_map_run(mpi_job *job, const mpi_map *work, failure *why)
{
    map_files files = {0};
    int status = mpi_check_paths(job, why);
    if (status == STATUS_DONE)
        status = map(job, &files, work, why);
    mpi_output_discard(&files.output);
    mpi_input_close(&files.input);
    array_release(&files.in);
    array_release(&files.out);
    return status;
}
