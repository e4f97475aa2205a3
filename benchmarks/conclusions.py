"""Conclusions of studies whose truth is known: each simulation of what a laboratory may have.

A *case* draws a data set, with the columns of its samples, and the complete rule judges it: the
audit, concordance within columns, pairs of classes, the label test and the intervals of a
classifier in five folds; stability alone is left out, since it does not change whether a result is
supported. Each case has the share of studies that a reader would have believed (well or partly
supported) or another figure that is named.

`python -m benchmarks.conclusions 40 [case ...]` measures cases with 40 studies each and appends
them to results/benchmarks/conclusions.tsv; `python -m benchmarks verdicts` measures all with
`STUDIES` each. The label test has at most 499 permutations and two draws of folds here (4,999 and
20 in studies), which costs power and no size.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.audit_row import AuditRow
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.diagnostics.series_audit import audit
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.keyed_tables import Key
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.class_pairs import class_pairs
from xnbflow.inference.estimates import Performance, pooled_performance
from xnbflow.inference.halves import agreement_table, halves_table
from xnbflow.inference.intervals import inflation_of
from xnbflow.inference.label_test import label_test
from xnbflow.inference.missingness import missing_values, values_at_limit
from xnbflow.inference.verdicts import (
    class_pair_reasons,
    column_reasons,
    reasons_of_data,
    verdicts,
)
from xnbflow.studies import selected_features
from xnbflow.studies.concordances import concordances
from xnbflow.tables.contract import STUDY_TABLES

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "conclusions.tsv"
KEY: Key = ("d", "f", "c")
PERMUTATIONS = 499
DRAWS = 2
SPLITS = 5
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL: dict[str, Any] = {"PERMUTATIONS": 99}
SMALL_WORDS = ("1", "drug")
#: The levels that a reader believes.
SUPPORTED = ("well supported", "partly supported")


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The level of a study, its reasons, and what they were computed from.

    ``test`` is the row of the label test, ``stability`` that of the halves, None without.
    """

    level: str
    codes: tuple[str, ...]
    test: pd.Series
    performance: Performance
    reasons: pd.DataFrame
    stability: pd.Series | None = None

    @property
    def p(self) -> float:
        """P of the label test."""
        return float(self.test["p_value"])

    @property
    def supported(self) -> bool:
        """Whether a reader believes the result."""
        return self.level in SUPPORTED


def judge(series: DataSet, method: str = "csnb", *, repeats: int = 1, n_pairs: int = 0) -> Judged:
    """Return the verdict on a classifier of a series by the complete rule.

    Without pairs of halves (``n_pairs``) stability does not limit the verdict.
    """
    entry = resolved({"method": method})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = train(series, draw_folds(series, SPLITS, repeats), entry, explain=False)
        predictions = {KEY: tables["predictions"]}
        found = [audit(series)["audit"], missing_values(series), values_at_limit(series)]
        findings = pd.concat([part for part in found if len(part)], ignore_index=True)
        findings = findings.assign(dataset="d")
        test = label_test(series, n_permutations=PERMUTATIONS, n_draws=DRAWS)
        stability = pd.DataFrame(columns=STUDY_TABLES["stability"].fixed)
        if n_pairs:
            stability = _stability(series, tables, entry, n_pairs)
    headers = {"d": series}
    inflations = {KEY: inflation_of(entry)}
    performance = pooled_performance(predictions[KEY], series, inflations[KEY])
    _, pairs = concordances(predictions, headers, findings)
    further = [
        *reasons_of_data(findings, headers)["d"],
        *column_reasons(pairs, headers).get(KEY, ()),
        *class_pair_reasons(class_pairs(predictions, headers, inflations)).get(KEY, ()),
    ]
    judged = verdicts(
        {KEY: performance},
        headers,
        fits={KEY: (0, SPLITS)},
        stability=stability,
        label_tests=test.assign(dataset="d", classifier="c"),
        further={KEY: further},
    )
    return Judged(
        level=judged["verdicts"]["level"].iloc[0],
        codes=tuple(judged["reasons"]["code"]),
        test=test.iloc[0],
        performance=performance,
        reasons=judged["reasons"],
        stability=stability[stability["class"] == ""].iloc[0] if len(stability) else None,
    )


def _stability(
    series: DataSet, tables: dict[str, pd.DataFrame], entry: dict[str, Any], n_pairs: int
) -> pd.DataFrame:
    """Return the study's table ``stability`` of one classifier."""
    halves = halves_table(series, entry, n_pairs)
    return selected_features.stability(
        {KEY: tables["selected"]},
        {KEY: tables["fits"]},
        {"d": series},
        {("d", "c"): halves},
        agreement={("d", "c"): agreement_table(series, halves)},
    )


