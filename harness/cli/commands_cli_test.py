"""`rowlock rules` and `rowlock version`, from outside: what they print and refuse."""

import json
import re

import pytest

from program import output, refusal

# --- rules ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rules() -> list[dict]:
    return json.loads(output("rules", "--format", "json"))["rules"]


def test_every_rule_is_whole(rules):
    assert len({rule["id"] for rule in rules}) == len(rules) > 100
    for rule in rules:
        assert list(rule) == ["id", "tier", "class", "severity", "message", "source", "why"]
        assert all(rule.values()), rule["id"]
        assert re.fullmatch(r"[a-z]+\.[a-z0-9-]+", rule["id"])
    assert {rule["tier"] for rule in rules} == {"gate", "contract", "artifact", "launch", "verdict"}


def test_the_table_has_each_rule_once_below_its_document(rules):
    listed, document = {}, None
    for line in output("rules").splitlines():
        if re.fullmatch("[a-z]+", line):
            document = line
        elif line.startswith("  "):
            rule, tier, class_, severity, message = re.split("  +", line.strip(), maxsplit=4)
            assert rule not in listed and rule.startswith(f"{document}.")
            listed[rule] = (tier, class_, severity, message)
    assert listed == {rule["id"]: (rule["tier"], rule["class"], rule["severity"], rule["message"]) for rule in rules}


def test_the_table_ends_in_counts(rules):
    tiers = list(dict.fromkeys(rule["tier"] for rule in rules))
    counts = {tier: sum(rule["tier"] == tier for rule in rules) for tier in tiers}
    told = output("rules").splitlines()[-1].partition(";")[0]
    assert told.startswith(f"{len(rules)} rules: ")
    assert sorted(map(int, re.findall(r"\d+", told)[1:])) == sorted(counts.values())
    for tier, count in counts.items():
        assert f" {count} {tier}" in told


