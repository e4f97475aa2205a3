"""Prediction with a model: missing values, and evidence that is left out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fitted_models import CSNB, HOLES, NB, NEW, SERIES, XNB, adds_up
from model_files import two_classes
from scipy.special import logsumexp

from xnbflow.core.errors import InputError
from xnbflow.models import fit_model, predict_table, prediction, read_model, write_model
from xnbflow.models.explanation import explain_sample
from xnbflow.models.prediction import _log_posterior_without
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV


def test_evidence_of_missing_features_is_left_out_where_the_classifier_allows_it():
    gone, lacking = CSNB.required[0], NEW.copy()
    lacking.loc["s3", gone] = np.nan
    for model, table in ((CSNB, NEW.drop(columns=gone)), (CSNB, lacking), (NB, lacking)):
        prediction = predict_table(model, table)
        assert prediction.table.equals(predict_table(model, table, "drop").table)
        assert sum("of the evidence is left" in note for note in prediction.notes) == 1
    with pytest.raises(InputError, match="the table lacks 1 of the model's 2 features: g0"):
        predict_table(XNB, NEW.drop(columns=XNB.required[0]))
    with pytest.raises(InputError, match="cannot leave a feature out"):
        _log_posterior_without(XNB.estimator, NEW, [XNB.required[0]])


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
@pytest.mark.parametrize("make", [lambda: ClassSpecificNB(n_features=3), ClassSpecificNBCV])
def test_class_specific_classifiers_find_their_features_and_marginalise_missing_ones(make):
    model = make().fit(SERIES.frame(), SERIES.labels)
    used = model.feature_names_in_[model.used_columns_]
    other = NEW[used[::-1]].assign(note="text", empty=np.nan)
    assert np.array_equal(model.predict_proba(other), model.predict_proba(NEW))
    lacking = NEW.copy()
    lacking.loc["s3", used[0]] = np.nan
    actual = model.predict_log_proba(lacking)
    assert np.array_equal(np.delete(actual, 3, 0), np.delete(model.predict_log_proba(NEW), 3, 0))
    expected = _log_posterior_without(model, NEW, [used[0]])
    np.testing.assert_allclose(actual[3], expected[3])
    np.testing.assert_allclose(model.predict_log_proba(NEW.drop(columns=used[0])), expected)
    assert (model.evidence_left(lacking) < 1.0).tolist() == [i == 3 for i in range(len(NEW))]
    with pytest.raises(InputError, match="X has none of the features that the classifier uses"):
        model.predict(NEW.drop(columns=used))


def test_dropping_gives_the_posterior_of_a_classifier_that_never_saw_the_feature():
    """Features of Gaussian naive Bayes are fitted by themselves: a fit without one is the same."""
    rest = {"values": SERIES.values[1:], "features": SERIES.features[1:], "kinds": None}
    without = fit_model(replace(SERIES, **rest), {"method": "gaussian_nb"})
    dropped = predict_table(NB, NEW.drop(columns="g0"), "drop").table
    fitted = predict_table(without, NEW.drop(columns="g0")).table
    columns = [f"probability.{label}" for label in NB.classes]
    assert np.allclose(dropped[columns], fitted[columns], rtol=1e-6)
    assert not np.allclose(dropped[columns], predict_table(NB, NEW).table[columns])


def test_dropping_of_a_class_specific_classifier_leaves_the_evidence_of_the_others():
    """Recomputed from the evidence of every single feature."""
    gone = CSNB.required[0]
    terms = CSNB.estimator.explain(NEW.reset_index(drop=True))
    joint = pd.DataFrame(
        np.tile(CSNB.estimator.class_log_prior_, (len(NEW), 1)), columns=CSNB.classes
    )
    for row in terms[terms["feature"] != gone].to_dict("records"):
        joint.loc[row["sample"], row["class"]] += row["evidence"]
    expected = joint.to_numpy() - logsumexp(joint.to_numpy(), axis=1, keepdims=True)
    assert np.allclose(_log_posterior_without(CSNB.estimator, NEW, [gone]), expected)


def test_a_model_that_imputes_takes_samples_with_holes_and_says_so(tmp_path):
    write_model(fit_model(HOLES, {"method": "csnb"}), tmp_path / "m.skops")
    model = read_model(tmp_path / "m.skops")
    new = NEW.copy()
    new.loc["s3", model.required[0]] = np.nan
    prediction = predict_table(model, new)
    filled = new.fillna({model.required[0]: np.nanmedian(HOLES.frame()[model.required[0]])})
    assert prediction.table["label"].tolist() == model.estimator.predict(filled).tolist()
    assert any("1 value is missing in 1 of 20 samples" in note for note in prediction.notes)
    assert np.isfinite(prediction.table["typicality"]).all()
    assert adds_up(explain_sample(model, NEW, "s3"), model)


@pytest.mark.parametrize("missing", ["impute", "drop"])
def test_a_single_missing_value_costs_its_sample_only_and_imputing_takes_the_median(missing):
    new = NEW.copy()
    new.loc["s3", "g0"] = np.nan
    incomplete, complete = predict_table(NB, new, missing).table, predict_table(NB, NEW).table
    others = incomplete["sample"] != "s3"
    columns = [name for name in incomplete if name.startswith("probability")]
    assert np.allclose(incomplete.loc[others, columns], complete.loc[others, columns])
    alone = predict_table(NB, NEW.loc[["s3"]].drop(columns="g0"), missing).table
    assert np.allclose(incomplete.loc[~others, columns], alone[columns])
    if missing == "impute":
        filled = predict_table(NB, NEW.loc[["s3"]].assign(g0=np.median(SERIES.values[0]))).table
        assert np.allclose(alone[columns], filled[columns])
    assert np.allclose(incomplete.loc[~others, "typicality"], alone["typicality"])


def test_a_typicality_is_at_least_one_sample_more_than_training_and_atypical_without_this():
    far = NEW.iloc[:1] + 100.0
    small = fit_model(two_classes(20), {"method": "gaussian_nb"})
    row = predict_table(small, far).table.iloc[0]
    assert row["typicality"] == pytest.approx(1 / 21)
    assert row["atypical"]


def test_sets_of_classes_have_a_nominal_coverage_of_90_percent():
    model = fit_model(SERIES, {"method": "csnb_cv", "params": {"cv": 3}})
    table = predict_table(model, NEW).table
    assert table["set_level"].tolist() == [0.9] * 20


def test_a_sample_without_any_value_is_atypical():
    new = NEW.copy()
    new.iloc[0] = np.nan
    table = predict_table(CSNB, new, "drop").table
    assert np.isnan(table["typicality"][0])
    assert table["atypical"][0]
    assert not table["atypical"][1:].any()


def test_a_sample_below_one_per_cent_of_typicality_is_atypical(monkeypatch):
    values = np.array([0.0, 0.0099, 0.01, 0.5])
    monkeypatch.setattr(prediction, "_sample_typicality", lambda *_: values)
    table = predict_table(NB, NEW.iloc[:4]).table
    assert table["atypical"].tolist() == [True, True, False, False]


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
def test_a_model_of_decorrelated_values_needs_all_features_and_does_without_some():
    entry = {"method": "csnb_cv", "params": {"cv": 3, "decorrelation": 0.2}}
    model = fit_model(SERIES, entry)
    assert model.required.tolist() == list(SERIES.features)
    probabilities = [f"probability.{label}" for label in model.classes]
    for lacking in ("g1", "g7"):
        new = NEW.drop(columns=lacking)
        prediction = predict_table(model, new)
        assert np.allclose(prediction.table[probabilities], model.estimator.predict_proba(new))
        assert any("1 of the model's 8 features is missing" in note for note in prediction.notes)
        one = explain_sample(model, new, "s3")
        assert adds_up(one, model)
        assert lacking not in set(one.terms["feature"])
    assert adds_up(explain_sample(model, NEW, "s3"), model)
