"""Comparisons of single features beyond each class against the others (a design's ``contrasts``).

A comparison is a set of contrasts of the means of levels: classes, levels of a column, or cells of
class and column. These are fitted by the designs of classes (`xnbflow.data.class_design`), with the
levels in place of the classes, so that patients and columns to adjust for are treated alike. The
slope of a number is a column of its own. Where a comparison names columns, the class is in the
model only if it is named, too.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.natural_order import natural_key
from xnbflow.core.nouns import listed
from xnbflow.core.study import Design
from xnbflow.core.terms import batch_column
from xnbflow.data.class_design import ClassDesign, class_designs, number_design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import (
    check_reference,
    covariates,
    phenotype_of,
    with_known_covariates,
)
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.genes import LOG2, feature_names
from xnbflow.diagnostics.linear_models import (
    ModeratedTests,
    fit_design,
    moderate,
    weights_of_units,
)
from xnbflow.diagnostics.modelled_features import ModelledFeatures, modelled_features
from xnbflow.sources.formats.cell_texts import is_missing
from xnbflow.tables.contract import GENE_TABLES

_PAIR = re.compile(r"(?P<first>.+?) vs (?P<second>.+?)(?: within (?P<column>.+))?")
_FUNCTION = re.compile(r"(?P<function>slope|trend|levels)\((?P<column>[^=]+?)(?:=(?P<order>.+))?\)")
_INTERACTION = re.compile(r"(?P<first>.+?):(?P<second>.+)")
_NUMBER = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?|\d+(?:\.\d+)?")
#: The name of the class among the columns of the phenotype.
_CLASS = "class"
_FORMS = (
    "A vs B, A vs B within column, class:column, levels(column), trend(column), "
    "trend(column=low<high) or slope(column)"
)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Contrasts between levels, or the slope of a number.

    Attributes
    ----------
    name : str
    columns : tuple of str
        The columns of the phenotype that it replaces among those to adjust for.
    samples : ndarray of bool, shape (n_samples,)
        The samples that are compared: those with a value.
    levels : ndarray of str, shape (n_samples,), or None
        The level of each sample; None for a slope.
    weights : ndarray of shape (n_contrasts, n_levels), or None
        The contrasts of the means of the levels, which are in the order of `numpy.unique`.
    numbers : ndarray of shape (n_samples,), or None
        The numbers of a slope.
    parts : tuple of str
        The names of the contrasts where there are several, such as ``6 h vs 0 h`` of the levels of
        a column; empty for one contrast.
    """

    name: str
    columns: tuple[str, ...] = ()
    samples: np.ndarray
    levels: np.ndarray | None = None
    weights: np.ndarray | None = None
    numbers: np.ndarray | None = None
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ComparisonDesign:
    """A design of a comparison, and its contrasts of shape (n_contrasts, n_columns of design)."""

    design: ClassDesign
    contrasts: np.ndarray


def comparisons(series: DataSet, design: Design) -> list[Comparison]:
    """Return the comparisons of a design: against its reference class, and its ``contrasts``.

    With two classes the reference adds none, because the table of genes compares them.

    Raises
    ------
    InputError
        If a text is no comparison, or names an unknown class or column.

    Examples
    --------
    >>> phenotype = pd.DataFrame({"dose": ["0", "1", "5", "0"]})
    >>> series = DataSet("toy", np.zeros((1, 4)), ["g"], list("wxyz"), ["a", "b", "c", "a"],
    ...                  sample_metadata=phenotype)
    >>> design = Design(reference="a", contrasts=("slope(dose)",))
    >>> [comparison.name for comparison in comparisons(series, design)]
    ['b vs a', 'c vs a', 'slope(dose)']
    """
    against_reference = []
    check_reference(series, design)
    if design.reference and len(series.classes) > 2:
        others = [str(label) for label in series.classes if label != design.reference]
        against_reference = [f"{label} vs {design.reference}" for label in others]
    parsed: list[Comparison] = []
    for text in dict.fromkeys([*against_reference, *design.contrasts]):
        # The comparisons of one text of the design.
        parsed_text = []
        if match := _FUNCTION.fullmatch(text):
            parsed_text.append(_of_column(series, text, **match.groupdict()))
        elif match := _PAIR.fullmatch(text):
            parsed_text += _pairs(series, text, **match.groupdict())
        elif match := _INTERACTION.fullmatch(text):
            parsed_text.append(_interaction(series, text, **match.groupdict()))
        else:
            msg = f"{series.name}: {quoted(text)} is not a comparison; write {_FORMS}"
            raise InputError(msg, key="contrasts")

        parsed += parsed_text
    return parsed


