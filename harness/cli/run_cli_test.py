"""`rowlock run` and `rowlock lock`, from outside, on corpora made for each test."""

import hashlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from program import ROWLOCK, TIMEOUT_S, output, refusal, rowlock

SIDECAR = {
    "schema_version": 1,
    "format": "ptx",
    "kernel": "drag",
    "pattern": "vector",
    "scalar_type": "float64",
    "aether_abi": "aether-abi/1",
    "arg_spec": [["out", "force"], ["vec_in", "velocity"], ["uniform", "density"], ["nsamples", "n"]],
    "vector_inputs": ["velocity"],
    "vec_widths": {"force": 3, "velocity": 3},
    "params": ["density"],
    "per_sample": [],
    "buffers": [],
    "accumulate": False,
    "sink": "force",
}
BAD_ROLE = {**SIDECAR, "arg_spec": [["Out", "force"]]}
REJECT = {"expect": "reject", "error_substring": "unknown arg role '", "rule": "sidecar.role-unknown"}
LOADERS = ["shared_validator", "loaded_vector"]
BAZEL = ["TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX", "TEST_SHARD_STATUS_FILE", "TESTBRIDGE_TEST_ONLY", "XML_OUTPUT_FILE"]


@pytest.fixture(autouse=True)
def outside_bazel(monkeypatch):
    """This test's own shard and report are not those of the program under test."""
    for name in BAZEL:
        monkeypatch.delenv(name, raising=False)


class Corpus:
    def __init__(self, folder: Path):
        self.folder = folder

    def row(self, number: int, name: str, document: Any = None, level: str = "sidecar", **keys: Any) -> Path:
        """Writes a row, by default one that passes twice; returns its expectation's path."""
        stem = f"row{number:02}_{name}"
        family = self.folder / level
        family.mkdir(parents=True, exist_ok=True)
        row = {"row": number, "title": "t", "level": level, "expect": "accept", "loaders": LOADERS, "why": ["w"]}
        path = family / f"{stem}.expect.json"
        path.write_text(json.dumps({**row, **keys}))
        if level in ("sidecar", "manifest"):
            (family / f"{stem}.{level}.json").write_text(json.dumps(document or SIDECAR))
        return path

    def lock(self) -> None:
        output("lock", self.folder, "--update")


@pytest.fixture()
def corpus(tmp_path):
    return Corpus(tmp_path / "corpus")


@pytest.fixture()
def mixed(corpus):
    """Five passes, one failure, two skips."""
    corpus.row(1, "plain")
    corpus.row(2, "bad_role", BAD_ROLE, **REJECT, twin="row01_plain")
    corpus.row(3, "wrong", BAD_ROLE, loaders=["shared_validator"])
    corpus.row(4, "elsewhere", loaders=["vector_host", "of_another_program"])
    corpus.row(5, "launched", level="bundle", loaders=["a_launcher"])
    return corpus


def records(*words: Any) -> tuple[list[dict], dict]:
    """The record stream of a run: its records and its trailer."""
    lines = rowlock("run", "--format", "json", *words).stdout.splitlines()
    objects = [json.loads(line) for line in lines]
    return objects[:-1], objects[-1]["trailer"]


def identity(record: dict) -> tuple[str, str]:
    return record["stem"], record["loader"]


def untimed(found: list[dict]) -> list[dict]:
    return [{key: value for key, value in record.items() if key != "duration_us"} for record in found]


def last_line(text: str) -> str:
    return text.splitlines()[-1]


# --- Results ----------------------------------------------------------------------------------------------------------


def test_a_run_without_failures_ends_with_0_and_its_counts(corpus):
    corpus.row(1, "plain")
    corpus.row(2, "bad_role", BAD_ROLE, **REJECT)
    assert last_line(output("run", corpus.folder)) == "4 passed, 0 failed, 0 skipped"


