/* Files as other programs write them, byte for byte in form: they are read, or refused in a line that says what to do. */
#include "tests/apps/cli/run_program.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <criterion/criterion.h>

TestSuite(foreign_files, .init = enter_folder, .fini = leave_folder);

/* How a writer of npy files fills the header up, after a dictionary of that length. */
typedef enum padding {
    PAD_IF_NEEDED,   /* NPZ.jl: to 16 bytes; a newline only where there is room */
    PAD_TO_16,       /* npy-matlab: the newline is the last of what fills 16 bytes up */
    PAD_16_AT_LEAST, /* xtensor: 1 to 16 spaces, and a newline */
    PAD_64_AT_LEAST, /* ndarray-npy: 1 to 64 spaces, and a newline */
    PAD_BY_REMAINDER /* cnpy: 1 to 16 characters, the last of which is the newline */
} padding;

static size_t padding_after(padding form, size_t length)
{
    const size_t used = 10 + length;
    switch (form) {
    case PAD_IF_NEEDED:
        return (16 - used % 16) % 16;
    case PAD_TO_16:
    case PAD_BY_REMAINDER:
        return 16 - used % 16;
    case PAD_16_AT_LEAST:
        return 16 - (used + 1) % 16 + 1;
    case PAD_64_AT_LEAST:
        return 64 - (used + 1) % 64 + 1;
    }
    return 0;
}

static blob padded_npy(padding form, const char *dictionary, const void *elements, size_t size)
{
    char header[256];
    const size_t length = strlen(dictionary), more = padding_after(form, length);
    memset(header, ' ', sizeof header);
    memcpy(header, dictionary, length);
    if (more > 0)
        header[length + more - 1] = '\n';
    header[length + more] = '\0';
    return npy_blob(1, header, elements, size);
}

static const int32_t i32[] = {1, 2, 3, 4};
static const int64_t i64[] = {1, 2, 3, 4};
static const uint64_t u64[] = {UINT64_C(1) << 63, 1, 2};
static const float f32[] = {0.5F, 1, 2, 3};
static const double f64[] = {0.5, 1, 2, 3};
static const uint8_t u8[] = {1, 0, 3};
static const uint16_t f16[] = {0x3c00, 0x4000}; /* 1, 2 */
static const char wide[32];

