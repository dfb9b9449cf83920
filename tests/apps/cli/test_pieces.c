/* Subcommands that work in pieces: the results are those of the whole array, memory does not grow with
   the input, a failure leaves nothing. test_open_pipes.c has the first results of a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "tests/apps/cli/run_program.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

TestSuite(pieces, .init = enter_folder, .fini = leave_folder);

Test(pieces, take_memory_that_does_not_grow_with_the_input, .timeout = 240)
{
    if (UNDER_SANITIZER)
        cr_skip_test("a sanitizer has memory of its own\n");
#define BIG "--backend", "cpu", "--format", "raw", "--threads", "4", "-o", "/dev/null", "big"
    const char *const *const lines[] = {
        ARGUMENTS("scan", "--type", "u32", BIG),
        ARGUMENTS("scan", "--type", "u8", "--out-type", "u64", BIG),
        ARGUMENTS("scan", "--type", "f32", "--reproducible", BIG),
        ARGUMENTS("compact", "--type", "u32", "--where", "==0", BIG),
        ARGUMENTS("histogram", "--type", "u32", "--bins", "256", BIG),
        ARGUMENTS("allocate", "--type", "u32", BIG),
        ARGUMENTS("segscan", "--type", "u8", "--flags", "big", BIG),
        ARGUMENTS("segscan", "--type", "u8", "--offsets", "zeros", "--offsets-type", "u64", BIG),
        ARGUMENTS("scan", "--type", "u32", "--reverse", BIG),
        ARGUMENTS("scan", "--type", "f64", "--reverse", "--reproducible", BIG),
        ARGUMENTS("segscan", "--type", "u8", "--keys", "big", "--keys-type", "u8", "--reverse",
                  BIG),
        ARGUMENTS("segscan", "--type", "u8", "--offsets", "zeros", "--offsets-type", "u64",
                  "--reverse", BIG),
    };
#undef BIG
    const int fd = open("big", O_WRONLY | O_CREAT, 0600);
    cr_assert(fd >= 0 && ftruncate(fd, 96L << 20) == 0 && close(fd) == 0);
    /* Empty segments, and one of all elements. */
    cr_assert_eq(run_shell("\"$0\" compact --format raw --type u64 --where ==0 big -o - | head -c "
                           "80000000 >zeros && printf '\\0\\0\\0\\6\\0\\0\\0\\0' >>zeros"),
                 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const long kibibytes = most_memory(lines[i]);
        cr_assert_leq(kibibytes, 48 * 1024, "%s, line %zu: %ld KiB", lines[i][0], i, kibibytes);
    }
}

/* Several pieces and a part of one. */
enum { ELEMENTS = 550001, BINS = 10, LIMIT = 1000 };

typedef struct expected_results {
    blob scan, maxima, kept, indices, flagged, counts, offsets, segments, keyed;
    blob reversed, wide, last_segments, last_keyed; /* from the end */
} expected_results;

static uint32_t element(const void *elements, size_t i)
{
    return ((const uint32_t *)elements)[i];
}

static expected_results expect_all(blob in, blob flags, blob keys)
{
    expected_results all = {
        new_blob(in.size),     new_blob(in.size),     new_blob(in.size),
        new_blob(2 * in.size), new_blob(in.size),     new_blob(BINS * sizeof(uint64_t)),
        new_blob(2 * in.size), new_blob(in.size),     new_blob(in.size),
        new_blob(in.size),     new_blob(2 * in.size), new_blob(in.size),
        new_blob(in.size)};
    uint32_t sum = 0, most = 5, segment = 0, keyed = 0;
    uint64_t place = 0;
    size_t kept = 0, flagged = 0;
    for (size_t i = 0; i < ELEMENTS; i++) {
        const uint32_t x = element(in.bytes, i);
        const bool flag = flags.bytes[i] != 0;
        ((uint32_t *)(void *)all.scan.bytes)[i] = sum += x;
        ((uint32_t *)(void *)all.maxima.bytes)[i] = most;
        most = x > most ? x : most;
        segment = flag ? x : segment + x;
        keyed = i > 0 && keys.bytes[i] == keys.bytes[i - 1] ? keyed + x : x;
        ((uint32_t *)(void *)all.segments.bytes)[i] = segment;
        ((uint32_t *)(void *)all.keyed.bytes)[i] = keyed;
        ((uint64_t *)(void *)all.offsets.bytes)[i] = place;
        place += (x + UINT64_C(7)) / 8 * 8;
        if (x >= LIMIT) {
            ((uint32_t *)(void *)all.kept.bytes)[kept] = x;
            ((uint64_t *)(void *)all.indices.bytes)[kept++] = i;
        }
        if (flag)
            ((uint32_t *)(void *)all.flagged.bytes)[flagged++] = x;
        if (x < BINS * 200)
            ((uint64_t *)(void *)all.counts.bytes)[x / 200]++;
    }
    uint64_t wide = 5;
    sum = segment = keyed = 0;
    for (size_t i = ELEMENTS; i-- > 0;) {
        const uint32_t x = element(in.bytes, i);
        ((uint32_t *)(void *)all.reversed.bytes)[i] = sum += x;
        ((uint64_t *)(void *)all.wide.bytes)[i] = wide;
        wide += x;
        segment = i + 1 < ELEMENTS && flags.bytes[i + 1] == 0 ? segment + x : x;
        keyed = i + 1 < ELEMENTS && keys.bytes[i] == keys.bytes[i + 1] ? keyed + x : x;
        ((uint32_t *)(void *)all.last_segments.bytes)[i] = segment;
        ((uint32_t *)(void *)all.last_keyed.bytes)[i] = keyed;
    }
    all.kept.size = kept * 4;
    all.indices.size = kept * 8;
    all.flagged.size = flagged * 4;
    return all;
}

