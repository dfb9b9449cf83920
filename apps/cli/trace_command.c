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
#include "apps/cli/trace_html.h"
#include "apps/cli/trace_options.h"
#include "apps/cli/trace_scan.h"
#include "apps/cli/trace_text.h"

/* Writes a picture or a page. False: memory ran out. */
typedef bool (*document_writer)(const trace_record *record, FILE *stream);

/* Writes the document to an open file, which stays open. */
static bool write_document(const trace_record *record, document_writer writer, int fd,
                           const char *path, failure *why)
{
    const int own = dup(fd);
    FILE *const stream = own < 0 ? NULL : fdopen(own, "w");
    if (stream == NULL) {
        fail(why, "%s: %s", path, strerror(errno));
        if (own >= 0)
            close(own);
        return false;
    }
    errno = 0;
    const bool written = writer(record, stream);
    int reason = ferror(stream) == 0 ? 0 : errno != 0 ? errno : EIO;
    if (fclose(stream) != 0 && reason == 0)
        reason = errno;
    if (!written)
        return fail_out_of_memory(why);
    return reason == 0 || fail(why, "%s: %s", path, strerror(reason));
}

static bool save_document(const trace_record *record, document_writer writer, const char *path,
                          failure *why)
{
    output_file file;
    if (!output_file_open(&file, path, why))
        return false;
    if (write_document(record, writer, file.fd, path, why))
        return output_file_commit(&file, path, why);
    output_file_discard(&file);
    return false;
}

/* Standard output is flushed and checked by main(). */
static bool show(const trace_record *record, const trace_options *options, failure *why)
{
    const struct {
        const char *path;
        document_writer writer;
    } documents[] = {{options->svg, network_svg_write}, {options->html, trace_html_write}};
    bool text = true;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        const char *const path = documents[i].path;
        const bool shown = path != NULL && strcmp(path, "-") == 0;
        if (shown && !documents[i].writer(record, stdout))
            return fail_out_of_memory(why);
        if (path != NULL && !shown && !save_document(record, documents[i].writer, path, why))
            return false;
        text = text && !shown;
    }
    if (text)
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
                           .asked = options.asked,
                           .n = options.n,
                           .exclusive = options.exclusive};
    failure why;
    const bool traced = trace_scan(&record, options.values) || fail_out_of_memory(&why);
    const bool done = traced && show(&record, &options, &why);
    if (!done)
        failure_print(&why);
    trace_record_free(&record);
    free(options.values);
    return done ? STATUS_DONE : STATUS_FAILED;
}
