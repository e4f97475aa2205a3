"""Which small faults the tests find: ``python -m benchmarks.mutants draw|find|run|compare FILES``.

``draw`` chooses mutants of the library, evenly over its packages, and writes them to a file.
``find`` looks up those of a file in this state of the sources. ``run`` decides which of them the
tests kill, and goes on where it was stopped. ``compare`` sets two files of results side by side. A
mutant is identified by the qualified name of its function, its statement, its kind and its number
among alike ones, not by its file: it is found again where a module was moved or renamed.

`run` takes units of tests (those of a file that are not slow, or those that are) in the order of
`ranked_units`, which follows from imports and names in the test files, until a test fails or the
units, without the mutant, add up to ``--cap`` processor seconds. A test that fails without the
mutant, too, counts for nothing. A unit runs in a forked process, on a copy of what git has.
"""

import argparse
import ast
import compileall
import contextlib
import importlib
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.faults import SOURCE, Mutant, draw, look_up

ROOT = Path(__file__).parents[1]
#: Imported once, before processes are forked.
HEAVY = """numba pandas sklearn.pipeline sklearn.model_selection sklearn.linear_model yaml
    sklearn.ensemble pyarrow.parquet pyarrow.csv scipy.stats scipy.optimize skops.io hypothesis"""
OPTIONS = """-q -p no:cacheprovider --hypothesis-profile=ci
    -W ignore::pytest.PytestAssertRewriteWarning"""
#: Marker of pytest that selects the tests of a speed.
MARKERS = {"fast": "not slow", "slow": "slow"}
#: Units of tests per mutant.
UNITS = 30
#: Processor seconds to compile kernels.
SPARE = 240
#: Wall seconds after which a unit is stopped.
HOUR = 3600
#: Steps from a test file to a module that it does not reach.
UNREACHED = 9


def references(path: Path, modules: set[str], homes: dict[str, str]) -> set[str]:
    """Return the modules that a file names: by imports, and by import paths in its texts.

    ``homes`` is the module of each class. A name below a module, such as ``xnbflow.density.Kernel``
    below the package ``xnbflow.density``, refers to the home of its last word, else to the module.
    """
    references_to_modules = set()
    for name in dotted_names(path):
        if name in modules:
            references_to_modules.add(name)
            continue
        words = name.split(".")
        prefixes = (".".join(words[:n]) for n in range(len(words) - 1, 0, -1))
        module = next((prefix for prefix in prefixes if prefix in modules), None)
        if module:
            references_to_modules.add(homes.get(words[-1], module))
    return references_to_modules


