"""The classifiers that ClassSpecificNBCV is compared with, tuned as their users tune them."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeClassifierCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

__all__ = ["TopScoringPairs", "peers"]

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


class TopScoringPairs(ClassifierMixin, BaseEstimator):
    """k-TSP for two classes: each of k disjoint pairs of features votes by which is the larger.

    Tan, Naiman, Xu, Winslow, Geman, "Simple decision rules for classifying human cancers from gene
    expression profiles", Bioinformatics 21, 2005; candidates are the features with the strongest
    rank sums, as in the R package switchBox.

    Parameters
    ----------
    n_pairs : int
    n_candidates : int
        Half of them larger in either class.
    """

    def __init__(self, n_pairs: int = 3, n_candidates: int = 200) -> None:
        self.n_pairs = n_pairs
        self.n_candidates = n_candidates

    def fit(self, X: np.ndarray, y: np.ndarray) -> "TopScoringPairs":
        """Find the pairs; ties are broken by the difference of mean ranks."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        ranks = rankdata(X, axis=0)
        gaps = ranks[codes == 1].mean(axis=0) - ranks[codes == 0].mean(axis=0)
        order = np.argsort(gaps, kind="stable")
        half = min(self.n_candidates, len(order)) // 2
        used = np.unique(np.concatenate([order[:half], order[-half:]]))
        first, second = np.array(list(combinations(used, 2))).T
        below = X[:, first] < X[:, second]
        difference = below[codes == 1].mean(axis=0) - below[codes == 0].mean(axis=0)
        ranks = ranks[:, used]
        centred = np.searchsorted(used, first), np.searchsorted(used, second)
        mean_gaps = ranks[codes == 1].mean(axis=0) - ranks[codes == 0].mean(axis=0)
        secondary = np.abs(mean_gaps[centred[1]] - mean_gaps[centred[0]])
        best = np.lexsort((-secondary, -np.abs(difference)))
        self.pairs_ = self._disjoint(first[best], second[best], difference[best])
        return self

    def _disjoint(self, first: np.ndarray, second: np.ndarray, sign: np.ndarray) -> np.ndarray:
        """Return the best pairs that share no feature, the one larger in the second class last."""
        found: list[tuple[int, int]] = []
        taken: set[int] = set()
        for i, j, s in zip(first.tolist(), second.tolist(), sign.tolist(), strict=True):
            if not {i, j} & taken:
                found.append((i, j) if s > 0 else (j, i))
                taken |= {i, j}
            if len(found) == self.n_pairs:
                break
        return np.array(found)

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the majority of the votes for the second class, from -1 to 1."""
        votes = X[:, self.pairs_[:, 0]] < X[:, self.pairs_[:, 1]]
        return 2.0 * votes.mean(axis=1) - 1.0

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the class with most votes."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]
