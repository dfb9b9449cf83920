/*
 * Another thread stores to the inputs of a call while it runs. The results may be anything. But what
 * lies outside of the arrays must not change nor be read, and every call must end. Each array, and the
 * scratch of the context, lies against a page that ends the process when it is touched.
 */
#define _DEFAULT_SOURCE /* alarm */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/scan/cpu/changing_calls.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/guarded.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test_engine.h"

enum {
    ALIGNMENT = 64,
    SCRATCHES = 8,      /* pieces that a context has at once */
    MOST_SECONDS = 300, /* of a test; a call that does not end is an error */
    STORES = 64         /* that follow each other in the same way */
};

static const struct {
    size_t n;
    unsigned repeats;
} sizes[] = {
    {300, 10},   /* vectors, with a remainder */
    {20011, 4},  /* a bucket within the caches */
    {540011, 2}, /* several threads, tiles and buckets; stores of 64-bit keys bypass the caches */
};

/* ---- scratch between guard pages ---- */

typedef struct scratch_list {
    guarded memory[SCRATCHES];
    void *pointer[SCRATCHES];
} scratch_list;

static void *allocate_guarded(size_t size, void *user)
{
    scratch_list *const list = user;
    for (size_t k = 0; k < SCRATCHES; k++) {
        if (list->pointer[k] != NULL)
            continue;
        list->memory[k] = guarded_create(size + ALIGNMENT);
        const size_t whole = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return list->pointer[k] = guarded_array(list->memory[k], whole, true);
    }
    return NULL;
}

static void release_guarded(void *pointer, void *user)
{
    scratch_list *const list = user;
    for (size_t k = 0; k < SCRATCHES; k++)
        if (list->pointer[k] == pointer) {
            guarded_destroy(list->memory[k]);
            list->pointer[k] = NULL;
        }
}

/* ---- what is stored ---- */

/* The arrays of a call, and the thread that stores to the inputs. */
typedef struct scene {
    const changing_call *call;
    size_t n;
    guarded memory[CHANGING_ARRAYS];
    char *at[CHANGING_ARRAYS], *original[CHANGING_ARRAYS];
    uint64_t random;
    atomic_bool over;
} scene;

static uint32_t next_random(scene *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)(s->random >> 16);
}

static size_t bytes_of(const scene *s, size_t k)
{
    const changing_array *const array = &s->call->arrays[k];
    return array->an_element * s->n + array->more;
}

/* A word that an array may hold during a call. */
static uint32_t next_word(scene *s, array_content content)
{
    const uint32_t word = next_random(s);
    switch (content) {
    case OFFSETS:
    case LONG:
        return word % (2 * (uint32_t)s->n);
    case SIZES:
        return word % (MOST_BYTES + 1);
    case FEW:
        return word % 16 == 0 ? 0 : word;
    default:
        return word;
    }
}

/* Word i of an array before a call. */
static uint32_t first_word(scene *s, array_content content, size_t i, size_t words)
{
    switch (content) {
    case FEW:
        return next_random(s) % 16;
    case BINS:
        return next_random(s) % WIDE_BINS;
    case OFFSETS:
        return (uint32_t)(s->n * i / (words - 1));
    case LONG:
        return (uint32_t)(i < words / 2 ? 0 : i < words / 2 + 5 ? s->n / 3 : s->n);
    case MULTIPLES:
        return (uint32_t)i * MOST_BYTES;
    default:
        return next_word(s, content);
    }
}

static void put_word(scene *s, size_t k, size_t i, uint32_t word)
{
    memcpy(s->at[k] + i * sizeof word, &word, sizeof word);
}

static uint32_t original_word(const scene *s, size_t k, size_t i)
{
    uint32_t word;
    memcpy(&word, s->original[k] + i * sizeof word, sizeof word);
    return word;
}

/* Stores to an array in one of several ways. Offsets go on to start with 0 and to end with n most of
   the time, so that they are not refused at once. */
