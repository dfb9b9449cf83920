"""Arrays whose length stands in the engine's memory, and calls that take and make them.

A function that takes them begins with choose_counted() or taken() in place of choose(). Where one is given,
or is to be made, these return stand-ins of the array's family and of the context: the first unpacks the
arrays and notes their counts, the second hands these to parscan_set_lengths() for each call.
"""

from __future__ import annotations

import ctypes

import numpy as np

from ._errors import CapacityError
from ._library import Count, flag, lengths_of, library, pointer_of, whole

INT64 = np.dtype(np.int64)
_N, _N2, _SEGMENTS = ROLES = ("n", "n2", "segment_count")
_MEMORY = (library.copy, library.synchronize, library.malloc, library.free)  # calls without lengths
_BOUNDED = (library.compact, library.compact_by, library.compact_if, library.compact_indices, library.unique,
            library.unique_pairs, library.run_length_encode, library.reduce_by_key, library.segmented_reduce,
            library.dense_to_csr)  # that have an out_capacity


class Counted:
    """An array with room for more elements, and how many there are, which stands where the array is.

    Functions whose result has an unknown length make it with ``counted=True``, or with a ``room=``, and
    every function takes it in the array's place. So nothing waits for a count, and on a GPU a sequence of
    calls can be captured in a CUDA graph.

    Parameters
    ----------
    array : array (room, ...)
        NumPy's, CuPy's, a tensor, or any array in device memory.
    count : int, or an array of one int64 or uint64 in the same memory
        How many elements, or rows, there are. The array itself is used: what it holds when a call runs is
        the length of that call.
    closed : bool
        One element more: the last offset of segments, of which count is the number.

    Attributes
    ----------
    array
        The whole room. What is behind the elements means nothing.
    count
        An int64 without dimensions in the array's memory, of the array's library.
    room : int
        The most elements.

    >>> import numpy as np, parscan
    >>> kept = parscan.compact_if(np.array([3, 0, 7, 3]), counted=True)
    >>> kept.room, parscan.unique(kept).numpy()
    (4, array([3, 7]))
    """

    __slots__ = "array", "count", "closed", "_context"

    def __init__(self, array, count, *, closed: bool = False):
        if type(array) is Counted:
            raise TypeError("array is counted itself: give its .array")
        self.array, self.closed, self._context = array, flag(closed, "closed"), None
        arrays = self._family()
        shape = arrays.take_any(array, "array").shape
        if not shape or closed and not shape[0]:
            raise ValueError(f"array has shape {list(shape)}: it must have room for elements")
        if isinstance(count, (int, np.integer)):
            if not 0 <= count <= shape[0] - self.closed:
                raise ValueError(f"count = {count}: it must be 0 to {shape[0] - self.closed}")
            count = arrays.give(arrays.full((), int(count), INT64))
        self.count = count
        self._place(arrays)

    @classmethod
    def _made(cls, array, count, context, closed=False):
        """That of a function, which it has called with this context."""
        made = cls.__new__(cls)
        made.array, made.count, made.closed = array, count, closed
        made._context = context if context.is_shared else None
        return made

    def _family(self):
        from ._families import family_of  # which needs this module
        return _able(family_of(self.array))

    def _place(self, arrays) -> int:
        """The address of the count."""
        count = arrays.take(self.count, "count")
        if arrays.size(count) != 1 or arrays.dtype(count) not in (INT64, np.uint64):
            raise TypeError(f"count is {arrays.dtype(count)}{list(arrays.shape(count))}: it must be one int64")
        return arrays.pointer(count)

    def _taken(self):
        return self._family().take_any(self.array, "array")

    @property
    def room(self) -> int:
        return int(self._taken().shape[0]) - self.closed

    @property
    def dtype(self):
        return self._taken().dtype

    @property
    def ndim(self) -> int:
        known = getattr(self.array, "ndim", None)
        return len(self._taken().shape) if known is None else known

    def _waiting(self):
        """The family, and the caller's context that made the array, or this thread's."""
        arrays = self._family()
        return arrays, arrays.context(self.array) if self._context is None else self._context

    def length(self) -> int:
        """How many elements there are. It waits for the calls before, and raises their errors."""
        arrays, context = self._waiting()
        number = np.empty((), np.uint64)
        context.call(library.copy, pointer_of(number), self._place(arrays), number.nbytes)
        context.synchronize()
        length, room = int(number), self.room
        if length > room:
            raise CapacityError(f"room = {room}: count = {length} exceeds it", total=length)
        return length

    def result(self):
        """The elements that there are, in the array's memory. It waits, as ``length()``."""
        return self._family().part(self.array, self.length() + self.closed)

    def numpy(self) -> np.ndarray:
        """A copy of them in host memory. It waits, as ``length()``."""
        length = self.length() + self.closed
        arrays, context = self._waiting()
        array = self._taken()
        result = np.empty((length, *array.shape[1:]), arrays.dtype(array))
        context.call(library.copy, pointer_of(result), arrays.pointer(array), result.nbytes)
        context.synchronize()
        return result

    def __array__(self, *_, **__):
        raise TypeError("a parscan.Counted is no array of NumPy: its numpy() waits and makes one")

    def __reduce__(self):
        raise TypeError("a Counted cannot be copied or pickled")

    def __repr__(self):
        return f"<parscan.Counted, up to {self.room} of {self.dtype}>"


