"""The analysis of signatures, small: curves over sizes, and what inner cross-validation chooses."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from report_study import analysis_section, small
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from toys import dataset

from xnbflow.core.study import Study
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.evaluation.selected import feature_use, features_with_effect
from xnbflow.naive_bayes import XNB
from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB
from xnbflow.naive_bayes.evidence_calibration import fit_temperature
from xnbflow.naive_bayes.vector_scaling import fit_vector
from xnbflow.papers.signatures import compute, section
from xnbflow.papers.signatures.compute import analyse
from xnbflow.papers.signatures.entries import ANALYSIS
from xnbflow.report.page.blocks import figures_of

PARAMS = small("signatures")


@pytest.fixture(scope="module")
def series():
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 16)
    values = rng.normal(size=(12, 48))
    for i, label in enumerate("abc"):
        values[i] += 2.0 * (labels == label)
    return dataset(values, labels)


@pytest.fixture(scope="module")
def tables(series):
    return analyse({"toy": series}, PARAMS, threads=1)


def calibrated(sums, prior, labels, folds):
    """Return joint log probabilities whose evidence is calibrated by the other folds."""
    codes = np.unique(labels, return_inverse=True)[1]
    start, joint = fit_temperature(sums, prior, codes), np.empty_like(sums)
    for fold in np.unique(folds):
        rest = folds != fold
        fitted = fit_vector(sums[rest], prior[rest], codes[rest], start=start)
        joint[~rest] = fitted(sums[~rest]) + prior[~rest]
    return joint


def test_a_point_is_the_accuracy_on_the_folds_that_studies_draw(series, tables):
    X = series.values.T
    for parameter, model in (
        ("n_features", ClassSpecificNB(n_features=4)),
        ("threshold", XNB(threshold=0.9)),
    ):
        scores = []
        for repeat in range(2):
            drawn = folds_of_repeat(series, 3, repeat)
            folds = drawn.set_index("sample")["fold"].loc[series.samples].to_numpy()
            joint, prior = np.empty((2, 48, 3))
            for fold in range(3):
                model.fit(X[folds != fold], series.labels[folds != fold])
                joint[folds == fold] = model.predict_joint_log_proba(X[folds == fold])
                prior[folds == fold] = model.class_log_prior_
            if parameter == "n_features":
                joint = calibrated(joint - prior, prior, series.labels, folds)
            scores.append((model.classes_[joint.argmax(axis=1)] == series.labels).mean())
        curve = tables["curves"][tables["curves"]["method"] == type(model).__name__]
        point = curve[curve["value"] == getattr(model, parameter)].iloc[0]
        assert point["accuracy"] == pytest.approx(np.mean(scores), abs=1e-12)
        assert point["accuracy_sd"] == pytest.approx(np.std(scores, ddof=1), abs=1e-12)


def test_features_of_classifiers_that_set_effects_to_0_are_counted_through_pipelines_and_searches(
    series,
):
    X, y = series.frame(), series.labels
    lasso = LogisticRegression(C=0.2, l1_ratio=1.0, solver="liblinear")
    for last in (NearestCentroid(shrink_threshold=2.0), OneVsRestClassifier(lasso)):
        plain = make_pipeline(StandardScaler(), last).fit(X, y)
        used = features_with_effect(plain[-1])
        assert 0 < used.sum() < used.size
        search = GridSearchCV(last, [{}], cv=3)
        use = feature_use(make_pipeline(StandardScaler(), search).fit(X, y), X, explain=False)
        assert use.per_class == pytest.approx(used.sum() / 3)
        assert use.distinct == used.any(axis=0).sum()
    for dense in (LogisticRegression(), NearestCentroid()):
        assert features_with_effect(dense.fit(X, y)) is None


def test_the_chosen_size_in_the_middle_is_the_median(monkeypatch, series):
    """Of sizes 1, 1 and 10 the median is 1, the mean 4."""
    sizes = pd.DataFrame({"dataset": "toy", "repeat": 0, "fold": [0, 1, 2]})
    sizes = sizes.assign(n_features=[1, 1, 10], features_per_class=2.0, temperature=1.0)
    columns = ["method", "parameter", "value", "samples", "classes", "folds"]
    metrics = ["features_per_class", "accuracy", "balanced_accuracy", "log_loss"]
    points = pd.DataFrame([[*"abc", 1, 2, 3, *[0.5] * 4]], columns=[*columns, *metrics])
    results = [(points.assign(dataset="toy"), sizes)]
    monkeypatch.setattr(compute, "run_repeats", lambda *_: results)
    (row,) = compute.analyse({"toy": series}, PARAMS, 1)["chosen"].to_dict("records")
    assert (row["least"], row["median"], row["most"]) == (1, 1, 10)


def points_of(accuracies, features, method="XNB"):
    """A curve with these accuracies and features per class."""
    rows = pd.DataFrame({"accuracy": accuracies, "features_per_class": features})
    return rows.assign(dataset="toy", method=method, parameter="threshold", value=rows.index)


def test_the_best_point_has_the_fewest_features_among_equals():
    curves = pd.concat([points_of([0.9, 0.9, 0.8], [7.0, 3.0, 1.0]),
                        points_of([0.7], [2.0], "ClassSpecificNB")], ignore_index=True)  # fmt: skip
    best = section.best_points(curves)
    assert best["method"].tolist() == ["ClassSpecificNB", "XNB"]  # the order of the page
    assert best["features_per_class"].tolist() == [2.0, 3.0]


STUDY = Study(
    id="s",
    title="S",
    summary="",
    datasets=("toy",),
    classifiers=(),
    folds=("3-fold",),
    diagnostics=False,
    analyses={},
)


def test_the_section_shows_the_tables_and_names_them(tables, tmp_path):
    common = {"summary": pd.DataFrame()}
    _, tables_of_page = analysis_section(ANALYSIS, tables, tmp_path, common=common, study=STUDY)
    shown = next(table for table in tables_of_page if "least" in table.frame)
    sizes = tables["sizes"]["n_features"]
    expected = [sizes.min(), sizes.median(), sizes.max()]
    assert shown.frame[["least", "median", "most"]].iloc[0].tolist() == expected


def test_points_below_one_feature_are_drawn_and_points_without_any_are_not(tables, tmp_path):
    """The axis is logarithmic; a class may have less than one feature in the mean over folds."""
    curves = tables["curves"].copy()
    rows = curves.index[curves["method"] == "XNB"]
    curves.loc[rows[0], "features_per_class"] = 0.0
    curves.loc[rows[1], "features_per_class"] = 0.5
    common = {"summary": pd.DataFrame()}
    changed = tables | {"curves": curves}
    page, _ = analysis_section(ANALYSIS, changed, tmp_path, common=common, study=STUDY)
    first = next(iter(figures_of(page.blocks)))
    lines = {line.label: line.x for line in first.arguments["lines"]}
    assert lines["XNB"].min() == 0.5


def results_of(**classifiers):
    """The parts of a study's results that ring and levels are read from."""
    return SimpleNamespace(
        study=SimpleNamespace(classifiers=tuple(classifiers)),
        labels={name: name.upper() for name in classifiers},
        configuration={"classifiers": classifiers},
    )


