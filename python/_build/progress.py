"""What a build says, on the terminal: pip holds its output back until it fails, unless it is asked by -v."""

import os
import re
import sys
import threading
from contextlib import contextmanager

_WORDS = re.compile(rb"-- (parscan: (?!libparscan_).*)")  # not what the wheel does not have
_STEP = re.compile(rb"\[ *(\d+)(?:/(\d+)|%)\]")


def _copy(source, to, terminal):
    """All lines to `to`; those of parscan, and every tenth of the steps, to the terminal."""
    tenth = 0
    for line in iter(source.readline, b""):
        os.write(to, line)
        words, step = _WORDS.match(line), _STEP.match(line)
        if words:
            terminal.write(b"\n  " + words[1])
        elif step and (now := 10 * int(step[1]) // int(step[2] or 100)) > tenth:
            tenth = now
            terminal.write(b"\n  parscan: %d%% is built" % (10 * now))


@contextmanager
def shown():
    """Within it, what this process and its children write to standard output is also looked at."""
    try:
        terminal = None if os.isatty(1) else open("/dev/tty", "wb", buffering=0)
    except OSError:  # none
        terminal = None
    if terminal is None:
        yield
        return
    sys.stdout.flush()
    kept, (read, write) = os.dup(1), os.pipe()
    os.dup2(write, 1)
    os.close(write)
    with terminal, open(read, "rb") as source:
        copier = threading.Thread(target=_copy, args=(source, kept, terminal))
        copier.start()
        try:
            yield
        finally:
            sys.stdout.flush()
            os.dup2(kept, 1)  # closes the pipe, so that the copier ends
            copier.join()
            os.close(kept)
