"""Levels of verdicts, and the reasons that limit them: the closed list of codes.

A verdict is the lowest level that one of its reasons allows. To add a reason, add its code here,
with the level that it allows; its sentence to `xnbflow.report.reasons`; and the condition to
`xnbflow.inference.verdicts`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

VerdictLevel = Literal["well supported", "partly supported", "cannot be judged", "not supported"]

#: The levels of verdicts, the best first.
VERDICT_LEVELS: tuple[VerdictLevel, ...] = (
    "well supported",
    "partly supported",
    "cannot be judged",
    "not supported",
)

#: The best level that a result with a reason can have, by the code of the reason. A verdict has its
#: reasons in this order.
ALLOWED: dict[str, VerdictLevel] = {
    "not fitted": "not supported",
    "chance interval": "not supported",
    "label test": "not supported",
    "many copies": "not supported",
    "column not separated": "cannot be judged",
    "column not examined": "cannot be judged",
    "many repeats": "cannot be judged",
    "selection": "cannot be judged",
    "values": "cannot be judged",
    "units": "cannot be judged",
    "majority class": "partly supported",
    "class not recognised": "partly supported",
    "classes not distinguished": "partly supported",
    "pair not separated": "partly supported",
    "pair not examined": "partly supported",
    "some copies": "partly supported",
    "some repeats": "partly supported",
    "library size": "partly supported",
    "missing values": "partly supported",
    "detection limit": "partly supported",
    "most features selected": "partly supported",
    "unstable": "partly supported",
    "stability unclear": "partly supported",
    "stability not tested": "partly supported",
    "cohort not held": "partly supported",
    "cohort threshold": "partly supported",
    "cohort labels": "partly supported",
}
#: The position of each code, in which reasons are shown.
_ORDER = {code: position for position, code in enumerate(ALLOWED)}


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A reason that limits a verdict: a code of `ALLOWED`, with the parts of its sentence.

    Attributes
    ----------
    code : str
    subject : str
        A column of the phenotype, or the second cohort.
    label, other : str
        The class, or pair of classes, that it concerns; `other` is also the class that samples of
        the class are most often mistaken for.
    estimate, lower, upper : float
        A number with its 95% interval; missing where there is none.
    limit : float
        What the number, or an end of its interval, is compared with.
    p : float
    count, total : float
        How many of how many: orders of the labels, samples, features, folds, or pairs of samples.
    """

    code: str
    subject: str = ""
    label: str = ""
    other: str = ""
    estimate: float = nan
    lower: float = nan
    upper: float = nan
    limit: float = nan
    p: float = nan
    count: float = nan
    total: float = nan

    @property
    def level(self) -> VerdictLevel:
        """The best level that a result with this reason can have."""
        return ALLOWED[self.code]

    def columns(self) -> dict[str, Any]:
        """Return the columns of the table ``reasons``, without the columns of the classifier."""
        fields = dict(vars(self))
        return {"class": fields.pop("label"), "level": self.level, **fields}


def lowest(levels: Iterable[VerdictLevel]) -> VerdictLevel:
    """Return the lowest of several levels, the best one without any.

    Examples
    --------
    >>> lowest(["partly supported", "not supported", "cannot be judged"])
    'not supported'
    >>> lowest([])
    'well supported'
    """
    return max(levels, key=VERDICT_LEVELS.index, default=VERDICT_LEVELS[0])


def in_order(reasons: Iterable[Reason]) -> list[Reason]:
    """Return reasons in the order of `ALLOWED`; reasons of one code keep their order."""
    return sorted(reasons, key=lambda reason: _ORDER[reason.code])