def refuse_counted(array, what):
    """TypeError where only arrays are taken."""
    if type(array) is Counted:
        raise TypeError(f"{what} is counted, which this does not take: give {what}.result(), which waits")


def waited(array):
    """The array itself; of a counted one the elements, for which it waits."""
    return array.result() if type(array) is Counted else array


def need_one_axis(x, what, axis):
    """That elements of a counted array that is to be flattened are its rows."""
    if axis is None and type(x) is Counted and x.ndim != 1:
        raise TypeError(f"{what} is counted, with {x.ndim} dimensions: it is not flattened, give axis=0")


def cut(arrays, array, count):
    """The part of a new array that a call has counted, for the caller."""
    if type(count) is Count:
        return arrays.give(arrays.head(array, count.value))
    return Counted._made(arrays.give(array), count.given, count.context)


def number(count):
    """The same of a number that a call has found out."""
    return count.value if type(count) is Count else count.given


class EngineCount:
    """Room for a count in the memory of the arrays, in place of a Count of the host's."""

    def __init__(self, arrays, context):
        self._arrays, self._array, self.context = arrays, arrays.empty((), INT64), context
        self.at, self._given = arrays.pointer(self._array), None

    @property
    def given(self):
        """What the caller gets, after the call that counts."""
        if self._given is None:
            self._given = self._arrays.give(self._array)
        return self._given


class CountedContext:
    """A Context in one call of a function: its calls have lengths, its counts are the engine's."""

    def __init__(self, plain, arrays, counted, room=None):
        self.plain, self.counted, self._arrays = plain, counted, arrays
        self._room, self._bound = room, 0
        self.lengths = dict.fromkeys(ROLES, 0)  # addresses

    def __getattr__(self, name):
        return getattr(self.plain, name)

    @property
    def count(self):
        return EngineCount(self._arrays, self.plain) if self.counted else self.plain.count

    def of(self, count) -> CountedContext:
        """The same for calls on arrays that are as long as a count says."""
        other = CountedContext(self.plain, self._arrays, self.counted)
        other.lengths[_N] = count.at
        return other

    def length_of(self, role) -> int:
        return self.lengths[role]

    def room_for(self, n) -> int:
        if self._room is None or self._room >= n:
            return n
        self._bound = self._room
        return self._room

    def call(self, function, *arguments) -> None:
        n, n2, segment_count = self.lengths.values()
        capacity = self._bound if function in _BOUNDED else 0
        if not (n or n2 or segment_count or capacity) or function in _MEMORY:
            self.plain.call(function, *arguments)
        else:
            self.plain.call_with(lengths_of(n, n2, capacity, segment_count), function, *arguments)


