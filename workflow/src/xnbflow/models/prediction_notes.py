"""Warnings about predictions: missing features, another scale, samples unlike the training."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, either, listed, noun
from xnbflow.models.pipelines import normalisation_of_counts
from xnbflow.models.scale_of_samples import MOST_FEATURES
from xnbflow.models.trained import TrainedModel
from xnbflow.models.typicality import ATYPICAL
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.value_numbers import measure_values

#: Fewer reads, relative to the training samples, are probably no counts.
_FEWEST_READS = 0.02
#: Factors between these may be due to noise or to another mix of classes.
_LEAST_FACTOR = 2 / 3
_GREATEST_FACTOR = 3 / 2
#: Features whose median is further than this from the middle, in widths, determine a factor.
_FAR = 2.0
#: Fewest features that determine a factor.
_FEWEST_FEATURES = 3
#: Fewest samples that show a factor, and the share of them that must have it. In tables that are
#: not logged single samples are up to twice as bright as others, and few are 10 times as bright.
_FEWEST_SAMPLES = 4
_LEAST_AGREEMENT = 0.75
#: Least shift to report, in training quartile ranges.
_LEAST_SHIFT = 1.0
#: The same for fewer samples, whose medians vary more, and for those that are not logged.
_LEAST_SHIFT_OF_FEW = 2.0
_LEAST_UNLOGGED_SHIFT_OF_FEW = 4.0
#: What happens to one missing value, and to several, by the treatment of them.
_TREATMENT = {
    "error": (
        "is filled in as the model does with its training samples",
        "are filled in as the model does with its training samples",
    ),
    "impute": ("is replaced by its training median", "are replaced by their training medians"),
    "drop": ("is left out of the evidence", "are left out of the evidence"),
}


def prediction_notes(
    model: TrainedModel, X: pd.DataFrame, table: pd.DataFrame, lacking: np.ndarray, missing: str
) -> Iterator[str]:
    """Yield warnings about the predictions ``table`` of samples X.

    ``lacking`` (n_samples, n_used) is that of `xnbflow.models.alignment.AlignedSamples`,
    ``missing`` the resolved treatment of missing values.
    """
    yield from _notes_of_missing(model, lacking, missing)
    yield from _notes_of_scale(model, X)
    atypical = table.loc[table["atypical"], "sample"].to_numpy()
    if len(atypical):
        yield (
            f"{len(atypical)} of {len(table)} {noun(len(table), 'sample')} "
            f"{either(len(atypical), 'is', 'are')} unlike the training samples, beyond the "
            f"{ATYPICAL:.0%} point estimated from those "
            f"{len(model.typicality.held_out)} ({listed(atypical)}): predictions are unreliable"
        )


def _notes_of_missing(model: TrainedModel, lacking: np.ndarray, missing: str) -> Iterator[str]:
    """Yield what is missing, how it is treated, and the evidence that is left."""
    absent = lacking.all(axis=0)
    names = model.required[absent]
    if len(names) and missing != "error":
        yield (
            f"{len(names)} of the model's {len(model.used)} {noun(len(model.used), 'feature')} "
            f"{either(len(names), 'is', 'are')} missing and "
            f"{either(len(names), *_TREATMENT[missing])} "
            f"({listed(names)}){_losses_of_signatures(model, names)}"
        )
    single = lacking[:, ~absent | (missing == "error")]
    if single.any():
        n_samples = int(single.any(axis=1).sum())
        yield (
            f"{counted(single.sum(), 'value', 'is', 'are')} missing in {n_samples} of "
            f"{len(single)} {noun(len(single), 'sample')} and "
            f"{either(single.sum(), *_TREATMENT[missing])}"
        )
    if missing == "drop" and lacking.any():
        left = evidence_left(model, lacking)
        note = f"{left.mean():.0%} of the weight of the evidence is left"
        if np.ptp(left) > 0.0:
            note += f"; in the sample that lacks most, {left.min():.0%}"
        yield note


def _losses_of_signatures(model: TrainedModel, absent: np.ndarray) -> str:
    """Return the number of missing features of each class, if classes have their own features."""
    signature = model.signature
    if signature.empty:
        return ""
    is_absent = signature["feature"].isin(absent)
    by_class = is_absent.groupby(signature["class"], sort=False).agg(["sum", "size"])
    counts = [
        f"{label} {row['sum']} of {row['size']}" for label, row in by_class.iterrows() if row["sum"]
    ]
    return f"; signatures lose: {', '.join(counts)}"


def evidence_left(model: TrainedModel, lacking: np.ndarray) -> np.ndarray:
    """Return the share of the evidence's weight that samples have, (n_samples,), mean over classes.

    ``lacking`` (n_samples, n_used) is True where a value of a used feature is missing. Without
    weights in the signature every feature of a class has weight 1; without a signature all features
    have.
    """
    signature = model.signature
    if signature.empty:
        return 1.0 - lacking.mean(axis=1)
    weights = signature["weight"].astype(float).fillna(1.0)
    shares = weights / weights.groupby(signature["class"]).transform("sum")
    columns = pd.Index(model.required).get_indexer(signature["feature"])
    return ~lacking[:, columns] @ shares.to_numpy() / signature["class"].nunique()


def has_training_unit(model: TrainedModel, X: pd.DataFrame) -> bool:
    """Return whether the values of a table have the unit of the training data.

    They have another one, as intensities that are not logged or standardised values, if they are a
    multiple of the training data both in their typical value and in the differences of features. A
    shift, as between laboratories, changes no unit.
    """
    present, values = _compared_values(model, X)
    if normalisation_of_counts(model.estimator) is not None:
        return not list(_notes_of_scale(model, X))
    present = present[~np.isnan(values).all(axis=0)]
    medians = np.nanmedian(values[:, ~np.isnan(values).all(axis=0)], axis=0)
    lower, middle, upper = model.quartiles[:, present]
    if not (upper > lower).any() or np.median(middle) == 0:
        return True
    factor = _scale_factor(middle, medians, upper - lower)
    level = float(np.median(medians) / np.median(middle))
    factors = [level] if factor is None else [level, factor]
    return any(_LEAST_FACTOR < value < _GREATEST_FACTOR for value in factors)


def _compared_values(model: TrainedModel, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return some of the model's features that a table has, and their values.

    They are the positions in the model's features (n_compared,) and an array
    (n_samples, n_compared).
    """
    columns = X.columns.astype(str).get_indexer(model.features)
    present = np.flatnonzero(columns >= 0)
    n_compared = min(len(present), MOST_FEATURES)
    present = present[np.linspace(0, len(present) - 1, n_compared).astype(int)]
    cells = X.iloc[:, columns[present]]
    if cells.to_numpy().dtype.kind not in "fiu":  # texts are converted column by column
        cells = cells.apply(pd.to_numeric, errors="coerce")
    return present, cells.to_numpy(dtype=float)


