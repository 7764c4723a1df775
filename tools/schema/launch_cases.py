"""What a launched row may say: cases for the schema, each of which the C reader of rows has to judge in the same way.

A case is (schema, document, edits...), as in schema_cases.py.
"""

from document_edits import DROP, LAUNCHED

_ROW = "row-v1"
_INT64_MAX = 2**63 - 1
_NOT_FINITE = 10**400  # as a C double
_LARGEST = 1.7976931348623157e308
_REJECT = (("/expect", "reject"), ("/error_substring", "no such name"))
_NOTHING_GIVEN = (("/launch/golden", {}), ("/launch/results", {}))
_BIT_EXACT = {"mode": "bit_exact"}


def _case(*edits):
    return (_ROW, LAUNCHED, *edits)


def _each(pointer, *values):
    """A case for each value in that place."""
    return [_case((pointer, value)) for value in values]


def _fills(*fills):
    """A case for each way to fill an array."""
    return _each("/launch/inputs/velocity", *fills)


UNLAUNCHED = (("/level", "artifact"), ("/deployment", DROP), ("/launch", DROP), ("/limits", DROP))
_NOT_TEXT = (None, "", "a\0b", 7, ["a"])
_NOT_A_COUNT = (-1, 0.5, "4", True, None, _INT64_MAX + 1)
_NOT_A_NUMBER = (None, [], "", "one", "1 ", " 1", "\t1", "\n1", "1\0", "0x", "1e", ".", "+-1", "infinit", "nan(", "nan(-)")
_NOT_ARRAYS = (None, [], "a.npy", {"": 1}, {"a\0b": 1}, {"a": None}, {"a": ""}, {"a": "a\0b"}, {"a": [1]})
_NOT_NAMES = ("spin", {}, [], [7], [""], ["a\0b"], ["a"] * 4097)

_REFUSED_LEVELS = [
    _case(*UNLAUNCHED, ("/launch", LAUNCHED["launch"])),
    *[_case(*UNLAUNCHED, ("/level", level), ("/deployment", "drag")) for level in ("sidecar", "manifest", "bundle")],
    *[_case(*UNLAUNCHED, ("/limits", {key: 1})) for key in ("time_ms", "memory_mib")],
    *[
        _case(("/level", level), ("/limits", {key: 8}))
        for level in ("placement", "launch", "gate")
        for key in ("depth", "size_bytes", "values", "entries")
    ],
    _case(("/level", DROP)),
    *[_case(("/level", level), ("/launch", DROP)) for level in ("placement", "launch", "gate")],
    *[
        _case(("/level", level), ("/launch", {}), *outcome)
        for level in ("launch", "gate")
        for outcome in ((), (("/error_substring", DROP),))
    ],
    *_each("/launch", None, [], "oracle", {"samples": 4, "compare": ["oracle"]}),
    *_each("/deployment", *_NOT_TEXT, "Drag", "../drag", "drag/deeper"),
    *[case for key in ("time_ms", "memory_mib") for case in _each(f"/limits/{key}", 0, -1, 1.5, "8", 2**32)],
]

_REFUSED_MACHINES = [
    *_each("/machine", {"sm": 90}, {"driver": "12.4"}),
    _case(("/launch/structures", DROP), ("/machine", {"sm": 90})),
    *[
        _case(("/launch/structures", ["device_kernel"]), ("/machine", machine))
        for machine in ({"driver": "12.4"}, {"driver": "12.4", "sm": 90})
    ],
    *[_case(*UNLAUNCHED, ("/level", level), ("/machine", {"sm": 90})) for level in ("sidecar", "manifest", "bundle")],
    *[
        _case(*UNLAUNCHED, ("/machine", machine))
        for machine in (
            *(None, {}, "sm_90", {"cpu": 1}),
            *({"driver": value} for value in (*_NOT_TEXT, "12", "12.", ".4", "012.4", "12.40", "1234.0", "12.x", "+1.0")),
            *({"sm": value} for value in (0, 1000, *_NOT_A_COUNT)),
        )
    ],
]

