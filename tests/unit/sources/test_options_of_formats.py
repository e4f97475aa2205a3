"""One table of samples in every format: the same options give the same series.

Rows of `OPTIONS` are keys of an entry with the features, samples, columns of the samples and
values that they must give, whatever the format and orientation. Values are written by other
programs: pandas, openpyxl, anndata, or by hand after the definition of the format.
"""

import numpy as np
import pandas as pd
import pytest
from table_writers import FORMATS, PLACES, read_written

from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import NamePattern

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SAMPLES = [f"s{i}" for i in range(6)]
TEXTS = {
    "type": ["ill", "well", "ill", "well", "ill", "well"],
    "plate": ["A", "A", "A", "B", "B", "B"],
    "donor": ["p", "q", "q", "r", "r", "p"],
}
GENES = ["g1", "g2", "h1"]
VALUES = np.array([[7.5, 5, 90], [8.25, 6, 180], [3, 1, 45], [4, 2, 90], [9, 8, 0], [2, 3, 135]])


def frame():
    table = pd.DataFrame(VALUES, pd.Index(SAMPLES, name="key"), GENES)
    for name in reversed(TEXTS):
        table.insert(0, name, TEXTS[name])
    return table


def read(folder, name, orientation, **options):
    """Write the table in a format and orientation, and read it with further options."""
    if name in FORMATS:  # the other formats declare what describes samples
        declared = [text for text in ("plate", "donor") if text not in options.get("drop", ())]
        options = {"phenotype_columns": tuple(declared)} | options
    return read_written(folder, name, frame(), orientation, **options)


#: Options, and what they change: features, columns of the samples, groups, kinds, values.
OPTIONS = [
    ({}, {}),
    ({"drop": ("g1",)}, {"features": ["g2", "h1"]}),
    ({"drop": (NamePattern("g*"), "plate")}, {"features": ["h1"], "columns": ["donor"]}),
    ({"features": (NamePattern("g*"),)}, {"features": ["g1", "g2"]}),
    ({"features": ("h1", "g2")}, {"features": ["g2", "h1"]}),
    ({"group": "donor"}, {"groups": ["p", "q", "q", "r", "r", "p"]}),
    ({"batch": "plate"}, {"columns": ["plate", "donor"]}),
    (
        {"categorical": ("g2",)},
        {"kinds": ["linear", "categorical", "linear"], "g2": [3, 4, 0, 1, 5, 2]},
    ),
    ({"angular": {"h1": "degrees"}}, {"kinds": ["linear", "linear", "angular"], "h1": [np.pi / 2]}),
    ({"phenotype_columns": ("g1", "plate", "donor")}, {"features": ["g2", "h1"], "text": "g1"}),
]


@pytest.mark.parametrize(("name", "orientation"), PLACES)
@pytest.mark.parametrize(("options", "changes"), OPTIONS, ids=[str(o) for o, _ in OPTIONS])
def test_options_give_the_same_series_in_every_format(
    tmp_path, name, orientation, options, changes
):
    series = read(tmp_path, name, orientation, **options)
    features = changes.get("features", GENES)
    assert series.features.tolist() == features
    assert series.samples.tolist() == SAMPLES
    assert series.labels.tolist() == TEXTS["type"]
    columns = set(changes.get("columns", ["plate", "donor"]))
    assert columns <= set(series.sample_metadata)
    assert "plate" in columns or "plate" not in series.sample_metadata
    for column in columns:
        assert series.sample_metadata[column].tolist() == TEXTS[column]
    groups = None if series.groups is None else series.groups.tolist()
    assert groups == changes.get("groups")
    assert series.kinds.tolist() == changes.get("kinds", ["linear"] * len(features))
    for position, gene in enumerate(features):
        expected = VALUES[:, GENES.index(gene)]
        if gene in changes:
            expected = changes[gene]
        np.testing.assert_allclose(
            series.values[position, : len(expected)], expected, rtol=1e-15, atol=0
        )
    if "text" in changes:
        texts = series.sample_metadata[changes["text"]].str.replace(",", ".")
        assert texts.astype(float).tolist() == list(VALUES[:, 0])


@pytest.mark.parametrize(("name", "orientation"), PLACES)
@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"drop": (NamePattern("z*"),)}, "drop"),
        ({"features": ("z1",)}, "features"),
        ({"group": "ward"}, "group"),
        ({"batch": "ward"}, "batch"),
        ({"phenotype_columns": ("plate", "donor", "ward")}, "phenotype.columns"),
    ],
)
def test_options_of_absent_names_are_refused_in_every_format(
    tmp_path, name, orientation, options, key
):
    with pytest.raises(InputError) as error:
        read(tmp_path, name, orientation, **options)
    assert error.value.key == key
