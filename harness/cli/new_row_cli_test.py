"""`rowlock new-row`, from outside: what it writes, and what it refuses without a trace."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

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
MANIFEST = {
    "schema_version": 1,
    "aether_abi": "aether-abi/1",
    "pattern": "vector",
    "plugins": [
        {"id": "drag", "artifact": "drag.ptx", "sidecar": "drag.json", "format": "ptx", "order": 0, "enabled": True}
    ],
}
SIDECAR_DOORS = ["shared_validator", "host_add_plugin", "loaded_vector", "loaded_pure", "vector_host"]
WORDS = ["--title", "what it locks", "--why", "first line", "--why", "second line"]


class Workshop:
    """A corpus with a folder for each family, and fixtures beside it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.corpus = folder / "corpus"
        for family in ("sidecar", "manifest", "neural"):
            (self.corpus / family).mkdir(parents=True)

    def fixture(self, name: str = "drag.json", document: Any = None, **changes: Any) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**(document or SIDECAR), **changes}))
        return path

    def new_row(self, fixture: Path, name: str, *words: str) -> subprocess.CompletedProcess:
        return rowlock("new-row", fixture, "--name", name, "--corpus", self.corpus, *WORDS, *words)

    def make(self, fixture: Path, name: str, *words: str) -> dict:
        """The expectation of a row that must be made."""
        done = self.new_row(fixture, name, "--format", "json", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(Path(json.loads(done.stdout)["expectation"]).read_text())

    def tree(self) -> dict[str, bytes | None]:
        """Everything in the corpus, hidden files too: path to bytes, folders to None."""
        paths = sorted(self.corpus.rglob("*"))
        return {str(path.relative_to(self.corpus)): None if path.is_dir() else path.read_bytes() for path in paths}

    def refuses(self, fixture: Path, *words: str) -> str:
        before = self.tree()
        complaint = refusal("new-row", fixture, "--corpus", self.corpus, *words)
        assert self.tree() == before
        return complaint


@pytest.fixture()
def workshop(tmp_path):
    return Workshop(tmp_path)


def test_an_accepted_fixture_becomes_an_accept_row(workshop):
    fixture = workshop.fixture()
    done = workshop.new_row(fixture, "plain", "--loader", "shared_validator", "--loader", "loaded_vector")
    assert (done.returncode, done.stderr) == (0, "")
    tree = workshop.tree()
    files = {f"sidecar/row01_plain.{kind}.json" for kind in ("expect", "sidecar")}
    assert set(tree) == {"manifest", "neural", "sidecar"} | files
    assert tree["sidecar/row01_plain.sidecar.json"] == fixture.read_bytes()
    expected = {
        "row": 1,
        "title": "what it locks",
        "level": "sidecar",
        "expect": "accept",
        "error_substring": None,
        "loaders": ["shared_validator", "loaded_vector"],
        "why": ["first line", "second line"],
    }
    row = json.loads(tree["sidecar/row01_plain.expect.json"])
    assert row == expected and list(row) == list(expected)
    assert tree["sidecar/row01_plain.expect.json"].endswith(b"}\n")


def test_a_refused_fixture_becomes_a_reject_row(workshop):
    workshop.make(workshop.fixture(), "plain")
    bad = workshop.fixture("bad.json", arg_spec=[["Out", "force"]])
    row = workshop.make(bad, "capital_role", "--twin", "row01_plain", "--loader", "shared_validator")
    expected = {
        "row": 2,
        "title": "what it locks",
        "level": "sidecar",
        "expect": "reject",
        "error_substring": "unknown arg role 'Out'",
        "rule": "sidecar.role-unknown",
        "loaders": ["shared_validator"],
        "twin": "row01_plain",
        "why": ["first line", "second line"],
    }
    assert row == expected and list(row) == list(expected)


def test_loaders_that_differ_from_the_first_are_overrides(workshop):
    row = workshop.make(workshop.fixture(aether_abi="aether-abi/9"), "unknown_tag")
    assert row["expect"] == "accept" and row["loaders"] == SIDECAR_DOORS
    tag = {"expect": "reject", "error_substring": "built for", "rule": "sidecar.abi-tag-unknown"}
    assert row["overrides"] == {loader: tag for loader in SIDECAR_DOORS[1:]}
    loaders = ["--loader", "vector_host", "--loader", "shared_validator"]
    row = workshop.make(workshop.fixture(aether_abi="aether-abi/9"), "again", *loaders)
    assert {key: row[key] for key in tag} == tag
    assert row["overrides"] == {"shared_validator": {"expect": "accept"}}
    assert list(row).index("overrides") == list(row).index("loaders") + 1


def test_what_was_made_passes_once_it_is_locked(workshop):
    workshop.make(workshop.fixture(), "plain")
    workshop.make(workshop.fixture(arg_spec=[["Out", "force"]]), "capital_role", "--twin", "row01_plain")
    (workshop.folder / "broken.sidecar.json").write_bytes(b'{"kernel": "\xff"}')
    workshop.make(workshop.folder / "broken.sidecar.json", "broken_utf8", "--twin", "row01_plain")
    done = json.loads(workshop.new_row(workshop.fixture(pattern="pure"), "pure", "--format", "json").stdout)
    assert rowlock(*done["next"][1:]).returncode == 0
    assert output("run", workshop.corpus).splitlines()[-1] == "20 passed, 0 failed, 0 skipped"


def test_a_folder_is_copied_whole(workshop):
    workshop.fixture("set/manifest.json", MANIFEST)
    sidecar = workshop.fixture("set/drag.json")
    (workshop.folder / "set/more").mkdir()
    (workshop.folder / "set/more/bytes.bin").write_bytes(bytes(range(256)) * 1000)
    row = workshop.make(workshop.folder / "set", "deployment")
    assert row["level"] == "manifest" and row["expect"] == "accept" and "overrides" not in row
    tree = workshop.tree()
    assert tree["manifest/row01_deployment/drag.json"] == sidecar.read_bytes()
    assert tree["manifest/row01_deployment/more/bytes.bin"] == bytes(range(256)) * 1000
    assert "manifest/row01_deployment.expect.json" in tree


def manifest_of(*sidecars: str) -> dict:
    entry = MANIFEST["plugins"][0]
    entries = [{**entry, "id": f"k{i}", "order": i, "sidecar": name} for i, name in enumerate(sidecars)]
    return {**MANIFEST, "plugins": entries}


def test_a_manifest_brings_the_sidecars_that_it_names(workshop):
    sidecar = workshop.fixture("set/drag.json")
    deep = workshop.fixture("set/deep/more.json")
    workshop.fixture("set/unnamed.json")
    for name, file in (("by_its_name", "manifest.json"), ("by_suffix", "x.manifest.json"), ("by_keys", "any.json")):
        spellings = ["drag.json", "./deep//more.json", "drag.json", "./drag.json"]
        fixture = workshop.fixture(f"set/{file}", manifest_of(*spellings))
        row = workshop.make(fixture, name, "--loader", "host_load_manifest")
        assert (row["level"], row["expect"]) == ("manifest", "accept")
        folder = f"manifest/row{row['row']:02}_{name}"
        files = {path: bytes_ for path, bytes_ in workshop.tree().items() if path.startswith(folder + "/")}
        assert files == {
            f"{folder}/manifest.json": fixture.read_bytes(),
            f"{folder}/drag.json": sidecar.read_bytes(),
            f"{folder}/deep": None,
            f"{folder}/deep/more.json": deep.read_bytes(),
        }
        fixture.unlink()


@pytest.mark.parametrize(
    "name", ["gone.json", "../outside.json", "/etc/hostname", "link.json", "folder", "manifest.json", ""]
)
def test_what_a_manifest_may_not_have_is_not_taken(workshop, name):
    """The copy is judged, not the original; a manifest without sidecars stays a file."""
    workshop.fixture("outside.json")
    fixture = workshop.fixture("set/manifest.json", manifest_of(name))
    (workshop.folder / "set/folder").mkdir()
    (workshop.folder / "set/link.json").symlink_to("../outside.json")
    row = workshop.make(fixture, "alone", "--loader", "host_load_manifest")
    assert row["expect"] == "reject"
    assert [path for path in workshop.tree() if "row01" in path] == [
        f"manifest/row01_alone.{kind}.json" for kind in ("expect", "manifest")
    ]


def test_the_level_comes_from_name_loaders_or_keys(workshop):
    manifest = workshop.fixture("any.json", MANIFEST)
    assert workshop.make(manifest, "by_keys")["level"] == "manifest"
    assert workshop.make(manifest, "by_loader", "--loader", "shared_validator")["level"] == "sidecar"
    assert workshop.make(workshop.fixture("any.sidecar.json", MANIFEST), "by_name")["level"] == "sidecar"
    text = workshop.folder / "text.json"
    text.write_text("no JSON")
    loaders = ["--loader", "contract_checks", "--loader", "py_load_manifest"]  # the first is one of either level
    assert workshop.make(text, "text", *loaders)["level"] == "manifest"


def test_contract_checks_are_a_loader_when_they_are_named(workshop):
    loader = ["--loader", "contract_checks"]
    assert workshop.make(workshop.fixture(), "kept", *loader)["expect"] == "accept"
    row = workshop.make(workshop.fixture(params=[]), "params_forgotten", *loader)
    assert (row["expect"], row["rule"]) == ("reject", "sidecar.list-disagrees")


@pytest.mark.parametrize("family", ["link", "link/below", "sidecar"])
def test_a_family_that_is_a_link_is_not_written_to(workshop, family):
    """A run would not find the row, and what is behind the link is no corpus."""
    elsewhere = workshop.folder / "elsewhere"
    (elsewhere / "below").mkdir(parents=True)
    link = workshop.corpus / Path(family).parts[0]
    if link.exists():
        link.rmdir()
    link.symlink_to(elsewhere)
    words = [] if family == "sidecar" else ["--family", family]
    done = workshop.new_row(workshop.fixture(), "x", *words)
    assert (done.returncode, done.stdout) == (2, "") and "a link, which no run follows" in done.stderr
    assert [path.name for path in elsewhere.rglob("*")] == ["below"]


def test_a_family_is_a_folder_of_the_corpus(workshop):
    workshop.make(workshop.fixture(), "plain", "--family", "neural")
    assert "neural/row01_plain.sidecar.json" in workshop.tree()


def test_a_corpus_without_families_gets_its_row_beside_the_others(workshop, tmp_path):
    corpus = tmp_path / "flat"
    corpus.mkdir()
    words = ["--corpus", corpus, *WORDS]
    assert "say --family . for a corpus" in refusal("new-row", workshop.fixture(), "--name", "x", *words)
    output("new-row", workshop.fixture(), "--name", "first", "--family", ".", *words)
    output("new-row", workshop.fixture(), "--name", "second", *words)
    output("new-row", workshop.fixture("m.json", MANIFEST), "--name", "third", "--loader", "py_load_manifest", *words)
    assert sorted(path.name for path in corpus.iterdir()) == [
        "row01_first.expect.json",
        "row01_first.sidecar.json",
        "row02_second.expect.json",
        "row02_second.sidecar.json",
        "row03_third",
        "row03_third.expect.json",
    ]
    assert output("lock", corpus, "--update").endswith("3 rows, 3 divergences locked\n")


def test_a_part_of_a_corpus_does_not_number_rows(workshop):
    workshop.make(workshop.fixture(), "plain")
    output("lock", "--update", workshop.corpus)
    part = workshop.corpus / "sidecar"
    complaint = refusal("new-row", workshop.fixture(), "--name", "x", "--corpus", part, *WORDS)
    assert "is a part of a corpus that " in complaint and complaint.endswith("its family is 'sidecar'\n")


def test_rows_that_are_made_together_get_numbers_of_their_own(workshop):
    """Twice as many as a machine of few cores runs at once, with and without a number that is asked for."""
    fixture = workshop.fixture()
    command = [ROWLOCK, "new-row", fixture, "--corpus", workshop.corpus, *WORDS]
    running = [subprocess.Popen([*command, "--name", f"together_{i}"], stdout=subprocess.DEVNULL) for i in range(16)]
    assert [process.wait(timeout=TIMEOUT_S) for process in running] == [0] * 16
    numbers = [int(path.name[3:5]) for path in workshop.corpus.glob("sidecar/*.expect.json")]
    assert sorted(numbers) == list(range(1, 17))
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    asked = [subprocess.Popen([*command, "--name", f"asked_{i}", "--number", "40"], **pipes) for i in range(8)]
    said = [process.communicate(timeout=TIMEOUT_S)[1].decode() for process in asked]
    assert sorted(process.returncode for process in asked) == [0] + [2] * 7
    assert sum("row 40 is 'row40_asked_" in line for line in said) == 7
    assert output("lock", "--update", workshop.corpus).splitlines()[-1] == "17 rows, 17 divergences locked"


def test_the_corpus_is_the_nearest_one(workshop):
    workshop.make(workshop.fixture(), "plain")
    output("lock", "--update", workshop.corpus)
    below = workshop.corpus / "sidecar"
    output("new-row", workshop.fixture(), "--name", "second", *WORDS, cwd=below)
    assert "sidecar/row02_second.sidecar.json" in workshop.tree()
    assert "name one with --corpus" in refusal("new-row", workshop.fixture(), "--name", "third", *WORDS, cwd="/")


def test_numbers_go_on_from_the_largest_in_use(workshop):
    fixture = workshop.fixture()
    assert workshop.make(fixture, "first", "--number", "7b")["row"] == 7
    assert workshop.make(fixture, "next")["row"] == 8
    assert workshop.make(fixture, "first_again", "--number", "7")["row"] == 7
    stems = {name.split("/")[1].split(".")[0] for name in workshop.tree() if "." in name}
    assert stems == {"row07b_first", "row08_next", "row07_first_again"}


def test_a_retired_number_is_not_used_again(workshop):
    fixture = workshop.fixture()
    for name in ("first", "second", "third"):
        workshop.make(fixture, name)
    output("lock", "--update", workshop.corpus)
    for path in workshop.corpus.glob("sidecar/row03_*"):
        path.unlink()
    output("lock", "--update", workshop.corpus)
    assert "row 3 was 'row03_third'" in workshop.refuses(fixture, "--name", "fourth", "--number", "3", *WORDS)
    assert workshop.make(fixture, "fourth")["row"] == 4


def test_a_reject_row_without_a_twin_is_told_so(workshop):
    accepted = workshop.new_row(workshop.fixture(), "plain")
    assert "twin" not in accepted.stderr
    bad = workshop.fixture("bad.json", arg_spec=[["Out", "force"]])
    assert "the row has no twin" in workshop.new_row(bad, "alone").stderr
    assert "twin" not in workshop.new_row(bad, "with_twin", "--twin", "row01_plain").stderr


def test_the_text_says_what_was_judged_and_what_to_do(workshop):
    text = workshop.new_row(workshop.fixture(), "plain").stdout.splitlines()
    assert text[0] == "row01_plain"
    assert [line.split()[:2] for line in text[1:6]] == [
        [loader, "reject" if loader == "loaded_pure" else "accept"] for loader in SIDECAR_DOORS
    ]
    assert text[6:8] == [f"wrote {workshop.corpus}/sidecar/row01_plain.{kind}.json" for kind in ("sidecar", "expect")]
    assert text[8:] == [f"next: rowlock lock --update {workshop.corpus}"]


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["--name", "x", "--title", "t"], "needs --name, --title and --why"),
        (["--name", "x", "--why", "w"], "needs --name, --title and --why"),
        (["--title", "t", "--why", "w"], "needs --name, --title and --why"),
        (["another.json", "--name", "x", *WORDS], "takes one FIXTURE"),
        (["--name", "Capital", *WORDS], "'Capital' is not snake_case"),
        (["--name", "with-dash", *WORDS], "is not snake_case"),
        (["--name", "_edge", *WORDS], "is not snake_case"),
        (["--name", "edge_", *WORDS], "is not snake_case"),
        (["--name", "two__lines", *WORDS], "is not snake_case"),
        (["--name", "../up", *WORDS], "is not snake_case"),
        (["--name", "", *WORDS], "is not snake_case"),
        (["--name", "a" * 201, *WORDS], "longer than 200 letters"),
        (["--name", "x", "--title", "", "--why", "w"], "the title is not a line"),
        (["--name", "x", "--title", "two\nlines", "--why", "w"], "the title is not a line"),
        (["--name", "x", "--title", b"\xff", "--why", "w"], "the title is not a line"),
        (["--name", "x", "--title", "t", "--why", "w", "--why", "\t"], "why, line 2, is not a line"),
        (["--name", "x", "--family", "../manifest", *WORDS], "is not a folder below the corpus"),
        (["--name", "x", "--family", "/tmp", *WORDS], "is not a folder below the corpus"),
        (["--name", "x", "--family", "", *WORDS], "is not a folder below the corpus"),
        (["--name", "x", "--family", "nowhere", *WORDS], "make the family's first, or say --family ."),
        (["--name", "x", "--number", "1", *WORDS], "row 1 is 'row01_plain' already"),
        (["--name", "x", "--number", "01", *WORDS], "row 1 is 'row01_plain' already"),
        (["--name", "x", "--number", "a", *WORDS], "'a' is not a row number"),
        (["--name", "x", "--number", "2ab", *WORDS], "'2ab' is not a row number"),
        (["--name", "x", "--number", "2A", *WORDS], "'2A' is not a row number"),
        (["--name", "x", "--number", "-2", *WORDS], "'-2' is not a row number"),
        (["--name", "x", "--number", "2a_b", *WORDS], "'2a_b' is not a row number"),
        (["--name", "x", "--number", "1000000", *WORDS], "'1000000' is not a row number"),
        (["--name", "x", "--loader", "nobody", *WORDS], "there is no loader 'nobody' for a sidecar"),
        (["--name", "x", "--loader", "shared_validator", "--loader", "shared_validator", *WORDS], "named twice"),
        (["--name", "x", "--loader", "loaded_vector", "--loader", "py_load_manifest", *WORDS], "for a sidecar"),
        (["--name", "x", "--loader", "shared_validator", "--twin", "row01_plain", *WORDS], "every loader accepts"),
        (["--name", "x", "--twin", "row99_none", *WORDS], "'row99_none' is no row of this corpus"),
        (["--name", "x", "--twin", "row02_bad", *WORDS], "'row02_bad' is not an accept row"),
        (["--name", "x", "--twin", "row03_set", *WORDS], "is not an accept row of the same level"),
    ],
)
def test_a_request_that_cannot_be_met_changes_nothing(workshop, words, complaint):
    workshop.make(workshop.fixture(), "plain")
    workshop.make(workshop.fixture(arg_spec=[["Out", "force"]]), "bad")
    workshop.fixture("set/manifest.json", MANIFEST)
    workshop.fixture("set/drag.json")
    workshop.make(workshop.folder / "set", "set")
    assert complaint in workshop.refuses(workshop.fixture(), *words)


