#!/bin/sh
# fork_python.sh LIBRARY: runs fork_python.py, where Python is.
set -eu
command -v python3 >/dev/null || {
    echo "no python3"
    exit 77
}
exec python3 "$(dirname "$0")/fork_python.py" "$1"
