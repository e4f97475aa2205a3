"""A series before the keys of its entry are applied to values, labels and names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd


@dataclass(frozen=True, kw_only=True)
class RawSeries:
    """The contents of a file with roles: features by samples, and texts of both.

    Each step of `xnbflow.sources.series.steps` returns another one. Steps that compute values
    change the array in place, because it may be most of the memory.

    Attributes
    ----------
    where : str
        The data set and its file, with which messages begin.
    values : ndarray of shape (n_features, n_samples)
        NaN where missing.
    features, samples : ndarray of str
        The names.
    labels : sequence of str
        The text of each sample from which its label is made, or its label.
    sample_metadata : DataFrame
        The samples' other columns, a row per sample.
    kinds : ndarray of str
        The kind of each feature, as in `xnbflow.data.dataset.DataSet`.
    feature_places, sample_places : ndarray of int
        The positions of features and samples in the file.
    feature_metadata : DataFrame, optional
        The annotation of features in the file, a row per feature.
    place : callable
        Returns where in the file the value of a feature and a sample is, by these positions.
    notes : tuple of str
        Sentences about the reading.
    note_unlogged : bool
        Whether values that do not look logged get a note; not for a clinical table.
    platforms : str
        Accessions of the platforms, separated by spaces.
    groups : ndarray of str, optional
        The group of each sample.
    scale : str
        The scale of the values, as in `xnbflow.data.dataset.DataSet`.
    missing : bool
        Whether values are missing that are imputed in the training folds.
    """

    where: str
    values: np.ndarray
    features: np.ndarray
    samples: np.ndarray
    labels: Sequence[str]
    sample_metadata: pd.DataFrame
    kinds: np.ndarray
    feature_places: np.ndarray
    sample_places: np.ndarray
    feature_metadata: pd.DataFrame | None = None
    place: Callable[[int, int], str] = lambda _feature, _sample: ""
    notes: tuple[str, ...] = field(default=())
    note_unlogged: bool = False
    platforms: str = ""
    groups: np.ndarray | None = None
    scale: str = ""
    missing: bool = False

    def with_notes(self, notes: Sequence[str]) -> "RawSeries":
        """Return the series with further notes."""
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def place_of(self, feature: int, sample: int) -> str:
        """Return where in the file a value of the series is."""
        return self.place(int(self.feature_places[feature]), int(self.sample_places[sample]))

    def with_features(self, rows: np.ndarray, values: np.ndarray | None = None) -> "RawSeries":
        """Return the features at some positions, with their values or others of this shape."""
        metadata = self.feature_metadata
        if metadata is not None:
            metadata = metadata.iloc[rows].reset_index(drop=True)
        return replace(
            self,
            values=self.values[rows] if values is None else values,
            features=self.features[rows],
            kinds=self.kinds[rows],
            feature_metadata=metadata,
            feature_places=self.feature_places[rows],
        )

    def with_samples(self, positions: np.ndarray) -> "RawSeries":
        """Return the samples at some positions."""
        values = self.values
        if len(positions) < len(self.samples):
            values = np.ascontiguousarray(values[:, positions])
        return replace(
            self,
            values=values,
            samples=self.samples[positions],
            labels=[self.labels[position] for position in positions.tolist()],
            sample_metadata=self.sample_metadata.iloc[positions].reset_index(drop=True),
            sample_places=self.sample_places[positions],
        )