#define ELEMENTS(values) values, sizeof(values)
static const struct {
    const char *writer;
    padding form;
    const char *dictionary;
    const void *elements;
    size_t size;
    const char *option; /* or NULL */
    const char *scan;   /* what `scan` writes; if it fails, words of the message */
} arrays[] = {
    /* NPZ.jl (src/NPZ.jl, npzwritearray): '<' before bytes too, always Fortran's order, a number has the shape (). */
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<i4', 'fortran_order': True, 'shape': (4,), }",
     ELEMENTS(i32), NULL, "1\n3\n6\n10\n"},
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<u1', 'fortran_order': True, 'shape': (3,), }",
     ELEMENTS(u8), NULL, "1\n1\n4\n"},
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<b1', 'fortran_order': True, 'shape': (3,), }",
     ELEMENTS(u8), NULL, "1\n1\n2\n"},
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<f2', 'fortran_order': True, 'shape': (2,), }",
     ELEMENTS(f16), NULL, "1\n3\n"},
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<f8', 'fortran_order': True, 'shape': (), }", f64, 8,
     NULL, "0.5\n"},
    {"NPZ.jl, nothing to pad", PAD_IF_NEEDED,
     "{'descr': '<i8', 'fortran_order': True, 'shape': (1, 1, 1, 1, 4, 1), }", ELEMENTS(i64), NULL,
     "1\n3\n6\n10\n"},
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 2), }",
     ELEMENTS(i64), NULL,
     "is 2 x 2: all dimensions but one must be 1 (--axis N runs along one of them; --flatten "
     "reads"},
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 2), }",
     ELEMENTS(i64), "--flatten", "1\n3\n6\n10\n"},
    {"NPZ.jl", PAD_IF_NEEDED, "{'descr': '<c16', 'fortran_order': True, 'shape': (2,), }", wide, 32,
     NULL, "'<c16' cannot be read (save a.real and a.imag, each as an array)"},
    /* npy-matlab (constructNPYheader.m): every array has two dimensions; no comma behind the last one. */
    {"npy-matlab", PAD_TO_16, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 4), }",
     ELEMENTS(f64), NULL, "0.5\n1.5\n3.5\n6.5\n"},
    {"npy-matlab", PAD_TO_16, "{'descr': '<b1', 'fortran_order': True, 'shape': (3, 1), }",
     ELEMENTS(u8), NULL, "1\n1\n2\n"},
    {"npy-matlab", PAD_TO_16, "{'descr': '>u1', 'fortran_order': False, 'shape': (3), }",
     ELEMENTS(u8), NULL, "1\n1\n4\n"},
    {"npy-matlab", PAD_TO_16, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }",
     ELEMENTS(f32), "--flatten", "0.5\n1.5\n3.5\n6.5\n"},
    /* xtensor (xnpy.hpp, write_header): '|' before single bytes; long double is 'f16'. */
    {"xtensor", PAD_16_AT_LEAST, "{'descr': '<u8', 'fortran_order': False, 'shape': (3,), }",
     ELEMENTS(u64), NULL, "9223372036854775808\n9223372036854775809\n9223372036854775811\n"},
    {"xtensor", PAD_16_AT_LEAST, "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }",
     ELEMENTS(u8), NULL, "1\n1\n4\n"},
    {"xtensor", PAD_16_AT_LEAST, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", u8, 1,
     NULL, "1\n"},
    {"xtensor", PAD_16_AT_LEAST, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }",
     ELEMENTS(f64), "--flatten", "0.5\n1.5\n3.5\n6.5\n"},
    {"xtensor", PAD_16_AT_LEAST, "{'descr': '<f16', 'fortran_order': False, 'shape': (2,), }", wide,
     32, NULL, "'<f16' cannot be read (save a.astype('f8') or another type of --type)"},
    /* ndarray-npy (py_literal, write_ascii): no comma behind the last entry. */
    {"ndarray-npy", PAD_64_AT_LEAST, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
     ELEMENTS(f32), NULL, "0.5\n1.5\n3.5\n6.5\n"},
    {"ndarray-npy", PAD_64_AT_LEAST, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}",
     ELEMENTS(u8), NULL, "1\n1\n4\n"},
    {"ndarray-npy", PAD_64_AT_LEAST, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2)}",
     ELEMENTS(i32), "--flatten", "1\n3\n6\n10\n"},
    {"ndarray-npy", PAD_64_AT_LEAST, "{'descr': '<i8', 'fortran_order': False, 'shape': ()}", i64,
     8, NULL, "1\n"},
    {"ndarray-npy", PAD_64_AT_LEAST,
     "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (4,)}", ELEMENTS(f64), NULL,
     "structured types cannot be read (save one field: a['name'])"},
    /* cnpy (create_npy_header): '<' before bytes too. */
    {"cnpy", PAD_BY_REMAINDER, "{'descr': '<i1', 'fortran_order': False, 'shape': (3,), }",
     ELEMENTS(u8), NULL, "1\n1\n4\n"},
    {"cnpy", PAD_BY_REMAINDER, "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }",
     ELEMENTS(f64), NULL, "0.5\n1.5\n3.5\n6.5\n"},
    {"cnpy", PAD_BY_REMAINDER, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }",
     ELEMENTS(f64), "--flatten", "0.5\n1.5\n3.5\n6.5\n"},
};

