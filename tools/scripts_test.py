"""What the scripts say of themselves, and that they do nothing when they are misused."""

import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).absolute().parent


def run(script: str, *words: str) -> subprocess.CompletedProcess:
    command = ["bash", TOOLS / script, *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_start_explains_itself(word):
    done = run("start.sh", word)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Sets up, builds") and "  tools/start.sh [PATH...]" in done.stdout
    assert not any(line.startswith("#") for line in lines) and max(map(len, lines)) <= 100


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_lint_explains_itself_and_looks_at_nothing(word):
    done = run("lint.sh", word)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Runs clang-tidy") and "  tools/lint.sh" in lines and len(lines) == 5
    assert not any(line.startswith("#") for line in lines)


@pytest.mark.parametrize(
    "script, words",
    [
        ("start.sh", ["--nothing"]),
        ("start.sh", ["-x"]),
        ("setup.sh", ["--nothing"]),
        ("setup.sh", ["--check", "more"]),
        ("lint.sh", ["--nothing"]),
        ("lint.sh", ["harness"]),
        ("lint.sh", ["--help", "more"]),
    ],
)
def test_misuse_is_refused_before_anything_is_done(script, words):
    done = run(script, *words)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.count("\n") == 1
