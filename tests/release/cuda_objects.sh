#!/bin/sh
# cuda_objects.sh SOURCE PYTHON NINJA: packaging/cuda_objects.py with a compiler in nvcc's place that copies its source and one
# header. Objects compiled in one tree are taken by another, until the options or a byte of what they were made of change;
# what fails or takes too long is left, and said.
set -eu
source=$1 python=$2
PATH=$(dirname "$3"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/nvcc" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "Cuda compilation tools, release 13.0, V13.0.88"; exit; }
for word; do
    case $option in
    -I) include=$word ;;
    -MF) list=$word ;;
    -c) file=$word ;;
    -o) object=$word ;;
    esac
    option=$word
done
echo "$file" >>"${0%/*}/calls"
if grep -q slow "$file"; then sleep 60; fi
! grep -q wrong "$file" || { echo "nvcc dislikes it"; exit 2; }
cat "$file" "$include/types.h" >"$object"
printf 'file.o: %s \\\n /usr/include/stdio.h %s\n' "$file" "$include/types.h" >"$list"
END
chmod +x "$work/nvcc"

# tree NAME OPTIONS: sources and a build folder of Ninja, whose objects are made by way of the script.
tree() {
    here=$work/$1
    mkdir -p "$here/packaging" "$here/build/include"
    cp "$source/packaging/cuda_objects.py" "$here/packaging/"
    for file in a b; do echo "code of $file" >"$here/$file.cu"; done
    echo types >"$here/build/include/types.h"
    cat >"$here/build/build.ninja" <<END
rule cuda
  command = $python $here/packaging/cuda_objects.py $work/kept $work/nvcc $2 -I $here/build/include -MD -MT \$out -MF \$out.d -x cu -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
build objects/a.o: cuda $here/a.cu
build objects/b.o: cuda $here/b.cu
END
}

# listed NUMBER OBJECTS: as many are to be compiled for the tree.
listed() {
    said=$("$python" "$here/packaging/cuda_objects.py" list "$here/build" "$work/kept")
    [ "$said" = "$work/kept/list.json: $1 objects to be compiled" ] || { echo "$said; expected $1"; exit 1; }
}

# compiled STATUS WORDS SECONDS: what it says has the words.
compiled() {
    status=0
    "$python" "$here/packaging/cuda_objects.py" compile "$work/kept" "$3" >"$work/said" || status=$?
    [ "$status" = "$1" ] && grep -q "$2" "$work/said" || { echo "status $status"; cat "$work/said"; exit 1; }
}

# built CALLS: Ninja makes the objects, with so many calls of nvcc.
built() {
    : >"$work/calls"
    ninja -C "$here/build" >"$work/said" || { cat "$work/said"; exit 1; }
    [ "$(wc -l <"$work/calls")" = "$1" ] || { echo "nvcc was called for"; cat "$work/calls"; exit 1; }
    cat "$here/a.cu" "$here/build/include/types.h" | cmp - "$here/build/objects/a.o"
    # What is written in the same tick of the file system's clock as an object is not newer for Ninja.
    sleep 0.05
}

tree first -O3
listed 2
compiled 0 '2 objects compiled .* 0 left' 60
listed 0
built 0
tree second -O3
listed 0
built 0
built 0
echo "other types" >"$here/build/include/types.h"
listed 2
built 2
echo types >"$here/build/include/types.h"
echo "other code" >"$here/b.cu"
built 1
tree third -O2
listed 2
echo wrong >"$here/a.cu"
compiled 3 'nvcc dislikes it' 60
grep -q '1 objects compiled .* 1 left' "$work/said" || { cat "$work/said"; exit 1; }
echo slow >"$here/a.cu"
compiled 3 '0 objects compiled .* 1 left' 0.5
compiled 3 'objects/a.o' 0
echo "code of a" >"$here/a.cu"
compiled 0 '1 objects compiled' 60
built 0
