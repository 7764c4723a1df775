"""Documents for the tests of `rowlock check`, and the command run on them.

ROWLOCK names another binary than the one that Bazel built.
"""

import copy
import json
import os
import pathlib
import subprocess

BINARY = pathlib.Path(os.environ.get("ROWLOCK", "harness/rowlock")).resolve()

SIDECAR = {
    "format": "ptx",
    "schema_version": 1,
    "pattern": "vector",
    "aether_abi": "aether-abi/1",
    "scalar_type": "float64",
    "kernel": "drag_kernel",
    "vector_inputs": ["velocity"],
    "params": ["density"],
    "per_sample": [],
    "accumulate": True,
    "sink": "outVec-scratch",
    "vec_widths": {"out": 3, "velocity": 3},
    "arg_spec": [["out", "out"], ["vec_in", "velocity"], ["uniform", "density"]],
    "buffers": [],
}

MANIFEST = {
    "schema_version": 1,
    "pattern": "vector",
    "aether_abi": "aether-abi/1",
    "plugins": [
        {
            "id": "drag",
            "order": 0,
            "enabled": True,
            "artifact": "drag.ptx",
            "sidecar": "drag.json",
            "format": "ptx",
        }
    ],
}


# What the sidecar says, as a compiler would write it.
PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry drag_kernel(.param .align 8 .b8 out[40], .param .align 8 .b8 velocity[40], .param .f64 density)
{
  ret;
}
"""


def run(*arguments, cwd=None, **options):
    return subprocess.run(
        [BINARY, "check", *arguments], cwd=cwd, capture_output=True, encoding="utf-8", check=False, **options
    )


def report(*arguments, cwd=None):
    """The JSON report, which must be one value, and the exit status, which must be the one it states."""
    done = run("--format", "json", *arguments, cwd=cwd)
    value = json.loads(done.stdout)
    assert value["summary"]["exit_status"] == done.returncode, done.stderr
    return value, done.returncode


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=1), encoding="utf-8")
    return path


def edited(document, **changes):
    document = copy.deepcopy(document)
    document.update(changes)
    return document


def deployment(folder, **changes):
    """A manifest with the sidecar and the artifact that it names."""
    write(folder / "manifest.json", edited(MANIFEST, **changes))
    write(folder / "drag.json", SIDECAR)
    write(folder / "drag.ptx", PTX)
    return folder


def paths_of(value):
    return [document["path"] for document in value["documents"]]
