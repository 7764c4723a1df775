"""`rowlock compare`, from outside: what it says of two .npy files, and what it refuses."""

import json
import math
import os
import struct
from pathlib import Path

import pytest

from npy_files import npy
from program import output, refusal, rowlock


@pytest.fixture
def save(tmp_path):
    """Writes files and returns their paths."""
    count = 0

    def write(content: bytes) -> Path:
        nonlocal count
        count += 1
        path = tmp_path / f"{count}.npy"
        path.write_bytes(content)
        return path

    return write


def difference(*words) -> str:
    """What a comparison prints that must find a difference and complain of nothing."""
    done = rowlock("compare", *words)
    assert (done.returncode, done.stderr) == (1, "")
    return done.stdout


# --- Verdicts ---------------------------------------------------------------------------------------------------------


def test_the_same_bits_are_equal(save):
    a, b = save(npy([1.0, math.nan, -0.0])), save(npy([1.0, math.nan, -0.0]))
    assert output("compare", a, b) == (
        "equal by --mode bit_exact: 3 elements of float64, shape [3]\n  every element has the same bits\n"
    )


def test_the_worst_element_is_shown(save):
    a, b = save(npy([1.0, 2.5, 3.0, 4.25], shape=(2, 2))), save(npy([1.0, 2.0, 3.0, 4.0], shape=(2, 2)))
    assert difference(a, b).splitlines() == [
        "different by --mode bit_exact: 2 of 4 elements of float64, shape [2, 2]",
        "  worst at [0, 1], flat index 1: different values, 1125899906842624 ULP apart, absolute error 0.5, "
        "relative error 0.25",
        "  got  0x1.4p+1 (2.5, bits 0x4004000000000000)",
        "  want 0x1p+1 (2, bits 0x4000000000000000)",
    ]


def test_arrays_in_either_memory_order_are_matched_by_index(save):
    a = save(npy([1, 2, 3, 4, 5, 6], "<i8", (2, 3)))
    b = save(npy([1, 4, 2, 5, 3, 6], "<i8", (2, 3), fortran=True))
    assert output("compare", a, b).startswith("equal ")
    assert difference(a, save(npy([1, 2, 3, 4, 5, 6], "<i8", (2, 3), fortran=True)))


def test_another_shape_or_dtype_is_a_difference(save):
    a = save(npy([1.0, 2.0]))
    assert difference(a, save(npy([1.0, 2.0, 3.0]))) == "different: the shape is [2] and [3] is due\n"
    assert difference(a, save(npy([1.0, 2.0], "<f4"))) == "different: the dtype is float64 and float32 is due\n"
    assert difference(a, save(npy([1.0, 2.0], shape=(2, 1)))) == "different: the shape is [2] and [2, 1] is due\n"


@pytest.mark.parametrize(
    "bounds, status",
    [
        (["--atol", "0.5"], 0),
        (["--atol", "0.4999"], 1),
        (["--rtol", "0.25"], 0),
        (["--rtol", "2.4e-1"], 1),
        (["--atol", "0.25", "--rtol", "0.125"], 0),
        (["--atol", "0.25", "--rtol", "0.12"], 1),
        (["--ulp", "1125899906842624"], 0),
        (["--ulp", "1125899906842623"], 1),
        (["--atol", "0", "--ulp", "1125899906842624"], 0),
    ],
)
def test_a_band_admits_up_to_its_edge(save, bounds, status):
    done = rowlock("compare", save(npy([2.5])), save(npy([2.0])), "--mode", "band", *bounds)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith(f"{'different' if status else 'equal'} by --mode band --{bounds[0][2:]} ")


def test_rtol_is_of_what_is_due(save):
    three, four = save(npy([3.0])), save(npy([4.0]))
    band = ["--mode", "band", "--rtol", "0.25"]
    assert output("compare", three, four, *band)
    assert difference(four, three, *band)


def test_a_loose_band_is_called_so(save):
    a, b = save(npy([2.0])), save(npy([2.0 + 2**-50]))
    assert "the band is loose" in output("compare", a, b, "--mode", "band", "--atol", "1e-6")
    assert "the band is loose" not in output("compare", a, b, "--mode", "band", "--atol", "1e-15")


