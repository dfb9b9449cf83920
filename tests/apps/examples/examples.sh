#!/bin/sh
# examples.sh NAME PROGRAM SOURCE: examples.py, by a Python that has NumPy and SciPy.
set -eu
for python in "${PARSCAN_PYTHON:-python3}" /usr/bin/python3; do
    if "$python" -c 'import numpy, scipy, contourpy' 2>/dev/null; then
        exec "$python" "$3/tests/apps/examples/examples.py" "$1" "$2" "$3/apps/examples/prepare.py"
    fi
done
echo "skipped: no Python with numpy, scipy and contourpy (python3-scipy, python3-matplotlib)"
exit 77