def test_a_failure_ends_with_1_and_the_counts(mixed):
    done = rowlock("run", mixed.folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert last_line(done.stdout) == "5 passed, 1 failed, 2 skipped"


def test_skips_beside_results_are_no_failure(corpus):
    corpus.row(1, "plain")
    corpus.row(4, "elsewhere", loaders=["of_another_program"])
    assert last_line(output("run", corpus.folder)) == "2 passed, 0 failed, 1 skipped"
    # A shard may get the skipped one, or none.
    assert last_line(output("run", corpus.folder, "--shard", "2/2")) == "0 passed, 0 failed, 1 skipped"
    assert last_line(output("run", corpus.folder, "--shard", "3/3")) == "0 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize("level, loader", [("bundle", "a_bundle"), ("sidecar", "of_another_program")])
def test_a_run_that_judges_nothing_is_refused(corpus, tmp_path, level, loader):
    corpus.row(1, "plain")
    corpus.row(5, "other", level=level, loaders=[loader])
    report = tmp_path / "report.tap"
    done = rowlock("run", corpus.folder, "--filter", "5", "--report", f"tap={report}")
    assert (done.returncode, last_line(done.stdout)) == (2, "0 passed, 0 failed, 1 skipped")
    assert "rowlock run: nothing was judged: " in done.stderr and " # SKIP " in report.read_text()
    assert rowlock("run", corpus.folder, "--loader", loader).returncode == 2


@pytest.mark.parametrize("folder", ["plain", "with space", "it's $HOME"])
def test_a_failure_prints_the_command_that_repeats_it(tmp_path, folder):
    corpus = Corpus(tmp_path / folder)
    corpus.row(1, "plain")
    corpus.row(3, "wrong", BAD_ROLE)
    text = rowlock("run", corpus.folder).stdout
    commands = re.findall("^  (rowlock run .*)$", text, re.MULTILINE)
    assert len(commands) == len(LOADERS)
    for command, loader in zip(commands, LOADERS):
        again = rowlock(*shlex.split(command)[1:])
        assert again.returncode == 1 and last_line(again.stdout) == "0 passed, 1 failed, 0 skipped"
        block = next(block for block in text.split("\n\n") if command in block)
        assert f"fail: row03_wrong at {loader}: expected accept, got reject\n" in block
        assert block + "\n\n" in again.stdout


@pytest.mark.parametrize(
    "keys, reason",
    [
        ({**REJECT, "error_substring": "no such words"}, 'the message does not contain "no such words"'),
        ({**REJECT, "rule": "json.empty"}, "expected rule json.empty, got sidecar.role-unknown"),
    ],
)
def test_a_reject_for_another_reason_fails(corpus, keys, reason):
    corpus.row(1, "bad_role", BAD_ROLE, **keys, loaders=["shared_validator"])
    (record,), trailer = records(corpus.folder)
    assert (record["outcome"], record["reason"], trailer["failed"]) == ("fail", reason, 1)


def test_an_override_is_what_that_loader_owes(corpus):
    corpus.row(1, "bad_role", BAD_ROLE, overrides={"shared_validator": REJECT})
    found, _ = records(corpus.folder)
    assert {record["loader"]: record["outcome"] for record in found} == {
        "shared_validator": "pass",
        "loaded_vector": "fail",
    }


# --- Selection --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, stems",
    [
        (["--filter", "*_bad*"], {"row02_bad_role"}),
        (["--filter", "3"], {"row03_wrong"}),
        (["--filter", "row0[12]*"], {"row01_plain", "row02_bad_role"}),
        (["--level", "bundle"], {"row05_launched"}),
        (["--loader", "vector_host"], {"row04_elsewhere"}),
        (["--loader", "vector_host", "--loader", "a_launcher"], {"row04_elsewhere", "row05_launched"}),
        (["--loader", "loaded_vector", "--filter", "1"], {"row01_plain"}),
    ],
)
def test_rows_are_selected(mixed, words, stems):
    found, trailer = records(mixed.folder, *words)
    assert {record["stem"] for record in found} == stems
    assert trailer["rows"] == len(stems)


def test_only_the_loader_asked_for_runs(mixed):
    found, _ = records(mixed.folder, "--loader", "loaded_vector")
    assert [identity(record) for record in found] == [
        ("row01_plain", "loaded_vector"),
        ("row02_bad_role", "loaded_vector"),
    ]


@pytest.mark.parametrize(
    "name, near",
    [
        ("loaded_vectr", "loaded_vector"),
        ("a_lancher", "a_launcher"),
        ("hostlaunch", "host_launch"),
        ("contract_check", "contract_checks"),
        ("artefact_checks", "artifact_checks"),
    ],
)
def test_an_unknown_loader_is_refused_with_the_nearest_and_the_list(mixed, name, near):
    complaint = refusal("run", mixed.folder, "--loader", "shared_validator", "--loader", name)
    assert f"there is no loader '{name}', and no row here names it; near it: {near}; " in complaint
    listed = complaint.strip().partition("the reference's own are ")[2].split(", ")
    assert listed[:3] == ["shared_validator", "host_add_plugin", "loaded_vector"] and len(set(listed)) == len(listed)
    for own in listed:
        assert "there is no loader" not in rowlock("run", mixed.folder, "--loader", own).stderr
    assert {"py_load_manifest", "contract_checks", "artifact_checks", "host_launch", "device_launch"} <= set(listed)


def test_a_selection_that_leaves_nothing_is_refused(mixed):
    assert "no row matches: 5 are here" in refusal("run", mixed.folder, "--filter", "row99*")


