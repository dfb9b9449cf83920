/* parscan pack: one gzip member that everyone reads, of any input. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "tests/apps/cli/run_program.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <criterion/criterion.h>

#include "tests/support/random.h"

TestSuite(pack, .init = enter_folder, .fini = leave_folder);

enum { BLOCK = 128 * 1024, ROUND = 16 * BLOCK };

/* Bytes that deflate well here and badly there. */
static blob some_bytes(size_t size)
{
    const blob bytes = new_blob(size);
    for (size_t k = 0; k < size; k++)
        bytes.bytes[k] = (char)(k / 50000 % 3 == 0 ? random_bits() : k / 7 % 11 + k % 3);
    return bytes;
}

static uint32_t little(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* One gzip member and nothing else, header and trailer right, that inflates to the content. */
static void expect_packed(blob packed, blob content)
{
    const unsigned char *const bytes = (const unsigned char *)packed.bytes;
    cr_assert_geq(packed.size, 20);
    cr_assert_eq(memcmp(bytes, "\x1f\x8b\x08\0\0\0\0\0", 8), 0);
    cr_assert_eq(little(bytes + packed.size - 8),
                 crc32(0, (const Bytef *)content.bytes, (uInt)content.size));
    cr_assert_eq(little(bytes + packed.size - 4), content.size);
    z_stream stream = {.next_in = (Bytef *)packed.bytes, .avail_in = (uInt)packed.size};
    const blob out = new_blob(content.size + 1);
    stream.next_out = (Bytef *)out.bytes;
    stream.avail_out = (uInt)out.size;
    cr_assert_eq(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END, "%s", stream.msg);
    cr_assert_eq(stream.avail_in, 0);
    cr_assert_eq(stream.total_out, content.size);
    cr_assert_eq(memcmp(out.bytes, content.bytes, content.size), 0);
    inflateEnd(&stream);
}

/* Around a block and a round, and more than two rounds. */
static const size_t sizes[] = {0,         1,
                               7,         8,
                               9,         1000,
                               BLOCK - 1, BLOCK,
                               BLOCK + 1, 5 * BLOCK + 77,
                               ROUND - 1, ROUND,
                               ROUND + 1, 2 * ROUND + 3 * BLOCK + 5};

Test(pack, gives_one_member_of_any_size)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const blob content = some_bytes(sizes[k]);
        write_file("in", content);
        expect_done(RUN("", "pack", "-1", "in", "-o", "out.gz"));
        expect_packed(read_file("out.gz"), content);
        static const char *const threads[] = {"3", "16"};
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            const program_run run =
                run_arguments(content, ARGUMENTS("pack", "-1", "--threads", threads[t]));
            cr_assert_eq(run.status, 0);
            expect_packed(run.out, content);
            cr_assert(same_bytes(run.out, read_file("out.gz")), "it depends on the threads");
        }
    }
}

Test(pack, knows_every_level)
{
    const blob content = some_bytes(ROUND + 3 * BLOCK);
    write_file("in", content);
    size_t before = SIZE_MAX;
    for (char level[] = "0"; level[0] <= '9'; level[0]++) {
        const program_run run = RUN("", "pack", "--level", level, "in");
        expect_packed(run.out, content);
        if (level[0] < '2')
            cr_assert_lt(run.out.size, before);
        before = run.out.size;
    }
    const program_run ninth = RUN("", "pack", "--level=9", "in"),
                      zeroth = RUN("", "pack", "--level", "0", "in");
    cr_assert_lt(ninth.out.size, content.size);
    cr_assert_lt(zeroth.out.size, content.size + content.size / 1000);
    cr_assert(same_bytes(RUN("", "pack", "in").out, RUN("", "pack", "--level", "6", "in").out));
}

