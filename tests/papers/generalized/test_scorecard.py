"""An exported scorecard is applied by its file alone, by this module and by the csv module."""

import csv
import math
from bisect import bisect_right

import numpy as np
import pandas as pd
import pytest

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.papers.generalized.scorecard import read_scorecard, score


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"a": rng.normal(size=200), "c": rng.integers(0, 3, 200).astype(float)})
    y = np.where(X["a"] ** 2 + X["c"] + rng.logistic(size=200) > 2, "yes", "no")
    return GeneralizedNB(categorical=["c"]).fit(X, y)


@pytest.fixture
def card_file(model, tmp_path):
    path = tmp_path / "card.csv"
    model.scorecard().to_csv(path, index=False)
    return path


SAMPLES = pd.DataFrame({"c": [0.0, 1.0, 9.0, 2.0], "a": [-99.0, 0.123, 99.0, 0.0]})


def score_by_hand(path, sample):
    """Apply the documented formula to the lines of the file, by the standard library alone."""
    log_odds, points = 0.0, {}
    with path.open(newline="") as lines:
        for line in csv.DictReader(lines):
            if line["kind"] == "intercept":
                log_odds += float(line["sum"])
            else:
                kind, pairs = points.setdefault(line["feature"], (line["kind"], []))
                pairs.append((float(line["value"]), float(line["sum"])))
    for feature, (kind, pairs) in points.items():
        x = sample[feature]
        if kind == "categorical":
            log_odds += dict(pairs).get(x, 0.0)
            continue
        above = bisect_right([value for value, _ in pairs], x)
        if above in (0, len(pairs)):
            log_odds += pairs[min(above, len(pairs) - 1)][1]
            continue
        (v0, s0), (v1, s1) = pairs[above - 1 : above + 1]
        log_odds += s0 + (x - v0) / (v1 - v0) * (s1 - s0)
    return 1 / (1 + math.exp(-log_odds))


def test_the_file_alone_gives_the_probabilities_of_the_model(model, card_file):
    expected = model.predict_proba(SAMPLES[["a", "c"]])[:, 1]
    by_hand = [score_by_hand(card_file, sample) for sample in SAMPLES.to_dict("records")]
    assert by_hand == pytest.approx(expected, rel=1e-12)
    assert score(read_scorecard(card_file), SAMPLES) == pytest.approx(expected, rel=1e-12)
    array = SAMPLES[["a", "c"]].to_numpy()
    assert score(model.scorecard(), array) == pytest.approx(expected, rel=1e-12)


def test_the_order_of_the_lines_does_not_matter(card_file):
    card = read_scorecard(card_file)
    shuffled = card.sample(frac=1, random_state=0)
    assert score(shuffled, SAMPLES) == pytest.approx(score(card, SAMPLES), rel=1e-12)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (pd.DataFrame({"a": [0.0]}), "lack column 'c'"),
        (pd.DataFrame({"a": [0.0, np.nan], "c": [0.0, 0.0]}), "'a' is nan in row 1"),
        (np.zeros((2, 3)), "has 2 features"),
    ],
)
def test_samples_that_do_not_fit_the_card_are_refused(model, samples, message):
    with pytest.raises(InputError, match=message):
        score(model.scorecard(), samples)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card.drop(columns="kind"), "lacks column 'kind'"),
        (lambda card: card.iloc[1:], "exactly one row"),
        (lambda card: card.assign(sum=np.nan), "not a finite number"),
    ],
)
def test_files_that_are_no_card_are_refused(model, tmp_path, change, message):
    path = tmp_path / "card.csv"
    change(model.scorecard()).to_csv(path, index=False)
    with pytest.raises(InputError, match=message):
        read_scorecard(path)
