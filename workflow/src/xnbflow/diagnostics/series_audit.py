"""Audit of a series before accuracies are interpreted: confounders, levels, labels, scale.

Batches that coincide with classes make classifiers look good (C. Soneson, S. Gerster and M.
Delorenzi, "Batch effect confounding leads to strong bias in performance estimates obtained by
cross-validation", PLoS ONE 9, 2014, e100335). `audit` collects the findings of one series; each
check is a module of this package.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.adjustment import phenotype_of
from xnbflow.diagnostics.association import short
from xnbflow.diagnostics.column_associations import associations
from xnbflow.diagnostics.columns import as_dates, as_numbers, column_values, has_value
from xnbflow.diagnostics.features import is_unlogged, linear_values, logged
from xnbflow.diagnostics.repeated_samples import likely_repeats, similar_samples
from xnbflow.diagnostics.sample_components import (
    MOST_COMPARED_SAMPLES,
    component_associations,
    component_findings,
    principal_components,
)
from xnbflow.diagnostics.sample_levels import global_shifts, library_sizes
from xnbflow.diagnostics.sample_likeness import ENOUGH
from xnbflow.diagnostics.sample_values import sample_values
from xnbflow.diagnostics.sex_check import sexes
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.table_values import repeated_samples
from xnbflow.sources.series.value_numbers import measure_values
from xnbflow.tables.finding_table import finding_table

#: Categories of a column that are drawn.
_COLOURS = 7
#: Columns of the phenotype that figures show, at most.
_PICTURES = 4
#: Correlation from which two samples are copies rather than replicates.
_COPIES = 0.95
#: Least shares of the samples that are exact, and near, copies of others, for many copies; fewer
#: exact copies, and near copies from the third share on, are copies.
_MANY_EXACT_COPIES = 0.1
_MANY_NEAR_COPIES = 0.5
_SOME_NEAR_COPIES = 0.1
#: Share of the samples in likely repeats from which on these are a finding, and share of those with
#: another one of their class from which on the result cannot be judged.
_FEW_REPEATS = 0.1
_MANY_REPEATS = 0.5


def audit(series: DataSet) -> dict[str, pd.DataFrame]:
    """Audit a series for causes of unreliable accuracies of classifiers.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 12))
    >>> phenotype = pd.DataFrame({"site": ["north"] * 6 + ["south"] * 6})
    >>> series = DataSet("toy", values, range(200), range(12), list("aaaaaabbbbbb"),
    ...                  sample_metadata=phenotype)
    >>> audit(series)["findings"][["code", "kind", "subject"]].values.tolist()[0]
    ['column', 'separates classes', 'site']
    """
    # The findings of each check, on logarithms where values are counts.
    logarithms = with_log_counts(series)
    components, component_notices = principal_components(logarithms)
    repeat_findings, repeats = _likely_repeats(logarithms)
    tested_columns, column_findings = associations(series)
    findings = [
        *column_findings,
        *global_shifts(series),
        *library_sizes(series),
        *sexes(logarithms),
        *_find_copies(logarithms),
        *repeat_findings,
        *_scale(logarithms),
        *component_notices,
    ]

    # The columns that the components follow.
    position = components.pop("position").to_numpy()
    describing = _describing(series)
    related = component_associations(components, describing.iloc[position])
    findings += component_findings(series.name, related)

    # The columns that the figure of the components shows: the one that is most associated with the
    # class, then those that are most associated with a component, whatever they are called.
    by_component = related.sort_values("p", kind="stable")["column"].tolist()
    tested = tested_columns["column"].tolist()[:1]
    shown = [name for name in dict.fromkeys([*tested, *by_component]) if name in describing]
    for name in shown[:_PICTURES]:
        components[f"phenotype.{name}"] = _drawn_categories(series, name)[position]

    # The groups of samples that are probably of the same patients.
    group_of = dict(zip(repeats["sample"], repeats["group"], strict=True))
    likeness_of = dict(zip(repeats["sample"], repeats["likeness"], strict=True))
    samples = components["sample"].astype(str).tolist()
    components["group"] = pd.array([group_of.get(name, "") for name in samples], dtype="str")
    components["likeness"] = [likeness_of.get(name, np.nan) for name in samples]

    # Components after the second are tested and not drawn.
    scores = [name for name in components if str(name).startswith("component_")]
    return {
        "findings": finding_table(findings),
        "associations": tested_columns,
        "samples": components.drop(columns=scores[2:]).merge(
            sample_values(series), on="sample", how="left", validate="one_to_one"
        ),
    }


def _scale(series: DataSet) -> list[Finding]:
    """Return the finding on intensities without logarithms, counts, and samples of other scale."""
    linear = linear_values(series)
    if len(linear) < ENOUGH:
        return []
    recognised = recognise_scale(linear, samples=series.samples, features=series.features)
    if recognised.is_logged or not recognised.is_certain:
        return []
    note = recognised.reason
    finding = Finding(
        code="values",
        kind="scale",
        dataset=series.name,
        subject=recognised.kind.value,
        detail="; ".join(filter(None, [note.finding, note.advice])),
        numbers={"estimate": measure_values(linear).quantile_99},
    )
    return [finding]


def _compared_values(series: DataSet) -> np.ndarray:
    """Return the features by which samples are compared, without missing values, as logarithms."""
    linear = linear_values(series)
    if series.missing:
        linear = linear[~np.isnan(linear).any(axis=1)]
    return logged(linear) if is_unlogged(series) else linear


def _find_copies(series: DataSet) -> list[Finding]:
    """Return samples that are equal or nearly equal and not in one group.

    Each pair is a finding. A tenth of the samples that are exact copies, or half that are near
    ones, are many copies; fewer exact copies, or a tenth of near ones, are copies. Likely
    replicates are a notice.
    """
    pairs = []
    equal_pairs: set[tuple[int, int]] = set()
    for positions in repeated_samples(series.values, series.groups):
        equal_pairs.update(itertools.product(positions, positions))
        first, *others = (str(name) for name in series.samples[positions])
        for other in others:
            pair = Finding(
                code="repeats",
                kind="equal samples",
                dataset=series.name,
                subject=first,
                other=other,
                numbers={"estimate": 1.0},
            )
            pairs.append(pair)
    linear = _compared_values(series)
    if len(linear) >= ENOUGH and 3 <= series.n_samples <= MOST_COMPARED_SAMPLES:
        for (i, j), r in zip(*similar_samples(linear), strict=True):
            # replicates of one group may be alike, and equal samples are reported above
            same_group = series.groups is not None and series.groups[i] == series.groups[j]
            if (int(i), int(j)) in equal_pairs or same_group:
                continue
            is_copy = r >= _COPIES
            pair = Finding(
                code="repeats",
                kind="near copies" if is_copy else "replicates",
                dataset=series.name,
                severity="warning" if is_copy else "notice",
                subject=str(series.samples[i]),
                other=str(series.samples[j]),
                numbers={"estimate": float(r)},
            )
            pairs.append(pair)
    return [*_copy_findings(pairs, series.n_samples), *pairs]


def _copy_findings(pairs: Sequence[Finding], n_samples: int) -> list[Finding]:
    """Return the finding that limits results of a data set by its copies, if there is one.

    Examples
    --------
    >>> pair = Finding(code="repeats", kind="equal samples", subject="s1", other="s2")
    >>> [finding.kind for finding in _copy_findings([pair], n_samples=24)]
    ['copies']
    >>> [finding.kind for finding in _copy_findings([pair], n_samples=8)]
    ['many copies']
    """
    counts = {}
    for kind in ("equal samples", "near copies"):
        of_kind = [pair for pair in pairs if pair.kind == kind]
        counts[kind] = len({name for pair in of_kind for name in (pair.subject, pair.other)})
    exact = counts["equal samples"] / n_samples
    near = counts["near copies"] / n_samples
    if exact >= _MANY_EXACT_COPIES or near >= _MANY_NEAR_COPIES:
        kind = "many copies"
    elif exact > 0 or near >= _SOME_NEAR_COPIES:
        kind = "copies"
    else:
        return []
    finding = Finding(
        code="repeats",
        kind=kind,
        dataset=pairs[0].dataset,
        numbers={"count": max(counts.values()), "total": n_samples},
    )
    return [finding]


def _likely_repeats(series: DataSet) -> tuple[list[Finding], pd.DataFrame]:
    """Return the finding on samples that are probably of the same patients, and their groups.

    There is a finding if a tenth of the samples or more are in such groups. The result cannot be
    judged if half of the samples have another one of their class in their group: training then has
    the patient with the label to predict. A patient with one sample of each class has the other
    label in training, which helps no classifier. Groups within one group of the series are named
    already, and are left out.
    """
    empty = pd.DataFrame(columns=["sample", "class", "group", "likeness"])
    linear = _compared_values(series)
    if series.n_samples > MOST_COMPARED_SAMPLES:
        return [], empty
    repeats = likely_repeats(linear, series.labels, _categories(series))
    unnamed = repeats.group >= 0
    if series.groups is not None:
        for number in np.unique(repeats.group[unnamed]):
            members = repeats.group == number
            if len(np.unique(series.groups[members])) == 1:
                unnamed &= ~members
    share = float(unnamed.mean())
    if share < _FEW_REPEATS:
        return [], empty
    groups = pd.DataFrame(
        {
            "sample": series.samples[unnamed].astype(str),
            "class": series.labels[unnamed].astype(str),
            "group": [f"group {number + 1}" for number in repeats.group[unnamed].tolist()],
            "likeness": repeats.likeness[unnamed],
        }
    )
    of_one_class = groups.groupby(["group", "class"])["sample"].transform("size") > 1
    are_many = int(of_one_class.sum()) / series.n_samples >= _MANY_REPEATS
    finding = Finding(
        code="repeats",
        kind="many patients" if are_many else "patients",
        dataset=series.name,
        detail=(
            "correlation after removal of the class means: "
            f"{groups['likeness'].median():.2f} in the median"
        ),
        numbers={
            "estimate": float(groups["likeness"].median()),
            "count": int(unnamed.sum()),
            "total": series.n_samples,
        },
    )
    return [finding], groups


def _categories(series: DataSet) -> list[np.ndarray]:
    """Return the columns of the phenotype that are categories, "" where a value is missing."""
    columns = []
    any_class = pd.Series(np.arange(series.n_samples).astype(str))
    phenotype = phenotype_of(series)
    for name in phenotype:
        all_cells = phenotype[name]
        present = has_value(all_cells).to_numpy(dtype=bool)
        cells = all_cells.reset_index(drop=True)[present].str.strip()
        values = column_values(any_class[present], cells)
        if values is not None and not pd.api.types.is_numeric_dtype(values):
            column = values.reindex(range(series.n_samples), fill_value="")
            columns.append(column.to_numpy(dtype=str))
    return columns


def _describing(series: DataSet) -> pd.DataFrame:
    """Return the columns of the phenotype that describe samples and do not name them.

    A column of texts names them if it has a text of its own for each group, or for most samples:
    patients are in no table and no figure, and a component cannot follow them.
    """
    phenotype = phenotype_of(series)
    names = []
    for column, cells in phenotype.items():
        texts = cells.str.strip()
        if as_numbers(texts[has_value(texts)]) is None:
            n_texts = texts.nunique()
            is_name = n_texts > series.n_samples / 2
            if series.groups is not None:
                pairs = pd.DataFrame({"text": texts, "group": series.groups}).drop_duplicates()
                is_name |= n_texts == len(pairs) == len(np.unique(series.groups))
            if is_name:
                names.append(column)
    return phenotype.drop(columns=names)


def _drawn_categories(series: DataSet, name: str) -> np.ndarray:
    """Return a column of the phenotype in few categories, "" where it is missing.

    Numbers with more than 7 values are divided into quarters, for example "20 to 34"; of more than
    7 categories all but the most frequent become "others".
    """
    all_cells = phenotype_of(series)[name].str.strip()
    cells = all_cells[has_value(all_cells)]
    categories = pd.Series("", index=all_cells.index, dtype=object)
    numbers = as_numbers(cells)
    days = as_dates(cells)
    if days is not None:
        cells = days.dt.strftime("%Y-%m-%d")
    if numbers is not None and numbers.nunique() > _COLOURS:
        quarters = pd.qcut(numbers, 4, duplicates="drop", precision=2).astype(object)
        least = numbers.min()  # `qcut` begins the first quarter below it
        categories[numbers.index] = quarters.map(
            lambda quarter: f"{max(quarter.left, least):g} to {quarter.right:g}"
        )
    else:
        frequent = cells.value_counts().index[:_COLOURS]
        categories[cells.index] = cells.where(cells.isin(frequent), "others").map(short)
    return categories.to_numpy()
