"""Rules of the cross-validated classifier at the value where they decide."""

import numpy as np
import pytest

from xnbflow.naive_bayes.size_path import InnerPredictions, choose_size, prior_weights


def test_with_priors_each_class_has_the_weight_of_its_prior_whatever_its_size():
    weights = prior_weights(np.array([0, 0, 0, 1]), np.array([0.5, 0.5]))
    np.testing.assert_allclose(weights, [2 / 3, 2 / 3, 2 / 3, 2.0])
    assert prior_weights(np.array([0, 1, 1]), None).tolist() == [1, 1, 1]


def test_the_held_out_fold_does_not_choose_the_size_of_the_core():
    """The first size is wrong in the first fold only, and as good as the second elsewhere."""
    codes = np.tile([0, 1], 3)
    folds = np.repeat([0, 1, 2], 2)
    right = np.where(codes[:, None] == [0, 1], 3.0, 0.0)
    first_size = np.where(folds[:, None] == 0, 3.0 - right, right)
    predictions = InnerPredictions(
        sums=np.array([first_size, right]),
        log_prior=np.full((6, 2), np.log(0.5)),
        codes=codes,
        folds=folds,
        counts=np.array([1.0, 2.0]),
        weights=np.ones(6),
    )
    # Fold 0 is scored with the first size, which the others choose; folds 1 and 2 with the second.
    assert predictions.core_scores(np.ones(2)) == pytest.approx(
        {"accuracy": 2 / 3, "balanced_accuracy": 2 / 3}
    )


@pytest.mark.parametrize(("loss", "chosen"), [(0.25, 0), (0.26, 1)])
def test_a_loss_at_one_standard_error_is_chosen(loss, chosen):
    rows = [
        {"n_features_per_class": 1, "log_loss": loss, "log_loss_se": 0.5},
        {"n_features_per_class": 9, "log_loss": 0.125, "log_loss_se": 0.125},
    ]
    assert choose_size(rows, 1000) == chosen


def test_of_equal_sizes_the_smaller_loss_is_chosen():
    rows = [
        {"n_features_per_class": 3, "log_loss": 0.13, "log_loss_se": 0.1},
        {"n_features_per_class": 3, "log_loss": 0.12, "log_loss_se": 0.1},
        {"n_features_per_class": 9, "log_loss": 0.11, "log_loss_se": 0.1},
    ]
    assert choose_size(rows, 1000) == 1
