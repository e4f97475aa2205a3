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

#: Attributes that `Estimator._validate_training` sets at the start of a fit: they are kept when the
#: attributes of an earlier fit are removed.
_SET_BY_VALIDATION = ("n_features_in_", "feature_names_in_")


class BaseNaiveBayes(ClassifierMixin, Estimator):
    """Base class: a subclass fits parameters per class and computes log-likelihoods.

    It implements two methods over *feature-major* arrays (n_features, n_samples), in which a
    feature's samples are contiguous and read-only:

    * ``_fit(features, codes)`` learns the parameters;
    * ``_joint_log_likelihood(features)`` returns ``log P(c) + log p(x | c)`` of each class.

    A subclass whose log-likelihood is a sum over features also implements ``_class_terms(features,
    code)``, the summands of one class; it then has `explain`.

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

    Examples
    --------
    A classifier of the distance from the mean of each class, in standard units of all samples:

    >>> class NearestMean(BaseNaiveBayes):
    ...     def _fit(self, features, codes):
    ...         self.scale_ = features.std(axis=1)
    ...         self.means_ = [features[:, codes == code].mean(axis=1) for code in np.unique(codes)]
    ...
    ...     def _joint_log_likelihood(self, features):
    ...         distances = [(features.T - mean) / self.scale_ for mean in self.means_]
    ...         squares = np.array([(distance**2).sum(axis=1) for distance in distances])
    ...         return self.class_log_prior_ - 0.5 * squares.T
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]])
    >>> NearestMean().fit(X, ["a", "a", "b", "b"]).predict([[1.0, 1.0], [4.0, 3.0]]).tolist()
    ['a', 'b']
    """

    #: Prior probabilities of the classes, where a classifier has such a parameter.
    priors: Any = None

    #: What `explain` returns: a log "density" in the unit of a feature, or "evidence", the log
    #: ratio of the class's density and a reference that all classes share.
    explanation_scale_ = "density"

    #: Whether the subclass reads features in any memory layout. Features are then a view of X;
    #: otherwise X is copied so that each feature's samples are contiguous.
    _any_layout = False

    def fit(self, X: SamplesLike, y: Labels) -> "BaseNaiveBayes":
        """Fit the classifier to training samples.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Finite numbers; in the unit of the classifier's source, for microarrays log2
            intensities. Also tables of polars and Arrow, and AnnData.
        y : array-like of shape (n_samples,)
            The class of each sample; with AnnData also the name of a column of its ``obs``.

        Returns
        -------
        self

        Raises
        ------
        InputError
            A `ValueError`: if a parameter is not as declared, a value is missing or not a finite
            number, columns share a name, or a label is missing. It names the column and the sample.
        """
        values, labels = self._validate_training(X, y)
        codes = self._learn_classes(labels)
        self._fit(self._arrange(values), codes)
        return self

    def _learn_classes(self, y: np.ndarray) -> np.ndarray:
        """Remove an earlier fit; set classes and priors; return each sample's class as a code."""
        classes, codes, counts = class_codes(y)
        fitted_names = [name for name in vars(self) if name.endswith("_")]
        for name in fitted_names:
            if name not in _SET_BY_VALIDATION:
                delattr(self, name)
        self.classes_ = classes
        self.class_count_ = counts
        self.class_log_prior_ = self._log_prior(self.class_count_ / len(y))
        single_sample_classes = classes[counts == 1].tolist()
        if single_sample_classes:
            first, *further = single_sample_classes
            others = f" (and {len(further)} more)" if further else ""
            msg = (
                f"class {first!r}{others} has 1 sample, so its variance cannot be estimated and "
                "its features may be chosen by chance. Add samples, merge or leave out such classes"
            )
            warnings.warn(msg, UserWarning, stacklevel=3)
        return codes

    def _log_prior(self, shares: np.ndarray) -> np.ndarray:
        """Return the log priors: of the parameter ``priors``, or of the classes' shares if None."""
        has_priors = self.priors is not None
        probabilities = _check_priors(self.priors, len(self.classes_)) if has_priors else shares
        with np.errstate(divide="ignore"):  # a prior may be 0
            return np.log(probabilities)

    def predict(self, X: SamplesLike) -> np.ndarray:
        """Return the most probable class of each sample, the first of equally probable ones."""
        best = np.argmax(self._relative_to_best(self.predict_joint_log_proba(X)), axis=1)
        return self.classes_[best]

    def predict_joint_log_proba(self, X: SamplesLike) -> np.ndarray:
        """Return ``log P(c) + log p(x | c)`` of each class, shape (n_samples, n_classes).

        It is -inf where a sample is so far from a class that the square of the distance overflows.
        """
        return self._joint_log_likelihood(self._read_features(X))

    def predict_log_proba(self, X: SamplesLike) -> np.ndarray:
        """Return log posteriors, shape (n_samples, n_classes), in the order of `classes_`."""
        relative = self._relative_to_best(self.predict_joint_log_proba(X))
        return relative - logsumexp(relative, axis=1, keepdims=True)

    def _relative_to_best(self, joint: np.ndarray) -> np.ndarray:
        """Return log odds against the best class, or the log prior where all classes are -inf."""
        all_underflow = (joint == -np.inf).all(axis=1, keepdims=True)
        joint = np.where(all_underflow, self.class_log_prior_, joint)
        return joint - joint.max(axis=1, keepdims=True)

    def predict_proba(self, X: SamplesLike) -> np.ndarray:
        """Return posteriors, shape (n_samples, n_classes), in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def explain(self, X: SamplesLike) -> pd.DataFrame:
        """Return what each feature contributes to each class's log-likelihood.

        One row per sample of X, class and feature that the class uses, with columns ``sample`` (X's
        index, or the row number), ``class``, ``feature`` and ``log_likelihood``, or ``evidence``
        where the contributions are relative to a reference that all classes share. With the class's
        ``class_log_prior_`` the rows of a sample and class add up to its joint log-likelihood; that
        of all classes, less their `scipy.special.logsumexp`, is `predict_log_proba`.
        """
        contribution = "evidence" if self.explanation_scale_ == "evidence" else "log_likelihood"
        features = self._read_features(X)
        samples = X.index if isinstance(X, pd.DataFrame) else np.arange(features.shape[1])
        names = self._term_names()
        parts = []
        all_terms = self._all_class_terms(features)
        for label, (columns, terms) in zip(self.classes_, all_terms, strict=True):
            # The terms (n_columns, n_samples) as one long column, a sample's features together.
            # Names are converted to texts of pandas once, not in every row.
            class_features = pd.Series(names[columns]).array
            sample_of_row = np.repeat(np.arange(len(samples)), len(columns))
            feature_of_row = np.tile(np.arange(len(columns)), len(samples))
            class_columns = {
                "sample": pd.Series(samples).array.take(sample_of_row),
                "class": label,
                "feature": class_features.take(feature_of_row),
                contribution: terms.T.reshape(-1),
            }
            parts.append(pd.DataFrame(class_columns))
        return pd.concat(parts, ignore_index=True)

    @abstractmethod
    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        """Learn from ``features`` (n_features, n_samples) and class ``codes`` (n_samples,)."""

    @abstractmethod
    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return ``log P(c) + log p(x | c)``, shape (n_samples, n_classes)."""

    def _all_class_terms(self, features: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the result of `_class_terms` for each class in turn.

        A subclass overrides this where the terms of all classes are computed together.
        """
        for code in range(len(self.classes_)):
            yield self._class_terms(features, code)

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns a class uses and their log-likelihoods (n_columns, n_samples).

        Not abstract: a classifier whose likelihood is no sum over features has no `explain`.
        """
        msg = f"{type(self).__name__} does not split its log-likelihood over features"
        raise NotImplementedError(msg)

    def _term_names(self) -> np.ndarray:
        """Return the names of the columns of `_class_terms`; by default those are features."""
        return self._feature_names()

    def _feature_names(self) -> np.ndarray:
        """Return the names of all features of the fit; column numbers if X had no names."""
        return getattr(self, "feature_names_in_", np.arange(self.n_features_in_))

    def _read_features(self, X: SamplesLike) -> np.ndarray:
        """Return checked samples to predict, feature-major (n_features, n_samples)."""
        return self._arrange(self._validate_samples(X))

    def _arrange(self, X: np.ndarray) -> np.ndarray:
        """Return X (n_samples, n_features) feature-major, see `_any_layout`."""
        return X.T if self._any_layout else feature_major(X)


def _check_priors(priors: Any, n_classes: int) -> np.ndarray:
    """Return the parameter ``priors`` as an array (n_classes,), or raise an `InputError`."""
    try:
        probabilities = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = "priors are not numbers; give a probability per class, or None"
        raise InputError(msg) from error
    if probabilities.shape != (n_classes,):
        msg = (
            f"Number of priors must match number of classes: priors has shape "
            f"{probabilities.shape}, there are {n_classes} classes; give one per class, in the "
            "order of the sorted labels"
        )
        raise InputError(msg)
    if not (probabilities >= 0.0).all() or not np.isclose(probabilities.sum(), 1.0):
        msg = (
            "Priors must be non-negative and the sum of the priors should be 1; the least "
            f"is {probabilities.min():.3g} and the sum {probabilities.sum():.6g}"
        )
        raise InputError(msg)
    return probabilities
