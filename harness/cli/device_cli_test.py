"""Devices from outside: `version`, `run` and `launch` without a driver, with one that fails, and with one that works.

The driver is the double of loader/device/testdata, which has a kernel's host twin do its work.
"""

import json
import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from program import output, refusal, rowlock

DOUBLES = Path("loader/device/testdata").absolute()
COMPARE_TWIN = Path("harness/gate/device/testdata/compare_twin.so").absolute()
DRAG = Path("corpus/host/deployments/drag").absolute()
ZOO = Path("corpus/gate/deployments").absolute()
DRAG_ROW = Path("corpus/host/row700a_vector_v2_split.expect.json").absolute()
NO_DRIVER = "no CUDA driver: libno_such_driver.so.1: cannot open shared object file"


@pytest.fixture(autouse=True)
def without_driver(monkeypatch):
    """Whatever machine this is: there is no driver unless a test wants one."""
    monkeypatch.setenv("ROWLOCK_CUDA_DRIVER", "libno_such_driver.so.1")
    monkeypatch.delenv("ROWLOCK_DRIVER_DOUBLE", raising=False)
    for name in ("TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX", "TESTBRIDGE_TEST_ONLY", "XML_OUTPUT_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture()
def driver(monkeypatch):
    """Makes a double the driver, with words for what it is to do."""

    def use(words: str = "", name: str = "driver_double") -> Path:
        path = DOUBLES / f"{name}.so"
        monkeypatch.setenv("ROWLOCK_CUDA_DRIVER", str(path))
        monkeypatch.setenv("ROWLOCK_DRIVER_DOUBLE", f"{words} host={COMPARE_TWIN}")
        return path.resolve()

    return use


# --- version ----------------------------------------------------------------------------------------------------------


def version() -> tuple[dict, list[str]]:
    """As JSON, and the lines of the text about the machine."""
    document = json.loads(output("version", "--format", "json"))
    lines = output("version").splitlines()
    return document, lines[[line.split()[0] for line in lines].index("driver") :]


def test_version_without_a_driver_says_why():
    document, lines = version()
    assert document["driver"]["problem"].startswith(NO_DRIVER) and document["devices"] == []
    assert lines == [f"driver         {document['driver']['problem']}"]


def test_version_says_the_driver_and_its_devices(driver):
    path = driver("devices=2 sm=86 version=12040")
    document, lines = version()
    assert document["driver"] == {"path": str(path), "cuda": "12.4", "loading": "lazy"}
    memory = 64 << 20
    assert document["devices"] == [
        {"ordinal": number, "name": f"Double {number}", "sm": 86, "memory_bytes": memory} for number in (0, 1)
    ]
    devices = [f"device {number}       Double {number}, sm_86, 64 MiB" for number in (0, 1)]
    assert lines == [f"driver         CUDA 12.4, {path}", "loading        lazy", *devices]


@pytest.mark.parametrize("words, loading", [("loading=1", "eager"), ("loading=2", "lazy")])
def test_version_says_when_functions_are_loaded(driver, words, loading):
    driver(words)
    document, lines = version()
    assert document["driver"]["loading"] == loading and lines[1] == f"loading        {loading}"


@pytest.mark.parametrize(
    "words, name",
    [
        ("", "driver_double_plain"),
        ("loading=3", "driver_double"),
        ("cuModuleGetLoadingMode=999", "driver_double"),
        ("devices=0", "driver_double"),
    ],
)
def test_version_is_silent_about_loading_where_the_driver_is(driver, words, name):
    driver(words, name)
    document, lines = version()
    assert "loading" not in document["driver"] and not [line for line in lines if line.startswith("loading")]


def test_version_is_the_same_each_time(driver):
    driver("devices=3")
    assert output("version") == output("version")
    assert output("--version") == output("version")


def test_version_opens_no_device(driver):
    driver("cuDevicePrimaryCtxRetain=2")
    assert version()[0]["devices"][0]["name"] == "Double 0"


def test_version_with_a_driver_that_sees_no_device(driver):
    driver("devices=0")
    document, lines = version()
    assert document["devices"] == [] and "problem" not in document["driver"]
    assert lines[1:] == ["devices        none"]


@pytest.mark.parametrize(
    "words, name, says",
    [
        ("cuInit=803", "driver_double", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): "),
        ("cuInit=100", "driver_double", "CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected"),
        ("", "driver_double_old", "driver_double_old.so' has no cuGraphInstantiateWithFlags"),
    ],
)
def test_version_of_a_driver_that_cannot_be_used(driver, words, name, says):
    driver(words, name)
    document, lines = version()
    assert says in document["driver"]["problem"] and len(lines) == 1 and says in lines[0]


def test_version_tells_of_a_device_that_tells_nothing(driver):
    driver("devices=2 cuDeviceGetName@2=999")
    document, lines = version()
    assert document["devices"][0]["name"] == "Double 0"
    assert document["devices"][1] == {"ordinal": 1, "problem": "asking the device: ? (999): ?"}
    assert lines[3] == "device 1       asking the device: ? (999): ?"


def test_version_tells_of_devices_that_cannot_be_counted(driver):
    driver("cuDeviceGetCount=999")
    document, lines = version()
    assert document["driver"]["problem"] == "cuDeviceGetCount: ? (999): ?"
    assert lines[1:] == ["devices        cuDeviceGetCount: ? (999): ?"]


# --- run --------------------------------------------------------------------------------------------------------------


def records(*words, status: int = 0) -> dict[str, dict]:
    """The records of the row of two structures, by loader."""
    done = rowlock("run", DRAG_ROW, "--format", "json", *words)
    assert (done.returncode, done.stderr) == (status, ""), done
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["loader"]: line for line in lines if "loader" in line}


