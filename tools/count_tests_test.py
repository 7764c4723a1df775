"""What count_tests.py makes of the records of runs that passed, failed, did not build, or broke off."""

import json

import pytest

from tools import count_tests

SUCCESS = {"id": {"buildFinished": {}}, "finished": {"exitCode": {"name": "SUCCESS"}}}
BUILD_FAILURE = {"id": {"buildFinished": {}}, "finished": {"exitCode": {"name": "BUILD_FAILURE", "code": 1}}}


def configured(label, **configuration):
    return {"id": {"targetConfigured": {"label": label}}, "configured": configuration}


def a_test(label):
    return configured(label, targetKind="cc_test rule", testSize="SMALL")


def summary(label, status):
    return {"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}}


@pytest.mark.parametrize(
    "events, counts",
    [
        pytest.param([a_test("//a:t"), summary("//a:t", "PASSED"), SUCCESS], (1, 0), id="passed"),
        pytest.param([configured("//a:l"), SUCCESS], (0, 0), id="a library is no test"),
        pytest.param([a_test("//a:t"), summary("//a:t", "FAILED"), BUILD_FAILURE], (0, 1), id="failed"),
        pytest.param([a_test("//a:t"), summary("//a:t", "FLAKY"), SUCCESS], (0, 1), id="flaky is not passed"),
        pytest.param([a_test("//a:t"), a_test("//a:u"), BUILD_FAILURE], (0, 2), id="neither was built"),
        pytest.param(
            [a_test("//a:t"), summary("//a:t", "PASSED"), BUILD_FAILURE], (1, 1), id="something else failed"
        ),
        pytest.param([a_test("//a:t"), summary("//a:t", "PASSED")], None, id="broke off"),
    ],
)
def test_counts(events, counts):
    assert count_tests.count(events) == counts


def test_prints_the_counts_of_a_file(tmp_path, capsys):
    record = tmp_path / "events"
    record.write_text("".join(json.dumps(event) + "\n" for event in [a_test("//a:t"), BUILD_FAILURE]))
    assert count_tests.main([str(record)]) == 0
    assert capsys.readouterr().out == "0 1\n"


@pytest.mark.parametrize("content", ['{"id": {"started"', json.dumps(a_test("//a:t"))])
def test_refuses_half_a_record(tmp_path, capsys, content):
    record = tmp_path / "events"
    record.write_text(content)
    assert count_tests.main([str(record)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert str(record) in printed.err
