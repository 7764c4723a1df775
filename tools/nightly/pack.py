"""Packs the nightly archive: pack.py ROWLOCK SCRIPT LIST OUTPUT.

LIST has a line for each file of the corpus: where it is, a tab, and its place in the archive. With the program go the
libraries that it was linked with, but for those of the C library, which belong to the machine. The same inputs give the
same bytes.
"""

import gzip
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile

_TOP = "rowlock-nightly"
_OF_THE_MACHINE = re.compile(r"(ld-linux.*|libc|libm|libdl|libpthread|librt)\.so\.\d+")


def libraries(program: str) -> dict[str, str]:
    """Name and place of each library that goes with the program."""
    told = subprocess.run(["ldd", program], check=True, capture_output=True, encoding="utf-8").stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", told, re.MULTILINE)
    return {name: path for name, path in found if not _OF_THE_MACHINE.fullmatch(name)}


def link_of(path: str) -> str | None:
    """Where a fixture that is a link leads. Links of the build tool, which are absolute, are none of the fixture's."""
    while os.path.islink(path):
        target = os.readlink(path)
        if not os.path.isabs(target):
            return target
        path = target
    return None


def contents(program: str, script: str, listing: str) -> dict[str, str]:
    """What is in the archive: place there to path here."""
    files = {"bin/rowlock": program, "nightly.sh": script}
    files |= {f"lib/{name}": os.path.realpath(path) for name, path in libraries(program).items()}
    for line in pathlib.Path(listing).read_text().splitlines():
        path, place = line.split("\t")
        files[place] = path
    return files


def main(arguments: list[str]) -> int:
    program, script, listing, output = arguments
    with open(output, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for place, path in sorted(contents(program, script, listing).items()):
                entry = tarfile.TarInfo(f"{_TOP}/{place}")
                target = link_of(path)
                if target:
                    entry.type, entry.linkname = tarfile.SYMTYPE, target
                    archive.addfile(entry)
                    continue
                content = pathlib.Path(path).read_bytes()
                entry.size = len(content)
                entry.mode = 0o755 if place in ("bin/rowlock", "nightly.sh") else 0o644
                archive.addfile(entry, io.BytesIO(content))
            # `--built` is looked into by a file's place in its workspace: this marks where that is.
            archive.addfile(tarfile.TarInfo(f"{_TOP}/WORKSPACE"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
