"""Hybrid naive Bayes: each block of columns has its own family of densities.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers, sections 3.4 and 3.5.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from xnbflow import distributions
from xnbflow.columns import column_positions
from xnbflow.distributions.family import Distribution
from xnbflow.errors import InputError
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.selection.mutual_information import quadrature_information, sample_information

__all__ = ["Block", "HybridNB"]


@dataclass(frozen=True)
class Block:
    """Columns that share a family.

    Attributes
    ----------
    name : str
        The block's name; a multivariate block's only term bears it.
    distribution : Distribution
        The family, fitted.
    columns : ndarray of int, shape (n_columns,)
        Positions of its columns in X.
    """

    name: str
    distribution: Distribution
    columns: np.ndarray

    @property
    def terms(self) -> list[np.ndarray]:
        """The columns of each factor of the likelihood."""
        return [self.columns] if self.distribution.multivariate else list(self.columns[:, None])


class HybridNB(BaseNaiveBayes):
    """Naive Bayes whose blocks of columns follow different families of densities.

    The log-likelihood of a class is the sum over blocks.

    Parameters
    ----------
    blocks : list of (name, distribution, columns), default=None
        As in scikit-learn's ColumnTransformer. ``distribution`` is a family of
        `xnbflow.distributions` or its short name: "gaussian", "multivariate_gaussian",
        "von_mises", "von_mises_fisher", "categorical" or "kernel". ``columns`` is an int, a
        column name, a list of either, a slice or a mask; a block without columns is left out.
        Columns in no block are not used. None makes one Gaussian block of all columns.

    Attributes
    ----------
    blocks_ : list of Block
        The blocks that have columns, fitted.
    classes_, class_count_, class_log_prior_, n_features_in_, feature_names_in_
        As in `BaseNaiveBayes`.

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, Eq. 9 and
    sections 3.4 and 3.5.

    Examples
    --------
    Wind direction in degrees and wind speed:

    >>> from xnbflow.distributions import VonMises
    >>> X = np.array([[350.0, 3.0], [10.0, 5.0], [20.0, 4.0], [170.0, 8.0], [190.0, 9.0]])
    >>> nb = HybridNB([("wind", VonMises(period=360), [0]), ("speed", "gaussian", [1])])
    >>> nb.fit(X, ["n", "n", "n", "s", "s"]).predict([[359.0, 4.0], [181.0, 7.5]]).tolist()
    ['n', 's']
    """

    _parameter_constraints: ClassVar[dict[str, list]] = {"blocks": [list, tuple, None]}

    def __init__(self, blocks: Sequence[tuple[str, Any, Any]] | None = None) -> None:
        self.blocks = blocks

    def _blocks(self) -> Sequence[tuple[str, Any, Any]]:
        """Return the blocks to fit, as the parameter describes them."""
        return [("all", "gaussian", slice(None))] if self.blocks is None else self.blocks

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        blocks = [_read_block(block) for block in self._blocks()]
        resolved = [
            Block(name, clone(distribution), self._columns(columns))
            for name, distribution, columns in blocks
        ]
        self._refuse_shared_columns(resolved)
        self.blocks_ = [block for block in resolved if len(block.columns)]
        if not self.blocks_:
            msg = f"no block of {type(self).__name__} has a column"
            raise InputError(msg)
        for block in self.blocks_:
            with _naming(block):
                block.distribution.fit(_rows(features, block), codes, len(self.classes_))

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        joint = np.repeat(self.class_log_prior_[:, None], features.shape[1], axis=1)
        for block in self.blocks_:
            with _naming(block):
                joint += block.distribution.log_likelihood(_rows(features, block))
        return joint.T

    def term_log_densities(self, features: np.ndarray) -> np.ndarray:
        """Return every factor of the likelihood.

        Parameters
        ----------
        features : ndarray of float64, shape (n_features, n_samples)
            Samples, feature-major.

        Returns
        -------
        ndarray of shape (n_terms, n_classes, n_samples)
            One term per column of a univariate block and one per multivariate block, in the order
            of `term_columns`.
        """
        parts = []
        for block in self.blocks_:
            with _naming(block):
                parts.append(block.distribution.log_density(_rows(features, block)))
        return np.concatenate(parts)

    def term_columns(self) -> list[np.ndarray]:
        """Return the columns of each term, a list of arrays of int."""
        return [columns for block in self.blocks_ for columns in block.terms]

    def n_parameters(self) -> np.ndarray:
        """Return the free parameters of each term, all classes together, shape (n_terms,)."""
        return np.concatenate([block.distribution.n_parameters() for block in self.blocks_])

    def mutual_information(self, features: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return each term's mutual information with the class under the fitted densities.

        Parameters
        ----------
        features : ndarray of float64, shape (n_features, n_samples)
            The training samples, feature-major; used for multivariate blocks only.
        codes : ndarray of int, shape (n_samples,)
            Their classes.

        Returns
        -------
        ndarray of shape (n_terms,)
            In nats, by quadrature; for a multivariate block the mean over the samples.
        """
        parts = []
        for block in self.blocks_:
            part = quadrature_information(block.distribution, self.class_log_prior_)
            if part is None:
                log_density = block.distribution.log_density(_rows(features, block))
                part = sample_information(log_density, codes, self.class_log_prior_)
            parts.append(part)
        return np.concatenate(parts)

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        terms = self.term_log_densities(features)[:, code]
        return np.arange(len(terms)), terms

    def _feature_names(self) -> np.ndarray:
        """Return the name of each term: its column's, or for a multivariate block the block's."""
        names = super()._feature_names()
        terms = [
            [block.name] if block.distribution.multivariate else list(names[block.columns])
            for block in self.blocks_
        ]
        return np.array([name for part in terms for name in part], dtype=object)

    def _columns(self, spec: Any) -> np.ndarray:
        """Return the positions of the columns that ``spec`` names."""
        what = f"a block of {type(self).__name__}"
        return column_positions(spec, super()._feature_names(), what)

    def _refuse_shared_columns(self, blocks: list[Block]) -> None:
        owner: dict[int, str] = {}
        for block in blocks:
            for column in block.columns:
                if column in owner:
                    name = super()._feature_names()[column]
                    msg = f"column {name} is in blocks {owner[column]!r} and {block.name!r}"
                    raise InputError(msg)
                owner[column] = block.name


