"""`rowlock launch`, from outside, on deployments that Bazel built: what it computes, writes, says and refuses."""

import json
import math
import os
import random
import signal
import struct
import subprocess
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from npy_files import npy, numbers_in, read_npy
from program import ROWLOCK, TIMEOUT_S, output, refusal, rowlock

HOST = Path("corpus/host/deployments").absolute()
ZOO = Path("corpus/gate/deployments").absolute()
OBJECTS = Path("loader/registry/testdata").absolute()
FORCES = OBJECTS / "forces.manifest.json"
CALL_IN_ORDER = Path("harness/cli/call_in_order").absolute()
SAMPLES = 1000
MU, COEFFICIENT, DIRECTION = 0.3, 0.7, [0.1, -0.2, 0.3]
ARRAYS = {"out": 3, "position": 3, "velocity": 3, "mass": 1, "rotation": 9}  # in the order of call_in_order

ADD = HOST / "add" / "manifest.json"
UNIFORMS = ["--uniform", "one=1", "--uniform", "back=2", "--uniform", "half=0.5"]
ADDED = ["--n", "2", "--in", "out=0", *UNIFORMS]


def finding(*words: Any) -> str:
    """The complaint of a launch that must be refused by a rule and print nothing."""
    done = rowlock("launch", *words)
    assert (done.returncode, done.stdout) == (1, ""), done
    return done.stderr


def unusable(*words: Any) -> str:
    return refusal("launch", *words)


def launched(folder: Path, *words: Any) -> dict[str, list]:
    """The outputs of a launch that must succeed, by name."""
    folder.parent.mkdir(exist_ok=True)
    output("launch", *words, "--out", folder)
    return {path.name.removesuffix(".npy"): numbers_in(path) for path in folder.iterdir()}


def added(tmp_path: Path, *words: Any) -> list:
    return launched(tmp_path / "added", ADD, *words)["out"]


def value_of(tmp_path: Path, *words: Any) -> list:
    """What a launch of 'alone' computes: twice what it is given."""
    return launched(tmp_path / "twice", HOST / "alone" / "sidecar.json", *words)["twice"]


