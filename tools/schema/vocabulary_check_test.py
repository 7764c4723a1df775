"""The vocabulary check against a stand-in for rowlock that prints what a test wants the C tables to hold."""

import json
from copy import deepcopy

import pytest

import vocabulary_check
from schema_set import DEFAULT_FOLDER, SchemaSet

SCHEMAS = SchemaSet.load(DEFAULT_FOLDER)


def agreeing():
    """The C side that the schemas agree with, taken from the first place of each vocabulary."""
    vocabularies = vocabulary_check.VOCABULARIES
    return {name: vocabulary_check.values_at(SCHEMAS, places[0])[0] for name, places in vocabularies.items()}


def found(c_side, **tables):
    return list(vocabulary_check.differences(c_side, SCHEMAS, **tables))


def test_equal_sides_have_no_differences_whatever_the_order():
    assert found({name: values[::-1] for name, values in agreeing().items()}) == []


def test_the_table_holds_what_the_format_says():
    """Spot checks against the format's own counts, since the C side of the other tests comes from the schemas."""
    counts = {name: len(values) for name, values in agreeing().items()}
    assert counts["arg-role"] == 12
    assert counts["pattern"] == counts["launchable-pattern"] + 1 == 3
    assert counts["descriptor-required"] == 8
    assert counts["descriptor-integer"] == counts["descriptor-forbidden"] == 6
    assert counts["row-level"] == counts["launched-row-level"] + 4 == 7
    assert counts["array-fill"] == 9 and counts["array-binding"] == 6
    assert all(counts.values())


@pytest.mark.parametrize("name", vocabulary_check.VOCABULARIES)
def test_each_vocabulary_is_compared_both_ways(name):
    c_side = agreeing()
    value = c_side[name].pop()
    c_side[name].append("novelty")
    lines = found(c_side)
    assert f"{name}: 'novelty' is in the C table and not at " in lines[0]
    assert any(line.startswith(f"{name}: '{value}' is at ") and line.endswith(" not in the C table") for line in lines)
    assert {line.partition(":")[0] for line in lines} == {name}


@pytest.mark.parametrize("place", [1, 0])
def test_each_place_of_a_vocabulary_is_compared(place):
    documents = deepcopy(SCHEMAS.documents)
    if place == 0:
        documents["sidecar-v1"]["$defs"]["kernelSidecar"]["properties"]["aether_abi"]["enum"].pop()
    else:
        documents["manifest-v2"]["properties"]["aether_abi"]["const"] = "aether-abi/1"
    lines = list(vocabulary_check.differences(agreeing(), SchemaSet(documents)))
    pointer = vocabulary_check.VOCABULARIES["aether-abi"][place][-1]
    assert any(line.startswith("aether-abi: 'aether-abi/2' is in the C table") and pointer in line for line in lines)


def test_a_value_twice_is_a_difference():
    c_side = agreeing()
    c_side["scalar-type"].append("float64")
    assert found(c_side) == ["scalar-type: 'float64' is 2 times in the C table"]


def test_a_vocabulary_on_one_side_needs_a_reason():
    only_in_c = {**agreeing(), "memory-space": ["host"]}
    assert found(only_in_c) == ["memory-space: the C tables have it, the schemas do not"]
    assert found(only_in_c, one_sided={"memory-space": "loaders alone use it"}) == []
    only_in_schemas = agreeing()
    del only_in_schemas["row-level"]
    assert found(only_in_schemas) == ["row-level: the schemas have it, the C tables do not"]
    assert found(only_in_schemas, one_sided={"row-level": "rows are no plugin documents"}) == []


@pytest.mark.parametrize("name", ["arg-role", "no-such-thing"])
def test_a_reason_that_no_longer_holds_is_a_difference(name):
    assert found(agreeing(), one_sided={name: "once true"}) == [f"{name}: listed as one-sided (once true), and is not"]


def test_a_place_that_is_gone_is_a_difference():
    documents = deepcopy(SCHEMAS.documents)
    documents["sidecar-v1"]["$defs"]["buffer"]["properties"]["kind"] = {"enum": ["lookup"]}
    lines = list(vocabulary_check.differences(agreeing(), SchemaSet(documents)))
    assert "buffer-kind: nothing at sidecar-v1#/$defs/buffer/properties/kind/const" in lines


def test_a_list_that_no_vocabulary_names_is_a_difference():
    documents = deepcopy(SCHEMAS.documents)
    documents["manifest-v2"]["properties"]["exec_mode"] = {"enum": ["eager", "lazy"]}
    assert list(vocabulary_check.differences(agreeing(), SchemaSet(documents))) == [
        "manifest-v2#/properties/exec_mode/enum: a list of strings that no vocabulary names"
    ]
    role = "sidecar-v1#/$defs/role/enum"
    exempt = {**vocabulary_check.NO_VOCABULARY, role: "said in error", "row-v1#/gone/enum": "was there once"}
    assert found(agreeing(), no_vocabulary=exempt) == [
        "row-v1#/gone/enum: listed as no vocabulary (was there once), and there is no such list",
        f"{role}: listed as no vocabulary (said in error), and one names it",
    ]


@pytest.fixture
def rowlock(tmp_path):
    """Writes a program that answers `rules --vocabulary --format json` with the text, and nothing else."""

    def write(text, status=0):
        program = tmp_path / "rowlock"
        program.write_text(
            "#!/bin/sh\n"
            'if [ "$*" != "rules --vocabulary --format json" ]; then echo "usage" >&2; exit 2; fi\n'
            f"cat <<'END'\n{text}\nEND\necho 'as told' >&2\nexit {status}\n"
        )
        program.chmod(0o755)
        return program

    return write


def test_exit_status_and_output(rowlock, capsys):
    count = len(vocabulary_check.VOCABULARIES)
    assert vocabulary_check.main(["--rowlock", str(rowlock(json.dumps(agreeing())))]) == 0
    assert capsys.readouterr().out == f"{count} vocabularies, 0 differences\n"
    assert vocabulary_check.main(["--rowlock", str(rowlock(json.dumps({**agreeing(), "pattern": ["pure"]})))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("pattern: 'neural_block' is at ") and lines[-1].endswith(" 2 differences")


@pytest.mark.parametrize(
    "text, status, complaint",
    [
        ("{}", 3, "ended with 3: as told"),
        ("no json", 0, "Expecting value"),
        ("[]", 0, "something else than lists"),
        ('{"pattern": "pure"}', 0, "something else than lists"),
        ('{"pattern": [1]}', 0, "something else than lists"),
    ],
)
def test_an_answer_that_cannot_be_used_is_no_agreement(rowlock, capsys, text, status, complaint):
    assert vocabulary_check.main(["--rowlock", str(rowlock(text, status))]) == 2
    assert complaint in capsys.readouterr().err


def test_a_missing_program_is_no_agreement(tmp_path, capsys):
    assert vocabulary_check.main(["--rowlock", str(tmp_path / "rowlock")]) == 2
    assert "rowlock" in capsys.readouterr().err
