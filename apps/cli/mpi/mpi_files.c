#define _XOPEN_SOURCE 700 /* realpath */
#include "apps/cli/mpi/mpi_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/draft_guard.h"
#include "apps/cli/mpi/mpi_talk.h"
#include "apps/cli/npy_header.h"

/* One call reads or writes no more, so that the progress is seen, and signs of life are given. */
enum { PART_BYTES = 8 * 1024 * 1024 };

/* Why no place of the file is a part's start. */
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
                                   .is_mask = &input->is_mask,
                                   .progress = &input->not_shown};
    input->reader = input_open(&request, why);
    if (input->reader == NULL)
        return false;
    input->format = input_format(input->reader);
    input->type = input_type(input->reader);
    return input_place(input->reader, &input->fd, &input->at, &input->n) || fail_place(input, why);
}

/* What must be the same on all ranks. */
typedef struct file_facts {
    uint64_t n, at, type;
} file_facts;

/* Machines may have different files of one name. */
static int check_same(const mpi_job *job, const mpi_input *input, failure *why)
{
    const file_facts mine = {input->n, input->at, (uint64_t)input->type};
    file_facts first = mine;
    mpi_tell(job, &first, sizeof first);
    if (memcmp(&first, &mine, sizeof mine) == 0)
        return mpi_agree(job, STATUS_DONE, why);
    const mpi_host host = mpi_this_host();
    fail(why,
         "%s: the file of rank %d (%s) is not that of rank 0: %" PRIu64 " %s elements from byte "
         "%" PRIu64 ", not %" PRIu64 " %s elements from byte %" PRIu64,
         input->path, job->rank, host.name, mine.n, parscan_type_name(input->type), mine.at,
         first.n, parscan_type_name((parscan_type)first.type), first.at);
    return mpi_agree(job, STATUS_FAILED, why);
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
        mpi_alive(job);
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
    input_convert(input->reader, elements, 0);
    return mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
}

void mpi_input_close(mpi_input *input)
{
    input_close(input->reader);
    input->reader = NULL;
}

bool mpi_ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

int mpi_output_format(const mpi_job *job, const char *path, const mpi_input *input,
                      file_format *format, failure *why)
{
    *format = job->options->output_format;
    if (*format == FORMAT_UNKNOWN)
        *format = mpi_ends_in(path, ".npy") ? FORMAT_NPY : input->format;
    if (*format != FORMAT_TEXT && !mpi_ends_in(path, ".gz") &&
        (job->options->output_format != FORMAT_UNKNOWN || !mpi_ends_in(path, ".txt")))
        return STATUS_DONE;
    fail(why, "%s: text and gzip files cannot be written in parts: raw and npy files only", path);
    return STATUS_USAGE;
}

/* Rank 0 makes the file. */
static bool make_draft(mpi_output *output, failure *why)
{
    if (!output_file_open(&output->file, output->path, why))
        return false;
    output->fd = output->file.fd;
    return !output_file_is_direct(&output->file) ||
           fail(why, "%s: not a regular file: it cannot be written in parts", output->path);
}

/* Its length, and what comes before the elements: when all ranks can remove the file. */
static bool begin_draft(const mpi_output *output, parscan_type type, uint64_t n, failure *why)
{
    char header[NPY_WRITTEN_SIZE];
    const npy_shape shape = npy_list(n);
    npy_header_write(type, &shape, header);
    if (ftruncate(output->fd, (off_t)(output->header + n * output->element)) == 0 &&
        pwrite(output->fd, header, output->header, 0) == (ssize_t)output->header)
        return true;
    return fail(why, "%s: %s", output->path, strerror(errno));
}

/* What rank 0 tells of its draft. */
typedef struct draft_place {
    mpi_host host;
    long process;
    int fd;
    uint64_t device, inode;
    char name[PATH_MAX];   /* "": it has none */
    char folder[PATH_MAX]; /* for messages */
} draft_place;

/* The folder that a path is in, without links if it is found. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *const slash = strrchr(path, '/');
    char given[PATH_MAX];
    snprintf(given, sizeof given, "%.*s", slash == NULL ? 0 : (int)(slash - path) + 1, path);
    if (realpath(slash == NULL ? "." : given, folder) == NULL)
        memcpy(folder, given, sizeof given);
}

static draft_place draft_place_of(const mpi_output *output)
{
    struct stat status;
    draft_place place;
    memset(&place, 0, sizeof place);
    place.host = mpi_this_host();
    place.process = (long)getpid();
    place.fd = output->fd;
    if (fstat(output->fd, &status) == 0) {
        place.device = (uint64_t)status.st_dev;
        place.inode = (uint64_t)status.st_ino;
    }
    if (output->file.draft != NULL) { /* the guard of drafts has refused longer names */
        strncpy(place.name, output->file.draft, sizeof place.name - 1);
        folder_of(place.name, place.folder);
    }
    return place;
}

