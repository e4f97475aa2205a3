"""Auslan: its archive is downloaded, read frame by frame, and ten frames of each sign are used."""

import gzip
import io
import tarfile
from collections import Counter

import numpy as np
import pytest
from original_files import auslan_archive
from serving import serving

from xnbflow.core.errors import InputError
from xnbflow.papers.common.uci import UCI_URLS
from xnbflow.papers.directional import auslan
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, Shape

PATH = "auslan2-mld/tctodd.tar.gz"
#: Columns of a frame: the first hand's x and roll, the second hand's x and yaw.
X1 = 0
ROLL1 = 3
X2 = 11
YAW2 = 16


def recordings(n_frames=57):
    """Two signs in two sessions, three times each; x of the first hand counts the frames."""
    rng = np.random.default_rng(0)
    files = {}
    for session, signs in ((1, ("alive", "hers")), (2, ("alive", "his_hers"))):
        for sign in signs:
            for number in (1, 2, 3):
                frames = rng.uniform(-0.5, 0.5, (n_frames, 22)).round(6)
                frames[:, X1] = np.arange(n_frames) + 100 * len(files)
                files[f"tctodd{session}/{sign}-{number}.tsd"] = frames
    return files


def get(tmp_path, body, **changes):
    """Acquire the data set from a server on 127.0.0.1 that has UCI's layout."""
    row = DatasetEntry("auslan", "auslan", changes.pop("location", "high-quality"), **changes)
    with serving("ml", {PATH: [body]}) as server:
        return acquire(
            row,
            downloads=tmp_path / "downloads",
            base_urls={"auslan": [server.url]},
            retries=0,
        )


def test_ten_frames_of_each_recording_become_120_features(tmp_path):
    files = recordings()
    series = get(tmp_path, auslan_archive(files), shape=Shape(samples=12, features=120, classes=2))
    assert Counter(series.kinds) == {"angular": 60, "linear": 60}
    assert Counter(series.labels) == {"alive": 6, "his_hers": 6}
    row = dict(zip(series.features, series.values, strict=True))
    first = [row[f"hand1_x_{frame}"][0] for frame in range(1, 11)]
    assert first == [0, 6, 12, 19, 25, 31, 37, 44, 50, 56]
    assert not any("little" in name or "thumb" in name for name in series.features)


def test_angles_are_half_turns_and_columns_those_of_the_documentation(tmp_path):
    files = recordings()
    series = get(tmp_path, auslan_archive(files))
    sample = list(series.samples).index("alive-2-3")
    frames = files["tctodd2/alive-3.tsd"]
    row = dict(zip(series.features, series.values[:, sample], strict=True))
    assert row["hand1_roll_1"] == pytest.approx(np.pi * frames[0, ROLL1])
    assert row["hand2_yaw_10"] == pytest.approx(np.pi * frames[56, YAW2])
    assert row["hand2_x_3"] == frames[12, X2]


def test_the_sign_that_session_1_names_otherwise_is_one_class(tmp_path):
    series = get(tmp_path, auslan_archive(recordings()))
    assert "his_hers-1-2" in series.samples
    assert "his_hers-2-2" in series.samples


def test_a_recording_of_few_frames_repeats_some(tmp_path):
    series = get(tmp_path, auslan_archive(recordings(n_frames=3)))
    row = dict(zip(series.features, series.values[:, 0], strict=True))
    assert [row[f"hand1_x_{frame}"] for frame in range(1, 11)] == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]


def archive_of(name, body):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(body)
        archive.addfile(member, io.BytesIO(body))
    return out.getvalue()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (archive_of("allsigns/adam1/alive0.sign", b"1,2\n"), "allsigns.tar.gz is another data set"),
        (archive_of("tctodd1/alive-1.tsd", b"1\t2\n"), "alive-1.tsd' has no lines of 22 numbers"),
        (archive_of("tctodd1/alive-1.tsd", b"x " * 22), "alive-1.tsd' has no lines of 22 numbers"),
        (archive_of("tctodd1/alive-1.tsd", b"nan " * 22), "has no lines of 22 numbers"),
        (archive_of("tctodd1/alive-1.tsd", b""), "has no lines of 22 numbers"),
        (gzip.compress(b"x\ty\n" * 400), "is not a tar archive"),
        (auslan_archive(recordings())[:-2000], "broken"),
    ],
    ids=["all signs", "columns", "text", "nan", "empty", "no archive", "cut"],
)
def test_what_is_not_the_original_is_refused(tmp_path, body, message):
    with pytest.raises(InputError) as error:
        get(tmp_path, body)
    assert message in str(error.value)


def test_an_unknown_location_is_refused(tmp_path):
    with pytest.raises(InputError, match="'nintendo'; the location is high-quality"):
        get(tmp_path, auslan_archive(recordings()), location="nintendo")


def test_the_default_address_is_ucis():
    url = f"{UCI_URLS[0]}/{auslan._PATH}"
    expected = "https://archive.ics.uci.edu/ml/machine-learning-databases/auslan2-mld/tctodd.tar.gz"
    assert url == expected
