"""Simulated studies of what laboratories have, and whether the verdict on them is right.

Hospitals, age, treatments, repeats, missing values, classes that are one, orders of rows. A *case*
has a figure of one study, such as whether a reader would believe it. `python -m benchmarks.verdicts
cases` has the mean of the figure over studies. In most cases nothing follows the class, so that a
supported result is wrong.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from benchmarks.judged_studies import LabelTestSize, judge
from benchmarks.simulated_studies import columns_of, series_of

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.models.validation import validate

__all__ = ["CASES", "Case"]

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


def numbers(seed: int, name: str) -> DataSet:
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


def null_genes(
    seed: int, _size: LabelTestSize, repeated_by: str, sizes: tuple[tuple[int, int], ...]
) -> float:
    """Return the share of null genes with p below .05 in patients with unequal samples.

    There is no verdict. ``sizes`` are the patients, and samples of each, of both classes; a
    patient's share of the variance is .3.
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


# tables that were made with the labels, order of processing, few units


def corrected(seed: int, agreement: float = 0.9) -> DataSet:
    """Draw two batches, removed with the class in the model; nothing follows the class.

    A batch has a class in this share. The residual variance is that of the model, as in ComBat
    without shrinkage.
    """
    rng = np.random.default_rng([seed, 11])
    codes = np.repeat([0, 1], 20)
    n_same = round(20 * agreement)
    batch = np.where(np.arange(40) % 20 < n_same, codes, 1 - codes)
    values = rng.normal(size=(500, 40)) + rng.normal(size=(500, 2))[:, batch]
    model = np.column_stack([np.eye(2)[batch], codes])
    effects = np.linalg.lstsq(model, values.T)[0][:2]
    values -= (effects - effects.mean(axis=0)).T[:, batch]
    return series_of(values, codes, **columns_of(batch=batch))


def chosen(seed: int, n_chosen: int = 500) -> DataSet:
    """Draw 20,000 genes without a difference, and choose those of the largest t by the labels."""
    rng = np.random.default_rng([seed, 12])
    codes = np.repeat([0, 1], 20)
    values = rng.normal(size=(20_000, 40))
    first, second = values[:, :20], values[:, 20:]
    error = np.sqrt(first.var(axis=1, ddof=1) + second.var(axis=1, ddof=1))
    t = np.abs(first.mean(axis=1) - second.mean(axis=1)) / error
    return series_of(values[np.argsort(-t)[:n_chosen]], codes)


def recorded_in_one_class(seed: int, name: str) -> DataSet:
    """Draw a column that only cases have; 30 genes differ with the classes."""
    rng = np.random.default_rng([seed, 13])
    codes = np.repeat([0, 1], 20)
    values = rng.normal(size=(500, 40))
    values[:30] += 1.5 * codes
    methods = np.where(rng.random(40) < 0.5, "needle", "surgical")
    return series_of(values, codes, **columns_of(**{name: np.where(codes == 1, methods, "")}))


def processed(seed: int, name: str) -> DataSet:
    """Draw 48 samples whose values drift with their order, which goes with the class.

    The order is a column: times of one day, wells of a plate, or positions on chips.
    """
    rng = np.random.default_rng([seed, 14])
    order = np.arange(48)
    codes = (order + rng.normal(0, 8, size=48) > 23.5).astype(int)
    values = rng.normal(size=(500, 48))
    values[:100] += rng.normal(size=(100, 1)) * (order - 23.5) / 14
    cells = {
        "scanned": [f"2024-03-04 {8 + i // 6:02d}:{10 * (i % 6):02d}" for i in order],
        "well": [f"{'ABCDEFGH'[i // 6]}{1 + i % 6:02d}" for i in order],
        "chip": [f"20391482{i // 8:04d}_R{1 + i % 8:02d}C01" for i in order],
    }
    moved = rng.permutation(48)
    column = np.array(cells[name])[moved]
    return series_of(values[:, moved], codes[moved], **columns_of(**{name: column}))


