"""Data sets of the UCI Machine Learning Repository: Spambase, MAGIC, Arrhythmia, Covertype.

They are those of the papers on directional and on generalized naive Bayes; kinds of features are as
there. Samples are named by their row in the file, from 0.
"""

from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.downloads import Downloads
from xnbflow.data.sources.published import fetch_frame, numbers, refuse_empty, sample_rows
from xnbflow.data.sources.sheet import SheetRow

__all__ = ["BASE_URLS", "UCI", "load"]

#: Where the repository serves its files.
BASE_URLS = ("https://archive.ics.uci.edu/ml/machine-learning-databases",)

_SPAM_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses "
    "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
    "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
)
_SPAM_CHARACTERS = "SEMICOLON PARENTHESIS BRACKET EXCLAMATION DOLLAR HASH"
SPAMBASE = [
    *(f"wordFreq{word.upper()}" for word in _SPAM_WORDS.split()),
    *(f"charFreq{character}" for character in _SPAM_CHARACTERS.split()),
    *("capLengthAVE", "capLengthMAX", "capLengthTOTAL"),
]

MAGIC = [
    "fLength",
    "fWidth",
    "fSize",
    "fConc",
    "fConc1",
    "fAsym",
    "fM3Long",
    "fM3Trans",
    "fAlpha",
    "fDist",
]

_LEADS = ["DI", "DII", "DIII", "AVR", "AVL", "AVF", "V1", "V2", "V3", "V4", "V5", "V6"]
_WIDTHS = ["Q_width", "R_width", "S_width", "R'_width", "S'_width", "intrinsic_deflections"]
_ODDITIES = ["ragged_R", "diphasic_R", "ragged_P", "diphasic_P", "ragged_T", "diphasic_T"]
_AMPLITUDES = ["JJ", "Q", "R", "S", "R'", "S'", "P", "T", "QRSA", "QRSTA"]
_INTERVALS = ["QRS_duration", "PR_interval", "QT_interval", "T_interval", "P_interval"]
_VECTOR_ANGLES = [f"{wave}_angle" for wave in ["QRS", "T", "P", "QRST", "J"]]
ARRHYTHMIA = [
    *("age", "sex", "height", "weight"),
    *(*_INTERVALS, *_VECTOR_ANGLES, "heart_rate"),
    *(f"{lead}_{what}" for lead in _LEADS for what in _WIDTHS + _ODDITIES),
    *(f"{lead}_{what}_amplitude" for lead in _LEADS for what in _AMPLITUDES),
]
_ARRHYTHMIA_DISCRETE = {"sex", *(f"{lead}_{what}" for lead in _LEADS for what in _ODDITIES)}
_LEAST_DEVIATING_SHARE = 0.01

