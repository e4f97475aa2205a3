"""Auslan: signs of Australian Sign Language, recorded by gloves and position trackers (UCI).

The UCI repository has two data sets of Auslan. The paper's has 2,565 instances of 95 signs, which
is 27 recordings of each sign: *Australian Sign Language signs (High Quality)*, ``tctodd.tar.gz``.
(The other one, ``allsigns.tar.gz``, has 6,650 recordings, of one hand with one angle.)

The archive has a folder per session, ``tctodd1`` to ``tctodd9``, and in it a file per recording,
``{sign}-{1, 2 or 3}.tsd``. A line of 22 numbers is a frame: for each of two hands the position (x,
y, z, in metres), the orientation (roll, pitch, yaw, in half-turns: 1 is 180 degrees) and the bend
of five fingers.

The paper does not print how recordings of different length become 60 angles and 60 linear features
(its Table 6). Six angles and six coordinates of two hands at ten times have these numbers, so here
ten frames of each recording are used, equally spaced from the first to the last, without the
fingers.
"""

import re
import tarfile
from dataclasses import dataclass
from typing import IO

import numpy as np

from xnbflow.core.errors import InputError, quoted
from xnbflow.data.dataset import DataSet
from xnbflow.papers.common.uci import UCI_URLS
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.places.downloads import Downloads

_PATH = "auslan2-mld/tctodd.tar.gz"
LOCATION = "high-quality"
N_FRAMES = 10

_HANDS = ("hand1", "hand2")
_COORDINATES = ("x", "y", "z")
_ANGLES = ("roll", "pitch", "yaw")
_FINGERS = ("thumb", "forefinger", "middle", "ring", "little")
#: The 22 numbers of a frame.
CHANNELS = [
    f"{hand}_{channel}" for hand in _HANDS for channel in (*_COORDINATES, *_ANGLES, *_FINGERS)
]
_RECORDING = re.compile(r"(?:.*/)?tctodd(\d+)/([^/]+)-(\d+)\.tsd")
#: In the first session the sign "his_hers" has another name.
_SAME_SIGN = {"her": "his_hers", "hers": "his_hers"}


@dataclass(frozen=True, kw_only=True)
class _Recording:
    """A recorded sign: ``frames`` have shape (n_frames, 22)."""

    session: int
    sign: str
    number: int
    frames: np.ndarray

    @property
    def name(self) -> str:
        """The name of the sample, as ``alive-2-3``: sign, session, number."""
        return f"{self.sign}-{self.session}-{self.number}"


def load(dataset: DatasetEntry, downloads: Downloads) -> DataSet:
    """Get the data set whose location is ``high-quality``.

    The key ``file`` is another name of the archive below the base URLs or in a folder. Features
    are named ``{hand}_{channel}_{frame}``, samples ``{sign}-{session}-{number}``.

    Raises
    ------
    InputError
        If the archive cannot be had, or is not the original.
    """
    if dataset.location != LOCATION:
        msg = (
            f"data set {dataset.id}: source auslan has no data set {quoted(dataset.location)}; the "
            f"location is {LOCATION}"
        )
        raise InputError(msg, key="name")
    path = dataset.options.get("file", _PATH)
    archive = downloads.fetch("auslan", path, default=UCI_URLS, sha256=dataset.sha256)
    with open_raw(archive) as stream:
        recordings = _read_recordings(stream, str(archive))
    recordings.sort(key=lambda recording: (recording.session, recording.sign, recording.number))

    values = []
    features: list[str] = []
    kinds: list[str] = []
    for position, channel in enumerate(CHANNELS):
        name = channel.partition("_")[2]
        if name in _FINGERS:
            continue
        at_frames = np.array(
            [_spaced_frames(recording.frames[:, position]) for recording in recordings]
        )
        is_angle = name in _ANGLES
        values.append((np.pi * at_frames if is_angle else at_frames).T)
        features += [f"{channel}_{frame}" for frame in range(1, N_FRAMES + 1)]
        kinds += ["angular" if is_angle else "linear"] * N_FRAMES
    return DataSet(
        dataset.id,
        values=np.concatenate(values),
        features=features,
        samples=[recording.name for recording in recordings],
        labels=[recording.sign for recording in recordings],
        kinds=kinds,
    )


def _spaced_frames(channel: np.ndarray) -> np.ndarray:
    """Return the values of ten frames, equally spaced from the first to the last.

    Frames are not interpolated: between angles of 179 and -179 degrees there is no mean of two
    numbers. A recording of fewer frames repeats some.

    Examples
    --------
    >>> _spaced_frames(np.arange(57.0)).tolist()
    [0.0, 6.0, 12.0, 19.0, 25.0, 31.0, 37.0, 44.0, 50.0, 56.0]
    """
    positions = np.linspace(0, len(channel) - 1, N_FRAMES)
    return channel[np.round(positions).astype(np.intp)]


def _read_recordings(stream: IO[bytes], archive: str) -> list[_Recording]:
    """Return the recordings in an archive; other files are ignored."""
    recordings = []
    try:
        with tarfile.open(fileobj=stream, mode="r|") as members:
            for member in members:
                matched = _RECORDING.fullmatch(member.name)
                if not matched or not member.isfile():
                    continue
                content = members.extractfile(member)
                text = content.read() if content else b""
                session, sign, number = matched.groups()
                recordings.append(
                    _Recording(
                        session=int(session),
                        sign=_SAME_SIGN.get(sign, sign),
                        number=int(number),
                        frames=_parse_frames(text, f"{archive}: {quoted(member.name)}"),
                    )
                )
    except tarfile.TarError as error:
        msg = f"{archive} is not a tar archive, or damaged ({error}); get the original file"
        raise InputError(msg, file=archive) from error
    if not recordings:
        msg = (
            f"{archive} has no recording such as tctodd1/alive-1.tsd; get the original file "
            "(allsigns.tar.gz is another data set)"
        )
        raise InputError(msg, file=archive)
    return recordings


def _parse_frames(text: bytes, place: str) -> np.ndarray:
    """Return the frames of a recording, shape (n_frames, 22)."""
    try:
        numbers = np.array(text.split(), dtype=np.float64)
    except ValueError:
        numbers = np.array([np.nan])
    n_channels = len(CHANNELS)
    if not len(numbers) or len(numbers) % n_channels or not np.isfinite(numbers).all():
        msg = f"{place} has no lines of {n_channels} numbers; get the original file"
        raise InputError(msg)
    return numbers.reshape(-1, n_channels)
