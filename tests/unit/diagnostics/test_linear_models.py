"""Moderated linear models and their designs: R's limma 3.54, stored numbers of it, derivations."""

import numpy as np
import pytest
from r_oracles import r_answers
from scipy.special import polygamma
from toys import refused

from xnbflow.data.class_design import class_designs
from xnbflow.diagnostics.block_correlation import block_correlation
from xnbflow.diagnostics.linear_models import (
    fit_design,
    moderated_contrasts,
    weights_of_units,
)
from xnbflow.diagnostics.moderation import _trigamma_inverse
from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.geo import read_geo

#: Each class (a column of `classes`) against the mean of the others, further columns beside. Every
#: contrast is a coefficient of its own parametrisation: `contrasts.fit` is approximate where values
#: are missing.
LIMMA = """
k <- ncol(classes)
design <- cbind(classes, if (exists("beside")) beside)
for (i in 1:k) {
  functionals <- diag(ncol(design))
  functionals[i, 1:k] <- -1 / (k - 1)
  functionals[i, i] <- 1
  functionals <- functionals[c(i, setdiff(seq_len(ncol(design)), i)), ]
  weights <- if (exists("unit_weights")) matrix(unit_weights, nrow(values), ncol(values), TRUE)
  fit <- lmFit(values, design %*% solve(functionals), weights = weights)
  fit <- eBayes(fit, trend = trend[1] > 0)
  table <- topTable(fit, coef = 1, number = Inf, sort.by = "none", confint = TRUE)
  for (name in c("logFC", "CI.L", "CI.R", "t", "P.Value", "adj.P.Val"))
    put(paste0(name, i), table[[name]])
  put(paste0("df", i), fit$df.total)
}
put("mean", fit$Amean)
put("posterior", fit$s2.post)
put("prior", rep_len(fit$s2.prior, nrow(values)))
put("prior_df", fit$df.prior)
"""
NAMES = {"log_fold_change": "logFC", "lower": "CI.L", "upper": "CI.R", "t": "t"}
NAMES |= {"p": "P.Value", "fdr": "adj.P.Val", "df": "df"}


def agrees_with_limma(values, codes, groups=None, covariates=None, *, beside=None, trend=False):
    """Compare every number with limma's; ``beside`` are the further columns of its design."""
    arrays = {"values": values, "classes": np.eye(codes.max() + 1)[codes], "trend": [trend]}
    limma = r_answers("limma", LIMMA, **arrays, **({} if beside is None else {"beside": beside}))
    actual = moderated_contrasts(values, codes, groups, covariates, trend=trend)
    whole = {"rtol": 1e-6, "atol": 1e-11 * np.nanmax(np.abs(values))}
    assert actual.prior_df == pytest.approx(limma["prior_df"][0], rel=1e-6)
    np.testing.assert_allclose(actual.mean, limma["mean"], **whole)
    for i in range(codes.max() + 1):
        assert np.isfinite(actual.t[i]).mean() > 0.9
        for ours, theirs in NAMES.items():
            np.testing.assert_allclose(getattr(actual, ours)[i], limma[f"{theirs}{i + 1}"], **whole)
        np.testing.assert_allclose(actual.posterior_variance[i], limma["posterior"], rtol=1e-6)
        np.testing.assert_allclose(actual.prior_variance[i], limma["prior"], rtol=1e-6)
    return actual


def blanked(values, rng, share=0.03):
    return np.where(rng.random(values.shape) < share, np.nan, values)


def counts(rng, n_genes=2000, n_samples=12):
    """Return log counts per gene, whose variance falls with the mean."""
    level = rng.gamma(0.7, 200.0, size=(n_genes, 1))
    return np.log2(rng.poisson(level * rng.gamma(10.0, 0.1, size=(n_genes, n_samples))) + 0.5)


@pytest.mark.parametrize(("n_genes", "share"), [(2000, 0.0), (2000, 0.05), (30, 0), (5, 0), (3, 0)])
def test_the_trend_is_that_of_limma(rng, n_genes, share):
    values = blanked(counts(rng)[-n_genes:], rng, share)
    if share:
        values[7, np.arange(12) % 4 > 0] = np.nan  # without residual degrees of freedom
        values[8, np.arange(12) % 11 % 4 > 0] = np.nan  # with one
    agrees_with_limma(values, np.repeat([0, 1, 2], 4), trend=True)