Test(foreign_files, npy_of_other_writers)
{
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        const blob file =
            padded_npy(arrays[k].form, arrays[k].dictionary, arrays[k].elements, arrays[k].size);
        const char *const text = "--output-format=text";
        const program_run run = run_arguments(
            file, ARGUMENTS("scan", text, arrays[k].option != NULL ? arrays[k].option : "--quiet"));
        const char *const words = arrays[k].scan;
        const bool fails = words[strlen(words) - 1] != '\n';
        cr_assert_eq(run.status, fails, "%s: %s: %s", arrays[k].writer, arrays[k].dictionary,
                     run.err.bytes);
        if (fails)
            expect_failure(run, words);
        else
            expect_output(run, words);
    }
}

static void put(blob *to, const void *bytes, size_t size)
{
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

/* Adds an entry of a zip file: before the data ("PK\3\4"), with sizes and checksum, or in the directory at the end. */
static void put_entry(blob *to, const char *magic, const char *name, blob data, size_t place)
{
    const uint32_t crc = (uint32_t)crc32(0, (const Bytef *)data.bytes, (uInt)data.size);
    const uint32_t numbers[] = {crc, (uint32_t)data.size, (uint32_t)data.size,
                                (uint32_t)strlen(name)};
    const bool directory = magic[2] == 1;
    put(to, magic, 4);
    put(to, "\x14\0\x14", directory ? 2 : 0);
    put(to, "\x14\0\0\0\0\0\0\0\0\0", 10);
    put(to, numbers, sizeof numbers);
    if (directory) {
        put(to, "\0\0\0\0\0\0\0\0\0\0", 10);
        put(to, &(uint32_t){(uint32_t)place}, 4);
    }
    put(to, name, strlen(name));
    put(to, data.bytes, directory ? 0 : data.size);
}

/* A zip file of stored members, as ZipFile.jl, cnpy and the zip of Rust write them when they can seek. */
static blob stored_zip(const char *const names[2], const blob members[2])
{
    blob zip = new_blob(4096);
    size_t places[2];
    zip.size = 0;
    for (int k = 0; k < 2; k++) {
        places[k] = zip.size;
        put_entry(&zip, "PK\3\4", names[k], members[k], 0);
    }
    const uint32_t begin = (uint32_t)zip.size;
    for (int k = 0; k < 2; k++)
        put_entry(&zip, "PK\1\2", names[k], members[k], places[k]);
    const uint32_t directory[] = {(uint32_t)zip.size - begin, begin};
    put(&zip, "PK\5\6\0\0\0\0\2\0\2\0", 12);
    put(&zip, directory, sizeof directory);
    put(&zip, "\0\0", 2);
    return zip;
}

Test(foreign_files, npz_of_other_writers)
{
    static const struct {
        const char *writer, *names[2], *dictionary;
        padding form;
    } rows[] = {
        {"NPZ.jl",
         {"x.npy", "y.npy"},
         "{'descr': '<f8', 'fortran_order': True, 'shape': (4,), }",
         PAD_IF_NEEDED},
        {"cnpy",
         {"x.npy", "y.npy"},
         "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }",
         PAD_BY_REMAINDER},
        {"ndarray-npy before 0.7",
         {"x", "y"},
         "{'descr': '<f8', 'fortran_order': False, 'shape': (4,)}",
         PAD_64_AT_LEAST},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const blob members[] = {
            padded_npy(rows[k].form, rows[k].dictionary, ELEMENTS(f64)),
            padded_npy(rows[k].form, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)}",
                       ELEMENTS(i32))};
        char words[96];
        write_file("in.npz", stored_zip(rows[k].names, members));
        expect_output(RUN("", "reduce", "--member=x", "in.npz"), "6.5\n");
        expect_output(RUN("", "reduce", "--member=y", "in.npz"), "10\n");
        snprintf(words, sizeof words, "--member NAME reads one: %s, %s\n", rows[k].names[0],
                 rows[k].names[1]);
        expect_failure(RUN("", "reduce", "in.npz"), words);
    }
}

static const char *const snap =
    "# Directed graph (each unordered pair of nodes is saved once): web-Small.txt \r\n"
    "# A web graph\r\n# Nodes: 4 Edges: 4\r\n# "
    "FromNodeId\tToNodeId\r\n0\t11342\r\n0\t8\r\n11342\t0\r\n8\t5\r\n";
