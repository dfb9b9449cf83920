/*
 * The least scratch_limit of every call. It is that of one thread: with more threads in the context,
 * as many take part as the limit has room for. The same holds for an allocator that gives no larger
 * pieces than one thread needs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/sanitizer.h"

static const unsigned thread_counts[] = {2, 3, 8, 32};

/* A row of the table: a call that writes `bytes` bytes of out. */
typedef struct limited_call {
    const char *name;
    parscan_status (*run)(const struct limited_call *call, parscan_context *context, void *out);
    size_t primitive, n, bytes;
    const void *in;
    char *expected, *out;
} limited_call;

static bool works(const limited_call *call, parscan_context_options options)
{
    parscan_context *context;
    options.backend = PARSCAN_BACKEND_CPU;
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    const parscan_status status = call->run(call, context, call->out);
    cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_OUT_OF_MEMORY, "%s: %s", call->name,
              parscan_context_error(context));
    /* What a call tries in vain is no failure of the call. */
    cr_assert_eq(status == PARSCAN_OK, parscan_context_error(context)[0] == '\0');
    cr_assert(status != PARSCAN_OK || memcmp(call->out, call->expected, call->bytes) == 0,
              "%s of %zu elements on %u threads, scratch_limit %zu: the result is wrong",
              call->name, call->n, options.threads, options.scratch_limit);
    parscan_context_destroy(context);
    return status == PARSCAN_OK;
}

static bool works_within(const limited_call *call, unsigned threads, size_t limit)
{
    return works(call, PARSCAN_CONTEXT_OPTIONS(.threads = threads, .scratch_limit = limit));
}

/* 1 is the least limit that there is. */
static size_t least_limit_of_one_thread(const limited_call *call)
{
    size_t enough = 1;
    while (!works_within(call, 1, enough))
        enough *= 2;
    /* Under a sanitizer nearly the least. */
    const size_t near = LESS_UNDER_SANITIZER(1, 1 + enough / 16);
    for (size_t low = enough / 2, middle; enough > 1 && low + near < enough;) {
        middle = low + (enough - low) / 2;
        if (works_within(call, 1, middle))
            enough = middle;
        else
            low = middle;
    }
    return enough;
}

/* ---- an allocator that gives no larger pieces ---- */

enum {
    OWN_BYTES = 128 << 10, /* contexts, their threads, objects for chunks: they are no scratch */
    HEAD_BYTES = 128       /* what the library adds to a piece */
};

static void *allocate_up_to(size_t size, void *user)
{
    const size_t most = *(const size_t *)user;
    return size <= most + HEAD_BYTES || size <= OWN_BYTES ? malloc(size) : NULL;
}

static void release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

/* ---- the table ---- */

static void expect_the_limit_of_one_thread(limited_call *call)
{
    call->expected = malloc(call->bytes);
    call->out = malloc(call->bytes);
    cr_assert(call->expected != NULL && call->out != NULL);
    parscan_context *const alone = cpu_context(1);
    cr_assert_eq(call->run(call, alone, call->expected), PARSCAN_OK, "%s",
                 parscan_context_error(alone));
    parscan_context_destroy(alone);
    size_t least = least_limit_of_one_thread(call);
    for (size_t k = 0; k < sizeof thread_counts / sizeof *thread_counts; k++)
        cr_expect(works_within(call, thread_counts[k], least),
                  "%s of %zu elements: %zu bytes are enough for one thread, not for %u", call->name,
                  call->n, least, thread_counts[k]);
    const parscan_allocator allocator = {allocate_up_to, release, &least};
    cr_expect(works(call, PARSCAN_CONTEXT_OPTIONS(.threads = 8, .allocator = allocator)),
              "%s of %zu elements: one thread works with pieces of %zu bytes, 8 do not", call->name,
              call->n, least);
    free(call->expected);
    free(call->out);
}

static parscan_status run_primitive(const limited_call *call, parscan_context *context, void *out)
{
    return primitive_run(call->primitive, context, call->in, out);
}

static void expect_every_primitive(size_t n)
{
    primitive_inputs *const in = primitive_inputs_begin(n);
    cr_assert_not_null(in);
    for (size_t k = 0; k < primitive_count(); k++) {
        if (!takes_larger_case())
            continue;
        limited_call call = {.name = primitive_name(k),
                             .run = run_primitive,
                             .primitive = k,
                             .n = n,
                             .bytes = primitive_bytes(k, in),
                             .in = in};
        expect_the_limit_of_one_thread(&call);
    }
    primitive_inputs_end(in);
}

Test(scratch_limit, of_one_thread_is_enough_for_any_number_and_a_short_array)
{
    expect_every_primitive(1000);
}

/* A sort of keys of 4 bytes that one thread does within its caches. */
Test(scratch_limit, of_one_thread_is_enough_for_any_number_and_an_array_within_caches)
{
    expect_every_primitive((1u << 15) + 3);
}

Test(scratch_limit, of_one_thread_is_enough_for_any_number_and_a_longer_array)
{
    expect_every_primitive((1u << 18) + 3);
}

/* ---- what a context holds ---- */

typedef struct holder {
    size_t live, most;
} holder;

static void *allocate_held(size_t size, void *user)
{
    holder *const held = user;
    char *const block = malloc(size + HEAD_BYTES);
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof size);
    held->live += size;
    held->most = held->live > held->most ? held->live : held->most;
    return block + HEAD_BYTES;
}

static void release_held(void *pointer, void *user)
{
    char *const block = (char *)pointer - HEAD_BYTES;
    size_t size;
    memcpy(&size, block, sizeof size);
    ((holder *)user)->live -= size;
    free(block);
}

/* Each call finds the scratch of the calls before it. */
Test(scratch_limit, holds_for_all_calls_of_a_context_together)
{
    const size_t limit = (size_t)10 << 20;
    primitive_inputs *const in = primitive_inputs_begin((1u << 18) + 3);
    holder held = {0, 0};
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 8,
                                .scratch_limit = limit,
                                .allocator = {allocate_held, release_held, &held});
    parscan_context *context;
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    for (size_t round = 0; round < 2; round++)
        for (size_t k = 0; k < primitive_count(); k++) {
            char *const out = malloc(primitive_bytes(k, in));
            cr_assert_eq(primitive_run(k, context, in, out), PARSCAN_OK, "%s: %s",
                         primitive_name(k), parscan_context_error(context));
            cr_assert_leq(held.most, limit + OWN_BYTES, "%zu bytes in a %s", held.most,
                          primitive_name(k));
            free(out);
        }
    parscan_context_destroy(context);
    cr_assert_eq(held.live, 0);
    primitive_inputs_end(in);
}

/* ---- bin, where one thread takes scratch too ---- */

static parscan_status run_long_bin(const limited_call *call, parscan_context *context, void *out)
{
    const size_t bins = 200;
    return parscan_bin(context, PARSCAN_U8, call->in, 1, call->in, call->n, bins, PARSCAN_U32, out,
                       (char *)out + (bins + 1) * 4);
}

Test(scratch_limit, of_one_thread_is_enough_for_any_number_and_many_entries_to_bin)
{
    const size_t n = ((size_t)1 << 22) + 1;
    uint8_t *const in = malloc(n);
    cr_assert_not_null(in);
    for (size_t i = 0; i < n; i++)
        in[i] = (uint8_t)(i * i >> 7);
    limited_call call = {
        .name = "bin of many entries", .run = run_long_bin, .n = n, .bytes = n + 201 * 4, .in = in};
    expect_the_limit_of_one_thread(&call);
    free(in);
}
