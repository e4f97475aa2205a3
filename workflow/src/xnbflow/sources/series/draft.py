"""The contents of a file before the options of its row of the sheet are applied."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

#: Of features or samples.
Names = Sequence[str] | np.ndarray


@dataclass(kw_only=True)
class Draft:
    """The contents of a file before the sheet's options are applied.

    Attributes
    ----------
    where : str
        The data set and its file, with which messages begin.
    values : ndarray of shape (n_features, n_samples)
        NaN where missing. `assemble` may change the array.
    features, samples : sequence of str
        The names in the file.
    labels : sequence of str
        The text of each sample from which its label is made.
    label_place : str
        What the texts of the labels are, for messages, as ``label 'tissue'``.
    sample_metadata : DataFrame
        The samples' other columns, a row per sample.
    kinds : sequence of str, optional
        The kind of each feature; all are linear without it.
    feature_metadata : DataFrame, optional
        The annotation of features in the file, a row per feature.
    place : callable
        Returns where in the file the value of a feature and a sample is, by their positions.
    notes : list of str
        Sentences about the reading, to which `assemble` adds.
    note_unlogged : bool
        Whether values that do not look logged get a note; those of a clinical table do not.
    platforms : str
        Accessions of the platforms, separated by spaces.
    """

    where: str
    values: np.ndarray
    features: Names
    samples: Names
    labels: Sequence[str]
    label_place: str
    sample_metadata: pd.DataFrame
    kinds: Names | None = None
    feature_metadata: pd.DataFrame | None = None
    place: Callable[[int, int], str] = lambda _feature, _sample: ""
    notes: list[str] = field(default_factory=list)
    note_unlogged: bool = False
    platforms: str = ""

    def take_rows(self, values: np.ndarray, rows: np.ndarray) -> None:
        """Keep the features at some positions, with their values (n_rows, n_samples)."""
        self.values = values
        self.features = np.asarray(self.features, dtype=str)[rows]
        if self.kinds is not None:
            self.kinds = np.asarray(self.kinds)[rows]
        if self.feature_metadata is not None:
            self.feature_metadata = self.feature_metadata.iloc[rows].reset_index(drop=True)
