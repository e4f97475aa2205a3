"""A series of counts from the file to classifiers: filter and TMM are fitted in the folds."""

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from toys import dataset, refused

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import effective_sizes, expressed_features, with_log_counts
from xnbflow.diagnostics import gene_table
from xnbflow.diagnostics.gene_tables import gene_tables
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.evaluation.build import _normalising, estimator_for
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.prediction import predict_table
from xnbflow.models.trained import fit_model
from xnbflow.preprocessing import CountNormalizer, ReadFilter
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry

pytestmark = pytest.mark.filterwarnings("ignore:data set mine:UserWarning")

CSNB = {"method": "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"}


@pytest.fixture(scope="module")
def series():
    counts, codes, _, _ = simulated_counts(8, n_features=600, n_samples=24)
    labels = np.array(["normal", "tumour"])[codes]
    return dataset(counts, labels, scale="counts")


def test_filter_and_reference_are_of_the_training_samples(series):
    folds = draw_folds(series, 4, 1)
    tested = folds.loc[folds["fold"] == folds["fold"].iloc[0], "sample"]
    test = np.isin(series.samples, tested.astype(str))
    model = estimator_for(series, CSNB, 0).fit(series.frame(~test), series.labels[~test])
    reads, counts, _ = model.named_steps.values()
    alone = ReadFilter().fit(series.values[:, ~test].T, series.labels[~test])
    np.testing.assert_array_equal(reads.support_, alone.support_)
    references = {tuple(row) for row in series.values[:, ~test][reads.support_].T}
    assert tuple(counts.reference_counts_) in references
    changed = series.values.copy()
    changed[:, np.flatnonzero(test)[1:]] *= 50  # the other test samples
    frame = pd.DataFrame(changed.T, columns=series.features)
    before = model.predict_log_proba(series.frame(test))[0]
    np.testing.assert_array_equal(model.predict_log_proba(frame[test])[0], before)


def test_training_reports_the_features_of_a_series_of_counts(series):
    tables = train(series, draw_folds(series, 4, 1), CSNB)
    assert (tables["fits"]["status"] == "ok").all()
    predictions = tables["predictions"]
    assert (predictions["true"] == predictions["predicted"]).mean() > 0.9
    assert set(tables["selected"]["feature"]) <= set(series.features)
    strong = {f"g{i}" for i in range(60)}
    assert np.mean([name in strong for name in tables["selected"]["feature"]]) > 0.9


def test_a_model_normalises_a_new_sample_by_itself(series, tmp_path):
    model = fit_model(series, CSNB)
    write_model(model, tmp_path / "model.skops")
    model = read_model(tmp_path / "model.skops")
    frame = series.frame()
    predicted = predict_table(model, frame)
    assert not predicted.notes
    assert not predicted.table["atypical"].any()
    deep = predict_table(model, 3 * frame.iloc[[5]]).table
    columns = ["probability.normal", "typicality"]
    single = predict_table(model, frame.iloc[[5]]).table
    np.testing.assert_allclose(deep[columns], single[columns], rtol=1e-3)  # weights by depth
    row = model.signature.iloc[0]
    values = with_log_counts(series).values[list(series.features).index(row["feature"])]
    median = np.median(values[series.labels == row["class"]])
    assert row["median_in"] == pytest.approx(median, rel=1e-9)
    logarithms = predict_table(model, np.log2(frame + 1))
    assert any("needs counts of reads, not logarithms" in note for note in logarithms.notes)


def test_the_gene_table_of_counts_is_voom_s(series):
    genes = gene_table(series)
    expressed = expressed_features(series)
    counts = series.values[expressed]
    codes = (series.labels == "tumour").astype(int)
    expected = moderated_contrasts(counts, codes, sizes=effective_sizes(counts))
    rows = genes[genes["class"] == "tumour"].set_index("feature").loc[series.features]
    np.testing.assert_allclose(rows["t"][expressed], expected.t[1])
    np.testing.assert_allclose(rows["log_fold_change"][expressed], expected.log_fold_change[1])
    assert rows["t"][~expressed].isna().all()
    assert rows["auc"].notna().all()
    logs = with_log_counts(series)
    trend = moderated_contrasts(logs.values[expressed], codes, trend=True)
    with_trend = gene_table(series, Design(trend=True))
    rows = with_trend[with_trend["class"] == "tumour"].set_index("feature").loc[series.features]
    np.testing.assert_allclose(rows["t"][expressed], trend.t[1])
    values = gene_tables(series, Design())["gene_values"]
    assert values["value"].max() < 20  # logarithms


def test_the_steps_of_a_configuration_come_before_or_are_refused(series):
    pipeline = make_pipeline(CountNormalizer(method="none"), GaussianNB())
    assert _normalising(pipeline) is pipeline
    entry = {"method": "xnbflow.naive_bayes.xnb.XNB", "params": {"columns": [{"a": "@linear"}]}}
    with refused("columns by @kind|no parameter"):
        estimator_for(series, entry)
    logarithms = dataset(series.values, series.labels)
    assert type(estimator_for(logarithms, CSNB)).__name__ == "ClassSpecificNB"


def write_counts(tmp_path, change=None):
    counts, codes, _, _ = simulated_counts(8, n_features=120, n_samples=10)
    table = pd.DataFrame(counts.T, columns=[f"G{i}" for i in range(120)])
    table.insert(0, "type", np.array(["normal", "tumour"])[codes])
    table.insert(0, "sample", [f"s{i}" for i in range(10)])
    if change:
        change(table)
    path = tmp_path / "counts.csv"
    table.to_csv(path, index=False)
    return path


def test_a_data_set_keeps_counts_and_the_file_their_scale(tmp_path):
    row = {"id": "mine", "source": "table", "location": str(write_counts(tmp_path))}
    row |= {"label": "type", "id_column": "sample"}
    series = acquire(DatasetEntry(**row, transform="tmm"))
    assert (series.values == np.floor(series.values)).all()
    assert series.scale == "counts"
    assert any("normalised by TMM in the training samples" in note for note in series.notes)
    series.write(tmp_path / "series.parquet")
    assert DataSet.read(tmp_path / "series.parquet").scale == "counts"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.isetitem(3, -1 - table["G1"]), "must not be negative"),
        (lambda table: table.isetitem(3, table["G1"].where(table.index > 0)), "1 count is missing"),
        (lambda table: table.isetitem(3, table["G1"].where(table.index != 2, 0)), None),
    ],
)
def test_a_table_that_is_no_counts_is_refused(tmp_path, change, message):
    row = {"id": "mine", "source": "table", "location": str(write_counts(tmp_path, change))}
    row |= {"label": "type", "id_column": "sample", "transform": "tmm"}
    if message is None:
        assert acquire(DatasetEntry(**row)).scale == "counts"
        return
    with refused(message, key="transform"):
        acquire(DatasetEntry(**row))


def test_counts_beside_categories_are_refused(tmp_path):
    row = {"id": "mine", "source": "table", "location": str(write_counts(tmp_path))}
    row |= {"label": "type", "id_column": "sample"}
    with refused("1 feature of the table", key="transform"):
        acquire(DatasetEntry(**row, transform="tmm", categorical=("G3",)))