@pytest.mark.parametrize(
    "words, reason", [([], NO_DRIVER), (["--device", "auto"], NO_DRIVER), (["--device", "none"], "--device none")]
)
def test_rows_of_a_device_are_skipped_with_the_reason_where_there_is_none(words, reason):
    seen = records(*words)
    assert seen["device_launch"]["outcome"] == "skip" and reason in json.dumps(seen["device_launch"])
    assert seen["host_launch"]["outcome"] == "pass"
    last = output("run", DRAG_ROW, *words).splitlines()[-1]
    assert re.fullmatch(r"\d+ passed, 0 failed, 1 skipped", last)


@pytest.mark.parametrize("words", [[], ["--device", "0"]])
def test_a_required_device_without_a_driver_ends_with_3(words):
    done = rowlock("run", DRAG_ROW, "--require-device", *words)
    assert (done.returncode, done.stdout) == (3, "")
    assert "a device is required: " + NO_DRIVER in done.stderr and done.stderr.count("\n") == 1


def test_a_required_device_is_not_none():
    done = rowlock("run", DRAG_ROW, "--require-device", "--device", "none")
    assert (done.returncode, done.stdout) == (3, "") and "a device is required: --device none" in done.stderr


@pytest.mark.parametrize("words, ordinal, count", [("devices=0", 0, 0), ("devices=2", 2, 2)])
def test_a_required_device_must_be_there(driver, words, ordinal, count):
    driver(words)
    done = rowlock("run", DRAG_ROW, "--require-device", "--device", str(ordinal))
    assert (done.returncode, done.stdout) == (3, "")
    assert f"a device is required: device {ordinal} of {count}" in done.stderr


@pytest.mark.parametrize("value", ["", "-1", "first", "65536", "1.0"])
def test_a_device_is_auto_none_or_a_number(value):
    assert "--device takes auto, none or a number" in refusal("run", DRAG_ROW, f"--device={value}")


def test_a_row_runs_on_the_device(driver):
    driver(f"host={DRAG / 'drag.so'}")
    for words in ([], ["--require-device"], ["--device", "0"]):
        seen = records(*words)
        assert {loader: seen[loader]["outcome"] for loader in ("host_launch", "device_launch")} == {
            "host_launch": "pass",
            "device_launch": "pass",
        }


def test_a_device_that_is_not_there_is_a_reason_to_skip(driver):
    driver(f"host={DRAG / 'drag.so'}")
    seen = records("--device", "7")["device_launch"]
    assert seen["outcome"] == "skip" and "there is no CUDA device 7" in json.dumps(seen)


