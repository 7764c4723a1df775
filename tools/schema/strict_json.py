"""JSON text to Python values, refusing what two readers could understand in two ways.

Python's own reader takes NaN, keeps the last of two equal keys and passes lone surrogates on. A document with any of
these has no single meaning for a schema to judge, so here it is not JSON. Nor is one that is nested too deep for a
validator that recurses, wherever the interpreter's stack happens to end.
"""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, Iterator

MAX_DEPTH = 256

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Python converts no longer integers between text and int, in either direction.
_INT_DIGITS = 4000


class LongInteger(int):
    """An integer with more digits than Python will print, so that a message about it does not fail."""

    def __repr__(self) -> str:
        return f"an integer of more than {_INT_DIGITS} digits"


class NotJson(ValueError):
    """The bytes are not one unambiguous JSON document; the message says why."""


def load(path: Path) -> Any:
    """The document in the file. NotJson if it is none, OSError if it cannot be read."""
    return loads(path.read_bytes())


def loads(data: bytes) -> Any:
    try:
        document = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object_of_unique_keys,
            parse_constant=_refuse_constant,
            parse_int=_integer,
        )
    except RecursionError as error:
        raise NotJson(f"nested deeper than {MAX_DEPTH}") from error
    except ValueError as error:
        raise NotJson(str(error)) from error
    for text in _strings(document):
        if _LONE_SURROGATE.search(text):
            raise NotJson(f"lone surrogate in {text!a}")
    return document


def _object_of_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        keys = [key for key, _ in pairs]
        raise NotJson(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!a}")
    return members


def _refuse_constant(name: str) -> None:
    raise NotJson(f"{name} is not a JSON number")


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= _INT_DIGITS else LongInteger(Decimal(digits))


def _strings(document: Any) -> Iterator[str]:
    """Every key and string value. Keeps its own stack, and refuses the document where that shows it to be too deep."""
    pending = [(document, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, (dict, list)):
            if depth == MAX_DEPTH:
                raise NotJson(f"nested deeper than {MAX_DEPTH}")
            members = value.values() if isinstance(value, dict) else value
            pending.extend((member, depth + 1) for member in members)
            if isinstance(value, dict):
                yield from value
