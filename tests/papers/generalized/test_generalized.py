"""Generalized naive Bayes and its neighbourhoods: definitions and limits."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import OneHotEncoder

from xnbflow.naive_bayes import GeneralizedNB
from xnbflow.papers.generalized.generalized_nb import LocalScoring
from xnbflow.papers.generalized.naive_effect import (
    QUADRATIC_KERNELS,
    SortedFeature,
    _neighbourhood_sums,
)


def shares_and_weights(values, counts, span, kernel):
    """Each window's share and kernel weight of every value, straight from the definition."""
    level, curvature = kernel
    ends = np.cumsum(counts)
    starts = ends - counts
    reach = span * ends[-1] / 2
    shares, weights = np.zeros((2, len(values), len(values)))
    for i, value in enumerate(values):
        middle = (starts[i] + ends[i]) / 2
        low, high = min(middle - reach, starts[i]), max(middle + reach, ends[i])
        inside = np.clip((np.minimum(ends, high) - np.maximum(starts, low)) / counts, 0, 1)
        inside[inside < 1e-12] = 0.0
        distance = np.abs(values - value)
        width = distance[inside > 0].max()
        u = distance / width if width > 0 else np.zeros(len(values))
        shares[i], weights[i] = inside, inside * (level - curvature * u**2)
    return shares, weights


@given(
    values=st.lists(st.integers(-50, 50), min_size=1, max_size=40, unique=True),
    span=st.sampled_from([0.01, 0.1, 0.3, 0.6, 1.0]),
    kernel=st.sampled_from(sorted(QUADRATIC_KERNELS)),
    seed=st.integers(0, 100),
)
@settings(max_examples=150, deadline=None)
def test_sums_follow_the_definition(values, span, kernel, seed):
    rng = np.random.default_rng(seed)
    values = np.sort(np.array(values, dtype=float))
    counts = rng.integers(1, 8, len(values)).astype(float)
    weights = rng.normal(size=(2, len(values)))
    _, kernel_weights = shares_and_weights(values, counts, span, QUADRATIC_KERNELS[kernel])
    sums = _neighbourhood_sums(values, counts, weights, span, QUADRATIC_KERNELS[kernel])
    assert sums == pytest.approx(weights @ kernel_weights.T, abs=1e-12)


@pytest.mark.parametrize("kernel", QUADRATIC_KERNELS)
@pytest.mark.parametrize("far", [-1e9, 1e9, -1e15])
def test_fine_structure_survives_far_outliers(rng, kernel, far):
    """Differences of running moments over the whole feature lose every digit here."""
    values = np.sort(np.r_[far, 2 * far, rng.normal(size=300) * 1e-3])
    counts, weights = np.ones(302), rng.normal(size=(1, 302))
    shares, kernel_weights = shares_and_weights(values, counts, 0.2, QUADRATIC_KERNELS[kernel])
    sums = _neighbourhood_sums(values, counts, weights, 0.2, QUADRATIC_KERNELS[kernel])
    error = np.abs(sums - weights @ kernel_weights.T)
    assert (error <= 1e-11 * (np.abs(weights) @ shares.T)).all()


@pytest.mark.parametrize("kernel", QUADRATIC_KERNELS)
def test_kernels_integrate_to_one(kernel):
    """∫ K over [-1, 1] = 2 (level - curvature / 3), as the paper's kernels have it."""
    level, curvature = QUADRATIC_KERNELS[kernel]
    assert 2 * (level - curvature / 3) == pytest.approx(1.0)


@pytest.fixture(scope="module")
def mixed():
    """Two continuous features, one of them half zeros, a category; the first two dependent."""
    rng = np.random.default_rng(3)
    n = 300
    a = rng.normal(size=n)
    b = np.round(a + rng.normal(size=n), 1).clip(min=0)
    c = rng.integers(0, 3, n).astype(float)
    y = (a + 0.5 * (b - 1) ** 2 + (c == 2) + rng.logistic(size=n) > 0.5).astype(int)
    return pd.DataFrame({"a": a, "b": b, "c": c}), y


@pytest.fixture(scope="module")
def fitted(mixed):
    return GeneralizedNB(categorical=["c"]).fit(*mixed)