def test_the_shards_together_are_the_run(mixed):
    whole, _ = records(mixed.folder)
    for count in (1, 2, 3, 7):
        parts = [records(mixed.folder, "--shard", f"{index}/{count}") for index in range(1, count + 1)]
        shared = Counter(identity(record) for found, _ in parts for record in found)
        assert shared == Counter(map(identity, whole)) and set(shared.values()) == {1}
        assert sum(trailer["rows"] for _, trailer in parts) == 5
        stems = [{record["stem"] for record in found} for found, _ in parts]
        assert sum(map(len, stems)) == len(set().union(*stems)) == 5


# --- Under Bazel ------------------------------------------------------------------------------------------------------


def test_bazels_shards_are_honoured_and_it_is_told(mixed, tmp_path, monkeypatch):
    status = tmp_path / "status"
    monkeypatch.setenv("TEST_TOTAL_SHARDS", "2")
    monkeypatch.setenv("TEST_SHARD_STATUS_FILE", str(status))
    for index in range(2):
        status.unlink(missing_ok=True)
        monkeypatch.setenv("TEST_SHARD_INDEX", str(index))
        found, _ = records(mixed.folder)
        assert status.exists()
        monkeypatch.delenv("TEST_SHARD_INDEX")
        due, _ = records(mixed.folder, "--shard", f"{index + 1}/2")
        assert untimed(found) == untimed(due)


@pytest.mark.parametrize("index, total", [("2", "2"), ("x", "2"), ("0", "0")])
def test_unusable_shards_of_bazel_are_refused(mixed, monkeypatch, index, total):
    monkeypatch.setenv("TEST_SHARD_INDEX", index)
    monkeypatch.setenv("TEST_TOTAL_SHARDS", total)
    assert "unusable" in refusal("run", mixed.folder)


@pytest.mark.parametrize("name, other", [tuple(BAZEL[:2]), tuple(BAZEL[1::-1])])
@pytest.mark.parametrize("empty", [False, True])
def test_one_of_bazels_two_shard_variables_is_refused(mixed, monkeypatch, name, other, empty):
    monkeypatch.setenv(name, "1")
    if empty:
        monkeypatch.setenv(other, "")
    assert f"{name} is set and {other} is not" in refusal("run", mixed.folder)


def test_variables_that_are_empty_are_as_good_as_unset(mixed, monkeypatch):
    whole, _ = records(mixed.folder)
    for name in BAZEL:
        monkeypatch.setenv(name, "")
    assert untimed(records(mixed.folder)[0]) == untimed(whole)


def test_bazels_filter_is_honoured_unless_another_is_given(mixed, monkeypatch):
    monkeypatch.setenv("TESTBRIDGE_TEST_ONLY", "row02*")
    assert {record["row"] for record in records(mixed.folder)[0]} == {2}
    assert {record["row"] for record in records(mixed.folder, "--filter", "1")[0]} == {1}


def test_bazels_report_is_written(mixed, tmp_path, monkeypatch):
    monkeypatch.setenv("XML_OUTPUT_FILE", str(tmp_path / "test.xml"))
    assert rowlock("run", mixed.folder).returncode == 1
    suite = ElementTree.parse(tmp_path / "test.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("8", "1", "2")


# --- Reports ----------------------------------------------------------------------------------------------------------


def test_the_record_stream_has_each_record_and_proves_that_it_is_whole(mixed):
    text = rowlock("run", mixed.folder, "--format", "json").stdout
    lines = text.splitlines(keepends=True)
    found = [json.loads(line) for line in lines[:-1]]
    assert [(record["row"], record["loader"], record["outcome"]) for record in found] == [
        (1, "shared_validator", "pass"),
        (1, "loaded_vector", "pass"),
        (2, "shared_validator", "pass"),
        (2, "loaded_vector", "pass"),
        (3, "shared_validator", "fail"),
        (4, "vector_host", "pass"),
        (4, "of_another_program", "skip"),
        (5, "a_launcher", "skip"),
    ]
    for record in found:
        assert record["implementation"] == "rowlock-c" and record["stem"].startswith(f"row{record['row']:02}_")
        assert record["duration_us"] >= 0 and ("got" in record) == (record["outcome"] != "skip")
        assert ("reason" in record) == (record["outcome"] != "pass")
        assert ("reproduce" in record) == (record["outcome"] == "fail")
        fixture = record["path"].replace(".expect.json", ".sidecar.json")
        assert record.get("fixture") == (fixture if record["level"] == "sidecar" else None)
    assert found[0]["expected"] == found[0]["got"] == {"outcome": "accept"}
    assert found[2]["expected"] == {
        "outcome": "reject",
        "error_substring": REJECT["error_substring"],
        "rule": REJECT["rule"],
    }
    got = found[2]["got"]
    assert (got["outcome"], got["rule"]) == ("reject", REJECT["rule"]) and REJECT["error_substring"] in got["message"]
    assert json.loads(lines[-1]) == {
        "trailer": {
            "rows": 5,
            "records": 8,
            "passed": 5,
            "failed": 1,
            "skipped": 2,
            "sha256": hashlib.sha256("".join(lines[:-1]).encode()).hexdigest(),
        }
    }


def test_every_report_agrees_with_the_others(mixed, tmp_path):
    paths = {name: tmp_path / f"report.{name}" for name in ("text", "json", "tap", "junit")}
    done = rowlock("run", mixed.folder, *(f"--report={name}={path}" for name, path in paths.items()))
    assert done.returncode == 1 and paths["text"].read_text() == done.stdout
    trailer = json.loads(paths["json"].read_text().splitlines()[-1])["trailer"]
    assert (trailer["passed"], trailer["failed"], trailer["skipped"]) == (5, 1, 2)
    tap = paths["tap"].read_text()
    assert tap.startswith("TAP version 14\n") and "\n1..8\n" in tap
    assert [int(number) for number in re.findall(r"^(?:not )?ok (\d+) - ", tap, re.MULTILINE)] == list(range(1, 9))
    assert len(re.findall("^not ok ", tap, re.MULTILINE)) == 1 and tap.count(" # SKIP ") == 2
    assert last_line(tap) == "# 5 passed, 1 failed, 2 skipped"
    suite = ElementTree.parse(paths["junit"]).getroot().find("testsuite")
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "8", "failures": "1", "errors": "0", "skipped": "2"}
    cases = suite.findall("testcase")
    assert (len(cases), len(suite.findall("*/failure")), len(suite.findall("*/skipped"))) == (8, 1, 2)
    assert cases[0].get("name") == "row01_plain shared_validator (rowlock-c)"
    assert {case.get("classname") for case in cases} == {"sidecar", "bundle"}


