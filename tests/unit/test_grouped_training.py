"""Training with groups of samples and with missing values: nothing of tested samples gets in."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.description import describe
from xnbflow.evaluation.fitting import fit_grouped
from xnbflow.evaluation.folds import draw_folds, folds_of_repeat, leave_one_group_out
from xnbflow.evaluation.training import train
from xnbflow.naive_bayes.class_specific_cv import ClassSpecificNBCV
from xnbflow.naive_bayes.gaussian import GaussianNB
from xnbflow.naive_bayes.inner_folds import inner_folds
from xnbflow.naive_bayes.selective import SelectiveNB
from xnbflow.workflow.config import Batch, Folds

XNB_ENTRY = {"method": "xnbflow.naive_bayes.class_specific.XNB"}
CSNB_ENTRY = {"method": "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"}


class Remembering(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted with."""

    def fit(self, X, y, groups=None):
        self.seen_, self.groups_, self.classes_ = X, groups, np.unique(y)
        LAST.append(self)
        return self

    def predict(self, X):
        LAST.append(X)
        return np.full(len(X), self.classes_[0])


LAST: list = []
SPY_ENTRY = {"method": f"{__name__}.Remembering"}


@pytest.fixture
def series():
    """Eight patients, two samples each, one of each class; a value in ten is missing."""
    rng = np.random.default_rng(0)
    labels = np.tile(["normal", "tumour"], 8)
    values = rng.normal(size=(5, 16)) + 2 * (labels == "tumour")
    values[rng.random(values.shape) < 0.1] = np.nan
    return DataSet(
        "pairs",
        values,
        [f"p{i}" for i in range(5)],
        [f"s{i}" for i in range(16)],
        labels,
        groups=np.repeat([f"patient {i}" for i in range(8)], 2),
        feature_metadata=pd.DataFrame({"symbol": ["TP53", "", "KRAS", "MYC", "EGFR"]}),
        missing=True,
    )


def test_a_scheme_that_leaves_groups_out_has_a_fold_per_group_in_one_job(series):
    scheme = Folds(None, 1)
    (batch,) = scheme.batches(3)
    assert Batch.named(batch.name) == batch == Batch((0,), None)
    folds = folds_of_repeat(series, scheme.splits, 0)
    pd.testing.assert_frame_equal(folds, draw_folds(series, None, 1))
    pd.testing.assert_frame_equal(folds, leave_one_group_out(series))
    outcome = train(series, folds, CSNB_ENTRY)
    assert len(outcome["fits"]) == 8
    assert sorted(outcome["predictions"]["sample"]) == sorted(series.samples)


def test_missing_values_are_filled_in_by_medians_of_the_training_samples(series):
    folds = draw_folds(series, 4, 1)
    LAST.clear()
    outcome = train(series, folds.query("fold == 0"), SPY_ENTRY)
    model, tested = LAST[0], LAST[1]
    mask = np.isin(series.samples, tested.index)
    medians = np.nanmedian(series.values[:, ~mask], axis=1)
    expected = np.where(np.isnan(series.values), medians[:, None], series.values)
    np.testing.assert_array_equal(tested.to_numpy().T, expected[:, mask])
    np.testing.assert_array_equal(model.seen_.to_numpy().T, expected[:, ~mask])
    assert list(tested.columns) == list(series.features)
    assert outcome["fits"]["imputed"].tolist() == [np.isnan(series.values).sum()]
    np.testing.assert_array_equal(model.groups_, series.groups[~mask])


@pytest.mark.parametrize("entry", [XNB_ENTRY, CSNB_ENTRY])
def test_a_series_with_gaps_is_described(series, entry):
    outcome = train(series, draw_folds(series, 4, 1), entry)
    assert set(outcome["fits"]["status"]) == {"ok"}
    tables = describe(series, entry, outcome, None)
    assert np.isfinite(tables["densities"]["density"]).all()
    assert np.isfinite(tables["profiles"]["median_inside"]).all()


def test_inner_folds_keep_groups_together(series):
    data = replace(series, values=np.nan_to_num(series.values), missing=False)
    X, y, groups = data.frame(), data.labels, data.groups
    model = ClassSpecificNBCV(cv=4)
    alone = ClassSpecificNBCV(cv=4).fit(X, y, groups)
    pd.testing.assert_frame_equal(fit_grouped(model, X, y, groups).path_, alone.path_)
    folds = inner_folds(4, np.unique(y, return_inverse=True)[1], groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in folds)
    given = Mock(wraps=StratifiedGroupKFold(4))
    fit_grouped(SelectiveNB(GaussianNB(), cv=given), X, y, groups)
    np.testing.assert_array_equal(given.split.call_args.args[2], groups)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=5)
    pipeline = make_pipeline(StandardScaler(), search)
    fit_grouped(pipeline, X, y, groups)
    assert isinstance(search.cv, StratifiedGroupKFold)
    spy = make_pipeline(StandardScaler(), Remembering())
    fit_grouped(spy, X, y, groups)
    assert spy[-1].groups_ is groups