# --- Three plugins that add to one output -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forces(tmp_path_factory):
    """Files for the forces' arrays, and the bytes of `out` that plain calls in the manifest's order leave."""
    rng = random.Random(11)
    folder = tmp_path_factory.mktemp("forces")
    values = {name: [rng.uniform(0.5, 2) for _ in range(width * SAMPLES)] for name, width in ARRAYS.items()}
    for name, width in ARRAYS.items():
        shape = {1: (SAMPLES,), 9: (3, 3, SAMPLES)}.get(width, (width, SAMPLES))
        (folder / f"{name}.npy").write_bytes(npy(values[name], shape=shape))
    numbers = [SAMPLES, MU, COEFFICIENT, *DIRECTION, *(number for name in ARRAYS for number in values[name])]
    plain = subprocess.run(
        [CALL_IN_ORDER, *(OBJECTS / f"{name}.so" for name in ("gravity", "drag", "thrust"))],
        input=struct.pack(f"<{len(numbers)}d", *numbers),
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    words = [word for name in ARRAYS for word in ("--in", f"{name}={folder / name}.npy")]
    words += ["--uniform", f"mu={MU}", "--uniform", f"coefficient={COEFFICIENT}"]
    words += ["--table", f"direction={json.dumps({'values': DIRECTION})}"]
    return words, plain.stdout


@pytest.mark.parametrize(
    "how",
    [
        [],
        ["--n", str(SAMPLES)],
        ["--structure", "host_serial"],
        ["--structure", "host_serial", "--structure", "host_team"],
        *(["--threads", threads, "--tile", tile] for threads in "127" for tile in ("1", "64", "1000", "5000")),
        ["--partition", "0:1", "--partition", "1:998", "--partition", "999:1"],
        ["--partition", "0:500", "--partition", "500:500", "--threads", "7", "--tile", "33"],
    ],
    ids=" ".join,
)
def test_a_deployment_computes_what_plain_calls_in_manifest_order_do(forces, tmp_path, how):
    words, due = forces
    output("launch", FORCES, *words, *how, "--out", tmp_path)
    assert read_npy(tmp_path / "out.npy") == ("<f8", (3, SAMPLES), due)
    assert [path.name for path in tmp_path.iterdir()] == ["out.npy"]


def test_another_order_has_other_bits(forces, tmp_path):
    """Or the test above would not see an order at all."""
    words, due = forces
    manifest = json.loads(FORCES.read_text())
    manifest["plugins"].reverse()
    for order, plugin in enumerate(manifest["plugins"]):
        plugin["order"] = order
        (tmp_path / plugin["sidecar"]).write_bytes((OBJECTS / plugin["sidecar"]).read_bytes())
        name = plugin["artifact"].replace(".ptx", ".so")
        (tmp_path / name).write_bytes((OBJECTS / name).read_bytes())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    output("launch", tmp_path / "manifest.json", *words, "--out", tmp_path / "out")
    _, shape, data = read_npy(tmp_path / "out" / "out.npy")
    assert shape == (3, SAMPLES) and data != due


def test_the_report_counts_what_was_run(forces):
    words, due = forces
    how = ["--tile", "100", "--threads", "2", "--partition", "0:400", "--partition", "400:600"]
    structures = ["--structure", "host_serial", "--structure", "host_team"]
    report = json.loads(output("launch", FORCES, *words, *how, *structures, "--format", "json"))
    run = {"partitions": 2, "samples": SAMPLES, "plugins": 3}
    assert report["runs"] == [
        {"structure": "host_serial", **run, "calls": 6, "threads": 1},
        {"structure": "host_team", **run, "calls": 30, "threads": 2},
    ]
    assert report["outputs"] == [{"name": "out", "as": "vector", "dtype": "float64", "shape": [3, SAMPLES]}]
    assert set(report) == {"runs", "outputs", "sha256"} and len(report["sha256"]) == 64


def test_the_table_says_the_same(tmp_path):
    text = output("launch", ADD, *ADDED, "--structure", "host_serial", "--out", tmp_path)
    lines = [line.split() for line in text.splitlines()]
    assert lines[:2] == [
        ["structure", "partitions", "samples", "plugins", "calls", "threads"],
        ["host_serial", "1", "2", "3", "3", "1"],
    ]
    assert ["out", "vector", "float64", "2", "x", "2", f"{tmp_path}/out.npy"] in lines
    report = json.loads(output("launch", ADD, *ADDED, "--structure", "host_serial", "--format", "json"))
    assert text.endswith(f"gave the same bits: SHA-256 {report['sha256']}\n")


def test_an_output_is_equal_to_itself_by_compare(forces, tmp_path):
    words, _ = forces
    for name in ("a", "b"):
        output("launch", FORCES, *words, "--threads", "2" if name == "a" else "7", "--out", tmp_path / name)
    assert output("compare", tmp_path / "a" / "out.npy", tmp_path / "b" / "out.npy").startswith("equal by --mode bit_ex")


# --- What is bound ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, due",
    [
        ("2", [4, 4, 4]),
        ("-0.5", [-1, -1, -1]),
        ("1e3", [2000, 2000, 2000]),
        ("0x1.8p+1", [6, 6, 6]),
        ("+.5", [1, 1, 1]),
        ("inf", [float("inf")] * 3),
        ("true", [2, 2, 2]),
        ('{"values": [1, 2, "0x1p-1"]}', [2, 4, 1]),
        ('{"range": {"start": 1, "step": -1}}', [2, 0, -2]),
        ('{"linspace": {"from": 0, "to": 1}}', [0, 1, 2]),
        ('{"constant": 3, "shape": [3], "as": "handle", "dtype": "float64"}', [6, 6, 6]),
    ],
)
def test_an_input_is_a_number_or_an_object(tmp_path, value, due):
    assert value_of(tmp_path, "--n", "3", "--in", f"value={value}") == due


def test_a_seed_gives_the_same_numbers_each_time(tmp_path):
    values = ["value=" + json.dumps({kind: {"seed": seed}}) for kind in ("normal", "uniform") for seed in (1, 2)]
    found = [value_of(tmp_path / str(i), "--n", "8", "--in", value) for i, value in enumerate([*values, *values])]
    assert found[:4] == found[4:] and len({tuple(numbers) for numbers in found}) == 4


@pytest.mark.parametrize("spelling", ["value.npy", "./value.npy", "7", '{"file": "value.npy"}', '"value.npy"'])
def test_an_input_is_a_file_in_either_memory_order(tmp_path, spelling):
    """By its path from where the program is started; a name that is a number is none unless a folder is before it."""
    (tmp_path / "value.npy").write_bytes(npy([1.0, 2.0, 3.0], fortran=True))
    (tmp_path / "7").write_bytes(npy([1.0, 2.0, 3.0]))
    words = ["--in", f"value={spelling}", "--n", "3", "--out", "out"]
    output("launch", HOST / "alone" / "sidecar.json", *words, cwd=tmp_path)
    assert numbers_in(tmp_path / "out" / "twice.npy") == ([14, 14, 14] if spelling == "7" else [2, 4, 6])


@pytest.mark.parametrize("value, half", [("0.5", 0.5), ("5e-1", 0.5), ("0x1p-1", 0.5), ("1", 1), ("-0x1.8p+1", -3)])
def test_a_uniform_is_decimal_integer_or_hexadecimal(tmp_path, value, half):
    found = added(tmp_path, "--n", "2", "--in", "out=0", *UNIFORMS[:4], "--uniform", f"half={value}")
    assert found == [3 + half, 3 + half, 2 * (3 + half), 2 * (3 + half)]


