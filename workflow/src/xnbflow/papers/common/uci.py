"""Data sets of the UCI Machine Learning Repository: Spambase, MAGIC, Arrhythmia, Covertype, beans.

They are those of the papers on directional and on generalized naive Bayes, with kinds of features
as there, and Dry Bean, with which the XNB paper's authors begin their script. Samples are named by
their row in the file, from 0.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.data.dataset import DataSet
from xnbflow.papers.common.published import Published, load_published, numbers, refuse_empty
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Downloads

#: Where the repository serves its files.
UCI_URLS = ("https://archive.ics.uci.edu/ml/machine-learning-databases",)

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
    *("fLength", "fWidth", "fSize", "fConc", "fConc1"),
    *("fAsym", "fM3Long", "fM3Trans", "fAlpha", "fDist"),
]

_LEADS = ["DI", "DII", "DIII", "AVR", "AVL", "AVF", "V1", "V2", "V3", "V4", "V5", "V6"]
_WIDTHS = ["Q_width", "R_width", "S_width", "R'_width", "S'_width", "intrinsic_deflections"]
_ODDITIES = ["ragged_R", "diphasic_R", "ragged_P", "diphasic_P", "ragged_T", "diphasic_T"]
_AMPLITUDES = ["JJ", "Q", "R", "S", "R'", "S'", "P", "T", "QRSA", "QRSTA"]
_INTERVALS = ["QRS_duration", "PR_interval", "QT_interval", "T_interval", "P_interval"]
_VECTOR_ANGLES = [f"{wave}_angle" for wave in ["QRS", "T", "P", "QRST", "J"]]
_ARRHYTHMIA = [
    *("age", "sex", "height", "weight"),
    *(*_INTERVALS, *_VECTOR_ANGLES, "heart_rate"),
    *(f"{lead}_{measure}" for lead in _LEADS for measure in _WIDTHS + _ODDITIES),
    *(f"{lead}_{wave}_amplitude" for lead in _LEADS for wave in _AMPLITUDES),
]
_ARRHYTHMIA_DISCRETE = {"sex", *(f"{lead}_{oddity}" for lead in _LEADS for oddity in _ODDITIES)}
#: Linear features of which fewer rows differ from the commonest value are dropped.
_LEAST_DEVIATING_SHARE = 0.01

_QUANTITATIVE = [
    *("Elevation", "Aspect", "Slope"),
    *("Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology"),
    *("Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm"),
    "Horizontal_Distance_To_Fire_Points",
]
COVERTYPE = [
    *_QUANTITATIVE,
    *(f"Wilderness_Area_{area}" for area in range(1, 5)),
    *(f"Soil_Type_{soil}" for soil in range(1, 41)),
]
_COVERTYPE_LABELS = [
    *("spruce/fir", "lodgepole pine", "ponderosa pine", "cottonwood/willow"),
    *("aspen", "Douglas fir", "krummholz"),
]

#: Names as in the file: AspectRation is misspelt there.
DRY_BEAN = [
    *("Area", "Perimeter", "MajorAxisLength", "MinorAxisLength", "AspectRation", "Eccentricity"),
    *("ConvexArea", "EquivDiameter", "Extent", "Solidity", "roundness", "Compactness"),
    *("ShapeFactor1", "ShapeFactor2", "ShapeFactor3", "ShapeFactor4"),
]
_BEANS = ("BARBUNYA", "BOMBAY", "CALI", "DERMASON", "HOROZ", "SEKER", "SIRA")


def load(dataset: DatasetEntry, downloads: Downloads) -> DataSet:
    """Get a data set whose name is one of `_UCI_SETS`; see `load_published`."""
    return load_published(dataset, downloads, _UCI_SETS)


def _kinds(features: list[str], **special: Any) -> dict[str, str]:
    """Return each feature's kind; those in no list of ``special`` are linear.

    Examples
    --------
    >>> _kinds(["length", "angle"], angular=["angle"])
    {'length': 'linear', 'angle': 'angular'}
    """
    kinds = dict.fromkeys(features, "linear")
    for kind, names in special.items():
        kinds |= dict.fromkeys(names, kind)
    return kinds


def _cleaning(
    kinds: dict[str, str], labels: Mapping[Any, str]
) -> Callable[[DatasetEntry, pd.DataFrame], tuple[pd.DataFrame, dict[str, str]]]:
    """Return a function that turns degrees into radians and codes of classes into names."""

    def clean(dataset: DatasetEntry, frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
        label = frame["class"].map(labels)
        is_unknown = label.isna()
        if is_unknown.any():
            row = label.index[is_unknown][0]
            msg = (
                f"data set {dataset.id}: row {row} (from 0) has the class "
                f"{quoted(frame['class'][row])}, not one of {', '.join(map(str, labels))}; get the "
                "original file"
            )
            raise InputError(msg, key="class")
        angles = [name for name, kind in kinds.items() if kind == "angular"]
        return frame.assign(label=label, **np.deg2rad(frame[angles])), kinds

    return clean


def _beans(dataset: DatasetEntry, frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Name the classes of Dry Bean; rows keep their order, on which the script's folds depend."""
    clean = _cleaning(_kinds(DRY_BEAN), dict(zip(_BEANS, _BEANS, strict=True)))
    return clean(dataset, frame.rename(columns={"Class": "class"}))