_REFUSED_OPERANDS = [
    *_each("/launch/n", *_NOT_A_COUNT),
    *[case for key in ("inputs", "tables", "golden", "results") for case in _each(f"/launch/{key}", *_NOT_ARRAYS)],
    *_each("/launch/inputs", {str(name): 1 for name in range(4097)}),
    *_fills({}, {"shape": [4]}, {"values": [], "poison": True}, {"constant": 1, "file": "a.npy"}),
    *_fills({"cosine": 1}, {"constant": 1, "cosine": 1}),
    *_each("/launch/inputs/age/dtype", "int32", None),
    *_each("/launch/inputs/age/as", "table", "uniform", "result", "sample count", "Vector", None),
    *_each("/launch/inputs/velocity/shape", None, 4, [], [-1], [0.5], ["4"], [2**32 + 1], [1] * 9),
    *_fills(*({"file": value} for value in _NOT_TEXT)),
    *_fills({"values": None}, {"values": {}}, {"values": [0] * 65537}),
    *_fills(*({"values": [0, value]} for value in _NOT_A_NUMBER)),
    *_fills(*({"constant": value} for value in _NOT_A_NUMBER)),
    *_fills({"poison": False}, {"poison": 1}, {"null": False}, {"null": None}),
    *[
        case
        for kind, first, second in (
            ("range", "start", "step"),
            ("linspace", "from", "to"),
            ("uniform", "low", "high"),
            ("normal", "mean", "deviation"),
        )
        for case in _fills(
            {kind: None},
            {kind: [0, 1]},
            {kind: {"seed": 1, "count": 1}},
            {kind: {"seed": 1, first: "low"}},
            {kind: {"seed": 1, second: None}},
        )
    ],
    *_fills({"range": {"seed": 1}}, {"range": {"start": "a"}}, {"range": {"step": "a"}}),
    *_fills({"linspace": {"seed": 1}}, {"linspace": {"from": "a"}}, {"linspace": {"to": "a"}}),
    *_fills({"uniform": {}}, *({"uniform": {"seed": value}} for value in _NOT_A_COUNT)),
    *_fills({"normal": {}}, *({"normal": {"seed": value}} for value in _NOT_A_COUNT)),
    *_each("/launch/uniforms", None, [], 0.5, {"": 1}, {"a\0b": 1}),
    *_each("/launch/uniforms/rate", *_NOT_A_NUMBER, [[0.5]], [None], [0] * 4097),
    *_each("/launch/uniforms/rate", {}, {"float64": 1, "float32": 1}, {"bool": True}, {"float64": {"float64": 1}}),
    *_each("/launch/uniforms/rate", {"float64": "one"}, {"float32": "one"}),
    *_each("/launch/uniforms/rate", _NOT_FINITE, {"float64": _NOT_FINITE}, [-_NOT_FINITE]),
    *_fills(_NOT_FINITE, -_NOT_FINITE, {"constant": _NOT_FINITE}, {"values": [_NOT_FINITE]}, {"range": {"step": _NOT_FINITE}}),
    *_each("/launch/uniforms/rate", *({"int64": value} for value in (0.5, "3", None, _INT64_MAX + 1, -(2**63) - 1))),
]

_REBUILT = ("/launch/compare", ["golden", "rebuilt"])

_REFUSED_RUNS = [
    *[case for key in ("merge", "enable", "disable") for case in _each(f"/launch/{key}", *_NOT_NAMES)],
    *_each("/launch/structures", None, "host_serial", [], ["host"], [None], ["host_team", "host_team"]),
    *_each("/launch/tile_samples", 0, *_NOT_A_COUNT),
    *_each("/launch/repeats", 0, 1, 1001, *_NOT_A_COUNT),
    *_each("/launch/partitionings", None, "whole", 2, [], [2] * 65),
    *_each("/launch/partitionings/0", None, {}, "half", "", 0, 65537, 1.5, True, [], [4], [[]], [[0]], [[0, 1, 2, 3]]),
    *_each("/launch/partitionings/0", [{}], [[0, "1"]], [[0, 0.5]], [[0, _INT64_MAX + 1]], [[-(2**63) - 1, 0]]),
    *_each("/launch/partitionings/0", [[0, 1]] * 65537),
]

_REFUSED_GATES = [
    *_each("/launch/gate", None, [], "bit_exact", {}, {"ulp": 1}, {"mode": "ulp"}, {"mode": "band"}),
    *_each("/launch/gate", {**_BIT_EXACT, "atol": 1}, {**_BIT_EXACT, "rtol": 1}, {**_BIT_EXACT, "ulp": 1}),
    *_each("/launch/gate", {"mode": "band", "zero": "equal"}, {"mode": "band", "ulp": 1, "abs": 1}),
    *[case for key in ("atol", "rtol") for case in _each(f"/launch/gate/{key}", -1e-9, "1", None, True, _NOT_FINITE)],
    *_each("/launch/gate/ulp", -1, 0.5, "1", None, True, 2**53 + 1),
    *_each("/launch/gate/nan", "exact", None),
    *_each("/launch/gate/zero", "bits", None),
    *_each("/launch/gate/denormal", "equal", None),
    *_each("/launch/compare", None, "golden", {}, [], ["golden", "host"], ["golden", None], ["golden", "golden"]),
    # What is given is compared, and what is compared is given.
    _case(("/launch/compare", ["oracle"])),
    _case(("/launch/compare", ["oracle"]), ("/launch/results", DROP)),
    _case(("/launch/compare", ["oracle"]), ("/launch/golden", DROP)),
    _case(("/launch/compare", DROP), *_REJECT),
    _case(("/launch/golden", DROP), ("/launch/results", DROP)),
    _case(*_NOTHING_GIVEN),
    _case(("/launch/compare", []), *_NOTHING_GIVEN, *_REJECT),
    _case(("/launch/rebuilt", "again.json")),
    _case(("/launch/rebuilt", "again.json"), ("/launch/compare", "golden")),
    _case(("/launch/rebuilt", "again.json"), ("/launch/compare", DROP), *_NOTHING_GIVEN, *_REJECT),
    _case(("/launch/compare", ["golden", "rebuilt"])),
    *[_case(_REBUILT, ("/launch/rebuilt", name)) for name in (*_NOT_TEXT, "/a", "..", "../a", "a/..", "a/../b", "a\n/..")],
]