static const char *const market[] = {
    "%%MatrixMarket matrix coordinate pattern symmetric\n%-----\n% name: a graph\n%-----\n3 3 3\n1 "
    "1\n2 1\n3 2\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n%\n3 3 2\n2 1  "
    "5.0000000000000000e-01\n3 1 -1e+00\n",
    "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 3 -4\n2 1 7\n1 1 9\n",
    "%%MatrixMarket matrix array real general\n%\n2 2\n1.5\n2\n3\n4\n"};
static const char *const bed = "browser position chr7:127471196-127495720\ntrack name=\"Pairs\" "
                               "description=\"x y\" visibility=2\n"
                               "#chrom\tstart\tend\nchr7\t100\t150\tPos1\t0\t+"
                               "\nchr7\t120\t130\tPos2\t9\t-\nchr22\t1000\t1005\n";
static const char *const iris =
    "3,4,setosa,versicolor,virginica\n5.1,3.5,1.4,0.2,0\n7.0,3.2,4.7,1.4,1\n4.9,3.0,1.4,0.2,0\n";
static const char *const linnerud = "Chins Situps Jumps\n5 162 60\n2 110 60\n";
static const char *const fertility =
    "Country Name,Country Code,Indicator Name,1960,1961\nAruba,ABW,\"Fertility rate, "
    "total\",4.5,4.655\n"
    "\"Bahamas, The\",BHS,\"Fertility rate, total\",3.5,\n";
static const char *const air = "\"\",\"Ozone\",\"Wind\"\n\"1\",41,7.5\n\"2\",NA,8\n\"3\",12,14.5\n";
static const char *const co2 =
    "date,co2\r\n\"19580329\",316.5\r\n\"19580405\",\r\n\"19580412\",317.5\r\n";

