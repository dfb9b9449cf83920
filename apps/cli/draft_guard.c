#define _GNU_SOURCE
#include "apps/cli/draft_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/descriptor_path.h"

/* The signals that do not end a program by default, and those that nobody can catch. */
static const int harmless[] = {SIGCHLD, SIGCONT, SIGURG,  SIGWINCH, SIGTSTP,
                               SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL};

/* CREATING: it is not yet known whether a file is there. A signal that arrives then, in any thread,
   is stored here and raised again when it is known. */
enum { GUARDING = 0, CREATING = -1 };
static atomic_int state;

/* Paths are copied, so that a handler in another thread never reads one that has been freed. */
static char paths[MOST_DRAFTS][PATH_MAX];
static atomic_bool guarded[MOST_DRAFTS];

static struct sigaction before[NSIG];
static bool caught[NSIG];

void draft_guard_remove(void)
{
    for (int i = 0; i < MOST_DRAFTS; i++)
        if (guarded[i])
            unlink(paths[i]);
}

static void remove_and_end(int signal)
{
    int found = CREATING;
    if (atomic_compare_exchange_strong(&state, &found, signal) || found != GUARDING)
        return;
    draft_guard_remove();
    /* The signal has its default action again (SA_RESETHAND), and ends the program. */
    raise(signal);
}

static bool is_guarding(void)
{
    for (int i = 0; i < MOST_DRAFTS; i++)
        if (guarded[i])
            return true;
    return false;
}

static bool ends_program(int signal)
{
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (harmless[i] == signal)
            return false;
    /* Not if it is ignored, has another handler, or is reserved by the C library. */
    return sigaction(signal, NULL, &before[signal]) == 0 &&
           (before[signal].sa_flags & SA_SIGINFO) == 0 && before[signal].sa_handler == SIG_DFL;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = remove_and_end,
                               .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    sigemptyset(&action.sa_mask);
    for (int signal = 1; signal < NSIG; signal++)
        caught[signal] = ends_program(signal) && sigaction(signal, &action, NULL) == 0;
}

static void release_signals(void)
{
    for (int signal = 1; signal < NSIG; signal++)
        if (caught[signal])
            sigaction(signal, &before[signal], NULL);
}

/* Before a file is made: takes a place for its path. -1 and errno when there is none. */
static int begin_draft(const char *path)
{
    int place = 0;
    while (place < MOST_DRAFTS && guarded[place])
        place++;
    if (place == MOST_DRAFTS || strlen(path) >= PATH_MAX) {
        errno = place == MOST_DRAFTS ? EMFILE : ENAMETOOLONG;
        return -1;
    }
    strcpy(paths[place], path);
    atomic_store(&state, CREATING);
    if (!is_guarding())
        catch_signals();
    return place;
}

/* After that: made tells whether the file is there. errno does not change. */
static void settle(int place, bool made)
{
    const int error = errno;
    guarded[place] = made;
    const int signal = atomic_exchange(&state, GUARDING);
    if (signal != CREATING)
        remove_and_end(signal);
    if (!is_guarding())
        release_signals();
    errno = error;
}

int draft_guard_create(const char *path)
{
    const int place = begin_draft(path);
    if (place < 0)
        return -1;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    settle(place, fd >= 0);
    return fd;
}

bool draft_guard_link(int fd, const char *path)
{
    const int place = begin_draft(path);
    if (place < 0)
        return false;
    const bool made = link_descriptor(fd, path);
    settle(place, made);
    return made;
}

bool draft_guard_join(const char *path)
{
    const int place = begin_draft(path);
    if (place >= 0)
        settle(place, true);
    return place >= 0;
}

void draft_guard_end(const char *path)
{
    int place = 0;
    while (place < MOST_DRAFTS && !(guarded[place] && strcmp(paths[place], path) == 0))
        place++;
    if (place == MOST_DRAFTS)
        return;
    guarded[place] = false;
    if (!is_guarding())
        release_signals();
}
