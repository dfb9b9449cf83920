#include "tests/support/chunked_case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/engine_array.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5, TREE_TILE = 2048 };

void *need_memory(size_t bytes)
{
    void *const memory = malloc(bytes + 1);
    cr_assert_not_null(memory);
    return memory;
}

chunked_contexts chunked_contexts_make(unsigned threads)
{
    return (chunked_contexts){{test_context_with((parscan_context_options){.threads = 1}),
                               test_context_with((parscan_context_options){.threads = threads})}};
}

void chunked_contexts_destroy(chunked_contexts *contexts)
{
    parscan_context_destroy(contexts->of[0]);
    parscan_context_destroy(contexts->of[1]);
}

size_t chunked_cut(size_t done, size_t left, size_t most)
{
    size_t n;
    switch (random_below(8)) {
    case 0:
        n = 0;
        break;
    case 1:
        n = 1;
        break;
    case 2:
        n = random_below(70);
        break;
    case 3:
        n = TREE_TILE - done % TREE_TILE;
        break;
    case 4:
        n = TREE_TILE * (1 + random_below(most / TREE_TILE + 1));
        break;
    default:
        n = random_below(most + 1);
        break;
    }
    return n < left ? n : left;
}

size_t first_difference(parscan_type type, const void *a, const void *b, size_t n)
{
    const size_t size = parscan_type_size(type);
    const char *const left = a, *const right = b;
    for (size_t i = 0; i < n; i++) {
        if (memcmp(left + i * size, right + i * size, size) == 0)
            continue;
        const number x = number_read(type, a, i), y = number_read(type, b, i);
        if (!x.is_float || !isnan(x.real) || !isnan(y.real))
            return i;
    }
    return n;
}

/* An output of a chunk, between guards. */
static char *guarded_output(size_t bytes)
{
    char *const memory = need_memory(bytes + 2 * GUARD);
    memset(memory, GUARD_BYTE, bytes + 2 * GUARD);
    return memory + GUARD;
}

static void check_guards(char *out, size_t bytes)
{
    for (size_t k = 0; k < GUARD; k++)
        cr_assert((unsigned char)out[bytes + k] == GUARD_BYTE &&
                      (unsigned char)out[k - GUARD] == GUARD_BYTE,
                  "a byte beside an output was written");
    free(out - GUARD);
}

/* Moves the work to a new object in the other context. */
static parscan_chunked *moved(const chunked_contexts *contexts, const chunked_case *c,
                              parscan_chunked *chunked, unsigned *where)
{
    const size_t size = parscan_chunked_carry_size(chunked);
    char *const carry = need_memory(size + 1);
    parscan_chunked *other;
    cr_assert_eq(parscan_chunked_carry_get(chunked, carry + 1, size), PARSCAN_OK);
    parscan_chunked_destroy(chunked);
    *where = 1 - *where;
    cr_assert_eq(c->make(&other, contexts->of[*where], c->what), PARSCAN_OK);
    const parscan_status status = parscan_chunked_carry_set(other, carry + 1, size);
    cr_assert_eq(status, PARSCAN_OK, "%s", parscan_context_error(contexts->of[*where]));
    free(carry);
    return other;
}

/* A chunk's arrays: in, in2, out, out2; `there`: copies in the engine's memory. NULL: not there. */
enum { IN, IN2, OUT, OUT2, ARRAYS };
typedef struct chunk_arrays {
    char *host[ARRAYS];
    size_t bytes[ARRAYS];
    bool there;
    engine_array copies[ARRAYS];
    const void *given[ARRAYS];
} chunk_arrays;

static chunk_arrays arrays_create(parscan_context *context, const chunked_case *c, size_t done,
                                  size_t n)
{
    const size_t sizes[ARRAYS] = {c->in_size, c->in2_size, c->out_size, c->out2_size};
    const void *const whole[ARRAYS] = {c->in, c->in2, c->out, c->out2};
    const bool place = c->in_place && random_below(2) == 0;
    const bool place2 = c->in_place && c->pairs && random_below(2) == 0;
    chunk_arrays a = {.there = engine_has_memory(context) && random_below(2) == 0};
    for (int k = 0; k < ARRAYS; k++) {
        a.bytes[k] = n * sizes[k];
        a.host[k] = guarded_output(a.bytes[k]);
        if (k < OUT && whole[k] != NULL)
            memcpy(a.host[k], (const char *)whole[k] + done * sizes[k], a.bytes[k]);
        if (k == OUT && place)
            memcpy(a.host[OUT], a.host[IN], a.bytes[IN]);
        if (k == OUT2 && place2)
            memcpy(a.host[OUT2], a.host[IN2], a.bytes[IN2]);
        if (a.there)
            a.copies[k] = engine_array_create(context, a.host[k], a.bytes[k], 0);
        if (whole[k] != NULL || (k == IN && n == 0))
            a.given[k] = a.there ? a.copies[k].array : a.host[k];
    }
    if (place)
        a.given[IN] = a.given[OUT];
    if (place2)
        a.given[IN2] = a.given[OUT2];
    return a;
}

