"""Agreement of a model's predictions with the labels that a table has."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_missing, plain_text
from xnbflow.sources.series.class_labels import LabelRule
from xnbflow.sources.series.label_spellings import spellings_of_classes


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


def labels_of_texts(
    texts: Sequence[str], classes: Sequence[str], entry: DatasetEntry
) -> tuple[list[str | None], list[str]]:
    """Return the labels of new samples, spelled as the classes of a model, with notes.

    Parameters
    ----------
    texts : sequence of str
        The column of labels.
    classes : sequence of str
        The classes of the model.
    entry : DatasetEntry
        The entry by whose keys (``map``, ``label``, ``literal``) texts become labels. A sample
        without a label has None.

    Returns
    -------
    labels : list of str or None
    notes : list of str
        Sentences on labels with another spelling, and on labels of which none is a class.

    Examples
    --------
    >>> labels_of_texts(["NORMAL", "tumour", ""], ["normal", "tumour"], DatasetEntry("x", "table"))
    (['normal', 'tumour', None], ["the label 'NORMAL' is read as the class 'normal'"])
    """
    rule = LabelRule.parse(replace(entry, unlabelled=None))
    labels = []
    for text in texts:
        label = rule.label_of(text)
        if label is None and rule.mapping and rule.pattern is None and not is_missing(text):
            label = plain_text(text)  # a label that the training data did not have
        labels.append(label)
    sizes = Counter(label for label in labels if label is not None)
    spellings = spellings_of_classes(sizes, classes)
    notes = []
    if spellings:
        pairs = [f"{label!r} is read as the class {name!r}" for label, name in spellings.items()]
        notes.append(f"the label {listed(pairs)}")
    elif sizes and not sizes.keys() & set(classes):
        present = listed(f"{label!r} ({n})" for label, n in sizes.items())
        setting = f"map={flow_yaml(dict.fromkeys(sizes, 'CLASS'))}"
        notes.append(
            f"no label is a class of the model ({', '.join(classes)}), there are {present}: to "
            f"compare predictions with them, name their classes by --set {shlex.quote(setting)}"
        )
    return [spellings.get(label, label) if label else None for label in labels], notes


def agreement(
    classes: Sequence[str], predicted: Sequence[str], labels: Sequence[str | None]
) -> Agreement | None:
    """Compare predictions with labels; None where no label is a class.

    Examples
    --------
    >>> compared = agreement(["n", "t"], ["n", "t", "t"], ["n", "n", "t"])
    >>> compared.n_right, compared.n_samples, compared.confusion.loc["n"].tolist()
    (2, 3, [1, 1])
    """
    confusion = pd.DataFrame(0, index=list(classes), columns=list(classes))
    others: dict[str, int] = {}
    for label, prediction in zip(labels, predicted, strict=True):
        if label in confusion.index:
            confusion.loc[label, prediction] += 1
        elif label is not None:
            others[label] = others.get(label, 0) + 1
    compared = Agreement(confusion, others)
    return compared if compared.n_samples else None