@pytest.mark.parametrize("name", ["text", "tap", "junit", "json"])
def test_standard_output_has_each_format(mixed, tmp_path, name):
    done = rowlock("run", mixed.folder, "--format", name, f"--report={name}={tmp_path / 'copy'}")
    assert done.returncode == 1 and (tmp_path / "copy").read_text() == done.stdout != ""


def test_threads_do_not_change_the_records(corpus):
    for number in range(1, 30):
        corpus.row(number, "some", *([BAD_ROLE] if number % 3 == 0 else []))
    alone, _ = records(corpus.folder, "--jobs", "1")
    for jobs in ("4", "256"):
        together, _ = records(corpus.folder, "--jobs", jobs)
        assert untimed(together) == untimed(alone)
    assert {record["outcome"] for record in alone} == {"pass", "fail"} and len(alone) == 58


def test_repeating_does_not_change_the_records(mixed):
    once, trailer = records(mixed.folder)
    often, again = records(mixed.folder, "--repeat", "5")
    assert untimed(often) == untimed(once)
    assert {**again, "sha256": ""} == {**trailer, "sha256": ""}


# --- Refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        *(["--jobs", value] for value in ("0", "257", "-1", "x", "")),
        *(["--repeat", value] for value in ("0", "1000001", "1.5")),
        *(["--shard", value] for value in ("0/2", "3/2", "1", "1/", "/2", "1/2/3", "a/2", "1/0", "1/10001", "+1/2")),
        *(["--level", value] for value in ("Sidecar", "", "sidecar|manifest")),
        *(["--format", value] for value in ("xml", "")),
        ["--nothing"],
        ["--filter"],
    ],
)
def test_unusable_options_are_refused(mixed, words):
    assert refusal("run", mixed.folder, *words).startswith("rowlock run: ")


@pytest.mark.parametrize("value", ["tap", "tap=", "xml=x", "=x", ""])
def test_an_unusable_report_is_refused(mixed, value):
    assert refusal("run", mixed.folder, "--report", value).startswith("rowlock run: --report takes ")


def same_file(tmp_path: Path, spelling: str) -> Path:
    """Another path of tmp_path/report, which may be there or not."""
    other = tmp_path / "other"
    if spelling == "link":
        other.symlink_to("report")
    elif spelling == "link to a link":
        other.symlink_to(tmp_path / "third")
        (tmp_path / "third").symlink_to("report")
    elif spelling == "folder":
        other.symlink_to(".", target_is_directory=True)
        return other / "report"
    return {"same": tmp_path / "report", "dots": f"{tmp_path}/./report"}.get(spelling, other)