@pytest.mark.parametrize("trend", [False, True])
def test_equal_variances_have_infinite_prior_degrees_of_freedom(rng, trend):
    pattern = rng.normal(size=12)
    values = np.array([rng.permutation(pattern[:6]).tolist() * 2 for _ in range(80)])
    scale = rng.uniform(0.9, 1.1, size=(80, 1))
    values = scale * (values + rng.normal(size=(80, 2))[:, np.repeat([0, 1], 6)])
    codes = np.repeat([0, 1], 6)
    actual = moderated_contrasts(values, codes, trend=trend)
    assert np.isinf(actual.prior_df).all()
    if not trend:  # then the posterior is the mean of the variances
        mean = (scale**2).mean() * pattern[:6].var(ddof=1)
        np.testing.assert_allclose(actual.posterior_variance, mean)
        assert (actual.df == 800).all()
    agrees_with_limma(values, codes, trend=trend)


@pytest.mark.parametrize("constant", [1, 12])
def test_constant_genes_are_moderated_as_by_limma(rng, constant):
    values = rng.normal(size=(20, 8)) * rng.gamma(1.0, size=(20, 1))
    values[:constant] = 0.1 if constant == 1 else 0  # 0.1 leaves limma a rounding error
    actual = agrees_with_limma(values, np.repeat([0, 1], 4))
    assert actual.zero_variances == constant


def test_residuals_that_are_rounding_errors_are_no_variance(rng):
    codes = np.repeat([0, 1], [3, 5])
    values = np.vstack([rng.normal(size=(4, 8)), np.array([0.1, 0.7])[codes]])
    assert moderated_contrasts(values, codes).zero_variances == 1


def formula(n_genes=5, n_samples=11):
    """Return values that every machine makes, with one gap, three classes, ages and plates."""
    i, j = np.indices((n_genes, n_samples))
    values = np.round((1 + i) * np.sin(1.7 * i * j + j**2) + np.cos(i - j), 6)
    values += 3.0 * (i % 4) * (j < 4)
    values[2, 4] = np.nan
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
    ages = np.array([40.0, 52, 61, 47, 55, 39, 70, 66, 58, 43, 49])
    plates = np.array(list("xyxyyxxyxyz"))
    beside = np.column_stack([ages, plates == "y", plates == "z"])
    return values, codes, {"age": ages, "plate": plates}, beside


#: Of limma 3.54.1, R 4.2.2, for the first class of `formula`.
STORED = {
    "prior_df": 3.51534743,
    "prior_variance": 4.27855587,
    "posterior_variance": [2.61042251, 2.78140121, 4.0978686, 9.95791755, 11.2465157],
    "log_fold_change": [0.455887731, 3.72843507, 6.84330228, 9.36626464, -0.539753177],
    "lower": [-2.03069971, 1.16170527, 3.56380385, 4.50966172, -5.70103212],
    "t": [0.418367268, 3.31474376, 4.86647287, 4.40085803, -0.238638992],
    "p": [0.686031554, 0.00973272793, 0.00148895901, 0.00196407648, 0.817028935],
    "fdr": [0.817028935, 0.0162212132, 0.00491019121, 0.00491019121, 0.817028935],
    "df": [8.51534743, 8.51534743, 7.51534743, 8.51534743, 8.51534743],
}


def test_stored_numbers_of_limma_are_found():
    values, codes, covariates, beside = formula()
    actual = moderated_contrasts(values, codes, None, covariates)
    for name, expected in STORED.items():
        np.testing.assert_allclose(getattr(actual, name)[0], expected, rtol=1e-6, err_msg=name)
    agrees_with_limma(values, codes, None, covariates, beside=beside)


def test_stored_numbers_of_limma_s_trend_are_found():
    values, codes, covariates, _ = formula(40)
    actual = moderated_contrasts(values, codes, None, covariates, trend=True)
    assert actual.prior_df[0] == pytest.approx(1.74216268)
    expected = [54.4500634, 55.5730574, 63.0366765, 68.736494, 49.4516221]
    np.testing.assert_allclose(actual.prior_variance[0, ::8], expected, rtol=1e-7)