/* A draft without a name is that of an open descriptor of rank 0: on the same machine other processes
   can open it. */
static bool open_unnamed_draft(mpi_output *output, const draft_place *place)
{
    char path[64];
    struct stat status;
    const mpi_host host = mpi_this_host();
    if (strcmp(host.name, place->host.name) != 0)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", place->process, place->fd);
    output->fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool same = output->fd >= 0 && fstat(output->fd, &status) == 0 &&
                      (uint64_t)status.st_dev == place->device &&
                      (uint64_t)status.st_ino == place->inode;
    if (!same && output->fd >= 0) {
        close(output->fd);
        output->fd = -1;
    }
    return same;
}

/* A guard on every rank: if one is killed, the others remove the draft when mpirun ends them. */
static bool open_named_draft(const mpi_job *job, mpi_output *output, const draft_place *place,
                             failure *why)
{
    const mpi_host host = mpi_this_host();
    output->fd = open(place->name, O_WRONLY | O_CLOEXEC);
    if (output->fd < 0)
        return fail(
            why,
            "%s: rank %d (%s) does not see the file that rank 0 (%s) writes in the folder %s: "
            "%s",
            output->path, job->rank, host.name, place->host.name, place->folder, strerror(errno));
    output->joined = strdup(place->name);
    if (output->joined == NULL || !draft_guard_join(place->name))
        return fail(why, "%s: %s", output->path, strerror(errno));
    return true;
}

/* The draft gets a name if there is a rank that cannot open it without one. */
static int open_without_name(const mpi_job *job, mpi_output *output, draft_place *place,
                             failure *why)
{
    fail(why, "the draft needs a name");
    const bool opened = job->rank == 0 || open_unnamed_draft(output, place);
    if (mpi_agree(job, opened ? STATUS_DONE : STATUS_FAILED, why) == STATUS_DONE)
        return STATUS_DONE;
    if (job->rank != 0 && output->fd >= 0)
        close(output->fd);
    output->fd = job->rank == 0 ? output->file.fd : -1;
    const bool named = job->rank != 0 || output_file_name_draft(&output->file, output->path, why);
    const int status = mpi_agree(job, named ? STATUS_DONE : STATUS_FAILED, why);
    if (status == STATUS_DONE && job->rank == 0)
        *place = draft_place_of(output);
    if (status == STATUS_DONE)
        mpi_tell(job, place, sizeof *place);
    return status;
}

/* By rank 0's descriptor, if all ranks can: then nothing stays, however they end. */
static int open_on_all(const mpi_job *job, mpi_output *output, failure *why)
{
    draft_place place;
    int status = STATUS_DONE;
    if (job->rank == 0)
        place = draft_place_of(output);
    mpi_tell(job, &place, sizeof place);
    if (place.name[0] == '\0')
        status = open_without_name(job, output, &place, why);
    if (status != STATUS_DONE || place.name[0] == '\0')
        return status;
    const bool done = job->rank == 0 || open_named_draft(job, output, &place, why);
    return mpi_agree(job, done ? STATUS_DONE : STATUS_FAILED, why);
}

int mpi_output_open(const mpi_job *job, mpi_output *output, const char *path, file_format format,
                    parscan_type type, uint64_t n, failure *why)
{
    *output = (mpi_output){.path = path,
                           .file = {.fd = -1},
                           .fd = -1,
                           .header = format == FORMAT_NPY ? NPY_WRITTEN_SIZE : 0,
                           .element = parscan_type_size(type)};
    const bool made = job->rank != 0 || make_draft(output, why);
    int status = mpi_agree(job, made ? STATUS_DONE : STATUS_FAILED, why);
    if (status == STATUS_DONE)
        status = open_on_all(job, output, why);
    if (status != STATUS_DONE)
        return status;
    const bool begun = job->rank != 0 || begin_draft(output, type, n, why);
    return mpi_agree(job, begun ? STATUS_DONE : STATUS_FAILED, why);
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
        mpi_alive(job);
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
static bool complete_mpi_output(const mpi_job *job, mpi_output *output, failure *why)
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
        done = complete_mpi_output(job, outputs[i], why);
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
    if (output->joined != NULL)
        draft_guard_end(output->joined);
    free(output->joined);
    output->joined = NULL;
    output->fd = -1;
}
