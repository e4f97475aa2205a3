"""Comparisons of single features beyond each class against the others (a design's ``contrasts``).

A text such as ``tumour vs normal`` becomes a `Comparison` (`comparisons`): contrasts of the means
of levels, which are classes, levels of a column, or combinations of both. Its designs are made
(`comparison_designs`) as designs of classes (`xnbflow.data.class_design`), with the levels in place
of the classes, so that patients and columns to adjust for are treated alike. Then the linear model
of each feature is fitted and tested (`contrast_table`).

The slope of a number is a column of its own. Where a comparison names columns, the class is in the
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

#: Two classes, also at each level of a column: "tumour vs normal", "tumour vs normal within plate".
_PAIR = re.compile(r"(?P<first>.+?) vs (?P<second>.+?)(?: within (?P<column>.+))?")
#: A column: "slope(age)", "levels(hours)", "trend(stage)", "trend(stage=early<late)".
_FUNCTION = re.compile(r"(?P<function>slope|trend|levels)\((?P<column>[^=]+?)(?:=(?P<order>.+))?\)")
#: Two columns, or the class and a column: "class:treatment".
_INTERACTION = re.compile(r"(?P<first>.+?):(?P<second>.+)")
#: A number within the name of a level: 6 in "6 h", -2.5 in "day -2.5"; in "G-1" the number is 1.
_NUMBER = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?|\d+(?:\.\d+)?")
#: The name of the class among the columns of the phenotype.
_CLASS = "class"
#: The forms of a comparison, for the message on a text that has none of them.
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
        As in the table ``contrasts``, for example "b vs a within plate=p1".
    columns : tuple of str
        The columns of the phenotype that are compared. The design does not adjust for them.
    samples : ndarray of bool, shape (n_samples,)
        The samples that are compared: those with a value.
    levels : ndarray of str, shape (n_samples,), or None
        The level of each sample; None for a slope.
    weights : ndarray of shape (n_contrasts, n_levels), or None
        The contrasts of the means of the levels, which are in the order of `numpy.unique`.
    numbers : ndarray of shape (n_samples,), or None
        The numbers of a slope; None for levels.
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
    check_reference(series, design)
    texts = []
    if design.reference and len(series.classes) > 2:
        others = [str(label) for label in series.classes if label != design.reference]
        texts += [f"{label} vs {design.reference}" for label in others]
    texts += design.contrasts
    parsed: list[Comparison] = []
    for text in dict.fromkeys(texts):
        if match := _FUNCTION.fullmatch(text):
            parsed.append(_compare_column(series, text, **match.groupdict()))
        elif match := _PAIR.fullmatch(text):
            parsed += _compare_classes(series, text, **match.groupdict())
        elif match := _INTERACTION.fullmatch(text):
            parsed.append(_interaction(series, text, **match.groupdict()))
        else:
            msg = f"{series.name}: {quoted(text)} is not a comparison; write {_FORMS}"
            raise InputError(msg, key="contrasts")
    return parsed


def _compare_classes(
    series: DataSet, text: str, first: str, second: str, column: str | None
) -> Iterator[Comparison]:
    """Yield the comparison of two classes, or one at each level of a column."""
    for label in (first, second):
        if label not in series.classes:
            names = [str(name) for name in series.classes]
            msg = f"{series.name}: {quoted(text)} names {quoted(label)}, which is not a class"
            raise InputError(f"{msg}; {known_names(label, names)}", key="contrasts")
    if column is None:
        yield Comparison(
            name=text,
            samples=np.ones(series.n_samples, dtype=bool),
            levels=series.labels,
            weights=_difference(series.classes, first, second),
        )
        return
    factor = _read_factor(series, text, column)
    combined = _combine_levels(series.labels, factor.values)
    combined_levels = np.unique(combined[factor.present])
    is_compared = False
    for level in np.unique(factor.values[factor.present]):
        pair = [f"{label} / {level}" for label in (first, second)]
        if np.isin(pair, combined_levels).all():
            is_compared = True
            yield Comparison(
                name=f"{first} vs {second} within {column}={level}",
                columns=(factor.name,),
                samples=factor.present,
                levels=combined,
                weights=_difference(combined_levels, *pair),
            )
    if not is_compared:
        msg = (
            f"{series.name}: {quoted(text)} compares nothing: no level of {quoted(column)} has "
            "samples of both classes; leave it out"
        )
        raise InputError(msg, key="contrasts")


def _compare_column(
    series: DataSet, text: str, function: str, column: str, order: str | None
) -> Comparison:
    """Return the comparison of the levels of a column, or the slope of a number."""
    factor = _read_factor(series, text, column)
    values = factor.values
    present = factor.present
    if function == "slope":
        numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float)
        no_number = present & ~np.isfinite(numbers)
        if no_number.any():
            msg = (
                f"{series.name}: {text} needs numbers, and {quoted(str(values[no_number][0]))} is "
                f"none; use levels({column}) or trend({column})"
            )
            raise InputError(msg, key="contrasts")
        return Comparison(name=text, columns=(factor.name,), samples=present, numbers=numbers)
    levels = np.unique(values[present])
    if len(levels) < 2:
        msg = f"{series.name}: {text} needs two levels, and all samples have {listed(levels)}"
        raise InputError(msg, key="contrasts")
    if function == "levels":
        first = min(levels, key=natural_key)  # 0 h before 10 h and 2 h
        others = levels != first
        against_first = [f"{level} vs {first}" for level in levels[others]]
        return Comparison(
            name=text,
            columns=(factor.name,),
            samples=present,
            levels=values,
            weights=(np.eye(len(levels)) - (levels == first))[others],
            parts=tuple(against_first) if len(against_first) > 1 else (),
        )
    ordered = _order_levels(series, text, levels, order)
    steps = np.array([ordered.index(level) for level in levels], dtype=float)
    return Comparison(
        name=f"trend({column}={'<'.join(ordered)})",
        columns=(factor.name,),
        samples=present,
        levels=values,
        weights=_slope_of_means(steps)[None],
    )


def _interaction(series: DataSet, text: str, first: str, second: str) -> Comparison:
    """Return the interaction of two factors: all differences of differences of their levels.

    For example, with the classes tumour and normal and the treatments drug and none it is
    (tumour / drug - tumour / none) - (normal / drug - normal / none). Others are compared with the
    first level of each factor in natural order, 2 h before 10 h.
    """
    factors = (_read_factor(series, text, first), _read_factor(series, text, second))
    present = factors[0].present & factors[1].present
    combined = _combine_levels(factors[0].values, factors[1].values)
    combined_levels = list(np.unique(combined[present]))
    first_levels = sorted(np.unique(factors[0].values[present]), key=natural_key)
    second_levels = sorted(np.unique(factors[1].values[present]), key=natural_key)
    pairs = [f"{a} / {b}" for a, b in itertools.product(first_levels, second_levels)]
    empty = [pair for pair in pairs if pair not in combined_levels]
    if empty or len(first_levels) < 2 or len(second_levels) < 2:
        reason = f"no sample is {listed(empty)}" if empty else "one of both has a single level"
        msg = f"{series.name}: the interaction {text} cannot be estimated: {reason}"
        raise InputError(f"{msg}; leave it out", key="contrasts")

    # (a / b - a / base) - (base / b - base / base), for each level but the first of both factors.
    weights = []
    parts = []
    base_a = first_levels[0]
    base_b = second_levels[0]
    for a, b in itertools.product(first_levels[1:], second_levels[1:]):
        contrast = np.zeros(len(combined_levels))
        contrast[combined_levels.index(f"{a} / {b}")] = 1
        contrast[combined_levels.index(f"{a} / {base_b}")] = -1
        contrast[combined_levels.index(f"{base_a} / {b}")] = -1
        contrast[combined_levels.index(f"{base_a} / {base_b}")] = 1
        weights.append(contrast)
        parts.append(f"{a} vs {base_a}, {b} vs {base_b}")
    return Comparison(
        name=text,
        columns=tuple(factor.name for factor in factors if factor.name != _CLASS),
        samples=present,
        levels=combined,
        weights=np.array(weights),
        parts=tuple(parts) if len(parts) > 1 else (),
    )


@dataclass(frozen=True, kw_only=True)
class _Factor:
    """The class, or a column of the phenotype, as a comparison names it.

    ``name`` is that of the column in the table, ``values`` (n_samples,) are its cells as text, and
    ``present`` (n_samples,) masks the samples with a value.
    """

    name: str
    values: np.ndarray
    present: np.ndarray


def _read_factor(series: DataSet, text: str, column: str) -> _Factor:
    """Return the class or a column that the comparison ``text`` names."""
    if column == _CLASS:
        everyone = np.ones(series.n_samples, dtype=bool)
        return _Factor(name=_CLASS, values=series.labels, present=everyone)
    table = phenotype_of(series)
    name = column if column in table else batch_column(column)
    if name not in table:
        names = [_CLASS, *map(str, table)]
        msg = f"{series.name}: {quoted(text)} names {quoted(column)}, which is not a column"
        raise InputError(f"{msg} of the samples; {known_names(column, names)}", key="contrasts")
    cells = table[name].str.strip()
    return _Factor(
        name=name,
        values=cells.to_numpy(dtype=str),
        present=~cells.map(is_missing).to_numpy(dtype=bool),
    )


def _combine_levels(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the combination of two levels of each sample, such as "tumour / plate 1"."""
    return np.array([f"{a} / {b}" for a, b in zip(first, second, strict=True)])


