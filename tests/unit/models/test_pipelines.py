"""Steps of pipelines: which keep features apart, which keep values, which features are used."""

import numpy as np
import pandas as pd
import pytest
from counts_cases import formula_counts
from model_files import two_classes, with_holes
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

from xnbflow.data.read_counts import log_cpm
from xnbflow.models.pipelines import (
    described_values,
    keeps_values,
    takes_features_apart,
    used_features,
    with_imputation,
)
from xnbflow.naive_bayes import ClassSpecificNB
from xnbflow.preprocessing import CountNormalizer, Imputer, ReadFilter

SERIES = two_classes()
FRAME = SERIES.frame()
#: Feature 0 is 4 higher and feature 1 is 3 lower in the tumours, with a standard deviation of 1.
MARKERS = [0, 1]


def selecting():
    return ClassSpecificNB(n_features=2)


@pytest.mark.parametrize(
    "step",
    [
        Imputer(),
        SimpleImputer(),
        MaxAbsScaler(),
        MinMaxScaler(),
        RobustScaler(),
        StandardScaler(),
        SelectKBest(k=5),
    ],
    ids=lambda step: type(step).__name__,
)
def test_a_step_for_single_features_leaves_the_selected_ones(step):
    model = make_pipeline(step.set_output(transform="pandas"), selecting())
    model.fit(FRAME, SERIES.labels)
    assert takes_features_apart(model)
    assert used_features(model, FRAME).tolist() == MARKERS


@pytest.mark.parametrize("step", [PCA(3), Normalizer()], ids=["PCA", "Normalizer"])
def test_a_step_that_mixes_features_uses_all(step):
    model = make_pipeline(step.set_output(transform="pandas"), selecting())
    model.fit(FRAME, SERIES.labels)
    assert not takes_features_apart(model)
    assert used_features(model, FRAME).tolist() == list(range(8))


def test_steps_inside_pipelines_and_searches_count():
    inner = make_pipeline(PCA(3), GaussianNB())
    assert not takes_features_apart(make_pipeline(StandardScaler(), inner))
    search = GridSearchCV(inner, {"pca__n_components": [2]}, cv=2).fit(FRAME, SERIES.labels)
    assert not takes_features_apart(search)
    assert not takes_features_apart(make_pipeline(StandardScaler(), search))


def test_only_imputation_and_selection_keep_values():
    keeping = (Imputer(), SimpleImputer(), SelectKBest(k=3))
    assert all(keeps_values(make_pipeline(step, GaussianNB())) for step in keeping)
    changed = (StandardScaler(), MinMaxScaler(), PCA(3))
    assert not any(keeps_values(make_pipeline(step, GaussianNB())) for step in changed)
    assert keeps_values(GaussianNB())


def test_a_classifier_that_imputes_is_not_changed_and_another_one_gets_names():
    imputes_itself = make_pipeline(SimpleImputer(), GaussianNB())
    assert with_imputation(imputes_itself) is imputes_itself
    holes = with_holes()
    model = with_imputation(selecting()).fit(holes.frame(), holes.labels)
    assert list(model.named_steps) == ["impute", "classify"]
    assert model[-1].feature_names_in_.tolist() == holes.features.tolist()


def test_counts_are_described_by_the_library_sizes_of_features_with_enough_reads():
    counts, codes = formula_counts()
    frame = pd.DataFrame(counts.T, columns=[f"g{i}" for i in range(len(counts))])
    model = make_pipeline(ReadFilter(), CountNormalizer(), GaussianNB()).fit(frame, codes)
    enough = model[0].get_support()
    assert 0 < enough.sum() < len(enough)
    sizes = model[1].library_sizes(counts[enough].T)
    expected = log_cpm(counts, sizes, model[1].prior_count, model[1].mean_size_)
    np.testing.assert_array_equal(described_values(model, frame).to_numpy(), expected.T)
