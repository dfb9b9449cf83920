"""Tables of text: the program parscan beside coreutils, GNU datamash, Miller and DuckDB.

    python3 bench/tables.py PROGRAM FOLDER [options] >bench/results/tables-cpu.csv

PROGRAM is `parscan`. A CSV file of --lines lines with a header is made in a new folder in FOLDER, and removed: id, key (one
of 1,000), word (one of a million), amount, price. Each row is a program or a pipe of programs, from its start to its end, that reads this
file from the page cache and writes another. The programs of a job run in turn; those that need minutes run once.
cpu_s is the processor time of all threads and processes, which other work on the machine changes little; peak_bytes is
the most resident memory of one process (wait4).

What a program writes is compared with what the first one of the job wrote, whatever the order of the lines: "differs" in
the status is a fault of this script or of the program. DuckDB is that of the Python that runs this; a program that is not there is
"missing".
"""

import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "report"))
from results import head  # noqa: E402  (its folder first)

HEAD = "job,program,status,lines,wall_s,cpu_s,timings,out_bytes,peak_bytes"
DUCKDB = """
import duckdb, sys
query, threads, target = sys.argv[1:]
base = duckdb.connect()
base.execute(f"SET threads={threads}")
base.execute("SET enable_progress_bar=false")  # it would go to standard output
base.execute(f"COPY ({query}) TO '{target}' (FORMAT csv, HEADER false)")
"""

# The jobs. Each program: a shell command that reads {csv}, and {names} for a join, and writes {out} without a header.
# sort's buffer is what it takes by default. A command in DuckDB's place is a query.
JOBS = {
    "group": {
        "parscan": "{parscan} group -t, --header -g key -k amount --op sum {csv} | tail -n +2",
        "duckdb": "SELECT key, sum(amount) FROM read_csv('{csv}') GROUP BY key",
        "datamash": "datamash -t, -s --header-in groupby 2 sum 4 <{csv}",
        "miller": "mlr --icsv --ocsv --headerless-csv-output stats1 -a sum -f amount -g key {csv}",
    },
    "group-many": {
        "parscan": "{parscan} group -t, --header -g word -k amount --op sum {csv} | tail -n +2",
        "duckdb": "SELECT word, sum(amount) FROM read_csv('{csv}') GROUP BY word",
        "datamash": "datamash -t, -s --header-in groupby 3 sum 4 <{csv}",
        "miller": "mlr --icsv --ocsv --headerless-csv-output stats1 -a sum -f amount -g word {csv}",
    },
    "unique-count": {
        "parscan": "{parscan} unique --count -w -t, --header -k word {csv}",
        "duckdb": "SELECT count(*), word FROM read_csv('{csv}') GROUP BY word",
        "datamash": "datamash -t, -s --header-in groupby 3 count 3 <{csv} | awk -F, '{{print $2 FS $1}}'",
        "miller": "mlr --icsv --ocsv --headerless-csv-output count-distinct -f word then reorder -f count {csv}",
        "sort-uniq": "tail -n +2 {csv} | cut -d, -f3 | LC_ALL=C sort | uniq -c | awk '{{print $1 \",\" $2}}'",
    },
    "join": {
        "parscan": "{parscan} join -t, --header -k key {csv} {names} | tail -n +2",
        "duckdb": "SELECT a.key, a.id, a.word, a.amount, a.price, b.name FROM read_csv('{csv}') a"
                  " JOIN read_csv('{names}') b ON a.key = b.key",
        "miller": "mlr --icsv --ocsv --headerless-csv-output join -u -j key -f {names}"
                  " then cut -o -f key,id,word,amount,price,name {csv}",
        "sort-join": "tail -n +2 {names} | LC_ALL=C sort -t, -k1,1 >{out}.names; tail -n +2 {csv} |"
                     " LC_ALL=C sort -t, -k2,2 | LC_ALL=C join -t, -1 2 -2 1 - {out}.names; rm {out}.names",
    },
    "top": {
        "parscan": "{parscan} top -n 10 -t, --header -k amount {csv} | tail -n +2",
        "duckdb": "SELECT * FROM read_csv('{csv}') ORDER BY amount DESC, id LIMIT 10",
        "miller": "mlr --icsv --ocsv --headerless-csv-output top -n 10 -f amount -a {csv}",
        "sort-head": "tail -n +2 {csv} | LC_ALL=C sort -t, -s -k4,4nr | head -n 10",
    },
}
SLOW = {"datamash", "miller", "sort-uniq", "sort-join", "sort-head"}


