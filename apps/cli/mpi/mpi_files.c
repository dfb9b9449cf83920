#define _POSIX_C_SOURCE 200809L
#include "apps/cli/mpi/mpi_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/npy_header.h"

/* One call reads or writes no more, so that the progress is seen. */
enum { PART_BYTES = 32 * 1024 * 1024 };

/* Why no place of the file is a part's beginning. */
static bool fail_place(const mpi_input *input, failure *why)
{
    struct stat status;
    unsigned char head[2] = {0};
    if (input->format == FORMAT_TEXT)
        return fail(why, "%s: text cannot be read in parts: raw and npy files only", input->path);
    const int fd = open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool regular = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    const bool read = regular && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head;
    if (fd >= 0)
        close(fd);
    if (!regular)
        return fail(why, "%s: not a regular file: it cannot be read in parts", input->path);
    if (read && head[0] == 0x1f && head[1] == 0x8b)
        return fail(why, "%s: a gzip file cannot be read in parts", input->path);
    if (input->format == FORMAT_NPY)
        return fail(why, "%s: the npy data are not as long as the header says", input->path);
    return fail(why, "%s: %lld bytes are not a whole number of %s elements of %zu bytes",
                input->path, (long long)status.st_size, parscan_type_name(input->type),
                parscan_type_size(input->type));
}

static bool open_input(mpi_input *input, file_format format, parscan_type type, failure *why)
{
    const input_request request = {.path = input->path,
                                   .format = format,
                                   .otherwise = FORMAT_RAW,
                                   .type = type,
                                   .threads = 1,
                                   .progress = &input->not_shown};
    input->reader = input_open(&request, why);
    if (input->reader == NULL)
        return false;
    input->format = input_format(input->reader);
    input->type = input_type(input->reader);
    return input_place(input->reader, &input->fd, &input->at, &input->n) || fail_place(input, why);
}

