"""Audit of what the pages conclude, by simulated studies whose truth is known.

The best of several classifiers, stability, second cohorts, pairs, and the tests between
classifiers; false verdicts, power and coverage are in `bench_verdicts.py`. Every figure has its
number of studies and its 95 % binomial limits (Clopper and Pearson); seeds are fixed.
`XNBFLOW_AUDIT_STUDIES` sets the number of studies a cell, 300 by default.

Cells are written to results/benchmarks/audit.tsv as they finish, the most important ones first. A
run that was interrupted goes on where it ended; sources that changed since then start it anew.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from rows import row
from scipy.stats import beta
from simulated_studies import (
    Design,
    Study,
    cohort,
    confusion_of_chance,
    drawn,
    fold_accuracies,
    half_lists,
    list_of,
    study,
)
from threadpoolctl import threadpool_limits

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.inference.estimates import Performance, performance
from xnbflow.inference.halves import half_stability
from xnbflow.inference.intervals import CROSS_VALIDATED, TUNED_INFLATION
from xnbflow.inference.paired_tests import sorted_runs_test
from xnbflow.inference.second_cohort import cohort_verdict
from xnbflow.inference.stability import stability_index
from xnbflow.inference.verdicts import verdict
from xnbflow.running.provenance import source_files

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "audit.tsv"
PAGE = ROOT / "docs" / "methods" / "audit.md"
STUDIES = int(os.environ.get("XNBFLOW_AUDIT_STUDIES", "300"))

PLAIN = Design(n=40)
LARGE = Design(n=100)
SIX = ("nb", "csnb", "csnb_3", "csnb_10", "xnb", "neighbours")

#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 2}


def rows() -> list[dict]:
    """Return one row a figure: its target, and whether the figure meets it."""
    return [
        row(
            f"{cell['part']}: {cell['cell']}",
            cell["target"],
            ratio=float(cell["met"] != "no"),
            note=f"{cell['value']:.3f} [{cell['lower']:.3f}, {cell['upper']:.3f}], "
            f"{cell['studies']} studies",
        )
        for cell in measured().to_dict("records")
    ]


def page() -> tuple[str, Path]:
    """Return the table of all figures, and the page that holds it."""
    return block(measured()), PAGE


def block(table: pd.DataFrame) -> str:
    """Return the block of the page, its markers included."""
    lines = [
        "<!-- audit: written by `python -m benchmarks audit` -->",
        "| what | studies | target | measured | 95% limits | met |",
        "|---|---|---|---|---|---|",
    ]
    for cell in table.sort_values("part", kind="stable").to_dict("records"):
        open_target = cell["target"] == "0 to 1"
        cells = [
            f"{cell['part']}: {cell['cell']}",
            f"{cell['studies']:.0f}",
            "" if open_target else cell["target"],
            f"{cell['value']:.3f}",
            f"{cell['lower']:.3f} to {cell['upper']:.3f}",
            "" if open_target else cell["met"],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "<!-- end of audit -->"])


def measured() -> pd.DataFrame:
    """Measure the cells that the file has not, and return all figures."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    key = f"{digest()}, {STUDIES} studies"
    table = pd.read_csv(RESULTS, sep="\t") if RESULTS.is_file() else pd.DataFrame({"of": []})
    table = table[table["of"] == key]
    for job, measure in jobs().items():
        if "job" in table and job in set(table["job"]):
            continue
        start = time.process_time()
        figures = pd.DataFrame(measure())
        figures = figures.assign(seconds=time.process_time() - start, job=job, of=key)
        table = pd.concat([table, figures], ignore_index=True)
        unfinished = RESULTS.with_suffix(".part")
        table.to_csv(unfinished, sep="\t", index=False)
        unfinished.replace(RESULTS)
    return table


