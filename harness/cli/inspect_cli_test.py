"""`rowlock inspect` as a user meets it: exit statuses, text and JSON, sidecars and machines, and what is no artifact."""

import json
import os
import re
import resource

import pytest

from program import compiled, output, refusal, rowlock

CONTROL_CHARACTER = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

PTX = """.version 8.4
.target sm_90
.address_size 64
.global .align 8 .u64 eagle_layout_sizes[5] = {40, 32, 32, 4, 24};
.visible .entry drag(.param .align 8 .b8 a[40], .param .f64 b) { ret; }
.entry lift();
"""

SIDECAR = {
    "format": "ptx",
    "schema_version": 1,
    "pattern": "vector",
    "aether_abi": "aether-abi/1",
    "scalar_type": "float64",
    "kernel": "drag",
    "vector_inputs": [],
    "params": ["density"],
    "per_sample": [],
    "accumulate": True,
    "sink": "outVec-scratch",
    "vec_widths": {"out": 3},
    "arg_spec": [["out", "out"], ["uniform", "density"]],
    "buffers": [],
}


@pytest.fixture(name="ptx")
def write_ptx(tmp_path):
    path = tmp_path / "drag.ptx"
    path.write_text(PTX, encoding="utf-8")
    return path


def write_sidecar(folder, **changes):
    path = folder / "drag.json"
    path.write_text(json.dumps({**SIDECAR, **changes}), encoding="utf-8")
    return path


def inspect_json(*words, status=0):
    done = rowlock("inspect", "--format", "json", *words)
    assert (done.returncode, done.stderr) == (status, "")
    return json.loads(done.stdout)


# --- What is in it ---------------------------------------------------------------------------------------------------


def test_text_shows_modules_entries_and_parameters(ptx):
    assert output("inspect", ptx).splitlines() == [
        f"{ptx}: PTX, {len(PTX)} bytes",
        f"  the PTX 8.4 for sm_90: {len(PTX)} bytes, needs a driver for CUDA 12.4 or later",
        "    eagle_layout_sizes: 40 bytes: 40 32 32 4 24",
        "    drag: 2 parameters, 48 bytes",
        "         #   offset    bytes  align  type   name",
        "         0        0       40      8  b8     a",
        "         1       40        8      8  f64    b",
        "    lift (a prototype): 0 parameters, 0 bytes",
    ]


def test_one_parameter_of_one_byte_is_counted_as_one(tmp_path):
    ptx = tmp_path / "flag.ptx"
    ptx.write_text(".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry flag(.param .u8 a) { ret; }\n")
    assert "    flag: 1 parameter, 1 byte" in output("inspect", ptx).splitlines()


def test_json_says_the_same(ptx):
    value = inspect_json(ptx)
    assert value == {
        "artifacts": [
            {
                "path": str(ptx),
                "kind": "ptx",
                "bytes": len(PTX),
                "modules": [
                    {
                        "kind": "ptx",
                        "target": "sm_90",
                        "ptx_version": "8.4",
                        "driver": "12.4",
                        "bytes": len(PTX),
                        "offset": 0,
                        "packed_bytes": len(PTX),
                        "compression": "none",
                        "layout": [40, 32, 32, 4, 24],
                        "layout_bytes": 40,
                        "entries": [
                            {
                                "name": "drag",
                                "defined": True,
                                "parameters": [
                                    {"offset": 0, "bytes": 40, "align": 8, "type": "b8", "name": "a"},
                                    {"offset": 40, "bytes": 8, "align": 8, "type": "f64", "name": "b"},
                                ],
                                "bytes": 48,
                            },
                            {"name": "lift", "defined": False, "parameters": [], "bytes": 0},
                        ],
                    }
                ],
            }
        ],
        "findings": [],
        "errors": [],
    }


@pytest.mark.parametrize("compression", ["plain", "lz4", "zstd"])
def test_a_fatbin_has_every_module_in_either_format(compression):
    path = compiled(f"sums_{compression}.fatbin")
    modules = inspect_json(path)["artifacts"][0]["modules"]
    assert [(module["kind"], module["target"]) for module in modules] == [
        ("ptx", "sm_75"),
        ("cubin", "sm_90"),
        ("cubin", "sm_120"),
    ]
    assert modules[0]["compression"] == {"plain": "none"}.get(compression, compression)
    text = output("inspect", path)
    assert text.count("sums: 6 parameters, 72 bytes") == 3
    assert f"{path}: a fatbin, {path.stat().st_size} bytes\n" in text


def test_several_files_in_one_run(ptx):
    cubin = compiled("sums.cubin")
    assert [artifact["kind"] for artifact in inspect_json(ptx, cubin, ptx)["artifacts"]] == ["ptx", "cubin", "ptx"]
    assert output("inspect", ptx, cubin) == output("inspect", ptx) + output("inspect", cubin)


