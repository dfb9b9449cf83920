/*
 * The fields and rows of a CSV file, found in parallel: an automaton is run by a scan of its maps.
 *
 *     example_csv TABLE.csv             each row as an array of JSON, a line each
 *     example_csv TABLE.csv REPEAT      how fast one thread finds the fields of the file, repeated so often
 *
 * Whether a comma ends a field is known when all quotes before it are. An automaton reads one byte after the
 * other, in one of four states:
 *
 *     state                       after a quote    , CR or LF    another byte
 *     FIELD    a field begins     QUOTED           FIELD         PLAIN
 *     PLAIN    not in quotes      PLAIN            FIELD         PLAIN
 *     QUOTED   in quotes          QUOTE            QUOTED        QUOTED
 *     QUOTE    after one there    QUOTED           FIELD         PLAIN
 *
 * A column of this table is a map: it tells for every state which one follows. The map of a text is the composition of
 * the maps of its bytes, and composition is associative, so a scan of maps tells the state after each byte,
 * whoever computes which part. Here an element is the map of a block of 256 bytes. A map on the way in (of the other
 * kind: operator.h) makes it of the text; one on the way out, which is told in which state a block begins, marks what ends
 * a field or a row. A compaction finds the marks.
 *
 * The dialect is that of Python's csv.reader: a quote in quotes is doubled; line ends may be in quotes; a row ends with
 * LF, CR LF or CR; in a field that does not begin with a quote a quote is a byte like others.
 *
 * Source: D. Hillis, G. Steele, Data Parallel Algorithms, 1986 (lexing by a scan); E. Stehle, H. Jacobsen,
 * ParPaRaw: Massively Parallel Parsing of Delimiter-Separated Raw Data, 2020.
 */
#include <math.h>
#include <string.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "example.h"
#include "parscan/operator.h"

/* A map is four bytes, one for each state; a state is the shift that brings its byte to the lowest place. */
enum { FIELD = 0, PLAIN = 8, QUOTED = 16, QUOTE = 24 };
#define MAP(field, plain, quoted, quote)                                     \
    ((uint32_t)(field) | (uint32_t)(plain) << 8 | (uint32_t)(quoted) << 16 | \
     (uint32_t)(quote) << 24)
static const uint32_t by_quote = MAP(QUOTED, PLAIN, QUOTE, QUOTED);
static const uint32_t by_end = MAP(FIELD, FIELD, QUOTED, FIELD);
static const uint32_t by_other = MAP(PLAIN, PLAIN, QUOTED, PLAIN);
static const uint32_t by_nothing = MAP(FIELD, PLAIN, QUOTED, QUOTE);

PARSCAN_DEFINE_OPERATOR(compose, map, (typedef uint32_t map;), {
    return (later >> (earlier & 24) & 24) | (later >> (earlier >> 8 & 24) & 24) << 8 |
           (later >> (earlier >> 16 & 24) & 24) << 16 | (later >> (earlier >> 24 & 24) & 24) << 24;
})

enum { BLOCK = 256 };                  /* bytes */
enum { FIELD_ENDS = 1, ROW_ENDS = 2 }; /* marks */

/* Bit k is about byte k of 64: which column of the automaton it has. */
typedef struct columns {
    uint64_t quotes, ends;
} columns;

#ifndef __SSE2__
/* Which of eight bytes are c, a bit for each, without SIMD instructions. */
static uint64_t equal(uint64_t bytes, char c)
{
    const uint64_t low = UINT64_MAX / 255 * 127,
                   other = bytes ^ UINT64_MAX / 255 * (unsigned char)c;
    const uint64_t zero = ~(((other & low) + low) | other | low); /* 128 in each byte that is 0 */
    return (zero >> 7) * 0x0102040810204080 >> 56;
}
#endif

static columns read_columns(const char *text)
{
    columns c = {0, 0};
#ifdef __SSE2__
    for (int k = 0; k < 64; k += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + k));
        const __m128i lines = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')),
                                           _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
        const __m128i ends = _mm_or_si128(lines, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')));
        const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        c.quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(quotes) << k;
        c.ends |= (uint64_t)(unsigned)_mm_movemask_epi8(ends) << k;
    }
#else
    for (int k = 0; k < 64; k += 8) {
        uint64_t bytes;
        memcpy(&bytes, text + k, sizeof bytes);
        c.quotes |= equal(bytes, '"') << k;
        c.ends |= (equal(bytes, ',') | equal(bytes, '\r') | equal(bytes, '\n')) << k;
    }
#endif
    return c;
}

