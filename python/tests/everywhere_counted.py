"""The cases of everywhere.py with arrays that are counted: given with room behind them, which holds anything, or
made by the functions on request."""

import inspect

import numpy as np

import parscan

ROOM = 20_000  # more than any result of everywhere.py has
BEHIND = 37  # elements; no multiple of what the cases have
RNG = np.random.default_rng(12)
MAKERS = {name for name in parscan.__all__ if inspect.isfunction(getattr(parscan, name))
          and {"counted", "room"} & set(inspect.signature(getattr(parscan, name)).parameters)}


def with_room(x, behind=BEHIND):
    """The array, and what may be anything."""
    shape = behind, *x.shape[1:]
    return np.concatenate([x, np.frombuffer(RNG.bytes(int(np.prod(shape)) * x.itemsize), x.dtype).reshape(shape)])


class Parscan:
    """The package, whose results are arrays again. on, back: as in everywhere.check(); kinds: what arrays are;
    write: stores NumPy's elements in one."""

    def __init__(self, on, back, kinds, write=None):
        self.on, self.back, self.kinds, self.made = on, back, kinds, set()
        self.write = write or (lambda array, x: back(array).__setitem__(..., x))

    def __getattr__(self, name):
        return lambda *given, **options: self.returned(name, self.call(name, list(given), options))

    def returned(self, name, result):
        if isinstance(result, parscan.Counted):
            self.made.add(name)
            assert result.room >= result.length()
            return self.on(result.numpy())
        if isinstance(result, tuple):
            parts = [self.returned(name, part) for part in result]
            return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
        return result


class Making(Parscan):
    """Results are counted, of arrays that are not."""

    def call(self, name, given, options):
        function = getattr(parscan, name)
        names = inspect.signature(function).parameters
        asked = {"counted": True} if "counted" in names else {"room": ROOM} if "room" in names else {}
        try:
            return function(*given, **options, **asked)
        except TypeError as error:
            assert "along the first axis alone" in str(error)
            return function(*given, **options)


class Taking(Parscan):
    """Arrays of one dimension are counted; those of one length have one count."""

    def call(self, name, given, options):
        function = getattr(parscan, name)
        arrays = [part for part in (*given, *options.values()) if isinstance(part, self.kinds)]
        if any(self.back(array).ndim != 1 for array in arrays) or name == "diff" and "prepend" not in options:
            return function(*given, **options)
        self.counts, self.rooms = {}, {}
        stays = given.pop() if name == "scatter" else None
        given = [self.counted(part) for part in given] + ([] if stays is None else [stays])
        target = options.get("out")
        options = {key: self.counted(part, key == "offsets") for key, part in options.items()}
        result = function(*given, **options)
        for original, counted in self.rooms.values():
            assert self.back(counted.array)[-BEHIND:].tobytes() == original[-BEHIND:].tobytes(), name
        if target is not None:
            assert result is options["out"]
            self.write(target, result.numpy())
        return result

    def counted(self, part, closed=False):
        if not isinstance(part, self.kinds):
            return part
        if id(part) not in self.rooms:
            x = self.back(part)
            n, room = len(x) - closed, with_room(x)
            if n not in self.counts:
                self.counts[n] = self.on(np.array(n))
            self.rooms[id(part)] = room, parscan.Counted(self.on(room), self.counts[n], closed=closed)
        return self.rooms[id(part)][1]


def check(case, p):
    """Compares the results of a case, by a Parscan, with the answers."""
    for k, (result, expected) in enumerate(case(p, lambda x: p.on(x.copy()))):
        result = p.back(result) if isinstance(result, p.kinds) else np.asarray(result)
        expected = np.asarray(expected)
        if expected.shape == () and np.isnan(expected.astype(float)):
            assert np.isfinite(result).all()  # computed in another order
        else:
            assert result.shape == expected.shape, (case.__name__, k, result.shape, expected.shape)
            np.testing.assert_array_equal(result, expected, err_msg=f"{case.__name__} {k}")
