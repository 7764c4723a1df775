"""The cross-check on small corpora that each test writes: what it finds, what it passes, and its exit status."""

import json
import shutil

import pytest

import cross_check
from document_edits import BLOCK, DROP, LAUNCHED, MANIFEST_V1, MANIFEST_V2, PURE, VECTOR, edited
from schema_set import DEFAULT_FOLDER

STEM = "row07_example"


def row(expect="accept", schema="accept", level="sidecar", **more):
    """A well-formed row; more=DROP leaves a key out."""
    keys = {
        "row": 7,
        "title": "an example",
        "level": level,
        "expect": expect,
        "error_substring": None if expect == "accept" else "refused",
        "loaders": ["some_door"],
        "schema": schema,
        "why": ["It is an example."],
        **more,
    }
    return {key: value for key, value in keys.items() if value is not DROP}


@pytest.fixture
def corpus(tmp_path):
    """Writes a row and its files, given by the end of their name; returns the folder."""

    def write(expectation, files, stem=STEM):
        contents = {".expect.json": expectation, **files}
        for end, content in contents.items():
            path = tmp_path / "family" / (stem + end)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return tmp_path

    return write


@pytest.fixture
def check(capsys):
    """Runs the tool; returns its status, the lines it printed and what it complained of."""

    def run(*arguments):
        status = cross_check.main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return status, printed.out.splitlines(), printed.err

    return run


# What each fixture is, its level, the fixture, and what the schema says of it.
FIXTURES = {
    "kernel": ("sidecar", VECTOR, "accept"),
    "unknown role": ("sidecar", edited(VECTOR, ("/arg_spec/0/0", "Out")), "reject"),
    "descriptor": ("sidecar", BLOCK, "accept"),
    "descriptor with a tag": ("sidecar", edited(BLOCK, ("/aether_abi", "aether-abi/1")), "reject"),
    "manifest 1": ("manifest", MANIFEST_V1, "accept"),
    "manifest 1 with an axis": ("manifest", edited(MANIFEST_V1, ("/exec_access", "sample_local")), "reject"),
    "manifest 2": ("manifest", MANIFEST_V2, "accept"),
    "manifest 2 without targets": ("manifest", edited(MANIFEST_V2, ("/exec_targets", [])), "reject"),
    "a list for a manifest": ("manifest", [1], "reject"),
    "long integer": ("sidecar", json.dumps(VECTOR).replace("[4, 16]", f"[{'9' * 5000}]").encode(), "accept"),
    "long integer, bounded": ("sidecar", json.dumps(BLOCK).replace("12", "9" * 5000).encode(), "reject"),
    "cut short": ("sidecar", b"{", "absent"),
    "key twice": ("sidecar", b'{"pattern": "pure", "pattern": "pure"}', "absent"),
    "too deep": ("sidecar", json.dumps(VECTOR).replace("[4, 16]", "[" * 300 + "]" * 300).encode(), "absent"),
    "deep": ("sidecar", json.dumps(VECTOR).replace("[4, 16]", "[" * 250 + "]" * 250).encode(), "reject"),
}
FALSE_CLAIMS = [
    (name, claim) for name in FIXTURES for claim in ("accept", "reject", "absent") if claim != FIXTURES[name][2]
]


@pytest.mark.parametrize("name", FIXTURES)
def test_a_row_that_says_what_the_schema_says_passes(corpus, check, name):
    level, fixture, outcome = FIXTURES[name]
    expect = "accept" if outcome == "accept" else "reject"
    folder = corpus(row(expect, outcome, level), {f".{level}.json": fixture})
    assert check(folder) == (0, ["1 rows, 1 fixtures compared, 0 divergences"], "")


@pytest.mark.parametrize("name, claim", FALSE_CLAIMS)
def test_a_row_that_says_something_else_is_named(corpus, check, name, claim):
    level, fixture, outcome = FIXTURES[name]
    expect = "reject" if claim == "reject" else "accept"
    status, lines, _ = check(corpus(row(expect, claim, level), {f".{level}.json": fixture}))
    assert status == 1
    assert lines[0].startswith(f"family/{STEM}.expect.json: schema says {outcome} where the row expects {claim}: ")
    assert lines[1:] == ["1 rows, 1 fixtures compared, 1 divergences"]


