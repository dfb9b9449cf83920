/* parscan-mpi sort. */
#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/mpi/mpi_map.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/session.h"
#include "parscan/distributed.h"

typedef struct sort_command {
    common_options common;
    parscan_sort_options options;
    const char *values, *values_output; /* NULL: not given */
    parscan_type values_type;
    bool argsort;
} sort_command;

enum {
    OPTION_DESCENDING = OPTION_OWN,
    OPTION_VALUES,
    OPTION_VALUES_TYPE,
    OPTION_VALUES_OUTPUT,
    OPTION_ARGSORT,
    OPTION_BEGIN_BIT,
    OPTION_END_BIT
};

static const struct option option_list[] = {
    MPI_COMMON_OPTIONS,
    {"descending", no_argument, NULL, OPTION_DESCENDING},
    {"values", required_argument, NULL, OPTION_VALUES},
    {"values-type", required_argument, NULL, OPTION_VALUES_TYPE},
    {"values-output", required_argument, NULL, OPTION_VALUES_OUTPUT},
    {"argsort", no_argument, NULL, OPTION_ARGSORT},
    {"begin-bit", required_argument, NULL, OPTION_BEGIN_BIT},
    {"end-bit", required_argument, NULL, OPTION_END_BIT},
    {0}};

static const help_part help[] = {
    {"usage: mpirun parscan-mpi sort [options] -o OUTPUT FILE\n"
     "\n"
     "Writes the elements in ascending order, with a stable sort. Floats: -0 before 0, every NaN\n"
     "after infinity.\n"
     "\n"
     "  --descending          descending order; equal elements stay in input order\n"
     "  --values FILE         permute the elements of this file, raw or npy, alongside\n"
     "  --values-type T       their type, for raw\n"
     "  --values-output FILE  where to write them\n"
     "  --argsort             write the index in the input of each element in place of the "
     "element,\n"
     "                        as u64; the first index is 0\n"
     "  --begin-bit N, --end-bit N\n"
     "                        sort integers by bits N to N-1 alone (default: by all)\n",
     NULL},
    MPI_HELP,
    EXAMPLE_HELP("mpirun -n 2 parscan-mpi sort --descending -o sorted.npy data/eight.npy"),
    {0}};