def test_a_device_that_does_no_work_fails(driver):
    driver()
    seen = records(status=1)
    assert seen["device_launch"]["outcome"] == "fail" and seen["host_launch"]["outcome"] == "pass"


def test_a_row_that_finds_no_device_where_one_is_required_is_an_error(driver):
    """The device is there when the run starts, and gone when the row does."""
    driver("cuDevicePrimaryCtxRetain=100")
    assert records("--device", "0")["device_launch"]["outcome"] == "skip"
    assert records("--device", "0", "--require-device", status=1)["device_launch"]["outcome"] == "error"


@pytest.mark.parametrize("sm, outcome", [(90, "pass"), (86, "skip"), (100, "skip")])
def test_a_row_about_one_sm_is_skipped_on_another(driver, sm, outcome):
    driver(f"sm={sm}")
    row = Path("corpus/device/row1221b_cubin_of_another_sm.expect.json").absolute()
    done = rowlock("run", row, "--format", "json", "--require-device")
    seen = json.loads(done.stdout.splitlines()[0])
    assert seen["outcome"] == outcome, done
    if outcome == "skip":
        assert seen["reason"] == f"it is about a device of sm_90, and this one's is sm_{sm}"


def again(command: str) -> dict:
    """The record of the command that a failure says, run in place of whoever reads it."""
    name, *words = shlex.split(command)
    assert name == "rowlock"
    done = rowlock(*words, "--format", "json")
    assert (done.returncode, done.stderr) == (1, ""), done
    return json.loads(done.stdout.splitlines()[0])


@pytest.mark.parametrize("words", [[], ["--device", "1"], ["--device", "1", "--require-device"]])
def test_the_command_that_repeats_a_failure_is_for_the_device_that_it_failed_on(driver, words):
    driver("devices=2")  # which do no work
    seen = records(*words, status=1)
    failed = seen["device_launch"]
    device, require = ("1" if words else "0"), words[2:]
    told = shlex.split(failed["reproduce"])
    assert told[told.index("--loader") :] == ["--loader", "device_launch", "--device", device, *require]
    assert failed["device"] == int(device) and "device" not in seen["host_launch"]
    repeated = again(failed["reproduce"])
    assert {**repeated, "duration_us": 0} == {**failed, "duration_us": 0}


def test_a_failure_on_the_host_is_repeated_there(driver):
    driver(f"host={DRAG / 'drag.so'}")
    seen = records("--built", "/nowhere", "--require-device", status=1)
    assert "--device" not in seen["host_launch"]["reproduce"] and "device" not in seen["host_launch"]
    assert "device" in seen["device_launch"]


def test_a_row_that_is_skipped_was_on_no_device(driver):
    driver("devices=1")
    seen = records("--device", "7")["device_launch"]
    assert seen["outcome"] == "skip" and "device" not in seen


SCALE_ROW = Path("corpus/gate/row900a_scale.expect.json").absolute()


def device_record_beside(host_object: Path, tmp_path: Path) -> dict:
    """Of a copy of a row whose deployment has that host object beside it, which the device is compared with."""
    folder = tmp_path / "deployments" / "scale"
    folder.mkdir(parents=True)
    for name in ("manifest.json", "scale.sidecar.json", "scale.ptx"):
        shutil.copy(ZOO / "scale" / name, folder)
    shutil.copy(host_object, folder / "scale.so")
    shutil.copy(SCALE_ROW, tmp_path)
    done = rowlock("run", tmp_path / SCALE_ROW.name, "--loader", "device_launch", "--format", "json")
    return json.loads(done.stdout.splitlines()[0])


@pytest.mark.parametrize(
    "name, says",
    [
        ("scale_writes_nothing/scale.so", "output 'out' was not written: 12 of 12 elements, the first at 0, under host_"),
        ("steady_segfault/steady.so", "the process was stopped by SIGSEGV (Segmentation fault) under host_serial"),
        ("steady_exit_success/steady.so", "the process ended itself with status 0 under host_serial"),
    ],
)
def test_what_the_host_does_wrong_is_no_verdict_on_the_device(driver, tmp_path, name, says):
    driver(f"host={ZOO / 'scale' / 'scale.so'}")
    seen = device_record_beside(ZOO / name, tmp_path)
    assert seen["outcome"] == "error" and seen["reason"].startswith("nothing to compare with: "), seen
    assert says in seen["reason"]


