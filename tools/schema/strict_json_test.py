"""What the strict reader takes and refuses."""

import pytest

import strict_json


@pytest.mark.parametrize(
    "text, reason",
    [
        (b'{"kernel": "a", "pattern": "pure", "kernel": "b"}', "duplicate key 'kernel'"),
        (b'[{"a": {"k": 1, "k": 1}}]', "duplicate key 'k'"),
        (b'{"default": NaN}', "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b'{"name": "\\ud83d"}', "lone surrogate"),
        (b'{"\\udc00": 1}', "lone surrogate"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b'{"name": "\xff"}', "utf-8"),
        ("{}".encode("utf-16"), "utf-8"),
        (b"{} {}", "Extra data"),
        (b"", "Expecting value"),
        (b"[01]", "delimiter"),
        (b"[1,]", "Expecting value"),
        (b"[" * 100_000, "nested deeper than 256"),
        (b"[" * 257 + b"]" * 257, "nested deeper than 256"),
        (b'{"k":' * 257 + b"1" + b"}" * 257, "nested deeper than 256"),
    ],
)
def test_refuses_what_has_no_single_meaning(text, reason):
    with pytest.raises(strict_json.NotJson, match=reason):
        strict_json.loads(text)


@pytest.mark.parametrize(
    "text, value",
    [
        (b'{"a": {"k": 1}, "b": {"k": 2}}', {"a": {"k": 1}, "b": {"k": 2}}),
        (b'["\\ud83d\\ude00"]', ["\U0001f600"]),
        (b'["\\u0000"]', ["\0"]),
        (b" [1.0, -0, 1e0]\r\n", [1.0, 0, 1.0]),
    ],
)
def test_reads_what_has_one(text, value):
    assert strict_json.loads(text) == value


def test_reads_down_to_the_limit():
    value = strict_json.loads(b"[" * strict_json.MAX_DEPTH + b"]" * strict_json.MAX_DEPTH)
    for _ in range(strict_json.MAX_DEPTH - 1):
        (value,) = value
    assert value == []


def test_reads_integers_of_any_length():
    value = strict_json.loads(b"9" * 5000)
    assert value + 1 == 10**5000
    assert repr(value) == "an integer of more than 4000 digits"