Test(pack, writes_what_a_packed_file_has)
{
    const char *const text = "3 1 4 1 5\n";
    const blob packed = RUN(text, "pack", "-9").out;
    cr_assert(same_bytes(packed, RUN(text, "pack", "--level=9").out));
    expect_output(run_arguments(packed, ARGUMENTS("pack", "-d")), text);
    const blob content = some_bytes(ROUND + 3 * BLOCK);
    write_file("in", content);
    expect_done(RUN("", "pack", "-1", "-o", "in.gz", "in"));
    expect_done(RUN("", "pack", "-d", "-o", "out", "in.gz"));
    cr_assert(same_bytes(read_file("out"), content));
    remove("out");
    expect_failure(
        run_arguments((blob){packed.bytes, packed.size - 1}, ARGUMENTS("pack", "-d", "-o", "out")),
        "standard input: the gzip data are cut short");
    expect_failure(RUN(text, "pack", "-d"), "not a gzip, zstd, xz or zip file");
    expect_usage(RUN(text, "pack", "-d", "-1"), "--level and --decompress exclude each other");
    expect_usage(RUN(text, "pack", "--member=a"), "--member needs --decompress");
}

/* The blocks of BGZF: each says how long it is, the last one has no data, and together they inflate to the content. */
static void expect_blocks(blob packed, blob content)
{
    static const unsigned char head[] = "\x1f\x8b\x08\x04\0\0\0\0\0\xff\6\0BC\2";
    const unsigned char *at = (const unsigned char *)packed.bytes, *const end = at + packed.size;
    const blob out = new_blob(65536);
    size_t done = 0, size = 1, block = 0;
    for (; at < end; at += block) {
        cr_assert(end - at >= 28 && memcmp(at, head, sizeof head) == 0);
        block = (at[16] | (size_t)at[17] << 8) + 1;
        cr_assert(block <= (size_t)(end - at));
        z_stream stream = {.next_in = (Bytef *)(uintptr_t)at, .avail_in = (uInt)block};
        stream.next_out = (Bytef *)out.bytes;
        stream.avail_out = (uInt)out.size;
        cr_assert_eq(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
        cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END, "%s", stream.msg);
        cr_assert_eq(stream.avail_in, 0);
        size = stream.total_out;
        inflateEnd(&stream);
        cr_assert(size <= content.size - done &&
                  memcmp(out.bytes, content.bytes + done, size) == 0);
        cr_assert(size == 65280 || done + size == content.size);
        done += size;
    }
    cr_assert(done == content.size && size == 0 && block == 28);
}

enum { DATA = 65280 };

Test(pack, writes_the_blocks_of_bgzf)
{
    static const size_t lengths[] = {0, 1, DATA, DATA + 1, 49 * DATA + 77};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths;
         k++) { /* a round of 3 threads is 48 blocks */
        const blob content = some_bytes(lengths[k]);
        write_file("in", content);
        expect_done(RUN("", "pack", "-1", "in", "-o", "out.bgz", "--threads=3"));
        const blob packed = read_file("out.bgz");
        expect_blocks(packed, content);
        cr_assert(same_bytes(packed, RUN("", "pack", "--blocks", "--level=1", "in").out));
        cr_assert(same_bytes(content, RUN("", "pack", "-d", "out.bgz", "--threads=3").out));
        cr_assert(same_bytes(content, RUN("", "pack", "-d", "out.bgz", "--threads=1").out));
    }
    expect_blocks(RUN("", "pack", "--blocks", "-0", "in").out, read_file("in"));
    expect_usage(RUN("", "pack", "-d", "--blocks"), "--blocks and --decompress exclude each other");
}

Test(pack, every_output_may_be_in_blocks)
{
    expect_done(RUN("3 1 2", "scan", "-o", "out.bgz"));
    expect_blocks(read_file("out.bgz"), text_blob("3\n4\n6\n"));
    expect_done(RUN("3 1 2", "compact", "--where=>1", "-o", "out.npy.bgz"));
    expect_done(RUN("", "pack", "-d", "out.npy.bgz", "-o", "out.npy"));
    expect_output(RUN("", "scan", "--output-format=text", "out.npy"), "3\n5\n");
    expect_output(RUN("", "scan", "--output-format=text", "out.npy.bgz"), "3\n5\n");
}

static blob joined(blob a, blob b)
{
    const blob both = new_blob(a.size + b.size);
    memcpy(both.bytes, a.bytes, a.size);
    memcpy(both.bytes + a.size, b.bytes, b.size);
    return both;
}

