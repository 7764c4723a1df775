"""One edit of a valid document a line: what each schema has to refuse, and the near neighbours that it has to accept.

A case is (schema, document, edits...). schemas_test.py takes each constraint away once and demands that a case notices.
"""

from document_edits import BLOCK, DROP, MANIFEST_V1, MANIFEST_V2, PURE, ROW, VECTOR
from launch_cases import BEYOND_THE_SCHEMA, LAUNCH_ACCEPTED, LAUNCH_ACCEPTED_LONG, LAUNCH_REFUSED

_BLOCK, _SIDECAR, _V1, _V2, _ROW = "neural-block-v1", "sidecar-v1", "manifest-v1", "manifest-v2", "row-v1"

_POSITIVE = ("in_degree", "out_degree", "input_width", "output_width", "state_width")
_EXEC_LEGS = ("forward_exec", "vjp_exec", "jvp_exec")
_FORBIDDEN = {
    "aether_abi": "aether-abi/1",
    "derivative": PURE["derivative"],
    "host_entry": "cell_host",
    "buffers": VECTOR["buffers"],
    "mutables": PURE["mutables"],
    "mat_shapes": {"frame": [3, 3]},
}


def _each_dropped(schema, document, *keys):
    return [(schema, document, (f"/{key}", DROP)) for key in keys]


BLOCK_REFUSED = [
    (_BLOCK, BLOCK, ("", [])),
    (_BLOCK, BLOCK, ("", "neural_block")),
    *_each_dropped(_BLOCK, BLOCK, "schema_version", "pattern", "kernel", "scalar_type", "arg_spec"),
    *_each_dropped(_BLOCK, BLOCK, *_POSITIVE, "param_width", "scatter_policy", "forward_exec"),
    (_BLOCK, BLOCK, ("/schema_version", 3)),
    (_BLOCK, BLOCK, ("/schema_version", 0)),
    (_BLOCK, BLOCK, ("/schema_version", True)),
    (_BLOCK, BLOCK, ("/schema_version", "1")),
    (_BLOCK, BLOCK, ("/schema_version", None)),
    (_BLOCK, BLOCK, ("/pattern", "pure")),
    (_BLOCK, BLOCK, ("/kernel", "")),
    (_BLOCK, BLOCK, ("/kernel", ["cell"])),
    (_BLOCK, BLOCK, ("/scalar_type", "softdouble")),
    (_BLOCK, BLOCK, ("/scalar_type", "")),
    (_BLOCK, BLOCK, ("/arg_spec", [["out", "out"]])),
    (_BLOCK, BLOCK, ("/arg_spec", None)),
    (_BLOCK, BLOCK, ("/arg_spec", {})),
    *[(_BLOCK, BLOCK, (f"/{field}", value)) for field in _POSITIVE for value in (0, -1, 2**32, 4.5, "4", True, None)],
    *[(_BLOCK, BLOCK, ("/param_width", value)) for value in (-1, 2**32, 0.5, False, [])],
    (_BLOCK, BLOCK, ("/scatter_policy", "atomic_add")),
    (_BLOCK, BLOCK, ("/scatter_policy", None)),
    *[
        (_BLOCK, BLOCK, (f"/{leg}", value))
        for leg in _EXEC_LEGS
        for value in (
            None,
            "cell_forward",
            ["kernel", "cell_forward"],
            {"kernel": "cell_forward"},
            {"kind": "kernel"},
            {"kind": "plan", "kernel": "cell_forward"},
            {"kind": "kernel", "kernel": ""},
            {"kind": "kernel", "kernel": 7},
            {"kind": "kernel", "kernel": "cell_forward", "digest": "00"},
        )
    ],
    *[(_BLOCK, BLOCK, (f"/{field}", value)) for field, value in _FORBIDDEN.items()],
    *[(_BLOCK, BLOCK, (f"/{field}", value)) for field in _FORBIDDEN for value in (0, False, [[]])],
]
BLOCK_ACCEPTED = [
    (_BLOCK, BLOCK),
    (_BLOCK, BLOCK, ("/schema_version", 2)),
    (_BLOCK, BLOCK, ("/schema_version", 1.0)),
    (_BLOCK, BLOCK, ("/scalar_type", "float64")),
    (_BLOCK, BLOCK, ("/scatter_policy", "unique_write")),
    (_BLOCK, BLOCK, ("/vjp_exec", DROP), ("/jvp_exec", DROP)),
    (_BLOCK, BLOCK, ("/output_width", 5)),  # wider than the state: beyond what a schema can say
    *[(_BLOCK, BLOCK, (f"/{field}", value)) for field in _POSITIVE for value in (1, 2**32 - 1, 4.0)],
    (_BLOCK, BLOCK, ("/param_width", 2**32 - 1)),
    *[(_BLOCK, BLOCK, (f"/{field}", value)) for field in _FORBIDDEN for value in (None, "", [], {})],
    (_BLOCK, BLOCK, ("/notes", {"of": ["any", "kind"]})),
]

