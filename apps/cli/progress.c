#define _POSIX_C_SOURCE 200809L
#include "apps/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double long_work = 1.0; /* seconds */
static const double redraw = 0.1;
enum { BAR_WIDTH = 40 };

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_init(progress *bar, bool quiet)
{
    memset(bar, 0, sizeof *bar);
    bar->quiet = quiet;
    bar->enabled = !quiet && isatty(STDERR_FILENO) == 1;
    bar->next = seconds_now() + long_work;
}

void progress_begin(progress *bar, const char *work, uint64_t total)
{
    bar->work = work;
    bar->total = total;
}

static void draw_progress(const struct progress *bar, uint64_t done)
{
    if (bar->total == 0) {
        fprintf(stderr, "\r\033[K%s: %" PRIu64 " MB", bar->work, done / 1000000);
        return;
    }
    const double part = done < bar->total ? (double)done / (double)bar->total : 1;
    const int filled = (int)(part * BAR_WIDTH);
    fprintf(stderr, "\r\033[K%s: [%.*s%*s] %3.0f%%", bar->work, filled,
            "########################################", BAR_WIDTH - filled, "", 100 * part);
}

void progress_update(progress *bar, uint64_t done)
{
    if (!bar->enabled)
        return;
    const double now = seconds_now();
    if (now < bar->next)
        return;
    draw_progress(bar, done);
    fflush(stderr);
    bar->visible = true;
    bar->next = now + redraw;
}

void progress_end(progress *bar)
{
    if (bar->visible)
        fputs("\r\033[K", stderr);
    bar->visible = false;
}