@pytest.mark.parametrize("spelling", ["same", "dots", "link", "link to a link", "folder"])
@pytest.mark.parametrize("there", [False, True])
def test_two_reports_in_one_file_are_refused_and_touch_nothing(mixed, tmp_path, monkeypatch, spelling, there):
    path = tmp_path / "report"
    if there:
        path.write_text("kept")
    first, second = f"json={path}", f"tap={same_file(tmp_path, spelling)}"
    complaint = refusal("run", mixed.folder, "--report", first, "--report", second)
    assert complaint == f"rowlock run: {first} and {second} name one file\n"
    monkeypatch.setenv("XML_OUTPUT_FILE", second.partition("=")[2])
    assert f"{first} and XML_OUTPUT_FILE name one file" in refusal("run", mixed.folder, "--report", first)
    assert path.exists() == there and (not there or path.read_text() == "kept")


def test_a_hard_link_is_the_same_file(mixed, tmp_path):
    (tmp_path / "a").write_text("kept")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    words = ["--report", f"json={tmp_path / 'a'}", "--report", f"json={tmp_path / 'b'}"]
    assert "name one file" in refusal("run", mixed.folder, *words)
    assert (tmp_path / "a").read_text() == "kept"


@pytest.mark.parametrize("path", ["-", "/dev/stdout"])
def test_a_report_on_standard_output_is_refused(mixed, path):
    complaint = refusal("run", mixed.folder, "--report", f"json={path}")
    assert "standard output" in complaint and "--format" in complaint


def test_a_device_takes_any_number_of_reports(mixed):
    done = rowlock("run", mixed.folder, *["--report", "json=/dev/null"] * 2)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("name", ["text", "json", "tap", "junit"])
def test_a_report_that_cannot_be_written_is_refused(mixed, tmp_path, name):
    path = tmp_path / "no folder" / "report"
    done = rowlock("run", mixed.folder, "--report", f"{name}={path}")
    assert done.returncode == 2 and f"cannot write '{path}'" in done.stderr


@pytest.mark.parametrize("name", ["text", "json", "tap", "junit"])
def test_a_report_on_a_full_device_is_refused(mixed, name):
    done = rowlock("run", mixed.folder, "--report", f"{name}=/dev/full")
    assert done.returncode == 2 and "cannot write '/dev/full': No space left on device" in done.stderr


