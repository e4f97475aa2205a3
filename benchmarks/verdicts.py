"""How often verdicts err and what they find: simulated studies, and real series.

    python -m benchmarks.verdicts designs [--null] [--studies 100] [name ...]
    python -m benchmarks.verdicts cases [--studies 40] [name ...]
    python -m benchmarks.verdicts parts [--exchanged] [--studies 8] [name ...]
    python -m benchmarks.verdicts lists [--studies 10] [--first-seed 0] [name ...]
    python -m benchmarks.verdicts series [--before FILE] [name ...]

*designs*: sizes, patients, pairs, batches, several classes; with an effect power and coverage of
the intervals, without one false verdicts. *cases*: what laboratories have, such as a hospital that
goes with the class. *parts*: random parts of real series, with the label test beside the verdict
and limma; with exchanged labels nothing follows the class. *lists*: whether unstable lists of genes
are called stable. *series*: the verdicts on the development series; ``--before`` adds those of an
earlier file.

Names select rows. Every row is the mean over studies of fixed seeds, from ``--first-seed`` on. The
rows are written to results/benchmarks/verdicts_<command>.tsv as they finish, and printed in
Markdown at the end. The real series are in the folder XNBFLOW_DATA.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
from benchmarks.accuracy_series import DATA, development_series
from benchmarks.judged_studies import JudgedStudy, LabelTestSize, judge, predict_new_samples
from benchmarks.laboratory_cases import CASES
from benchmarks.list_stability import STRUCTURES, list_studies
from benchmarks.simulated_studies import Design, draw_new_samples, draw_study, series_of
from joblib import Parallel, delayed
from scipy.stats import beta, false_discovery_control
from threadpoolctl import threadpool_limits

from xnbflow.core.study import Design as ComparisonDesign
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.inference.estimates import areas

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"
#: The recommended classifier.
CLASSIFIER = "csnb_cv"
NEW_PER_CLASS = 200
#: Pairs of halves in the verdicts on real series.
HALF_PAIRS = 10
FDR = 0.05
#: Limits of the true replication of lists in the table; the rule calls lists stable above .5.
TRUTHS = (-1.0, 0.3, 0.5, 0.7, 1.01)
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL: dict[str, Any] = {"NEW_PER_CLASS": 20}
SMALL_WORDS = ("designs", "--studies", "1", "--permutations", "99", "12 samples")

PLAIN = Design(n=40)
#: Designs by name, with the effects in standard deviations; 0 is a null study.
DESIGNS: dict[str, tuple[Design, tuple[float, ...]]] = {
    "12 samples": (replace(PLAIN, n=12), (0.0, 1.2, 2.0)),
    "16 samples": (replace(PLAIN, n=16), (0.0, 1.2, 2.0)),
    "20 samples": (replace(PLAIN, n=20), (0.0, 1.2, 2.0)),
    "30 samples": (replace(PLAIN, n=30), (0.0, 0.8, 1.2, 2.0)),
    "40 samples": (PLAIN, (0.0, 0.8, 1.2)),
    "60 samples": (replace(PLAIN, n=60), (0.0, 0.8, 1.2)),
    "80 samples": (replace(PLAIN, n=80), (0.0, 0.8, 1.2)),
    "16 and 4 samples": (replace(PLAIN, n=20, shares=(0.8, 0.2)), (0.0, 1.2, 2.0)),
    "32 and 8 samples": (replace(PLAIN, shares=(0.8, 0.2)), (0.0, 1.2)),
    "40 and 8 samples": (replace(PLAIN, n=48, shares=(5 / 6, 1 / 6)), (0.0, 1.2)),
    "64 and 16 samples": (replace(PLAIN, n=80, shares=(0.8, 0.2)), (0.0, 1.2)),
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
#: Sizes of the classes of parts of real series.
PARTS = ((8, 8), (12, 12), (16, 5))
#: Series of two classes, or more of which the largest two are used, for parts.
PART_SERIES = (
    "Breast_West2001",
    "Colorectal_Alon1999",
    "Leukemia_Golub1999",
    "Lymphoma_Shipp2002",
    "Prostate_Singh2002",
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the command line sets.

    Attributes
    ----------
    studies : int
        Studies of a row.
    names : tuple of str
        Rows that are measured; all if empty.
    classifier : str
    test_size : LabelTestSize
    jobs : int
        Processes.
    first_seed : int
        Seed of the first study of a row.
    null, exchanged : bool
        Designs without an effect alone; labels of parts exchanged.
    before : str or None
        File of the verdicts on series by an earlier rule.
    """

    studies: int
    names: tuple[str, ...] = ()
    classifier: str = CLASSIFIER
    test_size: LabelTestSize = field(default_factory=LabelTestSize)
    jobs: int = 2
    first_seed: int = 0
    null: bool = False
    exchanged: bool = False
    before: str | None = None

    @property
    def seeds(self) -> range:
        """The seeds of the studies of a row."""
        return range(self.first_seed, self.first_seed + self.studies)

    def selects(self, name: str) -> bool:
        """Return whether a row is measured."""
        return not self.names or name in self.names

    def measure(self, figures: Callable[[int], dict[str, Any]]) -> pd.DataFrame:
        """Return a row of figures for each study, measured in processes of one thread."""
        work = Parallel(n_jobs=self.jobs)
        return pd.DataFrame(work(delayed(with_one_thread)(figures, seed) for seed in self.seeds))


