#include "apps/distributed/dist_sort.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"
#include "parscan/sort.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

void *parscan_dist_sort_memory(dist_sort *s, size_t n, size_t size, parscan_status *status)
{
    void *memory = NULL;
    if (*status == PARSCAN_OK)
        *status = parscan_comm_allocate(s->comm, COMM_ON_HOST,
                                        n < SIZE_MAX / size ? n * size : SIZE_MAX, &memory);
    return memory;
}

static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

parscan_status parscan_dist_sort_elements(dist_sort *s, dist_sort_piece piece, size_t n,
                                          elements *e)
{
    const sort_call *const call = &s->parts.call;
    const size_t key_bytes = aligned(n * call->key_size);
    const size_t value_bytes = piece == DIST_SORT_KEYS ? 0 : aligned(n * call->value_size);
    void *memory;
    const parscan_status status =
        parscan_comm_keep(s->comm, piece, key_bytes + value_bytes, &memory);
    *e = (elements){memory, value_bytes > 0 ? (char *)memory + key_bytes : NULL};
    return status;
}

/* What a public function was given. argsort: values_out are indices. */
typedef struct request {
    parscan_comm *comm;
    const char *name;
    parscan_type key_type;
    const void *keys_in, *values_in;
    void *keys_out, *values_out;
    size_t n_in, n_out, value_size;
    const parscan_sort_options *options;
    bool pairs, argsort;
} request;

/* keys_out, values_out, keys_in, values_in. Keys and values may each be in place. */
static parscan_status check_dist_sort_places(parscan_context *context, const parscan_extent *places)
{
    parscan_status status = parscan_check_same_or_apart(context, places[0], places[2]);
    if (status == PARSCAN_OK)
        status = parscan_check_same_or_apart(context, places[1], places[3]);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, places[0], places[1]);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, places[0], places[3]);
    return status == PARSCAN_OK ? parscan_check_apart(context, places[1], places[2]) : status;
}

/* Checks the arguments, which this rank alone knows, and notes what must be the same on all ranks. */
static parscan_status check_dist_sort(dist_sort *s, const request *r)
{
    parscan_context *const context = r->comm->context;
    sort_call *const call = &s->parts.call;
    const size_t most = r->n_in > r->n_out ? r->n_in : r->n_out;
    const struct {
        const char *name;
        const void *array;
        const char *n_name;
        size_t n, size;
    } arrays[] = {
        {"keys_out", r->keys_out, "n_out", r->argsort ? 0 : r->n_out,
         parscan_type_size(r->key_type)},
        {r->argsort ? "indices_out" : "values_out", r->values_out, "n_out",
         r->pairs || r->argsort ? r->n_out : 0, r->value_size},
        {r->argsort ? "keys" : "keys_in", r->keys_in, r->argsort ? "n" : "n_in", r->n_in,
         parscan_type_size(r->key_type)},
        {"values_in", r->values_in, "n_in", r->pairs ? r->n_in : 0, r->value_size},
    };
    parscan_extent places[4];
    parscan_status status = PARSCAN_OK;
    if (r->pairs)
        status = parscan_check_value_size(context, r->value_size);
    if (status == PARSCAN_OK)
        status = parscan_sort_begin(call, context, r->key_type, r->value_size, most, r->options);
    for (size_t k = 0; status == PARSCAN_OK && k < sizeof arrays / sizeof *arrays; k++) {
        if (arrays[k].n > 0)
            status = parscan_check_counted_array(context, arrays[k].name, arrays[k].array,
                                                 arrays[k].n_name, arrays[k].n, arrays[k].size);
        places[k] = (parscan_extent){arrays[k].name, arrays[k].array, arrays[k].n * arrays[k].size};
    }
    if (status == PARSCAN_OK)
        status = check_dist_sort_places(context, places);
    parscan_comm_note(r->comm, &r->key_type, sizeof r->key_type);
    parscan_comm_note(r->comm, &r->value_size, sizeof r->value_size);
    parscan_comm_note(r->comm, &call->order, sizeof call->order);
    call->in = (elements){(char *)r->keys_in, (char *)r->values_in}; /* not written */
    call->out = (elements){r->keys_out, r->values_out};
    s->parts.n_in = r->n_in;
    s->parts.n_out = r->n_out;
    return status;
}

