/*
 * The caller's floating-point mode: four ways to round, subnormal numbers flushed to zero or kept,
 * exceptions that trap. What is promised the same everywhere is so in each of them; other sums
 * round on every thread as the caller does; no exception of a call traps; and a call leaves the
 * caller's mode and flags as they were.
 */
#define _GNU_SOURCE /* feenableexcept */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/allocated.h"
#include "tests/support/random.h"
#include "tests/support/rounding_modes.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"

/* Enough elements for each thread to take part. */
#define ELEMENTS_A_THREAD ((size_t)1 << 15)
#define MOST_THREADS 8u

/* Of some bits, so that most sums are rounded. */
static double *ordinary_numbers(size_t n)
{
    double *const numbers = allocated(n * sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = ldexp((double)(random_bits() >> 11) - 0x1p52, (int)random_below(40) - 72);
    return numbers;
}

static double *subnormal_numbers(size_t n)
{
    double *const numbers = allocated(n * sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = i % 16 == 0 ? (double)random_below(1u << 30) * 0x1p-1074 : 0;
    return numbers;
}

/* ---- reproducible ---- */

typedef struct sums {
    const double *ordinary, *subnormal;
    size_t n;
    double *out; /* n elements of a scan of `ordinary`, then the sum of `subnormal` */
} sums;

static const parscan_scan_options by_tree = {.struct_size = sizeof by_tree, .reproducible = 1};

static void scan_ordinary(parscan_context *context, const sums *s)
{
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_F64, s->ordinary, s->out, s->n, &by_tree),
                 PARSCAN_OK);
}

static void reduce_subnormal(parscan_context *context, const sums *s)
{
    cr_assert_eq(parscan_reduce(context, PARSCAN_F64, s->subnormal, s->out + s->n, s->n, &by_tree),
                 PARSCAN_OK);
}

/* `begun`: the context has its threads before the mode is set. */
static void expect_the_same(const sums *s, const double *expected, unsigned threads, unsigned mode,
                            bool begun)
{
    const int calls = LESS_IF_SLOW(24, 4);
    parscan_context *const context = cpu_context(threads);
    unsigned differ = 0;
    if (begun)
        scan_ordinary(context, s);
    set_mode(mode);
    for (int k = 0; k < calls; k++) {
        const bool scans = k % 2 == 0;
        double *const out = s->out + (scans ? 0 : s->n);
        const size_t bytes = (scans ? s->n : 1) * sizeof *out;
        memset(out, 0, bytes);
        scans ? scan_ordinary(context, s) : reduce_subnormal(context, s);
        differ += memcmp(out, expected + (out - s->out), bytes) != 0;
    }
    set_mode(0);
    cr_assert_eq(differ, 0, "%u of %d calls on %u threads%s, rounding %u%s", differ, calls, threads,
                 begun ? " that were there" : "", mode % ROUNDINGS,
                 mode >= ROUNDINGS ? ", flushed" : "");
    parscan_context_destroy(context);
}

Test(reproducible, has_the_same_bits_in_every_mode_of_the_caller)
{
    const size_t most = MOST_THREADS * ELEMENTS_A_THREAD;
    double *const ordinary = ordinary_numbers(most), *const subnormal = subnormal_numbers(most);
    double *const out = allocated((most + 1) * sizeof *out);
    double *const expected = allocated((most + 1) * sizeof *out);
    parscan_context *const alone = cpu_context(1);
    for (unsigned threads = 1; threads <= MOST_THREADS; threads += LESS_IF_SLOW(1, 3)) {
        sums s = {ordinary, subnormal, threads * ELEMENTS_A_THREAD, expected};
        scan_ordinary(alone, &s);
        reduce_subnormal(alone, &s);
        cr_assert_neq(expected[s.n], 0);
        s.out = out;
        for (unsigned mode = 0; mode < MODES; mode++)
            for (int begun = 0; begun < 2; begun++)
                expect_the_same(&s, expected, threads, mode, begun);
    }
    parscan_context_destroy(alone);
    free(expected);
    free(out);
    free(subnormal);
    free(ordinary);
}