class Oracle:
    """Local scoring row by row with dense smoother matrices, as methods and paper state it."""

    def __init__(self, X, y, categorical, span=0.6, shrinkage=1.0):
        self.y, self.share = y, y.mean()
        self.ridge = shrinkage * self.share * (1 - self.share)
        self.intercept = np.log(self.share / (1 - self.share))
        self.fine, self.naive = [], []
        for x, discrete in zip(X.T, categorical, strict=True):
            density = self.smoother(x, discrete, span, QUADRATIC_KERNELS["minimum_variance"])
            self.fine.append(self.smoother(x, discrete, span, QUADRATIC_KERNELS["epanechnikov"]))
            s1, s0 = (density @ y).clip(0), (density @ (1 - y)).clip(0)
            odds = (s1 + shrinkage * self.share) / (s0 + shrinkage * (1 - self.share))
            self.naive.append(np.log(odds) - self.intercept)
        self.factors = np.ones(X.shape[1])
        self.adjustment = np.zeros((X.shape[1], len(y)))
        self.shrinkage, self.halving = shrinkage, False

    @staticmethod
    def smoother(x, discrete, span, kernel, atom=0.1):
        values, rows, counts = np.unique(x, return_inverse=True, return_counts=True)
        alone = (counts > atom * len(x)) | discrete
        matrix = np.diag(np.ones(len(values)))
        run = np.flatnonzero(~alone)
        if len(run):
            matrix[np.ix_(run, run)] = shares_and_weights(values[run], counts[run], span, kernel)[1]
        return matrix[np.ix_(rows, rows)]

    @property
    def log_odds(self):
        return self.intercept + self.factors @ self.naive + self.adjustment.sum(axis=0)

    def scale(self):
        """Newton's steps to the factors of most likelihood less half their squared change."""
        design = np.vstack([np.ones(len(self.y)), self.naive])
        pull = np.diag([0.0] + [self.shrinkage] * len(self.factors))
        for _ in range(50):
            p = expit(self.log_odds)
            change = np.append(0.0, self.factors - 1.0)
            slope = design @ (self.y - p) - pull @ change
            step = np.linalg.solve((design * p * (1 - p)) @ design.T + pull, slope)
            self.intercept += step[0]
            self.factors += step[1:]

    def cycle(self):
        for j, matrix in enumerate(self.fine):
            p = expit(self.log_odds)
            w = np.maximum(p * (1 - p), 1e-6)
            target = matrix @ (w * self.adjustment[j] + self.y - p) / (matrix @ w + self.ridge)
            step = target - target.mean() - self.adjustment[j]
            self.move(j, np.clip(step, -4, 4))
        for _ in range(50):
            p = expit(self.log_odds)
            self.intercept += (self.y - p).sum() / (p * (1 - p)).sum()

    def move(self, j, step):
        before, now = self.log_likelihood, self.adjustment[j].copy()
        for halvings in range(9):
            self.adjustment[j] = now + step / 2**halvings * (halvings < 8)
            if not self.halving or self.log_likelihood >= before:
                break

    @property
    def log_likelihood(self):
        p = expit(self.log_odds)
        return np.log(np.where(self.y == 1, p, 1 - p)).sum()


@pytest.mark.parametrize(("start", "rel"), [("naive", 1e-9), ("logistic", 1e-5)])
def test_every_pass_follows_the_definition(mixed, start, rel):
    """Both ways; the optimum of the logistic start is found to some six digits."""
    X, y = mixed
    oracle = Oracle(X.to_numpy(), y, [False, False, True])
    expected = [oracle.log_likelihood]
    if start == "logistic":
        oracle.halving = True
        oracle.scale()
    for _ in range(4):
        oracle.cycle()
        expected.append(oracle.log_likelihood)
    with pytest.warns(ConvergenceWarning, match="after 4 passes"):
        model = GeneralizedNB(categorical=[2], max_iter=4, tol=0.0, start=start).fit(X, y)
    assert model.log_likelihood_ == pytest.approx(expected, rel=rel)
    assert model.decision_function(X) == pytest.approx(oracle.log_odds, abs=1e3 * rel)
    assert model.factors_ == pytest.approx(oracle.factors, abs=1e3 * rel)
    effects = model.effects(X)
    for j, feature in enumerate(X):
        of_feature = effects[effects["feature"] == feature]
        assert of_feature["naive_effect"].to_numpy() == pytest.approx(oracle.naive[j], abs=1e-9)
        adjustment = (oracle.factors[j] - 1) * oracle.naive[j] + oracle.adjustment[j]
        assert of_feature["adjustment"].to_numpy() == pytest.approx(adjustment, abs=1e3 * rel)