/* An array of the caller's. */
typedef struct given_array {
    const char *name;
    char **array; /* in the call */
    size_t n, size, alignment;
    bool input;
} given_array;

/* Puts memory of the engine in place of an array that is not, with its contents if it is an input. */
static parscan_status bring(dist_sort *s, const given_array *given)
{
    const size_t bytes = given->n * given->size;
    bool near = true;
    void *copy = NULL;
    if (s->engine->is_near == NULL || bytes == 0 || *given->array == NULL)
        return PARSCAN_OK;
    parscan_status status =
        s->engine->is_near(&s->parts, given->name, *given->array, given->alignment, &near);
    if (status != PARSCAN_OK || near)
        return status;
    status = parscan_comm_allocate(s->comm, COMM_ON_ENGINE, bytes, &copy);
    if (status == PARSCAN_OK && given->input)
        status = parscan_copy(s->comm->context, copy, *given->array, bytes);
    *given->array = copy;
    return status;
}

static parscan_status bring_arrays(dist_sort *s, bool argsort)
{
    sort_call *const call = &s->parts.call;
    const size_t n_in = s->parts.n_in, n_out = s->parts.n_out;
    const size_t key_size = call->key_size, value_size = call->value_size;
    const given_array arrays[] = {
        {argsort ? "keys" : "keys_in", &call->in.keys, n_in, key_size, key_size, true},
        {"values_in", &call->in.values, n_in, value_size, 1, true},
        {"keys_out", &call->out.keys, n_out, key_size, key_size, false},
        {argsort ? "indices_out" : "values_out", &call->out.values, n_out, value_size,
         argsort ? value_size : 1, false},
    };
    parscan_status status = PARSCAN_OK;
    s->given = call->out;
    for (size_t k = 0; status == PARSCAN_OK && k < sizeof arrays / sizeof *arrays; k++)
        status = bring(s, &arrays[k]);
    return status;
}

parscan_status parscan_dist_sort_bring_back(dist_sort *s)
{
    const sort_call *const call = &s->parts.call;
    const size_t n = s->parts.n_out;
    parscan_status status = PARSCAN_OK;
    if (s->given.keys != NULL && s->given.keys != call->out.keys)
        status = parscan_copy(call->context, s->given.keys, call->out.keys, n * call->key_size);
    if (status == PARSCAN_OK && s->given.values != NULL && s->given.values != call->out.values)
        status =
            parscan_copy(call->context, s->given.values, call->out.values, n * call->value_size);
    return status;
}

/* The elements for which scratch_limit has room, those aside included, beside what is taken. Of each
   source the elements of a round, of two at a time, begin and end at multiples of DIST_SORT_STEP. */
static uint64_t room_for_rounds(const dist_sort *s)
{
    const sort_call *const call = &s->parts.call;
    const size_t limit = s->comm->context->scratch_limit, taken = parscan_comm_taken(s->comm);
    const size_t steps = (size_t)s->comm->size * 4 * DIST_SORT_STEP;
    const size_t ends = 4 * aligned(1); /* of arrays */
    if (limit == 0)
        return UINT64_MAX;
    const size_t left = limit > taken + ends ? limit - taken - ends : 0;
    const size_t room = left / (call->key_size + call->value_size);
    return room > steps ? room - steps : 0;
}

/* parscan_merge() has the ascending order by all bits alone. */
static bool merges(const dist_sort *s, const request *r)
{
    const key_order order = s->parts.call.order,
                    ascending = parscan_key_order(r->key_type, false, 0,
                                                  8 * (unsigned)s->parts.call.key_size);
    return s->parts.merges && !r->argsort && s->comm->context->scratch_limit == 0 &&
           s->comm->size <= DIST_SORT_MERGED && order.flip == ascending.flip &&
           order.keep == ascending.keep;
}

