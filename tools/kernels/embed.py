"""Writes a text as a C array that ends in NUL: embed.py TEXT NAME OUTPUT."""

import pathlib
import sys


def main(arguments: list[str]) -> int:
    text, name, output = arguments
    content = pathlib.Path(text).read_bytes() + b"\0"
    lines = (", ".join(map(str, content[at : at + 32])) for at in range(0, len(content), 32))
    body = ",\n    ".join(lines)
    pathlib.Path(output).write_text(f"extern const char {name}[];\nconst char {name}[] = {{\n    {body}}};\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