def repeated(copies, noise=0.0, n=600):
    """One informative feature, several times, each time with noise of its own."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, n)
    x = rng.normal(size=n) + 1.3 * y
    return x[:, None] + noise * rng.normal(size=(n, copies)), y


@pytest.fixture(scope="module")
def alone():
    return GeneralizedNB().fit(*repeated(1))


@pytest.mark.parametrize("copies", [2, 40])
def test_a_feature_repeated_counts_once(alone, copies):
    X, y = repeated(copies)
    model = GeneralizedNB().fit(X, y)
    assert model.log_likelihood_[-1] > alone.log_likelihood_[-1] - 1.0
    difference = model.decision_function(X) - alone.decision_function(X[:, :1])
    assert np.sqrt(np.mean(difference**2)) < 0.15
    assert np.ptp(model.factors_) < 1e-6
    assert model.factors_.sum() == pytest.approx(alone.factors_[0], abs=0.05)


def test_the_published_start_diverges_and_says_so():
    X, y = repeated(15)
    with pytest.warns(ConvergenceWarning, match=r"diverges: .* fell from .*Use start='logistic'"):
        GeneralizedNB(start="naive").fit(X, y)


def test_without_passes_categories_give_plain_naive_bayes(rng):
    """Compared with scikit-learn's CategoricalNB, both with next to no smoothing."""
    X = rng.integers(0, 4, (400, 3)).astype(float)
    y = rng.random(400) < 0.2 + 0.15 * X[:, 0]
    model = GeneralizedNB(max_iter=0, categorical=[0, 1, 2], shrinkage=1e-9).fit(X, y)
    expected = CategoricalNB(alpha=1e-9).fit(X, y).predict_proba(X)
    assert model.predict_proba(X) == pytest.approx(expected, abs=1e-7)
    assert model.n_iter_ == 0


def test_categories_converge_to_logistic_regression(rng):
    """Of categories alone it is the additive logistic model, whose maximum is the same."""
    X = rng.integers(0, 3, (500, 3)).astype(float)
    X[:, 1] = np.where(rng.random(500) < 0.6, X[:, 0], X[:, 1])
    y = rng.random(500) < expit(X[:, 0] - X[:, 1] * X[:, 2] / 2)
    model = GeneralizedNB(categorical=[0, 1, 2], shrinkage=1e-9, tol=1e-9, max_iter=500).fit(X, y)
    dummies = OneHotEncoder().fit_transform(X)
    reference = LogisticRegression(C=1e9, tol=1e-10, max_iter=10_000).fit(dummies, y)
    assert model.predict_proba(X) == pytest.approx(reference.predict_proba(dummies), abs=1e-5)


def scored(card, X):
    """Return the log odds by the table alone, as its documentation states them."""
    tables = dict(list(card.groupby("feature")))
    log_odds = np.full(len(X), tables.pop("(intercept)")["sum"].item())
    for name, table in tables.items():
        if table["kind"].iloc[0] == "categorical":
            log_odds += X[name].map(table.set_index("value")["sum"]).fillna(0.0)
        else:
            log_odds += np.interp(X[name], table["value"], table["sum"])
    return log_odds


def test_the_stored_scorecard_alone_gives_the_same_log_odds(fitted, tmp_path):
    fitted.scorecard().to_parquet(tmp_path / "scorecard.parquet")
    table = pd.read_parquet(tmp_path / "scorecard.parquet")
    new = pd.DataFrame({"c": [0.0, 1.0, 9.0], "a": [-9.0, 0.123, 9.0], "b": [0.0, 0.05, 2.0]})
    expected = fitted.decision_function(new[["a", "b", "c"]])
    assert scored(table, new).to_numpy() == pytest.approx(expected, rel=1e-12)


def test_without_atoms_every_value_is_smoothed(mixed):
    """With a window that holds all rows at one distance, zeros share their neighbours' evidence."""
    X, y = mixed
    zero = (X["b"] == 0).to_numpy()
    assert zero.mean() > 0.1
    share = y.mean()
    events, others = y[zero].sum(), (1 - y[zero]).sum()
    alone = np.log((events + share) / (others + 1 - share)) - np.log(share / (1 - share))
    with_atom = GeneralizedNB(max_iter=0).fit(X[["b"]], y)
    without = GeneralizedNB(max_iter=0, atom=None).fit(X[["b"]], y)
    assert with_atom.naive_effects_[0][0] == pytest.approx(alone)
    matrix = Oracle.smoother(
        X["b"].to_numpy(), False, 0.6, QUADRATIC_KERNELS["minimum_variance"], atom=1.0
    )
    s1, s0 = (matrix @ y).clip(0)[zero][0], (matrix @ (1 - y)).clip(0)[zero][0]
    smoothed = np.log((s1 + share) / (s0 + 1 - share)) - np.log(share / (1 - share))
    assert without.naive_effects_[0][0] == pytest.approx(smoothed)
    assert abs(smoothed - alone) > 0.01


