"""__init__.pyi says what the functions are; mypy, where it is installed, follows it."""

import ast
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typed_program

import parscan

HERE, PACKAGE = Path(__file__).parent, Path(parscan.__file__).parent
MYPY = [sys.executable, "-m", "mypy"] if importlib.util.find_spec("mypy") else ["mypy"] if shutil.which("mypy") else []
STUB = ast.parse((PACKAGE / "__init__.pyi").read_text())


def parameters_of(function):
    """Names, and whether one is optional, of a function's parameters: by position; by name alone."""
    both = [p for p in inspect.signature(function).parameters.values()
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return [[(p.name, p.default is not p.empty) for p in both if (p.kind is p.KEYWORD_ONLY) == alone]
            for alone in (False, True)]


def parameters_in(node):
    """The same, of a function in the stub; and its defaults as text."""
    a, without = node.args, len(node.args.args) - len(node.args.defaults)
    return [[(p.arg, k >= without) for k, p in enumerate(a.args)],
            [(p.arg, d is not None) for p, d in zip(a.kwonlyargs, a.kw_defaults)]]


def defaults_in(node):
    a = node.args
    named = [*zip(reversed(a.args), reversed(a.defaults)), *zip(a.kwonlyargs, a.kw_defaults)]
    return {p.arg: ast.literal_eval(d) for p, d in named if d is not None}


def functions_in(body):
    """The last declaration of each function, which takes all that any of its overloads takes."""
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def expect_same(name, function, node):
    assert parameters_of(function) == parameters_in(node), name
    for parameter, default in defaults_in(node).items():
        given = inspect.signature(function).parameters[parameter].default
        assert default is ... or default == given, (name, parameter)


def test_the_stub_has_every_function():
    stub = functions_in(STUB.body)
    functions = [name for name in parscan.__all__ if inspect.isfunction(getattr(parscan, name))]
    assert sorted(functions) == sorted(stub)
    for name in functions:
        expect_same(name, getattr(parscan, name), stub[name])


def test_the_stub_has_every_class():
    stub = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
    assert sorted(stub) == sorted(name for name in parscan.__all__ if inspect.isclass(getattr(parscan, name)))
    for name, node in stub.items():
        for method, declared in functions_in(node.body).items():
            static = inspect.getattr_static(getattr(parscan, name), method)
            if isinstance(static, property):
                assert [ast.unparse(d) for d in declared.decorator_list] == ["property"], (name, method)
            else:
                expect_same(f"{name}.{method}", getattr(static, "__func__", static), declared)


def test_results_have_the_types_of_the_stub():
    x = np.array([3, 1, 7, 0, 4, 1, 6, 3], np.int32)
    for k, (result, expected) in enumerate(typed_program.results(x, x / 2.0, np.sort(x).astype(np.uint16))):
        assert result.dtype == expected, k
    assert typed_program.of_chunks()


@pytest.mark.skipif(not MYPY, reason="mypy is not installed")
def test_mypy_follows(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("import numpy as np\nimport parscan\n"
                   "x = np.arange(3, dtype=np.int32)\n"
                   "parscan.inclusive_scan(x, 'summ')\n"
                   "parscan.sort(x, kind='bubble')\n"
                   "parscan.join(x, x, how='outer')\n"
                   "y: float = parscan.count_if(x) + parscan.sort(x).nothing\n")
    # mypy finds what this Python has installed, and refuses a path of it beside that.
    installed = PACKAGE.parent.name == "site-packages"
    path = {} if installed else {"MYPYPATH": str(PACKAGE.parent)}
    python = ["--python-executable", sys.executable] if installed else []
    given = subprocess.run([*MYPY, *python, "--strict", "--no-color-output", "--cache-dir", str(tmp_path / "cache"),
                            "--python-version", f"3.{sys.version_info[1]}",
                            str(HERE / "typed_program.py"), str(bad)], capture_output=True, text=True,
                           env={**os.environ, **path})
    wrong = [line for line in given.stdout.splitlines() if ": error: " in line]
    assert [line.split(":")[:2] for line in wrong] == [[str(bad), f"{k}"] for k in (4, 5, 6, 7)], given.stdout