def _pairs(
    series: DataSet, text: str, first: str, second: str, column: str | None
) -> Iterator[Comparison]:
    """Yield a pair of classes, at each level of a column if there is one."""
    for label in (first, second):
        if label not in series.classes:
            names = [str(name) for name in series.classes]
            msg = f"{series.name}: {quoted(text)} names {quoted(label)}, which is not a class"
            raise InputError(f"{msg}; {known_names(label, names)}", key="contrasts")
    if column is None:
        weights = _difference(series.classes, first, second)
        everyone = np.ones(series.n_samples, dtype=bool)
        yield Comparison(name=text, samples=everyone, levels=series.labels, weights=weights)
        return
    name, cells, present = _cells(series, text, column)
    combined = _combine(series.labels, cells)
    cell_names = np.unique(combined[present])
    for level in np.unique(cells[present]):
        pair = [f"{label} / {level}" for label in (first, second)]
        if np.isin(pair, cell_names).all():
            yield Comparison(
                name=f"{first} vs {second} within {column}={level}",
                columns=(name,),
                samples=present,
                levels=combined,
                weights=_difference(cell_names, *pair),
            )


def _of_column(
    series: DataSet, text: str, function: str, column: str, order: str | None
) -> Comparison:
    """Return the comparison of the levels of a column, or the slope of a number."""
    name, cells, present = _cells(series, text, column)
    if function == "slope":
        numbers = pd.to_numeric(pd.Series(cells), errors="coerce").to_numpy(dtype=float)
        wrong = present & ~np.isfinite(numbers)
        if wrong.any():
            msg = (
                f"{series.name}: {text} needs numbers, and {quoted(str(cells[wrong][0]))} is "
                f"none; use levels({column}) or trend({column})"
            )
            raise InputError(msg, key="contrasts")
        return Comparison(name=text, columns=(name,), samples=present, numbers=numbers)
    levels = np.unique(cells[present])
    if len(levels) < 2:
        msg = f"{series.name}: {text} needs two levels, and all samples have {listed(levels)}"
        raise InputError(msg, key="contrasts")
    if function == "levels":
        first = min(levels, key=natural_key)  # 0 h before 10 h and 2 h
        others = levels != first
        against_first = [f"{level} vs {first}" for level in levels[others]]
        return Comparison(
            name=text,
            columns=(name,),
            samples=present,
            levels=cells,
            weights=(np.eye(len(levels)) - (levels == first))[others],
            parts=tuple(against_first) if len(against_first) > 1 else (),
        )
    ordered = _ordered(series, text, levels, order)
    steps = np.array([ordered.index(level) for level in levels], dtype=float)
    return Comparison(
        name=f"trend({column}={'<'.join(ordered)})",
        columns=(name,),
        samples=present,
        levels=cells,
        weights=_slope_of_means(steps)[None],
    )


def _interaction(series: DataSet, text: str, first: str, second: str) -> Comparison:
    """Return the interaction of two factors: all differences of differences of their levels."""
    first_name, first_cells, first_present = _cells(series, text, first)
    second_name, second_cells, second_present = _cells(series, text, second)
    present = first_present & second_present
    combined = _combine(first_cells, second_cells)
    cells = list(np.unique(combined[present]))
    first_levels = np.unique(first_cells[present])
    second_levels = np.unique(second_cells[present])
    pairs = [f"{a} / {b}" for a, b in itertools.product(first_levels, second_levels)]
    empty = [pair for pair in pairs if pair not in cells]
    if empty or len(first_levels) < 2 or len(second_levels) < 2:
        reason = f"no sample is {listed(empty)}" if empty else "one of both has a single level"
        msg = f"{series.name}: the interaction {text} cannot be estimated: {reason}"
        raise InputError(f"{msg}; leave it out", key="contrasts")
    weights = []
    parts = []
    base_a = first_levels[0]
    base_b = second_levels[0]
    # (a / b - a / base) - (base / b - base / base), for each level but the first of both factors
    for a, b in itertools.product(first_levels[1:], second_levels[1:]):
        contrast = np.zeros(len(cells))
        contrast[cells.index(f"{a} / {b}")] = 1
        contrast[cells.index(f"{a} / {base_b}")] = -1
        contrast[cells.index(f"{base_a} / {b}")] = -1
        contrast[cells.index(f"{base_a} / {base_b}")] = 1
        weights.append(contrast)
        parts.append(f"{a} vs {base_a}, {b} vs {base_b}")
    return Comparison(
        name=text,
        columns=tuple(name for name in (first_name, second_name) if name != _CLASS),
        samples=present,
        levels=combined,
        weights=np.array(weights),
        parts=tuple(parts) if len(parts) > 1 else (),
    )