/* Takes memory, and looks at a sample of the keys. */
static parscan_status prepare_dist_sort(dist_sort *s, const request *r, dist_sort_head *head)
{
    sort_parts *const parts = &s->parts;
    const size_t size = s->comm->size;
    parscan_status status = s->engine->prepare(parts);
    s->heads = parscan_dist_sort_memory(s, size, sizeof *s->heads, &status);
    s->gathered = parscan_dist_sort_memory(s, size, 4096, &status);
    s->border = parscan_dist_sort_memory(s, 5 * size + 1, sizeof *s->border, &status);
    s->cursor = parscan_dist_sort_memory(s, size, sizeof *s->cursor, &status);
    s->pieces = parscan_dist_sort_memory(s, size, sizeof *s->pieces, &status);
    const size_t digits = (size_t)1 << parts->digit_bits;
    s->counts = parscan_dist_sort_memory(s, 2 * digits, sizeof *s->counts, &status);
    s->buckets = parscan_dist_sort_memory(s, digits, sizeof *s->buckets, &status);
    if (status == PARSCAN_OK)
        status = parscan_dist_sort_elements(s, DIST_SORT_BUCKETS, parts->n_in + DIST_SORT_STEP,
                                            &s->split);
    if (status == PARSCAN_OK)
        status = bring_arrays(s, r->argsort);
    if (status == PARSCAN_OK && r->argsort)
        status = parscan_dist_sort_elements(s, DIST_SORT_KEYS, parts->n_out, &s->discarded);
    if (status == PARSCAN_OK && !merges(s, r))
        status =
            s->engine->find_bits(parts, parts->call.in.keys, parts->n_in, false, &head->sample);
    if (status != PARSCAN_OK)
        return status;
    if (r->argsort)
        parts->call.out.keys = s->discarded.keys;
    s->send_begin = s->border + size + 1;
    s->send_counts = s->send_begin + size;
    s->receive_begin = s->send_counts + size;
    s->receive_counts = s->receive_begin + size;
    head->n_in = parts->n_in;
    head->n_out = parts->n_out;
    head->digit_bits = parts->digit_bits;
    head->small = parts->small;
    head->limit = parts->limit;
    head->round = parts->round;
    head->least_round = parts->least_round;
    head->room = room_for_rounds(s);
    head->bucket_bytes = parts->bucket_bytes;
    head->merges = merges(s, r);
    head->piece = parts->piece;
    return PARSCAN_OK;
}

/* Draws the same conclusions on all ranks. */
static parscan_status conclude(dist_sort *s, sort_bits *sampled)
{
    const dist_sort_head *const h = s->heads;
    uint64_t out = 0;
    *sampled = (sort_bits){0, 0};
    s->merged = true;
    s->small = s->limit = s->bucket_bytes = UINT64_MAX;
    s->digit_bits = (unsigned)h[0].digit_bits;
    for (unsigned r = 0; r < s->comm->size; r++) {
        if (r < s->comm->rank)
            s->parts.call.first_index += h[r].n_in;
        s->total += h[r].n_in;
        s->merged = s->merged && h[r].merges;
        s->piece = h[r].piece > s->piece ? h[r].piece : s->piece;
        s->border[r] = out;
        out += h[r].n_out;
        sampled->ones |= h[r].sample.ones;
        sampled->zeros |= h[r].sample.zeros;
        s->digit_bits = (unsigned)dist_sort_least(s->digit_bits, h[r].digit_bits);
        s->small = dist_sort_least(s->small, h[r].small);
        s->limit = dist_sort_least(s->limit, h[r].limit);
        s->round = h[r].round > s->round ? h[r].round : s->round; /* some ranks have few elements */
        s->least_round = h[r].least_round > s->least_round ? h[r].least_round : s->least_round;
        s->bucket_bytes = dist_sort_least(s->bucket_bytes, h[r].bucket_bytes);
    }
    s->border[s->comm->size] = out;
    if (s->total == out)
        return PARSCAN_OK;
    return parscan_comm_fail(
        s->comm, PARSCAN_ERROR_INVALID_ARGUMENT,
        "the sum of all n_in = %llu, that of all n_out = %llu: they must be equal",
        (unsigned long long)s->total, (unsigned long long)out);
}

