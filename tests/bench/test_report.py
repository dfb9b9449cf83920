"""bench/report: what it says of small CSV files, and that the pictures are there."""

import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "bench" / "report"))

import bars  # noqa: E402  (found by the line above)
import busy  # noqa: E402
import compare  # noqa: E402
import kernel_resources  # noqa: E402
import plot  # noqa: E402
import results  # noqa: E402
import short  # noqa: E402
import style  # noqa: E402
import summary  # noqa: E402
import threads  # noqa: E402

HEAD = "# parscan 0.1.0, bench_scan, commit 0123456789ab, 2026-11-21T00:00:00Z\n" \
       "# machine: Some(R) Processor @ 2.80GHz, 2 processors\n"


def row(name, median, *, role="parscan", work="scan", kind="u32", given="uniform", log2n=20,
        threads=2, status="ok", spread=0.0, share=0.5, way="direct"):
    """A row of CSV with quartiles at median -+ spread / 2."""
    size = 8 * 2**log2n
    numbers = [median, median - spread / 2, median + spread / 2, 9, size, size / median * 1e-9,
               2**log2n / median, share, ""] if status == "ok" else [""] * 9
    cells = [work, kind, given, log2n, threads, "warm", name, role, status, *numbers, way]
    return ",".join(map(str, cells))


def write_csv(path, *rows):
    text = HEAD + ",".join(results.COLUMNS) + "\n" + "\n".join(rows) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