def test_a_number_is_infinite_only_if_that_is_what_it_says(tmp_path):
    """Of float64 or, declared or asked for, of float32."""
    assert value_of(tmp_path, "--n", "2", "--in", "value=inf") == [math.inf, math.inf]
    assert value_of(tmp_path, "--n", "1", "--in", "value=8.9e307") == [1.78e308]
    found = added(tmp_path, "--n", "1", "--in", "out=0", *UNIFORMS[:4], "--uniform", "half=1.7976931348623157e308")
    assert found[0] == 1.7976931348623157e308
    single = [HOST / "untyped_float32" / "manifest.json", "--n", "1", "--in", "value=1", "--uniform"]
    for number in ("3.4028235e38", "-3.4028235677973362e38"):
        scaled = launched(tmp_path / number, *single, f"rate={number}")["scaled"]
        assert scaled == [math.copysign(2**128 - 2**104, float(number))]
    assert launched(tmp_path / "inf", *single, "rate=inf")["scaled"] == [math.inf]
    for number in ("3.4028235677973366e+38", '{"float32": 3.4028235677973366e+38}'):
        assert "uniform 'rate' is of float32, which does not hold 3.4028235677973366e+38" in unusable(
            *single, f"rate={number}"
        )


def test_uniforms_have_the_types_that_are_declared_or_asked_for(tmp_path):
    roles = ["--n", "2", *(f"--in={name}=0" for name in ("out", "position", "rotation", "energy", "state", "gain"))]
    roles += ["--in=mass=1", "--in=ticks=7", "--in=done=false", '--in=rows={"constant": 0, "shape": [4]}']
    roles += ['--in=gradient={"constant": 0, "shape": [4]}', '--table=profile={"constant": 0, "shape": [8]}']
    manifest = HOST / "roles" / "manifest.json"
    outputs = launched(tmp_path / "roles", manifest, *roles, "--uniform", "rate=2.5", "--uniform", "limit=3")
    assert (outputs["ticks"], outputs["energy"], outputs["done"]) == ([10, 10], [2.5, 2.5], [False, False])
    assert "[bind." in finding(manifest, *roles, "--uniform", "rate=2.5", "--uniform", "limit=0.5")
    assert "[bind." in finding(manifest, *roles, "--uniform", 'rate={"int64": 2}', "--uniform", "limit=3")


@pytest.mark.parametrize("how", ["file", "values"])
def test_a_table_is_a_file_or_an_object(tmp_path, how):
    (tmp_path / "profile.npy").write_bytes(npy([10.0, 20.0, 30.0, 40.0]))
    table = f"{tmp_path}/profile.npy" if how == "file" else '{"values": [10, 20, 30, 40]}'
    words = [HOST / "tables" / "manifest.json", "--n", "5", "--table", f"profile={table}"]
    assert launched(tmp_path / "out", *words) == {"low": [10, 20, 30, 40, 10], "high": [40, 30, 20, 10, 40]}


def test_a_fold_is_written_beside_what_it_folds(tmp_path):
    words = [HOST / "fold_int" / "manifest.json", "--n", "3", "--partition", "0:1", "--partition", "1:2"]
    outputs = launched(tmp_path, *words, "--in", 'ticks={"values": [1, 2, 4]}')
    assert outputs == {"ticks": [2, 4, 8], "ticks.result": [14]}


# --- What is run ------------------------------------------------------------------------------------------------------


def test_plugins_are_disabled_and_enabled_by_id(tmp_path):
    disabled = [*ADDED[:4], *UNIFORMS[:2], "--disable", "back", "--disable", "half"]
    assert added(tmp_path / "1", *disabled) == [1, 1, 2, 2]
    merged = [*ADDED, "--merge", "disabled.manifest.json"]
    assert added(tmp_path / "2", *merged) == [3.5, 3.5, 7, 7]
    assert added(tmp_path / "3", *merged, "--enable", "extra", "--uniform", "extra=8") == [11.5, 11.5, 23, 23]
    assert "unbound uniform 'extra'" in finding(ADD, *merged, "--enable", "extra")


def test_without_n_there_are_as_many_samples_as_the_inputs_have(tmp_path):
    assert value_of(tmp_path, "--in", 'value={"values": [1, 2, 3], "shape": [3]}') == [2, 4, 6]
    (tmp_path / "value.npy").write_bytes(npy([1.0, 2.0]))
    assert value_of(tmp_path / "2", "--in", f"value={tmp_path}/value.npy") == [2, 4]
    assert "say how large 'value' is: n, or a shape" in unusable(HOST / "alone" / "sidecar.json", "--in", "value=1")


def test_a_launch_of_no_plugin_is_refused(tmp_path):
    words = [*ADDED, "--disable", "one", "--disable", "back", "--disable", "half", "--out", tmp_path / "out"]
    assert unusable(ADD, *words) == "rowlock launch: no plugin is enabled: nothing was run\n"
    assert not (tmp_path / "out").exists()


