/* parscan trace: the picture, and the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/apps/cli/trace_values.h"

/* One thread does all of it. */
TestSuite(trace_picture, .init = enter_folder, .fini = leave_folder,
          .disabled = UNDER_THREAD_SANITIZER);

/* Checks that the text is well-formed XML of the plain kind: elements, attributes, text. */
static void expect_xml(const char *text)
{
    char open[16][16];
    size_t depth = 0;
    for (const char *p = text; (p = strpbrk(p, "<&")) != NULL; p++) {
        cr_assert_eq(*p, '<', "an entity: %.40s", p);
        const char *const end = strchr(p, '>');
        cr_assert_not_null(end);
        char name[16];
        cr_assert_eq(sscanf(p + 1 + (p[1] == '/'), "%15[a-z]", name), 1, "no name: %.40s", p);
        size_t quotes = 0;
        for (const char *q = p + 1; q < end; q++) {
            cr_assert_neq(*q, '<');
            quotes += *q == '"';
        }
        cr_assert_eq(quotes % 2, 0);
        if (p[1] == '/') {
            cr_assert_gt(depth, 0);
            cr_assert_str_eq(open[--depth], name);
        } else if (end[-1] != '/') {
            cr_assert_lt(depth, 16);
            strcpy(open[depth++], name);
        }
    }
    cr_assert_eq(depth, 0);
}

/* No two nodes of the picture may touch. */
static void expect_apart(const char *text)
{
    static int x[2000], y[2000];
    int width = 0, height = 0, count = 0;
    for (const char *p = text; (p = strstr(p, "<g class=\"node")) != NULL; p++) {
        p = strstr(p, "<rect");
        cr_assert_lt(count, 2000);
        cr_assert_eq(sscanf(p, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", &x[count],
                            &y[count], &width, &height),
                     4);
        for (int i = 0; i < count; i++)
            cr_assert(abs(x[i] - x[count]) > width + 8 || abs(y[i] - y[count]) > height + 4);
        count++;
    }
    cr_assert_gt(count, 0);
}

static size_t arrows_of(const char *const *arguments)
{
    const program_run run = run_arguments(text_blob(""), arguments);
    expect_done(run);
    expect_xml(run.out.bytes);
    expect_apart(run.out.bytes);
    size_t arrows = 0;
    for (const char *p = run.out.bytes; (p = strstr(p, "class=\"operation\"")) != NULL; p++)
        arrows++;
    return arrows;
}

#define ARROWS(...) arrows_of(ARGUMENTS("trace", "--svg", "-", __VA_ARGS__))
#define THIRTY_TWO                                                                             \
    "1000", "200", "-30", "4", "-999", "6", "7", "8", "1000", "200", "30", "4", "5", "6", "7", \
        "8", "1000", "200", "30", "4", "5", "6", "7", "8", "1000", "200", "30", "4", "5", "6", \
        "7", "8"

Test(trace_picture, the_picture_has_an_arrow_an_operation)
{
    cr_expect_eq(ARROWS(TEXTBOOK_VALUES), 17);
    cr_expect_eq(ARROWS("--algorithm", "brent-kung", TEXTBOOK_VALUES), 11);
    cr_expect_eq(ARROWS("--algorithm", "brent-kung", "--exclusive", TEXTBOOK_VALUES), 11);
    cr_expect_eq(ARROWS("--algorithm", "three-phase", TEXTBOOK_VALUES), 15);
    cr_expect_eq(ARROWS("--algorithm", "sequential", TEXTBOOK_VALUES), 7);
    cr_expect_eq(ARROWS("--block-threads", "4", FOUR_BLOCKS), 37);
    cr_expect_eq(ARROWS("--block-threads", "4", "--exclusive", FOUR_BLOCKS), 41);
    cr_expect_eq(ARROWS(THIRTY_TWO), 129);
    cr_expect_eq(ARROWS("--algorithm", "warp-padded", THIRTY_TWO), 160);
    cr_expect_eq(ARROWS("--algorithm", "brent-kung", "--block-threads", "2", "--exclusive", "1"),
                 0);
    cr_expect_eq(ARROWS("--type", "bf16", "1", "2", "3"), 3);
}