def test_a_layout_array_of_another_length_is_shown_in_part(tmp_path):
    path = tmp_path / "long.ptx"
    path.write_text(PTX.replace("[5]", "[4000000000]"), encoding="utf-8")
    module = inspect_json(path)["artifacts"][0]["modules"][0]
    assert module["layout"] == [40, 32, 32, 4, 24, 0, 0, 0, 0, 0]
    assert module["layout_bytes"] == 32_000_000_000
    assert "32000000000 bytes: 40 32 32 4 24 0 0 0 0 0 ...\n" in output("inspect", path)


# --- Against a sidecar and a machine ------------------------------------------------------------------------------------


def test_a_sidecar_that_agrees_is_0_and_shown(ptx, tmp_path):
    text = output("inspect", "--sidecar", write_sidecar(tmp_path), ptx)
    assert "drag: 2 parameters, 48 bytes" in text.split(f"{ptx}:")[0]
    assert inspect_json("--sidecar", write_sidecar(tmp_path), ptx)["findings"] == []


def test_a_sidecar_that_cannot_be_read_is_named_once(ptx, tmp_path):
    missing = tmp_path / "missing.json"
    complaint = refusal("inspect", ptx, "--sidecar", missing)
    assert complaint == f"rowlock inspect: cannot read '{missing}': No such file or directory\n"
    done = rowlock("inspect", ptx, "--sidecar", write_sidecar(tmp_path, kernel=7))
    assert done.returncode == 1 and done.stderr.startswith(f"rowlock inspect: '{tmp_path / 'drag.json'}': line 1, column ")


def test_a_sidecar_that_does_not_agree_is_1_in_either_format(ptx, tmp_path):
    sidecar = write_sidecar(tmp_path, arg_spec=[["uniform", "density"], ["out", "out"]])
    done = rowlock("inspect", "--sidecar", sidecar, ptx)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[-6:] == [
        "  the parameters of entry 'drag' in the PTX 8.4 for sm_90 stand in another order than arg_spec"
        " [artifact.parameter-order]",
        "      arg_spec                           | artifact",
        "         #    offset     bytes  name     |    #    offset     bytes  name",
        "    *    0         0         8  density  |    0         0        40  a",
        "    *    1         8        40  out      |    1        40         8  b",
        "                            48           |                       48",
    ]
    value = inspect_json("--sidecar", sidecar, ptx, status=1)
    assert [(finding["path"], finding["rule"]) for finding in value["findings"]] == [
        (str(ptx), "artifact.parameter-order")
    ]
    assert value["artifacts"][0]["kind"] == "ptx"
    assert value["findings"][0]["parameters"] == {
        "arg_spec": {
            "parameters": [
                {"offset": 0, "bytes": 8, "align": 8, "name": "density"},
                {"offset": 8, "bytes": 40, "align": 8, "name": "out"},
            ],
            "bytes": 48,
        },
        "artifact": {
            "parameters": [
                {"offset": 0, "bytes": 40, "align": 8, "type": "b8", "name": "a"},
                {"offset": 40, "bytes": 8, "align": 8, "type": "f64", "name": "b"},
            ],
            "bytes": 48,
        },
    }


def test_tables_of_many_parameters_are_not_cut_and_names_do_nothing_to_a_terminal(ptx, tmp_path):
    names = [f"a_name_of_more_than_twenty_four_letters_{i}" for i in range(60)] + ["\x1b[2J"]
    sidecar = write_sidecar(tmp_path, params=names, arg_spec=[["out", "out"]] + [["uniform", name] for name in names])
    done = rowlock("inspect", "--sidecar", sidecar, ptx)
    lines = done.stdout.partition("[artifact.parameter-count]\n")[2].splitlines()
    assert len(lines) == 2 + 62 + 1
    assert all(any(f"  {name} " in line for line in lines) for name in names[:-1])
    assert [line[4] for line in lines[2:]] == [" ", " "] + ["*"] * 61
    assert "\\u001B[2J" in lines[-2] and not CONTROL_CHARACTER.search("".join(lines))
    assert len(inspect_json("--sidecar", sidecar, ptx, status=1)["findings"][0]["parameters"]["arg_spec"]["parameters"]) == 62