static parscan_status sort_all(dist_sort *s, const request *r, parscan_status status)
{
    dist_sort_head head = {0};
    sort_bits sampled;
    bool apart = false;
    if (status == PARSCAN_OK)
        status = prepare_dist_sort(s, r, &head);
    status = parscan_comm_gather(s->comm, status, &head, sizeof head, s->heads);
    if (status == PARSCAN_OK)
        status = conclude(s, &sampled);
    if (status == PARSCAN_OK && !r->argsort)
        status = parscan_dist_sort_apart(s, r->key_type, r->options, &apart);
    if (status != PARSCAN_OK || s->total == 0 || apart)
        return status;
    if (s->merged)
        return parscan_dist_sort_merged(s, r->key_type);
    status = parscan_dist_sort_split(s, sampled);
    if (status == PARSCAN_OK)
        status = parscan_dist_sort_plan(s);
    return status == PARSCAN_OK ? parscan_dist_sort_exchange(s) : status;
}

/* One rank: the local sort. */
static parscan_status sort_alone(const request *r, parscan_status status)
{
    parscan_context *const context = r->comm->context;
    if (status == PARSCAN_OK)
        status = r->comm->early;
    if (status == PARSCAN_OK && r->n_in != r->n_out)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "n_in = %zu, but n_out = %zu", r->n_in, r->n_out);
    if (status == PARSCAN_OK && r->argsort)
        status = parscan_argsort(context, r->key_type, r->keys_in, PARSCAN_U64, r->values_out,
                                 r->n_in, r->options);
    else if (status == PARSCAN_OK && r->pairs)
        status = parscan_sort_pairs(context, r->key_type, r->keys_in, r->keys_out, r->value_size,
                                    r->values_in, r->values_out, r->n_in, r->options);
    else if (status == PARSCAN_OK)
        status =
            parscan_sort_keys(context, r->key_type, r->keys_in, r->keys_out, r->n_in, r->options);
    return parscan_comm_finish(r->comm, status);
}

static parscan_status sort_in_ranks(const request *r)
{
    static const sort_parts_engine *const engines[] =
        PARSCAN_ENGINES(&parscan_sort_parts_cpu, &parscan_sort_parts_cuda);
    parscan_status status = parscan_comm_begin(r->comm, r->name);
    if (status != PARSCAN_OK)
        return status;
    dist_sort s = {.comm = r->comm, .engine = engines[r->comm->context->backend]};
    status = check_dist_sort(&s, r);
    status = r->comm->size == 1 ? sort_alone(r, status) : sort_all(&s, r, status);
    parscan_comm_end(s.comm);
    return status;
}

parscan_status parscan_dist_sort_keys(parscan_comm *comm, parscan_type key_type,
                                      const void *keys_in, size_t n_in, void *keys_out,
                                      size_t n_out, const parscan_sort_options *options)
{
    return sort_in_ranks(&(request){.comm = comm,
                                    .name = "parscan_dist_sort_keys",
                                    .key_type = key_type,
                                    .keys_in = keys_in,
                                    .keys_out = keys_out,
                                    .n_in = n_in,
                                    .n_out = n_out,
                                    .options = options});
}

parscan_status parscan_dist_sort_pairs(parscan_comm *comm, parscan_type key_type,
                                       const void *keys_in, void *keys_out, size_t value_size,
                                       const void *values_in, void *values_out, size_t n_in,
                                       size_t n_out, const parscan_sort_options *options)
{
    return sort_in_ranks(&(request){.comm = comm,
                                    .name = "parscan_dist_sort_pairs",
                                    .key_type = key_type,
                                    .keys_in = keys_in,
                                    .keys_out = keys_out,
                                    .value_size = value_size,
                                    .values_in = values_in,
                                    .values_out = values_out,
                                    .n_in = n_in,
                                    .n_out = n_out,
                                    .options = options,
                                    .pairs = true});
}

parscan_status parscan_dist_argsort(parscan_comm *comm, parscan_type key_type, const void *keys,
                                    size_t n_in, uint64_t *indices_out, size_t n_out,
                                    const parscan_sort_options *options)
{
    return sort_in_ranks(&(request){.comm = comm,
                                    .name = "parscan_dist_argsort",
                                    .key_type = key_type,
                                    .keys_in = keys,
                                    .value_size = sizeof *indices_out,
                                    .values_out = indices_out,
                                    .n_in = n_in,
                                    .n_out = n_out,
                                    .options = options,
                                    .argsort = true});
}
