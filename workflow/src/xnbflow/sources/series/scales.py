"""The scales on which a table may have its values, and the transforms of data sets.

A scale is recognised by `xnbflow.sources.series.scale_recognition`; the transforms are those of
`xnbflow.sources.series.intensities`. Members are texts as tables and messages have them.
"""

from enum import StrEnum


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


#: The transform that is proposed for counts of reads.
PROPOSED_COUNT_TRANSFORM = Transform.TMM
