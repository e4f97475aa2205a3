"""Tables of RNA-seq: units of their values, rows and columns that are not genes, names of samples.

Layouts: featureCounts (Liao and others, Bioinformatics 30, 2014), HTSeq (Anders and others,
Bioinformatics 31, 2015), STAR (Dobin and others, Bioinformatics 29, 2013), tximport (Soneson and
others, F1000Research 4, 2015), and nf-core/rnaseq, which writes tximport's tables.
"""

import re
from collections.abc import Sequence

import numpy as np

#: Columns of featureCounts that describe a gene.
FEATURE_COUNTS_COLUMNS = ("Chr", "Start", "End", "Strand", "Length")

#: What programs append to the name of a sample, the longest first.
_ENDINGS = re.compile(
    r"(\.?aligned\.sortedbycoord\.out|\.?aligned\.out|\.?aligned\.totranscriptome\.out|"
    r"_?readspergene\.out|\.markdup|\.dedup|\.sorted|\.sort|\.umi|[._-]counts?|[._-]htseq|"
    r"\.bam|\.sam|\.cram|\.txt|\.tsv|\.tab|\.csv|\.gz)$",
    re.IGNORECASE,
)
#: Barcode of TCGA: project, site, participant, type of sample (01 tumour to 11 normal), vial.
BARCODE = re.compile(r"(TCGA)[-.](\w\w)[-.](\w{4})[-.](\d\d)\w?([-.].*)?")
_ALIGNMENT = re.compile(r"\.(bam|sam|cram)$", re.IGNORECASE)
_ENSEMBL_VERSION = re.compile(r"(ENS[A-Z]*[GTP]\d{11})\.\d+(_PAR_Y)?")
_TALLIES = re.compile(
    r"__(no_feature|ambiguous|too_low_aqual|not_aligned|alignment_not_unique)|"
    r"N_(unmapped|multimapping|noFeature|ambiguous)",
    re.IGNORECASE,
)
#: Controls of Affymetrix, Agilent and NanoString, and the spike-ins of the ERCC.
_CONTROL = re.compile(
    r"AFFX[-_]|\([+-]\)|DarkCorner|GE_BrightCorner|ERCC-\d{5}$|(POS|NEG)_[A-H](\([\d.]+\))?$"
)
#: Names of a row or column of sums.
_TOTAL = re.compile("(grand[ _]?)?totals?|sums?", re.IGNORECASE)
#: The name of the column of patients of TCGA.
BARCODE_PATIENT = "barcode patient"
#: The name of the column of patients whose names are in the names of samples, beside the class.
NAME_PATIENT = "sample name patient"
#: The name of a patient: letters and digits, and no number of a replicate.
_PATIENT = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9-]+")
_REPLICATE = re.compile(r"(rep|replicate|sample|batch|pool|lane|run|r|s|n)-?\d+", re.IGNORECASE)


def is_control(name: str) -> bool:
    """Return whether a feature is a control of an array or a spike-in, by its name.

    Examples
    --------
    >>> is_control("AFFX-BioB-5_at"), is_control("ERCC-00002"), is_control("ERCC1")
    (True, True, False)
    """
    return _CONTROL.match(name) is not None


def is_total(name: str) -> bool:
    """Return whether a row or column is one of sums by its name.

    Examples
    --------
    >>> is_total("Total"), is_total("Grand Total"), is_total("SUMO1")
    (True, True, False)
    """
    return _TOTAL.fullmatch(name.strip()) is not None


def read_tallies(features: Sequence[str] | np.ndarray) -> list[str]:
    """Name the rows in which HTSeq and STAR tally reads that belong to no gene.

    Examples
    --------
    >>> read_tallies(["TP53", "__no_feature", "N_unmapped"])
    ['__no_feature', 'N_unmapped']
    """
    return [str(name) for name in features if _TALLIES.fullmatch(name)]


def plain_sample_names(names: Sequence[str]) -> list[str]:
    """Return names of samples without folders and without what programs append to them.

    Examples
    --------
    >>> plain_sample_names(["/data/S1.sorted.bam", "S2Aligned.sortedByCoord.out.bam", "S3"])
    ['S1', 'S2', 'S3']
    """
    return [_plain_sample_name(name) for name in names]


def _plain_sample_name(name: str) -> str:
    plain = re.split(r"[/\\]", name.strip())[-1]
    while match := _ENDINGS.search(plain):
        if match.start() == 0:
            break
        plain = plain[: match.start()]
    return plain


def barcode_patients(names: Sequence[str]) -> list[str] | None:
    """Return the patient of each of TCGA's barcodes; None where a name is no barcode.

    A barcode has project, site, participant, type of sample and vial.

    Examples
    --------
    >>> barcode_patients(["TCGA-A1-A0SB-01A", "TCGA.A1.A0SB.11A"]), barcode_patients(["S1"])
    (['TCGA-A1-A0SB', 'TCGA-A1-A0SB'], None)
    """
    matches = [BARCODE.fullmatch(name) for name in names]
    patients = ["-".join(match.group(1, 2, 3)) for match in matches if match is not None]
    return patients if patients and len(patients) == len(names) else None


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


def name_patients(names: Sequence[str], pattern: re.Pattern[str]) -> list[str] | None:
    """Return the patient in each name beside its class, as in ``C3L-1_Tumor``; None without them.

    The ``pattern`` finds the class. What remains of every name is one word of letters and digits;
    it occurs in several samples, and never twice in one class. Numbers alone count replicates, and
    so do numbers that follow the class at once, as in ``C1dedup``.

    Examples
    --------
    >>> names = ["C3L-1_Tumor", "C3L-1_Normal", "C3L-2_Tumor", "C3L-2_Normal"]
    >>> name_patients(names, re.compile("(Tumor|Normal)"))
    ['C3L-1', 'C3L-1', 'C3L-2', 'C3L-2']
    >>> name_patients(["case_1", "control_1", "case_2", "control_2"], re.compile("case|control"))
    >>> name_patients(["C1dedup", "E1dedup", "C2dedup", "E2dedup"], re.compile("[CE](?=[0-9])"))
    """
    patients = []
    pairs = set()
    for name in names:
        match = pattern.search(name)
        if match is None or name[match.end() :][:1].isdigit():
            return None
        patient = (name[: match.start()] + name[match.end() :]).strip(" _.-")
        if not _PATIENT.fullmatch(patient) or _REPLICATE.fullmatch(patient):
            return None
        patients.append(patient)
        pairs.add((patient, match[0]))
    is_repeated = len(set(patients)) < len(patients)
    return patients if is_repeated and len(pairs) == len(names) else None


def are_alignments(names: Sequence[str]) -> bool:
    """Return whether all names are files of aligned reads, as featureCounts names its samples."""
    return bool(names) and all(_ALIGNMENT.search(name) for name in names)


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
