#define _POSIX_C_SOURCE 200809L
#include "apps/cli/session.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/axis_run.h"
#include "apps/cli/command.h"
#include "apps/cli/option_words.h"

unsigned session_threads(const session *job)
{
    const unsigned threads = parscan_context_threads(job->context);
    return threads > 0 ? threads : 1;
}

int session_status_of(parscan_status status, const char *words, failure *why)
{
    if (status == PARSCAN_OK)
        return STATUS_DONE;
    fail(why, "%s", words[0] != '\0' ? words : parscan_status_string(status));
    option_words(why);
    const bool wrong =
        status == PARSCAN_ERROR_INVALID_ARGUMENT || status == PARSCAN_ERROR_UNSUPPORTED;
    return wrong ? STATUS_USAGE : STATUS_FAILED;
}

/* By default the CPU computes. Arrays come from files and go to files, and the CPU needs only a few
   passes over its memory in between. Copying them to a GPU and back takes longer, and CUDA takes a
   part of a second to start. */
static parscan_backend session_backend(parscan_backend asked)
{
    return asked == PARSCAN_BACKEND_AUTO ? PARSCAN_BACKEND_CPU : asked;
}

static int session_open(session *job, const common_options *options, failure *why)
{
    *job = (struct session){.options = options, .fields = options->fields};
    progress_init(&job->progress, options->quiet);
    job->no_progress.quiet = options->quiet;
    char words[512] = "";
    const parscan_status status = parscan_context_create(
        &job->context, &PARSCAN_CONTEXT_OPTIONS(.backend = session_backend(options->backend),
                                                .threads = options->threads, .error = words,
                                                .error_size = sizeof words));
    return session_status_of(status, words, why);
}

static void release_in(session *job)
{
    if (job->out.data != job->in.data)
        array_release(&job->in);
    job->in = (array){0};
}

static void session_close(session *job, bool done)
{
    progress_end(&job->progress);
    if (done)
        session_note_input(job);
    parscan_context_destroy(job->context);
    release_in(job);
    array_release(&job->second);
    array_release(&job->out);
    input_close(job->reader);
    input_close(job->second_reader);
}

int session_command(const usage *spec, common_options *options, session_run *run, int argc,
                    char **argv)
{
    const usage_verdict verdict = usage_read(spec, argc, argv);
    if (verdict != USAGE_RUN)
        return usage_status(verdict);
    failure why;
    if (!common_take_input(options, argc, argv, &why))
        return usage_wrong(spec->command, &why);
    session job;
    int status = session_open(&job, options, &why);
    if (status == STATUS_DONE)
        status = run(&job, spec->user, &why);
    session_close(&job, status == STATUS_DONE);
    if (status == STATUS_USAGE)
        return usage_wrong(spec->command, &why);
    if (status == STATUS_FAILED && spec->integers)
        type_option_words(&why, NULL);
    if (status == STATUS_FAILED)
        failure_print(&why);
    return status;
}

/* Makes an input_check of a session_type_check. */
typedef struct type_checker {
    session *job;
    session_type_check *check;
    void *user;
    int status;
} type_checker;

static bool check_type(void *user, parscan_type type, failure *why)
{
    type_checker *const checker = user;
    checker->status = checker->check == NULL
                          ? STATUS_DONE
                          : checker->check(checker->job, checker->user, type, why);
    return checker->status == STATUS_DONE;
}

/* The option of which messages tell that it reads floats; or NULL. */
static const char *type_option_of(const second_input *second)
{
    return second->integers ? NULL : second->type_option;
}

static bool open_second(session *job, const second_input *second, failure *why)
{
    const input_request request = {
        .path = second->path,
        .otherwise = job->options->format == FORMAT_RAW ? FORMAT_RAW : FORMAT_TEXT,
        .type = second->type,
        .text_type = second->text_type,
        .raw_type = second->raw_type,
        .words = second->words,
        .shapes = job->options->flatten ? SHAPES_ARE_FLAT : SHAPES_NEED_FLAT,
        .lines = LINES_ARE_ELEMENTS,
        .threads = session_threads(job),
        .progress = &job->no_progress,
        .check = second->check,
        .user = second->user};
    job->second_reader = input_open(&request, why);
    if (job->second_reader == NULL) {
        type_option_words(why, type_option_of(second));
        return false;
    }
    job->second_format = input_format(job->second_reader);
    job->second = (array){.type = input_type(job->second_reader)};
    job->second_path = second->path;
    return true;
}