@pytest.mark.parametrize(
    "got, want, policy",
    [
        (struct.unpack("<d", b"\1\0\0\0\0\0\xf8\x7f")[0], math.nan, ["--nan", "class"]),
        (0.0, -0.0, ["--zero", "equal"]),
        (5e-324, 0.0, ["--denormal", "flush"]),
    ],
)
def test_a_policy_admits_what_is_exact_by_default(save, got, want, policy):
    a, b = save(npy([got])), save(npy([want]))
    exact = {"--nan": "bits", "--zero": "distinct", "--denormal": "exact"}
    assert difference(a, b)
    assert difference(a, b, policy[0], exact[policy[0]])
    assert " ".join(policy) in output("compare", a, b, *policy)


# --- JSON -------------------------------------------------------------------------------------------------------------


def test_json_says_the_same(save):
    a, b = save(npy([1.0, 2.5])), save(npy([1.0, 2.0]))
    report = json.loads(difference(a, b, "--format", "json", "--mode", "band", "--atol", "0.25", "--zero", "equal"))
    assert report["outcome"] == "different"
    assert report["gate"] == {"mode": "band", "atol": 0.25, "nan": "bits", "zero": "equal", "denormal": "exact"}
    assert (report["elements"], report["mismatches"]) == (2, 1)
    assert report["worst"]["index"] == [1]
    assert report["worst"]["got"] == {"decimal": "2.5", "hexadecimal": "0x1.4p+1", "bits": "0x4004000000000000"}
    assert (report["worst"]["absolute_error"], report["band_share"]) == (0.5, 2)
    assert (report["got_path"], report["want_path"]) == (str(a), str(b))


def test_json_of_a_comparison_of_the_same_bits_has_no_worst(save):
    a = save(npy([1, 0], "|b1"))
    report = json.loads(output("compare", a, a, "--format", "json"))
    assert (report["outcome"], report["worst"], report["elements"]) == ("equal", None, 2)


def test_json_is_json_whatever_a_path_is_made_of(save, tmp_path):
    content = save(npy([1.0])).read_bytes()
    path = os.fsencode(tmp_path) + b"/\xff\x1b.npy"
    with open(path, "wb") as file:
        file.write(content)
    report = json.loads(output("compare", path, path, "--format", "json"))
    assert report["got_path"].endswith("/\\xFF\x1b.npy")


# --- Refusals ---------------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_array_is_refused_with_the_place(save):
    good = save(npy([1.0]))
    assert "byte 0: this is no .npy file" in refusal("compare", good, save(b"PK\3\4"))
    assert "dtype '>f8' is big-endian" in refusal("compare", save(npy([1.0], ">f8")), good)
    cut = save(npy([1.0])[:-1])
    assert refusal("compare", cut, good).startswith(f"rowlock compare: '{cut}': byte 135: the file ends")
    assert "No such file" in refusal("compare", good.with_name("missing.npy"), good)
    assert "it is a folder" in refusal("compare", good, good.parent)


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["--mode", "band"], "a band needs atol, rtol or ulp"),
        (["--atol", "1"], "bit_exact takes none"),
        (["--mode", "bit_exact", "--ulp", "0"], "bit_exact takes none"),
        (["--mode", "band", "--atol", "-1"], "--atol takes a decimal number"),
        (["--mode", "band", "--rtol", "inf"], "--rtol takes a decimal number"),
        (["--mode", "band", "--ulp", "1.5"], "--ulp takes a whole number"),
        (["--nan", "payload"], "--nan takes one of bits|class"),
        (["--zero", "exact"], "--zero takes one of distinct|equal"),
        (["third.npy"], "name two files"),
    ],
)
def test_a_gate_that_makes_no_sense_is_refused_before_any_file_is_read(words, complaint):
    assert complaint in refusal("compare", "missing-a.npy", "missing-b.npy", *words)


def test_two_files_are_due(save):
    assert "name two files" in refusal("compare", save(npy([1.0])))
    assert "name two files" in refusal("compare")
