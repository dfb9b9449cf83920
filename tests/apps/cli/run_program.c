#define _GNU_SOURCE
#include "tests/apps/cli/run_program.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <criterion/criterion.h>

static char folder[64];  /* where the test works */
static char streams[64]; /* where the standard files of the program are */

/* Every blob is on a list and freed with the folder; its bytes follow the link. */
typedef struct blob_link {
    struct blob_link *next;
    char bytes[];
} blob_link;

static blob_link *blobs;

blob new_blob(size_t size)
{
    blob_link *const made = calloc(1, sizeof *made + size + 1);
    cr_assert_not_null(made);
    made->next = blobs;
    blobs = made;
    return (blob){made->bytes, size};
}

static void free_blobs(void)
{
    while (blobs != NULL) {
        blob_link *const next = blobs->next;
        free(blobs);
        blobs = next;
    }
}

void enter_folder(void)
{
    strcpy(folder, "/tmp/parscan-test-XXXXXX");
    strcpy(streams, "/tmp/parscan-test-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL && mkdtemp(streams) != NULL && chdir(folder) == 0);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

void leave_folder(void)
{
    cr_assert(chdir("/") == 0);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    nftw(streams, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free_blobs();
}

blob text_blob(const char *text)
{
    blob made = new_blob(strlen(text));
    memcpy(made.bytes, text, made.size);
    return made;
}

void write_file(const char *name, blob content)
{
    FILE *const file = fopen(name, "wb");
    cr_assert_not_null(file, "%s", name);
    cr_assert_eq(fwrite(content.bytes, 1, content.size, file), content.size);
    cr_assert_eq(fclose(file), 0);
}

blob read_file(const char *name)
{
    FILE *const file = fopen(name, "rb");
    cr_assert_not_null(file, "%s", name);
    struct stat status;
    cr_assert_eq(fstat(fileno(file), &status), 0);
    blob content = new_blob((size_t)status.st_size);
    cr_assert_eq(fread(content.bytes, 1, content.size, file), content.size);
    fclose(file);
    return content;
}

bool same_bytes(blob a, blob b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

blob gzip_blob(blob content)
{
    z_stream stream = {0};
    cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    blob packed = new_blob(deflateBound(&stream, content.size));
    stream.next_in = (Bytef *)content.bytes;
    stream.avail_in = (uInt)content.size;
    stream.next_out = (Bytef *)packed.bytes;
    stream.avail_out = (uInt)packed.size;
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.size = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

bool has_unnamed_files(void)
{
    const int fd = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const bool linked = linkat(AT_FDCWD, path, AT_FDCWD, "probe", AT_SYMLINK_FOLLOW) == 0;
    if (linked)
        unlink("probe");
    close(fd);
    return linked;
}

int count_files(void)
{
    DIR *const listing = opendir(".");
    cr_assert_not_null(listing);
    int count = -2; /* . and .. */
    while (readdir(listing) != NULL)
        count++;
    closedir(listing);
    return count;
}

blob npy_blob(int major, const char *dictionary, const void *elements, size_t size)
{
    const size_t prefix = major == 1 ? 10 : 12, length = strlen(dictionary);
    blob made = new_blob(prefix + length + size);
    memcpy(made.bytes, "\x93NUMPY", 6);
    made.bytes[6] = (char)major;
    made.bytes[8] = (char)(length & 255);
    made.bytes[9] = (char)(length >> 8);
    memcpy(made.bytes + prefix, dictionary, length);
    memcpy(made.bytes + prefix + length, elements, size);
    return made;
}

const char *program_path(void)
{
    const char *const path = getenv("PARSCAN_PROGRAM");
    return path != NULL ? path : PARSCAN_PROGRAM;
}

const char *data_path(const char *name)
{
    const char *const given = getenv("PARSCAN_DATA");
    const char *const place = given != NULL ? given : PARSCAN_DATA;
    const blob path = new_blob(strlen(place) + 1 + strlen(name));
    snprintf(path.bytes, path.size + 1, "%s/%s", place, name);
    return path.bytes;
}

static void put_file(int fd, const char *path, int flags)
{
    const int opened = open(path, flags, 0600);
    if (opened < 0 || dup2(opened, fd) < 0)
        _exit(126);
    close(opened);
}

static void become_program(const char *in, const char *out, const char *err,
                           const char *const *arguments)
{
    put_file(0, in, O_RDONLY);
    put_file(1, out, O_WRONLY | O_CREAT);
    put_file(2, err, O_WRONLY | O_CREAT | O_TRUNC);
    size_t count = 0;
    while (arguments[count] != NULL)
        count++;
    char **const list = calloc(count + 2, sizeof *list);
    if (list == NULL)
        _exit(126);
    list[0] = "parscan";
    memcpy(list + 1, arguments, count * sizeof *list);
    execv(program_path(), list);
    _exit(127);
}

program_run run_to(const char *path, blob input, const char *const *arguments)
{
    char in[96], err[96];
    snprintf(in, sizeof in, "%s/in", streams);
    snprintf(err, sizeof err, "%s/err", streams);
    write_file(in, input);
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0)
        become_program(in, path, err, arguments);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return (program_run){WIFEXITED(status) ? WEXITSTATUS(status) : -1, {NULL, 0}, read_file(err)};
}

/* The most memory that a run of the program had, in KiB. */
static long peak_of(const char *const *arguments)
{
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0)
        become_program("/dev/null", "/dev/null", "/dev/null", arguments);
    int status;
    struct rusage used;
    cr_assert_eq(wait4(child, &status, 0, &used), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", arguments[0]);
    return used.ru_maxrss;
}

long most_memory(const char *const *arguments)
{
    const char *const empty[] = {"scan", "--backend", "cpu", NULL};
    return peak_of(arguments) - peak_of(empty);
}

int run_shell(const char *line)
{
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        execl("/bin/sh", "sh", "-c", line, program_path(), (char *)NULL);
        _exit(127);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void expect_shell(const char *line)
{
    const int status = run_shell(line);
    cr_assert_eq(status, 0, "status %d of: %s", status, line);
}

program_run run_arguments(blob input, const char *const *arguments)
{
    char out[96];
    snprintf(out, sizeof out, "%s/out", streams);
    remove(out);
    program_run run = run_to(out, input, arguments);
    run.out = read_file(out);
    return run;
}

void expect_done(program_run run)
{
    cr_assert_eq(run.status, 0, "exit status %d: %s", run.status, run.err.bytes);
    cr_assert_eq(run.err.size, 0, "standard error: %s", run.err.bytes);
}

void expect_output(program_run run, const char *output)
{
    expect_done(run);
    cr_assert_str_eq(run.out.bytes, output);
}

static void expect_words(program_run run, int status, const char *words)
{
    const char *const line = run.err.bytes;
    cr_assert_eq(run.status, status, "exit status %d: %s", run.status, line);
    cr_assert_eq(run.out.size, 0, "standard output: %s", run.out.bytes);
    cr_assert(strncmp(line, "parscan: ", 9) == 0, "%s", line);
    cr_assert(strchr(line, '\n') == line + run.err.size - 1, "not one line: %s", line);
    cr_assert_not_null(strstr(line, words), "'%s' is not in: %s", words, line);
}

void expect_failure(program_run run, const char *words)
{
    expect_words(run, 1, words);
}

void expect_usage(program_run run, const char *words)
{
    expect_words(run, 2, words);
    cr_assert_not_null(strstr(run.err.bytes, "--help"), "no hint: %s", run.err.bytes);
}

void expect_content(const char *name, const char *text)
{
    cr_assert_str_eq(read_file(name).bytes, text);
}

bool choose_draft(int named)
{
    cr_assert_eq(
        named == 1 ? setenv("PARSCAN_NAMED_DRAFTS", "1", 1) : unsetenv("PARSCAN_NAMED_DRAFTS"), 0);
    return named < 2;
}
