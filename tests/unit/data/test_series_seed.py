"""Seeds depend on the content of a data set and not on names."""

from dataclasses import replace

import numpy as np
import pytest
from toys import dataset

from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.folds import draw_folds
from xnbflow.inference.label_test import label_test


@pytest.fixture
def series():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 24))
    values[:4, 12:] += 1
    return dataset(values, np.repeat(["normal", "tumour"], 12))


@pytest.mark.slow
def test_names_change_no_draw(series):
    other = replace(
        series,
        name="another name",
        samples=np.array([f"GSM{i}" for i in range(24)]),
        labels=np.where(series.labels == "normal", "control", "zz"),
    )
    folds = draw_folds(series, 3, 2)
    other_folds = draw_folds(other, 3, 2)
    places = dict(zip(series.samples, range(24), strict=True))
    other_places = dict(zip(other.samples, range(24), strict=True))
    assert folds["sample"].map(places).tolist() == other_folds["sample"].map(other_places).tolist()
    test = label_test(series, n_permutations=99, n_draws=2)
    assert test.equals(label_test(other, n_permutations=99, n_draws=2))


def test_classes_groups_order_repeat_and_purpose_change_the_seed(series):
    groups = np.arange(24) // 2
    swapped = series.labels.copy()
    swapped[[0, 23]] = swapped[[23, 0]]
    seeds = {
        series_seed(series, 0, "folds"),
        series_seed(series, 1, "folds"),
        series_seed(series, 0, "classifier"),
        series_seed(replace(series, groups=groups.astype(str)), 0, "folds"),
        series_seed(replace(series, labels=swapped), 0, "folds"),
    }
    assert len(seeds) == 5