SIDECAR_REFUSED = [
    (_SIDECAR, VECTOR, ("", [])),
    (_SIDECAR, VECTOR, ("", None)),
    (_SIDECAR, BLOCK, ("/in_degree", DROP)),
    *_each_dropped(
        _SIDECAR,
        VECTOR,
        *("format", "pattern", "aether_abi", "scalar_type", "kernel", "vector_inputs", "params", "per_sample"),
        *("arg_spec", "accumulate", "sink", "vec_widths", "buffers"),
    ),
    *_each_dropped(_SIDECAR, PURE, "mutables", "vec_widths", "buffers"),
    (_SIDECAR, VECTOR, ("/schema_version", 3)),
    (_SIDECAR, VECTOR, ("/schema_version", "1")),
    (_SIDECAR, VECTOR, ("/schema_version", True)),
    (_SIDECAR, VECTOR, ("/format", "so")),
    (_SIDECAR, VECTOR, ("/pattern", "graph")),
    (_SIDECAR, VECTOR, ("/pattern", "")),
    (_SIDECAR, VECTOR, ("/aether_abi", "aether-abi/3")),
    (_SIDECAR, VECTOR, ("/aether_abi", None)),
    (_SIDECAR, VECTOR, ("/scalar_type", "float16")),
    (_SIDECAR, VECTOR, ("/scalar_type", "")),
    (_SIDECAR, VECTOR, ("/kernel", 1)),
    (_SIDECAR, VECTOR, ("/host_entry", ["drag_host"])),
    *[(_SIDECAR, VECTOR, (f"/{key}", "x")) for key in ("vector_inputs", "matrix_inputs", "params", "per_sample")],
    *[(_SIDECAR, VECTOR, (f"/{key}", [1])) for key in ("vector_inputs", "matrix_inputs", "params", "per_sample")],
    (_SIDECAR, PURE, ("/params_schema", 3)),
    (_SIDECAR, PURE, ("/params_schema", 1)),
    (_SIDECAR, PURE, ("/params_schema", DROP)),
    (_SIDECAR, VECTOR, ("/params_schema", 2)),
    (_SIDECAR, VECTOR, ("/params_schema", 3)),
    (_SIDECAR, PURE, ("/params", {})),
    (_SIDECAR, PURE, ("/params/0", [])),
    (_SIDECAR, PURE, ("/params/0/name", DROP)),
    (_SIDECAR, PURE, ("/params/0/dtype", DROP)),
    (_SIDECAR, PURE, ("/params/0/name", None)),
    (_SIDECAR, PURE, ("/params/0/dtype", "bool")),
    (_SIDECAR, VECTOR, ("/arg_spec", {})),
    (_SIDECAR, VECTOR, ("/arg_spec/0", "out")),
    (_SIDECAR, VECTOR, ("/arg_spec/0", [])),
    (_SIDECAR, VECTOR, ("/arg_spec/0", ["out"])),
    (_SIDECAR, VECTOR, ("/arg_spec/0", ["out", "out", "out"])),
    (_SIDECAR, VECTOR, ("/arg_spec/0/0", "Out")),
    (_SIDECAR, VECTOR, ("/arg_spec/0/0", 0)),
    (_SIDECAR, VECTOR, ("/arg_spec/0/1", 0)),
    (_SIDECAR, VECTOR, ("/vec_widths", [])),
    (_SIDECAR, VECTOR, ("/vec_widths/out", "3")),
    (_SIDECAR, PURE, ("/mat_shapes", [])),
    (_SIDECAR, PURE, ("/mat_shapes/frame", 9)),
    (_SIDECAR, PURE, ("/mat_shapes/frame", [3])),
    (_SIDECAR, PURE, ("/mat_shapes/frame", [3, 3, 3])),
    (_SIDECAR, PURE, ("/mat_shapes/frame/0", "3")),
    (_SIDECAR, VECTOR, ("/buffers", None)),
    (_SIDECAR, VECTOR, ("/buffers/0", "density")),
    *_each_dropped(_SIDECAR, VECTOR, *(f"buffers/0/{key}" for key in ("name", "kind", "dtype", "shape", "count"))),
    (_SIDECAR, VECTOR, ("/buffers/0/name", 0)),
    (_SIDECAR, VECTOR, ("/buffers/0/kind", "texture")),
    (_SIDECAR, VECTOR, ("/buffers/0/dtype", "int")),
    (_SIDECAR, VECTOR, ("/buffers/0/shape", 64)),
    (_SIDECAR, VECTOR, ("/buffers/0/shape/0", 4.5)),
    (_SIDECAR, VECTOR, ("/buffers/0/count", "64")),
    (_SIDECAR, PURE, ("/mutables", {})),
    (_SIDECAR, PURE, ("/mutables/1", "age")),
    *_each_dropped(_SIDECAR, PURE, *(f"mutables/1/{key}" for key in ("name", "dtype", "width")), "mutables/0/shape"),
    (_SIDECAR, PURE, ("/mutables/1/name", None)),
    (_SIDECAR, PURE, ("/mutables/1/dtype", "bool")),
    (_SIDECAR, PURE, ("/mutables/1/width", 1.5)),
    (_SIDECAR, PURE, ("/mutables/1/default", "0")),
    (_SIDECAR, PURE, ("/mutables/0/shape", [9])),
    (_SIDECAR, VECTOR, ("/accumulate", 1)),
    (_SIDECAR, VECTOR, ("/sink", None)),
    (_SIDECAR, PURE, ("/terminated_readonly", "yes")),
    (_SIDECAR, PURE, ("/finish", True)),
    *_each_dropped(_SIDECAR, PURE, *(f"finish/{key}" for key in ("mask", "counter", "steps", "steps_max"))),
    (_SIDECAR, PURE, ("/finish/mask", 1)),
    (_SIDECAR, PURE, ("/finish/counter", "steps")),
    (_SIDECAR, PURE, ("/finish/steps", 0)),
    (_SIDECAR, PURE, ("/finish/steps", 1.5)),
    (_SIDECAR, PURE, ("/finish/steps", "all")),
    (_SIDECAR, PURE, ("/finish/steps_max", 0)),
    (_SIDECAR, PURE, ("/finish/steps_max", "64")),
    (_SIDECAR, PURE, ("/derivative", "vjp")),
    (_SIDECAR, PURE, ("/derivative", {})),
    *_each_dropped(_SIDECAR, PURE, *(f"derivative/{key}" for key in ("kind", "wrt", "residual_policy", "residuals"))),
    (_SIDECAR, PURE, ("/derivative/kind", "hessian")),
    (_SIDECAR, PURE, ("/derivative/primal", 1)),
    (_SIDECAR, PURE, ("/derivative/wrt", "attitude")),
    (_SIDECAR, PURE, ("/derivative/residual_policy", "store")),
    (_SIDECAR, PURE, ("/derivative/residuals", {})),
    (_SIDECAR, PURE, ("/derivative/residuals", ["attitude"])),
    (_SIDECAR, PURE, ("/launch", [])),
    (_SIDECAR, PURE, ("/launch/block", "128")),
    (_SIDECAR, PURE, ("/launch/shmem_bytes", 0.5)),
    (_SIDECAR, PURE, ("/launch/grid", [1, 1, 1])),
]
SIDECAR_ACCEPTED = [
    (_SIDECAR, VECTOR),
    (_SIDECAR, PURE),
    (_SIDECAR, BLOCK),
    (_SIDECAR, VECTOR, ("/schema_version", DROP)),
    (_SIDECAR, VECTOR, ("/schema_version", 1.0)),
    (_SIDECAR, VECTOR, ("/schema_version", 2), ("/aether_abi", "aether-abi/2")),
    (_SIDECAR, VECTOR, ("/schema_version", 1), ("/aether_abi", "aether-abi/2")),
    (_SIDECAR, VECTOR, ("/kernel", "")),
    (_SIDECAR, VECTOR, ("/format", "fatbin")),
    (_SIDECAR, VECTOR, ("/scalar_type", "float32")),
    (_SIDECAR, VECTOR, ("/params_schema", 1)),
    (_SIDECAR, VECTOR, ("/params", []), ("/params_schema", 2)),
    (_SIDECAR, VECTOR, ("/buffers", [])),
    (_SIDECAR, VECTOR, ("/buffers/0/count", 1)),  # not the product of the shape: beyond what a schema can say
    (_SIDECAR, VECTOR, ("/vec_widths/out", -3)),
    (_SIDECAR, VECTOR, ("/arg_spec", [])),
    # Which of them are roles at all is compared with the C table; these are the three that came after the freeze.
    (_SIDECAR, VECTOR, ("/arg_spec", [["wide_in", "a"], ["wide_out", "b"], ["accum_out", "c"]])),
    (_SIDECAR, PURE, ("/mutables/1/dtype", "int")),
    (_SIDECAR, PURE, ("/mutables/1/dtype", "vector")),
    (_SIDECAR, PURE, ("/mutables/1/default", DROP)),
    (_SIDECAR, PURE, ("/finish/steps", 1), ("/finish/steps_max", DROP)),
    (_SIDECAR, PURE, ("/derivative/kind", "jvp")),
    (_SIDECAR, PURE, ("/derivative/primal", DROP)),
    (_SIDECAR, VECTOR, ("/launch", {"cluster": 2})),
    (_SIDECAR, VECTOR, ("/notes", None)),
]

