"""The scales on which a table may have its values, and the transforms of data sets.

A scale is recognised by `xnbflow.sources.series.scale_recognition`; the transforms are those of
`xnbflow.sources.series.intensities`. Members are texts as tables and messages have them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from xnbflow.data.note import Note


class RecognisedScale(StrEnum):
    """What the values of a table probably are.

    ``INTENSITIES`` are not logged, with 0 where nothing was measured. No transform fits ``MIXED``
    values: one of them recurs far from all others, or some samples are logged and others are not.
    Threshold ``CYCLES`` of PCR are logarithms whose direction is opposite to expression.
    ``FRACTIONS`` are shares of a whole, from 0 to 1 or as percentages, and no logarithms.
    """

    LOGARITHMS = "logarithms"
    LOGGED_TWICE = "logged twice"
    NOT_LOGGED = "not logged"
    INTENSITIES = "intensities"
    COUNTS = "counts"
    ESTIMATED_COUNTS = "estimated counts"
    TPM = "TPM"
    CPM = "CPM"
    FPKM = "FPKM"
    MIXED = "mixed"
    CYCLES = "threshold cycles"
    FRACTIONS = "fractions"


class Transform(StrEnum):
    """The values of the key ``transform``.

    Logarithms to base 2, of x and of x + 1; log(1 + counts per million of the sample); counts that
    remain as they are and are normalised by TMM in the training samples of each fold.
    """

    NONE = "none"
    LOG2 = "log2"
    LOG2P1 = "log2p1"
    LOG_CPM = "log_cpm"
    TMM = "tmm"


#: The values of the keys ``transform`` and ``missing``: a name, or a name with its number.
TransformSetting = str | dict[str, dict[str, float]]
MissingSetting = str | dict[str, float]
#: Bases of logarithms in sentences, by the values of the key ``scale``.
BASES = {"log2": "base 2", "ln": "base e", "log10": "base 10"}
#: The transform that is proposed for counts of reads.
PROPOSED_COUNT_TRANSFORM = Transform.TMM
#: Thresholds of intensities in publications, to which smaller values are raised.
FLOORS = (1, 16, 20, 100)
#: Scales whose values are used as they are.
_USABLE = (RecognisedScale.LOGARITHMS, RecognisedScale.CYCLES, RecognisedScale.FRACTIONS)


@dataclass(frozen=True, kw_only=True)
class ScaleOfValues:
    """The probable scale of a table of values, and the transform that is proposed for it.

    Attributes
    ----------
    kind : RecognisedScale
        The scale.
    reason : Note
        The numbers or names by which it was recognised, and what to do.
    transform : Transform or None
        The transform that makes logarithms of the values, or normalises counts.
    floor : int or None
        The value to which smaller ones are raised before, where some have no logarithm.
    missing : str, dict or None
        The key ``missing`` for values that become missing by the transform.
    base : {"", "log2", "ln", "log10"}
        The base of logarithms, as the key ``scale`` has it; empty if it is unknown.
    is_certain : bool
        Whether the values are those of genes, by their number, their names or themselves. The
        values of other tables look alike, but may be of anything: nothing is proposed for them.
    is_unlogged : bool
        Whether logarithms make the values comparable in a figure, whatever they are of.
    vary_alike : bool
        Whether there are as many features as in a panel, and one method may have measured them.
    """

    kind: RecognisedScale
    reason: Note
    transform: Transform | None = None
    floor: int | None = None
    missing: MissingSetting | None = None
    base: str = ""
    is_certain: bool = True
    is_unlogged: bool = False
    vary_alike: bool = False

    @property
    def is_logged(self) -> bool:
        """Whether the values can be used as they are: logarithms, or other values of their size."""
        return self.kind in _USABLE

    def settings(self) -> dict[str, Any]:
        """Return the keys of an entry that are proposed: ``transform``, ``missing``, ``scale``.

        Values that may be of anything, and not only of genes, get none.

        Examples
        --------
        >>> scale = ScaleOfValues(
        ...     kind=RecognisedScale.NOT_LOGGED, reason=Note(""), transform=Transform.LOG2, floor=20
        ... )
        >>> scale.settings()
        {'transform': {'log2': {'floor': 20}}}
        """
        if not self.is_certain:
            return {}
        if self.base:
            return {"scale": self.base}
        if self.transform is None:
            return {}
        transform: TransformSetting = self.transform.value
        if self.floor is not None:
            transform = {self.transform.value: {"floor": self.floor}}
        settings = {"transform": transform, "missing": self.missing}
        return {key: value for key, value in settings.items() if value is not None}
