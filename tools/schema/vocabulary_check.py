"""Compares the vocabularies of the C tables with those of the JSON Schemas.

The C side is what `rowlock rules --vocabulary --format json` prints: one object, vocabulary name to list of values.
Prints one line for each difference. Exit status: 0 none, 1 some, 2 unusable input.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

import strict_json
from schema_set import DEFAULT_FOLDER, SchemaSet, subschemas

TIMEOUT_S = 60

# Vocabulary: every place in the schemas that spells it out, as "schema#pointer". A pointer leads to a list of values,
# to an object whose keys are the values, or to a single value. A place that takes several pointers is their union.
Place = tuple[str, ...]
VOCABULARIES: dict[str, tuple[Place, ...]] = {
    "arg-role": (("sidecar-v1#/$defs/role/enum",),),
    "pattern": (("sidecar-v1#/$defs/kernelPattern/enum", "neural-block-v1#/$defs/pattern/const"),),
    "launchable-pattern": (("sidecar-v1#/$defs/kernelPattern/enum",),),
    "scalar-type": (("sidecar-v1#/$defs/kernelSidecar/properties/scalar_type/enum",),),
    "descriptor-scalar-type": (("neural-block-v1#/$defs/base/properties/scalar_type/enum",),),
    "artifact-format": (("sidecar-v1#/$defs/artifactFormat/enum",),),
    "buffer-kind": (("sidecar-v1#/$defs/buffer/properties/kind/const",),),
    "buffer-dtype": (("sidecar-v1#/$defs/buffer/properties/dtype/const",),),
    "mutable-dtype": (("sidecar-v1#/$defs/mutable/properties/dtype/enum",),),
    "param-dtype": (("sidecar-v1#/$defs/typedParam/properties/dtype/enum",),),
    "derivative-kind": (("sidecar-v1#/$defs/derivative/properties/kind/enum",),),
    "aether-abi": (
        ("sidecar-v1#/$defs/kernelSidecar/properties/aether_abi/enum",),
        ("manifest-v1#/properties/aether_abi/const", "manifest-v2#/properties/aether_abi/const"),
    ),
    "exec-target": (("manifest-v2#/properties/exec_targets/items/enum",),),
    "access-class": (("manifest-v2#/properties/exec_access/enum",),),
    "reduction-op": (("manifest-v2#/properties/exec_op/enum",),),
    "scatter-policy": (("neural-block-v1#/properties/scatter_policy/enum",),),
    "exec-reference-kind": (("neural-block-v1#/$defs/execReference/properties/kind/const",),),
    "descriptor-required": (("neural-block-v1#/required",),),
    "descriptor-integer": (("neural-block-v1#/$defs/integers/properties",),),
    "descriptor-forbidden": (("neural-block-v1#/$defs/forbidden/properties",),),
    "descriptor-exec": (("neural-block-v1#/$defs/execLegs/properties",),),
    "row-level": (("row-v1#/properties/level/enum",),),
    "launched-row-level": (("row-v1#/if/properties/level/enum",),),
    "structure": (("row-v1#/$defs/launch/properties/structures/items/enum",),),
    "comparison": (("row-v1#/$defs/launch/properties/compare/items/enum",),),
    "array-dtype": (("row-v1#/$defs/array/properties/dtype/enum",),),
    "array-binding": (("row-v1#/$defs/array/properties/as/enum",),),
    "array-fill": (tuple(f"row-v1#/$defs/array/oneOf/{fill}/required" for fill in range(9)),),
    "gate-mode": (("row-v1#/$defs/gate/properties/mode/enum",),),
    "gate-nan": (("row-v1#/$defs/gate/properties/nan/enum",),),
    "gate-zero": (("row-v1#/$defs/gate/properties/zero/enum",),),
    "gate-denormal": (("row-v1#/$defs/gate/properties/denormal/enum",),),
}

# Vocabularies that one side alone has, each with its reason. An entry that is no longer true is a difference too.
ONE_SIDED: dict[str, str] = {}

# Lists of strings in the schemas that are no vocabulary of the C tables, each with its reason.
NO_VOCABULARY: dict[str, str] = {
    "row-v1#/$defs/expect/enum": "an outcome is a type of its own in C, not a table",
    "row-v1#/properties/schema/enum": "an outcome and 'absent', which only this tool computes",
}


def differences(
    c_side: Mapping[str, list[str]],
    schemas: SchemaSet,
    vocabularies: Mapping[str, tuple[Place, ...]] = VOCABULARIES,
    one_sided: Mapping[str, str] = ONE_SIDED,
    no_vocabulary: Mapping[str, str] = NO_VOCABULARY,
) -> Iterator[str]:
    yield from _names_without_a_counterpart(set(c_side), set(vocabularies), one_sided)
    for name in sorted(vocabularies):
        for place in vocabularies[name]:
            values, dead = values_at(schemas, place)
            yield from (f"{name}: nothing at {pointer}" for pointer in dead)
            if name in c_side and not dead:
                yield from (f"{name}: {difference}" for difference in _compare(c_side[name], values, place))
    yield from _unlisted_enums(schemas, vocabularies, no_vocabulary)


def _names_without_a_counterpart(in_c: set[str], in_schemas: set[str], one_sided: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(in_c - in_schemas - set(one_sided)):
        yield f"{name}: the C tables have it, the schemas do not"
    for name in sorted(in_schemas - in_c - set(one_sided)):
        yield f"{name}: the schemas have it, the C tables do not"
    for name in sorted(set(one_sided) - (in_c ^ in_schemas)):
        yield f"{name}: listed as one-sided ({one_sided[name]}), and is not"


def values_at(schemas: SchemaSet, place: Place) -> tuple[list[str], list[str]]:
    """The values that a place spells out, and those of its pointers that lead nowhere."""
    values: list[str] = []
    dead = []
    for pointer in place:
        schema, _, path = pointer.partition("#")
        try:
            found = schemas.at(schema, path)
        except KeyError:
            dead.append(pointer)
            continue
        values.extend([found] if isinstance(found, str) else found)
    return values, dead


def _compare(in_c: list[str], in_schemas: list[str], place: Place) -> Iterator[str]:
    where = " + ".join(place)
    for value in sorted(set(in_c) - set(in_schemas)):
        yield f"'{value}' is in the C table and not at {where}"
    for value in sorted(set(in_schemas) - set(in_c)):
        yield f"'{value}' is at {where} and not in the C table"
    for value, count in sorted(Counter(in_c).items()):
        if count > 1:
            yield f"'{value}' is {count} times in the C table"
    for value, count in sorted(Counter(in_schemas).items()):
        if count > 1:
            yield f"'{value}' is {count} times at {where}"


def _unlisted_enums(
    schemas: SchemaSet, vocabularies: Mapping[str, tuple[Place, ...]], no_vocabulary: Mapping[str, str]
) -> Iterator[str]:
    """A new list of strings in a schema has to be put in one of the two tables above."""
    listed = {pointer for places in vocabularies.values() for place in places for pointer in place}
    enums = {
        f"{name}#{pointer}/enum"
        for name, document in schemas.documents.items()
        for pointer, schema in subschemas(document)
        if all(isinstance(value, str) for value in schema.get("enum", [None]))
    }
    for pointer in sorted(enums - listed - set(no_vocabulary)):
        yield f"{pointer}: a list of strings that no vocabulary names"
    for pointer in sorted(set(no_vocabulary) - enums):
        yield f"{pointer}: listed as no vocabulary ({no_vocabulary[pointer]}), and there is no such list"
    for pointer in sorted(set(no_vocabulary) & listed):
        yield f"{pointer}: listed as no vocabulary ({no_vocabulary[pointer]}), and one names it"


def vocabularies_of(rowlock: Path) -> dict[str, list[str]]:
    """What the C tables hold. ValueError or OSError if the program does not say."""
    command = [str(rowlock.absolute()), "rules", "--vocabulary", "--format", "json"]
    try:
        run = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{rowlock} did not answer in {TIMEOUT_S} s") from error
    if run.returncode != 0:
        raise ValueError(f"{rowlock} ended with {run.returncode}: {run.stderr.decode(errors='replace').strip()}")
    answer = strict_json.loads(run.stdout)
    if not _is_vocabularies(answer):
        raise ValueError(f"{rowlock} printed something else than lists of strings by name: {json.dumps(answer)[:200]}")
    return answer


def _is_vocabularies(answer: Any) -> bool:
    return isinstance(answer, dict) and all(
        isinstance(values, list) and all(isinstance(value, str) for value in values) for values in answer.values()
    )


def parse_args(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rowlock", type=Path, required=True, help="the built rowlock program")
    parser.add_argument("--schemas", type=Path, default=DEFAULT_FOLDER, help="folder with the schema files")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    args = parse_args(argv)
    try:
        found = list(differences(vocabularies_of(args.rowlock), SchemaSet.load(args.schemas)))
    except (OSError, ValueError) as error:
        print(f"vocabulary_check: {error}", file=sys.stderr)
        return 2
    for line in found:
        print(line)
    print(f"{len(VOCABULARIES)} vocabularies, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
