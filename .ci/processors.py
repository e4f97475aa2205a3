"""Run the fast unit tests as on other processors, with other thread numbers and surroundings.

Usage: ``python .ci/processors.py [--short] [--list] [SETTING ...]``. Without names every setting
that this machine supports is run; each takes as long as ``make test-fast``. It prints a line per
setting, and the exit status is 1 if a test fails in any of them.
"""

import argparse
import json
import locale
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Kernels of OpenBLAS for x86 processors, oldest first.
KERNELS = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX")
#: Multiplies matrices, which ends the process where the processor lacks an instruction.
PROBE = """
import json, sys, warnings
import numpy as np
from threadpoolctl import threadpool_info
matrix = np.ones((300, 300)) @ np.ones((300, 300))
libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
blas = [library.get("architecture", "") for library in libraries]
vectors = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
json.dump({"kernel": blas[0] if blas else "", "vectors": vectors}, sys.stdout)
"""
#: Tests that compare numbers; the short form runs no others.
SHORT = (
    "tests/unit/data/test_samples.py",
    "tests/unit/density/test_density_tables.py",
    "tests/unit/density/test_families.py",
    "tests/unit/density/test_tiles.py",
    "tests/unit/diagnostics/test_linear_models.py",
    "tests/unit/naive_bayes/test_class_specific_nb.py",
    "tests/unit/naive_bayes/test_gaussian_nb.py",
    "tests/unit/naive_bayes/test_size_average.py",
)
#: The same of papers, which can be removed.
SHORT_PAPERS = ("tests/papers/separation", "tests/papers/cica/test_regression.py")
FOREIGN_FOLDER = "Verzeichnis mit Umlauten äöü 数据"


@dataclass
class Setting:
    """What a run of the tests changes: variables, umask, and whether sources are copied."""

    variables: dict[str, str] = field(default_factory=dict)
    umask: int = -1
    in_foreign_folder: bool = False


def probe(variables: dict[str, str]) -> dict | None:
    """Return NumPy's BLAS kernel and vector extensions, or None if the process is killed."""
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROBE],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(run.stdout) if run.returncode == 0 else None


def kernels() -> Iterator[tuple[str, Setting]]:
    """Yield the BLAS kernels that this machine supports, without the one that it chooses.

    Builds of OpenBLAS lack some kernels and take another one, for Zen that of Haswell.
    """
    seen = {(probe({}) or {}).get("kernel")}
    for kernel in KERNELS:
        processor = probe({"OPENBLAS_CORETYPE": kernel})
        if processor and processor["kernel"] not in seen:
            seen.add(processor["kernel"])
            yield kernel, Setting({"OPENBLAS_CORETYPE": kernel})


def other_locale() -> str:
    """Return a locale with decimal commas if there is one, else C."""
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8"):
        with suppress(locale.Error):
            locale.setlocale(locale.LC_NUMERIC, name)
            locale.setlocale(locale.LC_NUMERIC, "C")
            return name
    return "C"


def settings(folder: Path) -> dict[str, Setting]:
    """Return every setting by its name; compiled kernels and copies go to the folder."""
    by_name = dict(kernels())
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    by_name["numba-generic"] = Setting(generic | {"NUMBA_CACHE_DIR": str(folder / "generic")})
    if vectors := (probe({}) or {}).get("vectors"):
        by_name["numpy-baseline"] = Setting({"NPY_DISABLE_CPU_FEATURES": " ".join(vectors)})
    for threads in ("1", "2", "4"):
        names = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        by_name[f"threads-{threads}"] = Setting(dict.fromkeys(names, threads))
    by_name["locale"] = Setting({"LC_ALL": other_locale(), "LANGUAGE": ""})
    by_name["time-zone"] = Setting({"TZ": "Pacific/Kiritimati"})
    by_name["umask"] = Setting(umask=0o077)
    by_name["foreign-folder"] = Setting(in_foreign_folder=True)
    # below a file no folder can be made, not even by root
    by_name["no-home"] = Setting({"HOME": os.devnull, "XDG_CACHE_HOME": f"{os.devnull}/cache"})
    return by_name


def copied(folder: Path) -> Path:
    """Copy the files of the repository into a folder with spaces and letters outside ASCII."""
    target = folder / FOREIGN_FOLDER
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(  # noqa: S603
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def run_tests(setting: Setting, tests: list[str], folder: Path) -> tuple[bool, list[str]]:
    """Run tests in a setting; return whether they pass, and what pytest prints of them."""
    root = copied(folder) if setting.in_foreign_folder else ROOT
    data = os.environ.get("XNBFLOW_DATA", str(ROOT.parent / "shared/data"))
    variables = {"PYTHONPATH": str(root / "workflow/src"), "XNBFLOW_DATA": data}
    run = subprocess.run(  # noqa: S603
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"),
            *("--no-loadscope-reorder", "-p", "no:cacheprovider", "-m", "not slow", *tests),
        ],
        cwd=root,
        env=os.environ | variables | setting.variables,
        umask=setting.umask,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return run.returncode == 0, run.stdout.splitlines()


def report(name: str, passed: bool, lines: list[str], seconds: float) -> None:
    """Print the line of a setting, after the failures."""
    counts = next((line for line in reversed(lines) if re.match(r"\d+ \w+", line)), "no test ran")
    if not passed:
        print(*lines, sep="\n", file=sys.stderr)
    verdict = "passes" if passed else "FAILS"
    print(f"{name:<16} {verdict}  {counts.partition(' in ')[0]} ({seconds:.0f} s)", flush=True)


def main() -> int:
    """Run the settings that are asked for; the exit status is 1 if a test fails in one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="SETTING")
    parser.add_argument("--short", action="store_true", help="one other kernel, tests of numbers")
    parser.add_argument("--list", action="store_true", help="print the names of the settings")
    parser.add_argument(
        "--tests", nargs="+", default=["tests/unit", "tests/papers"], help="files or folders"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        available = settings(Path(folder))
        if unknown := set(arguments.names) - set(available):
            parser.error(f"no setting {min(unknown)!r}; there are {', '.join(available)}")
        names = arguments.names or list(available)
        tests = arguments.tests
        if arguments.short:
            names = names[:1]
            tests = [*SHORT, *filter(os.path.exists, SHORT_PAPERS)]
        if arguments.list:
            print(*names, sep="\n")
            return 0
        failed = 0
        for name in names:
            start = time.monotonic()
            passed, lines = run_tests(available[name], tests, Path(folder))
            report(name, passed, lines, time.monotonic() - start)
            failed += not passed
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
