"""Prediction with a kept model: columns in any order, missing values, scale and typicality."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from model_files import two_classes
from scipy.special import logsumexp
from scipy.stats import norm
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.models import fit_model, predict_table, read_model, write_model
from xnbflow.models.explanation import explain_sample
from xnbflow.models.prediction import log_posterior_without
from xnbflow.models.reading import described, read_samples, read_training
from xnbflow.models.typicality import ATYPICAL, Typicality
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV
from xnbflow.running.cli.commands import training_series

SERIES = two_classes(60)
NEW = two_classes(20, seed=1).frame()
CSNB = fit_model(SERIES, {"method": "csnb", "params": {"n_features": 3}})
NB = fit_model(SERIES, {"method": "gaussian_nb"})
XNB = fit_model(SERIES, {"method": "xnb"})


def test_a_file_may_have_columns_of_text_that_the_model_does_not_use(tmp_path):
    path = tmp_path / "new.csv"
    NEW.assign(**{"a, b": 1.0, "site": "Ghent", "empty": np.nan})[::-1].to_csv(path)
    read = read_samples(described(str(path)), features=CSNB.features)
    assert predict_table(CSNB, read.loc[NEW.index]).table.equals(predict_table(CSNB, NEW).table)
    NEW.assign(site="Ghent", type=["a", "b"] * 10).to_csv(path)
    known = {"location": str(path), "label": "type", "options": ["drop=site"]}
    model = fit_model(read_training(described(**known)), {"method": "xnb"}, origin=known)
    assert training_series(model, [], "rows").features.tolist() == NEW.columns.tolist()
    NEW.assign(**{CSNB.features[0]: "high"}).to_csv(path)
    with refused(key=CSNB.features[0]):
        read_samples(described(str(path)), features=CSNB.features)


def test_evidence_of_missing_features_is_left_out_where_the_classifier_allows_it():
    gone, lacking = CSNB.required[0], NEW.copy()
    lacking.loc["s3", gone] = np.nan
    for model, table in ((CSNB, NEW.drop(columns=gone)), (CSNB, lacking), (NB, lacking)):
        told = predict_table(model, table)
        assert told.table.equals(predict_table(model, table, "drop").table)
        assert sum("of the evidence is left" in note for note in told.notes) == 1
    with pytest.raises(InputError):
        predict_table(XNB, NEW.drop(columns=XNB.required[0]))
    with pytest.raises(InputError, match="cannot leave a feature out"):
        log_posterior_without(XNB.estimator, NEW, [XNB.required[0]])


@pytest.mark.filterwarnings("ignore:.*lack features that the classifier uses:UserWarning")
@pytest.mark.parametrize("make", [lambda: ClassSpecificNB(n_features=3), ClassSpecificNBCV])
def test_class_specific_classifiers_find_their_features_and_marginalise_missing_ones(make):
    model = make().fit(SERIES.frame(), SERIES.labels)
    used = model.feature_names_in_[model.used_columns_]
    other = NEW[used[::-1]].assign(note="text", empty=np.nan)
    assert np.array_equal(model.predict_proba(other), model.predict_proba(NEW))
    lacking = NEW.copy()
    lacking.loc["s3", used[0]] = np.nan
    found = model.predict_log_proba(lacking)
    assert np.array_equal(np.delete(found, 3, 0), np.delete(model.predict_log_proba(NEW), 3, 0))
    expected = log_posterior_without(model, NEW, [used[0]])
    np.testing.assert_allclose(found[3], expected[3])
    np.testing.assert_allclose(model.predict_log_proba(NEW.drop(columns=used[0])), expected)
    assert (model.evidence_left(lacking) < 1.0).tolist() == [i == 3 for i in range(len(NEW))]
    with pytest.raises(InputError):
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
        joint.loc[row["sample"], row["class"]] += row["log_likelihood"]
    expected = joint.to_numpy() - logsumexp(joint.to_numpy(), axis=1, keepdims=True)
    assert np.allclose(log_posterior_without(CSNB.estimator, NEW, [gone]), expected)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda new: new.drop(columns="g0"), "lacks 1 of the model's 8 features: g0"),
        (lambda new: new.add_suffix("x"), "has none of the model's 8 features"),
        (lambda new: new.iloc[:0], "no samples"),
        (lambda new: new.iloc[:, [0, 0, *range(1, 8)]], "1 repeated columns, 'g0' for one"),
        (lambda new: new.assign(g0="high"), "is not a number"),
        (lambda new: new.where(new.index.to_series() != "s2"), "sample 's2' has no value of 'g0'"),
        (lambda new: new.assign(g0=np.inf), "sample 's0': 'g0' is inf"),
    ],
)
def test_what_cannot_be_predicted_is_named(change, told):
    with pytest.raises(InputError, match=told):
        predict_table(NB, change(NEW), "error")


def adds_up(told, model):
    """Whether an explanation's scores are the log posteriors, but for a constant."""
    scores = told.scores()[model.classes]
    row = told.prediction.table.iloc[0]
    expected = [row[f"probability.{label}"] for label in model.classes]
    return np.allclose(np.exp(scores - logsumexp(scores)), expected, atol=1e-8)


