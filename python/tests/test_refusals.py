"""What no function takes: each error names a parameter, whatever the function, and nothing is taken for something else."""

import inspect
import re

import numpy as np
import pytest

import parscan

X = np.array([3, 1, 7, 0, 4, 1, 6, 3])
ORDERED, SIZES = np.sort(X), np.arange(8)
# The arguments that a function needs beside the first, which is X or as it is here.
CALLS = {
    **dict.fromkeys(("compact_if", "count_if", "flags_if", "partition"), (X, ">", 2)), "compact_by": (X, X, ">", 2),
    "compress": ([True] * 8, X), "argpartition": (X, 1), "top_k": (X, 2), "bin": (X, 8), "repeat": (X, 2), "take": (X, [0, 1]),
    "scatter": (X, SIZES, np.zeros(8, int)), "lexsort": ((X, X),), "sort_columns": ((X, X),), "sort_pairs": (X, X),
    "reduce_by_key": (X, X), "recurrence": (X / 1, X / 1), "histogram": (X / 1, 4, (0, 9)), "run_length_decode": (X, SIZES),
    "pack": (X.view(np.uint8), SIZES, np.full(8, 1)), "unique_pairs": (X, X), "dense_to_csr": (X.reshape(2, 4),),
    **dict.fromkeys(("searchsorted", "join", "merge", "set_difference", "set_intersection", "set_symmetric_difference",
                     "set_union"), (ORDERED, ORDERED)),
    **{name: (X,) for name in parscan.__all__ if name.startswith("segmented_")}, "sort_segments": (X,),
}
SEGMENTS = {"segmented_reduce", "segmented_inclusive_scan", "segmented_exclusive_scan", "sort_segments"}
FUNCTIONS = [name for name in parscan.__all__ if inspect.isfunction(getattr(parscan, name))
             and name not in ("synchronize", "sort_by", "unique_by")]
NO_ARRAY = {"ragged": [[1, 2], [3]], "class": np.ndarray, "None": None, "dict": {}, "function": len, "objects": np.array([1, "a"], object),
            "beyond": [2**70, 1], "complex": X + 1j, "masked": np.ma.array(X, mask=X > 3), "long": X.astype(np.longdouble)}
MOVED = {"complex", "long"}  # some functions move elements of any type
FLAGS = ("counted", "reverse", "descending", "reproducible", "keepdims", "include_initial", "closed", "close", "heads",
         "last_wins", "smallest", "return_counts", "return_index", "return_inverse", "equal_nan")
NO_FLAG = ["yes", 1.5, [True], np.array([True, False]), {}]
NO_TYPE = ["bogus", 3, [1], (1, 2, 3), np.array([1])]


def call(name, position=None, value=None, **named):
    arguments = list(CALLS.get(name, (X,)))
    if position is not None:
        arguments[position] = value
    if name in SEGMENTS:
        named["rows"] = 4
    return getattr(parscan, name)(*arguments, **named)


def parameters_with(names):
    return [(name, parameter) for name in FUNCTIONS
            for parameter in inspect.signature(getattr(parscan, name)).parameters if parameter in names]


@pytest.mark.parametrize("kind", NO_ARRAY)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_array(name, kind):
    parameter = list(inspect.signature(getattr(parscan, name)).parameters)[0]
    value = NO_ARRAY[kind]
    try:
        call(name, 0, (value,) if parameter in ("keys", "columns") and name in ("lexsort", "sort_columns") else value)
    except (TypeError, ValueError) as error:
        assert re.search(rf"\b({parameter}|axis)\b", str(error)), error
    else:
        assert kind in MOVED, "it was taken"


@pytest.mark.parametrize("name, parameter", parameters_with(FLAGS))
def test_no_flag(name, parameter):
    one_a_column = name == "sort_columns" and parameter == "descending"
    for value in NO_FLAG[:2] if one_a_column else NO_FLAG:
        with pytest.raises(TypeError, match=rf"^{parameter}\b.* = .*: it must be True or False"):
            call(name, **{parameter: value})
    for value in (1, np.True_, np.array(True)):
        assert repr(call(name, **{parameter: value})) == repr(call(name, **{parameter: True}))


@pytest.mark.parametrize("name, parameter", parameters_with(("dtype", "index_dtype")))
def test_no_type(name, parameter):
    for value in NO_TYPE:
        with pytest.raises(TypeError, match=rf"^{parameter} = .*: it must name a type of elements"):
            call(name, **{parameter: value})


