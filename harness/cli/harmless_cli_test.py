"""What a terminal would obey, from arguments, variables, names of files and what is in them, is shown and not sent."""

import json
import os
import shlex
import subprocess
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from npy_files import npy
from program import ROWLOCK, TIMEOUT_S

# Ends a line, clears a screen, sets a title, C1 controls as characters and as bytes, text that runs the other way.
HOSTILE = [
    b"\x1b[2J\x1b]0;owned\x07",
    b"a\nrowlock: all is well",
    b"\r\x08\t\x7f",
    b"\xc2\x9b31m\xc2\x85",
    b"\x9b\xff\xc3",
    b"\xe2\x80\xaefdp.exe\xe2\x81\xa6\xe2\x80\xa8",
]
BAZEL = ["TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX", "TESTBRIDGE_TEST_ONLY", "XML_OUTPUT_FILE"]
WORDS = pytest.mark.parametrize("hostile", HOSTILE, ids=ascii)


@pytest.fixture(autouse=True)
def outside_bazel(monkeypatch):
    for name in [*BAZEL, "TEST_SHARD_STATUS_FILE"]:
        monkeypatch.delenv(name, raising=False)


def is_harmless(text: str) -> bool:
    return not any(unicodedata.category(c) in ("Cc", "Zl", "Zp") or c in "\u202e\u2066" for c in text.replace("\n", ""))


def said(*words: Any, cwd: Path | None = None, lines: int | None = None, **variables: bytes) -> str:
    """Everything that the program says, which must be UTF-8 without controls, and of so many lines."""
    environment = {**os.environb, **{name.encode(): value for name, value in variables.items()}}
    command = [ROWLOCK, *words]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, timeout=TIMEOUT_S, check=False)
    text = (done.stdout + done.stderr).decode()
    assert is_harmless(text), ascii(text)
    assert lines is None or text.count("\n") == lines, text
    assert done.returncode in (1, 2)
    return text


def write_row(folder: Path, **keys: Any) -> None:
    row = {"row": 1, "title": "t", "level": "sidecar", "expect": "accept", "why": ["w"]}
    row["loaders"] = ["shared_validator"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "row01_bad.expect.json").write_text(json.dumps({**row, **keys}))
    (folder / "row01_bad.sidecar.json").write_text("{}")


@WORDS
@pytest.mark.parametrize(
    "words",
    [
        ["run"],
        ["run", "--level"],
        ["run", "--shard"],
        ["run", "--jobs"],
        ["run", "--format"],
        ["run", "--report"],
        ["lock"],
        ["rules"],
        ["rules", "--format"],
        ["version"],
        ["compare", "x.npy"],
        ["compare", "--atol"],
        ["new-row", "--name", "x", "--title", "t", "--why", "w", "--corpus", ".", "--number"],
        ["new-row", "--name", "x", "--title", "t", "--why", "w", "--corpus"],
        ["check", "--door"],
        [],
    ],
    ids=" ".join,
)
def test_arguments(tmp_path, words, hostile):
    said(*words, hostile, *(["x.json"] if words[:1] == ["new-row"] else []), cwd=tmp_path)


@WORDS
def test_options_that_there_are_not(tmp_path, hostile):
    said("run", b"--" + hostile, cwd=tmp_path, lines=2)
    said("run", b"-" + hostile[:1], cwd=tmp_path)


@WORDS
@pytest.mark.parametrize("name", BAZEL)
def test_variables(tmp_path, name, hostile):
    write_row(tmp_path)
    value = b"/nowhere/" + hostile if name == "XML_OUTPUT_FILE" else hostile
    said("run", tmp_path, lines=1, **{"TEST_TOTAL_SHARDS": b"1", name: value} if "SHARD" in name else {name: value})


@WORDS
def test_loaders_and_report_files(tmp_path, hostile):
    write_row(tmp_path)
    said("run", tmp_path, "--loader", hostile, lines=1)
    said("run", tmp_path, "--report", b"tap=/nowhere/" + hostile, lines=1)
    said("run", tmp_path, *["--report", b"tap=" + hostile] * 2, cwd=tmp_path, lines=1)


@WORDS
@pytest.mark.parametrize("name", ["text", "json", "tap", "junit"])
def test_folders_loaders_and_substrings_in_each_report(tmp_path, name, hostile):
    folder = tmp_path / os.fsdecode(hostile)
    text = hostile.decode(errors="replace")
    reject = {"expect": "reject", "error_substring": text}
    write_row(folder, **reject, loaders=["shared_validator", text], overrides={text: {"error_substring": text + "x"}})
    (tmp_path / "rows.lock").write_text("2 retired row2_x\n")
    said("run", tmp_path, "--format", name)
    said("lock", tmp_path)
    report = tmp_path / "report"
    said("run", tmp_path, "--report", f"{name}={report}")
    assert is_harmless(report.read_text())


@WORDS
def test_malformed_rows(tmp_path, hostile):
    text = hostile.decode(errors="replace")
    folder = tmp_path / os.fsdecode(hostile)
    write_row(folder, **{text: 1}, level=text, twin=text, rule=text, expect=text, overrides={text: {text: 1}})
    (folder / os.fsdecode(b"row2_" + hostile + b".expect.json")).write_text("{}")
    (folder / os.fsdecode(hostile + b".sidecar.json")).write_text("{}")
    (folder / "row01_bad.link").symlink_to(os.fsdecode(b"/proc/self/" + hostile[:0] + b"status"))
    assert "[row.link]" in said("run", tmp_path)
    said("lock", tmp_path, "--update")


