"""Kernel densities, one per feature and class (XNB paper, Eqs. 3 and 8)."""

from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.core.parameters import number_constraint, one_of, whole_constraint
from xnbflow.data.matrices import as_array
from xnbflow.density.bandwidth import BANDWIDTHS
from xnbflow.density.class_tiles import class_tile
from xnbflow.density.density_tables import (
    QUANTILES,
    TabulatedDensity,
    log_grouped,
    log_tabulated,
    tabulate,
)
from xnbflow.density.families.distribution import TiledDistribution, composite_gauss_legendre
from xnbflow.density.kernels import (
    EXPONENTIAL,
    GAUSSIAN,
    GREATEST_BETA,
    KERNELS,
    LOG_SQRT_2PI,
    apply_kernel,
    exponentiate,
    kernel_code,
)
from xnbflow.density.log_sums import log_density_at
from xnbflow.density.tiles import class_offsets, map_strips

#: Least samples of a class with tables: below, sums are as fast.
_TABULATED_FROM = 1024

#: The log density where a kernel of bounded support is zero. With -inf a single feature could make
#: all classes equally impossible.
_LOG_ZERO = float(np.log(np.finfo(float).tiny))

#: Breaks of `Kernel.quadrature` beyond the least and the greatest sample, in bandwidths.
_TAIL = np.array([1.0, 2.0, 4.0, 8.0])

#: Parameters of kernel densities, of the family and of classifiers.
DENSITY_CONSTRAINTS: dict[str, list[Any]] = {
    "bandwidth": [one_of(*BANDWIDTHS)],
    "kernel": [one_of(*KERNELS), whole_constraint(0, GREATEST_BETA)],
    "min_bandwidth": [number_constraint(0.0, closed="left")],
}


class _Tables:
    """The tables of one class, one per feature: Gaussian densities of many samples."""

    samples = None

    def __init__(self, n_features: int) -> None:
        self.tables: list[TabulatedDensity | None] = [None] * n_features

    def write(self, strip: slice, values: np.ndarray, bandwidths: np.ndarray) -> None:
        """Tabulate some features by their samples (n_some, n_samples), each row ascending."""
        rows = np.ascontiguousarray(values)
        self.tables[strip] = map(tabulate, rows, bandwidths)


class _Samples:
    """The samples of one class, over which its densities are sums."""

    tables = None

    def __init__(self, n_features: int, n_samples: int) -> None:
        self.samples = np.empty((n_features, n_samples))

    def write(self, strip: slice, values: np.ndarray, _: np.ndarray) -> None:
        """Keep the samples (n_some, n_samples) of some features; their bandwidths are elsewhere."""
        self.samples[strip] = values


