"""Rows of the zoo and of the host, launched on a device that is the double of a driver.

Each kernel's host twin does its work there, so that everything around a device's kernels is held to the same rows on a
machine without a GPU. The rows of corpus/device have no such twins.
"""

import json
from pathlib import Path

import pytest

from program import rowlock

DOUBLE = Path("loader/device/testdata/driver_double.so").absolute()
TWINS = [
    Path("harness/gate/device/testdata/compare_twin.so").absolute(),
    Path("loader/device/testdata/fold_twin.so").absolute(),
]
# What the double cannot do, by the rows' labels.
BEYOND = {
    **dict.fromkeys(("705b", "706b", "728a"), "its graphs hold fewer launches"),
    **dict.fromkeys(("719a", "719b", "720a"), "it knows no v1 entry that is told of a count alone"),
    **dict.fromkeys(("723a", "723b"), "it finds a twin by the kernel's name, not by host_entry"),
    **dict.fromkeys(("731a", "732a", "735a", "951a", "951b"), "of two kernels with one name it has one twin"),
}


def label(row: Path) -> str:
    return row.name.removeprefix("row").split("_")[0]


def rows() -> list[Path]:
    found = sorted(row for family in ("gate", "host") for row in Path("corpus", family).glob("row*.expect.json"))
    return [row for row in found if "device_launch" in json.loads(row.read_text(encoding="utf-8"))["loaders"]]


ROWS = rows()


def twins_of(row: Path) -> list[Path]:
    deployment = json.loads(row.read_text(encoding="utf-8")).get("deployment")
    if deployment is None:
        return [row.with_name(row.name.replace(".expect.json", ".so")).absolute()]
    return sorted((row.parent / "deployments" / deployment).absolute().glob("*.so"))


def test_every_row_is_here_or_beyond_the_double():
    labels = {label(row) for row in ROWS}
    assert len(ROWS) > 150 and BEYOND.keys() <= labels


@pytest.mark.parametrize("row", [row for row in ROWS if label(row) not in BEYOND], ids=label)
def test_row(monkeypatch, row):
    monkeypatch.setenv("ROWLOCK_CUDA_DRIVER", str(DOUBLE))
    monkeypatch.setenv("ROWLOCK_DRIVER_DOUBLE", " ".join(f"host={twin}" for twin in [*TWINS, *twins_of(row)]))
    monkeypatch.delenv("TESTBRIDGE_TEST_ONLY", raising=False)
    done = rowlock("run", row, "--loader", "device_launch", "--require-device")
    assert done.returncode == 0 and done.stdout.endswith("1 passed, 0 failed, 0 skipped\n"), done.stdout + done.stderr
