#!/bin/sh
# run.sh LIBRARY: the tests of the package with a libparscan.so, by a Python that has NumPy, pytest and
# hypothesis; without one they are skipped.
set -eu
cd "$(dirname "$0")/.."
library=$1
for python in "${PARSCAN_PYTHON:-python3}" /usr/bin/python3; do
    if "$python" -c 'import numpy, pytest, hypothesis' 2>/dev/null; then
        PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1 PARSCAN_LIBRARY=$library \
            exec "$python" -m pytest -q -p no:cacheprovider tests
    fi
done
echo "skipped: no Python with numpy, pytest and hypothesis (python3-numpy python3-pytest python3-hypothesis)"
exit 77