@pytest.mark.parametrize(
    "level, fixture, place",
    [
        ("sidecar", edited(VECTOR, ("/arg_spec/1/0", "vector")), "sidecar-v1 refuses {} at /arg_spec/1/0: 'vector'"),
        ("sidecar", edited(BLOCK, ("/in_degree", 0)), "neural-block-v1 refuses {} at /in_degree: 0"),
        ("manifest", edited(MANIFEST_V2, ("/aether_abi", DROP)), "manifest-v2 refuses {} at the root: 'aether_abi'"),
        ("manifest", edited(MANIFEST_V2, ("/schema_version", 1)), "manifest-v2 refuses {} at /schema_version: 2"),
        ("manifest", edited(MANIFEST_V1, ("/schema_version", 3)), "manifest-v1 refuses {} at /schema_version: 1"),
    ],
)
def test_the_reason_names_schema_place_and_value(corpus, check, level, fixture, place):
    folder = corpus(row("accept", "accept", level), {f".{level}.json": fixture})
    assert place.format(f"{STEM}.{level}.json") in check(folder)[1][0]


@pytest.mark.parametrize("level", ["placement", "launch", "artifact", "gate", "bundle"])
def test_a_level_without_a_schema_is_absent(corpus, check, level):
    launch = LAUNCHED["launch"] if level in ("placement", "launch", "gate") else DROP
    assert check(corpus(row("accept", "absent", level, launch=launch), {}))[0] == 0
    status, lines, _ = check(corpus(row("accept", "accept", level, launch=launch), {}))
    assert status == 1 and lines[0].endswith(f": no schema covers level {level}")


@pytest.mark.parametrize(
    "expect, fixture, schema",
    [("reject", VECTOR, "accept"), ("accept", edited(VECTOR, ("/scalar_type", DROP)), "reject")],
)
def test_a_difference_between_schema_and_row_has_to_be_explained(corpus, check, expect, fixture, schema):
    files = {".sidecar.json": fixture}
    status, lines, _ = check(corpus(row(expect, schema), files))
    assert (status, lines[0]) == (
        1,
        f"family/{STEM}.expect.json: schema says {schema}, the row {expect}, and no line of why explains the schema",
    )
    assert check(corpus(row(expect, schema, why=["A key.", "schema_version is not the point."]), files))[0] == 1
    assert check(corpus(row(expect, schema, why=["A key.", "The JSON Schema asks for it."]), files))[0] == 0


SECOND_PLUGIN = edited(MANIFEST_V1["plugins"][0], ("/sidecar", "b.json"))
FOLDER = {"/manifest.json": edited(MANIFEST_V1, ("/plugins/-", SECOND_PLUGIN))}


@pytest.mark.parametrize(
    "files, outcome",
    [
        ({"/drag.json": VECTOR, "/b.json": PURE}, "accept"),
        ({"/drag.json": VECTOR, "/b.json": BLOCK}, "accept"),
        ({"/drag.json": VECTOR, "/b.json": edited(PURE, ("/format", "so"))}, "reject"),
        ({"/drag.json": b"{", "/b.json": edited(BLOCK, ("/kernel", ""))}, "reject"),
        ({"/drag.json": b"{", "/b.json": PURE}, "absent"),
        ({"/drag.json": VECTOR}, "accept"),  # a missing file is not the schema's affair
        ({"/drag.json": VECTOR, "/unnamed.json": []}, "accept"),
        ({"/manifest.json": b"{", "/drag.json": []}, "absent"),
        ({"/manifest.json": edited(MANIFEST_V1, ("/aether_abi", DROP)), "/drag.json": b"{"}, "reject"),
        ({"/manifest.json": edited(MANIFEST_V1, ("/plugins/0/sidecar", "../outside.json"))}, "accept"),
        ({"/manifest.json": edited(MANIFEST_V1, ("/plugins/0/sidecar", 4))}, "reject"),
        ({"/manifest.json": edited(MANIFEST_V1, ("/plugins", [7]))}, "reject"),
    ],
)
def test_a_folder_is_judged_as_one(corpus, check, files, outcome):
    expect = "accept" if outcome == "accept" else "reject"
    # A file that every schema refuses lies outside the folder, where nothing must look.
    folder = corpus(row(expect, outcome, "manifest"), {**FOLDER, "/../outside.json": [], **files})
    assert check(folder) == (0, ["1 rows, 1 fixtures compared, 0 divergences"], "")


