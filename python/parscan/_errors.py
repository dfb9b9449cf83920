"""Exceptions: one for each status of the library, with the library's words.

Each is also of the built-in class that Python's users would catch.
"""


class Error(Exception):
    """What every exception of the library is. ``status`` is the library's number."""

    status: int = -1


class InvalidArgumentError(Error, ValueError):
    """An argument is wrong; the words name it and its value."""

    status = 1


class UnsupportedError(Error, NotImplementedError):
    """A valid request that parscan does not offer."""

    status = 2


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed, or ``scratch_limit`` was reached."""

    status = 3


class TotalOverflowError(Error, OverflowError):
    """A total or a count does not fit its type."""

    status = 4


class CapacityError(Error, ValueError):
    """A total exceeds the capacity that the caller gave."""

    status = 5


class BackendError(Error, RuntimeError):
    """This build or machine lacks the engine asked for."""

    status = 6


class DeviceError(Error, RuntimeError):
    """The device reported an error."""

    status = 7


class InternalError(Error, RuntimeError):
    """A bug in parscan."""

    status = 8


class FileError(Error, OSError):
    """A file could not be created, written or read."""

    status = 9


BY_STATUS = {error.status: error for error in Error.__subclasses__()}


def failure(status: int, words: str) -> Error:
    """The exception for a status other than OK."""
    return BY_STATUS.get(status, InternalError)(words)
