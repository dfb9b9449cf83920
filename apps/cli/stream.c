#include "apps/cli/stream.h"

#include "apps/cli/command.h"
#include "apps/cli/line_output.h"
#include "apps/cli/output_file.h"
#include "apps/cli/piece_pipeline.h"

/* PIECE_BYTES of the largest array of a piece: it stays in the processor's caches. A piece of text is
   measured by its bytes. Words of one character make TEXT_FACTOR times as many elements of it; most
   are longer. */
enum { PIECE_BYTES = 2 * 1024 * 1024, TEXT_FACTOR = 4 };

typedef struct stream {
    session *job;
    const stream_work *work;
    output_writer *output; /* NULL: nothing is written */
    size_t most;           /* elements of a piece */
    stream_piece pieces[PIPELINE_PIECES];
    array rooms[PIPELINE_PIECES]; /* memory for what cannot be computed in place */
    uint64_t read;
    stream_totals *totals;
    int status; /* of the computation */
} stream;

bool stream_count_rest(session *job, uint64_t *n, failure *why)
{
    bool done;
    array rest = {.type = job->in.type};
    const size_t most = stream_piece_elements(job, 0, 0);
    do {
        rest.n = 0;
        done = input_next(job->reader, most, &rest, why);
        *n += rest.n;
    } while (done && rest.n > 0);
    array_release(&rest);
    return done;
}

static bool count_rest_of_second(stream *files, array *spare, uint64_t *n, failure *why)
{
    do {
        spare->n = 0;
        if (!session_read_second(files->job, files->work->second, spare, files->most, why))
            return false;
        *n += spare->n;
    } while (spare->n > 0);
    return true;
}

/* The two files do not go together: says how long they are. */
static bool fail_count(stream *files, stream_piece *piece, failure *why)
{
    uint64_t n = files->read, second_n = piece->first + piece->second.n;
    return stream_count_rest(files->job, &n, why) &&
           count_rest_of_second(files, &piece->second, &second_n, why) &&
           session_check_second(files->job, files->work->second, n, second_n, why);
}

/* Reads as many elements of the second file. At the end of the first one it must have ended too: where
   that end is known already, before anything of the last piece is written. */
static bool read_second(stream *files, stream_piece *piece, failure *why)
{
    const size_t n = piece->in.n;
    array *const second = &piece->second;
    size_t before;
    second->n = 0;
    do {
        before = second->n;
        const size_t most = n > before ? n - before : 1;
        if (!session_read_second(files->job, files->work->second, second, most, why))
            return false;
    } while (second->n < n && second->n > before);
    if (second->n == n && n > 0 && input_at_end(files->job->reader) &&
        !session_read_second(files->job, files->work->second, second, 1, why))
        return false;
    return second->n == n || fail_count(files, piece, why);
}

static bool read_stage(void *user, unsigned index, bool *ended, failure *why)
{
    stream *const files = user;
    stream_piece *const piece = &files->pieces[index];
    piece->in.n = 0;
    piece->in.type = files->job->in.type;
    line_store_clear(&piece->lines);
    if (!input_next_lines(files->job->reader, files->most, &piece->in,
                          files->work->lines ? &piece->lines : NULL, why))
        return false;
    *ended = piece->in.n == 0 && piece->lines.head == 0;
    piece->first = files->read;
    files->read += piece->in.n;
    if (files->work->read_second != NULL)
        return files->work->read_second(files->job, files->work->user, piece, why);
    return files->work->second == NULL || read_second(files, piece, why);
}

static bool make_out(stream *files, unsigned index, failure *why)
{
    stream_piece *const piece = &files->pieces[index];
    array *const room = &files->rooms[index];
    const parscan_type type = files->work->out_type;
    if (type == 0)
        return true;
    if (files->work->lines) {
        room->type = type;
        room->n = 0;
        piece->out = *room;
        return true;
    }
    const bool in_place =
        !files->work->new_memory && parscan_type_size(type) == parscan_type_size(piece->in.type);
    room->type = type;
    if (!in_place && !array_reserve(room, piece->in.n))
        return session_out_of_memory(files->job, why);
    piece->out = (array){.type = type, .data = in_place ? piece->in.data : room->data};
    return true;
}

