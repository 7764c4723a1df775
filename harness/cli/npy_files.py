"""Arrays as .npy files of version 1.0, for tests: small, and written down apart from the program's own reader."""

import ast
import struct
from pathlib import Path

LETTERS = {"<f8": "d", "<f4": "f", "<i8": "q", "|b1": "?"}


def npy(values: list, descr: str = "<f8", shape: tuple | None = None, fortran: bool = False) -> bytes:
    """A .npy file; `values` as they lie in memory."""
    shape = (len(values),) if shape is None else shape
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    data = struct.pack(f"<{len(values)}{LETTERS.get(descr, 'd')}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def read_npy(path: Path) -> tuple[str, tuple, bytes]:
    """The dtype, the shape and the bytes of the elements, in C order."""
    content = path.read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", content[8:10])
    assert (10 + length) % 64 == 0 and content[10 + length - 1 : 10 + length] == b"\n"
    header = ast.literal_eval(content[10 : 10 + length].decode("ascii"))
    assert set(header) == {"descr", "fortran_order", "shape"} and header["fortran_order"] is False
    return header["descr"], header["shape"], content[10 + length :]


def numbers_in(path: Path) -> list:
    descr, _, data = read_npy(path)
    letter = LETTERS[descr]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data))