@pytest.mark.parametrize(
    "files, found",
    [
        ({}, f"0 fixtures where one of {STEM}.manifest.json, manifest.json is due"),
        ({".manifest.json": MANIFEST_V1, "/manifest.json": MANIFEST_V1}, "2 fixtures where one of"),
        ({".sidecar.json": VECTOR}, "0 fixtures where one of"),
    ],
)
def test_a_row_has_one_fixture(corpus, check, files, found):
    status, lines, _ = check(corpus(row(level="manifest"), files))
    assert status == 1
    assert lines[0].startswith(f"family/{STEM}.expect.json: {found}")


@pytest.mark.parametrize(
    "expectation, found",
    [
        (row(comment="no such key"), "not a row, at the root: Additional properties"),
        (row(title=""), "not a row, at /title: ''"),
        (row(loaders=[]), "not a row, at /loaders: []"),
        (row(schema=DROP, why=DROP), "not a row, at the root: 'why' is a required property"),
        (b'{"row": 1, "row": 1}', "not JSON: duplicate key 'row'"),
        ([], "not a row, at the root: [] is not of type 'object'"),
    ],
)
def test_a_malformed_row_is_named(corpus, check, expectation, found):
    corpus(row(), {".sidecar.json": VECTOR})
    folder = corpus(expectation, {".sidecar.json": VECTOR}, stem="row08_malformed")
    status, lines, _ = check(folder)
    assert status == 1
    assert lines[0].startswith(f"family/row08_malformed.expect.json: {found}")
    assert lines[1:] == ["2 rows, 1 fixtures compared, 1 divergences"]


def test_nothing_to_compare_is_a_usage_error(corpus, check, tmp_path):
    assert check(tmp_path / "nowhere")[::2] == (
        2,
        f"cross_check: no row under {tmp_path / 'nowhere'} says what the schema makes of its fixture (0 rows)\n",
    )
    # A row in the plugin format's own style is well-formed, and there is still nothing to compare.
    assert check(corpus(row(schema=DROP), {".sidecar.json": VECTOR}))[0] == 2


@pytest.fixture
def schema_folder(tmp_path):
    return shutil.copytree(DEFAULT_FOLDER, tmp_path / "schemas")


@pytest.mark.parametrize(
    "name, text, replacement, found",
    [
        ("row-v1", '"type": "integer"', '"type": "whole"', "row-v1.schema.json: not a 2020-12 schema"),
        ("sidecar-v1", '"$ref": "#/$defs/role"', '"$ref": "#/$defs/rule"', "sidecar-v1.schema.json: /$defs/argSpec"),
        ("manifest-v1", "sidecar-v1.schema.json#", "sidecar-v9.schema.json#", "manifest-v1.schema.json: /$defs/plugin"),
        ("manifest-v2", "schemas/manifest-v2", "schemas/manifest-v3", "manifest-v2.schema.json: $id is not"),
        ("manifest-v2", "2020-12", "2019-09", "manifest-v2.schema.json: $schema is not"),
    ],
)
def test_a_defect_of_a_schema_is_named(corpus, check, schema_folder, name, text, replacement, found):
    path = schema_folder / f"{name}.schema.json"
    original = path.read_text()
    assert text in original
    path.write_text(original.replace(text, replacement))
    status, lines, _ = check(corpus(row(), {".sidecar.json": VECTOR}), "--schemas", schema_folder)
    assert status == 1
    assert lines[0].startswith(found)


def test_schemas_that_are_not_there_are_a_usage_error(corpus, check, schema_folder, tmp_path):
    folder = corpus(row(), {".sidecar.json": VECTOR})
    (schema_folder / "row-v1.schema.json").unlink()
    status, _, complaint = check(folder, "--schemas", schema_folder)
    assert status == 2 and complaint == f"cross_check: no schema for row-v1 in {schema_folder}\n"
    status, _, complaint = check(folder, "--schemas", tmp_path / "nowhere")
    assert status == 2 and "no *.schema.json in" in complaint
    (schema_folder / "row-v1.schema.json").write_text("{")
    status, _, complaint = check(folder, "--schemas", schema_folder)
    assert status == 2 and "row-v1.schema.json" in complaint
