#!/bin/sh
# JAX 0.10.2: jax.numpy.histogram counts in the type of the values, and so stops at 2048, 256 or 16777216.
#
# Seen, on the CPU: all values are in one bin.
#
#     values            true count   histogram   bincount, digitize
#     float16  5000           5000        2048                 5000
#     bfloat16 5000           5000         256                 5000
#     float32  2^25       33554432    16777216             33554432
#
# jax.ops.segment_sum of 5000 ones stops likewise (2048, 256), where jax.numpy.sum and cumsum of the same array give
# 5000 and 4992. numpy.histogram counts in 64-bit integers. It would be so if ones of the values' type were added one by
# one; the source was not read. For us: parscan counts in u32 or u64, whatever the values are.
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q numpy==2.4.6 ml_dtypes==0.6.0 jax==0.10.2 jaxlib==0.10.2
cat >"$work/count.py" <<'END'
import jax
import jax.numpy as jnp

for name, n in (("float16", 5000), ("bfloat16", 5000), ("float32", 1 << 25)):
    values = jnp.zeros(n, name)
    counts, edges = jnp.histogram(values, bins=2, range=(-1, 1))
    above = int(jnp.sum(jnp.digitize(values, edges) == 2))
    print(name, "histogram", [int(c) for c in counts], counts.dtype, "digitize", above)
    if n == 5000:
        ones = jnp.ones(n, name)
        parts = jax.ops.segment_sum(ones, jnp.zeros(n, int), 1)
        print(name, "segment_sum", int(parts[0]), "sum", int(ones.sum()), "cumsum", int(jnp.cumsum(ones)[-1]))
END
cat >"$work/expected" <<'END'
float16 histogram [0, 2048] float16 digitize 5000
float16 segment_sum 2048 sum 5000 cumsum 5000
bfloat16 histogram [0, 256] bfloat16 digitize 5000
bfloat16 segment_sum 256 sum 4992 cumsum 4992
float32 histogram [0, 16777216] float32 digitize 33554432
END
JAX_PLATFORMS=cpu "$work/venv/bin/python" "$work/count.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: counts stop"
