"""Free memory of a virtual machine that its host leaves to it."""

import mmap
import multiprocessing
import pathlib


def free_bytes():
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemFree:"):
            return int(line.split()[1]) * 1024
    return 0


def hold_memory(pipe, parents):
    """Takes as much of the free memory as it is told, and gives it back when it is told so. Ends when
    the other end of the pipe is closed."""
    parents.close()
    while True:
        try:
            wanted = pipe.recv()
        except EOFError:
            return
        held = mmap.mmap(-1, max(min(wanted, free_bytes() - (1 << 30)), 1 << 20),
                         mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        held.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, len(held), 4096):
            held[at] = 1
        pipe.send(True)
        pipe.recv()
        held.close()
        pipe.send(True)


class Holder:
    """A process that has free memory until a program starts. The host of a virtual machine takes
    back what is free for some seconds, and a program that then needs it waits for the host: that took
    up to 15 s of a cp of 8 GiB."""

    def __init__(self):
        self.pipe, other = multiprocessing.Pipe()
        self.child = multiprocessing.get_context("fork").Process(
            target=hold_memory, args=(other, self.pipe), daemon=True)
        self.child.start()
        other.close()

    def take(self, wanted):
        self.pipe.send(wanted)
        self.pipe.recv()

    def give(self):
        self.pipe.send(True)
        self.pipe.recv()
