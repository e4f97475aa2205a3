"""False verdicts of the complete rule on real series with exchanged labels.

The labels of each development series (folder XNBFLOW_DATA) are exchanged over its samples, so that
they carry no information, while the values keep their correlations, outliers and batches. The
values are the 2,000 probes of largest variance; the classifier is `csnb_cv` in five folds. A
supported result is a false verdict. The 95 % limits are Clopper and Pearson's; seeds are fixed.

`XNBFLOW_AUDIT_STUDIES` sets the number of studies a series (20), `XNBFLOW_AUDIT_JOBS` that of
processes (2). All series took 133 seconds with one process.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from accuracy_series import development_series
from bench_audit import figure, measure_seeds, performance_of
from bench_verdicts import PLAIN, SPLITS, supported
from rows import row
from simulated_studies import Study, cross_validated

from xnbflow.inference.verdicts import verdict

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "exchanged.tsv"
STUDIES = int(os.environ.get("XNBFLOW_AUDIT_STUDIES", "20"))
CLASSIFIER = "csnb_cv"
PROBES = 2000


def rows() -> list[dict]:
    """Measure all series; return one row for all of them.

    The file has a row for each, with numbers of studies.
    """
    table = measured()
    total = total_of(table)
    note = f"{total['lower']:.3f} to {total['upper']:.3f}, {total['studies']} studies"
    work = "real series, exchanged labels, csnb_cv: supported"
    return [row(work, "0 to 0.03", ratio=total["supported"], note=note)]


def total_of(table: pd.DataFrame) -> dict[str, object]:
    """Return the share of false verdicts among all studies, with its limits."""
    n = int(table["studies"].sum())
    false = int(table["supported"].sum())
    return {"supported": false / n} | figure("", "", np.arange(n) < false)


def measured() -> pd.DataFrame:
    """Return and write a row for each series."""
    rows_of_series = []
    for name, read in development_series().items():
        values, labels = read()
        values = values[:, np.sort(np.argsort(-values.var(axis=0), kind="stable")[:PROBES])]
        codes = np.unique(labels, return_inverse=True)[1]
        above, supported_studies = np.array(measure_seeds(judged, values, codes, n=STUDIES)).sum(
            axis=0
        )
        rows_of_series.append(
            {"series": name, "samples": len(codes), "classes": codes.max() + 1}
            | {"studies": STUDIES, "above": above, "supported": supported_studies}
        )
    table = pd.DataFrame(rows_of_series)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(RESULTS, sep="\t", index=False)
    return table


def exchanged(values: np.ndarray, codes: np.ndarray, seed: int) -> Study:
    """Return the cross-validation of one study of exchanged labels."""
    codes = np.random.default_rng(seed).permutation(codes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folds, probabilities = cross_validated(
            CLASSIFIER, values, codes, groups=None, splits=SPLITS, seed=seed
        )
    return Study(
        codes=codes,
        groups=np.arange(len(codes)),
        folds=folds,
        probabilities=probabilities,
        true_confusion=np.empty((0, 0)),
        true_claim=np.nan,
        values=values,
    )


def judged(values: np.ndarray, codes: np.ndarray, seed: int) -> list[bool]:
    """Return whether a study of exchanged labels is above chance, and supported."""
    exchanged_study = exchanged(values, codes, seed)
    above = verdict(performance_of(exchanged_study, CLASSIFIER)).level != "not supported"
    return [above, above and supported(exchanged_study, PLAIN, CLASSIFIER, seed)]