def said(function, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    return out.getvalue()


class Files(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def csv(self, name, *rows):
        return write_csv(self.folder / name, *rows)


class ShortCalls(unittest.TestCase):
    def test_a_row_of_work_has_its_sizes_and_what_is_slower_is_bold(self):
        given = [row(name, median, role=role, log2n=log2n, threads=0, way=way)
                 for log2n, way, name, median, role in (
                     (8, "graph", "auto", 2e-6, "parscan"), (8, "graph", "cub", 4e-6, "peer"),
                     (8, "graph", "cub_main", 1e-6, "peer"), (8, "chain", "auto", 3e-6, "parscan"),
                     (10, "graph", "auto", 5e-6, "parscan"))]
        with tempfile.TemporaryDirectory() as folder:
            path = write_csv(pathlib.Path(folder) / "short.csv", *given)
            self.assertIn("| work | 2^8 | 2^10 |\n|---|---|---|\n"
                          "| scan u32 uniform | 2.00 (2.00, **0.50**) | 5.00 |", said(short.main, path))
            self.assertIn("| scan u32 uniform | 3.00 |", said(short.main, path, "chain"))
            with self.assertRaises(SystemExit):
                short.main(path, "direct")


class OddFiles(Files):
    """What a program was stopped in, a disk was full for, or somebody has edited."""

    def refused(self, text, words):
        path = self.folder / "odd.csv"
        path.write_text(text, encoding="utf-8")
        with self.assertRaises(SystemExit) as caught:
            results.read(path)
        self.assertIn(f"{path}: {words}", str(caught.exception))
        self.assertLess(len(str(caught.exception)), len(str(path)) + 200)

    def test_a_file_that_was_cut_off_anywhere_in_a_row(self):
        begin = self.csv("whole.csv", row("auto", 1e-3)).read_text(encoding="utf-8")
        text = begin + row("std", 2e-3) + "\n"
        for end in range(len(begin) + 1, len(text)):
            self.refused(text[:end], "line 5: cut off: 's")
        for commas in range(1, len(results.COLUMNS)):
            self.refused(begin + ",".join(row("std", 2e-3).split(",")[:commas]) + "\n",
                         f"line 5: {commas} columns, not 19: ")

    def test_columns_too_many_and_other_columns(self):
        head = HEAD + ",".join(results.COLUMNS)
        self.refused(f"{head}\n{row('auto', 1e-3)},7\n", "line 4: 20 columns, not 19: 'scan,u32,")
        self.refused(f"{head},more\n", "line 3: not the columns of a benchmark: 'work,type")

    def test_numbers_that_are_none(self):
        head = HEAD + ",".join(results.COLUMNS) + "\n"
        good = row("auto", 1e-3).split(",")
        for column, cell, words in (
                ("median_s", "nan", "median_s is no number: 'nan'"),
                ("q1_s", "inf", "q1_s is no number: 'inf'"), ("q3_s", "-1", "q3_s of -1"),
                ("median_s", "1e-320", "median_s of 9.99989e-321"), ("q1_s", "0", "q1_s of 0"),
                ("median_s", "1e300", "median_s of 1e+300"), ("bytes", "", "no bytes"),
                ("share_of_copy", "nan", "share_of_copy is no number: 'nan'"),
                ("share_of_copy", "-inf", "share_of_copy is no number: '-inf'"),
                ("elements_per_s", "0", "elements_per_s of 0"), ("log2n", "2000", "log2n of 2000"),
                ("threads", "two", "threads is no number: 'two'"),
                ("bytes", "7" * 99 + "x", "bytes is no number: '777")):
            cells = list(good)
            cells[results.COLUMNS.index(column)] = cell
            self.refused(head + ",".join(cells) + "\n", f"line 4: {words}")

    def test_an_open_quote_is_an_error_of_its_line_in_few_words(self):
        rows = "\n".join([row("auto", 1e-3)] * 500) + "\n"
        head = HEAD + ",".join(results.COLUMNS) + "\n"
        self.refused(f'{head}{row("std", 2e-3)}\n"{rows}', "line 5: not CSV, ")
        self.refused(f'{HEAD}"{",".join(results.COLUMNS)}\n{rows}', "line 3: not CSV, ")
        self.refused(f'{head}"{"x" * 200000}\n', "line 4: not CSV, ")


class Compare(Files):
    def test_tells_what_moved_by_more_than_the_noise(self):
        old = self.csv("old.csv", row("auto", 1e-3, spread=2e-5), row("std", 2e-3, spread=1e-3),
                       row("copy", 1e-3, role="copy"), row("gone", 1e-3))
        new = self.csv("new.csv", row("auto", 1.1e-3, spread=2e-5), row("std", 2.9e-3, spread=1e-3),
                       row("copy", 1e-3, role="copy"))
        self.assertEqual(
            said(compare.main, old, [new]),
            "  +10.0%  (noise 4.0%)  1 ms -> 1.1 ms  scan/u32/uniform 2^20 auto (2 threads)\n"
            "1 of 3 rows moved by more than the noise\n"
            f"1 rows of {old} have no counterpart\n"
            "the machine: copies took 1.00 x their old time (median)\n")

    def test_small_moves_are_noise_whatever_the_quartiles(self):
        old, new = self.csv("old.csv", row("auto", 1e-3)), self.csv("new.csv", row("auto", 1.01e-3))
        self.assertIn("0 of 1 rows", said(compare.main, old, [new]))

    def test_the_slowest_down_come_first_and_factors_are_factors(self):
        old = self.csv("old.csv", row("a", 1e-3), row("b", 1e-3), row("c", 1e-3))
        new = self.csv("new.csv", row("a", 0.5e-3), row("b", 3e-3), row("c", 1.5e-3))
        lines = said(compare.main, old, [new]).splitlines()
        self.assertEqual([line.split()[0] for line in lines[:3]], ["3", "+50.0%", "-50.0%"])

    def test_rows_that_were_not_timed_are_left_out(self):
        old = self.csv("old.csv", row("auto", 1e-3), row("numpy", 0, status="missing"))
        new = self.csv("new.csv", row("auto", 1e-3), row("numpy", 1e-3))
        self.assertIn("0 of 1 rows", said(compare.main, old, [new]))

    def test_other_files_are_refused(self):
        old = self.csv("old.csv", row("auto", 1e-3))
        other = self.folder / "other.csv"
        other.write_text("a,b\n1,2\n", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "other.csv: line 1: not the columns"):
            compare.main(old, [other])
        with self.assertRaisesRegex(SystemExit, "no row of it"):
            compare.main(old, [self.csv("new.csv", row("else", 1e-3))])
        with self.assertRaisesRegex(SystemExit, "none.csv: No such file"):
            compare.main(self.folder / "none.csv", [old])

    def test_an_old_or_a_new_file_without_times_is_told_to_be_so(self):
        old, empty = self.csv("old.csv", row("auto", 1e-3)), self.csv("empty.csv")
        missing = self.csv("missing.csv", row("numpy", 0, status="missing"))
        for files, words in (((empty, [old]), f"{empty}: empty"),
                             ((old, [empty]), f"{empty}: empty"),
                             ((missing, [old]), f"{missing}: no row of it was timed"),
                             ((old, [empty, missing]),
                              f"{empty}: empty\n{missing}: no row of it was timed")):
            with self.assertRaises(SystemExit) as caught:
                compare.main(*files)
            self.assertEqual(str(caught.exception), words)

    def test_tells_of_another_number_of_threads(self):
        old = self.csv("old.csv", row("auto", 1e-3, threads=4), row("std", 1e-3, threads=4))
        new = self.csv("new.csv", row("auto", 1e-3), row("std", 1e-3), row("auto", 1e-3, threads=8))
        with self.assertRaisesRegex(SystemExit, "no row of it is in .*\n2 are there with another"
                                    " number of threads: 4, now 2 and 8$"):
            compare.main(old, [new])
        gpu = self.csv("gpu.csv", row("auto", 1e-3, threads=0))
        with self.assertRaisesRegex(SystemExit, "gpu.csv$"):
            compare.main(old, [gpu])
        both = self.csv("both.csv", row("auto", 1e-3, threads=4), row("std", 1e-3))
        words = said(compare.main, old, [both])
        self.assertIn("0 of 1 rows moved", words)
        self.assertIn("\n1 are there with another number of threads: 4, now 2\n", words)

    def test_tells_of_a_machine_that_was_not_quiet(self):
        old, new = self.csv("old.csv", row("auto", 1e-3)), self.csv("new.csv", row("auto", 1e-3))
        words = "other work kept 1.50 processors busy before the start"
        for quiet in ("quiet", "not quiet"):
            self.assertNotIn("not a quiet", said(compare.main, old, [new]))
            text = f"# {quiet}: {words}\n" + new.read_text(encoding="utf-8")
            new.write_text(text, encoding="utf-8")
        self.assertIn(f"{new}: not a quiet machine: {words}\n", said(compare.main, old, [new]))

    def test_tells_of_another_machine(self):
        old, new = self.csv("old.csv", row("auto", 1e-3)), self.csv("new.csv", row("auto", 1e-3))
        self.assertNotIn("machine", said(compare.main, old, [new]))
        new.write_text(new.read_text(encoding="utf-8").replace("Some(R)", "Other"),
                       encoding="utf-8")
        self.assertIn("not the same machine: Some(R) Processor @ 2.80GHz; Other Processor",
                      said(compare.main, old, [new]))
        there = self.csv("there.csv", row("auto", 1e-3, threads=4))
        with self.assertRaisesRegex(SystemExit, "4, now 2\nnot the same machine: Some"):
            compare.main(there, [new])

    def test_is_what_run_sh_runs(self):
        old = self.csv("old.csv", row("auto", 1e-3))
        self.csv("scan-cpu.csv", row("auto", 2e-3))
        command = ["sh", str(SOURCE / "bench" / "run.sh"), "--compare", str(old)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False,
                             env={**os.environ, "PARSCAN_BENCH_RESULTS": str(self.folder)})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("2 x  (noise 0.0%)  1 ms -> 2 ms", ran.stdout)


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Drawn once: it takes seconds."""
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        write_csv(cls.folder / "scan-cpu.csv", *(
            row(name, factor * 2e-10 * 2**log2n, role=role, log2n=log2n, spread=1e-8)
            for log2n in (10, 14, 18)
            for name, role, factor in (("auto", "parscan", 1.1), ("kogge-stone", "parscan", 5),
                                       ("std", "peer", 2), ("memcpy", "copy", 1))),
                  row("numpy", 0, role="peer", log2n=18, status="missing"))
        write_csv(cls.folder / "apps-cuda.csv", *(
            row(name, median, role=role, work="sort-keys", kind=kind, threads=0, share=share)
            for kind, share in (("u32", 0.5), ("u64", 0.01))
            for name, role, median in (("parscan", "parscan", 1e-3), ("cub", "peer", 2e-3),
                                       ("copy", "copy", 1e-4))))
        cls.written = [pathlib.Path(path) for path in said(plot.main, cls.folder).split()]

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def test_each_csv_has_its_picture(self):
        self.assertEqual({path.name for path in self.written},
                         {"apps-cuda.svg", "scan-cpu-bandwidth.svg"})
        for path in self.written:
            self.assertEqual(path.read_bytes()[:8], b"<?xml ve")

    def test_a_picture_tells_its_limit_units_machine_and_commit(self):
        text = self.text("scan-cpu-bandwidth.svg")
        for words in ("limit: the measured copy", "GB/s, read and written", "elements of u32",
                      "Some @ 2.80GHz, 2 threads, commit 0123456, 2026-11-21", "parscan auto",
                      "std", "quartiles"):
            self.assertIn(words, text)
        self.assertNotIn("numpy", text)
        self.assertIn("parscan: 1 ms", self.text("apps-cuda.svg"))

    def test_every_panel_has_the_limit_as_a_line_however_far_it_is(self):
        text = self.text("apps-cuda.svg")
        self.assertIn("sort u64 keys", text)
        self.assertEqual(text.count("stroke-dasharray"), 2)
        self.assertIn(">100 G<", text)  # 100 times the longest bar, behind a break of the axis

    def test_all_that_is_measured_beside_a_peer_on_a_gpu_has_a_panel(self):
        rows = results.read(SOURCE / "bench" / "results" / "apps-cuda.csv").timed()
        measured = {(row["work"], row["type"], row["input"]) for row in rows
                    if row["role"] == "peer"}
        self.assertEqual(measured - {panel[:3] for panel in bars.PANELS}, set())

    def test_the_same_numbers_give_the_same_bytes(self):
        first = self.text("apps-cuda.svg")
        plot.draw(self.folder / "apps-cuda.csv")
        self.assertEqual(self.text("apps-cuda.svg"), first)

    def test_every_colour_is_told_from_a_white_and_a_dark_page(self):
        for name, colour in {**style.COLOURS, "ink": style.INK}.items():
            for page in style.PAGES:
                self.assertGreaterEqual(style.contrast(colour, page), style.LEAST_CONTRAST, name)


class OddPictures(Files):
    def drawn(self):
        """What run.sh says of the folder: exit code, output, errors."""
        ran = subprocess.run(["sh", str(SOURCE / "bench" / "run.sh"), "--draw"],
                             capture_output=True, text=True, check=False,
                             env={**os.environ, "PARSCAN_BENCH_RESULTS": str(self.folder)})
        return ran.returncode, ran.stdout, ran.stderr

    def test_the_others_are_drawn(self):
        (self.folder / "apps-cpu.csv").write_text("a,b\n", encoding="utf-8")
        self.csv("program-cpu.csv", row("parscan", 1e-3, work="sort-keys"),
                 row("std", 2e-3, work="sort-keys", role="peer"))
        code, out, words = self.drawn()
        self.assertEqual(code, 1)
        self.assertEqual(out, f"{self.folder}/program-cpu.svg\n")
        self.assertEqual(words, f"{self.folder}/apps-cpu.csv: line 1: not the columns of a"
                                " benchmark: 'a,b'\n")

    def test_what_has_no_picture_is_told(self):
        (self.folder / "apps-cpu.csv").write_text("", encoding="utf-8")
        self.csv("scan-cpu.csv", row("numpy", 0, role="peer", status="missing"))
        self.csv("scan-cuda.csv", row("auto", 1e-3))
        self.assertEqual(self.drawn(), (0, "", "".join(
            f"{self.folder}/{words}: no picture\n" for words in (
                "apps-cpu.csv: empty", "scan-cpu.csv: no row of it was timed",
                "scan-cuda.csv: nothing of it is drawn"))))

    def test_a_folder_that_is_none(self):
        file, empty = self.csv("file.csv"), self.folder / "empty"
        empty.mkdir()
        for folder, words in ((empty, "no CSV"), (self.folder / "none", "No such file"),
                              (file, "Not a directory")):
            for main in (plot.main, summary.main):
                with self.assertRaisesRegex(SystemExit, f"^{folder}: {words}"):
                    main(folder)


class Summary(Files):
    LINE = "| CPU | scan u32, 2^20 | 1 ms | 0.50 | 2 ms, std | 2.00 x |"

    def setUp(self):
        super().setUp()
        self.csv("scan-cpu.csv", row("auto", 1e-3), row("sequential", 9e-3),
                 row("std", 2e-3, role="peer"), row("numpy", 0, role="peer", status="missing"))

    def test_has_a_line_for_what_there_is(self):
        self.assertEqual(said(summary.main, self.folder).splitlines()[2:], [self.LINE])

    def test_a_loss_is_told_as_a_gain_is(self):
        self.csv("apps-cuda.csv", *(
            row(name, median, role=role, work=work, kind=kind, given=given, threads=0)
            for work, kind, given, ours in (
                ("sort-pairs", "u64+u32", "uniform", "parscan"),
                ("sort-segments", "u32", "mean-1000", "parscan"),
                ("unique", "u32", "runs-of-4", "parscan"),
                ("segmented-reduce-keys", "u32", "mean-100", "flags"),
                ("segmented-reduce-keys", "u32", "mean-100", "keys"))
            for name, role, median in ((ours, "parscan", 2e-3 if ours != "flags" else 1e-3),
                                       ("cub", "peer", 1e-3))))
        lines = said(summary.main, self.folder).splitlines()[2:-1]
        self.assertEqual([line.split(" | ")[1:] for line in lines], [
            [f"{words}, 2^20", "2 ms", "0.50", "1 ms, cub", "0.50 x |"] for words in (
                "sort u64 + u32 pairs", "sort segments of u32, mean 1000", "unique u32, runs of 4",
                "segmented reduction u32 by keys")])

    def test_marks_what_the_quartiles_do_not_tell_apart(self):
        self.csv("scan-cpu.csv", row("auto", 1e-3, spread=5e-4), row("std", 1.2e-3, role="peer"))
        readme = self.folder / "README.md"
        readme.write_text(f"{summary.BEGIN}\n{summary.END}\n", encoding="utf-8")
        summary.main(self.folder, readme)
        text = readme.read_text(encoding="utf-8")
        self.assertIn("| ~ 1.20 x |", text)
        self.assertIn("2026-11-21. ~: the quartiles of both overlap.\n", text)

    def test_is_written_between_the_marks_of_a_readme(self):
        readme = self.folder / "README.md"
        readme.write_text(f"before\n{summary.BEGIN}\nold\n{summary.END}\nafter\n", encoding="utf-8")
        summary.main(self.folder, readme)
        lines = readme.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[:4], ["before", summary.BEGIN,
                                     "Some @ 2.80GHz, 2 threads, commit 0123456, 2026-11-21.", ""])
        self.assertEqual(lines[6:], [self.LINE, "", summary.END, "after"])
        readme.write_text("no marks", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "no marks"):
            summary.main(self.folder, readme)

    def test_a_readme_has_a_dozen_rows_and_the_other_document_all(self):
        self.csv("apps-cpu.csv", *(
            row(name, median, role=role, work=work, kind=kind)
            for work, kind in (("sort-keys", "u32"), ("histogram-256", "u8"))
            for name, role, median in (("parscan", "parscan", 1e-3), ("std", "peer", 2e-3))))
        readme, performance = self.folder / "README.md", self.folder / "performance.md"
        for path in (readme, performance):
            path.write_text(f"{summary.BEGIN}\n{summary.END}\n", encoding="utf-8")
        summary.main(self.folder, readme, performance)
        short, full = (path.read_text(encoding="utf-8") for path in (readme, performance))
        self.assertIn("| sort u32 keys, 2^20 |", short)
        self.assertNotIn("histogram u8", short)
        self.assertEqual([line for line in full.splitlines() if line not in short.splitlines()],
                         ["| CPU | histogram u8, 256 bins, 2^20 | 1 ms | 0.50 | 2 ms, std |"
                          " 2.00 x |"])
        self.assertLessEqual(sum(in_readme for *_, in_readme in summary.ROWS), 12)

    def test_without_a_row_of_the_table_nothing_is_said_or_written(self):
        self.csv("scan-cpu.csv", row("auto", 1e-3), row("numpy", 0, role="peer", status="missing"))
        text = f"{summary.BEGIN}\nold\n{summary.END}\n"
        readme = self.folder / "README.md"
        readme.write_text(text, encoding="utf-8")
        for arguments in ((self.folder, readme), (self.folder,)):
            with self.assertRaisesRegex(SystemExit, f"^{self.folder}: no row of the table"):
                summary.main(*arguments)
        self.assertEqual(readme.read_text(encoding="utf-8"), text)

    def test_one_machine_is_one_head_with_its_newest_commit(self):
        newer = self.csv("apps-cpu.csv", row("parscan", 1e-3, work="sort-keys"))
        newer.write_text(newer.read_text(encoding="utf-8").replace("0123456789ab", "fedcba987654")
                         .replace("11-21T00", "11-22T00"), encoding="utf-8")
        self.csv("types-cuda.csv", row("auto", 1e-3, threads=0))  # of which nothing is told
        readme = self.folder / "README.md"
        readme.write_text(f"{summary.BEGIN}\n{summary.END}\n", encoding="utf-8")
        summary.main(self.folder, readme)
        self.assertEqual(readme.read_text(encoding="utf-8").splitlines()[1],
                         "Some @ 2.80GHz, 2 threads, commit fedcba9, 2026-11-22"
                         " (scan-cpu: commit 0123456, 2026-11-21).")

    def test_the_documents_have_the_marks_and_their_pictures_are_there(self):
        for name in ("README.md", "docs/performance.md"):
            text = (SOURCE / name).read_text(encoding="utf-8")
            self.assertIn(summary.BEGIN, text)
            self.assertIn(summary.END, text)
            for path in re.findall(r"\]\(([^)]*\.svg)\)", text):
                self.assertTrue((SOURCE / name).parent.joinpath(path).exists(), path)


class Threads(Files):
    """Rows by the number of threads."""

    def setUp(self):
        super().setUp()
        self.path = self.csv(
            "threads-cpu.csv",
            *(row("nt-copy", median, role="copy", threads=count)
              for count, median in ((1, 2e-3), (2, 1e-3), (4, 1e-3))),
            row("read", 1e-3, role="reference", work="reduce"),
            *(row("auto", median, threads=count) for count, median in ((1, 4e-3), (2, 2e-3), (4, 2.5e-3))),
            row("parscan", 2e-3, work="reduce", share=""),
            row("parscan", 3e-3, log2n=16, share=""),
            row("parlaylib", 3e-3, role="peer", threads=4, share=""),
            row("ips4o", 0, role="peer", threads=4, status="missing"))

    def test_the_table_has_times_and_shares_of_copy_or_read(self):
        lines = said(threads.main, self.path).splitlines()
        self.assertIn("| | 1 | 2 | 4 |", lines)
        self.assertIn("| nt-copy, 8 MiB, GB/s | 4.194 | 8.389 | 8.389 |", lines)
        self.assertIn("| scan/u32/uniform 2^20 | 4 ms (0.25) | 2 ms (0.50) | 2.5 ms (0.40) |", lines)
        self.assertIn("| reduce/u32/uniform 2^20 |  | 2 ms (0.50) |  |", lines)

    def test_peers_are_compared_with_as_many_threads(self):
        lines = said(threads.main, self.path).splitlines()
        self.assertIn("| scan/u32/uniform 2^20, parlaylib |  |  | 1.20 |", lines)
        self.assertFalse(any("ips4o" in line for line in lines))

    def test_names_rows_that_get_slower_with_more_threads(self):
        self.assertEqual(said(threads.main, self.path).splitlines()[-2:], [
            "1 rows are more than 10% slower with more threads:",
            "scan/u32/uniform 2^20: 4 threads 1.25 x the time of 2"])

    def test_without_a_timed_row_it_says_so(self):
        with self.assertRaisesRegex(SystemExit, "no row of it was timed"):
            threads.main(self.csv("none.csv", row("parscan", 0, status="missing")))


class Busy(Files):
    """Rows beside other work."""

    @staticmethod
    def row(name, condition, median, worst, status="ok", work="scan"):
        numbers = [200, median, median, worst] if status == "ok" else [""] * 4
        return ",".join(map(str, [work, "u32", "uniform", 20, 2, name, condition, status, *numbers]))

    def lines(self, *rows):
        path = self.folder / "busy-cpu.csv"
        path.write_text(HEAD + ",".join(busy.COLUMNS) + "\n" + "\n".join(rows) + "\n",
                        encoding="utf-8")
        return said(busy.main, path).splitlines()[2:]

    def test_a_row_within_the_limits_breaks_none(self):
        lines = self.lines(self.row("parscan", "quiet", 1e-3, 1e-3),
                           self.row("parscan", "spin-1", 2.4e-3, 19e-3),
                           self.row("parscan", "spin-2", 3.4e-3, 19e-3),
                           self.row("parscan", "openmp", 2.4e-3, 19e-3),
                           self.row("plain", "spin-1", 2.2e-3, 9e-3))
        self.assertEqual(lines[2:], ["| spin-1 | 1 | 2.4 | 19 ms | 0.92 | 0 |",
                                     "| spin-2 | 1 | 3.4 | 19 ms |  | 0 |",
                                     "| openmp | 1 | 2.4 | 19 ms |  | 0 |", ""])

    def test_each_limit_is_named(self):
        quiet = self.row("parscan", "quiet", 1e-4, 1e-4)
        for condition, median, worst, words in (
                ("spin-1", 2.6e-4, 1e-3, "median 2.6 x quiet"),
                ("openmp", 2.6e-4, 1e-3, "median 2.6 x quiet"),
                ("spin-2", 3.6e-4, 1e-3, "median 3.6 x quiet"),
                ("spin-1", 1e-4, 11e-3, "worst 11 ms"),
                ("spin-2", 1e-4, 21e-3, "worst 21 ms")):
            lines = self.lines(quiet, self.row("parscan", condition, median, worst))
            self.assertEqual(lines[4:], [f"scan/u32/uniform 2^20, {condition}: {words}"])
        lines = self.lines(quiet, self.row("parscan", "spin-1", 2e-4, 1e-3),
                           self.row("plain", "quiet", 1e-5, 1e-5),
                           self.row("plain", "spin-1", 1.8e-4, 1e-3))
        self.assertEqual(lines[4:], ["scan/u32/uniform 2^20, spin-1:"
                                     " 0.90 of the plain loop's speed"])

    def test_a_wrong_result_is_named(self):
        lines = self.lines(self.row("parscan", "quiet", 1e-4, 1e-4),
                           self.row("parscan", "spin-1", 0, 0, status="wrong"))
        self.assertEqual(lines[-1], "scan/u32/uniform 2^20, spin-1: wrong")

    def test_odd_rows_are_refused(self):
        for odd in (self.row("parscan", "spin-x", 1e-3, 1e-3),
                    self.row("parscan", "quiet", "fast", 1e-3)):
            with self.assertRaisesRegex(SystemExit, "line 4: no condition|line 4: median_s is no"):
                self.lines(odd)

    def test_it_is_no_picture_and_no_row_of_the_summary(self):
        self.lines(self.row("parscan", "quiet", 1e-4, 1e-4))
        self.assertEqual(said(plot.main, self.folder), "")
        with self.assertRaisesRegex(SystemExit, "no row of the table"):
            summary.main(self.folder)


class FromFileToFile(Files):
    """What bench/files.py writes."""

    def test_it_is_no_picture_and_no_row_of_the_summary(self):
        (self.folder / "files-cpu.csv").write_text(HEAD + "group,work,program\nsort,sort,parscan\n", encoding="utf-8")
        self.assertEqual(said(plot.main, self.folder), "")
        with self.assertRaisesRegex(SystemExit, "no row of the table"):
            summary.main(self.folder)


class KernelResources(unittest.TestCase):
    """A compiler that prints what ptxas would: two kernels, one of them with two instances and the empty form of a
    third, and a function that is not inline."""

    SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4scanIhEvv' for 'sm_80'
ptxas info    : Function properties for _Z4scanIhEvv
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 16 bytes cumulative stack size, 128 bytes smem
ptxas info    : Compiling entry function '_Z4scanItEvv' for 'sm_80'
ptxas info    : Function properties for _Z4scanItEvv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 80 registers, used 1 barriers
ptxas info    : Function properties for _Z6helperv
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function '_Z4scanIjEvv' for 'sm_80'
ptxas info    : Function properties for _Z4scanIjEvv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 6 registers
ptxas info    : Compiling entry function '_Z4copyv' for 'sm_80'
ptxas info    : Function properties for _Z4copyv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers
"""

    def run_with(self, compiler):
        with tempfile.TemporaryDirectory() as folder:
            nvcc = pathlib.Path(folder, "nvcc")
            nvcc.write_text(compiler)
            nvcc.chmod(0o755)
            pathlib.Path(folder, "words").write_text(self.SAID)
            command = f"{nvcc} -O3 --generate-code=arch=compute_90 -c x.cu -o CMakeFiles/parscan_cuda.dir/x.cu.o"
            entries = [{"directory": folder, "file": "x.cu", "command": command},
                       {"directory": folder, "file": "y.c", "command": "cc -c y.c -o y.o"}]
            pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(entries))
            out = io.StringIO()
            with mock.patch.object(sys, "argv", ["", folder, "80", "86"]), contextlib.redirect_stdout(out):
                kernel_resources.main()
            return out.getvalue()

    def test_a_row_has_the_largest_figures_of_all_instances(self):
        self.assertEqual(self.run_with("#!/bin/sh\ncat words >&2\n"),
                         "| kernel | instances | shared memory | 80 | 86 |\n|---|---|---|---|---|\n"
                         "| copy | 1 |  | 18 | 18 |\n"
                         "| scan | 2 | 128 | 80; 1 spill, 12 | 80; 1 spill, 12 |\n")

    def test_the_compiler_is_asked_for_the_architecture_alone(self):
        self.assertIn("| copy", self.run_with(
            "#!/bin/sh\ncase $* in *generate-code*|*' -c '*) exit 1 ;; "
            "*-cubin\\ -arch=sm_8[06]\\ --resource-usage*) cat words >&2 ;; *) exit 2 ;; esac\n"))

    def test_a_source_that_does_not_compile_ends_it(self):
        with self.assertRaisesRegex(SystemExit, "no such type"):
            self.run_with("#!/bin/sh\necho no such type >&2\nexit 1\n")


if __name__ == "__main__":
    unittest.main()
