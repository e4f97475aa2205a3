"""Comparisons of classes gene by gene: the columns to adjust for, and pairs of samples."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted, either, listed
from xnbflow.core.errors import InputError
from xnbflow.core.terms import column_of_term
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import DataSet
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.class_labels import LabelRule
from xnbflow.sources.sample_columns import column_named, refuse_unknown, require_columns
from xnbflow.sources.sheet import SheetRow


def adjusted_terms(
    dataset: SheetRow, where: str, metadata: pd.DataFrame, samples: np.ndarray
) -> list[str]:
    """Return the terms of the option ``adjust``; refuse columns with missing values."""
    terms = []
    for term in dataset.names("adjust"):
        wanted = column_of_term(term)
        name = column_named(metadata, wanted)
        require_columns(where, metadata, "adjust", [name])
        refuse_unknown(where, metadata[name], samples, "adjust")
        terms.append(name if term == wanted else f"factor({name})")
    return terms


def refuse_inseparable(dataset: SheetRow, phenotype: pd.DataFrame) -> None:
    """Refuse columns of ``adjust`` that the classes or groups of a phenotype file determine.

    The table of values is not needed if the file has labels and groups as well. Samples with a
    missing value are ignored.
    """
    where, group = f"data set {dataset.id}, phenotype", dataset.options.get("group")
    wanted = [dataset.label or "", *map(column_of_term, dataset.names("adjust"))]
    names = [column_named(phenotype, name) for name in [*wanted, *([group] if group else [])]]
    if len(wanted) < 2 or not {*names} <= {*phenotype}:
        return
    known = phenotype[~phenotype[names].map(is_missing).any(axis=1)]
    try:
        labels, keep, _ = LabelRule.parse(dataset).apply(where, known.index, known[names[0]])
    except InputError:
        return  # possibly of samples that are not in the table; `assemble` reads the labels again
    samples, known = known.index[keep].to_numpy(), known[keep].reset_index(drop=True)
    terms = adjusted_terms(dataset, where, known, samples)
    groups = known[names[-1]].to_numpy(dtype=str) if group else None
    empty = np.empty((0, len(samples)))
    series = DataSet(dataset.id, empty, [], samples, labels, None, groups, known, adjust=terms)
    if len(series.classes) > 1:
        comparison_notes(series, where)


def comparison_notes(series: DataSet, where: str) -> list[str]:
    """Return how classes are compared gene by gene; refuse columns that cannot be adjusted for."""
    covariates, notes = series.covariates, []
    for name, cells in covariates.items():
        n = len(set(cells))
        kind = (
            "numbers" if cells.dtype.kind == "f" else f"{n} {either(n, 'category', 'categories')}"
        )
        notes.append(f"{name!r} ({kind})")
    if notes:
        notes = [f"comparisons of single genes are adjusted for {', '.join(notes)}"]
    if series.groups is None and not series.adjust:
        return notes
    codes = np.unique(series.labels, return_inverse=True)[1]
    try:
        designs = class_designs(codes, series.groups, covariates)
    except InputError as error:
        if not series.adjust:
            return notes  # too few samples for a test, which is not an error in the sheet
        raise InputError(f"{where}: {error}", key="adjust") from error
    return notes + _mixture_note(series, designs)


def _mixture_note(series: DataSet, designs: Sequence[ClassDesign]) -> list[str]:
    """Return a note if some groups have samples of several classes and others of one class."""
    blocks = designs[0].blocks
    singles = 0 if series.groups is None else len(set(series.groups)) - blocks
    if not blocks or not singles:
        return []
    done = "left out" if designs[0].left_out else "compared with each other by their means"
    others = series.classes[~designs[0].compared]
    note = (
        f"single genes are compared within {counted(blocks, 'group')} of several classes; "
        f"{counted(singles, 'group')} of one class {either(singles, 'is', 'are')} {done}"
    )
    if len(others):
        note += f"; {listed(others)}, in no group with another class, by the means of all groups"
    return [note]