def test_a_launch_of_no_samples_is_refused(tmp_path):
    """It would prove nothing. The help says so."""
    words = ["--n", "0", *ADDED[2:], "--out", tmp_path / "out"]
    assert unusable(ADD, *words) == "rowlock launch: there are no samples: nothing was run\n"
    none = npy([], shape=(2, 0))
    (tmp_path / "none.npy").write_bytes(none)
    assert "there are no samples" in unusable(ADD, "--in", f"out={tmp_path}/none.npy", *UNIFORMS)
    disabled = ["--disable", "one", "--disable", "back", "--disable", "half"]
    assert "no plugin is enabled" in unusable(ADD, *words, *disabled)
    assert not (tmp_path / "out").exists() and "no samples (--n 0)" in output("launch", "--help").replace("\n", " ")


def test_a_sidecar_alone_takes_the_object_beside_it_or_the_one_that_is_named(tmp_path):
    sidecar = tmp_path / "kernel.sidecar.json"
    sidecar.write_bytes((HOST / "alone" / "sidecar.json").read_bytes())
    words = [sidecar, "--n", "2", "--in", "value=3"]
    assert "kernel.so' [load.object-missing]" in finding(*words)
    assert launched(tmp_path / "out", *words, "--object", HOST / "alone" / "sidecar.so") == {"twice": [6, 6]}
    assert "No such file or directory; object '/nowhere.so'" in unusable(*words, "--object", "/nowhere.so")
    (tmp_path / "kernel.so").write_bytes((HOST / "alone" / "sidecar.so").read_bytes())
    assert launched(tmp_path / "beside", *words) == {"twice": [6, 6]}


def test_a_sidecar_of_a_deployment_is_launched_alone_from_the_object_of_its_plugin(tmp_path):
    words = ["--n", "2", "--in", "out=0", "--in", "mass=2", "--in", "velocity=1", "--uniform", "coefficient=0.5"]
    alone, whole = (
        launched(tmp_path / name, HOST / "drag" / name, *words) for name in ("drag.sidecar.json", "manifest.json")
    )
    assert alone == whole


def test_objects_are_found_where_a_build_put_them(tmp_path):
    (tmp_path / "built").mkdir()
    for name in ("manifest.json", "one.sidecar.json", "back.sidecar.json", "half.sidecar.json"):
        (tmp_path / name).write_bytes((HOST / "add" / name).read_bytes())
    (tmp_path / "built" / "add.so").write_bytes((HOST / "add" / "add.so").read_bytes())
    words = ["launch", "manifest.json", *ADDED]
    done = rowlock(*words, cwd=tmp_path)
    assert done.returncode == 1 and "[load.object-missing]" in done.stderr
    assert "samples" in output(*words, "--built", "built", cwd=tmp_path)


