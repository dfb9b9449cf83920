# shellcheck shell=sh
# For the checks of packages: step WORDS COMMAND...: prints the seconds of a step; the end of its output is shown if it fails. $folder/log has
# the output of the last one.
step() {
    words=$1
    shift
    begin=$(date +%s)
    # shellcheck disable=SC2154  # of the script that has this
    "$@" >"$folder/log" 2>&1 || { tail -n 60 "$folder/log"; echo "failed: $words"; exit 1; }
    printf '%6d s  %s\n' $(($(date +%s) - begin)) "$words"
}

# kept_in [FOLDER]: sets $folder: FOLDER, which keeps everything, or a new one, which is removed in the end.
kept_in() {
    if [ $# -gt 0 ]; then
        mkdir -p "$1"
        folder=$(cd "$1" && pwd)
    else
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
    fi
}
