/*
 * The words of a book by how often they come: sort, run lengths, sort.
 *
 *     example_word_count TEXT                 "count word" for each word, the most frequent first
 *     example_word_count TEXT PICTURE.svg     and the counts by rank, on logarithmic axes
 *
 * A word is a run of the letters a to z; capitals count as small. Words of equal count stand in the
 * order of their first place in the text.
 *
 *     compact          the letters of the text, and beside each whether a word starts with it
 *     segmented scan   a hash of 64 bits for every word: the sum over its letters of a random number
 *                      for that letter at that place of the word
 *     sort             the hashes, each with the number of its word: equal words come together
 *     run lengths      how often each one comes
 *     sort             by first place, then by count: a stable sort keeps the former order of equal keys
 *
 * Two different words of one book have the same hash with a probability of about (words^2 / 2^65):
 * 10^-8 for a book of half a million different words.
 *
 * The counts lie near a line: the k-th word comes about 1/k as often as the first (G. Zipf, 1935).
 */
#include <math.h>
#include <string.h>

#include "example.h"

typedef struct words {
    uint64_t letters, count, different;
    uint8_t *letter, *begins; /* the letters of all words, and whether a word starts there */
    uint64_t *first;          /* of each word: the place of its first letter */
    uint64_t *hash,
        *number; /* of each different word, later: its count, its first place in `first` */
} words;

static uint64_t mix(uint64_t x) /* splitmix64: each bit of x changes about half of the bits */
{
    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 30)) * 0x94d049bb133111eb;
    x = (x ^ (x >> 27)) * 0xbf58476d1ce4e5b9;
    return x ^ (x >> 31);
}

/* Leaves only letters in text, and finds where words start. */
static words find_words(parscan_context *context, char *text, size_t size)
{
    words w = {.letter = (uint8_t *)text, .begins = example_room(size, 1)};
    uint8_t *const is_letter = example_room(size + 1, 1);
    for (size_t i = 0; i < size; i++) {
        w.letter[i] |= 0x20; /* capitals become small */
        is_letter[i] = w.letter[i] >= 'a' && w.letter[i] <= 'z';
    }
    for (size_t i = 0; i < size; i++)
        w.begins[i] = i == 0 || !is_letter[i - 1];
    example_check(context,
                  parscan_compact(context, 1, w.begins, is_letter, w.begins, size, &w.letters));
    example_check(context, parscan_compact(context, 1, text, is_letter, text, size, &w.letters));
    w.first = example_room(w.letters + 1, sizeof *w.first);
    example_check(context, parscan_compact_indices(context, PARSCAN_U8, w.begins, NULL, PARSCAN_U64,
                                                   w.first, w.letters, &w.count));
    w.first[w.count] = w.letters;
    return w;
}

static void hash_words(parscan_context *context, words *w)
{
    uint64_t *const term = example_room(w->letters, sizeof *term);
    w->hash = example_room(w->count, sizeof *w->hash);
    const parscan_segments by_word =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = w->begins);
    for (uint64_t i = 0; i < w->letters; i++)
        term[i] = 1;
    example_check(context, parscan_segmented_exclusive_scan(context, PARSCAN_U64, term, term,
                                                            w->letters, &by_word, NULL));
    for (uint64_t i = 0; i < w->letters; i++) /* term[i] was the letter's place in its word */
        term[i] = mix(term[i] << 8 | w->letter[i]);
    example_check(context, parscan_segmented_reduce(context, PARSCAN_U64, term, w->hash, w->letters,
                                                    &by_word, &w->count, NULL));
}

/* hash[] becomes the counts, number[] the first word of each kind. */
static void count_words(parscan_context *context, words *w)
{
    const uint64_t n = w->count;
    w->number = example_room(n, sizeof *w->number);
    uint64_t *const begin = example_room(n, sizeof *begin);
    for (uint64_t i = 0; i < n; i++)
        w->number[i] = i;
    example_check(context, parscan_sort_pairs(context, PARSCAN_U64, w->hash, w->hash, 8, w->number,
                                              w->number, n, NULL));
    example_check(context, parscan_run_length_encode(context, PARSCAN_U64, w->hash, NULL,
                                                     PARSCAN_U64, begin, n, &w->different));
    memcpy(w->hash, begin, w->different * sizeof *begin);
    uint64_t total;
    example_check(context, parscan_allocate(context, PARSCAN_U64, begin, w->different, PARSCAN_U64,
                                            begin, &total, NULL));
    for (uint64_t k = 0; k < w->different; k++) /* forward: k <= begin[k] */
        w->number[k] = w->number[begin[k]];
    example_check(context, parscan_sort_pairs(context, PARSCAN_U64, w->number, w->number, 8,
                                              w->hash, w->hash, w->different, NULL));
    example_check(context, parscan_sort_pairs(context, PARSCAN_U64, w->hash, w->hash, 8, w->number,
                                              w->number, w->different,
                                              &PARSCAN_SORT_OPTIONS(.descending = 1)));
}

static void draw(const words *w, const char *path)
{
    FILE *const picture = fopen(path, "w");
    if (picture == NULL)
        example_fail(path, "cannot be written");
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 0 660 420\" "
          "font-family=\"sans-serif\" font-size=\"13\">\n",
          picture);
    const double scale = w->different > 0 ? 400 / log10(10 * (double)w->hash[0]) : 0;
    double last = -1;
    for (uint64_t k = 0; k < w->different; k++) {
        const double x = 10 + 120 * log10((double)k + 1);
        const double y = 400 - scale * log10((double)w->hash[k]);
        if (x - last < 0.7)
            continue;
        last = x;
        fprintf(picture, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n", x, y);
        if ((k & (k + 1)) == 0 && k % 3 == 0) { /* the first, fourth, 16th ... */
            const uint64_t *const first = &w->first[w->number[k]];
            fprintf(picture, "<text x=\"%.1f\" y=\"%.1f\">%.*s %" PRIu64 "</text>\n", x + 6, y - 4,
                    (int)(first[1] - first[0]), w->letter + first[0], w->hash[k]);
        }
    }
    fputs("</svg>\n", picture);
    if (fclose(picture) != 0)
        example_fail(path, "cannot be written");
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3)
        example_fail("usage", "example_word_count TEXT [PICTURE.svg]");
    size_t size;
    char *const text = example_read(argv[1], &size);
    parscan_context *const context = example_context();
    words w = find_words(context, text, size);
    hash_words(context, &w);
    count_words(context, &w);
    for (uint64_t k = 0; k < w.different; k++) {
        const uint64_t *const first = &w.first[w.number[k]];
        printf("%" PRIu64 " %.*s\n", w.hash[k], (int)(first[1] - first[0]), w.letter + first[0]);
    }
    if (argc == 3)
        draw(&w, argv[2]);
    return example_end(context);
}