/* Machines may have different files of one name. */
static int check_same(const mpi_job *job, const mpi_input *input, failure *why)
{
    uint64_t first[3] = {input->n, input->at, (uint64_t)input->type}, mine[3];
    memcpy(mine, first, sizeof mine);
    MPI_Bcast(first, 3, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    int status = STATUS_DONE;
    if (memcmp(first, mine, sizeof mine) != 0) {
        fail(why,
             "%s: the file of rank %d is not that of rank 0: %" PRIu64 " elements, not %" PRIu64,
             input->path, job->rank, mine[0], first[0]);
        status = STATUS_FAILED;
    }
    return mpi_agree(job, status, why);
}

int mpi_input_open(const mpi_job *job, mpi_input *input, const char *path, file_format format,
                   parscan_type type, failure *why)
{
    *input = (mpi_input){.path = path, .fd = -1};
    const bool opened = open_input(input, format, type, why);
    int status = mpi_agree(job, opened ? STATUS_DONE : STATUS_FAILED, why);
    if (status == STATUS_DONE)
        status = check_same(job, input, why);
    if (status != STATUS_DONE)
        return status;
    input->first = mpi_first(job, input->n, job->rank);
    input->count = (size_t)(mpi_first(job, input->n, job->rank + 1) - input->first);
    input->at += input->first * parscan_type_size(input->type);
    return STATUS_DONE;
}

/* Reads bytes [0, size) of this rank's part. */
static bool read_part(mpi_job *job, const mpi_input *input, char *to, size_t size, failure *why)
{
    progress_begin(&job->progress, "reading", size);
    for (size_t done = 0; done < size;) {
        const size_t part = size - done < PART_BYTES ? size - done : PART_BYTES;
        const ssize_t got = pread(input->fd, to + done, part, (off_t)(input->at + done));
        if (got == 0)
            return fail(why, "%s: the file has become shorter", input->path);
        if (got < 0 && errno != EINTR)
            return fail(why, "%s: %s", input->path, strerror(errno));
        done += got > 0 ? (size_t)got : 0;
        progress_update(&job->progress, done);
    }
    return true;
}

int mpi_input_read(mpi_job *job, mpi_input *input, array *elements, failure *why)
{
    *elements = (array){.type = input->type};
    bool done = array_reserve(elements, input->count);
    if (!done) {
        fail_out_of_memory(why);
        fail_in(why, input->path);
    }
    done = done && read_part(job, input, elements->data,
                             input->count * parscan_type_size(input->type), why);
    elements->n = done ? input->count : 0;
    return mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
}

void mpi_input_close(mpi_input *input)
{
    input_close(input->reader);
    input->reader = NULL;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

int mpi_output_format(const mpi_job *job, const char *path, const mpi_input *input,
                      file_format *format, failure *why)
{
    *format = job->options->output_format;
    if (*format == FORMAT_UNKNOWN)
        *format = ends_in(path, ".npy") ? FORMAT_NPY : input->format;
    if (*format != FORMAT_TEXT && !ends_in(path, ".gz") &&
        (job->options->output_format != FORMAT_UNKNOWN || !ends_in(path, ".txt")))
        return STATUS_DONE;
    fail(why, "%s: text and gzip files cannot be written in parts: raw and npy files only", path);
    return STATUS_USAGE;
}

/* Rank 0 makes the file, with its length, and what comes before the elements. */
static bool make_draft(mpi_output *output, parscan_type type, uint64_t n, failure *why)
{
    if (!output_file_open_named(&output->file, output->path, why))
        return false;
    output->fd = output->file.fd;
    if (output_file_is_direct(&output->file))
        return fail(why, "%s: not a regular file: it cannot be written in parts", output->path);
    char header[NPY_WRITTEN_SIZE];
    npy_header_write(type, (size_t)n, header);
    if (ftruncate(output->fd, (off_t)(output->header + n * output->element)) == 0 &&
        pwrite(output->fd, header, output->header, 0) == (ssize_t)output->header)
        return true;
    return fail(why, "%s: %s", output->path, strerror(errno));
}

static bool open_draft(mpi_output *output, const char *draft, failure *why)
{
    output->fd = open(draft, O_WRONLY | O_CLOEXEC);
    return output->fd >= 0 || fail(why, "%s: %s: %s", output->path, draft, strerror(errno));
}

int mpi_output_open(const mpi_job *job, mpi_output *output, const char *path, file_format format,
                    parscan_type type, uint64_t n, failure *why)
{
    char draft[PATH_MAX] = "";
    *output = (mpi_output){.path = path,
                           .file = {.fd = -1},
                           .fd = -1,
                           .header = format == FORMAT_NPY ? NPY_WRITTEN_SIZE : 0,
                           .element = parscan_type_size(type)};
    bool done = job->rank != 0 || make_draft(output, type, n, why);
    const int status = mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
    if (status != STATUS_DONE)
        return status;
    if (job->rank == 0) /* the guard of drafts has refused longer names */
        strncpy(draft, output->file.draft, sizeof draft - 1);
    MPI_Bcast(draft, sizeof draft, MPI_CHAR, 0, MPI_COMM_WORLD);
    done = job->rank == 0 || open_draft(output, draft, why);
    return mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
}

static bool write_part(mpi_job *job, const mpi_output *output, const char *from, size_t size,
                       uint64_t at, failure *why)
{
    progress_begin(&job->progress, "writing", size);
    for (size_t done = 0; done < size;) {
        const size_t part = size - done < PART_BYTES ? size - done : PART_BYTES;
        const ssize_t put = pwrite(output->fd, from + done, part, (off_t)(at + done));
        if (put < 0 && errno != EINTR)
            return fail(why, "%s: %s", output->path, strerror(errno));
        done += put > 0 ? (size_t)put : 0;
        progress_update(&job->progress, done);
    }
    return true;
}

int mpi_output_write(mpi_job *job, const mpi_output *output, const void *elements, size_t count,
                     uint64_t first, failure *why)
{
    const bool done = write_part(job, output, elements, count * output->element,
                                 output->header + first * output->element, why);
    return mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
}

/* Takes the errors that closing the file may tell. */
static bool complete(const mpi_job *job, mpi_output *output, failure *why)
{
    if (job->rank == 0)
        return output_file_complete(&output->file, output->path, why);
    const int fd = output->fd;
    output->fd = -1;
    return close(fd) == 0 || fail(why, "%s: %s", output->path, strerror(errno));
}

int mpi_output_commit(const mpi_job *job, mpi_output *const *outputs, int count, failure *why)
{
    bool done = true;
    for (int i = 0; i < count && done; i++)
        done = complete(job, outputs[i], why);
    const int status = mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
    if (status != STATUS_DONE)
        return status;
    for (int i = 0; i < count && done && job->rank == 0; i++)
        done = output_file_commit(&outputs[i]->file, outputs[i]->path, why);
    return mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
}

/* On rank 0 the descriptor is the file's. */
void mpi_output_discard(mpi_output *output)
{
    if (output->path == NULL)
        return;
    if (output->file.place == NULL && output->fd >= 0)
        close(output->fd);
    else
        output_file_discard(&output->file);
    output->fd = -1;
}
