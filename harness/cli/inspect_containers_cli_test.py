"""`rowlock inspect` on the containers of one kernel: the same block in each, cut artifacts, a sidecar, a machine."""

import json
from pathlib import Path

import pytest

from program import output, refusal, rowlock

DEPLOYMENTS = Path("corpus/artifact/deployments")
COMPILED = DEPLOYMENTS / "compiled"
SIDECAR = COMPILED / "drag.sidecar.json"
DRAG = [(0, 40), (40, 40), (80, 32), (112, 8), (120, 4), (128, 8), (136, 8), (144, 8)]


def inspected(*words, status):
    done = rowlock("inspect", "--format", "json", *words)
    assert (done.returncode, done.stderr) == (status, "")
    return json.loads(done.stdout)


def places(module):
    (entry,) = module["entries"]
    return [(parameter["offset"], parameter["bytes"]) for parameter in entry["parameters"]]


@pytest.mark.parametrize(
    "name, targets, compressions",
    [
        ("drag.ptx", ["sm_75"], ["none"]),
        ("drag_75.cubin", ["sm_75"], ["none"]),
        ("drag_90a.cubin", ["sm_90a"], ["none"]),
        ("drag_120f.ptx", ["sm_120f"], ["none"]),
        ("drag_plain.fatbin", ["sm_80", "sm_90", "sm_75"], ["none"] * 3),
        ("drag_lz4.fatbin", ["sm_80", "sm_90", "sm_75"], ["lz4"] * 3),
        ("drag_zstd.fatbin", ["sm_80", "sm_90", "sm_75"], ["zstd"] * 3),
    ],
)
def test_every_container_shows_the_same_block(name, targets, compressions):
    (artifact,) = inspected(COMPILED / name, status=0)["artifacts"]
    modules = artifact["modules"]
    assert [module["target"] for module in modules] == targets
    assert [module["compression"] for module in modules] == compressions
    for module in modules:
        assert places(module) == DRAG
        assert module["layout"] == [40, 32, 32, 4, 24]


def test_the_table_names_what_a_driver_must_be():
    shown = output("inspect", COMPILED / "drag_zstd.fatbin", COMPILED / "drag.ptx")
    assert "the PTX 9.0 for sm_75: 1869 bytes, needs a driver for CUDA 13.0 or later\n" in shown
    assert "zstd to 1182, at byte 16, needs a driver for CUDA 12.4 or later\n" in shown
    assert "raptor_kernel: 8 parameters, 152 bytes\n" in shown


def test_a_sidecar_that_fits_is_0_and_its_block_is_shown():
    shown = output("inspect", "--sidecar", SIDECAR, COMPILED / "drag.ptx")
    assert [line.split()[-1] for line in shown.splitlines()[3:6]] == ["out", "velocity", "density"]


def test_a_sidecar_that_does_not_fit_is_1():
    done = rowlock("inspect", "--sidecar", SIDECAR, COMPILED / "several.ptx")
    assert done.returncode == 1
    assert "there is no entry 'raptor_kernel'" in done.stdout
    assert "[artifact.entry-missing]" in done.stdout


def test_compiling_at_load_is_announced_and_no_fault():
    value = inspected("--sm", "100", COMPILED / "drag_plain.fatbin", status=0)
    assert [finding["rule"] for finding in value["findings"]] == ["artifact.ptx-only"]
    value = inspected("--sm", "70", COMPILED / "drag_plain.fatbin", status=1)
    assert [finding["rule"] for finding in value["findings"]] == ["artifact.no-code"]


@pytest.mark.parametrize("name", ["drag_90.cubin", "drag_plain.fatbin", "drag_zstd.fatbin"])
def test_a_cut_artifact_is_refused_and_nothing_of_it_shown(tmp_path, name):
    whole = (COMPILED / name).read_bytes()
    for length in range(1, len(whole) - 40, len(whole) // 40):
        path = tmp_path / name
        path.write_bytes(whole[:length])
        value = inspected(path, status=1)
        assert value["artifacts"] == []
        assert len(value["findings"]) == 1


def test_usage():
    assert "name an artifact" in refusal("inspect")
    assert "no such file" in refusal("inspect", "nowhere.ptx").lower()
