"""What each column of a table is, as the patterns in its row of the sheet say."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from xnbflow.data.errors import InputError
from xnbflow.data.sources.sheet_row import SheetRow

__all__ = ["FeatureKinds", "matches"]

_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}


@dataclass(frozen=True)
class FeatureKinds:
    """The sheet's patterns of names: what is no feature, and which features are of what kind.

    Attributes
    ----------
    drop, only, categorical : list of str
        Patterns of what is no feature; of what alone is, if there are any; of categories.
    angular : list of (str, float)
        Patterns of angles, each with its period.
    """

    drop: list[str]
    only: list[str]
    categorical: list[str]
    angular: list[tuple[str, float]]

    @classmethod
    def of(cls, dataset: SheetRow) -> "FeatureKinds":
        """Read the options of a row of the sheet.

        Raises
        ------
        InputError
            If an angle has no period.
        """
        return cls(
            dataset.names("drop"),
            dataset.names("features"),
            dataset.names("categorical"),
            [_period(dataset, text) for text in dataset.names("angular")],
        )

    @property
    def patterns(self) -> dict[str, list[str]]:
        """The patterns by the sheet's option that gives them."""
        angular = [pattern for pattern, _ in self.angular]
        return {
            "drop": self.drop,
            "features": self.only,
            "categorical": self.categorical,
            "angular": angular,
        }

    def is_feature(self, name: str) -> bool:
        """Return whether a column is a feature, going by its name."""
        if not self.drop and not self.only:
            return True
        if matches(name, self.drop):
            return False
        coded = [*self.categorical, *(pattern for pattern, _ in self.angular)]
        return not self.only or matches(name, [*self.only, *coded])

    def is_category(self, name: str) -> bool:
        """Return whether a feature's values are categories."""
        return matches(name, self.categorical)

    def period(self, name: str) -> float | None:
        """Return the period of a feature that is an angle."""
        return next((p for pattern, p in self.angular if matches(name, [pattern])), None)


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Return whether a name is one of some patterns with ``*`` and ``?``.

    Examples
    --------
    >>> matches("1007_s_at", ["*_at"]), matches("age", ["*_at"])
    (True, False)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _period(dataset: SheetRow, text: str) -> tuple[str, float]:
    """Split ``name:unit`` into the name and the period."""
    name, _, unit = text.rpartition(":")
    try:
        period = _PERIODS.get(unit) or float(unit)
    except ValueError:
        period = 0.0
    if not name or not 0 < period < math.inf:
        msg = (
            f"data set {dataset.id}: the sheet's option angular has {text!r}; write name:degrees, "
            "name:radians or name:<period>, say hour:24"
        )
        raise InputError(msg)
    return name, period