_COVERTYPE_QUANTITATIVE = [
    "Elevation",
    "Aspect",
    "Slope",
    "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology",
    "Horizontal_Distance_To_Roadways",
    "Hillshade_9am",
    "Hillshade_Noon",
    "Hillshade_3pm",
    "Horizontal_Distance_To_Fire_Points",
]
COVERTYPE = [
    *_COVERTYPE_QUANTITATIVE,
    *(f"Wilderness_Area_{area}" for area in range(1, 5)),
    *(f"Soil_Type_{soil}" for soil in range(1, 41)),
]
_COVERTYPE_LABELS = [
    *("spruce/fir", "lodgepole pine", "ponderosa pine", "cottonwood/willow"),
    *("aspen", "Douglas fir", "krummholz"),
]


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a data set whose location is one of `UCI`.

    Its options are ``rows`` and ``seed`` (a random sample of that many rows) and ``file`` (another
    name of the raw file below the base URLs or in a folder).

    Raises
    ------
    InputError
        If there is none of that name, or its file cannot be had or read.
    """
    if dataset.location not in UCI:
        msg = (
            f"data set {dataset.id}: no UCI data set {dataset.location!r} is known here; "
            f"use one of {', '.join(UCI)}, or source 'table'"
        )
        raise InputError(msg)
    path, columns, make = UCI[dataset.location]
    frame = fetch_frame(
        dataset,
        downloads,
        path,
        bases=BASE_URLS,
        columns=[*columns, "class"],
        text={"class"} if make is _magic else (),
        header=False,
    )
    refuse_empty(dataset, frame)
    return make(dataset, sample_rows(dataset, frame))


def _spambase(dataset: SheetRow, frame: pd.DataFrame) -> DataSet:
    """4,601 mails; names as in the paper on generalized naive Bayes, spam the second class."""
    values = numbers(dataset, frame[SPAMBASE])
    labels = _labels(dataset, frame, {0: "mail", 1: "spam"})
    return DataSet(dataset.id, values, SPAMBASE, frame.index, labels)


def _magic(dataset: SheetRow, frame: pd.DataFrame) -> DataSet:
    """19,020 showers; ``fAlpha``, the angle of the axis to the origin, in degrees."""
    values = numbers(dataset, frame[MAGIC])
    kinds = _kinds(MAGIC, angular={"fAlpha"})
    labels = _labels(dataset, frame, {"g": "gamma", "h": "hadron"})
    return DataSet(dataset.id, _in_radians(values, kinds), MAGIC, frame.index, labels, kinds)


def _arrhythmia(dataset: SheetRow, frame: pd.DataFrame) -> DataSet:
    """452 electrocardiograms, cleaned so that the paper's counts result (its Table 6).

    Of the rows those with a P wave's angle stay: 430. What else is missing becomes the mean of its
    column, of angles the circular mean; of the J point's angle that is most of it. Linear
    features that differ from their commonest value in less than 1 % of the rows are dropped: 26,
    so that 5 angular, 175 linear and 73 discrete features stay. Classes are normal or not.
    """
    frame = frame[frame["P_angle"].notna()]
    refuse_empty(dataset, frame)
    values = numbers(dataset, frame[ARRHYTHMIA], allow_missing=True)
    kinds = _kinds(ARRHYTHMIA, angular=set(_VECTOR_ANGLES), categorical=_ARRHYTHMIA_DISCRETE)
    values = _in_radians(values, kinds)
    used = []
    for row, kind in enumerate(kinds):
        missing = np.isnan(values[row])
        present = values[row, ~missing]
        deviating = len(present) - np.unique_counts(present).counts.max()
        if kind != "linear" or deviating >= _LEAST_DEVIATING_SHARE * len(frame):
            used.append(row)
        if kind == "angular":
            values[row, missing] = np.arctan2(np.sin(present).sum(), np.cos(present).sum())
        elif kind == "linear":
            values[row, missing] = present.mean()
        else:
            values[row] = np.unique(values[row], return_inverse=True)[1]
    labels = np.where(numbers(dataset, frame[["class"]])[0] == 1, "normal", "arrhythmia")
    features = np.array(ARRHYTHMIA)[used]
    return DataSet(dataset.id, values[used], features, frame.index, labels, kinds[used])


def _covertype(dataset: SheetRow, frame: pd.DataFrame) -> DataSet:
    """581,012 patches of forest; Aspect and Slope are angles in degrees (2 in Table 6)."""
    values = numbers(dataset, frame[COVERTYPE])
    discrete = set(COVERTYPE) - set(_COVERTYPE_QUANTITATIVE)
    kinds = _kinds(COVERTYPE, angular={"Aspect", "Slope"}, categorical=discrete)
    labels = _labels(dataset, frame, dict(enumerate(_COVERTYPE_LABELS, 1)))
    return DataSet(dataset.id, _in_radians(values, kinds), COVERTYPE, frame.index, labels, kinds)


#: Each data set's file below the base URLs, its feature columns, and its reader.
UCI = {
    "spambase": ("spambase/spambase.data", SPAMBASE, _spambase),
    "magic": ("magic/magic04.data", MAGIC, _magic),
    "arrhythmia": ("arrhythmia/arrhythmia.data", ARRHYTHMIA, _arrhythmia),
    "covertype": ("covtype/covtype.data.gz", COVERTYPE, _covertype),
}


def _kinds(
    features: list[str], *, angular: AbstractSet[str], categorical: AbstractSet[str] = frozenset()
) -> np.ndarray:
    names = np.array(features)
    is_angle, is_category = np.isin(names, list(angular)), np.isin(names, list(categorical))
    return np.where(is_angle, "angular", np.where(is_category, "categorical", "linear"))


def _in_radians(values: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    angular = kinds == "angular"
    values[angular] = np.deg2rad(values[angular])
    return values


def _labels(dataset: SheetRow, frame: pd.DataFrame, names: dict[Any, Any]) -> np.ndarray:
    labels = frame["class"].map(names)
    if labels.isna().any():
        row = labels.index[labels.isna()][0]
        msg = (
            f"data set {dataset.id}: row {row} (from 0) has the class {frame['class'][row]!r}, "
            f"not one of {', '.join(map(str, names))}; get the original file"
        )
        raise InputError(msg)
    return labels.to_numpy()