/* Brings the outputs to host memory, and frees the copies. */
static void arrays_read(chunk_arrays *a)
{
    for (int k = 0; k < ARRAYS && a->there; k++) {
        void *const held = engine_array_read(&a->copies[k], "a chunk in the engine's memory");
        memcpy(a->host[k], held, a->bytes[k]);
        free(held);
        engine_array_destroy(&a->copies[k]);
    }
}

/* Gives one chunk; `done` elements and `results` results come before it. Returns its results. */
static uint64_t give(parscan_chunked *chunked, parscan_context *context, const chunked_case *c,
                     size_t done, size_t n, uint64_t results)
{
    chunk_arrays a = arrays_create(context, c, done, n);
    uint64_t written = UINT64_MAX;
    const parscan_chunk chunk = {
        .struct_size = sizeof chunk,
        .in = a.given[IN],
        .in2 = a.given[IN2],
        .out = (void *)a.given[OUT],
        .out2 = (void *)a.given[OUT2],
        .n = n,
        .written = c->counts || random_below(2) == 0 ? &written : NULL,
    };
    const parscan_status status = parscan_chunked_update(chunked, &chunk);
    cr_assert_eq(status, PARSCAN_OK, "n = %zu: %s", n, parscan_context_error(context));
    arrays_read(&a);
    if (chunk.written != NULL && !c->counts)
        cr_assert_eq(written, c->out != NULL ? n : 0);
    const uint64_t some = c->counts ? written : c->out != NULL ? n : 0;
    cr_assert_leq(some, n);
    if (c->out != NULL)
        memcpy((char *)c->out + results * c->out_size, a.host[OUT], some * c->out_size);
    if (c->out2 != NULL)
        memcpy((char *)c->out2 + results * c->out2_size, a.host[OUT2], some * c->out2_size);
    for (int k = 0; k < ARRAYS; k++)
        check_guards(a.host[k], a.bytes[k]);
    return some;
}

static size_t next_length(const chunked_case *c, size_t done)
{
    size_t n = 0;
    if (c->borders == 0)
        return chunked_cut(done, c->n - done, c->most);
    while (done + n < c->n && !(n > 0 && c->borders >> (done + n - 1) & 1))
        n++;
    return n;
}

uint64_t chunked_run(const chunked_contexts *contexts, const chunked_case *c,
                     parscan_chunked_end end, uint64_t expected_total)
{
    unsigned where = (unsigned)random_below(2);
    parscan_chunked *chunked;
    uint64_t results = 0, written = 0, total = UINT64_MAX;
    cr_assert_eq(c->make(&chunked, contexts->of[where], c->what), PARSCAN_OK, "%s",
                 parscan_context_error(contexts->of[where]));
    for (size_t done = 0, n; done < c->n || random_below(4) == 0; done += n) {
        n = next_length(c, done);
        results += give(chunked, contexts->of[where], c, done, n, results);
        if (random_below(6) == 0)
            chunked = moved(contexts, c, chunked, &where);
    }
    end.struct_size = sizeof end;
    if (c->out2 != NULL && !c->pairs) {
        end.out = (char *)c->out + results * c->out_size;
        end.out2 = (char *)c->out2 + results * c->out2_size;
        end.written = &written;
    }
    end.total = &total;
    cr_assert_eq(parscan_chunked_finish(chunked, &end), PARSCAN_OK, "%s",
                 parscan_context_error(contexts->of[where]));
    cr_assert_eq(total, expected_total, "total %llu, not %llu", (unsigned long long)total,
                 (unsigned long long)expected_total);
    parscan_chunked_destroy(chunked);
    return results + written;
}