def without_space():
    """No file may have more than 100 bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def listed(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def report_to_be(tmp_path: Path, there: bool) -> tuple[Path, dict[str, str]]:
    """Where a report goes, in a folder of its own, and what the folder then holds."""
    folder = tmp_path / "reports"
    folder.mkdir()
    if there:
        (folder / "report").write_text("earlier")
    return folder / "report", listed(folder)


ANY_REPORT = pytest.mark.parametrize("name", ["text", "json", "tap", "junit"])
THERE_OR_NOT = pytest.mark.parametrize("there", [False, True])


@pytest.mark.skipif(b"__tsan_init" in ROWLOCK.read_bytes(), reason="ThreadSanitizer has a file of its own, cut short too")
@ANY_REPORT
@THERE_OR_NOT
def test_a_report_on_a_full_disk_leaves_what_was_there(mixed, tmp_path, name, there):
    path, before = report_to_be(tmp_path, there)
    words = [ROWLOCK, "run", mixed.folder, "--report", f"{name}={path}"]
    done = subprocess.run(
        words, preexec_fn=without_space, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 2 and f"cannot write '{path}': File too large" in done.stderr
    assert listed(path.parent) == before


@ANY_REPORT
@THERE_OR_NOT
def test_a_report_of_a_run_that_breaks_off_leaves_what_was_there(mixed, tmp_path, name, there):
    """Of one that is refused, or killed: nothing is cut, and nothing else is left behind."""
    path, before = report_to_be(tmp_path, there)
    words = ["run", mixed.folder, "--report", f"{name}={path}"]
    assert "cannot write" in refusal(*words, "--report", f"json={tmp_path / 'nowhere' / 'report'}")
    assert listed(path.parent) == before
    pipes = [tmp_path / "first pipe", tmp_path / "second pipe"]
    for pipe in pipes:
        os.mkfifo(pipe)
    with subprocess.Popen([ROWLOCK, *words, *(f"--report=json={pipe}" for pipe in pipes)]) as process:
        pipes[0].open("rb").close()  # the second one it waits for, with the report open
        process.kill()
    # A file system on which every file has a name keeps that of the part.
    left = listed(path.parent)
    assert {file: text for file, text in left.items() if not file.endswith(".part")} == before


def test_a_report_takes_the_place_of_a_file_and_of_nothing_else(mixed, tmp_path):
    """With its mode, behind links; a pipe and a descriptor are written as they are."""
    reports = {name: tmp_path / name for name in ("new", "old", "real", "far")}
    reports["old"].write_text("earlier")
    reports["old"].chmod(0o604)
    reports["real"].write_text("earlier")
    reports["real"].chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("far")
    os.mkfifo(tmp_path / "pipe")
    names = [tmp_path / name for name in ("new", "old", "link", "dangling", "pipe")]
    with open(tmp_path / "open", "w+", encoding="utf-8") as given:
        inode = os.fstat(given.fileno()).st_ino
        names.append(Path(f"/dev/fd/{given.fileno()}"))
        with subprocess.Popen(
            [ROWLOCK, "run", mixed.folder, *(f"--report=tap={path}" for path in names)],
            umask=0o027,
            pass_fds=[given.fileno()],
            stdout=subprocess.DEVNULL,
        ) as process:
            piped = (tmp_path / "pipe").read_text(encoding="utf-8")
            assert process.wait(TIMEOUT_S) == 1
        assert given.read() == piped and (tmp_path / "open").stat().st_ino == inode
    assert piped.startswith("TAP version") and {path.read_text() for path in reports.values()} == {piped}
    assert {name: path.stat().st_mode & 0o777 for name, path in reports.items()} == {
        "new": 0o640,
        "old": 0o604,
        "real": 0o600,
        "far": 0o640,
    }
    assert [str((tmp_path / name).readlink()) for name in ("link", "dangling")] == ["real", "far"]
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]
    (tmp_path / "loop").symlink_to("loop")
    assert "Too many levels of symbolic links" in refusal("run", mixed.folder, f"--report=tap={tmp_path / 'loop'}")


def test_a_corpus_that_is_not_there_or_empty_is_refused(tmp_path):
    assert "No such file" in refusal("run", tmp_path / "nowhere")
    assert "[corpus.empty]" in refusal("run", tmp_path)
    assert "no folder 'corpus'" in refusal("run", cwd=tmp_path)


@pytest.mark.parametrize("command", ["run", "lock"])
def test_an_unknown_key_is_refused(mixed, command):
    mixed.lock()
    path = mixed.row(1, "plain", expct="accept")
    complaint = refusal(command, mixed.folder)
    assert str(path) in complaint and "unknown key 'expct'" in complaint and "[row.key-unknown]" in complaint


# --- The lock ---------------------------------------------------------------------------------------------------------


def diverges(corpus: Corpus, stem: str, phrase: str) -> None:
    """Both commands end with 1 and name the row and what became of it."""
    done = rowlock("lock", corpus.folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[:-1] == [f"{stem}: {phrase}"]
    assert re.fullmatch(r"1 row, 1 divergence|\d+ rows, 1 divergence", last_line(done.stdout))
    run = rowlock("run", corpus.folder)
    assert run.returncode == 1 and f"fail: {stem} at rows.lock: {phrase}\n  rowlock lock " in run.stdout


@pytest.fixture()
def locked(corpus):
    corpus.row(1, "plain")
    corpus.row(2, "bad_role", BAD_ROLE, **REJECT)
    corpus.lock()
    return corpus


def test_a_corpus_as_it_was_locked_is_sound(locked):
    assert output("lock", locked.folder) == "2 rows, 0 divergences\n"
    assert last_line(output("run", locked.folder)) == "4 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize("kind", ["expect", "sidecar", "notes"])
def test_a_changed_byte_diverges(locked, kind):
    with (locked.folder / f"sidecar/row01_plain.{kind}.json").open("a") as file:
        file.write("\n")
    diverges(locked, "row01_plain", "its files are not those that rows.lock holds")


def test_a_removed_row_diverges(locked):
    for kind in ("expect", "sidecar"):
        (locked.folder / f"sidecar/row02_bad_role.{kind}.json").unlink()
    diverges(locked, "row02_bad_role", "rows.lock lists it and it is not there")


def test_a_new_row_diverges(locked):
    locked.row(3, "new")
    diverges(locked, "row03_new", "rows.lock does not list it")


def test_a_moved_row_diverges(locked):
    (locked.folder / "sidecar").rename(locked.folder / "other")
    locked.row(1, "plain")
    for path in (locked.folder / "other").glob("row01*"):
        path.unlink()
    diverges(locked, "row02_bad_role", "it was moved to another folder")


def test_a_filter_minds_only_the_rows_that_it_names(locked):
    locked.row(3, "new")
    assert last_line(output("run", locked.folder, "--filter", "row01*")) == "2 passed, 0 failed, 0 skipped"
    assert rowlock("run", locked.folder, "--filter", "row03*").returncode == 1


@pytest.fixture()
def families(corpus):
    """Rows 1 and 2 in one folder, 3 in another, locked."""
    corpus.row(1, "plain")
    corpus.row(2, "bad_role", BAD_ROLE, **REJECT)
    path = corpus.row(3, "other", {**SIDECAR, "kernel": "other"})
    other = corpus.folder / "other"
    other.mkdir()
    for file in path.parent.glob("row03*"):
        file.rename(other / file.name)
    corpus.lock()
    return corpus


def said_by_lock(*words: Any, cwd: Path | None = None) -> set[tuple[str, str]]:
    """The rows that a run fails for the lock's sake, and why."""
    done = rowlock("run", "--format", "json", *words, cwd=cwd)
    found = [json.loads(line) for line in done.stdout.splitlines()[:-1]]
    said = {(record["stem"], record["reason"]) for record in found if record["loader"] == "rows.lock"}
    assert done.returncode == bool(said), done
    return said


