"""What a nightly leaves in its folder, and where else it goes. The archive is made by hand, with a program that says things."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROWLOCK = Path("harness/rowlock").absolute()
SCRIPT = Path("tools/nightly/nightly.sh").absolute()
OURS = ("machine.txt", "rows.jsonl", "rows.xml", "summary.txt")

# Told in this order: each line on its stream, then the status. The reports are made by a run that has rows alone.
PROGRAM = """#!/bin/sh
[ "$1" = version ] && exec echo "this machine"
for word in "$@"; do
  case $word in json=*|junit=*) [ "$STATUS" -gt 1 ] || echo "of today" >"${word#*=}" ;; esac
done
echo "words: $*"
echo "complaint" >&2
exit "$STATUS"
"""


@pytest.fixture()
def archive(tmp_path) -> Path:
    folder = tmp_path / "rowlock-nightly"
    (folder / "bin").mkdir(parents=True)
    (folder / "corpus").mkdir()
    shutil.copy(SCRIPT, folder / "nightly.sh")
    (folder / "bin/rowlock").write_text(PROGRAM, encoding="utf-8")
    (folder / "bin/rowlock").chmod(0o755)
    return folder


@pytest.fixture()
def out(tmp_path) -> Path:
    """Used before, and for other things too."""
    folder = tmp_path / "out of nightly"
    folder.mkdir()
    for name in (*OURS, "kept.txt"):
        (folder / name).write_text("of yesterday\n", encoding="utf-8")
    return folder


def nightly(archive: Path, *words, **variables) -> subprocess.CompletedProcess:
    command = ["bash", archive / "nightly.sh", *words]
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=60, check=False)


@pytest.mark.parametrize("status", [0, 1, 2, 3])
def test_a_folder_that_was_used_has_what_came_of_the_last_run_alone(archive, out, status):
    done = nightly(archive, out, "--jobs", "2", STATUS=status)
    assert done.returncode == status
    left = {path.name: path.read_text(encoding="utf-8") for path in out.iterdir()}
    assert left.pop("kept.txt") == "of yesterday\n"
    assert left.pop("machine.txt").endswith("\nthis machine\n")
    assert sorted(left.pop("summary.txt").splitlines()) == sorted((done.stdout + done.stderr).splitlines())
    assert left == ({"rows.jsonl": "of today\n", "rows.xml": "of today\n"} if status < 2 else {})


@pytest.mark.parametrize("words", [[], ["--device", "none"], ["--device=none"]])
def test_what_is_said_goes_on_to_its_stream(archive, out, words):
    done = nightly(archive, out, *words, STATUS=0)
    assert done.stderr == "complaint\n"
    assert done.stdout.startswith("words: run corpus --built built ") and done.stdout.endswith(" ".join(words) + "\n")
    assert ("--require-device" in done.stdout) == (not words)


def test_without_a_device_the_folder_says_why(archive, out):
    (archive / "bin/rowlock").unlink()
    (archive / "bin/rowlock").symlink_to(ROWLOCK)
    done = nightly(archive, out, ROWLOCK_CUDA_DRIVER="libno_such_driver.so.1")
    assert (done.returncode, done.stdout) == (3, "")
    assert "a device is required: no CUDA driver: libno_such_driver.so.1: " in done.stderr
    assert (out / "summary.txt").read_text(encoding="utf-8") == done.stderr
    assert not (out / "rows.jsonl").exists() and not (out / "rows.xml").exists()


@pytest.mark.parametrize("words", [[], ["--device", "none"]])
def test_without_a_folder_nothing_is_done(archive, words):
    done = nightly(archive, *words, STATUS=0)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "usage: nightly.sh OUT [OPTION...]\n")
