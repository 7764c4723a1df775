"""Valid documents to start from, and single edits of them: what the tests of this folder build their fixtures with."""

from copy import deepcopy
from typing import Any

VECTOR = {
    "format": "ptx",
    "schema_version": 1,
    "pattern": "vector",
    "aether_abi": "aether-abi/1",
    "scalar_type": "float64",
    "kernel": "raptor_kernel",
    "vector_inputs": ["velocity"],
    "params": ["drag"],
    "per_sample": ["mass"],
    "accumulate": True,
    "sink": "outVec-scratch",
    "vec_widths": {"out": 3, "velocity": 3},
    "buffers": [{"name": "density", "kind": "lookup", "dtype": "float", "shape": [4, 16], "count": 64}],
    "arg_spec": [["out", "out"], ["vec_in", "velocity"], ["per_sample", "mass"], ["uniform", "drag"]],
}
PURE = {
    "format": "cubin",
    "schema_version": 1,
    "pattern": "pure",
    "aether_abi": "aether-abi/2",
    "scalar_type": "softdouble",
    "kernel": "raptor_kernel",
    "host_entry": "rotate_on_host",
    "vector_inputs": [],
    "matrix_inputs": ["frame"],
    "params_schema": 2,
    "params": [{"name": "rate", "dtype": "float"}, {"name": "turns", "dtype": "int"}],
    "per_sample": [],
    "mutables": [
        {"name": "attitude", "dtype": "matrix", "width": 9, "default": None, "shape": [3, 3]},
        {"name": "age", "dtype": "float", "width": 1, "default": 0.5},
    ],
    "vec_widths": {},
    "mat_shapes": {"frame": [3, 3]},
    "buffers": [],
    "arg_spec": [["mutable", "attitude"], ["mat_in", "frame"], ["uniform", "rate"], ["nsamples", "n"]],
    "terminated_readonly": True,
    "finish": {"mask": "done", "counter": "finished_count", "steps": "auto", "steps_max": 64},
    "derivative": {
        "kind": "vjp",
        "primal": "rotate",
        "wrt": ["attitude"],
        "residual_policy": "recompute",
        "residuals": [],
    },
    "launch": {"block": 128, "shmem_bytes": 0, "grid": {}},
}
BLOCK = {
    "schema_version": 1,
    "pattern": "neural_block",
    "kernel": "cell",
    "scalar_type": "float32",
    "arg_spec": [],
    "in_degree": 3,
    "out_degree": 1,
    "input_width": 12,
    "output_width": 2,
    "state_width": 4,
    "param_width": 0,
    "scatter_policy": "accumulate",
    "forward_exec": {"kind": "kernel", "kernel": "cell_forward"},
    "vjp_exec": {"kind": "kernel", "kernel": "cell_vjp"},
    "jvp_exec": {"kind": "kernel", "kernel": "cell_jvp"},
}
MANIFEST_V1 = {
    "schema_version": 1,
    "version": 1,
    "pattern": "vector",
    "aether_abi": "aether-abi/1",
    "plugins": [
        {"id": "drag", "order": 0, "enabled": True, "artifact": "drag.ptx", "sidecar": "drag.json", "format": "ptx"}
    ],
}
MANIFEST_V2 = {
    "schema_version": 2,
    "pattern": "pure",
    "aether_abi": "aether-abi/2",
    "exec_targets": ["device", "host"],
    "exec_access": "mapreduce",
    "exec_op": "sum",
    "plugins": [
        {"id": "spin", "order": 0, "enabled": False, "artifact": "s.fatbin", "sidecar": "s.json", "format": "fatbin"}
    ],
}
ROW = {
    "row": 41,
    "title": "a role is matched letter for letter",
    "level": "sidecar",
    "expect": "reject",
    "error_substring": "unknown arg role 'Uniform'",
    "rule": "sidecar.role-unknown",
    "loaders": ["shared_validator", "vector_host"],
    "overrides": {
        "vector_host": {"expect": "reject", "error_substring": "unknown arg role", "rule": "sidecar.role-unknown"}
    },
    "schema": "reject",
    "twin": "row41b_role_plain",
    "order": ["sidecar.role-unknown", "sidecar.pattern-unknown"],
    "limits": {"depth": 8, "size_bytes": 4096, "values": 100, "entries": 2},
    "why": ["Folding case would bind a misspelt role by luck."],
}
# Says everything that a launch can say, and so goes with no plugin.
LAUNCHED = {
    "row": 700,
    "title": "a launch that says everything",
    "level": "launch",
    "expect": "accept",
    "error_substring": None,
    "loaders": ["host_launch", "host_load_manifest"],
    "limits": {"time_ms": 5000, "memory_mib": 256},
    "deployment": "drag",
    "launch": {
        "n": 4,
        "inputs": {
            "velocity": {"dtype": "float64", "as": "vector", "shape": [3, 4], "normal": {"seed": 7}},
            "mass": {"as": "wide buffer", "uniform": {"seed": 8, "low": 1, "high": 9}},
            "age": {"dtype": "int64", "as": "int handle", "range": {"start": 0, "step": 2}},
            "dose": {"values": [0.5, "nan", "-0x1.8p+1", True]},
            "recorded": "recorded.npy",
            "height": 2.5,
            "alive": True,
            "out": {"poison": True},
        },
        "tables": {"density": {"shape": [4, 16], "linspace": {"from": 0, "to": 1}}, "heat": {"file": "heat.npy"}},
        "uniforms": {"rate": [0.5, "inf", {"float32": 0.25}], "turns": {"int64": 3}, "on": True},
        "merge": ["more.json"],
        "enable": ["spin", "drag"],
        "disable": ["lift"],
        "structures": ["host_serial", "host_team"],
        "partitionings": ["whole", 2, [[0, 1], [1, 3, 4]]],
        "tile_samples": 2,
        "gate": {
            "mode": "band",
            "atol": 1e-9,
            "rtol": 0,
            "ulp": 4,
            "nan": "class",
            "zero": "equal",
            "denormal": "flush",
        },
        "compare": ["golden", "oracle", "split"],
        "repeats": 3,
        "golden": {"out": {"constant": "0x1p-3"}, "gone": {"null": True}},
        "results": {"total": 6},
    },
    "why": ["A launch is read strictly, so that a misspelt key is no check left out."],
}

# In place of a value: the key is to go.
DROP = object()


def edited(document: Any, *edits: tuple[str, Any]) -> Any:
    """A copy of the document in which each JSON pointer holds the value beside it ("" is the document itself)."""
    copy = deepcopy(document)
    for pointer, value in edits:
        steps = pointer.split("/")[1:]
        if not steps:
            copy = value
            continue
        parent = copy
        for step in steps[:-1]:
            parent = parent[_key(parent, step)]
        if value is DROP:
            del parent[_key(parent, steps[-1])]
        elif isinstance(parent, list) and steps[-1] == "-":
            parent.append(value)
        else:
            parent[_key(parent, steps[-1])] = value
    return copy


def _key(parent: Any, step: str) -> Any:
    return int(step) if isinstance(parent, list) else step
