"""The argument proof against the compiler: what nvcc made of generated signatures is what their sidecars imply, offset by
offset, and a sidecar with one field changed is refused exactly if its block is another."""

import json
import re
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from loader.artifact.signatures import generate
from loader.artifact.signatures.generate import Argument, Signature

ROWLOCK = Path("harness/rowlock").absolute()
ARCHIVE = Path("loader/artifact/signatures/compiled.tar.xz").absolute()
ENTRIES_OF_A_MANIFEST = 40  # of which the findings are not too many for one report

SIGNATURES = list(generate.signatures())
VIEW, HANDLE, INDEX = (40, 8, "struct"), (32, 8, "struct"), (8, 8, "integer")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compiled")
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            (folder / member.name).write_bytes(archive.extractfile(member).read())
    return folder


def artifact(version, container):
    return f"v{version}.ptx" if container == "ptx" else f"v{version}_{container}.cubin"


# --- The block, by the table of the format -------------------------------------------------------------------------


def place_of(argument, signature):
    """Bytes, alignment and what it is, of one parameter."""
    if argument.role == "nsamples":
        return (4, 4, "integer")
    if argument.role == "uniform":
        return place_of_uniform(argument, signature)
    if argument.role == "mutable":
        return VIEW if argument.dtype in ("vector", "matrix") else HANDLE
    return VIEW if argument.role in ("out", "vec_in", "mat_in") else HANDLE


def place_of_uniform(argument, signature):
    if signature.scalar_type == "float32" and (signature.params_schema != 2 or argument.dtype != "int"):
        return (4, 4, "float")
    if signature.params_schema != 2:
        return (8, 8, "number")
    return INDEX if argument.dtype == "int" else (8, 8, "float")


def block_of(signature):
    """Offset, bytes and kind of each parameter."""
    places = [place_of(argument, signature) for argument in signature.arguments]
    places += [INDEX] * 3 if signature.version == 2 else []
    block, end = [], 0
    for size, alignment, kind in places:
        offset = (end + alignment - 1) // alignment * alignment
        block.append((offset, size, kind))
        end = offset + size
    return block


def is_same_block(compiled_as, implied, knows_types):
    """Whether a block serves for another: containers without types cannot tell more than offsets and sizes."""
    if [place[:2] for place in compiled_as] != [place[:2] for place in implied]:
        return False
    kinds = zip(compiled_as, implied)
    return not knows_types or all(due == "number" or is_ == due for (_, _, is_), (_, _, due) in kinds)


# --- What is asked of the program ----------------------------------------------------------------------------------


