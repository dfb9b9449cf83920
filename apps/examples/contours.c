/*
 * Marching squares: the lines of equal height of a height field, as a picture (SVG).
 *
 *     example_contours HEIGHTS.pgm STEP >CONTOURS.svg       lines half a metre above the multiples of STEP
 *     example_contours HEIGHTS.pgm STEP list                x0 y0 x1 y1 level of each segment
 *
 * HEIGHTS.pgm is a grey map (P5) of 16 bits: each pixel is a height. Four neighbouring pixels are the
 * corners of a cell. A line crosses each side whose ends lie on two sides of its level; so a cell has
 * no, one or two segments of a line, and of many lines where it is steep. How many is known only when
 * it is counted, so the work is done in the three steps of every output of variable size:
 *
 *     count      each cell: the number of its segments
 *     allocate   an exclusive scan of the numbers: where each cell writes, and how much room that takes
 *     write      each cell: its segments, to its own place
 *
 * Cells never meet, so that each step works on all of them at once, and nobody waits for a lock.
 * Levels lie half a metre off so that none passes through a corner.
 *
 * Source: C. Dyken, G. Ziegler, C. Theobalt, H.-P. Seidel, High-speed Marching Cubes using
 * HistoPyramids, 2008 (count, scan, write); W. Lorensen, H. Cline, Marching Cubes, 1987.
 */
#include <math.h>
#include <string.h>

#include "example.h"

typedef struct field {
    size_t width, height;
    const unsigned char *pixels; /* of two bytes, the high one first */
    double step;
} field;

typedef struct segment {
    float x0, y0, x1, y1, level;
} segment;

static double height_at(const field *f, size_t x, size_t y)
{
    const unsigned char *const pixel = f->pixels + 2 * (y * f->width + x);
    return pixel[0] * 256.0 + pixel[1];
}

/* Writes the segments of a cell, unless out is NULL, and returns how many they are. */
static uint32_t cell(const field *f, size_t x, size_t y, segment *out)
{
    /* Corners around the cell; side s is from corner s to corner s + 1. */
    const double dx[5] = {0, 1, 1, 0, 0}, dy[5] = {0, 0, 1, 1, 0};
    double z[5], low = INFINITY, high = -INFINITY, middle = 0;
    for (int c = 0; c < 4; c++) {
        z[c] = height_at(f, x + (size_t)dx[c], y + (size_t)dy[c]);
        low = fmin(low, z[c]);
        high = fmax(high, z[c]);
        middle += z[c] / 4;
    }
    z[4] = z[0];
    uint32_t count = 0;
    for (double k = ceil((low - 0.5) / f->step); k * f->step + 0.5 < high; k++) {
        const double level = k * f->step + 0.5;
        float px[4] = {0}, py[4] = {0};
        int crossed = 0;
        for (int s = 0; s < 4; s++) {
            if ((z[s] > level) == (z[s + 1] > level))
                continue;
            const double t = (level - z[s]) / (z[s + 1] - z[s]);
            px[crossed] = (float)((double)x + dx[s] + t * (dx[s + 1] - dx[s]));
            py[crossed++] = (float)((double)y + dy[s] + t * (dy[s + 1] - dy[s]));
        }
        /* Of four crossed sides (a saddle) two segments cut off the corners that are not on the side
           of the middle: corners 1 and 3 between sides 0, 1 and 2, 3, or else corners 0 and 2. */
        const int first = crossed == 4 && (z[0] > level) != (middle > level);
        for (int s = 0; s < crossed; s += 2, count++) {
            const int a = (s + first) % 4, b = (s + first + 1) % 4;
            if (out != NULL)
                out[count] = (segment){px[a], py[a], px[b], py[b], (float)level};
        }
    }
    return count;
}

static segment *contours(parscan_context *context, const field *f, uint64_t *total)
{
    const size_t columns = f->width - 1, cells = columns * (f->height - 1);
    uint32_t *const counts = example_room(cells, sizeof *counts);
    uint64_t *const offsets = example_room(cells, sizeof *offsets);
    for (size_t i = 0; i < cells; i++)
        counts[i] = cell(f, i % columns, i / columns, NULL);
    example_check(context, parscan_allocate(context, PARSCAN_U32, counts, cells, PARSCAN_U64,
                                            offsets, total, NULL));
    segment *const segments = example_room(*total, sizeof *segments);
    for (size_t i = 0; i < cells; i++)
        cell(f, i % columns, i / columns, segments + offsets[i]);
    return segments;
}

/* Every fifth line is thick. Places are in tenths of a pixel. */
static void draw(const field *f, const segment *segments, uint64_t n)
{
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"#fbf8f0\"/>\n",
           10 * (f->width - 1), 10 * (f->height - 1));
    for (int thick = 0; thick < 2; thick++) {
        printf("<path fill=\"none\" stroke=\"#8a5a2b\" stroke-width=\"%d\" d=\"", thick ? 6 : 2);
        for (uint64_t i = 0; i < n; i++) {
            const segment *const s = &segments[i];
            if ((fmod(lround((s->level - 0.5) / f->step), 5) == 0) == thick)
                printf("M%ld %ldl%ld %ld", lroundf(10 * s->x0), lroundf(10 * s->y0),
                       lroundf(10 * (s->x1 - s->x0)), lroundf(10 * (s->y1 - s->y0)));
        }
        printf("\"/>\n");
    }
    printf("</svg>\n");
}

int main(int argc, char **argv)
{
    field f = {.step = argc >= 3 ? strtod(argv[2], NULL) : 0};
    if ((argc != 3 && argc != 4) || !(f.step > 0))
        example_fail("usage", "example_contours HEIGHTS.pgm STEP [list]");
    size_t size;
    int begin = 0;
    char *const file = example_read(argv[1], &size);
    if (sscanf(file, "P5 %zu %zu 65535%n", &f.width, &f.height, &begin) != 2 || begin == 0 ||
        f.width < 2 || f.height < 2 || size <= (size_t)begin ||
        (size - (size_t)begin - 1) / 2 / f.width < f.height)
        example_fail(argv[1], "is not a grey map of 16 bits (P5 WIDTH HEIGHT 65535)");
    f.pixels = (unsigned char *)file + begin + 1;
    parscan_context *const context = example_context();
    uint64_t n;
    segment *const segments = contours(context, &f, &n);
    if (argc == 3)
        draw(&f, segments, n);
    for (uint64_t i = 0; i < n && argc == 4; i++) /* "list" */
        printf("%.6f %.6f %.6f %.6f %g\n", segments[i].x0, segments[i].y0, segments[i].x1,
               segments[i].y1, segments[i].level);
    return example_end(context);
}
