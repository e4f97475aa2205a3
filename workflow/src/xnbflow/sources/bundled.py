"""Real data in a dependency: the offline input of the demonstration."""

import numpy as np
from sklearn import datasets

from xnbflow.core.errors import InputError, quoted
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry

#: The data sets by the ``name`` of their entry.
BUNDLED = {
    "breast_cancer": datasets.load_breast_cancer,
    "wine": datasets.load_wine,
    "digits": datasets.load_digits,
}


def load(dataset: DatasetEntry, *_: object) -> DataSet:
    """Return a data set of scikit-learn's; samples are named by their row number from 0.

    Examples
    --------
    >>> series = load(DatasetEntry("w", "bundled", "wine"))
    >>> series.values.shape, [str(label) for label in series.classes]
    ((13, 178), ['class_0', 'class_1', 'class_2'])
    """
    if dataset.location not in BUNDLED:
        msg = (
            f"data set {dataset.id}: no bundled data set {quoted(dataset.location)}; use one of "
            f"{', '.join(BUNDLED)} as its name"
        )
        raise InputError(msg, key="name")
    bunch = BUNDLED[dataset.location]()
    labels = bunch.target_names[bunch.target]
    samples = np.arange(len(bunch.data))
    return DataSet(dataset.id, bunch.data.T, bunch.feature_names, samples, labels)
