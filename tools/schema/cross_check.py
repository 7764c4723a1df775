"""Compares what JSON Schema says of every corpus fixture with what the fixture's row expects it to say.

Prints one line for each divergence and a summary. Exit status: 0 none, 1 some, 2 nothing to compare or unusable input.
"""

import argparse
import re
import sys
from pathlib import Path, PurePosixPath
from typing import Any, Iterator, NamedTuple

import strict_json
from schema_set import DEFAULT_FOLDER, SchemaSet

DEFAULT_CORPUS = Path(__file__).absolute().parents[2] / "corpus"
ROW_SUFFIX = ".expect.json"
ROW_SCHEMA = "row-v1"
SIDECAR_SCHEMA, BLOCK_SCHEMA = "sidecar-v1", "neural-block-v1"
MANIFEST_V1_SCHEMA, MANIFEST_V2_SCHEMA = "manifest-v1", "manifest-v2"
USED_SCHEMAS = {ROW_SCHEMA, SIDECAR_SCHEMA, BLOCK_SCHEMA, MANIFEST_V1_SCHEMA, MANIFEST_V2_SCHEMA}
ACCEPT, REJECT, ABSENT = "accept", "reject", "absent"

# A whole word, so that "schema_version" alone does not pass for a remark about the schema.
_MENTIONS_SCHEMA = re.compile(r"\bschemas?\b", re.IGNORECASE)


class Verdict(NamedTuple):
    outcome: str
    reason: str


class NoFixture(Exception):
    """The row's fixture is not there, or there are two."""


def find_rows(corpus: Path) -> list[Path]:
    return sorted(corpus.rglob("*" + ROW_SUFFIX))


def schema_for(schemas: SchemaSet, level: str, document: Any) -> str:
    """Name of the schema for a document, chosen by what the document says that it is."""
    claims = document if isinstance(document, dict) else {}
    if level == "sidecar":
        is_descriptor = claims.get("pattern") == schemas.at(BLOCK_SCHEMA, "/$defs/pattern/const")
        return BLOCK_SCHEMA if is_descriptor else SIDECAR_SCHEMA
    # Either mark is enough: a manifest with one of them is a version 2 manifest with a mistake in the other.
    is_v2 = any(
        claims.get(key) == schemas.at(MANIFEST_V2_SCHEMA, f"/properties/{key}/const")
        for key in ("schema_version", "aether_abi")
    )
    return MANIFEST_V2_SCHEMA if is_v2 else MANIFEST_V1_SCHEMA


def judge_document(schemas: SchemaSet, level: str, path: Path) -> tuple[Verdict, Any]:
    """The verdict on one file, and its content (None where it is not JSON)."""
    try:
        document = strict_json.load(path)
    except strict_json.NotJson as error:
        return Verdict(ABSENT, f"{path.name} is not one JSON document: {error}"), None
    name = schema_for(schemas, level, document)
    complaint = schemas.complaint(name, document)
    if complaint is None:
        return Verdict(ACCEPT, f"{name} has nothing against {path.name}"), document
    return Verdict(REJECT, f"{name} refuses {path.name} {complaint}"), document


def judge_fixture(schemas: SchemaSet, row_path: Path, level: str) -> Verdict:
    """The verdict on a row's fixture. NoFixture if there is not exactly one."""
    if level not in ("sidecar", "manifest"):
        return Verdict(ABSENT, f"no schema covers level {level}")
    stem = row_path.name.removesuffix(ROW_SUFFIX)
    candidates = [row_path.with_name(f"{stem}.{level}.json")]
    if level == "manifest":
        candidates.append(row_path.with_name(stem) / "manifest.json")
    present = [path for path in candidates if path.is_file()]
    if len(present) != 1:
        raise NoFixture(f"{len(present)} fixtures where one of {', '.join(path.name for path in candidates)} is due")
    verdict, document = judge_document(schemas, level, present[0])
    if present[0].parent == row_path.parent:
        return verdict
    return _worst([verdict, *_judge_sidecars(schemas, present[0].parent, document)])


def _judge_sidecars(schemas: SchemaSet, folder: Path, manifest: Any) -> Iterator[Verdict]:
    """Verdicts on the sidecars that a manifest's entries name. A missing one has none: a schema sees no files."""
    plugins = manifest.get("plugins") if isinstance(manifest, dict) else None
    entries = plugins if isinstance(plugins, list) else []
    names = [entry.get("sidecar") for entry in entries if isinstance(entry, dict)]
    for name in dict.fromkeys(name for name in names if isinstance(name, str)):
        if _stays_inside(name) and (folder / name).is_file():
            yield judge_document(schemas, "sidecar", folder / name)[0]


def _stays_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in name


def _worst(verdicts: list[Verdict]) -> Verdict:
    """One outcome for a deployment: a refusal decides, then a document that no schema can judge."""
    return min(verdicts, key=lambda verdict: (REJECT, ABSENT, ACCEPT).index(verdict.outcome))


def compare(schemas: SchemaSet, row_path: Path, row: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a well-formed row that says what the schema makes of its fixture."""
    try:
        verdict = judge_fixture(schemas, row_path, row["level"])
    except NoFixture as error:
        yield str(error)
        return
    expected = row["schema"]
    if verdict.outcome != expected:
        yield f"schema says {verdict.outcome} where the row expects {expected}: {verdict.reason}"
    elif expected not in (ABSENT, row["expect"]) and not any(map(_MENTIONS_SCHEMA.search, row["why"])):
        yield f"schema says {expected}, the row {row['expect']}, and no line of why explains the schema"


class Report:
    """Counts what was looked at, and keeps the divergences as lines ready to print."""

    def __init__(self) -> None:
        self.rows = 0
        self.compared = 0
        self.divergences: list[str] = []


def check_corpus(schemas: SchemaSet, corpus: Path) -> Report:
    report = Report()
    for path in find_rows(corpus):
        report.rows += 1
        for divergence in _check_row(schemas, path, report):
            report.divergences.append(f"{path.relative_to(corpus)}: {divergence}")
    return report


def _check_row(schemas: SchemaSet, path: Path, report: Report) -> Iterator[str]:
    try:
        row = strict_json.load(path)
    except strict_json.NotJson as error:
        yield f"not JSON: {error}"
        return
    complaint = schemas.complaint(ROW_SCHEMA, row)
    if complaint is not None:
        yield f"not a row, {complaint}"
    elif "schema" in row:
        report.compared += 1
        yield from compare(schemas, path, row)


def parse_args(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=DEFAULT_CORPUS, help="folder with the rows")
    parser.add_argument("--schemas", type=Path, default=DEFAULT_FOLDER, help="folder with the schema files")
    return parser.parse_args(argv)


def usage_error(message: str) -> int:
    print(f"cross_check: {message}", file=sys.stderr)
    return 2


def main(argv: list[str] | None = None) -> int:
    args = parse_args(argv)
    try:
        schemas = SchemaSet.load(args.schemas)
        missing = USED_SCHEMAS - schemas.documents.keys()
        if missing:
            return usage_error(f"no schema for {', '.join(sorted(missing))} in {args.schemas}")
        defects = list(schemas.defects())
        # Fixtures are not judged by schemas that are themselves in doubt.
        report = Report() if defects else check_corpus(schemas, args.corpus)
    except (OSError, strict_json.NotJson) as error:
        return usage_error(str(error))
    found = defects + report.divergences
    if not found and report.compared == 0:
        return usage_error(f"no row under {args.corpus} says what the schema makes of its fixture ({report.rows} rows)")
    for line in found:
        print(line)
    print(f"{report.rows} rows, {report.compared} fixtures compared, {len(found)} divergences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
