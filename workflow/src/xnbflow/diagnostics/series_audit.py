"""Audit of a series before accuracies are interpreted: confounders, levels, labels, scale.

Batches that coincide with classes make classifiers look good (Soneson and others, PLoS ONE 9, 2014,
e100335); in 46% of the series of one survey, samples had the wrong sex (Toker and others,
F1000Research 5, 2016, 2103).
"""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.data.dataset import DataSet, row_slices
from xnbflow.data.read_counts import with_log_counts
from xnbflow.data.series_file import iterate_features, read_header
from xnbflow.diagnostics.confounders import Row, as_numbers, confounders, short
from xnbflow.diagnostics.confounders import audit_row as _row
from xnbflow.diagnostics.likeness import ENOUGH, shared_samples, similar_samples
from xnbflow.diagnostics.sample_levels import global_shifts, library_sizes
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.intensities import intensity_quantiles, is_not_logged, scale_of
from xnbflow.sources.plausibility import is_technical, repeated_samples
from xnbflow.tables.contract import AUDIT_TABLES, STUDY_TABLES
from xnbflow.tables.storage import table_of

#: Most samples that are compared pair by pair, and drawn; more are thinned evenly.
_MOST_SAMPLES = 1000
#: Robust standard deviations from its class beyond which a sample is an outlier.
_OUTLYING = 6.0
_COMPONENTS, _LOOKED_AT = 5, 3
#: Categories that are drawn.
_COLOURS = 7
#: Columns of the phenotype that figures show, at most.
_PICTURES = 4
#: Correlation from which two samples are copies rather than replicates.
_COPIES = 0.95
_SEX = re.compile(r"(^|[\s_.:\-])(sex|gender)$", re.IGNORECASE)
_AGE = re.compile(r"(^|[\s_.:\-])age($|[\s_.:(\-])", re.IGNORECASE)
_FEMALE_GENE, _MALE_GENES = "XIST", ("RPS4Y1", "KDM5D", "DDX3Y")
#: Features per series by which series are compared with each other.
_FINGERPRINT = 2000


def audit(series: DataSet) -> dict[str, pd.DataFrame]:
    """Audit a series for causes of unreliable accuracies of classifiers.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 12))
    >>> phenotype = pd.DataFrame({"site": ["north"] * 6 + ["south"] * 6})
    >>> series = DataSet("toy", values, range(200), range(12), list("aaaaaabbbbbb"),
    ...                  sample_metadata=phenotype)
    >>> audit(series)["audit"][["check", "subject", "severity"]].values.tolist()[0]
    ['confounder', 'site', 'severe']
    """
    logarithms = with_log_counts(series)
    components, overview = principal_components(logarithms)
    rows = [
        *confounders(series),
        *global_shifts(series),
        *library_sizes(series),
        *sexes(logarithms),
        *_repeated(logarithms),
        *_scale(logarithms),
        *overview,
    ]
    table = table_of(rows, AUDIT_TABLES["audit"])
    numbers = dict.fromkeys(("value", "p", "p_holm", "genes", "genes_adjusted"), float)
    position = components.pop("position")
    tested = [row["subject"] for row in rows if row["check"] == "confounder"]
    shown = [*tested[:1], *filter(_is_shown, tested[1:])]
    for name in shown[:_PICTURES]:
        components[f"phenotype.{name}"] = _coloured(series, name)[position]
    return {"audit": table.astype(numbers), "components": components}


def _is_shown(name: str) -> bool:
    """Return whether figures show a column of the phenotype: sex, age, or a batch."""
    return bool(_SEX.search(name) or _AGE.search(name) or is_technical(name))


def _phenotype(series: DataSet) -> pd.DataFrame:
    """Return the phenotype of the samples; it may have no columns."""
    known = series.sample_metadata
    return pd.DataFrame(index=range(series.n_samples)) if known is None else known


def _coloured(series: DataSet, name: str) -> np.ndarray:
    """Return a column of the phenotype in few categories, "" where it is missing."""
    cells = _phenotype(series)[name].str.strip()
    known = ~cells.map(is_missing)
    shown, numbers = pd.Series("", index=cells.index, dtype=object), as_numbers(cells[known])
    if numbers is not None and numbers.nunique() > _COLOURS:
        quarters = pd.qcut(numbers, 4, duplicates="drop", precision=2).astype(object)
        least = numbers.min()  # the first quarter begins below it
        shown[numbers.index] = quarters.map(lambda q: f"{max(q.left, least):g} to {q.right:g}")
    else:
        often = cells[known].value_counts().index[:_COLOURS]
        shown[known] = cells[known].where(cells[known].isin(often), "others").map(short)
    return shown.to_numpy()


