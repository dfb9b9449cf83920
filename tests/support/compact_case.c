#include "tests/support/compact_case.h"
#include "tests/support/half_number.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/number.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/plot.h"
#include "tests/support/random.h"
#include "tests/support/remember.h"

enum { VALUES, INDICES, COLUMNS, OUTPUTS };

/* What a call must write to one output; bytes is NULL when the output is NULL. */
typedef struct answer {
    const char *name;
    size_t count, size;
    char *bytes;
} answer;

static struct {
    plot in, flags, out[OUTPUTS];
    char words[CASE_WORDS];
} here;

static void *allocate_compact_array(size_t bytes)
{
    void *const memory = malloc(bytes + 1);
    if (memory == NULL)
        abort();
    return memory;
}

static size_t element_size(const compact_case *c)
{
    return c->kind == COMPACT_FLAGS ? c->element_size : parscan_type_size(c->type);
}

parscan_status call_compact(parscan_context *context, const compact_case *c, const void *in,
                            const uint8_t *flags, void *const out[3], uint64_t *count)
{
    switch (c->kind) {
    case COMPACT_FLAGS:
        return parscan_compact(context, c->element_size, in, flags, out[VALUES], c->n, count);
    case COMPACT_IF:
        return parscan_compact_if(context, c->type, in, c->keep, out[VALUES], c->n, count);
    case COMPACT_INDICES:
        return parscan_compact_indices(context, c->type, in, c->keep, c->index_type, out[INDICES],
                                       c->n, count);
    case COMPACT_BOTH:
        return parscan_compact_with_indices(context, c->type, in, c->keep, out[VALUES],
                                            c->index_type, out[INDICES], c->n, count);
    case COMPACT_PARTITION:
        return parscan_partition(context, c->type, in, c->keep, out[VALUES], c->n, count);
    case COMPACT_UNIQUE:
        return parscan_unique(context, c->type, in, out[VALUES], c->n, count);
    case COMPACT_RUNS:
        return parscan_run_length_encode(context, c->type, in, out[VALUES], c->index_type,
                                         out[INDICES], c->n, count);
    default:
        return parscan_dense_to_csr(context, c->type, in, c->rows, c->columns, c->index_type,
                                    out[INDICES], out[COLUMNS], out[VALUES], count);
    }
}

static size_t ask_oracle(const compact_case *c, const void *in, uint64_t *indices)
{
    size_t count = 0;
    switch (c->kind) {
    case COMPACT_FLAGS:
        for (size_t i = 0; i < c->n; i++)
            if (c->flags[i] != 0)
                indices[count++] = i;
        return count;
    case COMPACT_UNIQUE:
    case COMPACT_RUNS:
        return oracle_run_starts(c->type, in, c->n, indices);
    case COMPACT_CSR:
        return oracle_kept(c->type, in, c->n, NULL, indices);
    default:
        return oracle_kept(c->type, in, c->n, c->keep, indices);
    }
}

/* The same, which is asked once for each input: the indices, and after them how many there are. */
static size_t oracle_indices(const compact_case *c, const void *in, uint64_t *indices)
{
    const parscan_predicate *const keep = c->kind == COMPACT_FLAGS ? NULL : c->keep;
    const size_t size = c->kind == COMPACT_FLAGS ? 0 : parscan_type_size(c->type);
    const uint64_t parts[] = {(uint64_t)c->kind, (uint64_t)c->type, keep != NULL,
                              keep != NULL ? (uint64_t)keep->comparison : 0};
    uint64_t asked = fingerprint(3, parts, sizeof parts);
    asked = fingerprint(asked, c->flags, c->kind == COMPACT_FLAGS ? c->n : 0);
    asked = fingerprint(asked, in, c->n * size);
    if (keep != NULL) {
        asked = fingerprint(asked, keep->value, keep->value != NULL ? size : 0);
        asked = fingerprint(asked, keep->upper, keep->upper != NULL ? size : 0);
    }
    if (!recall(asked, indices, (c->n + 1) * sizeof *indices)) {
        indices[c->n] = ask_oracle(c, in, indices);
        remember(asked, indices, (c->n + 1) * sizeof *indices);
    }
    return indices[c->n];
}