/* Members of other kinds may follow, and an extra field need not be BGZF's. */
Test(pack, reads_blocks_among_other_members)
{
    static const char other[] = "\x1f\x8b\x08\x04\0\0\0\0\0\xff\6\0RA\2\0\0\0";
    const blob text = text_blob("1 2 3\n"), blocks = RUN("1 2 3\n", "pack", "--blocks").out;
    const blob member = gzip_blob(text);
    blob foreign = new_blob(member.size + 8);
    memcpy(foreign.bytes, other, 18);
    memcpy(foreign.bytes + 18, member.bytes + 10, member.size - 10);
    const blob files[] = {joined(blocks, member), joined(member, blocks), joined(blocks, blocks),
                          joined(foreign, blocks), joined(blocks, foreign)};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        expect_output(run_arguments(files[k], ARGUMENTS("reduce", "--threads=3", "--quiet")),
                      "12\n");
        write_file("in.gz", joined(files[k], new_blob(100)));
        expect_output(RUN("", "reduce", "--threads=3", "--quiet", "in.gz"), "12\n");
        expect_failure(run_arguments(joined(files[k], text_blob("garbage")),
                                     ARGUMENTS("reduce", "--threads=3")),
                       "corrupt gzip data (");
    }
}

Test(pack, blocks_that_are_cut_or_damaged_are_refused)
{
    const blob content = new_blob(DATA + 9);
    memset(content.bytes, '7', content.size - 1);
    content.bytes[content.size - 1] = '\n';
    blob packed = run_arguments(content, ARGUMENTS("pack", "--blocks")).out;
    const unsigned char *const head = (const unsigned char *)packed.bytes;
    const size_t whole = packed.size, first = (head[16] | (size_t)head[17] << 8) + 1;
    for (packed.size = 4; packed.size < whole - 28; packed.size += packed.size % 5 + 3) {
        if (packed.size == first)
            continue;
        expect_failure(run_arguments(packed, ARGUMENTS("pack", "-d", "-o", "out", "--threads=3")),
                       "standard input: the gzip data are cut short");
        cr_assert_eq(count_files(), 0);
    }
    packed.size = first;          /* nothing tells that more has been there */
    for (int k = 0; k < 2; k++) { /* but that the empty block is missing */
        const program_run run =
            run_arguments(packed, ARGUMENTS("pack", "-d", k == 0 ? "--threads=1" : "--threads=3"));
        cr_assert_eq(run.out.size, DATA);
        cr_assert_str_eq(run.err.bytes,
                         "parscan: note: standard input: the empty block that ends a "
                         "BGZF file is not there: the file may be cut short\n");
    }
    const program_run quiet = run_arguments(packed, ARGUMENTS("pack", "-d", "--quiet"));
    cr_assert_eq(quiet.out.size, DATA);
    expect_done(quiet);
    packed.size = whole;
    packed.bytes[first - 6] ^= 1; /* the checksum of block 1 */
    expect_failure(run_arguments(packed, ARGUMENTS("pack", "-d", "-o", "out", "--threads=3")),
                   "corrupt gzip data (incorrect data check)");
    packed.bytes[first - 6] ^= 1;
    packed.bytes[whole - 28 - 3] ^= 1; /* the length of block 2 */
    expect_failure(run_arguments(packed, ARGUMENTS("pack", "-d", "-o", "out", "--threads=3")),
                   "corrupt gzip data (incorrect length check)");
    packed.bytes[whole - 28 - 3] ^= 1;
    packed.bytes[first + 18] = (char)0xff; /* deflate's first block in block 2 */
    expect_failure(run_arguments(packed, ARGUMENTS("pack", "-d", "-o", "out", "--threads=3")),
                   "corrupt gzip data (invalid block type)");
    cr_assert_eq(count_files(), 0);
}

/* What the cut into blocks costs: a part in a hundred at most. */
Test(pack, is_as_small_as_one_stream)
{
    const blob content = new_blob(3 * ROUND / 2);
    for (size_t k = 0; k < content.size; k += 8) {
        char number[24];
        snprintf(number, sizeof number, "%7u\n", (unsigned)(k / 8 * 7 % 9999999));
        memcpy(content.bytes + k, number, 8);
    }
    write_file("in", content);
    const program_run run = RUN("", "pack", "in");
    expect_packed(run.out, content);
    const size_t whole = gzip_blob(content).size;
    cr_assert_leq(run.out.size, whole + whole / 100);
}

Test(pack, packs_what_is_packed)
{
    const blob once = gzip_blob(text_blob("1 2 3\n"));
    expect_packed(run_arguments(once, ARGUMENTS("pack")).out, once);
}

