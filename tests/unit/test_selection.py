"""Which features are selected: rankings per pair, their true separation, SelectiveNB."""

import numpy as np
import published_xnb
import pytest
from scipy.optimize import minimize
from scipy.stats import ncx2, norm
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from xnbflow.naive_bayes import HybridNB, SelectiveNB, VonMisesNB
from xnbflow.papers.separation import separation_scores as separation
from xnbflow.papers.separation.mixing import MixingDistribution, estimate_mixing
from xnbflow.preprocessing.selection.pair_rankings import PairRankings, Shortlist
from xnbflow.preprocessing.selection.pair_strengths import pair_strengths


def rankings(strengths, values, codes, n_features=3):
    shortlist = Shortlist(int(max(codes)) + 1, n_features)
    shortlist.absorb(np.asarray(strengths, dtype=float), np.asarray(values, dtype=float))
    return shortlist, PairRankings(shortlist, np.asarray(codes))


def positions(shortlist, chosen):
    return shortlist.features.positions[chosen].tolist()


def test_separation_is_the_bhattacharyya_distance_of_normal_densities(rng):
    codes = np.repeat([0, 1], [30, 20])
    features = rng.normal(size=(6, 50)) * 10.0 ** np.arange(-3, 3)[:, None]
    features[:, codes == 1] *= 2.5
    found = pair_strengths(features, codes, 2, distance="separation", min_bandwidth=0.4)[0]
    for row, strength in zip(features, found, strict=True):
        moments = []
        for code in (0, 1):
            own = row[codes == code]
            h = max(published_xnb.bandwidth(own), 0.4 * row.std(ddof=1) * len(own) ** -0.2)
            moments.append((own.mean(), own.var() + h**2, len(own)))
        (m1, v1, n1), (m2, v2, n2) = moments
        sd = np.sqrt((n1 * v1 + n2 * v2) / (n1 + n2))
        grid = np.linspace(-40, 40, 200_001) * sd + (m1 + m2) / 2
        overlap = np.sqrt(norm.pdf(grid, m1, sd) * norm.pdf(grid, m2, sd)).sum()
        assert strength == pytest.approx(-np.log(overlap * (grid[1] - grid[0])), rel=1e-6)


def test_some_of_the_samples_are_as_good_as_a_matrix_of_these(rng):
    codes = np.arange(40) % 3
    features = rng.normal(size=(50, 40)) + codes
    samples = rng.permutation(40)[:30]
    found = pair_strengths(features, codes[samples], 3, samples=samples)
    expected = pair_strengths(features[:, samples], codes[samples], 3)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_equal_strengths_are_ranked_by_the_separation_of_the_means():
    values = [[0, 1, 2, 3, 5, 6, 7, 8], [0, 1, 2, 3, 9, 10, 11, 12], [0, 1, 2, 3, 7, 8, 9, 10]]
    rounded = [[1.0, 1.0 - 1e-13, 1.0 + 1e-13]]
    shortlist, ranked = rankings(rounded, values, np.repeat([0, 1], 4))
    assert positions(shortlist, ranked.orders[0]) == [1, 2, 0]
    assert len(set(ranked.ties[0])) == 3


def test_which_of_the_interchangeable_is_taken_does_not_depend_on_order(rng):
    # The values of each class in another order: all marginal criteria tie.
    base = np.concatenate([rng.normal(size=6), rng.normal(size=6) + 3])
    codes = np.repeat([0, 1], 6)
    shuffled = [np.concatenate([rng.permutation(base[:6]), rng.permutation(base[6:])])]
    values = np.array([base, *shuffled, *rng.normal(size=(3, 12))])
    strengths = pair_strengths(values, codes, 2)
    shortlist, ranked = rankings(strengths, values, codes, n_features=1)
    first = shortlist.features.values[ranked.chosen(0)][0]
    for _ in range(10):
        rows, samples = rng.permutation(5), rng.permutation(12)
        other = values[np.ix_(rows, samples)]
        strengths = pair_strengths(other, codes[samples], 2)
        shortlist, ranked = rankings(strengths, other, codes[samples], n_features=1)
        np.testing.assert_array_equal(
            shortlist.features.values[ranked.chosen(0)][0], first[samples]
        )


