"""Coverage of the 95 % interval of the area under the ROC curve (AUC) on new samples.

Simulated studies of `bench_verdicts.py`, in five folds, with an effect: how often the interval
holds the AUC of the classifier of all samples on 400 new samples, and on which side it misses. Each
study is written to results/benchmarks/areas.tsv with its estimate, numbers of samples and true AUC,
so that intervals can be compared on the same studies. `XNBFLOW_AREA_STUDIES` sets the number of
studies of a cell (40: about three processor minutes).
"""

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from bench_audit import figure, inflation
from rows import row
from scipy.special import logsumexp
from scipy.stats import rankdata
from simulated_studies import CLASSIFIERS, Design, cross_validated, draw, drawn

from xnbflow.inference.intervals import area_interval

PAGE = Path(__file__).parents[1] / "docs" / "methods" / "verdicts-evidence.md"
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "areas.tsv"
STUDIES = int(os.environ.get("XNBFLOW_AREA_STUDIES", "40"))
PLAIN = Design(n=40, genes=500, planted=10, effect=1.2)
CELLS = {
    "20 samples": replace(PLAIN, n=20),
    "40 samples": PLAIN,
    "32 and 8 samples": replace(PLAIN, shares=(0.8, 0.2)),
    "64 and 16 samples": replace(PLAIN, n=80, shares=(0.8, 0.2)),
    "80 samples": replace(PLAIN, n=80),
    "20 patients x 3": replace(PLAIN, n=20, per_patient=3),
}
NAMES = ("csnb", "csnb_cv")
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 1, "CELLS": {"20 samples": replace(PLAIN, n=20)}}


def rows() -> list[dict]:
    """Return the coverage of each cell."""
    return [
        row(
            f"AUC's interval, {cell['cell']}, {cell['classifier']}",
            "at least .93",
            ratio=cell["coverage"],
            note=f"{cell['lower']:.2f} to {cell['upper']:.2f}, {cell['studies']} studies",
        )
        for cell in coverage(measured()).to_dict("records")
    ]


def measured() -> pd.DataFrame:
    """Return a row for each study; those that the file has are not measured again."""
    table = pd.read_csv(RESULTS, sep="\t") if RESULTS.is_file() else pd.DataFrame()
    studies = table.to_dict("records")
    measured_keys = {(record["cell"], record["classifier"], record["seed"]) for record in studies}
    for seed in range(STUDIES):
        for cell, design in CELLS.items():
            for name in NAMES:
                if (cell, name, seed) not in measured_keys:
                    study = {"cell": cell, "classifier": name, "seed": seed}
                    studies.append(study | areas(design, name, seed))
        pd.DataFrame(studies).to_csv(RESULTS, sep="\t", index=False)
    return pd.DataFrame(studies)


def areas(design: Design, name: str, seed: int) -> dict[str, float]:
    """Return the cross-validated AUC, the numbers of units, and the AUC on new samples."""
    values, codes = drawn(design, seed)
    groups = np.arange(len(codes)) // design.samples_of_patient
    kept_whole = groups if design.samples_of_patient > 1 else None
    new_codes = np.repeat([0, 1], 200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folds, probabilities = cross_validated(
            name, values, codes, groups=kept_whole, splits=5, seed=seed
        )
        new = draw(design, new_codes, 1, np.random.default_rng([seed, 20260102]))
        model = CLASSIFIERS[name]().fit(values, codes)
        true = log_odds(model.predict_proba(new))
    score = log_odds(probabilities)
    wins = pairs = 0.0
    for fold in np.unique(folds):
        members = folds == fold
        n_first = (members & (codes == 0)).sum()
        n_second = (members & (codes == 1)).sum()
        if n_first and n_second:
            wins += area_of(score[members], codes[members]) * n_first * n_second
            pairs += n_first * n_second
    return {
        "area": wins / pairs,
        "pooled": area_of(score, codes),
        "n": len(np.unique(groups[codes == 1])),
        "m": len(np.unique(groups[codes == 0])),
        "true": area_of(true, new_codes),
    }


def log_odds(probabilities: np.ndarray) -> np.ndarray:
    """Return the log odds of the second of two classes; a probability of 0 counts as exp(-700)."""
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(probabilities), -700.0)
    return logs[:, 1] - logsumexp(logs[:, :1], axis=1)


def area_of(score: np.ndarray, codes: np.ndarray) -> float:
    """Return the AUC of two classes by the sum of the ranks of the second (Mann and Whitney)."""
    n = (codes == 1).sum()
    m = (codes == 0).sum()
    return float((rankdata(score)[codes == 1].sum() - n * (n + 1) / 2) / (n * m))


def coverage(studies: pd.DataFrame) -> pd.DataFrame:
    """Return the coverage of each cell, with its limits and the share of misses above."""
    rows_of_cells = []
    for (cell, name), cell_studies in studies.groupby(["cell", "classifier"], sort=False):
        divisor = inflation(name)
        lower = np.empty(len(cell_studies))
        upper = np.empty(len(cell_studies))
        for i, study in enumerate(cell_studies.itertuples()):
            interval = area_interval(
                study.area,
                study.n / divisor,
                study.m / divisor,
                smaller_class=min(study.n, study.m),
            )
            lower[i] = interval.lower
            upper[i] = interval.upper
        true = cell_studies["true"].to_numpy()
        held = (lower <= true) & (true <= upper)
        limits = figure("", "", held)
        rows_of_cells.append(
            {
                "cell": cell,
                "classifier": name,
                "studies": len(cell_studies),
                "coverage": held.mean(),
                "lower": limits["lower"],
                "upper": limits["upper"],
                "above": (true > upper).mean(),
                "width": np.mean(upper - lower),
            }
        )
    return pd.DataFrame(rows_of_cells)


def page() -> tuple[str, Path]:
    """Return the table, and the page that holds it."""
    lines = [
        "<!-- areas: written by `python -m benchmarks areas` -->",
        "| design, classifier | studies | coverage | 95 % limits | true AUC above | mean width |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {cell.cell}, {cell.classifier} | {cell.studies} | {cell.coverage:.2f} "
        f"| {cell.lower:.2f} to {cell.upper:.2f} | {cell.above:.2f} | {cell.width:.2f} |"
        for cell in coverage(measured()).itertuples()
    ]
    return "\n".join([*lines, "<!-- end of areas -->"]), PAGE
