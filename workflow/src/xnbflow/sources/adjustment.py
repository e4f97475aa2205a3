"""Comparisons of classes gene by gene: the columns to adjust for, and pairs of samples."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.terms import column_of_term
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import DataSet
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.class_labels import LabelRule
from xnbflow.sources.sample_columns import (
    column_named,
    missing_covariates,
    refuse_unknown,
    require_columns,
    with_known_covariates,
)
from xnbflow.sources.sheet import SheetRow


def adjusted_terms(
    dataset: SheetRow, where: str, metadata: pd.DataFrame, samples: np.ndarray
) -> list[str]:
    """Return the terms of the option ``adjust``; refuse columns without any value."""
    terms = []
    for term in dataset.names("adjust"):
        wanted = column_of_term(term)
        name = column_named(metadata, wanted)
        require_columns(where, metadata, "adjust", [name])
        if metadata[name].map(is_missing).all():
            refuse_unknown(where, metadata[name], samples, "adjust")
        terms.append(name if term == wanted else f"factor({name})")
    return terms


def refuse_inseparable(dataset: SheetRow, phenotype: pd.DataFrame) -> None:
    """Refuse columns of ``adjust`` that the classes or groups of a phenotype file determine.

    The table of values is not needed if the file has labels and groups as well. Samples with a
    missing value are ignored.
    """
    where = f"data set {dataset.id}, phenotype"
    adjust_columns = list(map(column_of_term, dataset.names("adjust")))
    if not adjust_columns:
        return
    label = column_named(phenotype, dataset.label or "")
    names = [label, *(column_named(phenotype, name) for name in adjust_columns)]
    group = dataset.options.get("group")
    if group:
        group = column_named(phenotype, group)
        names.append(group)
    if not set(names) <= set(phenotype):
        return
    complete = phenotype[~phenotype[names].map(is_missing).any(axis=1)]
    try:
        labels, keep, _ = LabelRule.parse(dataset).apply(where, complete.index, complete[label])
    except InputError:
        return  # possibly of samples that are not in the table; `assemble` reads the labels again
    samples = complete.index[keep].to_numpy()
    labelled = complete[keep].reset_index(drop=True)
    series = DataSet(
        name=dataset.id,
        values=np.empty((0, len(samples))),
        features=[],
        samples=samples,
        labels=labels,
        groups=labelled[group].to_numpy(dtype=str) if group else None,
        sample_metadata=labelled,
        adjust=adjusted_terms(dataset, where, labelled, samples),
    )
    if len(series.classes) > 1:
        comparison_notes(series, where)


def comparison_notes(series: DataSet, where: str) -> list[str]:
    """Return how classes are compared gene by gene; refuse columns that cannot be adjusted for."""
    try:
        compared = with_known_covariates(series)
    except InputError as error:
        raise InputError(f"{where}: {error}", key="adjust", sheet=True) from error
    covariates = compared.covariates
    notes = []
    if covariates:
        kinds = [f"{name!r} ({_kind(cells)})" for name, cells in covariates.items()]
        notes.append(f"comparisons of single genes are adjusted for {', '.join(kinds)}")
    notes += _left_out_notes(series)
    if series.groups is None and not series.adjust:
        return notes
    codes = np.unique(compared.labels, return_inverse=True)[1]
    try:
        designs = class_designs(codes, compared.groups, covariates)
    except InputError as error:
        if not series.adjust:
            return notes  # too few samples for a test, which is not an error in the sheet
        raise InputError(f"{where}: {error}", key="adjust", sheet=True) from error
    return notes + _mixture_note(compared, designs)


def _kind(cells: np.ndarray) -> str:
    """Return ``numbers``, or the number of categories of a column to adjust for."""
    if cells.dtype.kind == "f":
        return "numbers"
    n_categories = len(set(cells))
    return f"{n_categories} {either(n_categories, 'category', 'categories')}"


def _left_out_notes(series: DataSet) -> list[str]:
    """Return a note that names the samples without a value of a column to adjust for."""
    missing = missing_covariates(series)
    if not missing:
        return []
    unknown = series.samples[np.any(list(missing.values()), axis=0)]
    columns = " or ".join(repr(name) for name in missing)
    note = (
        f"{counted(len(unknown), 'sample', 'has', 'have')} no value of {columns} and "
        f"{either(len(unknown), 'is', 'are')} left out of comparisons of single genes: "
        f"{listed(unknown)}; classifiers use all samples"
    )
    return [note]


def _mixture_note(series: DataSet, designs: Sequence[ClassDesign]) -> list[str]:
    """Return a note if some groups have samples of several classes and others of one class."""
    blocks = designs[0].blocks
    singles = 0 if series.groups is None else len(set(series.groups)) - blocks
    if not blocks or not singles:
        return []
    treatment = "left out" if designs[0].left_out else "compared with each other by their means"
    others = series.classes[~designs[0].compared]
    note = (
        f"single genes are compared within {counted(blocks, 'group')} of several classes; "
        f"{counted(singles, 'group')} of one class {either(singles, 'is', 'are')} {treatment}"
    )
    if len(others):
        note += f"; {listed(others)}, in no group with another class, by the means of all groups"
    return [note]
