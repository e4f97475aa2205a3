"""Lower limits of cross-validations, by their inflation, in studies without information.

`python -m benchmarks limits` cross-validates `csnb` (five folds) in simulated studies whose labels
carry no information, and counts how often the lower limit of the balanced accuracy is above one
over the number of classes, the true value: 2.5 % is nominal. The page has a row for each design and
a column for each inflation; the benchmark's rows are those of the inflation in use
(`xnbflow.inference.intervals.BELOW`). Designs are written to results/benchmarks/limits.tsv as they
finish, and those that the file has with as many studies are not measured again.
`XNBFLOW_LIMIT_STUDIES` sets the number of studies (1,000: some three processor minutes).
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from rows import row
from simulated_studies import Design, study

from xnbflow.inference.intervals import BELOW, balanced_interval

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "limits.tsv"
PAGE = ROOT / "docs" / "methods" / "verdicts-evidence.md"
STUDIES = int(os.environ.get("XNBFLOW_LIMIT_STUDIES", "1000"))
SPLITS = 5
#: Seeds that no other benchmark uses.
FIRST_SEED = 1000
INFLATIONS = (1.0, 1.25, 1.5, BELOW, 2.0, 2.5)
PLAIN = Design(n=40, genes=500)
DESIGNS = {
    "6 and 6 samples": replace(PLAIN, n=12),
    "10 and 10 samples": replace(PLAIN, n=20),
    "20 and 20 samples": PLAIN,
    "30 and 30 samples": replace(PLAIN, n=60),
    "40 and 40 samples": replace(PLAIN, n=80),
    "16 and 4 samples": replace(PLAIN, n=20, shares=(0.8, 0.2)),
    "32 and 8 samples": replace(PLAIN, shares=(0.8, 0.2)),
    "40 and 8 samples": replace(PLAIN, n=48, shares=(5 / 6, 1 / 6)),
    "14 patients x 3": replace(PLAIN, n=14, per_patient=3),
    "20 patients x 3": replace(PLAIN, n=20, per_patient=3),
    "10 pairs": replace(PLAIN, n=10, paired=True),
    "20 pairs": replace(PLAIN, n=20, paired=True),
    "four classes of 15": replace(PLAIN, n=60, shares=(0.25,) * 4),
    "ten classes of ten": replace(PLAIN, n=100, shares=(0.1,) * 10),
}

#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 2, "DESIGNS": {"6 and 6 samples": replace(PLAIN, n=12)}}


def rows() -> list[dict]:
    """Return a row for each design; the ratio is the nominal share over the measured one."""
    return [
        row(
            f"lower limit above the truth, {cell['design']}",
            "0.025",
            ratio=0.025 / max(cell[column_of(BELOW)], 1 / cell["studies"]),
            target=0.75,
            note=f"{cell['studies']} studies",
        )
        for cell in measured().to_dict("records")
    ]


def page() -> tuple[str, Path]:
    """Return the table of the page, and the page that holds it."""
    columns = list(map(column_of, INFLATIONS))
    lines = [f"| {' | '.join(['design', 'studies', *columns])} |"]
    lines.append("|---" * (len(columns) + 2) + "|")
    for cell in measured().to_dict("records"):
        shares = " | ".join(f"{cell[column]:.3f}" for column in columns)
        lines.append(f"| {cell['design']} | {cell['studies']} | {shares} |")
    begin = "<!-- limits: written by `python -m benchmarks limits` -->"
    return "\n".join([begin, *lines, "<!-- end of limits -->"]), PAGE


def column_of(inflation: float) -> str:
    """Return the head of an inflation's column."""
    return "n" if inflation == 1 else f"n / {inflation:g}"


def measured() -> pd.DataFrame:
    """Return a row for each design; those that the file has are not measured again."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    stored_rows = pd.read_csv(RESULTS, sep="\t").to_dict("records") if RESULTS.is_file() else []
    row_of_design = {cell["design"]: cell for cell in stored_rows}
    for title, design in DESIGNS.items():
        if row_of_design.get(title, {"studies": 0})["studies"] < STUDIES:
            shares = dict(zip(map(column_of, INFLATIONS), shares_above(design), strict=True))
            row_of_design[title] = {"design": title, "studies": STUDIES} | shares
            pd.DataFrame(row_of_design.values()).to_csv(RESULTS, sep="\t", index=False)
    return pd.DataFrame([row_of_design[title] for title in DESIGNS])


def shares_above(design: Design) -> np.ndarray:
    """Return the share of a design's studies with a limit above the truth, by inflation."""
    above = np.zeros((STUDIES, len(INFLATIONS)))
    for seed in range(STUDIES):
        result = study(design, "csnb", FIRST_SEED + seed, SPLITS, new=0)
        right = (result.probabilities.argmax(axis=1) == result.codes).astype(float)
        groups = result.groups if design.samples_of_patient > 1 else None
        for i, inflation in enumerate(INFLATIONS):
            interval = balanced_interval(
                right, result.codes, groups, inflation=max(inflation, 2.0), below=inflation
            )
            above[seed, i] = interval.lower > 1 / len(design.shares)
    return above.mean(axis=0)