def _notes_of_scale(model: TrainedModel, X: pd.DataFrame) -> Iterator[str]:
    """Yield how the scale of the table differs from the scale of the training data."""
    present, values = _compared_values(model, X)
    normaliser = normalisation_of_counts(model.estimator)
    if normaliser is None:
        note = _scale_note(model.quartiles[:, present], values)
        if note:
            yield f"the table is on another scale: {note}"
        return
    # reads of all features, estimated from the compared ones
    reads = np.nansum(values, axis=1) * (len(model.features) / max(1, len(present)))
    median_reads = np.median(reads)
    too_few = median_reads < _FEWEST_READS * normaliser.mean_size_
    recognised = recognise_scale(values.T, features=model.features[present])
    if too_few or recognised.is_logged or np.nanmin(values, initial=0.0) < 0:
        yield (
            f"the samples have {median_reads:,.0f} reads in the median, the training samples "
            f"{normaliser.mean_size_:,.0f}: the model needs counts of reads, not logarithms"
        )


def _scale_note(quartiles: np.ndarray, values: np.ndarray) -> str | None:
    """Return in words how a cohort's scale differs from the training data's; None if it does not.

    ``quartiles`` (3, n_features) are of the training samples, ``values`` (n_samples, n_features)
    the cohort's; missing ones do not count.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> training = rng.normal(8.0, 1.0, (50, 200)) + rng.normal(0, 2, 200)
    >>> quartiles = np.quantile(training, [0.25, 0.5, 0.75], axis=0)
    >>> _scale_note(quartiles, training[:20])
    >>> _scale_note(quartiles, 2 * training[:20])[:56]
    'its values are about 2.0 times those of the training dat'
    """
    if not values.size:
        return None
    present = ~np.isnan(values).all(axis=0)
    lower, middle, upper = quartiles[:, present]
    medians = np.nanmedian(values[:, present], axis=0)
    widths = upper - lower
    varies = widths > 0
    if not varies.any():
        return None
    factor = _scale_factor(middle, medians, widths)
    if factor is not None and _samples_agree(factor, middle, values[:, present], widths):
        times = f"{factor:.1f}" if 0.1 <= factor < 1000 else f"{factor:.1e}"
        return (
            f"its values are about {times} times those of the training data (medians of "
            f"{counted(present.sum(), 'feature')}); bring them to the training data's scale, "
            "or train with a rank transformation"
        )
    shift = np.median(np.abs(medians - middle)[varies] / widths[varies])
    least_shift = _LEAST_SHIFT
    if len(values) < _FEWEST_SAMPLES:
        are_unlogged = measure_values(quartiles).exceed_logarithms
        least_shift = _LEAST_UNLOGGED_SHIFT_OF_FEW if are_unlogged else _LEAST_SHIFT_OF_FEW
    if shift > least_shift:
        return (
            f"its medians lie {shift:.1f} training quartile ranges off, half of them further "
            f"({counted(varies.sum(), 'feature')}); the cohorts are not on one scale"
        )
    return None