def synonyms(seed: int, name: str, words: tuple[str, str]) -> DataSet:
    """Draw two batches that are the classes, and shift 100 genes; their names are like these."""
    rng = np.random.default_rng([seed, 15])
    codes = np.repeat([0, 1], 20)
    values = rng.normal(size=(500, 40))
    values[:100] += rng.normal(size=(100, 2))[:, codes]
    series = series_of(values, codes, **columns_of(**{name: np.array(words)[codes]}))
    return replace(series, labels=np.array(["Control", "Tumor"])[codes])


def marker(seed: int) -> DataSet:
    """Draw a marker in the serum that the disease raises, and 30 genes that differ."""
    rng = np.random.default_rng([seed, 16])
    codes = np.repeat([0, 1], 20)
    values = rng.normal(size=(500, 40))
    values[:30] += 1.5 * codes
    serum = np.exp(1.0 + 2.0 * codes + rng.normal(0, 0.5, size=40))
    return series_of(values, codes, **columns_of(CRP=serum.round(2)))


def few(seed: int, *, paired: bool) -> DataSet:
    """Draw six samples with 295 of 3,000 genes that differ fourfold, or six donors of both."""
    rng = np.random.default_rng([seed, 17])
    codes = np.tile([0, 1], 6) if paired else np.repeat([0, 1], 3)
    values = rng.normal(0, 0.4, size=(3000, len(codes)))
    values[:295] += 2.0 * codes * rng.choice([-1, 1], size=(295, 1))
    groups = np.array([f"p{i // 2}" for i in range(12)]) if paired else None
    return series_of(values, codes, groups=groups)


def same_patients(
    seed: int, samples: tuple[int, int], share: float = 1.0
) -> tuple[DataSet, DataSet]:
    """Draw two series of 24 patients with this many samples each; no class differs.

    A patient has one class in both, and a correlation of .4. A share of the patients is the same.
    """
    rng = np.random.default_rng([seed, 18])
    codes = rng.permutation(24) % 2
    patients = rng.normal(size=(500, 24))
    series = []
    for number, n_samples in enumerate(samples):
        of_series = patients.copy()
        if number:
            n_new = 24 - round(24 * share)
            of_series[:, 24 - n_new :] = rng.normal(size=(500, n_new))
        patient = np.repeat(np.arange(24), n_samples)
        noise = rng.normal(size=(500, len(patient)))
        values = np.sqrt(0.4) * of_series[:, patient] + np.sqrt(0.6) * noise
        groups = np.array([f"series {number} patient {i}" for i in patient])
        drawn = series_of(values, codes[patient], groups=groups)
        names = np.array([f"series {number} sample {i}" for i in range(len(patient))])
        series.append(replace(drawn, name=f"series{number}", samples=names))
    return series[0], series[1]


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


# classes and values that mislead no rule


def with_wrong_labels(seed: int, share: float = 0.1) -> DataSet:
    """Draw 30 samples of each class, of which 30 genes differ; a share has the other label."""
    rng = np.random.default_rng([seed, 19])
    codes = np.repeat([0, 1], 30)
    values = rng.normal(size=(500, 60))
    values[:30] += 1.5 * codes
    wrong = rng.choice(60, round(60 * share), replace=False)
    labels = codes.copy()
    labels[wrong] = 1 - labels[wrong]
    return series_of(values, labels)


def copied_gene(seed: int, n_copies: int = 500) -> DataSet:
    """Draw 500 genes, and one that is there this many times; no class differs."""
    rng = np.random.default_rng([seed, 20])
    values = rng.normal(size=(500 + n_copies, 40))
    values[500:] = values[500] + 0.05 * rng.normal(size=(n_copies, 40))
    return series_of(values, np.repeat([0, 1], 20))


def heavy_tails(seed: int) -> DataSet:
    """Draw 500 genes of Student's t with two degrees of freedom; no class differs."""
    rng = np.random.default_rng([seed, 21])
    return series_of(rng.standard_t(2, size=(500, 40)), np.repeat([0, 1], 20))


def with_outliers(seed: int) -> DataSet:
    """Draw three samples of one class with five times the spread of others; no class differs."""
    rng = np.random.default_rng([seed, 22])
    values = rng.normal(size=(500, 40))
    values[:, :3] *= 5
    return series_of(values, np.repeat([0, 1], 20))


