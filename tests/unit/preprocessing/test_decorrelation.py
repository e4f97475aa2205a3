"""Decorrelator: equal to a dense inverse square root; labels, missing values, few samples."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.core.errors import InputError
from xnbflow.preprocessing import Decorrelator


def with_common_factor(n_samples, n_features, seed=0):
    """Return samples of two classes whose features share a factor, and their classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    loadings = rng.normal(size=n_features)
    X = rng.normal(size=(n_samples, n_features)) + rng.normal(size=(n_samples, 1)) * loadings
    X[:, :3] += y[:, np.newaxis]
    return 5.0 + X * rng.uniform(0.5, 2.0, n_features), y


def dense(X, y, strength, new):
    """Return new samples times R^(-1/2), which is computed with all its rows and columns."""
    residuals = X.copy()
    for label in np.unique(y):
        residuals[y == label] -= X[y == label].mean(axis=0)
    variances = (residuals**2).sum(axis=0) / (len(y) - len(np.unique(y)))
    scales = np.sqrt(0.8 * variances + 0.2 * np.median(variances))
    standard = residuals / scales
    correlation = standard.T @ standard / (len(y) - len(np.unique(y)))
    # relative to the square root of 1 - strength, so that uncorrelated features stay as they are
    R = np.eye(X.shape[1]) + strength / (1.0 - strength) * correlation
    eigenvalues, eigenvectors = np.linalg.eigh(R)
    inverse_root = (eigenvectors / np.sqrt(eigenvalues)) @ eigenvectors.T
    return (new - X.mean(axis=0)) / scales @ inverse_root


@pytest.mark.parametrize("strength", [0.0, 0.2, 0.9])
@pytest.mark.parametrize("shape", [(20, 60), (60, 12)], ids=["wide", "long"])
def test_samples_are_multiplied_by_the_inverse_root_of_the_correlation(shape, strength):
    X, y = with_common_factor(*shape)
    new, _ = with_common_factor(7, shape[1], seed=1)
    fitted = Decorrelator(strength=strength).fit(X, y)
    assert np.allclose(fitted.transform(X), dense(X, y, strength, X))
    assert np.allclose(fitted.transform(new), dense(X, y, strength, new))


def test_missing_features_are_left_out_of_the_least_squares():
    X, y = with_common_factor(20, 60)
    new, _ = with_common_factor(4, 60, seed=1)
    fitted = Decorrelator().fit(X, y)
    present = np.arange(60) % 4 > 0
    incomplete = new.copy()
    incomplete[:3, ~present] = np.nan
    transformed = fitted.transform(incomplete)
    assert np.isnan(transformed[:3, ~present]).all()
    assert np.allclose(transformed[3], fitted.transform(new)[3])

    standard = ((new - fitted.means_) / fitted.scales_)[:3, present]
    V = fitted.eigenvectors_[present]
    normal_equations = np.linalg.solve(V.T @ V, V.T @ standard.T)
    expected = standard + (V @ (fitted.factors_[:, np.newaxis] * normal_equations)).T
    assert np.allclose(transformed[:3, present], expected)


def test_a_sample_of_the_common_space_is_transformed_as_if_nothing_were_missing():
    X, y = with_common_factor(20, 60)
    fitted = Decorrelator().fit(X, y)
    coordinates = np.random.default_rng(2).normal(size=(3, fitted.eigenvectors_.shape[1]))
    samples = fitted.means_ + coordinates @ fitted.eigenvectors_.T * fitted.scales_
    incomplete = samples.copy()
    incomplete[:, ::3] = np.nan
    present = np.arange(60) % 3 > 0
    assert np.allclose(
        fitted.transform(incomplete)[:, present], fitted.transform(samples)[:, present]
    )


def test_one_sample_of_each_class_and_constant_features_are_only_standardised():
    X, y = with_common_factor(2, 5)
    one_each = Decorrelator().fit(X, y)
    assert np.allclose(one_each.transform(X), (X - X.mean(axis=0)) / one_each.scales_)
    X, y = with_common_factor(12, 5)
    X[:, 2:] = [1.0, 2.0, 3.0]
    transformed = Decorrelator().fit(X, y).transform(X)
    assert np.isfinite(transformed).all()
    assert (transformed[:, 2:] == 0.0).all()


def test_features_are_found_by_their_names():
    X, y = with_common_factor(20, 6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fitted = Decorrelator().fit(frame, y)
    assert fitted.get_feature_names_out().tolist() == list("abcdef")
    with pytest.raises(InputError, match="f"):
        fitted.transform(frame.drop(columns="f"))


def test_training_samples_have_all_values():
    X, y = with_common_factor(20, 6)
    X[3, 2] = np.nan
    with pytest.raises(InputError, match="contains NaN"):
        Decorrelator().fit(X, y)