/* Makes of two states those after 64 bytes. Of the bytes between two quotes the last one tells what they do. */
static void follow(const columns *c, uint32_t state[2])
{
    static const uint32_t end_and_quote = MAP(QUOTED, QUOTED, QUOTE, QUOTED);
    static const uint32_t other_and_quote = MAP(PLAIN, PLAIN, QUOTE, PLAIN);
    unsigned from = 0;
    uint32_t one = state[0], two = state[1], next;
    for (uint64_t quotes = c->quotes; quotes != 0; quotes &= quotes - 1) {
        const unsigned at = (unsigned)__builtin_ctzll(quotes);
        next = c->ends << 1 >> at & 1 ? end_and_quote : other_and_quote;
        next = at == from ? by_quote : next;
        one = next >> one & 24;
        two = next >> two & 24;
        from = at + 1;
    }
    next = c->ends >> 63 ? by_end : by_other;
    next = from == 64 ? by_nothing : next;
    state[0] = next >> one & 24;
    state[1] = next >> two & 24;
}

static void load_maps(const void *in, size_t first, void *out, size_t n, const void *state)
{
    (void)state;
    for (size_t k = 0; k < n; k++) {
        const char *const text = (const char *)in + (first + k) * BLOCK;
        const int differ = *text == '"'; /* after another byte all states but QUOTED are the same */
        uint32_t to[4] = {FIELD, QUOTED, PLAIN, QUOTE};
        for (int at = 0; at < BLOCK; at += 64) {
            const columns c = read_columns(text + at);
            __builtin_prefetch(text + at + 8192); /* beyond the page, where hardware stops */
            follow(&c, to);
            if (differ)
                follow(&c, to + 2);
        }
        ((uint32_t *)out)[k] = MAP(to[0], differ ? to[2] : to[0], to[1], differ ? to[3] : to[0]);
    }
}

/* Which of 64 bytes stand in quotes, if they begin in *state; it becomes the state after them. */
static uint64_t find_quoted(const columns *c, uint32_t *state)
{
    uint64_t quoted = c->quotes;
    for (int shift = 1; shift < 64; shift *= 2)
        quoted ^= quoted << shift; /* in the end: whether an odd number of quotes came so far */
    quoted ^= *state == QUOTED ? UINT64_MAX : 0;
    /* That is all, if each quote that begins something stands where a field begins, or behind a quote. */
    const uint64_t may_begin = (c->ends | c->quotes) << 1 | (*state != PLAIN);
    if ((c->quotes & quoted & ~may_begin) == 0) {
        *state = quoted >> 63 ? QUOTED : c->quotes >> 63 ? QUOTE : c->ends >> 63 ? FIELD : PLAIN;
        return quoted;
    }
    quoted = 0;
    for (unsigned at = 0; at < 64; at++) {
        quoted |= (uint64_t)(*state == QUOTED) << at;
        *state = (c->quotes >> at & 1 ? by_quote
                  : c->ends >> at & 1 ? by_end
                                      : by_other) >>
                     *state &
                 24;
    }
    return quoted;
}

/* Marks the ends in 64 bytes of a text. The LF of a CR LF ends nothing, as its CR has done so. */
static void mark(const char *text, uint64_t ends, uint8_t *marks)
{
#ifdef __SSE2__
    for (int k = 0; k < 64; k += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + k));
        const __m128i before = _mm_loadu_si128((const __m128i *)(text + k - 1));
        const __m128i second = _mm_and_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')),
                                             _mm_cmpeq_epi8(before, _mm_set1_epi8('\r')));
        /* ROW_ENDS, and one less at a comma, where the comparison gives -1 */
        const __m128i kind =
            _mm_add_epi8(_mm_set1_epi8(ROW_ENDS), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')));
        /* Each of 16 bits to a byte: first each of the two bytes to eight. */
        const __m128i two = _mm_cvtsi32_si128((int)(ends >> k & 0xffff));
        const __m128i four = _mm_shufflelo_epi16(_mm_unpacklo_epi8(two, two), 0x50);
        const __m128i bit = _mm_set1_epi64x((long long)0x8040201008040201);
        const __m128i eights = _mm_and_si128(_mm_shuffle_epi32(four, 0x50), bit);
        const __m128i wanted = _mm_andnot_si128(second, _mm_cmpeq_epi8(eights, bit));
        _mm_storeu_si128((__m128i *)(marks + k), _mm_and_si128(kind, wanted));
    }
#else
    memset(marks, 0, 64);
    for (; ends != 0; ends &= ends - 1) {
        const int at = __builtin_ctzll(ends);
        const int is_second = text[at] == '\n' && text[at - 1] == '\r';
        marks[at] = is_second ? 0 : text[at] == ',' ? FIELD_ENDS : ROW_ENDS;
    }
#endif
}

/* x[k]: the map of all that comes before the block, which begins in FIELD. */
static void store_marks(const void *x, void *out, size_t first, size_t n, const void *state)
{
    for (size_t k = 0; k < n; k++) {
        const char *const text = *(const char *const *)state;
        uint32_t now = ((const uint32_t *)x)[k] & 24;
        for (size_t at = (first + k) * BLOCK; at < (first + k + 1) * BLOCK; at += 64) {
            const columns c = read_columns(text + at);
            mark(text + at, c.ends & ~find_quoted(&c, &now), (uint8_t *)out + at);
        }
    }
}

