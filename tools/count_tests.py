#!/usr/bin/python3
"""Counts the tests of a `bazel test` run from its record (--build_event_json_file): prints "PASSED FAILED".

A test that never ran, because it or something under it did not build, is a failed one. So is, once, a run that failed
without a failed test to show for it: a package that does not load, a target that is no test, no test at all.
"""

import json
import sys
from pathlib import Path


def read_events(path):
    """Each event of the record, one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def count(events):
    """(passed, failed), or None for a record that breaks off before the run has ended."""
    tests = set()
    passed = set()
    succeeded = None
    for event in events:
        # An id holds one key, which is the kind of the event.
        if "targetConfigured" in event["id"] and "testSize" in event.get("configured", {}):
            tests.add(event["id"]["targetConfigured"]["label"])
        elif "testSummary" in event["id"]:
            label = event["id"]["testSummary"]["label"]
            tests.add(label)
            if event.get("testSummary", {}).get("overallStatus") == "PASSED":
                passed.add(label)
        elif "finished" in event:
            succeeded = event["finished"]["exitCode"]["name"] == "SUCCESS"
    if succeeded is None:
        return None
    failed = len(tests - passed)
    return len(passed), failed if succeeded else max(failed, 1)


def main(argv):
    if len(argv) != 1:
        print("usage: count_tests.py EVENTS", file=sys.stderr)
        return 2
    try:
        counts = count(read_events(Path(argv[0])))
    except (OSError, ValueError) as problem:
        print(f"count_tests: {argv[0]}: {problem}", file=sys.stderr)
        return 1
    if counts is None:
        print(f"count_tests: {argv[0]}: the run did not end", file=sys.stderr)
        return 1
    print(*counts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