/* ---- other sums ---- */

/* Segments of 16 elements: 1, 2^-60, 0 ... The second sum is 1, or the number after 1. */
enum { SEGMENT = 16 };

static double sum_in_mode(unsigned mode)
{
    return roundings[mode % ROUNDINGS] == FE_UPWARD ? 1 + 0x1p-52 : 1;
}

typedef struct segments_of_16 {
    size_t n;
    uint8_t *flags;
    double *in, *factors, *out; /* a factor of 0 starts a segment */
} segments_of_16;

static segments_of_16 make_segments(size_t n)
{
    const segments_of_16 s = {n, allocated(n), allocated(n * sizeof(double)),
                              allocated(n * sizeof(double)), allocated(n * sizeof(double))};
    for (size_t i = 0; i < n; i++) {
        s.flags[i] = i % SEGMENT == 0;
        s.in[i] = i % SEGMENT == 0 ? 1 : i % SEGMENT == 1 ? 0x1p-60 : 0;
        s.factors[i] = i % SEGMENT == 0 ? 0 : 1;
    }
    return s;
}

static parscan_status scan_segments(parscan_context *context, const segments_of_16 *s)
{
    const parscan_segments flags = {
        .struct_size = sizeof flags, .kind = PARSCAN_SEGMENTS_FLAGS, .data = s->flags};
    return parscan_segmented_inclusive_scan(context, PARSCAN_F64, s->in, s->out, s->n, &flags,
                                            NULL);
}

static parscan_status run_recurrence(parscan_context *context, const segments_of_16 *s)
{
    return parscan_recurrence(context, PARSCAN_F64, s->factors, s->in, NULL, s->out, s->n);
}

static void expect_rounding(parscan_context *context, const segments_of_16 *s, unsigned mode,
                            parscan_status (*call)(parscan_context *, const segments_of_16 *))
{
    set_mode(mode);
    const parscan_status status = call(context, s);
    set_mode(0);
    cr_assert_eq(status, PARSCAN_OK);
    for (size_t i = 1; i < s->n; i += SEGMENT)
        cr_assert_eq(s->out[i], sum_in_mode(mode), "mode %u, sum %zu: 1 + %g", mode, i,
                     s->out[i] - 1);
}

Test(sums, round_on_every_thread_as_the_caller_does)
{
    for (unsigned threads = 1; threads <= MOST_THREADS; threads += LESS_IF_SLOW(1, 3)) {
        const segments_of_16 s = make_segments(threads * 2 * ELEMENTS_A_THREAD);
        parscan_context *const context = cpu_context(threads);
        for (unsigned k = 0; k < LESS_IF_SLOW(3, 1) * MODES; k++) {
            expect_rounding(context, &s, k % MODES, scan_segments);
            expect_rounding(context, &s, k % MODES, run_recurrence);
        }
        parscan_context_destroy(context);
        free(s.flags);
        free(s.in);
        free(s.factors);
        free(s.out);
    }
}

Test(sums, repeat_to_the_bit_in_every_mode_of_the_caller)
{
    const size_t n = 4 * ELEMENTS_A_THREAD, bytes = n * sizeof(double);
    double *const in = ordinary_numbers(n);
    double *const out = allocated(bytes), *const first = allocated(bytes);
    parscan_context *const context = cpu_context(4);
    for (unsigned mode = 0; mode < MODES; mode++)
        for (int k = 0; k < LESS_IF_SLOW(50, 5); k++) {
            set_mode(mode);
            const parscan_status status =
                parscan_exclusive_scan(context, PARSCAN_F64, in, k == 0 ? first : out, n, NULL);
            set_mode(0);
            cr_assert_eq(status, PARSCAN_OK);
            cr_assert(k == 0 || memcmp(first, out, bytes) == 0, "call %d of mode %u", k, mode);
        }
    parscan_context_destroy(context);
    free(first);
    free(out);
    free(in);
}

/* ---- what no mode changes ---- */