static bool take_mpi_sort_option(int id, const char *value, void *user, failure *why)
{
    sort_command *const command = user;
    switch (id) {
    case OPTION_DESCENDING:
        command->options.descending = 1;
        return true;
    case OPTION_VALUES:
        return take_path(value, &command->values, why);
    case OPTION_VALUES_TYPE:
        return take_type(value, &command->values_type, why);
    case OPTION_VALUES_OUTPUT:
        return take_path(value, &command->values_output, why);
    case OPTION_ARGSORT:
        command->argsort = true;
        return true;
    case OPTION_BEGIN_BIT:
        return take_bit(value, 0, &command->options.begin_bit, why);
    case OPTION_END_BIT:
        return take_bit(value, 1, &command->options.end_bit, why);
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* Keys, and values if there are any. */
typedef struct sort_file {
    mpi_input input;
    mpi_output output;
    array in, out;
} sort_file;

typedef struct sort_files {
    sort_file keys, values;
} sort_files;

static int check_mpi_sort_options(const mpi_job *job, const sort_command *command,
                                  parscan_type type, failure *why)
{
    const bool bits = command->options.begin_bit != 0 || command->options.end_bit != 0;
    if (bits && parscan_is_float(type)) {
        fail(why, "--begin-bit and --end-bit are for integers, the type is %s",
             parscan_type_name(type));
        return STATUS_USAGE;
    }
    return session_status_of(
        parscan_sort_keys(job->context, type, NULL, NULL, 0, &command->options),
        parscan_context_error(job->context), why);
}

static int open_output(const mpi_job *job, sort_file *file, const char *path, parscan_type type,
                       failure *why)
{
    file_format format;
    const int status = mpi_output_format(job, path, &file->input, &format, why);
    if (status != STATUS_DONE)
        return status;
    return mpi_output_open(job, &file->output, path, format, type, file->input.n, why);
}

static int open_values(const mpi_job *job, sort_files *files, const sort_command *command,
                       failure *why)
{
    sort_file *const keys = &files->keys, *const values = &files->values;
    int status = mpi_input_open(job, &values->input, command->values, FORMAT_UNKNOWN,
                                command->values_type, why);
    if (status != STATUS_DONE)
        return status;
    if (values->input.n != keys->input.n) {
        fail(why, "%s: %llu values for the %llu elements of %s", command->values,
             (unsigned long long)values->input.n, (unsigned long long)keys->input.n,
             mpi_input_name(job));
        return STATUS_FAILED;
    }
    status = open_output(job, values, command->values_output, values->input.type, why);
    if (status != STATUS_DONE)
        return status;
    const bool same =
        job->rank == 0 && output_file_same_place(&keys->output.file, &values->output.file);
    if (same)
        fail(why, "%s: elements and values cannot go to the same file", command->values_output);
    return mpi_agree(job, same ? STATUS_FAILED : STATUS_DONE, why);
}

static int open_sort_files(const mpi_job *job, sort_files *files, const sort_command *command,
                           failure *why)
{
    const common_options *const options = job->options;
    int status = mpi_input_open(job, &files->keys.input, options->input, options->format,
                                options->type, why);
    if (status == STATUS_DONE)
        status = check_mpi_sort_options(job, command, files->keys.input.type, why);
    if (status == STATUS_DONE)
        status = open_output(job, &files->keys, options->output,
                             command->argsort ? PARSCAN_U64 : files->keys.input.type, why);
    if (status == STATUS_DONE && command->values != NULL)
        status = open_values(job, files, command, why);
    return status;
}

static int read_file(mpi_job *job, sort_file *file, bool argsort, failure *why)
{
    const int status = mpi_input_read(job, &file->input, &file->in, why);
    if (status != STATUS_DONE)
        return status;
    file->out.type = argsort ? PARSCAN_U64 : file->in.type;
    const bool room = array_reserve(&file->out, file->in.n);
    if (!room) {
        fail_out_of_memory(why);
        fail_in(why, file->input.path);
    }
    return mpi_agree(job, room ? STATUS_DONE : STATUS_FAILED, why);
}

static int compute_mpi_sort(mpi_job *job, sort_files *files, const sort_command *command,
                            failure *why)
{
    array *const keys = &files->keys.in, *const values = &files->values.in;
    const size_t value_size = command->values != NULL ? parscan_type_size(values->type) : 0;
    const size_t n = keys->n;
    const double begin = seconds_now();
    const parscan_status sorted =
        command->argsort ? parscan_dist_argsort(job->comm, keys->type, keys->data, n,
                                                files->keys.out.data, n, &command->options)
        : value_size == 0
            ? parscan_dist_sort_keys(job->comm, keys->type, keys->data, n, files->keys.out.data, n,
                                     &command->options)
            : parscan_dist_sort_pairs(job->comm, keys->type, keys->data, files->keys.out.data,
                                      value_size, values->data, files->values.out.data, n, n,
                                      &command->options);
    const int status = mpi_check(job, sorted, why);
    const size_t moved =
        parscan_type_size(keys->type) + parscan_type_size(files->keys.out.type) + 2 * value_size;
    if (status == STATUS_DONE)
        mpi_print_stats(job, files->keys.input.n, (double)files->keys.input.n * (double)moved,
                        begin);
    array_release(keys);
    array_release(values);
    return status;
}

static int write_file(mpi_job *job, const sort_file *file, failure *why)
{
    return mpi_output_write(job, &file->output, file->out.data, file->input.count,
                            file->input.first, why);
}

static int sort_pieces_of_ranks(mpi_job *job, sort_files *files, const sort_command *command,
                                failure *why)
{
    const bool with_values = command->values != NULL;
    int status = open_sort_files(job, files, command, why);
    if (status == STATUS_DONE)
        status = read_file(job, &files->keys, command->argsort, why);
    if (status == STATUS_DONE && with_values)
        status = read_file(job, &files->values, false, why);
    if (status == STATUS_DONE)
        status = compute_mpi_sort(job, files, command, why);
    if (status == STATUS_DONE)
        status = write_file(job, &files->keys, why);
    if (status == STATUS_DONE && with_values)
        status = write_file(job, &files->values, why);
    if (status != STATUS_DONE)
        return status;
    mpi_output *const outputs[] = {&files->keys.output, &files->values.output};
    return mpi_output_commit(job, outputs, with_values ? 2 : 1, why);
}

static void close_file(sort_file *file)
{
    mpi_output_discard(&file->output);
    mpi_input_close(&file->input);
    array_release(&file->in);
    array_release(&file->out);
}

static int run_mpi_sort(mpi_job *job, void *user, failure *why)
{
    const sort_command *const command = user;
    const bool values = command->values != NULL;
    sort_files files = {0};
    int status = mpi_check_paths(job, why);
    if (status == STATUS_DONE && values != (command->values_output != NULL)) {
        fail(why, "%s needs %s", values ? "--values" : "--values-output",
             values ? "--values-output FILE" : "--values FILE");
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE && values && command->argsort) {
        fail(why, "--argsort and --values exclude each other");
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE)
        status = sort_pieces_of_ranks(job, &files, command, why);
    close_file(&files.keys);
    close_file(&files.values);
    return status;
}

int mpi_command_sort(int argc, char **argv)
{
    sort_command command = {.options = PARSCAN_SORT_OPTIONS(0)};
    usage spec = {.command = "sort",
                  .help = help,
                  .options = option_list,
                  .short_options = COMMON_SHORT_OPTIONS,
                  .take = take_mpi_sort_option,
                  .user = &command};
    return mpi_command(&spec, &command.common, run_mpi_sort, argc, argv);
}
