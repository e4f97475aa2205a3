"""One table of designs: false verdicts, power and coverage of the complete rule.

Every row has simulated studies of one design, effect and classifier, in five folds: how often the
interval of the balanced accuracy excludes chance, how often the result is supported (interval and
label test), and how often the intervals hold the accuracy on new samples. With effect 0 the labels
carry no information, and a supported result is a false verdict. The 95 % limits are Clopper and
Pearson's; seeds are fixed.

`python -m benchmarks verdicts` writes rows to results/benchmarks/verdicts.tsv as they finish, and
goes on where it was interrupted. `XNBFLOW_AUDIT_STUDIES` sets the number of studies a row with an
effect (100); a row without information has twice as many, and five times as many of naive Bayes,
which is fast. `XNBFLOW_AUDIT_JOBS` sets the number of processes (2). All rows take about 40
processor minutes.

The second part are the cases of `conclusions`: hospitals, ages, repeats, missing values, classes
that are one, orders of rows, power. `XNBFLOW_CASE_STUDIES` sets their studies (2, in seconds each).
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import conclusions
import numpy as np
import pandas as pd
from bench_audit import figure, measure_seeds, performance_of
from rows import row
from simulated_studies import Design, Study, study

from xnbflow.data.dataset import DataSet
from xnbflow.inference.estimates import Performance
from xnbflow.inference.label_test import label_test
from xnbflow.inference.verdicts import LabelTest, verdict

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "verdicts.tsv"
PAGE = ROOT / "docs" / "methods" / "verdicts-evidence.md"
STUDIES = int(os.environ.get("XNBFLOW_AUDIT_STUDIES", "100"))
#: Studies of each case of `conclusions`: all cases of two studies take about a processor minute.
CASE_STUDIES = int(os.environ.get("XNBFLOW_CASE_STUDIES", "2"))
CASES = tuple(conclusions.CASES)
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 1, "CASE_STUDIES": 1, "CASES": ("hospitals", "drug"), "NAMES": ("12 samples",)}
SPLITS = 5
NEW = 400

PLAIN = Design(n=40, genes=500, planted=10)
#: Designs by what the page calls them, with the effects that are simulated.
DESIGNS = {
    "12 samples": (replace(PLAIN, n=12), (1.2, 2.0)),
    "16 samples": (replace(PLAIN, n=16), (1.2, 2.0)),
    "20 samples": (replace(PLAIN, n=20), (1.2, 2.0)),
    "30 samples": (replace(PLAIN, n=30), (0.8, 1.2, 2.0)),
    "40 samples": (PLAIN, (0.0, 0.8, 1.2)),
    "60 samples": (replace(PLAIN, n=60), (0.8, 1.2)),
    "80 samples": (replace(PLAIN, n=80), (0.8, 1.2)),
    "32 and 8 samples": (replace(PLAIN, shares=(0.8, 0.2)), (0.0, 1.2)),
    "16 and 4 samples": (replace(PLAIN, n=20, shares=(0.8, 0.2)), (0.0, 1.2)),
    "14 patients x 3": (replace(PLAIN, n=14, per_patient=3), (0.0, 1.2)),
    "20 patients x 3": (replace(PLAIN, n=20, per_patient=3), (0.0, 1.2)),
    "20 pairs": (replace(PLAIN, n=20, paired=True), (0.0, 0.8)),
    "40 samples, two batches": (replace(PLAIN, batch=2.0), (0.0, 1.2)),
    "40 samples, genes in blocks of 200": (
        replace(PLAIN, genes=600, block=200),
        (0.0, 0.8, 1.2),
    ),
    "40 samples, all genes correlated": (replace(PLAIN, block=500), (0.0, 0.8, 1.2)),
    "60 samples, four classes": (replace(PLAIN, n=60, shares=(0.25,) * 4), (0.0, 1.2)),
    "100 samples, ten classes": (replace(PLAIN, n=100, shares=(0.1,) * 10), (0.0, 1.2)),
}
#: The designs that are measured.
NAMES = tuple(DESIGNS)
CLASSIFIERS = ("csnb_cv", "nb")


def rows() -> list[dict]:
    """Measure the rows that the file lacks; return the false verdicts of each design, and cases.

    Cases are those of `conclusions`, each with `CASE_STUDIES`.
    """
    return [*designs(), *cases()]


def cases() -> list[dict]:
    """Return a row for each case of `conclusions`: its figure, and what it was before."""
    return [
        row(
            f"§{case['section']} {case['case']}: {case['figure']}",
            f"before: {case['before']}",
            ratio=case["after"],
            note=f"standard error {case['error']:.3f}, {case['studies']} studies",
        )
        for case in conclusions.measured(CASE_STUDIES, CASES)
    ]


def designs() -> list[dict]:
    """Return a row with the false verdicts of each design."""
    return [
        row(
            f"{cell['design']}, {cell['classifier']}: supported without information",
            "0 to 0.03",
            ratio=cell["supported"],
            note=f"{cell['lower']:.3f} to {cell['upper']:.3f}, {cell['studies']} studies",
        )
        for cell in measured().to_dict("records")
        if cell["effect"] == 0
    ]


def page() -> tuple[str, Path]:
    """Return the table, and the page that holds it."""
    return block(measured()), PAGE


def block(table: pd.DataFrame) -> str:
    """Return the block of the page, its markers included."""
    heads = ["design", "classifier", "effect", "studies", "interval above chance", "supported"]
    heads += ["95% limits", "coverage, balanced accuracy", "truth below", "coverage, accuracy"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for cell in table.to_dict("records"):
        shares = [f"{cell[name]:.2f}" for name in ("above", "supported")]
        cells = [cell["design"], cell["classifier"], f"{cell['effect']:g}", str(cell["studies"])]
        cells += [*shares, f"{cell['lower']:.2f} to {cell['upper']:.2f}"]
        cells += [f"{cell[name]:.2f}" for name in ("balanced_accuracy", "below", "accuracy")]
        lines.append(f"| {' | '.join(cells)} |")
    begin = "<!-- verdicts: written by `python -m benchmarks verdicts` -->"
    return "\n".join([begin, *lines, "<!-- end of verdicts -->"])


def measured() -> pd.DataFrame:
    """Return all rows; those that the file has with as many studies are not measured again."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    stored_rows = pd.read_csv(RESULTS, sep="\t").to_dict("records") if RESULTS.is_file() else []
    row_of_cell = {(row["design"], row["classifier"], row["effect"]): row for row in stored_rows}
    for cell in cells():
        if cell not in row_of_cell or row_of_cell[cell]["studies"] < wanted(*cell[1:]):
            row_of_cell[cell] = cell_of(*cell)
            pd.DataFrame(row_of_cell.values()).to_csv(RESULTS, sep="\t", index=False)
    return pd.DataFrame([row_of_cell[cell] for cell in cells()])


