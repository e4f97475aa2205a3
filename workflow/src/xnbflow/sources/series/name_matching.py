"""Names of samples in two files that differ by their spelling, matched to each other."""

import re
from collections.abc import Callable, Sequence

from xnbflow.sources.series.sample_names import BARCODE, plain_sample_names

#: Least number of different names of which one is a part of the other.
_LEAST_MATCHED = 3


def matched_names(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample if only their spelling differs.

    Folders and endings that programs append are removed (`plain_sample_names`), R's ``make.names``
    is undone (``X01.a`` of ``01-a``), small and capital letters, signs between words and zeros
    before a number are alike (`_spell_alike`), all names of one table have the same further ending,
    or each is a part of one name of the other table. If a sample has a row name already, only what
    `_spell_alike` makes alike may differ in the other names. The result is None if different names
    would become equal, and if neither all samples nor all row names match. Samples that do not
    match keep their names.

    Examples
    --------
    >>> matched_names(["/run/S1.bam", "/run/S2.bam"], ["S1", "S2", "S3"])
    ['S1', 'S2']
    >>> matched_names(["X1.a", "X2.a"], ["1-a", "2-a"]), matched_names(["S1", "S9"], ["S1", "S2"])
    (['1-a', '2-a'], None)
    """
    if not samples:
        return None
    if set(samples) & set(row_names):
        return _matched_by_letters(samples, row_names)
    for spell in (plain_sample_names, _spell_as_r, _spell_alike):
        spelled_samples = spell(list(samples))
        spelled_rows = spell(list(row_names))
        names = set(spelled_samples)
        rows = set(spelled_rows)
        if len(names) < len(samples) or len(rows) < len(row_names):
            continue
        if names <= rows or rows <= names:
            row_name_of = dict(zip(spelled_rows, row_names, strict=True))
            pairs = zip(spelled_samples, samples, strict=True)
            return [row_name_of.get(spelled, sample) for spelled, sample in pairs]
    return _matched_without_ending(samples, row_names) or _matched_by_parts(samples, row_names)


def _matched_by_parts(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample if one file has names of which the other has a part.

    The part is the beginning or the end of the longer name, up to a character that is neither a
    letter nor a digit, as the rest of a barcode or the name of a file. It is the part of one name
    alone, and all names of one file have their counterpart, at the same end.

    Examples
    --------
    >>> rows = ["GSM1_EB_0_A.CEL", "GSM2_EB_0_B.CEL", "GSM3_EB_0_C.CEL"]
    >>> _matched_by_parts(["GSM1", "GSM2", "GSM3"], rows)
    ['GSM1_EB_0_A.CEL', 'GSM2_EB_0_B.CEL', 'GSM3_EB_0_C.CEL']
    >>> _matched_by_parts(["S1.R1", "S2.R1", "S3.R2"], ["S1", "S2", "S3", "S4"])
    ['S1', 'S2', 'S3']
    >>> _matched_by_parts(["S1", "S2", "S3"], ["S1_a", "S1_b", "S2_a", "S3_a"]) is None
    True
    """
    if min(len(set(samples)), len(set(row_names))) < _LEAST_MATCHED:
        return None
    for ends in (_beginnings, _endings):
        sample_of_part = _names_by_part(samples, ends)
        row_of_part = _names_by_part(row_names, ends)
        row_of_sample = {}
        for sample in samples:
            # The sample is a part of one row name, or one of its parts is a row name.
            if len(row_of_part.get(sample, [])) == 1:
                row_of_sample[sample] = row_of_part[sample][0]
        if not row_of_sample:
            for row_name in row_names:
                if len(sample_of_part.get(row_name, [])) == 1:
                    row_of_sample[sample_of_part[row_name][0]] = row_name
        n_rows = len(set(row_of_sample.values()))
        are_distinct = n_rows == len(row_of_sample)
        is_complete = len(row_of_sample) == len(samples) or n_rows == len(row_names)
        if row_of_sample and are_distinct and is_complete:
            return [row_of_sample.get(sample, sample) for sample in samples]
    return None


def _names_by_part(names: Sequence[str], ends: Callable[[str], list[str]]) -> dict[str, list[str]]:
    """Return the names that have each part."""
    names_of_part: dict[str, list[str]] = {}
    for name in names:
        for part in ends(name):
            names_of_part.setdefault(part, []).append(name)
    return names_of_part


def _beginnings(name: str) -> list[str]:
    """Return the parts of a name up to a character that is no letter and no digit.

    Examples
    --------
    >>> _beginnings("S1.R1_input")
    ['S1', 'S1.R1']
    >>> _beginnings("TCGA-A1-A0SB-01A-11R")[-2:]
    ['TCGA-A1-A0SB-01A', 'TCGA-A1-A0SB-01']
    """
    parts = [name[: match.start()] for match in re.finditer(r"(?<=[^\W_])[\W_]", name)]
    # A barcode of TCGA ends at the type of the sample in many sheets, before its vial.
    if barcode := BARCODE.fullmatch(name):
        parts.append(name[: barcode.end(4)])
    return parts


def _endings(name: str) -> list[str]:
    """Return the parts of a name after a character that is no letter and no digit.

    Examples
    --------
    >>> _endings("run_S1.R1")
    ['S1.R1', 'R1']
    """
    return [name[match.end() :] for match in re.finditer(r"[\W_](?=[^\W_])", name)]


def _matched_without_ending(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample where all names of one table have a further ending.

    Examples
    --------
    >>> _matched_without_ending(["treated1", "untreated2"], ["treated1fb", "untreated2fb"])
    ['treated1fb', 'untreated2fb']
    """
    rows = set(row_names)
    row_ending = _common_ending(row_names)
    with_ending = [f"{sample}{row_ending}" for sample in samples]
    if row_ending and set(with_ending) <= rows:
        return with_ending
    sample_ending = _common_ending(samples)
    without_ending = [sample.removesuffix(sample_ending) for sample in samples]
    if sample_ending and set(without_ending) <= rows:
        return without_ending
    return None


def _common_ending(names: Sequence[str]) -> str:
    """Return the letters with which all of several names end."""
    if len(names) < 2:
        return ""
    ending = ""
    for letters in zip(*(reversed(name) for name in names), strict=False):
        if len(set(letters)) > 1:
            break
        ending = letters[0] + ending
    return ending


def _matched_by_letters(samples: Sequence[str], row_names: Sequence[str]) -> list[str] | None:
    """Return the row name of each sample where some are spelled otherwise (`_spell_alike`)."""
    spelled_rows = dict(zip(_spell_alike(row_names), row_names, strict=True))
    spelled_samples = _spell_alike(samples)
    if len(spelled_rows) < len(row_names) or len(set(spelled_samples)) < len(samples):
        return None
    pairs = zip(spelled_samples, samples, strict=True)
    names = [spelled_rows.get(spelled, sample) for spelled, sample in pairs]
    return None if names == list(samples) else names


def _spell_alike(names: Sequence[str]) -> list[str]:
    """Return names in small letters, with one sign between words, and numbers without zeros before.

    Spreadsheets make 1 of ``001``, and programs write other signs in place of spaces and hyphens.

    Examples
    --------
    >>> _spell_alike(["S01", "Patient  7", "ctrl_1", "dose 0.05", "100"])
    ['s1', 'patient.7', 'ctrl.1', 'dose.0.05', '100']
    """
    without_zeros = [re.sub(r"(?<![\d.])0+(?=\d)", "", name) for name in names]
    return [re.sub(r"[\s._-]+", ".", name.strip().lower()) for name in without_zeros]


def _spell_as_r(names: Sequence[str]) -> list[str]:
    """Return names as R's make.names writes them, without the X before a digit."""
    replaced = [re.sub(r"[^\w.]", ".", name) for name in names]
    return [re.sub(r"^X(?=\d)", "", name) for name in replaced]