/* How the input is read. */
static input_request first_request(session *job)
{
    const common_options *const options = job->options;
    return (input_request){.path = options->input,
                           .member = options->member,
                           .format = options->format,
                           .type = options->type,
                           .lines = job->lines,
                           .fields = job->fields.given ? &job->fields : NULL,
                           .fields_hint = job->fields_hint,
                           .keep = job->keep,
                           .shapes = options->axis.given               ? SHAPES_ARE_FREE
                                     : options->flatten                ? SHAPES_ARE_FLAT
                                     : job->shapes == SHAPES_ARE_LISTS ? SHAPES_NEED_FLAT
                                                                       : job->shapes,
                           .threads = session_threads(job),
                           .progress = &job->progress};
}

input_reader *session_open_file(session *job, const char *path, int descriptor,
                                const field_rules *fields, const input_reader *beside, bool small,
                                failure *why)
{
    input_request request = first_request(job);
    request.path = path;
    request.descriptor = descriptor;
    request.type = job->in.type;
    request.fields = fields->given ? fields : NULL;
    request.beside = beside;
    request.small = small;
    request.progress = &job->no_progress;
    return input_open(&request, why);
}

static int open_first(session *job, parscan_type text_type, const second_input *second,
                      session_type_check *check, void *user, failure *why)
{
    const common_options *const options = job->options;
    if (!field_rules_complete(&job->fields, why) ||
        !axis_takes_format(&options->axis, options->format, why))
        return STATUS_USAGE;
    if (options->axis.given && options->flatten) {
        fail(why, "--axis and --flatten exclude each other");
        return STATUS_USAGE;
    }
    if (second != NULL && is_standard_file(second->path) && is_standard_file(options->input)) {
        fail(why, "FILE and %s cannot both be standard input", second->option);
        return STATUS_USAGE;
    }
    type_checker checker = {job, check, user, STATUS_DONE};
    input_request request = first_request(job);
    request.text_type = text_type;
    request.lines = second != NULL ? LINES_ARE_ELEMENTS : job->lines;
    request.is_mask = &job->is_mask;
    request.check = check_type;
    request.user = &checker;
    if (options->input_count > 1 && !job->apart) {
        request.more = options->inputs + 1;
        request.more_count = options->input_count - 1;
    }
    if (request.more_count > 0 && options->axis.given) {
        fail(why, "--axis %d takes one FILE, not %zu", options->axis.number, options->input_count);
        return STATUS_USAGE;
    }
    job->reader = input_open(&request, why);
    if (job->reader == NULL)
        return checker.status != STATUS_DONE ? checker.status : STATUS_FAILED;
    job->input_format = input_format(job->reader);
    job->in = (array){.type = input_type(job->reader)};
    return STATUS_DONE;
}

int session_begin(session *job, parscan_type text_type, const second_input *second,
                  session_type_check *check, void *user, failure *why)
{
    const int status = open_first(job, text_type, second, check, user, why);
    if (status != STATUS_DONE || second == NULL)
        return status;
    return open_second(job, second, why) ? STATUS_DONE : STATUS_FAILED;
}

bool session_read_second(session *job, const second_input *second, array *elements, size_t most,
                         failure *why)
{
    if (input_next(job->second_reader, most, elements, why))
        return true;
    type_option_words(why, type_option_of(second));
    return false;
}

bool session_check_second(const session *job, const second_input *second, uint64_t n,
                          uint64_t second_n, failure *why)
{
    if (second->one_each == NULL || second_n == n)
        return true;
    return fail(why, "%s: %" PRIu64 " %s for the %" PRIu64 " element%s of %s",
                input_name(second->path), second_n, second->one_each, n, n == 1 ? "" : "s",
                session_input_name(job));
}

static bool read_second(session *job, const second_input *second, failure *why)
{
    input_show(job->second_reader, &job->progress);
    if (input_rest(job->second_reader, &job->second, why))
        return session_check_second(job, second, job->in.n, job->second.n, why);
    type_option_words(why, type_option_of(second));
    return false;
}

bool session_read_rest(session *job, const second_input *second, failure *why)
{
    return input_rest(job->reader, &job->in, why) &&
           (second == NULL || read_second(job, second, why));
}

