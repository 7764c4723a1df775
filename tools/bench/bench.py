"""Measures Rowlock against its peers and prints tables. No time is asserted: figures are for a person to judge.

    python3 tools/bench/bench.py [PART...]

Parts, all of them when none is named:
  read   reading and validating one sidecar in process, against jsonschema, fastjsonschema and jsonschema-rs
  check  `rowlock check` of few and of many copies of it: time for each, and whether memory grows with their number
  run    `rowlock run` of the corpus as it is, and of generated rows: rows per second
  launch a warm run of a host plugin over the bare call of its entry, and the host team against a triad
  inspect reading generated artifacts in process, against a copy of their bytes, and `rowlock inspect` of them, against
         cuobjdump where it is installed and strings otherwise

Builds what it measures with Bazel. The peers come from the Python package index, in the versions of requirements.txt,
into an environment below the cache folder ($XDG_CACHE_HOME/rowlock, or --cache), made once; nothing else needs the
network.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parents[1]
SIDECAR = BENCH / "sidecar.json"
REQUIREMENTS = BENCH / "requirements.txt"

# What is aimed at; a peer is to be at least so many times slower.
PEER_TARGETS = {"jsonschema": 150, "fastjsonschema": 10, "jsonschema-rs": 2}
ROWS_PER_SECOND_TARGET = 20_000
CORPUS_SECONDS_TARGET = 5
INSPECT_MS_TARGETS = {".ptx": 20, ".fatbin": 200}

FEW_COPIES, MANY_COPIES = 200, 20_000
FEW_ROWS, MANY_ROWS = 200, 4_000
REPEATS = 3


class BenchError(Exception):
    """Something could not be measured; the message is for the user."""


def run(command, **options):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        raise BenchError(f"'{' '.join(map(str, command))}' ended with {done.returncode}")
    return done.stdout


def build(*targets):
    """Builds targets and returns the paths of their programs."""
    run(["bazel", "build", "--compilation_mode=opt", "--show_result=0", "--noshow_progress", *targets], cwd=ROOT)
    folder = Path(run(["bazel", "info", "--compilation_mode=opt", "bazel-bin"], cwd=ROOT).strip())
    return [folder / target.removeprefix("//").replace(":", "/") for target in targets]


def print_table(title, header, rows):
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    print(f"\n{title}\n")
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print("  " + "   ".join(cells).rstrip())


# --- read -------------------------------------------------------------------------------------------------------------


def peers_python(cache):
    """The interpreter of the environment that has the peers, made when the requirements have none yet."""
    wanted = REQUIREMENTS.read_bytes() + sys.version.encode()
    home = cache / f"bench-{hashlib.sha256(wanted).hexdigest()[:12]}"
    python = home / "bin" / "python"
    done = home / "complete"
    if not done.exists():
        print(f"bench: installing the peers into '{home}'", file=sys.stderr)
        try:
            venv.EnvBuilder(with_pip=True, clear=True).create(home)
        except subprocess.CalledProcessError as error:
            raise BenchError("cannot make an environment with pip; on Debian that takes python3-venv") from error
        run([python, "-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS])
        done.touch()
    return python


def write_refused(folder):
    """A sidecar with one fault, which everything that is timed must refuse."""
    document = json.loads(SIDECAR.read_text(encoding="utf-8"))
    document["scalar_type"] = "float16"
    path = folder / "refused.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def bench_read(args, folder):
    (program,) = build("//tools/bench:read_and_validate")
    python = peers_python(args.cache)
    refused = write_refused(folder)
    if subprocess.run([program, refused], stderr=subprocess.DEVNULL, check=False).returncode != 1:
        raise BenchError("read_and_validate takes a sidecar that it should refuse")
    own = json.loads(run([program, SIDECAR]))
    output = run([python, BENCH / "peers.py", ROOT / "schemas", SIDECAR, refused])
    peers = [json.loads(line) for line in output.splitlines()]
    rows = [["rowlock", f"{own['best_ns']:,.0f}", f"{own['median_ns']:,.0f}", "", ""]]
    for peer in peers:
        ratio = peer["best_ns"] / own["best_ns"]
        rows.append(
            [
                f"{peer['peer']} {peer['version']}",
                f"{peer['best_ns']:,.0f}",
                f"{peer['median_ns']:,.0f}",
                f"{ratio:,.1f}x",
                f"{PEER_TARGETS[peer['peer']]}x",
            ]
        )
    print_table(
        f"Read and validate one sidecar of {own['bytes']:,} bytes, in process; the ratio is of the best rounds",
        ["", "best ns", "median ns", "slower", "at least"],
        rows,
    )


# --- check and run ----------------------------------------------------------------------------------------------------


def measure(program, folder, *command, allowed=(0,)):
    """The quickest of some runs of a command, and the last line that it printed. The first run warms the file cache."""
    output = folder / "output"
    runs = [json.loads(run([program, output, *command])) for _ in range(1 + REPEATS)][1:]
    last_line = output.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
    for figures in runs:
        if figures["exit"] not in allowed:
            raise BenchError(f"'{' '.join(map(str, command))}' ended with {figures['exit']}: {last_line}")
    quickest = min(runs, key=lambda figures: figures["wall_ns"])
    return {**quickest, "peak_kib": max(figures["peak_kib"] for figures in runs), "last_line": last_line}


def bench_check(_args, folder):
    rowlock, measurer = build("//harness:rowlock", "//tools/bench:measure")
    text = SIDECAR.read_bytes()
    results = {}
    for count in (FEW_COPIES, MANY_COPIES):
        copies = folder / f"copies-{count}"
        copies.mkdir()
        for index in range(count):
            (copies / f"copy{index:05}.sidecar.json").write_bytes(text)
        results[count] = measure(measurer, folder, rowlock, "check", copies)
    print_table(
        f"rowlock check of a folder of sidecars of {len(text):,} bytes, the whole command",
        ["documents", "ms", "us each", "peak KiB"],
        [
            [f"{count:,}", f"{ns / 1e6:,.1f}", f"{ns / 1e3 / count:,.2f}", f"{got['peak_kib']:,}"]
            for count, got in results.items()
            for ns in [got["wall_ns"]]
        ],
    )
    growth = results[MANY_COPIES]["peak_kib"] / results[FEW_COPIES]["peak_kib"]
    print(f"\n  peak memory of many over that of few: {growth:.2f}x (1.00x: it does not grow)")


def write_rows(folder, count):
    """Rows that accept, since those pass every gate; a row that rejects costs less."""
    folder.mkdir()
    text = SIDECAR.read_bytes()
    for number in range(1, count + 1):
        stem = f"row{number:05}_copy"
        row = {
            "row": number,
            "title": f"copy {number} of one sidecar is accepted",
            "level": "sidecar",
            "expect": "accept",
            "loaders": ["shared_validator"],
            "why": ["Generated, to be timed."],
        }
        (folder / f"{stem}.expect.json").write_text(json.dumps(row), encoding="utf-8")
        (folder / f"{stem}.sidecar.json").write_bytes(text)
    return folder


def count_results(last_line):
    """How many results passed and failed: a row gives one at each of its loaders."""
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed, \d+ skipped", last_line)
    if not counts:
        raise BenchError(f"the last line of rowlock run is '{last_line}'")
    return int(counts[1]), int(counts[2])


def bench_run(_args, folder):
    rowlock, measurer = build("//harness:rowlock", "//tools/bench:measure")
    corpora = {
        "the corpus": (ROOT / "corpus", []),
        "generated, few": (write_rows(folder / "few", FEW_ROWS), ["--jobs", "1"]),
        "generated, many": (write_rows(folder / "many", MANY_ROWS), ["--jobs", "1"]),
    }
    table = []
    results = []
    for name, (path, options) in corpora.items():
        # A corpus with a failing row takes its time all the same, and the table says so.
        got = measure(measurer, folder, rowlock, "run", path, *options, allowed=(0, 1))
        passed, failed = count_results(got["last_line"])
        count, ns = passed + failed, got["wall_ns"]
        results.append((count, ns))
        figures = [f"{ns / 1e6:,.1f}", f"{count / ns * 1e9:,.0f}", f"{got['peak_kib']:,}"]
        table.append([name, f"{count:,}", f"{failed:,}", *figures])
    print_table(
        "rowlock run, the whole command; one thread where rows are generated",
        ["", "results", "failed", "ms", "results/s", "peak KiB"],
        table,
    )
    (few, few_ns), (many, many_ns) = results[1:]
    row_ns = (many_ns - few_ns) / (many - few)
    print(f"\n  one more row costs {row_ns / 1e3:,.1f} us, so {1e9 / row_ns:,.0f} rows/s")
    print(f"  at least: {ROWS_PER_SECOND_TARGET:,} rows/s; the corpus in under {CORPUS_SECONDS_TARGET} s")


# --- launch -----------------------------------------------------------------------------------------------------------


def bench_launch(_args, _folder):
    programs = build("//tools/bench:call_overhead", "//tools/bench:host_team")
    call, team = (
        json.loads(run([program, f"{program}.runfiles/rowlock/tools/bench/kernels"])) for program in programs
    )
    print_table(
        f"a warm run of a host plugin with {call['arguments']} arguments",
        ["", "ns", "of the target"],
        [
            ["the bare call of its entry", f"{call['bare_ns']:,.1f}", ""],
            ["a run, over that", f"{call['warm_over_bare_ns']:,.1f}", f"{call['of_target']:.2f}"],
            ["a run after a uniform changed", f"{call['rebound_over_bare_ns']:,.1f}", ""],
        ],
    )
    print(f"\n  at most: {call['target_ns']:,} ns over the bare call")
    print_table(
        f"three arrays that no cache holds, on {team['threads']} threads",
        ["", "GB/s", "of the triad"],
        [
            ["a triad, by OpenMP alone", f"{team['triad_gb_per_s']:,.2f}", ""],
            ["the same as a host plugin, by the team", f"{team['team_gb_per_s']:,.2f}", f"{team['of_triad']:.3f}"],
        ],
    )
    print(f"\n  at least: {team['target']:.2f} of the triad")


# --- inspect ----------------------------------------------------------------------------------------------------------


def inspecting_peer():
    """What else lists what is in an artifact: its name, and the command without the file."""
    found = shutil.which("cuobjdump", path=f"{os.environ.get('PATH', '')}:/usr/local/cuda/bin")
    if found:
        return "cuobjdump", [found, "--list-elf", "--list-ptx"]
    found = shutil.which("strings")
    if not found:
        raise BenchError("neither cuobjdump nor strings is installed")
    return "strings", [found]


def bench_inspect(_args, folder):
    rowlock, measurer, program = build("//harness:rowlock", "//tools/bench:measure", "//tools/bench:inspect_speed")
    cubin = ROOT / "loader/artifact/testdata/sums.cubin"
    artifacts = [json.loads(line) for line in run([program, cubin, folder]).splitlines()]
    name, peer = inspecting_peer()
    in_process, commands = [], []
    for got in artifacts:
        path = folder / got["name"]
        target = f"{INSPECT_MS_TARGETS[path.suffix]} ms"
        in_process.append(
            [
                got["name"],
                f"{got['bytes']:,}",
                f"{got['unpacked']:,}",
                f"{got['entries']:,}",
                f"{got['best_ns'] / 1e6:,.2f}",
                f"{got['best_ns'] / got['copy_ns']:,.1f}x",
                target,
            ]
        )
        own = measure(measurer, folder, rowlock, "inspect", path)
        # cuobjdump takes no PTX by itself; what it says of that does not matter, and its time is left out.
        other = None if name == "cuobjdump" and path.suffix == ".ptx" else measure(measurer, folder, *peer, path)
        commands.append(
            [
                got["name"],
                f"{own['wall_ns'] / 1e6:,.1f}",
                f"{own['peak_kib']:,}",
                f"{other['wall_ns'] / 1e6:,.1f}" if other else "",
                f"{other['wall_ns'] / own['wall_ns']:,.1f}x" if other else "",
                target,
            ]
        )
    print_table(
        "reading an artifact in process, and the time of that over the time of copying its bytes",
        ["", "bytes", "unpacked", "entries", "ms", "of a copy", "under"],
        in_process,
    )
    print_table(
        f"rowlock inspect, the whole command, and {name}",
        ["", "ms", "peak KiB", f"{name} ms", "slower", "under"],
        commands,
    )


PARTS = {
    "read": bench_read,
    "check": bench_check,
    "run": bench_run,
    "launch": bench_launch,
    "inspect": bench_inspect,
}


def default_cache():
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rowlock"


def main(argv=None):
    parser = argparse.ArgumentParser(description="Measures Rowlock against its peers and prints tables.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all of them by default")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where the peers' environment is kept")
    args = parser.parse_args(argv)
    unknown = [part for part in args.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part is called '{unknown[0]}'; there are {', '.join(PARTS)}")
    for name in args.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="rowlock-bench-") as folder:
            try:
                PARTS[name](args, Path(folder))
            except (BenchError, OSError) as error:
                print(f"bench: {name}: {error}", file=sys.stderr)
                return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