Test(trace_picture, the_picture_goes_to_a_file_beside_the_text)
{
    const program_run run =
        RUN("", "trace", "--svg", "network.svg", "--algorithm", "brent-kung", TEXTBOOK_VALUES);
    expect_words(run, "operations: 11\n");
    const blob picture = read_file("network.svg");
    cr_expect_eq(strncmp(picture.bytes, "<svg ", 5), 0);
    expect_xml(picture.bytes);
    cr_expect_eq(count_files(), 1);
}

/* The part of a page between two marks. */
static const char *page_part(const char *page, const char *begin, const char *end, char *part,
                             size_t size)
{
    const char *const from = strstr(page, begin);
    cr_assert_not_null(from, "no %s", begin);
    const char *const text = from + strlen(begin), *const to = strstr(text, end);
    cr_assert(to != NULL && (size_t)(to - text) < size, "no %s after %s", end, begin);
    snprintf(part, size, "%.*s", (int)(to - text), text);
    return part;
}

Test(trace_picture, the_page_is_whole_and_has_what_the_program_prints)
{
    const program_run run = RUN("", "trace", "--html", "page.html", "--algorithm", "brent-kung",
                                "--type=i16", "--exclusive", TEXTBOOK_VALUES);
    expect_words(run, "operations: 11\n");
    const char *const page = read_file("page.html").bytes;
    cr_expect_eq(count_files(), 1);
    cr_expect_eq(strncmp(page, "<!DOCTYPE html>\n", 16), 0);
    cr_expect_str_eq(page + strlen(page) - 16, "</body>\n</html>\n");
    cr_expect_null(strstr(page, "http:"));
    cr_expect_null(strstr(page, "https:"));
    for (const char *p = page; (p = strchr(p, '@')) != NULL; p++)
        cr_expect_eq(strncmp(p, "@media", 6), 0, "a mark is left: %.20s", p);
    char part[2048];
    cr_expect_str_eq(page_part(page, "<pre id=\"text\">", "</pre>", part, sizeof part),
                     run.out.bytes);
    page_part(page, "id=\"made\">", "</script>", part, sizeof part);
    cr_expect_not_null(strstr(part, "\"brent-kung\",\"op\":\"sum\",\"type\":\"i16\",\"exclusive\":"
                                    "true,\"threads\":0,\"items\":0,"),
                       "%s", part);
    cr_expect_not_null(strstr(part, "[\"4\",\"6\",\"7\",\"1\",\"2\",\"8\",\"5\",\"2\"]"), "%s",
                       part);
    cr_expect_not_null(strstr(part, "\"operations\":[[null,-1,2,1],[-2,-3,2,1],"), "%s", part);
    expect_output(RUN("", "trace", "--html", "-", "--algorithm", "brent-kung", "--type=i16",
                      "--exclusive", TEXTBOOK_VALUES),
                  page);
}

Test(trace_picture, a_picture_that_cannot_be_written_leaves_nothing)
{
    expect_usage(RUN("", "trace", "--html", "x.html.gz", "1", "2"),
                 "--html: 'x.html.gz': this output is not compressed: a name without .gz");
    expect_failure(RUN("", "trace", "--svg", "no/folder.svg", "1", "2"), "no/folder.svg: No such");
    expect_failure(RUN("", "trace", "--svg", "/dev/full", "1", "2"), "/dev/full: No space left");
    expect_failure(RUN("", "trace", "--html", "no/folder", "1", "2"), "no/folder: No such");
    expect_failure(RUN("", "trace", "--html", "/dev/full", "1", "2"), "/dev/full: No space left");
    cr_expect_eq(count_files(), 0);
    expect_failure(run_to("/dev/full", text_blob(""), ARGUMENTS("trace", "1", "2")),
                   "standard output: ");
    write_file("old", text_blob("old"));
    expect_failure(RUN("", "trace", "--svg", "old", "--html", "no/folder", "1", "2"),
                   "no/folder: No such");
    expect_failure(RUN("", "trace", "--svg", "old", "--html", "./old", "1", "2"),
                   "./old: two outputs cannot be one file");
    expect_failure(run_to("/dev/full", text_blob(""), ARGUMENTS("trace", "--svg", "old", "1", "2")),
                   "standard output: No space left");
    expect_content("old", "old");
}