HOLED = np.where(np.random.default_rng(5).random(SERIES.values.shape) < 0.1, np.nan, SERIES.values)
HOLES = replace(SERIES, name="holes", values=HOLED, missing=True)


def test_a_model_of_a_series_with_missing_values_imputes_as_its_cross_validation_did():
    model = fit_model(HOLES, {"method": "csnb", "params": {"n_features": 3}})
    medians = np.nanmedian(HOLES.values, axis=1)
    values = np.where(np.isnan(HOLES.values), medians[:, None], HOLES.values).T
    by_hand = pd.DataFrame(values, columns=HOLES.features)
    expected = ClassSpecificNB(n_features=3).fit(by_hand, HOLES.labels)
    assert np.array_equal(
        model.estimator.predict_proba(HOLES.frame()), expected.predict_proba(by_hand)
    )
    assert set(model.required) == set().union(*expected.selected_features_.values())
    assert len(model.signature) == sum(map(len, expected.selected_features_.values()))


def test_a_model_that_imputes_takes_samples_with_holes_and_says_so(tmp_path):
    write_model(fit_model(HOLES, {"method": "csnb"}), tmp_path / "m.skops")
    model = read_model(tmp_path / "m.skops")
    new = NEW.copy()
    new.loc["s3", model.required[0]] = np.nan
    told = predict_table(model, new)
    filled = new.fillna({model.required[0]: np.nanmedian(HOLES.frame()[model.required[0]])})
    assert told.table["label"].tolist() == model.estimator.predict(filled).tolist()
    assert any("1 value is missing in 1 of 20 samples" in note for note in told.notes)
    assert np.isfinite(told.table["typicality"]).all()
    assert adds_up(explain_sample(model, NEW, "s3"), model)


@pytest.mark.parametrize("missing", ["impute", "drop"])
def test_a_single_missing_value_costs_its_sample_only_and_imputing_takes_the_median(missing):
    new = NEW.copy()
    new.loc["s3", "g0"] = np.nan
    told, whole = predict_table(NB, new, missing).table, predict_table(NB, NEW).table
    others = told["sample"] != "s3"
    columns = [name for name in told if name.startswith("probability")]
    assert np.allclose(told.loc[others, columns], whole.loc[others, columns])
    alone = predict_table(NB, NEW.loc[["s3"]].drop(columns="g0"), missing).table
    assert np.allclose(told.loc[~others, columns], alone[columns])
    if missing == "impute":
        filled = predict_table(NB, NEW.loc[["s3"]].assign(g0=np.median(SERIES.values[0]))).table
        assert np.allclose(alone[columns], filled[columns])
    assert np.allclose(told.loc[~others, "typicality"], alone["typicality"])


def test_groups_stay_together_inside_a_final_fit():
    pairs = np.repeat(np.arange(30), 2)
    grouped = replace(SERIES, groups=pairs)
    entry = {"method": "csnb_cv", "params": {"cv": 3}}
    expected = ClassSpecificNBCV(cv=3).fit(SERIES.frame(), SERIES.labels, groups=grouped.groups)
    found = fit_model(grouped, entry).estimator
    assert found.path_.equals(expected.path_)
    assert not found.path_.equals(fit_model(SERIES, entry).estimator.path_)


def two_classes(rng, n=60, n_features=30):
    codes = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n_features, n)) + 3.0 * codes, codes


def test_new_samples_of_the_same_source_are_flagged_one_time_in_a_hundred():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        features, codes = two_classes(rng)
        new, _ = two_classes(rng, n=1000)
        found.append(Typicality.fit(features, codes).typicality(new))
    assert (np.array(found) < ATYPICAL).mean() == pytest.approx(0.012, abs=0.006)
    assert np.quantile(found, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.07)


def test_a_training_sample_is_scored_without_itself_of_some_features_by_these(rng):
    features, codes = two_classes(rng, n=12, n_features=1)
    model = Typicality.fit(features, codes)
    own = []
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        width = model.bandwidths[0, rest]
        density = norm.pdf(features[0, i], features[0, rest], width).mean()
        own.append(np.log(density * features[0].std()))
    np.testing.assert_allclose(model.held_out, np.sort(own))
    features, codes = two_classes(rng)
    some = Typicality.fit(features, codes).restricted(np.arange(5))
    alone = Typicality.fit(features[:5], codes)
    np.testing.assert_allclose(some.held_out, alone.held_out)
    assert len(some.centres) == 5


@pytest.mark.parametrize("model", [CSNB, NB, XNB], ids=["csnb", "nb", "xnb"])
def test_explanations_add_up_and_the_order_of_columns_and_unused_ones_change_nothing(model):
    assert adds_up(explain_sample(model, NEW, "s4"), model)
    unused = [name for name in NEW if name not in set(model.required)]
    assert bool(unused) == (model is not NB)
    noted = NEW.assign(**dict.fromkeys(unused, "text"))
    for other in (NEW[NEW.columns[::-1]].assign(note=1.0), noted, NEW.drop(columns=unused)):
        assert predict_table(model, other).table.equals(predict_table(model, NEW).table)
