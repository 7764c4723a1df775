"""Launched rows under `rowlock run`, from outside, and `rowlock perform`, which it starts for each."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from program import ROWLOCK, TIMEOUT_S, refusal, rowlock

HOST = Path("corpus/host/deployments").absolute()


def launch_records(*words: Any, **variables: str) -> list[dict]:
    """The record stream of the corpus's launch rows, without what differs from run to run."""
    command = [ROWLOCK, "run", "corpus", "--level", "launch", "--format", "json", *words]
    environment = {**os.environ, **variables}
    for name in ("TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX", "TESTBRIDGE_TEST_ONLY", "XML_OUTPUT_FILE"):
        environment.pop(name, None)
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()[:-1]]
    return [{key: value for key, value in record.items() if key != "duration_us"} for record in found]


def test_every_launch_row_has_the_same_outcome_message_and_bits_on_any_number_of_threads():
    alone = launch_records(OMP_NUM_THREADS="1")
    assert any("sha256" in record for record in alone)
    assert any("message" in record.get("got", {}) for record in alone)  # nothing is got where a row is skipped
    for threads in "27":
        assert launch_records(OMP_NUM_THREADS=threads) == alone
        assert launch_records("--threads", threads, OMP_NUM_THREADS="1") == alone


def test_descriptors_of_a_tool_that_watches_are_left_alone():
    words = ["corpus/host/row701a_three_in_declared_order.expect.json", "--loader", "host_launch"]
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    preloaded = Path("harness/cli/opens_descriptors.so").absolute()
    environment = {**os.environ, "LD_PRELOAD": str(preloaded), "ASAN_OPTIONS": sanitizer}
    done = subprocess.run(
        [ROWLOCK, "run", *words], env=environment, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False
    )
    assert done.stdout.endswith("1 passed, 0 failed, 0 skipped\n"), done.stdout + done.stderr


@pytest.mark.parametrize("folder", ["rows", "it's -x"])
def test_the_command_that_repeats_a_failed_launch_repeats_it_where_it_is_printed(tmp_path, folder):
    """With what the run was told: without --built the row below fails for want of an object."""
    deployment, built = tmp_path / folder / "deployments" / "alone", tmp_path / f"{folder} built"
    deployment.mkdir(parents=True)
    (built / "deployments" / "alone").mkdir(parents=True)
    (tmp_path / folder / "WORKSPACE").touch()
    (deployment / "sidecar.json").write_bytes((HOST / "alone" / "sidecar.json").read_bytes())
    (built / "deployments" / "alone" / "sidecar.so").write_bytes((HOST / "alone" / "sidecar.so").read_bytes())
    launch = {"n": 2, "inputs": {"value": 1}, "compare": ["golden"], "golden": {"twice": 3}}
    row = {"row": 1, "title": "t", "level": "launch", "expect": "accept", "loaders": ["host_launch"], "why": ["w"]}
    row.update(deployment="alone", launch=launch)
    (tmp_path / folder / "row01_wrong.expect.json").write_text(json.dumps(row))
    told = ["--built", f"{folder} built", "--threads", "2", "--timeout", "9"]
    first = rowlock("run", folder, *told, cwd=tmp_path)
    (command,) = [line.strip() for line in first.stdout.splitlines() if line.startswith("  rowlock run ")]
    assert command.endswith(" --threads 2 --timeout 9")
    again = subprocess.run(
        ["bash", "-c", f'rowlock() {{ "{ROWLOCK}" "$@"; }}; {command}'],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert again.returncode == first.returncode == 1 and again.stdout == first.stdout
    assert "[verdict.golden]" in first.stdout


# --- The other side ---------------------------------------------------------------------------------------------------


def test_perform_by_hand_says_what_it_is(tmp_path):
    said = "rowlock perform: this is for 'rowlock run' and 'rowlock launch' to start; "
    assert refusal("perform").startswith(said)
    assert refusal("perform", "manifest.json").startswith(said)
    controller, terminal = os.openpty()
    command = ["bash", "-c", f'exec "{ROWLOCK}" perform 3>answer']
    done = subprocess.run(
        command, cwd=tmp_path, stdin=terminal, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False
    )
    os.close(controller)
    os.close(terminal)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(said)


def performed(folder: Path, request: bytes) -> tuple[int, bytes, str]:
    command = ["bash", "-c", f'exec "{ROWLOCK}" perform 3>answer']
    done = subprocess.run(command, cwd=folder, input=request, capture_output=True, timeout=TIMEOUT_S, check=False)
    return done.returncode, done.stdout + done.stderr, (folder / "answer").read_text()


def test_perform_of_what_is_no_request_answers_why(tmp_path):
    secret = "0123456789abcdef" * 4
    for request, said in (("", "holds no JSON value"), ("{}", "names no document"), ('{"request": 1}', "no document")):
        status, output, answer = performed(tmp_path, f"{secret}\n{request}".encode())
        assert (status, output) == (0, b"") and answer.startswith(f"{secret} ") and answer.count("\n") == 1
        last = json.loads(answer.removeprefix(secret))
        assert last["code"] == "UNUSABLE" and said in last["message"]


@pytest.mark.parametrize("request_", [b"", b"{}", b"0" * 64, b"0" * 64 + b"{}", b"0" * 63 + b"\n{}"])
def test_perform_without_a_secret_answers_nothing(tmp_path, request_):
    assert performed(tmp_path, request_) == (2, b"", "")