_ENTRY_KEYS = ("id", "order", "enabled", "artifact", "sidecar", "format")
_PLUGINS_REFUSED = [
    (schema, document, *edits)
    for schema, document in ((_V1, MANIFEST_V1), (_V2, MANIFEST_V2))
    for edits in (
        [("/plugins", {})],
        [("/plugins/0", "drag")],
        *([(f"/plugins/0/{key}", DROP)] for key in _ENTRY_KEYS),
        *([(f"/plugins/0/{key}", None)] for key in _ENTRY_KEYS),
        [("/plugins/0/order", -1)],
        [("/plugins/0/order", 0.5)],
        [("/plugins/0/enabled", 1)],
        [("/plugins/0/enabled", "false")],
        [("/plugins/0/format", "so")],
        [("/version", "1")],
        [("/pattern", None)],
    )
]
MANIFEST_REFUSED = [
    *_PLUGINS_REFUSED,
    (_V1, MANIFEST_V1, ("", [])),
    (_V2, MANIFEST_V2, ("", [])),
    *_each_dropped(_V1, MANIFEST_V1, "aether_abi", "plugins"),
    *[(_V1, MANIFEST_V1, ("/schema_version", value)) for value in (0, 2, 3, "1", True, None)],
    (_V1, MANIFEST_V1, ("/aether_abi", "aether-abi/2")),
    (_V1, MANIFEST_V1, ("/exec_targets", ["host"])),
    (_V1, MANIFEST_V1, ("/exec_access", "sample_local")),
    (_V1, MANIFEST_V1, ("/exec_op", None)),
    *_each_dropped(_V2, MANIFEST_V2, "schema_version", "aether_abi", "plugins"),
    *_each_dropped(_V2, MANIFEST_V2, "exec_targets", "exec_access", "exec_op"),
    *[(_V2, MANIFEST_V2, ("/schema_version", value)) for value in (1, 3, "2", True)],
    (_V2, MANIFEST_V2, ("/aether_abi", "aether-abi/1")),
    *[(_V2, MANIFEST_V2, ("/exec_targets", value)) for value in ([], None, "host", ["host", "host"], ["gpu"])],
    (_V2, MANIFEST_V2, ("/exec_access", "anywhere"), ("/exec_op", DROP)),
    (_V2, MANIFEST_V2, ("/exec_access", DROP), ("/exec_op", DROP)),
    (_V2, MANIFEST_V2, ("/exec_op", "mean")),
    (_V2, MANIFEST_V2, ("/exec_access", "sample_local")),
    (_V2, MANIFEST_V2, ("/exec_access", "sample_local"), ("/exec_op", None)),
]
MANIFEST_ACCEPTED = [
    (_V1, MANIFEST_V1),
    (_V1, MANIFEST_V1, ("/schema_version", DROP)),
    (_V1, MANIFEST_V1, ("/schema_version", 1.0)),
    (_V1, MANIFEST_V1, ("/version", DROP), ("/pattern", DROP)),
    (_V1, MANIFEST_V1, ("/pattern", "graph")),
    (_V1, MANIFEST_V1, ("/plugins", [])),
    (_V1, MANIFEST_V1, ("/plugins/-", MANIFEST_V1["plugins"][0])),  # an id twice: beyond what a schema can say
    (_V1, MANIFEST_V1, ("/plugins/0/order", 7)),
    (_V1, MANIFEST_V1, ("/plugins/0/notes", [])),
    (_V1, MANIFEST_V1, ("/blocks", None)),
    (_V1, MANIFEST_V1, ("/notes", 1)),
    (_V2, MANIFEST_V2),
    (_V2, MANIFEST_V2, ("/exec_targets", ["host"])),
    *[
        (_V2, MANIFEST_V2, ("/exec_access", access), ("/exec_op", DROP))
        for access in ("sample_local", "cross_sample_read", "cross_sample_write")
    ],
    *[(_V2, MANIFEST_V2, ("/exec_op", op)) for op in ("times", "max", "land")],
    (_V2, MANIFEST_V2, ("/pattern", DROP)),
]

