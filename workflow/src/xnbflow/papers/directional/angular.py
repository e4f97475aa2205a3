"""Data sets with angles for the study of directional naive Bayes: proteins, weather, animals.

Proteins: the backbone dihedrals phi and psi of 420 chains from DSSP files, one line per residue in
sequence order, 360 where an angle is undefined. Weather: hourly observations at an airport, from
the R package nycflights13. Pigeons and swallows: bearings and headings of released birds by
treatment, from the R package circular.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.papers.common.published import Published, load_published, numbers, refuse_empty
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Downloads

#: The value of an undefined angle, in degrees.
_UNDEFINED = 360.0
#: Consecutive residues whose angles predict the structure of the middle one.
_WINDOW = 15
#: Classes of the eight structures of DSSP.
_STRUCTURES = {
    **dict.fromkeys("HGI", "helix"),
    **dict.fromkeys("EB", "strand"),
    **dict.fromkeys("TS", "turn"),
    "-": "coil",
}
_AIRPORT = "EWR"
_SEASONS = {"winter": (12, 1, 2), "spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11)}
_TEMPERATURES = ("low", "medium", "high")


def load(dataset: DatasetEntry, downloads: Downloads) -> DataSet:
    """Get a data set whose location is one of `_ANGULAR_SETS`; see `load_published`."""
    return load_published(dataset, downloads, _ANGULAR_SETS)


def _residues(dataset: DatasetEntry, frame: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """Return residues with angles in radians, and which have both."""
    degrees = numbers(dataset, frame[["phi", "psi"]])
    chain = frame["pdb"] + "_" + frame["chain"].fillna("")
    names = chain + "_" + frame["dssp_no"].map("{:.0f}".format)
    residues = pd.DataFrame(np.deg2rad(degrees.T), columns=["phi", "psi"], index=names)
    return residues, (degrees != _UNDEFINED).all(axis=0)


def _protein_helix(
    dataset: DatasetEntry, frame: pd.DataFrame
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Alpha helix (H) or another structure, by the angles of one residue."""
    residues, defined = _residues(dataset, frame)
    label = np.where(frame["ss8"] == "H", "helix", "other")
    return residues.assign(label=label)[defined], {"phi": "angular", "psi": "angular"}


def _protein_strand(
    dataset: DatasetEntry, frame: pd.DataFrame
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Alpha helix (H) or beta strand (E), of residues that are one of both.

    The paper's Protein1 has about as many instances, and as high an accuracy.
    """
    residues, defined = _residues(dataset, frame)
    label = frame["ss8"].map({"H": "helix", "E": "strand"}).to_numpy()
    used = defined & pd.notna(label)
    return residues.assign(label=label)[used], {"phi": "angular", "psi": "angular"}


def _protein_window(
    dataset: DatasetEntry, frame: pd.DataFrame
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Structure of the middle of 15 consecutive residues of a chain, by their 30 angles.

    A window is used if its residues are of one chain, numbered without a gap, and have all angles.
    """
    residues, defined = _residues(dataset, frame)
    chain = (frame["pdb"] + frame["chain"].fillna("")).to_numpy()
    number = frame["dssp_no"].to_numpy()
    first = np.arange(len(frame) - _WINDOW + 1)
    last = first + _WINDOW - 1
    n_undefined_before = np.cumsum(np.concatenate([[0], ~defined]))
    of_one_chain = chain[first] == chain[last]
    without_gap = number[last] - number[first] == _WINDOW - 1
    has_all_angles = n_undefined_before[last + 1] == n_undefined_before[first]
    starts = first[of_one_chain & without_gap & has_all_angles]
    rows = starts[:, None] + np.arange(_WINDOW)
    offsets = np.arange(_WINDOW) - _WINDOW // 2
    names = [f"{angle}{offset:+d}" for offset in offsets for angle in ("phi", "psi")]
    middle = rows[:, _WINDOW // 2]
    windows = pd.DataFrame(
        residues.to_numpy()[rows].reshape(len(rows), 2 * _WINDOW),
        columns=names,
        index=residues.index[middle],
    )
    label = frame["ss8"].map(_STRUCTURES).to_numpy()[middle]
    return windows.assign(label=label), dict.fromkeys(names, "angular")


def _weather(dataset: DatasetEntry, frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Low, medium or high temperature by wind and season, hourly for a year at one airport.

    As the paper's Temperature data: an angular, a linear and a discrete feature (of four values),
    three classes. Classes are thirds; hours without wind have no direction and are left out.
    """
    frame = frame[frame["origin"] == _AIRPORT]
    frame = frame[frame[["temp", "wind_dir", "wind_speed"]].notna().all(axis=1)]
    frame = frame[frame["wind_speed"] > 0]
    refuse_empty(dataset, frame)
    season_of_month: dict[int, int] = {}
    for code, months in enumerate(_SEASONS.values()):
        season_of_month |= dict.fromkeys(months, code)
    thirds = np.quantile(frame["temp"], [1 / 3, 2 / 3])
    clean = pd.DataFrame(
        {
            "wind_direction": np.deg2rad(frame["wind_dir"]),
            "wind_speed": frame["wind_speed"],
            "season": frame["month"].map(season_of_month),
            "label": np.array(_TEMPERATURES)[np.searchsorted(thirds, frame["temp"])],
        }
    )
    kinds = {"wind_direction": "angular", "wind_speed": "linear", "season": "categorical"}
    return clean, kinds


def _animals(dataset: DatasetEntry, frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Treatment of a bird by the direction it took, in degrees."""
    angle = next(column for column in frame.columns if column != "treatment")
    radians = np.deg2rad(numbers(dataset, frame[[angle]])[0])
    return pd.DataFrame({angle: radians, "label": frame["treatment"]}), {angle: "angular"}


_TEXT = ("pdb", "chain", "ss8", "origin", "treatment")
_NYCFLIGHTS = ("https://raw.githubusercontent.com/tidyverse/nycflights13/main/data-raw",)


def _proteins(clean: Callable[..., Any]) -> Published:
    """Return the entry of the dihedral angles, cleaned for one of the tasks."""
    columns = ("pdb", "chain", "dssp_no", "ss8", "phi", "psi")
    return Published(path="protein_dihedrals.tsv", columns=columns, clean=clean, text=_TEXT)


_ANGULAR_SETS = {
    "protein-helix": _proteins(_protein_helix),
    "protein-strand": _proteins(_protein_strand),
    "protein-window": _proteins(_protein_window),
    "weather": Published(
        path="weather.csv",
        columns=("origin", "month", "temp", "wind_dir", "wind_speed"),
        clean=_weather,
        bases=_NYCFLIGHTS,
        text=_TEXT,
    ),
    "pigeons": Published(
        path="pigeons.csv", columns=("treatment", "bearing"), clean=_animals, text=_TEXT
    ),
    "swallows": Published(
        path="swallows.csv", columns=("treatment", "heading"), clean=_animals, text=_TEXT
    ),
}
