#define _POSIX_C_SOURCE 200809L
#include "apps/cli/reverse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/piece_pipeline.h"
#include "apps/cli/spool.h"

/* Elements that can be read from anywhere. */
typedef struct elements_file {
    size_t size;      /* of an element */
    const char *name; /* in messages */
    const input_reader *reader;
    int fd; /* -1: in `copy` */
    uint64_t at;
    spool copy;
} elements_file;

typedef struct reverse_piece {
    uint64_t number;
    array in, second, room; /* room: for results that are not in in's memory */
    array out;
} reverse_piece;

typedef struct reverse {
    scan_arguments *scan;
    session *job;
    const second_input *second; /* NULL: there is none */
    bool by_keys;
    stream_totals totals;
    elements_file elements, cuts; /* cuts: flags or keys, one for each element */
    uint64_t n, pieces, next;     /* next: the number of pieces that have been started */
    size_t most;                  /* elements of a piece */
    bool writes;                  /* the second time */
    spool carries;                /* that of the last piece first */
    size_t carry_size;
    void *carry;
    output_writer *output;
    reverse_piece in_work[PIPELINE_PIECES];
} reverse;

static void reverse_elements(array *elements)
{
    const size_t n = elements->n;
#define REVERSE(type)                        \
    do {                                     \
        type *const a = elements->data;      \
        for (size_t i = 0; i < n / 2; i++) { \
            const type kept = a[i];          \
            a[i] = a[n - 1 - i];             \
            a[n - 1 - i] = kept;             \
        }                                    \
    } while (0)
    switch (parscan_type_size(elements->type)) {
    case 1:
        REVERSE(uint8_t);
        break;
    case 2:
        REVERSE(uint16_t);
        break;
    case 4:
        REVERSE(uint32_t);
        break;
    default:
        REVERSE(uint64_t);
    }
#undef REVERSE
}

static bool read_elements(const elements_file *file, uint64_t first, size_t n, array *to,
                          failure *why)
{
    const uint64_t at = first * file->size;
    to->n = n;
    if (!array_reserve(to, n))
        return fail_out_of_memory(why) || fail_in(why, file->name);
    if (file->fd < 0)
        return spool_read(&file->copy, at, to->data, n * file->size, why);
    if (!file_read_at(file->fd, file->at + at, to->data, n * file->size, why))
        return fail_in(why, file->name);
    input_convert(file->reader, to, 0);
    return true;
}

/* A flag starts a segment, so in the reversed array the flag of the element after it does. After the
   last one there is none, and the first element of the reversed array starts a segment anyway. */
static bool read_flags(const reverse *all, uint64_t first, size_t n, array *flags, failure *why)
{
    const uint64_t left = all->n - first - 1;
    const size_t there = left < n ? (size_t)left : n;
    if (!array_reserve(flags, n))
        return fail_out_of_memory(why) || fail_in(why, all->cuts.name);
    if (!read_elements(&all->cuts, first + 1, there, flags, why))
        return false;
    if (there < n)
        ((uint8_t *)flags->data)[there] = 1;
    flags->n = n;
    return true;
}

/* The first time from the last piece to the second one, the second time all from the first one on. */
static bool read_stage(void *user, unsigned index, bool *ended, failure *why)
{
    reverse *const all = user;
    reverse_piece *const piece = &all->in_work[index];
    *ended = all->next == (all->writes ? all->pieces : all->pieces - 1);
    if (*ended)
        return true;
    piece->number = all->writes ? all->next : all->pieces - 1 - all->next;
    all->next++;
    const uint64_t first = piece->number * all->most, left = all->n - first;
    const size_t n = left < all->most ? (size_t)left : all->most;
    if (!read_elements(&all->elements, first, n, &piece->in, why))
        return false;
    reverse_elements(&piece->in);
    if (all->second == NULL)
        return true;
    if (!(all->by_keys ? read_elements(&all->cuts, first, n, &piece->second, why)
                       : read_flags(all, first, n, &piece->second, why)))
        return false;
    reverse_elements(&piece->second);
    return true;
}