def _samples_agree(
    factor: float, training: np.ndarray, values: np.ndarray, widths: np.ndarray
) -> bool:
    """Return whether a factor of the medians of samples is far from 1, and that of most samples.

    Intensities that are not logged differ between samples by the brightness of each array, so that
    one or a few samples show no other scale.
    """
    if len(values) < _FEWEST_SAMPLES or _LEAST_FACTOR < factor < _GREATEST_FACTOR:
        return False
    n_agreeing = 0
    for sample in values:
        present = ~np.isnan(sample)
        of_sample = _scale_factor(training[present], sample[present], widths[present])
        if of_sample is not None:
            is_beyond = of_sample >= _GREATEST_FACTOR if factor > 1 else of_sample <= _LEAST_FACTOR
            n_agreeing += is_beyond
    return n_agreeing >= _LEAST_AGREEMENT * len(values)


def _scale_factor(training: np.ndarray, cohort: np.ndarray, widths: np.ndarray) -> float | None:
    """Return the slope of cohort medians on training medians; None where medians hardly differ.

    The slope is the median over features with a low or high training median of the quotient of
    deviations from the middle. Where all features have about the same median it is the median of
    the quotients of the medians themselves, of features that are far from 0.
    """
    middle = np.median(training)
    far = np.abs(training - middle) > _FAR * np.median(widths)
    if far.sum() < _FEWEST_FEATURES:
        far_from_zero = np.abs(training) > _FAR * widths
        if far_from_zero.sum() < _FEWEST_FEATURES:
            return None
        return float(np.median(cohort[far_from_zero] / training[far_from_zero]))
    origin = np.median(cohort[~far]) if (~far).any() else np.median(cohort)
    return float(np.median((cohort[far] - origin) / (training[far] - middle)))