def _difference(levels: np.ndarray, first: str, second: str) -> np.ndarray:
    """Return the contrast of one level less another, (1, n_levels)."""
    return ((levels == first).astype(float) - (levels == second))[None]


def _slope_of_means(steps: np.ndarray) -> np.ndarray:
    """Return the weights of the means in the slope of their regression on steps, (n_levels,).

    All means count equally, whatever their numbers of samples.

    Examples
    --------
    >>> _slope_of_means(np.array([0.0, 1.0, 2.0])).tolist()
    [-0.5, 0.0, 0.5]
    """
    centred = steps - steps.mean()
    return np.asarray(centred / (centred**2).sum())


def _order_levels(series: DataSet, text: str, levels: np.ndarray, order: str | None) -> list[str]:
    """Return levels in the ``order`` of the text ("low<high"), or by the first number in each."""
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
            tests = _test_comparison(series, design, modelled, comparison)
        except InputError as error:
            msg = f"{series.name}, contrast {comparison.name}: {error}"
            raise InputError(msg, key="contrasts") from error
        tables.append(_comparison_rows(series, comparison, tests, names))
    if not tables:
        return pd.DataFrame(columns=columns)
    return pd.concat(tables, ignore_index=True)[columns]


def comparison_designs(
    series: DataSet, design: Design, comparison: Comparison, *, correlated: bool = False
) -> list[ComparisonDesign]:
    """Return the designs of a comparison in the samples that have its columns.

    There are two designs where some levels share no group: the first compares levels that groups
    connect, the second compares means of groups (see `class_designs`). The first does not determine
    a contrast of levels that no group connects; its results are then missing. With ``correlated``
    the groups are neither blocks nor averaged.
    """
    compared = comparison.samples
    covariate_columns = {}
    for name, column in covariates(series, design).items():
        if name not in comparison.columns:
            covariate_columns[name] = column[compared]
    groups = None if series.groups is None or correlated else series.groups[compared]
    if comparison.numbers is not None:
        numbers = comparison.numbers[compared]
        slope_design, contrasts = number_design(numbers, groups, covariate_columns)
        return [ComparisonDesign(design=slope_design, contrasts=contrasts)]
    assert comparison.levels is not None
    assert comparison.weights is not None
    codes = np.unique(comparison.levels[compared], return_inverse=True)[1]
    designs = []
    for level_design in class_designs(codes, groups, covariate_columns):
        # The columns after those of the levels, blocks and covariates, have no part in a contrast.
        n_other_columns = level_design.matrix.shape[1] - comparison.weights.shape[1]
        contrasts = np.pad(comparison.weights, ((0, 0), (0, n_other_columns)))
        designs.append(ComparisonDesign(design=level_design, contrasts=contrasts))
    return designs


