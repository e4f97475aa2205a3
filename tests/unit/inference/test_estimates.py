"""Corrections in estimates: candidates, inflation of the AUC, groups, and boundaries."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.inference.estimates import areas, performance
from xnbflow.inference.intervals import area_interval, share_interval, share_p

CODES = np.repeat([0, 1], [24, 16])
PREDICTED = np.eye(2)[np.where(np.arange(40) % 5 == 0, 1 - CODES, CODES)]


def test_the_choice_among_candidates_widens_intervals_and_multiplies_p():
    """Bonferroni: intervals at 1 - .05 / 6, p times 6."""
    one, of_six = (performance(CODES, PREDICTED, candidates=n) for n in (1, 6))
    right = PREDICTED[np.arange(40), CODES]
    lower = share_interval(right, inflation=2.0, confidence=1 - 0.05 / 6).lower
    assert of_six.accuracy.lower == pytest.approx(lower)
    assert of_six.accuracy.lower < one.accuracy.lower
    assert of_six.balanced_accuracy.lower < one.balanced_accuracy.lower
    assert of_six.majority_p == pytest.approx(6 * share_p(right, 0.6, inflation=2.0))
    assert one.majority_p == pytest.approx(share_p(right, 0.6, inflation=2.0))


def predictions(series, rng, repeats=1):
    codes = np.searchsorted(series.classes, series.labels)
    parts = []
    for repeat in range(repeats):
        score = 1.5 * codes + rng.normal(size=len(codes))
        logs = {
            "log_posterior.a": -np.logaddexp(0, score),
            "log_posterior.b": -np.logaddexp(0, -score),
        }
        columns = {"sample": series.samples, "true": series.labels, "repeat": repeat, **logs}
        columns |= {"predicted": series.classes[(score > 0).astype(int)], "fold": 0}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("inflation", [2.0, 2.5])
@pytest.mark.parametrize("candidates", [1, 6])
def test_the_interval_of_an_area_counts_inflation_candidates_and_few_samples(
    rng, inflation, candidates
):
    series = dataset(np.ones((1, 40)), np.repeat(["a", "b"], [24, 16]))
    found = areas(predictions(series, rng), series, inflation, candidates)["b"]
    expected = area_interval(
        found.value, 16 / inflation, 24 / inflation, 1 - 0.05 / candidates, smaller_class=16
    )
    assert found == pytest.approx(expected)


def test_the_interval_of_an_area_counts_patients(rng):
    series = dataset(np.ones((1, 40)), np.repeat(["a", "b"], [24, 16]), groups=np.arange(40) // 4)
    found = areas(predictions(series, rng, repeats=2), series, 2.0)["b"]
    assert found == pytest.approx(area_interval(found.value, 4 / 2, 6 / 2, smaller_class=4))


@pytest.mark.parametrize(("n_right", "recognised"), [(15, False), (30, True)])
def test_a_class_is_recognised_above_one_half_only(n_right, recognised):
    codes = np.repeat([0, 1], 30)
    right = np.concatenate([np.arange(30) < n_right, np.ones(30, dtype=bool)])
    found = performance(codes, np.eye(2)[np.where(right, codes, 1 - codes)], inflation=1.0)
    assert found.classes[0].recognised == recognised
    assert found.classes[0].taken == 30 - n_right
    assert found.classes[0].taken_for == (-1 if n_right == 30 else 1)
