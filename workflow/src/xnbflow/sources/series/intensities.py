"""Intensities and counts become logarithms, or stay counts, by the key ``transform``."""

import numpy as np

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either
from xnbflow.data.dataset import row_slices
from xnbflow.data.note import Note
from xnbflow.sources.series.scales import RecognisedScale, ScaleOfValues, Transform


def transform(
    where: str,
    values: np.ndarray,
    how: Transform,
    *,
    recognised: ScaleOfValues,
    samples: np.ndarray,
    floor: float | None = None,
) -> list[str]:
    """Take logarithms of values (n_features, n_samples) in place, and return notes about it.

    ``how`` is one of `Transform` but ``NONE`` and ``TMM`` (`keep_counts`). With ``LOG2`` values of
    0 and below become missing, as in GEO2R; with a ``floor``, smaller values are raised to it.
    ``LOG_CPM`` divides by the sum of a sample (Robinson and Oshlack, Genome Biology 11, 2010, R25),
    without TMM factors, as a sample must not depend on others. Each sample is transformed by
    itself, so transforms may be applied before folds are drawn. ``recognised`` is the scale
    of the values (`recognise_scale`); errors name one of the ``samples``.
    """
    if how is Transform.LOG_CPM:
        return _log_cpm(f"{where}: transform: log_cpm", values, samples, recognised)
    if how is Transform.LOG2P1:
        lowest = np.fmin.reduce(values, axis=0, initial=0.0)
        worst = int(lowest.argmin())
        if lowest[worst] < 0:
            msg = (
                f"{where}: transform: log2p1 of {lowest[worst]:.4g} (sample "
                f"{quoted(str(samples[worst]))}); values must not be negative: correct them, or "
                "choose another transform"
            )
            raise InputError(msg, key="transform")
    argument = "x + 1" if how is Transform.LOG2P1 else "all values"
    notes = [f"logarithms to base 2 were taken of {argument}"]
    if recognised.is_logged:
        text = f"the values look logged already ({recognised.reason.finding})"
        notes.append(Note(text, advice=f"is transform: {how} meant?"))
    if recognised.kind is RecognisedScale.MIXED:
        notes.append(recognised.reason)
    n_lost = 0
    n_raised = 0
    for chunk in row_slices(values.shape):
        rows = values[chunk]
        if floor is not None:
            n_raised += int((rows < floor).sum())
            np.maximum(rows, floor, out=rows)
        if how is Transform.LOG2P1:
            np.add(rows, 1.0, out=rows)
        n_lost += int((rows <= 0).sum())
        rows[rows <= 0] = np.nan
        np.log2(rows, out=rows)
    if n_raised:
        values_raised = counted(n_raised, "value", "was", "were")
        notes.append(f"{values_raised} below {floor:g} and became {floor:g} before (floor)")
    if n_lost:
        values_lost = counted(n_lost, "value")
        notes.append(f"{values_lost} of 0 or below became missing: no logarithm exists")
    return notes


def keep_counts(
    where: str, values: np.ndarray, linear: np.ndarray, samples: np.ndarray
) -> list[str]:
    """Return notes on counts that stay as they are, and are normalised by TMM in the folds.

    ``values`` are (n_features, n_samples), ``linear`` (n_features,) whether a feature is linear.
    Negative or missing counts, samples without reads and features of other kinds are refused.
    """
    what = f"{where}: transform: tmm"
    n_other = int((~linear).sum())
    if n_other:
        msg = (
            f"{what} needs counts in all features, and {counted(n_other, 'feature')} of the "
            f"table {either(n_other, 'is an angle or a category', 'are angles or categories')}; "
            "use transform=log_cpm"
        )
        raise InputError(msg, key="transform")
    refuse_no_counts(what, values, samples)
    note = (
        "counts of reads are normalised by TMM in the training samples of each fold, and tested "
        "gene by gene with the weights of voom"
    )
    notes = [note]
    if (values != np.floor(values)).any():
        notes.append("the counts are not all whole numbers, as those estimated by salmon or RSEM")
    return notes


def _log_cpm(
    what: str, values: np.ndarray, samples: np.ndarray, recognised: ScaleOfValues
) -> list[str]:
    """Take log(1 + counts per million of the sample) of counts in place, and return notes."""
    notes = ["log(1 + counts per million of the sample) was taken of all values"]
    if recognised.kind not in (RecognisedScale.COUNTS, RecognisedScale.ESTIMATED_COUNTS):
        text = "the values do not look like counts of reads"
        notes.append(Note(text, advice="is transform: log_cpm meant?"))
    refuse_no_counts(what, values, samples)
    sizes = values.sum(axis=0)
    for chunk in row_slices(values.shape):
        rows = values[chunk]
        np.divide(rows, sizes, out=rows)
        np.multiply(rows, 1e6, out=rows)
        np.log1p(rows, out=rows)
    return notes


def refuse_no_counts(what: str, values: np.ndarray, samples: np.ndarray) -> None:
    """Refuse missing or negative counts, and samples without reads."""
    sizes = values.sum(axis=0)
    lowest = values.min(axis=0, initial=0.0)
    if np.isnan(sizes).any():
        n_missing = int(np.isnan(values).sum())
        msg = (
            f"{what}, but {counted(n_missing, 'count', 'is', 'are')} missing, without which the "
            "sum of a sample is unknown; write 0 where no read was found"
        )
        raise InputError(msg, key="transform")
    if (lowest < 0).any():
        worst = int(lowest.argmin())
        msg = (
            f"{what} of {lowest[worst]:.4g} (sample {quoted(str(samples[worst]))}); counts must "
            "not be negative: correct them, or choose another transform"
        )
        raise InputError(msg, key="transform")
    if (sizes == 0).any():
        sample = str(samples[int(np.argmin(sizes))])
        msg = (
            f"{what}: sample {quoted(sample)} has no counts at all; remove its column (or row) "
            "from the table, or its row from the phenotype file"
        )
        raise InputError(msg, key="transform")