static bool compute_stage(void *user, unsigned index, failure *why)
{
    stream *const files = user;
    stream_piece *const piece = &files->pieces[index];
    files->status = STATUS_FAILED;
    if (!make_out(files, index, why))
        return false;
    files->totals->read += piece->in.n;
    const double begin = seconds_now();
    files->status = files->work->compute(files->job, files->work->user, piece, why);
    files->totals->seconds += seconds_now() - begin;
    if (files->work->lines)
        files->rooms[index] = piece->out; /* may have grown */
    files->totals->written += piece->out.n;
    return files->status == STATUS_DONE;
}

static bool write_stream_stage(void *user, unsigned index, failure *why)
{
    stream *const files = user;
    const array *const out = &files->pieces[index].out;
    return files->output == NULL || out->n == 0 || output_add(files->output, out, why);
}

static void interrupt_stream(void *user)
{
    const stream *const files = user;
    input_interrupt(files->job->reader);
    if (files->job->second_reader != NULL)
        input_interrupt(files->job->second_reader);
}

static bool open_output(stream *files, failure *why)
{
    uint64_t n;
    const char *name;
    const stream_work *const work = files->work;
    if (work->out_type == 0 || work->unwritten)
        return true;
    const bool known = work->one_each && input_length(files->job->reader, &n);
    files->output = work->lines ? lines_open_output(files->job, why)
                                : session_open_output(files->job, files->job->options->output,
                                                      work->out_type, known ? &n : NULL, why);
    if (files->output == NULL)
        return false;
    return !session_feeds(files->job, files->output, &name) || fail_output_is_input(name, why);
}

static int run_stages(stream *files, failure *why)
{
    const pipeline stages = {.read = read_stage,
                             .compute = compute_stage,
                             .write = write_stream_stage,
                             .interrupt = interrupt_stream,
                             .user = files};
    const stream_work *const work = files->work;
    if (!pipeline_run(&stages, why))
        return files->status != STATUS_DONE ? files->status : STATUS_FAILED;
    const int status =
        work->finish != NULL ? work->finish(files->job, work->user, why) : STATUS_DONE;
    if (status != STATUS_DONE || files->output == NULL)
        return status;
    return output_complete(files->output, why) && output_commit(files->output, why) ? STATUS_DONE
                                                                                    : STATUS_FAILED;
}

size_t stream_piece_elements(const session *job, parscan_type second_type, parscan_type out_type)
{
    const parscan_type types[] = {job->in.type, out_type, second_type};
    size_t largest = 1;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t size = types[i] != 0 ? parscan_type_size(types[i]) : 0;
        largest = size > largest ? size : largest;
    }
    return PIECE_BYTES / largest * (job->input_format == FORMAT_TEXT ? TEXT_FACTOR : 1);
}

int stream_run(session *job, const stream_work *work, stream_totals *totals, failure *why)
{
    stream files = {.job = job,
                    .work = work,
                    .most = stream_piece_elements(job, job->second.type, work->out_type),
                    .totals = totals};
    *totals = (stream_totals){0};
    for (unsigned i = 0; i < PIPELINE_PIECES; i++) {
        files.pieces[i].in.type = job->in.type;
        files.pieces[i].second.type = job->second.type;
        files.pieces[i].lines = LINE_STORE;
    }
    const int status = open_output(&files, why) ? run_stages(&files, why) : STATUS_FAILED;
    output_close(files.output);
    for (unsigned i = 0; i < PIPELINE_PIECES; i++) {
        array_release(&files.pieces[i].in);
        array_release(&files.pieces[i].second);
        line_store_release(&files.pieces[i].lines);
        array_release(&files.rooms[i]);
    }
    return status;
}
