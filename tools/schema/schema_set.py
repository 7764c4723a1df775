"""The schema files of one folder, ready to judge documents. Each validator is compiled once; nothing is fetched."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator, Mapping

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

import strict_json
from references import Compiled, DeadReference, compile_schema

DEFAULT_FOLDER = Path(__file__).absolute().parents[2] / "schemas"
SUFFIX = ".schema.json"
ID_BASE = "https://rowlock.example/schemas/"
DIALECT = Draft202012Validator.META_SCHEMA["$id"]

# Where a schema holds other schemas, by the form of the value.
_NAMED_SCHEMAS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_LISTED_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE_SCHEMAS = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")


class SchemaSet:
    """Schemas by name: `sidecar-v1` for the file sidecar-v1.schema.json."""

    def __init__(self, documents: Mapping[str, Any]):
        self.documents = dict(documents)
        self._store = {ID_BASE + name + SUFFIX: document for name, document in self.documents.items()}
        # Per instance, so that a set does not outlive its user in a cache of the class.
        self._compiled = lru_cache(maxsize=None)(self._compile)

    @classmethod
    def load(cls, folder: Path) -> "SchemaSet":
        """NotJson names the file that is none; FileNotFoundError if the folder holds no schema."""
        paths = sorted(folder.glob("*" + SUFFIX))
        if not paths:
            raise FileNotFoundError(f"no *{SUFFIX} in {folder}")
        return cls({path.name.removesuffix(SUFFIX): _load(path) for path in paths})

    def _compile(self, name: str) -> Compiled:
        return compile_schema(ID_BASE + name + SUFFIX, self._store)

    def resolve(self, name: str, reference: str) -> Any:
        """What a reference in the schema of that name leads to, or DeadReference."""
        return self._compiled(name).resolve(reference)

    def complaint(self, name: str, document: Any) -> str | None:
        """What the schema has against the document, or None if it accepts."""
        error = best_match(self._compiled(name).validator.iter_errors(document))
        if error is None:
            return None
        pointer = "".join(f"/{_escaped(step)}" for step in error.absolute_path)
        return f"at {pointer or 'the root'}: {_shortened(error.message)}"

    def accepts(self, name: str, document: Any) -> bool:
        return self._compiled(name).validator.is_valid(document)

    def at(self, name: str, pointer: str) -> Any:
        """The value at a JSON pointer of a schema; KeyError if there is none."""
        value = self.documents[name]
        for step in pointer.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            try:
                value = value[int(step)] if isinstance(value, list) else value[step]
            except (IndexError, TypeError, ValueError) as error:
                raise KeyError(pointer) from error
        return value

    def defects(self) -> Iterator[str]:
        """What makes a file unfit to judge with: a form that the metaschema refuses, a wrong id, a dead reference."""
        for name, document in self.documents.items():
            for defect in self._defects_of(name, document):
                yield f"{name}{SUFFIX}: {defect}"

    def _defects_of(self, name: str, document: Any) -> Iterator[str]:
        try:
            Draft202012Validator.check_schema(document)
        except SchemaError as error:
            yield f"not a 2020-12 schema: {error.message}"
            return
        if not isinstance(document, dict):
            yield "a schema file holds an object"
            return
        if document.get("$schema") != DIALECT:
            yield f"$schema is not {DIALECT}"
        if document.get("$id") != ID_BASE + name + SUFFIX:
            yield f"$id is not {ID_BASE}{name}{SUFFIX}"
        for pointer, schema in subschemas(document):
            if "$ref" in schema:
                try:
                    self.resolve(name, schema["$ref"])
                except DeadReference as error:
                    yield f"{pointer}/$ref leads nowhere: {schema['$ref']} ({error})"


def subschemas(schema: Any, pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, itself first, each with its JSON pointer; true and false are left out."""
    if not isinstance(schema, dict):
        return
    yield pointer, schema
    for keyword, value in schema.items():
        if keyword in _NAMED_SCHEMAS:
            for name, inner in value.items():
                yield from subschemas(inner, f"{pointer}/{keyword}/{_escaped(name)}")
        elif keyword in _LISTED_SCHEMAS:
            for index, inner in enumerate(value):
                yield from subschemas(inner, f"{pointer}/{keyword}/{index}")
        elif keyword in _SINGLE_SCHEMAS:
            yield from subschemas(value, f"{pointer}/{keyword}")


def _load(path: Path) -> Any:
    try:
        return strict_json.load(path)
    except strict_json.NotJson as error:
        raise strict_json.NotJson(f"{path}: {error}") from error


def _shortened(message: str, limit: int = 200) -> str:
    """jsonschema prints the offending value whole, which may be the whole document."""
    return message if len(message) <= limit else f"{message[: limit // 2]} ... {message[-limit // 2 :]}"


def _escaped(step: object) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")
