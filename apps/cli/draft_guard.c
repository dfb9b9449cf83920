#define _POSIX_C_SOURCE 200809L
#include "apps/cli/draft_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* GUARDING, or CREATING: whether the file is there, and whose it is, is not known yet, and a signal
   (any thread may get it) leaves its number here to be raised again when it is. */
enum { GUARDING = 0, CREATING = -1 };
static atomic_int state;

static const char *volatile guarded[MOST_DRAFTS];
static struct sigaction before[SIGNALS];

static void remove_and_end(int signal)
{
    int creating = CREATING;
    if (atomic_compare_exchange_strong(&state, &creating, signal))
        return;
    for (int i = 0; i < MOST_DRAFTS; i++) {
        const char *const path = guarded[i];
        if (path != NULL)
            unlink(path);
    }
    /* The handler is gone after one signal: this ends the program as the signal would have. */
    raise(signal);
}

/* The place of that string; of NULL: a free one. MOST_DRAFTS when there is none. */
static int find(const char *path)
{
    int i = 0;
    while (i < MOST_DRAFTS && guarded[i] != path)
        i++;
    return i;
}

static bool is_guarding(void)
{
    for (int i = 0; i < MOST_DRAFTS; i++)
        if (guarded[i] != NULL)
            return true;
    return false;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = remove_and_end, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static void release_signals(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}

int draft_guard_create(const char *path)
{
    const int place = find(NULL);
    if (place == MOST_DRAFTS) {
        errno = EMFILE;
        return -1;
    }
    atomic_store(&state, CREATING);
    if (!is_guarding())
        catch_signals();
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int error = errno;
    guarded[place] = fd >= 0 ? path : NULL;
    const int signal = atomic_exchange(&state, GUARDING);
    if (signal != CREATING)
        remove_and_end(signal);
    if (!is_guarding())
        release_signals();
    errno = error;
    return fd;
}

void draft_guard_end(const char *path)
{
    const int place = find(path);
    if (place == MOST_DRAFTS)
        return;
    guarded[place] = NULL;
    if (!is_guarding())
        release_signals();
}
