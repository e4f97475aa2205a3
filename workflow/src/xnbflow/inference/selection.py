"""Whether a table was made with the labels: corrected, filtered or normalised by class.

Such a step was outside the cross-validation, and a classifier then recognises the class in samples
whose labels decided their values. Three traces remain in the table itself:

- the effect of a batch, given the class, is smaller than chance allows, where its means were
  removed with the class in the model (V. Nygaard, E. A. Rødland and E. Hovig, "Methods that remove
  batch effects while retaining group differences may lead to exaggerated confidence in downstream
  analyses", Biostatistics 17, 2016, 29-39);
- no feature is without a difference, where features were chosen by their difference (C. Ambroise
  and G. J. McLachlan, "Selection bias in gene extraction on the basis of microarray gene-expression
  data", PNAS 99, 2002, 6562-6566);
- the sorted values of the samples of a class are equal, and differ between classes, where each
  class was normalised by quantiles.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import fdtrc, fdtri

from xnbflow.core.findings import Finding
from xnbflow.core.significance import ONE_SIDED_LEVEL, TEST_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.data.series_seed import series_seed
from xnbflow.diagnostics.adjustment import phenotype_of
from xnbflow.diagnostics.association import association
from xnbflow.diagnostics.columns import column_values, has_value
from xnbflow.diagnostics.features import linear_values
from xnbflow.inference.label_exchange import label_exchange

#: Level of the test of few features without a difference. That of a correction is
#: `xnbflow.core.significance.ONE_SIDED_LEVEL`: few batches of few samples have few orders.
LEVEL = 0.005
#: Exchanges of the labels, and of the levels of a column.
_EXCHANGES = 399
#: Most features of which the effect of a batch is computed, spread evenly.
_MOST_FEATURES = 2000
#: Largest share of the variance that a corrected batch has, in units of that of exchanged batches.
_REMOVED = 0.5
#: A column alone explains more than this multiple of what it explains given the class, if the class
#: was in the model of its correction.
_ALONE = 2.0
#: Fewest features of which some must be without a difference.
_FEWEST_FEATURES = 100
#: Largest share of features with p above one half that is a finding, and that limits a verdict. In
#: 27 public series it is .016 to .53.
_FEW_WITHOUT_DIFFERENCE = 0.05
_NONE_WITHOUT_DIFFERENCE = 0.005
#: Least median of p with which features may have been chosen among others without a difference: of
#: 20,000 these, hardly one has a smaller p.
_LEAST_MEDIAN = 1e-6
#: Largest difference of equal sorted values, in standard deviations of all values.
_EQUAL = 1e-6


def selection(series: DataSet) -> list[Finding]:
    """Return whether a table was corrected, filtered or normalised with the labels.

    A correction is a warning, as is a normalisation by class. Features without a difference are few
    if at most 5% have p above one half, and hardly any of 399 exchanges of the labels has as few:
    this is a notice. At .5% or less it is a warning, except where the median of p is too small for
    a choice among features that do not differ. ``estimate`` is the share of features with p above
    .5, or of the variance that a corrected column explains relative to an exchanged one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(4000, 20))
    >>> difference = np.abs(values[:, :10].mean(axis=1) - values[:, 10:].mean(axis=1))
    >>> chosen = values[np.argsort(-difference)[:200]]
    >>> series = DataSet("toy", chosen, range(200), range(20), ["a"] * 10 + ["b"] * 10)
    >>> [(one.kind, one.severity, one.numbers["estimate"]) for one in selection(series)]
    [('chosen features', 'warning', 0.0)]
    """
    values = linear_values(with_log_counts(series))
    values = values[~np.isnan(values).any(axis=1)]
    classes, codes = np.unique(series.labels, return_inverse=True)
    findings: list[Finding] = []
    enough = len(values) >= _FEWEST_FEATURES and len(classes) + 1 < series.n_samples
    if enough and len(classes) > 1:
        findings += _corrected_columns(series, values, codes)
        findings += _chosen_features(series, values, codes)
        if _is_normalised_by_class(values, codes):
            findings.append(
                Finding(code="selection", kind="normalised by class", dataset=series.name)
            )
    return findings


def _corrected_columns(series: DataSet, values: np.ndarray, codes: np.ndarray) -> Iterator[Finding]:
    """Yield the columns that go with the class and whose effect was removed with the class."""
    places = np.unique(np.linspace(0, len(values) - 1, _MOST_FEATURES).astype(int))
    labels = pd.Series(series.labels)
    for number, (name, all_cells) in enumerate(phenotype_of(series).items()):
        cells = all_cells.reset_index(drop=True)
        cells = cells[has_value(cells)].str.strip()
        column = column_values(labels[cells.index], cells)
        if column is None or pd.api.types.is_numeric_dtype(column):
            continue
        tested = association(labels[cells.index], cells, None)
        if tested is None or tested.p > TEST_LEVEL:
            continue
        samples = column.index.to_numpy()
        present = np.unique(codes[samples], return_inverse=True)[1]
        rng = np.random.default_rng(series_seed(series, number, "corrected with class"))
        effect = _removed_effect(
            values[np.ix_(places, samples)], present, pd.factorize(column)[0], rng
        )
        if not effect.with_class:
            continue
        ratio = effect.given_class / effect.expected
        yield Finding(
            code="selection",
            kind="corrected with class",
            dataset=series.name,
            subject=str(name),
            numbers={"estimate": ratio, "p": effect.p},
        )


@dataclass(frozen=True, kw_only=True)
class RemovedEffect:
    """The effect of a column given the class, and its test.

    Attributes
    ----------
    given_class : float
        The mean share of the variance within classes that the column explains.
    expected : float
        The same of a column whose levels are exchanged within classes.
    alone : float
        The mean share of the variance that the column explains without the class.
    p : float
        The share of exchanged columns that explain as little.
    """

    given_class: float
    expected: float
    alone: float
    p: float

    @property
    def with_class(self) -> bool:
        """Whether the effect of the column was removed, and the class was in the model."""
        removed = self.given_class <= _REMOVED * self.expected
        # Without the class in the model the effect of the column alone is removed.
        without_class = self.alone <= _ALONE * self.given_class
        return bool(self.p <= ONE_SIDED_LEVEL and removed and not without_class)


def _removed_effect(
    values: np.ndarray, codes: np.ndarray, levels: np.ndarray, rng: np.random.Generator
) -> RemovedEffect:
    """Return the effect of a column given the class.

    Per feature it is ``R² = (RSS_class - RSS_class+column) / RSS_class``, with the residual sums of
    squares of the linear models with the class, and with class and column. If labels had no part in
    a correction, the levels are exchangeable within the classes or explain more than exchanged
    ones, whatever the correlation of the features.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        None missing.
    codes, levels : ndarray of int, shape (n_samples,)
        The class, and the level of the column, of each sample.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes, batch = np.repeat([0, 1], 12), np.repeat([0, 1, 0, 1], [9, 3, 3, 9])
    >>> values = rng.normal(size=(200, 24))
    >>> _removed_effect(values, codes, batch, rng).with_class
    False
    >>> model = np.column_stack([codes == 0, codes == 1, batch])
    >>> effect = np.linalg.lstsq(model, values.T)[0][2]
    >>> corrected = values - effect[:, None] * batch
    >>> _removed_effect(corrected, codes, batch, rng).with_class
    True
    """
    within = _without_effect(values, _basis(np.eye(codes.max() + 1)[codes]))
    alone = values - values.mean(axis=1, keepdims=True)
    indicators = np.eye(levels.max() + 1)[levels]

    exchange = label_exchange(levels, levels=codes)
    exchanged = exchange.draws(levels, _EXCHANGES, rng)
    observed = _explained(within, codes, indicators)
    null = np.array(
        [_explained(within, codes, np.eye(levels.max() + 1)[draw]) for draw in exchanged]
    )
    as_little = np.count_nonzero(null <= observed * (1 + 1e-9))
    return RemovedEffect(
        given_class=observed,
        expected=float(null.mean()),
        alone=_explained(alone, np.zeros_like(codes), indicators),
        p=(1 + as_little) / (1 + _EXCHANGES),
    )


def _explained(residuals: np.ndarray, codes: np.ndarray, indicators: np.ndarray) -> float:
    """Return the mean share of the variance of residuals within classes that a column explains.

    ``residuals`` (n_features, n_samples) have no class means, ``indicators`` (n_samples, n_levels)
    are of the column.
    """
    of_class = _basis(np.eye(codes.max() + 1)[codes])
    column = _basis(indicators - of_class @ (of_class.T @ indicators))
    total = np.sum(residuals**2, axis=1)
    explained = np.sum((residuals @ column) ** 2, axis=1)
    varies = total > 0
    return float(np.mean(explained[varies] / total[varies])) if varies.any() else np.nan


def _basis(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of columns (n_samples, n_columns)."""
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, singular > 1e-9])


