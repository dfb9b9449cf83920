#define _POSIX_C_SOURCE 200809L
#include "apps/cli/draft_guard.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static const char *volatile guarded;
static struct sigaction before[SIGNALS];

static void remove_and_end(int signal)
{
    const char *const path = guarded;
    if (path != NULL)
        unlink(path);
    /* The handler is gone after one signal: this ends the program as the signal would have. */
    raise(signal);
}

void draft_guard_begin(const char *path)
{
    guarded = path;
    struct sigaction action = {.sa_handler = remove_and_end, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void draft_guard_end(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    guarded = NULL;
}
