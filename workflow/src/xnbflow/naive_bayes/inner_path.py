"""Predictions of inner test samples with every number of features."""

from typing import Any

import numpy as np

from xnbflow.naive_bayes.class_specific_nb import BaseClassSpecificNB
from xnbflow.naive_bayes.modules import ModuleWeights, ResidualCorrelation
from xnbflow.naive_bayes.size_path import InnerPredictions
from xnbflow.preprocessing.selection.pair_rankings import PairRankings, Shortlist
from xnbflow.preprocessing.selection.pair_strengths import pair_strengths

__all__ = ["BaseInnerPath"]

#: Weight, in samples, of the spread within all classes in an averaged model's densities.
_BORROWED = 10.0


class BaseInnerPath(BaseClassSpecificNB):
    """Prediction of inner test samples along the path over numbers of features.

    The parameters are those of `ClassSpecificNBCV`.
    """

    rule: str

    def _predict_inside(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        folds: list[tuple[np.ndarray, np.ndarray]],
        sizes: np.ndarray,
    ) -> InnerPredictions:
        """Predict every inner test sample with every size."""
        tested = np.concatenate([test for _, test in folds])
        sums = np.zeros((len(sizes), len(tested), len(self.classes_)))
        log_prior = np.full((len(tested), len(self.classes_)), -np.inf)
        counts, stop = [], 0
        for train, test in folds:
            start, stop = stop, stop + len(test)
            present, inner, inner_counts = np.unique(
                codes[train], return_inverse=True, return_counts=True
            )
            prior = self._inner_log_prior(present, inner_counts / len(train))
            sums[:, start:stop, present], count = self._predict_fold(
                features, inner, (train, test), sizes, prior
            )
            log_prior[start:stop, present] = prior
            counts.append(count)
        numbers = np.repeat(np.arange(len(folds)), [len(test) for _, test in folds])
        means, weights = np.mean(counts, axis=0), self._inner_weights(codes[tested])
        return InnerPredictions(sums, log_prior, codes[tested], numbers, means, weights)

    def _predict_fold(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        fold: tuple[np.ndarray, np.ndarray],
        sizes: np.ndarray,
        prior: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of a fold's test samples at every size, and features per class there.

        ``codes`` (n_train,) are the classes of the training samples that the fold has.
        """
        train, test = fold
        shortlist, rankings = self._ranked(features, codes, train, sizes[-1])
        values, correlation, entries = shortlist.features.values, None, rankings.entries()
        del shortlist, rankings  # of many classes the strengths take most of the memory
        if self.rule == "average":
            correlation = ResidualCorrelation(values[:, train], codes)
        modules = ModuleWeights(correlation, entries, sizes)
        sums = modules.sum_evidence(
            values,
            codes,
            train,
            test,
            prior,
            borrowed=self._borrowed,
            contamination=self.contamination,
            **self._density,
        )
        return sums, modules.counts().mean(axis=1)

    def _inner_weights(self, codes: np.ndarray) -> np.ndarray:
        """Return the weights of inner test samples, by class from ``priors``, with mean 1."""
        if self.priors is None:
            return np.ones(len(codes))
        weights = np.exp(self.class_log_prior_)[codes] / np.bincount(codes)[codes]
        return weights / weights.mean()

    def _inner_log_prior(self, present: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Return the log prior of the classes that an inner training set has."""
        if self.priors is None:
            return np.log(shares)
        given = np.exp(self.class_log_prior_[present])
        with np.errstate(divide="ignore"):
            return np.log(given / given.sum())

    def _ranked(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        samples: np.ndarray | None,
        n_features: int,
    ) -> tuple[Shortlist, PairRankings]:
        """Rank features by samples of the given classes; the shortlist has all samples' values."""
        strengths = self._strengths(features, codes, samples)
        shortlist = Shortlist(int(codes.max()) + 1, int(n_features))
        shortlist.keep(strengths, features, getattr(self, "feature_names_in_", None))
        return shortlist, PairRankings(shortlist, codes, samples)

    def _strengths(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        samples: np.ndarray | None,
    ) -> np.ndarray:
        measured: dict[str, Any] = {"distance": self.distance, "n_grid": self.n_grid}
        measured |= self._density
        return pair_strengths(features, codes, int(codes.max()) + 1, samples=samples, **measured)

    @property
    def _density(self) -> dict[str, Any]:
        names = ("bandwidth", "min_bandwidth", "kernel")
        return {name: getattr(self, name) for name in names}

    @property
    def _borrowed(self) -> float:
        return _BORROWED if self.rule == "average" else 0.0