def sexes(series: DataSet) -> list[Row]:
    """Compare the sex that a column gives with the genes of the X and Y chromosomes.

    A sample's score is the mean of RPS4Y1, KDM5D and DDX3Y less XIST, each standardised; it is male
    above the midpoint between the medians of both recorded sexes. There is no finding where one sex
    or the symbols are missing, or where the scores of the recorded sexes overlap so much that the
    genes do not separate them.
    """
    columns = _phenotype(series)
    names = [name for name in columns if _SEX.search(str(name))]
    score = _male_score(series) if names else None
    if score is None:
        return []
    return [row for name in names for row in _sex_rows(series, columns[name], score)]


def _sex_rows(series: DataSet, cells: pd.Series, score: np.ndarray) -> list[Row]:
    first = cells.str.strip().str.lower().str[:1].to_numpy(dtype=str)
    male, female = first == "m", first == "f"
    if min(male.sum(), female.sum()) < 2:
        return []
    name = str(cells.name)
    middles = np.median(score[male]), np.median(score[female])
    rest = np.concatenate([score[male] - middles[0], score[female] - middles[1]])
    if middles[0] - middles[1] < 4 * 1.4826 * np.median(np.abs(rest)):
        text = f"the genes of the sex chromosomes do not follow “{name}”; check its values"
        return [_row("sex", name, "warning", text)]
    wrong = ((score > np.mean(middles)) != male) & (male | female)
    if not wrong.any():
        n = counted(int((male | female).sum()), "sample")
        return [_row("sex", name, "none", f"“{name}” agrees with the sex chromosomes in {n}", 0.0)]
    text = (
        f"but {_FEMALE_GENE} and the genes of the Y chromosome are as in the other sex: the sample "
        "may be exchanged with another"
    )
    return [
        _row("sex", str(series.samples[i]), "warning", f"“{name}” is {cells.iloc[i]}, {text}", s)
        for i, s in zip(np.flatnonzero(wrong), score[wrong].tolist(), strict=True)
    ]


def _male_score(series: DataSet) -> np.ndarray | None:
    """Return the score of `sexes` of each sample; None where the genes are not known."""
    symbols, genes = series.features, series.feature_metadata
    if genes is not None and "symbol" in genes:
        symbols = genes["symbol"].to_numpy(dtype=str)
    found = {}
    for gene in (_FEMALE_GENE, *_MALE_GENES):
        rows = series.values[np.char.upper(symbols.astype(str)) == gene]
        rows = rows[~np.isnan(rows).any(axis=1)]
        if len(rows) and (best := rows[np.argmax(rows.mean(axis=1))]).std() > 0:
            best = np.log2(np.maximum(best, 1.0)) if best.max() > 50 else best
            found[gene] = (best - best.mean()) / (best.std() or 1.0)
    if _FEMALE_GENE not in found or len(found) < 2:
        return None
    score = np.mean([found[gene] for gene in _MALE_GENES if gene in found], axis=0)
    return np.asarray(score - found[_FEMALE_GENE])


def _linear(series: DataSet) -> np.ndarray:
    """Return the values of the linear features, without a copy if all are linear."""
    linear = series.kinds == "linear"
    return series.values if linear.all() else series.values[linear]


def _repeated(series: DataSet) -> list[Row]:
    """Return samples that are equal or nearly equal and not in one group."""
    rows, seen = [], set()
    for positions in repeated_samples(series.values, series.groups):
        names = map(str, series.samples[positions])
        seen |= {(i, j) for i in positions for j in positions}
        text = "all values are the same: leave out all but one, or name a common column by group="
        rows.append(_row("repeated sample", " = ".join(names), "severe", text, 1.0))
    linear = _linear(series)
    if series.missing:
        linear = linear[~np.isnan(linear).any(axis=1)]
    if len(linear) < ENOUGH or not 3 <= series.n_samples <= _MOST_SAMPLES:
        return rows
    for (i, j), r in zip(*similar_samples(linear), strict=True):
        together = series.groups is not None and series.groups[i] == series.groups[j]
        if (int(i), int(j)) in seen or together:
            continue
        severity = "warning" if r >= _COPIES else "notice"
        text = (
            "far more alike than either is to any other sample (correlation after centring each "
            "feature): replicates or copies of one sample should share a group"
        )
        pair = f"{series.samples[i]} ~ {series.samples[j]}"
        rows.append(_row("repeated sample", pair, severity, text, float(r)))
    return rows


def _scale(series: DataSet) -> list[Row]:
    """Return findings on intensities without logarithms, counts, and samples of other scale."""
    linear = _linear(series)
    if len(linear) < ENOUGH:
        return []
    kind, seen = scale_of(linear, series.samples)
    severity = "none" if kind == "logarithms" else "warning"
    return [_row("scale", kind, severity, seen, float(intensity_quantiles(linear)[4]))]


