"""Exceptions: one for each status of the library, with the library's words.

Each is also of the built-in class that Python's users would catch.
"""

from __future__ import annotations

import re


class Error(Exception):
    """What every exception of the library is. ``status`` is the library's number."""

    status: int = -1


class _TotalError(Error):
    """``total`` is the total that was too large, if the whole of it is known, else None."""

    total: int | None

    def __init__(self, words: str = "", *, total: int | None = None):
        super().__init__(words)
        self.total = total


class InvalidArgumentError(Error, ValueError):
    """An argument is wrong; the words name it and its value."""

    status = 1


class UnsupportedError(Error, NotImplementedError):
    """A valid request that parscan does not offer."""

    status = 2


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed, or ``scratch_limit`` was reached."""

    status = 3


class TotalOverflowError(_TotalError, OverflowError):
    """A total or a count does not fit its type. ``total`` is it, if the whole of it is known."""

    status = 4


class CapacityError(_TotalError, ValueError):
    """A total exceeds the capacity that the caller gave. ``total`` is what is needed."""

    status = 5


class BackendError(Error, RuntimeError):
    """This build or machine lacks the engine asked for."""

    status = 6


class DeviceError(Error, RuntimeError):
    """The device reported an error."""

    status = 7


class InternalError(Error, RuntimeError):
    """A bug in parscan, or an input that changed during the call."""

    status = 8


class FileError(Error, OSError):
    """A file could not be created, written or read."""

    status = 9


BY_STATUS = {error.status: error for parent in (Error, _TotalError)
             for error in parent.__subclasses__() if error.status > 0}

# What the library calls by the names of C, and what Python's users call it.
_IN_PYTHON = (
    (r"\*lower = (\S+), \*upper = ([^\s:]+)", r"range = (\1, \2)"),
    (r"options->lower is NULL", "range is None"), (r"\binit is NULL\b", "initial is None"), (r"\bkeep->custom: ", "keep: "),
    (r"\b(?:key_)?type = ", "dtype = "),
    (r"\blengths->out_capacity = ", "room = "),
    (r"\boffset_type = ", ""),
    (r"\bvalue_size = (\d+): it must", r"values of \1 bytes: they must"),
    (r"^size = (\d+): the carry", r"carry of \1 bytes: the carry"),
    (r"\belement_size = (\d+): it must", r"elements of \1 bytes: they must"),
    (r"\bu(8|16|32|64)\b", r"uint\1"), (r"\bi(8|16|32|64)\b", r"int\1"), (r"\bf(32|64)\b", r"float\1"),
)
_ABOUT_ARGUMENTS = (InvalidArgumentError, UnsupportedError, TotalOverflowError, CapacityError)


def failure(status: int, words: str) -> Error:
    """The exception for a status other than OK."""
    kind = BY_STATUS.get(status, InternalError)
    if kind in _ABOUT_ARGUMENTS:  # others name files
        for name, ours in _IN_PYTHON:
            words = re.sub(name, ours, words)
    if not issubclass(kind, _TotalError):
        return kind(words)
    total = re.search(r"\btotal = (\d+)", words)
    return kind(words, total=int(total[1]) if total else None)


def of_room(error: CapacityError) -> CapacityError:
    """The error of a call whose capacity is the caller's ``room``."""
    return CapacityError(re.sub(r"^capacity = ", "room = ", str(error)), total=error.total)


def signed(error: Error, dtype) -> Error:
    """The error of offsets of a signed dtype, which the library takes for unsigned ones."""
    top = 2 ** (8 * dtype.itemsize)
    negative = [(int(place), int(value) - top)
                for place, value in re.findall(r"offsets\[(\d+)\] = (\d+)", str(error))
                if int(value) >= top // 2]
    if not negative:
        return error
    place, value = min(negative)
    return type(error)(f"offsets[{place}] = {value}: none may be negative")
