"""The transform or the scale that is proposed for the values of a table, in words."""

from dataclasses import dataclass
from pathlib import Path

from xnbflow.core.nouns import listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.intensities import refuse_no_counts
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.scales import (
    BASES,
    FLOORS,
    PROPOSED_COUNT_TRANSFORM,
    RecognisedScale,
    ScaleOfValues,
    Transform,
)


@dataclass(frozen=True)
class ProposedScale:
    """An entry with ``transform`` or ``scale``, a sentence on it, and the recognised scale.

    The sentence is empty if nothing is proposed, and the scale None if the entry had one.
    """

    entry: DatasetEntry
    sentence: str = ""
    scale: ScaleOfValues | None = None


def propose_scale(entry: DatasetEntry, series: DataSet) -> ProposedScale:
    """Return the entry of a series with ``transform`` or ``scale``, by its values.

    These are recognised as a study has them, after missing values and repeated names were settled.
    As the reader does, a table with symbols is taken for one of genes, and only linear features
    have the scale.
    """
    if entry.scale or entry.transform:
        return ProposedScale(entry)
    name = Path(entry.location).name
    is_linear = series.kinds == "linear"
    annotation = series.feature_metadata
    recognised = recognise_scale(
        series.values if is_linear.all() else series.values[is_linear],
        samples=series.samples,
        features=series.features[is_linear],
        file_name=name,
        is_array=entry.source == "geo",
        are_genes=annotation is not None and "symbol" in annotation,
    )
    if recognised.transform == PROPOSED_COUNT_TRANSFORM:
        refuse_no_counts(f"data set {entry.id}: {name}", series.values, series.samples)
    if recognised.is_certain:  # values that may be of anything get no key
        entry = entry.with_defaults(**recognised.settings())
    return ProposedScale(entry, sentence_of(recognised), recognised)


def sentence_of(scale: ScaleOfValues) -> str:
    """Return the sentence on what is proposed for a scale; empty if values may be of anything.

    Values that vary as intensities of genes do, without names of genes, get a condition.

    Examples
    --------
    >>> import numpy as np
    >>> scale = recognise_scale(np.array([[20.0, 300.0, 9000.5]]), is_array=True)
    >>> sentence_of(scale)[:59]
    'The proposal is transform: log2: the values look like inten'
    """
    if not scale.is_certain:
        may_be_genes = scale.vary_alike and scale.kind is RecognisedScale.NOT_LOGGED
        return _sentence_of_other_names(scale) if may_be_genes else ""
    if scale.base:
        base = BASES[scale.base]
        return f"The proposal is scale: {scale.base}: the values are as logarithms to {base}."
    if scale.kind is RecognisedScale.LOGARITHMS:
        return (
            f"The base of the logarithms is not clear from the values ({scale.reason.finding}): "
            "differences are in their unit, without fold changes. If you know the base, use --set "
            "scale=log2 (or ln, log10)."
        )
    if scale.kind in (RecognisedScale.CYCLES, RecognisedScale.FRACTIONS):
        return f"{scale.reason[0].upper()}{scale.reason[1:]}."
    if scale.transform is None:
        return f"No transform is proposed: {scale.reason}."
    return _sentence_of_transform(scale)


def _sentence_of_other_names(scale: ScaleOfValues) -> str:
    """Return the sentence on values that look like intensities of features with other names."""
    setting = f"transform={scale.transform}"
    if scale.floor is not None:
        setting = f"'transform={flow_yaml({str(scale.transform): {'floor': scale.floor}})}'"
    return (
        "No transform is proposed, since the names of the features are not those of genes, but "
        f"{scale.reason.finding}: if they are intensities or reads of genes, use --set {setting}."
    )


def _sentence_of_transform(scale: ScaleOfValues) -> str:
    """Return the sentence on a transform, with its floor, and with a choice for counts."""
    settings = scale.settings()
    transform = flow_yaml(settings["transform"])
    proposal = f"The proposal is transform: {transform}"
    if scale.missing is not None:
        missing = flow_yaml(scale.missing)
        proposal = f"Proposed are transform: {transform} and missing: {missing}"
    sentence = f"{proposal}: {scale.reason.finding}"
    if scale.floor is not None:
        thresholds = f"of the usual thresholds {listed(list(map(str, FLOORS)))}"
        choice = f"the largest {thresholds} that is at most the noise"
        if scale.floor == FLOORS[0]:
            choice = f"the smallest {thresholds}"
        sentence += (
            "; some values are 0 or below, which have no logarithm, and become the floor with "
            f"all smaller ones: {scale.floor} is {choice}"
        )
    if scale.kind is RecognisedScale.ESTIMATED_COUNTS:
        sentence += "; if they are TPM or FPKM of some of the genes, use --set transform=log2p1"
    if scale.kind is RecognisedScale.COUNTS:
        sentence += "; if they are intensities of an array, use --set transform=log2"
        if scale.transform is Transform.LOG2P1:
            sentence += (
                ". The reads of a panel are not normalised, since selected genes may differ as "
                "a whole: divide them by those of reference genes before, or use --set "
                f"transform={PROPOSED_COUNT_TRANSFORM} if most genes do not differ"
            )
    return f"{sentence}."
