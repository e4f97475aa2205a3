"""Models fitted on all samples: imputation, groups."""

from dataclasses import replace

import numpy as np
import pandas as pd
from fitted_models import HOLES, SERIES

from xnbflow.models import fit_model
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV


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


def test_groups_stay_together_inside_a_final_fit():
    pairs = np.repeat(np.arange(30), 2)
    grouped = replace(SERIES, groups=pairs)
    entry = {"method": "csnb_cv", "params": {"cv": 3}}
    expected = ClassSpecificNBCV(cv=3).fit(SERIES.frame(), SERIES.labels, groups=grouped.groups)
    found = fit_model(grouped, entry).estimator
    assert found.path_.equals(expected.path_)
    assert not found.path_.equals(fit_model(SERIES, entry).estimator.path_)
