"""Comparisons of two classes, feature by feature: the ``reference`` and ``contrasts`` of a design.

A study writes a comparison as a text, ``tumour vs normal``. `comparisons` finds its classes among
those of the data set; everything behind it has a `Comparison`. The linear model is that of the
table of genes (`xnbflow.data.class_design`), with all classes, so that patients and columns to
adjust for are treated alike (`contrast_table`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, known_names, quoted
from xnbflow.core.study import Design
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import check_reference, covariates, with_known_covariates
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.genes import LOG2, feature_names
from xnbflow.diagnostics.least_squares import ContrastFit
from xnbflow.diagnostics.linear_models import (
    ModeratedTests,
    fit_design,
    moderate,
    weights_of_units,
)
from xnbflow.diagnostics.modelled_features import ModelledFeatures, modelled_features
from xnbflow.tables.contract import GROUPS

#: The word between the two classes of a comparison.
_VERSUS = " vs "
#: The word that earlier versions had before a column whose levels were compared by themselves.
_WITHIN = " within "


@dataclass(frozen=True)
class Comparison:
    """The mean of the class ``first`` less that of the class ``second``.

    Examples
    --------
    >>> comparison = Comparison("tumour", "normal")
    >>> comparison.name
    'tumour vs normal'
    >>> comparison.contrast(np.array(["benign", "normal", "tumour"]), 4).tolist()
    [[0.0, -1.0, 1.0, 0.0]]
    """

    first: str
    second: str

    @property
    def name(self) -> str:
        """The comparison as a study writes it."""
        return f"{self.first}{_VERSUS}{self.second}"

    def contrast(self, classes: np.ndarray, n_columns: int) -> np.ndarray:
        """Return the weights of the columns of a design, (1, n_columns).

        The first columns of the design are those of the ``classes``; the columns after them, of
        blocks and covariates, have no part in a comparison.
        """
        weights = np.zeros((1, n_columns))
        weights[0, : len(classes)] = (classes == self.first).astype(float)
        weights[0, : len(classes)] -= classes == self.second
        return weights


def comparisons(series: DataSet, design: Design) -> list[Comparison]:
    """Return the comparisons of a design: against its reference class, and its ``contrasts``.

    With two classes the reference adds none, because the table of genes compares them.

    Raises
    ------
    InputError
        If a text does not name two classes of the data set, or can be read in two ways.

    Examples
    --------
    >>> series = DataSet("toy", np.zeros((1, 3)), ["g"], list("xyz"), ["early", "healthy", "late"])
    >>> design = Design(reference="healthy", contrasts=("late vs early",))
    >>> [comparison.name for comparison in comparisons(series, design)]
    ['early vs healthy', 'late vs healthy', 'late vs early']
    """
    check_reference(series, design)
    pairs = []
    if design.reference and len(series.classes) > 2:
        others = [str(label) for label in series.classes if label != design.reference]
        pairs += [Comparison(label, design.reference) for label in others]
    pairs += [_find_classes(series, text) for text in design.contrasts]
    return list(dict.fromkeys(pairs))


def _find_classes(series: DataSet, text: str) -> Comparison:
    """Return the two classes that a text such as ``tumour vs normal`` names.

    A label may itself contain `` vs ``, so the text is divided at each of them, and the division
    counts whose two parts are classes.
    """
    names = [str(label) for label in series.classes]
    words = text.split(_VERSUS)
    divisions = [
        Comparison(_VERSUS.join(words[:end]), _VERSUS.join(words[end:]))
        for end in range(1, len(words))
    ]
    named = [pair for pair in divisions if pair.first in names and pair.second in names]
    if len(named) == 1 and named[0].first != named[0].second:
        return named[0]
    reason = _why_no_comparison(text, names, divisions, named)
    msg = f"{series.name}: {quoted(text)} {reason}"
    raise InputError(msg, key="contrasts")


def _why_no_comparison(
    text: str, names: Sequence[str], divisions: Sequence[Comparison], named: Sequence[Comparison]
) -> str:
    """Return why a text is no comparison, and what to do.

    ``divisions`` are the readings of the text, ``named`` those of which both parts are classes.
    """
    if not divisions:
        return "is not a comparison; write A vs B, with two classes of the data set"
    if len(named) > 1:
        readings = [f"{quoted(pair.first)} less {quoted(pair.second)}" for pair in named]
        return (
            f"can be read in {len(named)} ways: {', or '.join(readings)}; rename one of these "
            "classes in the table"
        )
    if named:
        return "compares a class with itself; name two classes"
    # A division of which one part is a class shows best which part is wrong.
    pair = next((one for one in divisions if {one.first, one.second} & {*names}), divisions[0])
    unknown = pair.second if pair.first in names else pair.first
    reason = f"names {quoted(unknown)}, which is not a class; {known_names(unknown, names)}"
    if _WITHIN in text:
        reason += "; pairs within the levels of a column were removed: adjust for the column"
    return reason


def contrast_table(series: DataSet, design: Design) -> pd.DataFrame:
    """Compare features by ``reference`` and ``contrasts`` of a design.

    Returns
    -------
    DataFrame
        The table ``contrasts`` of the group ``genes`` of `xnbflow.tables.contract`: a row per
        comparison and feature, by comparison and rank.

    Raises
    ------
    InputError
        As `comparisons`, and if the samples do not suffice, or columns cannot be separated.

    Examples
    --------
    >>> values = [[1.0, 2.0, 5.0, 6.0, 9.0, 10.0], [3.0, 4.0, 3.0, 4.0, 3.5, 4.5]]
    >>> series = DataSet("toy", values, ["g1", "g2"], list("uvwxyz"), list("aabbcc"))
    >>> table = contrast_table(series, Design(contrasts=("c vs a", "b vs a")))
    >>> first = table[table["rank"] == 1].round(3)
    >>> first[["contrast", "feature", "difference"]].values.tolist()
    [['c vs a', 'g1', 8.0], ['b vs a', 'g1', 4.0]]
    """
    columns = GROUPS["genes"].tables["contrasts"].fixed
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
    series: DataSet, design: Design, *, correlated: bool = False
) -> list[ClassDesign]:
    """Return the designs of the comparisons of two classes.

    There are two designs where some classes share no group: the first compares classes that groups
    connect, the second compares means of groups (see `class_designs`). The first does not determine
    a contrast of classes that no group connects; its results are then missing. With ``correlated``
    the groups are neither blocks nor averaged.
    """
    codes = np.unique(series.labels, return_inverse=True)[1]
    groups = None if correlated else series.groups
    return class_designs(codes, groups, covariates(series, design))


def _test_comparison(
    series: DataSet, design: Design, modelled: ModelledFeatures, comparison: Comparison
) -> ModeratedTests:
    """Test a comparison in all features, in the first design that determines it."""
    is_correlated = design.repeated == "correlation" and series.groups is not None
    for candidate in comparison_designs(series, design, correlated=is_correlated):
        fit = _fit_comparison(
            series, design, modelled, comparison, candidate, is_correlated=is_correlated
        )
        if not np.isnan(fit.unscaled).all():
            break
    return moderate(fit, trend=modelled.trend)


def _fit_comparison(
    series: DataSet,
    design: Design,
    modelled: ModelledFeatures,
    comparison: Comparison,
    candidate: ClassDesign,
    *,
    is_correlated: bool,
) -> ContrastFit:
    """Fit one design of a comparison to all features.

    The groups of the samples are either correlated, or blocks and means of the design.
    """
    correlated_groups = series.groups if is_correlated else None
    unit_weights = None
    if series.groups is not None and not is_correlated and candidate.unequal:
        # Means of different numbers of samples differ in their variance. How much depends on
        # the correlation of a group's samples, which needs the design of single samples.
        [sample_design] = comparison_designs(series, design, correlated=True)
        unit_weights = weights_of_units(
            modelled.values,
            candidate,
            samples=sample_design.matrix,
            groups=series.groups,
            sizes=modelled.sizes,
        )
    return fit_design(
        modelled.values,
        candidate,
        comparison.contrast(series.classes, candidate.matrix.shape[1]),
        sizes=modelled.sizes,
        correlated_groups=correlated_groups,
        unit_weights=unit_weights,
    )


def _comparison_rows(
    series: DataSet, comparison: Comparison, tests: ModeratedTests, names: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows of one comparison by rank."""
    # A log fold change exists only on a logarithmic scale. The limits are those of the log fold
    # change, or of the difference itself on any other scale.
    log2_per_unit = LOG2.get(series.scale, np.nan)
    limit_factor = log2_per_unit if np.isfinite(log2_per_unit) else 1.0
    table = names.assign(
        contrast=comparison.name,
        difference=tests.log_fold_change[0],
        log_fold_change=log2_per_unit * tests.log_fold_change[0],
        lower=limit_factor * tests.lower[0],
        upper=limit_factor * tests.upper[0],
        mean=tests.mean,
        t=tests.t[0],
        p=tests.p[0],
        fdr=benjamini_hochberg(tests.p)[0],
        df=tests.df,
    )
    order = np.argsort(-np.nan_to_num(np.abs(tests.t[0]), nan=-1.0), kind="stable")
    table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=np.arange(1, len(table) + 1))