def t_of_two(a, b, weights=(1.0, 1.0)):
    """Return Student's t and its degrees of freedom: what one feature without a prior has.

    ``weights`` are the inverse variances of the values of either sample.
    """
    df = len(a) + len(b) - 2
    first, second = weights
    squares = first * (len(a) - 1) * a.var(ddof=1) + second * (len(b) - 1) * b.var(ddof=1)
    variance = squares / df * (1 / (first * len(a)) + 1 / (second * len(b)))
    return (a.mean() - b.mean()) / np.sqrt(variance), df


def test_groups_of_one_class_are_compared_by_their_means(rng):
    values = rng.normal(size=(1, 12))
    values[0, 11] = np.nan  # the mean of the last group is that of its other sample
    groups = np.array(list("aabbccddeeff"))
    actual = moderated_contrasts(values, np.repeat([0, 1], 6), groups)
    means = np.nanmean(values[0].reshape(6, 2), axis=1)
    assert (actual.t[0, 0], actual.df[0, 0]) == pytest.approx(t_of_two(means[:3], means[3:]))
    assert actual.mean[0] == pytest.approx(means.mean())
    design = actual.designs[0]
    assert (design.blocks, design.averaged, design.left_out, design.unequal) == (0, 6, 0, False)


#: The weights of the means of groups, by the correlation that limma estimates from the samples.
WEIGHTED = """
rho <- duplicateCorrelation(values, classes, block = as.vector(groups))$consensus
put("rho", rho)
weights <- 1 / (rho + (1 - rho) / as.vector(sizes))
fit <- eBayes(lmFit(means, units, weights = matrix(weights, nrow(means), ncol(means), TRUE)))
fit <- eBayes(contrasts.fit(fit, c(1, -1)))
put("t", fit$t)
put("p", fit$p.value)
put("df", fit$df.total)
"""


def test_means_of_unequal_groups_have_the_weights_of_their_variances_as_in_limma(rng):
    sizes = np.array([3, 3, 2, 4, 1, 1, 2, 1])
    groups = np.repeat(np.arange(8), sizes)
    codes = (groups > 3).astype(int)
    values = rng.normal(size=(200, 8))[:, groups] + rng.normal(size=(200, len(groups)))
    means = np.stack([values[:, groups == group].mean(axis=1) for group in range(8)], axis=1)
    units = np.eye(2)[(np.arange(8) > 3).astype(int)]
    arrays = {"values": values, "classes": np.eye(2)[codes], "groups": groups, "sizes": sizes}
    limma = r_answers("limma", WEIGHTED, **arrays, means=means, units=units)
    actual = moderated_contrasts(values, codes, groups)
    assert 0.3 < limma["rho"][0] < 0.7
    for name in ("t", "p", "df"):
        np.testing.assert_allclose(getattr(actual, name)[0], limma[name], rtol=1e-6)


def test_groups_of_equal_size_need_no_weights(rng):
    """The numbers do not change in the last digit."""
    values = rng.normal(size=(50, 12))
    groups = np.repeat(np.arange(6), 2)
    actual = moderated_contrasts(values, np.repeat([0, 1], 6), groups)
    means = values.reshape(50, 6, 2).mean(axis=2)
    expected = moderated_contrasts(means, np.repeat([0, 1], 3))
    np.testing.assert_allclose(actual.t, expected.t, rtol=1e-12)
    assert not actual.designs[0].unequal


