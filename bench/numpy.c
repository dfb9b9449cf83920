/* The process of NumPy and its protocol: a line is sent, a line is answered; arrays are in
   shared memory. */
#include "numpy.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The largest array. For larger ones, three more copies would have to fit in memory beside the
   other arrays. */
#define MOST_BYTES ((size_t)1 << 30)

enum { SHARED_DESCRIPTOR = 3, LINE = 256 };

/* One process serves all groups of a benchmark. */
static struct {
    enum { NOT_TRIED, RUNNING, MISSING } state;
    pid_t pid;
    FILE *to, *from;
    int shared;
    char version[LINE];
} process;

static pid_t spawn_python(int in, int out, int shared)
{
    const char *const chosen = getenv("PARSCAN_BENCH_PYTHON");
    char *const words[] = {(char *)(chosen != NULL ? chosen : "python3"), BENCH_NUMPY_SCRIPT, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, shared, SHARED_DESCRIPTOR);
    if (posix_spawnp(&pid, words[0], &actions, NULL, words, environ) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static bool read_line(char line[LINE])
{
    if (fgets(line, LINE, process.from) == NULL)
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static bool start(void)
{
    int to[2], from[2];
    if (process.state != NOT_TRIED)
        return process.state == RUNNING;
    process.state = MISSING;
    /* All descriptors of the child but 0, 1 and SHARED_DESCRIPTOR are closed when it starts. */
    const int shared = memfd_create("parscan-bench", MFD_CLOEXEC);
    if (shared < 0 || pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return false;
    /* adddup2() keeps MFD_CLOEXEC if both numbers are the same. */
    process.shared = fcntl(shared, F_DUPFD_CLOEXEC, SHARED_DESCRIPTOR + 1);
    signal(SIGPIPE, SIG_IGN); /* a process that has ended must give an error, not end the
                                 benchmark */
    process.pid = spawn_python(to[0], from[1], process.shared);
    close(shared);
    close(to[0]);
    close(from[1]);
    process.to = fdopen(to[1], "w");
    process.from = fdopen(from[0], "r");
    if (process.pid > 0 && read_line(process.version))
        process.state = RUNNING;
    return process.state == RUNNING;
}

const char *bench_numpy_version(void)
{
    return start() ? process.version : "no NumPy";
}

void bench_numpy_stop(void)
{
    if (process.pid > 0) {
        fclose(process.to);
        fclose(process.from);
        waitpid(process.pid, NULL, 0);
        process.pid = 0;
        process.state = NOT_TRIED;
    }
}

/* Sends the line. Returns the number that is answered, or -1. */
static double ask(const char *line)
{
    char answer[LINE];
    fputs(line, process.to);
    if (fflush(process.to) != 0 || !read_line(answer))
        return -1;
    return strtod(answer, NULL);
}

static double call(const bench_numpy_work *w, size_t calls)
{
    char line[LINE];
    snprintf(line, sizeof line, "call %s %zu %" PRIu64 "\n", w->call, calls, w->argument);
    return ask(line);
}

static bool load(const bench_numpy_work *w)
{
    const size_t bytes = w->n * parscan_type_size(w->type);
    if (ftruncate(process.shared, (off_t)bytes) != 0)
        return false;
    void *const shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, process.shared, 0);
    if (shared == MAP_FAILED)
        return false;
    memcpy(shared, w->in, bytes);
    munmap(shared, bytes);
    char line[LINE];
    snprintf(line, sizeof line, "load %s %zu\n", parscan_type_name(w->type), w->n);
    return ask(line) >= 0;
}

/* Fetches the last call's result. The process answers with its bytes, after its elements. */
static bool fetch(bench_numpy_work *w)
{
    char answer[LINE];
    size_t bytes;
    fputs("fetch\n", process.to);
    if (fflush(process.to) != 0 || !read_line(answer) ||
        sscanf(answer, "%" SCNu64 " %zu", &w->count, &bytes) != 2)
        return false;
    if (bytes == 0)
        return true;
    const void *const shared = mmap(NULL, bytes, PROT_READ, MAP_SHARED, process.shared, 0);
    if (shared == MAP_FAILED)
        return false;
    memcpy(w->out, shared, bytes);
    munmap((void *)shared, bytes);
    return true;
}

static void run_numpy(void *context)
{
    call(context, 1);
}

static double time_numpy(void *context, size_t calls)
{
    bench_numpy_work *const w = context;
    const double seconds = call(w, calls);
    if (!(seconds > 0))
        w->failure = "NumPy's process failed";
    return seconds;
}

static bool verify_numpy(void *context)
{
    bench_numpy_work *const w = context;
    w->failure = NULL;
    if (w->n * parscan_type_size(w->type) > MOST_BYTES) {
        ask("drop\n"); /* frees the last group's arrays before this group's largest arrays are
                          allocated */
        w->failure = "left out: no memory for NumPy's copies";
    } else if (!load(w) || !(call(w, 1) > 0) || !fetch(w))
        w->failure = "NumPy's process failed";
    return w->failure == NULL && w->check(w->user);
}

static const char *failure_of_numpy(void *context)
{
    return ((bench_numpy_work *)context)->failure;
}

void bench_add_numpy(bench_group *group, const char *work_name, double bytes,
                     bench_numpy_work *work)
{
    bench_add(group, (bench_case){.name = "numpy",
                                  .work = work_name,
                                  .run = start() ? run_numpy : NULL,
                                  .verify = verify_numpy,
                                  .context = work,
                                  .bytes = bytes,
                                  .role = BENCH_PEER,
                                  .pool = BENCH_POOL_PROCESS,
                                  .time = time_numpy,
                                  .failure = failure_of_numpy});
}