def _arrhythmia(dataset: DatasetEntry, frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Clean 452 electrocardiograms so that the paper's counts result (its Table 6).

    The 430 rows with an angle of the P wave stay. Other missing values become the mean of their
    column, or the circular mean for angles (most values of the J point's angle). Linear features
    that differ from their commonest value in less than 1% of the rows are dropped: 26, so that 5
    angular, 175 linear and 73 discrete features stay. Classes are normal or not.
    """
    frame = frame[frame["P_angle"].notna()]
    refuse_empty(dataset, frame)
    kinds = _kinds(_ARRHYTHMIA, angular=_VECTOR_ANGLES, categorical=_ARRHYTHMIA_DISCRETE)
    values = numbers(dataset, frame[_ARRHYTHMIA], allow_missing=True)
    columns = {}
    for (name, kind), cells in zip(kinds.items(), values, strict=True):
        column = np.deg2rad(cells) if kind == "angular" else cells
        missing = np.isnan(column)
        present = column[~missing]
        if kind == "angular":
            column[missing] = np.arctan2(np.sin(present).sum(), np.cos(present).sum())
        elif kind == "categorical":
            column = np.unique(column, return_inverse=True)[1]
        else:
            deviating = len(present) - np.unique_counts(present).counts.max()
            if deviating < _LEAST_DEVIATING_SHARE * len(frame):
                continue
            column[missing] = present.mean()
        columns[name] = column
    columns["label"] = np.where(frame["class"] == 1, "normal", "arrhythmia")
    numbers(dataset, frame[["class"]])
    cleaned = pd.DataFrame(columns, index=frame.index)
    return cleaned, {name: kinds[name] for name in cleaned.columns[:-1]}


def _describe(
    path: str, features: list[str], clean: Callable[..., Any], text: tuple[str, ...] = ()
) -> Published:
    """Return the entry of a file without header, whose last column is the class."""
    return Published(
        path=path,
        columns=[*features, "class"],
        clean=clean,
        bases=UCI_URLS,
        text=text,
        header=False,
    )


#: Mails; showers (the axis' angle to the origin, in degrees); electrocardiograms; patches of forest
#: (aspect and slope are the two angles of Table 6). Names as in the papers.
_UCI_SETS = {
    "spambase": _describe(
        "spambase/spambase.data", SPAMBASE, _cleaning(_kinds(SPAMBASE), {0: "mail", 1: "spam"})
    ),
    "magic": _describe(
        "magic/magic04.data",
        MAGIC,
        _cleaning(_kinds(MAGIC, angular=["fAlpha"]), {"g": "gamma", "h": "hadron"}),
        text=("class",),
    ),
    "dry-bean": Published(
        path="00602/DryBeanDataset.zip",
        columns=[*DRY_BEAN, "Class"],
        clean=_beans,
        bases=UCI_URLS,
        text=("Class",),
        member="DryBeanDataset/Dry_Bean_Dataset.arff",
    ),
    "arrhythmia": _describe("arrhythmia/arrhythmia.data", _ARRHYTHMIA, _arrhythmia),
    "covertype": _describe(
        "covtype/covtype.data.gz",
        COVERTYPE,
        _cleaning(
            _kinds(
                COVERTYPE, angular=["Aspect", "Slope"], categorical=COVERTYPE[len(_QUANTITATIVE) :]
            ),
            dict(enumerate(_COVERTYPE_LABELS, 1)),
        ),
    ),
}
