"""Whether samples to predict are on the scale of a model's training data.

Only the features are compared that both have, each sample by itself: on one scale, the largest
values of the samples are of one order of magnitude. Other differences of scale, as between
laboratories, are notes on the predictions (`xnbflow.models.prediction_notes`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.scale_recognition import OTHER_MAGNITUDE, recognise_scale
from xnbflow.sources.series.scales import (
    PROPOSED_COUNT_TRANSFORM,
    RecognisedScale,
    Transform,
    TransformSetting,
)
from xnbflow.sources.series.value_numbers import measure_values

#: Features by which samples are compared; of more, evenly spaced ones.
MOST_FEATURES = 2000
#: With fewer features that the model has as well, nothing is compared.
_FEWEST_FEATURES = 3
#: Transforms whose results are logarithms.
_LOGARITHMS = (Transform.LOG2, Transform.LOG2P1, Transform.LOG_CPM)
#: Values that need such a transform, also where they are as small as logarithms.
_NEVER_LOGGED = (
    RecognisedScale.COUNTS,
    RecognisedScale.ESTIMATED_COUNTS,
    RecognisedScale.TPM,
    RecognisedScale.CPM,
    RecognisedScale.FPKM,
    RecognisedScale.INTENSITIES,
)
#: Values that were divided by the size of the library.
_RELATIVE = (RecognisedScale.TPM, RecognisedScale.CPM, RecognisedScale.FPKM)


@dataclass(frozen=True, kw_only=True)
class ValuesOfSamples:
    """Values of samples with their names.

    ``values`` have the shape (n_features, n_samples). Of training samples they are the quartiles of
    each feature, which stand for three samples.
    """

    values: np.ndarray
    features: Sequence[str] | np.ndarray
    samples: Sequence[str] | np.ndarray = ()


def needed_transform(
    dataset: DatasetEntry,
    new: ValuesOfSamples,
    *,
    training: DatasetEntry | None,
    quartiles: ValuesOfSamples,
) -> TransformSetting:
    """Return the transform of the training data that new values still need; empty where none.

    Parameters
    ----------
    dataset : DatasetEntry
        The entry of the new samples, without ``transform``.
    new : ValuesOfSamples
        Their values as the file has them.
    training : DatasetEntry or None
        The entry of the training data, if it is known.
    quartiles : ValuesOfSamples
        Quartiles of the training data, as the model uses them.

    Raises
    ------
    InputError
        If only some of the samples are on the scale of the training data; for logarithms where
        these are not logged; for values that are not logged where these are, and their transform is
        unknown; and for values relative to the size of the library where these are counts of reads.

    Examples
    --------
    >>> names = ["TP53", "MYC", "ESR1"]
    >>> logged = ValuesOfSamples(
    ...     values=np.array([[7.0, 8.0, 9.0], [3.0, 4.0, 5.0], [9.0, 10.0, 11.0]]), features=names
    ... )
    >>> new = ValuesOfSamples(
    ...     values=np.array([[250.0], [15.0], [1100.0]]), features=names, samples=["s1"]
    ... )
    >>> training = DatasetEntry("training", "table", transform="log2")
    >>> entry = DatasetEntry("new", "table", "new.csv")
    >>> needed_transform(entry, new, training=training, quartiles=logged)
    'log2'
    """
    compared = _with_features_of_both(dataset, new, quartiles)
    if compared is None:
        return ""
    new_values, training_values = compared
    are_training_logged = not measure_values(training_values).exceed_logarithms
    is_other = are_on_other_scale(new_values, training_values)
    if is_other.any() and not is_other.all():
        _refuse_two_scales(
            dataset, np.asarray(new.samples)[is_other], len(is_other), are_raw=are_training_logged
        )
    unit = recognise_scale(
        new.values,
        samples=new.samples,
        features=new.features,
        file_name=Path(dataset.location).name,
        is_array=dataset.source == "geo",
    ).kind
    training_transform = training.transform_name if training else ""
    if training_transform == Transform.TMM and unit in _RELATIVE:
        msg = (
            f"{dataset.location} has {unit}, but the model was fitted to counts of reads. "
            "Give the counts"
        )
        raise InputError(msg, file=dataset.location)
    low, median, high = np.median(training_values, axis=0)
    typical = f"quartiles of a typical feature {low:.4g}, {median:.4g}, {high:.4g}"
    if is_other.all() and not are_training_logged:
        msg = (
            f"{dataset.location} has logarithms, but the model was fitted to values that are not "
            f"logged ({typical}). Give the values on the scale of the training data"
        )
        raise InputError(msg, file=dataset.location, key="transform")
    if training and training_transform in _LOGARITHMS:
        needs_transform = is_other.all() or unit in _NEVER_LOGGED
        return training.transform if training.transform and needs_transform else ""
    if is_other.all():
        description = f"{unit}" if unit in _NEVER_LOGGED else "values that are not logged"
        msg = (
            f"{dataset.location} has {description}, but the model was fitted to logarithms, or to "
            f"other values of their size ({typical}). Transform them as the training data were, by "
            "--set transform=log2 (intensities), transform=log2p1 (TPM, FPKM) or "
            f"transform={PROPOSED_COUNT_TRANSFORM} (counts)"
        )
        raise InputError(msg, file=dataset.location, key="transform")
    return ""


def are_on_other_scale(values: np.ndarray, training: np.ndarray) -> np.ndarray:
    """Return which samples are logged where training data are not, or the reverse, (n_samples,).

    Both are judged by the rule of GEO2R (`measure_values`), and their largest values must be of
    another order of magnitude. Whole numbers are no logarithms.

    Parameters
    ----------
    values : ndarray of float64, shape (n_features, n_samples)
        NaN where missing.
    training : ndarray of float64, shape (n_features, n_training)
        Values of the same features in the training data.

    Examples
    --------
    >>> values = np.array([[7.1, 140.0], [9.2, 590.0], [4.4, 21.5]])
    >>> are_on_other_scale(values, np.array([[7.0], [9.0], [5.0]])).tolist()
    [False, True]
    """
    of_training = measure_values(training)
    is_other = np.zeros(values.shape[1], dtype=bool)
    for position, sample in enumerate(values.T):
        of_sample = measure_values(sample[:, None])
        if of_sample.exceed_logarithms == of_training.exceed_logarithms:
            continue
        low, high = sorted([of_sample.quantile_99, of_training.quantile_99])
        is_whole = of_sample.share_of_whole == 1
        is_logged = not of_sample.exceed_logarithms
        is_other[position] = high > OTHER_MAGNITUDE * low and not (is_logged and is_whole)
    return is_other


def _with_features_of_both(
    dataset: DatasetEntry, new: ValuesOfSamples, quartiles: ValuesOfSamples
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the values of the features that new samples and a model have; None of too few.

    They are (n_compared, n_samples) and (n_compared, 3), unless probes have still to be collapsed
    to the genes of the model: then all values are compared.
    """
    row_of_feature = pd.Series(np.arange(len(new.features)), index=pd.Index(new.features))
    row_of_feature = row_of_feature[~row_of_feature.index.duplicated()]
    rows = row_of_feature.reindex(pd.Index(quartiles.features), fill_value=-1).to_numpy()
    shared = np.flatnonzero(rows >= 0)
    if len(shared) < _FEWEST_FEATURES:
        return (new.values, quartiles.values) if dataset.collapse else None
    n_compared = min(len(shared), MOST_FEATURES)
    shared = shared[np.linspace(0, len(shared) - 1, n_compared).astype(int)]
    return new.values[rows[shared]], quartiles.values[shared]


def _refuse_two_scales(
    dataset: DatasetEntry, others: np.ndarray, n_samples: int, *, are_raw: bool
) -> None:
    """Refuse samples of which only some are on the scale of the training data.

    ``others`` are the names of those that are not, and ``are_raw`` is whether these are not logged.
    """
    scales = ["logarithms", "values that are not logged"]
    of_training, of_others = scales if are_raw else reversed(scales)
    verb = either(len(others), "has", "have")
    msg = (
        f"{dataset.location}: {len(others)} of {counted(n_samples, 'sample')} {verb} {of_others} "
        f"({listed(list(map(str, others)))}), but the others and the training data have "
        f"{of_training}. Bring all samples to the scale of the training data"
    )
    raise InputError(msg, file=dataset.location)