static void change_array(scene *s, size_t k)
{
    const array_content content = s->call->arrays[k].content;
    const size_t bytes = bytes_of(s, k), words = bytes / sizeof(uint32_t);
    const bool counted = content == OFFSETS || content == LONG || content == SIZES;
    const size_t block = next_random(s) % words, left = words - block;
    switch (next_random(s) % 7) {
    case 0:
        memset(s->at[k], 0, bytes);
        break;
    case 1:
        for (size_t i = 0; counted && i < words; i++)
            put_word(s, k, i, content == SIZES ? MOST_BYTES : (uint32_t)s->n);
        if (!counted)
            memset(s->at[k], 0xff, bytes);
        break;
    case 2:
        for (size_t i = 0; i < left; i++)
            put_word(s, k, block + i, next_word(s, content));
        break;
    case 5: /* offsets still ascend, but in another place */
        for (size_t i = 0; counted && i < words; i++) {
            const uint32_t end = (uint32_t)s->n,
                           moved = original_word(s, k, i) + (uint32_t)block * 4;
            put_word(s, k, i, content == SIZES ? moved % MOST_BYTES : moved < end ? moved : end);
        }
        break;
    case 3: /* many keys of one digit become keys of another */
        for (size_t i = 0; i < left; i++)
            put_word(s, k, block + i,
                     content == KEYS ? (uint32_t)0 - (i % 2) : next_word(s, content));
        break;
    case 4:
        for (size_t i = 0; i < STORES; i++)
            put_word(s, k, next_random(s) % words, next_word(s, content));
        break;
    default:
        memcpy(s->at[k], s->original[k], bytes);
    }
    if (content == OFFSETS || content == LONG) {
        put_word(s, k, 0, 0);
        put_word(s, k, words - 1, (uint32_t)s->n);
    }
}

static bool is_changed(array_content content)
{
    return content != UNUSED && content != OUTPUT && content != MULTIPLES;
}

static void *change_all(void *argument)
{
    scene *const s = argument;
    while (!atomic_load_explicit(&s->over, memory_order_relaxed))
        for (size_t k = 0; k < CHANGING_ARRAYS; k++)
            if (is_changed(s->call->arrays[k].content))
                change_array(s, k);
    return NULL;
}

/* ---- a call ---- */

static scene *begin_scene(const changing_call *call, size_t n, bool at_end)
{
    scene *const s = calloc(1, sizeof *s);
    cr_assert_not_null(s);
    *s = (scene){.call = call, .n = n, .random = 0x9e3779b97f4a7c15u + n};
    for (size_t k = 0; k < CHANGING_ARRAYS; k++) {
        const array_content content = call->arrays[k].content;
        if (content == UNUSED)
            continue;
        const size_t bytes = bytes_of(s, k), words = bytes / sizeof(uint32_t);
        s->memory[k] = guarded_create(bytes);
        s->at[k] = guarded_array(s->memory[k], bytes, at_end);
        for (size_t i = 0; content != OUTPUT && i < words; i++)
            put_word(s, k, i, first_word(s, content, i, words));
        s->original[k] = malloc(bytes);
        cr_assert_not_null(s->original[k]);
        memcpy(s->original[k], s->at[k], bytes);
    }
    return s;
}

static void end_scene(scene *s)
{
    for (size_t k = 0; k < CHANGING_ARRAYS; k++)
        if (s->at[k] != NULL) {
            guarded_destroy(s->memory[k]);
            free(s->original[k]);
        }
    free(s);
}

static void call_while_inputs_change(parscan_context *context, const changing_call *call, size_t n,
                                     unsigned repeats, bool at_end)
{
    scene *const s = begin_scene(call, n, at_end);
    changing_arguments arguments = {.context = context, .n = n};
    memcpy(arguments.array, s->at, sizeof arguments.array);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, change_all, s), 0);
    for (unsigned k = 0; k < repeats; k++) {
        const parscan_status status = call->run(&arguments);
        cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_INVALID_ARGUMENT ||
                      status == PARSCAN_ERROR_CAPACITY || status == PARSCAN_ERROR_OVERFLOW ||
                      status == PARSCAN_ERROR_INTERNAL,
                  "%s: %s", call->name, parscan_context_error(context));
    }
    atomic_store(&s->over, true);
    pthread_join(thread, NULL);
    end_scene(s);
}

static void every_call(size_t size, unsigned threads)
{
    scratch_list scratch = {.pointer = {NULL}};
    parscan_context *const context = test_context_with((parscan_context_options){
        .threads = threads, .allocator = {allocate_guarded, release_guarded, &scratch}});
    alarm(MOST_SECONDS);
    for (size_t k = 0; k < changing_call_count; k++) {
        const changing_call *const call = &changing_calls[k];
        if (sizes[size].n > 500000 && !takes_larger_case())
            continue;
        guarded_watch(call->name);
        const unsigned repeats = LESS_UNDER_SANITIZER(sizes[size].repeats, 2);
        call_while_inputs_change(context, call, sizes[size].n, repeats,
                                 (k % 2 == 0) == (threads == 1));
    }
    alarm(0);
    parscan_context_destroy(context);
}

SimdTest(changing_input, lets_no_call_leave_its_arrays_of_few_elements)
{
    every_call(0, 1);
}

SimdTest(changing_input, lets_no_call_leave_its_arrays_within_the_caches)
{
    every_call(1, 1);
}

SimdTest(changing_input, lets_no_call_leave_its_arrays_on_one_thread)
{
    every_call(2, 1);
}

SimdTest(changing_input, lets_no_call_leave_its_arrays_on_several_threads)
{
    every_call(2, 3);
}