enum { FEW = 5000 };

/* Subnormal numbers in runs, both zeros, and what lies between. */
static double *numbers_near_zero(void)
{
    static const double some[] = {0, -0.0, 0x1p-1074, -0x1p-1074, 0x1p-1030, 3e-320, -1};
    double *const numbers = allocated(FEW * sizeof *numbers);
    for (size_t i = 0; i < FEW; i++)
        numbers[i] = i > 0 && random_below(3) == 0 ? numbers[i - 1] : some[random_below(7)];
    return numbers;
}

typedef struct answers {
    double least[FEW], kept[FEW], unique[FEW], values[FEW];
    uint64_t kept_count, unique_count, entries, columns[FEW], row_offsets[FEW / 50 + 1];
    uint64_t sums[FEW];
    uint32_t bins[49], float_bins[7];
} answers;

static void ask(parscan_context *context, const double *in, const uint32_t *whole,
                const double *tenths, answers *to)
{
    static const uint32_t upper = 147;
    static const double lower = 0.1, end = 0.8;
    static uint64_t ones[FEW];
    const double smallest = 0x1p-1074;
    const parscan_predicate keep =
        PARSCAN_PREDICATE(.comparison = PARSCAN_GREATER_EQUAL, .value = &smallest);
    const parscan_segments keys = {
        .struct_size = sizeof keys, .kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_F64, .data = in};
    for (size_t i = 0; i < FEW; i++)
        ones[i] = 1;
    memset(to, 0, sizeof *to);
    const parscan_status statuses[] = {
        parscan_inclusive_scan(context, PARSCAN_F64, in, to->least, FEW,
                               &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN, .reverse = 1)),
        parscan_compact_if(context, PARSCAN_F64, in, &keep, to->kept, FEW, &to->kept_count),
        parscan_unique(context, PARSCAN_F64, in, to->unique, FEW, &to->unique_count),
        parscan_dense_to_csr(context, PARSCAN_F64, in, FEW / 50, 50, PARSCAN_U64, to->row_offsets,
                             to->columns, to->values, &to->entries),
        parscan_segmented_inclusive_scan(context, PARSCAN_U64, ones, to->sums, FEW, &keys, NULL),
        parscan_histogram(context, PARSCAN_U32, whole, FEW, 49, PARSCAN_U32, to->bins,
                          &PARSCAN_HISTOGRAM_OPTIONS(.lower = &(uint32_t){0}, .upper = &upper)),
        parscan_histogram(context, PARSCAN_F64, tenths, FEW, 7, PARSCAN_U32, to->float_bins,
                          &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &end)),
    };
    for (size_t k = 0; k < COUNT_OF(statuses); k++)
        cr_assert_eq(statuses[k], PARSCAN_OK, "call %zu: %s", k, parscan_context_error(context));
}

Test(minima_comparisons_and_histograms, are_the_same_in_every_mode_of_the_caller)
{
    double *const in = numbers_near_zero();
    uint32_t *const whole = allocated(FEW * sizeof *whole);
    double *const tenths = allocated(FEW * sizeof *tenths);
    answers *const expected = allocated(sizeof *expected), *const found = allocated(sizeof *found);
    parscan_context *const context = cpu_context(1);
    for (uint32_t i = 0; i < FEW; i++) {
        whole[i] = i % 150;
        tenths[i] = (i % 9) * 0.1;
    }
    ask(context, in, whole, tenths, expected);
    for (unsigned mode = 0; mode < MODES; mode++) {
        set_mode(mode);
        ask(context, in, whole, tenths, found);
        set_mode(0);
        cr_assert_eq(memcmp(found->least, expected->least, sizeof found->least), 0, "%u", mode);
        cr_assert_eq(found->kept_count, expected->kept_count, "mode %u", mode);
        cr_assert_eq(found->unique_count, expected->unique_count, "mode %u", mode);
        cr_assert_eq(found->entries, expected->entries, "mode %u", mode);
        cr_assert_eq(memcmp(found->sums, expected->sums, sizeof found->sums), 0, "%u", mode);
        cr_assert_eq(memcmp(found->bins, expected->bins, sizeof found->bins), 0, "%u", mode);
        cr_assert_eq(memcmp(found->float_bins, expected->float_bins, sizeof found->float_bins), 0,
                     "mode %u", mode);
        cr_assert_eq(memcmp(found, expected, sizeof *found), 0, "mode %u", mode);
    }
    parscan_context_destroy(context);
    free(found);
    free(expected);
    free(whole);
    free(tenths);
    free(in);
}