@pytest.mark.parametrize(("due", "found"), [("ptx", "sums.cubin"), ("cubin", "sums_plain.fatbin"), ("fatbin", "drag.ptx")])
def test_a_format_that_is_not_the_artifacts_is_a_finding_in_either_format(ptx, tmp_path, due, found):
    path = ptx if found == ptx.name else compiled(found)
    sidecar = write_sidecar(tmp_path, format=due)
    findings = inspect_json("--sidecar", sidecar, path, status=1)["findings"]
    assert findings[0]["rule"] == "artifact.format"
    assert findings[0]["message"].startswith(f"the sidecar's format is '{due}', the artifact is ")
    done = rowlock("inspect", "--sidecar", sidecar, path)
    assert (done.returncode, "[artifact.format]\n" in done.stdout) == (1, True)
    sidecar = write_sidecar(tmp_path, format=path.suffix[1:])
    findings = inspect_json("--sidecar", sidecar, path, status=0 if path == ptx else 1)["findings"]
    assert "artifact.format" not in [finding["rule"] for finding in findings]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", json.dumps({**SIDECAR, "arg_spec": 7})], ids=["empty", "cut", "list", "object", "arg_spec"]
)
def test_a_sidecar_that_is_refused_ends_the_run(ptx, tmp_path, text):
    path = tmp_path / "drag.json"
    path.write_text(text, encoding="utf-8")
    done = rowlock("inspect", "--sidecar", path, ptx)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"rowlock inspect: '{path}': ")
    value = inspect_json("--sidecar", path, ptx, status=1)
    assert (value["artifacts"], value["errors"]) == ([], [])
    assert [finding["path"] for finding in value["findings"]] == [str(path)]
    assert value["findings"][0]["message"] in done.stderr


def test_a_sidecar_that_nothing_can_be_bound_to_is_a_finding_in_json(ptx, tmp_path):
    sidecar = write_sidecar(tmp_path, kernel="drag\0")
    findings = inspect_json("--sidecar", sidecar, ptx, status=1)["findings"]
    assert [(finding["path"], finding["rule"][:5]) for finding in findings] == [(str(sidecar), "load.")]
    assert "one without NUL is due" in findings[0]["message"]


def test_what_cannot_be_read_is_an_error_in_json(ptx, tmp_path):
    absent = tmp_path / "absent.ptx"
    done = rowlock("inspect", "--format", "json", absent, ptx, tmp_path)
    value = json.loads(done.stdout)
    assert (done.returncode, [artifact["path"] for artifact in value["artifacts"]]) == (2, [str(ptx)])
    assert [error["path"] for error in value["errors"]] == [str(absent), str(tmp_path)]
    assert done.stderr == "".join(f"rowlock inspect: {error['error']}\n" for error in value["errors"])
    done = rowlock("inspect", "--format", "json", "--sidecar", tmp_path / "absent.json", ptx)
    value = json.loads(done.stdout)
    assert (done.returncode, value["artifacts"], value["findings"]) == (2, [], [])
    assert [error["path"] for error in value["errors"]] == [str(tmp_path / "absent.json")]


def test_a_sidecar_that_is_not_there_is_2(ptx, tmp_path):
    assert "absent.json" in refusal("inspect", "--sidecar", tmp_path / "absent.json", ptx)


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        (["--sm", "80"], ["artifact.no-code"]),
        (["--driver", "12.3"], ["artifact.driver"]),
        (["--driver", "13.0"], []),
    ],
    ids=lambda value: " ".join(value) or "none",
)
def test_the_machine_is_asked_for(ptx, options, rules):
    findings = inspect_json(*options, ptx, status=1 if rules else 0)["findings"]
    assert [finding["rule"] for finding in findings] == rules


def test_that_there_is_ptx_alone_is_a_note(ptx):
    findings = inspect_json("--sm", "90", "--driver", "12.4", ptx)["findings"]
    assert [finding["rule"] for finding in findings] == ["artifact.ptx-only"]


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--sm", "0", "x"],
        ["--sm", "1000", "x"],
        ["--sm", "90a", "x"],
        ["--driver", "12", "x"],
        ["--driver", "12. 4", "x"],
        ["--format", "sarif", "x"],
        ["--sidecar"],
        ["--no-such-option", "x"],
    ],
    ids=lambda options: " ".join(options) or "nothing",
)
def test_wrong_usage_is_2(options):
    """What a file holds is never wrong usage: see below."""
    assert refusal("inspect", *options).startswith("rowlock inspect: ")


# --- What cannot be inspected ----------------------------------------------------------------------------------------


