"""Published data sets, of UCI and with angles: the samples, kinds and classes of the papers."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from toys import mistakes, refused

from xnbflow.core.errors import InputError
from xnbflow.sources.acquisition import acquire
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.uci import ARRHYTHMIA, UCI

RNG = np.random.default_rng(0)


def get(folder, location, base=None, **changes):
    source = "uci" if location in UCI else "angular"
    dataset = SheetRow(location, source, location, **changes)
    return acquire(
        dataset, downloads=folder / "downloads", base_urls={source: [str(base or folder)]}
    )


def lines(rows):
    return "".join(",".join(str(cell) for cell in row) + "\n" for row in rows).encode()


def magic_rows(n_rows=60):
    return [[*RNG.uniform(0, 90, 10).round(4), "gh"[row % 2]] for row in range(n_rows)]


def test_magic_has_one_angle_in_radians(tmp_path):
    rows = magic_rows()
    (tmp_path / "magic04.data").write_bytes(lines(rows))
    series = get(tmp_path, "magic")
    assert list(series.kinds) == ["linear"] * 8 + ["angular", "linear"]
    np.testing.assert_allclose(series.values[8], [np.deg2rad(row[8]) for row in rows])
    np.testing.assert_array_equal(series.values[0], [row[0] for row in rows])
    assert list(series.labels[:2]) == ["gamma", "hadron"]
    assert list(series.samples[:2]) == ["0", "1"]


def test_rows_are_sampled_by_seed_and_keep_their_numbers(tmp_path):
    rows = magic_rows()
    (tmp_path / "magic04.data").write_bytes(lines(rows))
    first = get(tmp_path, "magic", options={"rows": "20", "seed": "1"})
    again = get(tmp_path, "magic", options={"rows": "20", "seed": "1"})
    other = get(tmp_path, "magic", options={"rows": "20", "seed": "2"})
    numbers = [int(sample) for sample in first.samples]
    assert numbers == sorted(numbers)
    np.testing.assert_array_equal(first.values[0], [rows[number][0] for number in numbers])
    assert list(first.samples) == list(again.samples) != list(other.samples)
    with pytest.raises(InputError, match="option rows=61, but there are 60 rows"):
        get(tmp_path, "magic", options={"rows": "61"})


def test_arrhythmia_is_cleaned_by_the_documented_rule(tmp_path):
    rows = RNG.integers(1, 90, (200, 280)).astype(object)
    rows[:, 279] = np.arange(200) % 3
    place = {name: ARRHYTHMIA.index(name) for name in ARRHYTHMIA}
    rows[3, place["P_angle"]] = "?"  # the row goes
    rows[5, place["heart_rate"]] = "?"  # becomes the mean
    rows[:, place["T_angle"]] = 170
    rows[100:, place["T_angle"]] = -150
    rows[7, place["T_angle"]] = "?"  # becomes the circular mean, about -170 degrees
    rows[:, place["age"]] = 50
    rows[0, place["age"]] = 51  # one of 199 rows is less than 1 %
    rows[:, place["weight"]] = 80
    rows[:2, place["weight"]] = 81  # two of 199 are more
    rows[:, place["sex"]] = 1  # a category stays, constant or not
    (tmp_path / "arrhythmia.data").write_bytes(lines(rows))
    with pytest.warns(UserWarning, match=r"1 of 278 features is constant \(sex\)"):
        series = get(tmp_path, "arrhythmia")
    assert series.n_samples == 199
    assert "3" not in series.samples
    assert set(ARRHYTHMIA) - set(series.features) == {"age"}
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
# instances), for MAGIC its Table 2 (10 features, 10 % angular); Spambase from its documentation.
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
    found = Counter(series.kinds), len(series.classes), series.n_samples
    assert found == PUBLISHED[location]


@pytest.fixture
def protein(tmp_path):
    """Two chains of 20 residues; in the first, residue 3 has no phi and 19 comes after a gap."""
    lines = ["pdb\tchain\tcath_class\tdssp_no\taa\tss8\tphi\tpsi"]
    for chain in "AB":
        for number in range(1, 21):
            phi = 360.0 if (chain, number) == ("A", 3) else -number
            place = number + (chain == "A" and number >= 19)
            structure = "HHHEEETTS-"[number % 10]
            lines.append(
                f"1XYZ\t{chain}\tAlpha\t{place}\tG\t{structure}\t{phi}\t{10 * number - 180}"
            )
    (tmp_path / "protein_dihedrals.tsv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_residues_with_both_angles_are_helix_or_other(protein):
    series = get(protein, "protein-helix")
    assert series.n_samples == 39
    assert list(series.features) == ["phi", "psi"]
    assert list(series.kinds) == ["angular", "angular"]
    assert list(series.samples[:3]) == ["1XYZ_A_1", "1XYZ_A_2", "1XYZ_A_4"]
    assert list(series.labels[:3]) == ["helix", "helix", "other"]
    np.testing.assert_allclose(series.values[:, 2], np.deg2rad([-4, -140]))


def test_helix_against_strand_leaves_out_the_rest(protein):
    series = get(protein, "protein-strand")
    # per ten residues three of H and three of E; the one without phi was a strand
    assert Counter(series.labels) == {"helix": 12, "strand": 11}


def test_windows_are_15_consecutive_residues_of_one_chain_with_all_angles(protein):
    series = get(protein, "protein-window")
    # chain A: residues 4 to 18 only; chain B: windows that start at 1 to 6
    assert list(series.samples) == ["1XYZ_A_11", *(f"1XYZ_B_{middle}" for middle in range(8, 14))]
    assert list(series.labels) == ["helix", "turn", "coil", "helix", "helix", "helix", "strand"]
    assert series.n_features == 30
    assert " ".join(series.features[[0, 1, 14, 15, 29]]) == "phi-7 psi-7 phi+0 psi+0 psi+7"
    np.testing.assert_allclose(series.values[::2, 0], np.deg2rad(-np.arange(4, 19)))


def test_hours_with_wind_are_classed_by_thirds_of_temperature(tmp_path):
    series = get(tmp_path, "weather", base=Path(__file__).with_name("published"))
    assert list(series.kinds) == ["angular", "linear", "categorical"]
    assert list(series.samples) == ["0", "1", "2", "5", "6", "7"]
    assert list(series.labels) == ["low", "medium", "high", "medium", "low", "high"]
    np.testing.assert_allclose(series.values[0], np.deg2rad([270, 90, 180, 45, 360, 10]))
    assert series.values[2].tolist() == [0, 1, 2, 3, 0, 2]


def test_values_and_labels_are_scikit_learns():
    series = acquire(SheetRow("bc", "bundled", "breast_cancer", None, 569, 30, 2))
    bunch = load_breast_cancer()
    np.testing.assert_array_equal(series.values.T, bunch.data)
    assert list(series.features) == list(bunch.feature_names)
    assert (series.labels == "benign").sum() == 357  # scikit-learn's documentation
    assert list(series.samples[:2]) == ["0", "1"]


@pytest.mark.parametrize(("location", "expected", "key"), mistakes("bundled"))
def test_another_name_or_shape_is_refused(location, expected, key):
    with refused(key=key):
        acquire(SheetRow("w", "bundled", location, **expected))


def test_constant_features_and_a_tolerated_number_are_warned_of():
    options = {"features_tolerance": "1"}
    with pytest.warns(UserWarning, match="data set d: ") as warned:
        acquire(SheetRow("d", "bundled", "digits", features=63, options=options))
    assert "64 features found, the sheet expects 63" in str(warned[0].message)
    assert "3 of 64 features are constant (pixel_0_0" in str(warned[1].message)