def cells() -> Iterator[tuple[str, str, float]]:
    """Yield design, classifier and effect of each row; naive Bayes for null studies alone."""
    for title in NAMES:
        _, effects = DESIGNS[title]
        for name in CLASSIFIERS:
            for effect in effects:
                if name == "csnb_cv" or effect == 0:
                    yield title, name, effect


def wanted(name: str, effect: float) -> int:
    """Return the number of studies of a row; false verdicts are rare and need more of them."""
    if effect:
        return STUDIES
    return STUDIES * (5 if name == "nb" else 2)


def cell_of(title: str, name: str, effect: float) -> dict[str, object]:
    """Return one row of the table."""
    design = replace(DESIGNS[title][0], effect=effect)
    n = wanted(name, effect)
    judgements = np.array(measure_seeds(judged, design, name, n=n))
    above, is_supported, balanced_held, truth_below, accuracy_held = judgements.T
    limits = figure("", "", is_supported)
    return {
        "design": title,
        "classifier": name,
        "effect": effect,
        "studies": n,
        "above": above.mean(),
        "supported": is_supported.mean(),
        "lower": limits["lower"],
        "upper": limits["upper"],
        "balanced_accuracy": balanced_held.mean(),
        "below": truth_below.mean(),
        "accuracy": accuracy_held.mean(),
    }


def judged(design: Design, name: str, seed: int) -> list[bool]:
    """Return what a study shows: its conditions, and whether its intervals hold.

    Whether its interval is above chance, whether the rule supports it, whether the intervals of
    balanced accuracy and accuracy hold, and, before the last, whether the truth is below that of
    the balanced accuracy. The label test, which takes most of the time, is made where the interval
    is above chance.
    """
    result = study(design, name, seed, SPLITS, new=NEW)
    measures = performance_of(result, name)
    true = result.true_confusion
    true_balanced = (np.diag(true) / true.sum(axis=1)).mean()
    balanced = measures.balanced_accuracy
    accuracy = measures.accuracy
    above = balanced.lower > measures.chance
    return [
        above,
        above and supported(result, design, measures, seed),
        balanced.lower <= true_balanced <= balanced.upper,
        true_balanced < balanced.lower,
        accuracy.lower <= np.trace(true) <= accuracy.upper,
    ]


def supported(result: Study, design: Design, measures: Performance, seed: int) -> bool:
    """Return whether the rule supports a result, the label test included."""
    groups = result.groups if design.samples_of_patient > 1 else None
    n_samples, n_genes = result.values.shape
    series = DataSet(
        f"study {seed}",
        result.values.T,
        features=[f"g{i}" for i in range(n_genes)],
        samples=[f"s{i}" for i in range(n_samples)],
        labels=result.codes.astype(str),
        groups=None if groups is None else groups.astype(str),
    )
    p_value = float(label_test(series)["p_value"].iloc[0])
    return verdict(measures, LabelTest(p_value)).level != "not supported"