def digest() -> str:
    """Return a digest of the sources that the figures depend on."""
    packages = ("naive_bayes", "evaluation", "density", "preprocessing")
    library = ROOT / "workflow/src/xnbflow"
    paths = [path for name in packages for path in source_files(library / name)]
    paths += [Path(__file__).with_name(name) for name in ("bench_audit.py", "simulated_studies.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


def jobs() -> dict[str, Callable[[], Iterable[dict]]]:
    """Return the cells by name, in the order in which they are measured."""
    cells: dict[str, Callable[[], Iterable[dict]]] = {"null: best of six": best_of_six}
    cells["second cohorts"] = cohorts
    cells |= {f"stability: {size}": partial(stability, size) for size in (40, 80, 160)}
    cells["pairs"] = pairs
    cells |= {f"sorted runs: {n}": partial(runs, n) for n in (1, 3, 10)}
    return cells


def figure(
    part: str, cell: str, hits: np.ndarray, least: float = 0.0, most: float = 1.0
) -> dict[str, object]:
    """Return a share of studies beside its target.

    ``met`` is "yes" where the share itself is within the target, "within error" where only its
    limits reach it.
    """
    hits = np.asarray(hits, dtype=bool)
    k = int(hits.sum())
    n = len(hits)
    lower = float(beta.ppf(0.025, k, n - k + 1)) if k else 0.0
    upper = float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
    if least <= k / n <= most:
        met = "yes"
    elif lower <= most and upper >= least:
        met = "within error"
    else:
        met = "no"
    return {
        "part": part,
        "cell": cell,
        "target": f"{least:g} to {most:g}",
        "value": k / n,
        "lower": lower,
        "upper": upper,
        "studies": n,
        "met": met,
    }


def measure_seeds(function: Callable, *arguments: object, n: int | None = None) -> list:
    """Return what a function gives for each seed, in processes of one thread."""
    work = Parallel(n_jobs=int(os.environ.get("XNBFLOW_AUDIT_JOBS", "2")))
    seeds = range(STUDIES if n is None else n)
    return work(delayed(single)(function, *arguments, seed) for seed in seeds)


def single(function: Callable, *arguments: object) -> object:
    """Call a function with one thread."""
    numba.set_num_threads(1)
    with threadpool_limits(1):
        return function(*arguments)


def inflation(name: str) -> float:
    """Return the inflation of the variance of a classifier's cross-validated shares."""
    return TUNED_INFLATION if name == "csnb_cv" else CROSS_VALIDATED


def performance_of(result: Study, name: str, candidates: int = 1) -> Performance:
    """Return the cross-validated performance of a classifier that is one of so many candidates."""
    hot = np.eye(result.probabilities.shape[1])[result.probabilities.argmax(axis=1)]
    groups = result.groups if len(np.unique(result.groups)) < len(result.codes) else None
    options = {"inflation": inflation(name), "candidates": candidates}
    return performance(result.codes, hot, groups, **options)


def best_of_six() -> Iterator[dict]:
    """Yield how often the best of six classifiers, named after looking, is called supported."""
    above = np.array(measure_seeds(best_above, PLAIN))
    yield figure("false support", "best of six, uncorrected", above[:, 0])
    yield figure("false support", "best of six, corrected", above[:, 1], most=ONE_SIDED_LEVEL)


def best_above(design: Design, seed: int) -> tuple[bool, bool]:
    """Return whether the most accurate one's interval is above chance, as named or as chosen."""
    studies = {name: study(design, name, seed, new=0) for name in SIX}
    best = max(SIX, key=lambda name: performance_of(studies[name], name).balanced_accuracy.value)
    as_named = verdict(performance_of(studies[best], best))
    as_chosen = verdict(performance_of(studies[best], best, len(SIX)))
    return as_named.level != "not supported", as_chosen.level != "not supported"


def stability(size: int) -> Iterator[dict]:
    """Yield how far the agreement of halves is from that of independent samples of their size."""
    design = Design(n=size, effect=1.0, genes=1000)
    estimates = np.array(measure_seeds(agreements, design, "csnb"))
    n = len(estimates)
    truth = estimates[:, 0].mean()
    bias = estimates[:, 1].mean() - truth
    error = np.hypot(*estimates[:, :2].std(axis=0, ddof=1)) / np.sqrt(n)
    yield {
        "part": "stability",
        "cell": f"mean of halves of {size}, less {truth:.2f} of independent samples",
        "target": "-0.05 to 0.05",
        "value": bias,
        "lower": bias - 1.96 * error,
        "upper": bias + 1.96 * error,
        "studies": n,
        "met": "yes" if abs(bias) <= 0.05 else "no",
    }
    held = (estimates[:, 2] <= truth) & (truth <= estimates[:, 3])
    yield figure("stability", f"interval, halves of {size}", hits=held, least=0.93, most=0.97)


def agreements(design: Design, name: str, seed: int) -> list[float]:
    """Return the agreement of two independent studies of half the size, and that of halves."""
    half = replace(design, n=design.n // 2)
    pair = [list_of(half, name, 2 * seed + i + 10_000) for i in (0, 1)]
    truth = stability_index(pair, design.genes).value
    return [truth, *half_stability(half_lists(design, name, seed, 20), design.genes)]


def cohorts() -> Iterator[dict]:
    """Yield the verdicts on second cohorts of 50 samples."""
    studies = measure_seeds(study, replace(LARGE, effect=1.0), "csnb")
    even = (25, 25)
    shifted = (45, 5)
    cells = {
        "no shift": (even, "same"),
        "prevalence shift": (shifted, "same"),
        "no signal": (even, "chance"),
        "labels exchanged": (even, "exchanged"),
        "prevalence shift, no signal": (shifted, "chance"),
    }
    levels = {}
    for cell, (counts, kind) in cells.items():
        verdicts = [cohort_level(result, counts, kind, i) for i, result in enumerate(studies)]
        levels[cell] = np.array(verdicts)
    yield figure("cohort", "no shift: held", levels["no shift"] == "held", least=0.9)
    for cell in ("no shift", "prevalence shift"):
        refused = np.isin(levels[cell], ["did not hold", "labels look exchanged"])
        yield figure("cohort", f"{cell}: not refused", ~refused, least=0.9)
    yield figure("cohort", "prevalence shift: held", levels["prevalence shift"] == "held")
    for cell in ("no signal", "prevalence shift, no signal"):
        held = np.isin(levels[cell], ["held", "held in part"])
        yield figure("cohort", f"{cell}: held, also in part", held, most=0.025)
        exchanged = levels[cell] == "labels look exchanged"
        yield figure("cohort", f"{cell}: labels look exchanged", exchanged, most=0.025)
    yield figure("cohort", "no signal: did not hold", levels["no signal"] == "did not hold")
    noticed = levels["labels exchanged"] == "labels look exchanged"
    yield figure("cohort", "labels exchanged: reported", noticed, least=0.9)


def cohort_level(result: Study, counts: tuple[int, ...], kind: str, seed: int) -> str:
    """Return the verdict on a study's classifier in a second cohort of a kind of `cohorts`."""
    rng = np.random.default_rng([seed, 7])
    confusion = result.true_confusion
    if kind == "chance":
        confusion = confusion_of_chance(confusion)
    codes, predicted = cohort(confusion, counts, rng)
    codes = 1 - codes if kind == "exchanged" else codes
    return cohort_verdict(performance_of(result, "csnb"), codes, predicted, 2).level


def pairs() -> Iterator[dict]:
    """Yield coverage for a true 1/2 where each patient has a sample of either class.

    In a share of the patients both samples are right or both wrong.
    """
    n = max(2000, STUDIES)
    for patients in (8, 20, 40):
        codes = np.tile([0, 1], patients)
        groups = np.repeat(np.arange(patients), 2)
        for share in (0.0, 0.5, 1.0):
            rng = np.random.default_rng([patients, int(10 * share)])
            together = rng.random((n, patients, 1)) < share
            both = rng.random((n, patients, 1))
            alone = rng.random((n, patients, 2))
            right = (np.where(together, both, alone) < 0.5).reshape(n, -1)
            predicted = np.eye(2)[np.where(right, codes, 1 - codes)]
            performances = [performance(codes, hot, groups, inflation=1.0) for hot in predicted]
            cell = f"{patients} patients, {share:.0%} alike"
            balanced = [result.balanced_accuracy for result in performances]
            held = [estimate.lower <= 0.5 <= estimate.upper for estimate in balanced]
            yield figure("pairs", f"coverage of balanced accuracy, {cell}", held, 0.93)
            above = [estimate.lower > 0.5 for estimate in balanced]
            yield figure(
                "pairs", f"balanced accuracy above 1/2, {cell}", above, most=ONE_SIDED_LEVEL
            )
            is_recognised = [result.classes[0].is_recognised for result in performances]
            yield figure("pairs", f"class recognised, {cell}", is_recognised, most=ONE_SIDED_LEVEL)


def runs(n_runs: int) -> Iterator[dict]:
    """Yield how often the sorted runs test calls two equal classifiers different."""
    p_values = np.array(measure_seeds(equal_classifiers, n_runs))
    cell = f"{n_runs} runs of ten folds, at .05"
    yield figure("sorted runs", cell, p_values <= 0.05, most=0.05)
    yield figure("sorted runs", f"{n_runs} runs, at .025", p_values <= 0.025, most=0.025)


def equal_classifiers(n_runs: int, seed: int) -> float:
    """Return the p-value of two classifiers on features that are alike, in halves of the genes."""
    design = Design(n=100, effect=0.5, genes=100, planted=20)
    scores = np.empty((2, n_runs, 10))
    for run in range(n_runs):
        for half in (0, 1):
            scores[half, run] = study_halves(design, seed, run, half)
    return sorted_runs_test(scores[0], scores[1]).p_value


def study_halves(design: Design, seed: int, run: int, half: int) -> np.ndarray:
    """Return the accuracy of each fold, of naive Bayes on every second pair of blocks."""
    values, codes = drawn(design, seed)
    of_half = (np.arange(design.genes) // design.block) % 2 == half
    return fold_accuracies("nb", values[:, of_half], codes, run)