@pytest.mark.parametrize("n_features", [None, 1, 7, 500])
def test_chunks_give_the_same_shortlist_as_the_whole(rng, n_features):
    codes = np.arange(20) % 4
    strengths = rng.exponential(size=(6, 300))
    strengths[:, ::7] = strengths[:, :1]
    values = rng.normal(size=(300, 20))
    whole, parts = Shortlist(4, n_features), Shortlist(4, n_features)
    whole.absorb(strengths, values)
    for start in range(0, 300, 64):
        part = slice(start, start + 64)
        parts.absorb(strengths[:, part], values[part])
    np.testing.assert_array_equal(parts.features.positions, whole.features.positions)
    found = [PairRankings(each, codes).orders for each in (parts, whole)]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


SIZE, N_BLOCKS = 12, 100

DEGREES = np.full(N_BLOCKS, SIZE)


def test_equation_22_as_printed_is_equation_20_at_the_true_distance():
    """With scores at their expectations, of J + B: 2 m (J + B) / (J + 2 B)."""
    true = np.linspace(0, 30, N_BLOCKS)
    distance, bias = true.sum(), DEGREES.sum()
    expected = 2 * (distance + bias) / (distance + 2 * bias)
    assert separation.printed_cut(true + SIZE, DEGREES) == pytest.approx(expected)
    assert separation.bias_removed_cut(true + SIZE, DEGREES) == pytest.approx(
        2 * distance / (distance + bias)
    )
    assert separation.bias_removed_cut(true + SIZE, DEGREES) < separation.printed_cut(
        true + SIZE, DEGREES
    )


def test_scores_without_separation_have_the_mean_of_hotellings_t_squared(rng):
    """And, with a covariance per class, that of simulated normal blocks."""
    counts, size = (20, 25), 2
    values = [rng.normal(size=(20_000, size, count)) for count in counts]
    means = [block.mean(axis=2) for block in values]
    scatter = [
        np.einsum("bin,bjn->bij", centred, centred)
        for centred in (v - m[:, :, None] for v, m in zip(values, means, strict=True))
    ]
    n = separation.effective_samples(*counts)
    difference = (means[0] - means[1])[:, :, None]
    none = np.zeros(1)

    pooled = np.linalg.inv(sum(scatter) / 43)
    score = n / 2 * (difference * (pooled @ difference)).sum(axis=(1, 2))
    expected = separation.null_mean(size, (none, none), (43, 43), n, pooled=True)
    assert score.mean() == pytest.approx(expected[0], rel=0.02)

    one, two = scatter[0] / 19, scatter[1] / 24
    inverse = np.linalg.inv(one) + np.linalg.inv(two)
    trace = np.einsum("bij,bji->b", np.linalg.inv(one), two)
    trace += np.einsum("bij,bji->b", np.linalg.inv(two), one)
    distance = (difference * (inverse @ difference)).sum(axis=(1, 2)) / 2 + trace / 2 - size
    expected = separation.null_mean(size, (none, none), (19, 24), n, pooled=False)
    assert (n / 2 * distance).mean() == pytest.approx(expected[0], rel=0.02)


MIXING = MixingDistribution(np.array([1e-9, 3.0, 50.0]), np.array([0.3, 0.3, 0.4]))


@pytest.mark.parametrize("degrees", [1, 2, 5, 12, 90])
def test_density_and_weights_are_the_papers_integrals(degrees):
    """Eq. 17, with the densities of SciPy."""
    observed = np.array([0.5, 3, 20, float(degrees), 100, 700])
    pairs = list(zip(MIXING.scores, MIXING.masses, strict=True))
    density = sum(p * ncx2.pdf(observed, degrees, g) for g, p in pairs)
    numerator = sum(p * g * ncx2.pdf(observed, degrees + 2, g) for g, p in pairs)
    np.testing.assert_allclose(MIXING.density(observed, degrees), density, rtol=1e-7)
    expected = numerator / (observed * density)
    np.testing.assert_allclose(MIXING.weights(observed, degrees), expected, rtol=1e-7)


@pytest.mark.parametrize("degrees", [1, 12, 101, 103, 500])
def test_weight_of_score_zero_is_the_limit(degrees):
    """Where u goes to 0, chi(u; m + 2, g) / (u chi(u; m, g)) goes to 1 / m."""
    kernel = MIXING.masses * np.exp(-MIXING.scores / 2)
    expected = (kernel * MIXING.scores).sum() / kernel.sum() / degrees
    observed = np.array([0.0, 1e-12, 1e-9])
    np.testing.assert_allclose(MIXING.weights(observed, degrees), expected, rtol=1e-6)