bool session_make_new_out(session *job, parscan_type type, size_t n, failure *why)
{
    job->out = (array){.type = type};
    return array_reserve(&job->out, n) || session_out_of_memory(job, why);
}

bool session_make_out(session *job, parscan_type type, size_t n, failure *why)
{
    if (parscan_type_size(type) != parscan_type_size(job->in.type) || n > job->in.n)
        return session_make_new_out(job, type, n, why);
    job->out = job->in;
    job->out.type = type;
    return true;
}

output_request session_output_to(session *job, const char *path, progress *bar)
{
    return (output_request){.path = path,
                            .format = job->options->output_format,
                            .input_format = job->input_format,
                            .point = job->fields.decimal,
                            .shape = job->out_shape,
                            .threads = session_threads(job),
                            .progress = bar};
}

output_writer *session_open_output(session *job, const char *path, parscan_type type,
                                   const uint64_t *n, failure *why)
{
    const output_request request = session_output_to(job, path, &job->no_progress);
    return output_open(&request, type, n, why);
}

bool session_has_fields(const session *job)
{
    return job->fields.given;
}

/* Whether what is written to the output goes straight to one of the files that follow the first one. */
static const char *find_following(const session *job, const output_writer *output)
{
    const common_options *const options = job->options;
    for (size_t i = 1; i < options->input_count; i++) {
        const char *const path = options->inputs[i];
        const int fd =
            is_standard_file(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        const bool same = output_is_file_of(output, fd);
        if (fd >= 0)
            close(fd);
        if (same)
            return path;
    }
    return NULL;
}

bool session_feeds(const session *job, const output_writer *output, const char **name)
{
    const input_reader *const readers[] = {job->reader, job->second_reader};
    const char *const paths[] = {job->options->input, job->second_path};
    for (int i = 0; i < 2; i++) {
        if (readers[i] == NULL || !output_is_file_of(output, input_descriptor(readers[i])))
            continue;
        if (name != NULL)
            *name = input_name(paths[i]);
        return true;
    }
    const char *const following = find_following(job, output);
    if (following != NULL && name != NULL)
        *name = following;
    return following != NULL;
}

int session_write(session *job, failure *why)
{
    release_in(job);
    const output_request request = session_output_to(job, job->options->output, &job->progress);
    return output_write(&request, &job->out, why) ? STATUS_DONE : STATUS_FAILED;
}

int session_write_pair(session *job, const array *elements, const char *path, const array *others,
                       failure *why)
{
    progress *const bar = &job->progress;
    const output_request requests[] = {session_output_to(job, job->options->output, bar),
                                       session_output_to(job, path, bar)};
    return output_write_all(requests, (const array *const[]){elements, others}, 2, why)
               ? STATUS_DONE
               : STATUS_FAILED;
}

int session_check(const session *job, parscan_status status, failure *why)
{
    return session_status_of(status, parscan_context_error(job->context), why);
}

int session_check_result(const session *job, parscan_status status, failure *why)
{
    const int found = session_check(job, status, why);
    if (found == STATUS_FAILED)
        fail_in(why, session_input_name(job));
    return found;
}

int session_need_integers(const char *what, parscan_type type, failure *why)
{
    if (!parscan_is_float(type))
        return STATUS_DONE;
    fail(why, "%s must be integers, the type is %s", what, parscan_type_name(type));
    return STATUS_USAGE;
}

bool session_out_of_memory(const session *job, failure *why)
{
    fail_out_of_memory(why);
    return fail_in(why, session_input_name(job));
}

const char *session_input_name(const session *job)
{
    return input_name(job->options->input);
}

void session_print_stats(session *job, size_t n, double bytes, double seconds, bool parallel)
{
    if (!job->options->stats)
        return;
    progress_end(&job->progress);
    const double rate = seconds > 0 ? bytes / seconds * 1e-9 : 0;
    const parscan_backend backend = parscan_context_backend(job->context);
    const unsigned threads = parallel ? session_threads(job) : 1;
    char where[48] = "";
    if (backend == PARSCAN_BACKEND_CPU && threads > 1)
        snprintf(where, sizeof where, ", up to %u threads", threads);
    else if (backend == PARSCAN_BACKEND_CPU)
        snprintf(where, sizeof where, ", 1 thread");
    fprintf(stderr, "parscan: %zu elements, %.6f s, %.2f GB/s, %s%s\n", n, seconds, rate,
            parscan_backend_name(backend), where);
}
