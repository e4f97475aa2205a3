"""Data sets with angles: proteins, weather, pigeons and swallows."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from papers.common.test_published import get


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