static blob text_of(blob in)
{
    blob text = new_blob(ELEMENTS * 11);
    text.size = 0;
    for (size_t i = 0; i < ELEMENTS; i++)
        text.size += (size_t)sprintf(text.bytes + text.size, "%" PRIu32 "\n", element(in.bytes, i));
    return text;
}

static void expect_file(const char *line, blob expected)
{
    const int status = run_shell(line);
    cr_assert_eq(status, 0, "status %d of: %s", status, line);
    cr_assert(same_bytes(read_file("out"), expected), "%s", line);
    remove("out");
}

/* Subcommands, every `step`th from number `first` on, with the input in one format, from a file or from a pipe, in turn,
   starting with the pipe or not. */
static void expect_results(const char *format, const char *name, bool pipe_first,
                           const expected_results *all, size_t first, size_t step)
{
    const struct {
        const char *arguments;
        blob expected;
    } runs[] = {{"scan", all->scan},
                {"scan --algorithm brent-kung", all->scan},
                {"scan --exclusive --op max --init 5", all->maxima},
                {"compact --where '>=1000'", all->kept},
                {"compact --where '>=1000' --indices", all->indices},
                {"compact --flags flags.npy", all->flagged},
                {"histogram --bins 10 --range 0:2000", all->counts},
                {"allocate --align 8", all->offsets},
                {"segscan --flags flags.npy", all->segments},
                {"segscan --keys keys.npy", all->keyed},
                {"segscan --offsets offsets.npy", all->segments},
                {"scan --reverse", all->reversed},
                {"scan --reverse --exclusive --init 5 --out-type u64", all->wide},
                {"segscan --reverse --flags flags.npy", all->last_segments},
                {"segscan --reverse --offsets offsets.npy", all->last_segments},
                {"segscan --reverse --keys keys.npy", all->last_keyed}};
    for (size_t i = first; i < sizeof runs / sizeof runs[0]; i += step) {
        char line[512];
        const char *const type = strcmp(format, "npy") == 0 ? "" : "--type u32";
        snprintf(line, sizeof line, "\"$0\" %s --format %s %s --output-format raw %s -o out",
                 runs[i].arguments, format, type, name);
        const bool piped = (i / step % 2 == 0) == pipe_first;
        if (piped)
            snprintf(line, sizeof line,
                     "cat %s | \"$0\" %s --format %s %s --output-format raw | cat >out", name,
                     runs[i].arguments, format, type);
        expect_file(line, runs[i].expected);
    }
}

static blob npy_of(const char *type, blob elements, size_t size)
{
    char dictionary[96];
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }", type,
             elements.size / size);
    return npy_blob(1, dictionary, elements.bytes, elements.size);
}

/* The offsets of the segments that flags start, with an empty segment at each end. */
static blob offsets_of(blob flags)
{
    const blob offsets = new_blob((flags.size + 3) * sizeof(uint64_t));
    uint64_t *const list = (uint64_t *)(void *)offsets.bytes;
    size_t count = 2; /* 0, 0 */
    for (size_t i = 1; i < flags.size; i++)
        if (flags.bytes[i] != 0)
            list[count++] = i;
    list[count++] = flags.size;
    list[count++] = flags.size;
    return (blob){offsets.bytes, count * sizeof *list};
}