# cases


@dataclass(frozen=True, kw_only=True)
class Case:
    """A figure of simulated studies: what it is, its right value, and how it is measured.

    ``figure`` returns the number of one study, of a seed; ``right`` describes the value that a rule
    without error has.
    """

    measured: str
    right: str
    figure: Callable[[int, LabelTestSize], float]


def is_supported(seed: int, size: LabelTestSize, draw: Callable[[int], DataSet]) -> float:
    """Return whether a drawn study is well or partly supported."""
    return float(judge(draw(seed), test_size=size).supported)


def has_level(seed: int, size: LabelTestSize, level: str, draw: Callable[[int], DataSet]) -> float:
    """Return whether a drawn study has this level."""
    return float(judge(draw(seed), test_size=size).level == level)


def holds(seed: int, _size: LabelTestSize, draw: Callable[[int], tuple[DataSet, DataSet]]) -> float:
    """Return whether a classifier of the first series holds in the second, at least in part."""
    train, test = draw(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small classes
        verdicts = validate(train, test, {"method": "csnb"})["cohort_tests"]
    return float(verdicts["verdict"][0] in ("held", "held in ranking"))


def has_one_level(
    seed: int, size: LabelTestSize, draws: tuple[Callable[[int], DataSet], ...]
) -> float:
    """Return whether a study has the same level whatever its column is called."""
    return float(len({judge(draw(seed), test_size=size).level for draw in draws}) == 1)


def has_one_level_in_all_orders(seed: int, size: LabelTestSize) -> float:
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
        judged = judge(moved, test_size=size)
        results.add((judged.level, judged.p, judged.codes))
    return float(len(results) == 1)


def pair_is_not_named(seed: int, size: LabelTestSize, n_classes: int, n_samples: int) -> float:
    """Return whether the pair of classes that is one class is not named."""
    judged = judge(one_class_twice(seed, n_classes, n_samples), test_size=size)
    named = judged.findings[judged.findings["kind"] == "pair"]
    return float(not ((named["class"] == "a") & (named["other"] == "b")).any())


def null_study(draw: Callable[[int], DataSet]) -> Case:
    """Return a case in which nothing follows the class, or something else explains it."""
    return Case(measured="supported", right="0", figure=partial(is_supported, draw=draw))


def powerful_study(draw: Callable[[int], DataSet]) -> Case:
    """Return a case in which the classes differ."""
    return Case(measured="supported", right="1", figure=partial(is_supported, draw=draw))


def same_study(draws: tuple[Callable[[int], DataSet], ...]) -> Case:
    """Return a case of one study under several names of its column."""
    return Case(measured="one level", right="1", figure=partial(has_one_level, draws=draws))


def column_cases() -> dict[str, Case]:
    """Return the cases of columns that go with the class."""
    names = ("hospital", "plate", "recruited_at", "region")
    named = tuple(partial(hospitals, name=name) for name in names)
    complete = tuple(partial(hospitals, name=name, share=1.0) for name in names)
    columns_of_numbers = ("run_order", "RIN", "age")
    cases = {
        "hospitals": null_study(named[0]),
        "names of hospitals": same_study(named),
        "separation": null_study(complete[0]),
        "names of separation": same_study(complete),
        "age": null_study(ages),
        "names of numbers": same_study(tuple(partial(numbers, name=n) for n in columns_of_numbers)),
    }
    levels = {
        "treatment": ("untreated", "statin"),
        "exposure": ("no", "yes"),
        "drug": ("none", "statin"),
    }
    for name, words in levels.items():
        cases[name] = null_study(partial(treatments, name=name, words=words))
    return cases


def unjudged_study(draw: Callable[[int], DataSet]) -> Case:
    """Return a case that these samples cannot decide."""
    level = "cannot be judged"
    return Case(measured=level, right="1", figure=partial(has_level, level=level, draw=draw))


def table_cases() -> dict[str, Case]:
    """Return the cases of steps with the labels, of the order of processing, and of few units."""
    cases = {
        "corrected with the class": null_study(corrected),
        "chosen with the labels": null_study(chosen),
        "batch recorded in one class": null_study(
            partial(recorded_in_one_class, name="batch (biopsy)")
        ),
        "biopsy recorded in one class": powerful_study(
            partial(recorded_in_one_class, name="biopsy")
        ),
        "marker in the serum": unjudged_study(marker),
        "six samples, 295 genes": unjudged_study(partial(few, paired=False)),
        "six donors, 295 genes": unjudged_study(partial(few, paired=True)),
    }
    for name in ("scanned", "well", "chip"):
        cases[f"order of processing, {name}"] = null_study(partial(processed, name=name))
    for name, words in {
        "batch": ("Control_batch", "Tumor_batch"),
        "hospital": ("C", "T"),
    }.items():
        cases[f"{name} {words[0]}, {words[1]}"] = null_study(
            partial(synonyms, name=name, words=words)
        )
    for samples, share in (((1, 1), 1.0), ((1, 3), 1.0), ((2, 2), 1.0), ((1, 1), 0.5)):
        name = f"same patients, {samples[0]} and {samples[1]} samples, {share:.0%}"
        figure = partial(holds, draw=partial(same_patients, samples=samples, share=share))
        cases[name] = Case(measured="held", right="0", figure=figure)
    return cases


def repeat_cases() -> dict[str, Case]:
    """Return the cases of several samples of a patient."""
    cases = {
        "replicates, correlation .9": null_study(
            partial(repeated, sizes=(3,) * 12, correlation=0.9)
        ),
        "samples of patients, correlation .6": null_study(
            partial(repeated, sizes=(2, 3, 4, 5) * 6, correlation=0.6)
        ),
        "samples of patients, correlation .3": null_study(
            partial(repeated, sizes=(2, 3, 4, 5) * 6, correlation=0.3)
        ),
        "samples of patients, correlation .2": null_study(
            partial(repeated, sizes=(2, 3, 4, 5) * 6, correlation=0.2)
        ),
        "pairs, correlation .6, null": null_study(partial(pairs, effect=0.0)),
        "pairs, correlation .6, effect 2": powerful_study(partial(pairs, effect=2.0)),
    }
    for sizes in (((30, 5), (5, 1)), ((30, 3), (6, 1)), ((5, 5), (30, 1))):
        (n_first, m_first), (n_second, m_second) = sizes
        for repeated_by in ("mean", "correlation"):
            name = f"{n_first} x {m_first} against {n_second} x {m_second}, {repeated_by}"
            figure = partial(null_genes, repeated_by=repeated_by, sizes=sizes)
            cases[name] = Case(measured="null genes with p < .05", right=".05", figure=figure)
    return cases


def value_cases() -> dict[str, Case]:
    """Return the cases of spread, shape, missing values, classes that are one, and orders."""
    cases = {
        "spread": powerful_study(partial(spread, kind="spread")),
        # the label test finds two modes, the classifier does not
        "two modes": Case(
            measured="supported",
            right="any",
            figure=partial(is_supported, draw=partial(spread, kind="modes")),
        ),
    }
    for kind in ("missing", "limit", "shares"):
        cases[f"not measured: {kind}"] = null_study(partial(not_measured, kind=kind))
    cases |= {
        "16 and 4 samples": null_study(partial(shifted, sizes=(16, 4), effect=0.0)),
        "95 and 5 samples": null_study(partial(shifted, sizes=(95, 5), effect=0.0)),
        "a tenth of the labels is wrong": powerful_study(with_wrong_labels),
        "500 copies of a gene": null_study(copied_gene),
        "heavy tails": null_study(heavy_tails),
        "three outliers": null_study(with_outliers),
    }
    cases["orders"] = Case(
        measured="one level and p", right="1", figure=has_one_level_in_all_orders
    )
    for n_classes, n_samples in ((6, 12), (4, 15)):
        figure = partial(pair_is_not_named, n_classes=n_classes, n_samples=n_samples)
        case = Case(measured="pair not named", right="0", figure=figure)
        cases[f"one of {n_classes} classes twice"] = case
    return cases


CASES = column_cases() | table_cases() | repeat_cases() | value_cases()
