"""Published data sets, of UCI and with angles: the samples, kinds and classes of the papers."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from toys import mistakes

from xnbflow.core.errors import InputError
from xnbflow.papers.common.published import numbers
from xnbflow.papers.common.uci import _ARRHYTHMIA, _UCI_SETS
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry

RNG = np.random.default_rng(0)


def get(folder, location, base=None, **changes):
    source = "uci" if location in _UCI_SETS else "angular"
    dataset = DatasetEntry(location, source, location, **changes)
    return acquire(
        dataset, downloads=folder / "downloads", base_urls={source: [str(base or folder)]}
    )


def lines(rows):
    return "".join(",".join(str(cell) for cell in row) + "\n" for row in rows).encode()


def test_magic_has_one_angle_in_radians(tmp_path):
    rows = [[*RNG.uniform(0, 90, 10).round(4), "gh"[row % 2]] for row in range(60)]
    (tmp_path / "magic04.data").write_bytes(lines(rows))
    series = get(tmp_path, "magic")
    assert list(series.kinds) == ["linear"] * 8 + ["angular", "linear"]
    np.testing.assert_allclose(series.values[8], [np.deg2rad(row[8]) for row in rows])
    np.testing.assert_array_equal(series.values[0], [row[0] for row in rows])
    assert list(series.labels[:2]) == ["gamma", "hadron"]
    assert list(series.samples[:2]) == ["0", "1"]


def test_rows_are_sampled_by_seed_and_keep_their_numbers(tmp_path):
    rows = [[*RNG.uniform(0, 90, 10).round(4), "gh"[row % 2]] for row in range(60)]
    (tmp_path / "magic04.data").write_bytes(lines(rows))
    first = get(tmp_path, "magic", options={"rows": 20, "seed": 1})
    again = get(tmp_path, "magic", options={"rows": 20, "seed": 1})
    other = get(tmp_path, "magic", options={"rows": 20, "seed": 2})
    numbers = [int(sample) for sample in first.samples]
    assert numbers == sorted(numbers)
    np.testing.assert_array_equal(first.values[0], [rows[number][0] for number in numbers])
    assert list(first.samples) == list(again.samples) != list(other.samples)
    with pytest.raises(InputError, match="rows is 61, but there are 60 rows"):
        get(tmp_path, "magic", options={"rows": 61})


def test_arrhythmia_is_cleaned_by_the_documented_rule(tmp_path):
    rows = RNG.integers(1, 90, (200, 280)).astype(object)
    rows[:, 279] = np.arange(200) % 3
    place = {name: _ARRHYTHMIA.index(name) for name in _ARRHYTHMIA}
    rows[3, place["P_angle"]] = "?"  # the row goes
    rows[5, place["heart_rate"]] = "?"  # becomes the mean
    rows[:, place["T_angle"]] = 170
    rows[100:, place["T_angle"]] = -150
    rows[7, place["T_angle"]] = "?"  # becomes the circular mean, about -170 degrees
    rows[:, place["age"]] = 50
    rows[0, place["age"]] = 51  # one of 199 rows is less than 1%
    rows[:, place["weight"]] = 80
    rows[:2, place["weight"]] = 81  # two of 199 are more
    rows[:, place["sex"]] = 1  # a category stays, constant or not
    (tmp_path / "arrhythmia.data").write_bytes(lines(rows))
    with pytest.warns(UserWarning, match=r"1 of 278 features is constant \(sex\)"):
        series = get(tmp_path, "arrhythmia")
    assert series.n_samples == 199
    assert "3" not in series.samples
    assert set(_ARRHYTHMIA) - set(series.features) == {"age"}
    row = dict(zip(series.features, series.values, strict=True))
    rates = np.delete(rows[:, place["heart_rate"]], [3, 5]).astype(float)
    assert row["heart_rate"][4] == pytest.approx(rates.mean())
    angles = np.deg2rad(np.delete(rows[:, place["T_angle"]], [3, 7]).astype(float))
    center = np.angle(np.exp(1j * angles).mean())
    assert row["T_angle"][6] == pytest.approx(center)
    assert set(series.labels) == {"normal", "arrhythmia"}
    assert (series.labels == "normal").sum() == np.sum(rows[:, 279] == 1)
    assert Counter(series.kinds) == {"angular": 5, "categorical": 73, "linear": 200}


@pytest.mark.parametrize(("location", "raw", "named"), mistakes("published"))
def test_what_is_not_the_original_is_refused(tmp_path, location, raw, named):
    name = {"magic": "magic04.data"}.get(location, f"{location}.csv")
    (tmp_path / name).write_text(raw)
    with pytest.raises(InputError) as error:
        get(tmp_path, location)
    assert named in str(error.value)


# Table 6 of the paper on directional naive Bayes (angular, linear, discrete features; classes;
# instances), for MAGIC its Table 2 (10 features, 10% angular); Spambase from its documentation.
PUBLISHED = {
    "spambase": ({"linear": 57}, 2, 4601),
    "magic": ({"angular": 1, "linear": 9}, 2, 19020),
    "covertype": ({"angular": 2, "linear": 8, "categorical": 44}, 7, 100_000),
    "arrhythmia": ({"angular": 5, "linear": 175, "categorical": 73}, 2, 430),
}


@pytest.mark.parametrize("location", PUBLISHED)
@pytest.mark.filterwarnings("ignore:.*features (is|are) constant")
def test_the_real_files_have_the_papers_counts(tmp_path, shared_data, location):
    options = {"file": "covtype_sample100000.data"} if location == "covertype" else {}
    series = get(tmp_path, location, base=shared_data / "uci", options=options)
    actual = Counter(series.kinds), len(series.classes), series.n_samples
    assert actual == PUBLISHED[location]


def test_without_a_seed_rows_are_those_of_seed_0(tmp_path):
    rows = [[*RNG.uniform(0, 90, 10).round(4), "gh"[row % 2]] for row in range(60)]
    (tmp_path / "magic04.data").write_bytes(lines(rows))
    without = get(tmp_path, "magic", options={"rows": 20})
    with_0 = get(tmp_path, "magic", options={"rows": 20, "seed": 0})
    assert list(without.samples) == list(with_0.samples)
    every = get(tmp_path, "magic", options={"rows": 60})
    assert list(every.samples) == [str(row) for row in range(60)]


@pytest.mark.parametrize("cell", ["", "?", "NA"])
def test_missing_cells_are_written_in_three_ways(tmp_path, cell):
    """Weather without a temperature is left out; a missing number elsewhere is an error."""
    header = "origin,month,temp,wind_dir,wind_speed\n"
    body = "".join(f"EWR,{month},{30 + month},{30 * month},{month}\n" for month in range(1, 10))
    (tmp_path / "weather.csv").write_text(f"{header}{body}EWR,1,{cell},90,5\n")
    assert get(tmp_path, "weather").n_samples == 9


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1.5, None], "'x' of row 1 .*missing; get the"),
        (["1.5", "inf"], "'inf', .* finite number; get the original"),
        (["a", "2"], "'x' of row 0 .* 'a', .* finite number"),
    ],
)
def test_a_cell_that_is_no_number_is_named(cells, message):
    with pytest.raises(InputError, match=message):
        numbers(DatasetEntry("x", "table", "x"), pd.DataFrame({"x": cells}))


def test_a_missing_number_may_be_allowed():
    frame = pd.DataFrame({"x": [1.5, None], "y": [3, 4]})
    actual = numbers(DatasetEntry("x", "table", "x"), frame, allow_missing=True)
    np.testing.assert_array_equal(actual, [[1.5, np.nan], [3, 4]])