def test_damage_is_1_with_the_rule_in_either_format(tmp_path, ptx):
    path = tmp_path / "cut.cubin"
    path.write_bytes(compiled("sums.cubin").read_bytes()[:2000])
    done = rowlock("inspect", path, ptx)
    assert done.returncode == 1
    assert done.stderr == (
        f"rowlock inspect: '{path}': the artifact is cut short or damaged: the section table goes on to byte 6544,"
        " the file ends at 2000 [host.cut-short]\n"
    )
    assert f"{ptx}: PTX" in done.stdout
    value = inspect_json(path, ptx, status=1)
    assert [finding["rule"] for finding in value["findings"]] == ["host.cut-short"]
    assert [artifact["path"] for artifact in value["artifacts"]] == [str(ptx)]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "host.file-empty"),
        (b"../build/drag.ptx\n", "host.path-text"),
        (b"version https://git-lfs.github.com/spec/v1\n", "host.lfs-pointer"),
        (b"\xb1\x43\x62\x46\x01\x00\x00\x00", "artifact.wrapped-fatbin"),
        (b"\x00" * 64, "artifact.unknown"),
        (b"# Rowlock\n\nA code generator writes each compiled kernel to disk.\n", "artifact.unknown"),
        (b"\x89PNG\r\n\x1a\n" + bytes(32), "artifact.unknown"),
        (PTX.replace("ret", "\0").encode(), "artifact.ptx-nul"),
        (PTX.replace("drag(", "drag[").encode(), "artifact.ptx-syntax"),
        (b"\x50\xed\x55\xba\x01\x00\x10\x00" + bytes(8), "artifact.fatbin-damaged"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_artifact_is_1(tmp_path, content, rule):
    path = tmp_path / "what.bin"
    path.write_bytes(content)
    done = rowlock("inspect", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.rstrip().endswith(f"[{rule}]")
    assert [finding["rule"] for finding in inspect_json(path, status=1)["findings"]] == [rule]


def test_help_says_which_status_is_due_and_every_limit():
    text = " ".join(output("inspect", "--help").split())
    assert "1 a finding: it cannot be called as the sidecar says, " in text
    assert "it is damaged, beyond a limit or no artifact at all" in text
    assert "2 a file that cannot be read, or wrong usage" in text
    assert "Of an ELF shared object the exported symbols and the layout sizes alone can be read" in text
    for limit in [
        "256 MiB of a file",
        "256 modules",
        "65279 sections",
        "4096 entries of a module",
        "4096 bytes of an entry's name",
        "4096 parameters",
        "1048576 bytes of the parameters",
        "4096 entries of a shared object's dynamic section",
    ]:
        assert limit in text


def test_what_is_no_regular_file_is_2(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero", tmp_path / "absent"):
        assert refusal("inspect", path).startswith(f"rowlock inspect: '{path}': ")


def test_the_worst_status_wins_and_the_others_are_shown(tmp_path, ptx):
    empty = tmp_path / "empty.ptx"
    empty.write_bytes(b"")
    done = rowlock("inspect", tmp_path / "absent", empty, ptx)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2
    assert f"{ptx}: PTX" in done.stdout
    done = rowlock("inspect", "--format", "json", tmp_path / "absent", empty, ptx)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    value = json.loads(done.stdout)
    assert (len(value["artifacts"]), len(value["findings"])) == (1, 1)


# --- What comes from outside is escaped ------------------------------------------------------------------------------


def test_names_and_paths_are_safe_for_a_terminal(tmp_path):
    path = tmp_path / "a\x1b[2J\nb\u202e.cubin"
    path.write_bytes(compiled("sums.cubin").read_bytes().replace(b"sums", b"s\x1b\x9bm"))
    done = rowlock("inspect", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not CONTROL_CHARACTER.search(done.stdout.replace("\n", ""))
    assert "s\\u001B\\x9Bm: 6 parameters, 72 bytes" in done.stdout
    assert "a\\u001B[2J\\u000Ab\\u202E.cubin: a cubin" in done.stdout
    done = rowlock("inspect", "--format", "json", path)
    assert not CONTROL_CHARACTER.search(done.stdout.replace("\n", ""))
    artifact = json.loads(done.stdout)["artifacts"][0]
    assert artifact["path"] == str(path)
    assert any(entry["name"].startswith("s\x1b") for entry in artifact["modules"][0]["entries"])


def test_a_refusal_of_such_a_path_is_one_line(tmp_path):
    path = tmp_path / "a\x1b[2J\nb.ptx"
    path.write_bytes(b"")
    done = rowlock("inspect", path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert not CONTROL_CHARACTER.search(done.stderr.rstrip("\n"))


def test_a_small_file_does_not_take_much_memory(tmp_path):
    """Its one module says that it unpacks to 64 MiB."""
    content = bytearray(compiled("sums_zstd.fatbin").read_bytes())[:624]
    content[8:16] = (624 - 16).to_bytes(8, "little")
    content[16 + 56 : 16 + 64] = (64 << 20).to_bytes(8, "little")
    path = tmp_path / "large.fatbin"
    path.write_bytes(content)
    done = rowlock("inspect", path)
    assert done.returncode == 1
    assert "a module cannot be unpacked" in done.stderr
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 60 << 10