MISSING, CHANGED, NEW = (
    "rows.lock lists it and it is not there",
    "its files are not those that rows.lock holds",
    "rows.lock does not list it",
)


def test_every_row_below_the_paths_is_compared_with_the_lock(families):
    folder = families.folder
    one, other = folder / "sidecar", folder / "other"
    row = one / "row01_plain.expect.json"
    parts = [[folder], [one], [one, other], [row], [row, other]]
    for words in [*parts, [folder, "--filter", "*"], [folder, "--loader", "loaded_vector"], [folder, "--repeat", "2"]]:
        assert said_by_lock(*words) == set()
    with (one / "row01_plain.sidecar.json").open("a") as file:
        file.write("\n")
    for kind in ("expect", "sidecar"):
        (other / f"row03_other.{kind}.json").unlink()
    families.row(4, "new")
    changed, missing, new = ("row01_plain", CHANGED), ("row03_other", MISSING), ("row04_new", NEW)
    (other / "README.md").write_text("no rows")
    for words, due in [
        ([folder], {changed, missing, new}),
        ([one], {changed, new}),
        ([row], {changed}),
        ([one / "row02_bad_role.expect.json"], set()),
        ([row, one / "row04_new.expect.json"], {changed, new}),
        ([folder, "--filter", "*"], {changed, missing, new}),
        ([folder, "--loader", "loaded_vector"], {changed, missing, new}),
        ([folder, "--level", "sidecar"], {changed, missing, new}),
        ([folder, "--filter", "row0[12]*"], {changed}),
    ]:
        assert said_by_lock(*words) == due, words
    assert said_by_lock(cwd=one) == {changed, missing, new}
    assert said_by_lock(".", cwd=one) == said_by_lock("../sidecar", cwd=one) == {changed, new}
    shards = [said_by_lock(folder, "--shard", f"{index}/4") for index in range(1, 5)]
    assert sum(map(len, shards)) == 3 and set().union(*shards) == {changed, missing, new}


def test_a_row_that_is_gone_from_its_family_is_missing_there(families):
    for kind in ("expect", "sidecar"):
        (families.folder / f"sidecar/row02_bad_role.{kind}.json").unlink()
    gone = {("row02_bad_role", MISSING)}
    for words in ([], ["other"], ["--loader", "loaded_vector"], ["--filter", "*"]):
        assert said_by_lock("sidecar", *words, cwd=families.folder) == gone
    assert said_by_lock("other", cwd=families.folder) == set()
    text = rowlock("run", "sidecar", cwd=families.folder).stdout
    command = re.search("^  (rowlock lock .*)$", text, re.MULTILINE)[1]
    assert rowlock(*shlex.split(command)[1:], cwd=families.folder).returncode == 1


def test_a_part_is_not_locked_alone(families):
    for words in ([], ["--update"]):
        assert "is a part of a corpus: " in refusal("lock", families.folder / "sidecar", *words)
    assert not (families.folder / "sidecar" / "rows.lock").exists()


def test_each_corpus_is_compared_with_its_own_lock(families, tmp_path):
    second = Corpus(tmp_path / "second")
    second.row(9, "ninth")
    second.lock()
    assert said_by_lock(families.folder, second.folder) == set()
    second.row(10, "tenth")
    (families.folder / "other" / "row03_other.notes").write_text("x")
    assert said_by_lock(families.folder, second.folder / "sidecar") == {("row03_other", CHANGED), ("row10_tenth", NEW)}


def test_paths_that_overlap_run_once(families):
    one = families.folder / "sidecar"
    _, trailer = records(one, families.folder, one / "row01_plain.expect.json")
    assert (trailer["rows"], trailer["records"]) == (3, 6)


def test_links_to_folders_are_not_followed(families):
    (families.folder / "again").symlink_to("sidecar", target_is_directory=True)
    (families.folder / "sidecar" / "up").symlink_to("..", target_is_directory=True)
    (families.folder / "bazel-out").symlink_to("/proc", target_is_directory=True)
    assert said_by_lock(families.folder) == said_by_lock(".", cwd=families.folder) == set()


def test_a_fixture_link_that_leaves_is_refused(families, tmp_path):
    (tmp_path / "secret.json").write_text(json.dumps(SIDECAR))
    path = families.folder / "sidecar/row01_plain.sidecar.json"
    path.unlink()
    path.symlink_to("../../secret.json")
    for words in (["run"], ["lock"], ["lock", "--update"]):
        complaint = refusal(*words, families.folder)
        assert f"{path}: the link leaves the row's own files (it leads to '{tmp_path / 'secret.json'}')" in complaint