# --- Exit statuses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, rule",
    [
        (["--n", "2", "--in", "out=0"], "exec.unbound-uniform"),
        (["--n", "2", *UNIFORMS, "--in", "out=0", "--in", "spin=1"], "bind.unknown-name"),
        ([*ADDED, "--partition", "0:1"], "exec.partition-cover"),
        ([*ADDED, "--partition=-1:3"], "exec.partition-gap"),
        ([*ADDED, "--partition", "0:-2"], "exec.partition-empty"),
        ([*ADDED, "--partition", "0:1", "--partition", "0:2"], "exec.partition-"),
        ([*ADDED, "--partition", "0:9223372036854775807", "--partition", "9223372036854775807:1"], "exec.partition-"),
        ([*ADDED, "--enable", "spin"], "exec.plugin-unknown"),
        ([*ADDED, "--disable", "spin"], "exec.plugin-unknown"),
        ([*ADDED, "--merge", "same_id.manifest.json"], "load.id-taken"),
        (["--n", "2", *UNIFORMS, "--in", 'out={"constant": 0, "shape": [3, 2]}'], "bind.width"),
        (["--n", "2", *UNIFORMS, "--in", "out=0", "--built", "/nowhere"], "load.object-missing"),
        ([*ADDED, "--memory", "1"], "process.memory"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_refusal_ends_with_1_and_names_the_rule(words, rule):
    complaint = finding(ADD, *words)
    assert complaint.startswith("rowlock launch: ") and complaint.count("\n") == 1
    assert f"[{rule}" in complaint
    done = rowlock("launch", ADD, *words, "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and list(found) == ["code", "rule", "message"]
    assert found["code"] == "REJECTED" and found["rule"].startswith(rule)
    assert done.stderr == f"rowlock launch: {found['message']} [{found['rule']}]\n"


def test_a_refusal_in_json_is_safe_and_what_is_no_refusal_prints_none(tmp_path):
    document = tmp_path / "\x1b[2J.json"
    document.write_text('{"pattern": "vector",\n "plugins": [],}')
    done = rowlock("launch", document, "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and "\x1b" not in done.stdout + done.stderr
    assert (found["code"], found["rule"]) == ("REJECTED", "json.syntax")
    assert found["message"].startswith(f"'{document}': line 2, column ")
    for words in (["--n", "0", *ADDED[2:]], ["--threads", "0"], [*ADDED, "--structure", "rank_partition"]):
        done = rowlock("launch", ADD, *words, "--format", "json")
        assert done.returncode in (2, 3) and done.stdout == "", done


def test_a_document_that_is_refused_is_refused_with_place_and_rule(tmp_path):
    document = tmp_path / "manifest.json"
    document.write_text('{"pattern": "vector",\n "plugins": [],}')
    assert finding(document).startswith(f"rowlock launch: '{document}': line 2, column ")
    manifest = json.loads(ADD.read_text())
    document.write_text(json.dumps({**manifest, "aether_abi": "aether-abi/9"}))
    assert "built for" in finding(document, *ADDED)


@pytest.mark.parametrize("structure", ["rank_partition", "device_group"])
def test_what_this_version_cannot_do_ends_with_3(structure):
    done = rowlock("launch", ADD, *ADDED, "--structure", structure)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"'{structure}' is not implemented" in done.stderr and "[exec.structure-unavailable]" in done.stderr


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["--in", "out"], "--in takes NAME=VALUE, not 'out'"),
        (["--in", "=1"], "--in takes NAME=VALUE, not '=1'"),
        (["--in", "out="], "--in takes NAME=VALUE, not 'out='"),
        (["--uniform", "one"], "--uniform takes NAME=VALUE, not 'one'"),
        (["--table", "=x"], "--table takes NAME=VALUE, not '=x'"),
        (["--in", "out={bad"], "--in out: the value is not usable JSON: "),
        (["--in", "out=[1,"], "--in out: the value is not usable JSON: "),
        (["--in", 'out="x'], "--in out: the value is not usable JSON: "),
        (["--in", 'out={"range": {}, "range": {}}'], "--in out: the value is not usable JSON: duplicate key 'range'"),
        (["--in", "out=1", "--in", "out=1"], "--in gives 'out' twice"),
        (["--uniform", "one=1", "--uniform", "one=2"], "--uniform gives 'one' twice"),
        (["--in", "out=[1]"], "an array must be a path, a number, or an object"),
        (["--in", "out=null"], "an array must be a path, a number, or an object"),
        (["--in", 'out={"cosine": 1}'], "unknown key 'cosine'"),
        (["--in", 'out={"values": [1], "constant": 1}'], "an object that says one way to fill it"),
        (["--in", 'out={"values": [1]}'], "1 value is given, the array has "),
        (["--uniform", "one=\t0x1"], "a uniform must be a number"),
        (["--uniform", "one=none"], "a uniform must be a number"),
        *(
            ([option, f"{name}={number}"], f"a number must be one that float64 holds, or 'inf' as a string, not {shown}\n")
            for option, name in (("--in", "out"), ("--uniform", "one"))
            for number, shown in (("1.8e308", "1.8e308"), ("-1e999", "-1e999"), ("0x1p1024", '"0x1p1024"'))
        ),
        (["--uniform", "one=[]"], "a uniform must be a number, or a list of numbers, not empty"),
        (["--n", "-1"], "--n takes a whole number from 0"),
        (["--n", "9223372036854775808"], "--n takes a whole number from 0"),
        (["--tile", "0"], "--tile takes a whole number from 1"),
        (["--threads", "0"], "--threads takes a whole number from 1"),
        (["--timeout", "0"], "--timeout takes a whole number from 1"),
        (["--memory", "0"], "--memory takes a whole number from 1"),
        (["--structure", "device"], "--structure takes one of host_serial, host_team, "),
        (["--structure", "host_team", "--structure", "host_team"], "--structure gives 'host_team' twice"),
        *(
            (["--partition", text], f"--partition takes BASE:COUNT, not '{text}'")
            for text in ("", "1", "1:", ":1", " 0:2", "0: 2", "0:2 ", "+0:2", "0:0x2", "0:2:2", "9223372036854775808:1")
        ),
        (["--merge", "missing.json"], "cannot merge 'missing.json': No such file or directory"),
        *(
            (["--merge", path], f"cannot merge '{path}': a path beside the first document is due, and this one {what}")
            for path, what in (("../alone/sidecar.json", "climbs with '..'"), ("/m.json", "is absolute"))
        ),
        (["--format", "xml"], "--format takes one of text|json"),
        ([str(ADD)], "name one manifest or sidecar"),
        (["--in", "out=missing.npy"], "'missing.npy' of 'out': No such file or directory"),
        (["--in", "out=/dev/zero"], "'/dev/zero' of 'out': it is not a regular file"),
        (["--in", "out=/"], "'/' of 'out': it is a folder"),
        (["--in", f"out={ADD}"], "byte 0: this is no .npy file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_unusable_input_ends_with_2(words, complaint):
    said = unusable(ADD, "--n", "2", *words) if "--n" not in words else unusable(ADD, *words)
    assert said.startswith("rowlock launch: ") and complaint in said


def test_a_document_is_due_and_is_a_file(tmp_path):
    assert "name one manifest or sidecar" in unusable()
    assert "No such file or directory" in unusable(tmp_path / "missing.json")
    assert "it is a folder" in unusable(HOST / "add")
    assert "it is not a regular file" in unusable("/dev/zero")


def test_a_pipe_is_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe.npy"
    os.mkfifo(pipe)
    assert "it is not a regular file" in unusable(ADD, "--n", "2", "--in", f"out={pipe}")
    assert "it is not a regular file" in unusable(pipe)


@pytest.mark.parametrize("descr, values, shape", [("<f4", [1.0] * 4, (2, 2)), ("<f8", [1.0] * 6, (3, 2))])
def test_a_file_of_another_type_or_width_is_refused_before_the_call(tmp_path, descr, values, shape):
    (tmp_path / "out.npy").write_bytes(npy(values, descr, shape))
    assert "[bind." in finding(ADD, *UNIFORMS, "--n", "2", "--in", f"out={tmp_path}/out.npy")


@pytest.mark.parametrize("shape", [(3, SAMPLES), (2, 2, SAMPLES), (SAMPLES, 1)])
def test_rows_that_nobody_would_read_are_refused(forces, tmp_path, shape):
    """A scalar a sample is bound by its address and length: the kernel would take the first row for all."""
    words, _ = forces
    count = 1
    for extent in shape:
        count *= extent
    (tmp_path / "mass.npy").write_bytes(npy([1.0] * count, shape=shape))
    words = [word if not word.startswith("mass=") else f"mass={tmp_path}/mass.npy" for word in words]
    rows, samples = count // shape[-1], shape[-1]
    said = f"'mass' is given in the shape ({rows}, {samples}), and as a handle it has ({samples},)"
    assert said in unusable(FORCES, *words)
    said = "in the shape (2, 3), and as a handle it has (3,)"
    assert said in unusable(HOST / "alone" / "sidecar.json", "--in", 'value={"constant": 1, "shape": [2, 3]}')


def test_files_that_disagree_on_the_samples_are_refused(forces, tmp_path):
    words, _ = forces
    (tmp_path / "mass.npy").write_bytes(npy([1.0] * (SAMPLES - 1)))
    words = [word if not word.startswith("mass=") else f"mass={tmp_path}/mass.npy" for word in words]
    assert "[exec.sample-count-differs]" in finding(FORCES, *words)


# --- Limits and crashes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [10**9, 2**31, 2**40, 2**63 - 1])
def test_more_samples_than_there_is_memory_for_are_refused(monkeypatch, samples):
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"):  # an allocator of theirs ends the process where malloc says no
        monkeypatch.setenv(name, os.environ.get(name, "") + ":allocator_may_return_null=1")
    done = rowlock("launch", ADD, *ADDED[2:], "--n", str(samples), "--memory", "64")
    assert done.stdout == "" and done.stderr.count("\n") == 1
    reasons = {1: "[process.memory]", 2: "at most 2^32 are bound", 3: "no memory for a buffer"}
    assert reasons[done.returncode] in done.stderr


STEADY = ["--n", "6", "--in", "once=1"]


@pytest.mark.parametrize(
    "name, words, said",
    [
        ("steady_segfault", [], "SIGSEGV"),
        ("steady_abort", [], "SIGABRT"),
        ("steady_illegal_instruction", [], "SIGILL"),
        ("steady_exit_success", [], "[process.exit]"),
        ("steady_constructor_aborts", [], "while loading"),
        ("steady_loops_for_ever", ["--timeout", "1"], "[process.time]"),
        ("steady_allocates_without_end", ["--memory", "256"], "more than 256 MiB"),
        ("steady_changes_rounding", [], "rounding"),
    ],
)
def test_a_plugin_that_misbehaves_ends_with_1_and_the_cause(tmp_path, name, words, said):
    out = tmp_path / "out"
    complaint = finding(ZOO / name / "manifest.json", *STEADY, *words, "--out", out)
    assert said in complaint and complaint.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    "name, rule",
    [
        ("scale_one_past_end", "verdict.red-zone"),
        ("scale_edits_input", "verdict.input-changed"),
        ("scale_skipped_tail", "verdict.not-written"),
    ],
)
def test_a_kernel_that_does_not_keep_to_its_buffers_or_leaves_one_ends_with_1(tmp_path, name, rule):
    words = ["--n", "6", "--in", "in=1", "--uniform", "factor=2", "--out", tmp_path / "out"]
    assert f"[{rule}]" in finding(ZOO / name / "manifest.json", *words)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["steady_writes_answer_and_exits", "steady_writes_everywhere_and_exits", "steady_floods"])
def test_an_answer_that_a_plugin_writes_is_none(tmp_path, name):
    begin = time.monotonic()
    complaint = finding(ZOO / name / "manifest.json", *STEADY, "--out", tmp_path / "o")
    assert "without an answer" in complaint and complaint.endswith("[process.exit]\n")
    assert time.monotonic() - begin < TIMEOUT_S / 4 and not (tmp_path / "o").exists()


def test_memory_that_is_held_for_a_moment_counts():
    """Shorter than the looks from outside are apart, time after time."""
    for _ in range(20):
        assert "[process.memory]" in finding(ADD, *ADDED, "--memory", "1")


def test_what_a_plugin_starts_counts_with_it():
    words = ["--memory", "256", "--timeout", "60"]
    assert "[process.memory]" in finding(ZOO / "steady_child_allocates_much" / "manifest.json", *STEADY, *words)
    big = finding(ZOO / "steady_child_allocates_much" / "manifest.json", *STEADY, "--memory", "100000", "--timeout", "1")
    assert "[process.time]" in big


# --- What is left behind ----------------------------------------------------------------------------------------------


def running(token: str) -> list[int]:
    """The processes that have the word on their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if token.encode() in words:
            found.append(int(folder.name))
    return found


def waited_for(condition) -> bool:
    end = time.monotonic() + TIMEOUT_S / 2
    while time.monotonic() < end and not condition():
        time.sleep(0.01)
    return bool(condition())


def test_an_orphan_without_a_session_or_environment_is_stopped():
    output("launch", ZOO / "steady_leaves_orphan" / "manifest.json", *STEADY)
    assert running("600.995") == []


def test_what_a_kernel_waits_for_is_stopped_with_it():
    assert "[process.time]" in finding(ZOO / "steady_waits_for_child" / "manifest.json", *STEADY, "--timeout", "1")
    assert running("600.997") == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL], ids=lambda s: s.name)
def test_a_launch_that_is_ended_leaves_no_process_and_no_file(tmp_path, number):
    """Also by a signal that nobody can handle: the process that watches is told of the end of this one."""
    manifest = ZOO / "steady_waits_for_child" / "manifest.json"
    command = [ROWLOCK, "launch", manifest, *STEADY, "--out", tmp_path, "--timeout", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as launch:
        assert waited_for(lambda: running("600.997"))
        launch.send_signal(number)
        assert launch.communicate(timeout=TIMEOUT_S) == (b"", b"")
    assert launch.returncode == -number
    assert waited_for(lambda: not running("600.997")) and list(tmp_path.iterdir()) == []


# --- What is written --------------------------------------------------------------------------------------------------


def test_the_folder_is_made_and_what_is_in_it_replaced(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "twice.npy").write_text("old")
    (out / "other").write_text("kept")
    output("launch", HOST / "alone" / "sidecar.json", "--n", "1", "--in", "value=1", "--out", out)
    assert numbers_in(out / "twice.npy") == [2] and (out / "other").read_text() == "kept"
    assert sorted(path.name for path in out.iterdir()) == ["other", "twice.npy"]


def test_a_folder_that_cannot_be_used_is_refused_before_the_launch(tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    slow = [ZOO / "steady_loops_for_ever" / "manifest.json", *STEADY, "--out"]
    assert unusable(*slow, file) == f"rowlock launch: cannot write to '{file}': it is no folder\n"
    assert "cannot make the folder" in unusable(*slow, file / "below")
    assert "cannot make the folder" in unusable(*slow, tmp_path / "missing" / "below")
    assert "cannot make the folder ''" in unusable(*slow, "")
    assert file.read_text() == "kept" and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("words", [["--partition", "0:1"], ["--in", "spin=1"], ["--structure", "host_serial"]])
def test_a_launch_that_is_refused_writes_nothing(tmp_path, words):
    """Not the outputs of a first structure either, when the second is refused."""
    old = tmp_path / "old"
    old.mkdir()
    (old / "out.npy").write_text("old")
    if "--structure" in words:
        words = [*words, "--structure", "rank_partition"]
    for out in (old, tmp_path / "new"):
        assert rowlock("launch", ADD, *ADDED, *words, "--out", out).returncode in (1, 3)
    assert [path.name for path in old.iterdir()] == ["out.npy"] and (old / "out.npy").read_text() == "old"
    assert not (tmp_path / "new").exists()


def test_an_output_that_cannot_be_written_leaves_all_as_they_were(tmp_path):
    words = [HOST / "tables" / "manifest.json", "--n", "5", "--table", 'profile={"values": [1, 2, 3, 4]}']
    (tmp_path / "high.npy").mkdir()
    (tmp_path / "low.npy").write_text("old")
    complaint = unusable(*words, "--out", tmp_path)
    assert "cannot write output 'high': what is there is no file" in complaint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["high.npy", "low.npy"]
    assert (tmp_path / "low.npy").read_text() == "old"


def test_a_full_disk_leaves_no_file(tmp_path):
    words = [HOST / "alone" / "sidecar.json", "--n", "2000000", "--in", "value=1", "--out", tmp_path / "out"]
    command = ["bash", "-c", 'ulimit -f 8192; trap "" XFSZ; exec "$@"', "-", ROWLOCK, "launch", *words]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stdout) == (2, "") and "cannot write output 'twice': File too large" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["steady_destructor_waits", "steady_destructor_aborts", "steady_destructor_exits"])
def test_a_process_that_does_not_end_well_leaves_no_output(tmp_path, name):
    """Everything was computed, compared and told by then."""
    words = [ZOO / name / "manifest.json", *STEADY, "--timeout", "2", "--out"]
    (tmp_path / "twice.npy").write_text("old")
    assert "while the process ended" in finding(*words, tmp_path)
    assert "while the process ended" in finding(*words, tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["twice.npy"]
    assert (tmp_path / "twice.npy").read_text() == "old"


def test_a_report_that_cannot_be_printed_leaves_no_output(tmp_path):
    for form in ("text", "json"):
        words = [HOST / "alone" / "sidecar.json", "--n", "1", "--in", "value=1", "--format", form, "--out", "out"]
        command = ["bash", "-c", 'exec "$@" >/dev/full', "-", ROWLOCK, "launch", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=TIMEOUT_S, check=False)
        assert done.returncode == 3 and b"No space left" in done.stderr
        assert list(tmp_path.iterdir()) == []


def test_outputs_go_to_the_folder_that_was_named_wherever_a_kernel_goes(tmp_path):
    """With the permissions that this program's files have, too."""
    manifest = ZOO / "steady_changes_folder" / "manifest.json"
    output("launch", manifest, *STEADY, "--out", "out", cwd=tmp_path)
    (tmp_path / "touched").touch()
    assert numbers_in(tmp_path / "out" / "twice.npy") == [2] * 6
    assert (tmp_path / "out" / "twice.npy").stat().st_mode == (tmp_path / "touched").stat().st_mode


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_was_put_beside_an_output_is_not_touched(tmp_path, kind):
    """A file that is not whole has a name that nobody can have taken."""
    victim = tmp_path / "victim"
    victim.write_text("kept")
    out = tmp_path / "out"
    out.mkdir()
    part = out / "twice.npy.part"
    {"link": lambda: part.symlink_to(victim), "pipe": lambda: os.mkfifo(part), "folder": part.mkdir}[kind]()
    (out / "twice.npy").symlink_to(victim)
    output("launch", HOST / "alone" / "sidecar.json", "--n", "1", "--in", "value=1", "--out", out)
    assert victim.read_text() == "kept" and not (out / "twice.npy").is_symlink()
    assert sorted(path.name for path in out.iterdir()) == ["twice.npy", "twice.npy.part"]


def test_a_name_that_is_too_long_for_a_file_is_refused_before_any_is_replaced(tmp_path):
    sidecar = (HOST / "alone" / "sidecar.json").read_text().replace("twice", "t" * 252)
    (tmp_path / "kernel.json").write_text(sidecar)
    words = [tmp_path / "kernel.json", "--object", HOST / "alone" / "sidecar.so", "--n", "1", "--in", "value=1"]
    assert "File name too long" in unusable(*words, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# --- Names that a terminal would obey ---------------------------------------------------------------------------------


@pytest.mark.parametrize("hostile", [b"a\nb", b"\x1b[2J", b"\xff\x9b", b"\xe2\x80\xaea"], ids=ascii)
def test_what_a_terminal_would_obey_is_shown_and_not_sent(tmp_path, hostile):
    for words in (
        ["--in", hostile + b"=1"],
        ["--in", b"out=" + hostile],
        ["--in", b"out={" + hostile],
        ["--uniform", b"one=" + hostile],
        ["--uniform", hostile],
        ["--table", hostile + b"=1"],
        ["--merge", hostile],
        ["--enable", hostile],
        ["--structure", hostile],
        ["--partition", hostile],
        ["--object", b"/nowhere/" + hostile],
        ["--built", b"/nowhere/" + hostile],
        ["--out", b"/nowhere/" + hostile],
    ):
        command = [ROWLOCK, "launch", ADD, "--n", "2", *words]
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
        text = (done.stdout + done.stderr).decode()
        assert done.returncode in (1, 2) and text.count("\n") == 1, (words, text)
        assert not any(unicodedata.category(c) in ("Cc", "Cf") for c in text.replace("\n", "")), ascii(text)


def test_an_output_with_a_hostile_name_is_written_and_shown(tmp_path):
    sidecar = json.loads((HOST / "alone" / "sidecar.json").read_text())
    text = json.dumps(sidecar).replace("twice", r"t\u001b\nw")
    (tmp_path / "kernel.json").write_text(text)
    words = [tmp_path / "kernel.json", "--object", HOST / "alone" / "sidecar.so", "--n", "1", "--in", "value=1"]
    said = output("launch", *words, "--out", os.fsencode(tmp_path) + b"/o\x1b\xff")
    assert r"/o\u001B\xFF/t\u001B\u000Aw.npy" in said and "\x1b" not in said
    with open(os.fsencode(tmp_path) + b"/o\x1b\xff/t\x1b\nw.npy", "rb") as file:
        assert file.read().endswith(struct.pack("<d", 2))
    (tmp_path / "kernel.json").write_text(text.replace(r"t\u001b\nw", "a/b"))
    assert "cannot write output 'a/b': it names no file" in unusable(*words, "--out", tmp_path / "out")
