"""`rowlock check` and artifacts: named by their path, found by a manifest, and left alone in a folder."""

import json
import re
import subprocess

import pytest

from check_documents import BINARY, SIDECAR, deployment, paths_of, report, run, write

CONTROL_CHARACTER = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

PTX = """.version 8.4
.target sm_90
.address_size 64
.visible .entry drag_kernel(.param .align 8 .b8 a[40], .param .align 8 .b8 b[40], .param .f64 c) { ret; }
.entry lift();
"""


def documents(value):
    return [(document["kind"], document.get("container"), document["verdict"]) for document in value["documents"]]


def rules(value):
    return [finding["rule"] for document in value["documents"] for finding in document["findings"]]


# --- Named by its path -------------------------------------------------------------------------------------------------


def test_a_sound_artifact_is_0_with_its_entries(tmp_path):
    path = write(tmp_path / "drag.bin", PTX)
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"{path}: artifact, PTX of {len(PTX)} bytes"
    assert lines[1] == "  the PTX 8.4 for sm_90: drag_kernel (3 parameters), lift (0 parameters)"
    assert lines[-1] == "1 document, 1 accepted, 0 refused, 0 findings"


def test_json_names_its_entries(tmp_path):
    value, status = report(write(tmp_path / "drag.bin", PTX))
    assert status == 0
    document = value["documents"][0]
    assert documents(value) == [("artifact", "ptx", "accepted")]
    assert document["modules"] == [{"module": "the PTX 8.4 for sm_90", "entries": ["drag_kernel", "lift"]}]
    assert (document["doors"], document["findings"]) == ({}, [])


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (PTX.replace("[40]", "[40").encode(), "artifact.ptx-syntax"),
        (PTX.replace("ret", "\0").encode(), "artifact.ptx-nul"),
        (b"\x50\xed\x55\xba\x01\x00\x10\x00" + bytes(8), "artifact.fatbin-damaged"),
        (b"\xb1\x43\x62\x46\x01\x00\x00\x00", "artifact.wrapped-fatbin"),
        (b"\x7fELF\x02\x01\x01" + bytes(11) + b"\xbe\x00", "artifact.cubin-damaged"),
        (b"\x7fELF", "host.cut-short"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_damaged_artifact_is_1_in_every_format(tmp_path, content, rule):
    path = tmp_path / "drag.bin"
    path.write_bytes(content)
    done = run(path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"{path}: artifact: refused, 1 finding\n{path}:1:1: error: ")
    assert f" [{rule}]\n" in done.stdout
    value, status = report(path)
    assert (status, documents(value), rules(value)) == (1, [("artifact", None, "refused")], [rule])
    done = run("--format", "sarif", path)
    results = json.loads(done.stdout)["runs"][0]["results"]
    assert (done.returncode, [result["ruleId"] for result in results]) == (1, [rule])
    location = results[0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"].endswith("/drag.bin")
    assert location["region"]["startLine"] == 1


def test_the_machine_is_asked_for(tmp_path):
    path = write(tmp_path / "drag.ptx", PTX)
    value, status = report("--sm", "80", "--driver", "12.3", path)
    assert (status, rules(value)) == (1, ["artifact.driver", "artifact.no-code"])
    value, status = report("--sm", "90", "--driver", "12.4", path)
    assert (status, rules(value)) == (0, [])  # that there is PTX alone is a note


def test_a_door_takes_no_artifact(tmp_path):
    path = write(tmp_path / "drag.ptx", PTX)
    done = run("--door", "shared_validator", path)
    assert done.returncode == 2
    assert f"'{path}' is an artifact, the door shared_validator takes a sidecar" in done.stderr


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 7\n"


@pytest.mark.parametrize("extension", [".ptx", ".cubin", ".fatbin", ".so"])
@pytest.mark.parametrize(
    ("content", "rule", "words"),
    [
        (b"", "host.file-empty", "empty"),
        (POINTER.encode(), "host.lfs-pointer", "Git LFS pointer"),
        (b"../build/drag.ptx\n", "host.path-text", "../build/drag.ptx"),
        (b"\x1f\x8b\x08\0\xff", "artifact.unknown", "compressed data"),
        (b'{"kernel": "drag"}', "artifact.unknown", "JSON, perhaps the sidecar"),
        (b"some words", "artifact.unknown", "a text"),
    ],
    ids=["empty", "pointer", "path", "gzip", "json", "text"],
)
def test_what_is_called_an_artifact_is_judged_as_one(tmp_path, extension, content, rule, words):
    path = tmp_path / f"drag{extension}"
    path.write_bytes(content)
    value, status = report(path)
    assert (status, documents(value), rules(value)) == (1, [("artifact", None, "refused")], [rule])
    message = value["documents"][0]["findings"][0]["message"]
    assert words in message
    done = subprocess.run([BINARY, "inspect", path], capture_output=True, encoding="utf-8", check=False)
    assert f"{message} [{rule}]\n" in done.stderr


def test_an_artifact_that_is_not_there_is_2(tmp_path):
    value, status = report(tmp_path / "drag.ptx")
    assert status == 2 and "No such file" in value["documents"][0]["error"]


def test_what_is_called_otherwise_and_is_no_artifact_is_still_not_json(tmp_path):
    (tmp_path / ".so").write_text("words")
    value, status = report(write(tmp_path / "words.bin", "some words"), write(tmp_path / "empty", ""), tmp_path / ".so")
    assert status == 1
    assert [document["kind"] for document in value["documents"]] == [None, None, None]
    assert all(rule.startswith("json.") for rule in rules(value))


def test_a_folder_that_is_called_an_artifact_is_a_folder(tmp_path):
    folder = deployment(tmp_path / "build.so")
    value, status = report(folder)
    assert (status, paths_of(value)) == (0, [str(folder / "manifest.json")])


def test_a_document_that_is_a_git_lfs_pointer_is_called_one(tmp_path):
    value, status = report(write(tmp_path / "drag.sidecar.json", POINTER), write(tmp_path / "drag.bin", POINTER))
    assert (status, rules(value)) == (1, ["json.lfs-pointer", "json.lfs-pointer"])
    deployment(tmp_path / "set")
    write(tmp_path / "set" / "drag.json", POINTER)
    assert "json.lfs-pointer" in rules(report(tmp_path / "set")[0])


def test_documents_and_artifacts_in_one_run(tmp_path):
    ptx = write(tmp_path / "drag.ptx", PTX)
    sidecar = write(tmp_path / "drag.sidecar.json", SIDECAR)
    broken = write(tmp_path / "broken.ptx", PTX.replace(".entry lift();", "}"))
    value, status = report(ptx, sidecar, broken, ptx)
    assert status == 1
    assert [kind for kind, _, _ in documents(value)] == ["artifact", "sidecar", "artifact", "artifact"]
    assert [verdict for _, _, verdict in documents(value)] == ["accepted", "accepted", "refused", "accepted"]


def test_names_from_an_artifact_are_safe_for_a_terminal(tmp_path):
    path = tmp_path / "a\x1b[2J.ptx"
    path.write_text(PTX.replace("lift();", "\x7f"), encoding="utf-8")
    for arguments in ([path], ["--format", "json", path], ["--format", "sarif", path]):
        assert not CONTROL_CHARACTER.search(run(*arguments).stdout.replace("\n", ""))


def test_findings_are_counted_by_the_tier_of_their_rule(tmp_path):
    path = write(tmp_path / "drag.ptx", PTX.replace("[40]", "[40", 1))
    empty = write(tmp_path / "drag.so", "\x7fELF")
    sidecar = write(tmp_path / "drag.sidecar.json", {**SIDECAR, "arg_spec": [["Out", "force"]]})
    value, _ = report(path, empty, sidecar)
    found = [finding["tier"] for document in value["documents"] for finding in document["findings"]]
    counts = {tier: value["summary"][f"{tier}_findings"] for tier in ("gate", "contract", "artifact", "launch")}
    assert counts == {tier: found.count(tier) for tier in counts}
    assert counts["gate"] > 0 and (counts["artifact"], counts["launch"]) == (1, 1)
    assert value["summary"]["findings"] == len(found)
    lines = run(path, empty, sidecar).stdout.splitlines()
    heading = next(i for i, line in enumerate(lines) if line.startswith("document "))
    assert lines[heading].split()[4:] == ["gate", "contract", "artifact", "launch"]
    assert lines[heading + 1].split()[-4:] == ["0", "0", "1", "0"]
    assert lines[heading + 2].split()[-4:] == ["0", "0", "0", "1"]


# --- In a folder -------------------------------------------------------------------------------------------------------


def test_artifacts_that_nothing_names_are_left_alone(tmp_path):
    deployment(tmp_path)
    write(tmp_path / "broken.ptx", ".version 8.4\n")
    write(tmp_path / "broken.json", ".version 8.4\n")
    value, status = report(tmp_path)
    assert paths_of(value) == [str(tmp_path / "manifest.json")]
    assert (status, rules(value)) == (0, [])


def test_a_folder_of_artifacts_alone_holds_no_document(tmp_path):
    write(tmp_path / "drag.ptx", PTX)
    done = run(tmp_path)
    assert done.returncode == 2
    assert "the folder holds no manifest and no sidecar" in done.stderr


# --- Named by a manifest -----------------------------------------------------------------------------------------------


def ptx_deployment(folder, ptx):
    write(deployment(folder) / "drag.ptx", ptx)
    return folder / "manifest.json"


def test_a_deployment_that_agrees_is_0(tmp_path):
    assert report(ptx_deployment(tmp_path, PTX))[1] == 0


def test_a_mismatch_is_shown_as_two_tables_side_by_side_in_text(tmp_path):
    manifest = ptx_deployment(tmp_path, PTX.replace("b[40]", "b[32]"))
    done = run(manifest)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if "[artifact.parameter-size]" in line)
    assert lines[at].endswith(
        "error: parameter 1 ('velocity') of entry 'drag_kernel' in the PTX 8.4 for sm_90 has 32 bytes,"
        " arg_spec implies 40 [artifact.parameter-size]"
    )
    assert lines[at].startswith(f"{tmp_path / 'drag.json'}:")
    assert lines[at + 1 : at + 7] == [
        "      arg_spec                           | artifact",
        "         #    offset     bytes  name     |    #    offset     bytes  name",
        "         0         0        40  out      |    0         0        40  a",
        "    *    1        40        40  velocity |    1        40        32  b",
        "    *    2        80         8  density  |    2        72         8  c",
        "    *                       88           |                       80",
    ]


def test_a_mismatch_is_a_message_and_both_tables_in_json(tmp_path):
    value, _ = report(ptx_deployment(tmp_path, PTX.replace("b[40]", "b[32]")))
    finding = value["documents"][0]["findings"][0]
    assert finding["message"].endswith(
        "; arg_spec: out 40 @0, velocity 40 @40, density 8 @80 (88 bytes); artifact: 40 @0, 32 @40, 8 @72 (80 bytes)"
    )
    assert finding["pointer"] == "/arg_spec/1"
    sides = finding["parameters"]
    assert [sides[side]["bytes"] for side in ("arg_spec", "artifact")] == [88, 80]
    assert sides["arg_spec"]["parameters"][1] == {"offset": 40, "bytes": 40, "align": 8, "name": "velocity"}
    assert sides["artifact"]["parameters"][1] == {"offset": 40, "bytes": 32, "align": 8, "type": "b8", "name": "b"}


def test_a_mismatch_of_each_entry_has_its_own_tables(tmp_path):
    manifest = ptx_deployment(tmp_path, PTX.replace("b[40]", "b[32]"))
    document = json.loads(manifest.read_text())
    (tmp_path / "short.ptx").write_text(PTX.replace(", .param .f64 c", ""))
    document["plugins"].append({**document["plugins"][0], "id": "short", "order": 1, "artifact": "short.ptx"})
    manifest.write_text(json.dumps(document))
    value, _ = report(manifest)
    found = [finding for finding in value["documents"][0]["findings"] if finding["tier"] == "artifact"]
    assert [finding["rule"] for finding in found] == ["artifact.parameter-size", "artifact.parameter-count"]
    assert [len(finding["parameters"]["artifact"]["parameters"]) for finding in found] == [3, 2]


@pytest.mark.parametrize(
    ("changes", "contract"),
    [
        ({"kernel": "drag_kernel\0"}, ["sidecar.name-nul"]),
        ({"host_entry": "drag_kernel\0x"}, ["sidecar.name-nul"]),
        ({"vec_widths": []}, ["sidecar.vec-widths-not-object"]),
        ({"host_entry": 7}, ["sidecar.host-entry"]),
        ({"host_entry": None}, ["sidecar.host-entry"]),
    ],
)
def test_an_artifact_that_is_not_proved_is_a_finding(tmp_path, changes, contract):
    manifest = ptx_deployment(tmp_path, PTX.replace("b[40]", "b[32]"))
    write(tmp_path / "drag.json", {**SIDECAR, **changes})
    value, status = report(manifest)
    assert (status, rules(value)) == (1, [*contract, "artifact.not-proved"])
    finding = value["documents"][0]["findings"][-1]
    assert finding["message"].startswith("the artifact of plugin 'drag' is not proved: plugin 'drag' cannot be bound: ")
    assert (finding["path"], finding["pointer"]) == (str(manifest), "/plugins/0/artifact")


def test_a_sidecar_that_a_door_refuses_is_no_missing_proof(tmp_path):
    manifest = ptx_deployment(tmp_path, PTX)
    write(tmp_path / "drag.json", {**SIDECAR, "arg_spec": [["Out", "out"]]})
    assert "artifact.not-proved" not in rules(report(manifest)[0])
    write(tmp_path / "drag.json", "words")
    assert rules(report(manifest)[0]) == ["json.literal"]