Test(pieces, give_the_results_of_the_whole_array_in_every_format, .timeout = 240)
{
    const blob in = new_blob(ELEMENTS * 4), flags = new_blob(ELEMENTS), keys = new_blob(ELEMENTS);
    uint32_t random = 1;
    for (size_t i = 0; i < ELEMENTS; i++) {
        random = random * 1664525 + 1013904223;
        ((uint32_t *)(void *)in.bytes)[i] = random >> 20;
        flags.bytes[i] = (char)(random >> 8) % 50 == 0;
        keys.bytes[i] = (char)(i / 300000);
    }
    const expected_results all = expect_all(in, flags, keys);
    write_file("flags.npy", npy_of("|u1", flags, 1));
    write_file("keys.npy", npy_of("|u1", keys, 1));
    write_file("offsets.npy", npy_of("<u8", offsets_of(flags), 8));
    write_file("raw", in);
    write_file("npy", npy_of("<u4", in, 4));
    write_file("text", text_of(in));
    write_file("gzip", gzip_blob(in));
    expect_results("raw", "raw", false, &all, 0, 1);
    expect_results("npy", "npy", true, &all, 0, 1);
    /* How they are read is not the subcommands' matter: each takes one of the two. */
    expect_results("text", "text", false, &all, 0, 2);
    expect_results("raw", "gzip", true, &all, 1, 2);
    /* An output in every format, its length known or not, read again. */
    const char *const names[] = {"a.npy", "a.npy.gz", "a.txt", "a.txt.gz", "a.gz"};
    const char *const kept[] = {"scan --op max raw", "compact --where '>=1000' raw"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int k = 0; k < 2; k++) {
            if (k != (int)(i % 2))
                continue;
            char line[512];
            const bool npy = strncmp(names[i], "a.npy", 5) == 0;
            const bool raw = strcmp(names[i], "a.gz") == 0;
            snprintf(line, sizeof line,
                     "\"$0\" %s --format raw --type u32 -o direct && "
                     "\"$0\" %s --format raw --type u32 -o %s && "
                     "\"$0\" scan --op max %s %s %s --output-format raw -o out && "
                     "\"$0\" scan --op max direct --format raw --type u32 -o back",
                     kept[k], kept[k], names[i], names[i], npy ? "" : "--type u32",
                     raw ? "--format raw" : "");
            cr_assert_eq(run_shell(line), 0, "%s", line);
            cr_assert(same_bytes(read_file("out"), read_file("back")), "%s", line);
        }
    }
}

Test(pieces, an_npy_pipe_needs_the_length_first)
{
    write_file("raw", new_blob(64));
    cr_assert_eq(run_shell("\"$0\" scan --format raw --type u32 raw --output-format npy | cat >out"
                           " && \"$0\" scan out -o again && test -s again"),
                 0);
    cr_assert_eq(run_shell("\"$0\" compact out -o again.npy && \"$0\" compact again.npy >list"), 0);
    cr_assert_eq(run_shell("{ \"$0\" compact out; echo $? >status; } 2>words | cat >nothing"), 0);
    cr_assert_str_eq(read_file("status").bytes, "1\n");
    cr_assert_eq(read_file("nothing").size, 0);
    cr_assert_not_null(strstr(read_file("words").bytes,
                              "parscan: standard output: an npy file begins with its number of "
                              "elements, which is not known before the end of the input"));
    /* Of no bytes the length is known. */
    cr_assert_eq(run_shell("\"$0\" scan --output-format npy </dev/null | cat >none && "
                           "test $(wc -c <none) = 128"),
                 0);
    /* A file that is appended to cannot be written back either. */
    cr_assert_eq(run_shell("! \"$0\" compact out >>log 2>/dev/null && test ! -s log"), 0);
}

Test(pieces, a_failure_in_a_later_piece_leaves_the_old_output)
{
    write_file("old", text_blob("old"));
    cr_assert_eq(
        run_shell("{ seq 400000; echo x; } >in; seq 399999 >few; seq 400002 >many; "
                  "{ seq 400000; echo -1; } >negative; { seq 0 400001; echo 400003; } >beyond;"
                  "seq 0 400000 >before; { seq 0 400000; echo 7; } >back; echo 1 1 1 >ones;"
                  "\"$0\" compact few -o few.npy; tail -n +1 in | sed 's/^1$/0/' >in0;"
                  "mv in0 in"),
        0);
    const struct {
        const char *arguments, *words;
    } runs[] = {
        {"scan in", "in: line 400001: 'x' is not a number"},
        {"compact in", "in: line 400001: 'x' is not a number"},
        {"segscan --keys in few", "in: 400001 keys for the 399999 elements of few"},
        {"segscan --keys many in --type u32", "in: line 400001: 'x' is not"},
        {"segscan --keys few many", "few: 399999 keys for the 400002 elements of many"},
        {"segscan --offsets beyond many", "beyond: the last offset is 400003, not 400002"},
        {"segscan --offsets before many", "before: the last offset is 400000, not 400002"},
        {"segscan --offsets back many",
         "back: offset 400001, counted from 0, is 7, less than the 40"},
        {"segscan --offsets in many", "in: line 400001: 'x' is not a number"},
        {"segscan --reverse --offsets before many", "before: the last offset is 400000, not"},
        {"scan --reverse in", "in: line 400001: 'x' is not a number"},
        {"segscan --reverse --keys few many", "few: 399999 keys for the 400002 elements of many"},
        {"segscan --reverse --flags ones few.npy", "ones: 3 flags for the 399999 elements of few"},
        {"allocate --type i32 negative", "element 400001: a size cannot be negative: -1"},
        {"allocate --capacity 1000 few", "few: the sizes need 79999800000, more than --capacity"},
        {"allocate --capacity 79999400001 few", "the sizes need 79999800000, more than"},
    };
    const int files = count_files();
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char line[512];
        snprintf(line, sizeof line, "\"$0\" %s -o old 2>words; test $? = 1", runs[i].arguments);
        cr_assert_eq(run_shell(line), 0, "%s", line);
        const blob words = read_file("words");
        cr_assert_not_null(strstr(words.bytes, runs[i].words), "%s: %s", line, words.bytes);
        cr_assert_str_eq(read_file("old").bytes, "old", "%s", line);
        cr_assert_eq(count_files(), files + 1, "%s", line);
    }
}