/* The elements of `in` with these indices. */
static answer gathered(const compact_case *c, const char *in, const uint64_t *indices, size_t count)
{
    const size_t size = element_size(c);
    answer a = {"element", count, size, allocate_compact_array(count * size)};
    for (size_t k = 0; k < count; k++)
        memcpy(a.bytes + k * size, in + indices[k] * size, size);
    return a;
}

static answer numbers(const char *name, parscan_type type, size_t count)
{
    const size_t size = parscan_type_size(type);
    return (answer){name, count, size, allocate_compact_array(count * size)};
}

static answer partitioned(const compact_case *c, const char *in, const uint64_t *indices,
                          size_t count)
{
    uint64_t *const order = allocate_compact_array(c->n * sizeof *order);
    size_t kept = 0, left_out = count;
    for (size_t i = 0; i < c->n; i++)
        if (kept < count && indices[kept] == i)
            order[kept++] = i;
        else
            order[left_out++] = i;
    const answer a = gathered(c, in, order, c->n);
    free(order);
    return a;
}

static answer lengths(const compact_case *c, const uint64_t *starts, size_t count)
{
    const answer a = numbers("length", c->index_type, count);
    for (size_t k = 0; k < count; k++)
        number_write_integer(c->index_type, a.bytes, k,
                             (k + 1 < count ? starts[k + 1] : c->n) - starts[k]);
    return a;
}

static answer row_offsets(const compact_case *c, const uint64_t *indices, size_t count)
{
    const answer a = numbers("row offset", c->index_type, c->rows + 1);
    size_t k = 0;
    for (size_t r = 0; r <= c->rows; r++) {
        while (k < count && indices[k] < r * c->columns)
            k++;
        number_write_integer(c->index_type, a.bytes, r, k);
    }
    return a;
}

static answer column_indices(const compact_case *c, const uint64_t *indices, size_t count)
{
    const answer a = numbers("column index", c->index_type, count);
    for (size_t k = 0; k < count; k++)
        number_write_integer(c->index_type, a.bytes, k, indices[k] % c->columns);
    return a;
}

static size_t answer_case(const compact_case *c, const void *in, answer answers[OUTPUTS])
{
    uint64_t *const indices = allocate_compact_array((c->n + 1) * sizeof *indices);
    const size_t count = oracle_indices(c, in, indices);
    memset(answers, 0, OUTPUTS * sizeof *answers);
    if (c->kind == COMPACT_PARTITION)
        answers[VALUES] = partitioned(c, in, indices, count);
    else if (c->kind != COMPACT_INDICES && !c->no_values)
        answers[VALUES] = gathered(c, in, indices, count);
    if (c->kind == COMPACT_RUNS && !c->no_indices)
        answers[INDICES] = lengths(c, indices, count);
    if (c->kind == COMPACT_INDICES || (c->kind == COMPACT_BOTH && !c->no_indices))
        answers[INDICES] = (answer){"index", count, parscan_type_size(c->index_type),
                                    numbers_as(c->index_type, indices, count)};
    if (c->kind == COMPACT_CSR) {
        answers[INDICES] = row_offsets(c, indices, count);
        if (!c->no_indices)
            answers[COLUMNS] = column_indices(c, indices, count);
    }
    free(indices);
    return count;
}