def _cells(series: DataSet, text: str, column: str) -> tuple[str, np.ndarray, np.ndarray]:
    """Return the name of a column, its cells, and the mask of samples with a value."""
    if column == _CLASS:
        return _CLASS, series.labels, np.ones(series.n_samples, dtype=bool)
    table = phenotype_of(series)
    name = column if column in table else batch_column(column)
    if name not in table:
        names = [_CLASS, *map(str, table)]
        msg = f"{series.name}: {quoted(text)} names {quoted(column)}, which is not a column"
        raise InputError(f"{msg} of the samples; {known_names(column, names)}", key="contrasts")
    cells = table[name].str.strip()
    return name, cells.to_numpy(dtype=str), ~cells.map(is_missing).to_numpy(dtype=bool)


def _combine(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.array([f"{a} / {b}" for a, b in zip(first, second, strict=True)])


def _difference(levels: np.ndarray, first: str, second: str) -> np.ndarray:
    """Return the contrast of one level less another, (1, n_levels)."""
    return ((levels == first).astype(float) - (levels == second))[None]


def _slope_of_means(steps: np.ndarray) -> np.ndarray:
    """Return the weights of means in the slope of their regression on steps, equal for all means.

    Examples
    --------
    >>> _slope_of_means(np.array([0.0, 1.0, 2.0])).tolist()
    [-0.5, 0.0, 0.5]
    """
    centred = steps - steps.mean()
    return np.asarray(centred / (centred**2).sum())


def _ordered(series: DataSet, text: str, levels: np.ndarray, order: str | None) -> list[str]:
    """Return levels in their order: the one given, else by the first number in each name."""
    names = [str(level) for level in levels]
    if order is not None:
        ordered = [name.strip() for name in order.split("<")]
        if sorted(ordered) != sorted(names):
            msg = f"{series.name}: {text} does not order the levels {listed(names)}, each once"
            raise InputError(msg, key="contrasts")
        return ordered
    matches = map(_NUMBER.search, names)
    numbers = [float(match.group()) for match in matches if match]
    if len(set(numbers)) < len(names):
        column = text.partition("(")[2].rstrip(")")
        msg = (
            f"{series.name}: the levels {listed(names)} have no numbers to order them by; write "
            f"trend({column}={'<'.join(names)}) in their order"
        )
        raise InputError(msg, key="contrasts")
    return [name for _, name in sorted(zip(numbers, names, strict=True))]


def contrast_table(series: DataSet, design: Design) -> pd.DataFrame:
    """Compare features by ``reference`` and ``contrasts`` of a design.

    Returns
    -------
    DataFrame
        The table ``contrasts`` of `GENE_TABLES` of `xnbflow.tables.contract`: a row per
        comparison and feature, by comparison and rank. A comparison of one contrast has a moderated
        t, one of several a moderated F.

    Raises
    ------
    InputError
        As `comparisons`, and if the samples do not suffice, or columns cannot be separated.

    Examples
    --------
    >>> values = [[1.0, 2.0, 5.0, 6.0, 9.0, 10.0], [3.0, 4.0, 3.0, 4.0, 3.5, 4.5]]
    >>> phenotype = pd.DataFrame({"hours": ["0", "0", "6", "6", "12", "12"]})
    >>> series = DataSet("toy", values, ["g1", "g2"], list("uvwxyz"), list("aabbcc"),
    ...                  sample_metadata=phenotype)
    >>> table = contrast_table(series, Design(contrasts=("c vs a", "slope(hours)")))
    >>> first = table[table["rank"] == 1].round(3)
    >>> first[["contrast", "feature", "difference"]].values.tolist()
    [['c vs a', 'g1', 8.0], ['slope(hours)', 'g1', 0.667]]
    """
    columns = GENE_TABLES["contrasts"].fixed
    linear = np.flatnonzero(series.kinds == "linear")
    if not len(linear) or not (design.contrasts or design.reference):
        return pd.DataFrame(columns=columns)
    series = with_known_covariates(series, design)
    modelled = modelled_features(series.values[linear], series, design)
    names = feature_names(series, linear[modelled.rows])
    tables = []
    for comparison in comparisons(series, design):
        try:
            tests = _fit(series, design, modelled, comparison)
        except InputError as error:
            msg = f"{series.name}, contrast {comparison.name}: {error}"
            raise InputError(msg, key="contrasts") from error
        tables.append(_rows(series, comparison, tests, names))
    if not tables:
        return pd.DataFrame(columns=columns)
    return pd.concat(tables, ignore_index=True)[columns]


def comparison_designs(
    series: DataSet, design: Design, comparison: Comparison, *, correlated: bool = False
) -> list[ComparisonDesign]:
    """Return the designs of a comparison in the samples that have its columns.

    There are two where some groups have no level in common: the second one compares levels between
    groups. Contrasts that a design does not determine are those that `fit_contrasts` leaves
    missing. With ``correlated`` the groups are neither blocks nor averaged.
    """
    used = comparison.samples
    columns = {}
    for name, column in covariates(series, design).items():
        if name not in comparison.columns:
            columns[name] = column[used]
    groups = None if series.groups is None or correlated else series.groups[used]
    if comparison.numbers is not None:
        of_number, contrasts = number_design(comparison.numbers[used], groups, columns)
        return [ComparisonDesign(design=of_number, contrasts=contrasts)]
    assert comparison.levels is not None
    assert comparison.weights is not None
    codes = np.unique(comparison.levels[used], return_inverse=True)[1]
    designs = []
    for of_classes in class_designs(codes, groups, columns):
        others = of_classes.matrix.shape[1] - comparison.weights.shape[1]
        contrasts = np.pad(comparison.weights, ((0, 0), (0, others)))
        designs.append(ComparisonDesign(design=of_classes, contrasts=contrasts))
    return designs


def _fit(
    series: DataSet, design: Design, modelled: ModelledFeatures, comparison: Comparison
) -> ModeratedTests:
    """Test the contrasts of a comparison in the samples that have its columns."""
    used = comparison.samples
    correlated_groups = None
    if design.repeated == "correlation" and series.groups is not None:
        correlated_groups = series.groups[used]
    correlated = correlated_groups is not None
    values = modelled.values if used.all() else modelled.values[:, used]
    sizes = None if modelled.sizes is None else modelled.sizes[used]
    groups = None if series.groups is None or correlated else series.groups[used]
    # the second design is fitted only if the first one does not determine a contrast
    for candidate in comparison_designs(series, design, comparison, correlated=correlated):
        unit_weights = None
        if groups is not None and candidate.design.unequal:
            [samples] = comparison_designs(series, design, comparison, correlated=True)
            unit_weights = weights_of_units(
                values,
                candidate.design,
                samples=samples.design.matrix,
                groups=groups,
                sizes=sizes,
            )
        fit = fit_design(
            values,
            candidate.design,
            candidate.contrasts,
            sizes=sizes,
            correlated_groups=correlated_groups,
            unit_weights=unit_weights,
        )
        if not np.isnan(fit.unscaled).all(axis=1).any():
            break
    return moderate(fit, trend=modelled.trend)


def _rows(
    series: DataSet, comparison: Comparison, tests: ModeratedTests, names: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows of one comparison by rank."""
    single = len(tests.log_fold_change) == 1
    unknown = np.full(len(names), np.nan)
    factor = LOG2.get(series.scale, np.nan)
    unit = factor if np.isfinite(factor) else 1.0
    p = tests.p[0] if single else tests.f_p
    table = names.assign(
        contrast=comparison.name,
        samples=int(comparison.samples.sum()),
        difference=tests.log_fold_change[0] if single else unknown,
        log_fold_change=factor * tests.log_fold_change[0] if single else unknown,
        lower=unit * tests.lower[0] if single else unknown,
        upper=unit * tests.upper[0] if single else unknown,
        mean=tests.mean,
        t=tests.t[0] if single else unknown,
        f=unknown if single else tests.f,
        p=p,
        fdr=benjamini_hochberg(p[None])[0],
        df=tests.df,
    )
    evidence = np.abs(tests.t[0]) if single else tests.f
    order = np.argsort(-np.nan_to_num(evidence, nan=-1.0), kind="stable")
    table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=np.arange(1, len(table) + 1))
