"""Keys that a series needs so that it can be used, inferred between the steps of its reader.

They are in the entry that `xnbflow study` writes; the reader of a written entry infers none.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.missing_values import propose_missing
from xnbflow.sources.series.plausibility import suggested_group
from xnbflow.sources.series.raw_series import RawSeries
from xnbflow.sources.series.sequencing import BARCODE_PATIENT, NAME_PATIENT


@dataclass
class InferredKeys:
    """The keys that are inferred between the steps of `xnbflow.sources.series.steps.finish`.

    Each method adds a key to the entry, unless it has one, before the step that needs it.

    Attributes
    ----------
    keys : dict
        The keys by their fields of the entry.
    remarks : list of str
        Sentences on them.
    """

    keys: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def of_samples(self, series: RawSeries, dataset: DatasetEntry) -> DatasetEntry:
        """Return the entry with the patients in the names of samples as groups.

        They are those of TCGA's barcodes, or what the names have beside the class.
        """
        metadata = series.sample_metadata
        columns = [name for name in (BARCODE_PATIENT, NAME_PATIENT) if name in metadata]
        group = suggested_group(metadata[columns], series.labels)
        if group is None or dataset.group:
            return dataset
        names = "barcodes" if group == BARCODE_PATIENT else "names"
        self.remarks.append(
            f"The proposal is group: {group}: the {names} of {len(series.samples)} samples name "
            f"{metadata[group].nunique()} patients."
        )
        self.keys["group"] = group
        return replace(dataset, group=group)

    def of_values(self, series: RawSeries, dataset: DatasetEntry) -> DatasetEntry:
        """Return the entry with imputation, or with fewer features if many values are missing."""
        if dataset.missing:
            return dataset
        missing, remark = propose_missing(series.values)
        if missing is None:
            return dataset
        self.remarks.append(remark)
        self.keys["missing"] = missing
        return replace(dataset, missing=missing)

    def of_names(self, dataset: DatasetEntry) -> DatasetEntry:
        """Return the entry that keeps the row of largest mean of those with one name."""
        if dataset.duplicates:
            return dataset
        self.keys["duplicates"] = "max_mean"
        return replace(dataset, duplicates="max_mean")
