/* Nothing next to an array is read or written, and the input is only read: every array lies
   against a page that ends the process when it is touched, the input in pages without writing. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/every_simd.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

/* Around vectors (up to 64 elements) and four of them, rows (16), blocks (1024, 2048) and tiles
   (16 KiB, 2048 elements). */
static const size_t sizes[] = {0,   1,   2,   3,   4,   5,    7,    8,    9,    15,  16,
                               17,  31,  32,  33,  63,  64,   65,   127,  128,  129, 255,
                               256, 257, 300, 511, 513, 1023, 1025, 2047, 2049, 4097};
#define LARGEST 4097u
#define LARGE_BYTES \
    (STREAM_FROM_BYTES + 2 * TILE_BYTES + 104) /* threads, and streams past the caches */

/* The case that runs, for the message of a process that dies. */
static char running[CASE_WORDS];

typedef struct bench {
    parscan_context *context;
    guarded in, out;
} bench;

static bench bench_create(size_t bytes, unsigned threads)
{
    guarded_watch(running);
    return (bench){test_context_with((parscan_context_options){.threads = threads}),
                   guarded_create(bytes), guarded_create(bytes)};
}

static void bench_destroy(bench *b)
{
    parscan_context_destroy(b->context);
    guarded_destroy(b->in);
    guarded_destroy(b->out);
}

/* Fills all of the input's memory, so that an array anywhere in it has elements of type. */
static void fill_input(const bench *b, parscan_type type, parscan_op op)
{
    guarded_read_only(b->in, false);
    random_fill(type, op, b->in.begin, (size_t)(b->in.end - b->in.begin) / parscan_type_size(type));
    guarded_read_only(b->in, true);
}

/* One call; its arrays end at a guard, or start at one. */
static void expect_inside(const bench *b, const scan_case *scan, bool at_end)
{
    parscan_scan_options options = scan->options;
    options.struct_size = sizeof options;
    const parscan_type out_type = options.out_type != 0 ? options.out_type : scan->type;
    const size_t in_bytes = scan->n * parscan_type_size(scan->type);
    const size_t results = scan->kind == SCAN_REDUCE ? 1 : scan->n;
    const void *const in = guarded_array(b->in, in_bytes, at_end);
    void *const out = guarded_array(b->out, results * parscan_type_size(out_type), at_end);
    char words[CASE_WORDS];
    if (scan->in_place && in_bytes > 0)
        memcpy(out, in, in_bytes);
    describe_case(scan, at_end ? "arrays end at a guard" : "arrays begin at a guard", running);
    cr_assert_eq(call_scan(b->context, scan->kind, scan->type, scan->in_place ? out : in, out,
                           scan->n, &options),
                 PARSCAN_OK, "%s", parscan_context_error(b->context));
    if (!answer_is_right(scan, in, out, words))
        cr_assert_fail("%s", words);
}

/* Kinds, directions, either guard; scans in place too where `places` is 2. */
static void expect_every_mode(const bench *b, scan_case scan, int places)
{
    for (int mode = 0; mode < 12 * places; mode++) {
        scan.kind = (scan_kind)(mode % 3);
        scan.options.reverse = mode / 3 % 2;
        scan.in_place = mode >= 12;
        if (!scan.in_place || scan.kind != SCAN_REDUCE)
            expect_inside(b, &scan, mode / 6 % 2);
    }
}

/* Every algorithm and the reproducible scan, at every size. */
static void expect_every_algorithm(parscan_type type, parscan_type out_type, parscan_op op)
{
    bench b = bench_create(LARGEST * sizeof(uint64_t), 2);
    fill_input(&b, type, op);
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t a = 0; a <= ALGORITHMS; a++) {
            scan_case scan = {.type = type, .n = sizes[s]};
            scan.options.op = op;
            scan.options.out_type = out_type;
            scan.options.algorithm = a < ALGORITHMS ? all_algorithms[a] : PARSCAN_AUTO;
            scan.options.reproducible = a == ALGORITHMS;
            expect_every_mode(&b, scan, out_type == 0 ? 2 : 1);
        }
    bench_destroy(&b);
}

#define X(ctx, NAME, number, name, ...)                         \
    SimdTest(scan, touches_nothing_next_to_its_arrays_##name)   \
    {                                                           \
        expect_every_algorithm(PARSCAN_##NAME, 0, PARSCAN_SUM); \
    }
PARSCAN_TYPES(X, )
#undef X

#define X(ctx, FROM, TO)                                                   \
    SimdTest(scan, widening_touches_nothing_next_to_it_##FROM##_to_##TO)   \
    {                                                                      \
        expect_every_algorithm(PARSCAN_##FROM, PARSCAN_##TO, PARSCAN_SUM); \
    }
PARSCAN_WIDENINGS(X, )
#undef X

/* A length at each side of one tile and of two, by the fast paths. */
SimdTest(single_pass, touches_nothing_next_to_its_arrays_at_the_edges_of_tiles)
{
    bench b = bench_create(2 * TILE_BYTES + 8, 1);
    for (size_t t = 0; t < TYPES; t++) {
        const size_t size = parscan_type_size(all_types[t]);
        fill_input(&b, all_types[t], PARSCAN_MAX);
        for (size_t k = 0; k < 12; k++) {
            scan_case scan = {.type = all_types[t], .options.op = PARSCAN_MAX};
            scan.n = (k / 3 % 2 + 1) * TILE_BYTES / size + k % 3 - 1;
            scan.options.reproducible = k / 6;
            expect_every_mode(&b, scan, 1);
        }
    }
    bench_destroy(&b);
}

static void expect_large(parscan_type type, parscan_type out_type)
{
    const size_t size = parscan_type_size(out_type != 0 ? out_type : type);
    bench b = bench_create(LARGE_BYTES, 3);
    fill_input(&b, type, PARSCAN_SUM);
    for (int reproducible = 0; reproducible <= oracle_is_float(type); reproducible++) {
        scan_case scan = {.type = type, .n = LARGE_BYTES / size};
        scan.options.out_type = out_type;
        scan.options.reproducible = reproducible;
        expect_every_mode(&b, scan, out_type == 0 ? 2 : 1);
    }
    bench_destroy(&b);
}

SimdTest(single_pass, touches_nothing_next_to_its_arrays_where_it_streams)
{
    expect_large(PARSCAN_I16, 0);
    expect_large(PARSCAN_U32, 0);
    expect_large(PARSCAN_F32, 0);
    expect_large(PARSCAN_F64, 0);
    expect_large(PARSCAN_U8, PARSCAN_U64);
    expect_large(PARSCAN_F32, PARSCAN_F64);
}

/* The guards do what they are there for; a sanitizer would make an exit of the signal. */
static void die_of_the_signal(void)
{
    signal(SIGSEGV, SIG_DFL);
}

Test(guard, after_an_array_ends_who_reads_it, .signal = SIGSEGV)
{
    die_of_the_signal();
    const guarded memory = guarded_create(100);
    const volatile char *const array = guarded_array(memory, 100, true);
    cr_assert_eq(array[99], 0);
    cr_assert_eq(array[100], 0);
}

Test(guard, before_an_array_ends_who_reads_it, .signal = SIGSEGV)
{
    die_of_the_signal();
    const volatile char *const array = guarded_array(guarded_create(100), 100, false);
    cr_assert_eq(array[-1], 0);
}

Test(read_only_memory, ends_who_writes_it, .signal = SIGSEGV)
{
    die_of_the_signal();
    const guarded memory = guarded_create(100);
    guarded_read_only(memory, true);
    *(volatile char *)guarded_array(memory, 100, false) = 1;
}
