"""Compare studies on other BLAS kernels, numba targets and numbers of threads.

``python -m benchmarks.processors [--studies demo real] [SETTING ...]`` runs the studies in the
settings of ``.ci/processors.py`` that concern numbers, compares every table with that of a run
without a setting, and writes docs/performance.md.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from benchmarks.performance_page import processor, write_block

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("XNBFLOW_DATA", ROOT.parent / "shared" / "data"))
BEGIN = "<!-- processors: written by `python -m benchmarks.processors` -->"
END = "<!-- end of processors -->"
#: Two series, of 2 and of 4 classes; the demo is part of the project.
REAL = {
    "title": "Two real series",
    "datasets": ["Alon1999", "Khan2001"],
    "classifiers": ["nb", "fnb", "csnb", "xnb"],
    "folds": ["10-fold"],
    "final": ["csnb"],
}
CONFIGURATION = {
    "download": {"base_urls": {"cumida": [str(DATA / "microarray")]}},
    "studies": {"real": REAL},
}


def settings_of(folder: Path) -> dict[str, dict[str, str]]:
    """Return the variables of each setting that concerns numbers."""
    spec = spec_from_file_location("processors", ROOT / ".ci/processors.py")
    module = module_from_spec(spec)
    sys.modules["processors"] = module
    spec.loader.exec_module(module)
    numeric = (*module.KERNELS, "numba-generic", "numpy-baseline", "threads-1", "threads-4")
    settings = module.settings(folder)
    return {name: settings[name].variables for name in numeric if name in settings}


def run(study: str, folder: Path, variables: dict[str, str], cores: str) -> Path:
    """Run a study in a folder, and return that of its results."""
    folder.mkdir(parents=True)
    path = folder / "configuration.yaml"
    path.write_text(yaml.safe_dump(CONFIGURATION))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    command += [study, "--configfile", str(path), "--cores", cores, "--quiet", "all"]
    subprocess.run(command, cwd=folder, env=os.environ | variables, check=True)
    return folder / "results"


def compared(first: Path, second: Path) -> dict[str, object]:
    """Return how two folders of results differ.

    Counted are columns of text, whole numbers and truth values (labels, features, sizes, verdicts)
    that differ in any row. Numbers are compared relative to those above 1 in size. Seconds are
    left out.
    """
    paths = sorted(path.relative_to(first) for path in first.rglob("*.parquet"))
    unlike: list[str] = []
    largest = 0.0
    place = ""
    for path in paths:
        first_table = pd.read_parquet(first / path)
        second_table = pd.read_parquet(second / path)
        if first_table.shape != second_table.shape or list(first_table) != list(second_table):
            unlike.append(str(path))
            continue
        for name in first_table:
            if "seconds" in name:
                continue
            if first_table[name].dtype.kind != "f":
                if not first_table[name].equals(second_table[name]):
                    unlike.append(f"{path}: {name}")
                continue
            deviation = largest_deviation(
                first_table[name].to_numpy(), second_table[name].to_numpy()
            )
            if not deviation <= largest:  # also where one alone is missing
                largest = deviation
                place = f"{path}: {name}"
    return {"tables": len(paths), "unlike": unlike, "deviation": largest, "where": place}


def largest_deviation(first: np.ndarray, second: np.ndarray) -> float:
    """Return the largest difference of numbers, relative to those above 1; NaN if one is missing.

    Two missing or infinite numbers are equal.
    """
    equal = (first == second) | (np.isnan(first) & np.isnan(second))
    difference = np.where(equal, 0.0, abs(first - second))
    return (difference / np.maximum(1.0, np.nan_to_num(abs(first)))).max(initial=0.0)


def block(rows: list[dict[str, object]]) -> str:
    """Return the block of the page, its markers included."""
    lines = ["| study | setting | tables | other decisions | largest deviation | where |"]
    lines += ["|---|---|---|---|---|---|"]
    for row in rows:
        other = "; ".join(row["unlike"]) or "none"
        cells = (row["study"], row["setting"], row["tables"], other)
        lines.append(f"| {' | '.join(map(str, cells))} | {row['deviation']:.1e} | {row['where']} |")
    where = f"Compared with the kernel that OpenBLAS chooses on {processor()}."
    return "\n".join([BEGIN, *lines, "", where, END])


def main() -> None:
    """Run the studies in each setting, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.processors")
    parser.add_argument("settings", nargs="*", metavar="SETTING")
    parser.add_argument("--studies", nargs="+", default=["demo", "real"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        variables_of_setting = settings_of(folder)
        rows = []
        for study in arguments.studies:
            plain = run(study, folder / study / "plain", {}, "2")
            for setting in arguments.settings or variables_of_setting:
                cores = setting.removeprefix("threads-") if "threads" in setting else "2"
                other = run(study, folder / study / setting, variables_of_setting[setting], cores)
                rows.append({"study": study, "setting": setting, **compared(plain, other)})
                print(rows[-1], flush=True)
    write_block(block(rows))


if __name__ == "__main__":
    main()
