"""What derive.py makes of recipes, and which recipes it refuses."""

import json

import pytest

from tools.bazel import derive


@pytest.mark.parametrize(
    "edit, after",
    [
        ({"truncate": 4}, b"soun"),
        ({"truncate": 0}, b""),
        ({"at": 0, "bytes": "5345"}, b"SEund file"),
        ({"at": 9, "bytes": "ff"}, b"sound fil\xff"),
        ({"replace": "sound", "with": "bad"}, b"bad file"),
        ({"replace": "\u0020file", "with": ""}, b"sound"),
        ({"replace": "sound", "with": "a{number}", "times": 3}, b"a0a1a2 file"),
        ({"append": "00 ff"}, b"sound file\x00\xff"),
        ({"append_text": "\u00e4"}, b"sound file\xc3\xa4"),
    ],
)
def test_an_edit(edit, after):
    assert derive.apply_edit(b"sound file", edit) == after


@pytest.mark.parametrize(
    "edit, problem",
    [
        ({"truncate": 10}, "cannot be cut to 10 bytes"),
        ({"truncate": -1}, "cannot be cut"),
        ({"truncate": True}, "cannot be cut"),
        ({"at": 10, "bytes": "00"}, "it has 10 bytes"),
        ({"at": 9, "bytes": "0000"}, "it has 10 bytes"),
        ({"at": -1, "bytes": "00"}, "it has 10 bytes"),
        ({"at": 0, "bytes": ""}, "cannot put"),
        ({"at": 0, "bytes": "5g"}, "hexadecimal"),
        ({"at": 0, "bytes": 53}, "hexadecimal"),
        ({"at": 0, "bytes": "73"}, "changes nothing"),
        ({"at": 0}, "is none of"),
        ({"truncate": 4, "append": "00"}, "is none of"),
        ({"replace": "u", "with": "u"}, "changes nothing"),
        ({"replace": "i", "with": 1}, "is no text"),
        ({"replace": "x", "with": "y"}, "occurs 0 times"),
        ({"replace": "", "with": "y"}, "occurs 0 times"),
        ({"replace": 1, "with": "y"}, "is no text"),
        ({"replace": "sound", "with": "a", "times": 0}, "cannot put 'a' 0 times"),
        ({"replace": "sound", "with": "a", "times": True}, "cannot put 'a' True times"),
        ({"replace": "sound", "with": 1, "times": 2}, "cannot put 1 2 times"),
        ({"append": ""}, "changes nothing"),
        ("truncate", "is none of"),
    ],
)
def test_an_edit_that_does_not_fit(edit, problem):
    with pytest.raises(derive.BadRecipe, match=problem):
        derive.apply_edit(b"sound file", edit)


def test_a_text_must_occur_once():
    with pytest.raises(derive.BadRecipe, match="occurs 2 times, not once"):
        derive.apply_edit(b"one one", {"replace": "one", "with": "two"})


@pytest.fixture
def write_recipe(tmp_path):
    (tmp_path / "out" / "sound").mkdir(parents=True)
    (tmp_path / "out" / "sound" / "sound.so").write_bytes(b"sound")

    def write(**members):
        recipe = {"from": "../sound/sound.so", "edits": [{"truncate": 2}, {"append": "21"}], "why": "cut"} | members
        (tmp_path / "bad.so.derived.json").write_text(json.dumps(recipe), encoding="utf-8")
        return ["bad.so.derived.json", str(tmp_path / "bad.so"), str(tmp_path / "out" / "sound" / "sound.so")]

    return write


def test_a_recipe_is_followed_edit_by_edit(tmp_path, monkeypatch, write_recipe):
    monkeypatch.chdir(tmp_path)
    assert derive.main(write_recipe(**{"from": "sound/sound.so"})) == 0
    assert (tmp_path / "bad.so").read_bytes() == b"so!"


def test_a_recipe_without_edits_is_a_copy(tmp_path, monkeypatch, write_recipe):
    monkeypatch.chdir(tmp_path)
    assert derive.main(write_recipe(**{"from": "sound/sound.so", "edits": []})) == 0
    assert (tmp_path / "bad.so").read_bytes() == b"sound"


@pytest.mark.parametrize(
    "members, problem",
    [
        ({"from": "sound/other.so"}, "is 0 of the files to make it from"),
        ({"from": 1}, "'from' is a path"),
        ({"edits": {}}, "'edits' a list"),
        ({"edits": [{"truncate": 5}], "from": "sound/sound.so"}, "cannot be cut"),
        ({"why": " "}, "'why' says"),
        ({"more": 1}, "a recipe is an object"),
    ],
)
def test_a_recipe_that_cannot_be_followed(tmp_path, monkeypatch, capsys, write_recipe, members, problem):
    monkeypatch.chdir(tmp_path)
    assert derive.main(write_recipe(**members)) == 1
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "bad.so").exists()


def test_two_bases_of_one_path_are_none():
    with pytest.raises(derive.BadRecipe, match="is 2 of the files"):
        derive.find_base("a/b/x.derived.json", "../y.so", ["k8/a/y.so", "k9/a/y.so"])


def test_a_base_beside_the_recipe_comes_before_a_built_one():
    assert derive.find_base("a/x.derived.json", "y.so", ["k8/a/y.so", "a/y.so"]) == "a/y.so"


def test_usage():
    assert derive.main(["recipe"]) == 2
