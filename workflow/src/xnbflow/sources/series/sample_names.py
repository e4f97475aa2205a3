"""Names of samples: files of alignments, barcodes of TCGA, and patients in names."""

import re
from collections.abc import Sequence

#: Barcode of TCGA: project, site, participant, type of sample (01 tumour to 11 normal), vial.
BARCODE = re.compile(r"(TCGA)[-.](\w\w)[-.](\w{4})[-.](\d\d)\w?([-.].*)?")
#: The name of the column of patients of TCGA.
BARCODE_PATIENT = "barcode patient"
#: The name of the column of patients whose names are in the names of samples, beside the class.
NAME_PATIENT = "sample name patient"

#: What programs append to the name of a sample, the longest first.
_ENDINGS = re.compile(
    r"(\.?aligned\.sortedbycoord\.out|\.?aligned\.out|\.?aligned\.totranscriptome\.out|"
    r"_?readspergene\.out|\.markdup|\.dedup|\.sorted|\.sort|\.umi|[._-]counts?|[._-]htseq|"
    r"\.bam|\.sam|\.cram|\.txt|\.tsv|\.tab|\.csv|\.gz)$",
    re.IGNORECASE,
)
#: Endings of files of aligned reads, as featureCounts names its samples.
ALIGNMENTS = (".bam", ".sam", ".cram")
#: The name of a patient: letters and digits, or the number of a patient, and none of a replicate.
_PATIENT = re.compile(
    r"(?=.*[A-Z])(?=.*\d)[A-Z0-9-]+|(patient|case|subject|donor|individual)[ _.-]\d+",
    re.IGNORECASE,
)
#: The letters at the end of a name, as in ``P1_T`` and ``P1T``.
_LAST_WORD = re.compile(r"(?<=[\W\d_])[A-Za-z]+$")
_REPLICATE = re.compile(r"(rep|replicate|sample|batch|pool|lane|run|r|s|n)-?\d+", re.IGNORECASE)


def are_alignments(names: Sequence[str]) -> bool:
    """Return whether all names are files of aligned reads, as featureCounts names its samples.

    Examples
    --------
    >>> are_alignments(["run/S1.bam", "run/S2.BAM"]), are_alignments(["S1", "S2"])
    (True, False)
    """
    return bool(names) and all(name.lower().endswith(ALIGNMENTS) for name in names)


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


def name_patients(names: Sequence[str], pattern: re.Pattern[str]) -> list[str] | None:
    """Return the patient in each name beside its class, as in ``C3L-1_Tumor``; None without them.

    The ``pattern`` finds the class. What remains of every name is one word of letters and digits,
    or as ``patient 7``; it occurs in several samples, and never twice in one class. Numbers alone
    count replicates, and so do numbers that follow the class at once, as in ``C1dedup``.

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
        patient = (name[: match.start()] + name[match.end() :]).strip(" ,_.-")
        if not _PATIENT.fullmatch(patient) or _REPLICATE.fullmatch(patient):
            return None
        patients.append(patient)
        pairs.add((patient, match[0]))
    is_repeated = len(set(patients)) < len(patients)
    return patients if is_repeated and len(pairs) == len(names) else None


def patients_before_class(names: Sequence[str], labels: Sequence[str]) -> list[str] | None:
    """Return the patient in each name that ends in the class, as in ``P1_T``; None without them.

    The last letters of the names have one value for each label. What precedes them are patients by
    the conditions of `name_patients`.

    Examples
    --------
    >>> patients_before_class(["P1_T", "P1_N", "P2T", "P2N"], ["ill", "well", "ill", "well"])
    ['P1', 'P1', 'P2', 'P2']
    >>> patients_before_class(["P1a", "P1b", "P2a", "P2b"], ["ill", "ill", "well", "well"])
    """
    words = [match[0] for match in map(_LAST_WORD.search, names) if match is not None]
    if len(words) < len(names):
        return None
    n_pairs = len(set(zip(words, labels, strict=True)))
    if not n_pairs == len(set(words)) == len(set(labels)):
        return None
    return name_patients(names, _LAST_WORD)