/* ---- floats of 16 bits ---- */

/* Sums that a float holds exactly, so that only the last rounding, to 16 bits, could follow the mode; none
   is 0, whose sign follows it. Signs are random: in a lane of a vector, too, sums stay small. Elements of F16 are subnormal numbers too. Those of BF16 are so in a float
   as well, where sums flush them as the caller does, but extremes do not. */
static void expect_halves(parscan_context *context, parscan_type type, parscan_op op,
                          bool reproducible, const uint16_t *in, size_t n)
{
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = op, .reproducible = reproducible);
    uint16_t *const expected = allocated(2 * n * sizeof *expected), *const found = expected + n;
    cr_assert_eq(parscan_inclusive_scan(context, type, in, expected, n, &options), PARSCAN_OK);
    for (unsigned mode = 0; mode < MODES; mode++) {
        memset(found, 0xa5, n * sizeof *found);
        set_mode(mode);
        const parscan_status status = parscan_inclusive_scan(context, type, in, found, n, &options);
        set_mode(0);
        cr_assert_eq(status, PARSCAN_OK);
        cr_assert_eq(memcmp(found, expected, n * sizeof *found), 0, "%s of %s in mode %u",
                     parscan_op_name(op), parscan_type_name(type), mode);
    }
    free(expected);
}

Test(floats_of_16_bits, are_rounded_to_the_nearest_in_every_mode_of_the_caller)
{
    static const size_t lengths[] = {20, 5000, 4 * ELEMENTS_A_THREAD};
    for (size_t k = 0; k < 2 * COUNT_OF(lengths); k++) {
        const size_t n = lengths[k / 2];
        parscan_context *const context = cpu_context(k % 2 == 0 ? 1 : 3);
        uint16_t *const in = allocated(n * sizeof *in);
        for (size_t i = 0; i < n; i++) /* multiples of 2^-24 below 2^-12 */
            in[i] = (uint16_t)(random_below(0xc00) | (random_below(2) == 0 ? 0 : 0x8000));
        in[0] = 0x3800; /* 0.5 */
        expect_halves(context, PARSCAN_F16, PARSCAN_SUM, false, in, n);
        expect_halves(context, PARSCAN_F16, PARSCAN_SUM, true, in, n);
        for (size_t i = 0; i < n; i++) /* 1 to 2 - 2^-7 */
            in[i] = (uint16_t)(0x3f80 | random_below(0x80) | (random_below(2) == 0 ? 0 : 0x8000));
        in[0] = 0x4580; /* 4096 */
        expect_halves(context, PARSCAN_BF16, PARSCAN_SUM, false, in, n);
        expect_halves(context, PARSCAN_BF16, PARSCAN_SUM, true, in, n);
        for (size_t i = 0; i < n; i++)
            in[i] = (uint16_t)random_below(0x7f);
        expect_halves(context, PARSCAN_BF16, PARSCAN_MAX, false, in, n);
        for (size_t i = 0; i < n; i++)
            in[i] |= 0x8000;
        expect_halves(context, PARSCAN_BF16, PARSCAN_MIN, true, in, n);
        expect_halves(context, PARSCAN_F16, PARSCAN_MIN, false, in, n);
        free(in);
        parscan_context_destroy(context);
    }
}

/* ---- traps and flags ---- */

#if defined __x86_64__ && defined __GLIBC__
#define HAVE_TRAPS 1
static void set_traps(bool on)
{
    feclearexcept(FE_ALL_EXCEPT);
    if (on)
        feenableexcept(FE_ALL_EXCEPT);
    else
        fedisableexcept(FE_ALL_EXCEPT);
}
#else
#define HAVE_TRAPS 0
static void set_traps(bool on)
{
    (void)on;
}
#endif

