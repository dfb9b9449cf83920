#include "apps/cli/session.h"

#include <stdio.h>

#include "apps/cli/input.h"
#include "apps/cli/output.h"

static unsigned thread_count(const session *job)
{
    const unsigned threads = parscan_context_threads(job->context);
    return threads > 0 ? threads : 1;
}

bool session_open(session *job, const common_options *options, failure *why)
{
    *job = (struct session){.options = options};
    progress_init(&job->progress, options->quiet);
    char words[512] = "";
    const parscan_status status = parscan_context_create(
        &job->context,
        &PARSCAN_CONTEXT_OPTIONS(.backend = options->backend, .threads = options->threads,
                                 .error = words, .error_size = sizeof words));
    if (status == PARSCAN_OK)
        return true;
    return fail(why, "%s", words[0] != '\0' ? words : parscan_status_string(status));
}

void session_close(session *job)
{
    progress_end(&job->progress);
    parscan_context_destroy(job->context);
    job->context = NULL;
}

bool session_read(session *job, array *elements, failure *why)
{
    const input_request request = {.path = job->options->input,
                                   .format = job->options->format,
                                   .type = job->options->type,
                                   .threads = thread_count(job),
                                   .progress = &job->progress};
    return input_read(&request, elements, &job->input_format, why);
}

bool session_write(session *job, const array *elements, failure *why)
{
    const output_request request = {.path = job->options->output,
                                    .format = job->options->output_format,
                                    .input_format = job->input_format,
                                    .threads = thread_count(job),
                                    .progress = &job->progress};
    return output_write(&request, elements, why);
}

bool session_check(const session *job, parscan_status status, failure *why)
{
    if (status == PARSCAN_OK)
        return true;
    const char *const words = parscan_context_error(job->context);
    fail(why, "%s", words[0] != '\0' ? words : parscan_status_string(status));
    return fail_in(why, job->options->input != NULL ? job->options->input : "-");
}

void session_print_stats(session *job, size_t n, double bytes, double seconds)
{
    if (!job->options->stats)
        return;
    progress_end(&job->progress);
    const double rate = seconds > 0 ? bytes / seconds * 1e-9 : 0;
    const unsigned threads = thread_count(job);
    fprintf(stderr, "parscan: %zu elements, %.6f s, %.2f GB/s, %s, %u thread%s\n", n, seconds, rate,
            parscan_backend_name(parscan_context_backend(job->context)), threads,
            threads == 1 ? "" : "s");
}