Test(pack, may_replace_its_input)
{
    const blob content = some_bytes(300000);
    write_file("file", content);
    expect_done(RUN("", "pack", "file", "-o", "file"));
    expect_packed(read_file("file"), content);
    cr_assert_eq(count_files(), 1);
}

Test(pack, refuses_wrong_usage)
{
    expect_usage(RUN("", "pack", "--level", "10"), "--level: '10' is not a level of 0 to 9");
    expect_usage(RUN("", "pack", "--level", "-1"), "--level: '-1' is not a level of 0 to 9");
    expect_usage(RUN("", "pack", "--level", ""), "--level: '' is not a level of 0 to 9");
    expect_usage(RUN("", "pack", "--level", "six"), "--level: 'six' is not a level");
    expect_usage(RUN("", "pack", "--type", "u8"), "unknown option --type");
    expect_usage(RUN("", "pack", "a", "b"), "at most one input FILE may be given, not 2");
}

Test(pack, explains_itself)
{
    const program_run run = RUN("", "pack", "--help");
    cr_assert_eq(run.status, 0);
    cr_assert_not_null(strstr(run.out.bytes, "--level N"));
}

Test(pack, says_what_it_did_with_stats)
{
    const program_run run = RUN("hello", "pack", "--stats", "-o", "out.gz");
    cr_assert_eq(run.status, 0);
    cr_assert_eq(strncmp(run.err.bytes, "parscan: 5 elements, ", 21), 0, "%s", run.err.bytes);
}

Test(pack, names_the_file_that_fails)
{
    expect_failure(RUN("", "pack", "missing", "-o", "out.gz"),
                   "parscan: missing: No such file or directory\n");
    cr_assert_eq(mkdir("folder", 0777), 0);
    expect_failure(RUN("", "pack", "folder"), "parscan: folder: Is a directory\n");
    expect_failure(RUN("x", "pack", "-o", "nowhere/out.gz"), "parscan: nowhere/out.gz: ");
    cr_assert_eq(rmdir("folder"), 0);
    cr_assert_eq(count_files(), 0);
}

Test(pack, reports_a_full_device)
{
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("no /dev/full");
    write_file("in", some_bytes(2 * ROUND + 1));
    const char *const small = "1 2 3";
    expect_failure(RUN("", "pack", "in", "-o", "/dev/full"),
                   "parscan: /dev/full: No space left on device\n");
    expect_failure(RUN(small, "pack", "-o", "/dev/full"),
                   "parscan: /dev/full: No space left on device\n");
    expect_failure(run_to("/dev/full", text_blob(small), ARGUMENTS("pack")),
                   "parscan: standard output: No space left on device\n");
    cr_assert_eq(count_files(), 1);
}

Test(pack, does_not_write_to_a_terminal)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        cr_skip_test("no terminal to be had");
    expect_failure(run_to(ptsname(terminal), text_blob("x"), ARGUMENTS("pack", "--quiet")),
                   "parscan: standard output: compressed data are not written to a terminal\n");
    close(terminal);
}

/* The same writer is behind every output in .gz. */
Test(gzip_output, is_written_in_blocks_by_every_subcommand)
{
    enter_folder();
    enum { NUMBERS = 320000 }; /* more than a round of raw, and two of text */
    const blob numbers = new_blob(NUMBERS * sizeof(uint64_t));
    for (size_t k = 0; k < NUMBERS; k++) {
        const uint64_t number = random_bits() >> 40;
        memcpy(numbers.bytes + k * sizeof number, &number, sizeof number);
    }
    write_file("in", numbers);
    expect_done(RUN("", "scan", "--format", "raw", "--type", "u64", "in", "-o", "sums"));
    expect_done(RUN("", "scan", "--format", "raw", "--type", "u64", "in", "-o", "sums.gz"));
    expect_packed(read_file("sums.gz"), read_file("sums"));
    expect_done(RUN("", "scan", "--format", "raw", "--type", "u64", "in", "-o", "sums.txt"));
    expect_done(RUN("", "scan", "--format", "raw", "--type", "u64", "in", "-o", "sums.txt.gz"));
    expect_packed(read_file("sums.txt.gz"), read_file("sums.txt"));
    leave_folder();
}