MEANS = {
    ("cv", "features_per_class"): 8.0,
    ("cv", "accuracy"): 0.9,
    ("cv", "balanced_accuracy"): 0.8,
    ("cv", "log_loss"): 0.3,
    ("nb", "accuracy"): 0.7,
    ("nb", "log_loss"): 40.0,
    ("forest", "accuracy"): None,
}


@pytest.fixture
def means(monkeypatch):
    monkeypatch.setattr(
        section,
        "mean_metric",
        lambda results, dataset, classifier, metric: MEANS[classifier, metric],
    )


@pytest.mark.parametrize(
    ("measure", "value"), [("accuracy", 0.9), ("balanced_accuracy", 0.8), ("log_loss", 0.3)]
)
def test_the_ring_is_the_cross_validated_classifier_at_its_features(means, measure, value):
    """Of a pipeline the last step is the method."""
    pipeline = {"steps": [{"method": "scaler"}, {"method": "csnb_cv"}]}
    results = results_of(nb={"method": "gaussian_nb"}, cv=pipeline)
    assert section.chosen_point(results, "toy", measure) == ("CV", 8.0, value)
    assert section.chosen_point(results_of(nb={"method": "gaussian_nb"}), "toy", measure) is None


def test_levels_are_of_classifiers_with_all_features_that_were_fitted(means):
    forest = {"method": "sklearn.ensemble.RandomForestClassifier"}
    results = results_of(nb={"method": "gaussian_nb"}, cv={"method": "csnb_cv"}, forest=forest)
    assert section.levels_of_all_features(results, "toy", "accuracy") == [("NB", 0.7)]
    assert section.levels_of_all_features(results, "toy", "log_loss") == []


def test_points_have_the_parameters_of_their_curves():
    params = {"thresholds": [0.9], "shrinkage": [2.0], "C": [0.1]}
    xnb, centroids, lasso = compute.points_of_other_methods(params, seed=5)
    assert (xnb.method, xnb.value, xnb.model.threshold) == ("XNB", 0.9, 0.9)
    # PAM: shrunken towards the mean, and the classes' shares as priors (Tibshirani et al. 2002)
    assert centroids.model[-1].shrink_threshold == 2.0
    assert centroids.model[-1].priors == "empirical"
    estimator = lasso.model[-1].estimator
    assert (estimator.C, estimator.l1_ratio, estimator.random_state) == (0.1, 1.0, 5)


def test_the_curve_of_class_specific_nb_does_not_depend_on_the_rule_of_choice(series):
    """All sizes are points; the rule decides which of them the study's classifier takes."""
    folds = PredefinedSplit(np.tile([0, 1, 2], 16))
    rows = compute.class_specific_curve(series.values.T, series.labels, folds, {"sizes": [1, 2, 4]})
    assert [row["value"] for row in rows] == [1.0, 2.0, 4.0]
    assert {row["method"] for row in rows} == {"ClassSpecificNB"}
