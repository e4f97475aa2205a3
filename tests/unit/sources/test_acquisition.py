"""The shape that a sheet expects, its tolerance, single classes and constant features."""

import pytest
from toys import put, refused

from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, Shape

TEXT = "samples,type,g1,g2,g3\ns1,a,1.5,2,3\ns2,b,2.5,2,\ns3,a,3.5,2,3\n"


def row(folder, text=TEXT, source="table", **cells):
    path = put(folder, text, "x.csv")
    return DatasetEntry("x", source, str(path), label="type", id_column="samples", **cells)


@pytest.mark.parametrize(
    ("expected", "key"),
    [
        ({"samples": 3, "features": 3, "classes": 2}, None),
        ({"samples": 4}, "samples"),
        ({"features": 4}, "features"),
        ({"classes": 3}, "classes"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_another_shape_than_that_of_the_entry_is_refused(tmp_path, expected, key):
    dataset = row(tmp_path, shape=Shape(**expected), missing="impute")
    if key is None:
        assert acquire(dataset).values.shape == (3, 3)
    else:
        with refused(
            f"found, shape has {expected[key]}; get the right file",
            key=key,
        ):
            acquire(dataset)


@pytest.mark.parametrize(("n_expected", "is_refused"), [(4, False), (5, False), (6, True)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_features_may_differ_by_their_tolerance(tmp_path, n_expected, is_refused):
    folder = tmp_path / "cumida/Liver/GSE1"
    put(folder, TEXT.replace("2.5,2,\n", "2.5,2,3.5\n"), "Liver_GSE1.csv")
    shape = Shape(features=n_expected, features_tolerance=2)
    dataset = DatasetEntry("x", "cumida", "Liver/GSE1", shape=shape)
    places = {"downloads": tmp_path / "d", "base_urls": {"cumida": [str(tmp_path / "cumida")]}}
    if is_refused:
        with refused("3 features found, shape has 6"):
            acquire(dataset, **places)
    else:
        with pytest.warns(UserWarning, match=f"shape has {n_expected} \\(within its tolerance\\)"):
            acquire(dataset, **places)


@pytest.mark.filterwarnings("ignore:.*missing value:UserWarning")
def test_constant_features_are_warned_of_apart_from_missing_values(tmp_path):
    with pytest.warns(UserWarning, match=r"2 of 3 features are constant \(g2, g3\) and carry no"):
        acquire(row(tmp_path, missing="impute"))


@pytest.mark.parametrize(("n_constant", "names"), [(5, "g0, g1, g2, g3, g4"), (6, "g4, ...")])
def test_five_constant_features_are_named(tmp_path, n_constant, names):
    header = ",".join([*(f"g{i}" for i in range(n_constant)), "varies"])
    zeros = ",".join(["0"] * n_constant)
    text = f"samples,type,{header}\ns1,a,{zeros},1.5\ns2,b,{zeros},2.5\n"
    with pytest.warns(UserWarning, match=f"{n_constant} of {n_constant + 1}.*{names}\\)"):
        acquire(row(tmp_path, text))