def test_missing_values_have_the_weights_of_their_units(rng):
    """A feature without one unit is fitted as if the unit were absent."""
    groups = np.repeat(np.arange(9), [3, 3, 2, 4, 1, 1, 2, 1, 1])
    codes = (groups > 3).astype(int)
    values = rng.normal(size=(60, 9))[:, groups] + rng.normal(size=(60, len(groups)))
    design = class_designs(codes, groups)[0]
    weights = design.unit_weights(0.5)
    fit = fit_design(values, design, np.array([[1.0, -1.0]]), unit_weights=weights)
    gaps = values.copy()
    gaps[0, groups == 0] = np.nan
    of_gaps = fit_design(gaps, design, np.array([[1.0, -1.0]]), unit_weights=weights)
    np.testing.assert_array_equal(of_gaps.estimate[:, 1:], fit.estimate[:, 1:])
    others = groups != 0
    fewer = class_designs(codes[others], groups[others])[0]
    expected = fit_design(
        values[:1, others], fewer, np.array([[1.0, -1.0]]), unit_weights=weights[1:]
    )
    for name in ("estimate", "unscaled", "variance"):
        whole = np.atleast_2d(getattr(of_gaps, name))
        np.testing.assert_allclose(whole[0, 0], np.atleast_2d(getattr(expected, name))[0, 0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "n_first", "rho"),
    [([5] * 30 + [1] * 5, 30, 0.3), ([3] * 30 + [1] * 6, 30, 0.9), ([5] * 5 + [1] * 30, 5, 0.3)],
)
def test_null_genes_keep_their_level_where_patients_of_a_class_have_more_samples(
    sizes, n_first, rho
):
    """Units of equal weight have .146, .08 and .01 instead of .05."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    codes = (groups >= n_first).astype(int)
    shares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        of_patient = rng.normal(size=(1000, len(sizes)))[:, groups]
        values = np.sqrt(rho) * of_patient + np.sqrt(1 - rho) * rng.normal(size=(1000, len(groups)))
        shares.append((moderated_contrasts(values, codes, groups).p[0] < 0.05).mean())
    # the standard error of the mean of 20 studies is .0015
    assert 0.045 <= np.mean(shares) <= 0.055


def test_few_groups_of_one_class_are_left_out_beside_pairs(rng):
    values, codes = rng.normal(size=(40, 11)), np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1])
    groups = np.array(list("abcdabcdxyz"))
    actual = moderated_contrasts(values, codes, groups)
    pairs = moderated_contrasts(values[:, :8], codes[:8], groups[:8])
    np.testing.assert_allclose(actual.t, pairs.t)
    assert (actual.designs[0].blocks, actual.designs[0].left_out) == (4, 3)
    difference = values[:, :4] - values[:, 4:8]  # the paired t test, moderated by hand
    np.testing.assert_allclose(actual.log_fold_change[0], difference.mean(axis=1))
    one = moderated_contrasts(values[:1], codes, groups)
    paired = difference[0].mean() / (difference[0].std(ddof=1) / 2)
    assert (one.t[0, 0], one.df[0, 0]) == pytest.approx((paired, 3))


def test_four_groups_of_one_class_share_a_level_beside_pairs(rng):
    values, codes = rng.normal(size=(30, 16)), np.repeat([0, 1, 0, 1, 0], [4, 4, 2, 4, 2])
    groups = np.array(list("abcdabcdwwxxyyzz"))
    beside = np.zeros((12, 4))
    beside[np.arange(8), np.tile(np.arange(4), 2)] = 1
    means = np.column_stack([values[:, :8], values[:, 8:].reshape(30, 4, 2).mean(axis=2)])
    actual = moderated_contrasts(values, codes, groups)
    design = actual.designs[0]
    first = np.append(np.arange(8), np.arange(8, 16, 2))  # sample of each unit
    weights = weights_of_units(values, design, samples=np.eye(2)[codes], groups=groups)
    arrays = {"values": means, "classes": np.eye(2)[codes[first]], "beside": beside}
    limma = r_answers("limma", LIMMA, **arrays, trend=[0], unit_weights=weights)
    for ours, theirs in NAMES.items():
        np.testing.assert_allclose(getattr(actual, ours)[0], limma[f"{theirs}1"], rtol=1e-6)
    assert (design.blocks, design.averaged, design.left_out) == (4, 4, 0)


def test_a_class_without_common_groups_is_compared_between_groups(rng):
    tumour, normal, healthy = rng.normal(size=(3, 1, 4))
    values = np.concatenate([tumour, normal, healthy], axis=1)
    codes, groups = np.repeat([0, 1, 2], 4), np.array(list("abcdabcdwxyz"))
    actual = moderated_contrasts(values, codes, groups)
    paired = (tumour - normal)[0]
    t = paired.mean() / (paired.std(ddof=1) / 2)
    assert actual.t[:2, 0] == pytest.approx([t, -t])  # of the classes of the same patients
    assert [design.compared.tolist() for design in actual.designs] == [[1, 1, 0], [0, 0, 1]]
    # The mean of both tissues of a patient has the variance (1 + rho) / 2 of a sample.
    weights = weights_of_units(values, actual.designs[1], samples=np.eye(3)[codes], groups=groups)[
        [4, 0]
    ]
    rho = max(0.0, block_correlation(values, np.eye(3)[codes], groups))
    assert weights[1] / weights[0] == pytest.approx(2 / (1 + rho))
    between = t_of_two(healthy[0], (tumour + normal)[0] / 2, weights)
    assert (actual.t[2, 0], actual.df[2, 0]) == pytest.approx(between)
    # The means of classes have equal weights in the mean of a patient, and units equal ones here.
    rows = np.concatenate([np.arange(12), np.arange(4), np.arange(8, 12)])
    of_patient = actual.designs[1]
    assert not np.allclose(of_patient.unit_weights(0.5), 1)
    twice = moderated_contrasts(values[:, rows], codes[rows], groups[rows])
    means = twice.log_fold_change[2, 0], twice.df[2, 0]
    assert means == pytest.approx((healthy.mean() - (tumour + normal).mean() / 2, 6))
    values[0, 0] = np.nan  # then the patient's mean would be of normal tissue alone
    actual = moderated_contrasts(values, codes, groups)
    difference = healthy.mean() - (tumour + normal)[0, 1:].mean() / 2
    assert (actual.log_fold_change[2, 0], actual.df[2, 0]) == pytest.approx((difference, 5))


def test_classes_are_connected_by_the_groups_of_other_classes(rng):
    codes, groups = np.array([0, 1, 0, 1, 1, 2, 1, 2, 3, 3]), np.array(list("aabbccddxy"))
    values = rng.normal(size=(20, 10))
    actual = moderated_contrasts(values, codes, groups)
    assert actual.designs[0].contrasts[0].tolist() == [1, -0.5, -0.5, 0]
    beside = np.eye(4)[np.arange(8) // 2][:, 1:]
    same = agrees_with_limma(values[:, :8], codes[:8], groups[:8], beside=beside)
    np.testing.assert_allclose(actual.t[:3], same.t)
    np.testing.assert_allclose(actual.mean, same.mean)
    assert np.isnan(actual.log_fold_change[3]).all()  # the means of the groups do not determine it


def test_contrasts_that_cannot_be_estimated_are_missing(rng):
    values, codes = rng.normal(size=(30, 12)), np.repeat([0, 1, 2], 4)
    values[0, codes == 2] = np.nan
    values[1] = np.nan
    values[2, 4:] = np.nan
    ages = rng.normal(size=12)
    actual = moderated_contrasts(values, codes, None, {"age": ages})
    assert np.isnan(actual.t[:, :3]).all()
    assert np.isnan(actual.log_fold_change[:, :3]).all()
    assert np.isfinite(actual.t[:, 3:]).all()
    assert np.isnan(actual.fdr[:, :3]).all()
    pairs = rng.normal(size=(1, 8))
    pairs[0, [0, 4, 5]] = np.nan  # two patients are left, and half of a third
    actual = moderated_contrasts(pairs, np.repeat([0, 1], 4), np.tile(np.arange(4), 2))
    difference = pairs[0, 2:4] - pairs[0, 6:]
    assert actual.log_fold_change[0, 0] == pytest.approx(difference.mean())
    assert actual.df[0, 0] == 1


def test_columns_with_large_values_are_centred(rng):
    values, codes = rng.normal(size=(10, 12)), np.tile([0, 1], 6)
    hours = rng.integers(0, 24, 12)
    actual = moderated_contrasts(values, codes, None, {"ns": 1.7e18 + hours * 3.6e12})
    np.testing.assert_allclose(actual.t, moderated_contrasts(values, codes, None, {"h": hours}).t)


CODES = np.repeat([0, 1], 4)
BATCH = np.array(list("xxxxyyyy"))
AGE = np.array([1.0, 2, 3, 5, 1, 2, 4, 9])


@pytest.mark.parametrize(
    ("codes", "groups", "covariates", "message"),
    [
        (CODES, None, {"age": AGE, "batch": BATCH}, "'batch' .* from the class,"),
        (CODES, None, {"age": AGE, "years": 2 * AGE + 1}, r"'years' .* from the column 'age',"),
        (CODES, None, {"x": AGE, "y": AGE + CODES}, "'y' .* class and the column 'x',"),
        (CODES, np.tile(list("abcd"), 2), {"sex": np.tile(list("mmff"), 2)}, "from the groups,"),
        (CODES, None, {"age": np.full(8, 0.1)}, "'age' is the same in all"),
        (CODES[:7], None, {"age": np.full(7, 0.1)}, "'age' is the same in all"),
        (CODES, None, {"side": np.full(8, "l")}, "'side' is the same in all"),
        (CODES, None, {"age": np.where(AGE > 4, np.nan, AGE)}, "'age' has no value in 2 samples"),
        (CODES, None, {"s": np.array([*"llrrllr", ""])}, "'s' has no value in 1 sample;"),
        (CODES, None, {"id": np.array(list("abcdefgh"))}, "8 units .* 9 coefficients"),
        (np.array([0, 1]), None, {}, "2 units .* 2 coefficients .the class.: no degrees"),
        (CODES, BATCH, {}, "2 units .* 2 coefficients"),
        (np.zeros(8, dtype=int), None, {}, "all samples have one class"),
    ],
)
def test_designs_that_cannot_be_fitted_are_refused(codes, groups, covariates, message):
    with refused(message):
        moderated_contrasts(np.eye(8)[:, : len(codes)], codes, groups, covariates)


def test_features_without_enough_values_are_refused():
    values = np.where(np.arange(8) % 4 == 0, 1.0, np.nan)[None]
    with refused("no feature has enough values"):
        moderated_contrasts(values, CODES)


@pytest.mark.parametrize("x", [1e8, 3.0, 0.01, 1e-9])
def test_the_inverse_of_trigamma_is_that(x):
    assert polygamma(1, _trigamma_inverse(x)) == pytest.approx(x, rel=1e-3)


def microarray(folder, name):
    """Return values and classes of one of CuMiDa's series."""
    series = read_cumida_csv(folder / "microarray" / f"{name}.csv.gz", name)
    return series.values, np.unique(series.labels, return_inverse=True)[1]


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["SRBCT_Khan2001", "Leukemia_Golub1999", "Heart_GSE1145"])
def test_classes_of_real_series_are_compared_as_by_limma(shared_data, name):
    compared = agrees_with_limma(*microarray(shared_data, name))
    assert len(compared.designs) == 1
    assert compared.designs[0].left_out == 0


