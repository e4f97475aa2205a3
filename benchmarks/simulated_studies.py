"""Simulated studies whose truth is known.

One study has samples of several classes, genes in blocks whose members correlate, planted genes
that differ between classes, and, where asked for, several samples of each patient.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from xnbflow.evaluation.folds import stratified_splits
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV

__all__ = [
    "CLASSIFIERS",
    "Design",
    "Study",
    "cohort",
    "confusion_of_chance",
    "cross_validated",
    "drawn",
    "fold_accuracies",
    "half_lists",
    "list_of",
    "study",
]

#: The classifiers whose verdicts are audited, by their names in the configuration.
CLASSIFIERS: dict[str, Callable[[], BaseEstimator]] = {
    "nb": GaussianNB,
    "csnb": ClassSpecificNB,
    "csnb_cv": ClassSpecificNBCV,
    "csnb_3": partial(ClassSpecificNB, n_features=3),
    "csnb_10": partial(ClassSpecificNB, n_features=10),
    "xnb": XNB,
    "neighbours": KNeighborsClassifier,
}

#: New samples (or patients of one sample each) that tell a fitted classifier's true accuracy.
_NEW = 2000


@dataclass(frozen=True, kw_only=True)
class Design:
    """How samples are drawn.

    Attributes
    ----------
    shares : tuple of float
        Shares of the classes; the counts are rounded, so that they do not vary.
    n : int
        Samples, or patients where ``per_patient`` is above 1.
    effect : float
        Shift of planted genes in standard deviations; 0 for labels without any information.
    per_patient : int
        Samples of one patient.
    paired : bool
        Every patient has one sample of each class.
    batch : float
        Shift of 30 genes in half of the samples, drawn without regard to their classes.
    within : float
        Correlation of the samples of one patient, in every gene.
    genes, planted, block : int
        Genes in all, those planted for each class but the first, and genes of a correlated block.
    correlation : float
        Correlation of two genes of a block.
    """

    n: int = 40
    effect: float = 0.0
    shares: tuple[float, ...] = (0.5, 0.5)
    per_patient: int = 1
    within: float = 0.5
    genes: int = 500
    planted: int = 15
    block: int = 10
    correlation: float = 0.5
    paired: bool = False
    batch: float = 0.0

    @property
    def samples_of_patient(self) -> int:
        """Samples of one patient."""
        return len(self.shares) if self.paired else self.per_patient

    def shifts(self) -> np.ndarray:
        """Return the mean of each gene in each class, (n_classes, n_genes).

        Planted genes lie in different blocks as far as there are any, half of them up.
        """
        shifts = np.zeros((len(self.shares), self.genes))
        blocks = self.genes // self.block
        for label in range(1, len(self.shares)):
            first = (label - 1) * self.planted
            for i in range(first, first + self.planted):
                place = (i % blocks) * self.block + i // blocks
                shifts[label, place] = self.effect * (-1) ** i
        return shifts


def draw(
    design: Design, codes: np.ndarray, per_patient: int, rng: np.random.Generator
) -> np.ndarray:
    """Return values, (n_samples, n_genes), of samples of these classes, patient after patient."""
    within = design.within if per_patient > 1 else 0.0
    patients = _noise(design, len(codes) // per_patient, rng) * np.sqrt(within)
    samples = _noise(design, len(codes), rng) * np.sqrt(1 - within)
    values = np.repeat(patients, per_patient, axis=0) + design.shifts()[codes] + samples
    if design.batch:
        values[:, -30:] += design.batch * rng.permutation(np.arange(len(codes)) % 2)[:, None]
    return np.asfortranarray(values)


def _noise(design: Design, n: int, rng: np.random.Generator) -> np.ndarray:
    shared = rng.standard_normal((n, design.genes // design.block))
    noise = rng.standard_normal((n, design.genes))
    shared = np.repeat(shared, design.block, axis=1)
    return np.sqrt(design.correlation) * shared + np.sqrt(1 - design.correlation) * noise


@dataclass(kw_only=True)
class Study:
    """One simulated study and its truth.

    Attributes
    ----------
    codes, groups, folds : ndarray of int, shape (n_samples,)
        Class, patient and test fold of every sample.
    probabilities : ndarray of shape (n_samples, n_classes)
        Cross-validated.
    true_confusion : ndarray of shape (n_classes, n_classes)
        Of new samples by the classifier of all samples; rows are true classes, weighed by shares.
    true_claim : float
        Mean predicted probability of the predicted class over new samples.
    values : ndarray of shape (n_samples, n_genes)
    """

    codes: np.ndarray
    groups: np.ndarray
    folds: np.ndarray
    probabilities: np.ndarray
    true_confusion: np.ndarray = field(repr=False)
    true_claim: float
    values: np.ndarray = field(repr=False)


def sizes(design: Design) -> np.ndarray:
    """Return the class of each patient."""
    counts = np.floor(np.array(design.shares) * design.n + 1e-9).astype(int)
    counts[0] += design.n - counts.sum()
    return np.repeat(np.arange(len(counts)), counts)


def drawn(design: Design, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return values, (n_samples, n_genes), and classes of one study, patient after patient."""
    rng = np.random.default_rng([seed, 20260101])
    if design.paired:
        codes = np.tile(np.arange(len(design.shares)), design.n)
    else:
        codes = np.repeat(rng.permutation(sizes(design)), design.per_patient)
    return draw(design, codes, design.samples_of_patient, rng), codes