static void describe(parscan_context *context, const compact_case *c, plot_place in)
{
    static const char *const kinds[] = {
        "compact",   "compact_if", "compact_indices",   "compact_with_indices",
        "partition", "unique",     "run_length_encode", "dense_to_csr"};
    static const char *const comparisons[] = {"!= 0", "==", "!=", "<", "<=", ">", ">=", "between"};
    const char *const index = parscan_type_name(c->index_type);
    snprintf(
        here.words, sizeof here.words,
        "%s of %zu (%zu x %zu) %s of %zu bytes, keep %s, index type %s, in place %d, values %d, "
        "indices %d, threads %u, simd %s, input %u bytes from the guard %s it",
        kinds[c->kind], c->n, c->rows, c->columns,
        c->kind == COMPACT_FLAGS ? "elements" : parscan_type_name(c->type), element_size(c),
        c->keep == NULL ? "NULL" : comparisons[c->keep->comparison], index != NULL ? index : "none",
        c->in_place, !c->no_values, !c->no_indices, parscan_context_threads(context),
        parscan_context_simd(context), in.gap, in.at_end ? "after" : "before");
}

static void expect_once(parscan_context *context, const compact_case *c, const void *in,
                        const answer answers[OUTPUTS], size_t expected_count,
                        const plot_place places[2 + OUTPUTS])
{
    const size_t bytes = c->n * element_size(c);
    void *out[OUTPUTS] = {NULL};
    for (size_t k = 0; k < OUTPUTS; k++)
        if (answers[k].bytes != NULL)
            out[k] =
                plot_output(&here.out[k],
                            c->in_place && k == VALUES ? bytes : answers[k].count * answers[k].size,
                            places[2 + k]);
    const void *from = out[VALUES];
    if (!c->in_place)
        from = plot_input(&here.in, in, bytes, places[0]);
    else if (bytes > 0)
        memcpy(out[VALUES], in, bytes);
    const uint8_t *flags = NULL;
    if (c->kind == COMPACT_FLAGS)
        flags = plot_input(&here.flags, c->flags, c->n, places[1]);
    uint64_t count = UINT64_C(0xa5a5a5a5a5a5a5a5);
    describe(context, c, places[c->in_place ? 2 : 0]);
    guarded_watch(here.words);
    const parscan_status status = call_compact(context, c, from, flags, out, &count);
    if (status != PARSCAN_OK || parscan_synchronize(context) != PARSCAN_OK)
        cr_assert_fail("%s: %s", parscan_context_error(context), here.words);
    if (count != expected_count)
        cr_assert_fail("count is %llu, not %zu: %s", (unsigned long long)count, expected_count,
                       here.words);
    for (size_t k = 0; k < OUTPUTS; k++)
        if (out[k] != NULL)
            plot_expect(&here.out[k], answers[k].name, answers[k].bytes, answers[k].count,
                        answers[k].size, here.words);
}

void expect_compact(parscan_context *context, const compact_case *c, const void *in)
{
    answer answers[OUTPUTS];
    plot_place places[2 + OUTPUTS];
    const size_t count = answer_case(c, in, answers);
    for (int anywhere = 0; anywhere < 2; anywhere++) {
        for (size_t k = 0; k < COUNT_OF(places); k++)
            places[k] = anywhere ? plot_anywhere() : (plot_place){.at_end = true};
        expect_once(context, c, in, answers, count, places);
    }
    for (size_t k = 0; k < OUTPUTS; k++)
        free(answers[k].bytes);
}

void predicate_of(odd_predicate *of, parscan_type type, parscan_comparison comparison,
                  const void *value, const void *upper)
{
    const size_t size = parscan_type_size(type);
    char *const odd[] = {of->odd[0] + ((uintptr_t)of->odd[0] + 1) % 2,
                         of->odd[1] + ((uintptr_t)of->odd[1] + 1) % 2};
    of->keep = PARSCAN_PREDICATE(.comparison = comparison);
    if (value != NULL)
        of->keep.value = memcpy(odd[0], value, size);
    if (upper != NULL)
        of->keep.upper = memcpy(odd[1], upper, size);
}

