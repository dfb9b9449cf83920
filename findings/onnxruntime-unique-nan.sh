#!/bin/sh
# ONNX Runtime 1.32.0, on the CPU: the operator Unique takes numbers for equal to a NaN, and its output loses them.
#
# Seen, with sorted = 1 and f32. Of nan 1 3 2 nan 1 3 2 the values are nan alone, eight times. Of 1 3 nan 2 1 3
# nan 2 they are 1, 2 and 3, and the two NaNs are counted as 1, which is then there four times. onnx 1.23.2's
# reference evaluator gives 1 2 3 nan, each twice, for both. It would be so if values were looked up in an
# ordered map by a < b, where a NaN is equal to all; the source was not read.
#
# ReduceMax and ArgMax of the same values depend on where the NaN stands: of nan 1 3 2 they are nan and 0, of
# 1 3 nan 2 they are 3 and 1.
#
# For us: parscan_unique() and parscan_run_length_encode() take a NaN for equal to NaNs alone, and sorts have
# them after +inf (docs/comparison.md).
#
# Fails if that has changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cat >"$work/unique.py" <<'END'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

onnxruntime.set_default_logger_severity(3)
nan = np.nan


def model(operator, outputs, **attributes):
    node = helper.make_node(operator, ["x"], [name for name, _, _ in outputs], **attributes)
    graph = helper.make_graph(
        [node], "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])],
        [helper.make_tensor_value_info(*output) for output in outputs])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    made.ir_version = 8
    return made


def run(made, x):
    return onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"x": x})


integers = TensorProto.INT64
unique = model("Unique", [("values", TensorProto.FLOAT, [None])] +
               [(name, integers, [None]) for name in ("first", "inverse", "counts")], sorted=1)
largest = model("ReduceMax", [("largest", TensorProto.FLOAT, [])], keepdims=0)
place = model("ArgMax", [("place", integers, [])], axis=0, keepdims=0)
for four in ([nan, 1, 3, 2], [1, 3, nan, 2]):
    x = np.array(four + four, dtype=np.float32)
    print(x.tolist())
    for name, (values, _, _, counts) in (("Unique", run(unique, x)),
                                         ("of the reference", ReferenceEvaluator(unique).run(None, {"x": x}))):
        print(f"    {name}: {values.tolist()}, counts {counts.tolist()}")
    print(f"    ReduceMax {run(largest, x)[0].item()}, ArgMax {run(place, x)[0].item()}")
END
cat >"$work/expected" <<'END'
[nan, 1.0, 3.0, 2.0, nan, 1.0, 3.0, 2.0]
    Unique: [nan], counts [8]
    of the reference: [1.0, 2.0, 3.0, nan], counts [2, 2, 2, 2]
    ReduceMax nan, ArgMax 0
[1.0, 3.0, nan, 2.0, 1.0, 3.0, nan, 2.0]
    Unique: [1.0, 2.0, 3.0], counts [4, 2, 2]
    of the reference: [1.0, 2.0, 3.0, nan], counts [2, 2, 2, 2]
    ReduceMax 3.0, ArgMax 1
END
"$work/venv/bin/python" "$work/unique.py" | tee "$work/seen"
cmp "$work/seen" "$work/expected"
echo "as it was seen: numbers are lost beside a NaN"