def with_one_thread(figures: Callable[[int], dict[str, Any]], seed: int) -> dict[str, Any]:
    """Return the figures of a study."""
    numba.set_num_threads(1)
    with threadpool_limits(1):
        return figures(seed)


def share_limits(hits: Iterable[bool]) -> tuple[float, float]:
    """Return the 95 % limits of a share of studies (Clopper and Pearson).

    Examples
    --------
    >>> lower, upper = share_limits([False] * 40)
    >>> lower, round((1 - upper) ** 40, 6)  # the upper limit solves (1 - p)**40 = .025
    (0.0, 0.025)
    """
    hits = np.asarray(list(hits), dtype=bool)
    n = len(hits)
    k = int(hits.sum())
    lower = float(beta.ppf(0.025, k, n - k + 1)) if k else 0.0
    upper = float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
    return lower, upper


def decisions(judged: JudgedStudy) -> dict[str, bool]:
    """Return what the label test, the interval and the complete rule decide on a study."""
    return {
        "label test": judged.rejected,
        "interval above chance": judged.above_chance,
        "supported": judged.supported,
        "well supported": judged.level == "well supported",
    }


def shares_of(studies: pd.DataFrame) -> dict[str, Any]:
    """Return the means over studies, with the limits of the share that is supported."""
    lower, upper = share_limits(studies["supported"])
    limits = {"supported, lower": lower, "supported, upper": upper}
    return {"studies": len(studies)} | studies.mean().to_dict() | limits


# designs


