"""Times the Python peers: each parses one sidecar's text and validates it against the project's own schema.

    python peers.py SCHEMAS SIDECAR REFUSED

SCHEMAS is the folder of the schemas. REFUSED is a sidecar that every peer must refuse, so that none is timed that looks
at nothing. Prints one JSON object a line. bench.py starts this in an environment that has the peers.
"""

import argparse
import json
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

ROUNDS = 15
ROUND_NS = 40_000_000


def with_jsonschema(schema, store):
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    resources = [(uri, Resource.from_contents(contents)) for uri, contents in store.items()]
    return Draft202012Validator(schema, registry=Registry().with_resources(resources)).is_valid


def as_draft_7(schema):
    """The same schema in the words of draft 7, the newest that fastjsonschema knows: it had tuples under `items`, and
    looked at nothing beside a `$ref`."""
    if isinstance(schema, list):
        return [as_draft_7(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    older = {key: as_draft_7(value) for key, value in schema.items()}
    if "prefixItems" in older:
        older["additionalItems"] = older.pop("items", True)
        older["items"] = older.pop("prefixItems")
    if isinstance(older.get("$ref"), str) and len(older) > 1:
        older["allOf"] = [*older.get("allOf", []), {"$ref": older.pop("$ref")}]
    return older


def with_fastjsonschema(schema, store):
    import fastjsonschema

    older = {uri: as_draft_7(contents) for uri, contents in store.items()}
    validate = fastjsonschema.compile(as_draft_7(schema), handlers={"https": older.__getitem__})

    def is_valid(document):
        try:
            validate(document)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return is_valid


def with_jsonschema_rs(schema, store):
    from jsonschema_rs import Draft202012Validator, Registry

    return Draft202012Validator(schema, registry=Registry(list(store.items()))).is_valid


PEERS = {
    "jsonschema": with_jsonschema,
    "fastjsonschema": with_fastjsonschema,
    "jsonschema-rs": with_jsonschema_rs,
}


def round_times(is_valid, text):
    """Nanoseconds a document, for each round; a first round of its own finds how many documents fill one."""

    def time_documents(count):
        start = time.perf_counter_ns()
        for _ in range(count):
            is_valid(json.loads(text))
        return time.perf_counter_ns() - start

    count = 1
    while time_documents(count) < ROUND_NS:
        count *= 2
    return [time_documents(count) / count for _ in range(ROUNDS)]


def main(argv=None):
    parser = argparse.ArgumentParser(description="Times the Python peers on one sidecar.")
    parser.add_argument("schemas", type=Path)
    parser.add_argument("sidecar", type=Path)
    parser.add_argument("refused", type=Path)
    args = parser.parse_args(argv)

    store = {}
    for path in args.schemas.glob("*.schema.json"):
        contents = json.loads(path.read_text(encoding="utf-8"))
        store[contents["$id"]] = contents
    schema = json.loads((args.schemas / "sidecar-v1.schema.json").read_text(encoding="utf-8"))
    text = args.sidecar.read_text(encoding="utf-8")
    refused = json.loads(args.refused.read_text(encoding="utf-8"))
    for name, prepare in PEERS.items():
        is_valid = prepare(schema, store)
        if not is_valid(json.loads(text)) or is_valid(refused):
            print(f"peers: {name} takes what it should refuse, or refuses '{args.sidecar}'", file=sys.stderr)
            return 1
        times = round_times(is_valid, text)
        record = {"peer": name, "version": version(name), "best_ns": min(times), "median_ns": statistics.median(times)}
        print(json.dumps(record), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
