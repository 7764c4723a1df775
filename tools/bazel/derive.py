#!/usr/bin/python3
"""Makes a fixture that is damaged or foreign from one that is sound, by the recipe beside where it belongs.

    {"from": "../drag/drag.so", "edits": [{"at": 4, "bytes": "01"}], "why": "says that it is a 32-bit object"}

`from` is relative to the recipe's folder. Each edit is one of
    {"truncate": 100}                   keeps the first 100 bytes, of more
    {"at": 4, "bytes": "01"}            puts these bytes, in hexadecimal, over those at the offset
    {"replace": "old", "with": "new"}   of a text that occurs exactly once, as UTF-8
    {"replace": "old", "with": "new {number}", "times": 3}
                                        the new text so often, {number} counting from 0
    {"append": "00ff"}                  bytes in hexadecimal
    {"append_text": "more"}
and must change something: a recipe that has come to do nothing is an error. No edit at all is a copy.
"""

import json
import os.path
import sys
from pathlib import Path


class BadRecipe(ValueError):
    """The recipe cannot be followed; the message says why."""


def _truncate(data, length):
    if not _is_count(length) or length >= len(data):
        raise BadRecipe(f"cannot be cut to {length!r} bytes: it has {len(data)}")
    return data[:length]


def _overwrite(data, offset, digits):
    new = _from_hex(digits)
    if not _is_count(offset) or not new or offset + len(new) > len(data):
        raise BadRecipe(f"cannot put {digits!r} at {offset!r}: it has {len(data)} bytes")
    return data[:offset] + new + data[offset + len(new) :]


def _replace(data, old, new):
    old, new = _from_text(old), _from_text(new)
    count = data.count(old) if old else 0
    if count != 1:
        raise BadRecipe(f"{old!r} occurs {count} times, not once")
    return data.replace(old, new)


def _repeat(data, old, times, new):
    if not _is_count(times) or times == 0 or not isinstance(new, str):
        raise BadRecipe(f"cannot put {new!r} {times!r} times")
    return _replace(data, old, "".join(new.replace("{number}", str(number)) for number in range(times)))


def _append(data, digits):
    return data + _from_hex(digits)


def _append_text(data, text):
    return data + _from_text(text)


# By the keys of an edit, in the order of the function's arguments.
_EDITS = {
    ("truncate",): _truncate,
    ("at", "bytes"): _overwrite,
    ("replace", "with"): _replace,
    ("replace", "times", "with"): _repeat,
    ("append",): _append,
    ("append_text",): _append_text,
}


def _is_count(value):
    return type(value) is int and value >= 0


def _from_hex(digits):
    try:
        return bytes.fromhex(digits)
    except (TypeError, ValueError):
        raise BadRecipe(f"{digits!r} is no text of hexadecimal digits") from None


def _from_text(text):
    if not isinstance(text, str):
        raise BadRecipe(f"{text!r} is no text")
    return text.encode("utf-8")


def apply_edit(data, edit):
    """The bytes after one edit. BadRecipe if it does not fit them, or changes nothing."""
    keys = tuple(edit) if isinstance(edit, dict) else ()
    function = _EDITS.get(tuple(sorted(keys)))
    if not function:
        raise BadRecipe(f"{edit!r} is none of {', '.join('+'.join(known) for known in _EDITS)}")
    edited = function(data, *(edit[key] for key in sorted(keys)))
    if edited == data:
        raise BadRecipe(f"{edit!r} changes nothing")
    return edited


def read_recipe(path):
    recipe = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(recipe, dict) or sorted(recipe) != ["edits", "from", "why"]:
        raise BadRecipe("a recipe is an object with 'from', 'edits' and 'why'")
    if not isinstance(recipe["from"], str) or not isinstance(recipe["edits"], list):
        raise BadRecipe("'from' is a path, 'edits' a list")
    if not isinstance(recipe["why"], str) or not recipe["why"].strip():
        raise BadRecipe("'why' says what the edits make of it")
    return recipe


def find_base(recipe_path, wanted, candidates):
    """The candidate that `wanted` means, seen from the recipe's folder: itself, or below a build's output folder."""
    path = os.path.normpath(os.path.join(os.path.dirname(recipe_path), wanted))
    found = [candidate for candidate in candidates if os.path.normpath(candidate) == path]
    found = found or [candidate for candidate in candidates if os.path.normpath(candidate).endswith("/" + path)]
    if len(found) != 1:
        raise BadRecipe(f"{path!r} is {len(found)} of the files to make it from, not one")
    return found[0]


def derive(recipe_path, candidates):
    """The bytes that the recipe makes of the one of the candidates that it names."""
    recipe = read_recipe(Path(recipe_path))
    data = Path(find_base(recipe_path, recipe["from"], candidates)).read_bytes()
    for edit in recipe["edits"]:
        data = apply_edit(data, edit)
    return data


def main(argv):
    if len(argv) < 3:
        print("usage: derive.py RECIPE OUT FILE...", file=sys.stderr)
        return 2
    recipe, out, *candidates = argv
    try:
        Path(out).write_bytes(derive(recipe, candidates))
    except (OSError, ValueError) as problem:
        print(f"derive: {recipe}: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
