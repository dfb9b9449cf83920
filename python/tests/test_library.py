"""The C ABI as ctypes sees it, names, the search for the library, exceptions."""

import inspect
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import parscan
from parscan import _errors, _library

# The package is of arrays of one process.
OTHERS = {"comm.h", "comm_mpi.h", "comm_nccl.h", "distributed.h"}
HEADERS = pathlib.Path(__file__).parents[2] / "include" / "parscan"
headers = [header for header in HEADERS.glob("*.h*") if header.name not in OTHERS]
needs_headers = pytest.mark.skipif(not HEADERS.is_dir(), reason="the headers are not here")


def declarations():
    """Function -> result and parameters, of the headers."""
    found = {}
    for header in headers:
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for result, name, parameters in re.findall(
                r"PARSCAN_API\s+([\w\s]+?[\s*]+)parscan_(\w+)\(([^)]*)\)", text):
            found[name] = result.strip(), [p.strip() for p in parameters.split(",") if p.strip() != "void"]
    return found


def letter_of(parameter):
    if "*" in parameter:
        return "p"
    kind = parameter.rsplit(None, 1)[0].replace("const ", "")
    return {"size_t": "s", "uint64_t": "u"}.get(kind, "i")


@needs_headers
def test_every_public_function_is_declared_as_in_the_headers():
    declared = declarations()
    ours = {**{name: letters for name, letters in _library._CALLS.items()},
            **{name: letters for name, (letters, _) in _library._OTHERS.items()}}
    assert set(ours) == set(declared)
    for name, letters in ours.items():
        assert letters == "".join(map(letter_of, declared[name][1])), name


@needs_headers
def test_structs_have_the_fields_of_the_headers():
    packers = {"context_options": "context_options", "scan_options": "scan_options",
               "shape": "shape_of", "segments": "segments_of", "arg_reduce_options": "arg_reduce_options",
               "top_k_options": "top_k_options", "column": "column_of",
               "sort_columns_options": "sort_columns_options", "sort_options": "sort_options",
               "recurrence_options": "recurrence_options",
               "predicate": "predicate_of", "histogram_options": "histogram_options",
               "allocate_options": "allocate_options", "scatter_options": "scatter_options",
               "operator_options": "operator_options",
               "chunk": "chunk_of", "lengths": "lengths_of",
               "chunked_end": "chunked_end", "sorter_options": "sorter_options"}
    text = re.sub(r"/\*.*?\*/", "", "".join(h.read_text() for h in headers), flags=re.S)
    structs = dict(re.findall(r"typedef struct parscan_\w+ \{([^}]*)\} parscan_(\w+);", text)[i][::-1]
                   for i in range(len(re.findall(r"typedef struct parscan_\w+ \{", text))))
    for name in ("allocator", "device_allocator", "measured_device", "f16", "bf16"):
        structs.pop(name)
    assert set(structs) == set(packers)
    for name, body in structs.items():
        letters = ""
        for field in (field.strip() for field in body.split(";") if field.strip()):
            kind = re.sub(r"\bconst\b", "", field)
            names = field.count(",") + 1
            if kind.startswith("parscan_allocator"):
                letters += "PPP"
            elif "*" in kind or "_function" in kind:
                letters += "P" * names
            else:
                letters += {"size_t": "N", "uint64_t": "Q", "unsigned": "I", "double": "d"}.get(kind.split()[0], "i") * names
        layout = getattr(_library, packers[name]).func.__self__
        assert layout.format == "@" + letters, name


def test_names_come_from_the_library():
    assert {"sum", "product", "min", "max", "and", "or", "xor"} <= set(parscan.ops)
    assert {"auto", "sequential", "kogge-stone", "brent-kung"} <= set(parscan.algorithms)
    assert np.dtype(np.float32) in parscan.dtypes and len(parscan.dtypes) >= 10
    assert re.fullmatch(r"\d+\.\d+\.\d+", parscan.__version__)


def test_every_status_has_an_exception_with_its_number():
    number = 1
    while _library.library.status_string(number) != b"unknown status":
        assert _errors.BY_STATUS[number].status == number
        assert issubclass(_errors.BY_STATUS[number], parscan.Error)
        number += 1
    assert len(_errors.BY_STATUS) == number - 1


@pytest.mark.parametrize("error, builtin", [
    (parscan.InvalidArgumentError, ValueError), (parscan.UnsupportedError, NotImplementedError),
    (parscan.OutOfMemoryError, MemoryError), (parscan.TotalOverflowError, OverflowError),
    (parscan.CapacityError, ValueError), (parscan.BackendError, RuntimeError),
    (parscan.DeviceError, RuntimeError), (parscan.InternalError, RuntimeError),
    (parscan.FileError, OSError)])
def test_exceptions_are_also_builtin_ones(error, builtin):
    assert issubclass(error, builtin)


def test_errors_have_the_librarys_words():
    with pytest.raises(parscan.InvalidArgumentError, match="block_threads = 3"):
        parscan.inclusive_scan(np.arange(4), algorithm="warp", block_threads=3)
    with pytest.raises(parscan.UnsupportedError, match="f32|f64|float"):
        parscan.reduce(np.ones(3), "xor")


def test_all_names_are_there_with_words_and_annotations():
    for name in parscan.__all__:
        thing = getattr(parscan, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert inspect.getdoc(thing), name
        if inspect.isfunction(thing) and name != "synchronize":
            parameters = inspect.signature(thing).parameters
            assert {"context", "stream"} <= set(parameters), name
            assert parameters["context"].annotation != inspect.Parameter.empty
    assert (pathlib.Path(parscan.__file__).parent / "py.typed").exists()


def run(code, **environment):
    package = str(pathlib.Path(parscan.__file__).parents[1])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={
        **os.environ, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1", **environment})


def test_a_missing_library_is_said():
    if (pathlib.Path(parscan.__file__).parent / "libparscan.so").exists():
        pytest.skip("the wheel's library is always found")
    words = {"": "PARSCAN_LIBRARY", "/nowhere.so": "/nowhere.so", "libm.so.6": "libm.so.6 is not a libparscan"}
    if pathlib.Path(sys.prefix, "lib", "libparscan.so.0").exists():
        del words[""]  # conda's is found
    for name, said in words.items():
        assert said in run("import parscan", PARSCAN_LIBRARY=name).stderr


def test_pointers_are_those_of_numpys_interface():
    for x in (np.zeros((3, 4)), np.zeros((3, 4))[1:, 2:], np.zeros(0), np.float32(3)[()] * np.ones(1)):
        assert _library.pointer_of(x) == x.__array_interface__["data"][0] == x.ctypes.data
