#!/usr/bin/env python3
"""abi.py SOURCE BUILD CC [--update] [LIBRARY=NM ...]

The binary interface of parscan is what tests/abi/abi.txt says: every public function with its version and
prototype, every public struct with the offset, size and type of each member, every enum with its numbers.
The list is made of the headers, with a C program for the sizes, and of the version maps that CMake has made
from them (cmake/symbols.cmake); the shared libraries that are given export these symbols with these versions. First it shows, on headers with
mistakes, that it finds them. --update writes the list.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MEANT = """
The binary interface has changed. Programs that were compiled before must go on working (CONTRIBUTING.md,
"The binary interface"): a struct grows at its end only, no number, type or prototype changes, a new function
has a new version. If the change is meant and keeps to that, write the list anew:
    cmake --build BUILD --target abi_update
"""


def headers(include, build):
    files = {path.name: path for path in include.glob("parscan/*.h")}
    files["types.h"] = build / "include/parscan/types.h"
    return [files[name] for name in sorted(files)]


def without_comments(path):
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S)
    return re.sub(r"^#(\\\n|.)*$", "", text, flags=re.M)


def words(text):
    return re.sub(r"\(\s+", "(", " ".join(text.split()))


def versions(build):
    """The version of each symbol: {library: {symbol: version}}."""
    found = {}
    for path in sorted((build / "symbols").glob("*.map")):
        text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S)
        symbols = found.setdefault(path.stem, {})
        for version, body in re.findall(r"(\w[\w.]*)\s*\{(.*?)\}", text, flags=re.S):
            symbols.update({name: version for name in re.findall(r"\b(parscan_\w+);", body)})
    return found


def functions(text):
    for prototype in re.findall(r"PARSCAN_API\s+([^;]*);", text):
        prototype = words(prototype)
        yield re.search(r"(\w+)\(", prototype).group(1), prototype


def members(body):
    """(name, declaration) of each member of a struct."""
    for declaration in filter(None, (words(part) for part in body.split(";"))):
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        if pointer:
            yield pointer.group(1), declaration
            continue
        first, *others = declaration.split(", ")
        kind, name = re.fullmatch(r"(.*?)[ *]*(\w+)", first).groups()
        yield name, first
        for other in others:
            yield other.lstrip(" *"), f"{kind} {other}"


def program(texts):
    """A C program that prints the structs and enums."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", '#include "parscan/parscan.h"', "int main(void)", "{"]
    for text in texts:
        for name in re.findall(r"typedef struct (\w+) \1;", text):
            lines.append(f'puts("opaque {name}");')
        for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", text, flags=re.S):
            lines.append(f'printf("struct {name}: %zu bytes\\n", sizeof({name}));')
            for member, declaration in members(body):
                lines.append(f'printf("    %3zu %3zu  {declaration}\\n", offsetof({name}, {member}),'
                             f" sizeof((({name} *)0)->{member}));")
        for name, body in re.findall(r"typedef enum (\w+) \{(.*?)\} \1;", text, flags=re.S):
            lines.append(f'printf("enum {name}: %zu bytes\\n", sizeof({name}));')
            for constant in re.findall(r"\b(PARSCAN_\w+)\b", body):
                lines.append(f'printf("    %3d  {constant}\\n", (int){constant});')
    return "\n".join(lines + ["return 0;", "}", ""])


def abi(source, include, build, cc):
    """The list, as lines."""
    files = headers(include, build)
    texts = {path.name: without_comments(path) for path in files}
    lines = []
    declared = dict(pair for text in texts.values() for pair in functions(text))
    for library, symbols in versions(build).items():
        lines.append(f"library {library}")
        lines += [f"    {symbols[name]}  {declared.get(name, name + ', in no header')}" for name in sorted(symbols)]
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work, "layout.c")
        path.write_text(program(texts[name] for name in texts if not re.match("comm_(mpi|nccl)", name)))
        subprocess.run([cc, "-std=c11", f"-I{include}", f"-I{build / 'include'}", path, "-o", f"{work}/layout"],
                       check=True)
        lines += subprocess.run([f"{work}/layout"], check=True, capture_output=True, text=True).stdout.splitlines()
    return lines


def check_released(source, old, new):
    """A version that the CHANGELOG says is released has the functions that it had."""
    released = re.findall(r"^## (\d+\.\d+)\.\d+ - ", (source / "CHANGELOG.md").read_text(), flags=re.M)
    for version in released:
        had, has = ({re.search(r"(parscan_\w+)\(", line).group(1) for line in lines
                     if line.startswith(f"    PARSCAN_{version} ")} for lines in (old, new))
        if had and has - had:
            sys.exit(f"{version} is released, without {sorted(has - had)}: their comments need "
                     '"Since parscan VERSION.", the version to come')


def exported(nm, library):
    """{symbol: version} of a shared library."""
    table = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return dict(re.findall(r" T (parscan_\w+)@@?(\S+)", table)), re.findall(r" T (parscan_\w+)$", table, flags=re.M)


def check_exports(build, pairs):
    for library, nm in pairs:
        stem = re.sub(r"^lib|\.so.*", "", os.path.basename(library))
        found, without = exported(nm, library)
        expected = versions(build)[stem]
        if found != expected or without:
            sys.exit(f"{library}: symbols and versions are not those of {build}/symbols/{stem}.map:\n"
                     f"{sorted(set(found.items()) ^ set(expected.items()))} {without}")


def check_mistakes(source, build, cc, right):
    """Each of these changes of a header is seen."""
    mistakes = [("scan.h", "    int reverse;\n", ""), ("scan.h", "int reproducible;", "char reproducible;"),
                ("context.h", "PARSCAN_API const char *parscan_context_simd", "const char *parscan_context_simd"),
                ("scan.h", "const void *in, void *out, size_t n", "const void *in, void *out, int n"),
                ("segments.h", "PARSCAN_SEGMENTS_KEYS = 2", "PARSCAN_SEGMENTS_KEYS = 3")]
    with tempfile.TemporaryDirectory() as work:
        for header, old, new in mistakes:
            include = pathlib.Path(work, "include")
            shutil.copytree(source / "include", include, dirs_exist_ok=True)
            text = (include / "parscan" / header).read_text()
            if old not in text:
                sys.exit(f"{header} has no {old!r}: choose another mistake in {sys.argv[0]}")
            (include / "parscan" / header).write_text(text.replace(old, new))
            if abi(source, include, build, cc) == right:
                sys.exit(f"not seen: {header}, {old!r} -> {new!r}")


def main():
    source, build, cc, *rest = sys.argv[1:]
    source, build = pathlib.Path(source), pathlib.Path(build)
    path = source / "tests/abi/abi.txt"
    right = abi(source, source / "include", build, cc)
    head = [line for line in path.read_text().splitlines() if line.startswith("#")] if path.exists() else []
    check_released(source, path.read_text().splitlines() if path.exists() else [], right)
    if rest[:1] == ["--update"]:
        path.write_text("\n".join(head + right) + "\n")
        return
    check_mistakes(source, build, cc, right)
    check_exports(build, [pair.split("=") for pair in rest])
    difference = list(difflib.unified_diff(path.read_text().splitlines(), head + right, "tests/abi/abi.txt",
                                           "this tree", lineterm=""))
    if difference:
        sys.exit("\n".join(difference) + "\n" + MEANT)


if __name__ == "__main__":
    main()
