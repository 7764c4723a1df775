"""The C reader of launched rows against the schema: what each says of a row, alone in a corpus that rowlock reads."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from document_edits import LAUNCHED, edited
from launch_cases import BEYOND_THE_SCHEMA, LAUNCH_ACCEPTED, LAUNCH_ACCEPTED_LONG, LAUNCH_REFUSED, UNLAUNCHED
from schema_cases import label
from schema_set import DEFAULT_FOLDER, SchemaSet

ROWLOCK = Path("harness/rowlock").absolute()
TIMEOUT_S = 60
STEM = f"row{LAUNCHED['row']}_case"
# Nobody here judges for it: rows are read, and nothing is launched.
READ_ALONE = ("/loaders", ["launcher_of_another_program"])
SCHEMAS = SchemaSet.load(DEFAULT_FOLDER)


@pytest.fixture
def reader(tmp_path):
    """What the reader has against a row."""
    deployment = tmp_path / "deployments" / LAUNCHED["deployment"]

    def defects(row):
        row = edited(row, READ_ALONE)
        # Without spaces: the longest cases are near the limit of a row's file.
        text = json.dumps(row, allow_nan=False, separators=(",", ":"))
        (tmp_path / f"{STEM}.expect.json").write_text(text)
        (tmp_path / f"{STEM}.manifest.json").write_text("{}")
        if "deployment" in row:
            deployment.mkdir(parents=True)
            (deployment / "manifest.json").write_text("{}")
        run = subprocess.run([ROWLOCK, "run", tmp_path], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        found = re.findall(rf"^.*/{STEM}\.expect\.json:(.*)$", run.stderr, re.MULTILINE)
        outcome = "the corpus is malformed" if found else "nothing was judged"
        assert run.returncode == 2 and f"rowlock run: {outcome}: " in run.stderr
        return found

    return defects


@pytest.mark.parametrize("case", LAUNCH_REFUSED + BEYOND_THE_SCHEMA, ids=label)
def test_refused(reader, case):
    _, document, *edits = case
    assert reader(edited(document, *edits)) != []


@pytest.mark.parametrize("case", LAUNCH_ACCEPTED + LAUNCH_ACCEPTED_LONG, ids=label)
def test_accepted(reader, case):
    _, document, *edits = case
    assert reader(edited(document, *edits)) == []


# Each object with a closed set of keys: where its schema is, and edits that add a key to it.
OBJECTS = [
    ("", [("/novelty", 1)]),
    ("/properties/limits", [("/limits/novelty", 1)]),
    ("/properties/machine", [*UNLAUNCHED, ("/machine", {"novelty": 1})]),
    ("/$defs/launch", [("/launch/novelty", 1)]),
    ("/$defs/gate", [("/launch/gate/novelty", 1)]),
    ("/$defs/array", [("/launch/inputs/velocity/novelty", 1)]),
    *[
        (f"/$defs/array/properties/{kind}", [("/launch/inputs/velocity", {kind: {**parameters, "novelty": 1}})])
        for kind, parameters in {"range": {}, "linspace": {}, "uniform": {"seed": 1}, "normal": {"seed": 1}}.items()
    ],
]


@pytest.mark.parametrize("pointer, edits", OBJECTS, ids=[pointer or "root" for pointer, _ in OBJECTS])
def test_the_same_keys_are_known(reader, pointer, edits):
    (complaint,) = reader(edited(LAUNCHED, *edits))
    known = re.search(r"unknown key 'novelty' \(known: (.*?)\)", complaint).group(1).split(", ")
    due = set(SCHEMAS.at("row-v1", f"{pointer}/properties"))
    if pointer == "/properties/limits":
        due -= set(SCHEMAS.at("row-v1", "/then/properties/limits/properties"))  # not of launched rows
    assert sorted(known) == sorted(due)
