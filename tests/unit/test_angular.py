"""Data sets with angles: which residues, hours and birds become samples, and of which class."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.errors import InputError
from xnbflow.data.sources.acquisition import acquire
from xnbflow.data.sources.sheet import SheetRow


def get(folder, location, base=None, **options):
    dataset = SheetRow(location, "angular", location, options=options)
    return acquire(
        dataset, downloads=folder / "downloads", base_urls={"angular": [str(base or folder)]}
    )


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
    assert dict(zip(*np.unique(series.labels, return_counts=True), strict=True)) == {
        "helix": 12,
        "strand": 11,
    }


def test_windows_are_15_consecutive_residues_of_one_chain_with_all_angles(protein):
    series = get(protein, "protein-window")
    # chain A: residues 4 to 18 only; chain B: windows that start at 1 to 6
    assert list(series.samples) == ["1XYZ_A_11", *(f"1XYZ_B_{middle}" for middle in range(8, 14))]
    assert list(series.labels) == ["helix", "turn", "coil", "helix", "helix", "helix", "strand"]
    assert series.n_features == 30
    assert list(series.features[[0, 1, 14, 15, 29]]) == [
        "phi-7",
        "psi-7",
        "phi+0",
        "psi+0",
        "psi+7",
    ]
    np.testing.assert_allclose(series.values[::2, 0], np.deg2rad(-np.arange(4, 19)))


WEATHER = """\
origin,year,month,day,hour,temp,wind_dir,wind_speed
EWR,2013,1,1,1,30,270,10
EWR,2013,4,1,1,50,90,5
EWR,2013,7,1,1,80,180,7.5
EWR,2013,10,1,1,50.5,0,0
EWR,2013,12,1,1,31,,3
EWR,2013,11,1,1,51,45,2
EWR,2013,12,1,1,28,360,1
EWR,2013,8,1,1,85,10,1
JFK,2013,8,1,1,70,10,1
"""


def test_hours_with_wind_are_classed_by_thirds_of_temperature(tmp_path):
    (tmp_path / "weather.csv").write_text(WEATHER)
    series = get(tmp_path, "weather")
    assert list(series.kinds) == ["angular", "linear", "categorical"]
    assert list(series.samples) == ["0", "1", "2", "5", "6", "7"]
    assert list(series.labels) == ["low", "medium", "high", "medium", "low", "high"]
    np.testing.assert_allclose(series.values[0], np.deg2rad([270, 90, 180, 45, 360, 10]))
    assert series.values[2].tolist() == [0, 1, 2, 3, 0, 2]


def test_birds_are_classed_by_treatment(tmp_path):
    (tmp_path / "pigeons.csv").write_text("treatment,bearing\nc,306\nv1,8\non,90\n")
    series = get(tmp_path, "pigeons")
    assert list(series.features) == ["bearing"]
    np.testing.assert_allclose(series.values[0], np.deg2rad([306, 8, 90]))
    assert list(series.labels) == ["c", "v1", "on"]


def test_rows_are_sampled(protein):
    series = get(protein, "protein-helix", rows="10", seed="3")
    assert series.n_samples == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("treatment,angle\nc,1\n", "line 1: there is no column 'bearing'"),
        ("treatment,bearing\nc,north\n", "column 'bearing' of row 0 .* is 'north', which is no f"),
        ("treatment,bearing\nc,1\nc,2\n", "all 2 samples have the label 'c'"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, message):
    (tmp_path / "pigeons.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        get(tmp_path, "pigeons")


def test_what_is_published_nowhere_is_asked_for(tmp_path):
    with pytest.raises(InputError, match=r"by hand at .*angular/protein_dihedrals.tsv"):
        acquire(SheetRow("p", "angular", "protein-helix"), downloads=tmp_path)


def test_an_unknown_name_is_refused(tmp_path):
    with pytest.raises(InputError, match="no data set 'ants' is known here; use one of protein-h"):
        get(tmp_path, "ants")


@pytest.mark.parametrize(("location", "n_samples"), [("pigeons", 108), ("swallows", 114)])
def test_the_real_birds_are_as_many_as_documented(tmp_path, shared_data, location, n_samples):
    assert get(tmp_path, location, base=shared_data / "angular").n_samples == n_samples


def test_the_real_proteins_agree_with_a_plain_loop(tmp_path, shared_data):
    path = shared_data / "angular" / "protein_dihedrals.tsv.gz"
    rows = pd.read_csv(path, sep="\t", keep_default_na=False).head(20_000).to_dict("records")
    windows, residues = [], []
    for place, row in enumerate(rows):
        name = f"{row['pdb']}_{row['chain']}_{row['dssp_no']}"
        if 360.0 not in (row["phi"], row["psi"]):
            residues.append(name)
        around = rows[max(place - 7, 0) : place + 8]
        numbers = [other["dssp_no"] - row["dssp_no"] for other in around]
        same = {(other["pdb"], other["chain"]) for other in around} == {(row["pdb"], row["chain"])}
        angles = [other[angle] for other in around for angle in ("phi", "psi")]
        if numbers == list(range(-7, 8)) and same and 360.0 not in angles:
            windows.append((name, np.deg2rad(angles)))
    series = get(tmp_path, "protein-helix", base=path.parent)
    assert list(series.samples[: len(residues)]) == residues
    series = get(tmp_path, "protein-window", base=path.parent)
    assert list(series.samples[: len(windows)]) == [name for name, _ in windows]
    np.testing.assert_array_equal(
        series.values[:, : len(windows)].T, [angles for _, angles in windows]
    )


def test_the_real_weather_is_read(tmp_path, shared_data):
    series = get(tmp_path, "weather", base=shared_data / "angular", file="nyc_weather.csv")
    counts = np.unique(series.labels, return_counts=True)[1] / series.n_samples
    np.testing.assert_allclose(counts, 1 / 3, atol=0.02)
    assert set(series.values[2]) == {0, 1, 2, 3}
    assert np.abs(series.values[0]).max() <= 2 * np.pi