def test_one_rule_is_explained_in_full(rules):
    for rule in rules[:: len(rules) // 7]:
        text = output("rules", rule["id"])
        assert text.startswith(rule["id"] + "\n")
        for key, value in rule.items():
            if key != "id":
                assert re.search(rf"^  {key} +{re.escape(value)}(:|$)", text, re.MULTILINE), key
        assert json.loads(output("rules", rule["id"], "--format", "json")) == rule


@pytest.mark.parametrize("prefix", ["manifest.", "manifest", "manifest.exec", "manifest.exec-", "json."])
def test_the_beginning_of_ids_lists_those_rules(rules, prefix):
    due = [rule["id"] for rule in rules if rule["id"].startswith(prefix)]
    assert 1 < len(due) < len(rules)
    assert [rule["id"] for rule in json.loads(output("rules", prefix, "--format", "json"))["rules"]] == due
    lines = output("rules", prefix).splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == due
    assert lines[-1].startswith(f"{len(due)} rules: ")
    assert output("rules", prefix, "--format", "markdown").count('### <a id="') == len(due)


@pytest.mark.parametrize("part", ["mani", "manifest.ex", "role", ".", "-"])
def test_a_part_of_a_word_lists_nothing(part):
    assert f"there is no rule '{part}'" in refusal("rules", part)


@pytest.mark.parametrize(
    "misspelt, near",
    [
        ("sidecar.role-unknwon", "sidecar.role-unknown"),
        ("role-unknown", "sidecar.role-unknown"),
        ("manifest.duplicate_id", "manifest.duplicate-id"),
    ],
)
def test_an_unknown_rule_is_refused_with_the_nearest(misspelt, near):
    complaint = refusal("rules", misspelt)
    assert f"there is no rule '{misspelt}'; near it: " in complaint
    assert near in complaint.partition("near it: ")[2].strip().split(", ")


def test_a_rule_unlike_any_is_refused_with_where_the_list_is():
    assert "there is no rule 'xyzzy'; 'rowlock rules' lists them" in refusal("rules", "xyzzy")


@pytest.mark.parametrize(
    "words",
    [
        ["json.empty", "json.size"],
        ["json.empty", "--doors"],
        ["json.empty", "--vocabulary"],
        ["--doors", "--vocabulary"],
        ["--format", "xml"],
        ["--nothing"],
    ],
)
def test_rules_refuses_what_it_cannot_show_together(words):
    assert refusal("rules", *words).startswith("rowlock rules: ")


def cells(line: str) -> list[str]:
    """The cells of a table's row, with unmarked bars between."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_documentation_has_each_rule_in_its_table_and_its_section(rules):
    text = output("rules", "--format", "markdown")
    rows = [cells(line) for line in text.splitlines() if line.startswith("| [")]
    assert all(len(row) == 5 for row in rows)
    assert sorted(row[0] for row in rows) == sorted(f"[{rule['id']}](#{rule['id']})" for rule in rules)
    sections = re.findall(r'^### <a id="(.*)"></a>(.*)$', text, re.MULTILINE)
    assert sorted(sections) == sorted((rule["id"], rule["id"]) for rule in rules)


def test_the_documentation_of_a_rule_is_whole_and_escaped(rules):
    text = output("rules", "--format", "markdown")
    for rule in rules:
        section = text.partition(f'### <a id="{rule["id"]}"></a>')[2].partition("\n### ")[0].partition("\n## ")[0]
        assert f"`{rule['message']}`" in section
        bare = re.sub(r"\\(\W|_)", r"\1", section)
        assert rule["why"] in bare and f"* Source: {rule['source']}\n" in bare
        assert f"* Tier: {rule['tier']} " in bare and f"* Severity: {rule['severity']}\n" in bare
        assert not re.search(r"(?<!\\)[*_\[\]<>|&]", section.partition(f"`{rule['message']}`")[2].replace("\n* ", "\n"))


def test_one_rule_is_documented_alone(rules):
    text = output("rules", rules[0]["id"], "--format", "markdown")
    assert text.startswith(f'# <a id="{rules[0]["id"]}"></a>') and text.count("<a id=") == 1


def test_vocabularies_are_the_same_in_every_format():
    lists = json.loads(output("rules", "--vocabulary", "--format", "json"))
    text = dict(line.split(": ") for line in output("rules", "--vocabulary").splitlines())
    assert {name: words.split(", ") for name, words in text.items()} == lists
    markdown = output("rules", "--vocabulary", "--format", "markdown").splitlines()[4:]
    assert {row[0]: re.findall("`(.*?)`", row[1]) for row in map(cells, markdown)} == lists


def test_vocabularies_hold_the_words_of_the_format():
    lists = json.loads(output("rules", "--vocabulary", "--format", "json"))
    assert len(lists["arg-role"]) == 12 and lists["arg-role"][0] == "out"
    assert lists["reduction-op"] == ["sum", "times", "max", "land"]
    assert lists["row-level"] == ["sidecar", "manifest", "placement", "launch", "artifact", "gate", "bundle"]
    assert lists["launched-row-level"] == ["placement", "launch", "gate"]
    assert lists["array-binding"] == ["vector", "matrix", "handle", "int handle", "mask", "wide buffer"]
    assert lists["gate-zero"] == ["distinct", "equal"]
    assert all(words and len(set(words)) == len(words) for words in lists.values())


@pytest.fixture(scope="module")
def doors() -> list[dict]:
    return json.loads(output("rules", "--doors", "--format", "json"))["doors"]


def test_the_doors_are_those_of_the_format(doors):
    named = [(door["name"], door["level"]) for door in doors if not door["contract"]]
    sidecar = ["shared_validator", "host_add_plugin", "loaded_vector", "loaded_pure", "vector_host"]
    manifest = ["host_load_manifest", "device_load_manifest", "cpp_load_manifest", "py_load_manifest"]
    assert named == [(name, "sidecar") for name in sidecar] + [(name, "manifest") for name in manifest]
    assert [door["level"] for door in doors if door["contract"]] == ["sidecar", "manifest"]


def test_gates_stand_in_their_order(doors):
    gates = {(door["name"], door["level"]): door["gates"] for door in doors}
    shared = gates["shared_validator", "sidecar"]
    assert shared[:4] == ["schema_version", "roles", "scalar_type", "pattern"]
    assert gates["vector_host", "sidecar"] == shared + ["vector_launchable", "abi_tag"]


def test_doors_are_the_same_in_every_format(doors):
    due = [(door["name"], door["gates"]) for door in doors]
    text = [block.splitlines() for block in output("rules", "--doors").split("\n\n")]
    assert [(block[0].split()[0], [line.split()[1] for line in block[1:]]) for block in text] == due
    markdown = output("rules", "--doors", "--format", "markdown").split("\n## ")[1:]
    names = [re.match("`(.*)`", part)[1] for part in markdown]
    gates = [re.findall(r"^\d+\. `(.*)`$", part, re.MULTILINE) for part in markdown]
    assert list(zip(names, gates)) == due


# --- version ----------------------------------------------------------------------------------------------------------


def test_version_counts_what_rules_lists(rules, doors):
    version = json.loads(output("version", "--format", "json"))
    assert version["rules"] == len(rules)
    assert version["doors"] == sum(not door["contract"] for door in doors)
    assert version["aether_abi"] == ["aether-abi/1", "aether-abi/2"]
    assert version["plugin_schema"] == [1, 2] and version["row_format"] == 1
    assert re.fullmatch(r"\d+\.\d+\.\d+", version["rowlock"])


def test_version_says_the_same_as_text():
    version = json.loads(output("version", "--format", "json"))
    text = {line[:15].strip(): line[15:] for line in output("version").splitlines()}
    assert text["rowlock"] == version["rowlock"]
    assert text["plugin schema"].split() == [str(number) for number in version["plugin_schema"]]
    assert text["ABI tags"].split() == version["aether_abi"]
    assert (text["rules"], text["doors"]) == (str(version["rules"]), str(version["doors"]))
    assert (text["json-c"], text["compiler"]) == (version["json_c"], version["compiler"])
    assert text["build"].split(", ")[0] == version["build"]["machine"]


def test_version_has_an_option_of_the_program():
    assert output("--version") == output("version")


def test_version_takes_no_operand():
    assert "takes no argument, not 'now'" in refusal("version", "now")


# --- help -------------------------------------------------------------------------------------------------------------


def commands() -> list[str]:
    return re.findall(r"^  ([a-z-]+)  +[A-Z]", output("--help"), re.MULTILINE)


def test_help_is_not_wider_than_100_columns():
    assert len(commands()) >= 7
    for words in ([], *([command] for command in commands())):
        assert max(map(len, output(*words, "--help").splitlines())) <= 100, words


def test_help_of_run_lists_what_the_tables_hold():
    text = output("run", "--help")
    levels = json.loads(output("rules", "--vocabulary", "--format", "json"))["row-level"]
    assert f"--level {'|'.join(levels)}\n" in text
    assert re.search(r"--format text\|json\|tap\|junit\s+of standard output", text)
