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

enum { DOCUMENTS = 2 };

typedef struct document {
    const char *path; /* NULL: it is not asked for */
    document_writer writer;
    output_file file; /* unless it is shown on standard output */
} document;

static bool is_shown(const document *one)
{
    return one->path != NULL && strcmp(one->path, "-") == 0;
}

static bool is_saved(const document *one)
{
    return one->path != NULL && !is_shown(one);
}

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

static bool open_documents(document *documents, failure *why)
{
    for (int i = 0; i < DOCUMENTS; i++)
        if (is_saved(&documents[i]) &&
            !output_file_open(&documents[i].file, documents[i].path, why))
            return false;
    return !is_saved(&documents[0]) || !is_saved(&documents[1]) ||
           !output_file_same_place(&documents[0].file, &documents[1].file) ||
           fail(why, "%s: two outputs cannot be one file", documents[1].path);
}

/* Drafts come first: what is written directly, as to a pipe, cannot be taken back. */
static bool write_documents(const trace_record *record, document *documents, failure *why)
{
    for (int direct = 0; direct <= 1; direct++)
        for (document *one = documents; one < documents + DOCUMENTS; one++)
            if (is_saved(one) && output_file_is_direct(&one->file) == (direct == 1) &&
                (!write_document(record, one->writer, one->file.fd, one->path, why) ||
                 !output_file_complete(&one->file, one->path, why)))
                return false;
    return true;
}

/* Writes what goes to standard output: the text, unless a document does. */
static bool show(const trace_record *record, const document *documents, failure *why)
{
    bool text = true;
    for (int i = 0; i < DOCUMENTS; i++) {
        const bool shown = is_shown(&documents[i]);
        if (shown && !documents[i].writer(record, stdout))
            return fail_out_of_memory(why);
        text = text && !shown;
    }
    if (text)
        trace_write_text(record, stdout);
    return (fflush(stdout) == 0 && ferror(stdout) == 0) ||
           fail(why, "standard output: %s", strerror(errno));
}

/* Writes everything, before the first file takes its place: all of them, or none. */
static bool write_trace(const trace_record *record, const trace_options *options, failure *why)
{
    document documents[DOCUMENTS] = {
        {.path = options->svg, .writer = network_svg_write, .file = {.fd = -1}},
        {.path = options->html, .writer = trace_html_write, .file = {.fd = -1}}};
    bool done = open_documents(documents, why) && write_documents(record, documents, why) &&
                show(record, documents, why);
    for (int i = 0; i < DOCUMENTS; i++)
        if (done && is_saved(&documents[i]))
            done = output_file_commit(&documents[i].file, documents[i].path, why);
        else
            output_file_discard(&documents[i].file);
    return done;
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
    const bool done = traced && write_trace(&record, &options, &why);
    if (!done)
        failure_print(&why);
    trace_record_free(&record);
    free(options.values);
    return done ? STATUS_DONE : STATUS_FAILED;
}
