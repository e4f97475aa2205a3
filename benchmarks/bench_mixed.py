"""Mixed designs: some of the patients gave samples of both classes, the others of one.

30 tumours and 30 normals of 500 genes; the first patients gave both. 20 genes are shifted by 3
standard deviations, or none; the samples of a patient correlate by one half in every gene. A study
is *supported* by the label test (p at most .025). *Before*: with at least one such patient labels
were exchanged within patients only. `XNBFLOW_MIXED_STUDIES` sets the number of studies of a cell
(20; without an effect five times as many of the rule now, as the earlier one takes long).
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from bench_audit import figure
from bench_batches import write_each_cell
from rows import row

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.inference.diagonal_discriminant import ten_features_score
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.permutation_test import permutation_test

PAGE = Path(__file__).parents[1] / "docs" / "methods" / "verdicts-evidence.md"
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "mixed.tsv"
STUDIES = int(os.environ.get("XNBFLOW_MIXED_STUDIES", "20"))
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 1, "MIXED": (1,)}
MIXED = (0, 1, 3, 6, 15, 30)
#: Samples of each class.
N = 30
N_GENES = 500
#: Genes that are shifted in the second class, and by how much.
OF_CLASS = 20
SHIFT = 3.0


def rows() -> list[dict]:
    """Return the largest share of false verdicts."""
    table = write_each_cell(simulated(), RESULTS)
    worst = table[table["effect"] == 0]["after"].max()
    return [row("mixed designs: supported without an effect", ".025 nominal", ratio=worst)]


def simulated() -> Iterator[dict]:
    """Yield the shares of studies that are supported, before and after."""
    for mixed in MIXED:
        for effect in (0.0, SHIFT):
            studies = STUDIES if effect else 5 * STUDIES
            before = np.array(
                [p_of_study(mixed, effect, seed, earlier=True) for seed in range(STUDIES)]
            )
            after = np.array(
                [p_of_study(mixed, effect, seed, earlier=False) for seed in range(studies)]
            )
            limits = figure("", "", after <= ONE_SIDED_LEVEL)
            yield {
                "mixed": mixed,
                "effect": effect,
                "studies_before": STUDIES,
                "studies": studies,
                "median_before": np.median(before),
                "median_after": np.median(after),
                "before": np.mean(before <= ONE_SIDED_LEVEL),
                "after": np.mean(after <= ONE_SIDED_LEVEL),
                "lower": limits["lower"],
                "upper": limits["upper"],
            }


def p_of_study(mixed: int, effect: float, seed: int, *, earlier: bool) -> float:
    """Return the p of the label test, with the earlier exchange within patients only if asked."""
    rng = np.random.default_rng([seed, mixed])
    codes = np.repeat([0, 1], N)
    patients = np.arange(2 * N)
    patients[N : N + mixed] = np.arange(mixed)
    values = np.sqrt(0.5) * rng.normal(size=(N_GENES, 2 * N))[:, patients]
    values += np.sqrt(0.5) * rng.normal(size=values.shape)
    values[:OF_CLASS] += effect * codes
    groups = patients if mixed else None
    score = ten_features_score(values, groups)
    exchange = label_exchange(codes, groups)

    def permute(rng: np.random.Generator) -> np.ndarray:
        if earlier and mixed:
            return within_patients(codes, patients, rng)
        return exchange.permute(codes, rng)

    return permutation_test(score, codes, permute, seed=seed).p_value


def within_patients(
    codes: np.ndarray, patients: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return labels that are exchanged within patients only."""
    order = np.lexsort((rng.random(len(codes)), patients))
    exchanged = np.empty_like(codes)
    exchanged[np.argsort(patients, kind="stable")] = codes[order]
    return exchanged


def page() -> tuple[str, Path]:
    """Return the table, and the page that holds it."""
    table = pd.read_csv(RESULTS, sep="\t")
    heads = ["patients with both classes", "effect: studies", "median p before, after"]
    heads += ["supported before, after", "no effect: studies before, after"]
    heads += ["supported before, after (95 % limits)"]
    lines = [
        "<!-- mixed: written by `python -m benchmarks mixed` -->",
        f"| {' | '.join(heads)} |",
        "|---|---|---|---|---|---|",
    ]
    for mixed, cells in table.groupby("mixed"):
        null = cells[cells["effect"] == 0].iloc[0]
        real = cells[cells["effect"] > 0].iloc[0]
        lines.append(
            f"| {mixed} | {real['studies']:.0f} | {real['median_before']:.2g}, "
            f"{real['median_after']:.2g} | {real['before']:.2f}, {real['after']:.2f} "
            f"| {null['studies_before']:.0f}, {null['studies']:.0f} "
            f"| {null['before']:.2f}, {null['after']:.2f} "
            f"({null['lower']:.2f} to {null['upper']:.2f}) |"
        )
    return "\n".join([*lines, "<!-- end of mixed -->"]), PAGE