@pytest.mark.parametrize("parameter", ["value", "initial", "upper", "range[0]", "prepend"])
@pytest.mark.parametrize("value", [[1, 2], np.zeros(0), np.ma.masked, np.datetime64("NaT"), "a"])
def test_no_element(parameter, value):
    calls = {"value": lambda: parscan.count_if(X, "<", value), "upper": lambda: parscan.count_if(X, "between", 1, value),
             "initial": lambda: parscan.inclusive_scan(X, initial=value), "prepend": lambda: parscan.diff(X, prepend=value),
             "range[0]": lambda: parscan.histogram(X, 3, (value, 5))}
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(parameter)} "):
        calls[parameter]()


@pytest.mark.parametrize("words, function", [
    (r"^keys is int: it must be a sequence of arrays", lambda: parscan.lexsort(5)),
    (r"^keys\[0\] has shape", lambda: parscan.lexsort([3, X])), (r"^keys is empty", lambda: parscan.lexsort([])),
    (r"^keep = '>' takes a value and no upper", lambda: parscan.count_if(X, ">", 1, 2)),
    (r"^kind = array", lambda: parscan.sort(X, kind=np.array(["stable", "stable"]))),
    (r"^side = array", lambda: parscan.searchsorted(ORDERED, X, side=np.array(["left", "left"]))),
    (r"^minlength = ", lambda: parscan.bincount(X, 2**70)), (r"^x has 0 dimensions", lambda: parscan.nonzero(5)),
    (r"^out has 0 dimensions", lambda: parscan.scatter(X, SIZES, np.array(1))),
    (r"^a is an array", lambda: parscan.searchsorted("bogus", X)), (r"^indices = 'f#': ", lambda: parscan.compact_if(X, indices="f#")),
    (r"^v (is|has) ", lambda: parscan.searchsorted(ORDERED, [[1], [2, 3]])),
    (r"^v has values that are none of int64", lambda: parscan.searchsorted(ORDERED, [2**70])),
    (r"^the chunk has float64 in a list", lambda: parscan.Chunked.reduce(int).update([1.5])),
    (r"^descending\[1\] = 'no'", lambda: parscan.sort_columns((X, X), [True, "no"])),
    (r"^out_dtype = ", lambda: parscan.Chunked.reduce(int, out_dtype="bogus")),
    (r"^value_dtype = ", lambda: parscan.Sorter(int, value_dtype="bogus")),
])
def test_words(words, function):
    with pytest.raises((TypeError, ValueError), match=words):
        function()


@pytest.mark.parametrize("words, function", [
    *((r"^folders = ", lambda wrong=wrong: parscan.Sorter(int, folders=wrong)) for wrong in ("a", 3, None, [3])),
    *((r"^carry is ", lambda wrong=wrong: setattr(parscan.Chunked.reduce(int), "carry", wrong)) for wrong in (5, None, [1])),
    (r"^combine = ", lambda: parscan.Operator(int, 2**70)),
    (r"^out is read-only", lambda: parscan.cumulative_sum(X[1:], include_initial=True, out=np.broadcast_to(X, X.shape))),
    (r"^out must be", lambda: parscan.cumulative_sum(X[1:], include_initial=True, out=[0] * 8)),
    (r"^out is masked", lambda: parscan.scatter(X, SIZES, np.ma.zeros(8, int))),
    (r"^out must be", lambda: parscan.sort(X, out=np.ma.zeros(8, int))), (r"^out is int64\[3\]", lambda: parscan.sort(X, out=X[:3].copy())),
])
def test_words_of_classes_and_outputs(words, function):
    with pytest.raises((TypeError, ValueError), match=words):
        function()


@pytest.mark.parametrize("function", [
    lambda: parscan.compact_if(X, room=3), lambda: parscan.expand(X, room=3), lambda: parscan.repeat(X, 2, room=3),
    lambda: parscan.run_length_decode(X, SIZES, room=3), lambda: parscan.join(ORDERED, ORDERED, room=3)])
def test_room_is_named(function):
    with pytest.raises(parscan.CapacityError, match="^room = 3: "):
        function()


def test_axes_beyond_any_number_are_axis_errors():
    for axis in (2**70, -2**70):
        for function in (lambda axis: parscan.repeat(X, 2, axis), lambda axis: parscan.sort(X, axis), lambda axis: parscan.cumsum(X, axis)):
            with pytest.raises(IndexError, match="axis"):
                function(axis)


def test_kth_of_any_integer():
    for kth in (2, [2], (2, -1), np.array(2), np.array([[2]])):
        assert parscan.argpartition(X, kth).tolist() == parscan.argsort(X).tolist()
