"""The classifiers that ClassSpecificNBCV is compared with, tuned as their users tune them."""

from collections.abc import Iterator

import numpy as np
from benchmarks.top_scoring_pairs import TopScoringPairs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeClassifierCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

__all__ = ["peers"]

SHRINKAGES = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0]


def peers() -> dict[str, BaseEstimator]:
    """Return the peers by name. Penalties and thresholds are chosen by five inner folds."""
    inner = InnerFolds()
    svm = LinearSVC(max_iter=20_000, random_state=0)
    lasso = LogisticRegression(l1_ratio=1.0, solver="liblinear", max_iter=500, random_state=0)
    penalties = np.logspace(-5, 0, 6)
    return {
        "linear SVM": linear(GridSearchCV(svm, {"C": penalties}, cv=inner)),
        "ridge": linear(RidgeClassifierCV(alphas=np.logspace(0, 6, 13))),
        "ridge, default penalties": linear(RidgeClassifierCV()),
        "shrunken centroids": make_pipeline(
            StandardScaler(),
            GridSearchCV(
                NearestCentroid(priors="empirical"), {"shrink_threshold": SHRINKAGES}, cv=inner
            ),
        ),
        "forest of 300": RandomForestClassifier(300, random_state=0),
        "l2-logistic": linear(
            LogisticRegressionCV(
                Cs=np.logspace(-6, 0, 7),
                l1_ratios=(0.0,),
                cv=inner,
                scoring="neg_log_loss",
                max_iter=2000,
                use_legacy_attributes=False,
            )
        ),
        "l1-logistic": make_pipeline(
            StandardScaler(),
            GridSearchCV(
                OneVsRestClassifier(lasso),
                {"estimator__C": np.logspace(-1.5, 1.5, 7)},
                cv=inner,
                scoring="neg_log_loss",
            ),
        ),
        "k-TSP": GridSearchCV(
            OneVsRestClassifier(TopScoringPairs()),
            {"estimator__n_pairs": [1, 3, 5, 7, 9]},
            cv=inner,
        ),
    }


class InnerFolds:
    """Five stratified folds, or fewer where no class has five samples."""

    def split(
        self, X: np.ndarray, y: np.ndarray, groups: np.ndarray | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the training and test samples of each fold."""
        folds = StratifiedKFold(self.get_n_splits(X, y), shuffle=True, random_state=0)
        return folds.split(X, y, groups)

    def get_n_splits(
        self,
        X: np.ndarray,  # noqa: ARG002  the signature of scikit-learn
        y: np.ndarray,
        groups: np.ndarray | None = None,  # noqa: ARG002
    ) -> int:
        """Return the number of folds."""
        return min(5, int(np.unique(y, return_counts=True)[1].max()))


def linear(classifier: BaseEstimator) -> BaseEstimator:
    """Return an l2-penalised linear classifier of standardised features, at its fastest."""
    return make_pipeline(StandardScaler(), RowSpace(), classifier)


class RowSpace(TransformerMixin, BaseEstimator):
    """Coordinates of samples in the space that the training samples span.

    An l2-penalised linear model is the same in these as in all features (the representer theorem),
    and has as many coefficients as there are samples.
    """

    def fit(self, X: np.ndarray, _y: np.ndarray | None = None) -> "RowSpace":
        """Find the space."""
        self.basis_ = np.linalg.qr(X.T)[0] if X.shape[1] > X.shape[0] else np.eye(X.shape[1])
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return the coordinates, shape (n_samples, n_coordinates)."""
        return X @ self.basis_
