"""The meaning of columns of samples, by their names: classes, patients, batches, follow-up.

`meaning_of` returns what a name means. A rule that depends on values as well, as that of follow-up,
is a function of a name and its cells.
"""

import re
from collections.abc import Iterable, Sequence
from enum import Flag, auto

import numpy as np
import pandas as pd

from xnbflow.sources.formats.cell_texts import is_missing


class Meaning(Flag):
    """What the name of a column of samples means; a name may have several meanings."""

    CLASS = auto()
    CASE_CONTROL = auto()  # a whole word for a class of two
    SAMPLE = auto()  # the names of the samples
    PATIENT = auto()  # patients, animals or pairs
    TECHNICAL = auto()  # how, where or when samples were measured
    SITE = auto()  # a hospital, or a place in the body
    EVENT_TIME = auto()  # the time to an event, or to the last visit
    EVENT_STATUS = auto()  # whether the event was seen
    FOLLOW_UP = EVENT_TIME | EVENT_STATUS


#: The parts of a name that have a meaning.
_PATTERNS = {
    Meaning.CLASS: (
        r"disease|diagnos|tumou?r|cancer|status|state|histolog|pathol|condition|phenotype|group|"
        r"subtype|class|type|label|treatment|genotype|outcome|response|stage|grade|dose|dosage"
    ),
    Meaning.SAMPLE: (
        r"^((sample|patient|subject|case|individual|donor)s?([ _.-]?(id|name|no|nr|number))?|id|"
        r"name|barcode|unnamed: 0)$"
    ),
    Meaning.PATIENT: (
        r"(^|[\W_])(patients?|subjects?|individuals?|donors?|participants?|persons?|cases?|pairs?|"
        r"animals?|mouse|mice|rats?|family|twins?)[\W_]*(id|no|nr|num|number|code)?[\W_]*$"
    ),
    Meaning.EVENT_TIME: (
        r"(days?|weeks?|months?|years?|time)[\s_.\-]*(to|until)[\s_.\-]*"
        r"(death|event|relapse|recurrence|progression|last|follow|new|metastasis)|"
        r"^(os|pfs|dfs|rfs|efs|dss|ttp|dmfs|css)[\s_.\-]*"
        r"(time|days?|weeks?|months?|years?|mo|yrs?)?$|"
        r"follow[\s_.\-]*up|survival"
    ),
    Meaning.EVENT_STATUS: (
        r"vital[\s_.\-]*status|censor|"
        r"^(os|pfs|dfs|rfs|efs|dss|ttp|dmfs|css)[\s_.\-]*(status|event|code|cens.*)$|"
        r"(survival|death|event|relapse|recurrence|progression)[\s_.\-]*"
        r"(status|event|indicator)|"
        r"^(dead|deceased|died|death|event)$"
    ),
}
_MEANINGS = {meaning: re.compile(pattern, re.IGNORECASE) for meaning, pattern in _PATTERNS.items()}
#: Whole words in the names of columns of 0 and 1 that are classes. Digits are part of a word, as in
#: BMI1, and so are hyphens, as in COMMD3-BMI1.
_CASE_CONTROL = re.compile(
    r"(?<![^\s_.,;:()\[\]/])(cases?|controls?|affected|responder)(?![^\s_.,;:()\[\]/])"
)
#: Words in the names of columns for how, where or when a sample was measured.
_TECHNICAL = (
    "array batch batches beadchip center centre chip cohort dataset facility flowcell hospital hyb "
    "hybridisation hybridization institute institution instrument kit lab laboratory lane lot "
    "machine operator plate processing run scan scanner sentrix sequencer series slide technician"
)
#: Words that are technical only together with these: other sites are places in the body.
_IN_COMPANY = {
    "site": "clinical code collection enrolment id name no number recruitment study",
    "date": "assay experiment extraction measurement of preparation sample",
    "study": "accession code gse id name no number",
}
#: Spellings of 0 and 1.
_BINARY = {"0": 0, "0.0": 0, "1": 1, "1.0": 1}
#: Least number of groups that folds keep whole.
_GROUPS = 5
#: Least number of such groups of each class.
_GROUPS_OF_CLASS = 3
#: Words of values for the life status.
_LIFE = frozenset(["alive", "dead", "deceased", "living", "died", "censored"])
#: Tissues and organs, by which a column of sites is anatomical.
_ORGANS = (
    "abdomen adrenal anus appendix ascites axilla bladder blood bone bowel brain breast "
    "bronchus caecum cecum cerebellum cervix cheek colon cord duodenum ear esophagus eye face "
    "foot frontal gland gum hand head heart hip hippocampus ileum intestine jejunum kidney "
    "larynx left leg limb lip liver lobe lung lymph marrow metastasis mouth muscle neck nerve "
    "node nose oesophagus omentum oropharynx ovary palate pancreas parietal pelvis peritoneum "
    "pharynx pleura primary prostate rectum renal retina right scalp sigmoid skin spleen "
    "stomach temporal testis thigh thorax thymus thyroid tongue tonsil trachea trunk uterus "
    "vagina vulva"
)