static bool make_out(reverse *all, reverse_piece *piece, failure *why)
{
    const parscan_type type = scan_out_type(all->scan, all->job->in.type);
    const bool in_place = parscan_type_size(type) == parscan_type_size(piece->in.type);
    piece->room.type = type;
    if (!in_place && !array_reserve(&piece->room, piece->in.n))
        return session_out_of_memory(all->job, why);
    piece->out = (array){
        .type = type, .n = piece->in.n, .data = in_place ? piece->in.data : piece->room.data};
    return true;
}

static bool keep_carry(reverse *all, failure *why)
{
    return session_check(all->job,
                         parscan_chunked_carry_get(all->scan->chunked, all->carry, all->carry_size),
                         why) == STATUS_DONE &&
           spool_add(&all->carries, all->carry, all->carry_size, why);
}

static bool restore_carry(reverse *all, uint64_t piece, failure *why)
{
    return spool_read(&all->carries, (all->pieces - 1 - piece) * all->carry_size, all->carry,
                      all->carry_size, why) &&
           session_check(all->job,
                         parscan_chunked_carry_set(all->scan->chunked, all->carry, all->carry_size),
                         why) == STATUS_DONE;
}

static bool compute_stage(void *user, unsigned index, failure *why)
{
    reverse *const all = user;
    reverse_piece *const piece = &all->in_work[index];
    if (!make_out(all, piece, why) || (all->writes && !restore_carry(all, piece->number, why)))
        return false;
    const double begin = seconds_now();
    const parscan_status called = parscan_chunked_update(
        all->scan->chunked, &PARSCAN_CHUNK(.in = piece->in.data, .in2 = piece->second.data,
                                           .out = piece->out.data, .n = piece->in.n));
    all->totals.seconds += seconds_now() - begin;
    all->totals.written += piece->in.n;
    progress_update(&all->job->progress, all->totals.written);
    return session_check_result(all->job, called, why) == STATUS_DONE &&
           (all->writes || keep_carry(all, why));
}

static bool write_reverse_stage(void *user, unsigned index, failure *why)
{
    reverse *const all = user;
    if (!all->writes)
        return true;
    reverse_elements(&all->in_work[index].out);
    return output_add(all->output, &all->in_work[index].out, why);
}

/* No stage waits for another program. */
static void interrupt_reverse(void *user)
{
    (void)user;
}

static bool run_stages(reverse *all, failure *why)
{
    const pipeline stages = {.read = read_stage,
                             .compute = compute_stage,
                             .write = write_reverse_stage,
                             .interrupt = interrupt_reverse,
                             .user = all};
    all->next = 0;
    return pipeline_run(&stages, why);
}

static int spool_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    (void)job;
    reverse *const all = user;
    const bool done =
        spool_add(&all->elements.copy, piece->in.data, piece->in.n * all->elements.size, why) &&
        (all->second == NULL ||
         spool_add(&all->cuts.copy, piece->second.data, piece->in.n * all->cuts.size, why));
    return done ? STATUS_DONE : STATUS_FAILED;
}

static bool read_offsets(session *job, void *user, stream_piece *piece, failure *why)
{
    reverse *const all = user;
    return offset_flags_read(all->scan->offsets, job, piece, why);
}

/* Copies what cannot be read from its end. */
static int copy_files(reverse *all, failure *why)
{
    stream_totals totals;
    const bool offsets = all->scan->offsets != NULL;
    const stream_work work = {.second = all->second,
                              .read_second = offsets ? read_offsets : NULL,
                              .compute = spool_piece,
                              .user = all};
    const int status = stream_run(all->job, &work, &totals, why);
    all->n = totals.read;
    return status;
}

/* Whether both files can be read where they are, and the output is written elsewhere. */
static bool find_files(reverse *all)
{
    uint64_t second_n;
    const session *const job = all->job;
    return !session_feeds(job, all->output, NULL) &&
           input_place(job->reader, &all->elements.fd, &all->elements.at, &all->n) &&
           (all->second == NULL ||
            (all->scan->offsets == NULL &&
             input_place(job->second_reader, &all->cuts.fd, &all->cuts.at, &second_n) &&
             second_n == all->n));
}