#define BED_OPTIONS "--comment=#", "--comment=browser", "--comment=track"
static const struct {
    const char *source;
    const char *const *file;
    const char *arguments[10];
    const char *result; /* what is written; if the line fails, words of the message */
} texts[] = {
    {"SNAP",
     &snap,
     {"reduce"},
     "line 1: '#' is not a number (a comment? --comment leaves out lines"},
    {"SNAP",
     &snap,
     {"reduce", "-k2"},
     "line 1: field 2: 'Directed' is not a number (a comment? --comment leaves out lines"},
    {"SNAP",
     &snap,
     {"reduce", "-k2", "--header"},
     "line 2: field 2: 'A' is not a number (a comment? --comment"},
    {"SNAP", &snap, {"scan", "-k2", "--comment=#"}, "11342\n11350\n11350\n11355\n"},
    {"SNAP", &snap, {"unique", "-k1", "--count", "--comment=#"}, "2\t0\n1\t8\n1\t11342\n"},
    {"SNAP",
     &snap,
     {"sort", "-k1", "-t", "tab", "-r", "--comment=#"},
     "11342\t0\r\n8\t5\r\n0\t11342\r\n0\t8\r\n"},
    {"Matrix Market", &market[0], {"group", "--by=1", "--quiet"}, "1\t1\n2\t1\n3\t1\n"},
    {"Matrix Market", &market[1], {"reduce", "-k3", "--type=f64", "--quiet"}, "-0.5\n"},
    {"Matrix Market", &market[2], {"sort", "-k1", "--quiet"}, "1 3 -4\n1 1 9\n2 1 7\n"},
    {"Matrix Market",
     &market[2],
     {"reduce", "-k4", "--quiet"},
     "line 1: field 4: the lines of this Matrix Market file (coordinate, integer) have 3"},
    {"Matrix Market",
     &market[3],
     {"scan", "-k1", "--type=f64", "--quiet"},
     "1.5\n3.5\n6.5\n10.5\n"},
    {"BED",
     &bed,
     {"reduce", "-k3"},
     "line 1: field 3: 'chr7:127471196-127495720' is not a number (a BED file? --comment browser "
     "--comment track"},
    {"BED",
     &bed,
     {"reduce", "-k3", "--comment=browser", "--comment=track"},
     "line 3: field 3: 'end' is not a number (a comment? --comment"},
    {"BED", &bed, {"reduce", "-k3", BED_OPTIONS, "--op=sum,max"}, "1285\t1005\n"},
    {"BED",
     &bed,
     {"group", "--by=1", "-k2", "--op=min,count", BED_OPTIONS},
     "chr22\t1000\t1\nchr7\t100\t2\n"},
    {"BED",
     &bed,
     {"compact", "-k2", "--where=>=120", BED_OPTIONS},
     "chr7\t120\t130\tPos2\t9\t-\nchr22\t1000\t1005\n"},
    {"scikit-learn",
     &iris,
     {"reduce"},
     "line 1: '3,4,setosa,versicolor,virginica' is not a number (-t, reads fields between commas"},
    {"scikit-learn",
     &iris,
     {"reduce", "-t,", "-k3", "--type=f64"},
     "line 1: field 3: 'setosa' is not a number (a header? --header leaves it out"},
    {"scikit-learn",
     &iris,
     {"reduce", "-t,", "-k1", "--header"},
     "line 2: field 1: 5.1 is not an integer (--type f64 reads floats)"},
    {"scikit-learn", &iris, {"reduce", "-t,", "-k1", "--header", "--type=f64"}, "17\n"},
    {"scikit-learn", &iris, {"group", "-t,", "--by=5", "--header"}, "virginica,count\n0,2\n1,1\n"},
    {"scikit-learn", &linnerud, {"reduce", "-kSitups", "--header"}, "272\n"},
    {"statsmodels", &fertility, {"reduce", "-t,", "-k1960", "--header", "--type=f64"}, "8\n"},
    {"statsmodels",
     &fertility,
     {"group", "-t,", "--by=2", "-k1960", "--header", "--type=f64"},
     "Country Code,sum(1960)\nABW,4.5\nBHS,3.5\n"},
    {"statsmodels",
     &fertility,
     {"reduce", "-t,", "-k1961", "--header", "--type=f64"},
     "line 3: field '1961': a value is missing (--missing skip"},
    {"statsmodels",
     &fertility,
     {"reduce", "-t,", "-k1970", "--header", "--type=f64"},
     "line 1: the header has no field 1970: Country Name,"},
    {"statsmodels",
     &air,
     {"reduce"},
     "(a cell in quotes? -t, reads CSV, and -k N one of its fields)"},
    {"statsmodels",
     &air,
     {"reduce", "-t,", "-kOzone", "--header"},
     "line 3: field 'Ozone': a value is missing (--missing skip"},
    {"statsmodels", &air, {"reduce", "-t,", "-kOzone", "--header", "--missing=skip"}, "53\n"},
    {"statsmodels", &air, {"reduce", "-t,", "-k1", "--header"}, "6\n"},
    {"statsmodels",
     &air,
     {"sort", "-t,", "-kWind", "--header", "--type=f64", "-r"},
     "\"\",\"Ozone\",\"Wind\"\n\"3\",12,14.5\n\"2\",NA,8\n\"1\",41,7.5\n"},
    {"statsmodels",
     &co2,
     {"reduce", "-t,", "-kco2", "--header", "--type=f64", "--missing=skip"},
     "634\n"},
    {"statsmodels", &co2, {"check", "-t,", "-kdate", "--header"}, ""},
};

Test(foreign_files, texts_of_other_sources)
{
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const char *const words = texts[k].result;
        const size_t length = strlen(words);
        const bool fails = length > 0 && words[length - 1] != '\n';
        const program_run run = run_arguments(text_blob(*texts[k].file), texts[k].arguments);
        cr_assert_eq(run.status, fails, "%s, row %zu: %s", texts[k].source, k, run.err.bytes);
        if (fails)
            expect_failure(run, words);
        else
            expect_output(run, words);
    }
}
