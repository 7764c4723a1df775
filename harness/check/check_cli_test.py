"""`rowlock check` as a user meets it: exit statuses, text and JSON, folders, and what is no document at all."""

import json
import os
import re
import resource

import pytest

from check_documents import MANIFEST, SIDECAR, deployment, edited, paths_of, report, run, write

SUMMARY_LINE = re.compile(r"(\d+) documents?, (\d+) accepted, (\d+) refused, (\d+) findings?")
CONTROL_CHARACTER = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


# --- Exit status ---------------------------------------------------------------------------------------------------


def test_nothing_found_is_0(tmp_path):
    path = write(tmp_path / "drag.sidecar.json", SIDECAR)
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert SUMMARY_LINE.fullmatch(done.stdout.splitlines()[-1]).groups() == ("1", "1", "0", "0")
    assert done.stdout.splitlines()[-1] == "1 document, 1 accepted, 0 refused, 0 findings"


def test_a_refusal_is_1(tmp_path):
    path = write(tmp_path / "drag.sidecar.json", edited(SIDECAR, scalar_type="float16"))
    done = run(path)
    assert done.returncode == 1
    assert SUMMARY_LINE.fullmatch(done.stdout.splitlines()[-1]).groups() == ("1", "0", "1", "1")


def test_a_broken_promise_is_1_and_no_refusal(tmp_path):
    path = write(tmp_path / "drag.sidecar.json", edited(SIDECAR, vec_widths={"out": 3}))
    assert run(path).returncode == 1
    value, _ = report(path)
    assert value["summary"]["accepted"] == 1
    assert [finding["tier"] for finding in value["documents"][0]["findings"]] == ["contract"]
    assert run("--tier", "gate", path).returncode == 0


def test_a_path_that_cannot_be_read_is_2_and_the_others_are_judged(tmp_path):
    good = write(tmp_path / "good.sidecar.json", SIDECAR)
    bad = write(tmp_path / "bad.sidecar.json", edited(SIDECAR, pattern="unheard-of"))
    value, status = report(tmp_path / "absent.json", bad, good)
    assert status == 2
    assert ["error" in document for document in value["documents"]] == [True, False, False]
    assert [document.get("verdict") for document in value["documents"]] == [None, "refused", "accepted"]
    assert {key: value["summary"][key] for key in ("documents", "accepted", "refused", "unreadable")} == {
        "documents": 2,
        "accepted": 1,
        "refused": 1,
        "unreadable": 1,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--door", "front", "x.json"],
        ["--door", "contract_checks", "x.json"],
        ["--tier", "some", "x.json"],
        ["--format", "yaml", "x.json"],
        ["--no-such-option", "x.json"],
    ],
    ids=lambda arguments: " ".join(arguments) or "nothing",
)
def test_wrong_usage_is_2_and_prints_no_report(arguments, tmp_path):
    write(tmp_path / "x.json", SIDECAR)
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("rowlock check: ")


def test_an_unknown_door_is_answered_with_the_known_ones(tmp_path):
    done = run("--door", "front", tmp_path)
    for door in ("shared_validator", "vector_host", "host_load_manifest", "py_load_manifest"):
        assert door in done.stderr
    assert "contract_checks" not in done.stderr


