"""The design of a study in the samples of a data set: columns to adjust for, and the reference.

`xnbflow.core.study.Design` names columns and classes as a person wrote them; here they are found in
a data set, or refused.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.study import Design
from xnbflow.core.terms import column_of_term
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.column_parts import with_parts
from xnbflow.sources.formats.cell_texts import is_missing
from xnbflow.sources.series.samples import column_named


def phenotype_of(series: DataSet) -> pd.DataFrame:
    """Return the columns of the samples and their parts, such as ``well (row)``.

    There are none where the data set has no phenotype.
    """
    if series.sample_metadata is None:
        return pd.DataFrame(index=range(series.n_samples))
    return with_parts(series.sample_metadata)


def sample_column(series: DataSet, wanted: str, key: str) -> str:
    """Return the column of the samples that a ``key`` of the design names.

    Small and capital letters are alike if no name is equal. A column that the key ``batch`` of a
    data set has marked, such as ``batch (plate)``, is also named by ``plate``. Any other name is
    an `InputError`.
    """
    phenotype = phenotype_of(series)
    for candidate in (wanted, f"batch ({wanted})"):
        name = column_named(phenotype, candidate)
        if name in phenotype:
            return name
    names = [str(name) for name in phenotype]
    hint = known_names(wanted, names) if names else "the data set has none"
    msg = (
        f"data set {series.name}: {key} of the study's design names {quoted(wanted)}, which is not "
        f"a column of the samples (a column of a table is one where the data set has "
        f"phenotype: {{columns: [{wanted}]}}); {hint}"
    )
    raise InputError(msg, key=key)


def adjusted_columns(series: DataSet, design: Design) -> dict[str, bool]:
    """Return the columns to adjust for by name, and whether each is declared as categories.

    Examples
    --------
    >>> series = DataSet("toy", np.zeros((1, 2)), ["g"], ["s", "t"], ["a", "b"],
    ...                  sample_metadata=pd.DataFrame({"Age": ["40", "51"]}))
    >>> adjusted_columns(series, Design(adjust=("age",)))
    {'Age': False}
    """
    columns = {}
    for term in design.adjust:
        wanted = column_of_term(term)
        columns[sample_column(series, wanted, "adjust")] = wanted != term
    return columns


def check_design(series: DataSet, design: Design) -> None:
    """Refuse a design whose columns or reference are not in a data set.

    The classes of ``contrasts`` are checked by `xnbflow.diagnostics.contrasts.comparisons`.
    """
    adjusted_columns(series, design)
    for column in design.biology:
        sample_column(series, column, "biology")
    check_reference(series, design)


def check_reference(series: DataSet, design: Design) -> None:
    """Refuse a reference that is not a class of a data set."""
    if design.reference and design.reference not in series.labels:
        classes = [str(label) for label in series.classes]
        msg = (
            f"data set {series.name}: reference of the study's design is "
            f"{quoted(design.reference)}, which is not a class; "
            f"{known_names(design.reference, classes)}"
        )
        raise InputError(msg, key="reference")


def covariates(series: DataSet, design: Design) -> dict[str, np.ndarray]:
    """Return the columns to adjust for by name: numbers, or texts, which are categories.

    Samples without a value are left out before, by `with_known_covariates`.
    """
    phenotype = phenotype_of(series)
    columns: dict[str, np.ndarray] = {}
    for name, is_factor in adjusted_columns(series, design).items():
        columns[name] = phenotype[name].to_numpy()
        numbers = pd.to_numeric(phenotype[name], errors="coerce").to_numpy(dtype=float)
        if not is_factor and np.isfinite(numbers).all():
            columns[name] = numbers
    return columns


def missing_covariates(series: DataSet, design: Design) -> dict[str, np.ndarray]:
    """Return which samples lack a value of a column to adjust for, by column that has such."""
    phenotype = phenotype_of(series)
    lacks_value = {}
    for name in adjusted_columns(series, design):
        mask = phenotype[name].map(is_missing).to_numpy(dtype=bool)
        if mask.any():
            lacks_value[name] = mask
    return lacks_value


def with_known_covariates(series: DataSet, design: Design) -> DataSet:
    """Return a series without the samples that lack a value of a column to adjust for.

    Linear models of single features use these samples, as R's `model.matrix` does with
    ``na.action=na.omit``. Classifiers use all samples.

    Raises
    ------
    InputError
        If no sample of a class remains.

    Examples
    --------
    >>> phenotype = pd.DataFrame({"age": ["40", "NA", "51", "60"]})
    >>> series = DataSet("toy", np.zeros((1, 4)), ["g"], list("wxyz"), list("aabb"),
    ...                  sample_metadata=phenotype)
    >>> with_known_covariates(series, Design(adjust=("age",))).samples.tolist()
    ['w', 'y', 'z']
    """
    missing = missing_covariates(series, design)
    unknown = np.any(list(missing.values()), axis=0) if missing else np.zeros(0, dtype=bool)
    if not unknown.any():
        return series
    if absent := sorted({*series.labels} - {*series.labels[~unknown]}):
        columns = listed([repr(name) for name in missing])
        msg = (
            f"no sample of the class {listed(absent)} has a value of {columns}, so that no "
            "comparison can be adjusted; fill it in, or adjust for fewer columns"
        )
        raise InputError(msg, key="adjust")
    return series.take(~unknown)


def design_notes(series: DataSet, design: Design) -> list[str]:
    """Return how classes are compared gene by gene; refuse columns that cannot be adjusted for."""
    place = f"data set {series.name}"
    try:
        compared = with_known_covariates(series, design)
    except InputError as error:
        raise InputError(f"{place}: {error}", key="adjust") from error
    columns = covariates(compared, design)
    notes = []
    if columns:
        kinds = []
        for name, cells in columns.items():
            n_categories = len(set(cells))
            kind = f"{n_categories} {either(n_categories, 'category', 'categories')}"
            kinds.append(f"{name!r} ({'numbers' if cells.dtype.kind == 'f' else kind})")
        notes.append(f"comparisons of single genes are adjusted for {', '.join(kinds)}")
    notes += _left_out_notes(series, design)
    if series.groups is None and not columns:
        return notes
    codes = np.unique(compared.labels, return_inverse=True)[1]
    correlated = design.repeated == "correlation"
    groups = None if correlated else compared.groups
    try:
        designs = class_designs(codes, groups, columns)
    except InputError as error:
        if not columns:
            return notes  # too few samples for a test, which is not an error of the design
        raise InputError(f"{place}: {error}", key="adjust") from error
    return notes if correlated else notes + _mixture_note(compared, designs)


def _left_out_notes(series: DataSet, design: Design) -> list[str]:
    """Return a note that names the samples without a value of a column to adjust for."""
    missing = missing_covariates(series, design)
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
