"""Inputs that another thread changes during a call: between two calls of the library, or between a check
and a call. Nothing is written or read outside of arrays: room is the most, or what was read first is used.
"""

import weakref

import numpy as np
import pytest

import parscan
from arrays import changing, equal
from parscan import _context
from parscan._host import HOST, Host


def address(array):
    return array.ctypes.data


def set_to(array, value):
    def change():
        array[...] = value
    return change


def one_entry(n):
    dense = np.zeros((n, 100), np.float32)
    dense[n // 2, 7] = 3
    return dense


def test_there_is_room_for_all_entries_that_a_matrix_gets(monkeypatch):
    rooms, dense = {}, one_entry(300)

    def empty(shape, dtype):
        array = np.empty(shape, dtype)
        rooms[address(array)] = array.size
        return array

    def change():
        places = calls[-1][7:9]  # of indices and data
        if any(places):  # else they are counted
            dense[...] = 1
            assert all(rooms[place] >= dense.size for place in places)

    calls = changing(monkeypatch, "dense_to_csr", change)
    monkeypatch.setattr(HOST, "empty", empty)
    csr = parscan.dense_to_csr(dense)
    equal(csr.data, np.ones(dense.size, np.float32))
    assert csr.indptr[-1] == dense.size


def test_of_a_matrix_without_room_for_all_entries_a_copy_is_counted(monkeypatch):
    dense, given = one_entry(300), []

    def empty(shape, dtype):
        given.append(shape)
        if shape == (dense.size,) and len(given) < 4:
            raise MemoryError
        return np.empty(shape, dtype)

    calls = changing(monkeypatch, "dense_to_csr", set_to(dense, 1))
    monkeypatch.setattr(HOST, "empty", empty)
    indptr, indices, data = parscan.dense_to_csr(dense)
    assert len(calls) == 2 and indices.tolist() == [7] and data.tolist() == [3]
    equal(indptr, np.repeat([0, 1], [151, 150]))


def test_a_sparse_result_keeps_no_room_for_all_entries():
    for rows in (3, 30_000):
        csr = parscan.dense_to_csr(one_entry(rows))
        for part in csr.indices, csr.data:
            held = part if part.base is None else part.base
            assert part.size == 1 and held.nbytes <= 1 << 16


@pytest.mark.parametrize("kind", [np.int64, np.uint32, np.int16])
def test_records_are_packed_by_the_offsets_that_were_checked(monkeypatch, kind):
    text = np.frombuffer(b"the quick brown fox", np.uint8)
    starts, sizes, places = np.array([[16, 4, 0], [3, 5, 3], [0, 4, 10]], kind)

    def change(calls):
        for array in starts, sizes, places:
            assert address(array) not in calls[-1]  # else the call would write anywhere
            array[...] = np.iinfo(kind).max

    packs = changing(monkeypatch, "pack", lambda: change(packs))
    out = np.full(20, ord("."), np.uint8)
    parscan.pack(text, starts, sizes, places, out=out)
    assert out.tobytes() == b"fox.quick.the......."
    starts[:], sizes[:] = [16, 4, 0], [3, 5, 3]
    allocations = changing(monkeypatch, "allocate", lambda: change(allocations))
    assert parscan.pack(text, starts, sizes).tobytes() == b"foxquickthe"


@pytest.mark.parametrize("size", [0, 1, 3])
def test_of_sizes_that_change_no_more_records_are_packed_than_there_is_room(monkeypatch, size):
    monkeypatch.setattr(HOST, "pieces", 4)
    text, sizes = np.arange(40, dtype=np.uint8), np.full(20, 2)
    starts = np.arange(20)
    calls = changing(monkeypatch, "allocate", lambda: len(calls) > 1 and set_to(sizes, size)())
    with pytest.raises(parscan.InvalidArgumentError, match="sizes changed during the call: their total was 40"):
        parscan.pack(text, starts, sizes)



def test_rows_have_room_for_those_that_were_counted(monkeypatch):
    x, condition = np.ones((300, 100), np.uint8), np.zeros(300, bool)
    condition[7] = True
    changing(monkeypatch, "compact", set_to(condition, True))
    with pytest.raises(parscan.CapacityError, match="300"):
        parscan.compress(condition, x, 0)


def test_out_may_hold_the_offsets_of_records():
    text, places = np.frombuffer(b"the quick brown fox", np.uint8), np.array([0, 8, 16])
    out = parscan.pack(text, [16, 4, 0], [3, 5, 3], places, out=places).view(np.uint8)
    assert out[:3].tobytes() + out[8:13].tobytes() + out[16:19].tobytes() == b"foxquickthe"


@pytest.mark.parametrize("later, total", [([9, 9, 9], 27), ([0, 0, 1], 1)])
def test_repeats_that_change_are_refused(monkeypatch, later, total):
    repeats = np.array([1, 2, 3])
    changing(monkeypatch, "expand", set_to(repeats, later))
    with pytest.raises(parscan.InvalidArgumentError, match=f"repeats changed .* total was 6, then {total}$"):
        parscan.repeat(np.array([7, 8, 9]), repeats)


@pytest.mark.parametrize("later", [[0, 0, 6], [9, 9, 9], [0, 0, 0]])
def test_where_indices_have_no_bounds_repeats_are_expanded_as_counted(monkeypatch, later):
    monkeypatch.setattr(Host, "bounds_indices", False)
    repeats = np.array([1, 2, 3])
    changing(monkeypatch, "expand", set_to(repeats, later))
    equal(parscan.repeat(np.array([7, 8, 9]), repeats), np.array([7, 8, 8, 9, 9, 9]))
    assert repeats.tolist() == later


@pytest.mark.parametrize("later, total", [([9, 9], 18), ([1, 0], 1)])
def test_an_expansion_of_sizes_that_change_says_so(monkeypatch, later, total):
    sizes = np.array([1, 2])
    changing(monkeypatch, "expand", set_to(sizes, later))
    with pytest.raises(parscan.InvalidArgumentError, match=f"sizes changed .* total was 3, then {total}$"):
        parscan.expand(sizes)


@pytest.mark.parametrize("rows", [1, 5000])
def test_where_indices_have_no_bounds_an_inverse_is_of_a_copy(monkeypatch, rows):
    monkeypatch.setattr(Host, "bounds_indices", False)
    x = np.array([[5, 1, 5, 0]] * rows)
    changing(monkeypatch, "sort_pairs", set_to(x, 9))
    values, inverse = parscan.unique(x, return_inverse=True)
    equal(values, np.array([0, 1, 5])), equal(inverse, np.array([[2, 1, 2, 0]] * rows))
    assert (x == 9).all()


def test_a_carry_that_grows_is_read_once(monkeypatch):
    class Growing:
        def __bytes__(self):
            return carry

        def __len__(self):
            return len(carry) + 1000

    with parscan.Chunked.inclusive_scan(np.int64) as scan:
        scan.update([1, 2])
        carry = scan.carry
        calls = changing(monkeypatch, "chunked_carry_set", lambda: None)
        scan.carry = Growing()
        assert calls[0][2] == len(carry)
        assert scan.update([3]).tolist() == [6]


@pytest.mark.parametrize("name, call", [
    ("expand", lambda context: parscan.expand([2, 1], context=context)),
    ("allocate", lambda context: parscan.unique([2, 1, 2], return_index=True, context=context))])
def test_what_a_call_counts_has_room_until_it_ends(monkeypatch, name, call):
    rooms, there, context = {}, [], parscan.Context("cpu", threads=1)
    counts = _context.Context.count.fget

    def count(self):
        result = counts(self)
        rooms[result.at] = weakref.ref(result)
        return result

    monkeypatch.setattr(_context.Context, "count", property(count))
    calls = changing(monkeypatch, name, lambda: there.extend(
        rooms[place]() is not None for place in calls[-1] if place in rooms))
    call(context)
    assert there and all(there)
