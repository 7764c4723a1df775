"""Rows of level `artifact`, from outside: one whose artifact cannot be read proves nothing, and must not pass."""

import json
import shutil
from pathlib import Path

import pytest

from program import output, rowlock

SIDECAR = {
    "format": "ptx",
    "schema_version": 1,
    "pattern": "vector",
    "aether_abi": "aether-abi/1",
    "scalar_type": "float64",
    "kernel": "drag",
    "vector_inputs": [],
    "params": [],
    "per_sample": [],
    "accumulate": True,
    "sink": "outVec-scratch",
    "vec_widths": {"out": 3},
    "arg_spec": [["out", "out"]],
    "buffers": [],
}
PLUGIN = {
    "id": "drag",
    "order": 0,
    "enabled": True,
    "artifact": "drag.ptx",
    "sidecar": "drag.sidecar.json",
    "format": "ptx",
}
MANIFEST = {"schema_version": 1, "pattern": "vector", "aether_abi": "aether-abi/1", "plugins": [PLUGIN]}
PTX = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry drag(.param .align 8 .b8 a[40]) { ret; }\n"
MISSING = {"expect": "reject", "error_substring": "cannot read artifact", "rule": "manifest.artifact-missing"}


@pytest.fixture(name="corpus")
def write_corpus(tmp_path):
    """One row, of a deployment that is sound."""
    folder = tmp_path / "corpus"
    deployment = folder / "deployments" / "by_hand"
    deployment.mkdir(parents=True)
    (deployment / "drag.ptx").write_text(PTX)
    (deployment / "drag.sidecar.json").write_text(json.dumps(SIDECAR))
    (deployment / "manifest.json").write_text(json.dumps(MANIFEST))
    write_row(folder)
    return folder


def write_row(folder, **keys):
    row = {"row": 1, "title": "t", "level": "artifact", "expect": "accept", "error_substring": None}
    row |= {"loaders": ["artifact_checks"], "deployment": "by_hand", "why": ["w"]}
    (folder / "row1_by_hand.expect.json").write_text(json.dumps({**row, **keys}))


def artifact_of(folder):
    return folder / "deployments" / "by_hand" / "drag.ptx"


def test_a_row_whose_artifact_is_there_passes(corpus):
    assert output("run", corpus).endswith("1 passed, 0 failed, 0 skipped\n")


@pytest.mark.parametrize("put_instead", ["nothing", "folder", "link"])
def test_a_row_whose_artifact_cannot_be_read_fails(corpus, put_instead):
    artifact = artifact_of(corpus)
    artifact.unlink()
    if put_instead == "folder":
        artifact.mkdir()
    elif put_instead == "link":
        artifact.symlink_to("absent.ptx")
    done = rowlock("run", corpus)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("0 passed, 1 failed, 0 skipped\n")
    assert "; build //corpus:all_rows [manifest.artifact-missing]\n" in done.stdout
    if put_instead == "nothing":
        assert "there is no artifact 'drag.ptx'; build //corpus:all_rows" in done.stdout


def test_a_folder_that_nothing_was_built_in_is_no_excuse(corpus, tmp_path):
    artifact_of(corpus).unlink()
    (tmp_path / "empty").mkdir()
    done = rowlock("run", corpus, "--built", tmp_path / "empty")
    assert (done.returncode, "there is no artifact 'drag.ptx'" in done.stdout) == (1, True)


def test_a_row_that_is_about_a_missing_artifact_passes_without_it_alone(corpus):
    write_row(corpus, **MISSING)
    assert rowlock("run", corpus).returncode == 1
    artifact_of(corpus).unlink()
    assert output("run", corpus).endswith("1 passed, 0 failed, 0 skipped\n")


@pytest.mark.parametrize(
    "sidecar, rule",
    [
        (None, "manifest.sidecar-unreadable"),
        ("{", "json.truncated"),
        (json.dumps({**SIDECAR, "kernel": 7}), "sidecar.key-not-string"),
    ],
)
def test_a_row_whose_sidecar_says_nothing_fails(corpus, sidecar, rule):
    path = corpus / "deployments" / "by_hand" / "drag.sidecar.json"
    path.unlink()
    if sidecar:
        path.write_text(sidecar)
    done = rowlock("run", corpus)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"[{rule}]" in done.stdout, done.stdout


def test_check_says_so_by_its_own_check(corpus):
    artifact_of(corpus).unlink()
    done = rowlock("check", "--format", "json", corpus / "deployments")
    findings = [finding for document in json.loads(done.stdout)["documents"] for finding in document["findings"]]
    assert [finding["rule"] for finding in findings] == ["manifest.artifact-missing"]
    assert "all_rows" not in findings[0]["message"]


# --- The host object beside it ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keeps_artifact", [True, False])
@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("row1080a_object_beside", None),
        ("row1080b_object_entry_misspelt", "artifact.entry-missing"),
        ("row1080c_object_layout_view", "host.layout-mismatch"),
        ("row1080d_object_cut_short", "host.cut-short"),
    ],
)
def test_check_proves_the_host_object_with_the_artifact_or_without(tmp_path, row, rule, keeps_artifact):
    for path in (Path("corpus/artifact") / row).iterdir():
        shutil.copy(path, tmp_path)
    if not keeps_artifact:
        (tmp_path / "drag.ptx").unlink()
    done = rowlock("check", "--format", "json", tmp_path / "manifest.json")
    findings = json.loads(done.stdout)["documents"][0]["findings"]
    findings = [found for found in findings if not found["rule"].startswith("sidecar.")]  # rows are of what can be read
    due = [] if keeps_artifact else [("manifest.artifact-missing", "/plugins/0/artifact", "manifest.json")]
    due += [(rule, "", "drag.so")] if rule else []
    assert [(found["rule"], found["pointer"], Path(found["path"]).name) for found in findings] == due
    if rule:
        assert f"{tmp_path / 'drag.so'}:1:1: error: " in rowlock("check", tmp_path / "manifest.json").stdout
