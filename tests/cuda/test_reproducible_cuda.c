/* The reproducible scan on the GPU against the CPU engine's, to the bit. Skipped where there is no
   GPU. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/tree_oracle.h"

/* One call, made on both engines. */
typedef struct tree_case {
    scan_kind kind;
    parscan_type type, out_type;
    parscan_op op;
    bool reverse, starts;
    size_t n;
    size_t in_offset, out_offset; /* elements past an aligned address */
    bool in_place;
} tree_case;

/* Both engines, an input on the host, and room on the device and for both answers. */
typedef struct engines {
    parscan_context *cpu, *cuda;
    size_t most; /* elements */
    void *in, *expected, *found;
    char *device_in, *device_out;
} engines;

#define OFFSETS 4u /* elements of room for unaligned pointers */

static engines begin_engines(size_t most)
{
    const parscan_context_options cpu = PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU);
    const parscan_context_options cuda = PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA);
    const size_t bytes = (most + OFFSETS) * sizeof(double);
    engines b = {.most = most};
    if (parscan_context_create(&b.cuda, &cuda) == PARSCAN_ERROR_BACKEND)
        cr_skip_test("no CUDA device\n");
    cr_assert_not_null(b.cuda);
    cr_assert_eq(parscan_context_create(&b.cpu, &cpu), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(b.cuda, (void **)&b.device_in, bytes), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(b.cuda, (void **)&b.device_out, bytes), PARSCAN_OK);
    b.in = malloc(bytes);
    b.expected = malloc(bytes);
    b.found = malloc(bytes);
    cr_assert(b.in != NULL && b.expected != NULL && b.found != NULL);
    return b;
}

static void end(engines *b)
{
    parscan_free(b->cuda, b->device_in);
    parscan_free(b->cuda, b->device_out);
    parscan_context_destroy(b->cuda);
    parscan_context_destroy(b->cpu);
    free(b->in);
    free(b->expected);
    free(b->found);
}

static void expect_same_bits(engines *b, const tree_case *c)
{
    static const parscan_f16 init_f16 = {0x2e66};
    static const parscan_bf16 init_bf16 = {0x3dcd};
    static const float init_f32 = 0.1f;
    static const double init_f64 = 0.1;
    const void *const inits[] = {&init_f32, &init_f64, &init_f16, &init_bf16};
    const size_t in_size = parscan_type_size(c->type), out_size = parscan_type_size(c->out_type);
    const size_t results = c->kind == SCAN_REDUCE ? 1 : c->n;
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = c->op, .out_type = c->out_type,
                                                        .reverse = c->reverse, .reproducible = 1);
    if (c->starts)
        options.init = inits[c->out_type - PARSCAN_F32];
    char *const in = b->device_in + c->in_offset * in_size;
    char *const out = c->in_place ? in : b->device_out + c->out_offset * out_size;
    cr_assert_eq(parscan_copy(b->cuda, in, b->in, c->n * in_size), PARSCAN_OK);
    cr_assert_eq(call_scan(b->cpu, c->kind, c->type, b->in, b->expected, c->n, &options),
                 PARSCAN_OK);
    cr_assert_eq(call_scan(b->cuda, c->kind, c->type, in, out, c->n, &options), PARSCAN_OK, "%s",
                 parscan_context_error(b->cuda));
    cr_assert_eq(parscan_copy(b->cuda, b->found, out, results * out_size), PARSCAN_OK);
    cr_assert_eq(parscan_synchronize(b->cuda), PARSCAN_OK);
    const size_t at = bits_differ_at(c->out_type, b->found, b->expected, results);
    cr_assert_eq(at, results,
                 "kind %d of %s to %s, op %s, reverse %d, init %d, n = %zu, offsets %zu %zu, in "
                 "place %d: result %zu has other bits",
                 (int)c->kind, parscan_type_name(c->type), parscan_type_name(c->out_type),
                 parscan_op_name(c->op), c->reverse, c->starts, c->n, c->in_offset, c->out_offset,
                 c->in_place, at);
}

