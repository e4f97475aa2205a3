"""Series without values that have some classes and groups, for tests of folds."""

import numpy as np

from xnbflow.data.dataset import DataSet

FEATURES = [f"f{i}" for i in range(3)]


def header(*counts, name="toy"):
    """Return the header of samples s0, s1, ... with so many of the classes c0, c1, ..."""
    labels = np.repeat([f"c{i}" for i in range(len(counts))], counts)
    samples = np.array([f"s{i}" for i in range(len(labels))])
    return DataSet(name, None, FEATURES, samples, labels)


def grouped(labels, groups, name="toy"):
    """Return the header of samples s0, s1, ... with a letter for each class and group."""
    samples = np.array([f"s{i}" for i in range(len(labels))])
    return DataSet(name, None, FEATURES, samples, list(labels), groups=list(groups))
