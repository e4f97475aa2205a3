"""Several series of one question: models across them, shared samples, and classes that lack."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from cohort_series import cohort
from report_study import walk
from scipy.stats import rankdata
from sklearn.metrics import recall_score
from study_files import StudyFiles

from xnbflow.core.errors import InputError
from xnbflow.core.study import Cohorts, Study
from xnbflow.data.dataset import DataSet
from xnbflow.models import predict_table, read_model
from xnbflow.models.cohorts import combine
from xnbflow.naive_bayes import ClassSpecificNB
from xnbflow.report.page.blocks import Figure
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import cohorts as cohorts_section
from xnbflow.tables.contract import ALL_COHORTS

CSNB = {"method": "csnb", "params": {"n_features": 3}}


SMALL = [cohort(name, seed, (5, 4)) for seed, name in enumerate("abc")]
SERIES = [cohort("a", 1), cohort("b", 2, (9, 12)), cohort("c", 3, (12, 12))]


@cache
def combined(harmonise="rank"):
    return combine(SERIES, CSNB, harmonise=harmonise)


def test_the_matrix_is_that_of_direct_fits_and_tests():
    keys = ["strategy", "train", "test"]
    matrix = combined()[0]["cohort_matrix"].set_index(keys).sort_index()
    ranks = {s.name: (rankdata(s.values.T, axis=1) - 0.5) / 60 for s in SERIES}
    labels = {s.name: s.labels for s in SERIES}
    fits = {n: ClassSpecificNB(n_features=3).fit(ranks[n], labels[n]) for n in "abc"}
    for test in "abc":
        others = [name for name in "abc" if name != test]
        for train in others:
            said = fits[train].predict(ranks[test])
            found = matrix.loc["one series", train, test]
            recalls = recall_score(labels[test], said, average=None)
            assert found[["recall.normal", "recall.tumour"]].tolist() == recalls.tolist()
            assert found["value"] == pytest.approx(recalls.mean())
        X, y = (np.concatenate([part[n] for n in others]) for part in (ranks, labels))
        said = ClassSpecificNB(n_features=3).fit(X, y).predict(ranks[test])
        mean = np.mean([fits[name].predict_proba(ranks[test]) for name in others], axis=0)
        averaged = fits["a"].classes_[mean.argmax(axis=1)]
        for strategy, labelled in (("merged", said), ("averaged", averaged)):
            found = matrix.loc[strategy, " + ".join(others), test]
            expected = recall_score(labels[test], labelled, average="macro")
            assert found["value"] == pytest.approx(expected)
    assert (matrix.loc[["merged", "averaged"], "verdict"].str.startswith("held")).all()
    assert matrix.loc["cross-validated", "verdict"].eq("").all()


def test_the_model_of_all_has_the_figures_of_leaving_each_out_and_predicts_raw_values(tmp_path):
    tables, model, merged = combined()
    matrix = tables["cohort_matrix"].query("strategy == 'merged'")
    right = sum((matrix[f"recall.{k}"] * matrix[f"samples.{k}"]).sum() for k in model.classes)
    assert model.figures["accuracy"]["right"] == pytest.approx(right)
    assert model.figures["folds"] == 3
    paths = StudyFiles(tmp_path).put_model(model, merged, "s", **ALL_COHORTS)
    read = read_model(paths["model"])
    new = cohort("new", 9)
    table = predict_table(read, pd.DataFrame(2**new.values.T, new.samples, new.features)).table
    assert (table["label"] == new.labels).mean() > 0.8  # ranks are those of logarithms
    high = model.signature.set_index(["class", "feature"]).loc["tumour"]["direction"]
    assert set(high.loc[high.index.isin([f"g{i:02}" for i in range(0, 60, 12)])]) == {"high"}


def relabelled(series, **names):
    return replace(series, labels=[names.get(label, label) for label in series.labels])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (relabelled(SERIES[1], tumour="Tumour"), "Tumour"),
        (relabelled(SERIES[1], tumour="cancer", normal="healthy"), "cancer"),
        (replace(SERIES[1], features=[f"x{i}" for i in range(60)]), "share no feature"),
        (replace(SERIES[1], kinds=["angular"] + ["linear"] * 59), "not measurements"),
    ],
)
def test_series_that_cannot_be_compared_are_refused(changed, words):
    with pytest.raises(InputError, match=words):
        combine([SERIES[0], changed], CSNB)


@pytest.mark.slow
def test_a_sample_of_two_series_counts_once_and_what_is_left_out_is_named():
    """Two samples of another name and scale, in the larger series, and all others of a patient."""
    wide = [cohort(name, i, (4, 4), features=200) for i, name in enumerate("ab")]
    own = cohort("large", 7, (6, 6), features=200)
    values, patients = own.values.copy(), np.array([f"p{i}" for i in range(12)])
    values[:, :2], patients[2] = 1.1 * wide[0].values[:, :2], "p1"
    labels = own.labels.copy()
    labels[0] = {"tumour": "normal", "normal": "tumour"}[wide[0].labels[0]]
    large = replace(own, values=values, labels=labels, groups=patients)
    left = np.arange(12) > 2
    alone = replace(
        large, values=values[:, left], labels=large.labels[left],
        samples=large.samples[left], groups=patients[left],
    )  # fmt: skip
    found, expected = (combine([*wide, each], CSNB)[0] for each in (large, alone))
    for name in ("cohort_matrix", "meta_genes"):
        pd.testing.assert_frame_equal(found[name], expected[name])
    assert (found["cohort_matrix"]["verdict"] != "shares samples").all()
    series = found["cohort_series"].set_index("dataset")
    assert all(name in series.loc["large", "note"] for name in ("large0", "large1", "large2"))
    assert "1 shared sample has another class in a" in series.loc["large", "note"]
    assert series["samples"].to_dict() == {"a": 8, "b": 8, "large": 9}
    assert series.loc[["a", "b"], "note"].tolist() == ["", ""]
    twin = replace(wide[0], name="twin", samples=[f"x{i}" for i in range(8)])
    with pytest.raises(InputError, match="twin"):
        combine([*wide, twin], CSNB)


@pytest.mark.slow
def test_a_class_that_a_series_lacks_is_named_and_no_failure():
    lone = SMALL[2]
    centred = (lone.values - lone.values.mean(axis=1, keepdims=True))[:, 5:]
    only = DataSet("lone", centred, lone.features, lone.samples[5:], lone.labels[5:])
    found = combine([*SMALL[:2], only], CSNB)[0]
    matrix = found["cohort_matrix"].set_index(["strategy", "train", "test"])
    assert "without the class normal" in matrix.loc[("one series", "lone", "a"), "reason"]
    assert np.isnan(matrix.loc[("one series", "lone", "a"), "value"])
    assert matrix.loc[("merged", "a + b", "lone"), "verdict"] == "cannot tell"
    genes = found["meta_genes"]
    assert (genes["series"] == 2).all()
    assert genes["effect.lone"].isna().all()
    notes = found["cohort_series"]["note"]
    assert notes.str.contains("another scale").tolist() == [False, False, True]
    assert "has no normal" in notes.iloc[2]


def test_intensities_beside_logarithms_are_noticed_and_ranks_do_not_depend_on_them():
    raw = replace(SMALL[1], values=2 ** SMALL[1].values)
    both = [combine([SMALL[0], each], CSNB)[0] for each in (SMALL[1], raw)]
    assert "not logged" in both[1]["cohort_series"]["note"].iloc[1]
    expected, found = (tables["cohort_matrix"]["value"].tolist() for tables in both)
    assert found == expected


def test_the_page_shows_the_tables(tmp_path):
    settings = Cohorts(("a", "b", "c"), "csnb")
    study = Study(
        id="s",
        title="S",
        summary="",
        datasets=("a", "b", "c"),
        classifiers=("csnb",),
        folds=("5-fold",),
        diagnostics=True,
        analyses={},
        cohorts=settings,
    )
    tables, model, merged = combined()
    files = StudyFiles(tmp_path)
    files.put("cohorts", tables, study="s")
    files.put_model(model, merged, "s", **ALL_COHORTS)
    of_geo = {"datasets": {name: {"source": "geo"} for name in study.datasets}}
    results = StudyResults(study, {"csnb": "CSNB"}, of_geo, tmp_path)
    blocks = list(walk(cohorts_section.section(results).blocks))
    figures = {each.name: each.arguments for each in blocks if isinstance(each, Figure)}
    values = figures["cohorts-matrix"]["values"]
    matrix = tables["cohort_matrix"].set_index(["strategy", "train", "test"])["value"]
    assert values[0, 1] == matrix["one series", "a", "b"]
    assert values[3, 2] == matrix["merged", "a + b", "c"]
    forest = figures["cohorts-forest-00"]
    assert [group.label for group in forest["groups"]] == ["a", "b", "c", "random-effects mean"]