def test_a_fixture_is_not_a_row(families):
    complaint = refusal("run", families.folder / "sidecar/row01_plain.sidecar.json")
    assert f"name the row, '{families.folder}/sidecar/row01_plain.expect.json'" in complaint


def test_a_lock_with_other_line_ends_is_refused_and_says_so(families):
    lock = families.folder / "rows.lock"
    lock.write_bytes(lock.read_bytes().replace(b"\n", b"\r\n"))
    for words in (["run"], ["lock"], ["lock", "--update"]):
        complaint = refusal(*words, families.folder)
        assert complaint.count("its lines end in CR LF") == 1 and "1 defect\n" in complaint


@pytest.mark.parametrize("folder", ["a b", "a\tb", "a\x7fb"])
def test_a_family_that_the_lock_cannot_name_is_refused_before_any_success_is_told(families, folder):
    (families.folder / "other").rename(families.folder / folder)
    before = (families.folder / "rows.lock").read_bytes()
    assert "row03_other lies in a folder whose name holds a blank" in refusal("lock", families.folder, "--update")
    assert (families.folder / "rows.lock").read_bytes() == before
    assert [path.name for path in families.folder.glob("rows.lock*")] == ["rows.lock"]


def test_an_update_writes_through_no_link(families, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("kept")
    lock = families.folder / "rows.lock"
    (families.folder / "rows.lock.new").symlink_to(victim)
    families.row(4, "new")
    families.lock()
    assert victim.read_text() == "kept" and "row04_new" in lock.read_text()
    victim.write_bytes(lock.read_bytes())
    lock.unlink()
    lock.symlink_to(victim)
    families.row(5, "newer")
    families.lock()
    assert "row05_newer" not in victim.read_text() and not lock.is_symlink() and "row05_newer" in lock.read_text()


def test_a_renamed_row_is_refused(locked):
    for kind in ("expect", "sidecar"):
        path = locked.folder / f"sidecar/row02_bad_role.{kind}.json"
        path.rename(path.with_name(f"row02_renamed.{kind}.json"))
    for words in (["lock"], ["lock", "--update"], ["run"]):
        assert "row 2 is locked as 'row02_bad_role'" in refusal(*words, locked.folder)


def test_a_renamed_fixture_is_refused(locked):
    path = locked.folder / "sidecar/row02_bad_role.sidecar.json"
    path.rename(path.with_name("row02_renamed.sidecar.json"))
    for command in ("lock", "run"):
        complaint = refusal(command, locked.folder)
        assert "[row.fixture-missing]" in complaint and "[row.fixture-unpaired]" in complaint


def test_an_update_locks_and_retires_for_ever(locked):
    locked.row(1, "plain", title="another")
    locked.row(3, "new")
    for kind in ("expect", "sidecar"):
        (locked.folder / f"sidecar/row02_bad_role.{kind}.json").unlink()
    said = output("lock", "--update", locked.folder).splitlines()
    assert said[:-1] == ["row01_plain: locked anew", "row02_bad_role: retired", "row03_new: added"]
    assert output("lock", locked.folder) == "2 rows, 0 divergences\n"
    lines = (locked.folder / "rows.lock").read_text().splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [
        ["1", "sidecar/row01_plain"],
        ["2", "retired"],
        ["3", "sidecar/row03_new"],
    ]
    before = (locked.folder / "rows.lock").read_bytes()
    locked.lock()
    assert (locked.folder / "rows.lock").read_bytes() == before
    locked.row(2, "bad_role", BAD_ROLE, **REJECT)
    for words in (["lock"], ["lock", "--update"], ["run"]):
        assert "row 2 was retired ('row02_bad_role')" in rowlock(*words, locked.folder).stderr
        assert rowlock(*words, locked.folder).returncode == 2
    assert (locked.folder / "rows.lock").read_bytes() == before


def test_lock_refuses_what_it_cannot_compare(corpus, tmp_path):
    row = corpus.row(1, "plain")
    assert "has no rows.lock; --update writes one" in refusal("lock", corpus.folder)
    assert "is not a folder" in refusal("lock", row)
    assert "one corpus at a time" in refusal("lock", corpus.folder, corpus.folder)
    assert "no folder 'corpus'" in refusal("lock", cwd=tmp_path / "corpus" / "sidecar")


def test_the_nearest_corpus_is_found_from_below(locked):
    for folder in (locked.folder.parent, locked.folder / "sidecar"):
        assert output("lock", cwd=folder) == "2 rows, 0 divergences\n"
        assert last_line(output("run", cwd=folder)) == "4 passed, 0 failed, 0 skipped"