/* A text in room for whole blocks, and what is found in it. */
typedef struct table {
    const char *text;
    size_t size;
    uint8_t *marks; /* of each byte, and of the end of the text */
    uint32_t *end;  /* where each field ends */
    uint64_t count; /* of fields */
} table;

static table make_table(const char *text, size_t size, size_t repeat)
{
    if (repeat == 0 || size >= UINT32_MAX / repeat)
        example_fail("TABLE.csv", "has 4 GiB, or REPEAT is no number");
    const size_t whole = size * repeat, room = whole / BLOCK * BLOCK + BLOCK;
    char *const copy = (char *)example_room(BLOCK + room, 1) + BLOCK; /* text[-1] is read */
    for (size_t k = 0; k < repeat; k++)
        memcpy(copy + k * size, text, size);
    return (table){.text = copy,
                   .size = whole,
                   .marks = example_room(room, 1),
                   .end = example_room(whole + 1, sizeof(uint32_t))};
}

static void find_fields(parscan_context *context, const parscan_operator *maps, table *t)
{
    const size_t size = t->size;
    example_check(context,
                  parscan_exclusive_scan(context, PARSCAN_CUSTOM, t->text, t->marks,
                                         size / BLOCK + 1, &PARSCAN_SCAN_OPTIONS(.custom = maps)));
    /* The end of the text ends a row, if nothing before it does. */
    const size_t last = size - (size > 1 && memcmp(t->text + size - 2, "\r\n", 2) == 0);
    if (size > 0 && t->marks[last - 1] != ROW_ENDS)
        t->marks[size] = ROW_ENDS;
    example_check(context, parscan_compact_indices(context, PARSCAN_U8, t->marks, NULL, PARSCAN_U32,
                                                   t->end, size + 1, &t->count));
}

static void print_field(const char *at, const char *end)
{
    int quoted = at < end && *at == '"';
    putchar('"');
    for (at += quoted; at < end; at++) {
        if (quoted && *at == '"' && (at + 1 == end || at[1] != '"')) {
            quoted = 0;
            continue;
        }
        at += quoted && *at == '"';
        if ((unsigned char)*at < ' ')
            printf("\\u%04x", (unsigned)*at);
        else
            printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    }
    putchar('"');
}

static void print_rows(const table *t)
{
    int is_first = 1;
    for (size_t f = 0, begin = 0; f < t->count; f++) {
        const size_t end = t->end[f];
        const int ends_row = t->marks[end] == ROW_ENDS;
        putchar(is_first ? '[' : ',');
        if (!(is_first && ends_row && begin == end)) /* an empty row has no fields */
            print_field(t->text + begin, t->text + end);
        if (ends_row)
            printf("]\n");
        is_first = ends_row;
        begin = end + 1 + (end + 1 < t->size && memcmp(t->text + end, "\r\n", 2) == 0);
    }
}

static void print_figures(parscan_context *context, const parscan_operator *maps, table *t)
{
    double best = INFINITY; /* seconds */
    for (int run = 0; run < 5; run++) {
        const clock_t begin = clock();
        find_fields(context, maps, t);
        best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    uint64_t rows;
    const parscan_predicate ends_row =
        PARSCAN_PREDICATE(.comparison = PARSCAN_EQUAL, .value = &(uint8_t){ROW_ENDS});
    example_check(context, parscan_compact_if(context, PARSCAN_U8, t->marks, &ends_row, NULL,
                                              t->size + 1, &rows));
    printf("%" PRIu64 " rows, %" PRIu64 " fields, %.2f GB/s a core\n", rows, t->count,
           (double)t->size / best / 1e9);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        example_fail("usage", "example_csv TABLE.csv [REPEAT]");
    size_t size;
    const char *const text = example_read(argv[1], &size);
    table t = make_table(text, size, argc == 3 ? strtoul(argv[2], NULL, 10) : 1);
    parscan_context *context;
    const parscan_status status = parscan_context_create(
        &context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = argc == 3));
    if (status != PARSCAN_OK)
        example_fail("no context", parscan_status_string(status));
    parscan_operator *maps;
    example_check(context,
                  parscan_operator_create(
                      &maps, &PARSCAN_OPERATOR_OPTIONS(
                                 PARSCAN_DEFINED_OPERATOR(compose, map), .identity = &by_nothing,
                                 .state = &t.text, .state_size = sizeof t.text, .load = load_maps,
                                 .in_size = BLOCK, .store = store_marks, .out_size = BLOCK)));
    if (argc == 2) {
        find_fields(context, maps, &t);
        print_rows(&t);
    } else {
        print_figures(context, maps, &t);
    }
    parscan_operator_destroy(maps);
    return example_end(context);
}