def test_the_largest_number_and_the_longest_name_are_taken(workshop):
    name = "a" * 200
    workshop.make(workshop.fixture("any.json", MANIFEST), name, "--number", "999999z")
    assert f"manifest/row999999z_{name}.manifest.json" in workshop.tree()
    assert "the largest row number is in use" in workshop.refuses(workshop.fixture(), "--name", "x", *WORDS)


def test_a_fixture_that_cannot_be_read_changes_nothing(workshop):
    words = ["--name", "x", *WORDS]
    assert "cannot read" in workshop.refuses(workshop.folder / "none.json", *words)
    (workshop.folder / "empty").mkdir()
    assert "has neither a manifest.json nor a sidecar.json" in workshop.refuses(workshop.folder / "empty", *words)
    (workshop.folder / "text.json").write_text("no JSON")
    assert "name it *.sidecar.json or *.manifest.json" in workshop.refuses(workshop.folder / "text.json", *words)
    os.mkfifo(workshop.folder / "pipe.sidecar.json")
    assert "it is not a regular file" in workshop.refuses(workshop.folder / "pipe.sidecar.json", *words)


@pytest.mark.parametrize("target", ["../outside.json", "drag.json", "nowhere.json"])
def test_a_folder_with_a_link_changes_nothing(workshop, target):
    workshop.fixture("outside.json")
    workshop.fixture("set/manifest.json", MANIFEST)
    workshop.fixture("set/drag.json")
    (workshop.folder / "set/linked.json").symlink_to(target)
    assert "linked.json" in workshop.refuses(workshop.folder / "set", "--name", "x", *WORDS)


