#include "apps/cli/session.h"

#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/option_words.h"
#include "apps/cli/output.h"

static unsigned thread_count(const session *job)
{
    const unsigned threads = parscan_context_threads(job->context);
    return threads > 0 ? threads : 1;
}

/* The exit status of a call of the library, and what it left to say. */
static int status_of(parscan_status status, const char *words, failure *why)
{
    if (status == PARSCAN_OK)
        return STATUS_DONE;
    fail(why, "%s", words[0] != '\0' ? words : parscan_status_string(status));
    option_words(why);
    const bool wrong =
        status == PARSCAN_ERROR_INVALID_ARGUMENT || status == PARSCAN_ERROR_UNSUPPORTED;
    return wrong ? STATUS_USAGE : STATUS_FAILED;
}

int session_open(session *job, const common_options *options, failure *why)
{
    *job = (struct session){.options = options};
    progress_init(&job->progress, options->quiet);
    char words[512] = "";
    const parscan_status status = parscan_context_create(
        &job->context,
        &PARSCAN_CONTEXT_OPTIONS(.backend = options->backend, .threads = options->threads,
                                 .error = words, .error_size = sizeof words));
    return status_of(status, words, why);
}

void session_close(session *job)
{
    progress_end(&job->progress);
    parscan_context_destroy(job->context);
    job->context = NULL;
}

bool session_read(session *job, array *elements, input_check *check, void *user, failure *why)
{
    const input_request request = {.path = job->options->input,
                                   .format = job->options->format,
                                   .type = job->options->type,
                                   .threads = thread_count(job),
                                   .progress = &job->progress,
                                   .check = check,
                                   .user = user};
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

int session_check(const session *job, parscan_status status, failure *why)
{
    return status_of(status, parscan_context_error(job->context), why);
}

void session_print_stats(session *job, size_t n, double bytes, double seconds, bool parallel)
{
    if (!job->options->stats)
        return;
    progress_end(&job->progress);
    const double rate = seconds > 0 ? bytes / seconds * 1e-9 : 0;
    const parscan_backend backend = parscan_context_backend(job->context);
    const unsigned threads = parallel ? thread_count(job) : 1;
    char where[48] = "";
    if (backend == PARSCAN_BACKEND_CPU && threads > 1)
        snprintf(where, sizeof where, ", up to %u threads", threads);
    else if (backend == PARSCAN_BACKEND_CPU)
        snprintf(where, sizeof where, ", 1 thread");
    fprintf(stderr, "parscan: %zu elements, %.6f s, %.2f GB/s, %s%s\n", n, seconds, rate,
            parscan_backend_name(backend), where);
}
