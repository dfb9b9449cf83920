#!/usr/bin/env python3
"""CUDA objects that are compiled on another machine, for build_wheel.sh: for all GPUs nvcc takes hours of CPU time.

cuda_objects.py list BUILD FOLDER         here: FOLDER/list.json, the objects of BUILD (a build folder of Ninja) that FOLDER lacks
cuda_objects.py compile FOLDER SECONDS    there, with the sources and BUILD at the same paths: compiles those into FOLDER, by all
                                          cores, as many as SECONDS allow; exit 3 if some are left. Goes on when called again
cuda_objects.py FOLDER nvcc OPTIONS...    CMAKE_CUDA_COMPILER_LAUNCHER: takes the object from FOLDER, or runs nvcc

An object is taken if its options, nvcc's release and the bytes of every file of the sources and of the build folder that it was
made of are the same; paths may differ. For each there is KEY.json, which tells these, and KEY.o.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OWN = (" -o ", " -MF ", " -MT ")  # options whose value is only where something is written


class Command:
    """A call of nvcc that compiles one file."""

    def __init__(self, words, build):
        self.words, self.build = words, Path(build).resolve()
        self.values, kept, skip = {}, [], False
        for word, value in zip(words, [*words[1:], ""]):
            if not skip and f" {word} " in OWN:
                self.values[word] = value
                skip = True
            elif skip:
                skip = False
            else:
                kept.append(self.general(word))
        self.kept, self.name = kept, self.values.get("-o", "")

    @property
    def compiles(self):
        return "-c" in self.words and {"-o", "-MF"} <= self.values.keys()

    def general(self, text):
        return text.replace(str(self.build), "BUILD").replace(str(ROOT), "ROOT")

    def path(self, general):
        where, _, rest = general.partition("/")
        return {"BUILD": self.build, "ROOT": ROOT}[where] / rest

    def key(self):
        return hashlib.sha256(json.dumps([release(self.words[0]), *self.kept[1:]]).encode()).hexdigest()[:32]

    def record(self):
        """What it was made of, after nvcc has written the list of it (-MF)."""
        files = {}
        listed = (self.build / self.values["-MF"]).read_text().split(":", 1)[1]
        for name in listed.replace("\\\n", " ").split():
            general = self.general(os.path.normpath(self.build / name))
            if general.startswith(("BUILD/", "ROOT/")):
                files[general] = digest(self.path(general))
        return {"name": self.name, "files": files}


_releases = {}


def release(nvcc):
    if nvcc not in _releases:
        text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        _releases[nvcc] = re.search(r"release [0-9.]+", text)[0]
    return _releases[nvcc]


_digests = {}


def digest(path):
    if path not in _digests:
        _digests[path] = hashlib.sha256(path.read_bytes()).hexdigest()
    return _digests[path]


def kept_object(folder, command):
    """The object in the folder and the files that it was made of; None if it is not there or was made of others."""
    key = command.key()
    try:
        files = json.loads((folder / f"{key}.json").read_text())["files"]
        same = all(digest(command.path(name)) == value for name, value in files.items())
    except OSError:
        return None
    return (folder / f"{key}.o", files) if same and (folder / f"{key}.o").exists() else None


def launch(folder, words):
    command = Command(words, os.getcwd())
    found = kept_object(folder, command) if command.compiles else None
    if not found:
        os.execvp(words[0], words)
    output, depends = Path(command.values["-o"]), Path(command.values["-MF"])
    shutil.copyfile(found[0], output)
    names = " \\\n ".join(str(command.path(name)) for name in found[1])
    depends.write_text(f"{command.values.get('-MT', output)}: {names}\n")


def write_list(build, folder):
    database = subprocess.run(["ninja", "-C", build, "-t", "compdb"], capture_output=True, text=True, check=True).stdout
    commands = []
    for entry in json.loads(database):
        words = shlex.split(entry["command"]) if entry["file"].endswith(".cu") else []
        while words and os.path.basename(words[0]) != "nvcc":  # this launcher
            del words[0]
        command = Command(words, build)
        if command.compiles and not kept_object(folder, command):
            commands.append(words)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "list.json").write_text(json.dumps({"build": str(Path(build).resolve()), "commands": commands}, indent=1))
    print(f"{folder}/list.json: {len(commands)} objects to be compiled")


def compile_one(folder, command, end):
    """Whether it was compiled. All of nvcc's processes are ended at the time `end`."""
    with tempfile.TemporaryDirectory() as scratch:
        words = [*command.words, "--threads", "0"]
        for option in ("-o", "-MF"):
            command.values[option] = words[words.index(option) + 1] = f"{scratch}/file{option}.o"
        with open(f"{scratch}/said", "w+b") as said:
            process = subprocess.Popen(words, cwd=command.build, env={**os.environ, "TMPDIR": scratch},
                                       stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                process.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return False
            said.seek(0)
            sys.stdout.write(said.read().decode(errors="replace"))
        if process.returncode:
            print(f"failed: {command.name}")
            return False
        kept, part = folder / f"{command.key()}.o", folder / f"{command.key()}.part"
        shutil.copyfile(command.values["-o"], part)
        kept.unlink(missing_ok=True)  # not the old object with the new record
        kept.with_suffix(".json").write_text(json.dumps(command.record()))
        part.rename(kept)
    return True


def weight(command):
    """The larger, the longer nvcc takes, roughly: some of those of no type have all types, and 64 bits more code."""
    bits = re.search(r"PARSCAN_ELEMENT_BITS=(\d+)", " ".join(command.kept))
    return int(bits[1]) if bits else 128


def compile_all(folder, seconds):
    end = time.monotonic() + seconds
    listed = json.loads((folder / "list.json").read_text())
    commands = [Command(words, listed["build"]) for words in listed["commands"]]
    left = sorted((c for c in commands if not kept_object(folder, c)), key=weight, reverse=True)
    # nvcc compiles the architectures of a file beside one another; half as many files as cores then keep these busy.
    jobs = max(1, (os.cpu_count() or 1) // 2)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda c: time.monotonic() < end and compile_one(folder, c, end), left))
    names = [c.name for c, compiled in zip(left, done) if not compiled]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    print(f"{sum(done)} objects compiled in {cpu:.0f} CPU s, {len(names)} left", *names, sep="\n  ")
    return 3 if names else 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "list":
        return write_list(arguments[1], Path(arguments[2]))
    if len(arguments) == 3 and arguments[0] == "compile":
        return compile_all(Path(arguments[1]), float(arguments[2]))
    if len(arguments) < 2:
        return __doc__
    return launch(Path(arguments[0]), arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