def series_of(values: np.ndarray, codes: np.ndarray, **fields: Any) -> DataSet:
    """Return a data set of values (n_features, n_samples) with classes a, b, ..."""
    n_features, n_samples = values.shape
    return DataSet(
        name="d",
        values=values,
        features=[f"g{i}" for i in range(n_features)],
        samples=[f"s{i}" for i in range(n_samples)],
        labels=np.array(list("abcdefghij"))[codes],
        **fields,
    )


def columns_of(**columns: Any) -> dict[str, pd.DataFrame]:
    """Return columns of the samples as the field of a data set."""
    return {"sample_metadata": pd.DataFrame(columns).astype(str)}


# columns that go with the class


def hospitals(seed: int, name: str, share: float = 0.9) -> DataSet:
    """Draw four hospitals, two of which have a class in this share; nothing follows the class.

    80 samples, 500 genes, of which 60 are shifted by two standard deviations times the hospital's
    random direction.
    """
    rng = np.random.default_rng([seed, 1])
    hospital = np.repeat(np.arange(4), 20)
    codes = np.empty(80, dtype=int)
    for one in range(4):
        n_first = round(20 * (share if one < 2 else 1 - share))
        codes[hospital == one] = rng.permutation(np.arange(20) >= n_first)
    values = rng.normal(size=(500, 80))
    values[:60] += 2.0 * rng.normal(size=(60, 4))[:, hospital]
    names = np.array(["Leiden", "Lyon", "Lund", "Lodz"])[hospital]
    return series_of(values, codes, **columns_of(**{name: names}))


def ages(seed: int) -> DataSet:
    """Draw controls of 40 and cases of 66 years; ten genes follow age, nothing the class."""
    rng = np.random.default_rng([seed, 2])
    codes = np.repeat([0, 1], 20)
    age = np.where(codes == 1, 66, 40) + rng.normal(0, 8, size=40)
    values = rng.normal(size=(500, 40))
    values[:10] += 1.5 * (age - 53) / 13
    return series_of(values, codes, **columns_of(age=age.round()))


def runs(seed: int, name: str) -> DataSet:
    """Draw the same with numbers of another name: the order of the runs, or RIN."""
    series = ages(seed)
    column = series.sample_metadata["age"].astype(float)
    return replace(series, sample_metadata=pd.DataFrame({name: column.astype(int).astype(str)}))


def treatments(seed: int, name: str, words: tuple[str, str]) -> DataSet:
    """Draw a column of two words that separates the classes completely and shifts 30 genes."""
    rng = np.random.default_rng([seed, 3])
    codes = np.repeat([0, 1], 20)
    values = rng.normal(size=(500, 40))
    values[:30] += 1.5 * codes
    return series_of(values, codes, **columns_of(**{name: np.array(words)[codes]}))


# samples that repeat


def repeated(seed: int, sizes: tuple[int, ...], correlation: float) -> DataSet:
    """Draw patients with this many samples of one class each, without a group; no class differs."""
    rng = np.random.default_rng([seed, 4])
    patient = np.repeat(np.arange(len(sizes)), sizes)
    codes = rng.permutation(np.arange(len(sizes)) % 2)[patient]
    shared = rng.normal(size=(500, len(sizes)))[:, patient]
    noise = rng.normal(size=(500, len(patient)))
    return series_of(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * noise, codes)


def pairs(seed: int, effect: float, correlation: float = 0.6) -> DataSet:
    """Draw 20 patients with a sample of each class, without a group; ten genes are shifted."""
    rng = np.random.default_rng([seed, 10])
    codes = np.tile([0, 1], 20)
    values = np.sqrt(correlation) * np.repeat(rng.normal(size=(500, 20)), 2, axis=1)
    values += np.sqrt(1 - correlation) * rng.normal(size=(500, 40))
    values[:10] += effect * codes
    return series_of(values, codes)


def null_genes(seed: int, repeated_by: str, sizes: tuple[tuple[int, int], ...]) -> float:
    """Return the share of null genes with p below .05 in patients with unequal samples.

    ``sizes`` are the patients, and samples of each, of both classes; a patient's share of the
    variance is .3.
    """
    rng = np.random.default_rng([seed, 5])
    (n_first, m_first), (n_second, m_second) = sizes
    samples = np.repeat([m_first, m_second], [n_first, n_second])
    patient = np.repeat(np.arange(len(samples)), samples)
    codes = np.repeat([0, 1], [n_first * m_first, n_second * m_second])
    values = np.sqrt(0.3) * rng.normal(size=(500, len(samples)))[:, patient]
    values += np.sqrt(0.7) * rng.normal(size=(500, len(patient)))
    groups = np.array([f"p{i}" for i in patient])
    series = series_of(values, codes, groups=groups)
    tested = class_comparisons(values, series, Design(repeated=repeated_by))
    return float(np.mean(tested["p"][0] < 0.05))