/* Floats, doubles, and floats summed in double; products; what does not depend on the tree. */
static const tree_case kinds_of_sum[] = {
    {.type = PARSCAN_F32, .out_type = PARSCAN_F32, .op = PARSCAN_SUM},
    {.type = PARSCAN_F64, .out_type = PARSCAN_F64, .op = PARSCAN_SUM},
    {.type = PARSCAN_F32, .out_type = PARSCAN_F64, .op = PARSCAN_SUM},
    {.type = PARSCAN_F32, .out_type = PARSCAN_F32, .op = PARSCAN_PRODUCT},
    {.type = PARSCAN_F64, .out_type = PARSCAN_F64, .op = PARSCAN_PRODUCT},
    {.type = PARSCAN_F32, .out_type = PARSCAN_F32, .op = PARSCAN_MIN},
    {.type = PARSCAN_F64, .out_type = PARSCAN_F64, .op = PARSCAN_MAX},
    {.type = PARSCAN_F16, .out_type = PARSCAN_F16, .op = PARSCAN_SUM},
    {.type = PARSCAN_BF16, .out_type = PARSCAN_BF16, .op = PARSCAN_SUM},
    {.type = PARSCAN_F16, .out_type = PARSCAN_F16, .op = PARSCAN_PRODUCT},
    {.type = PARSCAN_BF16, .out_type = PARSCAN_BF16, .op = PARSCAN_MIN},
    {.type = PARSCAN_F16, .out_type = PARSCAN_F32, .op = PARSCAN_SUM},
    {.type = PARSCAN_BF16, .out_type = PARSCAN_F64, .op = PARSCAN_SUM},
};

/* Kind, direction, init, alignment, in place: every combination of the first three. */
#define MODES 24u
static tree_case case_of(size_t sum, unsigned mode, size_t n)
{
    tree_case c = kinds_of_sum[sum];
    c.n = n;
    c.kind = (scan_kind)(mode % 3);
    c.reverse = mode / 3 % 2;
    c.starts = mode / 6 % 2;
    c.in_offset = mode / 12 * (1 + mode % 3);
    c.out_offset = mode / 12 * (mode / 3 % 4);
    c.in_place = mode / 12 && mode % 5 == 0 && c.kind != SCAN_REDUCE && c.type == c.out_type;
    return c;
}

static void expect_every_mode(engines *b, size_t sum, const size_t *lengths, size_t count)
{
    random_fill(kinds_of_sum[sum].type, kinds_of_sum[sum].op, b->in, b->most);
    for (size_t k = 0; k < count; k++)
        for (unsigned mode = 0; mode < MODES; mode++) {
            const tree_case c = case_of(sum, mode, lengths[k]);
            expect_same_bits(b, &c);
        }
}

/* Round the tree's rows (16) and tiles (2048), and what a block of the GPU may have of them. */
Test(reproducible_cuda, has_the_bits_of_the_cpu_at_the_edges_of_rows_and_tiles)
{
    static const size_t lengths[] = {0,     1,     15,    16,    17,    2047,  2048,  2049,
                                     2064,  4095,  4096,  4097,  6144,  8191,  8192,  8193,
                                     10241, 14336, 16383, 16384, 16385, 18433, 32768, 65537};
    engines b = begin_engines(65537);
    for (size_t sum = 0; sum < COUNT_OF(kinds_of_sum); sum++)
        expect_every_mode(&b, sum, lengths, COUNT_OF(lengths));
    end(&b);
}

/* Odd numbers of tiles: every set of standing blocks of the first levels, short last tiles. */
Test(reproducible_cuda, has_the_bits_of_the_cpu_for_many_numbers_of_tiles)
{
    enum { TILE = 2048, TILES = 700 };
    engines b = begin_engines((size_t)TILES * TILE);
    for (size_t sum = 0; sum < COUNT_OF(kinds_of_sum); sum++) {
        random_fill(kinds_of_sum[sum].type, kinds_of_sum[sum].op, b.in, b.most);
        for (size_t tiles = 1 + sum; tiles < TILES; tiles += 7) {
            const size_t n = tiles * TILE + (tiles % 3 == 0 ? 0 : random_below(TILE));
            const tree_case c = case_of(sum, (unsigned)(tiles % MODES), n);
            expect_same_bits(&b, &c);
        }
    }
    end(&b);
}

/* More than the GPU's blocks have at once, several times. */
Test(reproducible_cuda, has_the_bits_of_the_cpu_where_blocks_come_round_again)
{
    enum { MOST = 48000017 };
    engines b = begin_engines(MOST);
    for (size_t sum = 0; sum < COUNT_OF(kinds_of_sum); sum++) {
        random_fill(kinds_of_sum[sum].type, kinds_of_sum[sum].op, b.in, b.most);
        for (unsigned k = 0; k < 6; k++) {
            const size_t n = k == 0 ? MOST : k == 1 ? (size_t)1 << 25 : 1 + random_below(MOST);
            const tree_case c = case_of(sum, (unsigned)random_below(MODES), n);
            expect_same_bits(&b, &c);
        }
    }
    end(&b);
}

/* The same call twice, beside another size: what a launch leaves does not matter to the next. */
Test(reproducible_cuda, repeats_itself_among_calls_of_other_sizes)
{
    engines b = begin_engines(1000003);
    random_fill(PARSCAN_F32, PARSCAN_SUM, b.in, b.most);
    for (unsigned k = 0; k < 300; k++) {
        const tree_case c = case_of(0, k % MODES, 1 + random_below(k % 4 == 0 ? b.most : 20000));
        expect_same_bits(&b, &c);
    }
    end(&b);
}