def test_help_is_0(tmp_path):
    done = run("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "--door" in done.stdout and "--tier gate|all" in done.stdout and "text|json|sarif" in done.stdout


# --- Doors ---------------------------------------------------------------------------------------------------------


def test_a_door_that_is_for_other_kinds_does_not_count(tmp_path):
    value, status = report(write(tmp_path / "drag.json", SIDECAR))
    assert status == 0
    document = value["documents"][0]
    assert document["doors"] == {
        "shared_validator": "accept",
        "host_add_plugin": "accept",
        "loaded_vector": "accept",
        "loaded_pure": "not-for-this-door",
        "vector_host": "accept",
    }
    assert "not a pure plugin" in document["reasons"]["loaded_pure"]


def test_one_door_alone_decides_and_its_first_refusal_is_shown(tmp_path):
    path = write(tmp_path / "drag.json", edited(SIDECAR, aether_abi="aether-abi/9", scalar_type="float16"))
    value, status = report("--door", "loaded_vector", "--tier", "gate", path)
    assert status == 1
    document = value["documents"][0]
    assert document["doors"] == {"loaded_vector": "refuse"}
    assert [finding["rule"] for finding in document["findings"]] == ["sidecar.abi-tag-unknown"]


def test_at_one_door_a_note_is_a_refusal(tmp_path):
    path = write(tmp_path / "drag.json", SIDECAR)
    value, status = report("--door", "loaded_pure", path)
    assert status == 1
    assert value["documents"][0]["verdict"] == "refused"
    assert [finding["severity"] for finding in value["documents"][0]["findings"]] == ["note"]
    assert ": note: " in run("--door", "loaded_pure", path).stdout


def test_a_door_of_the_other_level_is_2(tmp_path):
    path = write(tmp_path / "drag.json", SIDECAR)
    done = run("--door", "py_load_manifest", path)
    assert done.returncode == 2
    assert "is a sidecar, the door py_load_manifest takes a manifest" in done.stderr


def test_in_a_folder_a_door_is_asked_about_what_it_takes(tmp_path):
    deployment(tmp_path)
    value, status = report("--door", "host_add_plugin", tmp_path)
    assert status == 0
    assert [document["kind"] for document in value["documents"]] == ["sidecar"]
    value, status = report("--door", "py_load_manifest", tmp_path)
    assert status == 0
    assert [document["kind"] for document in value["documents"]] == ["manifest"]


def test_at_a_sidecar_s_door_every_sidecar_of_a_folder_is_judged(tmp_path):
    deployment(tmp_path, plugins=[edited(MANIFEST["plugins"][0], sidecar=name) for name in ("drag.json", "parts/b.json")])
    write(tmp_path / "parts" / "b.json", "{")
    write(tmp_path / "parts" / "unnamed.json", "{")
    write(tmp_path / "lift.sidecar.json", SIDECAR)
    value, status = report("--door", "shared_validator", ".", cwd=tmp_path)
    assert status == 1
    assert [(document["path"], document["verdict"]) for document in value["documents"]] == [
        ("./drag.json", "accepted"),
        ("./lift.sidecar.json", "accepted"),
        ("./parts/b.json", "refused"),
    ]


# --- Folders -------------------------------------------------------------------------------------------------------


def test_a_deployment_is_judged_through_its_manifest(tmp_path):
    deployment(tmp_path)
    value, status = report(".", cwd=tmp_path)
    assert status == 0
    assert paths_of(value) == ["./manifest.json"]
    broken = write(tmp_path / "drag.json", edited(SIDECAR, arg_spec=[["Out", "out"]]))
    value, status = report(".", cwd=tmp_path)
    assert status == 1
    assert paths_of(value) == ["./manifest.json"]
    assert {finding["path"] for finding in value["documents"][0]["findings"]} == {f"./{broken.name}"}


def test_a_folder_is_walked_in_order_and_without_what_is_no_document(tmp_path):
    deployment(tmp_path / "b")
    write(tmp_path / "b" / "lonely.json", SIDECAR)
    write(tmp_path / "b" / "settings.json", {"colour": "red"})
    write(tmp_path / "b" / "broken.json", "{")
    write(tmp_path / "b" / "x.expect.json", SIDECAR)
    write(tmp_path / "b" / ".hidden.sidecar.json", SIDECAR)
    write(tmp_path / ".git" / "y.sidecar.json", SIDECAR)
    write(tmp_path / "a" / "one.sidecar.json", SIDECAR)
    write(tmp_path / "a" / "two.json", SIDECAR)  # no manifest beside it
    write(tmp_path / "z.manifest.json", edited(MANIFEST, plugins=[]))
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    value, _ = report(".", cwd=tmp_path)
    assert paths_of(value) == [
        "./z.manifest.json",
        "./a/one.sidecar.json",
        "./b/manifest.json",
        "./b/lonely.json",
    ]


def test_in_the_folder_itself_a_document_is_told_by_its_keys(tmp_path):
    write(tmp_path / "drag.json", SIDECAR)
    write(tmp_path / "settings.json", {"colour": "red"})
    write(tmp_path / "list.json", [SIDECAR])
    write(tmp_path / "below" / "lift.json", SIDECAR)
    value, status = report(".", cwd=tmp_path)
    assert (paths_of(value), status) == (["./drag.json"], 0)
    write(tmp_path / "set.json", MANIFEST)  # its sidecar is judged with it
    write(tmp_path / "drag.ptx", "artifact")
    write(tmp_path / "alone.json", {"kernel": "k"})
    value, status = report(".", cwd=tmp_path)
    assert (paths_of(value), status) == (["./set.json", "./alone.json"], 1)
    assert value["documents"][0]["kind"] == "manifest"


def test_a_folder_of_other_json_is_2(tmp_path):
    write(tmp_path / "settings.json", {"colour": "red", "blocks": []})
    done = run(tmp_path)
    assert done.returncode == 2
    assert "holds no manifest and no sidecar" in done.stderr


def test_a_sidecar_in_a_folder_below_its_manifest_is_judged_once(tmp_path):
    plugin = edited(MANIFEST["plugins"][0], sidecar="./parts//drag.sidecar.json")
    deployment(tmp_path, plugins=[plugin])
    (tmp_path / "drag.json").unlink()
    write(tmp_path / "parts" / "drag.sidecar.json", SIDECAR)
    write(tmp_path / "parts" / "other.sidecar.json", SIDECAR)
    value, status = report(".", cwd=tmp_path)
    assert status == 0
    assert paths_of(value) == ["./manifest.json", "./parts/other.sidecar.json"]


def test_kernels_of_a_neural_set_are_judged_in_either_tier(tmp_path):
    block = {
        "schema_version": 1,
        "pattern": "neural_block",
        "scalar_type": "float64",
        "kernel": "block",
        "forward_exec": {"kind": "kernel", "kernel": "drag"},
        "vjp_exec": {"kind": "kernel", "kernel": "drag"},
        "in_degree": 2,
        "out_degree": 1,
        "input_width": 2,
        "output_width": 1,
        "state_width": 2,
        "param_width": 0,
        "scatter_policy": "accumulate",
        "arg_spec": [],
    }
    deployment(tmp_path, pattern="neural_block", blocks=[block])
    write(tmp_path / "drag.json", edited(SIDECAR, arg_spec=[["Out", "out"]]))
    # The contract checks open the kernels with the set; without them each is a document of its own.
    for tier, paths, rule in (
        ("all", ["./manifest.json"], "manifest.kernel-refused"),
        ("gate", ["./manifest.json", "./drag.json"], "sidecar.role-unknown"),
    ):
        value, status = report("--tier", tier, ".", cwd=tmp_path)
        assert (tier, status) == (tier, 1)
        assert paths_of(value) == paths
        rules = [finding["rule"] for document in value["documents"] for finding in document["findings"]]
        assert rule in rules
    (tmp_path / "drag.json").unlink()
    value, status = report(".", cwd=tmp_path)
    assert status == 1
    assert "manifest.kernel-refused" in [finding["rule"] for finding in value["documents"][0]["findings"]]


def test_a_folder_without_documents_is_2(tmp_path):
    write(tmp_path / "notes.txt", "nothing")
    done = run(tmp_path)
    assert done.returncode == 2
    assert "holds no manifest and no sidecar" in done.stderr


def test_folders_deeper_than_the_bound_are_named_and_the_rest_is_judged(tmp_path):
    deep = tmp_path.joinpath(*["d"] * 33)
    write(deep / "deep.sidecar.json", SIDECAR)
    write(deep.parent / "reached.sidecar.json", SIDECAR)
    done = run(".", cwd=tmp_path)
    assert done.returncode == 2
    assert "more than 32 folders in folders" in done.stderr
    assert "1 document, 1 accepted" in done.stdout


# --- What is no document -------------------------------------------------------------------------------------------


def test_pipes_folders_and_devices_are_refused_without_waiting(tmp_path):
    pipe = tmp_path / "pipe.sidecar.json"
    os.mkfifo(pipe)
    os.mkfifo(tmp_path / "pipe.json")
    deployment(tmp_path)
    for arguments in ([pipe], ["/dev/null"], [tmp_path]):
        done = run(*arguments, timeout=60)
        assert done.returncode == 2, arguments
        assert "it is not a regular file" in done.stderr
    assert "1 document, 1 accepted" in run(tmp_path).stdout


def test_paths_that_lead_nowhere_are_2_each_with_its_cause(tmp_path):
    os.symlink("loop.sidecar.json", tmp_path / "loop.sidecar.json")
    os.symlink("gone", tmp_path / "dangling.sidecar.json")
    write(tmp_path / "file", "text")
    value, status = report("loop.sidecar.json", "dangling.sidecar.json", "file/a.json", "", cwd=tmp_path)
    assert status == 2
    causes = [document["error"].rsplit(": ", 1)[1] for document in value["documents"]]
    assert causes[:3] == ["Too many levels of symbolic links", "No such file or directory", "Not a directory"]
    value, status = report(".", cwd=tmp_path)
    assert (status, value["summary"]["unreadable"]) == (2, 2)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe{\0}\0", b'{"kernel": "\x1b[2J"}', b"[1]"])
def test_a_file_that_is_no_json_object_is_refused(content, tmp_path):
    path = tmp_path / "drag.sidecar.json"
    path.write_bytes(content)
    value, status = report(path)
    assert status == 1
    document = value["documents"][0]
    assert (document["kind"], document["verdict"], document["doors"]) == (None, "refused", {})
    assert [finding["class"] for finding in document["findings"]] == ["reading"]
    value, status = report("--door", "py_load_manifest", path)
    assert status == 1
    assert value["documents"][0]["doors"] == {"py_load_manifest": "refuse"}


# --- Text ----------------------------------------------------------------------------------------------------------


def test_text_has_findings_as_compilers_print_them_and_a_table(tmp_path):
    deployment(tmp_path)
    (tmp_path / "drag.ptx").unlink()
    write(tmp_path / "other.sidecar.json", edited(SIDECAR, scalar_type="float16"))
    done = run(".", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0] == "./manifest.json: manifest, schema v1, pattern vector, 1 plugin: accepted, 1 finding"
    assert re.fullmatch(r"\./manifest\.json:\d+:\d+: warning: .*'drag\.ptx'.* \[manifest\.artifact-missing\]", lines[1])
    assert "  accepted by host_load_manifest, device_load_manifest, cpp_load_manifest, py_load_manifest" in lines
    assert any(re.fullmatch(r"\./other\.sidecar\.json:\d+:\d+: error: .* \[sidecar\..*\]", line) for line in lines)
    assert any(line.startswith("  refused by shared_validator, ") for line in lines)
    assert any(line.startswith("  not for loaded_pure: ") for line in lines)
    assert lines[-3].split() == ["./manifest.json", "manifest", "accepted", "4", "of", "4", "0", "1", "0", "0"]
    assert lines[-2].split() == ["./other.sidecar.json", "sidecar", "refused", "0", "of", "4", "1", "0", "0", "0"]
    assert lines[-1] == "2 documents, 1 accepted, 1 refused, 2 findings"


def test_the_table_of_many_documents_holds_what_needs_a_look(tmp_path):
    for index in range(80):
        write(tmp_path / f"{index:02}.sidecar.json", edited(SIDECAR, kernel="" if index % 40 == 7 else "k"))
    write(tmp_path / "50b.sidecar.json", "{")
    lines = run(".", cwd=tmp_path).stdout.splitlines()
    heading = next(number for number, line in enumerate(lines) if line.startswith("document "))
    rows = [line.split()[0] for line in lines[heading + 1 : -2]]
    assert rows == ["./07.sidecar.json", "./47.sidecar.json", "./50b.sidecar.json"]
    assert lines[-2] == "(of 81 documents, 3 of the 3 that need a look)"


def test_more_findings_than_are_kept_are_counted(tmp_path):
    path = write(tmp_path / "drag.sidecar.json", edited(SIDECAR, arg_spec=[["Out", str(i)] for i in range(1500)]))
    assert "more findings: only the first 1000 of a document are kept" in run("--tier", "gate", path).stdout
    value, _ = report("--tier", "gate", path)
    assert len(value["documents"][0]["findings"]) == 1000
    assert value["documents"][0]["findings_dropped"] > 0
    assert value["summary"]["findings"] == 1000 + value["documents"][0]["findings_dropped"]


@pytest.mark.parametrize("name", ["\x1b]0;title\x07", "line\nbreak", "\u009b2J", b"\x9b2J\xff", "\u202e", "a'b\"c\\d"])
@pytest.mark.parametrize("output", ["text", "json", "sarif"])
def test_names_cannot_control_a_terminal(name, output, tmp_path):
    folder = os.path.join(os.fsencode(tmp_path), os.fsencode(name))
    os.mkdir(folder)
    for file, document in ((b"a.sidecar.json", SIDECAR), (b"b.sidecar.json", "{"), (b"manifest.json", MANIFEST)):
        with open(os.path.join(folder, file), "w", encoding="utf-8") as stream:
            stream.write(document if isinstance(document, str) else json.dumps(document))
    done = run("--format", output, folder, os.path.join(folder, b"absent.json"))
    assert done.returncode == 2
    for stream in (done.stdout, done.stderr):
        assert not CONTROL_CHARACTER.search(stream)
        for line in stream.splitlines():
            assert not line.startswith("break")
    if output != "text":
        json.loads(done.stdout)
    if output == "json" and isinstance(name, str):
        assert json.loads(done.stdout)["documents"][0]["path"] == os.fsdecode(folder) + "/manifest.json"


UNSEEN = "\x01\n\x7f\x9b\u200b\u202e\u2066\ufeff"


def test_keys_are_escaped_in_text_and_exact_in_json(tmp_path):
    path = write(tmp_path / "drag.json", edited(SIDECAR, vec_widths=SIDECAR["vec_widths"] | {f"a~/{UNSEEN}b": 0}))
    value, _ = report(path)
    assert {finding["pointer"] for finding in value["documents"][0]["findings"]} == {f"/vec_widths/a~0~1{UNSEEN}b"}
    text = run(path).stdout
    assert r"'a~/\u0001\u000A\u007F\u009B\u200B\u202E\u2066\uFEFFb'" in text
    assert not set(UNSEEN) - {"\n"} & set(text)


# --- Many documents ------------------------------------------------------------------------------------------------


def limited(kibibytes):
    """For a child process: no more heap and static data than this."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_DATA, (kibibytes << 10, kibibytes << 10))}


def entries(count, **changes):
    """Entries of a manifest; a change that is callable gives the value by index."""
    original = MANIFEST["plugins"][0]
    for index in range(count):
        yield original | {"id": str(index), "order": index} | {
            key: value(index) if callable(value) else value for key, value in changes.items()
        }


def bad_roles(count):
    return edited(SIDECAR, arg_spec=[["Out", str(index)] for index in range(count)])


LIMIT = 4096  # of a manifest's entries
WRONG = {"id": 0, "order": "0", "enabled": 0, "artifact": 0, "format": 0}

# Each took more than these seconds of processor time, or minutes, while its work was not bounded by its bytes.
SECONDS = 2

CROWDS = {
    "one large sidecar of many entries": ({"plugins": list(entries(59))}, bad_roles(20000)),
    "one sidecar, spelled in a thousand ways": (
        {"plugins": list(entries(LIMIT, sidecar=lambda index: "./" * (index % 1000) + "drag.json"))},
        bad_roles(4000),
    ),
    "one sidecar, deep in folders": ({"plugins": list(entries(LIMIT, sidecar="a/" * 300 + "drag.json"))}, SIDECAR),
    "ids that are alike": ({"plugins": list(entries(LIMIT, id=lambda index: "x" * 3800 + f"{index:05}"))}, SIDECAR),
    "many keys around few": (
        {str(key): 0 for key in range(900000)}
        | MANIFEST
        | {"plugins": list(entries(LIMIT, format="cubin"))},
        SIDECAR,
    ),
    "entries of many keys": (
        {"plugins": [{str(key): 0 for key in range(200)} | entry for entry in entries(LIMIT)]},
        SIDECAR,
    ),
    "defects in reverse, behind a long text": (
        {"plugins": [dict(notes="x" * 15000000, **MANIFEST["plugins"][0])]
        + [dict(reversed(entry.items())) for entry in entries(LIMIT - 1, **WRONG)]},
        SIDECAR,
    ),
    "many arguments": (
        {},
        edited(
            SIDECAR,
            arg_spec=[["lookup", "x" * 1800 + f"{index:05}"] for index in range(LIMIT)],
            buffers=[{"name": "x" * 1800 + f"{index:05}"} for index in reversed(range(LIMIT))],
        ),
    ),
}


@pytest.mark.parametrize("crowd", CROWDS)
def test_the_time_is_bounded_by_the_bytes(crowd, tmp_path):
    changes, sidecar = CROWDS[crowd]
    deployment(tmp_path)
    write(tmp_path / "manifest.json", json.dumps(changes | {key: MANIFEST[key] for key in MANIFEST.keys() - changes}))
    write(tmp_path / changes.get("plugins", MANIFEST["plugins"])[0]["sidecar"], json.dumps(sidecar))
    done = run(
        "--format",
        "json",
        "manifest.json",
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["summary"]["documents"] == 1


def test_a_defect_that_is_not_listed_counts_once_whatever_doors_see_it(tmp_path):
    count = 5000
    deployment(tmp_path, plugins=list(entries(3)))
    write(tmp_path / "drag.json", edited(bad_roles(count), vector_inputs=[], params=[], vec_widths={}))
    value, status = report("--tier", "gate", tmp_path / "manifest.json")
    assert status == 1
    assert value["summary"]["findings"] == count
    assert value["documents"][0]["findings_dropped"] == count - len(value["documents"][0]["findings"])
    assert len(value["documents"][0]["findings"][0]["doors"]) == 4


# One document takes a third less. The rules, which SARIF lists, are in memory once.
MEMORY_KIB = {"text": 1536, "json": 1536, "sarif": 2048}


@pytest.mark.parametrize("output", MEMORY_KIB)
def test_twenty_thousand_documents_in_one_call_need_no_more_memory_than_one(output, tmp_path):
    count = 20000
    original = write(tmp_path / "drag.sidecar.json", SIDECAR)
    refused = write(tmp_path / "refused.sidecar.json", edited(SIDECAR, scalar_type="float16"))
    # Long enough that keeping each document's path would pass the limit.
    names = [f"{index:060}.json" for index in range(count)]
    for index, name in enumerate(names):
        os.symlink(refused if index % 100 == 0 else original, tmp_path / name)
    done = run("--format", output, *names, cwd=tmp_path, **limited(MEMORY_KIB[output]))
    assert done.returncode == 1, done.stderr
    if output == "text":
        assert done.stdout.splitlines()[-1] == "20000 documents, 19800 accepted, 200 refused, 200 findings"
        assert done.stdout.splitlines()[-2] == "(of 20000 documents, 50 of the 200 that need a look)"
    elif output == "json":
        assert len(json.loads(done.stdout)["documents"]) == count
    else:
        assert len(json.loads(done.stdout)["runs"][0]["results"]) == 200


@pytest.mark.parametrize("output", MEMORY_KIB)
def test_memory_that_runs_out_is_3_and_what_was_written_is_whole(output, tmp_path):
    write(tmp_path / "a.json", SIDECAR)
    write(tmp_path / "b.json", edited(SIDECAR, notes="x" * (8 << 20)))
    done = run("--format", output, "a.json", "b.json", cwd=tmp_path, **limited(MEMORY_KIB[output]))
    assert done.returncode == 3
    assert "no memory" in done.stderr
    if output == "text":
        assert done.stdout.splitlines()[-1] == "1 document, 1 accepted, 0 refused, 0 findings"
    else:
        json.loads(done.stdout)
