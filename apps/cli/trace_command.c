/* parscan trace: the array after each step of a scan algorithm. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/network_svg.h"
#include "apps/cli/output_file.h"
#include "apps/cli/shortest_float.h"
#include "apps/cli/trace_options.h"
#include "apps/cli/trace_scan.h"
#include "apps/cli/trace_text.h"

/* Writes the picture to an open file, which stays open. */
static bool write_picture(const trace_record *record, int fd, const char *path, failure *why)
{
    const int own = dup(fd);
    FILE *const stream = own < 0 ? NULL : fdopen(own, "w");
    if (stream == NULL) {
        fail(why, "%s: %s", path, strerror(errno));
        if (own >= 0)
            close(own);
        return false;
    }
    const bool drawn = network_svg_write(record, stream);
    errno = EIO; /* the reason of a write that failed earlier is lost */
    const bool failed = ferror(stream) != 0;
    const bool closed = fclose(stream) == 0;
    if (!drawn)
        return fail_out_of_memory(why);
    return (closed && !failed) || fail(why, "%s: %s", path, strerror(errno));
}

static bool save_picture(const trace_record *record, const char *path, failure *why)
{
    output_file file;
    if (!output_file_open(&file, path, why))
        return false;
    if (write_picture(record, file.fd, path, why))
        return output_file_commit(&file, path, why);
    output_file_discard(&file);
    return false;
}

/* Standard output is flushed and checked by main(). */
static bool show(const trace_record *record, const char *svg, failure *why)
{
    if (svg != NULL && strcmp(svg, "-") == 0)
        return network_svg_write(record, stdout) || fail_out_of_memory(why);
    if (svg != NULL && !save_picture(record, svg, why))
        return false;
    trace_write_text(record, stdout);
    return true;
}

int command_trace(int argc, char **argv)
{
    trace_options options;
    int status;
    if (!trace_options_read(&options, argc, argv, &status)) {
        free(options.values);
        return status;
    }
    shortest_decimal_prepare();
    trace_record record = {.type = options.type,
                           .op = options.op,
                           .shape = options.shape,
                           .n = options.n,
                           .exclusive = options.exclusive};
    failure why;
    const bool traced = trace_scan(&record, options.values) || fail_out_of_memory(&why);
    const bool done = traced && show(&record, options.svg, &why);
    if (!done)
        failure_print(&why);
    trace_record_free(&record);
    free(options.values);
    return done ? STATUS_DONE : STATUS_FAILED;
}
