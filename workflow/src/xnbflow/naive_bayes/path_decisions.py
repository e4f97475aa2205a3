"""What the inner predictions of a path decide: its table, the core, calibration and average."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_softmax

from xnbflow.naive_bayes.evidence_calibration import Calibration
from xnbflow.naive_bayes.size_average import SizeAverage
from xnbflow.naive_bayes.size_path import InnerPredictions, path_row


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """Scores of the inner test samples, which `xnbflow.naive_bayes.conformal` needs for its sets.

    Attributes
    ----------
    scores : ndarray of shape (n_tested,)
        Posterior of each sample's true class.
    log_posterior : ndarray of shape (n_tested, n_classes)
    codes, folds : ndarray of int, shape (n_tested,)
        Its true class, and the inner fold that tests it.
    """

    scores: np.ndarray
    log_posterior: np.ndarray
    codes: np.ndarray
    folds: np.ndarray

    @classmethod
    def from_predictions(cls, predictions: InnerPredictions, calibrated: np.ndarray) -> "HeldOut":
        """Return the inner test samples with their calibrated sums (n_tested, n_classes)."""
        return cls(
            scores=predictions.true_posterior(calibrated),
            log_posterior=log_softmax(calibrated + predictions.log_prior, axis=1),
            codes=predictions.codes,
            folds=predictions.folds,
        )


@dataclass(frozen=True, kw_only=True)
class PathDecisions:
    """What the inner predictions decide.

    Attributes
    ----------
    rows : list of dict
        The table `ClassSpecificNBCV.path_`, one row per size.
    core_row, last_row : int
        Row of the core, and row of the largest size that takes part in predictions.
    calibration : Calibration
        Slopes and intercepts of the predictions.
    held_out : HeldOut
        The inner test samples.
    core_scores : dict
        Accuracy and balanced accuracy of the core, chosen without the fold that tests.
    average : SizeAverage or None
        The average; None if the core alone predicts.
    equal_priors : bool
        Whether classes have equal priors.
    """

    rows: list[dict[str, Any]]
    core_row: int
    last_row: int
    calibration: Calibration
    held_out: HeldOut
    core_scores: dict[str, float]
    average: SizeAverage | None = None
    equal_priors: bool = False

    @classmethod
    def of_one_class(cls, sizes: np.ndarray) -> "PathDecisions":
        """Return the decisions where all samples have one class: there is nothing to predict."""
        perfect = {
            "accuracy": 1.0,
            "accuracy_se": 0.0,
            "balanced_accuracy": 1.0,
            "balanced_accuracy_se": 0.0,
            "log_loss": 0.0,
            "log_loss_se": 0.0,
        }
        nothing = np.empty(0, dtype=int)
        return cls(
            rows=numbered_rows([path_row(0.0, 1.0, perfect)], sizes[:1]),
            core_row=0,
            last_row=0,
            calibration=Calibration.of_temperature(1.0, 1),
            held_out=HeldOut(
                scores=np.empty(0), log_posterior=np.empty((0, 1)), codes=nothing, folds=nothing
            ),
            core_scores={"accuracy": 1.0, "balanced_accuracy": 1.0},
        )


def numbered_rows(rows: list[dict[str, float]], sizes: np.ndarray) -> list[dict[str, Any]]:
    """Return the rows of a path with the size, features per pair of classes, in front."""
    return [
        {"n_features_per_pair": size, **row} for size, row in zip(sizes.tolist(), rows, strict=True)
    ]


def inverse_temperatures(rows: list[dict[str, Any]]) -> np.ndarray:
    """Return the factor of the evidence at each size, shape (n_sizes,)."""
    return 1.0 / np.array([row["temperature"] for row in rows])