class Kernel(TiledDistribution):
    """Kernel densities; one term per feature.

    Parameters
    ----------
    bandwidth : str, default="silverman"
        Rule for the bandwidth of each class and feature, as in `xnbflow.naive_bayes.FlexibleNB`.
    kernel : str or int, default="gaussian"
        The kernel, as there. Where a kernel of bounded support gives density zero, the log density
        is `_LOG_ZERO`.
    min_bandwidth : float, default=0.0
        Floor of the bandwidths, as there.
    exact : bool, default=False
        Sum over all samples instead of tables.

    Attributes
    ----------
    samples_ : list of ndarray of shape (n_features, n_class_samples), or None
        For each class its samples, ascending; None where densities are tabulated.
    tables_ : list of list of TabulatedDensity, or None
        For each class the tables of all features; None where densities are sums over samples.
    class_count_ : ndarray of int, shape (n_classes,)
        Training samples of each class.
    bandwidths_ : list of ndarray of shape (n_features,)
        For each class one bandwidth per feature.
    factors_ : list of ndarray of shape (n_features, n_class_samples), or None
        For each class the factors of its samples, which multiply the bandwidth, with "adaptive".

    Examples
    --------
    >>> family = Kernel().fit(np.array([[0.0, 1.0, 2.0]]), np.zeros(3, int), 1)
    >>> np.exp(family.log_density(np.array([[1.0]]))).round(3).tolist()
    [[[0.325]]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DENSITY_CONSTRAINTS,
        "exact": ["boolean"],
    }

    factors_: list[np.ndarray] | None = None

    def __init__(
        self,
        *,
        bandwidth: str = "silverman",
        kernel: str | int = "gaussian",
        min_bandwidth: float = 0.0,
        exact: bool = False,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.min_bandwidth = min_bandwidth
        self.exact = exact

    @property
    def ns_per_point(self) -> float:
        """One kernel takes about a nanosecond, a look-up in a table 30."""
        costs = [30 if samples is None else samples.shape[1] for samples in self.samples_]
        return sum(costs) / self.n_classes_

    def fit(
        self,
        features: Any,
        codes: np.ndarray,
        n_classes: int,
        spreads: np.ndarray | None = None,
        samples: np.ndarray | None = None,
    ) -> Self:
        """Fit a density per feature and class; see `Distribution.fit`.

        A slice of ``features`` is an array or `Rows`. ``samples`` (n,) are those to use, by
        default all, and ``codes`` (n,) their classes. ``spreads`` (n_features,) are the standard
        deviations for ``min_bandwidth``, where these are not all training samples.
        """
        self._validate_params()
        self.n_classes_ = n_classes
        self.n_features_ = features.shape[0]
        order, offsets = class_offsets(codes, n_classes)
        order = order if samples is None else samples[order]
        rows_of_classes = [slice(*ends) for ends in pairwise(offsets)]
        self.class_count_ = np.diff(offsets)

        # The densities of a class are tables, or sums over its samples.
        adaptive = self.bandwidth == "adaptive"
        can_be_tabulated = self.kernel == "gaussian" and not (self.exact or adaptive)
        classes: list[_Tables | _Samples] = []
        for n_samples in self.class_count_:
            if can_be_tabulated and n_samples >= _TABULATED_FROM:
                classes.append(_Tables(self.n_features_))
            else:
                classes.append(_Samples(self.n_features_, n_samples))
        bandwidths = np.empty((n_classes, self.n_features_))
        factors = np.empty((self.n_features_, len(order))) if adaptive else None

        def fit_strip(strip: slice) -> None:
            """Write the densities of some features."""
            tile = class_tile(as_array(features[strip]), order, offsets, self.bandwidth)
            if spreads is not None:
                tile = replace(tile, spreads=spreads[strip])
            widths = tile.bandwidths(self.bandwidth, self.min_bandwidth)
            bandwidths[:, strip] = widths
            for c, densities in enumerate(classes):
                values = tile.values[rows_of_classes[c]].T
                densities.write(strip, values, widths[c])
            if factors is not None:
                of_samples: Any = tile.factors(
                    widths,
                    rule=self.bandwidth,
                    kernel=self.kernel,
                    min_bandwidth=self.min_bandwidth,
                )
                factors[strip] = of_samples.T

        map_strips(fit_strip, self.n_features_, len(order))
        self.samples_: list[Any] = [densities.samples for densities in classes]
        self.tables_: list[Any] = [densities.tables for densities in classes]
        self.bandwidths_ = list(bandwidths)
        self.factors_ = None
        if factors is not None:
            self.factors_ = [np.ascontiguousarray(factors[:, rows]) for rows in rows_of_classes]
        return self

    def _log_density(self, terms: slice, code: int, tile: np.ndarray, out: np.ndarray) -> None:
        """Write the log densities of some features in one class; see `TiledDistribution`."""
        if self.tables_[code] is not None:
            column = np.empty(len(tile))
            for f, table in enumerate(self.tables_[code][terms]):
                log_tabulated(table, np.ascontiguousarray(tile[:, f]), column)
                out[:, f] = column
            return
        factors = None if self.factors_ is None else self.factors_[code][terms]
        _log_kernel_density(
            self.samples_[code][terms],
            self.bandwidths_[code][terms],
            kernel=self.kernel,
            points=tile,
            out=out,
            factors=factors,
        )

    def approximate_log_density(self, features: np.ndarray) -> np.ndarray:
        """Return `log_density` to about 1e-3 where Gaussian kernels are sums over samples.

        The time does not grow with the number of samples, see
        `xnbflow.density.density_tables.log_grouped`. Other kernels and adaptive bandwidths take the
        exact sums.
        """
        sums = all(samples is not None for samples in self.samples_)
        if self.kernel != "gaussian" or self.factors_ is not None or not sums:
            return self.log_density(features)
        out = np.empty((self.n_classes_, *features.shape))

        def work(strip: slice) -> None:
            points = np.ascontiguousarray(features[strip])
            for code, samples in enumerate(self.samples_):
                log_grouped(samples[strip], self.bandwidths_[code][strip], points, out[code, strip])

        map_strips(work, len(features), features.shape[1], 100.0 * self.n_classes_)
        return out.transpose(1, 0, 2)

    def n_parameters(self) -> np.ndarray:
        """Return 1 per class, the bandwidth; samples are not counted as parameters."""
        return np.full(self.n_features_, self.n_classes_)

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a rule whose intervals hold equal shares of every class's samples."""
        breaks = []
        for code, bandwidths in enumerate(self.bandwidths_):
            if self.tables_[code] is None:
                quantiles = np.quantile(self.samples_[code], QUANTILES, axis=1).T
            else:
                quantiles = np.array([table.quantiles for table in self.tables_[code]])
            widest = bandwidths
            if self.factors_ is not None:
                widest = bandwidths * self.factors_[code].max(axis=1)
            tail = widest[:, None] * _TAIL
            breaks += [quantiles[:, :1] - tail, quantiles, quantiles[:, -1:] + tail]
        return composite_gauss_legendre(np.sort(np.hstack(breaks), axis=1), self.n_classes_)


