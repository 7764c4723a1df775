"""Calls the built program, for tests from outside."""

import os
import subprocess
from pathlib import Path
from typing import Any

ROWLOCK = Path(os.environ.get("ROWLOCK", "harness/rowlock")).absolute()
TESTDATA = Path("loader/artifact/testdata").absolute()
TIMEOUT_S = 240  # ends what hangs; a sanitizer on a busy machine is slow


def rowlock(*words: Any, cwd: Path | None = None) -> subprocess.CompletedProcess:
    command = [ROWLOCK, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False)


def output(*words: Any, cwd: Path | None = None) -> str:
    """What a command prints that must succeed and complain of nothing."""
    done = rowlock(*words, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refusal(*words: Any, cwd: Path | None = None) -> str:
    """The complaint of a command that must end with 2 and print nothing."""
    done = rowlock(*words, cwd=cwd)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


def compiled(name: str) -> Path:
    """An artifact that the CUDA compiler made."""
    return TESTDATA / name