def measure_designs(settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield a row for each design and effect."""
    for name, (design, effects) in DESIGNS.items():
        for effect in effects:
            if settings.selects(name) and not (settings.null and effect):
                study = partial(
                    judge_design, replace(design, effect=effect), settings.classifier, settings
                )
                row = {"design": name, "classifier": settings.classifier, "effect": effect}
                yield row | shares_of(settings.measure(study))


def judge_design(
    design: Design, classifier: str, settings: Settings, seed: int
) -> dict[str, float | bool]:
    """Return the decisions on a study, and whether its intervals hold the value on new samples."""
    series = draw_study(design, seed)
    judged = judge(series, classifier, test_size=settings.test_size)

    new_samples = draw_new_samples(design, NEW_PER_CLASS, seed)
    both, predictions = predict_new_samples(series, new_samples, classifier)
    labels = pd.Series(both.labels, index=both.samples).loc[predictions["sample"]].to_numpy()
    is_right = (predictions["predicted"].to_numpy() == labels).astype(float)
    recalls = pd.Series(is_right).groupby(labels).mean().sort_index()
    balanced = judged.performance.balanced_accuracy
    accuracy = judged.performance.accuracy
    true_accuracy = float(np.average(recalls, weights=design.shares))
    figures = decisions(judged) | {
        "balanced accuracy held": balanced.lower <= recalls.mean() <= balanced.upper,
        "truth below": recalls.mean() < balanced.lower,
        "accuracy held": accuracy.lower <= true_accuracy <= accuracy.upper,
    }
    if judged.area is not None and np.isfinite(judged.area.value):
        true_area = areas(predictions, both, inflation=1.0)[str(series.classes[1])].value
        figures["AUC held"] = judged.area.lower <= true_area <= judged.area.upper
    return figures


# cases


def measure_cases(settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield a row for each case: the mean of its figure, with its standard error."""
    for name, case in CASES.items():
        if not settings.selects(name):
            continue
        figures = settings.measure(partial(case_figure, name, settings.test_size))["figure"]
        yield {
            "case": name,
            "figure": case.measured,
            "right": case.right,
            "mean": figures.mean(),
            "standard error": figures.sem(),
            "studies": len(figures),
        }


def case_figure(name: str, size: LabelTestSize, seed: int) -> dict[str, float]:
    """Return the figure of one study of a case."""
    return {"figure": CASES[name].figure(seed, size)}


# parts of real series


def measure_parts(settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield a row for each size of parts, over all series, and one for all sizes."""
    series = {name: read_series(name) for name in NAMES["parts"]() if settings.selects(name)}
    parts = []
    for sizes in PARTS:
        for name, whole in series.items():
            study = partial(judge_part, whole, sizes, settings)
            part = f"{sizes[0]} and {sizes[1]}"
            parts.append(settings.measure(study).assign(series=name, part=part))
    studies = pd.concat(parts, ignore_index=True)
    for part, studies_of_part in studies.groupby("part", sort=False):
        yield {"part": part} | shares_of(studies_of_part.drop(columns=["series", "part"]))
    yield {"part": "all"} | shares_of(studies.drop(columns=["series", "part"]))


def read_series(name: str) -> DataSet:
    """Return a development series."""
    values, labels = development_series()[name]()
    codes = np.unique(labels, return_inverse=True)[1]
    return series_of(np.ascontiguousarray(values.T), codes)


def judge_part(
    whole: DataSet, sizes: tuple[int, int], settings: Settings, seed: int
) -> dict[str, bool]:
    """Return the decisions on a random part of a series, and whether limma has any gene.

    The part has samples of the two largest classes, the larger size of the larger class.
    """
    rng = np.random.default_rng([seed, *sizes])
    classes = pd.Series(whole.labels).value_counts().index[:2]
    members = [
        rng.choice(np.flatnonzero(whole.labels == label), size, replace=False)
        for label, size in zip(classes, sizes, strict=True)
    ]
    chosen = np.concatenate(members)
    codes = np.repeat([0, 1], sizes)
    if settings.exchanged:
        codes = rng.permutation(codes)
    part = series_of(np.ascontiguousarray(whole.values[:, chosen]), codes)
    p = class_comparisons(part.values, part, ComparisonDesign())["p"][0]
    has_gene = bool((false_discovery_control(p[np.isfinite(p)]) <= FDR).any())
    judged = judge(part, settings.classifier, test_size=settings.test_size)
    return decisions(judged) | {"limma has a gene": has_gene}


# lists of genes


def measure_lists(settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield, by structure and by true replication, how many lists are called stable."""
    parts = []
    for structure in STRUCTURES:
        if settings.selects(structure):
            part = list_studies(structure, settings.seeds, settings.jobs).assign(genes=structure)
            parts.append(part)
            yield {"genes": structure, "truth": "any"} | list_shares(part)
    if not parts:
        return
    studies = pd.concat(parts, ignore_index=True)
    for lower, upper in pairwise(TRUTHS):
        of_truth = studies[(studies["truth"] >= lower) & (studies["truth"] < upper)]
        if len(of_truth):
            yield {"genes": "all", "truth": f"{lower:g} to {upper:g}"} | list_shares(of_truth)


def list_shares(studies: pd.DataFrame) -> dict[str, Any]:
    """Return how many studies are called stable, and how often the interval holds the truth."""
    lower, upper = share_limits(studies["stable"])
    return {
        "studies": len(studies),
        "called stable": studies["stable"].mean(),
        "called stable, lower": lower,
        "called stable, upper": upper,
        "interval held": studies["held"].mean(),
    }


# real series


def measure_series(settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield the verdict on each development series, beside that of an earlier file."""
    levels_before = {}
    if settings.before:
        earlier = pd.read_csv(settings.before, sep="\t")
        levels_before = dict(zip(earlier["series"], earlier["level"], strict=True))
    for name in development_series():
        if not settings.selects(name):
            continue
        judged = judge(
            read_series(name),
            settings.classifier,
            n_half_pairs=HALF_PAIRS,
            test_size=settings.test_size,
        )
        balanced = judged.performance.balanced_accuracy
        findings = ", ".join(dict.fromkeys(judged.codes))
        row = {"series": name, "level": judged.level, "findings": findings}
        if levels_before:
            row["level before"] = levels_before.get(name, "")
        stability = judged.stability
        yield row | {
            "balanced accuracy": balanced.value,
            "lower limit": balanced.lower,
            "p": judged.p,
            "replicated": np.nan if stability is None else stability["replicated"],
            "replicated, lower": np.nan if stability is None else stability["replicated_lower"],
        }


# command line

COMMANDS: dict[str, Callable[[Settings], Iterator[dict[str, Any]]]] = {
    "designs": measure_designs,
    "cases": measure_cases,
    "parts": measure_parts,
    "lists": measure_lists,
    "series": measure_series,
}
#: The names of the rows of each command.
NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "designs": lambda: DESIGNS,
    "cases": lambda: CASES,
    "parts": lambda: [name for name in PART_SERIES if name in development_series()],
    "lists": lambda: STRUCTURES,
    "series": development_series,
}
#: Studies of a row unless the command line sets them.
DEFAULT_STUDIES = {"designs": 100, "cases": 40, "parts": 8, "lists": 10, "series": 1}


def parse_settings(words: list[str]) -> tuple[str, Settings]:
    """Return the command and its settings."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.verdicts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("names", nargs="*", help="rows that are measured; all without names")
    parser.add_argument("--studies", type=int, help="studies of a row")
    parser.add_argument("--classifier", default=CLASSIFIER)
    parser.add_argument("--permutations", type=int, default=499, help="at most, of a label test")
    parser.add_argument("--draws", type=int, default=2, help="draws of folds of a label test")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--first-seed", type=int, default=0, help="seed of the first study")
    parser.add_argument("--null", action="store_true", help="designs without an effect alone")
    parser.add_argument("--exchanged", action="store_true", help="exchange the labels of parts")
    parser.add_argument("--before", metavar="FILE", help="earlier verdicts on series")
    arguments = parser.parse_intermixed_args(words)
    known_names = list(NAMES[arguments.command]())
    if not known_names:
        parser.error(f"no series of {arguments.command} in {DATA}; set XNBFLOW_DATA")
    if unknown := [name for name in arguments.names if name not in known_names]:
        parser.error(f"no row {unknown[0]!r}; there are {', '.join(known_names)}")
    settings = Settings(
        studies=arguments.studies or DEFAULT_STUDIES[arguments.command],
        names=tuple(arguments.names),
        classifier=arguments.classifier,
        test_size=LabelTestSize(permutations=arguments.permutations, draws=arguments.draws),
        jobs=arguments.jobs,
        first_seed=arguments.first_seed,
        null=arguments.null,
        exchanged=arguments.exchanged,
        before=arguments.before,
    )
    return arguments.command, settings


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown, numbers with three digits.

    Examples
    --------
    >>> print(markdown(pd.DataFrame({"design": ["20 pairs"], "supported": [0.025]})))
    | design | supported |
    |---|---|
    | 20 pairs | 0.025 |
    """
    lines = [f"| {' | '.join(table)} |", f"|{'---|' * len(table.columns)}"]
    for row in table.itertuples(index=False):
        cells = [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(words: list[str]) -> None:
    """Measure the rows of a command, write them to its file, and print them."""
    command, settings = parse_settings(words)
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"verdicts_{command}.tsv"
    rows = []
    start = time.perf_counter()
    for row in COMMANDS[command](settings):
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
        pd.DataFrame(rows).to_csv(path, sep="\t", index=False)
    print(markdown(pd.DataFrame(rows)))
    print(f"{time.perf_counter() - start:.0f} seconds; {path}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