def _log_kernel_density(
    samples: np.ndarray,
    bandwidths: np.ndarray,
    kernel: str | int,
    points: np.ndarray,
    out: np.ndarray,
    factors: np.ndarray | None = None,
) -> None:
    """Write the log kernel density of each feature at a tile of points, summed sample by sample.

    ``samples`` have shape (n_features, n_samples), ``bandwidths`` (n_features,), ``points`` and
    ``out`` (n_points, n_features). ``factors``, in the shape of the samples, multiply the
    bandwidths.
    """
    if factors is not None or kernel == "exponential":
        widths = np.broadcast_to(bandwidths[:, np.newaxis], samples.shape)
        widths = np.array(widths) if factors is None else widths * factors
        _log_with_widths(np.ascontiguousarray(samples), widths, kernel_code(kernel), points, out)
        return
    rows = np.array(samples.T, order="C")
    bandwidths = np.ascontiguousarray(bandwidths)
    if kernel == "gaussian":
        _log_gaussians(rows, bandwidths, points, out)
    else:
        _log_kernels(rows, bandwidths, kernel_code(kernel), points, out)


@njit(nogil=True)
def _log_with_widths(
    samples: np.ndarray, widths: np.ndarray, code: int, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the same with a bandwidth per sample; `_LOG_ZERO` where the density is zero.

    A Gaussian or exponential density is nowhere zero; its logarithm may be far below `_LOG_ZERO`.
    """
    logs = np.empty(len(points))
    for f in range(len(samples)):
        log_density_at(samples[f], widths[f], code, points[:, f].copy(), logs)
        for j in range(len(points)):
            zero = logs[j] == -np.inf and code not in (GAUSSIAN, EXPONENTIAL)
            out[j, f] = _LOG_ZERO if zero else logs[j]


@njit(nogil=True, fastmath={"contract", "nsz"})
def _log_gaussians(
    rows: np.ndarray, bandwidths: np.ndarray, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the log of the mean kernel at each point; exponents are relative to the greatest."""
    n, width = rows.shape
    terms = np.empty((n, width))
    nearest = np.empty(width)
    total = np.empty(width)
    per_h = np.empty(width)
    log_norm = np.empty(width)
    for f in range(width):
        per_h[f] = 1.0 / bandwidths[f]
        log_norm[f] = np.log(n * bandwidths[f]) + LOG_SQRT_2PI
    for j in range(len(points)):
        x = points[j]
        nearest[:] = np.inf
        total[:] = 0.0
        for i in range(n):
            for f in range(width):
                u = (x[f] - rows[i, f]) * per_h[f]
                terms[i, f] = 0.5 * u * u
                nearest[f] = min(nearest[f], terms[i, f])
        for i in range(n):
            for f in range(width):
                terms[i, f] = nearest[f] - terms[i, f]
        exponentiate(terms.reshape(-1))
        for i in range(n):
            for f in range(width):
                total[f] += terms[i, f]
        for f in range(width):
            far = nearest[f] == np.inf  # the square of every distance overflows
            out[j, f] = -np.inf if far else np.log(total[f]) - nearest[f] - log_norm[f]


@njit(nogil=True)
def _log_kernels(
    rows: np.ndarray, bandwidths: np.ndarray, code: int, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the same for a kernel of bounded support."""
    n, width = rows.shape
    terms = np.empty((n, width))
    for j in range(len(points)):
        for i in range(n):
            for f in range(width):
                terms[i, f] = (points[j, f] - rows[i, f]) / bandwidths[f]
        apply_kernel(code, terms.reshape(-1))
        for f in range(width):
            total = 0.0
            for i in range(n):
                total += terms[i, f] / bandwidths[f]
            out[j, f] = np.log(total / n) if total > 0.0 else _LOG_ZERO