# spread and shape, missing values, classes that are one, orders


def spread(seed: int, kind: str) -> DataSet:
    """Draw 500 genes: twice the standard deviation in one class, or two modes in 20 genes."""
    rng = np.random.default_rng([seed, 6])
    codes = np.repeat([0, 1], 20)
    values = rng.normal(size=(500, 40))
    if kind == "spread":
        values[:, codes == 1] *= 2
    else:
        values[:20, codes == 1] += 1.5 * rng.choice([-1, 1], size=(20, 20))
    return series_of(values, codes)


def not_measured(seed: int, kind: str) -> DataSet:
    """Draw values that are missing more often in one class, and nothing else."""
    rng = np.random.default_rng([seed, 7])
    codes = np.repeat([0, 1], 20)
    values = rng.normal(size=(500, 40)) + rng.normal(0, 2, size=(500, 1))
    if kind == "shares":
        values[rng.random((500, 40)) < np.where(codes, 0.3, 0.05)] = np.nan
        return series_of(values, codes, missing=True)
    limit = np.where(codes, -0.5, -2.0)
    if kind == "limit":
        return series_of(np.maximum(values, limit), codes)
    values[values < limit] = np.nan
    return series_of(values, codes, missing=True)


def one_class_twice(seed: int, n_classes: int, size: int) -> DataSet:
    """Draw classes of which the first two are one; each other one has 15 shifted genes."""
    rng = np.random.default_rng([seed, 8])
    codes = np.repeat(np.arange(n_classes), size)
    values = rng.normal(size=(500, len(codes)))
    for code in range(2, n_classes):
        values[15 * code : 15 * code + 15] += 1.5 * (codes == code)
    return series_of(values, codes)


def shifted(seed: int, sizes: tuple[int, int], effect: float) -> DataSet:
    """Draw two classes of these sizes; 10 of 500 genes are shifted by the effect."""
    rng = np.random.default_rng([seed, 9])
    codes = np.repeat([0, 1], sizes)
    values = rng.normal(size=(500, len(codes)))
    values[:10] += effect * codes
    return series_of(values, codes)


def levels_of_orders(seed: int) -> float:
    """Return whether ten orders of the rows of a study near its limit have one level and p."""
    series = shifted(seed, (20, 20), 0.8)
    results = set()
    for order in [np.arange(40), *map(np.random.default_rng(seed).permutation, [40] * 9)]:
        moved = replace(
            series,
            values=series.values[:, order],
            samples=series.samples[order],
            labels=series.labels[order],
        )
        judged = judge(moved)
        results.add((judged.level, judged.p, judged.codes))
    return float(len(results) == 1)


# cases


@dataclass(frozen=True, kw_only=True)
class Case:
    """A figure of simulated studies: what it is, before (as the review measured it), and how.

    ``figure`` returns the number of one study, of a seed.
    """

    section: str
    measured: str
    before: str
    figure: Callable[[int], float]


def supported(draw: Callable[[int], DataSet], seed: int, method: str = "csnb") -> float:
    """Return whether a drawn study is supported."""
    return float(judge(draw(seed), method).supported)


def same_level(draws: tuple[Callable[[int], DataSet], ...], seed: int) -> float:
    """Return whether a study has the same level whatever its column is called."""
    return float(len({judge(draw(seed)).level for draw in draws}) == 1)


def called_well(seed: int, n_classes: int, size: int) -> float:
    """Return whether the pair that is one class is not named."""
    reasons = judge(one_class_twice(seed, n_classes, size)).reasons
    pairs = reasons[reasons["code"] == "classes not distinguished"]
    return float(not ((pairs["class"] == "a") & (pairs["other"] == "b")).any())