def meaning_of(name: str) -> Meaning:
    """Return what the name of a column of samples means.

    Examples
    --------
    >>> meaning_of("tumour_type"), meaning_of("TP53")
    (<Meaning.CLASS: 1>, <Meaning: 0>)
    >>> [Meaning.CASE_CONTROL in meaning_of(name) for name in ("case", "CASE1", "CASR")]
    [True, False, False]
    >>> [Meaning.PATIENT in meaning_of(name) for name in ("patient [id]", "inpatient")]
    [True, False]
    >>> [Meaning.TECHNICAL in meaning_of(name) for name in ("array_batch", "ScanDate", "plate2")]
    [True, True, True]
    >>> [Meaning.TECHNICAL in meaning_of(name) for name in ("study site", "primary site", "slice")]
    [True, False, False]
    >>> [Meaning.EVENT_TIME in meaning_of(name) for name in ("days_to_death", "OS.time", "time")]
    [True, True, False]
    """
    meaning = Meaning(0)
    for possible, pattern in _MEANINGS.items():
        if pattern.search(name):
            meaning |= possible
    if Meaning.EVENT_STATUS in meaning:
        meaning &= ~Meaning.EVENT_TIME

    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()  # ScanDate is Scan Date
    if _CASE_CONTROL.search(spaced):
        meaning |= Meaning.CASE_CONTROL
    words = set(re.findall(r"[a-z]+", spaced))
    is_in_company = any(
        word in words and words <= {word, *companions.split()}
        for word, companions in _IN_COMPANY.items()
    )
    if is_in_company or words & {*_TECHNICAL.split()}:
        meaning |= Meaning.TECHNICAL
    if "site" in words:
        meaning |= Meaning.SITE
    return meaning


def is_technical(name: str) -> bool:
    """Return whether a column's name means a batch: how, where or when samples were measured.

    Examples
    --------
    >>> is_technical("study site"), is_technical("date of birth")
    (True, False)
    """
    return Meaning.TECHNICAL in meaning_of(name)


def is_follow_up(name: str, cells: Iterable[str]) -> bool:
    """Return whether a column is the time to an event, or whether it was seen, by name or values.

    Examples
    --------
    >>> is_follow_up("days_to_death", ["40", "90"]), is_follow_up("age", ["40", "90"])
    (True, False)
    >>> is_follow_up("status", ["dead", "alive", "NA"]), is_follow_up("status", ["tumour"])
    (True, False)
    """
    if meaning_of(name) & Meaning.FOLLOW_UP:
        return True
    words = {cell.strip().lower() for cell in cells if not is_missing(cell)}
    return bool(words) and words <= _LIFE


def _are_places_of_body(cells: Sequence[str]) -> bool:
    """Return whether most values name an organ or another place in the body.

    Examples
    --------
    >>> _are_places_of_body(["colon", "liver", "left lung"]), _are_places_of_body(["Ulm", "Kiel"])
    (True, False)
    """
    organs = set(_ORGANS.split())
    values = {cell for cell in cells if not is_missing(cell)}
    n_places = 0
    for value in values:
        words = re.findall(r"[a-z]+", value.lower())
        if organs.intersection(words):
            n_places += 1
    return 2 * n_places > len(values)


def binary_counts(cells: Sequence[str]) -> tuple[int, int] | None:
    """Return how many cells are 0 and 1; None if one has another value, or all the same.

    Examples
    --------
    >>> binary_counts(["1", "0.0", "NA", "1"]), binary_counts(["1", "2"]), binary_counts(["1"])
    ((1, 2), None, None)
    """
    counts = [0, 0]
    for cell in map(str.strip, cells):
        if cell in _BINARY:
            counts[_BINARY[cell]] += 1
        elif not is_missing(cell):
            return None
    return (counts[0], counts[1]) if all(counts) else None


def suggested_group(
    sample_metadata: pd.DataFrame,
    labels: Sequence[str] | np.ndarray,
    least: tuple[int, int] = (_GROUPS, _GROUPS_OF_CLASS),
) -> str | None:
    """Return the column that names patients and whose values repeat, None if there is none.

    Every sample has a patient, and there is a least number of patients, also of each class (else
    folds would train without a class).

    Examples
    --------
    >>> table = pd.DataFrame({"age": list("556677889"), "patient": list("abcdefabc")})
    >>> suggested_group(table, list("tttnnnttt"))
    'patient'
    """
    least_groups, least_of_class = least
    for name in map(str, sample_metadata):
        if Meaning.PATIENT not in meaning_of(name):
            continue
        cells = pd.Series(list(sample_metadata[name]), dtype=object)
        if cells.map(is_missing).any() or not least_groups <= cells.nunique() < len(cells):
            continue
        n_of_class = cells.groupby(list(labels)).nunique()
        if n_of_class.min() >= least_of_class:
            return name
    return None


def suggested_batch(sample_metadata: pd.DataFrame) -> str | None:
    """Return the first technical column whose values repeat, None if there is none.

    Examples
    --------
    >>> suggested_batch(pd.DataFrame({"chip": list("abcd"), "plate": list("aabb")}))
    'plate'
    """
    for name in map(str, sample_metadata):
        meaning = meaning_of(name)
        if Meaning.TECHNICAL not in meaning:
            continue
        if Meaning.SITE in meaning and _are_places_of_body(list(map(str, sample_metadata[name]))):
            continue
        present = sample_metadata[name][~sample_metadata[name].map(is_missing)]
        if 1 < present.nunique() <= len(present) / 2:
            return name
    return None