class CountedArrays:
    """A family in one call of a function: it unpacks counted arrays, and makes them."""

    def __init__(self, family, second, by_room):
        self._family, self._second, self._by_room = family, second, by_room
        self.pointer, self.dtype, self.shape = family.pointer, family.dtype, family.shape  # for speed
        self.size, self.empty = family.size, family.empty
        self._counts: dict = {}  # by role: the first array that has it, and its parameter
        self.context = None  # set by choose_counted()

    def __getattr__(self, name):
        return getattr(self._family, name)

    def _role(self, what):
        return _SEGMENTS if what == "offsets" else _N2 if what in (self._second, f"{self._second}_values") else _N

    def _unpacked(self, array, what):
        if type(array) is not Counted:
            return array
        if what == self._by_room:
            return array.array
        role = self._role(what)
        if array.closed != (role == _SEGMENTS):
            raise TypeError(f"{what} is counted with an end, as offsets are: give {what}.array, or "
                            f"Counted({what}.array, count)" if array.closed else
                            f"{what} is counted without its end: allocate(close=True) and "
                            "Counted(..., closed=True) have it")
        place = array._place(self._family)
        known, name = self._counts.setdefault(role, (array, what))
        self.context.lengths[role] = self.context.lengths[role] or place
        if self.context.lengths[role] != place:
            raise ValueError(f"{what} has another count than {name}: if they are equal, give "
                             f"Counted({what}.array, {name}.count)")
        return array.array

    def take(self, array, what="x"):
        if type(array) is Counted and array.ndim != 1 and what != "dense" and what != self._by_room:
            raise TypeError(f"{what} is counted, with {array.ndim} dimensions: it must have 1")
        return self._family.take(self._unpacked(array, what), what)

    def take_any(self, array, what="x"):
        return self._family.take_any(self._unpacked(array, what), what)

    def cast(self, array, dtype):
        with np.errstate(all="ignore"):  # of what lies behind the elements
            return self._family.cast(array, dtype)

    def give_along(self, array, role=_N, closed=False):
        """What the caller gets for a new array that is as long as those of a role."""
        given = self._family.give(array)
        if role not in self._counts:
            return given
        return Counted._made(given, self._counts[role][0].count, self.context.plain, closed)

    def output(self, out, shape, dtype, *inputs, in_place=True):
        if out is None:
            return self._family.output(None, shape, dtype)
        room = out.array if type(out) is Counted else out
        y = self._family.output(room, shape, dtype, *inputs, in_place=in_place)
        if self._family.pointer(y) != self._family.pointer(self._family.take_any(room, "out")):
            raise ValueError("out must be contiguous, and overlap no input but as a whole, where a length "
                             "is counted: what lies behind it is not written")
        return y

    def finish(self, array, out):
        if type(out) is not Counted:
            return self.give_along(array) if out is None else self._wrapped(out)
        known = self._counts.get(_N)
        if known is None or out._place(self._family) != known[0]._place(self._family):
            raise ValueError("out has another count than the input")
        return out

    def _wrapped(self, out):
        known = self._counts.get(_N)
        return out if known is None else Counted._made(out, known[0].count, self.context.plain)


def _able(family):
    """The family; TypeError for one whose arrays are copied, of which no address stays."""
    if getattr(family, "copies", False):
        raise TypeError("counted: arrays on a device that parscan has not are copied, so their counts are not in its memory")
    return family


def counting(family, context, counted, room, second, by_room):
    """The stand-ins. counted: whether counts are the engine's; None: they are."""
    if room is not None:
        room, counted = whole(room, "room", 1, 2**63 - 1), True
    arrays = CountedArrays(_able(family), second, by_room)
    arrays.context = CountedContext(context, family, counted is not False, room)
    return arrays, arrays.context