def _cases() -> Iterator[tuple[str, Case]]:
    """Yield the cases by name, in the order of the page."""
    names = ("hospital", "plate", "recruited_at", "region")

    def case(name: str, section: str, before: str, figure: Callable[[int], float], what: str):
        return name, Case(section=section, before=before, figure=figure, measured=what)

    believed = "supported"
    named = tuple(partial(hospitals, name=name) for name in names)
    yield case("hospitals", "1", "1.00", partial(supported, named[0]), believed)
    yield case("names of hospitals", "1", "differ", partial(same_level, named), "one level")
    complete = tuple(partial(hospitals, name=name, share=1.0) for name in names)
    yield case("separation", "1", "", partial(supported, complete[0]), believed)
    yield case("names of separation", "1", "differ", partial(same_level, complete), "one level")
    yield case("age", "1", "≥ .70", partial(supported, ages), believed)
    numbers = tuple(partial(runs, name=name) for name in ("run_order", "RIN", "age"))
    yield case("names of numbers", "1", "differ", partial(same_level, numbers), "one level")
    for name, words in (
        ("treatment", ("untreated", "statin")),
        ("exposure", ("no", "yes")),
        ("drug", ("none", "statin")),
    ):
        draw = partial(treatments, name=name, words=words)
        yield case(name, "1", "no confounder", partial(supported, draw), believed)
    for name, sizes, correlation, before in (
        ("replicates r=.9", (3,) * 12, 0.9, "29 of 40"),
        ("samples of patients r=.6", (2, 3, 4, 5) * 6, 0.6, "39 of 40"),
    ):
        draw = partial(repeated, sizes=sizes, correlation=correlation)
        yield case(name, "2", before, partial(supported, draw), believed)
    yield case(
        "pairs r=.6, null", "2", "", partial(supported, partial(pairs, effect=0.0)), believed
    )
    yield case("pairs r=.6, effect 2", "2", "", partial(supported, partial(pairs, effect=2.0)),
               believed)  # fmt: skip
    for sizes, before in (
        (((30, 5), (5, 1)), ".146"),
        (((30, 3), (6, 1)), ".112"),
        (((5, 5), (30, 1)), ".008"),
    ):
        for repeated_by in ("mean", "correlation"):
            (n_first, m_first), (n_second, m_second) = sizes
            name = f"{n_first} × {m_first} against {n_second} × {m_second}, {repeated_by}"
            figure = partial(null_genes, repeated_by=repeated_by, sizes=sizes)
            was = before if repeated_by == "mean" else ".050"
            yield case(name, "2", was, figure, "null genes with p < .05")
    yield case("spread", "5", "2 of 40", partial(supported, partial(spread, kind="spread")),
               believed)  # fmt: skip
    yield case("two modes", "5", "", partial(supported, partial(spread, kind="modes")), believed)
    for kind, before in (("missing", "31 of 40"), ("limit", ""), ("shares", "")):
        draw = partial(not_measured, kind=kind)
        yield case(f"not measured: {kind}", "6", before,
                   partial(well_supported, draw), "well supported")  # fmt: skip
    yield case("orders", "8", "6 and 4 of 10", levels_of_orders, "one level and p")
    for n_classes, size, before in ((6, 12, "7 of 30"), (4, 15, "2 of 30")):
        figure = partial(called_well, n_classes=n_classes, size=size)
        yield case(f"one of {n_classes} classes twice", "10", before, figure, "pair not named")
    for sizes, effect, before in (
        ((20, 20), 0.8, ""),
        ((16, 4), 2.0, ""),
        ((40, 8), 1.2, ""),
        ((10, 10), 1.5, ""),
    ):
        draw = partial(shifted, sizes=sizes, effect=effect)
        name = f"power {sizes[0]} + {sizes[1]}, {effect:g}"
        yield case(name, "11", before, partial(supported, draw), believed)
    null = partial(shifted, sizes=(20, 20), effect=0.0)
    yield case("null 20 + 20", "11", ".01", partial(supported, null), believed)


def well_supported(draw: Callable[[int], DataSet], seed: int) -> float:
    """Return whether a drawn study is well supported."""
    return float(judge(draw(seed)).level == "well supported")


CASES = dict(_cases())


def measured(n_studies: int, names: tuple[str, ...] = tuple(CASES)) -> Iterator[AuditRow]:
    """Yield a row for each case: the mean of its figure over studies, with its standard error."""
    for name in names:
        case = CASES[name]
        start = time.process_time()
        figures = np.array([case.figure(seed) for seed in range(n_studies)])
        error = figures.std(ddof=1) / np.sqrt(n_studies) if n_studies > 1 else np.nan
        yield {
            "section": case.section,
            "case": name,
            "figure": case.measured,
            "before": case.before,
            "after": float(figures.mean()),
            "error": float(error),
            "studies": n_studies,
            "seconds": time.process_time() - start,
        }


def main(words: list[str]) -> None:
    """Measure cases and append them to the file."""
    n_studies = int(words[0]) if words else 10
    names = tuple(words[1:]) or tuple(CASES)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for row in measured(n_studies, names):
        frame = pd.DataFrame([row])
        frame.to_csv(RESULTS, sep="\t", mode="a", header=not RESULTS.exists(), index=False)
        print(frame.to_string(index=False, header=False), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