LAUNCH_REFUSED = _REFUSED_LEVELS + _REFUSED_MACHINES + _REFUSED_OPERANDS + _REFUSED_RUNS + _REFUSED_GATES

LAUNCH_ACCEPTED = [
    _case(),
    _case(*UNLAUNCHED),
    _case(*UNLAUNCHED, ("/limits", {"depth": 1})),
    _case(*UNLAUNCHED, ("/deployment", "drag")),
    *[
        _case(*UNLAUNCHED, ("/machine", machine))
        for machine in ({"sm": 1}, {"sm": 999}, {"driver": "1.0"}, {"driver": "999.9", "sm": 90})
    ],
    _case(("/launch/structures", ["host_serial", "device_kernel"]), ("/machine", {"sm": 90})),
    _case(("/deployment", DROP)),
    *_each("/limits/time_ms", 1, 2**32 - 1),
    *[_case(("/level", level)) for level in ("placement", "gate")],
    *[_case(("/level", level), ("/launch", {}), *_REJECT) for level in ("placement", "launch", "gate")],
    _case(("/level", "placement"), ("/launch", {})),
    *_each("/launch", *({"compare": [kind]} for kind in ("oracle", "split"))),
    *_each("/launch/n", 0, _INT64_MAX),
    *_each("/launch/inputs", {}, {"a b\n": "a\nb", "o": {"file": "over/there.npy"}}),
    *_each("/launch/inputs/velocity/shape", [0, 2**32], [1] * 8),
    *_fills({"values": []}, {"range": {}}, {"linspace": {}}, {"constant": True}, {"constant": 10**30}, {"constant": _LARGEST}, -_LARGEST),
    *_fills(*({kind: {"seed": _INT64_MAX}} for kind in ("uniform", "normal"))),
    *_fills({"values": ["1", "-1.", "+.5E-3", "0X.8", "0x1.8p-3", "INF", "-Infinity", "NaN", "nan(0x7)"]}),
    *_fills({"range": {"start": "inf", "step": False}}, {"linspace": {"from": "nan", "to": -0.0}}),
    *_fills({"uniform": {"seed": 0, "low": "-inf", "high": "0x1"}}, {"normal": {"seed": 0, "mean": "1"}}),
    *_each("/launch/uniforms", {}, {" ": 1}),
    *_each("/launch/uniforms/rate", ["nan"], "nan", False, {"float64": "inf"}, {"int64": True}, {"int64": -(2**63)}),
    *_each("/launch/structures", ["device_group", "rank_partition", "device_kernel"]),
    *_each("/launch/tile_samples", 1, _INT64_MAX),
    *_each("/launch/repeats", 2, 1000),
    *[_case(_REBUILT, ("/launch/rebuilt", name)) for name in ("again.json", "..a", "a../b", "a/..b", "..\n")],
    *_each("/launch/partitionings", [1] * 64),
    *_each("/launch/partitionings/0", 1, 65536, [[-(2**63), _INT64_MAX]], [[0, 0, 0]]),
    *_each("/launch/gate", _BIT_EXACT, {**_BIT_EXACT, "nan": "class"}, {"mode": "band", "ulp": 2**53}),
    *_each("/launch/gate", {"mode": "band", "atol": 0}, {"mode": "band", "rtol": 1.7976931348623157e308}),
    _case(("/launch/gate", DROP)),
    *[_case((f"/launch/{key}", DROP)) for key in ("golden", "results")],
    _case(("/launch/compare", ["oracle"]), *_NOTHING_GIVEN),
    _case(("/launch/compare", DROP), *_NOTHING_GIVEN, *_REJECT),
]

# As long as they may be. Apart from the others, since a schema takes seconds for each.
LAUNCH_ACCEPTED_LONG = [
    *_fills({"values": [0] * 65536}),
    *_each("/launch/partitionings/0", [[0, 1]] * 65536),
    *_each("/launch/inputs", {str(name): 1 for name in range(4096)}),
    *_each("/launch/uniforms", {"rate": [0] * 4096}),
    *_each("/launch/enable", ["a"] * 4096),
]

# What only the reader refuses: the description of `launch` or `shape` says so.
BEYOND_THE_SCHEMA = [
    *_each("/launch/n", 4.0),
    *_each("/launch/tile_samples", 2.0),
    *_each("/launch/partitionings/0", [[0, 4.0]]),
    *_each("/launch/inputs/velocity/shape", [3, 2**31], [2**32, 2]),
    *_fills({"constant": "1e999"}, {"values": ["-0x1p1024"]}, {"linspace": {"to": "1.8e308"}}),
    *_each("/launch/uniforms/rate", "1e999", {"float32": "1e999"}),
    *_each("/launch/uniforms", {"rate": [0] * 4096, "turns": 1}),
]
