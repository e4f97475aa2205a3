"""Missing values of a series: refused, their features dropped, or left to be imputed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from xnbflow.data.counts import counted, either
from xnbflow.data.errors import InputError
from xnbflow.data.sources.strips import strips

__all__ = ["MissingRule", "settle_missing"]

_NAMED = 10


@dataclass(frozen=True)
class MissingRule:
    """What to do about missing values: the sheet's option ``missing``.

    Attributes
    ----------
    action : {"refuse", "drop_features", "impute"}
    share : float
        Features with a larger share of missing values are dropped; all of those below stay, to be
        imputed. For ``impute`` 1: none but those without any value.
    """

    action: str = "refuse"
    share: float = 0.0

    @classmethod
    def parse(cls, text: str, where: str) -> "MissingRule":
        """Read ``refuse``, ``drop_features``, ``drop_features:<share>`` or ``impute``.

        Examples
        --------
        >>> MissingRule.parse("drop_features:0.2", "data set x")
        MissingRule(action='drop_features', share=0.2)
        """
        action, colon, share = text.partition(":")
        known = {"refuse": 0.0, "drop_features": 0.0, "impute": 1.0}
        try:
            number = float(share) if colon else known[action]
        except (KeyError, ValueError):
            number = -1.0
        if action not in known or not 0 <= number <= 1 or (colon and action != "drop_features"):
            msg = (
                f"{where}: the sheet's option missing is {text!r}; use refuse, impute, "
                "drop_features (all with a missing value) or drop_features:0.2 (those that miss "
                "more than that share of their values)"
            )
            raise InputError(msg)
        return cls(action, number)


def settle_missing(
    where: str,
    values: np.ndarray,
    features: Sequence[str] | np.ndarray,
    rule: MissingRule,
    first_place: Callable[[int, int], str] = lambda _feature, _sample: "",
) -> tuple[np.ndarray | None, bool, list[str]]:
    """Decide what becomes of missing values.

    Parameters
    ----------
    where : str
        Data set and file, for messages.
    values : ndarray of float64, shape (n_features, n_samples)
        NaN where a value is missing.
    features : sequence of str
        Their names.
    rule : MissingRule
    first_place : callable, optional
        Given the positions of a feature and a sample, says where the value stands in the file.

    Returns
    -------
    keep : ndarray of bool, shape (n_features,), or None
        Which features stay; None for all.
    missing : bool
        Whether values are still missing among those.
    notes : list of str
        What has been done, for people.

    Raises
    ------
    InputError
        If values are missing and may not; it lists the features by how many values they miss.
    """
    n_missing = np.array(
        [count for _, rows in strips(values) for count in np.isnan(rows).sum(axis=1)],
        dtype=np.intp,
    )
    affected = np.flatnonzero(n_missing)
    if not len(affected):
        return None, False, []
    text = _told(n_missing, affected, features, values.shape)
    if rule.action == "refuse":
        feature = int(affected[0])
        place = first_place(feature, int(np.argmax(np.isnan(values[feature]))))
        first = f", the first in {place}" if place else ""
        msg = (
            f"{where}: {text}{first}. Fill them in, or say in the sheet's options missing=impute "
            "(in the training folds), missing=drop_features, or missing=drop_features:0.2 (and "
            "impute the rest)"
        )
        raise InputError(msg)
    n_samples = values.shape[1]
    gone = (n_missing > rule.share * n_samples) | (n_missing == n_samples)
    notes = [f"missing values: {text}"]
    if gone.any():
        notes.append(
            f"{counted(gone.sum(), 'feature', 'was', 'were')} dropped for "
            f"{either(gone.sum(), 'its', 'their')} missing values"
        )
    left = int(n_missing[~gone].sum())
    if left:
        n_left = int((n_missing[~gone] > 0).sum())
        notes.append(
            f"{counted(left, 'missing value')} of {counted(n_left, 'feature')} "
            f"{either(left, 'remains', 'remain')}, to be imputed in the training "
            "folds"
        )
    if gone.all():
        msg = f"{where}: {text}; no feature is left"
        raise InputError(msg)
    return ~gone if gone.any() else None, left > 0, notes


def _told(
    n_missing: np.ndarray,
    affected: np.ndarray,
    features: Sequence[str] | np.ndarray,
    shape: tuple[int, int],
) -> str:
    worst = affected[np.argsort(-n_missing[affected], kind="stable")]
    named = ", ".join(f"{str(features[i])!r} ({n_missing[i]})" for i in worst[:_NAMED])
    rest = f", ... {len(worst) - _NAMED} more" if len(worst) > _NAMED else ""
    return (
        f"{counted(n_missing.sum(), 'value', 'is', 'are')} missing, in {len(affected)} of "
        f"{shape[0]} features "
        f"(of {counted(shape[1], 'sample')} each): {named}{rest}"
    )
