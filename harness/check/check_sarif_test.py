"""The SARIF of `rowlock check` against what the standard, OASIS SARIF 2.1.0, requires; numbers are its sections."""

import json
import re
import urllib.parse

import pytest

from check_documents import SIDECAR, deployment, edited, report, run, write

LEVELS = {"none", "note", "warning", "error"}


def check_message(message):
    """3.11: text, in which braces are doubled."""
    assert isinstance(message["text"], str) and message["text"]
    assert not re.search(r"[{}]", message["text"].replace("{{", "").replace("}}", ""))


def check_uri(location):
    """3.4: a URI reference of RFC 3986."""
    assert re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+", location["uri"])
    assert ":" not in location["uri"].split("/")[0] or location["uri"].startswith("file:///")


def check_region(region):
    """3.30: 1-based lines and columns, 0-based bytes."""
    assert region["startLine"] >= 1 and region["startColumn"] >= 1 and region["byteOffset"] >= 0


def check_rule(rule):
    """3.49: a reporting descriptor."""
    assert rule["id"]
    for key in ("shortDescription", "fullDescription", "help"):
        check_message(rule[key])
    assert rule["defaultConfiguration"]["level"] in LEVELS
    assert set(rule["properties"]) == {"tier", "class", "source"}


def check_result(result, rules):
    """3.27: a result, which points at its rule."""
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in LEVELS
    check_message(result["message"])
    assert len(result["locations"]) == 1
    location = result["locations"][0]
    check_uri(location["physicalLocation"]["artifactLocation"])
    check_region(location["physicalLocation"]["region"])
    for logical in location["logicalLocations"]:
        assert re.fullmatch(r"(/[^/]*)*", logical["fullyQualifiedName"])


def check_invocation(invocation, status):
    """3.20: an invocation."""
    assert invocation["executionSuccessful"] is (status < 2)
    assert invocation["exitCode"] == status
    for notification in invocation["toolExecutionNotifications"]:
        check_message(notification["message"])
        assert notification["level"] in LEVELS
        for location in notification.get("locations", []):
            check_uri(location["physicalLocation"]["artifactLocation"])


def sarif_run(*arguments, cwd=None):
    """The one run of the log (3.13, 3.14), every part of it checked."""
    done = run("--format", "sarif", *arguments, cwd=cwd)
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0"
    assert urllib.parse.urlsplit(log["$schema"]).path.endswith("/sarif-schema-2.1.0.json")
    assert len(log["runs"]) == 1
    run_ = log["runs"][0]
    driver = run_["tool"]["driver"]
    assert driver["name"] == "rowlock" and re.fullmatch(r"\d+\.\d+\.\d+", driver["version"])
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"]) > 100
    for rule in driver["rules"]:
        check_rule(rule)
    assert run_["columnKind"] == "unicodeCodePoints"
    for result in run_["results"]:
        check_result(result, driver["rules"])
    assert len(run_["invocations"]) == 1
    check_invocation(run_["invocations"][0], done.returncode)
    return run_


def test_sarif_has_what_the_standard_requires(tmp_path):
    deployment(tmp_path)
    (tmp_path / "drag.ptx").unlink()
    write(tmp_path / "drag.json", edited(SIDECAR, kernel={"a": 1}, arg_spec=[["Out", "out"]]))
    run_ = sarif_run("manifest.json", "absent.json", cwd=tmp_path)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run_["results"]}
    assert uris == {"manifest.json", "drag.json"}
    assert {result["level"] for result in run_["results"]} == {"error", "warning"}
    assert any("{{" in result["message"]["text"] for result in run_["results"])
    notifications = run_["invocations"][0]["toolExecutionNotifications"]
    assert len(notifications) == 1 and "absent.json" in notifications[0]["message"]["text"]


def test_sarif_agrees_with_json(tmp_path):
    path = write(tmp_path / "drag.json", edited(SIDECAR, scalar_type="float16", arg_spec=[["Ou}t", "out"], ["{", "x"]]))
    findings = report(path)[0]["documents"][0]["findings"]
    results = sarif_run(path)["results"]
    assert len(findings) == len(results) >= 3
    for finding, result in zip(findings, results):
        physical = result["locations"][0]["physicalLocation"]
        assert (finding["rule"], finding["severity"]) == (result["ruleId"], result["level"])
        assert finding["message"] == result["message"]["text"].replace("{{", "{").replace("}}", "}")
        assert physical["region"] == {
            "startLine": finding["line"],
            "startColumn": finding["column"],
            "byteOffset": finding["byte_offset"],
        }
        assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": finding["pointer"]}]


def test_sarif_has_notes_at_one_door_only(tmp_path):
    write(tmp_path / "drag.json", SIDECAR)
    assert sarif_run("drag.json", cwd=tmp_path)["results"] == []
    results = sarif_run("--door", "loaded_pure", "drag.json", cwd=tmp_path)["results"]
    assert [result["level"] for result in results] == ["note"]


@pytest.mark.parametrize(
    "name", ["plain.json", "a b#c?.json", "100%.json", "a:b.json", "\u00e9\u4e2d.json", "\x1b[.json", "[{}]|^`\\.json"]
)
def test_sarif_uris_lead_back_to_the_file(name, tmp_path):
    write(tmp_path / name, "{")
    for argument in (name, f"./{name}", str(tmp_path / name)):
        result = sarif_run(argument, cwd=tmp_path)["results"][0]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        resolved = urllib.parse.urljoin(tmp_path.as_uri() + "/", uri)
        assert urllib.parse.unquote(urllib.parse.urlsplit(resolved).path) == str(tmp_path / name)


def test_sarif_lists_a_bounded_number_of_paths_that_cannot_be_read(tmp_path):
    names = [f"{index}.json" for index in range(150)]
    notifications = sarif_run(*names, cwd=tmp_path)["invocations"][0]["toolExecutionNotifications"]
    assert len(notifications) == 101
    assert notifications[-1]["message"]["text"].startswith("50 more")
