"""From a table with roles to a data set: controls, groups, batches, scales, the steps' order."""

import numpy as np
import pandas as pd
import pytest
from toys import refused

from xnbflow.data.dataset import COUNTS
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.roles import Role
from xnbflow.sources.series.steps import series_of_table

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

LABELS = ["a", "a", "a", "b", "b", "b"]


def logarithms(n_features=8):
    return np.random.default_rng(0).normal(8, 1, (n_features, len(LABELS))).round(2)


def finished(
    entry, values=None, features=None, *, labels=LABELS, annotation=None, metadata=None, **keywords
):
    """Return the series of six samples, three of each of two classes.

    The table has columns ``name`` and ``type``, those of the ``metadata``, and the features.
    """
    values = logarithms() if values is None else np.asarray(values, dtype=float)
    features = features or [f"g{i}" for i in range(len(values))]
    columns = {
        "name": [f"s{i}" for i in range(len(labels))],
        "type": labels,
        **({} if metadata is None else metadata.to_dict("list")),
    }
    roles = [Role.NAME, *[Role.TEXT] * (len(columns) - 1), *[Role.NUMBER] * len(features)]
    texts = [["" if np.isnan(value) else repr(float(value)) for value in row] for row in values]
    table = TextTable(
        path="x.csv",
        header=[*columns, *features],
        rows=[list(cells) for cells in zip(*columns.values(), *texts, strict=True)],
        lines=range(2, 2 + len(labels)),
        unit="line",
        annotation={
            name: [*[""] * len(columns), *cells] for name, cells in (annotation or {}).items()
        },
    )
    return series_of_table(table.with_samples_in_rows(0), roles, entry, **keywords)


def columns(**cells):
    return pd.DataFrame(cells, dtype=object)


def row(**options):
    return DatasetEntry("x", "table", "x.csv", label="type", **options)


CONTROLS = [
    "AFFX-BioB-5_at",
    "AFFX_r2_Bs_dap",
    "(+)E1A_r60_1",
    "(-)3xSLv1",
    "DarkCorner",
    "GE_BrightCorner",
    "ERCC-00002",
]


@pytest.mark.parametrize("name", CONTROLS)
def test_controls_of_arrays_are_left_out(name):
    names = ["g0", name, "g2"]
    series = finished(row(), logarithms(3), names)
    assert series.features.tolist() == ["g0", "g2"]
    np.testing.assert_array_equal(series.values, logarithms(3)[[0, 2]])
    assert f"1 control probe was left out ({name})" in series.notes[0]
    assert finished(row(controls="keep"), logarithms(3), names).n_features == 3


@pytest.mark.parametrize("name", ["ERCC1", "ERCC-000023", "AFFX", "xAFFX-1"])
def test_genes_with_names_like_controls_remain(name):
    assert finished(row(), logarithms(2), ["g0", name]).n_features == 2


def test_a_table_of_controls_alone_keeps_them():
    names = [f"ERCC-0000{i}" for i in range(4)]
    assert finished(row(), logarithms(4), names).n_features == 4


def test_a_missing_value_is_named_by_its_place_before_controls_and_samples_were_left_out():
    values = logarithms(3)
    values[2, 4] = np.nan
    labels = ["NA", *LABELS[1:]]
    with refused(r"the first in column 5 \('g2'\), line 6"):
        finished(row(unlabelled="drop"), values, ["g0", "AFFX-1", "g2"], labels=labels)


@pytest.mark.parametrize(
    ("options", "scale"),
    [
        ({}, ""),
        ({"scale": "ln"}, "ln"),
        ({"transform": "log2"}, "log2"),
        ({"transform": "log2p1"}, "log2"),
        ({"transform": "log_cpm"}, "ln"),
        ({"transform": "tmm"}, COUNTS),
    ],
)
def test_the_scale_is_that_of_the_transform(options, scale):
    assert finished(row(**options)).scale == scale


def test_values_of_genes_are_logarithms_to_base_2():
    symbols = ["TP53", *[""] * 7]
    assert finished(row(), annotation={"symbol": symbols}).scale == "log2"
    assert finished(row(), are_intensities=True).scale == "log2"
    intensities = 2 ** logarithms()
    assert finished(row(), intensities, annotation={"symbol": symbols}).scale == ""


def test_small_counts_of_genes_have_no_scale():
    """Most counts are 0 and hardly any is above 100, as among logarithms."""
    values = np.zeros((60, 6))
    values[:12, 0] = np.arange(12)
    values[12, 0] = 150
    assert finished(row(), values, annotation={"symbol": ["TP53", *[""] * 59]}).scale == ""


def test_a_scale_and_a_transform_contradict_each_other():
    with refused("keep one of the two", key="scale"):
        finished(row(scale="log2", transform="log2"))


