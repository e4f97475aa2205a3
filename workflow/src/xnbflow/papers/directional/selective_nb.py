"""Selective naive Bayes: rank features by mutual information, keep the most accurate prefix.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers, section 3.6: SelvMNB, SelGNB.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import Instance, whole_constraint
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.gaussian_nb import GaussianNB
from xnbflow.naive_bayes.independent import IndependentNB
from xnbflow.naive_bayes.inner_folds import CV_CONSTRAINTS, inner_folds, sample_groups
from xnbflow.papers.directional.mutual_information import mutual_information

#: Log densities that are held at once: 32 MB.
_SELECTION_CHUNK_VALUES = 4_000_000


class SelectiveNB(MetaEstimatorMixin, BaseNaiveBayes):
    """Filter-wrapper selection of features for a naive Bayes classifier.

    The filter ranks features by their mutual information with the class under the fitted
    densities; the wrapper takes the prefix of that ranking with the best accuracy in an inner
    cross-validation, the shortest among equals. Each inner fold is fitted once, because the running
    sum of log-likelihoods along the ranking classifies by all prefixes.

    Parameters
    ----------
    estimator : IndependentNB, default=None
        The classifier to select for: `GaussianNB`, `FlexibleNB`, `HybridNB` or one made of these;
        None means `GaussianNB()`. Given the class its features must be independent, but for those
        of a multivariate group, which are selected together; all classes must use the same
        features.
    n_max : int, default=None
        Largest number of features to try; None tries all.
    cv : int, cross-validation splitter, list of (training, test) samples or None, default=10
        The inner folds; an int makes stratified folds in the order of the samples, None 5 as in
        `ClassSpecificNBCV`.

    Attributes
    ----------
    estimator_ : IndependentNB
        The classifier fitted on all features; each feature is fitted by itself, so the selected
        ones need no other fit.
    selected_ : ndarray of int
        The best prefix, as positions among the terms of ``estimator_``.
    selected_features_ : dict
        From each class label to the names (or else positions) of the selected features, the same
        for every class, in the order of the ranking.

    See Also
    --------
    HybridNB : A classifier to select features for.
    VonMisesNB : The paper's, for angles.
    XNB : Features of its own for each class.

    References
    ----------
    P. Langley and S. Sage, Induction of selective Bayesian classifiers, UAI 1994.

    Examples
    --------
    >>> from xnbflow.naive_bayes import VonMisesNB
    >>> angle = np.repeat([0.0, 3.0], 10) + np.tile([-0.1, 0.1], 10)
    >>> X = np.column_stack([np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 4), angle])
    >>> nb = SelectiveNB(VonMisesNB(angular=[1]), cv=5).fit(X, np.repeat(["a", "b"], 10))
    >>> nb.selected_features_["a"]
    [1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [Instance("fit", "predict"), None],
        "n_max": [whole_constraint(1), None],
        "cv": CV_CONSTRAINTS,
    }

    def __init__(
        self, estimator: IndependentNB | None = None, *, n_max: int | None = None, cv: Any = 10
    ) -> None:
        self.estimator = estimator
        self.n_max = n_max
        self.cv = cv

    def fit(self, X: SamplesLike, y: Labels, groups: Labels | None = None) -> "SelectiveNB":
        """Fit the classifier.

        Samples of one of the ``groups`` (n_samples,), for example a patient, stay in one inner
        fold. Raises an `InputError` if there are too few samples or groups for inner folds.
        """
        values, labels = self._validate_training(X, y)
        group_labels = sample_groups(groups, len(labels))
        codes = self._learn_classes(labels)
        self._fit(self._arrange(values), codes, group_labels)
        return self

    def _template(self) -> Any:
        """Return the classifier that is fitted, itself not fitted."""
        return GaussianNB() if self.estimator is None else self.estimator

    def _fit(
        self, features: np.ndarray, codes: np.ndarray, groups: np.ndarray | None = None
    ) -> None:
        """Rank the features, choose their number by cross-validation, and fit."""
        template = self._template()
        if not isinstance(template, IndependentNB):
            msg = (
                "SelectiveNB selects among features that are independent given the class, have a "
                f"density each and serve every class; {template!r} does not. Use an instance "
                "of GaussianNB, FlexibleNB, VonMisesNB, DiscretizedNB or HybridNB of "
                f"xnbflow.naive_bayes instead of {type(template).__module__}"
            )
            raise InputError(msg)
        self.estimator_ = self._fit_template(features, codes)
        information = mutual_information(self.estimator_, features, codes)
        order = np.argsort(-information, kind="stable")[: self.n_max]

        # The inner cross-validation's accuracy of every prefix of the ranking. The log-
        # likelihood of a prefix is the running sum of those of its features, so one pass
        # over the features classifies the samples by all prefixes.
        n_correct = np.zeros(len(order))
        n_tested = 0
        for training, test in inner_folds(self.cv, codes, groups, features):
            inner = self._fit_template(features[:, training], codes[training])
            n_tested += len(test)
            for chunk in self._chunks(features, test):
                joint = inner.term_log_densities(features[:, chunk])[order]
                joint[0] += inner.class_log_prior_[:, None]
                np.cumsum(joint, axis=0, out=joint)
                predicted = inner.classes_[joint.argmax(axis=1)]
                n_correct += (predicted == codes[chunk]).sum(axis=1)
        accuracy = n_correct / n_tested

        self._ranking = (order, information[order], accuracy)
        self.selected_ = order[: int(np.argmax(accuracy)) + 1]
        columns = self.estimator_.term_columns()
        names = self._feature_names()
        selected = names[np.concatenate([columns[term] for term in self.selected_])].tolist()
        self.selected_features_ = dict.fromkeys(self.classes_, selected)

    @property
    def ranking_(self) -> pd.DataFrame:
        """The features tried, in descending order of mutual information.

        Columns are ``feature`` (or a multivariate group), ``mutual_information`` with the class, in
        nats, and ``accuracy``, the inner accuracy of the prefix that ends with it.
        """
        check_is_fitted(self)
        order, information, accuracy = self._ranking
        columns = {"mutual_information": information, "accuracy": accuracy}
        return pd.DataFrame({"feature": self._term_names()[order], **columns})

    def _fit_template(self, features: np.ndarray, codes: np.ndarray) -> IndependentNB:
        X = features.T
        if hasattr(self, "feature_names_in_"):
            X = pd.DataFrame(X, columns=self.feature_names_in_, copy=False)
        with warnings.catch_warnings():
            # `fit` has warned of such a class; inner folds may make more of them.
            warnings.filterwarnings("ignore", "class .* has 1 sample")
            return clone(self._template()).fit(X, codes)

    def _chunks(self, features: np.ndarray, samples: np.ndarray) -> list[np.ndarray]:
        """Split samples so that the log densities of a chunk take about 32 MB."""
        width = max(1, _SELECTION_CHUNK_VALUES // (len(features) * len(self.classes_)))
        return [samples[start : start + width] for start in range(0, len(samples), width)]

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        log_likelihoods = []
        for chunk in self._chunks(features, np.arange(features.shape[1])):
            terms = self.estimator_.term_log_densities(features[:, chunk])
            log_likelihoods.append(terms[self.selected_].sum(axis=0))
        return (np.concatenate(log_likelihoods, axis=1) + self.class_log_prior_[:, None]).T

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        return self.selected_, self.estimator_.term_log_densities(features)[self.selected_, code]

    def _term_names(self) -> np.ndarray:
        return self.estimator_._term_names()
