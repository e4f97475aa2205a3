"""Plausibility: the meaning of columns of samples by their names."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.sources.formats.cell_texts import is_missing

_PATIENT = re.compile(
    r"(^| )(patients?|subjects?|individuals?|donors?|participants?|persons?|cases?|pairs?|"
    r"animals?|mouse|mice|rats?|family|twins?) ?(id|no|nr|num|number|code)?$",
    re.IGNORECASE,
)
#: Words in the names of columns that are classes.
_CLASS = re.compile(
    r"disease|diagnos|tumou?r|cancer|status|state|histolog|pathol|condition|phenotype|group|"
    r"subtype|class|type|label|treatment|genotype|outcome|response|stage|grade|dose|dosage",
    re.IGNORECASE,
)
#: Whole words in the names of columns of 0 and 1 that are classes.
_CASE_CONTROL = "case cases control controls affected responder"
#: Spellings of 0 and 1.
_BINARY = {"0": 0, "0.0": 0, "1": 1, "1.0": 1}
#: Names of a column of samples.
_SAMPLE_ID = re.compile(
    r"(sample|patient|subject|case|individual|donor)s?([ _.-]?(id|name|no|nr|number))?|id|name|"
    r"barcode|unnamed: 0",
    re.IGNORECASE,
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
#: Least number of groups that folds keep whole.
_GROUPS = 5
#: Least number of such groups of each class.
_GROUPS_OF_CLASS = 3
#: Names of the time to an event or to the last visit.
_EVENT_TIME = re.compile(
    r"(days?|weeks?|months?|years?|time)[\s_.\-]*(to|until)[\s_.\-]*"
    r"(death|event|relapse|recurrence|progression|last|follow|new|metastasis)|"
    r"^(os|pfs|dfs|rfs|efs|dss|ttp|dmfs|css)[\s_.\-]*(time|days?|weeks?|months?|years?|mo|yrs?)?$|"
    r"follow[\s_.\-]*up|survival",
    re.IGNORECASE,
)
#: Names of whether the event was seen.
_EVENT_STATUS = re.compile(
    r"vital[\s_.\-]*status|censor|"
    r"^(os|pfs|dfs|rfs|efs|dss|ttp|dmfs|css)[\s_.\-]*(status|event|code|cens.*)$|"
    r"(survival|death|event|relapse|recurrence|progression)[\s_.\-]*(status|event|indicator)|"
    r"^(dead|deceased|died|death|event)$",
    re.IGNORECASE,
)
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


def is_technical(name: str) -> bool:
    """Return whether a column's name means a batch: how, where or when samples were measured.

    Examples
    --------
    >>> [is_technical(name) for name in ("array_batch", "ScanDate", "plate2", "study site")]
    [True, True, True, True]
    >>> [is_technical(name) for name in ("primary site", "slice", "date of birth")]
    [False, False, False]
    """
    words = _words(name)
    if words & {*_TECHNICAL.split()}:
        return True
    for word, companions in _IN_COMPANY.items():
        if word in words and words <= {word, *companions.split()}:
            return True
    return False


def is_batch(name: str, cells: Sequence[str]) -> bool:
    """Return whether a column's name means a batch, except sites whose values are organs.

    Examples
    --------
    >>> is_batch("site", ["Ulm", "Kiel"]), is_batch("site", ["colon", "liver"])
    (True, False)
    """
    return is_technical(name) and not ("site" in _words(name) and _are_places_of_body(cells))


def is_event_time(name: str) -> bool:
    """Return whether a name means the time to an event, or of follow-up.

    Examples
    --------
    >>> [is_event_time(name) for name in ("days_to_death", "OS.time", "OS_months", "time point")]
    [True, True, True, False]
    """
    return _EVENT_TIME.search(name) is not None and not is_event_status(name)


def is_event_status(name: str, cells: Sequence[str] = ()) -> bool:
    """Return whether a name, or all values, mean that an event was seen or not.

    Examples
    --------
    >>> is_event_status("vital_status"), is_event_status("status", ["dead", "alive", "dead"])
    (True, True)
    >>> is_event_status("status", ["tumour", "normal"]), is_event_status("OS.event")
    (False, True)
    """
    if _EVENT_STATUS.search(name):
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


def is_class_name(name: str) -> bool:
    """Return whether a name has a word for classes of samples.

    Examples
    --------
    >>> is_class_name("tumour_type"), is_class_name("TP53")
    (True, False)
    """
    return _CLASS.search(name) is not None


def is_case_control(name: str) -> bool:
    """Return whether a column of 0 and 1 is one of classes by its name.

    Examples
    --------
    >>> [is_case_control(name) for name in ("case", "disease", "CASE1", "CASR")]
    [True, True, False, False]
    """
    return is_class_name(name) or bool(_whole_words(name) & {*_CASE_CONTROL.split()})


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


def is_sample_id(name: str) -> bool:
    """Return whether a column of this name has the names of the samples."""
    return _SAMPLE_ID.fullmatch(name) is not None


def is_patient(name: str) -> bool:
    """Return whether a name means patients, animals or pairs.

    Examples
    --------
    >>> is_patient("patient [id]"), is_patient("inpatient")
    (True, False)
    """
    words = re.sub(r"[\W_]+", " ", name).strip()
    return _PATIENT.search(words) is not None


def _whole_words(name: str) -> set[str]:
    """Return the words of a name in small letters.

    Digits are part of a word, as in BMI1, and so are hyphens, as in COMMD3-BMI1.
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)  # ScanDate is Scan Date
    return {word.lower() for word in re.split(r"[\s_.,;:()\[\]/]+", spaced)}


def _words(name: str) -> set[str]:
    """Return the words of a name in small letters."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)  # ScanDate is Scan Date
    return set(re.findall(r"[a-z]+", spaced.lower()))


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
    for name in filter(is_patient, map(str, sample_metadata)):
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
        if not is_batch(name, list(map(str, sample_metadata[name]))):
            continue
        present = sample_metadata[name][~sample_metadata[name].map(is_missing)]
        if 1 < present.nunique() <= len(present) / 2:
            return name
    return None