def test_what_the_host_does_right_is_what_the_device_is_compared_with(driver, tmp_path):
    driver(f"host={ZOO / 'scale' / 'scale.so'}")
    assert device_record_beside(ZOO / "scale" / "scale.so", tmp_path)["outcome"] == "pass"


# --- launch -----------------------------------------------------------------------------------------------------------

INPUTS = ["--n", "4", "--in", "out=0", "--in", "velocity=3", "--in", "mass=2", "--uniform", "coefficient=0.5"]


def launch(*words, deployment: Path = DRAG / "manifest.json", arguments=tuple(INPUTS)):
    return rowlock("launch", deployment, *arguments, *words)


def test_launch_without_a_driver_ends_with_3():
    done = launch("--device", "0")
    assert (done.returncode, done.stdout) == (3, "") and NO_DRIVER in done.stderr


def test_launch_on_a_device_says_where_it_ran(driver, tmp_path):
    driver(f"host={DRAG / 'drag.so'}")
    done = launch("--device", "0", "--format", "json", "--out", tmp_path / "device")
    assert (done.returncode, done.stderr) == (0, "")
    assert {run["structure"] for run in json.loads(done.stdout)["runs"]} == {"device_kernel"}
    assert launch("--out", tmp_path / "host").returncode == 0
    assert (tmp_path / "device/out.npy").read_bytes() == (tmp_path / "host/out.npy").read_bytes()


def test_launch_on_a_device_that_is_not_there(driver):
    driver("devices=1")
    done = launch("--device", "1")
    assert (done.returncode, done.stdout) == (3, "") and "there is no CUDA device 1: the driver '" in done.stderr


@pytest.mark.parametrize("first", [[], ["--structure", "device_kernel"]])
def test_launch_on_a_device_leaves_no_structure_of_the_host_out(driver, first):
    driver(f"host={DRAG / 'drag.so'}")
    done = launch("--device", "0", *first, "--structure", "host_team")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--structure host_team does not run on a device: leave out --device" in done.stderr


@pytest.mark.parametrize("first", [[], ["--structure", "host_serial"]])
def test_launch_on_the_host_leaves_no_structure_of_a_device_out(first):
    done = launch(*first, "--structure", "device_kernel")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--structure device_kernel runs on a device: say which with --device" in done.stderr