def test_a_malformed_corpus_is_named_and_left_alone(workshop):
    workshop.make(workshop.fixture(), "plain")
    (workshop.corpus / "sidecar/row02_unpaired.sidecar.json").write_text("{}")
    complaint = workshop.refuses(workshop.fixture(), "--name", "x", *WORDS)
    assert "row02_unpaired.sidecar.json" in complaint and "malformed" in complaint


def test_a_corpus_that_is_not_there_is_refused(workshop):
    words = ["--name", "x", *WORDS]
    assert "there is no folder" in refusal("new-row", workshop.fixture(), "--corpus", workshop.folder / "none", *words)
    assert "there is no folder" in refusal("new-row", workshop.fixture(), "--corpus", workshop.fixture(), *words)


@pytest.mark.parametrize("kind", ["expect", "sidecar"])
def test_nothing_is_overwritten_and_nothing_half_made_stays(workshop, kind):
    """An empty folder of the row's name is not seen by discovery: the move itself has to refuse and to undo."""
    (workshop.corpus / f"sidecar/row01_x.{kind}.json").mkdir()
    assert f"row01_x.{kind}.json': File exists" in workshop.refuses(workshop.fixture(), "--name", "x", *WORDS)


@pytest.mark.parametrize("name", ["drag.ptx", "drag.cubin", "drag.fatbin", "drag.so"])
def test_an_artifact_is_refused_with_where_to_look(workshop, name):
    artifact = workshop.folder / name
    artifact.write_bytes(b"\x7fELF or //\n.version 8.0\n")
    assert "CONTRIBUTING.md says how, under 'Add an artifact row'" in workshop.refuses(artifact, "--name", "x", *WORDS)


def test_one_row_is_counted_as_one(workshop):
    workshop.make(workshop.fixture(), "plain")
    assert output("lock", workshop.corpus, "--update").splitlines()[-1] == "1 row, 1 divergence locked"
    assert output("lock", workshop.corpus) == "1 row, 0 divergences\n"
    assert "no row matches: 1 is here" in refusal("run", workshop.corpus, "--filter", "row99*")
