"""Real data in a dependency: the offline input of the demonstration."""

import numpy as np
from sklearn import datasets

from xnbflow.core.refusals import Refusal
from xnbflow.data.dataset import DataSet
from xnbflow.sources.sheet import SheetRow

#: The data sets by their name in the sheet's ``location``.
BUNDLED = {
    "breast_cancer": datasets.load_breast_cancer,
    "wine": datasets.load_wine,
    "digits": datasets.load_digits,
}


_UNKNOWN_DATA_SET = Refusal(
    code="bundled.unknown-data-set",
    sentence=(
        "data set {dataset}: no bundled data set {location!r}; use one of {names} as its location"
    ),
    key="location",
)


def load(dataset: SheetRow, *_: object) -> DataSet:
    """Return a data set of scikit-learn's; samples are named by their row number from 0.

    Examples
    --------
    >>> series = load(SheetRow("w", "bundled", "wine"))
    >>> series.values.shape, [str(label) for label in series.classes]
    ((13, 178), ['class_0', 'class_1', 'class_2'])
    """
    if dataset.location not in BUNDLED:
        raise _UNKNOWN_DATA_SET.error(
            dataset=dataset.id, location=dataset.location, names=", ".join(BUNDLED)
        )
    bunch = BUNDLED[dataset.location]()
    labels = bunch.target_names[bunch.target]
    samples = np.arange(len(bunch.data))
    return DataSet(dataset.id, bunch.data.T, bunch.feature_names, samples, labels)
