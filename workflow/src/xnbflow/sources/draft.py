"""The contents of a file before the options of its row of the sheet are applied."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

#: Of features or samples.
Names = Sequence[str] | np.ndarray


@dataclass
class Draft:
    """The contents of a file before the sheet's options are applied.

    ``values`` (n_features, n_samples; NaN where missing) may be changed by `assemble`. ``labels``
    has the text from which each sample's label is made, ``sample_metadata`` the samples' other
    columns. ``place`` returns where the value of a feature and a sample is in the file, ``where``
    and ``label_place`` begin messages. ``note_unlogged`` is whether values that do not look logged
    get a note; those of a clinical table do not. ``platforms`` are those of the file, separated by
    spaces.
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