static int open_reverse_files(reverse *all, failure *why)
{
    session *const job = all->job;
    const bool offsets = all->scan->offsets != NULL;
    const parscan_type cuts_type = offsets ? PARSCAN_U8 : job->second.type;
    all->elements = (elements_file){.size = parscan_type_size(job->in.type),
                                    .name = session_input_name(job),
                                    .reader = job->reader,
                                    .fd = -1,
                                    .copy = {.fd = -1}};
    all->cuts = all->elements;
    if (all->second != NULL) {
        all->cuts.size = parscan_type_size(cuts_type);
        all->cuts.name = input_name(all->second->path);
        all->cuts.reader = job->second_reader;
    }
    all->most = stream_piece_elements(job, all->second != NULL ? cuts_type : 0,
                                      scan_out_type(all->scan, job->in.type));
    for (unsigned i = 0; i < PIPELINE_PIECES; i++) {
        all->in_work[i].in.type = job->in.type;
        all->in_work[i].second.type = cuts_type;
    }
    if (find_files(all))
        return STATUS_DONE;
    all->elements.fd = all->cuts.fd = -1;
    return copy_files(all, why);
}

/* Whoever shares the standard input goes on after what has been read. */
static void pass_files(const reverse *all)
{
    if (all->elements.fd >= 0)
        (void)lseek(all->elements.fd, (off_t)(all->elements.at + all->n * all->elements.size),
                    SEEK_SET);
    if (all->second != NULL && all->cuts.fd >= 0)
        (void)lseek(all->cuts.fd, (off_t)(all->cuts.at + all->n * all->cuts.size), SEEK_SET);
}

static bool scan_pieces(reverse *all, failure *why)
{
    all->pieces = (all->n + all->most - 1) / all->most;
    all->carry_size = parscan_chunked_carry_size(all->scan->chunked);
    all->carry = malloc(all->carry_size);
    if (all->carry == NULL)
        return session_out_of_memory(all->job, why);
    output_set_length(all->output, all->n);
    progress_begin(&all->job->progress, "scanning", 2 * all->n);
    bool done = keep_carry(all, why) && (all->pieces < 2 || run_stages(all, why));
    all->writes = true;
    done = done && run_stages(all, why);
    pass_files(all);
    return done && output_complete(all->output, why) && output_commit(all->output, why);
}

static int run_reverse(reverse *all, failure *why)
{
    session *const job = all->job;
    all->output = session_open_output(job, job->options->output,
                                      scan_out_type(all->scan, job->in.type), &(uint64_t){0}, why);
    if (all->output == NULL)
        return STATUS_FAILED;
    const int status = open_reverse_files(all, why);
    if (status != STATUS_DONE)
        return status;
    return scan_pieces(all, why) ? STATUS_DONE : STATUS_FAILED;
}

int scan_reverse(scan_arguments *scan, session *job, const second_input *second, bool by_keys,
                 failure *why)
{
    reverse all = {.scan = scan,
                   .job = job,
                   .second = second,
                   .by_keys = by_keys,
                   .elements = {.fd = -1, .copy = {.fd = -1}},
                   .cuts = {.fd = -1, .copy = {.fd = -1}},
                   .carries = {.fd = -1}};
    const int status = run_reverse(&all, why);
    output_close(all.output);
    free(all.carry);
    spool_close(&all.carries);
    spool_close(&all.elements.copy);
    spool_close(&all.cuts.copy);
    for (unsigned i = 0; i < PIPELINE_PIECES; i++) {
        array_release(&all.in_work[i].in);
        array_release(&all.in_work[i].second);
        array_release(&all.in_work[i].room);
    }
    all.totals.read = all.n;
    if (status == STATUS_DONE)
        scan_print_stats(scan, job, second, &all.totals);
    return status;
}
