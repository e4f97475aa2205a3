"""The section on selected features: frequencies, distances, dependence."""

import numpy as np
import pytest
from report_blocks import drawn, table_with
from report_study import SCRIPT, write_study

from xnbflow.data.dataset import DataSet
from xnbflow.report.sections import (
    explanation,
)
from xnbflow.studies.description import dependent_pairs
from xnbflow.tables.contract import SERIES


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


def test_selected_features_have_frequency_distances_planted_class_and_dependence(results):
    section = explanation.section(results)
    matrix = drawn(section, "selected-alpha-3-fold-xnb")
    rows, columns = matrix["rows"], matrix["columns"]
    assert matrix["values"][rows.index(SCRIPT), columns.index("healthy")] == 1
    assert (rows.index("probe_03"), columns.index("tumour <A>")) in matrix["outlined"]
    marks = dict(zip(rows, matrix["marks"], strict=True))
    assert (marks[SCRIPT], marks["probe_01"], marks["probe_03"]) == ("a", "a", "")
    row = table_with(section, "frequency").frame.set_index(["feature", "class"])
    row = row.loc[SCRIPT, "healthy"]
    distances = results.training("alpha", "3-fold", "xnb", "distances")
    apart = distances.set_index(["class", "feature", "other_class"])["distance"].sort_index()
    far = apart.loc["healthy", SCRIPT, "tumour B"]
    assert row["to tumour B"] == pytest.approx(far.mean())
    assert np.isnan(row["to healthy"])


def test_dependent_pairs_are_correlations_of_residuals(results):
    series = DataSet.read(results.root / SERIES.of(dataset="alpha"))
    pairs = dependent_pairs(series, list(series.features), cut=0.5)
    assert pairs[["feature", "other"]].iloc[0].tolist() == [SCRIPT, "probe_01"]
    residuals = series.values.copy()
    for label in series.classes:
        mine = series.labels == label
        residuals[:, mine] -= residuals[:, mine].mean(axis=1, keepdims=True)
    assert pairs["r"].iloc[0] == pytest.approx(np.corrcoef(residuals[0], residuals[1])[0, 1])
    others = np.abs(np.corrcoef(residuals)[np.triu_indices(len(residuals), 1)])
    assert len(pairs) == (others > 0.5).sum()
