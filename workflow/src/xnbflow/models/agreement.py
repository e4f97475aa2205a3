"""Agreement of a model's predictions with the labels that a table has."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, either, listed
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.class_labels import LabelRule


@dataclass(frozen=True)
class Agreement:
    """How many samples are predicted as their label.

    ``confusion`` has a row for each true class and a column for each predicted one; ``others`` are
    labels that the model does not have, with their numbers of samples.
    """

    confusion: pd.DataFrame
    others: dict[str, int]

    @property
    def n_samples(self) -> int:
        """Number of samples whose label is a class of the model."""
        return int(self.confusion.to_numpy().sum())

    @property
    def n_right(self) -> int:
        """Number of samples that are predicted as their label."""
        return int(np.trace(self.confusion.to_numpy()))

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the recalls of the classes that have samples."""
        counts = self.confusion.to_numpy(dtype=float)
        sizes = counts.sum(axis=1)
        return float((np.diag(counts)[sizes > 0] / sizes[sizes > 0]).mean())

    def as_text(self) -> str:
        """Return accuracy and confusion table for people."""
        share = f"{self.n_right / self.n_samples:.3f} ({self.n_right} of {self.n_samples})"
        lines = [f"accuracy {share}, balanced accuracy {self.balanced_accuracy:.3f}"]
        if self.others:
            other_labels = listed(f"{label!r} ({n})" for label, n in self.others.items())
            n_others = sum(self.others.values())
            lines.append(
                f"{counted(n_others, 'sample', 'has', 'have')} a label that the model does not "
                f"have, and {either(n_others, 'is', 'are')} not counted: {other_labels}"
            )
        table = self.confusion.rename_axis(index="label", columns="predicted as")
        return "\n".join([*lines, table.to_string()])


def agreement(
    classes: Sequence[str],
    predicted: Sequence[str],
    texts: Sequence[str],
    entry: DatasetEntry | None = None,
) -> Agreement | None:
    """Compare predictions with the texts of a column of labels; None where no label is a class.

    The texts become labels as those of the training data do, by the ``entry`` of these.

    Examples
    --------
    >>> compared = agreement(["n", "t"], ["n", "t", "t"], ["n", "n", "t"])
    >>> compared.n_right, compared.n_samples, compared.confusion.loc["n"].tolist()
    (2, 3, [1, 1])
    """
    entry = entry or DatasetEntry("labels", "table")
    rule = LabelRule.parse(replace(entry, unlabelled=None))
    labels = [rule.label_of(str(text)) for text in texts]
    confusion = pd.DataFrame(0, index=list(classes), columns=list(classes))
    others: dict[str, int] = {}
    for label, prediction in zip(labels, predicted, strict=True):
        if label in confusion.index:
            confusion.loc[label, prediction] += 1
        elif label is not None:
            others[label] = others.get(label, 0) + 1
    compared = Agreement(confusion, others)
    return compared if compared.n_samples else None