/* What sums, products, comparisons and conversions of them raise: everything. The first is a
   signalling NaN. */
static void *wild_numbers(parscan_type type, size_t n)
{
    static const double f64[] = {0,      INFINITY, -INFINITY, 1.7e308, 1.7e308,
                                 -1e308, 3e-310,   0,         1e-300,  0.1};
    static const float f32[] = {0,      INFINITY, -INFINITY, 3e38f,  3e38f,
                                -1e38f, 1e-40f,   0,         1e-30f, 0.1f};
    const uint64_t signalling_f64 = UINT64_C(0x7ff0000000000001);
    const uint32_t signalling_f32 = 0x7f800001;
    const size_t size = parscan_type_size(type);
    char *const numbers = allocated(n * size);
    for (size_t i = 0; i < n; i++) {
        const size_t k = random_below(i % 300 == 299 ? 10 : 2) == 0 ? random_below(10) : 9;
        memcpy(numbers + i * size, size == 8 ? (const void *)&f64[k] : (const void *)&f32[k], size);
        if (i % 300 == 150)
            memcpy(numbers + i * size,
                   size == 8 ? (const void *)&signalling_f64 : (const void *)&signalling_f32, size);
    }
    return numbers;
}

typedef struct wild {
    parscan_type type;
    size_t n;
    void *in, *out;
} wild;

static void run_scans(parscan_context *context, const wild *w)
{
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_PRODUCT, PARSCAN_MIN};
    for (size_t k = 0; k < COUNT_OF(ops) * ALGORITHMS; k++)
        for (int reproducible = 0; reproducible < 2; reproducible++) {
            const parscan_scan_options options =
                PARSCAN_SCAN_OPTIONS(.op = ops[k / ALGORITHMS],
                                     .algorithm = reproducible ? PARSCAN_AUTO
                                                               : all_algorithms[k % ALGORITHMS],
                                     .reproducible = reproducible);
            cr_assert_eq(parscan_inclusive_scan(context, w->type, w->in, w->out, w->n, &options),
                         0);
            cr_assert_eq(parscan_reduce(context, w->type, w->in, w->out, w->n, &options), 0);
        }
    cr_assert_eq(parscan_reduce(context, w->type, w->in, w->out, w->n,
                                &PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_F64)),
                 0);
    cr_assert_eq(parscan_recurrence(context, w->type, w->in, w->in, NULL, w->out, w->n), 0);
}

static void run_by_keys(parscan_context *context, const wild *w)
{
    uint64_t count;
    const parscan_segments keys = {
        .struct_size = sizeof keys, .kind = PARSCAN_SEGMENTS_KEYS, .type = w->type, .data = w->in};
    cr_assert_eq(
        parscan_segmented_inclusive_scan(context, w->type, w->in, w->out, w->n, &keys, NULL), 0);
    cr_assert_eq(
        parscan_segmented_reduce(context, w->type, w->in, w->out, w->n, &keys, &count, NULL), 0);
    cr_assert_eq(
        parscan_sort_segments(context, w->type, w->in, w->out, 0, NULL, NULL, w->n, &keys, NULL),
        0);
    cr_assert_eq(parscan_sort_keys(context, w->type, w->in, w->out, w->n, NULL), 0);
}

