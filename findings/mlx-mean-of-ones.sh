#!/bin/sh
# MLX 0.32.4, CPU: the mean of 2^25 ones is 0.5, that of two large integers -1; the last cumulative sum is not the sum.
#
# Seen, with mlx and mlx-cpu from PyPI on Linux:
#
#     input                       mean    sum             last of cumsum
#     f32, 2^25 ones              0.5     16777216        16777216
#     i32, twice 2147483647       -1.0    -2 (i32)        -2
#     u8, 200 200 200             200.0   600 (u32)       88 (u8)
#     bool, 300 times true                300 (i32)       300 (i32)
#     f16, 5000 ones                      5000            2048
#     bf16, 5000 ones                     4992            256
#
# A mean divides a sum that has stopped at 2^24, or that has wrapped in 32 bits; its own result has f32, which holds both
# means. sum() makes 32 bits of narrow integers, cumsum() of bool alone. cumsum() of 16-bit floats adds in them, sum()
# does not: the same array has two totals.
#
# For us: the last element of a scan is the reduction, in the same type; f16 and bf16 are added in f32, and integers in
# out_type (include/parscan/scan.h). f32 sums of many equal numbers do not stop, since they are sums of tiles.
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q mlx==0.32.4 mlx-cpu==0.32.4
cat >"$work/sums.py" <<'END'
import mlx.core as mx

mx.set_default_device(mx.cpu)
for name, array in (
    ("f32", mx.ones((1 << 25,), dtype=mx.float32)),
    ("i32", mx.array([2147483647, 2147483647], dtype=mx.int32)),
    ("u8", mx.array([200, 200, 200], dtype=mx.uint8)),
    ("bool", mx.array([True] * 300)),
    ("f16", mx.ones((5000,), dtype=mx.float16)),
    ("bf16", mx.ones((5000,), dtype=mx.bfloat16)),
):
    total, last = mx.sum(array), mx.cumsum(array)[-1]
    mean = mx.mean(array).item() if name in ("f32", "i32", "u8") else ""
    print(name, "mean", mean, "sum", total.item(), str(total.dtype)[9:], "last", last.item(), str(last.dtype)[9:])
END
cat >"$work/expected" <<'END'
f32 mean 0.5 sum 16777216.0 float32 last 16777216.0 float32
i32 mean -1.0 sum -2 int32 last -2 int32
u8 mean 200.0 sum 600 uint32 last 88 uint8
bool mean  sum 300 int32 last 300 int32
f16 mean  sum 5000.0 float16 last 2048.0 float16
bf16 mean  sum 4992.0 bfloat16 last 256.0 bfloat16
END
"$work/venv/bin/python" "$work/sums.py" >"$work/seen"
cat "$work/seen"
diff "$work/expected" "$work/seen" && echo "as described: the mean of ones is 0.5"
