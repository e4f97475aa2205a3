"""The base class of all classifiers: validation, priors, and prediction from log-likelihoods."""

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin

from xnbflow.core.errors import InputError
from xnbflow.data.labels import class_codes
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.density.tiles import feature_major
from xnbflow.preprocessing.estimator import Estimator

_OF_X = ("n_features_in_", "feature_names_in_")


class BaseNaiveBayes(ClassifierMixin, Estimator):
    """Base class: a subclass fits parameters per class and computes log-likelihoods.

    It implements two methods over *feature-major* arrays (n_features, n_samples), in which a
    feature's samples are contiguous and read-only: ``_fit(features, codes)`` and
    ``_joint_log_likelihood(features)``; and ``_class_terms(features, code)`` where the
    log-likelihood is a sum over features, which gives it `explain`.

    Where every class's log-likelihood overflows to -inf, the posterior is the prior.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    class_count_ : ndarray of int, shape (n_classes,)
        Training samples of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithm of each class's share of the training samples, or of the parameter ``priors`` if
        given.

    See Also
    --------
    GaussianNB : The simplest of its subclasses.
    HybridNB : Likelihoods that are products over groups of columns.
    """

    #: Prior probabilities of the classes, where a classifier has such a parameter.
    priors: Any = None

    #: Whether it gathers tiles from features in any memory layout, so that these are a view.
    _any_layout = False

    def fit(self, X: SamplesLike, y: Labels) -> "BaseNaiveBayes":
        """Fit the classifier."""
        values, labels = self._validated(X, y)
        codes = self._learn_classes(labels)
        self._fit(self._arrange(values), codes)
        return self

    def _learn_classes(self, y: np.ndarray) -> np.ndarray:
        """Remove an earlier fit; set classes and priors; return each sample's class as a code."""
        classes, codes, counts = class_codes(y)
        for name in [name for name in vars(self) if name.endswith("_") and name not in _OF_X]:
            delattr(self, name)
        self.classes_ = classes
        self.class_count_ = counts
        self.class_log_prior_ = self._log_prior(self.class_count_ / len(y))
        alone = classes[counts == 1].tolist()
        if alone:
            others = f" (and {len(alone) - 1} more)" if len(alone) > 1 else ""
            msg = (
                f"class {alone[0]!r}{others} has 1 sample, so its variance cannot be estimated and "
                "its features may be chosen by chance. Add samples, merge or leave out such classes"
            )
            warnings.warn(msg, UserWarning, stacklevel=3)
        return codes

    def _log_prior(self, shares: np.ndarray) -> np.ndarray:
        """Return the logarithm of the parameter ``priors`` if it is given, else of the shares."""
        if self.priors is not None:
            n_classes = len(self.classes_)
            try:
                shares = np.asarray(self.priors, dtype=np.float64)
            except (TypeError, ValueError) as error:
                msg = "priors are not numbers; give a probability per class, or None"
                raise InputError(msg) from error
            if shares.shape != (n_classes,):
                msg = (
                    f"Number of priors must match number of classes: priors has shape "
                    f"{shares.shape}, there are {n_classes} classes; give one per class, in the "
                    "order of the sorted labels"
                )
                raise InputError(msg)
            if not (shares >= 0.0).all() or not np.isclose(shares.sum(), 1.0):
                msg = (
                    "Priors must be non-negative and the sum of the priors should be 1; the least "
                    f"is {shares.min():.3g} and the sum {shares.sum():.6g}"
                )
                raise InputError(msg)

        with np.errstate(divide="ignore"):
            return np.log(shares)

    def predict(self, X: SamplesLike) -> np.ndarray:
        """Return the most probable class of each sample, the first of equally probable ones."""
        best = np.argmax(self._relative_to_best(self.predict_joint_log_proba(X)), axis=1)
        return self.classes_[best]

    def predict_joint_log_proba(self, X: SamplesLike) -> np.ndarray:
        """Return ``log P(c) + log p(x | c)`` of each class, shape (n_samples, n_classes).

        It is -inf where a sample is so far from a class that the square of the distance overflows.
        """
        return self._joint_log_likelihood(self._features(X))

    def predict_log_proba(self, X: SamplesLike) -> np.ndarray:
        """Return log posteriors, shape (n_samples, n_classes), in the order of `classes_`."""
        relative = self._relative_to_best(self.predict_joint_log_proba(X))
        return relative - logsumexp(relative, axis=1, keepdims=True)

    def _relative_to_best(self, joint: np.ndarray) -> np.ndarray:
        """Return log odds against the best class, or the log prior where all classes are -inf."""
        lost = (joint == -np.inf).all(axis=1, keepdims=True)
        joint = np.where(lost, self.class_log_prior_, joint)
        return joint - joint.max(axis=1, keepdims=True)

    def predict_proba(self, X: SamplesLike) -> np.ndarray:
        """Return posteriors, shape (n_samples, n_classes), in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def explain(self, X: SamplesLike) -> pd.DataFrame:
        """Return what each feature contributes to each class's log-likelihood.

        One row per sample of X, class and feature that the class uses, with columns ``sample`` (X's
        index, or the row number), ``class``, ``feature`` and ``log_likelihood``. With the class's
        ``class_log_prior_`` the rows of a sample and class add up to its joint log-likelihood.
        """
        features = self._features(X)
        samples = X.index if isinstance(X, pd.DataFrame) else np.arange(features.shape[1])
        names = self._term_names()
        parts = []
        terms_of_classes = self._terms_of_classes(features)
        for label, (columns, terms) in zip(self.classes_, terms_of_classes, strict=True):
            indices_of_strip = {
                "sample": np.repeat(samples, len(columns)),
                "class": label,
                "feature": np.tile(names[columns], len(samples)),
                "log_likelihood": terms.T.reshape(-1),
            }
            parts.append(pd.DataFrame(indices_of_strip))
        return pd.concat(parts, ignore_index=True)

    @abstractmethod
    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        """Learn from ``features`` (n_features, n_samples) and class ``codes`` (n_samples,)."""

    @abstractmethod
    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return ``log P(c) + log p(x | c)``, shape (n_samples, n_classes)."""

    def _terms_of_classes(self, features: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the columns and log-likelihoods of each class, see `_class_terms`."""
        for code in range(len(self.classes_)):
            yield self._class_terms(features, code)

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns a class uses and their log-likelihoods (n_columns, n_samples)."""
        msg = f"{type(self).__name__} does not split its log-likelihood over features"
        raise NotImplementedError(msg)

    def _term_names(self) -> np.ndarray:
        """Return the names of what `_class_terms` numbers: features, unless a subclass differs."""
        return self._feature_names()

    def _feature_names(self) -> np.ndarray:
        return getattr(self, "feature_names_in_", np.arange(self.n_features_in_))

    def _features(self, X: SamplesLike) -> np.ndarray:
        return self._arrange(self._validated(X))

    def _arrange(self, X: np.ndarray) -> np.ndarray:
        """Return X (n_samples, n_features) feature-major, contiguous and read-only."""
        return X.T if self._any_layout else feature_major(X)
