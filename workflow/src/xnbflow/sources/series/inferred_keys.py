"""Keys that a series needs so that it can be used, inferred between the steps of its reader.

They are in the entry that `xnbflow study` writes; the reader of a written entry infers none.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.column_meaning import suggested_group
from xnbflow.sources.series.features import Features
from xnbflow.sources.series.missing_values import propose_missing
from xnbflow.sources.series.sample_names import BARCODE_PATIENT, NAME_PATIENT
from xnbflow.sources.series.samples import Samples

#: Returns the entry with the transform that values (n_features, n_samples) need.
TransformInference = Callable[[np.ndarray, Features, Samples, DatasetEntry], DatasetEntry]


@dataclass
class InferredKeys:
    """The keys that a proposal needs so that the reader accepts the table.

    Each method adds a key to the entry, unless it has one, before the step of
    `xnbflow.sources.series.steps.series_of_table` that needs it.

    Attributes
    ----------
    keys : dict
        The keys by their fields of the entry.
    remarks : list of str
        Sentences on them.
    """

    keys: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def of_samples(self, samples: Samples, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the patients in the names of samples as groups.

        They are those of TCGA's barcodes, or what the names have beside the class.
        """
        columns = [name for name in (BARCODE_PATIENT, NAME_PATIENT) if name in samples.columns]
        if entry.group or not columns:
            return entry
        group = suggested_group(samples.columns[columns], samples.labels)
        if group is None:
            return entry
        names = "barcodes" if group == BARCODE_PATIENT else "names"
        self.remarks.append(
            f"The proposal is group: {group}: the {names} of {len(samples.names)} samples name "
            f"{samples.columns[group].nunique()} patients."
        )
        self.keys["group"] = group
        return replace(entry, group=group)

    def of_missing(self, values: np.ndarray, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with imputation, or with fewer features if many values are missing."""
        if entry.missing:
            return entry
        missing, remark = propose_missing(values)
        if missing is None:
            return entry
        self.remarks.append(remark)
        self.keys["missing"] = missing
        return replace(entry, missing=missing)

    def of_duplicates(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry that keeps the row of largest mean of those with one name."""
        if entry.duplicates:
            return entry
        self.keys["duplicates"] = "max_mean"
        return replace(entry, duplicates="max_mean")