_ACCEPT_ROW = (("/expect", "accept"), ("/error_substring", None))
ROW_REFUSED = [
    (_ROW, ROW, ("", [])),
    *_each_dropped(_ROW, ROW, "row", "title", "level", "expect", "error_substring", "loaders", "why"),
    *[(_ROW, ROW, ("/row", value)) for value in (-1, 1.5, "41")],
    (_ROW, ROW, ("/title", "")),
    (_ROW, ROW, ("/title", 41)),
    (_ROW, ROW, ("/level", "kernel")),
    (_ROW, ROW, ("/expect", "skip"), ("/error_substring", None)),
    (_ROW, ROW, ("/expect", DROP), ("/error_substring", DROP)),
    *[(_ROW, ROW, ("/error_substring", value)) for value in (None, "", ["unknown"])],
    (_ROW, ROW, ("/expect", "accept")),
    (_ROW, ROW, ("/rule", "")),
    (_ROW, ROW, ("/rule", None)),
    *[(_ROW, ROW, ("/loaders", value)) for value in ([], "shared_validator", ["a", "a"], [""], [1])],
    (_ROW, ROW, ("/overrides", [])),
    (_ROW, ROW, ("/overrides", {"": {"expect": "accept"}})),
    (_ROW, ROW, ("/overrides/vector_host", "accept")),
    (_ROW, ROW, ("/overrides/vector_host", {})),
    (_ROW, ROW, ("/overrides/vector_host", {"expect": "skip"})),
    (_ROW, ROW, ("/overrides/vector_host/error_substring", "")),
    (_ROW, ROW, ("/overrides/vector_host/error_substring", 5)),
    (_ROW, ROW, ("/overrides/vector_host/expect", "accept")),
    (_ROW, ROW, ("/overrides/vector_host/rule", 1)),
    (_ROW, ROW, ("/overrides/vector_host/level", "sidecar")),
    (_ROW, ROW, ("/schema", "skip")),
    (_ROW, ROW, ("/schema", None)),
    *[(_ROW, ROW, ("/twin", value)) for value in (41, "row4_x", "41b_role", "row41B_role", "row41b_", "row41b_a.json")],
    *[(_ROW, ROW, ("/order", value)) for value in ("a", ["a"], ["a", "b", "c"], ["a", "a"], ["a", ""])],
    *[(_ROW, ROW, ("/limits", value)) for value in ({}, [], {"width": 1})],
    *[(_ROW, ROW, (f"/limits/{key}", value)) for key in ROW["limits"] for value in (0, 1.5, "8")],
    (_ROW, ROW, ("/why", "prose")),
    (_ROW, ROW, ("/why", [1])),
    (_ROW, ROW, ("/why", [])),
    (_ROW, ROW, ("/why", ["A line.", ""])),
    (_ROW, ROW, ("/why", [" \t"])),
    (_ROW, ROW, ("/wyh", [])),
]
ROW_ACCEPTED = [
    (_ROW, ROW),
    (_ROW, ROW, *_ACCEPT_ROW),
    (_ROW, ROW, *_ACCEPT_ROW, ("/error_substring", DROP)),
    (_ROW, ROW, *((f"/{key}", DROP) for key in ("rule", "overrides", "schema", "twin", "order", "limits"))),
    (_ROW, ROW, ("/row", 0)),
    (_ROW, ROW, ("/overrides", {})),
    (_ROW, ROW, ("/overrides/vector_host", {"expect": "accept", "error_substring": None})),
    (_ROW, ROW, ("/overrides/vector_host/expect", DROP), ("/overrides/vector_host/error_substring", DROP)),
    (_ROW, ROW, ("/overrides/vector_host/error_substring", DROP)),
    (_ROW, ROW, ("/limits", {"depth": 1})),
    (_ROW, ROW, ("/twin", "row100_x")),
]

REFUSED = BLOCK_REFUSED + SIDECAR_REFUSED + MANIFEST_REFUSED + ROW_REFUSED + LAUNCH_REFUSED
ACCEPTED = BLOCK_ACCEPTED + SIDECAR_ACCEPTED + MANIFEST_ACCEPTED + ROW_ACCEPTED + LAUNCH_ACCEPTED
VERDICTS = [(case, False) for case in REFUSED] + [(case, True) for case in ACCEPTED]
# Too long to judge again and again, or for the reader of rows to refuse.
ALSO_ACCEPTED = LAUNCH_ACCEPTED_LONG + BEYOND_THE_SCHEMA


def label(case: tuple) -> str:
    """A case as a test's name has it."""
    schema, _, *edits = case
    told = ",".join(f"{pointer or 'root'}={'dropped' if value is DROP else value}" for pointer, value in edits)
    return f"{schema}:{told[:80] or 'as it is'}"