def test_an_atom_has_more_than_its_share_of_the_samples(rng):
    X = np.r_[np.zeros(20), rng.normal(size=80)][:, None]
    y = rng.integers(0, 2, 100)
    at_limit = GeneralizedNB(max_iter=0, atom=0.2).fit(X, y)
    above = GeneralizedNB(max_iter=0, atom=0.19).fit(X, y)
    never = GeneralizedNB(max_iter=0, atom=None).fit(X, y)
    assert at_limit.naive_effects_[0] == pytest.approx(never.naive_effects_[0])
    assert np.abs(above.naive_effects_[0] - never.naive_effects_[0]).max() > 1e-3


def test_the_kernel_of_naive_effects_is_the_one_asked_for(mixed):
    X, y = mixed
    model = GeneralizedNB(max_iter=0, kernel="epanechnikov", atom=None).fit(X[["a"]], y)
    matrix = Oracle.smoother(
        X["a"].to_numpy(), False, 0.6, QUADRATIC_KERNELS["epanechnikov"], atom=1.0
    )
    share = y.mean()
    odds = (matrix @ y + share) / (matrix @ (1 - y) + 1 - share)
    expected = np.log(odds) - np.log(share / (1 - share))
    _, first = np.unique(X["a"], return_index=True)
    assert model.naive_effects_[0] == pytest.approx(expected[first])


def test_minimum_variance_adjustments_diverge_from_naive_bayes(mixed):
    X, y = mixed
    published = GeneralizedNB(start="naive", atom=None)
    diverging = GeneralizedNB(start="naive", atom=None, adjustment_kernel="minimum_variance")
    assert published.fit(X, y).log_likelihood_[-1] > published.log_likelihood_[0]
    with pytest.warns(ConvergenceWarning, match="backfitting diverges"):
        diverging.fit(X, y)


def test_backfitting_stops_where_the_likelihood_ceases_to_rise(mixed):
    """The second stopping rule of the outer loop; the pass that does not raise it counts."""
    options = {"start": "naive", "atom": None, "adjustment_kernel": "minimum_variance", "tol": 0.0}
    X, y = mixed
    with pytest.warns(ConvergenceWarning, match="backfitting diverges"):
        endless = GeneralizedNB(**options).fit(X, y)
    first_fall = int(np.argmax(np.diff(endless.log_likelihood_) <= 0)) + 1
    assert 0 < first_fall < endless.n_iter_ == 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GeneralizedNB(stop="likelihood", **options).fit(X, y)
    assert model.log_likelihood_ == pytest.approx(endless.log_likelihood_[: first_fall + 1])


