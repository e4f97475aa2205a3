"""Missing values of features: the share from which a feature is dropped."""

import numpy as np
import pytest

from xnbflow.core.errors import InputError
from xnbflow.running.cli import commands
from xnbflow.sources.acquire import acquire

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def read(folder, missing=None):
    """Read ten samples of five features, of which g1 misses one value, g2 two, and so on."""
    values = np.random.default_rng(0).normal(8, 1, (10, 5)).round(3).astype(str)
    for feature in range(1, 5):
        values[:feature, feature] = "NA"
    rows = [["type", *(f"g{i}" for i in range(5))]]
    rows += [["ab"[i % 2], *cells] for i, cells in enumerate(values)]
    path = folder / "x.csv"
    path.write_text("\n".join(",".join(row) for row in rows))
    keys = {"missing": missing} if missing else {}
    return acquire(commands.described_entry(str(path), {"label": "type", **keys}))


@pytest.mark.parametrize(
    ("rule", "features"),
    [
        ("impute", ["g0", "g1", "g2", "g3", "g4"]),
        ("drop_features", ["g0"]),
        ({"drop_features": 0.2}, ["g0", "g1", "g2"]),  # a fifth of ten is two
        ({"drop_features": 0.19}, ["g0", "g1"]),
    ],
)
def test_features_with_more_than_a_share_are_dropped(tmp_path, rule, features):
    assert read(tmp_path, rule).features.tolist() == features


def test_a_refusal_has_the_number_of_missing_values(tmp_path):
    with pytest.raises(InputError, match="10 values are missing, in 4 of 5"):
        read(tmp_path)


def test_the_first_missing_value_is_named_by_its_place_in_the_file(tmp_path):
    text = "type,g0,g1,g2\nNA,1,2,3\na,1,NA,3\nb,1,2,NA\na,1,NA,3\n"
    (tmp_path / "y.csv").write_text(text)
    row = commands.described_entry(str(tmp_path / "y.csv"), {"label": "type", "unlabelled": "drop"})
    with pytest.raises(InputError) as error:
        acquire(row)
    # line 2 has no label: g1 is missing in lines 3 and 5, g2 in line 4
    assert "the first in column 3 ('g1'), line 3" in str(error.value)
    assert "(of 3 samples each): 'g1' (2), 'g2' (1)" in str(error.value)
    assert error.value.key == "missing"


def test_features_without_any_value_are_dropped_and_the_rest_is_counted(tmp_path):
    text = "type,g0,g1,g2\na,NA,1,1\nb,,NA,2\na,?,3,3\n"
    (tmp_path / "y.csv").write_text(text)
    series = acquire(
        commands.described_entry(str(tmp_path / "y.csv"), {"label": "type", "missing": "impute"})
    )
    assert series.features.tolist() == ["g1", "g2"]
    assert series.missing
    notes = " ".join(series.notes)
    assert "1 feature was dropped for its missing values" in notes
    assert "1 missing value of 1 feature remains, to be imputed" in notes
    keys = {"label": "type", "missing": "drop_features"}
    assert not acquire(commands.described_entry(str(tmp_path / "y.csv"), keys)).missing