def _without_effect(values: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return values (n_features, n_samples) without what a basis (n_samples, rank) explains."""
    return np.asarray(values - (values @ basis) @ basis.T)


def _chosen_features(series: DataSet, values: np.ndarray, codes: np.ndarray) -> Iterator[Finding]:
    """Yield the finding that features without a difference are few or missing, if they are."""
    rng = np.random.default_rng(series_seed(series, 0, "chosen with labels"))
    result = _features_without_difference(values, codes, series.groups, rng)
    if not result.p <= LEVEL:
        return
    is_limiting = result.share <= _NONE_WITHOUT_DIFFERENCE and result.median >= _LEAST_MEDIAN
    yield Finding(
        code="selection",
        kind="chosen features",
        dataset=series.name,
        severity="warning" if is_limiting else "notice",
        numbers={"estimate": result.share, "p": result.p, "total": len(values)},
    )


@dataclass(frozen=True, kw_only=True)
class WithoutDifference:
    """The share of features with p of the classes above one half, and its test.

    ``p`` is the share of exchanged labels with as small a share of such features, missing where the
    share is not small. ``median`` is the median of the features' p: where it is smaller than a
    choice can make it, the features do differ, as those of many tissues.
    """

    share: float
    p: float
    median: float


def _features_without_difference(
    values: np.ndarray,
    codes: np.ndarray,
    groups: np.ndarray | None,
    rng: np.random.Generator,
) -> WithoutDifference:
    """Return the share of features whose F test of the classes has p above one half.

    Without a difference it is one half. Among features that were chosen by their difference there
    is none. Where features correlate, the share varies: in copies of one feature it is 0 or 1. It
    is therefore compared with that of exchanged labels.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        None missing.
    codes : ndarray of int, shape (n_samples,)
    groups : ndarray of shape (n_samples,) or None
        Groups of one class exchange their labels as one.

    Examples
    --------
    >>> from dataclasses import replace
    >>> rng = np.random.default_rng(0)
    >>> values, codes = rng.normal(size=(4000, 20)), np.repeat([0, 1], 10)
    >>> round(_features_without_difference(values, codes, None, rng).share, 1)
    0.5
    >>> difference = np.abs(values[:, :10].mean(axis=1) - values[:, 10:].mean(axis=1))
    >>> chosen = values[np.argsort(-difference)[:200]]
    >>> result = _features_without_difference(chosen, codes, None, rng)
    >>> replace(result, median=round(result.median, 2))
    WithoutDifference(share=0.0, p=0.0025, median=0.03)
    """
    n_samples = len(codes)
    n_classes = codes.max() + 1
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt(np.sum(centred**2, axis=1))
    standard = centred[length > 0] / length[length > 0, None]

    # p above one half is an F below its median, and a share of the variance below this limit.
    between, residual = n_classes - 1, n_samples - n_classes
    median = fdtri(between, residual, 0.5)
    limit = median * between / (median * between + residual)

    def explained_by(labels: np.ndarray) -> np.ndarray:
        explained = np.zeros(len(standard))
        for code in range(n_classes):
            members = labels == code
            explained += standard[:, members].sum(axis=1) ** 2 / max(1, members.sum())
        return explained

    by_class = explained_by(codes)
    share = float(np.mean(by_class < limit)) if len(by_class) else np.nan
    explained = np.median(by_class) if len(by_class) else np.nan
    f = explained / between / max(1 - explained, 1e-12) * residual
    median_p = float(fdtrc(between, residual, f))
    if not share <= _FEW_WITHOUT_DIFFERENCE:
        return WithoutDifference(share=share, p=np.nan, median=median_p)
    exchanged = label_exchange(codes, groups).draws(codes, _EXCHANGES, rng)
    as_few = 0
    for labels in exchanged:
        as_few += bool(np.mean(explained_by(labels) < limit) <= share)
    return WithoutDifference(share=share, p=(1 + as_few) / (1 + _EXCHANGES), median=median_p)


def _is_normalised_by_class(values: np.ndarray, codes: np.ndarray) -> bool:
    """Return whether the sorted values of the samples of each class are equal, and of no two.

    ``values`` (n_features, n_samples) have none missing, ``codes`` (n_samples,) are the classes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ranks = rng.normal(size=(300, 8)).argsort(axis=0).argsort(axis=0)
    >>> classes = np.repeat([0, 1], 4)
    >>> target = np.sort(rng.normal(size=(2, 300)))
    >>> by_class = np.take_along_axis(target[classes].T, ranks, axis=0)
    >>> _is_normalised_by_class(by_class, classes)
    True
    >>> _is_normalised_by_class(target[0][ranks], classes)  # all samples together
    False
    """
    if np.bincount(codes).min() < 2:
        return False
    ordered = np.sort(values, axis=0)
    tolerance = _EQUAL * values.std()
    first = ordered[:, np.unique(codes, return_index=True)[1]]
    within = np.abs(ordered - first[:, codes]).max()
    between = min(
        np.abs(first[:, i] - first[:, j]).max() for i in range(len(first.T)) for j in range(i)
    )
    return bool(within <= tolerance < between)
