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

import pytest
from benchmarks.faults import SOURCE, Mutant, draw, look_up

ROOT = Path(__file__).parents[1]
HEAVY = """numba pandas sklearn.pipeline sklearn.model_selection sklearn.linear_model yaml
    sklearn.ensemble pyarrow.parquet pyarrow.csv scipy.stats scipy.optimize skops.io hypothesis"""
OPTIONS = """-q -p no:cacheprovider --hypothesis-profile=ci
    -W ignore::pytest.PytestAssertRewriteWarning"""
MARKERS = {"fast": "not slow", "slow": "slow"}
UNITS, SPARE, HOUR = 30, 240, 3600  # units per mutant; processor seconds to compile kernels; wall


def references(path: Path, modules: set[str], homes: dict[str, str]) -> set[str]:
    """Return the modules that a file names: by imports, and by import paths in its texts."""
    named = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            source = getattr(node, "module", None)
            named |= {f"{source}.{a.name}" if source else a.name for a in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named |= set(re.findall(r"[A-Za-z_]\w*(?:\.\w+)+", node.value))
    named_modules = set()
    for name in named:
        parts = name.split(".")
        prefixes = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
        if module := next((prefix for prefix in prefixes if prefix in modules), None):
            named_modules.add(module if name in modules else homes.get(parts[-1], module))
    return named_modules


@cache
def graph(root: Path) -> tuple[dict[str, set[str]], dict[Path, set[str]]]:
    """Return which modules each module names (helpers of tests, too), and which each test file."""
    modules, homes = {}, {}
    for base, pattern in ((root / SOURCE, "**/*.py"), (root / "tests", "*.py")):
        for path in sorted(base.glob(pattern)):
            name = ".".join(path.relative_to(base).with_suffix("").parts)
            modules[path] = name = name.removesuffix(".__init__")
            body = ast.parse(path.read_bytes()).body  # packages pass on the classes of modules
            homes |= {node.name: name for node in body if isinstance(node, ast.ClassDef)}
    modules_and_homes = set(modules.values()), homes
    tests = sorted((root / "tests").rglob("test_*.py"))
    edges = {name: references(path, *modules_and_homes) for path, name in modules.items()}
    return edges, {path: references(path, *modules_and_homes) for path in tests}


def ranked_units(root: Path, mutant: Mutant) -> list[tuple[str, str]]:
    """Return the units of tests for a mutant, the most direct first: (file, fast or slow).

    First the examples in the module's own docstrings; then test files by the number of steps from
    what they import to the module, less one if they mention its function or class, one more outside
    ``unit``, 1.5 more for slow tests; then by words that file and module share, and few imports.
    """
    edges, tests = graph(root)
    module = mutant.path.removeprefix(f"{SOURCE}/").removesuffix(".py").replace("/", ".")
    module = module.removesuffix(".__init__")
    steps, frontier = {module: 0}, {module}
    while frontier:
        frontier = {m for m, named in edges.items() if named & frontier and m not in steps}
        steps |= dict.fromkeys(frontier, max(steps.values()) + 1)
    names = "|".join(part for part in mutant.name.split(".") if part and part[:2] != "__")
    words = set(re.split(r"[._]", module)) - {module.split(".")[0]}
    order = []
    for path, named in tests.items():
        mentions = names and re.search(rf"\b({names})\b", path.read_text(encoding="utf-8"))
        far = min((steps[m] for m in named if m in steps), default=9) - bool(mentions)
        key = (
            far + ("unit" not in path.parts),
            -len(words & set(path.stem.split("_"))),
            len(named),
        )
        file = str(path.relative_to(root))
        order += [(key, file, "fast"), ((key[0] + 1.5, *key[1:]), file, "slow")]
    return [(mutant.path, "fast"), *(unit for _, *unit in sorted(order))]


class Watch:
    """A plugin of pytest that keeps the names of what fails."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report) -> None:
        """Keep a test, or a file that cannot be collected."""
        self.failed += [report.nodeid] if report.failed else []

    pytest_collectreport = pytest_runtest_logreport


def run_tests(place: Path, speed: str, seconds: float, arguments: list[str]) -> tuple:
    """Run tests in a forked process: passed, failed, timeout or none; what failed; seconds used."""
    answer, began = place / "answer.json", time.monotonic()
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        with (place / "log").open("w") as log, contextlib.redirect_stderr(log):
            try:
                os.setpgid(0, 0)
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 9))
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                watch, marker = Watch(), MARKERS[speed]
                code = pytest.main([*OPTIONS.split(), "-m", marker, *arguments], [watch])
                answer.write_text(json.dumps([int(code), watch.failed]))
            except BaseException:  # noqa: BLE001 - nothing may leave the forked process
                traceback.print_exc()
            finally:
                os._exit(0)
    ended, used = 0, resource.getrusage(resource.RUSAGE_SELF)
    while not ended and time.monotonic() - began < HOUR:
        time.sleep(0.02)
        ended, _, used = os.wait4(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not ended:
        _, _, used = os.wait4(child, 0)
    code, failed = json.loads(answer.read_text()) if answer.exists() else (None, [])
    state = {0: "passed", 5: "none", None: "timeout"}.get(code, "failed")
    return state, failed, round(used.ru_utime + used.ru_stime, 2)


def unmutated(place: Path, file: str, speed: str, cap: float, record: Path) -> dict:
    """Return what a unit does without a mutant, measured once for all mutants."""
    unit = f"{file} {speed}"
    measured_units = {row["unit"]: row for row in read(record)}
    if unit not in measured_units:
        state, failed, seconds = run_tests(place, speed, cap + SPARE, [file])
        state = "none" if file in failed else state
        measured_units[unit] = {"unit": unit, "state": state, "failed": failed, "seconds": seconds}
        append(record, measured_units[unit])
    return measured_units[unit]


@contextlib.contextmanager
def applied(place: Path, mutant: Mutant) -> Iterator[None]:
    """Write a mutant into a copy; afterwards the file is as before, its time, too."""
    path = place / "tree" / mutant.path
    data, times = path.read_bytes(), path.stat()
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
    spent, ran = 0.0, []
    for file, speed in ranked_units(place / "tree", mutant)[:UNITS]:
        plain = unmutated(place, file, speed, cap, record)
        if plain["state"] not in {"passed", "failed"} or spent + plain["seconds"] > cap:
            continue
        spent += plain["seconds"]
        ran.append(plain["unit"])
        skip = [f"--deselect={name}" for name in plain["failed"]]
        limit = 3 * plain["seconds"] + SPARE
        with applied(place, mutant):
            state, failed, _ = run_tests(place, speed, limit, ["-x", *skip, file])
        if state == "failed" and file not in failed:  # once more without the mutant
            state = "killed" if run_tests(place, speed, limit, failed)[0] == "passed" else state
        if state in {"killed", "timeout"} or file in failed:
            status = "timeout" if state == "timeout" else "killed"
            return {"status": status, "by": " ".join(failed), "ran": ran}
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
    here, done = look_up(ROOT, drawn), {row["id"] for row in read(results)}
    left = [mutant for mutant in drawn if mutant.id not in done]
    for mutant in left:
        if mutant.id not in here:
            append(results, {"id": mutant.id, **asdict(mutant), "status": "gone"})
    record = results.with_suffix(".units.jsonl").absolute()
    tasks = [(here[mutant.id], mutant.id, cap, record) for mutant in left if mutant.id in here]
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
    path.touch()
    return [json.loads(line) for line in path.read_text().splitlines()]


def append(path: Path, row: dict) -> None:
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def compare(before: list[dict], after: list[dict]) -> Iterator[str]:
    """Yield, over the mutants that both decided, how many were killed, and what survives now."""
    old, new = ({r["id"]: r for r in rows if r["status"] != "gone"} for rows in (before, after))
    both = sorted(old.keys() & new.keys())
    yield f"{len(both)} of {len(before)} mutants decided in both; killed:"
    for package in [*sorted({old[name]["package"] for name in both}), "all"]:
        of = [name for name in both if package in {old[name]["package"], "all"}]
        killed = [sum(rows[name]["status"] != "survived" for name in of) for rows in (old, new)]
        yield f"{package:16}{killed[0]:4} -> {killed[1]:4} of {len(of):4}"
    for row in (new[name] for name in both):
        if row["status"] == "survived" != old[row["id"]]["status"]:
            yield f"survives now: {row['path']} {row['name']} ({row['kind']}): {row['statement']}"


def main() -> None:
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
        here = look_up(ROOT, drawn)
        for m in drawn if args.command == "find" else ():
            print(here[m.id].path if m.id in here else "GONE", m.name, m.kind, m.statement)


if __name__ == "__main__":
    main()