def _test_comparison(
    series: DataSet, design: Design, modelled: ModelledFeatures, comparison: Comparison
) -> ModeratedTests:
    """Test the contrasts of a comparison in the samples that have its columns."""
    compared = comparison.samples
    values = modelled.values if compared.all() else modelled.values[:, compared]
    sizes = None if modelled.sizes is None else modelled.sizes[compared]

    # The groups are either correlated samples, or blocks and means.
    all_groups = None if series.groups is None else series.groups[compared]
    is_correlated = design.repeated == "correlation" and all_groups is not None
    correlated_groups = all_groups if is_correlated else None
    averaged_groups = None if is_correlated else all_groups

    # The second design is fitted only if the first does not determine a contrast.
    for candidate in comparison_designs(series, design, comparison, correlated=is_correlated):
        unit_weights = None
        if averaged_groups is not None and candidate.design.unequal:
            # Means of different numbers of samples differ in their variance. How much depends on
            # the correlation of a group's samples, which needs the design of single samples.
            [sample_design] = comparison_designs(series, design, comparison, correlated=True)
            unit_weights = weights_of_units(
                values,
                candidate.design,
                samples=sample_design.design.matrix,
                groups=averaged_groups,
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
        is_undetermined = np.isnan(fit.unscaled).all(axis=1)
        if not is_undetermined.any():
            break
    return moderate(fit, trend=modelled.trend)


def _comparison_rows(
    series: DataSet, comparison: Comparison, tests: ModeratedTests, names: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows of one comparison by rank.

    A comparison of one contrast has its difference, limits and t, one of several its F.
    """
    single = len(tests.log_fold_change) == 1
    unknown = np.full(len(names), np.nan)
    # A log fold change exists only on a logarithmic scale. The limits are those of the log fold
    # change, or of the difference itself on any other scale.
    log2_per_unit = LOG2.get(series.scale, np.nan)
    limit_factor = log2_per_unit if np.isfinite(log2_per_unit) else 1.0
    p = tests.p[0] if single else tests.f_p
    table = names.assign(
        contrast=comparison.name,
        samples=int(comparison.samples.sum()),
        difference=tests.log_fold_change[0] if single else unknown,
        log_fold_change=log2_per_unit * tests.log_fold_change[0] if single else unknown,
        lower=limit_factor * tests.lower[0] if single else unknown,
        upper=limit_factor * tests.upper[0] if single else unknown,
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