def _read_block(block: Any) -> tuple[str, Distribution, Any]:
    """Check a block's form and replace a family's short name by the family."""
    if not isinstance(block, Sequence) or isinstance(block, str) or len(block) != 3:
        msg = f"block {block!r} is not (name, distribution, columns)"
        raise InputError(msg)
    name, distribution, columns = block
    if isinstance(distribution, str):
        if distribution not in distributions.FAMILIES:
            known = ", ".join(distributions.FAMILIES)
            msg = f"block {name!r}: unknown distribution {distribution!r}; use one of {known}"
            raise InputError(msg)
        distribution = getattr(distributions, distributions.FAMILIES[distribution])()
    if not isinstance(distribution, Distribution):
        msg = f"block {name!r}: {distribution!r} is not a family of xnbflow.distributions"
        raise InputError(msg)
    return name, distribution, columns


def _rows(features: np.ndarray, block: Block) -> np.ndarray:
    """Return the block's rows, without a copy where they follow one another."""
    first, last = block.columns[0], block.columns[-1]
    if np.array_equal(block.columns, np.arange(first, last + 1)):
        return features[first : last + 1]
    return features[block.columns]


@contextmanager
def _naming(block: Block) -> Iterator[None]:
    """Say in which block the family found bad input."""
    try:
        yield
    except InputError as error:
        msg = f"block {block.name!r}: {error}"
        raise InputError(msg) from error