def command_in(name: str, text: str) -> str:
    """The command that a report gives, as a reader of the format finds it."""
    lines = text.splitlines()
    if name == "text":
        return next(line for line in lines if line.startswith("  rowlock run "))
    if name == "tap":
        return json.loads(next(line for line in lines if "reproduce: " in line).partition(": ")[2])
    if name == "junit":
        return ElementTree.fromstring(text).find(".//failure").text.splitlines()[-1]
    return json.loads(lines[0])["reproduce"]


@WORDS
@pytest.mark.parametrize("prefix", [b"", b"-"])
def test_the_command_that_repeats_a_failure_repeats_it(tmp_path, hostile, prefix):
    folder = tmp_path / os.fsdecode(prefix + hostile)
    write_row(folder)
    for name in ("text", "tap", "junit", "json"):
        text = said("run", "--format", name, b"./" * (prefix == b"-") + os.fsencode(folder.name), cwd=tmp_path)
        command = command_in(name, text)
        script = f"rowlock() {{ {shlex.quote(str(ROWLOCK))} \"$@\"; }}; {command}"
        again = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, timeout=TIMEOUT_S)
        assert again.returncode == 1 and again.stdout.splitlines()[-1] == b"0 passed, 1 failed, 0 skipped", command


def test_a_path_that_looks_like_an_option_is_told_as_a_path(tmp_path):
    write_row(tmp_path / "-x")
    text = said("run", "--", "-x", cwd=tmp_path)
    assert "\n  rowlock run ./-x/row01_bad.expect.json --loader shared_validator\n" in text


def test_a_path_of_5000_bytes_is_refused_with_the_cause(tmp_path):
    write_row(tmp_path)
    long = "a" * 5000
    assert "File name too long" in said("run", long, lines=2)
    assert "File name too long" in said("lock", long, lines=2)
    assert "File name too long" in said("run", tmp_path, "--report", f"tap={long}", lines=1)
    words = ["--name", "x", "--title", "t", "--why", "w", "--corpus", tmp_path]
    assert "the fixture's path is longer than " in said("new-row", *words, long, lines=1)


def test_an_empty_path_is_refused():
    for command in ("run", "lock"):
        assert "'': the path is empty" in said(command, "", lines=2)


# --- JSON --------------------------------------------------------------------------------------------------------------

HOST = Path("corpus/host/deployments").absolute()


def json_of(*words: Any, cwd: Path, status: int = 0) -> str:
    """What is printed: harmless, UTF-8, and JSON, line by line or as a whole."""
    done = subprocess.run([ROWLOCK, *words], cwd=cwd, capture_output=True, timeout=TIMEOUT_S, check=False)
    text = done.stdout.decode()
    assert (done.returncode, is_harmless(text)) == (status, True), ascii(text) + ascii(done.stderr)
    for value in text.splitlines() if words[0] == "run" else [text]:
        json.loads(value)
    return text


def shown_name(name: bytes) -> str:
    """As JSON has it once it is read: bytes that are not UTF-8 are shown, everything else is itself."""
    return name.decode("utf-8", "surrogateescape").translate({0xDC00 + byte: f"\\x{byte:02X}" for byte in range(128, 256)})


@WORDS
def test_paths_are_themselves_in_json_of_every_command(tmp_path, hostile):
    folder = tmp_path / os.fsdecode(hostile.replace(b"/", b""))
    write_row(folder)
    (folder / "a.npy").write_bytes(npy([1.0]))
    (folder / "a.ptx").write_text(".version 8.4\n.target sm_90\n.address_size 64\n")
    (folder / "b.sidecar.json").write_text("{}")
    name = shown_name(os.fsencode(folder.name))
    compared = json_of("compare", folder / "a.npy", folder / "a.npy", "--format", "json", cwd=tmp_path)
    assert json.loads(compared)["got_path"] == str(tmp_path) + f"/{name}/a.npy"
    inspected = json_of("inspect", folder / "a.ptx", "--format", "json", cwd=tmp_path)
    assert json.loads(inspected)["artifacts"][0]["path"] == str(tmp_path) + f"/{name}/a.ptx"
    checked = json_of("check", folder / "b.sidecar.json", "--format", "json", cwd=tmp_path, status=1)
    assert json.loads(checked)["documents"][0]["path"] == str(tmp_path) + f"/{name}/b.sidecar.json"
    (folder / "b.sidecar.json").unlink()
    (tmp_path / "fixture.json").write_text("{}")
    words = ["--name", "made", "--title", "t", "--why", "w", "--corpus", folder, "--family", "."]
    made = json.loads(json_of("new-row", *words, "--format", "json", tmp_path / "fixture.json", cwd=tmp_path))
    assert made["fixture"] == str(tmp_path) + f"/{name}/row02_made.sidecar.json"
    assert made["next"][-1] == str(tmp_path) + f"/{name}"
    record = json.loads(json_of("run", folder, "--format", "json", cwd=tmp_path, status=1).splitlines()[0])
    assert record["path"] == str(tmp_path) + f"/{name}/row01_bad.expect.json"


@WORDS
def test_names_and_folders_in_json_of_a_launch(tmp_path, hostile):
    sidecar = (HOST / "alone" / "sidecar.json").read_text()
    name = hostile.replace(b"/", b"").decode("utf-8", "replace")
    (tmp_path / "kernel.json").write_text(json.dumps(json.loads(sidecar)).replace("twice", json.dumps(name)[1:-1]))
    words = ["--object", HOST / "alone" / "sidecar.so", "--n", "1", "--in", "value=1", "--format", "json"]
    report = json_of("launch", "kernel.json", *words, "--out", os.fsencode(tmp_path) + b"/" + hostile, cwd=tmp_path)
    assert [output["name"] for output in json.loads(report)["outputs"]] == [name]
