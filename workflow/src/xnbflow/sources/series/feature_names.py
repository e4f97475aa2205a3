"""Names of features: identifiers, symbols in names, and rows that are no features.

Layouts: featureCounts (Liao and others, Bioinformatics 30, 2014), HTSeq (Anders and others,
Bioinformatics 31, 2015), STAR (Dobin and others, Bioinformatics 29, 2013), tximport (Soneson and
others, F1000Research 4, 2015), and nf-core/rnaseq, which writes tximport's tables.
"""

import re
from collections.abc import Sequence

#: Columns of featureCounts that describe a gene.
FEATURE_COUNTS_COLUMNS = ("Chr", "Start", "End", "Strand", "Length")
#: Names of a row or column of sums.
TOTAL = re.compile(r"\s*((grand[ _]?)?totals?|sums?)\s*", re.IGNORECASE)

#: Rows in which HTSeq and STAR tally reads that belong to no gene.
TALLY = re.compile(
    r"__(no_feature|ambiguous|too_low_aqual|not_aligned|alignment_not_unique)|"
    r"N_(unmapped|multimapping|noFeature|ambiguous)",
    re.IGNORECASE,
)
#: Controls of Affymetrix, Agilent and NanoString, and the spike-ins of the ERCC.
CONTROL = re.compile(
    r"(AFFX[-_]|\([+-]\)|DarkCorner|GE_BrightCorner).*|ERCC-\d{5}|(POS|NEG)_[A-H](\([\d.]+\))?"
)
#: An identifier of Ensembl with its version.
_ENSEMBL_VERSION = re.compile(r"(ENS[A-Z]*[GTP]\d{11})\.\d+(_PAR_Y)?")


def symbols_in_names(names: Sequence[str]) -> list[str] | None:
    """Return the gene symbols in names with a bar; None unless most names have one.

    RNA-seq by RSEM names genes as ``A1BG|1``, with NCBI's number after the bar and ``?`` for no
    symbol; StringTie as ``MSTRG.9|FTCD``, with the symbol after it, or without both.

    Examples
    --------
    >>> symbols_in_names(["A1BG|1", "NEK6|10783", "?|10357"])
    ['A1BG', 'NEK6', '']
    >>> symbols_in_names(["MSTRG.9|FTCD", "MSTRG.2|RDX", "MSTRG.3"])
    ['FTCD', 'RDX', '']
    """
    parts = [name.partition("|") for name in names]
    if 2 * sum(bool(bar) for _, bar, _ in parts) <= len(names):
        return None
    n_numbers = sum(last.isdecimal() for _, _, last in parts)
    is_first = 2 * n_numbers > len(names)
    symbols = [(first if is_first else last) if bar else "" for first, bar, last in parts]
    return ["" if symbol == "?" else symbol for symbol in symbols]


def without_version(names: Sequence[str]) -> list[str] | None:
    """Return Ensembl identifiers without their versions; None unless most names have one.

    The result is None also where two names would become equal.

    Examples
    --------
    >>> without_version(["ENSG00000141510.18", "ENSG00000012048.23"])
    ['ENSG00000141510', 'ENSG00000012048']
    """
    matches = [_ENSEMBL_VERSION.fullmatch(name) for name in names]
    if 2 * sum(match is not None for match in matches) <= len(names):
        return None
    plain = [
        name if match is None else match[1] + (match[2] or "")
        for name, match in zip(names, matches, strict=True)
    ]
    return plain if len(set(plain)) == len(set(names)) else None