bool pattern_keeps(pattern p, size_t i, size_t n)
{
    switch (p) {
    case ALL:
        return true;
    case RARE:
        return random_below(100) == 0;
    case HALF:
        return random_below(2) == 0;
    case MOST:
        return random_below(10) != 0;
    case ALTERNATING:
        return i % 2 == 0;
    case FIRST:
        return i == 0;
    case LAST:
        return i == n - 1;
    case LONG_RUNS:
        return i / 97 % 2 == 0;
    default:
        return false;
    }
}

pattern any_pattern(void)
{
    return (pattern)random_below(PATTERNS);
}

/* A random element: any bits, or one of those that comparisons get wrong. */
static void random_element(parscan_type type, void *element)
{
    static parscan_type type_of_specials;
    static char specials[NUMBER_SPECIALS * sizeof(uint64_t)];
    static size_t count;
    const size_t size = parscan_type_size(type);
    if (type_of_specials != type)
        count = number_specials(type_of_specials = type, specials);
    const uint64_t bits = random_bits();
    if (random_below(4) == 0)
        memcpy(element, specials + random_below(count) * size, size);
    else if (oracle_is_float(type) && random_below(8) != 0)
        random_fill(type, PARSCAN_SUM, element, 1);
    else
        memcpy(element, &bits, size);
}

void *patterned_array(parscan_type type, const parscan_predicate *keep, pattern p, size_t n)
{
    enum { TRIES = 3 };
    const size_t size = parscan_type_size(type);
    char *const array = allocate_compact_array(n * size);
    char last[2][sizeof(uint64_t)]; /* of either sort, for where chance does not find one */
    bool any[2] = {false, false};
    for (size_t k = 0; k < 1000 && !(any[0] && any[1]); k++) {
        char element[sizeof(uint64_t)] = {0};
        if (k > 0)
            random_element(type, element);
        else if (keep != NULL && keep->value != NULL)
            memcpy(element, keep->value, size);
        const bool kept = oracle_keeps(type, element, keep);
        memcpy(last[kept], element, size);
        any[kept] = true;
    }
    for (size_t i = 0; i < n; i++) {
        const bool wanted = any[0] && any[1] ? pattern_keeps(p, i, n) : any[1];
        char *const element = array + i * size;
        random_element(type, element);
        for (int k = 0; k < TRIES && oracle_keeps(type, element, keep) != wanted; k++)
            random_element(type, element);
        if (oracle_keeps(type, element, keep) != wanted)
            memcpy(element, last[wanted], size);
    }
    return array;
}

/* Of 16 bits the low byte may hold all that tells a NaN from infinity, so it is made quiet first. */
static void vary_nan(parscan_type type, void *element, uint64_t bits)
{
    uint16_t half;
    if (!is_half(type)) {
        ((unsigned char *)element)[0] ^= (unsigned char)bits;
        return;
    }
    memcpy(&half, element, sizeof half);
    half = (uint16_t)((half | (type == PARSCAN_F16 ? 0x200 : 0x40)) ^ (bits & 0x3f));
    memcpy(element, &half, sizeof half);
}

/* Other bits of the same number: of zero, the other sign; of NaN, another payload. */
static void vary(parscan_type type, void *element)
{
    const uint64_t bits = random_bits();
    const number x = number_read(type, element, 0);
    if (!x.is_float)
        return;
    if (x.real == 0)
        number_write_real(type, element, 0, bits % 2 == 0 ? 0.0 : -0.0);
    else if (x.real != x.real)
        vary_nan(type, element, bits);
}

void *array_of_runs(parscan_type type, size_t length, size_t n)
{
    const size_t size = parscan_type_size(type);
    char *const array = allocate_compact_array(n * size);
    for (size_t i = 0; i < n; i++) {
        char *const element = array + i * size;
        if (i == 0 || random_below(length) == 0) {
            random_element(type, element);
        } else {
            memcpy(element, element - size, size);
            vary(type, element);
        }
    }
    return array;
}