@pytest.mark.nightly
def test_missing_values_of_several_classes_are_left_out_as_by_limma(shared_data, rng):
    values, codes = microarray(shared_data, "SRBCT_Khan2001")
    values = blanked(values, rng)
    values[5, codes == 2] = np.nan  # its contrasts need this class
    values[6, 3:] = np.nan  # no residual degrees of freedom
    compared = moderated_contrasts(values, codes)
    assert np.isnan(compared.t[:, 5:7]).all()
    agrees_with_limma(np.delete(values, [5, 6], axis=0), codes)


@pytest.mark.nightly
@pytest.mark.parametrize("share", [0.0, 0.03])
def test_tumours_and_normal_tissue_of_patients_are_paired_as_by_limma(shared_data, rng, share):
    values, codes = microarray(shared_data, "Pancreas_GSE22780")
    values = blanked(values[::5], rng, share)
    patients = np.tile(np.arange(8), 2)
    compared = agrees_with_limma(values, codes, patients, beside=np.eye(8)[patients][:, 1:])
    assert compared.designs[0].blocks == 8


@pytest.mark.nightly
@pytest.mark.parametrize("share", [0.0, 0.03])
def test_age_and_sex_are_adjusted_for_as_by_limma(shared_data, rng, share):
    options = {
        "label_pattern": "patient|healthy control",
        "map": {"patient": "cancer", "healthy control": "normal"},
    }
    row = DatasetEntry("early", "geo", "GSE4107", label="title", **options)
    series = read_geo(shared_data / "geo/GSE4107_series_matrix.txt.gz", row)
    age = series.sample_metadata["Age"].to_numpy(dtype=float)
    sex = series.sample_metadata["Gender"].to_numpy()
    values = blanked(np.log2(series.values[::5]), rng, share)
    codes = np.unique(series.labels, return_inverse=True)[1]
    covariates = {"Age": age, "Gender": sex}
    agrees_with_limma(
        values, codes, covariates=covariates, beside=np.column_stack([age, sex == "M"])
    )
