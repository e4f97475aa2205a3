"""The array of a table of probes: recognised by their names, so that gene symbols can be added."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from xnbflow.data.note import Note

#: Least number of probes by which an array is recognised.
FEWEST_PROBES = 100
#: Least share of the names that have the form of an array's probes; the others are controls.
_LEAST_SHARE = 0.95
#: Share of an array's probes by which a whole table may differ, as control probes are left out.
_WHOLE = 0.01
#: Numbers of probes that differ by fewer are equal: readers leave out control probes.
_CONTROLS = 100
#: Control probes of Affymetrix, which all of its arrays have.
_CONTROL = "AFFX"
#: Names of probes of any array: of Affymetrix, Illumina and Agilent.
_PROBE = re.compile(r"\S+_at|ILMN_\d+|A_\d\d_P\d+|TC\w+\.hg\.1")
#: Names of probes of the arrays of ``platforms.toml``, some of which are numbers.
_PROBE_OR_NUMBER = re.compile(rf"{_PROBE.pattern}|\d+")
#: What needs the symbols of genes.
_NEEDS_SYMBOLS = "the sex check, gene sets and links to genes need gene symbols"


@dataclass(frozen=True, kw_only=True)
class Platform:
    """A commonly used array, an entry of ``platforms.toml``, which describes its keys."""

    accession: str
    name: str
    probes: int
    form: re.Pattern[str]
    characteristic: re.Pattern[str]
    megabytes: float

    def contains(self, names: Sequence[str]) -> bool:
        """Return whether names of features are probes of this array."""
        if len(names) > (1 + _WHOLE) * self.probes:
            return False
        n_matches = sum(self.form.fullmatch(name) is not None for name in names)
        return n_matches >= _LEAST_SHARE * len(names) and any(
            map(self.characteristic.fullmatch, names)
        )


@cache
def _platforms() -> tuple[Platform, ...]:
    """Return the arrays of ``platforms.toml``."""
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    platforms = []
    for accession, entry in entries.items():
        platform = Platform(
            accession=accession,
            name=entry["name"],
            probes=entry["probes"],
            form=re.compile(entry["form"]),
            characteristic=re.compile("|".join(entry["characteristic"])),
            megabytes=entry["megabytes"],
        )
        platforms.append(platform)
    return tuple(platforms)


def recognise_platform(features: Sequence[str]) -> Platform | None:
    """Return the array whose probes the features are; None for genes and unknown arrays.

    Arrays share probes. Of those that contain the features it is the one with the same number of
    probes (to 1 %, because control probes may be left out), else, for a filtered table, the
    largest, which has the symbols of all.

    Examples
    --------
    >>> probes = ["1007_s_at", *(f"{number}_at" for number in range(200001, 200200))]
    >>> recognise_platform(probes).accession
    'GPL96'
    >>> recognise_platform(["TP53", "MYC"] * 100) is None
    True
    """
    names = [str(name) for name in features if not str(name).startswith(_CONTROL)]
    if len(names) < FEWEST_PROBES:
        return None
    n_probes = sum(_PROBE_OR_NUMBER.fullmatch(name) is not None for name in names)
    if n_probes < _LEAST_SHARE * len(names):
        return None  # genes, which are not compared with every array
    platforms = [platform for platform in _platforms() if platform.contains(names)]
    if not platforms:
        return None

    def distance(platform: Platform) -> tuple[bool, int]:
        is_other = platform.probes != len(features)
        return is_other, round(abs(platform.probes - len(features)) / _CONTROLS)

    nearest = min(platforms, key=distance)  # of equal ones the commonest, the first of the list
    if abs(nearest.probes - len(features)) <= _WHOLE * nearest.probes:
        return nearest
    return max(platforms, key=lambda platform: platform.probes)


def are_probes(features: Sequence[str] | np.ndarray) -> bool:
    """Return whether names of features are names of probes, of whatever array.

    Examples
    --------
    >>> are_probes(["1007_s_at"] * 100), are_probes(["TP53"] * 100)
    (True, False)
    """
    n_probes = sum(_PROBE.fullmatch(str(name)) is not None for name in features)
    return len(features) >= FEWEST_PROBES and n_probes >= _LEAST_SHARE * len(features)


def probes_note(features: Sequence[str], platforms: str = "") -> Note | None:
    """Return a note on probes without gene symbols, with the line that adds them.

    ``platforms`` are the accessions that the file names, separated by spaces; with one, numbers
    are probes, too. The result is None for features that are no probes.
    """
    n_probes = sum(_PROBE_OR_NUMBER.fullmatch(name) is not None for name in features)
    if n_probes < _LEAST_SHARE * len(features):
        return None  # genes, which are not compared with every array
    platform = recognise_platform(features)
    accession = platform.accession if platform else ""
    accession = next(iter(platforms.split()), accession)
    has_numbers = accession and all(name.isdecimal() for name in features)
    if platform is None and not has_numbers and not are_probes(features):
        return None
    array = f" of {platform.name}" if platform else ""
    size = f" (a download of about {platform.megabytes:g} MB)" if platform else ""
    return Note(
        f"the features are probes{array} without gene symbols; {_NEEDS_SYMBOLS}",
        "without symbols",
        advice=(
            f"add annotation: {accession or 'GPL...'} to the data set{size}, or "
            "annotation: FILE, a table of probes and symbols"
        ),
    )