@pytest.mark.parametrize(
    "fault, rule, says",
    [
        ("cuModuleLoadDataEx@2=209", "device.module", "CUDA_ERROR_NO_BINARY_FOR_GPU (209)"),
        ("cuFuncLoad@4=500", "device.function", "CUDA_ERROR_NOT_FOUND (500)"),
        ("cuLaunchKernel=719", "device.launch", "CUDA_ERROR_LAUNCH_FAILED (719)"),
        ("cuCtxSynchronize=700", "verdict.device-error", "CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
    ],
)
def test_launch_says_what_the_driver_said(driver, fault, rule, says):
    driver(f"host={DRAG / 'drag.so'} {fault}")
    done = launch("--device", "0")
    assert (done.returncode, done.stdout) == (1, "") and says in done.stderr and f"[{rule}]" in done.stderr


@pytest.mark.parametrize(
    "fault, says",
    [
        ("cuModuleLoadDataEx@1=221", "Rowlock's own kernels do not load on the device 'Double 0', sm_90: "),
        ("cuModuleLoadDataEx@1=209", "Rowlock's own kernels do not load on the device 'Double 0', sm_90: "),
        ("cuModuleLoadDataEx@1=218", "Rowlock's own kernels do not load on the device 'Double 0', sm_90: "),
        ("cuModuleLoadDataEx@3=222", "Rowlock's own kernels do not load on the device 'Double 0', sm_90: "),
        ("cuModuleLoadDataEx@2=221", "plugin 'drag': cuModuleLoadDataEx: ? (221): "),
        ("cuFuncLoad@4=100", "plugin 'drag': cuFuncLoad: CUDA_ERROR_NO_DEVICE (100): "),
        ("cuLaunchKernel=2", "plugin 'drag': cuLaunchKernel: CUDA_ERROR_OUT_OF_MEMORY (2): "),
        ("cuCtxSynchronize=2", "cuCtxSynchronize: CUDA_ERROR_OUT_OF_MEMORY (2): "),
        ("cuStreamCreate=2", "cuStreamCreate: CUDA_ERROR_OUT_OF_MEMORY (2): "),
        ("cuGraphInstantiateWithFlags=2", "cuGraphInstantiate: CUDA_ERROR_OUT_OF_MEMORY (2): "),
        ("cuStreamSynchronize@5=46", ""),
    ],
)
def test_what_the_machine_lacks_is_no_fault_of_the_plugin(driver, fault, says):
    driver(f"host={DRAG / 'drag.so'} {fault}")
    done = launch("--device", "0")
    assert (done.returncode, done.stdout) == (3, "") and says in done.stderr and done.stderr.count("[") == 0, done


def test_ptx_in_place_of_code_is_announced(driver, tmp_path):
    """The fatbin has code for sm_75, and PTX: what runs elsewhere was compiled by the driver."""
    row = {
        **{"row": 1, "title": "a fatbin", "level": "placement", "expect": "accept", "error_substring": None},
        **{"loaders": ["device_launch"], "deployment": "modules", "why": ["a test"]},
        "launch": {
            **{"n": 4, "inputs": {"value": 1}, "merge": ["fatbin_other.manifest.json"]},
            **{"structures": ["device_kernel"], "partitionings": [1]},
        },
    }
    shutil.copytree(Path("corpus/device/deployments/modules"), tmp_path / "deployments/modules")
    (tmp_path / "row001_fatbin.expect.json").write_text(json.dumps(row))
    for sm, announced in ((75, False), (90, True)):
        driver(f"sm={sm} cuFuncGetParamInfo=801")
        done = rowlock("run", tmp_path, "--format", "json")
        seen = json.loads(done.stdout.splitlines()[0])
        assert seen["outcome"] == "pass", done
        assert ("the artifact of plugin 'thrice' has no code for this device" in seen.get("note", "")) == announced


def test_a_refusal_names_plugin_and_artifact(driver):
    for fault in ("cuModuleLoadDataEx@2=218", "cuLaunchKernel=719", "cuCtxSynchronize=700"):
        driver(f"host={DRAG / 'drag.so'} {fault}")
        done = launch("--device", "0")
        assert done.returncode == 1 and "plugin 'drag'" in done.stderr and "drag/drag.ptx'" in done.stderr, done


def test_a_failure_that_may_be_of_several_plugins_names_them(driver):
    add = DRAG.parent / "add"
    driver(f"host={add / 'add.so'} cuCtxSynchronize=700")
    row = next(Path("corpus/host").glob("row701a_*.expect.json")).absolute()
    done = rowlock("run", row, "--loader", "device_launch")
    assert done.returncode == 1 and "it ran the plugins 'one', 'back', 'half'" in done.stdout, done


def test_what_the_compiler_said_is_shown_whole(driver, tmp_path):
    """Beneath the complaint, line by line and safe for a terminal; in the record of a row as it came."""
    said = "info: \x1b[2J\nline 12; error: unknown symbol\nfatal: aborted\n"
    (tmp_path / "log").write_text(said, encoding="utf-8")
    driver(f"log={tmp_path / 'log'} cuModuleLoadDataEx@2=218")
    done = launch("--device", "0")
    complaint, *lines = done.stderr.splitlines()
    assert done.returncode == 1 and "line 12; error: unknown symbol" in complaint
    assert lines == ["  info: \\u001B[2J", "  line 12; error: unknown symbol", "  fatal: aborted"]
    in_json = launch("--device", "0", "--format", "json")
    found = json.loads(in_json.stdout)
    assert (in_json.returncode, in_json.stderr) == (1, done.stderr)
    assert list(found) == ["code", "rule", "message", "log"] and found["log"] == said
    assert records(status=1)["device_launch"]["log"] == said


MIB = 1 << 20


@pytest.mark.parametrize("length", [8190, 8191, MIB, MIB + 1])
@pytest.mark.parametrize("character", ["\x01", "-"])
def test_what_the_compiler_said_reaches_the_record_up_to_its_bound(driver, tmp_path, length, character):
    """The first is the one that takes most room on its way: six characters."""
    (tmp_path / "log").write_text(character * length, encoding="utf-8")
    driver(f"log={tmp_path / 'log'} cuModuleLoadDataEx@2=218 cuModuleLoadDataEx@3=218")
    log = records(status=1)["device_launch"]["log"]
    assert log[:MIB] == character * min(length, MIB)
    assert log[MIB:] == ("\n... cut at 1 MiB: the log is longer\n" if length > MIB else "")


def test_what_the_compiler_said_is_in_every_report(driver, tmp_path):
    lines = [f"line {number}; error: <x> & \x1b[2J" for number in range(1, 24)]
    (tmp_path / "log").write_text("\n".join(lines), encoding="utf-8")
    driver(f"log={tmp_path / 'log'} cuModuleLoadDataEx@2=218")
    reports = [f"--report=junit={tmp_path / 'xml'}", f"--report=tap={tmp_path / 'tap'}"]
    done = rowlock("run", DRAG_ROW, "--loader", "device_launch", *reports)
    assert done.returncode == 1
    shown = [line.replace("\x1b", "\\u001B") for line in lines]
    begin = done.stdout.index("  compiler  line 1;")
    assert done.stdout[begin:].splitlines()[:21] == [
        f"  compiler  {shown[0]}",
        *(f"            {line}" for line in shown[1:20]),
        "            ... 3 more lines, in --report json",
    ]
    case = ElementTree.parse(tmp_path / "xml").find(".//testcase[failure]")
    assert case.findtext("system-out") == "\n".join(shown)
    value = next(line for line in (tmp_path / "tap").read_text().splitlines() if line.startswith("  log: "))
    assert json.loads(value.removeprefix("  log: ")) == "\n".join(lines)


@pytest.mark.parametrize("nth", range(1, 4))
def test_launch_on_a_device_that_is_full(driver, nth):
    driver(f"host={DRAG / 'drag.so'} cuMemAlloc_v2@{nth}=2")
    done = launch("--device", "0")
    assert (done.returncode, done.stdout) == (3, "") and "the device 'Double 0' has no " in done.stderr


TABLE = ["--n", "4", "--in", "step=1", "--table", 'curve={"values": [1, 2, 3, 4]}']


@pytest.mark.parametrize(
    "name, says, rule",
    [
        ("level_edits_table", "input 'curve' was changed", "verdict.input-changed"),
        ("level_writes_past_table", "the red zone of 'curve' was written: 8 bytes behind", "verdict.red-zone"),
        ("level_reads_past_table", "'level' differs between two runs", "verdict.runs-differ"),
    ],
)
def test_a_table_on_the_device_is_guarded_as_on_the_host(driver, name, says, rule):
    arguments = [*TABLE[:3], "step={\"values\": [3, 0, 2, 1]}", *TABLE[4:]]
    for kernel, status in (("level", 0), (name, 1)):
        driver(f"host={ZOO / kernel / 'level.so'}")
        done = launch("--device", "0", deployment=ZOO / kernel / "manifest.json", arguments=arguments)
        assert done.returncode == status, done
    assert says in done.stderr and "under device_kernel" in done.stderr and f"[{rule}]" in done.stderr


def test_a_table_without_elements_has_no_block(driver):
    driver(f"host={ZOO / 'level' / 'level.so'}")
    arguments = [*TABLE[:4], "--table", 'curve={"values": []}']
    done = launch("--device", "0", deployment=ZOO / "level" / "manifest.json", arguments=arguments)
    assert (done.returncode, done.stdout) == (1, "") and "[bind.table-count]" in done.stderr