def test_a_likelihood_that_does_not_rise_is_no_lack_of_passes(rng):
    """A feature without any information: the first pass changes nothing, without a warning."""
    X = np.tile([0.0, 1.0], 20)[:, None]
    y = np.repeat([0, 1], 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GeneralizedNB(stop="likelihood", tol=0.0, start="naive", categorical=[0]).fit(X, y)
    assert model.n_iter_ == 1


def test_features_that_their_adjustment_neutralises_are_removed():
    """Beside ``x`` a copy with a tenth of its values wrong has no information of its own."""
    x = np.repeat([0.0, 1.0], 50)
    noisy = np.where(np.arange(100) % 10 == 0, 1 - x, x)
    y = np.r_[np.repeat([0, 1], [40, 10]), np.repeat([0, 1], [10, 40])]
    X = np.column_stack([x, noisy])
    every = GeneralizedNB().fit(X, y)
    effects = every.effects(X)
    spreads = effects.groupby("feature")[["naive_effect", "sum"]].std(ddof=0)
    ratio = spreads["sum"] / spreads["naive_effect"]
    assert ratio[1] < 0.1 < ratio[0]
    model = GeneralizedNB(least_effect=0.1).fit(X, y)
    alone = GeneralizedNB().fit(X[:, :1], y)
    assert model.removed_.tolist() == [False, True]
    assert model.decision_function(X) == pytest.approx(alone.decision_function(X[:, :1]))
    assert model.log_likelihood_ == pytest.approx(alone.log_likelihood_)
    assert model.naive_effects_[1].tolist() == model.marginal_bias_[1].tolist() == [0.0, 0.0]
    below = GeneralizedNB(least_effect=0.99 * ratio[1]).fit(X, y)
    above = GeneralizedNB(least_effect=1.01 * ratio[1]).fit(X, y)
    assert (below.removed_.any(), above.removed_.any()) == (False, True)


def test_no_feature_is_removed_where_it_would_be_every_one():
    X, y = repeated(2)
    model = GeneralizedNB(least_effect=0.99).fit(X, y)
    assert (model.factors_ < 0.9).all()
    assert not model.removed_.any()


def test_no_adjustment_changes_by_more_than_4_in_a_pass():
    """Fifteen copies of a feature far overshoot in the first pass from naive Bayes."""
    X, y = repeated(15)
    with pytest.warns(ConvergenceWarning, match="backfitting diverges"):
        model = GeneralizedNB(start="naive", max_iter=1).fit(X, y)
    largest = max(np.abs(adjustment).max() for adjustment in model.marginal_bias_)
    assert largest == pytest.approx(4.0)


def test_backfitting_stops_by_the_change_as_a_share_of_the_norm(mixed):
    """Root mean squares over the samples of the changes and of the adjustments, added up."""
    X, y = mixed

    def fit(n_passes, tol):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return GeneralizedNB(start="naive", max_iter=n_passes, tol=tol).fit(X, y)

    before = fit(3, 0.0).effects(X)
    after = fit(4, 0.0).effects(X)
    change = (after["adjustment"] - before["adjustment"]).groupby(after["feature"])
    norm = after["adjustment"].groupby(after["feature"])
    share = np.sqrt(change.apply(lambda values: (values**2).mean())).sum()
    share /= np.sqrt(norm.apply(lambda values: (values**2).mean())).sum()
    assert fit(100, 1.001 * share).n_iter_ == 4
    assert fit(100, 0.999 * share).n_iter_ > 4


def test_tiny_adjustments_are_compared_with_a_norm_of_a_thousandth():
    """Two features whose adjustments all change by 1e-7: root mean squares of each add up."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2))
    y = rng.integers(0, 2, 400)
    columns = [SortedFeature.from_values(x, 0.6, categorical=False) for x in X.T]
    effects = [np.zeros(400), np.zeros(400)]
    fit = LocalScoring(
        columns, effects, y, shrinkage=1.0, kernel="epanechnikov", intercept=float(y.mean()) - 0.5
    )
    for size, norm in ((1e-5, 1e-3), (0.02, 0.04)):  # two features of .02 have more
        fit.smooth = [np.full(400, size), np.full(400, -size)]
        fit.smoothing_step = lambda column, smooth: np.full(400, 1e-7)
        fit.backfit(halving=False, inner_tol=np.inf)
        assert fit.change == pytest.approx(2e-7 / norm, rel=0.02)


def local_scoring(n_events, n=100):
    """The scoring of one value that all samples have, at log odds 0."""
    column = SortedFeature.from_values(np.zeros(n), 0.6, categorical=True)
    events = np.repeat([1.0, 0.0], [n_events, n - n_events])
    return LocalScoring(
        [column], [np.zeros(1)], events, shrinkage=1.0, kernel="epanechnikov", intercept=0.0
    )


@pytest.mark.parametrize(("halvings", "expected"), [(0, 0.6), (1, 0.6), (7, 0.6), (8, 0.0)])
def test_a_step_is_halved_seven_times_or_left_out(halvings, expected):
    """60 of 100 events: the likelihood is above that of 0 up to twice the logit of .6, .405."""
    fit = local_scoring(60)
    step = fit.halved_step(np.array([0.6 * 2**halvings]), np.zeros(100, dtype=int))
    assert step.tolist() == [expected]


@pytest.mark.parametrize(("fall", "is_divergence"), [(1e-5, True), (1e-8, False)])
def test_a_fall_beyond_rounding_is_divergence(fall, is_divergence):
    """The log-likelihood of 100 samples may fall by 1e-7 from rounding."""
    fit = local_scoring(50)
    fit.history = [-60.0, -60.0 - fall]
    fit.change = 0.0
    assert ("diverges" in fit.fault(max_iter=1, tol=1e-3)) == is_divergence


def test_no_change_at_all_ends_the_passes_with_any_tolerance():
    """The feature is independent of the class: its first step is 0."""
    X = np.tile([0.0, 1.0], 20)[:, None]
    y = np.repeat([0, 1], 20)
    model = GeneralizedNB(tol=0.0, start="naive", categorical=[0]).fit(X, y)
    assert model.n_iter_ == 1


def test_a_sliver_of_a_value_belongs_to_the_neighbourhood():
    """Of 10 values the windows reach 1.505 to either side: .005 of the second neighbour.

    It decides the width: u of the first neighbour is 1/2 instead of 1.
    """
    values = np.arange(10.0)
    weights = np.ones((1, 10))
    counts = np.ones(10)
    sums = _neighbourhood_sums(values, counts, weights, 0.301, QUADRATIC_KERNELS["epanechnikov"])
    assert sums[0, 5] == pytest.approx(0.75 + 2 * 0.75 * (1 - 0.25))


def test_the_unit_of_a_feature_does_not_matter_up_to_the_greatest_numbers(rng):
    x = rng.normal(size=200)
    y = (x > 0).astype(int)
    expected = SortedFeature.from_values(x, 0.3, categorical=False).naive_effect(y, 1.0)
    for factor in (2.0**900, 2.0**-900):
        scaled = SortedFeature.from_values(x * factor, 0.3, categorical=False)
        assert scaled.naive_effect(y, 1.0) == pytest.approx(expected, rel=1e-9)


def converge(oracle, tol):
    """The paper's innermost loop: smooth each feature until its function stays, then the next."""
    for j, matrix in enumerate(oracle.fine):
        for _ in range(100):
            p = expit(oracle.log_odds)
            w = np.maximum(p * (1 - p), 1e-6)
            total = matrix @ w
            target = matrix @ (w * oracle.adjustment[j] + oracle.y - p) / total
            step = target - target.mean() - oracle.adjustment[j]
            oracle.adjustment[j] += np.clip(step, -4, 4)
            norm = max(np.linalg.norm(oracle.adjustment[j]), 1e-3 * np.sqrt(len(step)))
            if np.linalg.norm(step) <= tol * norm:
                break
    for _ in range(50):
        p = expit(oracle.log_odds)
        oracle.intercept += (oracle.y - p).sum() / (p * (1 - p)).sum()


def test_as_published_each_feature_is_smoothed_until_it_converges(mixed):
    """Dense matrices and the definition: no pseudo-observations, the innermost loop, no atoms."""
    X, y = mixed
    X = X[["a", "b"]]
    oracle = Oracle(X.to_numpy(), y, [False, False], shrinkage=1e-300)
    never = 2.0  # no value is an atom
    for j, x in enumerate(X.to_numpy().T):
        oracle.fine[j] = oracle.smoother(x, False, 0.6, QUADRATIC_KERNELS["epanechnikov"], never)
        density = oracle.smoother(x, False, 0.6, QUADRATIC_KERNELS["minimum_variance"], never)
        sums = [(density @ events).clip(1e-4) for events in (y, 1 - y)]
        oracle.naive[j] = np.log(sums[0] / sums[1]) - oracle.intercept
    expected = [oracle.log_likelihood]
    for _ in range(3):
        converge(oracle, 1e-6)
        expected.append(oracle.log_likelihood)
    published = {"atom": None, "shrinkage": 0.0, "start": "naive", "inner": "converged"}
    with pytest.warns(ConvergenceWarning, match="after 3 passes"):
        model = GeneralizedNB(**published, max_iter=3, tol=1e-6).fit(X, y)
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-9)
    assert model.decision_function(X) == pytest.approx(oracle.log_odds, abs=1e-6)


def test_without_pseudo_observations_an_absent_class_has_a_finite_effect():
    """Two values, each of one class: 50 observations against 1e-4."""
    x = np.repeat([0.0, 1.0], 50)
    model = GeneralizedNB(shrinkage=0.0, max_iter=0).fit(x[:, None], x.astype(int))
    assert model.naive_effects_[0] == pytest.approx([np.log(1e-4 / 50), np.log(50 / 1e-4)])


def test_the_innermost_loop_is_applied_at_least_once(mixed):
    X, y = mixed
    once = GeneralizedNB(start="naive").fit(X, y)
    converged = GeneralizedNB(start="naive", inner="converged").fit(X, y)
    assert converged.n_iter_ <= once.n_iter_
    assert converged.decision_function(X) == pytest.approx(once.decision_function(X), abs=0.02)
