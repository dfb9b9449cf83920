#!/bin/sh
# Runs test_report.py with a Python that has matplotlib; without one it is skipped: report.sh SOURCE
set -eu
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then
        PYTHONDONTWRITEBYTECODE=1 PARSCAN_BENCH_PYTHON=$python exec "$python" \
            "$1/tests/bench/test_report.py"
    fi
done
echo "skipped: no Python with matplotlib"
exit 77
