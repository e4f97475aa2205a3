"""Fits read names only where a model needs them, and inner folds keep groups together."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from spy_classifier import Spy

from xnbflow.evaluation.fitting import as_read, fit_grouped
from xnbflow.naive_bayes.class_specific_nb_cv import ClassSpecificNBCV
from xnbflow.naive_bayes.inner_folds import inner_folds


def test_only_models_that_read_no_names_get_an_array(series):
    frame, logistic = series.frame(), LogisticRegression()
    named = make_pipeline(make_column_transformer((StandardScaler(), ["w"])), logistic)
    searched = GridSearchCV(make_pipeline(StandardScaler(), Spy()), {})
    assert as_read(named, frame) is as_read(searched, frame) is frame
    assert isinstance(as_read(make_pipeline(StandardScaler(), logistic), frame), np.ndarray)


def test_inner_folds_keep_groups_together(pairs):
    data = replace(pairs, values=np.nan_to_num(pairs.values), missing=False)
    X, y, groups = data.frame(), data.labels, data.groups
    model = ClassSpecificNBCV(cv=4)
    alone = ClassSpecificNBCV(cv=4).fit(X, y, groups)
    pd.testing.assert_frame_equal(fit_grouped(model, X, y, groups).path_, alone.path_)
    folds = inner_folds(4, np.unique(y, return_inverse=True)[1], groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in folds)
    splitter = Mock(wraps=StratifiedGroupKFold(4))
    fit_grouped(ClassSpecificNBCV(cv=splitter), X, y, groups)
    np.testing.assert_array_equal(splitter.split.call_args.args[2], groups)
    for cv, n_splits in ((4, 4), (None, 5)):  # scikit-learn's default is five folds
        search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=cv)
        fit_grouped(make_pipeline(StandardScaler(), search), X, y, groups)
        assert isinstance(search.cv, StratifiedGroupKFold)
        assert search.cv.n_splits == n_splits
    fit_grouped(make_pipeline(StandardScaler(), Spy()), X, y, groups)
    assert Spy.seen[-1][-1] is groups
