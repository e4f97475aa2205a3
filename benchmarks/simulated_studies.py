"""Simulated studies whose truth is known: classes, correlated genes, patients, batches.

One study has samples of several classes, genes in blocks whose members correlate, planted genes
that differ between classes, and, where asked for, several samples of each patient.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet

__all__ = ["Design", "columns_of", "draw_new_samples", "draw_study", "series_of"]


@dataclass(frozen=True, kw_only=True)
class Design:
    """How samples are drawn.

    Attributes
    ----------
    n : int
        Samples, or patients where ``per_patient`` is above 1 or they are ``paired``.
    effect : float
        Shift of planted genes in standard deviations; 0 for labels without any information.
    shares : tuple of float
        Shares of the classes; the counts are rounded, so that they do not vary.
    per_patient : int
        Samples of one patient, all of one class.
    within : float
        Correlation of the samples of one patient, in every gene.
    genes, planted, block : int
        Genes in all, those planted for each class but the first, and genes of a correlated block.
    correlation : float
        Correlation of two genes of a block.
    paired : bool
        Every patient has one sample of each class.
    batch : float
        Shift of 30 genes in half of the samples, drawn without regard to their classes.
    """

    n: int = 40
    effect: float = 0.0
    shares: tuple[float, ...] = (0.5, 0.5)
    per_patient: int = 1
    within: float = 0.5
    genes: int = 500
    planted: int = 10
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


def draw_study(design: Design, seed: int) -> DataSet:
    """Draw a study; patients with several samples are its groups.

    Examples
    --------
    >>> series = draw_study(Design(n=4, genes=20, planted=1, per_patient=2), seed=0)
    >>> series.values.shape, series.classes.tolist()
    ((20, 8), ['a', 'b'])
    >>> series.groups.tolist()
    ['p0', 'p0', 'p1', 'p1', 'p2', 'p2', 'p3', 'p3']
    """
    rng = np.random.default_rng([seed, 20260101])
    if design.paired:
        codes = np.tile(np.arange(len(design.shares)), design.n)
    else:
        codes = np.repeat(rng.permutation(_classes_of_patients(design)), design.per_patient)
    values = _draw_values(design, codes, design.samples_of_patient, rng)
    groups = None
    if design.samples_of_patient > 1:
        groups = np.array([f"p{i // design.samples_of_patient}" for i in range(len(codes))])
    return series_of(values, codes, groups=groups)


def draw_new_samples(design: Design, n_per_class: int, seed: int) -> DataSet:
    """Draw samples of new patients, one of each, on which a classifier's true accuracy is measured.

    The classes have equal size.
    """
    codes = np.repeat(np.arange(len(design.shares)), n_per_class)
    values = _draw_values(design, codes, 1, np.random.default_rng([seed, 20260102]))
    return series_of(values, codes)


def _classes_of_patients(design: Design) -> np.ndarray:
    """Return the class of each patient."""
    counts = np.floor(np.array(design.shares) * design.n + 1e-9).astype(int)
    counts[0] += design.n - counts.sum()
    return np.repeat(np.arange(len(counts)), counts)


def _draw_values(
    design: Design, codes: np.ndarray, per_patient: int, rng: np.random.Generator
) -> np.ndarray:
    """Return values, (n_genes, n_samples), of samples of these classes, patient after patient."""
    within = design.within if per_patient > 1 else 0.0
    patients = _noise(design, len(codes) // per_patient, rng) * np.sqrt(within)
    samples = _noise(design, len(codes), rng) * np.sqrt(1 - within)
    values = np.repeat(patients, per_patient, axis=0) + design.shifts()[codes] + samples
    if design.batch:
        values[:, -30:] += design.batch * rng.permutation(np.arange(len(codes)) % 2)[:, None]
    return np.ascontiguousarray(values.T)


def _noise(design: Design, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return values of variance 1, (n, n_genes), that correlate within blocks of genes."""
    shared = rng.standard_normal((n, design.genes // design.block))
    noise = rng.standard_normal((n, design.genes))
    shared = np.repeat(shared, design.block, axis=1)
    return np.sqrt(design.correlation) * shared + np.sqrt(1 - design.correlation) * noise


def series_of(values: np.ndarray, codes: np.ndarray, **fields: Any) -> DataSet:
    """Return a data set of values (n_features, n_samples) with classes a, b, ..."""
    n_features, n_samples = values.shape
    return DataSet(
        name="d",
        values=values,
        features=[f"g{i}" for i in range(n_features)],
        samples=[f"s{i}" for i in range(n_samples)],
        labels=np.array(list("abcdefghij"))[codes],
        **fields,
    )


def columns_of(**columns: Any) -> dict[str, pd.DataFrame]:
    """Return columns of the samples as the field of a data set."""
    return {"sample_metadata": pd.DataFrame(columns).astype(str)}