def principal_components(series: DataSet) -> tuple[pd.DataFrame, list[Row]]:
    """Return the first components of the standardised features, their shares, and outliers.

    By the eigenvectors of the samples' Gram matrix, which are those of a singular value
    decomposition. Features that are constant or lack values are left out. An outlier is a sample
    that is more than 6 robust standard deviations (1.4826 times the median absolute deviation) from
    the median of its class on one of the first three components. Of values that look like
    intensities the logarithms are taken, those below 1 as 1.

    The components are as in the contract, but for ``position``, the samples' place in the series,
    instead of the phenotype; of more than 1,000 samples they are of some.
    """
    n = series.n_samples
    taken = np.unique(np.linspace(0, n - 1, min(n, _MOST_SAMPLES)).astype(int))
    gram = np.zeros((len(taken), len(taken)))
    linear = _linear(series)
    logged = not is_not_logged(intensity_quantiles(linear))
    for part in row_slices((len(linear), len(taken))):
        values = linear[part][:, taken]
        values = values if logged else np.log2(np.maximum(values, 1.0))
        spread = values.std(axis=1)
        usable = np.isfinite(spread) & (spread > 1e-12 * np.abs(values).max(axis=1, initial=0))
        values = values[usable]
        values -= values.mean(axis=1, keepdims=True)
        values /= spread[usable][:, None]
        gram += values.T @ values
    squares, vectors = np.linalg.eigh(gram)
    total = max(float(np.trace(gram)), 1e-300)
    k = min(_COMPONENTS, max(2, len(taken) - 1), len(taken))
    squares, vectors = squares[::-1][:k].clip(min=0), vectors[:, ::-1][:, :k]
    scores = vectors * np.sign(vectors[np.argmax(np.abs(vectors), axis=0), range(k)])
    scores = scores * np.sqrt(squares)
    labels = series.labels[taken]
    outlying = _outlying(scores[:, :_LOOKED_AT], labels)
    second = scores[:, 1] if k > 1 else np.zeros(len(taken))
    table = pd.DataFrame(
        {
            "sample": series.samples[taken],
            "class": labels,
            "component_1": scores[:, 0],
            "component_2": second,
            "outlying": outlying > _OUTLYING,
            "position": taken,
        }
    )
    rows = [
        _row("overview", f"component {i + 1}", "none", "share of the variance", float(s / total))
        for i, s in enumerate(squares)
    ]
    rows += [
        _row("outlier", str(table["sample"][i]), "notice",
             "far from its class in the first principal components (robust standard deviations)",
             float(outlying[i]))
        for i in np.flatnonzero(outlying > _OUTLYING)
    ]  # fmt: skip
    return table, rows


def _outlying(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the largest distance of each sample from its class, in robust standard deviations."""
    rest = scores.copy()
    for label in np.unique(labels):
        own = labels == label
        rest[own] -= np.median(scores[own], axis=0)
    spread = 1.4826 * np.median(np.abs(rest), axis=0)
    far = np.divide(np.abs(rest), spread, out=np.zeros_like(rest), where=spread > 0)
    return np.asarray(far.max(axis=1)) if len(labels) >= 10 else np.zeros(len(labels))


def shared_by_series(paths: Mapping[str, str | Path]) -> pd.DataFrame:
    """Return the samples that two series of a study share, as rows of ``audit`` with ``dataset``.

    Series are compared by the 2,000 of their features with the smallest hashes of names: series of
    the same platform keep the same ones. Only pairs with at least 100 in common are compared.
    """
    prints = {name: _fingerprint(path) for name, path in paths.items()} if len(paths) > 1 else {}
    names, rows = list(prints), []
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            common = prints[one].index.intersection(prints[other].index)
            if len(common) < ENOUGH:
                continue
            first, second = (prints[name].loc[common] for name in (one, other))
            samples = first.columns.to_numpy(dtype=str), second.columns.to_numpy(dtype=str)
            found = shared_samples(first.to_numpy(), second.to_numpy(), samples)
            for row in found.itertuples(index=False):
                pair = f"{row.first} = {other}: {row.second}"
                text = f"the same sample in two series, by {row.by}: these are not independent"
                found_row = _row("shared sample", pair, "warning", text, float(row.correlation))
                rows.append({"dataset": one, **found_row})
    return table_of(rows, STUDY_TABLES["audit"])


def _fingerprint(path: str | Path) -> pd.DataFrame:
    """Return a series' features with the smallest hashes, samples in columns; empty if too many."""
    header = read_header(path)
    empty = pd.DataFrame(columns=header.samples)
    if len(header.samples) > _MOST_SAMPLES or header.n_features < ENOUGH:
        return empty
    names, hashes, rows = np.empty(0, object), np.empty(0, np.uint64), empty.to_numpy(float)
    for features, values in iterate_features(path):
        complete = np.isfinite(values).all(axis=1)
        names = np.append(names, features[complete])
        hashes = np.append(hashes, pd.util.hash_array(features[complete].astype(object)))
        smallest = np.argsort(hashes, kind="stable")[:_FINGERPRINT]
        rows = np.concatenate([rows, values[complete]])[smallest]
        names, hashes = names[smallest], hashes[smallest]
    return pd.DataFrame(rows, index=names, columns=header.samples)