def rowlock(*words, statuses):
    done = subprocess.run([ROWLOCK, *words], capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert done.returncode in statuses, done.stderr
    return json.loads(done.stdout)


def test_the_signatures_are_of_every_kind():
    assert len(SIGNATURES) == len({signature.kernel for signature in SIGNATURES}) == 200
    assert {signature.version for signature in SIGNATURES} == {1, 2}
    for version in (1, 2):
        of_version = [signature for signature in SIGNATURES if signature.version == version]
        arguments = [argument for signature in of_version for argument in signature.arguments]
        assert {argument.role for argument in arguments} == set(generate.ROLES)
        assert {each.dtype for each in arguments if each.role == "mutable"} == set(generate.MUTABLE_DTYPES)
        assert {(each.scalar_type, each.params_schema) for each in of_version} == {
            (scalar_type, schema) for scalar_type in generate.SCALAR_TYPES for schema in generate.PARAMS_SCHEMAS
        }


@pytest.mark.parametrize("container", ["ptx", "75", "100"])
@pytest.mark.parametrize("version", [1, 2])
def test_the_compiler_agrees_offset_by_offset(compiled, version, container):
    report = rowlock("inspect", "--format", "json", compiled / artifact(version, container), statuses=[0])
    (module,) = report["artifacts"][0]["modules"]
    found = {
        entry["name"]: [(parameter["offset"], parameter["bytes"]) for parameter in entry["parameters"]]
        for entry in module["entries"]
    }
    due = {each.kernel: [place[:2] for place in block_of(each)] for each in SIGNATURES if each.version == version}
    assert found == due


def write_deployment(folder, compiled_file, version, sidecars):
    """One entry a sidecar, all with the same artifact."""
    folder.mkdir()
    (folder / compiled_file.name).hardlink_to(compiled_file)
    manifest = {
        "schema_version": version,
        "pattern": "pure",
        "aether_abi": generate.TAGS[version],
        **({"exec_targets": ["device"], "exec_access": "sample_local"} if version == 2 else {}),
        "plugins": [
            {
                "id": f"plugin_{index}",
                "order": index,
                "enabled": True,
                "artifact": compiled_file.name,
                "sidecar": f"{index}.sidecar.json",
                "format": compiled_file.suffix[1:],
            }
            for index in range(len(sidecars))
        ],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for index, sidecar in enumerate(sidecars):
        (folder / f"{index}.sidecar.json").write_text(json.dumps(sidecar), encoding="utf-8")


def entry_of(finding):
    """The index of the entry that a finding is about."""
    in_manifest = re.match(r"/plugins/(\d+)/", finding["pointer"])
    return int(in_manifest.group(1) if in_manifest else Path(finding["path"]).name.split(".")[0])


def rules_by_sidecar(folder, compiled_file, version, sidecars):
    """For each sidecar the rules of artifacts that refuse it."""
    folder.mkdir()
    refused = [set() for _ in sidecars]
    for begin in range(0, len(sidecars), ENTRIES_OF_A_MANIFEST):
        part = sidecars[begin : begin + ENTRIES_OF_A_MANIFEST]
        write_deployment(folder / f"{begin:05}", compiled_file, version, part)
    report = rowlock("check", "--format", "json", folder, statuses=[0, 1])
    documents = report["documents"]
    assert len(documents) == (len(sidecars) + ENTRIES_OF_A_MANIFEST - 1) // ENTRIES_OF_A_MANIFEST
    for document in documents:
        assert document["findings_dropped"] == 0
        begin = int(Path(document["path"]).parent.name)
        for finding in document["findings"]:
            if finding["rule"].startswith(("artifact.", "load.", "host.")):
                refused[begin + entry_of(finding)].add(finding["rule"])
    return refused


# --- One field changed ---------------------------------------------------------------------------------------------


def with_other_roles(argument, signature):
    """The argument in every role that is passed otherwise, and in one that is passed alike."""
    is_alike_there = False
    for role in generate.ROLES:
        other = Argument(role, argument.name, "float" if role in ("mutable", "uniform") else "")
        is_alike = place_of(other, signature) == place_of(argument, signature)
        if role == argument.role or (is_alike and is_alike_there):
            continue
        is_alike_there |= is_alike
        yield other


def changed_arguments(signature):
    """Every list that differs by one argument dropped, doubled, of another role or dtype, or swapped with the next."""
    for at, argument in enumerate(signature.arguments):
        before, after = signature.arguments[:at], signature.arguments[at + 1 :]
        yield before + after
        yield before + (argument, replace(argument, name=argument.name + "_again")) + after
        for other in with_other_roles(argument, signature):
            yield before + (other,) + after
        dtypes = {"mutable": generate.MUTABLE_DTYPES, "uniform": generate.PARAM_DTYPES}.get(argument.role, ())
        for dtype in dtypes:
            if dtype != argument.dtype:
                yield before + (replace(argument, dtype=dtype),) + after
        if after:
            yield before + (after[0], argument) + after[1:]


def changed(signature: Signature):
    for scalar_type in generate.SCALAR_TYPES:
        if scalar_type != signature.scalar_type:
            yield replace(signature, scalar_type=scalar_type)
    yield replace(signature, version=3 - signature.version)
    for arguments in changed_arguments(signature):
        yield signature.with_arguments(arguments)


def compiled_block(signature):
    """As block_of, with the kinds that the source has, declared or not."""
    return block_of(replace(signature, params_schema=2))


@pytest.mark.parametrize("container", ["ptx", "75"])
@pytest.mark.parametrize("version", [1, 2])
def test_a_changed_sidecar_is_refused_exactly_if_its_block_is(compiled, tmp_path, version, container):
    cases = [
        (signature, case)
        for signature in SIGNATURES
        if signature.version == version
        for case in (signature, *changed(signature))
    ]
    file = compiled / artifact(version, container)
    refused = rules_by_sidecar(tmp_path / "d", file, version, [case.sidecar() for _, case in cases])
    outcomes = {True: 0, False: 0}
    for (signature, case), rules in zip(cases, refused):
        same = is_same_block(compiled_block(signature), block_of(case), container == "ptx")
        layout_is_due = version == 1 and case.version == 2  # and none is exported
        assert bool(rules) != (same and not layout_is_due), f"{signature} as {case}: {rules}"
        outcomes[same] += 1
    assert outcomes[False] > 20 * len(SIGNATURES)
    assert outcomes[True] > len(SIGNATURES)