def say(words):
    print(words, file=sys.stderr, flush=True)


def write_table(path, lines):
    """Of a fixed seed. Amounts are different numbers, so that the ten largest are the same for all."""
    state = random.Random(1)
    step, amount = 7_368_787, 0  # a prime: its multiples below 10^9 differ
    with open(path, "w", encoding="ascii") as file:
        file.write("id,key,word,amount,price\n")
        for begin in range(0, lines, 1 << 16):
            rows = []
            for k in range(begin, min(lines, begin + (1 << 16))):
                amount = (amount + step) % 1_000_000_007
                draw = state.getrandbits(48)
                rows.append(f"{k},k{draw % 1000},w{draw // 1000 % 1_000_000},{amount},"
                            f"{(draw >> 20) % 100000 / 100}\n")
            file.write("".join(rows))


def write_names(path):
    with open(path, "w", encoding="ascii") as file:
        file.write("key,name\n")
        file.writelines(f"k{k},name{k * 7}\n" for k in range(0, 1000, 2))


def command_of(name, text, options, paths):
    """The command, or None if a program of it is not there."""
    text = text.format(**paths)
    if name == "duckdb":
        has = subprocess.run([sys.executable, "-c", "import duckdb"], check=False,
                             stderr=subprocess.DEVNULL).returncode == 0
        return [sys.executable, "-c", DUCKDB, text, str(options.threads), paths["out"]] if has else None
    needed = {"datamash": "datamash", "miller": "mlr"}.get(name, "sort")
    return ["sh", "-c", f"{{ {text}; }} >{paths['out']}"] if shutil.which(needed) else None


def measure_once(command):
    """Wall and processor seconds, and the peak of resident memory; None if the program fails."""
    begin = time.monotonic()
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        return None
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def sorted_lines(job, path, folder):
    """The lines of a result in one order, as a file. The fields of a join are in one order already, but for its first two."""
    fields = "awk -F, -v OFS=, '{ if ($1 !~ /^k/) { t = $1; $1 = $2; $2 = t } print }'" if job == "join" else "cat"
    target = folder / "sorted"
    subprocess.run(f"tr -d '\\r' <{path} | {fields} | LC_ALL=C sort >{target}", shell=True, check=True)
    return target


def run_job(job, options, folder, paths):
    programs = {name: command_of(name, text, options, paths) for name, text in JOBS[job].items()}
    status = {name: "missing" if command is None else "ok" for name, command in programs.items()}
    times, written = {name: [] for name in programs}, {}
    out, first = pathlib.Path(paths["out"]), None
    for turn in range(options.reps):
        for name, command in programs.items():
            if status[name] != "ok" or turn > 0 and name in SLOW:
                continue
            out.unlink(missing_ok=True)
            measured = measure_once(command)
            if measured is None:
                status[name] = "failed"
                continue
            times[name].append(measured)
            say(f"{job} {name}: {measured[0]:.2f} s, CPU {measured[1]:.2f} s, {measured[2] >> 20} MiB")
            if turn == 0:
                written[name] = out.stat().st_size
                lines = sorted_lines(job, out, folder)
                if first is None:
                    first = folder / "first"
                    shutil.move(lines, first)
                elif subprocess.run(["cmp", "-s", lines, first], check=False).returncode != 0:
                    status[name] = "differs"
    for name in programs:
        row = [job, name, status[name], options.lines]
        if times[name]:
            wall, cpu, peak = zip(*times[name])
            row += [f"{statistics.median(wall):.3f}", f"{statistics.median(cpu):.3f}", len(wall), written[name],
                    max(peak)]
        else:
            row += [""] * 5
        print(",".join(map(str, row)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--only", choices=JOBS, action="append", help="only these jobs")
    options = parser.parse_args()
    for line in head("tables.py"):
        print(f"# {line}")
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        paths = {"parscan": str(pathlib.Path(options.program).resolve()), "csv": str(folder / "table.csv"),
                 "names": str(folder / "names.csv"), "out": str(folder / "out")}
        say(f"making {options.lines} lines")
        write_table(paths["csv"], options.lines)
        write_names(paths["names"])
        for job in options.only or JOBS:
            run_job(job, options, folder, paths)


if __name__ == "__main__":
    main()
