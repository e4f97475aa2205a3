"""Measures of a sample: the columns that have the values, where each sample has several."""

import re
from collections import Counter
from collections.abc import Sequence

from xnbflow.core.errors import quoted
from xnbflow.core.nouns import either, listed

#: Words for what is measured of each sample, best first, and a column with such a word at its end.
#: They are those of GenomeStudio, MAS 5, MaxQuant, salmon, kallisto, RSEM and Cuffdiff.
_MEASURES = (
    "normalized abundance",
    "normalised abundance",
    "maxlfq",
    "lfq",
    "avg_signal",
    "min_signal",
    "max_signal",
    "signal log ratio",
    "signal",
    "tpm",
    "fpkm",
    "rpkm",
    "quantity",
    "abundance",
    "intensity",
    "numreads",
    "reads",
    "est_counts",
    "expected_count",
    "counts",
    "count",
    "ratio",
    "peptides",
    "psms",
    "coverage",
    "score",
    "effectivelength",
    "effective_length",
    "eff_length",
    "length",
    "conf_lo",
    "conf_hi",
    "status",
    "bead_stdev",
    "bead_stderr",
    "array_stdev",
    "array_stderr",
    "avg_nbeads",
    "narrays",
    "stderr",
    "stdev",
    "stat pairs used",
    "stat pairs",
    "detection",
    "pval",
    "p-value",
    "call",
)

_MEASURE = re.compile(
    rf"(.+?)((?:[ ._:|-]+(?:{'|'.join([*_MEASURES, 'spectral', 'normalized', 'unique', 'total'])}"
    r"|pval|razor))+)",
    re.IGNORECASE,
)

#: Names that are a measure alone, as GEO's tables of Illumina's arrays repeat them.
_MEASURE_ALONE = re.compile(
    rf"(?:(?:^|[ ._:|-]+)(?:{'|'.join([*_MEASURES, 'p', 'value'])}))+", re.IGNORECASE
)


def other_measures(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns of other measures where each sample has several, and a sentence.

    Some programs write several columns of each sample, such as BeadStudio ``S1.AVG_Signal`` and
    ``S1.Detection Pval``. The measure whose name is first in `_MEASURES` has the values.

    Examples
    --------
    >>> other_measures(["a Intensity", "b Intensity", "a Count", "b Count"])[0]
    ['a Count', 'b Count']
    >>> other_measures(["P1_T", "P1_N", "P2_T", "P2_N"])[0]
    []
    """
    repeated = _repeated_measures(names)
    if repeated:
        remark = (
            f"{quoted(repeated[0])} follows each sample and is left out (`drop`): the columns "
            "with the names of samples have the values."
        )
        return repeated, [remark]
    measure_of_name: dict[str, str] = {}
    samples_of_measure: dict[str, list[str]] = {}
    for name in names:
        match = _MEASURE.fullmatch(name)
        if match is None:
            return [], []
        measure_of_name[name] = match[2]
        samples_of_measure.setdefault(match[2], []).append(match[1])
    measures = list(samples_of_measure)
    samples = sorted(samples_of_measure[measures[0]]) if measures else []
    have_same_samples = all(sorted(samples_of_measure[m]) == samples for m in measures)
    if len(measures) < 2 or not have_same_samples:
        return [], []
    ranks = {}
    for measure in measures:
        words = measure.lower()
        ranks[measure] = next(i for i, word in enumerate(_MEASURES) if word in words)
    measure_of_values = min(measures, key=ranks.__getitem__)
    others = [name for name in names if measure_of_name[name] != measure_of_values]
    plain = {measure: measure.strip(" ._:|-") for measure in measures}
    left_out = listed([plain[measure] for measure in measures if measure != measure_of_values])
    remark = (
        f"Each sample has {len(measures)} columns; {quoted(plain[measure_of_values])} has the "
        f"values, and {left_out} {either(len(measures) - 1, 'is', 'are')} left out (drop)."
    )
    return others, [remark]


def _repeated_measures(names: Sequence[str]) -> list[str]:
    """Return the names of measures that every sample repeats without its own name.

    GEO's tables of Illumina's arrays have a column of a sample, and one ``Detection Pval`` after
    it. Names that are no such measure are those of the samples, each once.

    Examples
    --------
    >>> _repeated_measures(["S1", "Detection Pval", "S2", "Detection Pval"])
    ['Detection Pval']
    >>> _repeated_measures(["S1", "S1", "S2", "S2"])
    []
    """
    counts = Counter(names)
    repeated = [name for name, count in counts.items() if count > 1]
    n_samples = sum(count == 1 for count in counts.values())
    are_measures = all(_MEASURE_ALONE.fullmatch(name) for name in repeated)
    if repeated and are_measures and all(counts[name] == n_samples for name in repeated):
        return repeated
    return []