def test_weights_of_many_scores_are_interpolated_closely():
    observed = np.random.default_rng(0).noncentral_chisquare(2, 8, size=20_000)
    chosen = observed[:50]
    many = MIXING.weights(observed, 2)[:50]
    np.testing.assert_allclose(many, MIXING.weights(chosen, 2), atol=1e-4)


def test_likelihood_is_within_one_of_the_maximum(rng):
    """The maximum by a general optimiser over the masses of a grid as fine."""
    observed = rng.noncentral_chisquare(4, np.repeat([1e-9, 6.0, 40.0], 40))
    grid = np.linspace(0, np.sqrt(observed.max()), 80) ** 2
    kernel = ncx2.pdf(observed[:, None], 4, np.maximum(grid, 1e-12))

    def loss(logits):
        masses = np.exp(logits - logits.max())
        masses /= masses.sum()
        share = kernel * masses / (kernel @ masses)[:, None]
        return -np.log(kernel @ masses).sum(), len(observed) * masses - share.sum(axis=0)

    best = -minimize(loss, np.zeros(80), jac=True, method="L-BFGS-B").fun
    mixing = estimate_mixing(observed, np.full(120, 4))
    reached = np.log(mixing.density(observed, 4)).sum()
    assert best - 1.1 < reached < best + 0.2
    assert mixing.masses.sum() == pytest.approx(1)
    nothing = estimate_mixing(np.zeros(10), np.full(10, 2))  # scores of zero: nothing separates
    assert nothing.weights(np.zeros(3), 2).max() < 0.2
    np.testing.assert_array_equal(
        separation.Moments(np.zeros(2), np.array([0.0, 4.0])).risk, [0.5, 0.5]
    )


@pytest.fixture(scope="module")
def angles():
    """Six angles: 2 tells most, 4 less and the same again, 0 a little; 1, 3 and 5 nothing."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [60, 50, 40])
    code = np.repeat([0, 1, 2], [60, 50, 40])
    X = rng.vonmises(0, 1, (150, 6))
    X[:, 2] = rng.vonmises(code * 2, 6)
    X[:, 4] = rng.vonmises(code, 2)
    X[:, 0] = rng.vonmises(code / 2, 1)
    return X, y


def test_one_pass_scores_every_prefix_as_refitting_would(angles):
    X, y = angles
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    nb = SelectiveNB(VonMisesNB(), cv=cv).fit(X, y)
    order = nb.ranking_["feature"].to_numpy(int)
    for n_features, accuracy in enumerate(nb.ranking_["accuracy"], start=1):
        predicted = cross_val_predict(VonMisesNB(), X[:, order[:n_features]], y, cv=cv)
        assert accuracy == pytest.approx(np.mean(predicted == y))


def test_the_shortest_best_prefix_of_the_ranking_is_selected(angles):
    X, y = angles
    nb = SelectiveNB(VonMisesNB()).fit(X, y)
    ranking = nb.ranking_
    assert ranking["mutual_information"].is_monotonic_decreasing
    assert ranking["feature"].tolist()[:3] == [2, 4, 0]
    n_selected = len(nb.selected_features_["a"])
    assert n_selected == ranking["accuracy"].argmax() + 1
    assert nb.selected_features_ == dict.fromkeys("abc", ranking["feature"].tolist()[:n_selected])


def test_it_predicts_as_the_classifier_fitted_to_the_selected_features(angles):
    X, y = angles
    nb = SelectiveNB(VonMisesNB(), n_max=2).fit(X, y)
    selected = nb.selected_features_["b"]
    assert len(nb.ranking_) == 2
    reference = VonMisesNB().fit(X[:, selected], y)
    np.testing.assert_allclose(
        nb.predict_joint_log_proba(X), reference.predict_joint_log_proba(X[:, selected])
    )
    explained = nb.explain(X[:3])
    assert set(explained["feature"]) == set(selected)
    total = explained.groupby(["sample", "class"])["log_likelihood"].sum().unstack()
    np.testing.assert_allclose(
        total + nb.class_log_prior_, nb.predict_joint_log_proba(X[:3]), rtol=1e-12
    )


def test_a_multivariate_group_is_taken_or_left_as_a_whole(angles):
    X, y = angles
    groups = [("pair", "multivariate_gaussian", [1, 2]), ("single", "von_mises", [3])]
    nb = SelectiveNB(HybridNB(groups)).fit(X, y)
    assert nb.ranking_["feature"].tolist() == ["pair", 3]
    assert nb.selected_features_["c"][:2] == [1, 2]