def test_intensities_are_noted_where_values_are_known_to_be_of_arrays():
    intensities = 2 ** logarithms() * 10
    assert finished(row(), intensities).notes == ()
    (note,) = finished(row(), intensities, are_intensities=True).notes
    assert "look like intensities not logged" in note


def test_logarithms_of_logarithms_are_noted_in_any_table():
    values = np.log2(np.random.default_rng(0).normal(8, 1, (120, 6)))
    (note,) = finished(row(), values).notes
    assert "logarithms of logarithms" in note


def test_two_patients_of_each_class_are_noted_as_a_group():
    """That is fewer than a proposal needs."""
    patients = columns(patient=["p", "p", "q", "r", "r", "t"])
    series = finished(row(), metadata=patients)
    assert "'patient' has 4 values for 6 samples" in series.notes[0]
    one = columns(patient=["p", "p", "p", "r", "r", "t"])
    assert finished(row(), metadata=one).notes == ()


def test_the_group_of_each_sample_is_known_and_not_the_class():
    patients = columns(Patient=["p", "p", "q", "r", "r", "t"])
    series = finished(row(group="patient"), metadata=patients)
    assert series.groups.tolist() == ["p", "p", "q", "r", "r", "t"]
    unknown = columns(patient=["p", "p", "NA", "r", "r", "t"])
    with refused("1 sample has no 'patient'.*s2", key="group"):
        finished(row(group="patient"), metadata=unknown)
    classes = columns(patient=["p", "p", "p", "r", "r", "r"])
    with refused(
        "'patient' is the class: each of its values is one class",
        key="group",
    ):
        finished(row(group="patient"), metadata=classes)


def test_one_sample_of_each_class_may_have_its_own_group():
    series = finished(
        row(group="who"),
        logarithms()[:, :2],
        labels=["a", "b"],
        metadata=columns(who=["p", "q"]),
    )
    assert series.groups.tolist() == ["p", "q"]


def test_a_batch_is_called_batch_unless_its_name_means_one():
    metadata = columns(who=["x", "y", "x", "y", "x", "y"], plate=["1", "1", "2", "2", "1", "2"])
    series = finished(row(batch="who"), metadata=metadata)
    assert list(series.sample_metadata) == ["batch (who)", "plate"]
    series = finished(row(batch="plate"), metadata=metadata)
    assert list(series.sample_metadata) == ["who", "plate"]
    with refused(
        "no 'chip', which batch names",
        key="batch",
    ):
        finished(row(batch="chip"), metadata=metadata)


def test_probes_are_collapsed_before_repeated_names_are_settled():
    """Three probes have one name but two genes: none repeats after collapsing."""
    series = finished(
        row(collapse="max_mean"),
        [[1, 2, 3, 4, 5, 6.5]] * 3,
        ["p", "p", "p"],
        annotation={"symbol": ["A", "B", "A"]},
    )
    assert series.features.tolist() == ["A", "B"]


def test_the_sheet_s_annotation_replaces_the_symbols_of_the_file(tmp_path):
    (tmp_path / "genes.csv").write_text("probe,symbol\ng0,NEW\n")
    symbols = {"symbol": ["OLD", "OTHER"], "length": ["5", "6"]}
    entry = row(annotation=str(tmp_path / "genes.csv"))
    series = finished(entry, logarithms(2), annotation=symbols)
    assert series.feature_metadata.to_dict("list") == {"length": ["5", "6"], "symbol": ["NEW", ""]}
    assert "1 of 2 features has a symbol in the annotation" in series.notes


def test_equal_samples_are_noted_unless_a_group_keeps_them_together():
    values = np.random.default_rng(0).normal(8, 1, (30, 6))
    values[:, 4] = values[:, 3]
    assert "s3 = s4" in finished(row(), values).notes[0]
    metadata = columns(who=["p", "q", "r", "t", "t", "u"])
    series = finished(row(group="who"), values, metadata=metadata)
    assert not any("s3 = s4" in note for note in series.notes)
    apart = columns(who=["p", "q", "r", "t", "u", "u"])
    series = finished(row(group="who"), values, metadata=apart)
    assert any("s3 = s4" in note for note in series.notes)


def test_reads_of_no_gene_are_refused():
    with refused(
        r"__no_feature are reads that belong to no gene.*drop: \[__no_feature",
        key="drop",
    ):
        finished(row(), logarithms(2), ["g0", "__no_feature"])


def test_repeated_names_of_features_are_refused_by_default():
    with refused(r"1 feature name repeats: 'g0' \(2 times\)", key="duplicates"):
        finished(row(), logarithms(2), ["g0", "g0"])


def test_the_name_of_a_data_set_is_no_unit():
    values = np.random.default_rng(0).gamma(2.0, 200.0, (120, 6)).round(2)
    genes = [f"ENSG{i:011d}" for i in range(120)]
    entry = DatasetEntry("fpkm", "table", "x.csv", label="type")
    assert finished(entry, values, genes).notes == ()