def dotted_names(path: Path) -> set[str]:
    """Return what a file imports, and the words with dots in its texts."""
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            source = getattr(node, "module", None)
            prefix = f"{source}." if source else ""
            names |= {f"{prefix}{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= set(re.findall(r"[A-Za-z_]\w*(?:\.\w+)+", node.value))
    return names


@cache
def graph(root: Path) -> tuple[dict[str, set[str]], dict[Path, set[str]]]:
    """Return which modules each module names (helpers of tests, too), and which each test file."""
    modules: dict[Path, str] = {}
    homes: dict[str, str] = {}
    for base, pattern in ((root / SOURCE, "**/*.py"), (root / "tests", "*.py")):
        for path in sorted(base.glob(pattern)):
            dotted = ".".join(path.relative_to(base).with_suffix("").parts)
            module = dotted.removesuffix(".__init__")
            modules[path] = module
            body = ast.parse(path.read_bytes()).body  # packages pass on the classes of modules
            homes |= {node.name: module for node in body if isinstance(node, ast.ClassDef)}
    names = set(modules.values())
    tests = sorted((root / "tests").rglob("test_*.py"))
    edges = {module: references(path, names, homes) for path, module in modules.items()}
    return edges, {path: references(path, names, homes) for path in tests}


def steps_to(module: str, edges: dict[str, set[str]]) -> dict[str, int]:
    """Return from how many references away each module reaches a module, 0 for itself."""
    steps = {module: 0}
    frontier = {module}
    distance = 0
    while frontier:
        distance += 1
        naming = {name for name, named in edges.items() if named & frontier}
        frontier = naming - steps.keys()
        steps |= dict.fromkeys(frontier, distance)
    return steps


def ranked_units(root: Path, mutant: Mutant) -> list[tuple[str, str]]:
    """Return the units of tests for a mutant, the most direct first: (file, fast or slow).

    First the examples in the module's own docstrings; then test files by the number of steps from
    what they import to the module, less one if they mention its function or class, one more outside
    ``unit``, 1.5 more for slow tests; then by words that file and module share, and few imports.
    """
    edges, tests = graph(root)
    module = mutant.path.removeprefix(f"{SOURCE}/").removesuffix(".py").replace("/", ".")
    module = module.removesuffix(".__init__")
    steps = steps_to(module, edges)
    scopes = [name for name in mutant.name.split(".") if name and not name.startswith("__")]
    mention = re.compile(rf"\b({'|'.join(scopes)})\b")
    module_words = set(re.split(r"[._]", module)) - {module.split(".")[0]}
    order = []
    for path, named in tests.items():
        distance = min((steps[name] for name in named if name in steps), default=UNREACHED)
        if scopes and mention.search(path.read_text(encoding="utf-8")):
            distance -= 1
        if "unit" not in path.parts:
            distance += 1
        n_shared = len(module_words & set(path.stem.split("_")))
        file = str(path.relative_to(root))
        order.append((distance, -n_shared, len(named), file, "fast"))
        order.append((distance + 1.5, -n_shared, len(named), file, "slow"))
    units = [(file, speed) for *_, file, speed in sorted(order)]
    return [(mutant.path, "fast"), *units]


class Watch:
    """A plugin of pytest that keeps the names of what fails."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report) -> None:
        """Keep a test, or a file that cannot be collected."""
        if report.failed:
            self.failed.append(report.nodeid)

    pytest_collectreport = pytest_runtest_logreport


class Outcome(NamedTuple):
    """What tests did: ``state`` is passed, failed, timeout, or none (no test was selected).

    ``failed`` are the tests that failed, and the files that could not be collected; ``seconds`` are
    of the processor.
    """

    state: str
    failed: list[str]
    seconds: float


def run_tests(place: Path, speed: str, seconds: float, arguments: list[str]) -> Outcome:
    """Run tests in a forked process, for at most so many processor ``seconds``."""
    answer = place / "answer.json"
    answer.unlink(missing_ok=True)
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        with (place / "log").open("w") as log, contextlib.redirect_stderr(log):
            try:
                os.setpgid(0, 0)
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 9))
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                watch = Watch()
                code = pytest.main([*OPTIONS.split(), "-m", MARKERS[speed], *arguments], [watch])
                answer.write_text(json.dumps([int(code), watch.failed]))
            except BaseException:  # noqa: BLE001 - nothing may leave the forked process
                traceback.print_exc()
            finally:
                os._exit(0)
    usage = wait_for(child, began + HOUR)
    if answer.exists():
        code, failed = json.loads(answer.read_text())
        state = {0: "passed", 5: "none"}.get(code, "failed")  # exit codes of pytest
    else:
        state = "timeout"
        failed = []
    return Outcome(state, failed, round(usage.ru_utime + usage.ru_stime, 2))


def wait_for(child: int, deadline: float) -> resource.struct_rusage:
    """Wait for a process until a deadline, end it with all its children, return what it used."""
    ended = 0
    while not ended and time.monotonic() < deadline:
        time.sleep(0.02)
        ended, _, usage = os.wait4(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not ended:
        _, _, usage = os.wait4(child, 0)
    return usage


def unmutated(place: Path, file: str, speed: str, cap: float, record: Path) -> dict:
    """Return what a unit does without a mutant, measured once for all mutants."""
    unit = f"{file} {speed}"
    measured_units = {row["unit"]: row for row in read(record)}
    if unit in measured_units:
        return measured_units[unit]
    outcome = run_tests(place, speed, cap + SPARE, [file])
    if file in outcome.failed:  # it cannot be collected
        outcome = outcome._replace(state="none")
    row = {"unit": unit, **outcome._asdict()}
    append(record, row)
    return row


@contextlib.contextmanager
def applied(place: Path, mutant: Mutant) -> Iterator[None]:
    """Write a mutant into a copy; afterwards the file is as before, its time, too."""
    path = place / "tree" / mutant.path
    data = path.read_bytes()
    times = path.stat()
    path.write_bytes(data[: mutant.start] + mutant.text.encode() + data[mutant.end :])
    with tempfile.TemporaryDirectory(dir=place, ignore_cleanup_errors=True) as scratch:
        if b"njit" in data:
            os.environ["NUMBA_CACHE_DIR"] = scratch
        try:
            yield
        finally:
            os.environ.pop("NUMBA_CACHE_DIR", None)
            path.write_bytes(data)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def decide(place: Path, mutant: Mutant, cap: float, record: Path) -> dict:
    """Run units of tests until one fails or the cap is reached."""
    spent = 0.0
    ran: list[str] = []
    for file, speed in ranked_units(place / "tree", mutant)[:UNITS]:
        plain = unmutated(place, file, speed=speed, cap=cap, record=record)
        if plain["state"] not in {"passed", "failed"} or spent + plain["seconds"] > cap:
            continue
        spent += plain["seconds"]
        ran.append(plain["unit"])
        skip = [f"--deselect={name}" for name in plain["failed"]]
        limit = 3 * plain["seconds"] + SPARE
        with applied(place, mutant):
            outcome = run_tests(place, speed, limit, ["-x", *skip, file])
        killed = file in outcome.failed  # it cannot be collected any more
        if outcome.state == "failed" and not killed:  # once more without the mutant
            killed = run_tests(place, speed, limit, outcome.failed).state == "passed"
        if killed or outcome.state == "timeout":
            status = "timeout" if outcome.state == "timeout" else "killed"
            return {"status": status, "by": " ".join(outcome.failed), "ran": ran}
    return {"status": "survived", "by": "", "ran": ran}


def start_worker(places) -> None:
    """Work in a copy of the tree, whose library hides any that is installed."""
    tree = places.get() / "tree"
    os.nice(10)
    os.chdir(tree)
    sys.path[:] = [str(tree), str(tree / SOURCE), *(path for path in sys.path if "/lib" in path)]
    sys.dont_write_bytecode = True
    os.environ.update(PYTHONPATH=str(tree / SOURCE), PYTHONDONTWRITEBYTECODE="1")


def work(task: tuple[Mutant, str, float, Path]) -> dict:
    """Decide one mutant in the copy of this process."""
    mutant, name, cap, record = task
    began = time.monotonic()
    result = decide(Path.cwd().parent, mutant, cap, record)
    return {"id": name, **asdict(mutant), **result, "seconds": round(time.monotonic() - began, 1)}


def copy_tree(place: Path) -> Path:
    """Copy what git has of the tree, and compile its modules."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().strip("\0").split("\0"):
        (place / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / "tree" / name)
    compileall.compile_dir(place / "tree" / SOURCE, quiet=1)
    return place


def run(drawn: list[Mutant], results: Path, workers: int, cap: float) -> None:
    """Decide every mutant that has no result yet; those that are gone are recorded as such."""
    present = look_up(ROOT, drawn)
    done = {row["id"] for row in read(results)}
    record = results.with_suffix(".units.jsonl").absolute()
    tasks = []
    for mutant in drawn:
        if mutant.id in done:
            continue
        if mutant.id in present:
            tasks.append((present[mutant.id], mutant.id, cap, record))
        else:
            append(results, {"id": mutant.id, **asdict(mutant), "status": "gone"})
    random.Random(0).shuffle(tasks)  # what is done of an unfinished run is a sample
    os.environ.setdefault("XNBFLOW_DATA", str(ROOT.parent / "shared" / "data"))
    for name in HEAVY.split():
        importlib.import_module(name)
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        places = fork.Queue()
        for number in range(workers):
            places.put(copy_tree(Path(folder, str(number))))
        with fork.Pool(workers, start_worker, (places,)) as pool:
            for row in pool.imap_unordered(work, tasks):
                append(results, row)


def read(path: Path) -> list[dict]:
    """Return the rows of a file, JSON in each line; none of a file that does not exist yet."""
    path.touch()
    return [json.loads(line) for line in path.read_text().splitlines()]


def append(path: Path, row: dict) -> None:
    """Add a row to a file."""
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def compare(before: list[dict], after: list[dict]) -> Iterator[str]:
    """Yield, over the mutants that both decided, how many were killed, and what survives now."""
    old = decided(before)
    new = decided(after)
    both = sorted(old.keys() & new.keys())
    yield f"{len(both)} of {len(before)} mutants decided in both; killed:"
    for package in [*sorted({old[name]["package"] for name in both}), "all"]:
        in_package = [name for name in both if package in {old[name]["package"], "all"}]
        killed = sum(old[name]["status"] != "survived" for name in in_package)
        killed_now = sum(new[name]["status"] != "survived" for name in in_package)
        yield f"{package:16}{killed:4} -> {killed_now:4} of {len(in_package):4}"
    for name in both:
        row = new[name]
        if row["status"] == "survived" and old[name]["status"] != "survived":
            yield f"survives now: {row['path']} {row['name']} ({row['kind']}): {row['statement']}"


def decided(rows: list[dict]) -> dict[str, dict]:
    """Return the rows of mutants that were present, by their ids."""
    return {row["id"]: row for row in rows if row["status"] != "gone"}


def main() -> None:
    """Run the command of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("command", choices=["draw", "find", "run", "compare"])
    parser.add_argument("files", type=Path, nargs="+", help="of mutants, then (run) of results")
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=30)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cap", type=float, default=60, help="processor seconds per mutant")
    args = parser.parse_args()
    if args.command == "draw":
        for mutant in draw(ROOT, args.number, args.seed):
            append(args.files[0], asdict(mutant))
    elif args.command == "compare":
        print(*compare(read(args.files[0]), read(args.files[-1])), sep="\n")
    else:
        drawn = [Mutant(**row) for row in read(args.files[0])]
        if args.command == "run":
            run(drawn, args.files[1], args.workers, args.cap)
        else:
            print_places(drawn)


def print_places(drawn: list[Mutant]) -> None:
    """Print the present file of each mutant, or that it is gone."""
    present = look_up(ROOT, drawn)
    for mutant in drawn:
        place = present[mutant.id].path if mutant.id in present else "GONE"
        print(place, mutant.name, mutant.kind, mutant.statement)


if __name__ == "__main__":
    main()