def study(design: Design, name: str, seed: int, splits: int = 10, *, new: int = _NEW) -> Study:
    """Draw a study, cross-validate a classifier in it, and test the final one on new samples.

    Without ``new`` samples the truth is missing.
    """
    values, codes = drawn(design, seed)
    groups = np.arange(len(codes)) // design.samples_of_patient
    kept_whole = groups if design.samples_of_patient > 1 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folds, probabilities = cross_validated(
            name, values, codes, groups=kept_whole, splits=splits, seed=seed
        )
        confusion, claim = _truth(design, name, values, codes, seed=seed, n=new)
    return Study(
        codes=codes,
        groups=groups,
        folds=folds,
        probabilities=probabilities,
        true_confusion=confusion,
        true_claim=claim,
        values=values,
    )


def _truth(
    design: Design, name: str, values: np.ndarray, codes: np.ndarray, *, seed: int, n: int
) -> tuple[np.ndarray, float]:
    """Return the confusion of new samples, and their mean predicted probability."""
    if not n:
        return np.empty((0, 0)), np.nan
    n_classes = len(design.shares)
    new_codes = np.repeat(np.arange(n_classes), n // n_classes)
    new = draw(design, new_codes, 1, np.random.default_rng([seed, 20260102]))
    claims = CLASSIFIERS[name]().fit(values, codes).predict_proba(new)
    weights = np.array(design.shares)[new_codes] / len(new_codes) * n_classes
    confusion = np.zeros((n_classes, n_classes))
    np.add.at(confusion, (new_codes, claims.argmax(axis=1)), weights)
    return confusion, float(np.average(claims.max(axis=1), weights=weights))


def cross_validated(
    name: str,
    values: np.ndarray,
    codes: np.ndarray,
    *,
    groups: np.ndarray | None,
    splits: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the test fold and the predicted probabilities of every sample."""
    folds = np.empty(len(codes), dtype=int)
    probabilities = np.zeros((len(codes), codes.max() + 1))
    for fold, (train, test) in enumerate(stratified_splits(codes, groups, splits, seed)):
        folds[test] = fold
        model = CLASSIFIERS[name]()
        if groups is not None and name == "csnb_cv":
            model.fit(values[train], codes[train], groups=groups[train])
        else:
            model.fit(values[train], codes[train])
        probabilities[np.ix_(test, model.classes_)] = model.predict_proba(values[test])
    return folds, probabilities


def fold_accuracies(name: str, values: np.ndarray, codes: np.ndarray, seed: int) -> np.ndarray:
    """Return the accuracy of each of ten folds."""
    folds, probabilities = cross_validated(name, values, codes, groups=None, splits=10, seed=seed)
    right = probabilities.argmax(axis=1) == codes
    return np.bincount(folds, right) / np.bincount(folds)


def list_of(design: Design, name: str, seed: int) -> set[str]:
    """Return what a classifier selects in one study."""
    return _selected(name, *drawn(design, seed))


def half_lists(design: Design, name: str, seed: int, pairs: int) -> list[tuple[set[str], set[str]]]:
    """Return what a classifier selects in either half of one study, for several divisions."""
    values, codes = drawn(design, seed)
    lists = []
    for pair in range(pairs):
        first, second = stratified_splits(codes, None, 2, pair)[0]
        lists.append(
            (
                _selected(name, values[first], codes[first]),
                _selected(name, values[second], codes[second]),
            )
        )
    return lists


def _selected(name: str, values: np.ndarray, codes: np.ndarray) -> set[str]:
    """Return the numbers of the features that a classifier selects for any class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CLASSIFIERS[name]().fit(values, codes)
    return {str(feature) for columns in model.columns_ for feature in columns.tolist()}


def confusion_of_chance(confusion: np.ndarray) -> np.ndarray:
    """Return the confusion of predictions as frequent as these, but without information."""
    predicted = confusion.sum(axis=0) / confusion.sum()
    return np.tile(predicted, (len(confusion), 1))


def cohort(
    confusion: np.ndarray, counts: tuple[int, ...], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return true and predicted classes of a second cohort with given counts of its classes.

    Given the fitted classifier, predictions of new samples are independent: draws from the rows of
    its true confusion.
    """
    codes = np.repeat(np.arange(len(counts)), counts)
    rows = confusion / confusion.sum(axis=1, keepdims=True)
    return codes, (rng.random((len(codes), 1)) > rows[codes].cumsum(axis=1)[:, :-1]).sum(axis=1)
