"""Sparse tiles: the stored values of some features, class by class, and one value for the zeros.

The zeros of a feature in a class are one value with a count, so that only what is stored is sorted
and summed. Every statistic of a tile is that of the dense tile (`xnbflow.density.class_tiles`) with
a weight for each value:

================ ===================================================================================
mean             ``sum(w x) / n``, with ``n = sum(w)`` the samples of the class
sum of squares   ``sum(w (x - mean)²)``
quantile         of the ``n`` values in which ``x`` is repeated ``w`` times
density          ``sum(w K((t - x) / h)) / (n h)``
================ ===================================================================================

For example a feature with the values 3, 0, 1, 0 in class 0 and 0, -2 in class 1 becomes the values
0, 1, 3 | -2, 0 with the weights 2, 1, 1 | 1, 1 and the starts 0, 3, 5. The quartiles of class 0 are
those of 0, 0, 1, 3.

The dense tile is the simple version, and the oracle of the tests: results agree to rounding, with
densities to 1e-13. A dense tile has features side by side in the vector instructions; the features
here have different numbers of values, so that the values of one feature take the lanes. A value
therefore takes about three times as long as in a dense tile, and `map_class_tiles` takes sparse
tiles only where at most 35 % of the values are stored. The sums of Gaussian kernels are those of
`xnbflow.density.grid`, which explains them.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from xnbflow.core.jit import njit
from xnbflow.density.bandwidth import RULES_OF_THUMB, SMALLEST_DEVIATION, SMALLEST_SPREAD, hazen
from xnbflow.density.distances import separation
from xnbflow.density.grid import FARTHEST, REACH, WIDEST_STEP, write_exact
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code
from xnbflow.density.standard import StandardUnits

#: The rules for bandwidths that need means, squares and quartiles only.
SPARSE_RULES = ("silverman", "scott")


@dataclass(frozen=True, kw_only=True)
class SparseTile:
    """Some features with their distinct zeros, stored values and weights; see `ClassTile`.

    Feature ``f`` has in class ``c`` the ``values[starts[f, c]:starts[f, c + 1]]``, ascending, each
    as often as ``weights`` (n_values,) give: 1 for a stored value, the number of zeros for the
    zero, which is left out if there is none. ``sizes`` (n_classes,) are the samples of the classes.
    ``spreads`` (n_features,) are standard deviations (ddof=1) where they are known exactly.

    Examples
    --------
    >>> features = sparse.csr_array([[3.0, 0.0, 1.0, 0.0, -2.0]])
    >>> codes = np.array([0, 0, 0, 1, 1])
    >>> tile = SparseTile.gather(features, slice(0, 1), codes, 2)
    >>> tile.values.tolist(), tile.weights.tolist(), tile.starts.tolist()
    ([0.0, 1.0, 3.0, -2.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0], [[0, 3, 5]])
    """

    values: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    spreads: np.ndarray | None = None

    @classmethod
    def gather(
        cls, features: sparse.csr_array, strip: slice, class_of: np.ndarray, n_classes: int
    ) -> "SparseTile":
        """Return the tile of a strip of a CSR array (n_features, n_samples) without duplicates.

        ``class_of`` (n_samples,) is the class of each sample, negative if it is left out.
        """
        indptr = features.indptr[strip.start : strip.stop + 1].astype(np.int64)
        stored = slice(indptr[0], indptr[-1])
        sizes = np.bincount(class_of[class_of >= 0], minlength=n_classes)
        n_features = len(indptr) - 1
        values = np.empty(indptr[-1] - indptr[0] + n_features * n_classes)
        weights = np.ones(len(values))
        starts = np.empty((n_features, n_classes + 1), dtype=np.int64)
        _gather(
            indptr - indptr[0],
            features.indices[stored],
            features.data[stored],
            class_of=class_of,
            sizes=sizes,
            values=values,
            weights=weights,
            starts=starts,
        )
        n_values = starts[-1, -1] if n_features else 0
        return cls(values=values[:n_values], weights=weights[:n_values], starts=starts, sizes=sizes)

    def moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return mean, standard deviation (ddof=1) and greatest size of each feature."""
        means, deviations, greatest = np.empty((3, len(self.starts)))
        _write_feature_moments(self.values, self.weights, self.starts, means, deviations, greatest)
        return means, deviations, greatest

    def standardised(self) -> "SparseTile":
        """Return the tile in standard units."""
        standard = StandardUnits.of_moments(*self.moments())
        counts = self.starts[:, -1] - self.starts[:, 0]
        centres = np.repeat(standard.centres, counts)
        units = np.repeat(standard.units, counts)
        values = (self.values - centres) / units
        return replace(self, values=values, spreads=standard.spreads)

    def bandwidths(self, rule: str, min_bandwidth: float) -> np.ndarray:
        """Return bandwidths (n_classes, n_features); the rule is one of `SPARSE_RULES`."""
        spreads = np.empty((len(self.sizes), len(self.starts)))
        constant = np.empty(spreads.shape, dtype=np.bool_)
        _write_spreads(self.values, self.weights, self.starts, spreads, constant)
        scale = self.sizes[:, np.newaxis] ** -0.2
        widths = RULES_OF_THUMB[rule] * scale * spreads
        if min_bandwidth > 0.0:
            deviations = self.moments()[1] if self.spreads is None else self.spreads
            floor = min_bandwidth * deviations * scale
            widths = np.where(constant & (floor > 0.0), floor, np.maximum(widths, floor))
        return widths

    def factors(
        self, widths: np.ndarray, *, rule: str, kernel: str | int, min_bandwidth: float
    ) -> None:
        """Return no factors of samples: only the rule "adaptive" has some, see `ClassTile`."""
        del widths, rule, kernel, min_bandwidth

    def densities(
        self,
        widths: np.ndarray,
        *,
        kernel: str | int,
        n_grid: int,
        underflow: str,
        factors: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return densities on a grid, (n_classes, n_grid, n_features); see `grid_densities`."""
        del factors
        out = np.empty((*self.starts.shape[:1], len(self.sizes), n_grid))
        values = self.values
        weights = self.weights
        starts = self.starts
        if kernel == "gaussian":
            in_logs = underflow == "log"
            _sum_gaussians(values, weights, starts, bandwidths=widths, in_logs=in_logs, out=out)
        else:
            code = kernel_code(kernel)
            _sum_kernels(values, weights, starts, bandwidths=widths, code=code, out=out)
        return np.ascontiguousarray(out.transpose(1, 2, 0))

    def separation(
        self, widths: np.ndarray, pairs: np.ndarray, factors: np.ndarray | None = None
    ) -> np.ndarray:
        """Return ``d² / (8 v)`` of class pairs, shape (n_pairs, n_features)."""
        del factors
        means, squares = np.empty((2, len(self.sizes), len(self.starts)))
        _write_class_moments(self.values, self.weights, self.starts, means, squares)
        squares += self.sizes[:, np.newaxis] * widths**2
        return separation(means, squares, self.sizes, pairs)


def classes_of_samples(codes: np.ndarray, samples: np.ndarray | None, n_samples: int) -> np.ndarray:
    """Return the class of each sample, -1 where it is not among the chosen ones.

    ``codes`` are the classes of the chosen ``samples``, None for all.

    Examples
    --------
    >>> classes_of_samples(np.array([1, 0]), np.array([3, 1]), 4).tolist()
    [-1, 0, -1, 1]
    """
    if samples is None:
        return np.asarray(codes, dtype=np.int64)
    class_of = np.full(n_samples, -1)
    class_of[samples] = codes
    return class_of


@njit(nogil=True)
def _gather(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    class_of: np.ndarray,
    sizes: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
) -> None:
    """Write values, weights (which are 1 before) and starts of a `SparseTile`.

    A run of a class has its stored values, sorted, and the zero, if there are zeros, is inserted
    behind the negative ones. Zeros that are stored count as zeros.
    """
    n_classes = len(sizes)
    stored = np.empty(n_classes, np.int64)
    position = np.empty(n_classes, np.int64)
    stop = 0
    # A feature with the values 3, 0, 1 in class 0 and 0, -2 in class 1 becomes 0, 1, 3 | -2, 0 with
    # the starts 0, 3, 5. The first pass over its stored values counts those of each class, which
    # gives the starts, the second writes them; then each run is sorted and gets its zero.
    for f in range(len(starts)):
        stored[:] = 0
        for k in range(indptr[f], indptr[f + 1]):
            c = class_of[indices[k]]
            if c >= 0 and data[k] != 0.0:
                stored[c] += 1
        for c in range(n_classes):
            starts[f, c] = position[c] = stop
            stop += stored[c] + (stored[c] < sizes[c])
        starts[f, n_classes] = stop
        for k in range(indptr[f], indptr[f + 1]):
            c = class_of[indices[k]]
            if c >= 0 and data[k] != 0.0:
                values[position[c]] = data[k]
                position[c] += 1
        for c in range(n_classes):
            run = values[starts[f, c] : starts[f, c] + stored[c]]
            run.sort()
            if stored[c] < sizes[c]:
                zero = starts[f, c] + np.searchsorted(run, 0.0)
                # the positive values move up by one position
                for k in range(starts[f, c + 1] - 1, zero, -1):
                    values[k] = values[k - 1]
                values[zero] = 0.0
                weights[zero] = sizes[c] - stored[c]


@njit(nogil=True)
def _write_feature_moments(
    values: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    means: np.ndarray,
    deviations: np.ndarray,
    greatest: np.ndarray,
) -> None:
    """Write mean, standard deviation (ddof=1) and greatest absolute value of each feature.

    Deviations are relative to the range before they are squared: no square overflows.
    """
    for f in range(len(starts)):
        first, last = starts[f, 0], starts[f, -1]
        n = total = 0.0
        low, high = np.inf, -np.inf
        for k in range(first, last):
            n += weights[k]
            low, high = min(low, values[k]), max(high, values[k])
        for k in range(first, last):
            total += weights[k] * values[k] / n
        squares = 0.0
        scale = high - low
        if scale > 0.0:
            for k in range(first, last):
                d = (values[k] - total) / scale
                squares += weights[k] * d * d
        means[f] = total
        deviations[f] = scale * np.sqrt(squares / max(n - 1.0, 1.0))
        greatest[f] = max(abs(low), abs(high))


@njit(nogil=True)
def _class_moments(values: np.ndarray, weights: np.ndarray) -> tuple[float, float, float]:
    """Return the number of samples of a run, their mean and the sum of squares about it."""
    n = mean = squares = 0.0
    for k in range(len(values)):
        n += weights[k]
        mean += weights[k] * values[k]
    mean /= n
    for k in range(len(values)):
        d = values[k] - mean
        squares += weights[k] * d * d
    return n, mean, squares


@njit(nogil=True)
def _write_class_moments(
    values: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
) -> None:
    """Write each class's mean and sum of squares about it, (n_classes, n_features)."""
    for f in range(len(starts)):
        for c in range(len(means)):
            run = slice(starts[f, c], starts[f, c + 1])
            _, means[c, f], squares[c, f] = _class_moments(values[run], weights[run])


@njit(nogil=True)
def _write_spreads(
    values: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    spreads: np.ndarray,
    constant: np.ndarray,
) -> None:
    """Write the spread ``A`` of each class (`xnbflow.density.bandwidth`); whether all are equal."""
    for f in range(len(starts)):
        for c in range(len(spreads)):
            run = slice(starts[f, c], starts[f, c + 1])
            x, w = values[run], weights[run]
            n, _, squares = _class_moments(x, w)
            spread = np.sqrt(squares / max(n - 1.0, 1.0))
            quartiles = _quantile(x, w, int(n), 0.75) - _quantile(x, w, int(n), 0.25)
            if quartiles > 0.0:
                spread = min(spread, quartiles / 1.349)
            constant[c, f] = x[0] == x[-1]
            if constant[c, f] or spread < SMALLEST_DEVIATION:
                spread = SMALLEST_SPREAD
            spreads[c, f] = spread


@njit(nogil=True)
def _quantile(values: np.ndarray, weights: np.ndarray, n: int, p: float) -> float:
    """Return Hazen's quantile of ``n`` values, of which each distinct one has its weight."""
    below, above, share = hazen(n, p)
    low, high = _value_of_rank(values, weights, below), _value_of_rank(values, weights, above)
    return low + share * (high - low)


@njit(nogil=True)
def _value_of_rank(values: np.ndarray, weights: np.ndarray, rank: int) -> float:
    """Return the value that has a rank, from 0, among all samples."""
    n_samples = 0.0  # up to this value
    for k in range(len(values)):
        n_samples += weights[k]
        if rank < n_samples:
            return values[k]
    return values[-1]


@njit(nogil=True)
def _sum_gaussians(
    values: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    bandwidths: np.ndarray,
    in_logs: bool,
    out: np.ndarray,
) -> None:
    """Write the densities (n_features, n_classes, n_grid) of Gaussian kernels.

    Sums are by powers, in pieces of the grid, as `xnbflow.density.grid` explains; where the step is
    wide against the bandwidth they are exact.
    """
    n_features, n_classes, n_grid = out.shape
    terms = np.empty(len(values))
    ratios = np.empty(len(values))
    for f in range(n_features):
        low, high = _range(values[starts[f, 0] : starts[f, -1]])
        step = (high - low) / (n_grid - 1)
        for c in range(n_classes):
            run = slice(starts[f, c], starts[f, c + 1])
            x = values[run]
            w = weights[run]
            h = bandwidths[c, f]
            if step > WIDEST_STEP * h:
                write_exact(x, w, h, np.linspace(low, high, n_grid), in_logs, out[f, c])
                continue
            # A piece spans at most 2 REACH bandwidths, so that its powers neither overflow nor
            # underflow; its anchor is its middle point.
            size = max(1, int(2.0 * REACH / max(2.0 * REACH / n_grid, step / h)))
            for first in range(0, n_grid, size):
                piece = out[f, c, first : first + size]
                anchor = low + (first + len(piece) // 2) * step
                _sum_powers(x, w, h, anchor, step, terms[: len(x)], ratios[: len(x)], piece)
            _normalise(out[f, c])


@njit(nogil=True)
def _range(values: np.ndarray) -> tuple[float, float]:
    """Return the least and the greatest of some values."""
    low = np.inf
    high = -np.inf
    for x in values:
        low = min(low, x)
        high = max(high, x)
    return low, high


@njit(nogil=True)
def _sum_powers(
    values: np.ndarray,
    weights: np.ndarray,
    h: float,
    anchor: float,
    step: float,
    terms: np.ndarray,
    ratios: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the sum of kernels at consecutive grid points; the middle one is the anchor.

    From the anchor upwards, and then from the point below it downwards.
    """
    middle = len(out) // 2
    s = step / h
    for direction in (1, -1):
        _first_terms(values, weights, h, anchor, s * direction, terms, ratios)
        g = middle
        if direction < 0:
            for i in range(len(terms)):
                terms[i] *= ratios[i]
            g -= 1
        while 0 <= g < len(out):
            current, following = _sum_two(terms, ratios)
            out[g] = current
            if 0 <= g + direction < len(out):
                out[g + direction] = following
            g += 2 * direction
    for g in range(len(out)):
        u = (g - middle) * s
        out[g] *= np.exp(-0.5 * u * u)


@njit(nogil=True, fastmath={"contract", "nsz"})
def _first_terms(
    values: np.ndarray,
    weights: np.ndarray,
    h: float,
    anchor: float,
    step: float,
    terms: np.ndarray,
    ratios: np.ndarray,
) -> None:
    """Write each value's kernel at the anchor, times its weight, and its factor per step."""
    per_h = 1.0 / h
    for i in range(len(terms)):
        u = min(max((values[i] - anchor) * per_h, -FARTHEST), FARTHEST)
        terms[i] = -0.5 * u * u
        ratios[i] = step * u
    exponentiate(terms)
    exponentiate(ratios)
    for i in range(len(terms)):
        terms[i] *= weights[i]


@njit(nogil=True, fastmath={"contract", "nsz", "reassoc"})
def _sum_two(terms: np.ndarray, ratios: np.ndarray) -> tuple[float, float]:
    """Return the sums of the terms before and after a step, and take them two steps further."""
    current = 0.0
    following = 0.0
    for i in range(len(terms)):
        term = terms[i]
        current += term
        term *= ratios[i]
        following += term
        terms[i] = term * ratios[i]
    return current, following


@njit(nogil=True)
def _sum_kernels(
    values: np.ndarray,
    weights: np.ndarray,
    starts: np.ndarray,
    bandwidths: np.ndarray,
    code: int,
    out: np.ndarray,
) -> None:
    """Write the densities (n_features, n_classes, n_grid) of any kernel."""
    n_features, n_classes, n_grid = out.shape
    for f in range(n_features):
        low, high = _range(values[starts[f, 0] : starts[f, -1]])
        step = (high - low) / (n_grid - 1)
        for c in range(n_classes):
            run = slice(starts[f, c], starts[f, c + 1])
            x = values[run]
            w = weights[run]
            h = bandwidths[c, f]
            terms = np.empty(len(x))
            # density at a point: sum_i w_i K((point - x_i) / h) / h
            for g in range(n_grid):
                for i in range(len(x)):
                    terms[i] = (low + g * step - x[i]) / h
                apply_kernel(code, terms)
                total = 0.0
                for i in range(len(x)):
                    total += w[i] * terms[i]
                out[f, c, g] = total / h
            _normalise(out[f, c])


@njit(nogil=True)
def _normalise(density: np.ndarray) -> None:
    """Divide a density by its sum, if there is one."""
    total = density.sum()
    for g in range(len(density)):
        density[g] = density[g] / total if total > 0.0 else 0.0