static void run_choices(parscan_context *context, const wild *w)
{
    uint64_t count;
    uint32_t bins[10];
    const double lower64 = 0, upper64 = 1e300;
    const float lower32 = 0, upper32 = 1e30f;
    const bool wide = w->type == PARSCAN_F64;
    const void *const lower = wide ? (const void *)&lower64 : (const void *)&lower32;
    const void *const upper = wide ? (const void *)&upper64 : (const void *)&upper32;
    const parscan_predicate between =
        PARSCAN_PREDICATE(.comparison = PARSCAN_BETWEEN, .value = w->in, .upper = upper);
    cr_assert_eq(parscan_compact_if(context, w->type, w->in, &between, w->out, w->n, &count), 0);
    cr_assert_eq(parscan_partition(context, w->type, w->in, NULL, w->out, w->n, &count), 0);
    cr_assert_eq(parscan_unique(context, w->type, w->in, w->out, w->n, &count), 0);
    cr_assert_eq(parscan_histogram(context, w->type, w->in, w->n, 10, PARSCAN_U32, bins,
                                   &PARSCAN_HISTOGRAM_OPTIONS(.lower = lower, .upper = upper)),
                 0);
}

static void run_in_chunks(parscan_context *context, const wild *w)
{
    const size_t half = w->n / 2 * parscan_type_size(w->type);
    parscan_chunked *chunked;
    cr_assert_eq(parscan_chunked_create_unique(&chunked, context, w->type), 0);
    for (int k = 0; k < 2; k++) {
        uint64_t written;
        const parscan_chunk chunk = PARSCAN_CHUNK(.in = (char *)w->in + k * half, .out = w->out,
                                                  .n = w->n / 2, .written = &written);
        cr_assert_eq(parscan_chunked_update(chunked, &chunk), 0);
    }
    parscan_chunked_destroy(chunked);
    cr_assert_eq(parscan_chunked_create_difference(&chunked, context, w->type, NULL), 0);
    for (int k = 0; k < 2; k++)
        cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = (char *)w->in + k * half,
                                                                    .out = w->out, .n = w->n / 2)),
                     0);
    parscan_chunked_destroy(chunked);
}

/* Calls everything that works on floats, with traps and flags as they are. */
static void run_floats(parscan_context *context, const wild *w)
{
    run_scans(context, w);
    run_by_keys(context, w);
    run_choices(context, w);
    run_in_chunks(context, w);
}

static void for_each_wild(unsigned threads, size_t n, void (*before)(void), void (*after)(void))
{
    static const parscan_type types[] = {PARSCAN_F32, PARSCAN_F64};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        wild w = {.type = types[t],
                  .n = n,
                  .in = wild_numbers(types[t], n),
                  .out = allocated(n * sizeof(double))};
        parscan_context *const context = cpu_context(threads);
        before();
        run_floats(context, &w);
        after();
        parscan_context_destroy(context);
        free(w.in);
        free(w.out);
    }
}

static void begin_traps(void)
{
    set_traps(true);
}

static void end_traps(void)
{
#if HAVE_TRAPS
    cr_assert_eq(fegetexcept(), FE_ALL_EXCEPT, "the caller's traps have been switched off");
#endif
    set_traps(false);
}

Test(traps, of_the_caller_never_fire_in_a_call)
{
    if (!HAVE_TRAPS)
        cr_skip_test("needs x86-64 and glibc");
    for_each_wild(1, 1000, begin_traps, end_traps);
    for_each_wild(3, 4 * ELEMENTS_A_THREAD, begin_traps, end_traps);
}

Test(traps, of_the_caller_never_fire_in_any_primitive)
{
    if (!HAVE_TRAPS)
        cr_skip_test("needs x86-64 and glibc");
    primitive_inputs *const in = primitive_inputs_begin(1u << 17);
    parscan_context *const context = cpu_context(3);
    set_traps(true);
    const char *const wrong = first_wrong_primitive(context, in);
    set_traps(false);
    cr_assert_null(wrong, "%s", wrong);
    parscan_context_destroy(context);
    primitive_inputs_end(in);
}

static void begin_flags(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
}

static void end_flags(void)
{
    const int flags = fetestexcept(FE_ALL_EXCEPT);
    cr_assert_eq(flags, FE_DIVBYZERO, "flags %x after a call", (unsigned)flags);
}

Test(flags, of_the_caller_are_not_changed_by_a_call)
{
    for_each_wild(1, 1000, begin_flags, end_flags);
    for_each_wild(3, 4 * ELEMENTS_A_THREAD, begin_flags, end_flags);
}
